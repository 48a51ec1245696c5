//! The collision stages of a substep: what is inside, what meets, and how both are answered.

use glam::Vec3;
use gordian_collision::ccd::{BroadPhase, Detection, Motion};
use gordian_collision::collider::{Collider, ColliderSet};
use gordian_collision::contact::{Contact, ContactMaterial, ContactSet, Features, Projection, VelocityPass};
use gordian_collision::{
    DcdOptions, Detector, PathAnswer, PathMethod, PathOptions, PathScratch, Penetration, PointId, PointSet,
};
use gordian_mesh::TetTopology;
use gordian_solver::Model;
use rayon::prelude::*;

use crate::SimError;
use crate::body::{Body, Friction};
use crate::build::range_error;
use crate::judge::Judge;
use crate::knots::Knots;
use crate::obstacle::Obstacle;
use crate::pierced::{EdgePoint, Pierced};
use crate::report::{FrameReport, Stage};
use crate::scene::{Collision, QueryMethod, QueryMode, Scene};
use crate::world::BodyInfo;

/// Detection and response for all bodies and colliders of a world.
pub(crate) struct Collisions {
    settings: Collision,
    gravity: f64,
    options: PathOptions,
    detector: Detector,
    broad: BroadPhase,
    meeting: Detection,
    contacts: ContactSet,
    obstacles: Vec<Obstacle>,
    groups: Vec<Group>,
    inverse_masses: Vec<f32>,
    /// Body of each particle.
    body: Vec<u32>,
    /// The vertices of cloth.
    cloth: Vec<u32>,
    /// Mean surface edge of each body, metres.
    mean_edge: Vec<f32>,
    /// Mean surface edge over all bodies, metres.
    unit: f32,
    materials: Materials,
    /// Friction of each body.
    friction: Vec<Friction>,
    judge: Judge,
    pierced: Pierced,
    edge_points: Vec<EdgePoint>,
    /// Length of the present substep, seconds.
    h: f64,
    /// Share of a frame that the present substep is.
    share: f64,
    /// Whether bodies collide in the present substep.
    bodies_collide: bool,

    penetrations: Vec<Penetration>,
    answers: Vec<PathAnswer>,
    /// Whether a vertex was outside of everything at the start of the substep.
    outside: Vec<bool>,
    /// Bodies with a point inside something.
    tangled: Vec<bool>,
    knots: Knots,
}

/// Bodies of one friction and one edge length, and the colliders as they meet them. Turned copies of a body differ in the last
/// bits of their edge length: a thousandth makes no difference to a thickness, but a group for each would to the time.
struct Group {
    friction: Friction,
    mean_edge: f32,
    /// Vertices of these bodies, ascending. Inner ones too: behind a surface that a collider stops they would go on, and turn
    /// the elements between inside out.
    particles: Vec<u32>,
    set: ColliderSet,
    /// One for each collider.
    materials: Vec<ContactMaterial>,
}

impl Group {
    /// Sorts the bodies into groups, each with its own copy of the colliders.
    fn all(
        settings: &Collision,
        friction: &[Friction],
        infos: &[BodyInfo],
        obstacles: &[Obstacle],
    ) -> Vec<Self> {
        let mut groups: Vec<Group> = Vec::new();
        for (&friction, info) in friction.iter().zip(infos) {
            let mean_edge = info.mean_edge as f32;
            let same = |g: &&mut Group| {
                g.friction == friction && (g.mean_edge - mean_edge).abs() <= 1e-3 * mean_edge
            };
            if let Some(group) = groups.iter_mut().find(same) {
                group.particles.extend(info.particles.clone());
                continue;
            }
            let mut colliders: Vec<_> = obstacles.iter().map(|o| o.collider.clone()).collect();
            for (i, collider) in colliders.iter_mut().enumerate() {
                collider.thickness = settings.thickness_edges as f32 * mean_edge;
                collider.material = i as u8;
            }
            groups.push(Group {
                friction,
                mean_edge,
                particles: info.particles.clone().collect(),
                set: ColliderSet::new(colliders),
                materials: obstacles
                    .iter()
                    .map(|o| {
                        let friction = o.friction.unwrap_or(friction);
                        ContactMaterial {
                            static_friction: friction.fixed,
                            kinetic_friction: friction.kinetic,
                            restitution: settings.restitution as f32,
                        }
                    })
                    .collect(),
            });
        }
        groups
    }
}

/// Different frictions of bodies that a scene may have: the table of pairs is square, and its index a byte.
pub(crate) const MOST_FRICTIONS: usize = 15;

/// Contact materials: one for each pair of different frictions.
#[derive(Default)]
struct Materials {
    /// Kind of each body.
    kind: Vec<u8>,
    kinds: usize,
    table: Vec<ContactMaterial>,
}

impl Materials {
    /// Bodies with equal friction are of one kind; between two kinds the mean of both holds.
    fn new(friction: &[Friction], restitution: f32) -> Option<Self> {
        let mut kinds: Vec<Friction> = Vec::new();
        let kind: Option<Vec<u8>> = friction
            .iter()
            .map(|f| {
                let found = kinds.iter().position(|k| k == f);
                let index = found.unwrap_or_else(|| {
                    kinds.push(*f);
                    kinds.len() - 1
                });
                u8::try_from(index).ok()
            })
            .collect();
        if kinds.len() > MOST_FRICTIONS {
            return None;
        }
        let table = kinds
            .iter()
            .flat_map(|a| {
                kinds.iter().map(move |b| ContactMaterial {
                    static_friction: (a.fixed + b.fixed) / 2.0,
                    kinetic_friction: (a.kinetic + b.kinetic) / 2.0,
                    restitution,
                })
            })
            .collect();
        Some(Materials { kind: kind?, kinds: kinds.len(), table })
    }

    fn of(&self, a: u32, b: u32) -> u8 {
        (self.kind[a as usize] as usize * self.kinds + self.kind[b as usize] as usize) as u8
    }
}

impl Collisions {
    pub fn new(
        scene: &Scene,
        bodies: &[Body],
        infos: &[BodyInfo],
        topology: &TetTopology,
        model: &Model,
        cloth: &[u32],
        obstacles: Vec<Obstacle>,
    ) -> Result<Self, SimError> {
        let settings = scene.collision.clone();
        // Nothing is inside where there is no volume.
        let cloth = if topology.tets.is_empty() { &[] } else { cloth };
        let mut body = vec![0; model.positions.len()];
        for (i, info) in infos.iter().enumerate() {
            body[info.particles.start as usize..info.particles.end as usize].fill(i as u32);
        }
        let friction: Vec<Friction> = bodies.iter().map(|b| b.friction).collect();
        let materials = Materials::new(&friction, settings.restitution as f32).ok_or_else(|| {
            let message = format!(
                "the bodies have more than {MOST_FRICTIONS} different pairs of friction coefficients"
            );
            range_error(scene, "body", message)
        })?;
        let unit = infos.iter().map(|b| b.mean_edge).sum::<f64>() / infos.len().max(1) as f64;
        Ok(Collisions {
            gravity: glam::DVec3::from(scene.simulation.gravity_m_s2).length(),
            options: path_options(&settings),
            detector: Detector::new(topology, &model.rest_positions),
            broad: BroadPhase::new(topology, &model.positions),
            meeting: Detection::new(),
            contacts: ContactSet::new(),
            groups: Group::all(&settings, &friction, infos, &obstacles),
            obstacles,
            inverse_masses: model.inverse_masses.clone(),
            body,
            cloth: cloth.to_vec(),
            mean_edge: infos.iter().map(|b| b.mean_edge as f32).collect(),
            unit: unit as f32,
            materials,
            friction,
            judge: Judge::new(topology, &model.positions),
            pierced: Pierced::default(),
            edge_points: Vec::new(),
            h: 0.0,
            share: 1.0 / scene.simulation.substeps as f64,
            bodies_collide: false,
            penetrations: Vec::new(),
            answers: Vec::new(),
            outside: vec![true; model.positions.len()],
            tangled: vec![false; infos.len()],
            knots: Knots::default(),
            settings,
        })
    }

    /// Takes over a scene's settings of collisions, and the friction of each body; the rest of its bodies and colliders stays.
    pub fn tune(&mut self, scene: &Scene, friction: &[Friction], infos: &[BodyInfo]) {
        self.settings = scene.collision.clone();
        // More kinds than there is room for: those of before stay.
        if let Some(materials) = Materials::new(friction, self.settings.restitution as f32) {
            self.materials = materials;
            self.friction.copy_from_slice(friction);
        }
        self.groups = Group::all(&self.settings, &self.friction, infos, &self.obstacles);
        self.gravity = glam::DVec3::from(scene.simulation.gravity_m_s2).length();
        self.options = path_options(&self.settings);
        self.share = 1.0 / scene.simulation.substeps as f64;
    }

    /// Friction of each body.
    pub fn friction(&self) -> &[Friction] {
        &self.friction
    }

    pub fn contacts(&self) -> &[Contact] {
        self.contacts.contacts()
    }

    /// What touched colliders in the last substep: particle, collider, and the direction in which it pushes.
    pub fn touches(&self) -> impl Iterator<Item = (u32, u32, Vec3)> + '_ {
        self.groups.iter().flat_map(|g| g.set.touches())
    }

    pub fn colliders(&self) -> impl Iterator<Item = &Collider> {
        self.obstacles.iter().map(|o| &o.collider)
    }

    /// Of each particle whether it was outside of everything at the start of the substep.
    pub fn outside(&self) -> &[bool] {
        &self.outside
    }

    pub fn penetrations(&self) -> &[Penetration] {
        &self.penetrations
    }

    pub fn detector(&self) -> &Detector {
        &self.detector
    }

    pub fn path_options(&self) -> &PathOptions {
        &self.options
    }

    /// Whether anything can touch in the present substep.
    pub fn active(&self) -> bool {
        self.bodies_collide || !self.obstacles.is_empty()
    }

    /// Moves the colliders to where they are at the end of the substep that begins at `start_s` and takes `h` seconds.
    pub fn begin_substep(&mut self, start_s: f64, h: f64) {
        self.h = h;
        // Half a substep of slack: times are sums of substeps.
        self.bodies_collide = self.settings.enabled && start_s + h / 2.0 >= self.settings.start_s;
        let later = self.settings.later.as_ref().filter(|l| start_s + h / 2.0 >= l.start_s);
        self.options.mode = query_mode(later.map_or(self.settings.mode, |l| l.mode));
        self.contacts.clear();
        self.outside.fill(true);
        self.tangled.fill(false);
        for obstacle in &mut self.obstacles {
            obstacle.advance(start_s, start_s + h);
        }
        for group in &mut self.groups {
            for (collider, obstacle) in group.set.colliders.iter_mut().zip(&self.obstacles) {
                collider.start = obstacle.collider.start;
                collider.end = obstacle.collider.end;
            }
        }
    }

    /// DCD and shortest paths at the positions `x` that the substep starts from.
    pub fn detect_inside(&mut self, topology: &TetTopology, x: &[Vec3], report: &mut FrameReport) {
        if !self.bodies_collide {
            return;
        }
        self.detector.keep_cores(self.settings.recovery);
        report.ms.time(Stage::Refit, || self.detector.refit(x));
        self.find_penetrations(self.settings.recovery, topology, report);
        let Self { detector, penetrations, answers, options, .. } = self;
        let work =
            report.ms.time(Stage::ShortestPath, || detector.boundary_points(penetrations, options, answers));
        report.queries += penetrations.len() as u64;
        report.traversals += work.traversals;
        report.unresolved_queries += work.unresolved;
        self.push_paths(topology);
        self.push_edges(topology, x, report);
        if self.settings.recovery {
            self.knots.find(&self.detector, topology, x.len());
        } else {
            self.knots.clear();
        }
    }

    /// Which boundary vertices and vertices of cloth are inside; with `cores`, which vertices and centroids at all.
    fn find_penetrations(&mut self, cores: bool, topology: &TetTopology, report: &mut FrameReport) {
        let Self { detector, penetrations, cloth, .. } = self;
        let begun = std::time::Instant::now();
        let points = if cores { PointSet::AllVerticesAndCentroids } else { PointSet::BoundaryVertices };
        detector.penetrations(points, DcdOptions::default(), penetrations);
        if !cloth.is_empty() {
            let mut more = Vec::new();
            detector.penetrations(PointSet::Vertices(cloth), DcdOptions::default(), &mut more);
            penetrations.extend(more);
            penetrations.sort_unstable();
        }
        report.ms.add(Stage::Dcd, begun.elapsed());
        if !self.settings.self_collision {
            let body = &self.body;
            penetrations.retain(|p| {
                let of_point = match p.point {
                    PointId::Vertex(v) => body[v as usize],
                    PointId::Centroid(t) => body[topology.tets[t as usize][0] as usize],
                };
                of_point != body[topology.tets[p.tet as usize][0] as usize]
            });
        }
    }

    /// A contact for each penetration whose path was found.
    fn push_paths(&mut self, topology: &TetTopology) {
        for (penetration, answer) in self.penetrations.iter().zip(&self.answers) {
            let of_point = match penetration.point {
                PointId::Vertex(v) => v,
                PointId::Centroid(t) => topology.tets[t as usize][0],
            };
            if let PointId::Vertex(v) = penetration.point {
                self.outside[v as usize] = false;
            }
            let (a, b) = (
                self.body[of_point as usize],
                self.body[topology.tets[penetration.tet as usize][0] as usize],
            );
            // Cloth that is pressed into a volume tangles neither.
            if self.cloth.binary_search(&of_point).is_err() {
                self.tangled[a as usize] = true;
                self.tangled[b as usize] = true;
            }
            let Some(end) = &answer.end else { continue };
            let face = topology.faces[end.face as usize];
            let direction = (end.position - self.detector.position(penetration.point)).as_vec3();
            let contact = match penetration.point {
                PointId::Vertex(v) => Contact::path(v, face, direction),
                PointId::Centroid(t) => {
                    Contact::path_of_tet_centroid(topology.tets[t as usize], face, direction)
                }
            };
            let thickness = thickness(&self.settings, &self.mean_edge, a, b);
            self.contacts.push(contact.with_thickness(thickness).with_material(self.materials.of(a, b)));
        }
    }

    /// A contact for each edge that goes through a body, along the shortest path from inside it.
    fn push_edges(&mut self, topology: &TetTopology, x: &[Vec3], report: &mut FrameReport) {
        let edges_collide = self.settings.ccd && self.settings.edge_edge;
        if !edges_collide || self.options.mode != gordian_collision::QueryMode::Geodesic {
            return;
        }
        if !self.pierced.known {
            report.ms.time(Stage::Dcd, || self.count_crossings(topology, x));
            self.keep_crossings(topology, x);
        }
        let Self { pierced, edge_points, detector, options, .. } = self;
        report.ms.time(Stage::Dcd, || pierced.points(topology, x, detector, edge_points));
        let answers: Vec<PathAnswer> = report.ms.time(Stage::ShortestPath, || {
            let ask = |scratch: &mut PathScratch, p: &EdgePoint| {
                detector.boundary_point(&p.query(), options, scratch)
            };
            edge_points.par_iter().with_min_len(16).map_init(PathScratch::default, ask).collect()
        });
        report.queries += answers.len() as u64;
        for (point, answer) in self.edge_points.iter().zip(&answers) {
            report.traversals += answer.counters.traversals;
            report.unresolved_queries += answer.counters.unresolved;
            let Some(end) = &answer.end else { continue };
            let face = topology.faces[end.face as usize];
            let direction = (end.position - point.position).as_vec3();
            let (a, b) = (self.body[point.edge[0] as usize], self.body[face[0] as usize]);
            let contact = Contact::path_of_edge_point(point.edge, point.parameter as f32, face, direction);
            let thickness = thickness(&self.settings, &self.mean_edge, a, b);
            self.contacts.push(contact.with_thickness(thickness).with_material(self.materials.of(a, b)));
        }
    }

    /// Pairs of triangles that cross at the positions `x`, of bodies that are meant to collide.
    fn count_crossings(&mut self, topology: &TetTopology, x: &[Vec3]) -> usize {
        let Self { judge, body, settings, .. } = self;
        let meant = |a: u32, b: u32| settings.self_collision || body[a as usize] != body[b as usize];
        judge.crossing_pairs(topology, x, meant).len()
    }

    /// The crossings that were counted last, at the positions `x`, are those that the next frame begins with.
    pub fn keep_crossings(&mut self, topology: &TetTopology, x: &[Vec3]) {
        self.pierced.take(topology, x, self.judge.counted());
    }

    /// The positions have been set anew.
    pub fn forget(&mut self) {
        self.pierced.known = false;
    }

    /// CCD of what was outside at the start of the substep, from `start` to `x`; then the contacts are complete.
    pub fn detect_meeting(
        &mut self,
        topology: &TetTopology,
        start: &[Vec3],
        x: &[Vec3],
        report: &mut FrameReport,
    ) {
        let begun = std::time::Instant::now();
        if self.bodies_collide && self.settings.ccd {
            let motion = Motion { start, end: x, active: &self.outside };
            self.meeting.detect(topology, &motion, MARGIN_EDGES * self.unit, &mut self.broad);
            self.push_meetings(topology, |_, _| true);
        }
        for group in &mut self.groups {
            let margin = group.mean_edge;
            group.set.detect(&group.particles, start, x, &self.inverse_masses, margin);
        }
        report.ms.add(Stage::Ccd, begun.elapsed());
        report.ms.time(Stage::Response, || self.contacts.prepare(&self.inverse_masses));
        let counts = self.contacts.counts();
        report.contacts.ccd += counts.ccd() as u64;
        report.contacts.dcd += counts.dcd() as u64;
    }

    /// CCD again, from the same `start` to where iterations and contacts have moved everything: contacts for what meets now and did
    /// not before. Whether there are any.
    pub fn detect_more(
        &mut self,
        topology: &TetTopology,
        start: &[Vec3],
        x: &[Vec3],
        report: &mut FrameReport,
    ) -> bool {
        if !(self.bodies_collide && self.settings.ccd) {
            return false;
        }
        let begun = std::time::Instant::now();
        let motion = Motion { start, end: x, active: &self.outside };
        let before = self.contacts.len();
        if self.meeting.detect_more(topology, &motion, &self.broad) {
            // What turns back from inside out passes through itself on the way, and must be let.
            self.push_meetings(topology, |detector, v| !detector.beside_inverted(v));
        }
        report.ms.add(Stage::Ccd, begun.elapsed());
        let new = self.contacts.len() - before;
        report.contacts.ccd += new as u64;
        if new > 0 {
            report.ms.time(Stage::Response, || self.contacts.prepare(&self.inverse_masses));
        }
        new > 0
    }

    /// A contact for each pair that meets, if all its vertices count.
    fn push_meetings(&mut self, topology: &TetTopology, counts: impl Fn(&Detector, u32) -> bool) {
        for contact in self.meeting.contacts(topology, 0.0) {
            if contact.features() == Features::EdgeEdge && !self.settings.edge_edge {
                continue;
            }
            let (a, b) = (self.body[contact.first()[0] as usize], self.body[contact.second()[0] as usize]);
            if a == b && (!self.settings.self_collision || self.knots.join(&contact)) {
                continue;
            }
            if !contact.first().iter().chain(contact.second()).all(|&v| counts(&self.detector, v)) {
                continue;
            }
            let thickness = thickness(&self.settings, &self.mean_edge, a, b);
            self.contacts.push(contact.with_thickness(thickness).with_material(self.materials.of(a, b)));
        }
    }

    /// Projects contacts and colliders once.
    pub fn project(&mut self, x: &mut [Vec3], start: &[Vec3], shift: &mut [Vec3], report: &mut FrameReport) {
        let begun = std::time::Instant::now();
        let push = (self.settings.max_depenetration_edges * self.share) as f32;
        let together = self.settings.max_shift_ratio as f32;
        let holds = !self.settings.recovery && self.options.mode == gordian_collision::QueryMode::Geodesic;
        let mut projection = Projection {
            x_prev: start,
            inv_mass: &self.inverse_masses,
            materials: &self.materials.table,
            max_push: push * self.unit,
            max_shift: together * push * self.unit,
            hold_depth: if holds { HOLD_EDGES * self.unit } else { 0.0 },
        };
        self.contacts.project(x, shift, &projection);
        for group in &mut self.groups {
            projection.materials = &group.materials;
            projection.max_push = push * group.mean_edge;
            projection.max_shift = together * projection.max_push;
            group.set.project(x, shift, &projection);
        }
        report.ms.add(Stage::Response, begun.elapsed());
    }

    /// The velocity pass, and the damping of bodies that are still tangled.
    pub fn calm(&mut self, x: &[Vec3], before: &[Vec3], v: &mut [Vec3], report: &mut FrameReport) {
        let begun = std::time::Instant::now();
        report.contacts.collider += self.groups.iter().map(|g| g.set.touched() as u64).sum::<u64>();
        if self.settings.velocity_pass {
            let mut pass = VelocityPass {
                x,
                before,
                inv_mass: &self.inverse_masses,
                materials: &self.materials.table,
                h: self.h as f32,
                bounce_above: (2.0 * self.h * self.gravity) as f32,
            };
            self.contacts.project_velocities(v, &pass);
            for group in &self.groups {
                pass.materials = &group.materials;
                group.set.project_velocities(v, &pass);
            }
        }
        if self.tangled.contains(&true) && self.settings.penetrating_damping > 0.0 {
            let keep = (1.0 - self.settings.penetrating_damping).powf(self.share) as f32;
            let (tangled, body) = (&self.tangled, &self.body);
            v.par_iter_mut().zip(body).for_each(|(v, &b)| {
                if tangled[b as usize] {
                    *v *= keep;
                }
            });
        }
        report.ms.add(Stage::Response, begun.elapsed());
    }

    /// What is wrong with the positions `x` at the end of a frame: boundary vertices that are inside, triangles that cross,
    /// inverted tetrahedra.
    pub fn judge(&mut self, topology: &TetTopology, x: &[Vec3], report: &mut FrameReport) {
        report.ms.time(Stage::Refit, || self.detector.refit(x));
        self.find_penetrations(false, topology, report);
        let mut vertices = 0;
        let mut last = None;
        for p in &self.penetrations {
            vertices += u64::from(last != Some(p.point));
            last = Some(p.point);
        }
        report.penetrating_vertices = vertices;
        let pairs = report.ms.time(Stage::Output, || self.count_crossings(topology, x));
        report.intersecting_triangle_pairs = Some(pairs as u64);
        report.inverted_tetrahedra = self.detector.inverted_count() as u64;
    }
}

/// Depth to which contacts of penetrating vertices carry load, in mean surface edges. Not in recovery, where what has crossed has to
/// pass back through; nor by the other query modes, whose faces need not be those that were passed.
const HOLD_EDGES: f32 = 0.5;

/// By how much a substep's candidates are found wider than its first iteration asks for, in mean surface edges: by half of that
/// the later iterations and the contacts may move anything, and CCD still misses nothing.
const MARGIN_EDGES: f32 = 0.1;

/// How a scene asks for boundary points.
fn query_mode(mode: QueryMode) -> gordian_collision::QueryMode {
    match mode {
        QueryMode::Geodesic => gordian_collision::QueryMode::Geodesic,
        QueryMode::Euclidean => gordian_collision::QueryMode::Euclidean,
        QueryMode::RestShape => gordian_collision::QueryMode::RestShape,
    }
}

fn path_options(settings: &Collision) -> PathOptions {
    PathOptions {
        mode: query_mode(settings.mode),
        method: match settings.method {
            QueryMethod::Auto => PathMethod::Auto,
            QueryMethod::Flood => PathMethod::Flood,
            QueryMethod::Traversal => PathMethod::Traversal,
        },
        culling: settings.culling,
    }
}

/// Distance that contacts between two bodies keep, metres.
fn thickness(settings: &Collision, mean_edge: &[f32], a: u32, b: u32) -> f32 {
    settings.thickness_edges as f32 * (mean_edge[a as usize] + mean_edge[b as usize]) / 2.0
}
