//! The shaders: text, bind group layouts, pipelines.

use std::borrow::Cow;

use super::device::Gpu;
use crate::SolverError;

macro_rules! shader {
    ($file:literal) => {
        include_str!(concat!("../../../../shaders/xpbd/", $file))
    };
}

/// One kernel: a file in `shaders/xpbd/` with what it shares with others, put together to one module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernel {
    /// Name of the file, without `.wgsl`.
    pub name: &'static str,
    parts: &'static [&'static str],
    over: Over,
}

/// What the threads of a kernel stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    Particles,
    Constraints,
}

impl Kernel {
    /// The whole text of the shader module.
    pub fn source(&self) -> String {
        self.parts.join("\n")
    }
}

const COMMON: &str = shader!("common.wgsl");
const PARTICLES: &str = shader!("particles.wgsl");
const FOUR: &str = shader!("four.wgsl");
const TETRAHEDRON: &str = shader!("tetrahedron.wgsl");
const CONSTRAINT: &str = shader!("constraint.wgsl");

pub(super) const PREDICT: Kernel =
    Kernel { name: "predict", parts: &[COMMON, PARTICLES, shader!("predict.wgsl")], over: Over::Particles };
pub(super) const VELOCITY: Kernel =
    Kernel { name: "velocity", parts: &[COMMON, PARTICLES, shader!("velocity.wgsl")], over: Over::Particles };
pub(super) const EXCHANGE: Kernel =
    Kernel { name: "exchange", parts: &[COMMON, PARTICLES, shader!("exchange.wgsl")], over: Over::Particles };
pub(super) const NEO_HOOKEAN: Kernel = Kernel {
    name: "neo_hookean",
    parts: &[COMMON, FOUR, TETRAHEDRON, shader!("rotation.wgsl"), shader!("neo_hookean.wgsl"), CONSTRAINT],
    over: Over::Constraints,
};
pub(super) const NEO_HOOKEAN_PAIR: Kernel = Kernel {
    name: "neo_hookean_pair",
    parts: &[COMMON, FOUR, TETRAHEDRON, shader!("neo_hookean_pair.wgsl"), CONSTRAINT],
    over: Over::Constraints,
};
pub(super) const VOLUME: Kernel = Kernel {
    name: "volume",
    parts: &[COMMON, FOUR, shader!("volume.wgsl"), CONSTRAINT],
    over: Over::Constraints,
};
pub(super) const DISTANCE: Kernel = Kernel {
    name: "distance",
    parts: &[COMMON, shader!("distance.wgsl"), CONSTRAINT],
    over: Over::Constraints,
};
pub(super) const BEND: Kernel = Kernel {
    name: "bend",
    parts: &[COMMON, FOUR, shader!("bend.wgsl"), CONSTRAINT],
    over: Over::Constraints,
};

/// All kernels.
#[cfg(test)]
pub(super) const ALL: [Kernel; 8] =
    [PREDICT, VELOCITY, EXCHANGE, NEO_HOOKEAN, NEO_HOOKEAN_PAIR, VOLUME, DISTANCE, BEND];

/// Constants that a pipeline is compiled with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants {
    /// Threads a workgroup.
    pub workgroup: u32,
    /// Whether any constraint has a damping time.
    pub damped: bool,
}

/// Bind group layouts and the two pipeline layouts made of them.
#[derive(Debug)]
pub(super) struct Layouts {
    /// Group 0 of every kernel: constants, positions, positions before.
    pub state: wgpu::BindGroupLayout,
    /// Group 1 of kernels over particles: velocities, predicted positions, ranks, exchanged vectors, targets.
    pub particles: wgpu::BindGroupLayout,
    /// Group 1 of constraint kernels: blocks, multipliers, spans, partial energies.
    pub constraints: wgpu::BindGroupLayout,
    over_particles: wgpu::PipelineLayout,
    over_constraints: wgpu::PipelineLayout,
}

impl Layouts {
    /// Creates the layouts.
    pub fn new(gpu: &Gpu) -> Self {
        const UNIFORM: wgpu::BufferBindingType = wgpu::BufferBindingType::Uniform;
        const READ: wgpu::BufferBindingType = wgpu::BufferBindingType::Storage { read_only: true };
        const WRITE: wgpu::BufferBindingType = wgpu::BufferBindingType::Storage { read_only: false };
        let group = |label, types: &[wgpu::BufferBindingType]| {
            let entries: Vec<_> = (0..).zip(types).map(|(binding, &ty)| entry(binding, ty)).collect();
            gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some(label),
                entries: &entries,
            })
        };
        let state = group("state", &[UNIFORM, WRITE, WRITE]);
        let particles = group("particles", &[WRITE, WRITE, READ, WRITE, READ]);
        let constraints = group("constraints", &[READ, WRITE, READ, WRITE]);
        let pipeline = |label, second: &wgpu::BindGroupLayout| {
            gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(label),
                bind_group_layouts: &[Some(&state), Some(second)],
                immediate_size: 0,
            })
        };
        let over_particles = pipeline("over particles", &particles);
        let over_constraints = pipeline("over constraints", &constraints);
        Layouts { state, particles, constraints, over_particles, over_constraints }
    }

    /// Compiles entry points of a kernel.
    pub fn pipelines<const N: usize>(
        &self,
        gpu: &Gpu,
        kernel: Kernel,
        entry_points: [&str; N],
        constants: Constants,
    ) -> Result<[wgpu::ComputePipeline; N], SolverError> {
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(kernel.name),
            source: wgpu::ShaderSource::Wgsl(Cow::Owned(kernel.source())),
        });
        let layout = match kernel.over {
            Over::Particles => &self.over_particles,
            Over::Constraints => &self.over_constraints,
        };
        let constants =
            [("WG", constants.workgroup as f64), ("DAMPED", if constants.damped { 1.0 } else { 0.0 })];
        let pipelines = entry_points.map(|entry_point| {
            gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry_point),
                layout: Some(layout),
                module: &module,
                entry_point: Some(entry_point),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &constants,
                    zero_initialize_workgroup_memory: false,
                },
                cache: None,
            })
        });
        gpu.check()?;
        Ok(pipelines)
    }
}

fn entry(binding: u32, ty: wgpu::BufferBindingType) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    }
}

/// A bind group whose bindings are these buffer slices, in order.
pub(super) fn bind(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    slices: &[wgpu::BufferBinding<'_>],
) -> wgpu::BindGroup {
    let entries: Vec<_> = (0..)
        .zip(slices)
        .map(|(binding, slice)| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(slice.clone()),
        })
        .collect();
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

/// Part of a buffer, from `offset` on.
pub(super) fn slice(buffer: &wgpu::Buffer, offset: u64, bytes: u64) -> wgpu::BufferBinding<'_> {
    wgpu::BufferBinding { buffer, offset, size: std::num::NonZero::new(bytes) }
}
