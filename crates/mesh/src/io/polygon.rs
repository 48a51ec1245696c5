//! Polygons to triangles.

use glam::{DVec2, DVec3};

use super::RawMesh;

/// Polygons of more corners than this are cut into a fan even where they are not convex: the search for ears
/// takes the square of their number.
const MOST_CORNERS: usize = 1000;

impl RawMesh {
    /// Cuts a polygon into triangles: a fan round its first vertex, or where that would fold over, because
    /// the polygon is not convex, by clipping ears. Vertices that are not known yet leave the fan.
    pub(crate) fn push_polygon(&mut self, polygon: &[u32]) {
        if polygon.len() > 3 && polygon.len() <= MOST_CORNERS {
            let corners: Option<Vec<DVec3>> =
                polygon.iter().map(|&v| self.positions.get(v as usize).copied()).collect();
            if let Some(corners) = corners.map(|c| flatten(&c))
                && !is_filled_by_fan(&corners)
            {
                let ears = clip_ears(&corners);
                self.triangles.extend(ears.into_iter().map(|t| t.map(|i| polygon[i])));
                return;
            }
        }
        for k in 2..polygon.len() {
            self.triangles.push([polygon[0], polygon[k - 1], polygon[k]]);
        }
    }
}

/// The corners seen against the polygon's normal (M. Newell's), so that it runs counter-clockwise.
fn flatten(corners: &[DVec3]) -> Vec<DVec2> {
    let origin = corners[0];
    let normal: DVec3 = corners.windows(2).map(|w| (w[0] - origin).cross(w[1] - origin)).sum();
    let Some(normal) = normal.try_normalize() else { return vec![DVec2::ZERO; corners.len()] };
    let (u, v) = normal.any_orthonormal_pair();
    corners.iter().map(|&p| DVec2::new((p - origin).dot(u), (p - origin).dot(v))).collect()
}

/// Twice the signed area of a triangle.
fn area(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Whether no triangle of the fan round the first corner is turned over, up to rounding.
fn is_filled_by_fan(corners: &[DVec2]) -> bool {
    let reach = corners.iter().map(|p| p.length_squared()).fold(0.0, f64::max);
    corners.windows(2).skip(1).all(|w| area(corners[0], w[0], w[1]) >= -1e-12 * reach)
}

/// G. Meisters, "Polygons have ears" (1975): a corner whose triangle holds no other corner is cut off, again
/// and again.
fn clip_ears(corners: &[DVec2]) -> Vec<[usize; 3]> {
    let mut left: Vec<usize> = (0..corners.len()).collect();
    let mut triangles = Vec::with_capacity(corners.len() - 2);
    while left.len() > 3 {
        let n = left.len();
        let at = |k: usize| corners[left[k % n]];
        let is_ear = |&k: &usize| {
            let (a, b, c) = (at(k + n - 1), at(k), at(k + 1));
            let holds = |p: DVec2| area(a, b, p) >= 0.0 && area(b, c, p) >= 0.0 && area(c, a, p) >= 0.0;
            area(a, b, c) > 0.0 && (2..n - 1).all(|j| !holds(at(k + j)))
        };
        // A polygon that crosses itself may have none.
        let Some(k) = (0..n).find(is_ear) else { break };
        triangles.push([left[(k + n - 1) % n], left[k], left[(k + 1) % n]]);
        left.remove(k);
    }
    triangles.extend((2..left.len()).map(|k| [left[0], left[k - 1], left[k]]));
    triangles
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The triangles of a polygon in a tilted plane, with its vertices in that order.
    fn cut(outline: &[[f64; 2]], scale: f64) -> Vec<[u32; 3]> {
        let (u, v) = (DVec3::new(0.6, 0.0, 0.8), DVec3::new(0.0, 1.0, 0.0));
        let positions = outline.iter().map(|&[x, y]| scale * (x * u + y * v + DVec3::ONE)).collect();
        let mut raw = RawMesh { positions, ..RawMesh::default() };
        raw.push_polygon(&(0..outline.len() as u32).collect::<Vec<_>>());
        raw.triangles
    }

    #[test]
    fn convex_polygons_are_fans() {
        let hexagon = [[2.0, 0.0], [1.0, 1.7], [-1.0, 1.7], [-2.0, 0.0], [-1.0, -1.7], [1.0, -1.7]];
        assert_eq!(cut(&hexagon, 1.0), [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]);
        // With a corner in the middle of a side.
        assert_eq!(cut(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [1.0, 1.0]], 1.0), [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn other_polygons_are_filled_without_a_fold_at_every_scale() {
        let arrow = [[0.0, 0.0], [2.0, -1.0], [0.5, 0.0], [2.0, 1.0]];
        let ell = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        let star: Vec<[f64; 2]> = (0..10)
            .map(|k| {
                let (sin, cos) = (f64::from(k) * std::f64::consts::PI / 5.0).sin_cos();
                let r = if k % 2 == 0 { 1.0 } else { 0.3 };
                [r * cos, r * sin]
            })
            .collect();
        for outline in [&arrow[..], &ell, &star] {
            for first in 0..outline.len() {
                let turned: Vec<[f64; 2]> =
                    outline.iter().cycle().skip(first).take(outline.len()).copied().collect();
                let points: Vec<DVec2> = turned.iter().map(|&p| DVec2::from_array(p)).collect();
                let outline_area: f64 =
                    (0..points.len()).map(|k| points[k].perp_dot(points[(k + 1) % points.len()])).sum();
                for scale in [1e-20, 1.0, 1e20] {
                    let triangles = cut(&turned, scale);
                    assert_eq!(triangles.len(), turned.len() - 2);
                    let areas = triangles.iter().map(|t| {
                        let [a, b, c] = t.map(|v| points[v as usize]);
                        area(a, b, c)
                    });
                    assert!(areas.clone().all(|a| a > -1e-12), "{turned:?}: {triangles:?}");
                    assert!((areas.sum::<f64>() - outline_area).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn broken_polygons_are_cut_somehow() {
        let bow_tie = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        let point = [[1.0, 1.0]; 5];
        let poison = [[0.0, 0.0], [f64::NAN, 1.0], [1.0, 0.0], [0.0, 1.0]];
        for outline in [&bow_tie[..], &point, &poison] {
            assert_eq!(cut(outline, 1.0).len(), outline.len() - 2);
        }
        let mut raw = RawMesh::default();
        raw.push_polygon(&[7, 8, 9, 10]);
        assert_eq!(raw.triangles, [[7, 8, 9], [7, 9, 10]]);
    }
}
