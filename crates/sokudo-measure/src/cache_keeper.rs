//! A process of its own that puts write caches of drives back when the run that switched
//! them ends, however it ends: in order, by an error, by Ctrl-C, or by `kill -9`.
//!
//! It does nothing but wait until nobody holds the other end of its standard input any
//! more. It never switches a cache to a state in which it did not find it.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use sokudo_device::System;
use sokudo_device::write_cache::{WriteCacheError, WriteCacheSwitch};
use sokudo_words::{Text, text};

/// The argument that makes this program a keeper. Not for users.
pub(crate) const ARGUMENT: &str = "--keep-write-caches-of";

/// What it answers when it has found every drive and its state, one line a drive.
pub(crate) const FOUND: &str = "found";

/// A drive that is being reset does not answer for some seconds.
const ATTEMPTS: u32 = 5;

/// The pause between attempts.
const PAUSE: Duration = Duration::from_secs(1);

/// Whether this program asks at its beginning whether it is a keeper.
static IS_REQUESTED: AtomicBool = AtomicBool::new(false);

/// Whether a copy of this program would be a keeper, and would not do all over again what
/// this one does.
pub(crate) fn can_be_started() -> bool {
    IS_REQUESTED.load(Ordering::Relaxed)
}

/// The drives, if these arguments make the program a keeper. A program that switches write
/// caches asks this before anything else, and then calls [`keep`].
pub fn drives_of(mut arguments: impl Iterator<Item = OsString>) -> Option<Vec<PathBuf>> {
    IS_REQUESTED.store(true, Ordering::Relaxed);
    let is_keeper = arguments.nth(1)? == ARGUMENT;
    is_keeper.then(|| arguments.map(PathBuf::from).collect())
}

/// What a keeper has done, or could not do.
#[derive(Debug, sokudo_words::Error)]
pub enum PutBack {
    /// A cache is as it was found.
    #[error("the write cache of {disk} is {} again, as it was found", word(*.was_on))]
    Done {
        /// Kernel name of the disk whose cache it is.
        disk: String,
        /// How it was found.
        was_on: bool,
    },
    /// A cache is not as it was found.
    #[error(
        "THE WRITE CACHE OF {disk} IS NOT AS IT WAS FOUND ({}): {why}; put it back by hand: {by_hand}",
        word(*.was_on)
    )]
    Failed {
        /// Kernel name of the disk whose cache it is.
        disk: String,
        /// How it was found.
        was_on: bool,
        /// Why the cache could not be put back, as a sentence.
        why: Text,
        /// The command that puts it back.
        by_hand: String,
    },
}

/// Finds the drives and their states, says so, waits for the end of the run, and puts
/// back what is different by then. False if something is left as it should not be.
pub fn keep(drives: &[PathBuf], tell: &dyn Fn(&PutBack)) -> bool {
    let kept = match find(drives) {
        Ok(kept) => kept,
        Err(error) => {
            let _ = writeln!(io::stdout(), "{error}");
            return false;
        }
    };
    let lines: String = kept
        .iter()
        .map(|it| format!("{FOUND} {}\n", it.was_on))
        .collect();
    let written = io::stdout().write_all(lines.as_bytes());
    if written.and_then(|()| io::stdout().flush()).is_ok() {
        // The run writes nothing; what ends this is the end of the run.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
    }
    let mut is_all_done = true;
    for drive in &kept {
        let done = drive.put_back();
        is_all_done &= !matches!(done, Some(PutBack::Failed { .. }));
        done.iter().for_each(tell);
    }
    is_all_done
}

/// Why a drive is not kept.
#[derive(Debug, sokudo_words::Error)]
enum KeepCacheError {
    #[error("signals cannot be blocked: {0}")]
    Signal(io::Error),
    #[error(transparent)]
    Cache(#[from] WriteCacheError),
    #[error("another run has switched the write cache of {disk} ({source}); wait until it is done")]
    Claimed { disk: String, source: io::Error },
}

/// A drive as it was found.
struct OriginalCache {
    switch: WriteCacheSwitch,
    was_on: bool,
    kernel_view: Option<String>,
    /// Held as long as this drive is ours: no second run switches the same cache.
    _claim: UnixListener,
}

fn find(drives: &[PathBuf]) -> Result<Vec<OriginalCache>, KeepCacheError> {
    // Neither the terminal's Ctrl-C nor its end may reach us, nor whoever ends the run.
    // A process that already leads a session has none of that terminal anyway.
    let _ = rustix::process::setsid();
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))
            .map_err(KeepCacheError::Signal)?;
    }
    drives
        .iter()
        .map(|path| {
            let switch = WriteCacheSwitch::open(&System::host(), path)?;
            let claim = claim(&switch)?;
            Ok(OriginalCache {
                was_on: switch.state()?,
                kernel_view: switch.kernel_view(),
                switch,
                _claim: claim,
            })
        })
        .collect()
}

/// A name that one process of the machine can have, and that is free when it ends.
fn claim(switch: &WriteCacheSwitch) -> Result<UnixListener, KeepCacheError> {
    let name = format!("sokudo write cache of {}", switch.number());
    SocketAddr::from_abstract_name(name)
        .and_then(|address| UnixListener::bind_addr(&address))
        .map_err(|source| KeepCacheError::Claimed {
            disk: switch.disk().to_owned(),
            source,
        })
}

impl OriginalCache {
    /// What was done; `None` if the drive was as it was found.
    fn put_back(&self) -> Option<PutBack> {
        let mut last = Text::default();
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                std::thread::sleep(PAUSE);
            }
            match self.try_to_put_back() {
                Ok(was_switched) => {
                    return was_switched.then(|| PutBack::Done {
                        disk: self.switch.disk().to_owned(),
                        was_on: self.was_on,
                    });
                }
                Err(why) => last = why,
            }
        }
        Some(PutBack::Failed {
            disk: self.switch.disk().to_owned(),
            was_on: self.was_on,
            why: last,
            by_hand: self.switch.by_hand(self.was_on),
        })
    }

    /// Whether the cache had to be switched.
    fn try_to_put_back(&self) -> Result<bool, Text> {
        let as_text = |error: WriteCacheError| text!("{error}");
        let is_different = self.switch.state().map_err(as_text)? != self.was_on;
        if is_different {
            self.switch.set(self.was_on).map_err(as_text)?;
        }
        if let Some(view) = &self.kernel_view
            && self.switch.kernel_view().as_ref() != Some(view)
        {
            self.switch
                .set_kernel_view(view)
                .map_err(|error| text!("the kernel's own view of it cannot be set: {error}"))?;
        }
        Ok(is_different)
    }
}

fn word(on: bool) -> Text {
    (if on { "on" } else { "off" }).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_argument_makes_a_keeper() {
        let of = |words: &[&str]| drives_of(words.iter().map(OsString::from));
        assert_eq!(of(&["sokudo"]), None);
        assert_eq!(of(&["sokudo", "mark", ARGUMENT]), None);
        assert_eq!(
            of(&["sokudo", ARGUMENT, "/dev/sda"]),
            Some(vec![PathBuf::from("/dev/sda")])
        );
    }
}
