//! Ctrl-C: the first asks the work to end in order, the second ends the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit status of a program that was interrupted.
pub const STATUS: u8 = 130;

/// Whether somebody has asked for the end.
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from here on; once for a program.
    pub fn listen() -> Self {
        let asked = Arc::new(AtomicBool::new(false));
        let flag = asked.clone();
        let handler = move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(STATUS.into());
            }
            tell!("\nstopping after this frame; again to stop at once");
        };
        // Without it, Ctrl-C ends the program as everywhere.
        if let Err(error) = ctrlc::set_handler(handler) {
            tell!("warning: Ctrl-C will end the run without a checkpoint: {error}");
        }
        Interrupt(asked)
    }

    /// Whether Ctrl-C was pressed.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
