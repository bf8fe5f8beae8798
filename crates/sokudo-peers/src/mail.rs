//! Messages in frames: what is to be sent, a few frames at a time, and what has come in part.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::frame::{FrameKind, PAYLOAD_BYTES_MAX, PROTOCOL, decode, encode};
use crate::limits::MESSAGE_BYTES_MAX;
use crate::message::Message;
use crate::transport::{Transport, Unreachable};

/// Frames on their way to one rank: enough to use a network while the thread sleeps a
/// millisecond, few enough that a beat is not long behind them.
const UNSENT_MAX: usize = 8;

/// A message of a call, with what stands around its bytes.
const ENCODED_BYTES_MAX: usize = MESSAGE_BYTES_MAX + 64;

/// What came, of one rank.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    Message(Message),
    /// Half of one; a sign of life.
    Part,
    /// Of another version of the protocol.
    OtherProtocol {
        protocol: u16,
        payload: Vec<u8>,
    },
    Garbled,
}

#[derive(Default)]
struct Outgoing {
    /// Messages sent whole, before any part of `parts`.
    whole: VecDeque<Vec<u8>>,
    /// Messages in parts, and how much of the first has gone.
    parts: VecDeque<Arc<[u8]>>,
    gone: usize,
}

/// What is to be sent and what has come in part, for each rank.
pub(crate) struct Mail {
    outgoing: Vec<Outgoing>,
    incoming: Vec<Vec<u8>>,
}

impl Mail {
    pub(crate) fn new(count: u32) -> Self {
        Self {
            outgoing: (0..count).map(|_| Outgoing::default()).collect(),
            incoming: (0..count).map(|_| Vec::new()).collect(),
        }
    }

    pub(crate) fn post(&mut self, to: u32, message: &Message) {
        self.post_encoded(to, &message.encode().into());
    }

    /// The same bytes to many are there once.
    pub(crate) fn post_encoded(&mut self, to: u32, message: &Arc<[u8]>) {
        let outgoing = &mut self.outgoing[to as usize];
        // A small one of a call may not overtake a larger one before it, and does not: a call
        // is over before the next begins.
        match message.len() <= PAYLOAD_BYTES_MAX {
            true => outgoing.whole.push_back(encode(FrameKind::Whole, message)),
            false => outgoing.parts.push_back(Arc::clone(message)),
        }
    }

    /// Gives the transport as much as it should have. Whether it was given anything.
    pub(crate) fn send(&mut self, transport: &mut dyn Transport) -> Result<bool, Unreachable> {
        let mut is_anything = false;
        for (outgoing, to) in self.outgoing.iter_mut().zip(0..) {
            if outgoing.whole.is_empty() && outgoing.parts.is_empty() {
                continue;
            }
            for _ in transport.unsent(to)..UNSENT_MAX {
                let Some(frame) = outgoing.next() else {
                    break;
                };
                transport.send(to, frame)?;
                is_anything = true;
            }
        }
        Ok(is_anything)
    }

    /// Whether everything is on its way.
    pub(crate) fn is_sent(&self, transport: &mut dyn Transport) -> bool {
        self.outgoing.iter().zip(0..).all(|(outgoing, to)| {
            outgoing.whole.is_empty() && outgoing.parts.is_empty() && transport.unsent(to) == 0
        })
    }

    pub(crate) fn arrived(&mut self, from: u32, frame: &[u8]) -> Arrival {
        let Some(frame) = decode(frame) else {
            return Arrival::Garbled;
        };
        if frame.protocol != PROTOCOL {
            return Arrival::OtherProtocol {
                protocol: frame.protocol,
                payload: frame.payload.to_vec(),
            };
        }
        let read = |bytes: &[u8]| Message::decode(bytes).map_or(Arrival::Garbled, Arrival::Message);
        if frame.kind == FrameKind::Whole {
            return read(frame.payload);
        }
        let incoming = &mut self.incoming[from as usize];
        if incoming.len() + frame.payload.len() > ENCODED_BYTES_MAX {
            return Arrival::Garbled;
        }
        incoming.extend(frame.payload);
        match frame.kind {
            FrameKind::LastPart => read(&std::mem::take(incoming)),
            _ => Arrival::Part,
        }
    }
}

impl Outgoing {
    fn next(&mut self) -> Option<Vec<u8>> {
        if let Some(whole) = self.whole.pop_front() {
            return Some(whole);
        }
        let rest = &self.parts.front()?[self.gone..];
        if rest.len() > PAYLOAD_BYTES_MAX {
            self.gone += PAYLOAD_BYTES_MAX;
            return Some(encode(FrameKind::Part, &rest[..PAYLOAD_BYTES_MAX]));
        }
        let frame = encode(FrameKind::LastPart, rest);
        self.parts.pop_front();
        self.gone = 0;
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Call;

    fn large(bytes: usize) -> Message {
        Message::Come {
            number: 1,
            call: Call::Gather,
            bytes: vec![7; bytes],
        }
    }

    #[test]
    fn a_beat_overtakes_a_large_message_which_arrives_whole() {
        let mut mail = Mail::new(2);
        mail.post(1, &large(100_000));
        let mut frames = vec![mail.outgoing[1].next().unwrap()];
        mail.post(1, &Message::Stop);
        frames.extend(std::iter::from_fn(|| mail.outgoing[1].next()));
        let mut there = Mail::new(2);
        let mut arrived: Vec<Arrival> = frames.iter().map(|it| there.arrived(0, it)).collect();
        assert_eq!(arrived.remove(1), Arrival::Message(Message::Stop));
        assert_eq!(arrived.pop(), Some(Arrival::Message(large(100_000))));
        assert!(arrived.iter().all(|it| *it == Arrival::Part));
        assert_eq!(arrived.len(), 3);
    }

    #[test]
    fn parts_without_an_end_are_not_kept_for_ever() {
        let mut mail = Mail::new(1);
        let frame = encode(FrameKind::Part, &[0; PAYLOAD_BYTES_MAX]);
        let most = ENCODED_BYTES_MAX / PAYLOAD_BYTES_MAX;
        for _ in 0..most {
            assert_eq!(mail.arrived(0, &frame), Arrival::Part);
        }
        assert_eq!(mail.arrived(0, &frame), Arrival::Garbled);
    }
}
