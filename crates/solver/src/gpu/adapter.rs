//! Which graphics adapters there are, and the choice of one.

use crate::{AdapterInfo, SolverError};

/// Backends that the solver runs on, the preferred ones first. OpenGL comes last: it has fewer features.
const BACKENDS: [wgpu::Backend; 4] =
    [wgpu::Backend::Vulkan, wgpu::Backend::Metal, wgpu::Backend::Dx12, wgpu::Backend::Gl];

/// A graphics adapter that can compute.
#[derive(Clone, Debug)]
pub struct Adapter {
    pub(super) inner: wgpu::Adapter,
    info: AdapterInfo,
}

impl Adapter {
    fn new(inner: wgpu::Adapter) -> Self {
        let raw = inner.get_info();
        let info = AdapterInfo {
            name: raw.name,
            backend: raw.backend.to_str().to_owned(),
            software: raw.device_type == wgpu::DeviceType::Cpu,
        };
        Adapter { inner, info }
    }

    /// Name, backend, and whether it is software.
    pub fn info(&self) -> &AdapterInfo {
        &self.info
    }
}

/// Which adapter is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdapterChoice {
    /// A real GPU, the fastest kind there is.
    Auto,
    /// A GPU emulated in software.
    Software,
    /// One whose name contains this text, in upper or lower case.
    Named(String),
}

impl From<&str> for AdapterChoice {
    /// `"auto"`, `"software"`, else a part of the name.
    fn from(text: &str) -> Self {
        match text.to_lowercase().as_str() {
            "auto" => AdapterChoice::Auto,
            "software" => AdapterChoice::Software,
            _ => AdapterChoice::Named(text.to_owned()),
        }
    }
}

/// All adapters that can compute, the best first: by kind (discrete, integrated, virtual, other, software), then
/// by backend, then as the driver lists them.
///
/// OpenGL is looked at only where nothing else is there, since it shows the same adapters again with fewer features.
/// The environment variable `WGPU_BACKEND` (`vulkan`, `gl`, ...) restricts the backends.
pub fn adapters() -> Vec<Adapter> {
    let native: wgpu::Backends = BACKENDS.into_iter().map(wgpu::Backends::from).collect();
    let wanted = native.with_env();
    let found = enumerate(wanted - wgpu::Backends::GL);
    if found.is_empty() { enumerate(wanted & wgpu::Backends::GL) } else { found }
}

fn enumerate(backends: wgpu::Backends) -> Vec<Adapter> {
    if backends.is_empty() {
        return Vec::new();
    }
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.flags = descriptor.flags.with_env();
    descriptor.backends = backends;
    let instance = wgpu::Instance::new(descriptor);
    let mut found: Vec<(usize, wgpu::Adapter)> = pollster::block_on(instance.enumerate_adapters(backends))
        .into_iter()
        .filter(|a| a.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS))
        .map(|a| (rank(&a.get_info()), a))
        .collect();
    found.sort_by_key(|&(rank, _)| rank);
    found.into_iter().map(|(_, a)| Adapter::new(a)).collect()
}

/// Smaller is better.
fn rank(info: &wgpu::AdapterInfo) -> usize {
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    };
    let backend = BACKENDS.iter().position(|&b| b == info.backend).unwrap_or(BACKENDS.len());
    kind * (BACKENDS.len() + 1) + backend
}

/// Chooses an adapter.
///
/// Errors: [`SolverError::NoAdapter`] when none fits; the message lists what was looked for, what there is and what
/// to install. For [`AdapterChoice::Auto`] a caller goes on with the CPU solver.
pub fn choose(choice: &AdapterChoice) -> Result<Adapter, SolverError> {
    let all = adapters();
    let fits = |info: &AdapterInfo| match choice {
        AdapterChoice::Auto => !info.software,
        AdapterChoice::Software => info.software,
        AdapterChoice::Named(part) => info.name.to_lowercase().contains(&part.to_lowercase()),
    };
    match all.iter().find(|a| fits(a.info())) {
        Some(adapter) => Ok(adapter.clone()),
        None => {
            let infos: Vec<&AdapterInfo> = all.iter().map(Adapter::info).collect();
            Err(SolverError::NoAdapter(explain(choice, &infos)))
        }
    }
}

/// Why there is no adapter, and what to do about it.
fn explain(choice: &AdapterChoice, found: &[&AdapterInfo]) -> String {
    let wanted = match choice {
        AdapterChoice::Auto => "no GPU was found".to_owned(),
        AdapterChoice::Software => "no software adapter was found".to_owned(),
        AdapterChoice::Named(part) => format!("no adapter has \"{part}\" in its name"),
    };
    let there: Vec<String> = found.iter().map(|i| format!("{} ({})", i.name, i.backend)).collect();
    let there = match there.as_slice() {
        [] => "there is none through Vulkan, Metal, DirectX 12 or OpenGL".to_owned(),
        list => format!("there is: {}", list.join(", ")),
    };
    let advice = match choice {
        AdapterChoice::Auto => {
            "install the GPU's Vulkan driver (Debian, Ubuntu: mesa-vulkan-drivers libvulkan1; NVIDIA's own for \
             NVIDIA), or take the CPU solver"
        }
        AdapterChoice::Software => "install it (Debian, Ubuntu: mesa-vulkan-drivers libvulkan1)",
        AdapterChoice::Named(_) if !found.is_empty() => {
            "name one of these, or \"auto\", \"software\" or \"cpu\""
        }
        AdapterChoice::Named(_) => {
            "install a Vulkan driver (Debian, Ubuntu: mesa-vulkan-drivers libvulkan1), or take the CPU solver"
        }
    };
    format!("{wanted}; {there}; {advice}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(name: &str) -> AdapterInfo {
        AdapterInfo { name: name.into(), backend: "vulkan".into(), software: true }
    }

    #[test]
    fn the_message_says_what_was_looked_for_what_there_is_and_what_to_do() {
        let none = explain(&AdapterChoice::Software, &[]);
        assert!(none.contains("software adapter") && none.contains("mesa-vulkan-drivers"), "{none}");
        let other = explain(&"geforce".into(), &[&info("llvmpipe")]);
        assert!(other.contains("\"geforce\"") && other.contains("llvmpipe (vulkan)"), "{other}");
        let auto = explain(&AdapterChoice::Auto, &[&info("llvmpipe")]);
        assert!(auto.contains("no GPU") && auto.contains("CPU solver"), "{auto}");
    }

    #[test]
    fn words_and_parts_of_names_are_told_apart() {
        assert_eq!(AdapterChoice::from("Auto"), AdapterChoice::Auto);
        assert_eq!(AdapterChoice::from("software"), AdapterChoice::Software);
        assert_eq!(AdapterChoice::from("LLVMpipe"), AdapterChoice::Named("LLVMpipe".into()));
    }

    #[test]
    fn real_gpus_come_before_software_and_opengl_last_of_a_kind() {
        let of = |kind, backend| rank(&wgpu::AdapterInfo::new(kind, backend));
        use wgpu::{Backend, DeviceType};
        assert!(of(DeviceType::DiscreteGpu, Backend::Gl) < of(DeviceType::Cpu, Backend::Vulkan));
        assert!(of(DeviceType::DiscreteGpu, Backend::Vulkan) < of(DeviceType::DiscreteGpu, Backend::Gl));
        assert!(of(DeviceType::DiscreteGpu, Backend::Gl) < of(DeviceType::IntegratedGpu, Backend::Vulkan));
    }
}
