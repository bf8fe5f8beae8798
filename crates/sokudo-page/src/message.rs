//! What the two processes say to each other.

use std::fmt;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::event::RunEvent;
use crate::query::Query;
use crate::wish::Wish;

/// Bytes of a result that is uploaded: what is longer, the measurer does not take either.
pub const UPLOAD_BYTES_MAX: usize = 8 << 20;

/// What the web process asks of the measurer. `id` names the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Ask {
    /// It serves, on this port of all its addresses.
    Listening {
        port: u16,
    },
    /// It cannot serve, and ends.
    Failed {
        error: String,
    },
    /// `lang` is the language of whoever asks.
    Plan {
        id: u64,
        lang: String,
        wish: Wish,
    },
    Start {
        id: u64,
        lang: String,
        wish: Wish,
    },
    Stop {
        id: u64,
        run: u64,
    },
    /// Out of the queue.
    Drop {
        id: u64,
        run: u64,
    },
    /// To another position of the queue, from 0.
    Move {
        id: u64,
        run: u64,
        to: usize,
    },
    Query {
        id: u64,
        lang: String,
        query: Query,
    },
}

/// What the measurer tells the web process; the first is a `Hello`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "told", rename_all = "snake_case")]
pub enum MeasurerMessage {
    Hello(Hello),
    /// A code that opens one session within 30 s.
    Code {
        code: String,
    },
    /// Another token that opens sessions which may start runs.
    Token {
        control_token: String,
    },
    /// The bytes behind the line are what was asked for, or what is wrong, as
    /// `{"error": "…"}`.
    Answer {
        id: u64,
        ok: bool,
        kind: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    Queue {
        entries: Vec<QueueEntry>,
    },
    Began {
        run: u64,
        wish: Wish,
        command: String,
    },
    Event {
        run: u64,
        event: RunEvent,
    },
    Ended {
        run: u64,
        /// The exit code of the command line.
        code: i32,
        message: String,
        /// Of one processor, what the page itself has used meanwhile; `None` where that is
        /// unknown.
        page_share: Option<f64>,
    },
}

/// What the web process has to know before it serves.
#[derive(Clone, Serialize, Deserialize)]
pub struct Hello {
    /// Opens sessions that may start runs.
    pub control_token: String,
    /// Opens sessions that may only look.
    pub read_token: String,
    /// Language of the page, as an ISO 639-1 code.
    pub lang: String,
    /// Somebody has named it, so that it goes before that of a browser.
    #[serde(default)]
    pub is_lang_given: bool,
    /// 0 for any that is free.
    pub port: u16,
    /// Where browsers see the page, if not on our port: `https://disks.example`.
    #[serde(default)]
    pub public_origin: Option<String>,
    /// Addresses beside the loopback ones.
    #[serde(default)]
    pub listen: Vec<IpAddr>,
    #[serde(default)]
    pub read_only: bool,
    #[serde(default)]
    pub as_root: bool,
    /// Serial numbers of devices that may be destroyed.
    #[serde(default)]
    pub allow_destroy: Vec<String>,
    pub version: String,
}

/// What waits to be run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueEntry {
    pub run: u64,
    pub wish: Wish,
    pub command: String,
}

/// Without what opens sessions: it must get into no log.
impl fmt::Debug for Hello {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Hello")
            .field("port", &self.port)
            .field("listen", &self.listen)
            .field("public_origin", &self.public_origin)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for MeasurerMessage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hello(hello) => hello.fmt(out),
            Self::Code { .. } => out.write_str("Code"),
            Self::Token { .. } => out.write_str("Token"),
            Self::Answer { id, ok, .. } => write!(out, "Answer {id} {ok}"),
            Self::Queue { entries } => out.debug_tuple("Queue").field(entries).finish(),
            Self::Began { run, command, .. } => write!(out, "Began {run} {command}"),
            Self::Event { run, event } => write!(out, "Event {run} {event:?}"),
            Self::Ended { run, code, .. } => write!(out, "Ended {run} {code}"),
        }
    }
}
