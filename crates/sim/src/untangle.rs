//! Untangling one mesh without a scene.
//!
//! ```
//! use gordian_mesh::generate::box_mesh;
//! use gordian_sim::untangle;
//!
//! let mesh = box_mesh(glam::DVec3::ONE, [2, 2, 2])?;
//! let mut pose = mesh.positions.clone();
//! pose.iter_mut().for_each(|p| p.y *= 0.5);
//! let done = untangle::volume(&mesh, Some(&pose), 10, |_| true)?;
//! assert!(done.is_clean() && done.positions == pose, "nothing is inside");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use glam::{DVec3, Vec3};
use gordian_collision::bvh::{Aabb, Tree};
use gordian_collision::crossing::{Meeting, SelfCrossings};
use gordian_mesh::TetMesh;

use crate::body::Body;
use crate::{AdapterChoice, FrameReport, Scene, SimError, World};

pub use crate::cloth::untangle::{Untangled as UntangledCloth, untangle as cloth};

/// What came of a volume.
#[derive(Clone, Debug)]
pub struct UntangledVolume {
    /// Positions in file order, metres; what did not have to move is where it was, to the last bit.
    pub positions: Vec<DVec3>,
    /// Frames that were taken.
    pub frames: u32,
    /// Whether it was broken off before it was done.
    pub stopped: bool,
    /// What was inside, crossed or inverted at the start.
    pub before: FrameReport,
    /// The same at the end.
    pub after: FrameReport,
    /// Pairs of boundary faces that lie on each other, before and after.
    pub overlaps: [u64; 2],
    /// Largest displacement of a vertex, metres, and the vertex.
    pub largest: (f64, u32),
    /// What there is to say about the mesh.
    pub warnings: Vec<String>,
}

impl UntangledVolume {
    /// Whether nothing is inside, crosses, lies on itself or is inverted any more.
    pub fn is_clean(&self) -> bool {
        clean(&self.after) && self.overlaps[1] == 0
    }
}

fn clean(report: &FrameReport) -> bool {
    report.penetrating_vertices == 0
        && report.intersecting_triangle_pairs.unwrap_or(0) == 0
        && report.inverted_tetrahedra == 0
}

/// Takes a volume apart where it is inside itself, along shortest paths to its boundary, in at most `frames` frames.
///
/// `mesh` is at rest; `pose`, metres, is where it starts, by default there. `each` sees the report of every frame, and stops the
/// work by `false`. It is solved at the scale of its own edges, so that the result does not depend on units.
///
/// Errors: what is wrong with the mesh, by the number of the vertex or tetrahedron.
pub fn volume(
    mesh: &TetMesh,
    pose: Option<&[DVec3]>,
    frames: u32,
    mut each: impl FnMut(&FrameReport) -> bool,
) -> Result<UntangledVolume, SimError> {
    let tangled = pose.unwrap_or(&mesh.positions);
    check_range(&mesh.positions)?;
    check_range(tangled)?;
    let edge = mean_edge(mesh);
    // A power of two changes no bit of the shape.
    let unit = if edge > 0.0 { edge.log2().round().exp2() } else { 1.0 };
    let middle = middle(&mesh.positions);
    let placed =
        |points: &[DVec3]| -> Vec<Vec3> { points.iter().map(|p| ((*p - middle) / unit).as_vec3()).collect() };
    let scene = recovery_scene();
    let substep_s = scene.simulation.frame_s / f64::from(scene.simulation.substeps);
    let mut body = Body::volume("mesh", mesh);
    (body.rest, body.positions) = (placed(&mesh.positions), placed(tangled));
    // A wave crosses an element in a substep.
    body.material.young_pa = body.density * (edge / unit / substep_s).powi(2) as f32;
    let mut world = World::with_bodies(&scene, &[body], &AdapterChoice::Cpu)?;
    let faces = world.topology().faces.clone();
    let start = world.positions().to_vec();
    let before = world.judge();
    let [_, overlaps] = meetings(&faces, &single(tangled));
    let (mut after, mut left, mut taken, mut stopped) = (before.clone(), overlaps, 0, false);
    while taken < frames && !(clean(&after) && left == 0) {
        after = world.step_frame()?;
        taken += 1;
        if clean(&after) {
            left = meetings(&faces, world.positions())[1];
        }
        if !each(&after) {
            stopped = !(clean(&after) && left == 0);
            break;
        }
    }
    let mut positions = tangled.to_vec();
    if taken > 0 {
        for ((p, now), then) in positions.iter_mut().zip(world.positions()).zip(&start) {
            *p += (now.as_dvec3() - then.as_dvec3()) * unit;
        }
        // What is written is what counts: far from the origin single precision may bring together what was apart here.
        let [crossing, coplanar] = meetings(&faces, &single(&positions));
        let told = &mut after.intersecting_triangle_pairs;
        *told = Some(told.unwrap_or(0).max(crossing));
        left = coplanar;
    }
    let far = |i: usize| positions[i].distance(tangled[i]);
    let farthest = (0..positions.len()).reduce(|a, b| if far(b) > far(a) { b } else { a }).unwrap_or(0);
    let largest = (positions.get(farthest).map_or(0.0, |_| far(farthest)), farthest as u32);
    Ok(UntangledVolume {
        largest,
        positions,
        frames: taken,
        stopped,
        before,
        after,
        overlaps: [overlaps, left],
        warnings: world.warnings().to_vec(),
    })
}

/// What comes out must let go what being tangled stores, without flying apart: many iterations, strong damping. Softer elements are turned
/// inside out by the pushes, and follow them no farther than an element.
fn recovery_scene() -> Scene {
    let mut scene = Scene::default();
    scene.simulation.name = "untangle".into();
    scene.simulation.gravity_m_s2 = [0.0; 3];
    scene.simulation.iterations = 24;
    scene.simulation.damping_per_s = 15.0;
    scene.collision.recovery = true;
    scene.collision.max_depenetration_edges = 5.0;
    scene.collision.max_shift_ratio = 10.0;
    scene
}

/// Pairs of `faces` that pass through each other, and that lie on each other; decided exactly.
pub(crate) fn meetings(faces: &[[u32; 3]], x: &[Vec3]) -> [u64; 2] {
    let boxes: Vec<Aabb> = faces.iter().map(|f| Aabb::of_simplex(x, f)).collect();
    let mut found = SelfCrossings::default();
    let pairs = found.find(faces, x, &Tree::build(&boxes));
    [Meeting::Crossing, Meeting::Coplanar].map(|m| pairs.iter().filter(|p| p.meeting == m).count() as u64)
}

/// Refuses positions that single precision cannot hold.
pub(crate) fn check_range(positions: &[DVec3]) -> Result<(), SimError> {
    match positions.iter().position(|p| !p.as_vec3().is_finite()) {
        Some(v) => Err(SimError::Body {
            body: "mesh".into(),
            what: "vertex",
            index: v as u32,
            message: format!(
                "lies at ({:e}, {:e}, {:e}): beyond single precision, which ends at {:e}",
                positions[v].x,
                positions[v].y,
                positions[v].z,
                f32::MAX
            ),
        }),
        None => Ok(()),
    }
}

/// In the precision in which it is simulated.
pub(crate) fn single(positions: &[DVec3]) -> Vec<Vec3> {
    positions.iter().map(|p| p.as_vec3()).collect()
}

/// The middle of the bounding box.
pub(crate) fn middle(positions: &[DVec3]) -> DVec3 {
    let low = positions.iter().fold(DVec3::INFINITY, |l, p| l.min(*p));
    let high = positions.iter().fold(DVec3::NEG_INFINITY, |h, p| h.max(*p));
    if positions.is_empty() { DVec3::ZERO } else { 0.5 * (low + high) }
}

/// Mean length of the edges of tetrahedra, each counted for each of them, metres.
fn mean_edge(mesh: &TetMesh) -> f64 {
    let edges = |t: &[u32; 4]| {
        let at = |v: u32| mesh.positions.get(v as usize).copied().unwrap_or(DVec3::ZERO);
        let p = t.map(at);
        [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]].map(|[i, j]: [usize; 2]| p[i].distance(p[j]))
    };
    mesh.tets.iter().flat_map(edges).sum::<f64>() / (6 * mesh.tets.len()).max(1) as f64
}
