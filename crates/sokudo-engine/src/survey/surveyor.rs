//! The loop of a survey: reads or writes one place after the other and keeps count of
//! each.
//!
//! Its clock stands still between places, so that what is counted is the sum over the
//! places and nothing else: [`Surveyor::resume`] and [`Surveyor::pause`].

mod borders;
mod counting;

use std::collections::VecDeque;
use std::io;

use sokudo_model::{
    CpuTime, FailureKind, Moved, Nanos, Operation, Place, Sample, StopReason, Survey, ThreadUsage,
    Visit, Workload, narrow,
};
use sokudo_sys::{Action, Request, ThreadCounts};

use super::defects::{Defects, Mark};
use super::feed::{Feed, Held, Piece, RunOn};
use super::route::{Blocks, Route};
use crate::backend::Backend;
use crate::chunks::FreeChunks;
use crate::clock::Clock;
use crate::data::Data;
use crate::drive::{CANCEL_TIME_MAX_NS, DRAIN_TIME_MAX_NS, used_since};
use crate::tally::{FinishedTally, Tally};
use borders::Border;

/// What a survey needs of those around it.
pub(super) trait Surroundings {
    /// Why it is to stop, if it is.
    fn stopped(&self) -> Option<StopReason>;
    /// Takes what has been done so far.
    fn tell(&mut self, now: u64, at: Nanos, each: [Moved; 3]);
    /// Whether the system says that the device is gone.
    fn is_gone(&self) -> bool;
    /// What the thread has used; `None` where that means nothing.
    fn used(&self) -> Option<ThreadCounts>;
}

/// What a surveyor works with.
pub(super) struct Means<B, C, S> {
    pub(super) backend: B,
    pub(super) clock: C,
    pub(super) surroundings: S,
    pub(super) data: Option<Data>,
    /// I/Os in flight.
    pub(super) depth: u32,
    /// Buffers of the backend; the last one is for reads that are not measured.
    pub(super) chunks: u32,
    pub(super) logical_bytes: u64,
    pub(super) write_action: Action,
}

/// What it ends with.
pub(super) struct Surveyed {
    pub(super) tally: FinishedTally,
    pub(super) places: Vec<Place>,
    pub(super) defects: Defects,
    pub(super) read_aside: u64,
    pub(super) used: Option<(CpuTime, ThreadUsage)>,
    pub(super) stopped: StopReason,
    pub(super) notes: Vec<String>,
    /// The device did not answer: its memory must not be given back.
    pub(super) is_abandoned: bool,
}

/// How a stream of I/Os is done.
#[derive(Clone, Copy)]
pub(super) struct How {
    pub(super) action: Action,
    pub(super) operation: Operation,
    /// It counts.
    pub(super) measured: bool,
    /// It is told when it fails.
    pub(super) is_told: bool,
    /// It is issued whatever has failed or been stopped.
    pub(super) insists: bool,
    /// No I/O is issued when it has lasted so long.
    pub(super) time_ns: u64,
}

#[derive(Clone, Copy)]
struct Slot {
    issued_at: u64,
    piece: Piece,
    how: How,
    in_flight: bool,
}

/// A place in progress.
#[derive(Clone, Copy)]
struct Open {
    in_flight: u32,
    /// Nothing more will be issued there.
    is_issued: bool,
    /// Bytes issued so far, here and at all places before.
    issued_bytes: u64,
    /// When the first I/O of the next place was issued, on the clock that counts.
    left_at: Option<u64>,
}

/// An I/O that failed, or the part of it that did.
#[derive(Clone, Copy)]
pub(super) struct Failed {
    /// What is left of it.
    pub(super) piece: Piece,
    /// All of it.
    pub(super) whole: Piece,
    pub(super) operation: Operation,
    pub(super) kind: FailureKind,
}

pub(super) struct Surveyor<'a, B, C, S> {
    pub(super) survey: Survey,
    pub(super) route: &'a Route,
    pub(super) operation: Operation,
    pub(super) block: u64,
    pub(super) flushes: bool,
    pub(super) means: Means<B, C, S>,
    slots: Box<[Slot]>,
    free: FreeChunks,
    in_flight: u32,
    done: Vec<(u32, i32)>,
    tally: Tally,
    /// Time on the clock that is not counted.
    shift: u64,
    paused_at: Option<u64>,
    tells_at: u64,
    deadline: u64,
    waits_since: Option<u64>,
    used: Option<(CpuTime, ThreadUsage)>,
    used_before: Option<ThreadCounts>,
    places: Vec<Place>,
    /// The last places, which are not closed.
    open: VecDeque<Open>,
    /// What is known of the ends of those that are.
    borders: Vec<Border>,
    issued_bytes: u64,
    last_end: Option<u64>,
    pub(super) failed: Vec<Failed>,
    pub(super) defects: Defects,
    /// The list of defects when a block could be read last.
    pub(super) good_mark: Mark,
    /// A block that could be read.
    pub(super) known_good: Option<u64>,
    /// Failures looked into since there was a good block.
    pub(super) barren: u32,
    pub(super) read_aside: u64,
    pub(super) stopped: Option<StopReason>,
    pub(super) notes: Vec<String>,
    is_abandoned: bool,
}

/// A read that is not measured.
pub(super) const ASIDE: How = How {
    action: Action::Read,
    operation: Operation::Read,
    measured: false,
    is_told: false,
    insists: false,
    time_ns: u64::MAX,
};

/// Those who watch are told this often.
const TELL_NS: u64 = 100_000_000;

impl<'a, B: Backend, C: Clock, S: Surroundings> Surveyor<'a, B, C, S> {
    pub(super) fn new(
        workload: &Workload,
        survey: Survey,
        route: &'a Route,
        means: Means<B, C, S>,
    ) -> Self {
        let operation = workload.operations.single().unwrap_or(Operation::Read);
        let now = means.clock.now();
        let idle = Slot {
            issued_at: 0,
            piece: Piece::default(),
            how: How {
                action: Action::Read,
                operation,
                measured: false,
                is_told: false,
                insists: false,
                time_ns: 0,
            },
            in_flight: false,
        };
        let mut counted = workload.clone();
        counted.durability.final_flush |= survey.write_back;
        let mut tally = Tally::new(&counted);
        tally.start(now);
        Self {
            flushes: counted.durability.final_flush && operation == Operation::Write,
            survey,
            route,
            operation,
            block: workload.blocks.largest().0,
            slots: vec![idle; means.chunks as usize].into_boxed_slice(),
            free: FreeChunks::new(means.chunks - 1),
            in_flight: 0,
            done: Vec::with_capacity(means.chunks as usize),
            tally,
            shift: 0,
            paused_at: Some(now),
            tells_at: now,
            deadline: workload
                .limits
                .time
                .map_or(u64::MAX, |time| now.saturating_add(time.0)),
            waits_since: None,
            used: None,
            used_before: None,
            places: Vec::with_capacity(route.places() as usize),
            open: VecDeque::new(),
            borders: Vec::with_capacity(route.places() as usize),
            issued_bytes: 0,
            last_end: None,
            failed: Vec::new(),
            defects: Defects::default(),
            good_mark: Mark::default(),
            known_good: None,
            barren: 0,
            read_aside: 0,
            stopped: None,
            notes: Vec::new(),
            is_abandoned: false,
            means,
        }
    }

    /// Visits all places.
    pub(super) fn survey(mut self) -> (Surveyed, B) {
        if self.runs_on() {
            self.run_on();
        } else {
            for index in 0..self.route.places() {
                self.look(self.means.clock.now());
                if self.stopped.is_some() {
                    break;
                }
                self.visit(index);
            }
        }
        self.close_all();
        self.finish()
    }

    /// Whether one place follows the other without anything in between: nothing but I/O is
    /// in the loop then, and a queue is never emptied between places.
    fn runs_on(&self) -> bool {
        let nothing_between =
            self.survey.approach.is_none() && !self.survey.write_back && !self.flushes;
        let continuous = match self.survey.visit {
            Visit::Random | Visit::Butterfly => true,
            Visit::Ascending => self.survey.sample == Sample::Whole,
            Visit::Shuffled => false,
        };
        nothing_between && continuous
    }

    fn run_on(&mut self) {
        let mut feed = RunOn::new(self.route, self.block);
        let how = self.measured(u64::MAX);
        self.measure(&mut feed, how);
    }

    /// The I/O that the survey is about.
    pub(super) fn measured(&self, time_ns: u64) -> How {
        How {
            action: match self.operation {
                Operation::Write => self.means.write_action,
                _ => Action::Read,
            },
            operation: self.operation,
            measured: true,
            is_told: true,
            insists: false,
            time_ns,
        }
    }

    fn visit(&mut self, index: u32) {
        let site = self.route.site(index);
        if self.survey.write_back {
            self.write_back(index, site);
        } else {
            self.approach(site.offset);
            let time_ns = match self.survey.sample {
                Sample::Time(time) => time.0,
                Sample::Bytes(_) | Sample::Whole => u64::MAX,
            };
            let how = self.measured(time_ns);
            let mut feed = RunOn::single(index, Blocks::of(site, self.block));
            self.measure(&mut feed, how);
            self.flush();
        }
        self.close_all();
    }

    /// Carries a stream out to its end, looking into what fails on the way.
    fn measure(&mut self, feed: &mut RunOn<'_>, how: How) {
        let mut how = how;
        loop {
            let before = self.means.clock.now();
            self.stream(feed, how);
            if self.failed.is_empty() || self.stopped.is_some() {
                break;
            }
            if how.time_ns != u64::MAX {
                let passed = self.means.clock.now() - before;
                how.time_ns = how.time_ns.saturating_sub(passed);
            }
            let follows = how.time_ns == u64::MAX;
            if let Some(known) = self.look_into_failures(feed.at(), feed.limit(follows)) {
                feed.skip_to(known);
            }
            if how.time_ns == 0 {
                break;
            }
        }
        // What fails while everything is being stopped is no defect.
        self.failed.clear();
    }

    /// Reads a little, which is not measured.
    pub(super) fn approach(&mut self, offset: u64) {
        let Some(bytes) = self.survey.approach else {
            return;
        };
        let end = self.route.span_end();
        let length = bytes
            .0
            .next_multiple_of(self.means.logical_bytes)
            .min(end - offset);
        // Whether it fails will show in the measured part, which reads the same.
        self.alone(offset, length, ASIDE);
        self.failed.clear();
    }

    /// One I/O alone, through the chunk that nothing else uses.
    pub(super) fn alone(&mut self, offset: u64, length: u64, how: How) {
        let piece = Piece {
            place: 0,
            offset,
            length: narrow(length),
            chunk: Some(self.means.chunks - 1),
            is_last: false,
        };
        self.stream(&mut Held::new(vec![piece]), how);
    }

    /// Makes the place's writes durable, as part of its time.
    pub(super) fn flush(&mut self) {
        if !self.flushes || self.stopped.is_some() {
            return;
        }
        let how = How {
            action: Action::Fsync,
            operation: Operation::Flush,
            measured: true,
            is_told: true,
            insists: false,
            time_ns: u64::MAX,
        };
        self.alone(0, 0, how);
        if !self.failed.is_empty() {
            self.failed.clear();
            self.stop(StopReason::Failed);
        }
    }

    /// Issues what the feed gives until it is exhausted or something fails, and waits for
    /// all of it.
    pub(super) fn stream(&mut self, feed: &mut impl Feed, how: How) {
        let mut now = self.means.clock.now();
        let began_at = now;
        if how.measured {
            self.resume(now);
        }
        let mut is_exhausted = false;
        loop {
            let hindered = self.stopped.is_some() || !self.failed.is_empty();
            is_exhausted |= (hindered && !how.insists) || now - began_at >= how.time_ns;
            while !is_exhausted && self.in_flight < self.means.depth {
                match feed.next() {
                    Some(piece) => self.issue(piece, how, &mut now),
                    None => is_exhausted = true,
                }
            }
            if self.in_flight == 0 {
                break;
            }
            let waited = self.means.backend.submit_and_wait(1);
            now = self.means.clock.now();
            if how.measured {
                self.tally.hold_depth(now - self.shift, self.in_flight);
                self.tally.end_intervals(now - self.shift);
            }
            self.reap(now);
            if let Err(error) = waited {
                self.give_up(&error);
            } else if self.is_out_of_patience(now) {
                self.abandon();
            }
            if self.is_abandoned {
                break;
            }
        }
        if how.measured {
            self.pause(now);
        }
    }

    fn issue(&mut self, piece: Piece, how: How, now: &mut u64) {
        let chunk = piece.chunk.unwrap_or_else(|| self.free.take());
        if how.operation == Operation::Write
            && B::MOVES_DATA
            && let Some(data) = &mut self.means.data
        {
            let buffer = self.means.backend.chunk_mut(chunk);
            data.stamp(&mut buffer[..piece.length as usize]);
            if data.takes_long(piece.length) {
                *now = self.means.clock.now();
                if how.measured {
                    self.tally.hold_depth(*now - self.shift, self.in_flight);
                }
            }
        }
        if how.measured && how.operation != Operation::Flush {
            self.enter(piece, *now);
        }
        self.slots[chunk as usize] = Slot {
            issued_at: *now,
            piece,
            how,
            in_flight: true,
        };
        self.means.backend.prepare(Request {
            action: how.action,
            chunk,
            file: 0,
            length: piece.length,
            offset: piece.offset,
        });
        self.in_flight += 1;
    }

    /// Lets the counted time go on.
    fn resume(&mut self, now: u64) {
        if let Some(paused_at) = self.paused_at.take() {
            self.shift += now - paused_at;
            self.used_before = self.means.surroundings.used();
        }
    }

    /// Stops the counted time.
    fn pause(&mut self, now: u64) {
        self.paused_at = Some(now);
        let Some((cpu, usage)) = self.used_before.take().map(used_since) else {
            return;
        };
        let (all_cpu, all_usage) = self.used.get_or_insert_default();
        all_cpu.user.0 += cpu.user.0;
        all_cpu.system.0 += cpu.system.0;
        all_usage.context_switches += usage.context_switches;
        all_usage.major_faults += usage.major_faults;
        all_usage.minor_faults += usage.minor_faults;
    }

    /// Looks whether it is to stop.
    fn look(&mut self, now: u64) {
        if let Some(reason) = self.means.surroundings.stopped() {
            self.stop(reason);
        } else if now >= self.deadline {
            self.stop(StopReason::Time);
        }
    }

    /// The first reason stands, unless the user is in a hurry.
    pub(super) fn stop(&mut self, reason: StopReason) {
        if reason == StopReason::Cancelled || self.stopped.is_none() {
            self.stopped = Some(reason);
        }
    }

    fn is_out_of_patience(&mut self, now: u64) -> bool {
        let Some(reason) = self.stopped else {
            return false;
        };
        let patience = match reason {
            StopReason::Cancelled => CANCEL_TIME_MAX_NS,
            _ => DRAIN_TIME_MAX_NS,
        };
        let since = *self.waits_since.get_or_insert(now);
        self.in_flight > 0 && now - since > patience
    }

    /// The backend itself failed.
    #[cold]
    fn give_up(&mut self, error: &io::Error) {
        if let Some(errno) = error.raw_os_error() {
            self.tally
                .fail(self.operation, FailureKind::Errno(errno), 0);
        }
        self.abandon();
    }

    /// Waits no longer for what is in flight.
    #[cold]
    fn abandon(&mut self) {
        for slot in self.slots.iter().filter(|slot| slot.in_flight) {
            let (operation, offset) = (slot.how.operation, slot.piece.offset);
            self.tally.fail(operation, FailureKind::Unanswered, offset);
        }
        self.is_abandoned = true;
        self.stop(StopReason::Failed);
    }

    /// Tells of a failure that another one led to.
    pub(super) fn tell_failure(&mut self, failed: Failed) {
        self.tally
            .fail(failed.operation, failed.kind, failed.piece.offset);
    }

    fn finish(mut self) -> (Surveyed, B) {
        self.time_places();
        let mut places = self.places;
        // A place at which nothing was done before the end came is none.
        if self.stopped.is_some() && places.last().is_some_and(|place| place.ios == 0) {
            places.pop();
        }
        let mut tally = self.tally.finish();
        // An I/O that failed took its time, too.
        if let Some(paused_at) = self.paused_at {
            tally.last_completed_at = tally.last_completed_at.max(paused_at - self.shift);
        }
        let surveyed = Surveyed {
            tally,
            places,
            defects: self.defects,
            read_aside: self.read_aside,
            used: self.used,
            stopped: self.stopped.unwrap_or(StopReason::Bytes),
            notes: self.notes,
            is_abandoned: self.is_abandoned,
        };
        (surveyed, self.means.backend)
    }
}
