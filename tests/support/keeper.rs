//! What takes things down when a test has ended, or was killed.

#![allow(dead_code, reason = "each program of tests uses its part")]

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// A shell in a process of its own whose script waits for the end of its input, and then takes
/// something down. So it also notices that the tests were killed.
pub(crate) struct Keeper(pub(crate) Child);

impl Keeper {
    /// Yet to be given the arguments of the script.
    pub(crate) fn command(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script, "keeper"]).stdin(Stdio::piped());
        // Ctrl-C ends the tests, not it.
        command.process_group(0);
        command
    }

    pub(crate) fn start(command: &mut Command) -> Self {
        Self(command.spawn().unwrap())
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// What a keeper has made, and takes down: nothing is left of it, whenever the tests end, for who
/// makes it is who takes it down.
pub(crate) struct Kept {
    _keeper: Keeper,
    made: String,
}

impl Kept {
    /// `make` and `take_down` are commands of a shell with these arguments. The first prints what it
    /// has made in one line, which is `$made` in the second. `None` where it has made nothing.
    pub(crate) fn new<A: AsRef<OsStr>>(
        make: &str,
        take_down: &str,
        arguments: impl IntoIterator<Item = A>,
    ) -> Option<Self> {
        // Who was killed does not hear what was made.
        let script = format!(
            "trap '' PIPE; made=$({make}) && printf '%s\\n' \"$made\" && read -r _\n\
             {{ {take_down}; }} >/dev/null 2>&1"
        );
        let mut command = Keeper::command(&script);
        let mut keeper = Keeper::start(command.args(arguments).stdout(Stdio::piped()));
        let mut told = BufReader::new(keeper.0.stdout.take().unwrap());
        let mut made = String::new();
        told.read_line(&mut made).unwrap();
        let made = made.trim_end().to_owned();
        let is_made = !made.is_empty();
        let kept = Self {
            _keeper: keeper,
            made,
        };
        is_made.then_some(kept)
    }

    /// What was made, as it was told.
    pub(crate) fn made(&self) -> &str {
        &self.made
    }
}
