//! What peers say to each other: little-endian numbers, and bytes behind their length.

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
        let mut to = PayloadWriter(Vec::new());
        match self {
            Self::Hello { version, host } => {
                to.byte(1);
                to.string(version);
                to.host(host);
            }
            Self::Welcome { hosts } => {
                to.byte(2);
                to.number(hosts.len() as u64);
                hosts.iter().for_each(|host| to.host(host));
            }
            Self::OtherVersion {
                rank,
                host,
                theirs,
                firsts,
            } => {
                to.byte(3);
                to.small(*rank);
                [host, theirs, firsts]
                    .into_iter()
                    .for_each(|it| to.string(it));
            }
            Self::Come {
                number,
                call,
                bytes,
            } => to.call(4, *number, *call, bytes),
            Self::Release {
                number,
                call,
                bytes,
            } => to.call(5, *number, *call, bytes),
            Self::Beat { status } => {
                to.byte(6);
                to.bytes(status);
            }
            Self::Stop => to.byte(7),
            Self::Lost { rank, host, cause } => {
                to.byte(8);
                to.small(*rank);
                to.string(host);
                to.cause(cause);
            }
            Self::ClockWish => to.byte(9),
            Self::ClockGranted => to.byte(10),
            Self::Ping { number } => {
                to.byte(11);
                to.small(*number);
            }
            Self::Pong {
                number,
                received_ns,
                answered_ns,
            } => {
                to.byte(12);
                to.small(*number);
                to.number(*received_ns);
                to.number(*answered_ns);
            }
            Self::ClockDone => to.byte(13),
        }
        to.0
    }

    /// `None` if it is none, or there is something behind it.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut from = PayloadReader(bytes);
        let message = match from.byte()? {
            1 => Self::Hello {
                version: from.string()?,
                host: from.host()?,
            },
            2 => {
                let count = from.number()?;
                // Each takes at least the bytes of its numbers: a made-up count ends soon.
                let hosts = (0..count).map(|_| from.host()).collect::<Option<_>>()?;
                Self::Welcome { hosts }
            }
            3 => Self::OtherVersion {
                rank: from.small()?,
                host: from.string()?,
                theirs: from.string()?,
                firsts: from.string()?,
            },
            4 => {
                let (number, call, bytes) = from.call()?;
                Self::Come {
                    number,
                    call,
                    bytes,
                }
            }
            5 => {
                let (number, call, bytes) = from.call()?;
                Self::Release {
                    number,
                    call,
                    bytes,
                }
            }
            6 => Self::Beat {
                status: from.bytes(STATUS_BYTES_MAX)?.to_vec(),
            },
            7 => Self::Stop,
            8 => Self::Lost {
                rank: from.small()?,
                host: from.string()?,
                cause: from.cause()?,
            },
            9 => Self::ClockWish,
            10 => Self::ClockGranted,
            11 => Self::Ping {
                number: from.small()?,
            },
            12 => Self::Pong {
                number: from.small()?,
                received_ns: from.number()?,
                answered_ns: from.number()?,
            },
            13 => Self::ClockDone,
            _ => return None,
        };
        from.0.is_empty().then_some(message)
    }
}

struct PayloadWriter(Vec<u8>);

impl PayloadWriter {
    fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    fn small(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend(bytes);
    }

    /// What is too long is cut: it is for people.
    fn string(&mut self, string: &str) {
        let ends = (0..=string.len().min(STRING_BYTES_MAX)).rev();
        let end = ends.into_iter().find(|end| string.is_char_boundary(*end));
        self.bytes(&string.as_bytes()[..end.unwrap_or(0)]);
    }

    fn host(&mut self, host: &PeerHost) {
        self.string(&host.name);
        self.string(&host.key);
        self.small(host.pid);
    }

    fn call(&mut self, kind: u8, number: u64, call: Call, bytes: &[u8]) {
        self.byte(kind);
        self.number(number);
        self.byte(match call {
            Call::Gather => 0,
            Call::Broadcast => 1,
            Call::Start => 2,
            Call::Leave => 3,
        });
        self.bytes(bytes);
    }

    fn cause(&mut self, cause: &LossCause) {
        match cause {
            LossCause::Silent(time) => {
                self.byte(0);
                self.number(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
            }
            LossCause::Unreachable(why) => {
                self.byte(1);
                self.string(why);
            }
            LossCause::Gone => self.byte(2),
            LossCause::Garbled => self.byte(3),
            LossCause::OutOfStep => self.byte(4),
        }
    }
}

struct PayloadReader<'a>(&'a [u8]);

impl<'a> PayloadReader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    fn small(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn number(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn bytes(&mut self, most: usize) -> Option<&'a [u8]> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= most).then(|| self.take(count))?
    }

    /// Printed in messages, so that nothing in it may command a terminal.
    fn string(&mut self) -> Option<String> {
        let text = str::from_utf8(self.bytes(STRING_BYTES_MAX)?).ok()?;
        (!text.contains(char::is_control)).then(|| text.to_owned())
    }

    fn host(&mut self) -> Option<PeerHost> {
        Some(PeerHost {
            name: self.string()?,
            key: self.string()?,
            pid: self.small()?,
        })
    }

    fn call(&mut self) -> Option<(u64, Call, Vec<u8>)> {
        let number = self.number()?;
        let call = match self.byte()? {
            0 => Call::Gather,
            1 => Call::Broadcast,
            2 => Call::Start,
            3 => Call::Leave,
            _ => return None,
        };
        // The mail has held the whole message to its limit.
        let bytes = self.bytes(usize::MAX)?.to_vec();
        Some((number, call, bytes))
    }

    fn cause(&mut self) -> Option<LossCause> {
        Some(match self.byte()? {
            0 => LossCause::Silent(std::time::Duration::from_nanos(self.number()?)),
            1 => LossCause::Unreachable(self.string()?),
            2 => LossCause::Gone,
            3 => LossCause::Garbled,
            4 => LossCause::OutOfStep,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

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
