//! One of several processes that measure as one: before anything is written they agree on what
//! is measured, each trial begins at the same instant on all of them, and each gets the trial of
//! all together back. So whatever is decided by what was measured is decided alike everywhere.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sokudo_engine::Control;
use sokudo_model::{
    Bytes, Conditions, FileUse, Host, HostEnvironment, HostLost, Layout, Logs, Nanos, RankTrial,
    Run, Span, Stage, TargetInfo, Trial, Workload, narrow,
};
use sokudo_peers::{LossCause, PeerError, PeerHost, Peers, Start};
use sokudo_stats::mix64;
use sokudo_words::{Fault, Form, Text, text};

use crate::agreement::{Agreed, Agreement, Stand, judged};
use crate::error::MeasureError;
use crate::shared_test_file::LentFile;

/// All hear of the instant at which they start in a part of this, also over a slow network.
const LEAD: Duration = Duration::from_millis(150);

/// A thread that sleeps wakes up to some tenths of a millisecond late: the rest is waited for
/// awake.
const AWAKE: Duration = Duration::from_micros(300);

/// What of the target each process uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// All of what it names, or a test file of its own.
    Own,
    /// To write, a part of its own of the one file or device.
    Parts,
    /// To read, the test file of the next process.
    Shifted,
}

/// What a process says of where it measures.
#[derive(Serialize, Deserialize)]
struct RankSetup {
    environment: HostEnvironment,
    target: TargetInfo,
    #[serde(rename = "circumstances")]
    conditions: Conditions,
    layout: Option<Layout>,
}

/// This process among those that measure together.
pub struct Together {
    peers: Peers,
    /// On which of the hosts each process is.
    host_of_rank: Vec<u32>,
    /// The hosts, as far as they are known; the first one's.
    hosts: Vec<Host>,
    sharing: Sharing,
    /// How this process takes part, in the words of its command line.
    options: Vec<String>,
    /// The place of the file that is read in the place of the own one.
    borrowed: Option<usize>,
    /// The start of the trial that runs.
    start: Option<(Start, Nanos)>,
    /// What kept it from starting.
    failed: Option<PeerError>,
    /// Whether a peer was lost, so that the others are left without waiting for them.
    is_broken: bool,
    leaving: LeavingThread,
}

/// How long the others wait for the first one to judge and print, before they may leave.
const PRINTING_MAX: Duration = Duration::from_secs(5);

/// Who leaves the others beside what this process does.
#[derive(Clone, Debug, Default)]
pub struct LeavingThread(Arc<Mutex<Option<Leaver>>>);

#[derive(Debug)]
struct Leaver {
    thread: JoinHandle<()>,
    has_printed: Sender<()>,
}

impl LeavingThread {
    /// Waits until it has left, where it has begun to. This process has printed by now.
    pub fn wait(&self) {
        let leaver = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(leaver) = leaver {
            drop(leaver.has_printed);
            // A panic of that thread has been told.
            let _ = leaver.thread.join();
        }
    }
}

impl Together {
    /// This process among the others, who are to have the same options.
    pub fn new(peers: Peers, sharing: Sharing, options: Vec<String>) -> Self {
        Self {
            host_of_rank: host_of_rank(peers.hosts()),
            peers,
            hosts: Vec::new(),
            sharing,
            options,
            borrowed: None,
            start: None,
            failed: None,
            is_broken: false,
            leaving: LeavingThread::default(),
        }
    }

    /// To wait until it has left the others.
    pub fn leaving(&self) -> LeavingThread {
        self.leaving.clone()
    }

    /// Only the first one prints and keeps.
    pub fn is_first(&self) -> bool {
        self.peers.is_first()
    }

    /// Which of them this process is.
    pub fn rank(&self) -> u32 {
        self.peers.rank()
    }

    /// How many they are.
    pub fn ranks(&self) -> u32 {
        self.peers.count()
    }

    /// The host of each.
    pub fn host_names(&self) -> Vec<String> {
        let hosts = self.peers.hosts().iter();
        hosts.map(|host| host.name.clone()).collect()
    }

    /// What each says, at the first.
    ///
    /// # Errors
    /// When somebody is lost or all are to stop.
    pub fn gather_words(&mut self, own: &Text) -> Result<Option<Vec<Text>>, MeasureError> {
        let gathered: Option<Vec<Form>> = self.gather(&own.clone().into())?;
        Ok(gathered.map(|all| all.into_iter().map(Text::from).collect()))
    }

    /// Compares what all are about to do; the seed that all take, where they agree.
    ///
    /// # Errors
    /// When one is about to do something else, or there is too little room for all.
    pub fn agree(&mut self, on: &Agreement<'_>) -> Result<u64, MeasureError> {
        let how = (on.plan.seed, on.is_separate);
        self.answered(&on.stand(&self.options), how)
    }

    /// Takes part in the agreement of the others with nothing but why this process can do nothing.
    /// What comes of it is as a rule just that.
    pub fn cannot(&mut self, why: Text) -> Option<MeasureError> {
        let stand = Stand::failed(why, &self.options);
        self.answered(&stand, (0, false)).err()
    }

    fn answered(
        &mut self,
        stand: &Stand,
        (seed, is_separate): (u64, bool),
    ) -> Result<u64, MeasureError> {
        let all: Option<Vec<Stand>> = self.gather(stand)?;
        let answer = all.map(|all| judged(&all, seed, is_separate));
        match self.broadcast(answer)? {
            Agreed::Yes { seed } => Ok(seed),
            Agreed::Failed { rank, why } => Err(self.failed_there(rank, why)),
            Agreed::Different { rank, in_what } => Err(MeasureError::Disagreement {
                host: self.name_of(rank),
                rank,
                in_what,
            }),
            Agreed::NoSpace { available, needed } => Err(MeasureError::of_all(
                Fault::System,
                text!(
                    "{available} are free, but {ranks} processes need {needed} for their test files; use smaller test files, or make room",
                    ranks = self.ranks()
                ),
            )),
        }
    }

    /// Waits until all have made ready what they measure, or one says why it cannot.
    ///
    /// # Errors
    /// When one cannot, somebody is lost or all are to stop.
    pub fn ready(&mut self, failure: Option<Text>) -> Result<(), MeasureError> {
        let all: Option<Vec<Option<Form>>> = self.gather(&failure.map(Form::from))?;
        let failed = all.map(|all| {
            let mut all = (0..).zip(all);
            all.find_map(|(rank, why)| Some((rank, why?)))
        });
        match self.broadcast(failed)? {
            Some((rank, why)) => Err(self.failed_there(rank, why)),
            None => Ok(()),
        }
    }

    fn failed_there(&self, rank: u32, why: Form) -> MeasureError {
        MeasureError::FailedThere {
            host: self.name_of(rank),
            rank,
            why: why.into(),
        }
    }

    /// Tells the first one where this process measures, as far as that is known.
    ///
    /// # Errors
    /// When somebody is lost or all are to stop.
    pub(crate) fn gather_setups(&mut self, run: &Run) -> Result<(), MeasureError> {
        let setup = RankSetup {
            environment: run.environment.clone(),
            target: run.target.clone(),
            conditions: run.conditions.clone(),
            layout: run.layout,
        };
        if let Some(setups) = self.gather(&setup)? {
            self.hosts = hosts(self.peers.hosts(), &self.host_of_rank, setups);
        }
        Ok(())
    }

    pub(crate) fn reads_shifted(&self) -> bool {
        self.sharing == Sharing::Shifted
    }

    /// The test file of the next process.
    ///
    /// # Errors
    /// When there is none, or somebody is lost.
    pub(crate) fn file_of_next(&mut self, own: Option<LentFile>) -> Result<LentFile, MeasureError> {
        let all: Option<Vec<Option<LentFile>>> = self.gather(&own)?;
        let mut all = self.broadcast(all)?;
        let next = (self.peers.rank() as usize + 1) % all.len();
        all[next].take().ok_or_else(|| MeasureError::of_all(Fault::Usage, text!(
            "only test files in a directory can be read by another process; name a directory, or leave --read-back-shifted out"
        )))
    }

    /// What only reads does so from this target.
    pub(crate) fn read_from(&mut self, target: usize) {
        self.borrowed = Some(target);
    }

    /// The hosts, those that are lost marked as such.
    pub(crate) fn hosts(&self) -> Vec<Host> {
        self.hosts.clone()
    }

    /// This process measures no more. Others learn of it, and of a host that is lost it is noted.
    pub(crate) fn end_by(&mut self, error: &MeasureError) {
        match error {
            MeasureError::Peers(PeerError::Lost { rank, cause, .. }) => {
                let host = self.host_of_rank.get(*rank as usize);
                let host = host.and_then(|host| self.hosts.get_mut(*host as usize));
                if let Some(host) = host {
                    host.lost = Some(match cause {
                        LossCause::Silent(_) => HostLost::Silent,
                        _ => HostLost::Ended,
                    });
                }
                self.is_broken = true;
            }
            MeasureError::Peers(PeerError::Stopped) => {}
            _ => self.peers.stop(),
        }
    }

    /// What all processes do of a workload that each carries out.
    pub(crate) fn of_all(&self, workload: &Workload) -> Workload {
        Workload {
            threads: workload.threads.saturating_mul(self.ranks()),
            ..workload.clone()
        }
    }

    /// What this process does of a stage that all do together.
    pub(crate) fn share(&self, stage: &Stage, size: Option<Bytes>) -> Stage {
        let share = |workload: &Workload| {
            let mut share = workload.share(1, self.ranks());
            let writes = workload.operations.changes_data();
            if self.sharing == Sharing::Parts && writes {
                share.span = part_of(workload.span, size, self.peers.rank(), self.ranks());
            }
            if let Some(borrowed) = self.borrowed.filter(|_| !writes) {
                share.files.uses = vec![FileUse {
                    target: narrow(borrowed),
                    span: workload.span,
                }];
            }
            share
        };
        Stage {
            workloads: stage.workloads.iter().map(share).collect(),
        }
    }

    /// A seed of this process's own.
    pub(crate) fn seed(&self, of_all: u64) -> u64 {
        match self.peers.rank() {
            0 => of_all,
            rank => mix64(of_all ^ mix64(u64::from(rank) << 32)),
        }
    }

    /// Waits for the instant at which all start.
    pub(crate) fn start(&mut self, control: &Control) {
        match self.peers.agree_on_start(LEAD) {
            Ok(start) => {
                wait_until(start.at, control);
                let late = Instant::now().saturating_duration_since(start.at);
                self.start = Some((start, Nanos(narrow(late.as_nanos()))));
            }
            Err(error) => {
                self.failed = Some(error);
                control.cancel();
            }
        }
    }

    /// Waits until all have ended, so that counters of a host hold what all its processes did.
    ///
    /// # Errors
    /// When somebody is lost or all are to stop.
    pub(crate) fn end(&mut self) -> Result<(), MeasureError> {
        if let Some(error) = self.failed.take() {
            return Err(error.into());
        }
        self.gather(&())?;
        self.broadcast(self.is_first().then_some(()))
    }

    /// Who is lost, where that and no interruption has cancelled what this process did alone.
    /// The others are told to stop.
    pub fn loss(&mut self) -> Option<MeasureError> {
        self.stop();
        let error = self.end().err()?;
        self.end_by(&error);
        matches!(error, MeasureError::Peers(PeerError::Lost { .. })).then_some(error)
    }

    /// The trial of all processes, of which this one made its part.
    ///
    /// # Errors
    /// When somebody is lost or all are to stop.
    pub(crate) fn joined(
        &mut self,
        mut trials: Vec<Trial>,
        has_own_device: bool,
    ) -> Result<Vec<Trial>, MeasureError> {
        let own = self.processes_here();
        for trial in &mut trials {
            trial.outcome.logs = Logs::default();
            if let Some(foreign) = &mut trial.evidence.foreign {
                foreign.users.retain(|user| !own.contains(&user.pid));
            }
        }
        let (late, clock_uncertainty) = match self.start.take() {
            Some((start, late)) => (late, Nanos(start.clock.uncertainty_ns)),
            None => Default::default(),
        };
        let mine = RankTrial {
            late,
            clock_uncertainty,
            has_own_device,
            trials,
        };
        let all = self.gather(&mine)?;
        let joined = all.map(|all: Vec<RankTrial>| {
            let of_hosts = self.host_of_rank.iter().copied().zip(all).map(Some);
            Trial::together(of_hosts.collect())
        });
        let stripped = joined.clone().map(|mut trials| {
            trials.iter_mut().for_each(|trial| trial.together = None);
            trials
        });
        let received = self.broadcast(stripped)?;
        Ok(joined.unwrap_or(received))
    }

    /// The processes of this host, in the order of ranks.
    pub fn processes_here(&self) -> Vec<u32> {
        let own = &self.peers.hosts()[self.peers.rank() as usize].key;
        let of_host = self.peers.hosts().iter().filter(|it| it.key == *own);
        of_host.map(|it| it.pid).collect()
    }

    /// Leaves while this process goes on, and what was measured is printed sooner. The first one
    /// leaves once it has printed, for many processes that leave take all processors; unless the run
    /// was `stopped`: a launcher that ends it kills whoever is still there a second later.
    pub(crate) fn leave_behind(self, stopped: bool) {
        let leaving = self.leaving();
        let (has_printed, printing) = channel::<()>();
        let waits = self.is_first() && !self.is_broken && !stopped;
        let thread = thread::spawn(move || {
            if waits {
                let _ = printing.recv_timeout(PRINTING_MAX);
            }
            self.leave();
        });
        *leaving.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Leaver {
            thread,
            has_printed,
        });
    }

    /// Asks every process to stop, each once.
    pub fn stop(&self) {
        self.peers.stop();
    }

    /// Leaves the others: in order, or after a loss as they are.
    pub fn leave(self) {
        match self.is_broken {
            true => self.peers.abandon(),
            // What was measured is there, whatever becomes of the others.
            false => drop(self.peers.leave()),
        }
    }

    fn name_of(&self, rank: u32) -> String {
        let host = self.peers.hosts().get(rank as usize);
        host.map_or_else(String::new, |host| host.name.clone())
    }

    fn gather<T: Serialize + DeserializeOwned>(
        &mut self,
        mine: &T,
    ) -> Result<Option<Vec<T>>, MeasureError> {
        let gathered = self.peers.gather(written(mine))?;
        let Some(all) = gathered else {
            return Ok(None);
        };
        let all = (0..).zip(all).map(|(rank, bytes)| self.read(rank, &bytes));
        all.collect::<Result<_, _>>().map(Some)
    }

    fn broadcast<T: Serialize + DeserializeOwned>(
        &mut self,
        firsts: Option<T>,
    ) -> Result<T, MeasureError> {
        let bytes = self.peers.broadcast(firsts.as_ref().map(written))?;
        match firsts {
            Some(firsts) => Ok(firsts),
            None => self.read(0, &bytes),
        }
    }

    fn read<T: DeserializeOwned>(&self, rank: u32, bytes: &[u8]) -> Result<T, MeasureError> {
        serde_json::from_slice(bytes).map_err(|_| MeasureError::of_all(Fault::System, text!(
            "what {host} (rank {rank}) sent cannot be read; run the same build of sokudo on every host",
            host = self.name_of(rank)
        )))
    }
}

/// Numbers of hosts, in the order in which they are first met.
fn host_of_rank(ranks: &[PeerHost]) -> Vec<u32> {
    let mut keys: Vec<&str> = Vec::new();
    let mut number = |key| match keys.iter().position(|known| *known == key) {
        Some(number) => narrow(number),
        None => {
            keys.push(key);
            narrow(keys.len() - 1)
        }
    };
    ranks.iter().map(|rank| number(rank.key.as_str())).collect()
}

/// A host for each of those that are named, as its first process sees it.
fn hosts(ranks: &[PeerHost], host_of_rank: &[u32], setups: Vec<RankSetup>) -> Vec<Host> {
    let mut hosts: Vec<Host> = Vec::new();
    for ((rank, number), setup) in ranks.iter().zip(host_of_rank).zip(setups) {
        match hosts.get_mut(*number as usize) {
            Some(host) => {
                host.ranks += 1;
                host.layout = host
                    .layout
                    .zip(setup.layout)
                    .map(|(one, more)| both(one, more));
            }
            None => hosts.push(Host {
                name: rank.name.clone(),
                ranks: 1,
                environment: setup.environment,
                target: setup.target,
                conditions: setup.conditions,
                layout: setup.layout,
                assessments: Vec::new(),
                findings: Vec::new(),
                lost: None,
            }),
        }
    }
    hosts
}

/// The bytes of both, in the longer time.
fn both(one: Layout, other: Layout) -> Layout {
    Layout {
        bytes: Bytes(one.bytes.0.saturating_add(other.bytes.0)),
        elapsed: one.elapsed.max(other.elapsed),
    }
}

/// The part of a target that one of several processes has for itself, of whole MiB where it has
/// so many.
fn part_of(span: Option<Span>, size: Option<Bytes>, rank: u32, ranks: u32) -> Option<Span> {
    /// No block is larger.
    const UNIT: u64 = 1 << 20;
    let whole = span.or_else(|| size.map(Span::from_start))?;
    let part = whole.length.0 / u64::from(ranks);
    let part = if part >= UNIT {
        part / UNIT * UNIT
    } else {
        part / 512 * 512
    };
    Some(Span {
        offset: Bytes(whole.offset.0 + u64::from(rank) * part),
        length: Bytes(part),
    })
}

fn wait_until(at: Instant, control: &Control) {
    loop {
        let left = at.saturating_duration_since(Instant::now());
        if left.is_zero() || control.is_cancelled() {
            return;
        }
        match left.checked_sub(AWAKE) {
            Some(asleep) => thread::sleep(asleep.min(Duration::from_millis(20))),
            None => std::hint::spin_loop(),
        }
    }
}

fn written<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).expect("it is plain data")
}
