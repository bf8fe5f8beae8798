//! What peers say to each other: little-endian numbers, and bytes behind their length.

use std::time::Duration;

use crate::error::LossCause;
use crate::host::PeerHost;
use crate::limits::STATUS_BYTES_MAX;

/// Longer than any host name (64), key, version, or MPI's words for an error.
const STRING_BYTES_MAX: usize = 512;

/// Which call, so that it is noticed if peers are in different ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Gather,
    Broadcast,
    Start,
    /// Comes at any time, and last.
    Leave,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    /// Sent to the first when a process joins.
    Hello {
        version: String,
        host: PeerHost,
    },
    /// From the first, when all have said hello.
    Welcome {
        hosts: Vec<PeerHost>,
    },
    /// From the first, to all: one of them has another version.
    OtherVersion {
        rank: u32,
        host: String,
        theirs: String,
        firsts: String,
    },
    /// To the first: this one has come to a call.
    Come {
        number: u64,
        call: Call,
        bytes: Vec<u8>,
    },
    /// From the first: all have come.
    Release {
        number: u64,
        call: Call,
        bytes: Vec<u8>,
    },
    /// To the first, and its answer.
    Beat {
        status: Vec<u8>,
    },
    /// To the first, and from it to all.
    Stop,
    /// From the first, to all; and of one that goes, to the first.
    Lost {
        rank: u32,
        host: String,
        cause: LossCause,
    },
    /// To the first: may I look at your clock?
    ClockWish,
    /// From the first: now.
    ClockGranted,
    Ping {
        number: u32,
    },
    Pong {
        number: u32,
        received_ns: u64,
        answered_ns: u64,
    },
    ClockDone,
}

impl Message {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.put(&mut bytes);
        bytes
    }

    /// `None` if it is none, or there is something behind it.
    pub(crate) fn decode(mut bytes: &[u8]) -> Option<Self> {
        let message = Self::take(&mut bytes)?;
        let is_too_long =
            matches!(&message, Self::Beat { status } if status.len() > STATUS_BYTES_MAX);
        (bytes.is_empty() && !is_too_long).then_some(message)
    }
}

/// What messages consist of.
trait Wire: Sized {
    fn put(&self, to: &mut Vec<u8>);

    /// Takes it from the front; `None` where it does not stand there.
    fn take(from: &mut &[u8]) -> Option<Self>;
}

/// Each value is a byte, and behind it come its parts.
macro_rules! numbered {
    ($of:ident: $($number:literal $value:ident $({ $($part:ident),+ })? $(($at:tt $inner:ident))?;)+) => {
        impl Wire for $of {
            fn put(&self, to: &mut Vec<u8>) {
                match self {
                    $(Self::$value $({ $($part),+ })? $({ $at: $inner })? => {
                        to.push($number);
                        $($($part.put(to);)+)?
                        $($inner.put(to);)?
                    })+
                }
            }

            fn take(from: &mut &[u8]) -> Option<Self> {
                Some(match u8::take(from)? {
                    $($number => {
                        Self::$value
                            $({ $($part: Wire::take(from)?),+ })?
                            $({ $at: Wire::take(from)? })?
                    })+
                    _ => return None,
                })
            }
        }
    };
}

numbered! { Message:
    1 Hello { version, host };
    2 Welcome { hosts };
    3 OtherVersion { rank, host, theirs, firsts };
    4 Come { number, call, bytes };
    5 Release { number, call, bytes };
    6 Beat { status };
    7 Stop;
    8 Lost { rank, host, cause };
    9 ClockWish;
    10 ClockGranted;
    11 Ping { number };
    12 Pong { number, received_ns, answered_ns };
    13 ClockDone;
}

numbered! { Call:
    0 Gather;
    1 Broadcast;
    2 Start;
    3 Leave;
}

numbered! { LossCause:
    0 Silent(0 time);
    1 Unreachable(0 why);
    2 Gone;
    3 Garbled;
    4 OutOfStep;
}

macro_rules! numbers {
    ($($number:ident)+) => {
        $(impl Wire for $number {
            fn put(&self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }

            fn take(from: &mut &[u8]) -> Option<Self> {
                let (bytes, rest) = from.split_first_chunk()?;
                *from = rest;
                Some(Self::from_le_bytes(*bytes))
            }
        })+
    };
}

numbers! { u8 u32 u64 }

impl Wire for Duration {
    fn put(&self, to: &mut Vec<u8>) {
        let nanos = u64::try_from(self.as_nanos());
        nanos.expect("nobody waits for 500 years").put(to);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        u64::take(from).map(Self::from_nanos)
    }
}

impl Wire for Vec<u8> {
    fn put(&self, to: &mut Vec<u8>) {
        (self.len() as u64).put(to);
        to.extend(self);
    }

    /// The mail has held the whole message to its limit.
    fn take(from: &mut &[u8]) -> Option<Self> {
        bytes(from, usize::MAX).map(<[u8]>::to_vec)
    }
}

impl Wire for String {
    /// What is too long is cut: it is for people.
    fn put(&self, to: &mut Vec<u8>) {
        let mut ends = (0..=self.len().min(STRING_BYTES_MAX)).rev();
        let end = ends.find(|end| self.is_char_boundary(*end));
        self.as_bytes()[..end.unwrap_or(0)].to_vec().put(to);
    }

    /// Printed in messages, so that nothing in it may command a terminal.
    fn take(from: &mut &[u8]) -> Option<Self> {
        let text = str::from_utf8(bytes(from, STRING_BYTES_MAX)?).ok()?;
        (!text.contains(char::is_control)).then(|| text.to_owned())
    }
}

impl Wire for PeerHost {
    fn put(&self, to: &mut Vec<u8>) {
        self.name.put(to);
        self.key.put(to);
        self.pid.put(to);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(Self {
            name: Wire::take(from)?,
            key: Wire::take(from)?,
            pid: Wire::take(from)?,
        })
    }
}

impl Wire for Vec<PeerHost> {
    fn put(&self, to: &mut Vec<u8>) {
        (self.len() as u64).put(to);
        self.iter().for_each(|host| host.put(to));
    }

    /// Each takes at least the bytes of its numbers: a made-up count ends soon.
    fn take(from: &mut &[u8]) -> Option<Self> {
        let count = u64::take(from)?;
        (0..count).map(|_| PeerHost::take(from)).collect()
    }
}

/// Bytes behind their number.
fn bytes<'a>(from: &mut &'a [u8], most: usize) -> Option<&'a [u8]> {
    let count = usize::try_from(u64::take(from)?).ok()?;
    let (taken, rest) = from.split_at_checked(count).filter(|_| count <= most)?;
    *from = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str) -> PeerHost {
        PeerHost {
            name: name.to_owned(),
            key: format!("{name} 1"),
            pid: 7,
        }
    }

    fn all() -> Vec<Message> {
        let lost = |cause| Message::Lost {
            rank: 3,
            host: "c".to_owned(),
            cause,
        };
        let calls = [Call::Gather, Call::Broadcast, Call::Start, Call::Leave];
        let mut all = vec![
            Message::Hello {
                version: "1.2.3".to_owned(),
                host: host("a"),
            },
            Message::Welcome {
                hosts: vec![host("a"), host("b")],
            },
            Message::OtherVersion {
                rank: 1,
                host: "b".to_owned(),
                theirs: "1".to_owned(),
                firsts: "2".to_owned(),
            },
            Message::Beat {
                status: vec![9; STATUS_BYTES_MAX],
            },
            Message::Stop,
            lost(LossCause::Silent(Duration::from_millis(5_001))),
            lost(LossCause::Unreachable("why".to_owned())),
            lost(LossCause::Gone),
            lost(LossCause::Garbled),
            lost(LossCause::OutOfStep),
            Message::ClockWish,
            Message::ClockGranted,
            Message::Ping { number: 4 },
            Message::Pong {
                number: 4,
                received_ns: 5,
                answered_ns: 6,
            },
            Message::ClockDone,
        ];
        for call in calls {
            let (number, bytes) = (8, vec![1, 2]);
            all.push(Message::Come {
                number,
                call,
                bytes: bytes.clone(),
            });
            all.push(Message::Release {
                number,
                call,
                bytes,
            });
        }
        all
    }

    #[test]
    fn every_message_is_read_as_it_was_written() {
        for message in all() {
            assert_eq!(Message::decode(&message.encode()), Some(message));
        }
    }

    #[test]
    fn what_is_cut_short_or_goes_on_is_none() {
        for message in all() {
            let bytes = message.encode();
            for length in 0..bytes.len() {
                assert_eq!(Message::decode(&bytes[..length]), None, "{message:?}");
            }
            assert_eq!(Message::decode(&[&bytes[..], &[0]].concat()), None);
        }
    }

    #[test]
    fn made_up_lengths_and_terminal_commands_are_refused() {
        let count = [&[2][..], &u64::MAX.to_le_bytes()].concat();
        assert_eq!(Message::decode(&count), None);
        let length = [&[6][..], &65_u64.to_le_bytes(), &[0; 65]].concat();
        assert_eq!(Message::decode(&length), None, "a status that is too long");
        let hello = Message::Hello {
            version: "1\x1b[2J".to_owned(),
            host: host("a"),
        };
        assert_eq!(Message::decode(&hello.encode()), None);
    }
}
