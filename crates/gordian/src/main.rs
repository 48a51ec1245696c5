//! The command line; `gordian --help` tells what it does.

#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)] // They panic where a pipe is closed; `say!` and `tell!` do not.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
