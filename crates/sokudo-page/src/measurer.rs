//! Asking the process that measures, and waiting for what it answers.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sokudo_words::{Error, spoken};
use tokio::sync::{mpsc, oneshot};

use crate::locked;
use crate::message::Ask;
use crate::pipe::Frame;

/// A report of a hundred runs takes a fraction of it.
const ANSWER_TIME: Duration = Duration::from_secs(120);
/// More browsers than can be signed in do not ask at once.
const WAITING_MAX: usize = 32;

pub(crate) struct MeasurerClient {
    asks: mpsc::Sender<Frame<Ask>>,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Reply>>>,
    next: AtomicU64,
}

/// Answer of the measuring process to one question.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) ok: bool,
    pub(crate) kind: String,
    pub(crate) name: Option<String>,
    pub(crate) bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum Unanswered {
    #[error("sokudo is busy; try again in a few seconds")]
    Busy,
    #[error("sokudo gave no answer within two minutes; try again when the run is over")]
    Late,
    #[error("sokudo has ended; start sokudo page again")]
    Ended,
}

/// An answer that is waited for. Dropping it forgets who waits, also where the browser goes away.
struct PendingAnswer<'m> {
    measurer: &'m MeasurerClient,
    id: u64,
}

impl MeasurerClient {
    pub(crate) fn new(asks: mpsc::Sender<Frame<Ask>>) -> Self {
        Self {
            asks,
            waiting: Mutex::default(),
            next: AtomicU64::new(1),
        }
    }

    /// Asks what `ask` makes of a number and the language that is spoken, and waits for the answer to it.
    ///
    /// # Errors
    /// When too many wait, or none comes in time.
    pub(crate) async fn ask(
        &self,
        ask: impl FnOnce(u64, String) -> Ask,
    ) -> Result<Reply, Unanswered> {
        self.ask_with(Vec::new(), ask).await
    }

    /// The same about these bytes.
    pub(crate) async fn ask_with(
        &self,
        bytes: Vec<u8>,
        ask: impl FnOnce(u64, String) -> Ask,
    ) -> Result<Reply, Unanswered> {
        let (sender, receiver) = oneshot::channel();
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        {
            let mut waiting = locked(&self.waiting);
            if waiting.len() >= WAITING_MAX {
                return Err(Unanswered::Busy);
            }
            waiting.insert(id, sender);
        }
        let _waiting = PendingAnswer { measurer: self, id };
        let message = ask(id, spoken().code().to_owned());
        let frame = Frame { message, bytes };
        self.asks.try_send(frame).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => Unanswered::Busy,
            mpsc::error::TrySendError::Closed(_) => Unanswered::Ended,
        })?;
        match tokio::time::timeout(ANSWER_TIME, receiver).await {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(_)) => Err(Unanswered::Ended),
            Err(_) => Err(Unanswered::Late),
        }
    }

    /// Hands an answer to who waits for it, if anybody still does.
    pub(crate) fn answer(&self, id: u64, reply: Reply) {
        if let Some(sender) = locked(&self.waiting).remove(&id) {
            // The browser may have gone away.
            drop(sender.send(reply));
        }
    }
}

impl Drop for PendingAnswer<'_> {
    fn drop(&mut self) {
        locked(&self.measurer.waiting).remove(&self.id);
    }
}
