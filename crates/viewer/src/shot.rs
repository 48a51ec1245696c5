//! Pictures without a display.

use crate::camera::{Camera, CameraChoice};
use crate::compose::{Look, compose, in_view};
use crate::gpu::{Gpu, GpuError};
use crate::image::Image;
use crate::renderer::{Quality, Renderer, View};
use crate::snapshot::{Model, Snapshot};

/// Takes pictures of worlds.
pub struct Shot {
    renderer: Renderer,
    /// How much is spent on each.
    pub quality: Quality,
}

impl Shot {
    /// Takes pictures on an open device.
    pub fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let renderer = Renderer::new(gpu);
        gpu.check()?;
        Ok(Shot { renderer, quality: Quality::FINE })
    }

    /// A picture of a moment, with all of it in view unless `camera` says otherwise. `size`: pixels.
    pub fn take(
        &mut self,
        model: &Model,
        snapshot: &Snapshot,
        look: &Look,
        camera: &CameraChoice,
        size: [u32; 2],
    ) -> Result<Image, GpuError> {
        let aspect = size[0] as f32 / size[1].max(1) as f32;
        let camera = camera.camera(model.up, in_view(model, snapshot).into_iter(), aspect);
        self.take_from(model, snapshot, look, &camera, size)
    }

    /// A picture of a moment from a given camera.
    pub fn take_from(
        &mut self,
        model: &Model,
        snapshot: &Snapshot,
        look: &Look,
        camera: &Camera,
        size: [u32; 2],
    ) -> Result<Image, GpuError> {
        self.renderer.upload(&compose(model, snapshot, look));
        // Lines and dots of large pictures are as thick as they look at 720 rows.
        let scale = (size[1] as f32 / 720.0).max(1.0);
        self.renderer.draw(&View { camera: *camera, theme: look.theme, size, scale, quality: self.quality });
        self.renderer.read()
    }
}
