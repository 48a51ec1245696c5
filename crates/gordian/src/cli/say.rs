//! Lines for standard output and standard error that nobody may be reading any more.
//!
//! The macros of the standard library panic where a pipe is closed (`gordian run … | head`). Here what nobody reads is dropped, and the
//! work goes on: its files matter more. What cannot be written for another reason (a full disk) is told by the exit status.

use std::fmt::Arguments;
use std::io::{self, Write};
use std::sync::OnceLock;

static FAILED: OnceLock<io::Error> = OnceLock::new();

/// Why standard output could not be written, if somebody was there to read it.
pub fn failure() -> Option<&'static io::Error> {
    FAILED.get()
}

pub fn to_stdout(text: Arguments) {
    let mut out = io::stdout().lock();
    if let Err(error) = out.write_fmt(text).and_then(|()| out.flush())
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        // The first one is told.
        let _ = FAILED.set(error);
    }
}

pub fn to_stderr(text: Arguments) {
    // There is nowhere left to tell it.
    let _ = io::stderr().lock().write_fmt(text);
}

/// A line on standard output.
macro_rules! say {
    () => { $crate::cli::say::to_stdout(format_args!("\n")) };
    ($($arg:tt)*) => { $crate::cli::say::to_stdout(format_args!("{}\n", format_args!($($arg)*))) };
}

/// A line on standard error.
macro_rules! tell {
    ($($arg:tt)*) => { $crate::cli::say::to_stderr(format_args!("{}\n", format_args!($($arg)*))) };
}
