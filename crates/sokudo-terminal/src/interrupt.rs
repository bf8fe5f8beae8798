//! Ctrl-C and its kin.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use anyhow::Context;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use sokudo_engine::{Control, vanish};
use sokudo_words::text;

use crate::exit::{self, Exit};
use crate::{command_line, invocation};

/// Outlives what is no reason to be killed with test files left behind: a file that grows beyond
/// `ulimit -f`, which is an error to report, and the questions of who takes this for dd or fio.
pub fn outlive_questions_and_limits() {
    for signal in [SIGXFSZ, SIGUSR1, SIGUSR2] {
        // Where the system takes no handler, it is as it would be without.
        let _ = signal_hook::flag::register(signal, Arc::default());
    }
}

/// Cancels the run at the first interruption, so that it is cleaned up and what
/// was measured is printed; the second one ends the program at once, as Ctrl-\ does: then
/// test files are removed, and what stays is told.
///
/// # Errors
/// When the system lets us watch no signals.
pub fn watch(control: &Control) -> Result<(), Exit> {
    watch_leaving(control, || ())
}

/// Ends the program at an interruption with one line, until it is dropped: while a question waits
/// for its answer nothing is to be cleaned up. A run that begins then watches as ever.
///
/// # Errors
/// As of [`watch`].
pub fn leave_before_anything() -> Result<Option<Leaving>, Exit> {
    if !invocation::current().is_of_process() {
        return Ok(None);
    }
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(Exit::failed)?;
    let leaving = Leaving(signals.handle());
    let wait = move || {
        if signals.forever().next().is_some() {
            // Behind the question.
            let _ = invocation::write_error(b"\n");
            exit::fault(text!("interrupted, and nothing was written"));
            std::process::exit(130);
        }
    };
    thread::Builder::new()
        .name("sokudo-question".to_owned())
        .spawn(wait)
        .map_err(Exit::failed)?;
    Ok(Some(leaving))
}

/// What is watched while a question waits.
pub struct Leaving(signal_hook::iterator::Handle);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// The same as of [`watch`] for what makes more than test files: `leaving` tells what of it stays where the
/// program ends at once.
///
/// # Errors
/// As of `watch`.
pub fn watch_leaving(control: &Control, leaving: impl Fn() + Send + 'static) -> Result<(), Exit> {
    if !invocation::current().is_of_process() {
        return Ok(());
    }
    let mut watched = vec![SIGINT, SIGTERM];
    // Under nohup the run goes on when its terminal goes away, and in the background of a
    // shell when somebody quits what is in front.
    watched.extend(
        [SIGHUP, SIGQUIT]
            .into_iter()
            .filter(|signal| !is_ignored(*signal)),
    );
    let mut signals = Signals::new(watched).map_err(Exit::failed)?;
    let control = control.clone();
    thread::Builder::new()
        .name("sokudo-signals".to_owned())
        .spawn(move || {
            for signal in &mut signals {
                if signal == SIGQUIT {
                    leave_at_once();
                    leaving();
                    // Ends the program, with a core dump where the user wants one.
                    let _ = emulate_default_handler(SIGQUIT);
                    std::process::exit(131);
                }
                if KEEPING.wake() {
                    control.cancel();
                    continue;
                }
                if control.is_cancelled() && !control.is_cancelled_by_rule() {
                    leave_at_once();
                    leaving();
                    std::process::exit(130);
                }
                control.cancel();
            }
        })
        .context(text!(
            "no thread can be started to watch for Ctrl-C; raise the limit of processes (ulimit -u)"
        ))
        .map_err(Exit::Failed)?;
    Ok(())
}

/// What was measured is being kept, and is printed after that: an interruption ends the keeping.
pub static KEEPING: KeepingWatch = KeepingWatch {
    going: AtomicU32::new(0),
    interruptions: AtomicU32::new(0),
};

/// Counts those who keep, and what has interrupted them.
pub struct KeepingWatch {
    going: AtomicU32,
    interruptions: AtomicU32,
}

impl KeepingWatch {
    /// Keeps, told whether an interruption has come meanwhile.
    pub fn during<T>(&self, keep: impl FnOnce(&dyn Fn() -> bool) -> T) -> T {
        let before = self.interruptions.load(Ordering::SeqCst);
        self.going.fetch_add(1, Ordering::SeqCst);
        let done = keep(&|| self.interruptions.load(Ordering::SeqCst) != before);
        self.going.fetch_sub(1, Ordering::SeqCst);
        done
    }

    /// Whether an interruption has ended a keeping, and nothing else is to end.
    fn wake(&self) -> bool {
        self.interruptions.fetch_add(1, Ordering::SeqCst);
        self.going.load(Ordering::SeqCst) > 0
    }
}

/// Removes test files, and tells which directories of them stay.
fn leave_at_once() {
    for path in vanish() {
        let directory = path.parent().unwrap_or(Path::new("/"));
        exit::note(text!(
            "{} is left behind; {} removes it",
            path.display(),
            command_line::cleaning(directory, false)
        ));
    }
}

/// Asks for results so far whenever SIGUSR1 comes, and lets the run go on.
///
/// # Errors
/// When the system lets us watch no signals.
pub fn watch_for_questions(control: &Control) -> Result<(), Exit> {
    if !invocation::current().is_of_process() {
        return Ok(());
    }
    let mut signals = Signals::new([SIGUSR1]).map_err(Exit::failed)?;
    let control = control.clone();
    thread::Builder::new()
        .name("sokudo-questions".to_owned())
        .spawn(move || {
            for _ in &mut signals {
                control.ask_for_snapshot();
            }
        })
        .map_err(Exit::failed)?;
    Ok(())
}

/// Whether whoever started us has this signal ignored. A signal that the system does
/// not tell about is not.
fn is_ignored(signal: i32) -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| ignores(&status, signal))
}

/// Whether a process's status, as proc tells it, has the signal in its mask of ignored
/// ones, whose lowest bit is signal 1.
fn ignores(status: &str, signal: i32) -> bool {
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let bit = u32::try_from(signal - 1).ok();
    mask.zip(bit)
        .and_then(|(mask, bit)| mask.checked_shr(bit))
        .is_some_and(|shifted| shifted & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ignored_signal_is_known_by_its_bit() {
        let status = "Name:\tx\nSigIgn:\t0000000000001001\nSigCgt:\tffff\n";
        assert!(ignores(status, SIGHUP));
        assert!(!ignores(status, SIGINT));
        assert!(!ignores("", SIGHUP));
    }
}
