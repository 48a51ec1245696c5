//! How far a simulation is: a bar on a terminal, a line now and then where there is none.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How often a line tells it.
const EVERY: Duration = Duration::from_secs(10);

/// A bar on standard error; nothing where that is no terminal.
pub fn progress(frames: u32) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:32} {pos}/{len} frames, {eta} left  {msg}")
        .expect("the template is a constant");
    ProgressBar::new(frames.into()).with_style(style)
}

/// The way from one frame to another.
pub struct Progress {
    bar: ProgressBar,
    last: u32,
    begun: Instant,
    told: Instant,
}

impl Progress {
    /// From frame `first`, which is there, to `last`.
    pub fn new(first: u32, last: u32) -> Self {
        let now = Instant::now();
        Progress { bar: progress(last.saturating_sub(first)), last, begun: now, told: now }
    }

    /// One more frame is there; `message` says something of it beside the bar.
    pub fn reach(&mut self, frame: u32, message: String) {
        self.bar.set_message(message);
        self.bar.inc(1);
        if self.bar.is_hidden() && self.told.elapsed() > EVERY {
            self.told = Instant::now();
            tell!("frame {frame} of {}, {}", self.last, seconds(self.begun.elapsed()));
        }
    }

    /// The end; of a bar nothing stays.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }

    /// An end before the last frame, where the bar shows it.
    pub fn abandon(self) {
        self.bar.abandon();
    }
}

/// A time as people read it.
pub fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
