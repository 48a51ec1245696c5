//! Making pairs: from features that are near each other, and from crossings of cloth and volumes.

use glam::{DVec3, Vec3};

use super::{Pair, Search};
use crate::cloth::hits::Hit;
use crate::cloth::mesh::ClothMesh;
use crate::cloth::ties::{Labelled, is_positive};
use crate::predicates::{Sign, orient3d};

/// Sine below which edges count as parallel: they have no common normal then, and their ends meet triangles anyway.
const PARALLEL: f32 = 1e-3;

impl Pair {
    fn new(mesh: &ClothMesh, search: &Search, vertices: [u32; 4], weights: [f32; 4], normal: Vec3) -> Self {
        // Ends of both sides: the first and the last vertex.
        let [a, b] = [vertices[0], vertices[3]].map(|v| search.friction[mesh.sheet[v as usize] as usize]);
        Pair {
            vertices,
            weights,
            normal,
            room: f32::INFINITY,
            friction: [
                0.5 * (a.static_friction + b.static_friction),
                0.5 * (a.kinetic_friction + b.kinetic_friction),
            ],
            pressed: -1.0,
            rubbed: 0.0,
        }
    }
}

fn at(x: &[Vec3], v: u32) -> Labelled {
    (v, x[v as usize].as_dvec3())
}

/// A vertex whose foot lies inside the triangle.
pub(super) fn point_triangle(mesh: &ClothMesh, search: &Search, v: u32, triangle: u32) -> Option<Pair> {
    let [a, b, c] = mesh.triangles[triangle as usize];
    let p = |v: u32| search.x[v as usize];
    let (u, w, d) = (p(b) - p(a), p(c) - p(a), p(v) - p(a));
    let n = u.cross(w);
    let area2 = n.length_squared();
    if area2.is_nan() || area2 <= 0.0 {
        return None;
    }
    let height = n.dot(d);
    if height * height > search.reach * search.reach * area2 {
        return None;
    }
    let (beta, gamma) = (d.cross(w).dot(n) / area2, u.cross(d).dot(n) / area2);
    let alpha = 1.0 - beta - gamma;
    if alpha < 0.0 || beta < 0.0 || gamma < 0.0 {
        return None;
    }
    let (of_vertex, of_triangle) = (mesh.is_solid_vertex(v), mesh.is_solid(triangle));
    let ordered = search.valid_side.filter(|_| !of_vertex && !of_triangle);
    let front = match ordered {
        Some(order) => order.side(mesh.sheet[a as usize], mesh.sheet[v as usize]) > 0,
        None => started_in_front(mesh, search, v, [a, b, c]),
    };
    let normal = if front { n } else { -n } / area2.sqrt();
    // Behind the surface of a volume: inside, or on the far side of something thin. And a vertex of a volume has the cloth before
    // it; or it has come through.
    if of_triangle && !front || of_vertex && outward(mesh, search.x, v).dot(normal) > 0.0 {
        return None;
    }
    Some(Pair::new(mesh, search, [v, a, b, c], [1.0, -alpha, -beta, -gamma], normal))
}

/// Edges whose closest points lie inside both.
pub(super) fn edge_edge(mesh: &ClothMesh, search: &Search, edges: [u32; 2]) -> Option<Pair> {
    let [[i, j], [k, l]] = edges.map(|e| mesh.edges[e as usize].vertices);
    let p = |v: u32| search.x[v as usize];
    let (u, w, d) = (p(j) - p(i), p(l) - p(k), p(k) - p(i));
    let n = u.cross(w);
    let (n2, uu, ww) = (n.length_squared(), u.length_squared(), w.length_squared());
    if n2.is_nan() || n2 <= PARALLEL * PARALLEL * uu * ww {
        return None;
    }
    let height = n.dot(d);
    if height * height > search.reach * search.reach * n2 {
        return None;
    }
    let (s, t) = (d.cross(w).dot(n) / n2, d.cross(u).dot(n) / n2);
    if !(0.0..=1.0).contains(&s) || !(0.0..=1.0).contains(&t) {
        return None;
    }
    let solid = edges.map(|e| mesh.is_solid(mesh.triangles_at(e)[0]));
    // The second edge lies on the side to which u × w points when the four points are positively oriented.
    let now = n / n2.sqrt();
    let normal = match search.valid_side {
        Some(_) if solid == [false; 2] => now * height.signum(),
        _ => side_of(now, started_towards(mesh, search, [i, j], [k, l])),
    };
    // From the first edge to the second, which is to say away from the volume, or towards it.
    let away = match solid {
        [true, _] => normal,
        [_, true] => -normal,
        _ => Vec3::ZERO,
    };
    if away != Vec3::ZERO {
        let edge = edges[usize::from(solid[1])];
        let out: Vec3 = mesh.triangles_at(edge).iter().map(|&t| area_normal(mesh, search.x, t)).sum();
        if out.dot(away) < 0.0 {
            return None;
        }
    }
    Some(Pair::new(mesh, search, [k, l, i, j], [1.0 - t, t, s - 1.0, -s], normal))
}

/// Whether a vertex lay in front of a triangle at the start.
///
/// If it lay in the triangle, or on a side of it, they lay as if [`lifted`] off each other. The ties of the predicates will not do there:
/// they shift vertices within the plane as well, and a vertex at a corner comes out now inside of the triangle and now beyond it, where its
/// plane has come down on the other side.
fn started_in_front(mesh: &ClothMesh, search: &Search, v: u32, corners: [u32; 3]) -> bool {
    let ([a, b, c], v) = (corners.map(|c| at(search.start, c)), at(search.start, v));
    match orient3d(a.1, b.1, c.1, v.1) {
        Sign::Positive => return true,
        Sign::Negative => return false,
        Sign::Zero => {}
    }
    let (u, w, d) = (b.1 - a.1, c.1 - a.1, v.1 - a.1);
    let n = u.cross(w);
    let (beta, gamma) = (d.cross(w).dot(n), u.cross(d).dot(n));
    let weights = [n.length_squared() - beta - gamma, beta, gamma];
    let corners = [(a, [b, c]), (b, [c, a]), (c, [a, b])];
    // A corner counts unless the vertex lies on the side across from it.
    let touched = corners.map(|(corner, side)| (!on_line(v, side)).then_some(corner.0));
    if touched.iter().zip(weights).any(|(corner, weight)| corner.is_some() && weight <= 0.0) {
        return is_positive(a, b, c, v);
    }
    lifted(mesh, search, n, [Some(v.0), None], touched)
}

/// The direction from the first edge to the second at the start: a normal of both, of any length. If they touched, as [`started_in_front`].
fn started_towards(mesh: &ClothMesh, search: &Search, first: [u32; 2], second: [u32; 2]) -> DVec3 {
    let [[i, j], [k, l]] = [first, second].map(|ends| ends.map(|v| at(search.start, v)));
    let (u, w, d) = (j.1 - i.1, l.1 - k.1, k.1 - i.1);
    let n = u.cross(w);
    // det(j-i, k-i, l-i) = u · ((k-i) × (w + k-i)) = -(u × w) · (k-i).
    match orient3d(i.1, j.1, k.1, l.1) {
        Sign::Positive => return -n,
        Sign::Negative => return n,
        Sign::Zero => {}
    }
    // An end counts unless the other end of its edge lies on the other edge.
    let touched =
        |[p, q]: [Labelled; 2], other| [(p, q), (q, p)].map(|(p, q)| (!on_line(q, other)).then_some(p.0));
    let (of_first, of_second) = (touched([i, j], [k, l]), touched([k, l], [i, j]));
    let (n2, s, t) = (n.length_squared(), d.cross(w).dot(n), d.cross(u).dot(n));
    let within =
        |along: f64, touched: [Option<u32>; 2]| touched.contains(&None) || (0.0..=n2).contains(&along);
    if n2 > 0.0 && within(s, of_first) && within(t, of_second) {
        let above = lifted(mesh, search, n, of_second, of_first);
        return if above { n } else { -n };
    }
    if is_positive(i, j, k, l) { -n } else { n }
}

fn on_line(p: Labelled, [a, b]: [Labelled; 2]) -> bool {
    (a.1 - p.1).cross(b.1 - p.1) == DVec3::ZERO
}

/// Whether the first of two features that touch lies off the second in the direction of `n`, where each vertex is thought to be lifted off
/// along its normal, by the more the lower its index.
fn lifted(
    mesh: &ClothMesh,
    search: &Search,
    n: DVec3,
    one: impl IntoIterator<Item = Option<u32>>,
    other: impl IntoIterator<Item = Option<u32>>,
) -> bool {
    let lowest =
        |vertices: &mut dyn Iterator<Item = Option<u32>>| vertices.flatten().min().unwrap_or(u32::MAX);
    let (one, other) = (lowest(&mut one.into_iter()), lowest(&mut other.into_iter()));
    let up = outward(mesh, search.start, one.min(other)).as_dvec3();
    (n.dot(up) > 0.0) == (one < other)
}

/// A pair that pulls a crossing of cloth and the surface of a volume back, where no vertex is inside.
pub(super) fn way_back(mesh: &ClothMesh, search: &Search, hit: &Hit) -> Option<Pair> {
    let (ends, corners) = (mesh.edges[hit.edge as usize].vertices, mesh.triangles[hit.triangle as usize]);
    let cloth: &[u32] = if mesh.is_solid(hit.triangle) { &ends } else { &corners };
    if cloth.iter().any(|&v| !search.outside[v as usize]) {
        return None;
    }
    let normal = area_normal(mesh, search.x, hit.triangle).try_normalize()?;
    let before = area_normal(mesh, search.start, hit.triangle);
    let along = search.start[ends[1] as usize] - search.start[ends[0] as usize];
    // The end of the edge that has come through, and the side on which it belongs.
    let (end, normal) = if mesh.is_solid(hit.triangle) {
        (usize::from(before.dot(along) < 0.0), normal)
    } else {
        let sticks_out = ends.map(|v| outward(mesh, search.start, v).dot(along));
        let end = usize::from(sticks_out[0] + sticks_out[1] > 0.0);
        let back = if end == 1 { -along } else { along };
        (end, if before.dot(back) < 0.0 { -normal } else { normal })
    };
    let [a, b, c] = corners;
    let weights = hit.weights.map(|w| -w as f32);
    let pair =
        Pair::new(mesh, search, [ends[end], a, b, c], [1.0, weights[0], weights[1], weights[2]], normal);
    Some(Pair { room: search.room, ..pair })
}

/// Where the surface of a volume faces at a vertex.
fn outward(mesh: &ClothMesh, x: &[Vec3], v: u32) -> Vec3 {
    mesh.triangles_of(v).iter().map(|&t| area_normal(mesh, x, t)).sum::<Vec3>().normalize_or_zero()
}

/// Normal of a triangle, twice its area long.
fn area_normal(mesh: &ClothMesh, x: &[Vec3], triangle: u32) -> Vec3 {
    let [a, b, c] = mesh.triangles[triangle as usize].map(|v| x[v as usize]);
    (b - a).cross(c - a)
}

/// `n` or its opposite, whichever lies on the side of `towards`.
fn side_of(n: Vec3, towards: DVec3) -> Vec3 {
    if n.as_dvec3().dot(towards) < 0.0 { -n } else { n }
}
