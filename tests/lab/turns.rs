//! Tests of the lab run side by side. Each says what it has for itself, and begins when nobody else has
//! any of it: no two use one disk at once, whatever their number and order.

use std::io::Write;
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Instant;

/// All arrays of md, with the name /dev/md9.
pub(crate) const ARRAYS: &str = "arrays";

/// The name `lab` among the devices of device-mapper.
pub(crate) const MAPPED: &str = "mapped";

/// As many as the guest has processors.
const AT_ONCE_MAX: usize = 2;

/// What a test has for itself.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Share {
    /// Disks by their names in lab/boot, and the names above.
    Of(&'static [&'static str]),
    /// The whole machine.
    All,
}

impl Share {
    fn can_be_beside(self, other: Self) -> bool {
        match (self, other) {
            (Self::Of(mine), Self::Of(others)) => !mine.iter().any(|it| others.contains(it)),
            _ => false,
        }
    }

    pub(crate) fn has(self, name: &str) -> bool {
        match self {
            Self::Of(names) => names.contains(&name),
            Self::All => true,
        }
    }
}

/// The shares of the tests that run.
static TAKEN: Mutex<Vec<Share>> = Mutex::new(Vec::new());
static GIVEN_BACK: Condvar = Condvar::new();

/// A test that runs; its end is told, as it is.
pub(crate) struct Turn {
    pub(crate) share: Share,
    began: Instant,
}

impl Turn {
    /// Waits until nobody has any of this.
    pub(crate) fn wait_for(share: Share) -> Self {
        let taken = TAKEN.lock().unwrap();
        let must_wait = |taken: &mut Vec<Share>| {
            taken.len() == AT_ONCE_MAX || !taken.iter().all(|other| share.can_be_beside(*other))
        };
        GIVEN_BACK.wait_while(taken, must_wait).unwrap().push(share);
        Self {
            share,
            began: Instant::now(),
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut taken = TAKEN.lock().unwrap();
        let place = taken.iter().position(|it| *it == self.share);
        taken.swap_remove(place.expect("it was taken"));
        drop(taken);
        GIVEN_BACK.notify_all();
        let seconds = self.began.elapsed().as_secs();
        let test = thread::current();
        let test = test.name().unwrap_or_default();
        let told = match thread::panicking() {
            true => format!("FAILED  {seconds:4} s  {test}\nalone: lab/run {test}\n"),
            false => format!("ok      {seconds:4} s  {test}\n"),
        };
        // In one piece: others print, too.
        let _ = std::io::stdout().write_all(told.as_bytes());
    }
}
