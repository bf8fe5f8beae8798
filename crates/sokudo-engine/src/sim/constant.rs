//! A device with one latency: the known truth against which the engine's own
//! accuracy is tested. It has no cache and no positions.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sokudo_model::{Bytes, Nanos};
use sokudo_stats::Random;

use super::agenda::Agenda;
use super::rate::TransferRate;
use super::spec::{Spec, SpecError, not_above};
use super::{DeviceModel, PendingRequest, Presentation};

/// Virtual time must pass, or a time limit would never be reached.
const LATENCY_MIN: Nanos = Nanos(1);
const LATENCY_MAX: Nanos = Nanos::from_secs(3600);
const LATENCY_DEFAULT: Nanos = Nanos::from_micros(100);

/// More I/Os than any workload keeps in flight per thread.
const PARALLEL_MAX: u64 = 65_536;

/// No device takes equally long each time, and what ends at the same instant hides what a tester
/// does at the edges of a trial: of the latency, this part.
const JITTER_DEFAULT_PART: u64 = 50;

/// Every I/O takes `latency`, plus or minus a uniform `jitter`; then its data
/// passes a shared wire, if that has a `rate`. At most `parallel` I/Os are worked
/// on at once; further ones wait in order of arrival. With `refill` it is a volume that is
/// limited to that rate, with `credit` for bursts above it: a bucket of tokens.
#[derive(Clone, Debug)]
pub(super) struct Constant {
    latency_ns: u64,
    jitter_ns: u64,
    wire: Option<TransferRate>,
    wire_free_ns: u64,
    limit: Option<CreditLimit>,
    /// When each of the parallel workers is free; `None` without a limit.
    workers_free_ns: Option<BinaryHeap<Reverse<u64>>>,
    random: Random,
    agenda: Agenda<PendingRequest>,
}

/// What rests earns credit, up to a limit, at the rate at which what is without any moves
/// (the virtual scheduling of ITU-T I.371).
#[derive(Clone, Debug)]
struct CreditLimit {
    refill: TransferRate,
    /// How long the whole credit takes to be earned.
    credit_ns: i128,
    /// When all that has passed would have, at the rate of the refill.
    due_ns: i128,
}

impl CreditLimit {
    fn end_ns(&mut self, ready_ns: u64, bytes: u64) -> u64 {
        let full = i128::from(ready_ns) - self.credit_ns;
        self.due_ns = self.due_ns.max(full) + i128::from(self.refill.nanos(bytes));
        u64::try_from(self.due_ns).map_or(ready_ns, |due_ns| due_ns.max(ready_ns))
    }
}

impl Constant {
    /// Reads its keys; without `rate` the wire is this one.
    pub(super) fn parse(spec: &mut Spec, wire: Option<TransferRate>) -> Result<Self, SpecError> {
        let latency = spec.value("latency", LATENCY_MIN..=LATENCY_MAX, LATENCY_DEFAULT)?;
        let some = Nanos(latency.0 / JITTER_DEFAULT_PART);
        let jitter = spec.value("jitter", Nanos(0)..=LATENCY_MAX, some)?;
        let parallel = spec.optional("parallel", 1..=PARALLEL_MAX)?;
        let wires = TransferRate(1_000)..=TransferRate::megabytes(1_000_000);
        let wire = spec.optional("rate", wires.clone())?.or(wire);
        let refill = spec.optional("refill", wires)?;
        let credit = spec.value("credit", Bytes(0)..=Bytes::gib(1 << 20), Bytes::gib(8))?;
        let limit = refill.map(|refill| {
            let nanos = i128::from(credit.0) * 1_000_000_000 / i128::from(refill.0);
            CreditLimit {
                refill,
                credit_ns: nanos,
                due_ns: -nanos,
            }
        });
        // Equal would allow a latency of nothing.
        not_above(("jitter", jitter), ("latency − 1 ns", Nanos(latency.0 - 1)))?;
        Ok(Self {
            latency_ns: latency.0,
            jitter_ns: jitter.0,
            wire,
            wire_free_ns: 0,
            limit,
            workers_free_ns: parallel.map(|count| (0..count).map(|_| Reverse(0)).collect()),
            random: Random::new(0),
            agenda: Agenda::new(),
        })
    }

    fn latency_ns(&mut self) -> u64 {
        match self.jitter_ns {
            0 => self.latency_ns,
            jitter => self.latency_ns - jitter + self.random.below(2 * jitter + 1),
        }
    }

    /// When an I/O that may start at `start_ns` has ended.
    fn end_ns(&mut self, start_ns: u64, bytes: u64) -> u64 {
        let mut ready_ns = start_ns + self.latency_ns();
        if let Some(limit) = &mut self.limit {
            ready_ns = limit.end_ns(ready_ns, bytes);
        }
        let Some(wire) = self.wire else {
            return ready_ns;
        };
        self.wire_free_ns = ready_ns.max(self.wire_free_ns) + wire.nanos(bytes);
        self.wire_free_ns
    }
}

impl DeviceModel for Constant {
    fn presentation(&self) -> Presentation {
        Presentation {
            model: "sokudo simulated device of constant latency",
            trims: true,
            ..Presentation::default()
        }
    }

    fn seed(&mut self, seed: u64) {
        self.random = Random::new(seed);
    }

    fn submit(&mut self, now_ns: u64, job: PendingRequest) {
        let end_ns = match self.workers_free_ns.as_mut().and_then(BinaryHeap::pop) {
            None => self.end_ns(now_ns, job.moved_bytes()),
            Some(Reverse(free_ns)) => {
                let end_ns = self.end_ns(now_ns.max(free_ns), job.moved_bytes());
                if let Some(workers) = &mut self.workers_free_ns {
                    workers.push(Reverse(end_ns));
                }
                end_ns
            }
        };
        self.agenda.enter(end_ns, job);
    }

    fn next_ns(&self) -> Option<u64> {
        self.agenda.next_ns()
    }

    fn advance(&mut self, now_ns: u64, finished: &mut Vec<PendingRequest>) {
        finished.extend(std::iter::from_fn(|| self.agenda.take_due(now_ns)));
    }
}
