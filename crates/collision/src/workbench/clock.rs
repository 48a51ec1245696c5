//! Times that other processes disturb little: the fastest of several rounds.

use std::time::Instant;

/// Seconds of the fastest of `rounds` runs (at least one is made).
pub fn fastest(rounds: u32, mut run: impl FnMut()) -> f64 {
    (0..rounds.max(1)).map(|_| once(&mut run)).fold(f64::INFINITY, f64::min)
}

/// Seconds of one run.
pub fn once(run: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    run();
    begin.elapsed().as_secs_f64()
}

/// Reads more memory than caches hold, so that what is measured next finds nothing of its own there.
pub fn sweep_caches() {
    let ballast = vec![1u8; 1 << 26];
    std::hint::black_box(ballast.iter().step_by(64).map(|&x| u64::from(x)).sum::<u64>());
}

/// Mean, median, 99th percentile and maximum of times; all zero where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// Arithmetic mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Maximum.
    pub max: f64,
}

impl Spread {
    /// The spread of `times`; percentiles by nearest rank.
    pub fn of(mut times: Vec<f64>) -> Self {
        times.sort_unstable_by(f64::total_cmp);
        let Some(&max) = times.last() else { return Spread::default() };
        let rank = |p: f64| times[((p * times.len() as f64).ceil() as usize).clamp(1, times.len()) - 1];
        Spread { mean: times.iter().sum::<f64>() / times.len() as f64, p50: rank(0.5), p99: rank(0.99), max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let spread = Spread::of((1..=200).rev().map(f64::from).collect());
        assert_eq!((spread.mean, spread.p50, spread.p99, spread.max), (100.5, 100.0, 198.0, 200.0));
        assert_eq!(Spread::of(Vec::new()), Spread::default());
        assert_eq!(Spread::of(vec![3.0]), Spread { mean: 3.0, p50: 3.0, p99: 3.0, max: 3.0 });
    }
}
