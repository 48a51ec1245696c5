//! Commands, and what they have in common: how errors are shown, and what the exit status means.

#[macro_use]
mod say;

mod bench;
mod bench_ccd;
mod bench_cloth;
mod bench_culling;
mod bench_paper;
mod bench_query;
mod check;
mod fault;
mod files;
mod fuzz;
mod interrupt;
mod list;
mod mesh;
mod mesh_tet;
mod progress;
mod run;
mod untangle;
mod view;
mod words;

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

/// A deformable-body simulator that starts from any state, tangled or not, and comes out untangled.
///
/// Exit status: 0 done; 1 done, but intersections remain (or were found); 2 error; 130 interrupted.
#[derive(Parser)]
#[command(name = "gordian", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Args),
    View(view::Args),
    Bench(bench::Args),
    Check(check::Args),
    Fuzz(fuzz::Args),
    Untangle(untangle::Args),
    Mesh(mesh::Args),
    Scenes(list::Scenes),
    /// Lists what can compute: the CPU, and the graphics adapters.
    Adapters,
}

/// How a command ended, if not in an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// All is well.
    Clean,
    /// Done, but intersections remain, or were found.
    Intersecting,
    /// Ended early because somebody asked for it.
    Interrupted,
}

/// Lets every option take a negative number, which the option itself then refuses in its own words.
fn negatives(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|a| match a.get_action().takes_values() && !a.is_positional() {
        true => a.allow_negative_numbers(true),
        false => a,
    });
    let names: Vec<String> = command.get_subcommands().map(|c| c.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, negatives))
}

/// Help, the version, or what is wrong with the command line.
fn said(told: &clap::Error) -> ExitCode {
    match told.print().and_then(|()| std::io::stdout().flush()) {
        Err(error) if !told.use_stderr() && error.kind() != std::io::ErrorKind::BrokenPipe => {
            tell!("  × standard output: {error}");
            ExitCode::from(2)
        }
        _ => ExitCode::from(u8::try_from(told.exit_code()).unwrap_or(2)),
    }
}

/// Reads the command line, does what it says, and tells the exit status.
pub fn main() -> ExitCode {
    fault::install();
    let command = Cli::command().mut_subcommand("mesh", |c| c.after_long_help(mesh::kinds()));
    let matches = negatives(command).try_get_matches();
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(told) => return said(&told),
    };
    let result = match cli.command {
        Command::Run(args) => run::run(&args),
        Command::View(args) => view::view(&args),
        Command::Bench(args) => bench::bench(&args),
        Command::Check(args) => check::check(&args),
        Command::Fuzz(args) => fuzz::run(&args),
        Command::Untangle(args) => untangle::untangle(&args),
        Command::Mesh(args) => mesh::generate(&args),
        Command::Scenes(args) => list::scenes(&args),
        Command::Adapters => list::adapters(),
    };
    if let Some(error) = say::failure() {
        tell!("  × standard output: {error}");
        return ExitCode::from(2);
    }
    match result {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Intersecting) => ExitCode::from(1),
        Ok(Outcome::Interrupted) => ExitCode::from(interrupt::STATUS),
        Err(error) => {
            tell!("{error:?}");
            ExitCode::from(2)
        }
    }
}
