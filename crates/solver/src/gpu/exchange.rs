//! Vectors over particles between host and device, in the user's order, three floats each.

use glam::Vec3;
use wgpu::BufferUsages;

use super::device::Gpu;
use crate::SolverError;

/// The buffer that import and export kernels work on, and the one that the host reads it through.
///
/// Mapping the first one directly, where the adapter allows that, gained nothing measurable.
#[derive(Debug)]
pub(super) struct Exchange {
    buffer: wgpu::Buffer,
    staging: wgpu::Buffer,
    bytes: u64,
}

impl Exchange {
    /// For this many particles.
    pub fn new(gpu: &Gpu, particles: usize) -> Result<Self, SolverError> {
        let bytes = (particles * size_of::<Vec3>()) as u64;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
        let staging = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        Ok(Exchange {
            buffer: gpu.buffer("exchange", bytes, usage)?,
            staging: gpu.buffer("staging", bytes, staging)?,
            bytes,
        })
    }

    /// What the kernels bind.
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Hands vectors to the device, before anything that is submitted from now on.
    pub fn write(&self, gpu: &Gpu, vectors: &[Vec3]) -> Result<(), SolverError> {
        gpu.queue.write_buffer(&self.buffer, 0, bytemuck::cast_slice(vectors));
        gpu.check()
    }

    /// Records what makes the buffer readable once this is submitted and waited for.
    pub fn record_read(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.copy_buffer_to_buffer(&self.buffer, 0, &self.staging, 0, self.bytes);
        encoder.map_buffer_on_submit(&self.staging, wgpu::MapMode::Read, 0..self.bytes, |_| {});
    }

    /// Copies the vectors out; what [`record_read`](Self::record_read) recorded must be done.
    pub fn read(&self, gpu: &Gpu, out: &mut [Vec3]) -> Result<(), SolverError> {
        let view = self.staging.get_mapped_range(0..self.bytes).map_err(|e| gpu.error(e.to_string()))?;
        bytemuck::cast_slice_mut::<Vec3, u8>(out).copy_from_slice(&view);
        drop(view);
        self.staging.unmap();
        gpu.check()
    }
}
