//! The closest points of four triangles at once: the same arithmetic as `closest.rs`, without its branches, which no
//! processor predicts.

use glam::DVec3;
use wide::f64x4;

use super::Feature;

/// Four points.
#[derive(Clone, Copy)]
pub(super) struct Points {
    x: f64x4,
    y: f64x4,
    z: f64x4,
}

impl Points {
    #[inline]
    pub fn new(p: [DVec3; 4]) -> Self {
        let [a, b, c, d] = p;
        Points {
            x: f64x4::new([a.x, b.x, c.x, d.x]),
            y: f64x4::new([a.y, b.y, c.y, d.y]),
            z: f64x4::new([a.z, b.z, c.z, d.z]),
        }
    }

    #[inline]
    fn dot(self, o: Points) -> f64x4 {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    #[inline]
    fn scaled(self, s: f64x4) -> Points {
        Points { x: self.x * s, y: self.y * s, z: self.z * s }
    }
}

impl std::ops::Add for Points {
    type Output = Points;
    #[inline]
    fn add(self, o: Points) -> Points {
        Points { x: self.x + o.x, y: self.y + o.y, z: self.z + o.z }
    }
}

impl std::ops::Sub for Points {
    type Output = Points;
    #[inline]
    fn sub(self, o: Points) -> Points {
        Points { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z }
    }
}

/// Where the points of four triangles `abc` lie that are closest to the origin.
pub(super) struct ClosestFour {
    pub distance_squared: [f64; 4],
    /// Bit `i`: inside triangle `i`.
    inside: u32,
    /// For each edge `ab`, `bc`, `ca`: its squared distance, and whether its start or its end is the closest point.
    edges: [Edge; 3],
}

struct Edge {
    distance_squared: f64x4,
    at_start: f64x4,
    at_end: f64x4,
}

impl ClosestFour {
    #[inline]
    pub fn new([a, b, c]: [Points; 3]) -> Self {
        let (ab, bc, ca) = (b - a, c - b, a - c);
        // How far the foot lies inside each edge from either end, times the edge's length.
        let (ab_ahead, ab_behind) = (-a.dot(ab), b.dot(ab));
        let (ca_ahead, ca_behind) = (-c.dot(ca), a.dot(ca));
        let (bb, cc, dot) = (ab.dot(ab), ca.dot(ca), -ab.dot(ca));
        let zero = f64x4::ZERO;
        // Foot of the perpendicular: a + (v ab - w ca) / determinant.
        let determinant = bb * cc - dot * dot;
        let v = cc * ab_ahead - dot * ca_behind;
        let w = bb * ca_behind - dot * ab_ahead;
        let u = determinant - v - w;
        let inside = u.simd_ge(zero) & v.simd_ge(zero) & w.simd_ge(zero) & determinant.simd_gt(zero);
        let inverse = f64x4::ONE / determinant;
        let foot = a + ab.scaled(v * inverse) - ca.scaled(w * inverse);
        let corners = [a.dot(a), b.dot(b), c.dot(c)];
        let edges = [
            Edge::new(a, ab, ab_ahead, ab_behind, corners[0], corners[1]),
            Edge::new(b, bc, -b.dot(bc), c.dot(bc), corners[1], corners[2]),
            Edge::new(c, ca, ca_ahead, ca_behind, corners[2], corners[0]),
        ];
        let rim =
            edges[0].distance_squared.fast_min(edges[1].distance_squared).fast_min(edges[2].distance_squared);
        let distance_squared = inside.bitselect(foot.dot(foot), rim).to_array();
        ClosestFour { distance_squared, inside: inside.to_bitmask(), edges }
    }

    /// The feature of triangle `i` on which its closest point lies.
    #[inline]
    pub fn feature(&self, i: usize) -> Feature {
        if self.inside >> i & 1 != 0 {
            return Feature::Face;
        }
        let [ab, bc, ca] = [0, 1, 2].map(|k: usize| self.edges[k].distance_squared.as_array()[i]);
        let k = if ab <= bc && ab <= ca { 0 } else { 1 + (ca < bc) as u8 };
        let edge = &self.edges[k as usize];
        if edge.at_start.to_bitmask() >> i & 1 != 0 {
            Feature::Vertex(k)
        } else if edge.at_end.to_bitmask() >> i & 1 != 0 {
            Feature::Vertex((k + 1) % 3)
        } else {
            Feature::Edge(k)
        }
    }
}

impl Edge {
    #[inline]
    fn new(from: Points, edge: Points, ahead: f64x4, behind: f64x4, start: f64x4, end: f64x4) -> Edge {
        let (at_start, at_end) = (ahead.simd_le(f64x4::ZERO), behind.simd_le(f64x4::ZERO));
        let foot = from + edge.scaled(ahead / (ahead + behind));
        let distance_squared = at_start.bitselect(start, at_end.bitselect(end, foot.dot(foot)));
        Edge { distance_squared, at_start, at_end }
    }
}

#[cfg(test)]
mod tests {
    use super::super::closest::closest_to_origin;
    use super::*;
    use proptest::prelude::*;

    fn coordinate() -> impl Strategy<Value = f64> {
        prop_oneof![(-3i32..4).prop_map(f64::from), -2.0f64..2.0]
    }

    fn four() -> impl Strategy<Value = [DVec3; 4]> {
        let corner = || [coordinate(), coordinate(), coordinate()].prop_map(DVec3::from_array);
        [corner(), corner(), corner(), corner()]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn four_at_once_are_what_one_by_one_gives(a in four(), b in four(), c in four()) {
            let all = ClosestFour::new([a, b, c].map(Points::new));
            for i in 0..4 {
                let corners = [a[i], b[i], c[i]];
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
