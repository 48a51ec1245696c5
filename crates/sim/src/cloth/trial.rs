//! Trials of the responses: the tangled starts and the canonical contours, with what came of each.

use glam::Vec3;
use gordian_collision::cloth::{Canonical, ClothMesh};

use super::untangle::{calm_scene, unit_body};
use crate::scene::{ClothResponse, Ridge, Scene};
use crate::{AdapterChoice, SimError, World};

/// What came of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// Crossing pairs of triangles at the start.
    pub at_start: u64,
    /// Crossing pairs left at the end.
    pub left: u64,
    /// The frame from which on it stayed clean; none if it did not become clean.
    pub clean_from: Option<u32>,
    /// Largest displacement of a vertex from the start, metres.
    pub largest_m: f64,
    /// Part of the folded-back layer that ends on its own side of the other, 0 to 1; none where that has no meaning.
    pub in_order: Option<f64>,
    /// Hash of the positions at the end.
    pub hash: u64,
}

/// Steps `world` by `frames` frames.
fn run(world: &mut World, frames: u32) -> Result<Trial, SimError> {
    let start = world.positions().to_vec();
    let at_start = world.judge().intersecting_triangle_pairs.unwrap_or(0);
    let (mut left, mut clean_from, mut hash) = (at_start, None, 0);
    for frame in 1..=frames {
        let report = world.step_frame()?;
        left = report.intersecting_triangle_pairs.unwrap_or(0);
        hash = report.position_hash;
        match left {
            0 => clean_from = clean_from.or(Some(frame)),
            _ => clean_from = None,
        }
    }
    let far = |(a, b): (&Vec3, &Vec3)| f64::from(a.distance(*b));
    let largest_m = world.positions().iter().zip(&start).map(far).fold(0.0, f64::max);
    Ok(Trial { at_start, left, clean_from, largest_m, in_order: None, hash })
}

/// The scene `tangled_cloth` with a ridge and a response, for `frames` frames.
pub fn tangled(ridge: Ridge, response: ClothResponse, frames: u32) -> Result<Trial, SimError> {
    let mut scene = Scene::open("tangled_cloth", &[])?;
    scene.cloth.response = response;
    if let Some(fold) = scene.body[0].fabric.as_mut().and_then(|f| f.fold.as_mut()) {
        fold.ridge = ridge;
    }
    let placed = scene.place()?;
    let fold_m = scene.body[0].fabric.as_ref().and_then(|f| f.fold.as_ref()).map_or(0.0, |f| f.at_m);
    let rest = &placed.bodies[0].rest;
    let lowest = rest.iter().fold(f64::INFINITY, |l, p| l.min(p.y));
    let mut world = World::new(&scene, &AdapterChoice::Cpu)?;
    let mut trial = run(&mut world, frames)?;
    let behind: Vec<bool> = rest.iter().map(|p| p.y - lowest > fold_m).collect();
    trial.in_order = in_order(&placed.bodies[0].triangles, &behind, world.positions());
    Ok(trial)
}

/// One of the seven canonical contours with a response.
pub fn contour(canonical: &Canonical, response: ClothResponse, frames: u32) -> Result<Trial, SimError> {
    // The poses have edges of a tenth.
    const UNIT: f32 = 0.1;
    let unit = |points: &[Vec3]| points.iter().map(|p| *p / UNIT).collect::<Vec<_>>();
    let body = unit_body(
        canonical.kind.name(),
        unit(&canonical.rest),
        unit(&canonical.pose),
        canonical.triangles.clone(),
    );
    let mut world = World::with_bodies(&calm_scene(response), &[body], &AdapterChoice::Cpu)?;
    let mut trial = run(&mut world, frames)?;
    trial.largest_m *= f64::from(UNIT);
    Ok(trial)
}

/// The part of the vertices `behind` that lie on the back of the nearest triangle of the other layer, among those near it.
fn in_order(triangles: &[[u32; 3]], behind: &[bool], x: &[Vec3]) -> Option<f64> {
    let mesh = ClothMesh::new(x.len(), triangles);
    let front: Vec<(Vec3, Vec3)> = triangles
        .iter()
        .filter(|t| t.iter().all(|&v| !behind[v as usize]))
        .map(|t| {
            let [a, b, c] = t.map(|v| x[v as usize]);
            ((a + b + c) / 3.0, (b - a).cross(c - a).normalize_or_zero())
        })
        .collect();
    let (mut right, mut all) = (0usize, 0usize);
    for (v, p) in x.iter().enumerate().filter(|&(v, _)| behind[v]) {
        if mesh.neighbours(v as u32).iter().any(|&n| !behind[n as usize]) {
            continue;
        }
        let nearest =
            front.iter().min_by(|a, b| a.0.distance_squared(*p).total_cmp(&b.0.distance_squared(*p)));
        let Some((middle, normal)) = nearest else { continue };
        // The fold turns the front layer's back towards the viewer: what is behind it lies on the side of the normals.
        all += 1;
        right += usize::from((*p - *middle).dot(*normal) > 0.0);
    }
    (all > 0).then(|| right as f64 / all as f64)
}
