//! Axis-aligned boxes in single precision.

use glam::{DVec3, Vec3};

/// An axis-aligned box. A box around `f32` points is exact; everything wider is rounded outward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lower corner.
    pub min: Vec3,
    /// Upper corner.
    pub max: Vec3,
}

impl Aabb {
    /// The box that holds nothing: it meets no box and no point, and is neutral in a union.
    pub const EMPTY: Aabb = Aabb { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };
    /// All of space.
    pub const EVERYTHING: Aabb = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };

    /// The smallest box around `points`. A coordinate that is not a number is passed over.
    #[inline]
    pub fn of_points(points: impl IntoIterator<Item = Vec3>) -> Aabb {
        points
            .into_iter()
            .fold(Aabb::EMPTY, |b, p| Aabb { min: nan_free_min(b.min, p), max: nan_free_max(b.max, p) })
    }

    /// The smallest box around the simplex with vertices `ids`.
    #[inline]
    pub fn of_simplex<const K: usize>(positions: &[Vec3], ids: &[u32; K]) -> Aabb {
        Aabb::of_points(ids.iter().map(|&v| positions[v as usize]))
    }

    /// The smallest box around both.
    #[inline]
    pub fn union(self, other: Aabb) -> Aabb {
        Aabb { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// What both hold.
    #[inline]
    pub fn intersection(self, other: Aabb) -> Aabb {
        Aabb { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    /// The box grown by `margin` on every side, rounded outward; an empty box stays empty.
    #[inline]
    pub fn inflate(self, margin: f32) -> Aabb {
        let outward = |v: Vec3, down: bool| {
            Vec3::from_array(v.to_array().map(|x| if down { x.next_down() } else { x.next_up() }))
        };
        if self.is_empty() {
            return self;
        }
        Aabb { min: outward(self.min - margin, true), max: outward(self.max + margin, false) }
    }

    /// Whether the closed boxes share a point.
    #[inline]
    pub fn overlaps(&self, other: &Aabb) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Whether the closed box holds `p`.
    #[inline]
    pub fn contains(&self, p: Vec3) -> bool {
        self.min.cmple(p).all() && p.cmple(self.max).all()
    }

    /// Whether `other` lies within; an empty box lies within every box.
    pub fn contains_box(&self, other: &Aabb) -> bool {
        other.is_empty() || (self.min.cmple(other.min).all() && other.max.cmple(self.max).all())
    }

    /// Whether the box holds nothing (or is not a number).
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// Half the surface area; zero for an empty box.
    pub fn half_area(&self) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let e = self.max.as_dvec3() - self.min.as_dvec3();
        e.x * e.y + e.y * e.z + e.z * e.x
    }

    /// Squared distance from `p` to the box, rounded only as `f64` is; infinite for an empty box.
    pub fn distance_squared(&self, p: DVec3) -> f64 {
        let d = (self.min.as_dvec3() - p).max(p - self.max.as_dvec3()).max(DVec3::ZERO);
        d.length_squared()
    }
}

// What is not a number compares false, and is passed over: one instruction on most processors, which `f32::min` is not.

#[inline]
fn nan_free_min(a: Vec3, b: Vec3) -> Vec3 {
    let pick = |a: f32, b: f32| if b < a { b } else { a };
    Vec3::new(pick(a.x, b.x), pick(a.y, b.y), pick(a.z, b.z))
}

#[inline]
fn nan_free_max(a: Vec3, b: Vec3) -> Vec3 {
    let pick = |a: f32, b: f32| if b > a { b } else { a };
    Vec3::new(pick(a.x, b.x), pick(a.y, b.y), pick(a.z, b.z))
}
