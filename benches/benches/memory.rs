//! Peak memory of a scene of a million tetrahedra: a block that falls on a plane, bodies and self-collision on, a few substeps
//! with contact on the CPU solver. Prints bytes per tetrahedron; runs where Linux tells the peak.

use gordian_sim::{AdapterChoice, Scene, World};

const SCENE: &str = r#"
[simulation]
substeps = 4
iterations = 2

[[body]]
generator = { kind = "box", nx = 59, ny = 59, nz = 59 }
clearance_heights = 0.0001
material = { young_pa = 1e5, poisson = 0.4, density_kg_m3 = 1000.0 }

[[collider]]
shape = { kind = "plane" }
"#;

fn main() {
    let mut world = Scene::parse(SCENE, "block")
        .map_err(|e| e.to_string())
        .and_then(|scene| World::new(&scene, &AdapterChoice::Cpu).map_err(|e| e.to_string()))
        .unwrap_or_else(|e| panic!("{e}"));
    let tets = world.topology().tets.len();
    let built = peak_bytes();
    let report = world.step_frame().unwrap_or_else(|e| panic!("{e}"));
    let Some((built, peak)) = built.zip(peak_bytes()) else {
        println!("memory: this system does not tell the peak");
        return;
    };
    println!(
        "memory: {tets} tetrahedra, {} particles; peak {:.0} bytes a tetrahedron after building, {:.0} after a frame ({:.0} ms)",
        world.positions().len(),
        built as f64 / tets as f64,
        peak as f64 / tets as f64,
        report.ms.total
    );
}

/// The largest resident set that this process had, bytes.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}
