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
    /// Done, or broken off by an error.
    over: bool,
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
            over: false,
        }
    }

    /// Advances by one substep; after the last one the frame is over, and its report is returned.
    ///
    /// After an error the world stands at the last good frame again, and the frame must be begun anew. A frame that is over
    /// is refused ([`SimError::FrameOver`]).
    pub fn advance(&mut self, frame: &mut OpenFrame) -> Result<Option<FrameReport>, SimError> {
        if frame.over {
            return Err(SimError::FrameOver);
        }
        // Until the next substep may follow.
        frame.over = true;
        if let Err(e) = self.substep(frame.substep, &mut frame.report) {
            self.restore(self.frame, &frame.good.0, &frame.good.1)?;
            return Err(e);
        }
        frame.substep += 1;
        if frame.substep < self.settings.substeps {
            frame.over = false;
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

    /// Whether a particle moves by itself: it is there, not pinned, and has mass.
    pub fn is_free(&self, particle: u32) -> bool {
        self.inverse_masses.get(particle as usize).is_some_and(|&w| w > 0.0)
    }

    /// Those of `of` that are for free particles; a particle that is not there and a value that is not finite are errors.
    fn free(
        &self,
        what: &'static str,
        of: impl Iterator<Item = (u32, Vec3)>,
    ) -> Result<Vec<(usize, Vec3)>, SimError> {
        let mut free = Vec::new();
        for (particle, value) in of {
            if particle as usize >= self.x.len() {
                return Err(SimError::NoParticle { particle, particles: self.x.len() });
            }
            if !value.is_finite() {
                return Err(SimError::StateNotFinite { what, particle, value });
            }
            if self.is_free(particle) {
                free.push((particle as usize, value));
            }
        }
        Ok(free)
    }

    /// Gives free particles a velocity, metres per second, as a hand does that pulls at them; others stay as they are. Nothing changes
    /// where one of the particles is not there, or a velocity is not finite.
    pub fn set_velocities(&mut self, of: impl Iterator<Item = (u32, Vec3)>) -> Result<(), SimError> {
        for (particle, velocity) in self.free("the velocity", of)? {
            self.v[particle] = velocity;
        }
        Ok(self.solver.write_velocities(&self.v)?)
    }

    /// Puts free particles somewhere else, metres, at rest; others stay as they are. Nothing changes where one of the particles is
    /// not there, or a position is not finite.
    pub fn set_positions(&mut self, of: impl Iterator<Item = (u32, Vec3)>) -> Result<(), SimError> {
        for (particle, position) in self.free("the position", of)? {
            self.x[particle] = position;
            self.v[particle] = Vec3::ZERO;
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
            let now = self.collisions.friction();
            let of =
                |(b, &s): (usize, &usize)| live.body.get(s).map_or(now[b], |b| Friction::from(&b.friction));
            self.sections.iter().enumerate().map(of).collect()
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
