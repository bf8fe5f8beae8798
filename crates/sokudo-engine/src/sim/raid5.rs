//! An array with one parity chunk per stripe (RAID 5, left-symmetric), of members of
//! constant latency.
//!
//! A write of less than a stripe first reads what the new parity needs: the old data and
//! parity of what it changes, or the rest of the stripe, whichever takes fewer reads, as
//! Linux's md does. Left out: a cache of stripes, the bitmap, failing members, and that
//! writes to one stripe wait for each other.

use std::collections::HashMap;
use std::ops::Range;

use sokudo_model::{Bytes, DeviceCounters, Operation};

use super::agenda::Agenda;
use super::constant::Constant;
use super::rate::TransferRate;
use super::spec::{Spec, SpecError, not_a_multiple};
use super::{DeviceModel, PendingRequest, Presentation, count};

/// With fewer there is no parity.
const DISKS_MIN: u64 = 3;

/// More make rebuilding them hopeless.
const DISKS_MAX: u64 = 32;

/// What md allows is more, but no array has it.
const CHUNK_MIN: Bytes = Bytes::kib(4);
const CHUNK_MAX: Bytes = Bytes::mib(16);

/// What a drive of flash moves over SATA at 6 Gbit/s.
const MEMBER_RATE: TransferRate = TransferRate::megabytes(550);

#[derive(Debug)]
pub(super) struct Raid5 {
    chunk_bytes: u64,
    members: Vec<Constant>,
    /// What the members have moved.
    counters: DeviceCounters,
    /// Requests of the host that wait for members, by number.
    open: HashMap<u64, HostRequest>,
    /// The host's request of each request to a member.
    parents: HashMap<u64, MemberRequest>,
    numbers: u64,
    answered: Agenda<PendingRequest>,
    moved: Vec<PendingRequest>,
}

/// A request of the host's.
#[derive(Debug)]
struct HostRequest {
    job: PendingRequest,
    /// Requests to members that have not ended.
    waiting: usize,
    /// What follows when they have.
    then: Vec<MemberRequest>,
}

/// A request to one member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MemberRequest {
    host: u64,
    member: usize,
    operation: Operation,
    offset: u64,
    bytes: u64,
}

impl Raid5 {
    pub(super) fn parse(spec: &mut Spec) -> Result<Self, SpecError> {
        let disks = spec.value("disks", DISKS_MIN..=DISKS_MAX, 4)?;
        let chunk = spec.value("chunk", CHUNK_MIN..=CHUNK_MAX, Bytes::kib(64))?;
        not_a_multiple(("chunk", chunk), Bytes::kib(4))?;
        let member = Constant::parse(spec, Some(MEMBER_RATE))?;
        Ok(Self {
            chunk_bytes: chunk.0,
            members: (0..disks).map(|_| member.clone()).collect(),
            counters: DeviceCounters::default(),
            open: HashMap::new(),
            parents: HashMap::new(),
            numbers: 0,
            answered: Agenda::new(),
            moved: Vec::new(),
        })
    }

    /// Hands requests to the members; with none of them, what follows.
    fn issue(&mut self, now_ns: u64, host: u64, mut parts: Vec<MemberRequest>) {
        let Some(open) = self.open.get_mut(&host) else {
            return;
        };
        if parts.is_empty() {
            parts = std::mem::take(&mut open.then);
        }
        open.waiting = parts.len();
        if parts.is_empty() {
            self.answered.enter(now_ns, open.job);
            self.open.remove(&host);
            return;
        }
        for part in parts {
            let id = self.number();
            self.parents.insert(id, part);
            let job = PendingRequest {
                id,
                operation: part.operation,
                offset: part.offset,
                bytes: part.bytes,
                result: Ok(part.bytes),
                is_durable: false,
            };
            self.members[part.member].submit(now_ns, job);
        }
    }

    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    fn read_parts(&self, host: u64, job: &PendingRequest) -> Vec<MemberRequest> {
        let mut parts = Vec::new();
        for stripe in self.stripes(job) {
            for (index, range) in &stripe.pieces {
                parts.push(self.part(host, Operation::Read, stripe.number, *index, range));
            }
        }
        parts
    }

    /// What is read, and what is written after it.
    fn write_parts(
        &self,
        host: u64,
        job: &PendingRequest,
    ) -> (Vec<MemberRequest>, Vec<MemberRequest>) {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for stripe in self.stripes(job) {
            for (rows, mut changed) in stripe.rows() {
                let part = |operation, index: &u64| {
                    self.part(host, operation, stripe.number, *index, &rows)
                };
                let rest: Vec<u64> = (0..self.data_disks())
                    .filter(|index| !changed.contains(index))
                    .collect();
                // The parity.
                changed.push(self.data_disks());
                let needed = if rest.len() <= changed.len() {
                    &rest
                } else {
                    &changed
                };
                reads.extend(needed.iter().map(|it| part(Operation::Read, it)));
                writes.extend(changed.iter().map(|it| part(Operation::Write, it)));
            }
        }
        (reads, writes)
    }

    const fn data_disks(&self) -> u64 {
        self.members.len() as u64 - 1
    }

    /// The request, stripe by stripe.
    fn stripes(&self, job: &PendingRequest) -> Vec<Stripe> {
        let width = self.chunk_bytes * self.data_disks();
        let end = job.offset + job.bytes;
        let stripe = |number: u64| {
            let from = job.offset.max(number * width) - number * width;
            let to = end.min((number + 1) * width) - number * width;
            let chunks = from / self.chunk_bytes..=(to - 1) / self.chunk_bytes;
            let piece = |index: u64| {
                let start = index * self.chunk_bytes;
                let range = from.max(start) - start..to.min(start + self.chunk_bytes) - start;
                (index, range)
            };
            Stripe {
                number,
                pieces: chunks.map(piece).collect(),
            }
        };
        (job.offset / width..=(end - 1) / width)
            .map(stripe)
            .collect()
    }

    /// A part of one chunk, by the number of the chunk in its stripe; the parity is the
    /// last one.
    #[expect(clippy::cast_possible_truncation, reason = "below the number of disks")]
    fn part(
        &self,
        host: u64,
        operation: Operation,
        stripe: u64,
        index: u64,
        range: &Range<u64>,
    ) -> MemberRequest {
        let disks = self.members.len() as u64;
        let parity = self.data_disks() - stripe % disks;
        let member = if index == self.data_disks() {
            parity
        } else {
            (parity + 1 + index) % disks
        };
        MemberRequest {
            host,
            member: member as usize,
            operation,
            offset: stripe * self.chunk_bytes + range.start,
            bytes: range.end - range.start,
        }
    }
}

impl DeviceModel for Raid5 {
    fn presentation(&self) -> Presentation {
        Presentation {
            model: "sokudo simulated array with parity",
            members: self.members.len(),
            ..Presentation::default()
        }
    }

    fn seed(&mut self, seed: u64) {
        for (number, member) in (0u64..).zip(&mut self.members) {
            member.seed(sokudo_stats::mix64(seed ^ number));
        }
    }

    fn submit(&mut self, now_ns: u64, job: PendingRequest) {
        let host = self.number();
        let (first, then) = match job.operation {
            Operation::Write => self.write_parts(host, &job),
            Operation::Read => (self.read_parts(host, &job), Vec::new()),
            operation => {
                let flush = |member| MemberRequest {
                    host,
                    member,
                    operation,
                    offset: 0,
                    bytes: 0,
                };
                ((0..self.members.len()).map(flush).collect(), Vec::new())
            }
        };
        self.open.insert(
            host,
            HostRequest {
                job,
                waiting: 0,
                then,
            },
        );
        self.issue(now_ns, host, first);
    }

    fn next_ns(&self) -> Option<u64> {
        let members = self.members.iter().filter_map(Constant::next_ns);
        members.chain(self.answered.next_ns()).min()
    }

    fn advance(&mut self, now_ns: u64, finished: &mut Vec<PendingRequest>) {
        let mut moved = std::mem::take(&mut self.moved);
        for member in &mut self.members {
            member.advance(now_ns, &mut moved);
        }
        for job in moved.drain(..) {
            count(&mut self.counters, job.operation, job.bytes);
            let Some(part) = self.parents.remove(&job.id) else {
                continue;
            };
            let Some(open) = self.open.get_mut(&part.host) else {
                continue;
            };
            open.waiting -= 1;
            if open.waiting == 0 {
                self.issue(now_ns, part.host, Vec::new());
            }
        }
        self.moved = moved;
        finished.extend(std::iter::from_fn(|| self.answered.take_due(now_ns)));
    }

    fn member_counters(&self) -> Option<DeviceCounters> {
        Some(self.counters)
    }
}

/// The part of a request that lies in one stripe.
struct Stripe {
    number: u64,
    /// The number of the chunk in it, and bytes of that chunk.
    pieces: Vec<(u64, Range<u64>)>,
}

impl Stripe {
    /// Rows of bytes across the chunks, each with the chunks that the request changes
    /// there.
    fn rows(&self) -> Vec<(Range<u64>, Vec<u64>)> {
        let ranges = || self.pieces.iter().map(|(_, range)| range);
        let mut edges: Vec<u64> = ranges().flat_map(|it| [it.start, it.end]).collect();
        edges.sort_unstable();
        edges.dedup();
        let changed = |start| {
            let holds = move |(_, range): &&(u64, Range<u64>)| range.contains(&start);
            self.pieces.iter().filter(holds).map(|(index, _)| *index)
        };
        edges
            .windows(2)
            .map(|edge| (edge[0]..edge[1], changed(edge[0]).collect::<Vec<_>>()))
            .filter(|(_, chunks)| !chunks.is_empty())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(spec: &str) -> Raid5 {
        let mut spec = Spec::parse(spec).unwrap();
        Raid5::parse(&mut spec).unwrap()
    }

    fn parts(array: &Raid5, offset_kib: u64, kib: u64) -> (usize, usize, u64) {
        let job = PendingRequest {
            id: 0,
            operation: Operation::Write,
            offset: offset_kib << 10,
            bytes: kib << 10,
            result: Ok(kib << 10),
            is_durable: false,
        };
        let (reads, writes) = array.write_parts(1, &job);
        let written: u64 = writes.iter().map(|part| part.bytes).sum();
        (reads.len(), writes.len(), written >> 10)
    }

    #[test]
    fn a_small_write_is_two_reads_and_two_writes_and_a_full_stripe_reads_nothing() {
        let array = array("sim:raid5?disks=5&chunk=64KiB");
        assert_eq!(parts(&array, 0, 4), (2, 2, 8));
        assert_eq!(parts(&array, 60, 8), (4, 4, 16), "over the edge of a chunk");
        assert_eq!(
            parts(&array, 0, 128),
            (2, 3, 192),
            "reading the rest is less"
        );
        assert_eq!(parts(&array, 256, 256), (0, 5, 320));
        assert_eq!(parts(&array, 0, 512), (0, 10, 640));
        assert_eq!(
            parts(&array, 192, 128),
            (4, 4, 256),
            "over the edge of a stripe"
        );
    }

    #[test]
    fn chunks_of_a_stripe_are_on_different_members_and_parity_moves() {
        let array = array("sim:raid5?disks=4&chunk=4KiB");
        let mut parity_members = Vec::new();
        for stripe in 0..8 {
            let members: Vec<usize> = (0..4)
                .map(|index| {
                    array
                        .part(1, Operation::Read, stripe, index, &(0..4096))
                        .member
                })
                .collect();
            let mut sorted = members.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3]);
            parity_members.push(members[3]);
        }
        assert_eq!(parity_members, [3, 2, 1, 0, 3, 2, 1, 0]);
    }
}
