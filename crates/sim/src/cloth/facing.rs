//! Which sides of two layers of cloth face each other.
//!
//! That nothing crosses does not tell whether the layers lie as they should: one may have slipped through the other. What tells
//! is with which side each faces the other. A layer that lay with its front on the front of the other and has slipped through
//! faces the back of it with its own back; one that has only opened, turned round with the other, or moved far away does not.
//! Front of one against back of the other is what a layer shows that was wound round the border of the other.

use glam::{DVec3, Vec3};

/// Vertices of a layer that face the other layer, by the sides of both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Facing {
    /// Front against front.
    pub fronts: u32,
    /// Back against back.
    pub backs: u32,
    /// The back of the vertex's layer against the front of the other.
    pub back_on_front: u32,
    /// The front of the vertex's layer against the back of the other.
    pub front_on_back: u32,
}

/// A place where the line along the cloth's normal at a vertex meets the cloth again.
struct Met {
    triangle: usize,
    weights: [f64; 3],
    distance: f64,
    /// Whether it is the front that is met.
    front: bool,
}

/// Looks from each vertex of `layer` along the normal of the cloth to both sides, as far as the first triangle that is met. It counts where that is
/// one of the other layer and no farther than `reach` says: metres, of the vertex and the point of the rest pose that was met.
pub(super) fn facing(
    triangles: &[[u32; 3]],
    rest: &[DVec3],
    x: &[Vec3],
    layer: &[bool],
    reach: impl Fn(DVec3, DVec3) -> f64,
) -> Facing {
    let corners: Vec<[DVec3; 3]> = triangles.iter().map(|t| t.map(|v| x[v as usize].as_dvec3())).collect();
    let mut normals = vec![DVec3::ZERO; x.len()];
    for (t, [a, b, c]) in triangles.iter().zip(&corners) {
        t.iter().for_each(|&v| normals[v as usize] += (b - a).cross(c - a));
    }
    let mut all = Facing::default();
    for v in (0..x.len()).filter(|&v| layer[v]) {
        let Some(normal) = normals[v].try_normalize() else { continue };
        for (front, way) in [(true, normal), (false, -normal)] {
            let Some(met) = first_met(triangles, &corners, v as u32, way) else { continue };
            let t = triangles[met.triangle].map(|v| v as usize);
            let foot: DVec3 = (0..3).map(|k| rest[t[k]] * met.weights[k]).sum();
            if t.iter().any(|&v| layer[v]) || met.distance > reach(rest[v], foot) {
                continue;
            }
            *match (front, met.front) {
                (true, true) => &mut all.fronts,
                (false, false) => &mut all.backs,
                (false, true) => &mut all.back_on_front,
                (true, false) => &mut all.front_on_back,
            } += 1;
        }
    }
    all
}

/// What the line from vertex `v` along the unit vector `way` meets first, but for the triangles at the vertex.
///
/// Source: T. Möller, B. Trumbore, "Fast, minimum storage ray-triangle intersection", Journal of Graphics Tools 2 (1997).
fn first_met(triangles: &[[u32; 3]], corners: &[[DVec3; 3]], v: u32, way: DVec3) -> Option<Met> {
    let from =
        triangles.iter().zip(corners).find_map(|(t, p)| t.iter().position(|&u| u == v).map(|k| p[k]))?;
    let mut first: Option<Met> = None;
    for (i, [a, b, c]) in corners.iter().enumerate().filter(|&(i, _)| !triangles[i].contains(&v)) {
        let (e, f, d) = (b - a, c - a, from - a);
        let p = way.cross(f);
        let determinant = e.dot(p);
        let q = d.cross(e);
        let (beta, gamma) = (d.dot(p) / determinant, way.dot(q) / determinant);
        let distance = f.dot(q) / determinant;
        let alpha = 1.0 - beta - gamma;
        let meets = alpha >= 0.0 && beta >= 0.0 && gamma >= 0.0 && distance > 0.0;
        if meets && first.as_ref().is_none_or(|m| distance < m.distance) {
            let front = e.cross(f).dot(way) < 0.0;
            first = Some(Met { triangle: i, weights: [alpha, beta, gamma], distance, front });
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloth::folded;
    use crate::scene::Fold;
    use gordian_mesh::generate::cloth_grid;

    /// How a sheet of 4.8 by 4.8 metres faces itself, its halves folded at the middle row and then moved: `place` gets the start.
    fn of_fold(gap: f64, height: f64, place: impl Fn(DVec3) -> DVec3) -> Facing {
        let sheet = cloth_grid(4.8, 4.8, 24, 24).unwrap();
        let low = sheet.positions.iter().fold(DVec3::INFINITY, |l, p| l.min(*p));
        let fold = Fold { gap_m: gap, height_m: height, ..Fold::default() };
        let x: Vec<Vec3> = folded(&fold, &sheet.positions).iter().map(|&p| place(p).as_vec3()).collect();
        let behind: Vec<bool> = sheet.positions.iter().map(|p| p.y - low.y > 2.4 + 0.1).collect();
        facing(&sheet.triangles, &sheet.positions, &x, &behind, |p, q| 0.5 * p.distance(q))
    }

    #[test]
    fn a_fold_faces_itself_with_the_same_sides_wherever_it_lies() {
        let flat = of_fold(0.01, 0.0, |p| p);
        assert!(flat.fronts > 200, "{flat:?}");
        assert_eq!(flat, Facing { fronts: flat.fronts, ..Facing::default() });
        // Turned over as a whole, it lies the other way up, in the same order.
        let turned = of_fold(0.01, 0.0, |p| DVec3::new(p.x, -p.y, -p.z));
        assert!(turned.fronts > 200);
        assert_eq!(turned, Facing { fronts: turned.fronts, ..Facing::default() });
    }

    #[test]
    fn a_layer_that_has_slipped_through_is_told() {
        // The same fold with nothing that crosses, the folded layer on the wrong side of the other.
        let slipped = of_fold(-0.01, 0.0, |p| p);
        assert!(slipped.backs > 200);
        assert_eq!(slipped, Facing { backs: slipped.backs, ..Facing::default() });
        // A ridge through the other layer.
        let part = of_fold(0.01, 0.15, |p| p);
        assert!(part.fronts > part.backs && part.backs > 50, "{part:?}");
    }

    #[test]
    fn layers_that_are_open_have_no_order() {
        // The folded layer is swung back about the fold.
        let swung = |degrees: f64| {
            of_fold(0.01, 0.0, |p| {
                let (sin, cos) = degrees.to_radians().sin_cos();
                let up = p.y + 2.4;
                if p.z < -0.006 { DVec3::new(p.x, -2.4 + cos * up, p.z - sin * up) } else { p }
            })
        };
        let a_little = swung(20.0);
        assert!(a_little.fronts > 200);
        assert_eq!(a_little, Facing { fronts: a_little.fronts, ..Facing::default() });
        assert_eq!(swung(90.0), Facing::default());
    }

    #[test]
    fn a_roll_shows_one_front_and_one_back() {
        // A turn and a half, wider with every turn; the layer is what lies on the first turn.
        let sheet = cloth_grid(9.0, 2.0, 54, 12).unwrap();
        let turns = |p: &DVec3| (p.x + 4.5) / 6.0;
        let wind = |p: &DVec3| {
            let ((sin, cos), r) = ((std::f64::consts::TAU * turns(p)).sin_cos(), 1.0 + 0.1 * turns(p));
            DVec3::new(r * cos, p.y, r * sin).as_vec3()
        };
        let x: Vec<Vec3> = sheet.positions.iter().map(wind).collect();
        let layer: Vec<bool> = sheet.positions.iter().map(|p| turns(p) > 1.001).collect();
        let rolled = facing(&sheet.triangles, &sheet.positions, &x, &layer, |_, _| 0.5);
        assert!(rolled.front_on_back + rolled.back_on_front > 200, "{rolled:?}");
        assert_eq!((rolled.fronts, rolled.backs), (0, 0));
    }
}
