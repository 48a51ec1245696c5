//! `gordian bench culling`: a spiky ball dropped with and without the feasible-region test, as in the paper, and as is the default.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use gordian::mesh::io::write_atomically;
use gordian::sim::{AdapterChoice, Scene, Stage, World};

use super::progress::progress;
use super::{Outcome, fault};

/// Drops a spiky ball: searched by the paper's traversal, with candidates culled by their feasible region and without, and by the
/// default, which floods first and asks the tree about what is left.
///
/// Exit status: 0 the first two are the same, bit by bit; 1 they differ; 2 error.
#[derive(clap::Args)]
pub struct Args {
    /// Frames of each run.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    frames: u32,
    /// Cells across the ball.
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u32).range(8..))]
    resolution: u32,
    /// Rounds of all three; of each frame the shortest time counts, since another program may have taken the rest.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Draws the time of the shortest paths, frame by frame.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// A ball of soft spikes that falls from its own height; all of it is asked about, so that there are queries at all.
const SCENE: &str = r#"
[simulation]
name = "culling"
substeps = 10
iterations = 2

[collision]
recovery = true

[[body]]
generator = { kind = "squishy_ball", radius = 0.5, strands = 60 }
center = true
clearance_heights = 0.25
material = { young_pa = 1e4, poisson = 0.4, density_kg_m3 = 1000 }

[[collider]]
name = "ground"
shape = { kind = "plane" }
"#;

/// How a run searches: its name, the colour of its line, `collision.method` and `collision.culling`.
type Way = (&'static str, &'static str, &'static str, bool);

/// The paper's search with its culling and without, and ours.
const RUNS: [Way; 3] = [
    ("traversal, culled", "#1b6ca8", "traversal", true),
    ("traversal, not culled", "#c0392b", "traversal", false),
    ("flood first (default)", "#2a7f3f", "auto", true),
];

/// A run: milliseconds of the shortest paths in each frame, queries and traversals in all, where everything was in each frame.
#[derive(Default)]
struct Run {
    ms: Vec<f64>,
    queries: u64,
    traversals: u64,
    hashes: Vec<u64>,
}

pub fn bench(args: &Args) -> miette::Result<Outcome> {
    let once = || RUNS.iter().map(|way| run(args, way)).collect::<miette::Result<Vec<Run>>>();
    let mut runs = once()?;
    for _ in 1..args.rounds {
        for (run, again) in runs.iter_mut().zip(once()?) {
            run.ms.iter_mut().zip(again.ms).for_each(|(ms, again)| *ms = ms.min(again));
        }
    }
    // The third may differ in the last bit of a distance, and then goes its own way.
    let same = runs[0].hashes == runs[1].hashes;
    say!("{:<22} {:>9} {:>16} {:>18}", "search", "queries", "traversals each", "ms a frame (mean)");
    for ((name, ..), run) in RUNS.iter().zip(&runs) {
        say!(
            "{name:<22} {:>9} {:>16.2} {:>18.3}",
            run.queries,
            run.traversals as f64 / run.queries.max(1) as f64,
            run.ms.iter().sum::<f64>() / run.ms.len() as f64
        );
    }
    say!(
        "with culling and without, positions {}",
        if same { "are the same in every frame, bit by bit" } else { "differ" }
    );
    if let Some(path) = &args.svg {
        let text = plot(&runs.iter().map(|run| run.ms.as_slice()).collect::<Vec<_>>());
        write_atomically(path, |out| out.write_all(text.as_bytes())).map_err(fault::mesh)?;
    }
    Ok(if same { Outcome::Clean } else { Outcome::Intersecting })
}

fn run(args: &Args, &(name, _, method, culling): &Way) -> miette::Result<Run> {
    let overrides = [
        format!("collision.method=\"{method}\""),
        format!("collision.culling={culling}"),
        format!("body.generator.resolution={}", args.resolution),
    ];
    let scene = Scene::parse_with(SCENE, "culling", &overrides).map_err(fault::scene)?;
    let mut world = World::new(&scene, &AdapterChoice::Cpu).map_err(fault::sim)?;
    let bar = progress(args.frames);
    bar.set_message(name);
    let mut run = Run::default();
    for _ in 0..args.frames {
        let frame = world.step_frame().map_err(fault::sim)?;
        run.ms.push(frame.ms.get(Stage::ShortestPath));
        run.queries += frame.queries;
        run.traversals += frame.traversals;
        run.hashes.push(frame.position_hash);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(run)
}

/// A line over the frames for each of the [`RUNS`], with axes.
fn plot(runs: &[&[f64]]) -> String {
    const SIZE: [f64; 2] = [640.0, 320.0];
    const LEFT: f64 = 60.0;
    const TOP: f64 = 20.0;
    let [width, height] = [SIZE[0] - LEFT - 20.0, SIZE[1] - TOP - 50.0];
    let frames = runs[0].len();
    let step = round_step(runs.iter().copied().flatten().copied().fold(1e-3, f64::max) / 4.0);
    let top = 4.0 * step;
    let count = frames.max(2) as f64 - 1.0;
    let x = |i: f64| LEFT + width * i / count;
    let y = |ms: f64| TOP + height * (1.0 - ms / top);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        SIZE[0], SIZE[1]
    );
    for k in 0..=4 {
        // As written: a multiple of a power of ten has few digits.
        let ms = (step * f64::from(k) * 1e6).round() / 1e6;
        let (y, right) = (y(ms), LEFT + width);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{ms}</text>",
            LEFT - 6.0,
            y + 4.0
        );
    }
    let marks = round_step(count / 6.0).max(1.0) as usize;
    for frame in (1..=frames).filter(|f| *f == 1 || f % marks == 0) {
        let (x, bottom) = (x(frame as f64 - 1.0), TOP + height);
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.1}\" y1=\"{bottom}\" x2=\"{x:.1}\" y2=\"{}\" stroke=\"#999\"/>\
             <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{frame}</text>",
            bottom + 4.0,
            bottom + 17.0
        );
    }
    for (row, ((name, colour, ..), ms)) in RUNS.iter().zip(runs).enumerate() {
        let points: Vec<String> =
            ms.iter().enumerate().map(|(i, &ms)| format!("{:.1},{:.1}", x(i as f64), y(ms))).collect();
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" points=\"{}\"/>\
             <text x=\"{}\" y=\"{}\" fill=\"{colour}\">{name}</text>",
            points.join(" "),
            LEFT + 12.0,
            TOP + 16.0 * (row as f64 + 1.0)
        );
    }
    let _ = write!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">frame</text>\n\
         <text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">shortest paths, ms a frame</text>\n</svg>\n",
        LEFT + width / 2.0,
        SIZE[1] - 8.0,
        TOP + height / 2.0
    );
    svg
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `step`.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    // Not below but for rounding.
    [1.0, 2.0, 5.0].into_iter().map(|m| m * power).find(|s| *s >= step * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plot_is_balanced_xml_with_a_point_a_frame() {
        let svg = plot(&[&[1.0, 2.0, 0.5], &[3.0, 0.0, 1.0], &[1.0; 3]]);
        assert_eq!(svg.matches("<polyline").count(), 3);
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
        // The top is 4 in steps of 1: three quarters of the height for 3, zero at the bottom.
        assert!(svg.contains("60.0,82.5") && svg.contains("340.0,270.0"), "{svg}");
        assert!(svg.contains(">4</text>") && svg.contains(">1</text>"), "{svg}");
    }

    #[test]
    fn steps_are_round() {
        for (step, round) in [(0.3, 0.5), (1.0, 1.0), (2.4, 5.0), (7.0, 10.0), (0.002, 0.002)] {
            assert!((round_step(step) / round - 1.0).abs() < 1e-9, "{step}: {}", round_step(step));
        }
    }
}
