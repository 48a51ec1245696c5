//! Bounding volumes of 18 planes: a box with its twelve edges cut.
//!
//! Each of nine directions (the axes, and sums and differences of two axes) has a lowest and a highest value. A sum of two
//! coordinates is rounded, but rounding is monotone: a point that two volumes hold has a rounded sum that lies within the
//! bounds of both, so that two volumes with a point in common always overlap.

use glam::{Vec3, Vec4};

/// A bounding volume of 18 planes; the last three lanes are unused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dop {
    low: [Vec4; 3],
    high: [Vec4; 3],
}

impl Dop {
    /// Holds nothing.
    pub const EMPTY: Dop = Dop { low: [Vec4::INFINITY; 3], high: [Vec4::NEG_INFINITY; 3] };

    /// Around points.
    #[inline]
    pub fn of<const N: usize>(points: [Vec3; N]) -> Dop {
        let mut dop = Dop::EMPTY;
        for p in points {
            let d = directions(p);
            for k in 0..3 {
                dop.low[k] = dop.low[k].min(d[k]);
                dop.high[k] = dop.high[k].max(d[k]);
            }
        }
        dop
    }

    /// Around two volumes.
    #[inline]
    pub fn union(&self, other: &Dop) -> Dop {
        let mut dop = *self;
        for k in 0..3 {
            dop.low[k] = dop.low[k].min(other.low[k]);
            dop.high[k] = dop.high[k].max(other.high[k]);
        }
        dop
    }

    /// Whether two closed volumes come within a margin of each other (as far as the planes tell). Never with a NaN.
    #[inline]
    pub fn overlaps_within(&self, other: &Dop, Margin(by): &Margin) -> bool {
        let near = |k: usize| {
            Vec4::cmple(self.low[k] - by[k], other.high[k]) & Vec4::cmple(other.low[k] - by[k], self.high[k])
        };
        (near(0) & near(1) & near(2)).all()
    }

    /// Whether two closed volumes have a point in common (as far as the planes tell).
    #[inline]
    pub fn overlaps(&self, other: &Dop) -> bool {
        self.overlaps_within(other, &Margin([Vec4::ZERO; 3]))
    }

    /// The largest coordinate, by amount.
    pub fn farthest(&self) -> f32 {
        let far = self.low[0].abs().max(self.high[0].abs());
        far.x.max(far.y).max(far.z)
    }

    /// The low and the high corner of the box along the axes.
    pub fn corners(&self) -> [Vec3; 2] {
        [self.low[0].truncate(), self.high[0].truncate()]
    }

    /// A measure of size: the sum of the extents along the axes.
    #[inline]
    pub fn size(&self) -> f32 {
        let e = self.high[0] - self.low[0];
        e.x + e.y + e.z
    }
}

/// A distance, as far as it reaches along the nine directions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Margin([Vec4; 3]);

impl Margin {
    /// Holds what is within `distance`, and a little more, which covers rounding as long as the distance matters at all.
    pub fn new(distance: f32) -> Self {
        // The diagonal directions have length √2.
        let (axis, diagonal) = (distance * 1.0001, distance * 1.4144);
        Margin([
            Vec4::new(axis, axis, axis, diagonal),
            Vec4::splat(diagonal),
            Vec4::new(diagonal, 0.0, 0.0, 0.0),
        ])
    }
}

#[inline]
fn directions(p: Vec3) -> [Vec4; 3] {
    let Vec3 { x, y, z } = p;
    [Vec4::new(x, y, z, x + y), Vec4::new(x - y, y + z, y - z, z + x), Vec4::new(z - x, 0.0, 0.0, 0.0)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Vec3> {
        [-1f32..1.0, -1f32..1.0, -1f32..1.0].prop_map(Vec3::from_array)
    }

    proptest! {
        #[test]
        fn volumes_with_a_common_vertex_overlap(p in [point(), point(), point(), point(), point()], far in 0f32..1e6) {
            let p = p.map(|p| p + Vec3::new(far, -far, far));
            let (a, b) = (Dop::of([p[0], p[1], p[2]]), Dop::of([p[2], p[3], p[4]]));
            prop_assert!(a.overlaps(&b) && b.overlaps(&a));
            prop_assert!(a.union(&b).overlaps(&Dop::of([p[4]])));
        }

        #[test]
        fn a_margin_reaches_what_is_within_it(
            p in [point(), point(), point()], direction in point(), margin in 1e-3f32..1.0,
        ) {
            let near = p[0] + direction.normalize_or(Vec3::X) * margin;
            prop_assert!(Dop::of(p).overlaps_within(&Dop::of([near]), &Margin::new(margin)));
        }
    }

    #[test]
    fn the_cut_edges_separate_what_boxes_do_not() {
        let a = Dop::of([Vec3::ZERO, Vec3::X, Vec3::Y]);
        let b = Dop::of([Vec3::new(0.9, 0.9, 0.0), Vec3::new(1.0, 0.6, 0.0), Vec3::new(0.6, 1.0, 0.0)]);
        assert!(!a.overlaps(&b));
        assert!(!a.overlaps(&Dop::of([Vec3::splat(f32::NAN)])) && !Dop::EMPTY.overlaps(&a));
    }
}
