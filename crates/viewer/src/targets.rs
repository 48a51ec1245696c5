//! What is drawn into: textures of the size of a picture, and the shadow map.

use wgpu::{TextureFormat, TextureUsages};

/// Samples a pixel.
pub(crate) const SAMPLES: u32 = 4;
/// Colours are encoded by the shaders themselves.
pub(crate) const COLOUR: TextureFormat = TextureFormat::Rgba8Unorm;
/// Depth, of pictures and of the shadow map.
pub(crate) const DEPTH: TextureFormat = TextureFormat::Depth32Float;
/// Ambient occlusion.
pub(crate) const OPENNESS: TextureFormat = TextureFormat::R8Unorm;

/// Makes a texture and its view.
pub(crate) fn texture(
    device: &wgpu::Device,
    label: &str,
    [width, height]: [u32; 2],
    samples: u32,
    format: TextureFormat,
    usage: TextureUsages,
) -> (wgpu::Texture, wgpu::TextureView) {
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: samples,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    });
    let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
    (texture, view)
}

/// Textures of one size.
pub(crate) struct Targets {
    pub size: [u32; 2],
    /// The finished picture.
    pub picture: wgpu::Texture,
    pub picture_view: wgpu::TextureView,
    pub colour: wgpu::TextureView,
    pub depth: wgpu::TextureView,
    /// Depth of one sample a pixel, for ambient occlusion.
    pub near: wgpu::TextureView,
    pub raw: wgpu::TextureView,
    pub smooth: wgpu::TextureView,
}

impl Targets {
    pub fn new(device: &wgpu::Device, size: [u32; 2]) -> Self {
        let drawn = TextureUsages::RENDER_ATTACHMENT;
        let read = drawn | TextureUsages::TEXTURE_BINDING;
        let view = |label, samples, format, usage| texture(device, label, size, samples, format, usage).1;
        let (picture, picture_view) =
            texture(device, "picture", size, 1, COLOUR, read | TextureUsages::COPY_SRC);
        Targets {
            size,
            picture,
            picture_view,
            colour: view("colour", SAMPLES, COLOUR, drawn),
            depth: view("depth", SAMPLES, DEPTH, drawn),
            near: view("near", 1, DEPTH, read),
            raw: view("raw openness", 1, OPENNESS, read),
            smooth: view("openness", 1, OPENNESS, read),
        }
    }
}
