//! What arrives from others, and what follows upon it.

use std::time::Instant;

use super::{BRISK, Fate, PeerSession};
use crate::error::{LossCause, PeerError};
use crate::mail::Arrival;
use crate::message::Message;
use crate::pings::pong;
use crate::transport::Unreachable;

/// Messages that are looked at before anything else is done again.
const ARRIVALS_MAX: usize = 1024;

impl PeerSession<'_> {
    pub(super) fn receive(&mut self) -> Result<bool, Unreachable> {
        let mut has_received = false;
        for (from, frame) in std::mem::take(&mut self.postponed) {
            self.arrived(from, &frame);
        }
        for _ in 0..ARRIVALS_MAX {
            let Some((from, frame)) = self.transport.receive()? else {
                break;
            };
            has_received = true;
            self.arrived(from, &frame);
        }
        Ok(has_received)
    }

    fn arrived(&mut self, from: u32, frame: &[u8]) {
        self.beats.heard(from, Instant::now());
        let is_expected = from < self.me.count && (self.is_first() || from == 0);
        let arrival = match is_expected {
            true => self.mail.arrived(from, frame),
            false => Arrival::Garbled,
        };
        match arrival {
            Arrival::Message(message) => {
                let is_understood = match self.is_first() {
                    true => self.of_another(from, message),
                    false => self.of_the_first(message),
                };
                if !is_understood {
                    self.lose(from, LossCause::Garbled);
                }
            }
            Arrival::Part => {}
            Arrival::OtherProtocol { protocol, payload } => {
                self.other_protocol(from, protocol, &payload);
            }
            Arrival::Garbled => self.lose(from, LossCause::Garbled),
        }
    }

    /// At the first. Whether such a message may come.
    fn of_another(&mut self, from: u32, message: Message) -> bool {
        if !matches!(message, Message::Beat { .. }) {
            self.brisk_until = Instant::now() + BRISK;
        }
        match message {
            Message::Hello { version, host } if self.is_joining() => {
                self.hello(from, version, host);
            }
            Message::Come {
                number,
                call,
                bytes,
            } => self.come(from, number, call, bytes),
            Message::Beat { status } => {
                self.board.hear(from, status);
                let status = self.board.status();
                self.mail.post(from, &Message::Beat { status });
            }
            Message::Stop => self.stop(),
            // Everybody speaks for himself.
            Message::Lost { rank, cause, .. } if rank == from => self.lose(from, cause),
            Message::ClockWish => self.clock_wishes.push(from),
            Message::Ping { number } => {
                let received_ns = self.me.clock.now_ns();
                let pong = pong(number, received_ns, &self.me.clock);
                self.mail.post(from, &pong);
            }
            Message::ClockDone => self.granted = None,
            _ => return false,
        }
        true
    }

    /// At the others. Whether such a message may come.
    fn of_the_first(&mut self, message: Message) -> bool {
        match message {
            Message::Welcome { hosts }
                if self.is_joining() && hosts.len() == self.me.count as usize =>
            {
                self.joined(hosts);
            }
            Message::OtherVersion {
                rank,
                host,
                theirs,
                firsts,
            } => self.not_joined(PeerError::OtherVersion {
                rank,
                host,
                theirs,
                firsts,
            }),
            Message::Release {
                number,
                call,
                bytes,
            } => self.release(number, call, bytes),
            Message::Beat { status } => self.board.hear(0, status),
            Message::Stop => self.stop(),
            Message::Lost { rank, host, cause } => self.doom(Fate::Lost { rank, host, cause }),
            Message::ClockGranted => self.granted = Some((0, Instant::now())),
            // Of an answer that was no longer waited for.
            Message::Pong { .. } => {}
            _ => return false,
        }
        true
    }

    fn other_protocol(&mut self, from: u32, protocol: u16, payload: &[u8]) {
        // As versions name what is beside them.
        let beside = format!("+protocol.{protocol}");
        match Message::decode(payload) {
            Some(Message::Hello { version, host }) if self.is_first() && self.is_joining() => {
                self.hello(from, version + &beside, host);
            }
            _ if self.is_first() => self.lose(from, LossCause::Garbled),
            _ => self.not_joined(PeerError::OtherVersion {
                rank: self.me.rank,
                host: self.me.host.name.clone(),
                theirs: self.me.version.clone(),
                firsts: format!("?{beside}"),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;
    use crate::clock::OwnClock;
    use crate::faults::Faults;
    use crate::host::PeerHost;
    use crate::limits::Timeouts;
    use crate::message::Call;
    use crate::session::{CallResult, PeerIdentity, number_of};
    use crate::status_board::StatusBoard;
    use crate::within::within;

    const LEAD_NS: [u8; 8] = 1_000_u64.to_le_bytes();

    /// The first of two, which have joined, after `what` was done to it.
    fn first(what: impl FnOnce(&mut PeerSession<'_>)) {
        let mut transport = within(2, &Faults::none()).remove(0);
        let me = PeerIdentity {
            rank: 0,
            count: 2,
            version: "1".to_owned(),
            host: PeerHost::own(),
            clock: OwnClock::default(),
            timeouts: Timeouts::default(),
        };
        let (join, joined) = channel();
        let mut session = PeerSession::new(&mut transport, me, StatusBoard::new(2), join);
        assert!(session.of_another(1, hello()));
        joined.recv().unwrap().unwrap();
        what(&mut session);
    }

    fn hello() -> Message {
        Message::Hello {
            version: "1".to_owned(),
            host: PeerHost::own(),
        }
    }

    fn call(
        session: &mut PeerSession<'_>,
        call: Call,
        bytes: &[u8],
    ) -> Receiver<Result<CallResult, PeerError>> {
        let (answer, answered) = channel();
        session.call(call, bytes.to_vec(), answer);
        answered
    }

    fn come(call: Call, bytes: &[u8]) -> Message {
        Message::Come {
            number: 0,
            call,
            bytes: bytes.to_vec(),
        }
    }

    #[test]
    fn who_comes_after_the_first_has_given_up_waiting_ends_nothing() {
        first(|session| {
            let answered = call(session, Call::Leave, &[]);
            session.lose(1, LossCause::Garbled);
            assert!(session.of_another(1, come(Call::Leave, &[])));
            assert!(matches!(answered.recv(), Ok(Err(PeerError::Lost { .. }))));
        });
    }

    #[test]
    fn who_says_hello_again_takes_nobody_back_to_the_joining() {
        first(|session| {
            let answered = call(session, Call::Leave, &[]);
            assert!(session.of_another(1, come(Call::Leave, &[])));
            assert!(matches!(answered.recv(), Ok(Ok(_))));
            assert!(!session.of_another(1, hello()));
            assert!(matches!(session.state, super::super::State::Leaving(..)));
        });
    }

    #[test]
    fn nobody_has_the_others_wait_for_ever_for_the_start() {
        first(|session| {
            let before = session.me.clock.now_ns();
            let answered = call(session, Call::Start, &LEAD_NS);
            assert!(session.of_another(1, come(Call::Start, &u64::MAX.to_le_bytes())));
            let Ok(Ok(CallResult::Bytes(at))) = answered.recv() else {
                panic!("it starts");
            };
            let lead_ns = number_of(&at).unwrap() - before;
            assert!(lead_ns < 3_600_000_000_000, "{lead_ns}");
        });
    }
}
