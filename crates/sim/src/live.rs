//! Driving a world by hand: substep by substep, pulled at, with settings that change while it runs.

use std::time::Instant;

use glam::Vec3;

use crate::body::Friction;
use crate::collide::MOST_FRICTIONS;
use crate::report::FrameReport;
use crate::{Scene, SimError, World};

/// A frame under way; see [`World::begin_frame`].
#[derive(Debug)]
pub struct OpenFrame {
    report: FrameReport,
    good: (Vec<Vec3>, Vec<Vec3>),
    begun: Instant,
    substep: u32,
}

impl OpenFrame {
    /// Substeps done.
    pub fn substeps(&self) -> u32 {
        self.substep
    }
}

impl World {
    /// Begins a frame that is advanced substep by substep. What it computes is what [`World::step_frame`] does, bit by bit,
    /// as long as nothing is changed in between.
    pub fn begin_frame(&self) -> OpenFrame {
        OpenFrame {
            report: FrameReport { frame: self.frame + 1, ..FrameReport::default() },
            good: (self.x.clone(), self.v.clone()),
            begun: Instant::now(),
            substep: 0,
        }
    }

    /// Advances by one substep; after the last one the frame is over, and its report is returned.
    ///
    /// After an error the world stands at the last good frame again, and the frame must be begun anew.
    pub fn advance(&mut self, frame: &mut OpenFrame) -> Result<Option<FrameReport>, SimError> {
        if let Err(e) = self.substep(frame.substep, &mut frame.report) {
            self.restore(self.frame, &frame.good.0, &frame.good.1)?;
            return Err(e);
        }
        frame.substep += 1;
        if frame.substep < self.settings.substeps {
            return Ok(None);
        }
        self.frame += 1;
        let mut report = std::mem::take(&mut frame.report);
        self.finish(&mut report)?;
        self.collisions.keep_crossings(&self.topology, &self.x);
        report.time_s = self.time_s();
        report.ms.total = frame.begun.elapsed().as_secs_f64() * 1e3;
        Ok(Some(report))
    }

    /// Length of a substep, seconds.
    pub fn substep_s(&self) -> f64 {
        self.settings.frame_s / self.settings.substeps as f64
    }

    /// Whether a particle moves by itself: it is not pinned and has mass.
    pub fn is_free(&self, particle: u32) -> bool {
        self.inverse_masses[particle as usize] > 0.0
    }

    /// Gives free particles a velocity, metres per second, as a hand does that pulls at them; others stay as they are.
    pub fn set_velocities(&mut self, of: impl Iterator<Item = (u32, Vec3)>) -> Result<(), SimError> {
        for (particle, velocity) in of {
            if self.is_free(particle) && velocity.is_finite() {
                self.v[particle as usize] = velocity;
            }
        }
        Ok(self.solver.write_velocities(&self.v)?)
    }

    /// Puts free particles somewhere else, metres, at rest; others stay as they are.
    pub fn set_positions(&mut self, of: impl Iterator<Item = (u32, Vec3)>) -> Result<(), SimError> {
        for (particle, position) in of {
            if self.is_free(particle) && position.is_finite() {
                self.x[particle as usize] = position;
                self.v[particle as usize] = Vec3::ZERO;
            }
        }
        self.cloth.forget();
        self.solver.write_positions(&self.x)?;
        Ok(self.solver.write_velocities(&self.v)?)
    }

    /// Takes over from `scene` what may change while the world runs; call it between two frames. Returns whether all of
    /// `scene` holds now: what went into bodies and colliders when the world was built, but for the friction of bodies, and the
    /// damping of all motion, need a new world. `old`: the scene as it holds.
    pub fn tune(&mut self, old: &Scene, scene: &Scene) -> bool {
        let live = Self::tuned(old, scene);
        self.settings = live.simulation.clone();
        let friction: Vec<Friction> = if self.sections.is_empty() {
            self.collisions.friction().to_vec()
        } else {
            self.sections.iter().map(|&s| Friction::from(&live.body[s].friction)).collect()
        };
        self.collisions.tune(&live, &friction, &self.bodies);
        let bodies = &self.bodies;
        let friction_of = |v| friction[bodies.partition_point(|b| b.particles.end <= v)];
        self.cloth.tune(&live, &self.topology, &self.rest, friction_of);
        live == *scene
    }

    /// What holds in a world of the scene `old` after [`World::tune`] with `scene`.
    pub fn tuned(old: &Scene, scene: &Scene) -> Scene {
        let mut live = old.clone();
        let (to, from) = (&mut live.simulation, &scene.simulation);
        (to.substeps, to.iterations) = (from.substeps.max(1), from.iterations.max(1));
        (to.gravity_m_s2, to.frames) = (from.gravity_m_s2, from.frames);
        live.collision = scene.collision.clone();
        live.cloth = scene.cloth.clone();
        if live.body.len() == scene.body.len() && frictions(scene) <= MOST_FRICTIONS {
            live.body.iter_mut().zip(&scene.body).for_each(|(to, from)| to.friction = from.friction);
        }
        live
    }
}

/// Number of different frictions of bodies.
fn frictions(scene: &Scene) -> usize {
    let mut kinds: Vec<Friction> = Vec::new();
    for friction in scene.body.iter().map(|b| Friction::from(&b.friction)) {
        if !kinds.contains(&friction) {
            kinds.push(friction);
        }
    }
    kinds.len()
}
