//! The solver's face on the device: stages are recorded, and submitted when somebody waits for their result.

use std::time::Instant;

use glam::Vec3;
use wgpu::BufferUsages;

use super::adapter::Adapter;
use super::batch::Batch;
use super::device::{Gpu, GpuOptions};
use super::kernels::{self, Constants, Layouts};
use super::layout::Params;
use super::particles::{Over, Particles};
use super::targets::Targets;
use super::timing::Timing;
use crate::{AdapterInfo, Colouring, Model, ModelError, Plan, Solver, SolverError, StageTimes, Target};

/// Work is submitted at the latest when this many dispatches are recorded, so that the device does not idle.
const MAX_RECORDED: usize = 256;

/// A stage that is recorded and not yet submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// With this many targets.
    Predict(u32),
    Iterate {
        first: bool,
    },
    Velocity {
        shift: bool,
    },
    ImportPositions,
    ImportVelocities,
}

impl Stage {
    fn is_transfer(self) -> bool {
        matches!(self, Stage::ImportPositions | Stage::ImportVelocities)
    }

    fn uses_exchange(self) -> bool {
        self.is_transfer() || self == Stage::Velocity { shift: true }
    }
}

/// XPBD in compute shaders.
///
/// Constraints stay on the device. [`Solver::iterate`] and its neighbours only record work; it is submitted, in
/// one piece where nothing is read in between, when a result is read or enough has piled up.
#[derive(Debug)]
pub struct GpuSolver {
    gpu: Gpu,
    particles: Particles,
    targets: Targets,
    /// In the order of a sweep.
    batches: Vec<Batch>,
    energies: wgpu::Buffer,
    timing: Option<Timing>,
    damping_per_s: f32,
    colouring: Colouring,

    /// What the device has.
    constants: Params,
    /// Between the start and the end of a substep.
    began: bool,
    /// No constraint has been solved yet in this substep.
    first_iteration: bool,
    recorded: Vec<Stage>,
    /// Number of dispatches in `recorded`, at least one a stage.
    dispatches: usize,
    /// Something was submitted and not waited for.
    in_flight: bool,
    times: StageTimes,
}

impl GpuSolver {
    /// Lays the model out and uploads it.
    ///
    /// Errors: a model that is not sound, or larger than the adapter allows; a device that does not open.
    pub fn new(model: &Model, adapter: &Adapter) -> Result<Self, SolverError> {
        Self::with_options(model, adapter, &GpuOptions::default())
    }

    /// As [`new`](Self::new), with limits below those of the adapter or another size of workgroups.
    pub fn with_options(model: &Model, adapter: &Adapter, options: &GpuOptions) -> Result<Self, SolverError> {
        let plan = Plan::new(model)?;
        let gpu = Gpu::open(adapter, options)?;
        let layouts = Layouts::new(&gpu);
        let constants = Constants { workgroup: options.workgroup, damped: plan.damped };
        let particles = Particles::new(&gpu, &layouts, options, constants, &plan, model)?;
        let targets = Targets::new(model, &plan);

        macro_rules! batch {
            ($kernel:ident, $batches:ident, $multipliers:literal) => {
                Batch::new(
                    &gpu,
                    &layouts,
                    options,
                    constants,
                    kernels::$kernel,
                    &plan.$batches,
                    $multipliers,
                )?
            };
        }
        let batches = [
            batch!(NEO_HOOKEAN, neo_hookean, 2),
            batch!(NEO_HOOKEAN_PAIR, neo_hookean_pair, 2),
            batch!(VOLUME, volume, 1),
            batch!(DISTANCE, distance, 1),
            batch!(BEND, bend, 1),
        ];
        let batches: Vec<Batch> = batches.into_iter().flatten().collect();
        let partials: u64 = batches.iter().map(|b| b.partials().1 as u64).sum();
        let energies =
            gpu.buffer("energies", 4 * partials, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
        let timing = Timing::new(&gpu)?;
        // Now, not in the first substep, the uploads run and their staging memory is given back.
        gpu.queue.submit([]);
        gpu.wait()?;
        Ok(GpuSolver {
            gpu,
            particles,
            targets,
            batches,
            energies,
            timing,
            damping_per_s: model.damping_per_s,
            colouring: plan.colouring(model),
            constants: Params::default(),
            began: false,
            first_iteration: true,
            recorded: Vec::new(),
            dispatches: 0,
            in_flight: false,
            times: StageTimes::default(),
        })
    }

    /// Bytes that particles and constraints take on the device.
    pub fn device_bytes(&self) -> u64 {
        self.particles.bytes() + self.batches.iter().map(Batch::bytes).sum::<u64>()
    }

    /// Submits everything that is recorded and waits until the device has done it.
    pub fn finish(&mut self) -> Result<(), SolverError> {
        if self.recorded.is_empty() && !self.in_flight {
            return self.gpu.check();
        }
        let start = Instant::now();
        let has_transfers = self.recorded.iter().any(|s| s.is_transfer());
        let mut encoder = self.encode();
        if let Some(timing) = &self.timing {
            timing.record(&mut encoder);
        }
        self.submit_and_wait(encoder)?;
        let timed = self.take_solve_ms(start)?;
        if has_transfers {
            self.times.transfer_ms += (milliseconds(start) - timed).max(0.0);
        }
        Ok(())
    }

    fn record(&mut self, stage: Stage) -> Result<(), SolverError> {
        self.recorded.push(stage);
        self.dispatches += match stage {
            Stage::Iterate { .. } => 1 + self.batches.iter().map(Batch::dispatches).sum::<usize>(),
            _ => 1,
        };
        if self.dispatches >= MAX_RECORDED { self.submit() } else { self.gpu.check() }
    }

    /// Submits what is recorded, without waiting.
    fn submit(&mut self) -> Result<(), SolverError> {
        if self.recorded.is_empty() {
            return self.gpu.check();
        }
        // Each stage is a pass at most; the next ones have to find room too.
        let passes = self.recorded.len() + MAX_RECORDED;
        if self.timing.as_ref().is_some_and(|t| t.room() < passes) {
            return self.finish();
        }
        let encoder = self.encode();
        self.gpu.queue.submit([encoder.finish()]);
        self.in_flight = true;
        self.gpu.check()
    }

    fn submit_and_wait(&mut self, encoder: wgpu::CommandEncoder) -> Result<(), SolverError> {
        self.gpu.queue.submit([encoder.finish()]);
        self.in_flight = false;
        self.gpu.wait()
    }

    /// Adds the time of the passes that were waited for; without timestamps, all of it since `start`.
    fn take_solve_ms(&mut self, start: Instant) -> Result<f64, SolverError> {
        let ms = match &mut self.timing {
            Some(timing) => timing.take_ms(&self.gpu)?,
            None => milliseconds(start),
        };
        self.times.solve_ms += ms;
        Ok(ms)
    }

    /// Moves the recorded stages into an encoder: one pass for stages that follow each other, transfers apart.
    fn encode(&mut self) -> wgpu::CommandEncoder {
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let stages = std::mem::take(&mut self.recorded);
        for run in stages.chunk_by(|a, b| a.is_transfer() == b.is_transfer()) {
            let (label, timing) = match run[0].is_transfer() {
                true => ("import", None),
                false => ("solve", self.timing.as_mut()),
            };
            let descriptor = wgpu::ComputePassDescriptor {
                label: Some(label),
                timestamp_writes: timing.map(Timing::next_pass),
            };
            let mut pass = encoder.begin_compute_pass(&descriptor);
            for &stage in run {
                self.encode_stage(stage, &mut pass);
            }
        }
        self.recorded = stages;
        self.recorded.clear();
        self.dispatches = 0;
        encoder
    }

    fn encode_stage(&self, stage: Stage, pass: &mut wgpu::ComputePass<'_>) {
        match stage {
            Stage::Predict(targets) => {
                self.particles.record(pass, Over::Predict);
                self.particles.record_aim(pass, targets);
            }
            Stage::Iterate { first } => {
                self.particles.bind_state(pass, first);
                for batch in &self.batches {
                    batch.record_project(pass);
                }
            }
            Stage::Velocity { shift: false } => self.particles.record(pass, Over::Velocity),
            Stage::Velocity { shift: true } => self.particles.record(pass, Over::VelocityWithShift),
            Stage::ImportPositions => self.particles.record(pass, Over::ImportPositions),
            Stage::ImportVelocities => self.particles.record(pass, Over::ImportVelocities),
        }
    }

    /// Writes constants; what is recorded still needs those of before and is submitted first.
    fn set_constants(&mut self, constants: Params) -> Result<(), SolverError> {
        let constants = self.particles.sized(constants);
        if constants == self.constants {
            return Ok(());
        }
        self.submit()?;
        self.constants = constants;
        self.particles.write_constants(&self.gpu, constants)
    }

    /// Hands vectors over to the exchange buffer, once no recorded stage needs what is in it.
    fn write_exchange(&mut self, vectors: &[Vec3]) -> Result<(), SolverError> {
        let start = Instant::now();
        if self.recorded.iter().any(|s| s.uses_exchange()) {
            self.submit()?;
        }
        // The kernels need the number of particles, also before the first substep.
        self.set_constants(self.constants)?;
        self.particles.exchange().write(&self.gpu, vectors)?;
        self.times.transfer_ms += milliseconds(start);
        Ok(())
    }

    fn read_exchange(&mut self, export: Over, out: &mut [Vec3]) -> Result<(), SolverError> {
        // What was submitted before, or cannot be told apart by timestamps, is not part of the transfer.
        if self.in_flight || self.timing.is_none() {
            self.finish()?;
        }
        let start = Instant::now();
        self.set_constants(self.constants)?;
        let mut encoder = self.encode();
        let mut pass = encoder.begin_compute_pass(&Default::default());
        self.particles.record(&mut pass, export);
        drop(pass);
        self.particles.exchange().record_read(&mut encoder);
        if let Some(timing) = &self.timing {
            timing.record(&mut encoder);
        }
        self.submit_and_wait(encoder)?;
        self.particles.exchange().read(&self.gpu, out)?;
        let solve_ms = if self.timing.is_some() { self.take_solve_ms(start)? } else { 0.0 };
        self.times.transfer_ms += (milliseconds(start) - solve_ms).max(0.0);
        Ok(())
    }

    fn check_begun(&self) -> Result<(), SolverError> {
        if self.began { Ok(()) } else { Err(SolverError::NotBegun) }
    }

    fn check_len(&self, array: &'static str, len: usize) -> Result<(), SolverError> {
        let particles = self.particles.count();
        if len == particles { Ok(()) } else { Err(ModelError::Length { array, len, particles }.into()) }
    }
}

impl Solver for GpuSolver {
    fn adapter(&self) -> &AdapterInfo {
        &self.gpu.info
    }

    fn colouring(&self) -> &Colouring {
        &self.colouring
    }

    fn begin_substep(&mut self, h: f32, gravity: Vec3, targets: &[Target]) -> Result<(), SolverError> {
        if !(h > 0.0 && h.is_finite() && gravity.is_finite()) {
            let message = format!("of {h} s with gravity {gravity} m/s² is not possible");
            return Err(ModelError::Value { what: "substep", index: 0, message }.into());
        }
        let count = self.targets.collect(targets)?.len() as u32;
        self.set_constants(Params {
            gravity: gravity.to_array(),
            h,
            keep: (-self.damping_per_s * h).exp(),
            targets: count,
            ..self.constants
        })?;
        if count > 0 {
            // Recorded stages use the targets of before.
            self.submit()?;
            self.particles.write_goals(&self.gpu, self.targets.goals())?;
        }
        self.began = true;
        self.first_iteration = true;
        self.record(Stage::Predict(count))
    }

    fn iterate(&mut self) -> Result<(), SolverError> {
        self.check_begun()?;
        let first = std::mem::take(&mut self.first_iteration);
        self.record(Stage::Iterate { first })
    }

    fn read_positions(&mut self, out: &mut [Vec3]) -> Result<(), SolverError> {
        self.check_len("out", out.len())?;
        self.read_exchange(Over::ExportPositions, out)
    }

    fn write_positions(&mut self, positions: &[Vec3]) -> Result<(), SolverError> {
        self.check_len("positions", positions.len())?;
        self.write_exchange(positions)?;
        self.record(Stage::ImportPositions)
    }

    fn end_substep(&mut self, shift: Option<&[Vec3]>) -> Result<(), SolverError> {
        self.check_begun()?;
        if let Some(shift) = shift {
            self.check_len("shift", shift.len())?;
            self.write_exchange(shift)?;
        }
        self.began = false;
        self.record(Stage::Velocity { shift: shift.is_some() })
    }

    fn read_velocities(&mut self, out: &mut [Vec3]) -> Result<(), SolverError> {
        self.check_len("out", out.len())?;
        self.read_exchange(Over::ExportVelocities, out)
    }

    fn write_velocities(&mut self, velocities: &[Vec3]) -> Result<(), SolverError> {
        self.check_len("velocities", velocities.len())?;
        self.write_exchange(velocities)?;
        self.record(Stage::ImportVelocities)
    }

    fn elastic_energy(&mut self) -> Result<f64, SolverError> {
        self.finish()?;
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        self.particles.bind_state(&mut pass, false);
        for batch in &self.batches {
            batch.record_energy(&mut pass);
        }
        drop(pass);
        let mut bytes = 0;
        for (partials, count) in self.batches.iter().map(Batch::partials) {
            encoder.copy_buffer_to_buffer(partials, 0, &self.energies, bytes, 4 * count as u64);
            bytes += 4 * count as u64;
        }
        if bytes == 0 {
            return Ok(0.0);
        }
        encoder.map_buffer_on_submit(&self.energies, wgpu::MapMode::Read, 0..bytes, |_| {});
        self.submit_and_wait(encoder)?;
        let view = self.energies.get_mapped_range(0..bytes).map_err(|e| self.gpu.error(e.to_string()))?;
        let energy = bytemuck::cast_slice::<u8, f32>(&view).iter().map(|&e| e as f64).sum();
        drop(view);
        self.energies.unmap();
        Ok(energy)
    }

    fn take_times(&mut self) -> Result<Option<StageTimes>, SolverError> {
        self.finish()?;
        Ok(Some(std::mem::take(&mut self.times)))
    }
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{AdapterChoice, choose};

    fn two_particles() -> Option<GpuSolver> {
        let adapter = choose(&AdapterChoice::Software).or_else(|_| choose(&AdapterChoice::Auto));
        if let Err(error) = &adapter {
            assert!(std::env::var_os("CI").is_none(), "{error}");
            eprintln!("NOT TESTED: faults of a device: {error}");
        }
        let model = Model {
            rest_positions: vec![Vec3::ZERO, Vec3::X],
            positions: vec![Vec3::ZERO, 2.0 * Vec3::X],
            velocities: vec![Vec3::ZERO; 2],
            inverse_masses: vec![1.0; 2],
            distances: vec![crate::Distance { particles: [0, 1], rest_m: 1.0, compliance: 0.1 }],
            ..Model::default()
        };
        Some(GpuSolver::new(&model, &adapter.ok()?).unwrap())
    }

    /// Every call fails with the same message, and none panics.
    fn everything_fails(solver: &mut GpuSolver, message: &str) {
        let mut x = [Vec3::ZERO; 2];
        solver.began = true;
        let errors = [
            solver.read_positions(&mut x).unwrap_err(),
            solver.write_positions(&x).unwrap_err(),
            solver.iterate().unwrap_err(),
            solver.end_substep(Some(&x)).unwrap_err(),
            solver.begin_substep(1e-3, Vec3::ONE, &[]).unwrap_err(),
            solver.read_velocities(&mut x).unwrap_err(),
            solver.write_velocities(&x).unwrap_err(),
            solver.elastic_energy().unwrap_err(),
            solver.finish().unwrap_err(),
            solver.take_times().unwrap_err(),
        ];
        for error in errors {
            let text = error.to_string();
            assert!(matches!(error, SolverError::Device { .. }) && text.contains(message), "{text}");
        }
    }

    #[test]
    fn a_lost_device_is_an_error_of_every_later_call() {
        let Some(mut solver) = two_particles() else { return };
        solver.begin_substep(1e-3, Vec3::ZERO, &[]).unwrap();
        solver.iterate().unwrap();
        solver.gpu.device.destroy();
        let _ = solver.gpu.device.poll(wgpu::PollType::wait_indefinitely());
        everything_fails(&mut solver, "lost");
    }

    #[test]
    fn a_refused_command_is_an_error_of_every_later_call() {
        let Some(mut solver) = two_particles() else { return };
        solver.gpu.queue.write_buffer(&solver.energies, 0, &[0; 4096]);
        everything_fails(&mut solver, "overrun");
    }

    #[test]
    fn memory_that_is_not_there_is_an_error() {
        let Some(solver) = two_particles() else { return };
        let limit = solver.gpu.limits.max_buffer_size;
        let too_large = solver.gpu.buffer("anything", limit + 1, BufferUsages::STORAGE);
        assert!(matches!(too_large, Err(SolverError::TooLarge { what: "anything", .. })));
        // However much there is, it ends. Buffers are created and not touched, which costs no real memory.
        let mut held = Vec::new();
        let fault = loop {
            match solver.gpu.buffer("anything", limit, BufferUsages::STORAGE) {
                Ok(buffer) if held.len() < 64 => held.push(buffer),
                Ok(_) => return,
                Err(error) => break error,
            }
        };
        assert!(matches!(fault, SolverError::Device { .. }), "{fault}");
    }
}
