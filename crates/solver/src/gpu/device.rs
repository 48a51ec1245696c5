//! An open device: its limits, its buffers, and what it reports when something goes wrong.

use std::sync::{Arc, OnceLock};

use super::adapter::Adapter;
use crate::{AdapterInfo, SolverError};

/// Storage buffers that a kernel binds at most; the WebGPU minimum.
const STORAGE_BUFFERS: u32 = 8;

/// How a [`GpuSolver`](super::GpuSolver) uses its device. The default suits every adapter; tests lower the limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuOptions {
    /// Threads a workgroup: a power of two, at most 256.
    pub workgroup: u32,
    /// Bytes that one storage binding may have; `None` for what the adapter allows.
    pub max_binding_bytes: Option<u64>,
    /// Workgroups in each dimension of a dispatch; `None` for what the adapter allows.
    pub max_workgroups: Option<u32>,
    /// Colours with fewer constraints do not get a dispatch each; one workgroup walks all of them.
    pub short_colour: u32,
}

impl Default for GpuOptions {
    fn default() -> Self {
        GpuOptions { workgroup: 64, max_binding_bytes: None, max_workgroups: None, short_colour: 128 }
    }
}

/// An open device. Every fault it reports stays: a device that refused a command is not trusted again.
#[derive(Debug)]
pub(super) struct Gpu {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub info: AdapterInfo,
    pub limits: wgpu::Limits,
    /// Whether passes can be timed.
    pub timestamps: bool,
    fault: Arc<OnceLock<String>>,
}

impl Gpu {
    /// Opens a device with only the limits and features that the solver needs.
    pub fn open(adapter: &Adapter, options: &GpuOptions) -> Result<Self, SolverError> {
        let info = adapter.info().clone();
        let there = adapter.inner.limits();
        let failed = |message: String| SolverError::Device { adapter: info.name.clone(), message };
        if there.max_storage_buffers_per_shader_stage < STORAGE_BUFFERS {
            return Err(failed(format!(
                "binds {} storage buffers at once, but {STORAGE_BUFFERS} are needed",
                there.max_storage_buffers_per_shader_stage
            )));
        }
        if !options.workgroup.is_power_of_two()
            || options.workgroup > there.max_compute_invocations_per_workgroup.min(256)
        {
            return Err(failed(format!(
                "a workgroup of {} threads: a power of two up to 256 is needed",
                options.workgroup
            )));
        }
        let lowered = |limit: u64, to: Option<u64>| to.map_or(limit, |to| limit.min(to));
        let limits = wgpu::Limits {
            max_storage_buffers_per_shader_stage: STORAGE_BUFFERS,
            max_storage_buffer_binding_size: lowered(
                there.max_storage_buffer_binding_size,
                options.max_binding_bytes,
            ),
            max_buffer_size: there.max_buffer_size,
            max_compute_workgroups_per_dimension: lowered(
                there.max_compute_workgroups_per_dimension as u64,
                options.max_workgroups.map(u64::from),
            ) as u32,
            ..wgpu::Limits::downlevel_defaults().using_alignment(there)
        };

        let required_features = adapter.inner.features() & wgpu::Features::TIMESTAMP_QUERY;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("gordian"),
            required_features,
            required_limits: limits.clone(),
            memory_hints: wgpu::MemoryHints::MemoryUsage,
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.inner.request_device(&descriptor))
            .map_err(|e| failed(e.to_string()))?;

        let fault = Arc::new(OnceLock::new());
        let sink = Arc::clone(&fault);
        device.on_uncaptured_error(Arc::new(move |error| {
            // Only the first fault matters: the others follow from it.
            let _ = sink.set(describe(&error));
        }));
        let sink = Arc::clone(&fault);
        device.set_device_lost_callback(move |reason, message| {
            let _ = sink.set(format!("the device was lost ({reason:?}): {message}"));
        });
        Ok(Gpu {
            device,
            queue,
            info,
            limits,
            timestamps: required_features.contains(wgpu::Features::TIMESTAMP_QUERY),
            fault,
        })
    }

    /// The fault that was reported, if any.
    pub fn check(&self) -> Result<(), SolverError> {
        match self.fault.get() {
            Some(message) => Err(self.error(message.clone())),
            None => Ok(()),
        }
    }

    /// An error of this device.
    pub fn error(&self, message: String) -> SolverError {
        SolverError::Device { adapter: self.info.name.clone(), message }
    }

    /// Waits until everything that was submitted is done and its callbacks have run.
    pub fn wait(&self) -> Result<(), SolverError> {
        let polled = self.device.poll(wgpu::PollType::wait_indefinitely());
        self.check()?;
        polled.map(|_| ()).map_err(|e| self.error(e.to_string()))
    }

    /// A buffer of zeros; at least 16 bytes, since an empty one cannot be bound.
    pub fn buffer(
        &self,
        what: &'static str,
        bytes: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, SolverError> {
        self.create(what, bytes, usage, false)
    }

    /// A buffer with this content.
    pub fn buffer_with<T: bytemuck::NoUninit>(
        &self,
        what: &'static str,
        content: &[T],
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, SolverError> {
        let content: &[u8] = bytemuck::cast_slice(content);
        let buffer = self.create(what, content.len() as u64, usage, true)?;
        if !content.is_empty() {
            let mut view = buffer
                .get_mapped_range_mut(..content.len() as u64)
                .map_err(|e| self.error(format!("{what}: {e}")))?;
            view.copy_from_slice(content);
        }
        buffer.unmap();
        self.check()?;
        Ok(buffer)
    }

    fn create(
        &self,
        what: &'static str,
        bytes: u64,
        usage: wgpu::BufferUsages,
        mapped_at_creation: bool,
    ) -> Result<wgpu::Buffer, SolverError> {
        self.fits(what, bytes, self.limits.max_buffer_size)?;
        let size = bytes.max(16).next_multiple_of(4);
        let descriptor = wgpu::BufferDescriptor { label: Some(what), size, usage, mapped_at_creation };
        let buffer = self.device.create_buffer(&descriptor);
        self.check()?;
        Ok(buffer)
    }

    /// Checks a size against a limit.
    pub fn fits(&self, what: &'static str, needed: u64, limit: u64) -> Result<(), SolverError> {
        if needed <= limit {
            return Ok(());
        }
        Err(self.too_large(what, needed, limit))
    }

    /// An error for what is larger than a limit.
    pub fn too_large(&self, what: &'static str, needed: u64, limit: u64) -> SolverError {
        SolverError::TooLarge { what, needed, limit, adapter: self.info.name.clone() }
    }
}

/// The error with the causes that its own message leaves out.
fn describe(error: &wgpu::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let more = inner.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = inner.source();
    }
    text
}
