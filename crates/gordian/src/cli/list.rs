//! `gordian scenes` and `gordian adapters`: what there is, a line each.

use gordian::sim::scene::{EVERY_KEY, SCENES};
use gordian::solver::gpu;
use miette::miette;

use super::{Outcome, fault};

/// Lists the built-in scenes, or prints one as a file to start from.
#[derive(clap::Args)]
pub struct Scenes {
    /// The scene to print.
    name: Option<String>,
    /// Prints a scene file that shows every key, with its unit and default.
    #[arg(long, conflicts_with = "name")]
    keys: bool,
}

pub fn scenes(args: &Scenes) -> miette::Result<Outcome> {
    if args.keys {
        say!("{}", EVERY_KEY.trim_end());
        return Ok(Outcome::Clean);
    }
    if let Some(name) = &args.name {
        let known = SCENES.iter().find(|s| s.name == name);
        let scene = known
            .ok_or_else(|| miette!("there is no built-in scene `{name}`; `gordian scenes` lists them"))?;
        say!("{}", scene.text.trim_end());
        return Ok(Outcome::Clean);
    }
    let width = SCENES.iter().map(|s| s.name.len()).max().unwrap_or(0);
    for built_in in SCENES {
        let scene = built_in.scene(&[]).map_err(fault::scene)?;
        say!("{:width$}  {}", built_in.name, scene.simulation.description);
    }
    Ok(Outcome::Clean)
}

pub fn adapters() -> miette::Result<Outcome> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    say!("cpu  the CPU solver, {threads} threads; what `--adapter auto` takes where there is no GPU");
    for adapter in gpu::adapters() {
        let info = adapter.info();
        let software = if info.software { ", software" } else { "" };
        say!("{}  ({}{software})", info.name, info.backend);
    }
    Ok(Outcome::Clean)
}
