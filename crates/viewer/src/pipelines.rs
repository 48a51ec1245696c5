//! The pipelines of a picture, and what they bind.

use std::mem::size_of;

use wgpu::{
    BindGroupLayout, BindingType, CompareFunction, PrimitiveTopology, RenderPipeline, ShaderStages,
    TextureSampleType, VertexFormat, VertexStepMode,
};

use crate::geometry::{Dot, GroundVertex, Line, Vertex};
use crate::shaders;
use crate::targets::{COLOUR, DEPTH, OPENNESS, SAMPLES};

/// Opacity of what shines through a surface.
const HIDDEN: f64 = 0.4;

/// Radius of a dot within its rim, in radii of the dot.
const CORE: f64 = 0.72;

pub(crate) struct Pipelines {
    pub frame_layout: BindGroupLayout,
    pub light_layout: BindGroupLayout,
    pub occlusion_layout: BindGroupLayout,
    /// Depth from the light: what is cut by a clip plane, and what is not.
    pub shadow: [RenderPipeline; 2],
    /// Depth from the eye: what is cut, what is not, shells, and cloth.
    pub near: [RenderPipeline; 4],
    /// Ground's vertices differ.
    pub near_ground: RenderPipeline,
    pub gather: RenderPipeline,
    pub smooth: RenderPipeline,
    pub backdrop: RenderPipeline,
    pub ground: RenderPipeline,
    /// Bodies, which are cut.
    pub body: RenderPipeline,
    /// Cloth, which is cut too.
    pub sheet: RenderPipeline,
    /// Cuts.
    pub section: RenderPipeline,
    /// Colliders, which are not cut.
    pub solid: RenderPipeline,
    pub shell: RenderPipeline,
    pub glass: RenderPipeline,
    /// What is seen, and what is hidden.
    pub line: [RenderPipeline; 2],
    pub dot: [RenderPipeline; 2],
    /// Pale rims of dots that are seen, drawn before the dots.
    pub rim: RenderPipeline,
}

/// How a pipeline differs from the others.
#[derive(Clone)]
struct Kind<'a> {
    label: &'a str,
    module: &'a wgpu::ShaderModule,
    vertex: &'a str,
    fragment: &'a str,
    buffer: Option<wgpu::VertexBufferLayout<'a>>,
    constants: &'a [(&'a str, f64)],
    target: Option<wgpu::TextureFormat>,
    samples: u32,
    depth: Option<(CompareFunction, bool)>,
    cull: Option<wgpu::Face>,
    strip: bool,
}

impl Pipelines {
    pub fn new(device: &wgpu::Device) -> Self {
        let module = |label, source: &'static str| {
            let source = wgpu::ShaderSource::Wgsl(source.into());
            device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(label), source })
        };
        let mesh = module("mesh", shaders::MESH);
        let ground = module("ground", shaders::GROUND);
        let backdrop = module("backdrop", shaders::BACKDROP);
        let depth = module("depth", shaders::DEPTH);
        let occlusion = module("occlusion", shaders::OCCLUSION);
        let line = module("line", shaders::LINE);
        let dot = module("dot", shaders::DOT);

        let both = ShaderStages::VERTEX_FRAGMENT;
        let uniform = BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: false,
            min_binding_size: None,
        };
        let frame_layout = layout(device, "frame", &[(uniform, both)]);
        let of = ShaderStages::FRAGMENT;
        let depth_map = image(TextureSampleType::Depth);
        let loaded = image(TextureSampleType::Float { filterable: false });
        let comparison = BindingType::Sampler(wgpu::SamplerBindingType::Comparison);
        let light_layout =
            layout(device, "light", &[(depth_map, of), (comparison, of), (loaded, of), (loaded, of)]);
        let occlusion_layout = layout(device, "occlusion", &[(loaded, of), (loaded, of)]);

        let with = |layouts: &[&BindGroupLayout]| {
            let layouts: Vec<_> = layouts.iter().map(|l| Some(*l)).collect();
            device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: &layouts,
                immediate_size: 0,
            })
        };
        let plain = with(&[&frame_layout]);
        let lighted = with(&[&frame_layout, &light_layout]);
        let occluded = with(&[&frame_layout, &occlusion_layout]);

        let vertex = wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Unorm8x4];
        let surface = buffer::<Vertex>(VertexStepMode::Vertex, &vertex);
        let position = &vertex[..1];
        let points = buffer::<Vertex>(VertexStepMode::Vertex, position);
        let leaning = buffer::<Vertex>(VertexStepMode::Vertex, &vertex[..2]);
        let ground_vertex = wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x2];
        let plane = buffer::<GroundVertex>(VertexStepMode::Vertex, &ground_vertex);
        let plane_points = buffer::<GroundVertex>(VertexStepMode::Vertex, position);
        let line_attributes = wgpu::vertex_attr_array![0 => Float32x3, 1 => Unorm8x4, 2 => Float32x3, 3 => Unorm8x4, 4 => Float32, 5 => Snorm8x4, 6 => Snorm8x4];
        let lines = buffer::<Line>(VertexStepMode::Instance, &line_attributes);
        let dot_attributes =
            wgpu::vertex_attr_array![0 => Float32x3, 1 => Unorm8x4, 2 => Float32, 3 => Float32];
        let dots = buffer::<Dot>(VertexStepMode::Instance, &dot_attributes);

        let less = CompareFunction::LessEqual;
        let base = Kind {
            label: "",
            module: &mesh,
            vertex: "vertex",
            fragment: "fragment",
            buffer: None,
            constants: &[],
            target: Some(COLOUR),
            samples: SAMPLES,
            depth: Some((less, true)),
            cull: None,
            strip: false,
        };
        let eye = Kind {
            label: "near",
            module: &depth,
            vertex: "from_eye",
            target: None,
            samples: 1,
            ..base.clone()
        };
        let light = Kind { label: "shadow", vertex: "from_light", ..eye.clone() };
        let inside = Some(wgpu::Face::Back);
        let make = |layout: &wgpu::PipelineLayout, kind: Kind| pipeline(device, layout, &kind);
        let hidden: &[(&str, f64)] = &[("HIDDEN", HIDDEN)];
        let seen_and_hidden = |kind: Kind| {
            [
                make(&plain, Kind { depth: Some((less, false)), ..kind.clone() }),
                make(
                    &plain,
                    Kind {
                        depth: Some((CompareFunction::Greater, false)),
                        constants: hidden,
                        ..kind.clone()
                    },
                ),
            ]
        };
        let round = Kind {
            label: "dot",
            module: &dot,
            buffer: Some(dots.clone()),
            strip: true,
            depth: Some((less, false)),
            ..base.clone()
        };
        let screen =
            Kind { module: &occlusion, target: Some(OPENNESS), samples: 1, depth: None, ..base.clone() };
        Pipelines {
            shadow: [
                make(&plain, Kind { buffer: Some(points.clone()), ..light.clone() }),
                make(&plain, Kind { buffer: Some(points.clone()), fragment: "whole", ..light.clone() }),
            ],
            near: [
                make(&plain, Kind { buffer: Some(points.clone()), ..eye.clone() }),
                make(&plain, Kind { buffer: Some(points.clone()), fragment: "whole", ..eye.clone() }),
                make(
                    &plain,
                    Kind { buffer: Some(points.clone()), fragment: "whole", cull: inside, ..eye.clone() },
                ),
                make(&plain, Kind { buffer: Some(leaning), vertex: "sheet_from_eye", ..eye.clone() }),
            ],
            near_ground: make(
                &plain,
                Kind { buffer: Some(plane_points.clone()), fragment: "whole", ..eye.clone() },
            ),
            gather: make(&occluded, Kind { label: "gather", fragment: "gather", ..screen.clone() }),
            smooth: make(&occluded, Kind { label: "smooth", fragment: "smoothed", ..screen.clone() }),
            backdrop: make(
                &plain,
                Kind { label: "backdrop", module: &backdrop, depth: Some((less, false)), ..base.clone() },
            ),
            ground: make(
                &lighted,
                Kind { label: "ground", module: &ground, buffer: Some(plane.clone()), ..base.clone() },
            ),
            body: make(&lighted, Kind { label: "body", buffer: Some(surface.clone()), ..base.clone() }),
            sheet: make(
                &lighted,
                Kind {
                    label: "sheet",
                    buffer: Some(surface.clone()),
                    vertex: "sheet",
                    fragment: "two_sided",
                    ..base.clone()
                },
            ),
            section: make(
                &lighted,
                Kind { label: "section", buffer: Some(surface.clone()), fragment: "section", ..base.clone() },
            ),
            solid: make(
                &lighted,
                Kind { label: "solid", buffer: Some(surface.clone()), fragment: "whole", ..base.clone() },
            ),
            shell: make(
                &lighted,
                Kind {
                    label: "shell",
                    buffer: Some(surface.clone()),
                    fragment: "whole",
                    cull: inside,
                    ..base.clone()
                },
            ),
            glass: make(
                &lighted,
                Kind {
                    label: "glass",
                    buffer: Some(surface.clone()),
                    fragment: "whole",
                    depth: Some((less, false)),
                    ..base.clone()
                },
            ),
            line: seen_and_hidden(Kind {
                label: "line",
                module: &line,
                buffer: Some(lines.clone()),
                strip: true,
                ..base.clone()
            }),
            dot: [
                make(&plain, Kind { constants: &[("PART", CORE)], ..round.clone() }),
                make(
                    &plain,
                    Kind {
                        depth: Some((CompareFunction::Greater, false)),
                        constants: hidden,
                        ..round.clone()
                    },
                ),
            ],
            rim: make(&plain, Kind { constants: &[("RIM", 1.0)], ..round }),
            frame_layout,
            light_layout,
            occlusion_layout,
        }
    }
}

fn buffer<T>(
    step_mode: VertexStepMode,
    attributes: &[wgpu::VertexAttribute],
) -> wgpu::VertexBufferLayout<'_> {
    debug_assert!(attributes.iter().all(|a| a.format != VertexFormat::Float64));
    wgpu::VertexBufferLayout { array_stride: size_of::<T>() as u64, step_mode, attributes }
}

fn image(sample_type: TextureSampleType) -> BindingType {
    BindingType::Texture { sample_type, view_dimension: wgpu::TextureViewDimension::D2, multisampled: false }
}

fn layout(device: &wgpu::Device, label: &str, entries: &[(BindingType, ShaderStages)]) -> BindGroupLayout {
    let entries: Vec<_> = entries
        .iter()
        .enumerate()
        .map(|(i, &(ty, visibility))| wgpu::BindGroupLayoutEntry {
            binding: i as u32,
            visibility,
            ty,
            count: None,
        })
        .collect();
    device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
}

fn pipeline(device: &wgpu::Device, layout: &wgpu::PipelineLayout, kind: &Kind) -> RenderPipeline {
    let compilation_options = wgpu::PipelineCompilationOptions {
        constants: kind.constants,
        ..wgpu::PipelineCompilationOptions::default()
    };
    let targets = [kind.target.map(|format| wgpu::ColorTargetState {
        format,
        blend: (format == COLOUR).then_some(wgpu::BlendState::ALPHA_BLENDING),
        write_mask: wgpu::ColorWrites::ALL,
    })];
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(kind.label),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module: kind.module,
            entry_point: Some(kind.vertex),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[kind.buffer.clone()][..usize::from(kind.buffer.is_some())],
        },
        primitive: wgpu::PrimitiveState {
            topology: if kind.strip {
                PrimitiveTopology::TriangleStrip
            } else {
                PrimitiveTopology::TriangleList
            },
            cull_mode: kind.cull,
            ..wgpu::PrimitiveState::default()
        },
        depth_stencil: kind.depth.map(|(compare, write)| wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(write),
            depth_compare: Some(compare),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState { count: kind.samples, ..wgpu::MultisampleState::default() },
        fragment: Some(wgpu::FragmentState {
            module: kind.module,
            entry_point: Some(kind.fragment),
            compilation_options,
            targets: &targets[..usize::from(kind.target.is_some())],
        }),
        multiview_mask: None,
        cache: None,
    })
}
