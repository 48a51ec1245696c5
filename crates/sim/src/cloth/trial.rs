//! Trials of the responses: the tangled starts and the canonical contours, with what came of each.

use glam::Vec3;
use gordian_collision::cloth::Canonical;

use super::facing::{Facing, facing};
use super::mean_side;
use super::untangle::{calm_scene, unit_body};
use crate::scene::{ClothResponse, Ridge, Scene};
use crate::{AdapterChoice, SimError, World};

/// Two halves of a fold that are farther apart than this part of the way between them within the cloth do not lie on each other any
/// more: the fold is open by 53° or more, twice the angle with this tangent.
const OPEN: f64 = 0.5;

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
    /// How the layers lie at `clean_from`, or at the end where it did not become clean.
    pub layers: Layers,
    /// How they lie at the end.
    pub layers_at_end: Layers,
    /// Hash of the positions at the end.
    pub hash: u64,
}

/// How layers lie that face each other along the normals of the cloth; vertices of one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// They show each other the sides that they showed in the right order.
    pub right: u32,
    /// They show each other the opposite sides: here one has slipped through the other.
    pub wrong: u32,
    /// One shows its right side and the other its wrong one: it is wound round the border of the other.
    pub wound: u32,
}

impl Layers {
    /// The part of what faces each other in the right order or the opposite one that is right; none where nothing does.
    pub fn in_order(&self) -> Option<f64> {
        let all = self.right + self.wrong;
        (all > 0).then(|| f64::from(self.right) / f64::from(all))
    }
}

/// Steps `world` by `frames` frames; `look` says how the layers lie.
fn run(world: &mut World, frames: u32, look: impl Fn(&[Vec3]) -> Layers) -> Result<Trial, SimError> {
    let start = world.positions().to_vec();
    let at_start = world.judge().intersecting_triangle_pairs.unwrap_or(0);
    let (mut left, mut clean_from, mut hash) = (at_start, None, 0);
    let mut layers = Layers::default();
    for frame in 1..=frames {
        let report = world.step_frame()?;
        left = report.intersecting_triangle_pairs.unwrap_or(0);
        hash = report.position_hash;
        match left {
            0 if clean_from.is_none() => {
                clean_from = Some(frame);
                layers = look(world.positions());
            }
            0 => {}
            _ => clean_from = None,
        }
    }
    let far = |(a, b): (&Vec3, &Vec3)| f64::from(a.distance(*b));
    let largest_m = world.positions().iter().zip(&start).map(far).fold(0.0, f64::max);
    let layers_at_end = look(world.positions());
    if clean_from.is_none() {
        layers = layers_at_end;
    }
    Ok(Trial { at_start, left, clean_from, largest_m, layers, layers_at_end, hash })
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
    let (rest, triangles) = (&placed.bodies[0].rest, &placed.bodies[0].triangles);
    let lowest = rest.iter().fold(f64::INFINITY, |l, p| l.min(p.y));
    // The row at the fold belongs to neither layer.
    let first = fold_m + 1.5 * mean_side(triangles, |v| rest[v as usize]);
    let behind: Vec<bool> = rest.iter().map(|p| p.y - lowest > first).collect();
    let mut world = World::new(&scene, &AdapterChoice::Cpu)?;
    run(&mut world, frames, |x| {
        // The fold turns the layers' fronts to each other.
        let Facing { fronts, backs, back_on_front, front_on_back } =
            facing(triangles, rest, x, &behind, |p, q| OPEN * p.distance(q));
        Layers { right: fronts, wrong: backs, wound: back_on_front + front_on_back }
    })
}

/// How the first two bodies of a scene lie on each other at the positions `x`, as far as they are no more than `reach` metres apart: sheets, the
/// second on the front of the first at the start, both with their fronts up.
pub fn stacked(scene: &Scene, x: &[Vec3], reach: f64) -> Result<Layers, SimError> {
    let bodies = scene.place()?.bodies;
    let mut rest = Vec::new();
    let (mut triangles, mut upper) = (Vec::new(), Vec::new());
    for (i, body) in bodies.iter().take(2).enumerate() {
        triangles.extend(body.triangles.iter().map(|t| t.map(|v| v + rest.len() as u32)));
        rest.extend_from_slice(&body.rest);
        upper.resize(rest.len(), i == 1);
    }
    let Facing { fronts, backs, back_on_front, front_on_back } =
        facing(&triangles, &rest, &x[..rest.len()], &upper, |_, _| reach);
    Ok(Layers { right: back_on_front, wrong: front_on_back, wound: fronts + backs })
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
    let mut trial = run(&mut world, frames, |_| Layers::default())?;
    trial.largest_m *= f64::from(UNIT);
    Ok(trial)
}
