//! The closest points of four triangles at once: the same arithmetic as `closest.rs`, without its branches, which no
//! processor predicts.

use std::ops::{Add, Sub};

use glam::{DVec3, Vec3};

use super::Feature;
use super::lanes::Lanes;

/// The corners of four triangles: all first ones, all second ones, all third ones.
pub(super) type Corners = [[Vec3; 4]; 3];

/// Four points.
#[derive(Clone, Copy)]
struct Points<L> {
    x: L,
    y: L,
    z: L,
}

impl<L: Lanes> Points<L> {
    /// As seen from `p`.
    #[inline(always)]
    fn seen_from(p: DVec3, [a, b, c, d]: &[Vec3; 4]) -> Self {
        Points {
            x: L::widen([a.x, b.x, c.x, d.x]) - L::splat(p.x),
            y: L::widen([a.y, b.y, c.y, d.y]) - L::splat(p.y),
            z: L::widen([a.z, b.z, c.z, d.z]) - L::splat(p.z),
        }
    }

    #[inline(always)]
    fn dot(self, o: Self) -> L {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    #[inline(always)]
    fn scaled(self, s: L) -> Self {
        Points { x: self.x * s, y: self.y * s, z: self.z * s }
    }
}

impl<L: Lanes> Add for Points<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Points { x: self.x + o.x, y: self.y + o.y, z: self.z + o.z }
    }
}

impl<L: Lanes> Sub for Points<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Points { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z }
    }
}

/// Where the points of four triangles `abc` lie that are closest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClosestFour {
    pub distance_squared: [f64; 4],
    /// Bit `i`: inside triangle `i`.
    inside: u8,
    /// For each edge `ab`, `bc`, `ca`: its squared distances.
    edges: [[f64; 4]; 3],
    /// For each edge, bit `i`: its start, or its end, is the closest point.
    at_start: [u8; 3],
    at_end: [u8; 3],
}

impl ClosestFour {
    /// Of these triangles to `p`.
    #[inline]
    pub fn new(p: DVec3, corners: &Corners) -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has it.
            return unsafe { of_avx2(p, corners) };
        }
        Self::of::<wide::f64x4>(p, corners)
    }

    #[inline(always)]
    fn of<L: Lanes>(p: DVec3, corners: &Corners) -> Self {
        // Not by `array::map`, which is not always inlined, and then not compiled for the lanes.
        let [a, b, c] = corners;
        let (a, b, c) = (Points::<L>::seen_from(p, a), Points::seen_from(p, b), Points::seen_from(p, c));
        let (ab, bc, ca) = (b - a, c - b, a - c);
        let zero = L::splat(0.0);
        // How far the foot lies inside each edge from either end, times the edge's length.
        let (ab_ahead, ab_behind) = (zero - a.dot(ab), b.dot(ab));
        let (ca_ahead, ca_behind) = (zero - c.dot(ca), a.dot(ca));
        let (bb, cc, dot) = (ab.dot(ab), ca.dot(ca), zero - ab.dot(ca));
        // Foot of the perpendicular: a + (v ab - w ca) / determinant.
        let determinant = bb * cc - dot * dot;
        let v = cc * ab_ahead - dot * ca_behind;
        let w = bb * ca_behind - dot * ab_ahead;
        let u = determinant - v - w;
        let inside = zero
            .less_or_equal(u)
            .and(zero.less_or_equal(v))
            .and(zero.less_or_equal(w))
            .and(zero.less(determinant));
        let inverse = L::splat(1.0) / determinant;
        let foot = a + ab.scaled(v * inverse) - ca.scaled(w * inverse);
        let corners = [a.dot(a), b.dot(b), c.dot(c)];
        let ab = Edge::new(a, ab, ab_ahead, ab_behind, corners[0], corners[1]);
        let bc = Edge::new(b, bc, zero - b.dot(bc), c.dot(bc), corners[1], corners[2]);
        let ca = Edge::new(c, ca, ca_ahead, ca_behind, corners[2], corners[0]);
        let rim = ab.distance_squared.min(bc.distance_squared).min(ca.distance_squared);
        ClosestFour {
            distance_squared: inside.select(foot.dot(foot), rim).to_array(),
            inside: inside.bits(),
            edges: [
                ab.distance_squared.to_array(),
                bc.distance_squared.to_array(),
                ca.distance_squared.to_array(),
            ],
            at_start: [ab.at_start.bits(), bc.at_start.bits(), ca.at_start.bits()],
            at_end: [ab.at_end.bits(), bc.at_end.bits(), ca.at_end.bits()],
        }
    }

    /// The feature of triangle `i` on which its closest point lies.
    #[inline]
    pub fn feature(&self, i: usize) -> Feature {
        if self.inside >> i & 1 != 0 {
            return Feature::Face;
        }
        let [ab, bc, ca] = [0, 1, 2].map(|k: usize| self.edges[k][i]);
        let k = if ab <= bc && ab <= ca { 0 } else { 1 + (ca < bc) as u8 };
        if self.at_start[k as usize] >> i & 1 != 0 {
            Feature::Vertex(k)
        } else if self.at_end[k as usize] >> i & 1 != 0 {
            Feature::Vertex((k + 1) % 3)
        } else {
            Feature::Edge(k)
        }
    }
}

/// [`ClosestFour::of`] in registers of AVX2.
///
/// # Safety
/// The machine has it.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn of_avx2(p: DVec3, corners: &Corners) -> ClosestFour {
    ClosestFour::of::<super::lanes::avx2::Register>(p, corners)
}

struct Edge<L> {
    distance_squared: L,
    at_start: L,
    at_end: L,
}

impl<L: Lanes> Edge<L> {
    #[inline(always)]
    fn new(from: Points<L>, edge: Points<L>, ahead: L, behind: L, start: L, end: L) -> Self {
        let zero = L::splat(0.0);
        let (at_start, at_end) = (ahead.less_or_equal(zero), behind.less_or_equal(zero));
        let foot = from + edge.scaled(ahead / (ahead + behind));
        let distance_squared = at_start.select(start, at_end.select(end, foot.dot(foot)));
        Edge { distance_squared, at_start, at_end }
    }
}

#[cfg(test)]
mod tests {
    use super::super::closest::closest_to_origin;
    use super::*;
    use proptest::prelude::*;

    fn coordinate() -> impl Strategy<Value = f32> {
        prop_oneof![(-3i32..4).prop_map(|x| x as f32), -2.0f32..2.0]
    }

    fn point() -> impl Strategy<Value = Vec3> {
        [coordinate(), coordinate(), coordinate()].prop_map(Vec3::from_array)
    }

    fn four() -> impl Strategy<Value = [Vec3; 4]> {
        [point(), point(), point(), point()]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn four_at_once_are_what_one_by_one_gives(p in point(), a in four(), b in four(), c in four()) {
            let p = p.as_dvec3();
            let all = ClosestFour::new(p, &[a, b, c]);
            // Whatever the machine has, to the bit; what is not a number may be any such.
            let base = ClosestFour::of::<wide::f64x4>(p, &[a, b, c]);
            prop_assert_eq!(format!("{:?}", all), format!("{:?}", base));
            for i in 0..4 {
                let corners = [a[i], b[i], c[i]].map(|corner| corner.as_dvec3() - p);
                let one = closest_to_origin(corners);
                let size: f64 = corners.iter().map(|p| p.length_squared()).sum();
                let error = (all.distance_squared[i] - one.distance_squared).abs();
                prop_assert!(error <= 1e-15 * size, "{corners:?} {} {}", all.distance_squared[i], one.distance_squared);
                // Where two features are equally close to rounding, either will do.
                if all.feature(i) != one.feature {
                    let rim = |k: usize| {
                        let (from, to) = (corners[k], corners[(k + 1) % 3]);
                        let t = (-from.dot(to - from) / (to - from).length_squared()).clamp(0.0, 1.0);
                        (from + (to - from) * t).length_squared()
                    };
                    let near = (0..3).filter(|&k| (rim(k) - one.distance_squared).abs() <= 1e-12 * size).count();
                    prop_assert!(near > 0, "{corners:?} {:?} {:?}", all.feature(i), one.feature);
                }
            }
        }
    }
}
