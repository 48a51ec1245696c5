//! Which solver computes: a GPU, or the CPU.

use gordian_solver::{AdapterInfo, CpuSolver, Model, Solver, SolverError, gpu};

/// What the user asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AdapterChoice {
    /// A real GPU where there is one, else the CPU solver, which is then the faster one.
    #[default]
    Auto,
    /// The CPU solver.
    Cpu,
    /// A GPU emulated in software.
    Software,
    /// The adapter whose name contains this, whatever its case.
    Name(String),
}

/// An adapter without a name: every adapter would contain it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an adapter needs a name: auto, cpu, software, or part of one that `gordian adapters` lists")]
pub struct NoName;

impl std::str::FromStr for AdapterChoice {
    type Err = NoName;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Ok(match s.trim().to_ascii_lowercase().as_str() {
            "" => return Err(NoName),
            "auto" => AdapterChoice::Auto,
            "cpu" => AdapterChoice::Cpu,
            "software" => AdapterChoice::Software,
            _ => AdapterChoice::Name(s.to_owned()),
        })
    }
}

/// As it is read.
impl std::fmt::Display for AdapterChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            AdapterChoice::Auto => "auto",
            AdapterChoice::Cpu => "cpu",
            AdapterChoice::Software => "software",
            AdapterChoice::Name(name) => name,
        })
    }
}

impl AdapterChoice {
    /// Builds the solver of `model`.
    pub fn solver(&self, model: &Model) -> Result<Box<dyn Solver + Send>, SolverError> {
        let wanted = match self {
            AdapterChoice::Cpu => return Ok(Box::new(CpuSolver::new(model)?)),
            AdapterChoice::Auto => gpu::AdapterChoice::Auto,
            AdapterChoice::Software => gpu::AdapterChoice::Software,
            AdapterChoice::Name(name) => gpu::AdapterChoice::Named(name.clone()),
        };
        match gpu::choose(&wanted) {
            Ok(found) => Ok(Box::new(gpu::GpuSolver::new(model, &found)?)),
            Err(SolverError::NoAdapter(_)) if *self == AdapterChoice::Auto => {
                Ok(Box::new(CpuSolver::new(model)?))
            }
            Err(e) => Err(e),
        }
    }
}

/// A line for people: name and interface.
pub fn describe(adapter: &AdapterInfo) -> String {
    let software = if adapter.software { ", software" } else { "" };
    format!("{} ({}{software})", adapter.name, adapter.backend)
}
