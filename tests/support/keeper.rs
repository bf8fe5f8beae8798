//! What takes things down when a test has ended, or was killed.

#![allow(dead_code, reason = "each program of tests uses its part")]

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
