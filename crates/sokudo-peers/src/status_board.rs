//! What the background thread and the callers tell each other without a call.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Notice;

type Watch = Box<dyn Fn(Notice) + Send>;

/// The statuses of all peers and the notices. They are apart, so that who watches may say something.
#[derive(Clone, Default)]
pub(crate) struct StatusBoard {
    statuses: Arc<Mutex<Statuses>>,
    notices: Arc<Mutex<Notices>>,
}

#[derive(Default)]
struct Statuses {
    own: Vec<u8>,
    heard: Vec<Option<Vec<u8>>>,
}

#[derive(Default)]
struct Notices {
    watch: Option<Watch>,
    /// What came while nobody watched.
    unseen: Vec<Notice>,
}

impl StatusBoard {
    pub(crate) fn new(count: u32) -> Self {
        let board = Self::default();
        locked(&board.statuses).heard = vec![None; count as usize];
        board
    }

    pub(crate) fn say(&self, status: Vec<u8>) {
        locked(&self.statuses).own = status;
    }

    pub(crate) fn status(&self) -> Vec<u8> {
        locked(&self.statuses).own.clone()
    }

    pub(crate) fn hear(&self, rank: u32, status: Vec<u8>) {
        locked(&self.statuses).heard[rank as usize] = Some(status);
    }

    pub(crate) fn heard(&self) -> Vec<Option<Vec<u8>>> {
        locked(&self.statuses).heard.clone()
    }

    pub(crate) fn watch(&self, watch: Watch) {
        let mut notices = locked(&self.notices);
        notices.unseen.drain(..).for_each(&watch);
        notices.watch = Some(watch);
    }

    pub(crate) fn notice(&self, notice: Notice) {
        let mut notices = locked(&self.notices);
        match &notices.watch {
            Some(watch) => watch(notice),
            None => notices.unseen.push(notice),
        }
    }
}

/// A watcher may panic; what is known stays good.
fn locked<T>(known: &Mutex<T>) -> MutexGuard<'_, T> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}
