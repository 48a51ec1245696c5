//! Particles on the device: positions, velocities, and the kernels over them.

use bytemuck::bytes_of;
use wgpu::BufferUsages;

use super::device::{Gpu, GpuOptions};
use super::exchange::Exchange;
use super::kernels::{self, Constants, Layouts, bind, slice};
use super::layout::{Goal, Params};
use super::spans::Fit;
use crate::{Model, Plan, SolverError};

/// Where the constants for the iterations after the first lie behind those for the first.
const LATER: u64 = 256;

/// A kernel over all particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    Predict,
    Velocity,
    VelocityWithShift,
    ImportPositions,
    ImportVelocities,
    ExportPositions,
    ExportVelocities,
}

/// State of the particles, and what is done to all of them.
#[derive(Debug)]
pub(super) struct Particles {
    /// In the order of [`Over`].
    pipelines: [wgpu::ComputePipeline; 7],
    aim: wgpu::ComputePipeline,
    fit: Fit,
    count: u32,
    constants: wgpu::Buffer,
    /// Group 0 of every kernel, with the constants of the first iteration, and of the later ones.
    state: [wgpu::BindGroup; 2],
    /// Group 1 of the kernels over particles.
    group: wgpu::BindGroup,
    goals: wgpu::Buffer,
    exchange: Exchange,
    bytes: u64,
}

impl Particles {
    /// Uploads the particles of a model.
    pub fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        options: &GpuOptions,
        constants: Constants,
        plan: &Plan,
        model: &Model,
    ) -> Result<Self, SolverError> {
        let fit = fit(gpu, options, plan.particles())?;
        let [predict, aim] = layouts.pipelines(gpu, kernels::PREDICT, ["predict", "aim"], constants)?;
        let entries = ["velocity", "velocity_with_shift"];
        let [velocity, with_shift] = layouts.pipelines(gpu, kernels::VELOCITY, entries, constants)?;
        let entries = ["import_positions", "import_velocities", "export_positions", "export_velocities"];
        let [to_x, to_v, from_x, from_v] = layouts.pipelines(gpu, kernels::EXCHANGE, entries, constants)?;

        let storage = BufferUsages::STORAGE;
        let vectors = 16 * plan.particles() as u64;
        let velocities: Vec<[f32; 4]> =
            plan.order.iter().map(|&i| model.velocities[i as usize].extend(0.0).to_array()).collect();
        let positions = gpu.buffer_with("positions", &plan.particle_state(model), storage)?;
        let previous = gpu.buffer("positions before", if plan.damped { vectors } else { 0 }, storage)?;
        let constants = gpu.buffer("constants", 2 * LATER, BufferUsages::UNIFORM | BufferUsages::COPY_DST)?;
        let state = [0, LATER].map(|offset| {
            let slices = [
                slice(&constants, offset, size_of::<Params>() as u64),
                positions.as_entire_buffer_binding(),
                previous.as_entire_buffer_binding(),
            ];
            bind(gpu, &layouts.state, &slices)
        });

        let kinematic = model.inverse_masses.iter().filter(|&&w| w == 0.0).count();
        let goals = (kinematic * size_of::<Goal>()) as u64;
        let velocities = gpu.buffer_with("velocities", &velocities, storage)?;
        let predicted = gpu.buffer("predicted positions", vectors, storage)?;
        let ranks = gpu.buffer_with("ranks", &plan.rank, storage)?;
        let exchange = Exchange::new(gpu, plan.particles())?;
        let goals = gpu.buffer("targets", goals, storage | BufferUsages::COPY_DST)?;
        let buffers = [&velocities, &predicted, &ranks, exchange.buffer(), &goals];
        let group = bind(gpu, &layouts.particles, &buffers.map(wgpu::Buffer::as_entire_buffer_binding));
        Ok(Particles {
            bytes: buffers.iter().map(|b| b.size()).sum::<u64>() + positions.size() + previous.size(),
            pipelines: [predict, velocity, with_shift, to_x, to_v, from_x, from_v],
            aim,
            fit,
            count: plan.particles() as u32,
            constants,
            state,
            group,
            goals,
            exchange,
        })
    }

    /// Number of particles.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The buffer through which vectors come and go.
    pub fn exchange(&self) -> &Exchange {
        &self.exchange
    }

    /// Fills in what constants say about numbers of threads.
    pub fn sized(&self, constants: Params) -> Params {
        Params {
            particles: self.count,
            particle_row: self.fit.row(self.count),
            target_row: self.fit.row(constants.targets),
            ..constants
        }
    }

    /// Hands constants to the device, before anything that is submitted from now on.
    pub fn write_constants(&self, gpu: &Gpu, constants: Params) -> Result<(), SolverError> {
        let later = Params { first: 0, ..constants };
        let first = Params { first: 1, ..constants };
        gpu.queue.write_buffer(&self.constants, 0, bytes_of(&first));
        gpu.queue.write_buffer(&self.constants, LATER, bytes_of(&later));
        gpu.check()
    }

    /// Hands targets to the device, likewise.
    pub fn write_goals(&self, gpu: &Gpu, goals: &[Goal]) -> Result<(), SolverError> {
        gpu.queue.write_buffer(&self.goals, 0, bytemuck::cast_slice(goals));
        gpu.check()
    }

    /// Binds what constraint kernels need of the particles; `first`: in the first iteration of a substep.
    pub fn bind_state(&self, pass: &mut wgpu::ComputePass<'_>, first: bool) {
        pass.set_bind_group(0, &self.state[usize::from(!first)], &[]);
    }

    /// Records a kernel over all particles.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>, over: Over) {
        self.dispatch(pass, &self.pipelines[over as usize], self.count);
    }

    /// Records the move of this many kinematic particles to their targets.
    pub fn record_aim(&self, pass: &mut wgpu::ComputePass<'_>, targets: u32) {
        if targets > 0 {
            self.dispatch(pass, &self.aim, targets);
        }
    }

    fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, pipeline: &wgpu::ComputePipeline, threads: u32) {
        let grid = self.fit.grid(threads);
        pass.set_pipeline(pipeline);
        self.bind_state(pass, false);
        pass.set_bind_group(1, &self.group, &[]);
        pass.dispatch_workgroups(grid[0], grid[1], 1);
    }
}

/// Grids over particles; an error when there are more than the adapter can bind or dispatch.
fn fit(gpu: &Gpu, options: &GpuOptions, particles: usize) -> Result<Fit, SolverError> {
    let limits = &gpu.limits;
    let binding = limits.max_storage_buffer_binding_size;
    let groups = limits.max_compute_workgroups_per_dimension;
    let threads = options.workgroup as u64 * (groups as u64).pow(2);
    gpu.fits("positions", 16 * particles as u64, binding.min(16 * threads))?;
    let alignment = limits.min_storage_buffer_offset_alignment;
    let fit = Fit::new(&[16], alignment, binding, options.workgroup, groups);
    fit.ok_or_else(|| gpu.too_large("positions", 16 * alignment as u64, binding))
}
