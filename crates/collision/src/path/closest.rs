//! The point of a triangle that is closest to the origin.

use glam::DVec3;

use super::Feature;

/// The closest point of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Closest {
    pub distance_squared: f64,
    pub feature: Feature,
    /// On an edge: how far along it. Inside: the weights of the second and third corner.
    along: [f64; 2],
}

impl Closest {
    /// Weights of the corners.
    pub fn barycentric(&self) -> [f64; 3] {
        let mut weights = [0.0; 3];
        match self.feature {
            Feature::Vertex(k) => weights[k as usize] = 1.0,
            Feature::Edge(k) => {
                weights[k as usize] = 1.0 - self.along[0];
                weights[(k as usize + 1) % 3] = self.along[0];
            }
            Feature::Face => weights = [1.0 - self.along[0] - self.along[1], self.along[0], self.along[1]],
        }
        weights
    }

    /// The point itself.
    pub fn point(&self, corners: [DVec3; 3]) -> DVec3 {
        let [a, b, c] = corners;
        match self.feature {
            Feature::Vertex(k) => corners[k as usize],
            Feature::Edge(k) => {
                let (from, to) = (corners[k as usize], corners[(k as usize + 1) % 3]);
                from + (to - from) * self.along[0]
            }
            Feature::Face => a + (b - a) * self.along[0] + (c - a) * self.along[1],
        }
    }
}

/// The point of the triangle `abc` that is closest to the origin. Degenerate triangles count as their edges.
///
/// Whether the foot on an edge lies before its end is decided by the same expression for every face of that edge, so
/// that faces never disagree about the edges and vertices they share.
#[inline]
pub(crate) fn closest_to_origin([a, b, c]: [DVec3; 3]) -> Closest {
    let (ab, bc, ca) = (b - a, c - b, a - c);
    // How far the foot lies inside each edge from either end, times the edge's length.
    let (ab_ahead, ab_behind) = (-a.dot(ab), b.dot(ab));
    let (ca_ahead, ca_behind) = (-c.dot(ca), a.dot(ca));
    let (bb, cc, bc_dot) = (ab.length_squared(), ca.length_squared(), -ab.dot(ca));
    // Foot of the perpendicular: a + (v ab - w ca) / determinant.
    let determinant = bb * cc - bc_dot * bc_dot;
    let v = cc * ab_ahead - bc_dot * ca_behind;
    let w = bb * ca_behind - bc_dot * ab_ahead;
    let u = determinant - v - w;
    if u >= 0.0 && v >= 0.0 && w >= 0.0 && determinant > 0.0 {
        let inverse = 1.0 / determinant;
        let (v, w) = (v * inverse, w * inverse);
        return Closest {
            distance_squared: (a + ab * v - ca * w).length_squared(),
            feature: Feature::Face,
            along: [v, w],
        };
    }
    // The closest point lies on an edge that the foot is outside of.
    let degenerate = determinant <= 0.0 || determinant.is_nan();
    let mut best = Closest { distance_squared: f64::INFINITY, feature: Feature::Vertex(0), along: [0.0; 2] };
    if w < 0.0 || degenerate {
        on_edge(&mut best, 0, a, b, ab_ahead, ab_behind);
    }
    if u < 0.0 || degenerate {
        on_edge(&mut best, 1, b, c, -b.dot(bc), c.dot(bc));
    }
    if v < 0.0 || degenerate {
        on_edge(&mut best, 2, c, a, ca_ahead, ca_behind);
    }
    best
}

/// Takes the closest point of edge `k` if it is closer.
#[inline]
fn on_edge(best: &mut Closest, k: u8, from: DVec3, to: DVec3, ahead: f64, behind: f64) {
    let (distance_squared, feature, t) = if ahead <= 0.0 {
        (from.length_squared(), Feature::Vertex(k), 0.0)
    } else if behind <= 0.0 {
        (to.length_squared(), Feature::Vertex(if k == 2 { 0 } else { k + 1 }), 0.0)
    } else {
        let t = ahead / (ahead + behind);
        ((from + (to - from) * t).length_squared(), Feature::Edge(k), t)
    };
    if distance_squared < best.distance_squared {
        *best = Closest { distance_squared, feature, along: [t, 0.0] };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn coordinate() -> impl Strategy<Value = f64> {
        prop_oneof![(-3i32..4).prop_map(f64::from), -2.0f64..2.0]
    }

    fn corner() -> impl Strategy<Value = DVec3> {
        [coordinate(), coordinate(), coordinate()].prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn the_closest_point_satisfies_the_variational_inequality(t in [corner(), corner(), corner()]) {
            let closest = closest_to_origin(t);
            let s = closest.point(t);
            prop_assert!((s.length_squared() - closest.distance_squared).abs() <= 1e-12);
            prop_assert!((closest.barycentric().iter().sum::<f64>() - 1.0).abs() <= 1e-12);
            prop_assert!(closest.barycentric().iter().all(|&x| x >= -1e-15));
            // No corner lies further towards the origin than s does.
            for corner in t {
                prop_assert!((-s).dot(corner - s) <= 1e-12 * (1.0 + corner.length_squared()), "{s} {corner}");
            }
            let zeros = closest.barycentric().iter().filter(|&&x| x == 0.0).count();
            match closest.feature {
                Feature::Vertex(k) => prop_assert_eq!(closest.barycentric()[k as usize], 1.0),
                Feature::Edge(k) => prop_assert!(zeros >= 1 && closest.barycentric()[(k as usize + 2) % 3] == 0.0),
                Feature::Face => {}
            }
        }
    }
}
