//! Paints what egui wants into a texture: that of a window, or one that a test reads.

use egui_wgpu::{RendererOptions, ScreenDescriptor};

use crate::gpu::Gpu;

/// The painter of a window.
pub struct Screen {
    gpu: Gpu,
    /// What paints; pictures of the scene are registered with it.
    pub painter: egui_wgpu::Renderer,
}

impl Screen {
    /// A painter for textures of a format.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let options = RendererOptions { dithering: false, ..RendererOptions::default() };
        Screen { painter: egui_wgpu::Renderer::new(&gpu.device, format, options), gpu: gpu.clone() }
    }

    /// Paints the output of a pass into `target`, `size` pixels.
    pub fn paint(
        &mut self,
        ctx: &egui::Context,
        mut output: egui::FullOutput,
        target: &wgpu::TextureView,
        size: [u32; 2],
    ) {
        let (device, queue) = (&self.gpu.device, &self.gpu.queue);
        // Taken out: egui insists that all of them are applied.
        let textures = std::mem::take(&mut output.textures_delta.set);
        let freed = std::mem::take(&mut output.textures_delta.free);
        for (id, deltas) in &textures {
            for delta in deltas {
                self.painter.update_texture(device, queue, *id, delta);
            }
        }
        let pixels_per_point = output.pixels_per_point;
        let jobs = ctx.tessellate(output.shapes, pixels_per_point);
        let screen = ScreenDescriptor { size_in_pixels: size, pixels_per_point };
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut buffers = self.painter.update_buffers(device, queue, &mut encoder, &jobs, &screen);
        {
            let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("window"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: target,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..wgpu::RenderPassDescriptor::default()
            });
            self.painter.render(&mut pass.forget_lifetime(), &jobs, &screen);
        }
        buffers.push(encoder.finish());
        queue.submit(buffers);
        for id in &freed {
            self.painter.free_texture(id);
        }
    }
}
