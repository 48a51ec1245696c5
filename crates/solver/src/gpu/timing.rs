//! How long the device computes: a pair of timestamps around each pass that is worth it.

use wgpu::BufferUsages;

use super::device::Gpu;
use crate::SolverError;

/// Passes that can be timed before the timestamps are read.
const PASSES: u32 = 1024;
const BYTES: u64 = PASSES as u64 * 16;

/// Timestamps of passes.
#[derive(Debug)]
pub(super) struct Timing {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    staging: wgpu::Buffer,
    /// Milliseconds a tick.
    tick_ms: f64,
    used: u32,
}

impl Timing {
    /// `None` where the adapter has no timestamps.
    pub fn new(gpu: &Gpu) -> Result<Option<Self>, SolverError> {
        if !gpu.timestamps {
            return Ok(None);
        }
        let queries = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("times"),
            ty: wgpu::QueryType::Timestamp,
            count: 2 * PASSES,
        });
        Ok(Some(Timing {
            queries,
            resolved: gpu.buffer("times", BYTES, BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC)?,
            staging: gpu.buffer("times", BYTES, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?,
            tick_ms: gpu.queue.get_timestamp_period() as f64 * 1e-6,
            used: 0,
        }))
    }

    /// How many more passes can be timed before the timestamps have to be read.
    pub fn room(&self) -> usize {
        (PASSES - self.used) as usize
    }

    /// The timestamps of the next pass.
    pub fn next_pass(&mut self) -> wgpu::ComputePassTimestampWrites<'_> {
        assert!(self.used < PASSES, "the timestamps were not read in time");
        let first = 2 * self.used;
        self.used += 1;
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        }
    }

    /// Records the copy of all timestamps to where the host can read them, once this is submitted and waited for.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder) {
        if self.used == 0 {
            return;
        }
        let bytes = 16 * self.used as u64;
        encoder.resolve_query_set(&self.queries, 0..2 * self.used, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.staging, 0, bytes);
        encoder.map_buffer_on_submit(&self.staging, wgpu::MapMode::Read, 0..bytes, |_| {});
    }

    /// Milliseconds in all passes since the last call; what [`record`](Self::record) recorded must be done.
    pub fn take_ms(&mut self, gpu: &Gpu) -> Result<f64, SolverError> {
        if self.used == 0 {
            return Ok(0.0);
        }
        let bytes = 16 * self.used as u64;
        self.used = 0;
        let view = self.staging.get_mapped_range(0..bytes).map_err(|e| gpu.error(e.to_string()))?;
        let ticks = bytemuck::pod_collect_to_vec::<u8, u64>(&view);
        let sum: u64 = ticks.chunks_exact(2).map(|pass| pass[1].saturating_sub(pass[0])).sum();
        drop(view);
        self.staging.unmap();
        Ok(sum as f64 * self.tick_ms)
    }
}
