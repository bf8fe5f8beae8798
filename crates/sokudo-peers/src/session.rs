//! The background thread of one peer: what it does with what arrives, with what its caller
//! wants, and with the time that passes.

mod arrivals;
mod calls;
mod ending;
mod joining;

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::time::{Duration, Instant};

use crate::beats::Beats;
use crate::clock::{ClockReading, OwnClock};
use crate::error::{LossCause, PeerError};
use crate::host::PeerHost;
use crate::limits::Timeouts;
use crate::mail::Mail;
use crate::message::{Call, Message};
use crate::pings::{Postponed, answer, ask};
use crate::round::Round;
use crate::status_board::StatusBoard;
use crate::transport::{Transport, Unreachable};

/// How long it keeps looking often after something has happened.
const BRISK: Duration = Duration::from_millis(20);

/// Who was granted a look at the clock and has not used it for so long is passed over.
const GRANT_MAX: Duration = Duration::from_secs(2);

/// However many processes share a processor, the pauses are at most so many times longer: each of
/// them is passed through often until all have told how their clocks stand.
const CROWD_MAX: u32 = 10;

/// Who leaves without the others still tries to tell them, for so long.
const GOODBYE: Duration = Duration::from_millis(50);

pub(crate) type Answer<T> = Sender<Result<T, PeerError>>;

/// What came of a call.
#[derive(Debug)]
pub(crate) enum CallResult {
    /// To the first, where all have brought something.
    Gathered(Vec<Vec<u8>>),
    Bytes(Vec<u8>),
}

/// What a caller has the thread do.
pub(crate) enum SessionCommand {
    Call(Call, Vec<u8>, Answer<CallResult>),
    Clock(Answer<ClockReading>),
    Stop,
    /// Ends the thread, and nothing else.
    Abandon,
}

/// Who this process is.
pub(crate) struct PeerIdentity {
    pub(crate) rank: u32,
    pub(crate) count: u32,
    pub(crate) version: String,
    pub(crate) host: PeerHost,
    pub(crate) clock: OwnClock,
    pub(crate) timeouts: Timeouts,
}

/// What ends it for all.
#[derive(Clone)]
enum Fate {
    Stopped,
    Lost {
        rank: u32,
        host: String,
        cause: LossCause,
    },
}

impl From<Fate> for PeerError {
    fn from(fate: Fate) -> Self {
        match fate {
            Fate::Stopped => Self::Stopped,
            Fate::Lost { rank, host, cause } => Self::Lost { rank, host, cause },
        }
    }
}

/// How far the session is.
enum State {
    /// Until all have said hello, or the time is up.
    Joining(Answer<Vec<PeerHost>>, Instant),
    Joined,
    Leaving(Answer<CallResult>, Farewell),
    Over,
}

/// When a process that leaves does what. See [`Transport::linger`].
struct Farewell {
    /// From then on nothing is received any more, once what is posted is sent.
    quiet_from: Instant,
    leave_at: Instant,
    /// If not all is sent by then, it does not leave in order.
    until: Instant,
}

/// A call of this process that is not over.
struct PendingCall {
    number: u64,
    call: Call,
    answer: Answer<CallResult>,
}

pub(crate) struct PeerSession<'a> {
    transport: &'a mut dyn Transport,
    me: PeerIdentity,
    board: StatusBoard,
    mail: Mail,
    beats: Beats,
    state: State,
    fate: Option<Fate>,
    /// That they do not fit together.
    everybody_knows: bool,
    hosts: Vec<Option<PeerHost>>,
    /// Number of the next call; all ranks count alike.
    number: u64,
    waiting: Option<PendingCall>,
    /// Round of answers that the first collects from all ranks.
    round: Round,
    clock_answer: Option<Answer<ClockReading>>,
    /// At the first: who wants to see its clock.
    clock_wishes: Vec<u32>,
    granted: Option<(u32, Instant)>,
    postponed: Postponed,
    brisk_until: Instant,
    /// How many times longer it pauses, so that many processes of one machine leave it its
    /// processors.
    crowd: u32,
}

impl<'a> PeerSession<'a> {
    pub(crate) fn new(
        transport: &'a mut dyn Transport,
        me: PeerIdentity,
        board: StatusBoard,
        joined: Answer<Vec<PeerHost>>,
    ) -> Self {
        let now = Instant::now();
        let mut session = Self {
            mail: Mail::new(me.count),
            beats: Beats::new(me.rank, me.count, me.timeouts, now),
            state: State::Joining(joined, now + me.timeouts.join),
            fate: None,
            everybody_knows: false,
            hosts: vec![None; me.count as usize],
            number: 0,
            waiting: None,
            round: Round::new(me.count),
            clock_answer: None,
            clock_wishes: Vec::new(),
            granted: None,
            postponed: Vec::new(),
            brisk_until: now,
            crowd: 1,
            transport,
            me,
            board,
        };
        let (version, host) = (session.me.version.clone(), session.me.host.clone());
        match session.is_first() {
            true => session.hello(0, version, host),
            false => session.mail.post(0, &Message::Hello { version, host }),
        }
        session
    }

    fn is_first(&self) -> bool {
        self.me.rank == 0
    }

    /// Until all have left, or the caller has gone.
    pub(crate) fn run(&mut self, commands: &Receiver<SessionCommand>) {
        self.speak(commands);
        if self.everybody_knows {
            let _ = self.transport.leave();
        }
    }

    fn speak(&mut self, commands: &Receiver<SessionCommand>) {
        loop {
            let is_busy = self.pass();
            // From here on the transport may be no more.
            if matches!(self.state, State::Over) {
                return;
            }
            let next = match is_busy {
                true => commands.try_recv().map_err(|error| match error {
                    TryRecvError::Empty => RecvTimeoutError::Timeout,
                    TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
                }),
                false => commands.recv_timeout(self.pause()),
            };
            match next {
                Ok(command) => self.command(command),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.abandon(),
            }
            if matches!(self.state, State::Over) {
                return;
            }
        }
    }

    /// Looks once at everything. Whether there was anything to do.
    fn pass(&mut self) -> bool {
        self.beats.pass(Instant::now());
        let done = self.receive().and_then(|has_received| {
            self.tick();
            self.look_at_clocks()?;
            Ok(self.mail.send(self.transport)? || has_received)
        });
        let is_busy = done.unwrap_or_else(|error| {
            self.unreachable(error);
            false
        });
        self.leave_if_sent();
        is_busy
    }

    fn pause(&self) -> Duration {
        let timeouts = &self.me.timeouts;
        // Who wants to leave is in no hurry, and leaves the processors to who still prints.
        let is_in_call = |waiting: &PendingCall| waiting.call != Call::Leave;
        let is_awaited = self.waiting.as_ref().is_some_and(is_in_call)
            || self.clock_answer.is_some()
            || !matches!(self.state, State::Joined);
        let crowd = self.crowd.min(CROWD_MAX);
        match is_awaited || Instant::now() < self.brisk_until {
            true => timeouts.pause_in_call * crowd,
            false => timeouts.pause * crowd,
        }
    }

    // ── What the caller wants ─────────────────────────────────────────────────

    fn command(&mut self, command: SessionCommand) {
        match command {
            SessionCommand::Call(call, bytes, answer) => self.call(call, bytes, answer),
            SessionCommand::Clock(answer) => match &self.fate {
                Some(fate) => drop(answer.send(Err(fate.clone().into()))),
                None if self.is_first() => drop(answer.send(Ok(ClockReading::SAME))),
                None => {
                    self.mail.post(0, &Message::ClockWish);
                    self.clock_answer = Some(answer);
                }
            },
            SessionCommand::Stop => self.stop(),
            SessionCommand::Abandon => self.abandon(),
        }
    }

    fn call(&mut self, call: Call, bytes: Vec<u8>, answer: Answer<CallResult>) {
        let fate = self.fate.clone();
        if let Some(fate) =
            fate.filter(|fate| call != Call::Leave || matches!(fate, Fate::Lost { .. }))
        {
            let _ = answer.send(Err(fate.into()));
            return;
        }
        let number = self.number;
        self.number += 1;
        self.waiting = Some(PendingCall {
            number,
            call,
            answer,
        });
        if self.is_first() {
            self.come(0, number, call, bytes);
        } else {
            let come = Message::Come {
                number,
                call,
                bytes,
            };
            self.mail.post(0, &come);
        }
    }

    /// Tells the others, in vain or not, and ends.
    fn abandon(&mut self) {
        if self.fate.is_none() {
            let gone = Message::Lost {
                rank: self.me.rank,
                host: self.me.host.name.clone(),
                cause: LossCause::Gone,
            };
            self.post_to_others(&gone);
        }
        let until = Instant::now() + GOODBYE;
        while matches!(self.mail.send(self.transport), Ok(true)) && Instant::now() < until {}
        self.state = State::Over;
    }

    // ── Time ──────────────────────────────────────────────────────────────────

    fn tick(&mut self) {
        let now = Instant::now();
        match &self.state {
            State::Joining(_, until) if now > *until => {
                let missing = match self.is_first() {
                    true => self.hosts.iter().position(Option::is_none),
                    false => None,
                };
                self.not_joined(PeerError::NotCome {
                    rank: u32::try_from(missing.unwrap_or(0)).expect("a rank"),
                    within: self.me.timeouts.join,
                });
            }
            State::Joined => {
                if !self.is_first() && self.beats.is_due(now) {
                    let status = self.board.status();
                    self.mail.post(0, &Message::Beat { status });
                }
                if let Some((rank, silent)) = self.beats.silent_for_too_long(now) {
                    self.lose(rank, LossCause::Silent(silent));
                }
            }
            _ => {}
        }
    }

    fn look_at_clocks(&mut self) -> Result<(), Unreachable> {
        let now = Instant::now();
        if !self.is_first() {
            if self.granted.take().is_some()
                && let Some(answer) = self.clock_answer.take()
            {
                match ask(self.transport, &self.me.clock, &mut self.postponed)? {
                    Some(reading) => drop(answer.send(Ok(reading))),
                    None => {
                        self.clock_answer = Some(answer);
                        self.mail.post(0, &Message::ClockWish);
                    }
                }
            }
            return Ok(());
        }
        let is_granted = |since: Instant| now.duration_since(since) < GRANT_MAX;
        if self.clock_wishes.is_empty() || self.granted.is_some_and(|(_, at)| is_granted(at)) {
            return Ok(());
        }
        let rank = self.clock_wishes.remove(0);
        self.granted = Some((rank, now));
        // What is posted for it must not come between.
        self.mail.send(self.transport)?;
        let clock = self.me.clock;
        if answer(self.transport, rank, &clock, &mut self.postponed)? {
            self.granted = None;
        }
        Ok(())
    }
}

/// What eight bytes say.
pub(crate) fn number_of(bytes: &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}
