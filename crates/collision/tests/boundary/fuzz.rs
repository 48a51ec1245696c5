//! A hundred thousand queries on random tangles against the oracle.

use gordian_collision::workbench::fuzz::{run, shrink, test_file};
use rayon::prelude::*;

#[test]
fn random_tangles() {
    let check = |seed: u64| {
        run(seed).unwrap_or_else(|found| {
            let (body, failure) = shrink(&found.0, &found.1);
            panic!("seed {seed}: {failure}\n{}", test_file("boundary", &body, &failure));
        })
    };
    let queries: usize = (0..180u64).into_par_iter().map(check).sum();
    assert!(queries >= 100_000, "{queries}");
}
