//! What ends it for all: a stop, or a loss.

use std::sync::Arc;

use super::{Fate, PeerSession, PendingCall, State};
use crate::error::{LossCause, Notice};
use crate::host::PeerHost;
use crate::message::{Call, Message};
use crate::transport::Unreachable;

impl PeerSession<'_> {
    pub(super) fn stop(&mut self) {
        if self.fate.is_none() {
            self.post_to_others(&Message::Stop);
            self.round.stop();
            self.doom(Fate::Stopped);
        }
    }

    pub(super) fn unreachable(&mut self, error: Unreachable) {
        // The others know of nobody but the first.
        let rank = error.rank.filter(|_| self.is_first()).unwrap_or(0);
        self.lose(rank, LossCause::Unreachable(error.why));
    }

    /// Tells everybody, and the caller.
    pub(super) fn lose(&mut self, rank: u32, cause: LossCause) {
        if matches!(self.state, State::Leaving(..) | State::Over) {
            return;
        }
        let host = self.hosts.get(rank as usize).cloned().flatten();
        let host = host.unwrap_or_else(PeerHost::unknown).name;
        if self.is_first() && !matches!(self.fate, Some(Fate::Lost { .. })) {
            self.post_to_others(&Message::Lost {
                rank,
                host: host.clone(),
                cause: cause.clone(),
            });
        }
        self.doom(Fate::Lost { rank, host, cause });
    }

    /// Whoever waits is told, and so is who watches; of several losses the first.
    pub(super) fn doom(&mut self, fate: Fate) {
        let is_lost = |fate: &Fate| matches!(fate, Fate::Lost { .. });
        if self.fate.as_ref().is_some_and(is_lost) {
            return;
        }
        let notice = match fate.clone() {
            Fate::Stopped => Notice::Stop,
            Fate::Lost { rank, host, cause } => Notice::Lost { rank, host, cause },
        };
        let ends_it = |waiting: &mut PendingCall| is_lost(&fate) || waiting.call != Call::Leave;
        if let Some(waiting) = self.waiting.take_if(ends_it) {
            let _ = waiting.answer.send(Err(fate.clone().into()));
        }
        if let Some(answer) = self.clock_answer.take() {
            let _ = answer.send(Err(fate.clone().into()));
        }
        if matches!(self.state, State::Joining(..)) {
            self.not_joined(fate.clone().into());
        }
        self.fate = Some(fate);
        self.board.notice(notice);
    }

    /// The first to all others, another to the first.
    pub(super) fn post_to_others(&mut self, message: &Message) {
        let encoded: Arc<[u8]> = message.encode().into();
        let to = if self.is_first() {
            1..self.me.count
        } else {
            0..1
        };
        to.for_each(|rank| self.mail.post_encoded(rank, &encoded));
    }
}
