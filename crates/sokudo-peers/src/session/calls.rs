//! The calls that all take part in.

use std::time::Instant;

use super::{Answer, BRISK, CallResult, Farewell, PeerSession, PendingCall, State, number_of};
use crate::error::LossCause;
use crate::message::{Call, Message};
use crate::round::OutOfStep;

/// Nobody's clock is so uncertain: who asks for more would have all wait for ever.
const LEAD_NS_MAX: u64 = 60_000_000_000;

impl PeerSession<'_> {
    /// At the first: somebody has come.
    pub(super) fn come(&mut self, rank: u32, number: u64, call: Call, bytes: Vec<u8>) {
        // Sent before it was told to stop.
        if self.fate.is_some() && call != Call::Leave {
            return;
        }
        let come = self.round.come(rank, number, call, bytes);
        match come.and_then(|()| self.round.complete()) {
            Ok(Some(all)) => self.complete(all),
            Ok(None) => {}
            Err(OutOfStep(rank)) => self.lose(rank, LossCause::OutOfStep),
        }
    }

    /// At the first: all have come.
    pub(super) fn complete(&mut self, all: Vec<Vec<u8>>) {
        // Where somebody was lost since, the first no longer waits.
        let Some(PendingCall {
            number,
            call,
            answer,
        }) = self.waiting.take()
        else {
            return;
        };
        let (payload, outcome) = match call {
            Call::Gather => (Vec::new(), CallResult::Gathered(all)),
            Call::Broadcast => {
                let bytes = all.into_iter().next().unwrap_or_default();
                (bytes.clone(), CallResult::Bytes(bytes))
            }
            Call::Start => {
                let leads = all.iter().filter_map(|it| number_of(it));
                let lead_ns = leads.max().unwrap_or_default().min(LEAD_NS_MAX);
                let at_ns = self.me.clock.now_ns() + lead_ns;
                let bytes = at_ns.to_le_bytes().to_vec();
                (bytes.clone(), CallResult::Bytes(bytes))
            }
            Call::Leave => (Vec::new(), CallResult::Bytes(Vec::new())),
        };
        self.post_to_others(&Message::Release {
            number,
            call,
            bytes: payload,
        });
        self.finish(call, answer, outcome);
    }

    /// At the others: what the first says when all have come.
    pub(super) fn release(&mut self, number: u64, call: Call, bytes: Vec<u8>) {
        let is_meant = |waiting: &mut PendingCall| {
            waiting.call == call && (waiting.number == number || call == Call::Leave)
        };
        // What was stopped is over, whatever comes of it.
        if let Some(waiting) = self.waiting.take_if(is_meant) {
            self.finish(call, waiting.answer, CallResult::Bytes(bytes));
        }
    }

    pub(super) fn finish(&mut self, call: Call, answer: Answer<CallResult>, outcome: CallResult) {
        if call == Call::Leave {
            // What comes now takes a bounded time, and the second answer says how it went.
            let _ = answer.send(Ok(outcome));
            let now = Instant::now();
            let linger = self.transport.linger() * u32::from(self.me.count > 1);
            let farewell = Farewell {
                // Until the others have heard of it.
                quiet_from: now + linger / 2 * u32::from(self.is_first()),
                leave_at: now + linger,
                until: now + self.me.timeouts.leave,
            };
            self.state = State::Leaving(answer, farewell);
        } else {
            self.brisk_until = Instant::now() + BRISK;
            let _ = answer.send(Ok(outcome));
        }
    }
}
