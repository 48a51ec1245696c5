//! What lies under the pointer.

use glam::Vec3;
use rayon::prelude::*;

use crate::camera::Ray;
use crate::geometry::ClipPlane;
use crate::snapshot::{Model, Snapshot};

/// Where a ray meets a body first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The corners of the triangle.
    pub corners: [u32; 3],
    /// The place, metres.
    pub position: Vec3,
    /// From the origin of the ray, metres.
    pub distance: f32,
}

/// The first triangle that `ray` meets on the side of `clip` that is shown.
pub fn pick(model: &Model, snapshot: &Snapshot, ray: &Ray, clip: Option<&ClipPlane>) -> Option<Hit> {
    let x = &snapshot.positions;
    let triangles = model.topology.faces.par_iter().chain(&model.sheets.triangles);
    let hits = triangles.filter_map(|corners| {
        let distance = cross(ray, corners.map(|v| x[v as usize]))?;
        let position = ray.origin + ray.direction * distance;
        let shown = clip.is_none_or(|c| c.beyond(position) <= 0.0);
        shown.then_some(Hit { corners: *corners, position, distance })
    });
    // Equal distances go to the lower corners, whatever the threads do.
    hits.min_by(|a, b| a.distance.total_cmp(&b.distance).then(a.corners.cmp(&b.corners)))
}

/// The vertex of the hit face that is nearest to the hit; with `free`, one that moves by itself if there is any.
pub fn nearest_vertex(model: &Model, snapshot: &Snapshot, hit: &Hit, free: bool) -> u32 {
    let distance = |v: &u32| snapshot.positions[*v as usize].distance(hit.position);
    let candidates = hit.corners.iter().filter(|v| !free || model.free[**v as usize]);
    let nearest = candidates.min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.or(hit.corners.first()).copied().expect("a face has corners")
}

/// A particle and those that share a tetrahedron or an edge of cloth with it, each with its offset from it, metres.
pub fn neighbourhood(model: &Model, snapshot: &Snapshot, particle: u32) -> Vec<(u32, Vec3)> {
    let tets = model.topology.vertex_tets(particle);
    let mut particles: Vec<u32> = tets.iter().flat_map(|&t| model.topology.tets[t as usize]).collect();
    particles.push(particle);
    let edges = model.sheets.edges.iter().filter(|e| e.contains(&particle));
    particles.extend(edges.flatten());
    particles.sort_unstable();
    particles.dedup();
    let at = snapshot.positions[particle as usize];
    let free = particles.into_iter().filter(|&p| model.free[p as usize]);
    free.map(|p| (p, snapshot.positions[p as usize] - at)).collect()
}

/// Distance at which a ray crosses a triangle, from either side (Möller & Trumbore 1997).
fn cross(ray: &Ray, [a, b, c]: [Vec3; 3]) -> Option<f32> {
    let (u, v) = (b - a, c - a);
    let p = ray.direction.cross(v);
    let det = u.dot(p);
    let s = ray.origin - a;
    let q = s.cross(u);
    let (beta, gamma, t) = (s.dot(p) / det, ray.direction.dot(q) / det, v.dot(q) / det);
    // A triangle seen from the side gives infinities or NaN, which no comparison lets pass.
    (beta >= 0.0 && gamma >= 0.0 && beta + gamma <= 1.0 && t > 0.0).then_some(t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlay::Overlays;
    use gordian_sim::{AdapterChoice, Scene, World};

    #[test]
    fn a_ray_meets_the_near_side_of_a_box_and_the_far_one_where_the_near_is_cut() {
        let scene = Scene::parse("[[body]]\ngenerator = { kind = \"box\" }", "box").unwrap();
        let mut world = World::new(&scene, &AdapterChoice::Cpu).unwrap();
        let model = Model::of(&world, Vec3::Y);
        let snapshot = Snapshot::inspect(&mut world, Overlays::default()).unwrap();
        let (low, high) = crate::camera::bounds(snapshot.positions.iter().copied()).unwrap();
        let middle = (low + high) / 2.0;
        let off = Vec3::new(0.031, 0.017, 0.0) * (high - low).x;
        let ray = Ray { origin: middle + off + Vec3::Z * 10.0, direction: -Vec3::Z };
        let hit = pick(&model, &snapshot, &ray, None).unwrap();
        assert!((hit.position - (middle + off).with_z(high.z)).length() < 1e-5, "{hit:?}");
        let clip = ClipPlane { normal: Vec3::Z, offset: middle.z };
        let hit = pick(&model, &snapshot, &ray, Some(&clip)).unwrap();
        assert!((hit.position.z - low.z).abs() < 1e-5, "{hit:?}");
        assert_eq!(pick(&model, &snapshot, &Ray { direction: Vec3::Z, ..ray }, None), None);
        let vertex = nearest_vertex(&model, &snapshot, &hit, true);
        let near = neighbourhood(&model, &snapshot, vertex);
        assert!(near.contains(&(vertex, Vec3::ZERO)) && near.len() > 3);
    }
}
