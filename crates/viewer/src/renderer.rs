//! The renderer: passes of a picture, from [`Geometry`] and a camera to a texture.

use glam::camera::rh::{proj::directx, view};
use glam::{Mat4, Vec3};
use wgpu::{BindGroup, BindingResource, LoadOp, Operations, StoreOp, TextureUsages, TextureView};

use crate::buffers::{Buffers, Growing};
use crate::camera::Camera;
use crate::geometry::Geometry;
use crate::gpu::{Gpu, GpuError};
use crate::image::Image;
use crate::pipelines::Pipelines;
use crate::shaders::Frame;
use crate::targets::{DEPTH, Targets, texture};
use crate::theme::{Theme, towards_light};

/// How much is spent on a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quality {
    /// Samples of the soft shadow.
    pub shadow_samples: u32,
    /// Side of the shadow map, pixels.
    pub shadow_map: u32,
    /// Ambient occlusion.
    pub occlusion: bool,
}

impl Quality {
    /// For pictures that are kept.
    pub const FINE: Quality = Quality { shadow_samples: 32, shadow_map: 2048, occlusion: true };
    /// For a window without a GPU.
    pub const QUICK: Quality = Quality { shadow_samples: 12, shadow_map: 1024, occlusion: false };
}

/// How a geometry is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// From where.
    pub camera: Camera,
    /// Surroundings.
    pub theme: Theme,
    /// Width and height of the picture, pixels.
    pub size: [u32; 2],
    /// Pixels a point; 2 on dense displays.
    pub scale: f32,
    /// How much is spent.
    pub quality: Quality,
}

/// Draws geometry; see [`Renderer::upload`] and [`Renderer::draw`].
pub struct Renderer {
    gpu: Gpu,
    pipelines: Pipelines,
    buffers: Buffers,
    frame: wgpu::Buffer,
    frame_group: BindGroup,
    shadow_sampler: wgpu::Sampler,
    shadow_map: Option<(u32, TextureView)>,
    /// The vertical for which the shadow map holds the shadows of what was uploaded last: the light comes from there.
    shadows: Option<Vec3>,
    targets: Option<Targets>,
    centre: Vec3,
    radius: f32,
    grid: f32,
    lift: f32,
    clip: Option<crate::geometry::ClipPlane>,
}

impl Renderer {
    /// A renderer on an open device. What the device cannot do is told by [`Gpu::check`].
    pub fn new(gpu: &Gpu) -> Self {
        let device = &gpu.device;
        let pipelines = Pipelines::new(device);
        let frame = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("frame"),
            size: size_of::<Frame>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let frame_group = group(device, &pipelines.frame_layout, &[frame.as_entire_binding()]);
        let shadow_sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            compare: Some(wgpu::CompareFunction::LessEqual),
            ..wgpu::SamplerDescriptor::default()
        });
        Renderer {
            pipelines,
            buffers: Buffers::new(),
            frame,
            frame_group,
            shadow_sampler,
            shadow_map: None,
            shadows: None,
            targets: None,
            centre: Vec3::ZERO,
            radius: 1.0,
            grid: 1.0,
            lift: 0.0,
            clip: None,
            gpu: gpu.clone(),
        }
    }

    /// Takes geometry over. Returns whether the device holds all of it; what it does not hold is not drawn.
    pub fn upload(&mut self, geometry: &Geometry) -> bool {
        self.shadows = None;
        (self.centre, self.radius) = (geometry.centre, geometry.radius);
        (self.grid, self.lift, self.clip) = (geometry.grid, geometry.lift, geometry.clip);
        self.buffers.write(&self.gpu.device, &self.gpu.queue, geometry)
    }

    /// Draws what was uploaded last, and returns the picture; it holds until the next call.
    pub fn draw(&mut self, seen: &View) -> &wgpu::Texture {
        let largest = self.gpu.largest_side();
        let size = seen.size.map(|s| s.clamp(1, largest));
        let device = &self.gpu.device;
        if self.targets.as_ref().is_none_or(|t| t.size != size) {
            self.targets = Some(Targets::new(device, size));
        }
        let side = seen.quality.shadow_map.clamp(1, largest);
        if self.shadow_map.as_ref().is_none_or(|(s, _)| *s != side) {
            let usage = TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING;
            self.shadows = None;
            self.shadow_map = Some((side, texture(device, "shadow", [side, side], 1, DEPTH, usage).1));
        }
        let frame = self.frame(seen, size);
        self.gpu.queue.write_buffer(&self.frame, 0, bytemuck::bytes_of(&frame));

        let (targets, shadow) =
            (self.targets.as_ref().expect("made"), &self.shadow_map.as_ref().expect("made").1);
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        // A camera that turns changes no shadows.
        if self.shadows != Some(seen.camera.up) {
            self.shadow_pass(&mut encoder, shadow);
        }
        if seen.quality.occlusion {
            self.occlusion_passes(&mut encoder, targets);
        }
        self.picture_pass(&mut encoder, targets, shadow);
        self.gpu.queue.submit([encoder.finish()]);
        self.shadows = Some(seen.camera.up);
        &self.targets.as_ref().expect("made").picture
    }

    /// The last picture's view, for a window to show.
    pub fn picture_view(&self) -> Option<&TextureView> {
        self.targets.as_ref().map(|t| &t.picture_view)
    }

    /// Copies the last picture from the device. Errors: also those of what was drawn.
    pub fn read(&self) -> Result<Image, GpuError> {
        let targets = self.targets.as_ref().expect("a picture is drawn before it is read");
        read(&self.gpu, &targets.picture)
    }

    fn frame(&self, seen: &View, size: [u32; 2]) -> Frame {
        let camera = &seen.camera;
        let aspect = size[0] as f32 / size[1] as f32;
        let reach = (camera.target - self.centre).length() + self.radius * 20.0;
        let view_proj = camera.view_projection(aspect, reach);
        let around = seen.theme.surroundings();
        let light = towards_light(camera.up);
        let [key, sky, bounce] = around.light.map(|c| c.extend(0.0));
        let clip = self.clip.map_or(Vec3::ZERO.extend(1.0), |c| c.normal.extend(c.offset));
        let half_tangent = 0.5 / (camera.field_of_view / 2.0).tan();
        Frame {
            view_proj,
            inverse_view_proj: view_proj.inverse(),
            light_proj: self.light_projection(light, camera.up),
            eye: camera.eye().extend(self.radius * 0.22),
            light: light.extend(0.03),
            up: camera.up.extend(seen.quality.shadow_samples as f32),
            clip,
            viewport: [
                size[0] as f32,
                size[1] as f32,
                seen.scale,
                if seen.quality.occlusion { 1.0 } else { 0.0 },
            ]
            .into(),
            key: key.truncate().extend(self.lift),
            sky,
            bounce,
            backdrop_top: around.backdrop[0].extend(1.0),
            backdrop_bottom: around.backdrop[1].extend(1.0),
            ground: around.ground.extend(1.0),
            grid: [self.grid, self.radius * 12.0, around.grid, half_tangent].into(),
            centre: self.centre.extend(self.radius * 2.2),
        }
    }

    /// The light sees the bodies from outside of them, and what their shadows fall on behind.
    fn light_projection(&self, light: Vec3, up: Vec3) -> Mat4 {
        let r = self.radius * 1.1;
        let eye = self.centre + light * r;
        let side = if light.dot(up).abs() > 0.99 { up.any_orthonormal_vector() } else { up };
        directx::orthographic(-r, r, -r, r, 0.0, 5.0 * r) * view::look_at_mat4(eye, self.centre, side)
    }

    fn shadow_pass(&self, encoder: &mut wgpu::CommandEncoder, shadow: &TextureView) {
        let mut pass = begin(encoder, "shadow", None, Some(shadow));
        pass.set_bind_group(0, &self.frame_group, &[]);
        pass.set_pipeline(&self.pipelines.shadow[0]);
        self.buffers.bodies.draw(&mut pass);
        self.buffers.sheets.draw(&mut pass);
        pass.set_pipeline(&self.pipelines.shadow[1]);
        self.buffers.sections.draw(&mut pass);
        self.buffers.solids.draw(&mut pass);
    }

    fn occlusion_passes(&self, encoder: &mut wgpu::CommandEncoder, targets: &Targets) {
        let device = &self.gpu.device;
        {
            let mut pass = begin(encoder, "near", None, Some(&targets.near));
            pass.set_bind_group(0, &self.frame_group, &[]);
            pass.set_pipeline(&self.pipelines.near[0]);
            self.buffers.bodies.draw(&mut pass);
            pass.set_pipeline(&self.pipelines.near[3]);
            self.buffers.sheets.draw(&mut pass);
            pass.set_pipeline(&self.pipelines.near[1]);
            self.buffers.sections.draw(&mut pass);
            self.buffers.solids.draw(&mut pass);
            pass.set_pipeline(&self.pipelines.near[2]);
            self.buffers.shells.draw(&mut pass);
            pass.set_pipeline(&self.pipelines.near_ground);
            vertices(&mut pass, &self.buffers.ground);
        }
        for (pipeline, from, to) in [
            (&self.pipelines.gather, &targets.smooth, &targets.raw),
            (&self.pipelines.smooth, &targets.raw, &targets.smooth),
        ] {
            let layout = &self.pipelines.occlusion_layout;
            let input = [BindingResource::TextureView(&targets.near), BindingResource::TextureView(from)];
            let input = group(device, layout, &input);
            let mut pass = begin(encoder, "occlusion", Some((to, None)), None);
            pass.set_bind_group(0, &self.frame_group, &[]);
            pass.set_bind_group(1, &input, &[]);
            pass.set_pipeline(pipeline);
            pass.draw(0..3, 0..1);
        }
    }

    fn picture_pass(&self, encoder: &mut wgpu::CommandEncoder, targets: &Targets, shadow: &TextureView) {
        let light = group(
            &self.gpu.device,
            &self.pipelines.light_layout,
            &[
                BindingResource::TextureView(shadow),
                BindingResource::Sampler(&self.shadow_sampler),
                BindingResource::TextureView(&targets.smooth),
                BindingResource::TextureView(shadow),
            ],
        );
        let colour = Some((&targets.colour, Some(&targets.picture_view)));
        let mut pass = begin(encoder, "picture", colour, Some(&targets.depth));
        let (p, b) = (&self.pipelines, &self.buffers);
        pass.set_bind_group(0, &self.frame_group, &[]);
        pass.set_pipeline(&p.backdrop);
        pass.draw(0..3, 0..1);
        pass.set_bind_group(1, &light, &[]);
        pass.set_pipeline(&p.ground);
        vertices(&mut pass, &b.ground);
        for (pipeline, mesh) in
            [(&p.shell, &b.shells), (&p.body, &b.bodies), (&p.section, &b.sections), (&p.solid, &b.solids)]
        {
            pass.set_pipeline(pipeline);
            mesh.draw(&mut pass);
        }
        let marked = |pass: &mut wgpu::RenderPass, hidden: usize, lines: &Growing, dots: &Growing| {
            pass.set_pipeline(&p.line[hidden]);
            instances(pass, lines);
            if hidden == 0 {
                pass.set_pipeline(&p.rim);
                instances(pass, dots);
            }
            pass.set_pipeline(&p.dot[hidden]);
            instances(pass, dots);
        };
        // Cloth comes over what shines through bodies alone.
        marked(&mut pass, 1, &b.touches, &b.touch_dots);
        pass.set_pipeline(&p.sheet);
        b.sheets.draw(&mut pass);
        pass.set_pipeline(&p.line[0]);
        instances(&mut pass, &b.wires);
        pass.set_pipeline(&p.glass);
        b.glass.draw(&mut pass);
        // The hidden parts first, so that what is seen lies above them.
        marked(&mut pass, 1, &b.lines, &b.dots);
        marked(&mut pass, 0, &b.touches, &b.touch_dots);
        marked(&mut pass, 0, &b.lines, &b.dots);
    }
}

/// Begins a pass that clears what it draws into. `colour`: what is drawn into, and where its samples are resolved to.
fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    label: &str,
    colour: Option<(&TextureView, Option<&TextureView>)>,
    depth: Option<&TextureView>,
) -> wgpu::RenderPass<'a> {
    let colour = colour.map(|(view, resolve_target)| wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target,
        ops: Operations { load: LoadOp::Clear(wgpu::Color::WHITE), store: StoreOp::Store },
    });
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(label),
        color_attachments: &[colour.clone()][..usize::from(colour.is_some())],
        depth_stencil_attachment: depth.map(|view| wgpu::RenderPassDepthStencilAttachment {
            view,
            depth_ops: Some(Operations { load: LoadOp::Clear(1.0), store: StoreOp::Store }),
            stencil_ops: None,
        }),
        ..wgpu::RenderPassDescriptor::default()
    })
}

fn vertices(pass: &mut wgpu::RenderPass, buffer: &Growing) {
    if let Some(used) = buffer.used() {
        pass.set_vertex_buffer(0, used.slice(..));
        pass.draw(0..buffer.len, 0..1);
    }
}

fn instances(pass: &mut wgpu::RenderPass, buffer: &Growing) {
    if let Some(used) = buffer.used() {
        pass.set_vertex_buffer(0, used.slice(..));
        pass.draw(0..4, 0..buffer.len);
    }
}

fn group(device: &wgpu::Device, layout: &wgpu::BindGroupLayout, resources: &[BindingResource]) -> BindGroup {
    let entries: Vec<_> = resources
        .iter()
        .enumerate()
        .map(|(i, r)| wgpu::BindGroupEntry { binding: i as u32, resource: r.clone() })
        .collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

/// Copies a texture of four bytes a pixel from the device.
pub fn read(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Image, GpuError> {
    gpu.check()?;
    let (width, height) = (texture.width(), texture.height());
    let row = (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("picture"),
        size: row as u64 * height as u64,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_texture_to_buffer(
        texture.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &staging,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(row),
                rows_per_image: Some(height),
            },
        },
        texture.size(),
    );
    let failed = |message: String| GpuError::Device { adapter: gpu.name.clone(), message };
    let (send, receive) = std::sync::mpsc::channel();
    gpu.queue.submit([encoder.finish()]);
    staging.map_async(wgpu::MapMode::Read, .., move |result| {
        // The receiver waits below.
        let _ = send.send(result);
    });
    gpu.check()?;
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| failed(e.to_string()))?;
    receive.recv().map_err(|e| failed(e.to_string()))?.map_err(|e| failed(e.to_string()))?;
    let view = staging.get_mapped_range(..).map_err(|e| failed(e.to_string()))?;
    let mut rgba = Vec::with_capacity(4 * width as usize * height as usize);
    for line in view.chunks(row as usize) {
        rgba.extend_from_slice(&line[..4 * width as usize]);
    }
    Ok(Image { width, height, rgba })
}
