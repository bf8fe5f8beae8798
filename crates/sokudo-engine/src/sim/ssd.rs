//! A solid-state drive: dies on channels, and a memory that acknowledges writes.
//!
//! Left out: garbage collection, wear, and that reading the map keeps a die busy.
//! Reads go to the flash even where the memory would still have the data.

mod fast_cells;
mod flash;
mod map;
mod memory;

use std::collections::VecDeque;

use sokudo_model::{Bytes, Operation};
use sokudo_stats::Random;

use super::agenda::Agenda;
use super::rate::TransferRate;
use super::spec::{Spec, SpecError};
use super::{DeviceModel, PendingRequest, Presentation};
use fast_cells::FastCells;
use flash::Flash;
use map::{MappingCache, SEGMENT_MAP_BYTES};
use memory::Memory;

/// From the arrival of a command until the drive acts on it.
const COMMAND_NS: u64 = 5_000;

/// Controllers have 1 to 16 channels; more only cost memory.
const CHANNELS_MAX: u64 = 64;
/// Dies that share a channel.
const DIES_MAX: u64 = 64;

/// The drive. Pages lie round robin over the channels, then over the dies of each.
/// A read senses its page on the die, then passes the channel, then the interface;
/// a write passes the interface into the memory and is acknowledged, and later
/// passes a channel and is programmed by whichever die is free.
#[derive(Debug)]
pub(super) struct SolidState {
    flash: Flash,
    /// `None` where all cells are alike.
    fast_cells: Option<FastCells>,
    /// `None` where all of it is in memory.
    map: Option<MappingCache>,
    interface: TransferRate,
    dies: Vec<Die>,
    channels: Vec<Channel>,
    reads: Vec<PendingRead>,
    reads_unused: Vec<usize>,
    /// PCIe and SATA lanes from and to the host; PCIe has both at once.
    upward_free_ns: u64,
    downward_free_ns: u64,
    memory: Memory,
    blocked_writes: VecDeque<PendingRequest>,
    flushes: VecDeque<Flush>,
    /// Where the next program goes, if that die is free.
    next_die: usize,
    dies_busy: usize,
    random: Random,
    agenda: Agenda<FlashEvent>,
}

#[derive(Debug, Default)]
struct Die {
    waiting: VecDeque<PageRead>,
    work: Option<DieWork>,
    read_last: bool,
}

#[derive(Debug, Default)]
struct Channel {
    /// Dies that want to pass a page, in order.
    waiting: VecDeque<usize>,
    is_busy: bool,
}

/// The part of a read that lies on one page.
#[derive(Clone, Copy, Debug)]
struct PageRead {
    read: usize,
    bytes: u64,
}

#[derive(Clone, Copy, Debug)]
enum DieWork {
    Read(PageRead),
    Program { bytes: u64 },
}

/// A read of which pieces are still to come.
#[derive(Clone, Copy, Debug)]
struct PendingRead {
    job: PendingRequest,
    pieces: u64,
}

/// A flush ends when as much has been programmed as had been taken before it.
#[derive(Clone, Copy, Debug)]
struct Flush {
    job: PendingRequest,
    until_bytes: u64,
}

#[derive(Clone, Copy, Debug)]
enum FlashEvent {
    Accept(PendingRequest),
    /// It is known where the data is.
    Mapped(PendingRequest),
    Sensed {
        die: usize,
    },
    Passed {
        die: usize,
    },
    Programmed {
        die: usize,
    },
    Answer(PendingRequest),
}

impl SolidState {
    /// With `is_dramless` only a part of the map is in memory.
    pub(super) fn parse(spec: &mut Spec, is_dramless: bool) -> Result<Self, SpecError> {
        let channels = spec.value("channels", 1..=CHANNELS_MAX, 8)?;
        let dies = spec.value("dies", 1..=DIES_MAX, 4)?;
        let flash = Flash::parse(spec)?;
        let interfaces = TransferRate::megabytes(1)..=TransferRate(1 << 40);
        let interface = spec.value("interface", interfaces, TransferRate::megabytes(3_500))?;
        let caches = Bytes::mib(1)..=Bytes::gib(1024);
        let cache = spec.value("cache", caches, Bytes::mib(256))?;
        let fast_cells = FastCells::parse(spec, &flash, channels * dies)?;
        Ok(Self {
            flash,
            fast_cells,
            map: MappingCache::parse(spec, is_dramless)?,
            interface,
            dies: (0..channels * dies).map(|_| Die::default()).collect(),
            channels: (0..channels).map(|_| Channel::default()).collect(),
            reads: Vec::new(),
            reads_unused: Vec::new(),
            upward_free_ns: 0,
            downward_free_ns: 0,
            memory: Memory::new(cache.0),
            blocked_writes: VecDeque::new(),
            flushes: VecDeque::new(),
            next_die: 0,
            dies_busy: 0,
            random: Random::new(0),
            agenda: Agenda::new(),
        })
    }

    fn take(&mut self, now_ns: u64, step: FlashEvent) {
        match step {
            FlashEvent::Accept(job) => self.accept(now_ns, job),
            FlashEvent::Mapped(job) => self.start_read(now_ns, job),
            FlashEvent::Sensed { die } => {
                let channel = self.channel_of(die);
                self.channels[channel].waiting.push_back(die);
                self.start_channel(now_ns, channel);
            }
            FlashEvent::Passed { die } => {
                let channel = self.channel_of(die);
                self.channels[channel].is_busy = false;
                self.passed(now_ns, die);
                self.start_channel(now_ns, channel);
            }
            FlashEvent::Programmed { die } => self.programmed(now_ns, die),
            FlashEvent::Answer(_) => {}
        }
    }

    fn accept(&mut self, now_ns: u64, job: PendingRequest) {
        match job.operation {
            Operation::Read => self.accept_read(now_ns, job),
            Operation::Write => {
                self.blocked_writes.push_back(job);
                self.accept_writes(now_ns);
                self.start_programs(now_ns);
            }
            Operation::Flush => {
                self.flushes.push_back(Flush {
                    job,
                    until_bytes: self.memory.taken_bytes,
                });
                self.answer_flushes(now_ns);
                self.start_programs(now_ns);
            }
            // A trim changes the map, which is one page to be programmed.
            _ => self
                .agenda
                .enter(now_ns + self.flash.program_ns, FlashEvent::Answer(job)),
        }
    }

    /// Finds out where the data is, for which parts of the map may have to be read, one
    /// after the other.
    fn accept_read(&mut self, now_ns: u64, job: PendingRequest) {
        let missing = self
            .map
            .as_mut()
            .map_or(0, |map| map.look_up(job.offset, job.bytes));
        if missing == 0 {
            self.start_read(now_ns, job);
            return;
        }
        let map_ns =
            |_| self.flash.sense_ns(&mut self.random) + self.flash.bus.nanos(SEGMENT_MAP_BYTES);
        let mapped_ns = now_ns + (0..missing).map(map_ns).sum::<u64>();
        self.agenda.enter(mapped_ns, FlashEvent::Mapped(job));
    }

    fn start_read(&mut self, now_ns: u64, job: PendingRequest) {
        let page_bytes = self.flash.page_bytes;
        let end = job.offset + job.bytes;
        let (first, last) = (job.offset / page_bytes, (end - 1) / page_bytes);
        let pieces = last - first + 1;
        let read = self.keep(PendingRead { job, pieces });
        for page in first..=last {
            let start = job.offset.max(page * page_bytes);
            let bytes = end.min((page + 1) * page_bytes) - start;
            let die = self.die_of(page);
            self.dies[die].waiting.push_back(PageRead { read, bytes });
            self.start_die(now_ns, die);
        }
    }

    fn keep(&mut self, read: PendingRead) -> usize {
        match self.reads_unused.pop() {
            Some(index) => {
                self.reads[index] = read;
                index
            }
            None => {
                self.reads.push(read);
                self.reads.len() - 1
            }
        }
    }

    fn accept_writes(&mut self, now_ns: u64) {
        while let Some(job) = self.blocked_writes.front().copied()
            && self.memory.has_room(job.bytes)
        {
            self.blocked_writes.pop_front();
            self.memory.take(job.bytes);
            self.downward_free_ns =
                self.downward_free_ns.max(now_ns) + self.interface.nanos(job.bytes);
            self.agenda
                .enter(self.downward_free_ns, FlashEvent::Answer(job));
        }
    }

    fn answer_flushes(&mut self, now_ns: u64) {
        while let Some(flush) = self.flushes.front().copied()
            && self.memory.programmed_bytes >= flush.until_bytes
        {
            self.flushes.pop_front();
            self.agenda.enter(now_ns, FlashEvent::Answer(flush.job));
        }
    }

    /// Gives free dies something to program, in turn.
    fn start_programs(&mut self, now_ns: u64) {
        for _ in 0..self.dies.len() {
            if self.dies_busy == self.dies.len() || self.bytes_to_program() == 0 {
                return;
            }
            let die = self.next_die;
            self.next_die = (die + 1) % self.dies.len();
            self.start_die(now_ns, die);
        }
    }

    /// Whole pages are programmed; less only when somebody waits for it.
    fn bytes_to_program(&self) -> u64 {
        let pressing = !self.flushes.is_empty() || !self.blocked_writes.is_empty();
        match self.memory.idle_bytes.min(self.flash.page_bytes) {
            bytes if bytes == self.flash.page_bytes || pressing => bytes,
            _ => 0,
        }
    }

    /// Reads go first; when writes are blocked, both take turns.
    fn start_die(&mut self, now_ns: u64, index: usize) {
        let bytes = self.bytes_to_program();
        let die = &mut self.dies[index];
        if die.work.is_some() {
            return;
        }
        let turn = die.read_last && !self.blocked_writes.is_empty();
        let piece = match bytes > 0 && turn {
            true => None,
            false => die.waiting.pop_front(),
        };
        if let Some(piece) = piece {
            die.work = Some(DieWork::Read(piece));
            die.read_last = true;
            let sensed_ns = now_ns + self.flash.sense_ns(&mut self.random);
            self.agenda
                .enter(sensed_ns, FlashEvent::Sensed { die: index });
        } else if bytes > 0 {
            die.work = Some(DieWork::Program { bytes });
            die.read_last = false;
            self.memory.idle_bytes -= bytes;
            let channel = self.channel_of(index);
            self.channels[channel].waiting.push_back(index);
            self.start_channel(now_ns, channel);
        } else {
            return;
        }
        self.dies_busy += 1;
    }

    fn start_channel(&mut self, now_ns: u64, index: usize) {
        let channel = &mut self.channels[index];
        if channel.is_busy {
            return;
        }
        let Some(die) = channel.waiting.pop_front() else {
            return;
        };
        channel.is_busy = true;
        let bytes = match self.dies[die].work {
            Some(DieWork::Read(piece)) => piece.bytes,
            Some(DieWork::Program { bytes }) => bytes,
            None => 0,
        };
        let passed_ns = now_ns + self.flash.bus.nanos(bytes);
        self.agenda.enter(passed_ns, FlashEvent::Passed { die });
    }

    fn passed(&mut self, now_ns: u64, die: usize) {
        match self.dies[die].work {
            Some(DieWork::Program { bytes }) => {
                let fast_ns = self.flash.program_ns;
                let program_ns = self
                    .fast_cells
                    .as_mut()
                    .map_or(fast_ns, |cells| cells.begin(now_ns, bytes, fast_ns));
                let programmed_ns = now_ns + program_ns;
                self.agenda
                    .enter(programmed_ns, FlashEvent::Programmed { die });
            }
            Some(DieWork::Read(piece)) => {
                self.pass_upward(now_ns, piece);
                self.release(now_ns, die);
            }
            None => {}
        }
    }

    fn pass_upward(&mut self, now_ns: u64, piece: PageRead) {
        self.upward_free_ns = self.upward_free_ns.max(now_ns) + self.interface.nanos(piece.bytes);
        let read = &mut self.reads[piece.read];
        read.pieces -= 1;
        if read.pieces == 0 {
            self.agenda
                .enter(self.upward_free_ns, FlashEvent::Answer(read.job));
            self.reads_unused.push(piece.read);
        }
    }

    fn programmed(&mut self, now_ns: u64, die: usize) {
        if let Some(DieWork::Program { bytes }) = self.dies[die].work {
            self.memory.programmed(bytes);
            if let Some(cells) = &mut self.fast_cells {
                cells.end(now_ns);
            }
        }
        self.accept_writes(now_ns);
        self.answer_flushes(now_ns);
        self.release(now_ns, die);
        self.start_programs(now_ns);
    }

    fn release(&mut self, now_ns: u64, die: usize) {
        self.dies[die].work = None;
        self.dies_busy -= 1;
        self.start_die(now_ns, die);
    }

    #[expect(clippy::cast_possible_truncation, reason = "below the number of dies")]
    fn die_of(&self, page: u64) -> usize {
        (page % self.dies.len() as u64) as usize
    }

    fn channel_of(&self, die: usize) -> usize {
        die % self.channels.len()
    }
}

impl DeviceModel for SolidState {
    fn presentation(&self) -> Presentation {
        Presentation {
            model: match self.map {
                None => "sokudo simulated solid-state drive",
                Some(_) => "sokudo simulated solid-state drive without memory of its own",
            },
            write_back: true,
            trims: true,
            ..Presentation::default()
        }
    }

    fn seed(&mut self, seed: u64) {
        self.random = Random::new(seed);
    }

    fn submit(&mut self, now_ns: u64, job: PendingRequest) {
        self.agenda
            .enter(now_ns + COMMAND_NS, FlashEvent::Accept(job));
    }

    fn next_ns(&self) -> Option<u64> {
        self.agenda.next_ns()
    }

    fn advance(&mut self, now_ns: u64, finished: &mut Vec<PendingRequest>) {
        while let Some(at_ns) = self.agenda.next_ns()
            && at_ns <= now_ns
        {
            match self.agenda.take_due(at_ns) {
                Some(FlashEvent::Answer(job)) => finished.push(job),
                Some(step) => self.take(at_ns, step),
                None => {}
            }
        }
    }
}
