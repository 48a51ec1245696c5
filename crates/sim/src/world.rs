//! The world: the state of all particles, and what a step needs to advance it.

use std::ops::Range;

use glam::{DAffine3, DVec3, Vec3};
use gordian_collision::collider::Collider;
use gordian_collision::contact::Contact;
use gordian_collision::{Detector, PathOptions, Penetration};
use gordian_mesh::{TetTopology, TopologyDefect};
use gordian_solver::{AdapterInfo, Colouring, Model, ModelError, Solver, SolverError, Target};

use crate::body::{self, Body};
use crate::build::mean_surface_edge;
use crate::checkpoint::model_hash;
use crate::cloth::{self, Cloth};
use crate::collide::Collisions;
use crate::obstacle::Obstacle;
use crate::scene::{Motion, Scene, Simulation, transform_at};
use crate::{AdapterChoice, FrameReport, SimError, build};

/// A simulation between two frames. All arrays over particles hold the bodies one after the other, each in the order of
/// its mesh file; lengths are metres, velocities metres per second.
pub struct World {
    pub(crate) settings: Simulation,
    pub(crate) solver: Box<dyn Solver + Send>,
    pub(crate) collisions: Collisions,
    pub(crate) cloth: Cloth,
    pub(crate) topology: TetTopology,
    pub(crate) bodies: Vec<BodyInfo>,
    /// The section of the scene that each body comes from; none of bodies made in code.
    pub(crate) sections: Vec<usize>,
    pub(crate) inverse_masses: Vec<f32>,
    pub(crate) pins: Vec<Pin>,
    pub(crate) rest: Vec<Vec3>,
    pub(crate) x: Vec<Vec3>,
    pub(crate) v: Vec<Vec3>,
    pub(crate) frame: u32,
    pub(crate) scratch: Scratch,
    warnings: Vec<String>,
    /// Of rest positions and tetrahedra, for checkpoints.
    pub(crate) model_hash: u64,
}

/// A body of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyInfo {
    /// Its name.
    pub name: String,
    /// Its particles.
    pub particles: Range<u32>,
    /// Its tetrahedra.
    pub tets: Range<u32>,
    /// Mean length of its surface edges at rest, metres.
    pub mean_edge: f64,
}

/// A kinematic particle: where it started, and the motion that carries it.
pub(crate) struct Pin {
    particle: u32,
    start: DVec3,
    motion: usize,
}

/// Arrays that a substep needs, kept from one to the next.
#[derive(Default)]
pub(crate) struct Scratch {
    pub x_start: Vec<Vec3>,
    pub v_start: Vec<Vec3>,
    pub shift: Vec<Vec3>,
    pub targets: Vec<Target>,
    pub motions: Vec<Vec<Motion>>,
    pub transforms: Vec<DAffine3>,
}

/// Names the body that a model is at fault for, in the order of its own file.
fn of_body(error: SolverError, bodies: &[BodyInfo]) -> SimError {
    let SolverError::Model(ModelError::Value { what, index, message }) = error else { return error.into() };
    let index = index as u32;
    let found = match what {
        "tetrahedron" => bodies.iter().find(|b| b.tets.contains(&index)).map(|b| (b, index - b.tets.start)),
        "rest position" | "position" | "velocity" | "inverse mass" => {
            bodies.iter().find(|b| b.particles.contains(&index)).map(|b| (b, index - b.particles.start))
        }
        _ => None,
    };
    match found {
        Some((body, index)) => SimError::Body { body: body.name.clone(), what, index, message },
        None => SolverError::from(ModelError::Value { what, index: index as usize, message }).into(),
    }
}

/// A defect of the mesh of a body, in the body's own numbers.
fn defect(defect: &TopologyDefect, bodies: &[BodyInfo]) -> String {
    let (tets, what) = match defect {
        TopologyDefect::FaceShared { tets, .. } => {
            (&tets[..], "share one face; each of them gets a boundary there")
        }
        TopologyDefect::FaceOrientation { tets, .. } => {
            (&tets[..], "lie on the same side of the face between them; one is there twice, or turned over")
        }
    };
    let body = bodies.iter().find(|b| b.tets.contains(&tets[0])).expect("each tetrahedron has a body");
    let tets: Vec<String> = tets.iter().map(|t| (t - body.tets.start).to_string()).collect();
    format!("{}: the tetrahedra {} {what}; see `gordian check`", body.name, tets.join(", "))
}

/// Refuses more particles or tetrahedra than 32-bit links hold.
fn too_many(bodies: &[Body]) -> Result<(), SimError> {
    let sum = |of: fn(&Body) -> usize| bodies.iter().map(of).sum::<usize>();
    for (what, count, limit) in [
        ("particles", sum(|b| b.rest.len()), MOST_PARTICLES),
        ("tetrahedra", sum(|b| b.tets.len()), MOST_TETRAHEDRA),
        ("triangles", sum(|b| b.triangles.len()), MOST_TETRAHEDRA),
    ] {
        if count >= limit {
            return Err(SimError::TooMany { what, count, limit });
        }
    }
    Ok(())
}

/// What [`TetTopology`] holds.
const MOST_PARTICLES: usize = 1 << 31;
const MOST_TETRAHEDRA: usize = 1 << 29;

impl World {
    /// Builds the world of a scene: reads meshes, makes bodies, and starts the solver on the chosen adapter.
    pub fn new(scene: &Scene, adapter: &AdapterChoice) -> Result<Self, SimError> {
        scene.validate()?;
        let built = build::bodies(scene)?;
        let obstacles = Obstacle::all(scene)?;
        let mut world = Self::assemble(scene, &built.bodies, obstacles, adapter)?;
        world.sections = built.sections;
        world.warnings.splice(0..0, built.warnings);
        Ok(world)
    }

    /// A world of bodies made in code; of the scene only the settings and the colliders count.
    ///
    /// Errors: what [`Body::check`] finds, settings out of their range, elements that are flat or inverted at rest.
    pub fn with_bodies(scene: &Scene, bodies: &[Body], adapter: &AdapterChoice) -> Result<Self, SimError> {
        let mut settings = scene.clone();
        settings.body.clear();
        settings.check.clear();
        settings.validate()?;
        Self::assemble(scene, bodies, Obstacle::all(scene)?, adapter)
    }

    fn assemble(
        scene: &Scene,
        bodies: &[Body],
        obstacles: Vec<Obstacle>,
        adapter: &AdapterChoice,
    ) -> Result<Self, SimError> {
        bodies.iter().try_for_each(Body::check)?;
        too_many(bodies)?;
        let mut model = Model { damping_per_s: scene.simulation.damping_per_s as f32, ..Model::default() };
        let mut infos = Vec::with_capacity(bodies.len());
        let mut pins = Vec::new();
        let mut motions = Vec::new();
        let mut sheets: Vec<[u32; 3]> = Vec::new();
        for body in bodies {
            let first_tet = model.tets.len() as u32;
            let particles = body::append(&mut model, body);
            sheets.extend(body.triangles.iter().map(|t| t.map(|v| v + particles.start)));
            for group in &body.pins {
                pins.extend(group.vertices.iter().map(|&v| Pin {
                    particle: particles.start + v,
                    start: body.positions[v as usize].as_dvec3(),
                    motion: motions.len(),
                }));
                motions.push(group.motion.clone());
            }
            infos.push(BodyInfo {
                name: body.name.clone(),
                particles,
                tets: first_tet..model.tets.len() as u32,
                mean_edge: 0.0,
            });
        }
        let tets: Vec<[u32; 4]> = model.tets.iter().map(|t| t.particles).collect();
        let topology = TetTopology::new(model.positions.len(), &tets);
        let model_hash = model_hash(&model.rest_positions, &tets);
        drop(tets);
        let mut warnings: Vec<String> = Vec::new();
        for warning in topology.defects.iter().map(|d| defect(d, &infos)) {
            // A tetrahedron that is there twice shares four faces with itself.
            if warnings.last() != Some(&warning) && !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        let mut edges = topology.edges.iter().map(|e| e.vertices).collect::<Vec<_>>();
        edges.sort_unstable();
        for info in &mut infos {
            let of_body = |v: u32| edges.partition_point(|e| e[0] < v);
            let range = of_body(info.particles.start)..of_body(info.particles.end);
            info.mean_edge = mean_surface_edge(&model.rest_positions, &edges[range]);
        }
        for (info, body) in infos.iter_mut().zip(bodies).filter(|(_, b)| !b.triangles.is_empty()) {
            info.mean_edge = cloth::mean_edge(&body.rest, &body.triangles);
        }
        let friction = |v: u32| bodies[infos.partition_point(|info| info.particles.end <= v)].friction;
        let cloth = Cloth::new(scene, &sheets, &model, &topology, friction);
        let collisions =
            Collisions::new(scene, bodies, &infos, &topology, &model, cloth.vertices(), obstacles)?;
        let solver = adapter.solver(&model).map_err(|e| of_body(e, &infos))?;
        let n = model.positions.len();
        Ok(World {
            settings: scene.simulation.clone(),
            solver,
            collisions,
            cloth,
            topology,
            bodies: infos,
            sections: Vec::new(),
            inverse_masses: model.inverse_masses,
            pins,
            rest: model.rest_positions,
            x: model.positions,
            v: model.velocities,
            frame: 0,
            scratch: Scratch {
                x_start: vec![Vec3::ZERO; n],
                v_start: vec![Vec3::ZERO; n],
                shift: vec![Vec3::ZERO; n],
                transforms: vec![DAffine3::IDENTITY; motions.len()],
                motions,
                ..Scratch::default()
            },
            warnings,
            model_hash,
        })
    }

    /// What computes.
    pub fn adapter(&self) -> &AdapterInfo {
        self.solver.adapter()
    }

    /// Frames done so far.
    pub fn frame(&self) -> u32 {
        self.frame
    }

    /// Simulated time, seconds.
    pub fn time_s(&self) -> f64 {
        self.frame as f64 * self.settings.frame_s
    }

    /// Positions, metres.
    pub fn positions(&self) -> &[Vec3] {
        &self.x
    }

    /// Positions at rest, metres.
    pub fn rest_positions(&self) -> &[Vec3] {
        &self.rest
    }

    /// Velocities, metres per second.
    pub fn velocities(&self) -> &[Vec3] {
        &self.v
    }

    /// Inverse masses, per kilogram; zero for particles that do not move by themselves.
    pub fn inverse_masses(&self) -> &[f32] {
        &self.inverse_masses
    }

    /// The bodies, in the order of their particles.
    pub fn bodies(&self) -> &[BodyInfo] {
        &self.bodies
    }

    /// The contacts between bodies of the last substep, in the order in which they were projected; none before the first.
    pub fn contacts(&self) -> &[Contact] {
        self.collisions.contacts()
    }

    /// What touched colliders in the last substep: particle, collider, and the direction in which it pushes.
    pub fn collider_touches(&self) -> impl Iterator<Item = (u32, u32, Vec3)> + '_ {
        self.collisions.touches()
    }

    /// Which elastic constraints are solved at once.
    pub fn colouring(&self) -> &Colouring {
        self.solver.colouring()
    }

    /// The colliders, where they were at the end of the last substep.
    pub fn colliders(&self) -> impl Iterator<Item = &Collider> {
        self.collisions.colliders()
    }

    /// Which boundary vertices are inside what, at the end of the last frame or the last [`World::inspect`].
    pub fn penetrations(&self) -> &[Penetration] {
        self.collisions.penetrations()
    }

    /// The boundary queries, at the positions of the last frame or the last [`World::inspect`].
    pub fn detector(&self) -> &Detector {
        self.collisions.detector()
    }

    /// How the scene asks for boundary points.
    pub fn path_options(&self) -> &PathOptions {
        self.collisions.path_options()
    }

    /// Judges the present positions as the end of a frame does: penetrations, inverted tetrahedra, energies. For a
    /// world that has not stepped yet, or whose state was set.
    pub fn inspect(&mut self) -> Result<FrameReport, SimError> {
        let mut report = FrameReport { frame: self.frame, time_s: self.time_s(), ..FrameReport::default() };
        self.finish(&mut report)?;
        Ok(report)
    }

    /// Tetrahedra, boundary and adjacency of all bodies together.
    pub fn topology(&self) -> &TetTopology {
        &self.topology
    }

    /// All cloth of the bodies together.
    pub fn cloth(&self) -> &Cloth {
        &self.cloth
    }

    /// What is wrong with the positions as they stand, without a step: penetrating vertices, crossing triangles, inverted
    /// tetrahedra and contours as at the end of a frame. The rest of the report is empty.
    pub fn judge(&mut self) -> crate::FrameReport {
        let mut report = crate::FrameReport { frame: self.frame, ..Default::default() };
        self.collisions.judge(&self.topology, &self.x, &mut report);
        if self.cloth.active() {
            self.cloth.judge(&self.x, &mut report);
        }
        report
    }

    /// What there is to say about the meshes.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Sets the state that a run continues from: frames done, positions and velocities.
    pub fn restore(&mut self, frame: u32, positions: &[Vec3], velocities: &[Vec3]) -> Result<(), SimError> {
        for (what, given) in [("positions", positions), ("velocities", velocities)] {
            if given.len() != self.x.len() {
                return Err(SimError::Length { what, got: given.len(), wanted: self.x.len() });
            }
            if let Some(i) = given.iter().position(|p| !p.is_finite()) {
                let (particle, value) = (i as u32, given[i]);
                return Err(SimError::StateNotFinite { what, particle, value });
            }
        }
        self.frame = frame;
        self.cloth.forget();
        self.collisions.forget();
        self.x.copy_from_slice(positions);
        self.v.copy_from_slice(velocities);
        self.solver.write_positions(positions)?;
        self.solver.write_velocities(velocities)?;
        Ok(())
    }

    /// Where the kinematic particles are at time `time_s`.
    pub(crate) fn set_targets(&mut self, time_s: f64) {
        let s = &mut self.scratch;
        for (transform, motion) in s.transforms.iter_mut().zip(&s.motions) {
            *transform = transform_at(motion, time_s);
        }
        s.targets.clear();
        s.targets.extend(self.pins.iter().map(|pin| Target {
            particle: pin.particle,
            position: s.transforms[pin.motion].transform_point3(pin.start).as_vec3(),
        }));
    }
}
