//! Cloth in the step: contours and their response, proximity, velocities.
//!
//! All sheets of a world are one mesh here, over the particles of the world. Crossings are found where a substep starts, traced,
//! and answered by a displacement, which the iterations carry out in even parts; close pairs are found in the first
//! iteration, and again later ([`scene::Cloth::searches`](crate::scene::Cloth::searches)), and pushed apart in every one.
//!
//! Crossings and the sides of close pairs are both those of the start. Were crossings taken later, after the fabric has been flattened
//! once, a vertex that pokes through would not be seen to cross, and pushed back to its wrong side all the same.

mod fabric;
mod fold;
mod responses;
pub mod trial;
pub mod untangle;

use std::time::Instant;

use glam::{DVec3, Vec3};
use gordian_collision::cloth::response::{Displacement, Response, Tangle};
use gordian_collision::cloth::{ClothDetector, ClothMesh, Contours, Proximity, Search};
use gordian_solver::Model;

use crate::report::{FrameReport, Stage};
use crate::scene;

pub use fabric::Fabric;
pub(crate) use fabric::{constrain, masses};
pub(crate) use fold::folded;

/// Pairs are kept in mind within this many thicknesses.
const REACH: f32 = 1.5;

/// Detection and response for all cloth of a world.
pub struct Cloth {
    settings: scene::Cloth,
    mesh: ClothMesh,
    detector: ClothDetector,
    contours: Contours,
    response: Box<dyn Response>,
    displacement: Displacement,
    proximity: Proximity,
    inv_mass: Vec<f32>,
    /// Mean edge, metres.
    edge: f32,
    iterations: u32,
    substeps: u32,
    frame_s: f32,
    smoothed: Vec<Vec3>,
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
    pub(crate) fn new(scene: &scene::Scene, triangles: &[[u32; 3]], model: &Model) -> Self {
        let settings = scene.cloth.clone();
        let (rest, start) = (&model.rest_positions, &model.positions);
        let mesh = ClothMesh::new(rest.len(), triangles);
        let mut detector = ClothDetector::new(&mesh, rest);
        detector.set_culling(settings.culling);
        Cloth {
            response: responses::response(settings.response, &mesh, start),
            contours: Contours::default(),
            displacement: Displacement::default(),
            proximity: Proximity::default(),
            inv_mass: model.inverse_masses.clone(),
            edge: mean_edge(rest, triangles) as f32,
            iterations: scene.simulation.iterations,
            substeps: scene.simulation.substeps,
            frame_s: scene.simulation.frame_s as f32,
            smoothed: vec![Vec3::ZERO; if triangles.is_empty() { 0 } else { rest.len() }],
            traced: false,
            settings,
            mesh,
            detector,
        }
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
        !self.mesh.triangles.is_empty()
    }

    /// Triangles over all particles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.mesh.triangles
    }

    /// Contours at the end of the last frame.
    pub fn contours(&self) -> &Contours {
        &self.contours
    }

    fn thickness(&self) -> f32 {
        self.settings.thickness_edges as f32 * self.edge
    }

    /// Searches where it is time to, and moves what is too close or crosses.
    pub(crate) fn project(
        &mut self,
        x: &mut [Vec3],
        start: &[Vec3],
        shift: &mut [Vec3],
        at: Moment,
        report: &mut FrameReport,
    ) {
        let between = self.iterations.div_ceil(self.settings.searches.max(1)).max(1);
        if at.iteration.is_multiple_of(between) {
            self.search(x, start, at, report);
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
        self.proximity.project(x, shift, &self.inv_mass, thickness);
        report.ms.add(Stage::Response, begun.elapsed());
    }

    fn search(&mut self, x: &[Vec3], start: &[Vec3], at: Moment, report: &mut FrameReport) {
        if at.iteration == 0 {
            report.ms.time(Stage::Untangle, || self.respond(start, at));
        }
        self.traced = false;
        if !self.settings.proximity {
            return;
        }
        let reach = REACH * self.thickness();
        report.ms.time(Stage::Refit, || self.detector.refit(&self.mesh, x));
        let begun = Instant::now();
        self.detector.find_pairs(&self.mesh, x, reach);
        let search = Search {
            x,
            start,
            reach,
            valid_side: self.response.valid_side(),
            drop: self.response.drops_pushes().then_some(&self.displacement),
        };
        self.proximity.find(&self.mesh, &self.detector, &search);
        report.contacts.proximity += self.proximity.len() as u64;
        report.ms.add(Stage::Dcd, begun.elapsed());
    }

    /// The displacement that answers the contours of the start.
    fn respond(&mut self, start: &[Vec3], at: Moment) {
        self.displacement.clear(start.len());
        if self.settings.response == scene::ClothResponse::Off {
            return;
        }
        if !self.traced {
            self.trace(start);
        }
        let tangle = Tangle {
            mesh: &self.mesh,
            x: start,
            inv_mass: &self.inv_mass,
            hits: self.detector.hits(),
            contours: &self.contours,
            step: self.settings.strength as f32 * self.edge / self.substeps as f32,
            thickness: self.thickness(),
            frame: at.frame,
        };
        self.response.displace(&tangle, &mut self.displacement);
    }

    fn trace(&mut self, x: &[Vec3]) {
        self.detector.refit(&self.mesh, x);
        self.detector.find_pairs(&self.mesh, x, 0.0);
        self.detector.find_hits(&self.mesh, x);
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
            for (i, out) in self.smoothed.iter_mut().enumerate() {
                let neighbours = self.mesh.neighbours(i as u32);
                if neighbours.is_empty() || self.inv_mass[i] == 0.0 {
                    *out = v[i];
                    continue;
                }
                let mean = neighbours.iter().map(|&n| v[n as usize]).sum::<Vec3>() / neighbours.len() as f32;
                *out = v[i].lerp(mean, smoothing);
            }
            v.copy_from_slice(&self.smoothed);
        }
        if self.settings.speed_limit_edges > 0.0 {
            let limit = self.settings.speed_limit_edges as f32 * self.edge / self.frame_s;
            for (i, v) in v.iter_mut().enumerate() {
                if self.inv_mass[i] > 0.0 && !self.mesh.neighbours(i as u32).is_empty() {
                    *v = v.clamp_length_max(limit);
                }
            }
        }
        report.ms.add(Stage::Response, begun.elapsed());
    }

    /// Crossings at the end of a frame, for the report.
    pub(crate) fn judge(&mut self, x: &[Vec3], report: &mut FrameReport) {
        let begun = Instant::now();
        self.trace(x);
        *report.intersecting_triangle_pairs.get_or_insert(0) +=
            self.contours.triangle_pairs(&self.mesh, false) as u64;
        report.contour_length_m = Some(self.contours.length());
        report.ms.add(Stage::Untangle, begun.elapsed());
    }
}
