//! `gordian scenes` and `gordian adapters`: what there is, a line each.

use gordian::sim::scene::SCENES;
use gordian::solver::gpu;

use super::{Outcome, fault};

pub fn scenes() -> miette::Result<Outcome> {
    let width = SCENES.iter().map(|s| s.name.len()).max().unwrap_or(0);
    for built_in in SCENES {
        let scene = built_in.scene(&[]).map_err(fault::scene)?;
        println!("{:width$}  {}", built_in.name, scene.simulation.description);
    }
    Ok(Outcome::Clean)
}

pub fn adapters() -> miette::Result<Outcome> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    println!("cpu  the CPU solver, {threads} threads; what `--adapter auto` takes where there is no GPU");
    for adapter in gpu::adapters() {
        let info = adapter.info();
        let software = if info.software { ", software" } else { "" };
        println!("{}  ({}{software})", info.name, info.backend);
    }
    Ok(Outcome::Clean)
}
