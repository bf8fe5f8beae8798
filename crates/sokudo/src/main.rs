//! The program `sokudo`: gives the library what the process has.

use std::process::ExitCode;
use std::thread;

use rustix::process::{Resource, getrlimit};

use sokudo::{Environment, Streams};

/// What commands need of it, in a program that was not optimised too. Systems give as much.
const STACK_BYTES: usize = 8 << 20;

/// The stack of the first thread is as large as a limit says (`ulimit -s`), that of any
/// other as large as it is asked for.
fn main() -> ExitCode {
    let stack = getrlimit(Resource::Stack).current;
    if stack.is_none_or(|bytes| bytes >= STACK_BYTES as u64) {
        return start();
    }
    let larger = thread::Builder::new().stack_size(STACK_BYTES).spawn(start);
    match larger {
        // What a panic has to say it has said.
        Ok(thread) => thread.join().unwrap_or(ExitCode::FAILURE),
        Err(_) => start(),
    }
}

fn start() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(code) = sokudo::serve_another(&arguments) {
        return code;
    }
    sokudo::outlive_questions_and_limits();
    let mut streams = Streams::of_process();
    sokudo::run(arguments, &mut streams, &Environment::default()).into()
}
