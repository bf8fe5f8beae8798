//! One process of several, as its caller sees it.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::clock::{ClockReading, OwnClock, Start};
use crate::error::{Notice, PeerError};
use crate::host::PeerHost;
use crate::launch::Launch;
use crate::limits::{MESSAGE_BYTES_MAX, STATUS_BYTES_MAX, Timeouts};
use crate::message::Call;
use crate::over_mpi::OverMpi;
use crate::session::{Answer, CallResult, PeerIdentity, PeerSession, SessionCommand, number_of};
use crate::status_board::StatusBoard;
use crate::transport::Transport;

/// Beyond its own timeouts, how long the thread may take to say how it ended.
const THREAD_MAX: Duration = Duration::from_secs(2);

/// One process of several. Calls that all take part in (`gather`, `broadcast`, `agree_on_start`,
/// `leave`) must come in the same order everywhere, and each waits for all.
///
/// Dropped without `leave`, it counts as lost for the others.
pub struct Peers {
    rank: u32,
    hosts: Vec<PeerHost>,
    board: StatusBoard,
    commands: Sender<SessionCommand>,
    clock: OwnClock,
    timeouts: Timeouts,
}

/// A clock is uncertain by about the time of a message's way. Linux sends a segment again after
/// twice the round trip or 200 ms more than it (RFC 8985, `TCP_RTO_MIN`): from 20 ms on, where that
/// exceeds a usual lead, so many ways are enough for it.
const WAYS_AHEAD: u64 = 16;

/// Asks everybody to stop, from wherever: a signal's thread, the watcher.
#[derive(Clone)]
pub struct Stopper(Sender<SessionCommand>);

impl Stopper {
    pub fn stop(&self) {
        // A thread that has ended has told why already.
        let _ = self.0.send(SessionCommand::Stop);
    }
}

/// A peer that waits for the others to join.
struct Joining {
    peers: Peers,
    joined: Receiver<Result<Vec<PeerHost>, PeerError>>,
}

impl Peers {
    /// Joins the others that the launcher has started. `watch` is called by a thread of its own
    /// with every notice, and must soon return.
    ///
    /// # Errors
    /// If MPI cannot be used, or the others do not come or have another version.
    pub fn join(
        launch: &Launch,
        watch: impl Fn(Notice) + Send + 'static,
    ) -> Result<Self, PeerError> {
        Self::join_as(launch, &own_version(), Timeouts::of(launch.count), watch)
    }

    /// The same, as another version of sokudo or with other timeouts, for tests.
    ///
    /// # Errors
    /// As of [`Self::join`].
    pub fn join_as(
        launch: &Launch,
        version: &str,
        timeouts: Timeouts,
        watch: impl Fn(Notice) + Send + 'static,
    ) -> Result<Self, PeerError> {
        let me = PeerIdentity {
            rank: launch.rank,
            count: launch.count,
            version: version.to_owned(),
            host: PeerHost::own(),
            clock: OwnClock::default(),
            timeouts,
        };
        let launch = launch.clone();
        let peers = Joining::begin(me, move || OverMpi::begin(&launch))?.end()?;
        peers.watch(watch);
        Ok(peers)
    }

    pub fn rank(&self) -> u32 {
        self.rank
    }

    pub fn count(&self) -> u32 {
        u32::try_from(self.hosts.len()).expect("ranks are counted so")
    }

    pub fn is_first(&self) -> bool {
        self.rank == 0
    }

    /// Host of each rank, in the order of ranks.
    pub fn hosts(&self) -> &[PeerHost] {
        &self.hosts
    }

    /// Has this called with every notice, also with those that have come already.
    pub fn watch(&self, watch: impl Fn(Notice) + Send + 'static) {
        self.board.watch(Box::new(watch));
    }

    /// Everybody's bytes at the first, in the order of ranks; `None` at the others.
    ///
    /// # Errors
    /// If somebody is lost or all are to stop.
    pub fn gather(&mut self, mine: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>, PeerError> {
        Ok(match self.call(Call::Gather, mine)? {
            CallResult::Gathered(all) => Some(all),
            CallResult::Bytes(_) => None,
        })
    }

    /// The first one's bytes, at all.
    ///
    /// # Errors
    /// If somebody is lost or all are to stop.
    ///
    /// # Panics
    /// If the first one brings nothing, or another something.
    pub fn broadcast(&mut self, firsts: Option<Vec<u8>>) -> Result<Vec<u8>, PeerError> {
        assert_eq!(firsts.is_some(), self.is_first(), "the first one's bytes");
        self.bytes(Call::Broadcast, firsts.unwrap_or_default())
    }

    /// How this clock stands to the first one's, measured now.
    ///
    /// # Errors
    /// If somebody is lost or all are to stop.
    pub fn clock(&mut self) -> Result<ClockReading, PeerError> {
        self.ask(SessionCommand::Clock)
    }

    /// Waits for all, and agrees on an instant `lead` after the last has come: the longest lead
    /// that anybody asks for. A tenth of a second is enough for everybody to hear of it; over a
    /// network that takes its time for a message it is longer, so that one may be lost and sent
    /// again.
    ///
    /// # Errors
    /// If somebody is lost or all are to stop.
    pub fn agree_on_start(&mut self, lead: Duration) -> Result<Start, PeerError> {
        let clock = self.clock()?;
        let lead_ns = u64::try_from(lead.as_nanos()).expect("nobody waits for 500 years");
        let lead_ns = lead_ns.saturating_add(clock.uncertainty_ns.saturating_mul(WAYS_AHEAD));
        let at = self.bytes(Call::Start, lead_ns.to_le_bytes().to_vec())?;
        let at_first_ns = number_of(&at).ok_or(PeerError::Ended)?;
        let at_own_ns = at_first_ns.saturating_add_signed(clock.offset_ns.saturating_neg());
        Ok(Start {
            at: self.clock.instant(at_own_ns),
            at_first_ns,
            clock,
        })
    }

    /// What this process is doing, told to the first with the next beat.
    ///
    /// # Panics
    /// If it is longer than [`STATUS_BYTES_MAX`].
    pub fn say(&self, status: &[u8]) {
        assert!(status.len() <= STATUS_BYTES_MAX, "{}", status.len());
        self.board.say(status.to_vec());
    }

    /// What was heard last of each: at the first of all others, at these of the first.
    pub fn heard(&self) -> Vec<Option<Vec<u8>>> {
        self.board.heard()
    }

    /// Asks everybody to stop: each is told once, and whatever call it is in or comes to fails,
    /// but for `leave`.
    pub fn stop(&self) {
        self.stopper().stop();
    }

    pub fn stopper(&self) -> Stopper {
        Stopper(self.commands.clone())
    }

    /// The end in order: waits for all, then the transport's own end, within a bounded time.
    ///
    /// # Errors
    /// If somebody is lost, or the end does not come in time; then the process may end as it is.
    pub fn leave(self) -> Result<(), PeerError> {
        let answered = self.send(|answer| SessionCommand::Call(Call::Leave, Vec::new(), answer))?;
        answered.recv().map_err(|_| PeerError::Ended)??;
        let limit = self.timeouts.leave;
        let left = answered.recv_timeout(limit + THREAD_MAX);
        left.map_err(|_| PeerError::NotLeft(limit))?.map(drop)
    }

    /// Lets go of the others as they are; after a loss the only way, for an end in order would
    /// wait for the lost one. The launcher then ends what is left of the others, when this
    /// process ends.
    pub fn abandon(self) {
        drop(self);
    }

    fn bytes(&mut self, call: Call, mine: Vec<u8>) -> Result<Vec<u8>, PeerError> {
        match self.call(call, mine)? {
            CallResult::Bytes(bytes) => Ok(bytes),
            CallResult::Gathered(_) => unreachable!("only gather gathers"),
        }
    }

    fn call(&mut self, call: Call, mine: Vec<u8>) -> Result<CallResult, PeerError> {
        if mine.len() > MESSAGE_BYTES_MAX {
            return Err(PeerError::TooLarge {
                bytes: mine.len(),
                most: MESSAGE_BYTES_MAX,
            });
        }
        self.ask(|answer| SessionCommand::Call(call, mine, answer))
    }

    fn ask<T>(&self, command: impl FnOnce(Answer<T>) -> SessionCommand) -> Result<T, PeerError> {
        let answered = self.send(command)?;
        answered.recv().map_err(|_| PeerError::Ended)?
    }

    fn send<T>(
        &self,
        command: impl FnOnce(Answer<T>) -> SessionCommand,
    ) -> Result<Receiver<Result<T, PeerError>>, PeerError> {
        let (answer, answered) = channel();
        let sent = self.commands.send(command(answer));
        sent.map(|()| answered).map_err(|_| PeerError::Ended)
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        let _ = self.commands.send(SessionCommand::Abandon);
    }
}

impl Joining {
    /// Starts the thread, which makes the transport itself, for none but it may call it.
    fn begin<T: Transport + 'static>(
        me: PeerIdentity,
        transport: impl FnOnce() -> Result<T, PeerError> + Send + 'static,
    ) -> Result<Self, PeerError> {
        let (commands, commanded) = channel();
        let (join, joined) = channel();
        let board = StatusBoard::new(me.count);
        let peers = Peers {
            rank: me.rank,
            hosts: Vec::new(),
            board: board.clone(),
            commands,
            clock: me.clock,
            timeouts: me.timeouts,
        };
        let speak = move || match transport() {
            Ok(mut transport) => PeerSession::new(&mut transport, me, board, join).run(&commanded),
            Err(error) => drop(join.send(Err(error))),
        };
        thread::Builder::new()
            .name("peers".to_owned())
            .spawn(speak)
            .map_err(PeerError::Thread)?;
        Ok(Self { peers, joined })
    }

    fn end(self) -> Result<Peers, PeerError> {
        let Self { mut peers, joined } = self;
        let limit = peers.timeouts.join;
        let answer = joined
            .recv_timeout(limit + THREAD_MAX)
            .map_err(|error| match error {
                RecvTimeoutError::Timeout => PeerError::NotCome {
                    rank: 0,
                    within: limit,
                },
                RecvTimeoutError::Disconnected => PeerError::Ended,
            })?;
        if answer.is_err() {
            // Until the thread has gone, which says nothing more.
            let _ = joined.recv_timeout(THREAD_MAX);
        }
        peers.hosts = answer?;
        Ok(peers)
    }
}

/// With the commit that it was built from, where that is known: between two versions the processes
/// of two builds may mean different things by the same message.
fn own_version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    match option_env!("SOKUDO_COMMIT") {
        Some(commit) if !commit.is_empty() => format!("{version}+{commit}"),
        _ => version.to_owned(),
    }
}

#[cfg(test)]
mod tests;
