//! Cloth in the step: contours and their response, proximity, velocities.
//!
//! All sheets of a world are one mesh here, over the particles of the world. Crossings are found where a substep starts, traced,
//! and answered by a displacement, which the iterations carry out in even parts; close pairs are found in the first
//! iteration, and again later ([`scene::Cloth::searches`](crate::scene::Cloth::searches)) where any may have come near since, and pushed
//! apart in every one.
//!
//! Surfaces of volumes are among the sheets of that mesh: close pairs hold cloth outside of them, both ways. Vertices of cloth that are
//! inside come out along their shortest paths, as vertices of other volumes do (`collide.rs`).
//!
//! Crossings and the sides of close pairs are both those of the start. Were crossings taken later, after the fabric has been flattened
//! once, a vertex that pokes through would not be seen to cross, and pushed back to its wrong side all the same.

mod fabric;
mod facing;
mod fold;
mod responses;
pub mod trial;
pub mod untangle;

use std::time::Instant;

use glam::{DVec3, Vec3};
use gordian_collision::cloth::response::{Displacement, Response, Tangle};
use gordian_collision::cloth::{ClothDetector, ClothMesh, Contours, Hit, Proximity, Search};
use gordian_collision::contact::ContactMaterial;
use gordian_mesh::TetTopology;
use gordian_solver::Model;

use crate::body::Friction;
use crate::report::{FrameReport, Stage};
use crate::scene;

pub use fabric::Fabric;
pub(crate) use fabric::{constrain, masses};
pub(crate) use fold::folded;

/// Pairs are kept in mind within this many thicknesses.
const REACH: f32 = 1.5;

/// Where nothing crosses, thin cloth keeps pairs in mind within this many mean edges, as far as things have moved: else what moves farther than
/// it is thick between two searches slips through.
const THIN_REACH: f32 = 0.1;

/// Lists of what may be near last while vertices move by no more than this many mean edges: the longer they are, the longer they last.
const SLACK: f32 = 0.06;

/// Detection and response for all cloth of a world.
pub struct Cloth {
    settings: scene::Cloth,
    mesh: ClothMesh,
    detector: ClothDetector,
    contours: Contours,
    response: Box<dyn Response>,
    displacement: Displacement,
    /// Crossings with volumes where the substep started.
    solid_hits: Vec<Hit>,
    proximity: Proximity,
    /// Positions of vertices at the last search for close pairs.
    searched: Vec<Vec3>,
    /// The reach of that search, metres.
    searched_reach: f32,
    /// Friction of each sheet.
    friction: Vec<ContactMaterial>,
    inv_mass: Vec<f32>,
    /// Mean edge, metres.
    edge: f32,
    iterations: u32,
    substeps: u32,
    frame_s: f32,
    /// Vertices of cloth, ascending.
    vertices: Vec<u32>,
    smoothed: Vec<Vec3>,
    /// Where the cloth of the scene starts, from which some responses take the order of its layers; metres.
    start: Vec<Vec3>,
    /// Whether the contours are those of the positions that the next substep starts from.
    traced: bool,
}

/// Mean length of the edges of triangles, each counted once for each triangle, metres.
pub(crate) fn mean_edge(rest: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    mean_side(triangles, |v| rest[v as usize].as_dvec3())
}

fn mean_side(triangles: &[[u32; 3]], at: impl Fn(u32) -> DVec3) -> f64 {
    let sides = triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
    sides.map(|[a, b]| at(a).distance(at(b))).sum::<f64>() / (3 * triangles.len()).max(1) as f64
}

/// A moment of a step.
#[derive(Clone, Copy)]
pub(crate) struct Moment {
    /// The frame, from 1.
    pub frame: u32,
    /// The iteration, from 0.
    pub iteration: u32,
}

impl Cloth {
    /// The cloth of a world: `triangles` over all particles of `model`.
    ///
    /// `friction`: of each particle.
    pub(crate) fn new(
        scene: &scene::Scene,
        triangles: &[[u32; 3]],
        model: &Model,
        topology: &TetTopology,
        friction: impl Fn(u32) -> Friction,
    ) -> Self {
        let settings = scene.cloth.clone();
        let (rest, start) = (&model.rest_positions, &model.positions);
        let mesh = mesh_of(scene, rest.len(), triangles, topology);
        let is_cloth = |v: &u32| !mesh.triangles_of(*v).is_empty() && !mesh.is_solid_vertex(*v);
        let vertices: Vec<u32> = (0..rest.len() as u32).filter(is_cloth).collect();
        let mut detector = ClothDetector::new(&mesh, rest);
        detector.set_culling(settings.culling);
        Cloth {
            response: responses::response(settings.response, &mesh, start),
            contours: Contours::default(),
            displacement: Displacement::default(),
            solid_hits: Vec::new(),
            proximity: Proximity::default(),
            searched: Vec::new(),
            searched_reach: 0.0,
            inv_mass: model.inverse_masses.clone(),
            edge: mean_edge(rest, triangles) as f32,
            iterations: scene.simulation.iterations,
            substeps: scene.simulation.substeps,
            frame_s: scene.simulation.frame_s as f32,
            friction: sheet_friction(&mesh, friction),
            smoothed: vec![Vec3::ZERO; vertices.len()],
            vertices,
            start: if triangles.is_empty() { Vec::new() } else { start.clone() },
            traced: false,
            settings,
            mesh,
            detector,
        }
    }

    /// Takes over a scene's settings of cloth, and the friction of each particle. Another response begins as it would at the start of the scene.
    ///
    /// `topology`, `rest`: of all particles.
    pub(crate) fn tune(
        &mut self,
        scene: &scene::Scene,
        topology: &TetTopology,
        rest: &[Vec3],
        friction: impl Fn(u32) -> Friction,
    ) {
        let mut anew = self.settings.response != scene.cloth.response;
        if self.mesh.has_solids() != meets_volumes(scene, self.triangles(), topology) {
            self.mesh = mesh_of(scene, rest.len(), self.triangles(), topology);
            self.detector = ClothDetector::new(&self.mesh, rest);
            // They name edges and triangles of the mesh of before.
            self.contours = Contours::default();
            self.solid_hits.clear();
            anew = true;
        }
        self.friction = sheet_friction(&self.mesh, friction);
        if anew {
            self.response = responses::response(scene.cloth.response, &self.mesh, &self.start);
            self.displacement.clear(self.inv_mass.len());
        }
        self.settings = scene.cloth.clone();
        self.detector.set_culling(self.settings.culling);
        self.iterations = scene.simulation.iterations;
        self.substeps = scene.simulation.substeps;
        self.proximity.clear();
        self.traced = false;
    }

    /// Pairs of layers that lie on each other at the positions `x` of the end of a substep; see [`Proximity::within`].
    pub fn layers<'a>(&'a self, x: &'a [Vec3]) -> impl Iterator<Item = ([u32; 4], [f32; 4], Vec3)> + 'a {
        // They are pushed as far apart as the cloth is thick; what the fabric then does takes some of them a little farther.
        self.proximity.within(x, 1.2 * self.thickness())
    }

    /// Boxes of the regions that a search for crossings passes over at the positions `x`.
    pub fn skipped_regions(&self, x: &[Vec3]) -> Vec<[Vec3; 2]> {
        if self.active() { self.detector.skipped_regions(&self.mesh, x) } else { Vec::new() }
    }

    /// The positions have changed from outside.
    pub(crate) fn forget(&mut self) {
        self.traced = false;
    }

    /// Displacements of the response in the last substep.
    pub fn displacement(&self) -> &Displacement {
        &self.displacement
    }

    /// Whether there is any cloth.
    pub fn active(&self) -> bool {
        self.mesh.first_solid > 0
    }

    /// Triangles over all particles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.mesh.triangles[..self.mesh.first_solid as usize]
    }

    /// The vertices of cloth among all particles, ascending.
    pub(crate) fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// Contours at the end of the last frame.
    pub fn contours(&self) -> &Contours {
        &self.contours
    }

    /// How far a response moves a vertex in a substep, metres.
    fn step(&self) -> f32 {
        self.settings.strength as f32 * self.edge / self.substeps as f32
    }

    fn thickness(&self) -> f32 {
        self.settings.thickness_edges as f32 * self.edge
    }

    /// Searches where it is time to, and moves what is too close or crosses. `outside`: of each particle whether it was outside of
    /// all volumes at the start.
    pub(crate) fn project(
        &mut self,
        x: &mut [Vec3],
        start: &[Vec3],
        shift: &mut [Vec3],
        outside: &[bool],
        at: Moment,
        report: &mut FrameReport,
    ) {
        let between = self.iterations.div_ceil(self.settings.searches.max(1)).max(1);
        if at.iteration.is_multiple_of(between) {
            self.search(x, start, outside, at, report);
        }
        let begun = Instant::now();
        let part = 1.0 / self.iterations as f32;
        for &v in self.displacement.vertices() {
            let by = self.displacement.by()[v as usize] * part;
            x[v as usize] += by;
            shift[v as usize] += by;
        }
        report.ms.add(Stage::Untangle, begun.elapsed());
        let begun = Instant::now();
        let thickness = self.thickness();
        self.proximity.project(x, start, shift, &self.inv_mass, thickness);
        report.ms.add(Stage::Response, begun.elapsed());
    }

    fn search(&mut self, x: &[Vec3], start: &[Vec3], outside: &[bool], at: Moment, report: &mut FrameReport) {
        if at.iteration == 0 {
            let before = self.response.kicks();
            report.ms.time(Stage::Untangle, || self.respond(start, at));
            report.contour_kicks += self.response.kicks() - before;
        }
        self.traced = false;
        if at.iteration == 0 {
            self.proximity.clear();
        }
        if !self.settings.proximity {
            return;
        }
        let begun = Instant::now();
        let reach = self.reach(start, x);
        // What was out of reach is still farther than the thickness: nothing new to push.
        let needless = at.iteration > 0
            && self.detector.approach(&self.searched, x) <= self.searched_reach - self.thickness();
        if needless {
            report.ms.add(Stage::Dcd, begun.elapsed());
            return;
        }
        self.detector.remember(x, &mut self.searched);
        self.searched_reach = reach;
        let known = self.detector.knows_near(x, reach);
        report.ms.add(Stage::Dcd, begun.elapsed());
        if !known {
            report.ms.time(Stage::Refit, || self.detector.refit(&self.mesh, x));
        }
        let begun = Instant::now();
        if !known {
            let widest = self.widest_reach();
            self.detector.find_near(&self.mesh, x, widest, SLACK * self.edge);
        }
        let search = Search {
            x,
            start,
            reach,
            valid_side: self.response.valid_side(),
            drop: self.response.drops_pushes().then_some(&self.displacement),
            solid_hits: &self.solid_hits,
            outside,
            room: self.step(),
            friction: &self.friction,
        };
        self.proximity.find(&self.mesh, &self.detector, &search);
        report.contacts.proximity += self.proximity.len() as u64;
        report.ms.add(Stage::Dcd, begun.elapsed());
    }

    /// Within what distance close pairs are kept in mind after a move from `start` to `x`, metres.
    ///
    /// Where nothing crosses, all is on its right side and may be held there. Where something crosses, what is beyond a contour would be
    /// held on its wrong side.
    fn reach(&self, start: &[Vec3], x: &[Vec3]) -> f32 {
        let (least, widest) = (self.least_reach(), self.widest_reach());
        if widest <= least || !self.contours.all.is_empty() {
            return least;
        }
        (self.thickness() + self.detector.approach_between(start, x)).clamp(least, widest)
    }

    fn least_reach(&self) -> f32 {
        REACH * self.thickness()
    }

    fn widest_reach(&self) -> f32 {
        self.least_reach().max(THIN_REACH * self.edge)
    }

    /// The displacement that answers the contours of the start.
    fn respond(&mut self, start: &[Vec3], at: Moment) {
        self.displacement.clear(start.len());
        let off = self.settings.response == scene::ClothResponse::Off;
        let tells_reach = self.settings.proximity && self.widest_reach() > self.least_reach();
        if off && !self.mesh.has_solids() && !tells_reach {
            return;
        }
        if !self.traced {
            self.trace(start);
        }
        self.solid_hits.clear();
        self.solid_hits.extend_from_slice(self.detector.solid_hits());
        let tangle = Tangle {
            mesh: &self.mesh,
            x: start,
            inv_mass: &self.inv_mass,
            hits: self.detector.hits(),
            contours: &self.contours,
            step: self.step(),
            thickness: self.thickness(),
            frame: at.frame,
        };
        self.response.displace(&tangle, &mut self.displacement);
    }

    fn trace(&mut self, x: &[Vec3]) {
        if self.detector.knows_crossings(x) {
            self.detector.find_known_hits(&self.mesh, x);
        } else {
            self.detector.refit(&self.mesh, x);
            self.detector.find_pairs(&self.mesh, x, 0.0);
            self.detector.find_hits(&self.mesh, x);
        }
        self.contours.trace(&self.mesh, x, self.detector.hits());
        self.traced = true;
    }

    /// Velocities after a substep: what approaches stops, neighbours are averaged, and nothing is too fast.
    pub(crate) fn calm(&mut self, before: &[Vec3], v: &mut [Vec3], report: &mut FrameReport) {
        let begun = Instant::now();
        // The displacement of the response is no motion, and what the fabric does against it is none either: it would throw
        // back what was just pulled out.
        for &i in self.displacement.vertices() {
            let i = i as usize;
            let direction = self.displacement.by()[i].normalize_or_zero();
            let back = (v[i] - before[i]).dot(direction);
            v[i] -= direction * back.min(0.0);
        }
        self.proximity.calm(v, &self.inv_mass);
        let smoothing = self.settings.smoothing as f32;
        if smoothing > 0.0 {
            self.smooth(v, smoothing);
        }
        if self.settings.speed_limit_edges > 0.0 {
            let limit = self.settings.speed_limit_edges as f32 * self.edge / self.frame_s;
            for &i in self.vertices.iter().filter(|&&i| self.inv_mass[i as usize] > 0.0) {
                v[i as usize] = v[i as usize].clamp_length_max(limit);
            }
        }
        report.ms.add(Stage::Response, begun.elapsed());
    }

    /// Averages velocities over neighbours.
    fn smooth(&mut self, v: &mut [Vec3], smoothing: f32) {
        for (out, &i) in self.smoothed.iter_mut().zip(&self.vertices) {
            let (neighbours, own) = (self.mesh.neighbours(i), v[i as usize]);
            if self.inv_mass[i as usize] == 0.0 {
                *out = own;
                continue;
            }
            let mean = neighbours.iter().map(|&n| v[n as usize]).sum::<Vec3>() / neighbours.len() as f32;
            *out = own.lerp(mean, smoothing);
        }
        for (&out, &i) in self.smoothed.iter().zip(&self.vertices) {
            v[i as usize] = out;
        }
    }

    /// Crossings at the end of a frame, for the report.
    pub(crate) fn judge(&mut self, x: &[Vec3], report: &mut FrameReport) {
        let begun = Instant::now();
        self.trace(x);
        *report.intersecting_triangle_pairs.get_or_insert(0) +=
            (self.contours.triangle_pairs() + self.solid_pairs()) as u64;
        report.contour_length_m = Some(self.contours.length());
        report.ms.add(Stage::Untangle, begun.elapsed());
    }

    /// Pairs of a triangle of cloth and one of a volume that cross.
    fn solid_pairs(&self) -> usize {
        let pairs_of = |h: &Hit| {
            let t = h.triangle;
            self.mesh.triangles_at(h.edge).iter().map(move |&s| [s.min(t), s.max(t)])
        };
        let mut pairs: Vec<[u32; 2]> = self.detector.solid_hits().iter().flat_map(pairs_of).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs.len()
    }
}

/// Whether cloth and volumes hold each other off.
fn meets_volumes(scene: &scene::Scene, triangles: &[[u32; 3]], topology: &TetTopology) -> bool {
    let wanted = scene.collision.enabled && scene.cloth.proximity;
    wanted && !triangles.is_empty() && !topology.faces.is_empty()
}

/// The cloth of a world, and the surfaces of volumes where it meets them.
fn mesh_of(scene: &scene::Scene, n: usize, triangles: &[[u32; 3]], topology: &TetTopology) -> ClothMesh {
    let surfaces = if meets_volumes(scene, triangles, topology) { &topology.faces[..] } else { &[] };
    ClothMesh::with_solids(n, triangles, surfaces)
}

/// Friction of each sheet: that of its first vertex.
fn sheet_friction(mesh: &ClothMesh, friction: impl Fn(u32) -> Friction) -> Vec<ContactMaterial> {
    let mut materials = vec![ContactMaterial::SMOOTH; mesh.sheet_count as usize];
    for (v, &sheet) in mesh.sheet.iter().enumerate().rev().filter(|(_, s)| **s != u32::MAX) {
        let Friction { fixed, kinetic } = friction(v as u32);
        materials[sheet as usize] =
            ContactMaterial { static_friction: fixed, kinetic_friction: kinetic, restitution: 0.0 };
    }
    materials
}
