//! Geometry on the device: buffers that grow and are written again.

use bytemuck::Pod;
use wgpu::BufferUsages;

use crate::geometry::{Geometry, Mesh};

/// A buffer that grows.
pub(crate) struct Growing {
    usage: BufferUsages,
    buffer: Option<wgpu::Buffer>,
    /// Elements in use.
    pub len: u32,
}

impl Growing {
    fn new(usage: BufferUsages) -> Self {
        Growing { usage, buffer: None, len: 0 }
    }

    /// Takes `data` over. What the device cannot hold is left out; returns whether all of it fits.
    fn write<T: Pod>(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, data: &[T]) -> bool {
        let limit = device.limits().max_buffer_size / size_of::<T>() as u64;
        let fits = data.len() as u64 <= limit;
        let data = &data[..data.len().min(limit as usize)];
        self.len = data.len() as u32;
        let bytes: &[u8] = bytemuck::cast_slice(data);
        if bytes.is_empty() {
            return fits;
        }
        if self.buffer.as_ref().is_none_or(|b| b.size() < bytes.len() as u64) {
            let size = (bytes.len() as u64 * 5 / 4).next_multiple_of(4).min(device.limits().max_buffer_size);
            self.buffer = Some(device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: size.max(bytes.len() as u64),
                usage: self.usage | BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }));
        }
        queue.write_buffer(self.buffer.as_ref().expect("made above"), 0, bytes);
        fits
    }

    /// The buffer, if there is anything in it.
    pub fn used(&self) -> Option<&wgpu::Buffer> {
        self.buffer.as_ref().filter(|_| self.len > 0)
    }
}

/// Triangles on the device.
pub(crate) struct MeshBuffers {
    vertices: Growing,
    indices: Growing,
}

impl MeshBuffers {
    fn new() -> Self {
        MeshBuffers {
            vertices: Growing::new(BufferUsages::VERTEX),
            indices: Growing::new(BufferUsages::INDEX),
        }
    }

    fn write(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, mesh: &Mesh) -> bool {
        let fits = self.vertices.write(device, queue, &mesh.vertices);
        // Indices of vertices that are not there would be read outside of the buffer.
        let indices: &[u32] = if fits { &mesh.indices } else { &[] };
        self.indices.write(device, queue, indices) && fits
    }

    /// Draws all triangles.
    pub fn draw(&self, pass: &mut wgpu::RenderPass) {
        if let (Some(vertices), Some(indices)) = (self.vertices.used(), self.indices.used()) {
            pass.set_vertex_buffer(0, vertices.slice(..));
            pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
            pass.draw_indexed(0..self.indices.len, 0, 0..1);
        }
    }
}

/// A [`Geometry`] on the device.
pub(crate) struct Buffers {
    pub bodies: MeshBuffers,
    pub sheets: MeshBuffers,
    pub sections: MeshBuffers,
    pub solids: MeshBuffers,
    pub shells: MeshBuffers,
    pub glass: MeshBuffers,
    pub ground: Growing,
    pub wires: Growing,
    pub lines: Growing,
    pub dots: Growing,
    pub touches: Growing,
    pub touch_dots: Growing,
}

impl Buffers {
    pub fn new() -> Self {
        let vertices = || Growing::new(BufferUsages::VERTEX);
        Buffers {
            bodies: MeshBuffers::new(),
            sheets: MeshBuffers::new(),
            sections: MeshBuffers::new(),
            solids: MeshBuffers::new(),
            shells: MeshBuffers::new(),
            glass: MeshBuffers::new(),
            ground: vertices(),
            wires: vertices(),
            lines: vertices(),
            dots: vertices(),
            touches: vertices(),
            touch_dots: vertices(),
        }
    }

    /// Takes `geometry` over; returns whether the device holds all of it.
    pub fn write(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, geometry: &Geometry) -> bool {
        let meshes = [
            self.bodies.write(device, queue, &geometry.bodies),
            self.sheets.write(device, queue, &geometry.sheets),
            self.sections.write(device, queue, &geometry.sections),
            self.solids.write(device, queue, &geometry.solids),
            self.shells.write(device, queue, &geometry.shells),
            self.glass.write(device, queue, &geometry.glass),
            self.ground.write(device, queue, &geometry.ground),
            self.wires.write(device, queue, &geometry.wires),
            self.lines.write(device, queue, &geometry.lines),
            self.dots.write(device, queue, &geometry.dots),
            self.touches.write(device, queue, &geometry.touches),
            self.touch_dots.write(device, queue, &geometry.touch_dots),
        ];
        meshes.iter().all(|fits| *fits)
    }
}
