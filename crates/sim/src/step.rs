//! The step loop. One frame is a number of substeps; a substep is the list in ARCHITECTURE.md.

use std::time::Instant;

use glam::Vec3;
use rayon::prelude::*;

use crate::cloth::Moment;
use crate::report::{FrameReport, Stage, position_hash};
use crate::{SimError, World};

/// How often, at most, the last projection of a substep is followed by another because it has pushed something into something else.
const LAST_ROUNDS: u32 = 2;

impl World {
    /// Advances the world by one frame and tells what happened in it.
    ///
    /// A step that produces a position which is not finite is an error that names frame, body and vertex; the world then
    /// stands at the last good frame again.
    pub fn step_frame(&mut self) -> Result<FrameReport, SimError> {
        let begun = Instant::now();
        let mut report = FrameReport { frame: self.frame + 1, ..FrameReport::default() };
        let good = (self.x.clone(), self.v.clone());
        for substep in 0..self.settings.substeps {
            if let Err(e) = self.substep(substep, &mut report) {
                self.restore(self.frame, &good.0, &good.1)?;
                return Err(e);
            }
        }
        self.frame += 1;
        self.finish(&mut report)?;
        self.collisions.keep_crossings(&self.topology, &self.x);
        report.time_s = self.time_s();
        report.ms.total = begun.elapsed().as_secs_f64() * 1e3;
        Ok(report)
    }

    pub(crate) fn substep(&mut self, substep: u32, report: &mut FrameReport) -> Result<(), SimError> {
        let h = self.settings.frame_s / self.settings.substeps as f64;
        let end_s = self.time_s() + (substep + 1) as f64 * h;
        let gravity = Vec3::from(self.settings.gravity_m_s2.map(|g| g as f32));
        self.set_targets(end_s);
        self.collisions.begin_substep(end_s - h, h);

        self.collisions.detect_inside(&self.topology, &self.x, report);
        self.scratch.x_start.copy_from_slice(&self.x);
        self.scratch.v_start.copy_from_slice(&self.v);
        self.scratch.shift.fill(Vec3::ZERO);

        report
            .ms
            .time(Stage::Solve, || self.solver.begin_substep(h as f32, gravity, &self.scratch.targets))?;
        let active = self.collisions.active() || self.cloth.active();
        for iteration in 0..self.settings.iterations {
            report.ms.time(Stage::Solve, || self.solver.iterate())?;
            if !active {
                continue;
            }
            report.ms.time(Stage::Transfer, || self.solver.read_positions(&mut self.x))?;
            if iteration == 0 {
                self.check_finite(report.frame)?;
                self.collisions.detect_meeting(&self.topology, &self.scratch.x_start, &self.x, report);
            } else {
                self.collisions.detect_more(&self.topology, &self.scratch.x_start, &self.x, report);
            }
            self.collisions.project(&mut self.x, &self.scratch.x_start, &mut self.scratch.shift, report);
            if iteration + 1 == self.settings.iterations {
                let Self { collisions, topology, scratch, x, .. } = self;
                // What the last projection has pushed into something else is not left to the next substep.
                for _ in 0..LAST_ROUNDS {
                    if !collisions.detect_more(topology, &scratch.x_start, x, report) {
                        break;
                    }
                    collisions.project(x, &scratch.x_start, &mut scratch.shift, report);
                }
            }
            if self.cloth.active() {
                let (moment, scratch) = (Moment { frame: report.frame, iteration }, &mut self.scratch);
                let outside = self.collisions.outside();
                self.cloth.project(
                    &mut self.x,
                    &scratch.x_start,
                    &mut scratch.shift,
                    outside,
                    moment,
                    report,
                );
            }
            report.ms.time(Stage::Transfer, || self.solver.write_positions(&self.x))?;
        }
        let shift = active.then_some(&self.scratch.shift[..]);
        report.ms.time(Stage::Solve, || self.solver.end_substep(shift))?;

        report.ms.time(Stage::Transfer, || -> Result<(), SimError> {
            if !active {
                self.solver.read_positions(&mut self.x)?;
            }
            Ok(self.solver.read_velocities(&mut self.v)?)
        })?;
        self.check_finite(report.frame)?;
        if active {
            if self.cloth.active() {
                self.cloth.calm(&self.scratch.v_start, &mut self.v, report);
            }
            self.collisions.calm(&self.x, &self.scratch.v_start, &mut self.v, report);
            report.ms.time(Stage::Transfer, || self.solver.write_velocities(&self.v))?;
        }
        Ok(())
    }

    /// Divides what was spent on the solver and on waiting for it by the device's own clock, where it has one: its stages run
    /// behind the calls that start them, and only the transfer waits.
    fn take_times(&mut self, report: &mut FrameReport) -> Result<(), SimError> {
        if let Some(device) = self.solver.take_times()? {
            let both = report.ms.solve + report.ms.transfer;
            report.ms.solve = device.solve_ms.min(both);
            report.ms.transfer = both - report.ms.solve;
        }
        Ok(())
    }

    /// The figures of a frame, at its end.
    pub(crate) fn finish(&mut self, report: &mut FrameReport) -> Result<(), SimError> {
        self.take_times(report)?;
        self.collisions.judge(&self.topology, &self.x, report);
        if self.cloth.active() {
            self.cloth.judge(&self.x, report);
        }
        let begun = Instant::now();
        report.kinetic_energy_j = self
            .v
            .iter()
            .zip(&self.inverse_masses)
            .filter(|&(_, &w)| w > 0.0)
            .map(|(v, &w)| 0.5 / w as f64 * v.as_dvec3().length_squared())
            .sum();
        report.elastic_energy_j = self.solver.elastic_energy()?;
        report.position_hash = position_hash(&self.x);
        report.ms.add(Stage::Output, begun.elapsed());
        Ok(())
    }

    /// Position and velocity of every particle are finite, or the first that is not is named.
    fn check_finite(&self, frame: u32) -> Result<(), SimError> {
        let bad = (self.x.par_iter(), self.v.par_iter())
            .into_par_iter()
            .position_first(|(x, v)| !x.is_finite() || !v.is_finite());
        let Some(particle) = bad.map(|i| i as u32) else { return Ok(()) };
        let body =
            self.bodies.iter().find(|b| b.particles.contains(&particle)).expect("each particle has a body");
        Err(SimError::NonFinite { frame, body: body.name.clone(), vertex: particle - body.particles.start })
    }
}
