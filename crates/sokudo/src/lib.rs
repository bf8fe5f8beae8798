//! `sokudo` measures how fast a disk really is.
//!
//! This crate is the program: which command is meant, the tools that it stands in for, the page,
//! and what compares and checks. Commands that measure are `sokudo-methods`', those about kept
//! runs `sokudo-history`'s.
//!
//! [`run`] is the program; `main.rs` gives it what the process has. Tests of words, options,
//! formats and exit codes call it as well, with streams in memory.

mod cli;
mod commands;
mod frontends;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::CommandFactory;
use clap::error::ErrorKind;
use clap_complete::Shell;
use sokudo_history::{import, runs, trend};
use sokudo_measure::PutBack;
use sokudo_methods::{commands as methods, matrix};
use sokudo_terminal::arguments::mistake;
use sokudo_terminal::definition::man::man_page;
use sokudo_terminal::definition::spoken::HelpDestination;
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::invocation::{self, Invocation};
use sokudo_terminal::{definition, interrupt, language, output};

use crate::cli::{Cli, Command};
use crate::commands::{
    baseline, check, choose, clean, compare, info, prepare, show, slow, together,
};
use crate::frontends::{diskspd, door, fio, hdparm, page};

pub use sokudo_terminal::invocation::{Environment, Streams};

/// The words after the program's name have it do something for a sokudo that started it, rather
/// than for a person: guard its files, keep a drive's write cache, serve its page. `None` where they
/// do not.
#[must_use]
pub fn serve_another(arguments: &[OsString]) -> Option<ExitCode> {
    hand_over();
    let words = || arguments.iter().cloned();
    let done = |is_done| match is_done {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    };
    if let Some(drives) = sokudo_measure::drives_of(words()) {
        return Some(done(keep_write_caches(&drives)));
    }
    if let Some(processes) = sokudo_measure::guarded_by(words()) {
        return Some(done(sokudo_measure::guard(&processes)));
    }
    page::as_other_user(arguments)
}

/// What all crates below are told of this program.
fn hand_over() {
    definition::hand_over(Cli::command);
    methods::hand_over();
}

/// Makes a file that grows beyond `ulimit -f` an error to report, and `SIGUSR1` no reason to be
/// killed with test files left behind, for the whole process; and has it said where a look at all
/// processes takes its time.
pub fn outlive_questions_and_limits() {
    interrupt::outlive_questions_and_limits();
    sokudo_device::tell_long_looks(exit::note);
}

/// Carries out what the arguments say, the program's name first, and returns the exit code: those
/// of docs/METHODS.md, or of the tool that it stands in for. What it prints goes to the streams.
///
/// Signals, users, limits and the working directory are the process's: with streams in memory,
/// nobody watches for signals.
pub fn run(arguments: Vec<OsString>, streams: &mut Streams, environment: &Environment) -> u8 {
    Invocation::new(environment, streams).enter(|| carry_out_words(arguments))
}

fn carry_out_words(arguments: Vec<OsString>) -> u8 {
    hand_over();
    let arguments = door::of_target(door::as_command(arguments));
    let arguments = invocation::current().carry_out(arguments);
    language::choose(&arguments);
    if let Some((door, arguments)) = door::of(arguments.iter().cloned()) {
        return ended(door.enter(arguments));
    }
    if arguments.get(1).is_some_and(|word| word == "hdparm")
        && let Some(refusal) = hdparm::refused(&arguments[2..])
    {
        return ended(Err(refusal));
    }
    let read = match Cli::read(arguments.clone()) {
        Err(error) if error.kind() == ErrorKind::InvalidUtf8 => {
            Cli::read(cli::paths::as_text(arguments))
        }
        read => read,
    };
    match read {
        Ok(cli) => ended(carry_out(cli.command)),
        Err(error) => mistake::end_with(&error),
    }
}

fn carry_out(command: Option<Command>) -> Result<(), Exit> {
    match command {
        None => choose::run(),
        Some(Command::Measuring(command)) => methods::of(command).run(),
        Some(Command::Info(arguments)) => info::run(&arguments),
        Some(Command::Slow) => slow::run(),
        Some(Command::Compare(arguments)) => compare::run(&arguments),
        Some(Command::Matrix(arguments)) => matrix::run(&arguments),
        Some(Command::Together(arguments)) => together::run(&arguments),
        Some(Command::Check(arguments)) => check::run(&arguments),
        Some(Command::Baseline(arguments)) => baseline::run(arguments),
        Some(Command::List(arguments)) => runs::list(&arguments),
        Some(Command::Show(arguments)) => show::run(*arguments),
        Some(Command::Edit(arguments)) => runs::edit(&arguments),
        Some(Command::Delete(arguments)) => runs::delete(&arguments),
        Some(Command::Trend(arguments)) => trend::run(&arguments),
        Some(Command::Page(arguments)) => page::run(&arguments),
        Some(Command::Import(arguments)) => import::run(&arguments),
        Some(Command::Fio { arguments }) => fio::run(&arguments),
        Some(Command::Diskspd { arguments }) => diskspd::run(&arguments),
        Some(Command::Hdparm(arguments)) => hdparm::run(&arguments),
        Some(Command::Prepare(arguments)) => prepare::run(&arguments),
        Some(Command::Clean { directory, yes }) => clean::run(&directory, yes),
        Some(Command::Completions { shell }) => completions(shell),
        Some(Command::Man { page }) => {
            man_page(page.as_deref()).and_then(|text| output::print(&text))
        }
    }
}

fn completions(shell: Shell) -> Result<(), Exit> {
    let mut script = Vec::new();
    let mut command = definition::command(HelpDestination::Manual);
    clap_complete::generate(shell, &mut command, "sokudo", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}

fn ended(result: Result<(), Exit>) -> u8 {
    match result {
        Ok(()) => u8::from(!sokudo_measure::everything_is_put_back()),
        Err(exit) => Exit::report(&exit),
    }
}

/// This process is the one that puts write caches back. Whether it could.
fn keep_write_caches(drives: &[PathBuf]) -> bool {
    let tell = |done: &PutBack| match done {
        PutBack::Done { .. } => exit::note(done),
        PutBack::Failed { .. } => exit::fault(done),
    };
    sokudo_measure::keep(drives, &tell)
}
