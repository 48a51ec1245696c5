//! A graphics device, with or without a display.

use std::sync::{Arc, Mutex, PoisonError};

use thiserror::Error;

/// Why nothing can be drawn.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GpuError {
    /// There is no adapter that draws.
    #[error(
        "there is no graphics adapter to draw with (looked for Vulkan, Metal, DirectX 12 and OpenGL); install a driver: \
         on Debian or Ubuntu `apt-get install mesa-vulkan-drivers libvulkan1` does it, without a GPU too"
    )]
    NoAdapter,
    /// An adapter of this name is not there.
    #[error("no graphics adapter has \"{wanted}\" in its name; there is: {there}")]
    NotNamed {
        /// What was asked for.
        wanted: String,
        /// What there is.
        there: String,
    },
    /// The adapter does not give a device, or the device failed.
    #[error("adapter {adapter}: {message}")]
    Device {
        /// Its name.
        adapter: String,
        /// What it said.
        message: String,
    },
    /// The adapter gives a device, but cannot do what a picture needs.
    #[error(
        "adapter {adapter} does not draw this: {message}. Draw with another one: software draws everywhere, \
         on Debian or Ubuntu after `apt-get install mesa-vulkan-drivers libvulkan1`"
    )]
    Refused {
        /// Its name.
        adapter: String,
        /// What it said.
        message: String,
    },
    /// The memory of the adapter is too small.
    #[error(
        "adapter {adapter} has too little memory for this: draw a smaller picture, or with another adapter"
    )]
    Memory {
        /// Its name.
        adapter: String,
    },
}

/// Which adapter draws.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DrawWith {
    /// A real GPU where there is one, else a software adapter.
    #[default]
    Auto,
    /// A GPU emulated in software.
    Software,
    /// One whose name contains this, whatever its case.
    Named(String),
}

/// An open device.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// Name and graphics interface, for people.
    pub name: String,
    /// Whether it is emulated in software: effects are drawn with fewer samples.
    pub software: bool,
    /// The first error that no call returned.
    fault: Arc<Mutex<Option<wgpu::Error>>>,
}

impl Gpu {
    /// Opens a device without any display. `WGPU_BACKEND` (`vulkan`, `gl`, …) restricts the interfaces.
    pub fn offscreen(with: &DrawWith) -> Result<Self, GpuError> {
        let wanted = wgpu::Backends::all().with_env();
        // OpenGL shows the same adapters again, and complains aloud where there is no display.
        let mut adapters = enumerate(wanted - wgpu::Backends::GL);
        if adapters.is_empty() {
            adapters = enumerate(wanted & wgpu::Backends::GL);
        }
        adapters.sort_by_key(|a| rank(&a.get_info()));
        Self::open(&choose(adapters, with)?)
    }

    /// Opens a device of `adapter` with what the renderer needs.
    pub fn open(adapter: &wgpu::Adapter) -> Result<Self, GpuError> {
        let info = adapter.get_info();
        let failed = |message: String| GpuError::Device { adapter: info.name.clone(), message };
        let there = adapter.limits();
        let mut limits = wgpu::Limits::downlevel_defaults().using_resolution(there.clone());
        limits.max_buffer_size = there.max_buffer_size;
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("gordian viewer"),
            required_limits: limits,
            ..wgpu::DeviceDescriptor::default()
        }))
        .map_err(|e| failed(e.to_string()))?;
        // Without a handler, what goes wrong on the device ends the program.
        let fault = Arc::new(Mutex::new(None));
        let kept = fault.clone();
        device.on_uncaptured_error(Arc::new(move |error| {
            kept.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }));
        let software = info.device_type == wgpu::DeviceType::Cpu;
        let name =
            format!("{} ({}{})", info.name, info.backend.to_str(), if software { ", software" } else { "" });
        Ok(Gpu { device, queue, name, software, fault })
    }

    /// What has gone wrong on the device since the last call: there, most calls do not fail, but what they made is of no use.
    pub fn check(&self) -> Result<(), GpuError> {
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner).take();
        let adapter = self.name.clone();
        Err(match fault {
            None => return Ok(()),
            Some(wgpu::Error::OutOfMemory { .. }) => GpuError::Memory { adapter },
            Some(error) => GpuError::Refused { adapter, message: on_one_line(&error.to_string()) },
        })
    }

    /// Largest width and height of a picture, pixels.
    pub fn largest_side(&self) -> u32 {
        self.device.limits().max_texture_dimension_2d
    }
}

fn enumerate(backends: wgpu::Backends) -> Vec<wgpu::Adapter> {
    if backends.is_empty() {
        return Vec::new();
    }
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.flags = descriptor.flags.with_env();
    descriptor.backends = backends;
    pollster::block_on(wgpu::Instance::new(descriptor).enumerate_adapters(backends))
}

/// What is said on several lines, from the general to the particular.
fn on_one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && *l != "Caused by:");
    lines.collect::<Vec<_>>().join(": ").trim_end_matches('.').to_owned()
}

/// Smaller is better: real hardware first, OpenGL last of a kind.
fn rank(info: &wgpu::AdapterInfo) -> u32 {
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    };
    kind * 2 + u32::from(info.backend == wgpu::Backend::Gl)
}

fn choose(adapters: Vec<wgpu::Adapter>, with: &DrawWith) -> Result<wgpu::Adapter, GpuError> {
    let there: Vec<String> = adapters.iter().map(|a| a.get_info().name).collect();
    let fits = |a: &wgpu::Adapter| match with {
        DrawWith::Auto => true,
        DrawWith::Software => a.get_info().device_type == wgpu::DeviceType::Cpu,
        DrawWith::Named(part) => a.get_info().name.to_lowercase().contains(&part.to_lowercase()),
    };
    adapters.into_iter().find(fits).ok_or_else(|| match with {
        DrawWith::Named(wanted) if !there.is_empty() => {
            GpuError::NotNamed { wanted: wanted.clone(), there: there.join(", ") }
        }
        _ => GpuError::NoAdapter,
    })
}
