//! `gordian fuzz`: random inputs against a slow search that cannot be wrong, for as long as one likes.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use gordian::collision::workbench::fuzz;
use gordian::mesh::io::write_atomically;

use super::{Outcome, fault};

/// Looks for wrong answers: random tangles against brute force. A failure is made small and written as a test.
///
/// Exit status: 0 all answers are right; 1 one is wrong; 2 error.
#[derive(clap::Args)]
pub struct Args {
    /// What is tested.
    #[arg(value_enum)]
    what: What,
    /// How long, in seconds.
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
    /// Where the random numbers start; each body takes the next one.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Folder for the test file of a failure.
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum What {
    /// Shortest paths to the boundary of folded, twisted, coiled and colliding boxes.
    Boundary,
}

pub fn run(args: &Args) -> miette::Result<Outcome> {
    let What::Boundary = args.what;
    let (begin, limit) = (Instant::now(), Duration::from_secs(args.seconds));
    let (mut bodies, mut queries) = (0u64, 0);
    while bodies == 0 || begin.elapsed() < limit {
        let seed = args.seed.wrapping_add(bodies);
        match fuzz::run(seed) {
            Ok(count) => queries += count,
            Err(found) => {
                say!("seed {seed}: {}", found.1);
                let (body, failure) = fuzz::shrink(&found.0, &found.1);
                let name = format!("boundary_seed_{seed}");
                let path = args.out.join(format!("{name}.rs"));
                let text = fuzz::test_file(&name, &body, &failure);
                write_atomically(&path, |out| out.write_all(text.as_bytes())).map_err(fault::mesh)?;
                say!("made small, {} tetrahedra: {}", body.tets.len(), path.display());
                return Ok(Outcome::Intersecting);
            }
        }
        bodies += 1;
    }
    let last = args.seed.wrapping_add(bodies - 1);
    say!("{queries} queries on {bodies} bodies, seeds {} to {last}: all right", args.seed);
    Ok(Outcome::Clean)
}
