//! The solver's face on the device: stages are recorded, and submitted when somebody waits for their result.

use std::time::Instant;

use glam::Vec3;
use wgpu::BufferUsages;

use super::adapter::Adapter;
use super::batch::Batch;
use super::device::{Gpu, GpuOptions};
use super::exchange::Exchange;
use super::kernels::{self, Constants, Layouts, bind, slice};
use super::layout::{Goal, Params};
use super::spans::Fit;
use super::timing::Timing;
use crate::{AdapterInfo, Model, ModelError, Plan, Solver, SolverError, StageTimes, Target};

/// Where the constants for the iterations after the first lie behind those for the first.
const LATER_PARAMS: u64 = 256;
/// Work is submitted at the latest when this many dispatches are recorded, so that the device does not idle.
const MAX_RECORDED: usize = 256;

/// A stage that is recorded and not yet submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// With this many targets.
    Predict {
        targets: u32,
    },
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

/// Pipelines over particles.
#[derive(Debug)]
struct Pipelines {
    predict: wgpu::ComputePipeline,
    aim: wgpu::ComputePipeline,
    velocity: wgpu::ComputePipeline,
    velocity_with_shift: wgpu::ComputePipeline,
    import_positions: wgpu::ComputePipeline,
    import_velocities: wgpu::ComputePipeline,
    export_positions: wgpu::ComputePipeline,
    export_velocities: wgpu::ComputePipeline,
}

impl Pipelines {
    fn new(gpu: &Gpu, layouts: &Layouts, constants: Constants) -> Result<Self, SolverError> {
        let [predict, aim] = layouts.pipelines(gpu, kernels::PREDICT, ["predict", "aim"], constants)?;
        let entries = ["velocity", "velocity_with_shift"];
        let [velocity, velocity_with_shift] =
            layouts.pipelines(gpu, kernels::VELOCITY, entries, constants)?;
        let entries = ["import_positions", "import_velocities", "export_positions", "export_velocities"];
        let [import_positions, import_velocities, export_positions, export_velocities] =
            layouts.pipelines(gpu, kernels::EXCHANGE, entries, constants)?;
        Ok(Pipelines {
            predict,
            aim,
            velocity,
            velocity_with_shift,
            import_positions,
            import_velocities,
            export_positions,
            export_velocities,
        })
    }
}

/// XPBD in compute shaders.
///
/// Constraints stay on the device. [`Solver::iterate`] and its neighbours only record work; it is submitted, in
/// one piece where nothing is read in between, when a result is read or enough has piled up.
#[derive(Debug)]
pub struct GpuSolver {
    gpu: Gpu,
    fit: Fit,
    pipelines: Pipelines,
    /// In the order of a sweep.
    batches: Vec<Batch>,
    params: wgpu::Buffer,
    /// Group 0 with the constants of the first iteration, and of the later ones.
    state: [wgpu::BindGroup; 2],
    /// Group 1 of kernels over particles.
    particle_group: wgpu::BindGroup,
    targets: wgpu::Buffer,
    exchange: Exchange,
    energies: wgpu::Buffer,
    timing: Option<Timing>,

    particles: usize,
    damping_per_s: f32,
    /// The user's index and the rank of each kinematic particle, ascending.
    kinematic: Vec<(u32, u32)>,
    bytes: u64,

    constants: Params,
    goals: Vec<Goal>,
    /// For each kinematic particle its place in `goals`, if it has a target in this substep.
    goal_of: Vec<Option<usize>>,
    /// Between the start and the end of a substep.
    began: bool,
    /// No constraint has been solved yet in this substep.
    first_iteration: bool,
    recorded: Vec<Stage>,
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
        let pipelines = Pipelines::new(&gpu, &layouts, constants)?;

        let particles = plan.particles();
        let fit = fit_particles(&gpu, options, particles)?;
        let storage = BufferUsages::STORAGE;
        let vectors = 16 * particles as u64;
        let velocities: Vec<[f32; 4]> =
            plan.order.iter().map(|&i| model.velocities[i as usize].extend(0.0).to_array()).collect();
        let positions = gpu.buffer_with("positions", &plan.particle_state(model), storage)?;
        let previous = gpu.buffer("positions before", if plan.damped { vectors } else { 0 }, storage)?;
        let uniform = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        let params = gpu.buffer("constants", 2 * LATER_PARAMS, uniform)?;
        let state = [0, LATER_PARAMS].map(|offset| {
            let slices = [
                slice(&params, offset, size_of::<Params>() as u64),
                positions.as_entire_buffer_binding(),
                previous.as_entire_buffer_binding(),
            ];
            bind(&gpu, &layouts.state, &slices)
        });

        let kinematic: Vec<(u32, u32)> = (0..particles as u32)
            .filter(|&i| model.inverse_masses[i as usize] == 0.0)
            .map(|i| (i, plan.rank[i as usize]))
            .collect();
        let velocities = gpu.buffer_with("velocities", &velocities, storage)?;
        let predicted = gpu.buffer("predicted positions", vectors, storage)?;
        let ranks = gpu.buffer_with("ranks", &plan.rank, storage)?;
        let exchange = Exchange::new(&gpu, particles)?;
        let goals = (kinematic.len() * size_of::<Goal>()) as u64;
        let targets = gpu.buffer("targets", goals, storage | BufferUsages::COPY_DST)?;
        let buffers = [&velocities, &predicted, &ranks, exchange.buffer(), &targets];
        let slices = buffers.map(wgpu::Buffer::as_entire_buffer_binding);
        let particle_group = bind(&gpu, &layouts.particles, &slices);
        let particle_bytes =
            buffers.iter().map(|b| b.size()).sum::<u64>() + positions.size() + previous.size();

        let batches = [
            Batch::new(&gpu, &layouts, options, constants, kernels::NEO_HOOKEAN, &plan.neo_hookean, 2)?,
            Batch::new(
                &gpu,
                &layouts,
                options,
                constants,
                kernels::NEO_HOOKEAN_PAIR,
                &plan.neo_hookean_pair,
                2,
            )?,
            Batch::new(&gpu, &layouts, options, constants, kernels::VOLUME, &plan.volume, 1)?,
            Batch::new(&gpu, &layouts, options, constants, kernels::DISTANCE, &plan.distance, 1)?,
            Batch::new(&gpu, &layouts, options, constants, kernels::BEND, &plan.bend, 1)?,
        ];
        let batches: Vec<Batch> = batches.into_iter().flatten().collect();
        let partials: u64 = batches.iter().map(|b| b.partials().1 as u64).sum();
        let energies =
            gpu.buffer("energies", 4 * partials, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
        let timing = Timing::new(&gpu)?;
        gpu.check()?;
        Ok(GpuSolver {
            bytes: particle_bytes + batches.iter().map(Batch::bytes).sum::<u64>(),
            goal_of: vec![None; kinematic.len()],
            goals: Vec::with_capacity(kinematic.len()),
            damping_per_s: model.damping_per_s,
            constants: Params::default(),
            began: false,
            first_iteration: true,
            recorded: Vec::new(),
            dispatches: 0,
            in_flight: false,
            times: StageTimes::default(),
            gpu,
            fit,
            pipelines,
            batches,
            params,
            state,
            particle_group,
            targets,
            exchange,
            energies,
            timing,
            particles,
            kinematic,
        })
    }

    /// Bytes that particles and constraints take on the device.
    pub fn device_bytes(&self) -> u64 {
        self.bytes
    }

    /// Submits everything that is recorded and waits until the device has done it.
    pub fn finish(&mut self) -> Result<(), SolverError> {
        if self.recorded.is_empty() && !self.in_flight {
            return Ok(());
        }
        let start = Instant::now();
        let mut encoder = self.encode();
        if let Some(timing) = &self.timing {
            timing.record(&mut encoder);
        }
        self.submit_and_wait(encoder)?;
        self.times.solve_ms += match &mut self.timing {
            Some(timing) => timing.take_ms(&self.gpu)?,
            None => milliseconds(start),
        };
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
        let room = self.timing.as_ref().is_none_or(|t| t.room() >= self.recorded.len());
        if !room {
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

    /// Moves the recorded stages into an encoder: one pass for stages that follow each other, transfers apart.
    fn encode(&mut self) -> wgpu::CommandEncoder {
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let stages = std::mem::take(&mut self.recorded);
        for run in stages.chunk_by(|a, b| a.is_transfer() == b.is_transfer()) {
            let timing = if run[0].is_transfer() { None } else { self.timing.as_mut() };
            let descriptor = wgpu::ComputePassDescriptor {
                label: Some(if run[0].is_transfer() { "import" } else { "solve" }),
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
        let pipelines = &self.pipelines;
        match stage {
            Stage::Predict { targets } => {
                self.over_particles(&pipelines.predict, pass);
                if targets > 0 {
                    let grid = self.fit.grid(targets);
                    pass.set_pipeline(&pipelines.aim);
                    pass.dispatch_workgroups(grid[0], grid[1], 1);
                }
            }
            Stage::Iterate { first } => {
                pass.set_bind_group(0, &self.state[usize::from(!first)], &[]);
                for batch in &self.batches {
                    batch.record_project(pass);
                }
            }
            Stage::Velocity { shift: false } => self.over_particles(&pipelines.velocity, pass),
            Stage::Velocity { shift: true } => self.over_particles(&pipelines.velocity_with_shift, pass),
            Stage::ImportPositions => self.over_particles(&pipelines.import_positions, pass),
            Stage::ImportVelocities => self.over_particles(&pipelines.import_velocities, pass),
        }
    }

    fn over_particles(&self, pipeline: &wgpu::ComputePipeline, pass: &mut wgpu::ComputePass<'_>) {
        let grid = self.fit.grid(self.particles as u32);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &self.state[0], &[]);
        pass.set_bind_group(1, &self.particle_group, &[]);
        pass.dispatch_workgroups(grid[0], grid[1], 1);
    }

    /// Writes the constants; what is recorded still needs those of before and is submitted first.
    fn set_constants(&mut self, constants: Params) -> Result<(), SolverError> {
        if constants == self.constants {
            return Ok(());
        }
        self.submit()?;
        self.constants = constants;
        let first = Params { first: 1, ..constants };
        self.gpu.queue.write_buffer(&self.params, 0, bytemuck::bytes_of(&first));
        self.gpu.queue.write_buffer(&self.params, LATER_PARAMS, bytemuck::bytes_of(&constants));
        self.gpu.check()
    }

    /// Constants that do not depend on the substep.
    fn sizes(&self) -> Params {
        Params {
            particles: self.particles as u32,
            particle_row: self.fit.row(self.particles as u32),
            ..self.constants
        }
    }

    /// Fills `goals`; the last target of a particle counts.
    fn collect_goals(&mut self, targets: &[Target]) -> Result<(), SolverError> {
        self.goals.clear();
        self.goal_of.fill(None);
        for (index, target) in targets.iter().enumerate() {
            let at = self.kinematic.binary_search_by_key(&target.particle, |k| k.0);
            let (Ok(at), true) = (at, target.position.is_finite()) else {
                return Err(no_target(index, target, self.particles));
            };
            let goal = Goal { position: target.position, particle: self.kinematic[at].1 };
            match self.goal_of[at] {
                Some(place) => self.goals[place] = goal,
                None => {
                    self.goal_of[at] = Some(self.goals.len());
                    self.goals.push(goal);
                }
            }
        }
        Ok(())
    }

    /// Hands vectors over to the exchange buffer, once no recorded stage needs what is in it.
    fn write_exchange(&mut self, vectors: &[Vec3]) -> Result<(), SolverError> {
        let start = Instant::now();
        if self.recorded.iter().any(|s| s.uses_exchange()) {
            self.submit()?;
        }
        // Import kernels need the number of particles, also before the first substep.
        self.set_constants(self.sizes())?;
        self.exchange.write(&self.gpu, vectors)?;
        self.times.transfer_ms += milliseconds(start);
        Ok(())
    }

    fn read_exchange(&mut self, velocities: bool, out: &mut [Vec3]) -> Result<(), SolverError> {
        // What was submitted before, or cannot be told apart by timestamps, is not part of the transfer.
        if self.in_flight || self.timing.is_none() {
            self.finish()?;
        }
        let start = Instant::now();
        self.set_constants(self.sizes())?;
        let mut encoder = self.encode();
        let mut pass = encoder.begin_compute_pass(&Default::default());
        let export = match velocities {
            false => &self.pipelines.export_positions,
            true => &self.pipelines.export_velocities,
        };
        self.over_particles(export, &mut pass);
        drop(pass);
        self.exchange.record_read(&mut encoder);
        if let Some(timing) = &self.timing {
            timing.record(&mut encoder);
        }
        self.submit_and_wait(encoder)?;
        self.exchange.read(&self.gpu, out)?;
        let solve_ms = match &mut self.timing {
            Some(timing) => timing.take_ms(&self.gpu)?,
            None => 0.0,
        };
        self.times.solve_ms += solve_ms;
        self.times.transfer_ms += (milliseconds(start) - solve_ms).max(0.0);
        Ok(())
    }

    fn check_begun(&self) -> Result<(), SolverError> {
        if self.began { Ok(()) } else { Err(SolverError::NotBegun) }
    }

    fn check_len(&self, array: &'static str, len: usize) -> Result<(), SolverError> {
        if len == self.particles {
            return Ok(());
        }
        Err(ModelError::Length { array, len, particles: self.particles }.into())
    }
}

impl Solver for GpuSolver {
    fn adapter(&self) -> &AdapterInfo {
        &self.gpu.info
    }

    fn begin_substep(&mut self, h: f32, gravity: Vec3, targets: &[Target]) -> Result<(), SolverError> {
        if !(h > 0.0 && h.is_finite() && gravity.is_finite()) {
            let message = format!("of {h} s with gravity {gravity} m/s² is not possible");
            return Err(ModelError::Value { what: "substep", index: 0, message }.into());
        }
        if !targets.is_empty() {
            // Recorded stages use the targets of before.
            self.submit()?;
        }
        self.collect_goals(targets)?;
        let goals = self.goals.len() as u32;
        self.set_constants(Params {
            gravity: gravity.to_array(),
            h,
            keep: (-self.damping_per_s * h).exp(),
            first: 0,
            targets: goals,
            target_row: self.fit.row(goals),
            ..self.sizes()
        })?;
        if goals > 0 {
            self.gpu.queue.write_buffer(&self.targets, 0, bytemuck::cast_slice(&self.goals));
        }
        self.began = true;
        self.first_iteration = true;
        self.record(Stage::Predict { targets: goals })
    }

    fn iterate(&mut self) -> Result<(), SolverError> {
        self.check_begun()?;
        let first = std::mem::take(&mut self.first_iteration);
        self.record(Stage::Iterate { first })
    }

    fn read_positions(&mut self, out: &mut [Vec3]) -> Result<(), SolverError> {
        self.check_len("positions", out.len())?;
        self.read_exchange(false, out)
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
        self.check_len("velocities", out.len())?;
        self.read_exchange(true, out)
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
        pass.set_bind_group(0, &self.state[1], &[]);
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

/// Grids over particles; an error when there are more than the adapter can bind or dispatch.
fn fit_particles(gpu: &Gpu, options: &GpuOptions, particles: usize) -> Result<Fit, SolverError> {
    let limits = &gpu.limits;
    let binding = limits.max_storage_buffer_binding_size;
    let groups = limits.max_compute_workgroups_per_dimension as u64;
    let bytes = 16 * particles as u64;
    gpu.fits("positions", bytes, binding.min(16 * options.workgroup as u64 * groups * groups))?;
    let alignment = limits.min_storage_buffer_offset_alignment;
    let fit =
        Fit::new(&[16], alignment, binding, options.workgroup, limits.max_compute_workgroups_per_dimension);
    fit.ok_or_else(|| gpu.too_large("positions", 16 * alignment as u64, binding))
}

/// What is wrong with a target.
fn no_target(index: usize, target: &Target, particles: usize) -> SolverError {
    let particle = target.particle;
    if particle as usize >= particles {
        return ModelError::Index { constraint: "target", index, particle, particles }.into();
    }
    let message = if target.position.is_finite() {
        format!("particle {particle} is not kinematic: its inverse mass is not zero")
    } else {
        format!("its position {} is not finite", target.position)
    };
    ModelError::Value { what: "target", index, message }.into()
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
