//! The point of a triangle that is closest to the origin.

use glam::DVec3;

use super::Feature;

/// The closest point of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Closest {
    pub distance_squared: f64,
    pub barycentric: [f64; 3],
    pub feature: Feature,
}

impl Closest {
    /// The point itself.
    pub fn point(&self, [a, b, c]: [DVec3; 3]) -> DVec3 {
        let [u, v, w] = self.barycentric;
        match self.feature {
            Feature::Face => a + (b - a) * v + (c - a) * w,
            _ => a * u + b * v + c * w,
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
    let edges = [(-a.dot(ab), b.dot(ab)), (-b.dot(bc), c.dot(bc)), (-c.dot(ca), a.dot(ca))];
    let (aa, cc) = (ab.length_squared(), ca.length_squared());
    let ac = -ab.dot(ca);
    let determinant = aa * cc - ac * ac;
    // Foot of the perpendicular: a + (v ab - w ca) / determinant.
    let (to_b, to_c) = (edges[0].0, edges[2].1);
    let v = cc * to_b - ac * to_c;
    let w = aa * to_c - ac * to_b;
    let u = determinant - v - w;
    if u >= 0.0 && v >= 0.0 && w >= 0.0 && determinant > 0.0 {
        let (v, w) = (v / determinant, w / determinant);
        return Closest {
            distance_squared: (a + ab * v - ca * w).length_squared(),
            barycentric: [1.0 - v - w, v, w],
            feature: Feature::Face,
        };
    }
    // The closest point lies on an edge that the foot is outside of.
    let degenerate = determinant <= 0.0 || determinant.is_nan();
    let mut best = Closest { distance_squared: f64::INFINITY, barycentric: [0.0; 3], feature: Feature::Face };
    let corners = [a, b, c];
    for (k, outside) in [(0, w < 0.0), (1, u < 0.0), (2, v < 0.0)] {
        if outside || degenerate {
            let (i, j) = (k, (k + 1) % 3);
            let candidate = on_edge(corners[i], corners[j], edges[k], i, j);
            if candidate.distance_squared < best.distance_squared {
                best = candidate;
            }
        }
    }
    best
}

#[inline]
fn on_edge(from: DVec3, to: DVec3, (ahead, behind): (f64, f64), i: usize, j: usize) -> Closest {
    let mut barycentric = [0.0; 3];
    let (point, feature) = if ahead <= 0.0 {
        barycentric[i] = 1.0;
        (from, Feature::Vertex(i as u8))
    } else if behind <= 0.0 {
        barycentric[j] = 1.0;
        (to, Feature::Vertex(j as u8))
    } else {
        let t = ahead / (ahead + behind);
        barycentric[i] = 1.0 - t;
        barycentric[j] = t;
        (from + (to - from) * t, Feature::Edge(i as u8))
    };
    Closest { distance_squared: point.length_squared(), barycentric, feature }
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
            prop_assert!((closest.barycentric.iter().sum::<f64>() - 1.0).abs() <= 1e-12);
            prop_assert!(closest.barycentric.iter().all(|&x| x >= -1e-15));
            // No corner lies further towards the origin than s does.
            for corner in t {
                prop_assert!((-s).dot(corner - s) <= 1e-12 * (1.0 + corner.length_squared()), "{s} {corner}");
            }
            let zeros = closest.barycentric.iter().filter(|&&x| x == 0.0).count();
            match closest.feature {
                Feature::Vertex(k) => prop_assert_eq!(closest.barycentric[k as usize], 1.0),
                Feature::Edge(k) => prop_assert!(zeros >= 1 && closest.barycentric[(k as usize + 2) % 3] == 0.0),
                Feature::Face => {}
            }
        }
    }
}
