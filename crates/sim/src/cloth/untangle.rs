//! Untangling one sheet without a scene.

use glam::{DVec3, Vec3};
use gordian_mesh::TriMesh;
use gordian_solver::{Elasticity, Material};

use super::Fabric;
use crate::body::{Body, Friction};
use crate::scene::{ClothResponse, Scene};
use crate::untangle::{check_range, meetings, middle, single};
use crate::{AdapterChoice, FrameReport, SimError, World};

/// Frames that a sheet must stay clean for before it counts as untangled.
const STAYS: u32 = 3;

/// What came of it.
#[derive(Clone, Debug)]
pub struct Untangled {
    /// Positions in file order, metres; what did not have to move is where it was, to the last bit.
    pub positions: Vec<DVec3>,
    /// Frames that were taken.
    pub frames: u32,
    /// Whether it was broken off before it was done.
    pub stopped: bool,
    /// Crossing pairs of triangles before and after.
    pub crossings: [u64; 2],
    /// Pairs of triangles that lie on each other before and after.
    pub overlaps: [u64; 2],
    /// Length of the contours before and after, metres.
    pub contour_m: [f64; 2],
    /// Largest displacement of a vertex, metres, and the vertex.
    pub largest: (f64, u32),
    /// Vertices that moved by more than a millionth of a mean edge.
    pub moved: usize,
}

impl Untangled {
    /// Whether nothing crosses or lies on itself any more.
    pub fn is_clean(&self) -> bool {
        self.crossings[1] == 0 && self.overlaps[1] == 0
    }
}

/// A scene that only untangles: no gravity, small motions, nothing else.
pub fn calm_scene(response: ClothResponse) -> Scene {
    let mut scene = Scene::default();
    scene.simulation.name = "untangle".into();
    scene.simulation.gravity_m_s2 = [0.0; 3];
    scene.simulation.substeps = 1;
    scene.simulation.iterations = 10;
    scene.simulation.damping_per_s = 60.0;
    scene.cloth.response = response;
    scene.cloth.thickness_edges = 0.02;
    scene.cloth.speed_limit_edges = 0.1;
    scene
}

/// A body of cloth whose mean edge is about one metre, as stiff against its own mass as the cloth of the demonstration.
pub fn unit_body(name: &str, rest: Vec<Vec3>, positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Body {
    Body {
        name: name.into(),
        velocities: vec![Vec3::ZERO; rest.len()],
        tets: Vec::new(),
        triangles,
        fabric: Some(Fabric { density: 1.0, stiffness: [5e6, 5e6, 2.5e6], bend: 50.0, warp: DVec3::X }),
        material: Material { elasticity: Elasticity::Volume, young_pa: 1.0, poisson: 0.0, damping_s: 0.0 },
        density: 1.0,
        friction: Friction::default(),
        pins: Vec::new(),
        rest,
        positions,
    }
}

/// Takes a sheet apart where it crosses itself, in at most `frames` frames.
///
/// The mesh as it is counts as its rest pose: nothing but the crossings moves it. `each` sees the report of every frame, and stops the
/// work by `false`. It is solved at the scale of its own edges, so that the result does not depend on units.
pub fn untangle(
    mesh: &TriMesh,
    response: ClothResponse,
    frames: u32,
    mut each: impl FnMut(&FrameReport) -> bool,
) -> Result<Untangled, SimError> {
    check_range(&mesh.positions)?;
    let at = |v: u32| mesh.positions.get(v as usize).copied().unwrap_or(DVec3::ZERO);
    let edge = super::mean_side(&mesh.triangles, at);
    let unit = if edge > 0.0 { edge } else { 1.0 };
    let middle = middle(&mesh.positions);
    let start: Vec<Vec3> = mesh.positions.iter().map(|p| ((*p - middle) / unit).as_vec3()).collect();
    let body = unit_body("sheet", start.clone(), start.clone(), mesh.triangles.clone());
    let mut world = World::with_bodies(&calm_scene(response), &[body], &AdapterChoice::Cpu)?;
    let before = world.judge();
    let pairs = before.intersecting_triangle_pairs.unwrap_or(0);
    let contour = before.contour_length_m.unwrap_or(0.0);
    let [_, overlaps] = meetings(&mesh.triangles, &single(&mesh.positions));
    let mut result = Untangled {
        positions: mesh.positions.clone(),
        frames: 0,
        stopped: false,
        crossings: [pairs, pairs],
        overlaps: [overlaps; 2],
        contour_m: [contour * unit, contour * unit],
        largest: (0.0, 0),
        moved: 0,
    };
    let mut clean = 0;
    while pairs + overlaps > 0 && result.frames < frames && clean < STAYS {
        let report = world.step_frame()?;
        result.frames += 1;
        result.crossings[1] = report.intersecting_triangle_pairs.unwrap_or(0);
        result.contour_m[1] = report.contour_length_m.unwrap_or(0.0) * unit;
        if result.crossings[1] == 0 {
            result.overlaps[1] = meetings(&mesh.triangles, world.positions())[1];
        }
        clean = if result.is_clean() { clean + 1 } else { 0 };
        if !each(&report) {
            result.stopped = !result.is_clean();
            break;
        }
    }
    if result.frames > 0 {
        for (i, (now, before)) in world.positions().iter().zip(&start).enumerate() {
            let by = (now.as_dvec3() - before.as_dvec3()) * unit;
            result.positions[i] += by;
            let far = by.length();
            result.moved += usize::from(far > 1e-6 * unit);
            if far > result.largest.0 {
                result.largest = (far, i as u32);
            }
        }
        // What is written is what counts: far from the origin single precision may bring together what was apart here.
        let [crossing, coplanar] = meetings(&mesh.triangles, &single(&result.positions));
        result.crossings[1] = result.crossings[1].max(crossing);
        result.overlaps[1] = coplanar;
    }
    Ok(result)
}
