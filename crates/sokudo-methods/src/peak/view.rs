//! How many threads and how deep a device must be driven until it gives no more: what is tried
//! next, and what was found.
//!
//! What the campaign asks while it searches, and rules and documents say afterwards, is
//! answered here once. It judges no row.

use sokudo_model::{MethodKind, MethodTrait};
use std::ops::ControlFlow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::run::Run;
use sokudo_model::trial::Row;
use sokudo_report::document::ViewKind;
use sokudo_words::{Text, text};

pub(crate) static METHOD: MethodKind = MethodKind {
    name: "peak",
    command: "peak",
    is_named: false,
    traits: &[MethodTrait::DecidesTrials],
};

/// What documents call it.
pub(crate) static VIEW: ViewKind =
    ViewKind::new::<Peak>("peak", |run, _| Some(Arc::new(Peak::of(run)?)));

/// How much is in flight, and from how many threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct PeakLoad {
    /// Threads that issue I/Os at the same time.
    pub threads: u32,
    /// I/Os in flight per thread.
    pub depth: u32,
}

impl PeakLoad {
    /// I/Os in flight, of all threads.
    pub(crate) fn in_flight(self) -> u64 {
        u64::from(self.threads) * u64::from(self.depth)
    }

    /// For people, such as `2 threads × depth 32`.
    pub(crate) fn description(self) -> Text {
        let Self { threads, depth } = self;
        match threads {
            1 => text!("1 thread × depth {depth}"),
            _ => text!("{threads} threads × depth {depth}"),
        }
    }
}

/// A load with the rate that it gave.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct PeakStep {
    /// Threads and depth that were driven.
    #[serde(flatten)]
    pub load: PeakLoad,
    /// Median of its trials.
    pub ios_per_s: f64,
}

/// A load that was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct PeakRow {
    /// The place of its row in the run, from 0.
    pub result: usize,
    /// The load and its rate.
    #[serde(flatten)]
    pub step: PeakStep,
    /// Its rate ÷ the best.
    pub share: f64,
    /// Processors that the row's threads used in user mode, on average; `None` in virtual time.
    pub processors_user: Option<f64>,
    /// The same in the kernel.
    pub processors_system: Option<f64>,
    /// I/Os per second of processor time.
    pub ios_per_processor_s: Option<f64>,
}

impl PeakRow {
    /// Of a row that has a rate; its share is told once the best is known.
    fn of(result: usize, row: &Row) -> Option<Self> {
        let step = step(row)?;
        let processors = processors(row);
        let busy = processors.map(|[user, system]| user + system);
        let busy = busy.filter(|busy| *busy > 0.0);
        Some(Self {
            result,
            step,
            share: 1.0,
            processors_user: processors.map(|[user, _]| user),
            processors_system: processors.map(|[_, system]| system),
            ios_per_processor_s: busy.map(|busy| step.ios_per_s / busy),
        })
    }
}

/// Within which bounds a peak is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PeakSearch {
    /// Load that is tried first.
    pub start: PeakLoad,
    /// Processors: so many threads are tried whatever their doublings are.
    pub cpus: u32,
    /// Most threads that are tried.
    pub threads_max: u32,
    /// The most I/Os in flight per thread.
    pub depth_max: u32,
    /// The most I/Os in flight, of all threads, that there is memory for.
    pub in_flight_max: u64,
}

impl PeakSearch {
    /// A load that gives so much more than the best before it is worth its price.
    pub(crate) const GAIN_MIN: f64 = 0.05;

    /// Doublings without that gain, one after the other, that end a climb: one alone may have
    /// had a bad moment.
    pub(crate) const FLAT_STEPS: u32 = 2;

    /// What is to be measured after these steps; `None` where nothing is left to try.
    ///
    /// The depth doubles until that gains nothing. From the load of its last gain the threads
    /// double, at the same depth each, until that gains nothing; and where threads gained, the
    /// depth doubles again.
    pub(crate) fn next(&self, steps: &[PeakStep]) -> Option<PeakLoad> {
        match self.walk(steps) {
            ControlFlow::Break(load) => Some(load),
            ControlFlow::Continue(()) => None,
        }
    }

    /// The most loads that a search can come to.
    pub(crate) fn steps_max(&self) -> usize {
        let mut steps: Vec<PeakStep> = Vec::new();
        // A device that always gains climbs to the end of both.
        while let Some(load) = self.next(&steps) {
            let ios_per_s = steps.last().map_or(1.0, |step| 2.0 * step.ios_per_s);
            steps.push(PeakStep { load, ios_per_s });
        }
        steps.len() + Self::FLAT_STEPS as usize * 2
    }

    fn walk(&self, steps: &[PeakStep]) -> ControlFlow<PeakLoad> {
        let mut steps = steps.iter();
        let Some(first) = steps.next() else {
            return ControlFlow::Break(self.start);
        };
        let deep = self.climb(*first, &mut steps, Self::deeper)?;
        let wide = self.climb(deep, &mut steps, Self::wider)?;
        if wide.load != deep.load {
            self.climb(wide, &mut steps, Self::deeper)?;
        }
        ControlFlow::Continue(())
    }

    /// The last step that gained enough, of those that each grow out of the one before.
    fn climb<'a>(
        &self,
        from: PeakStep,
        measured: &mut impl Iterator<Item = &'a PeakStep>,
        grown: fn(&Self, PeakLoad) -> Option<PeakLoad>,
    ) -> ControlFlow<PeakLoad, PeakStep> {
        let (mut best, mut load, mut flat) = (from, from.load, 0);
        while flat < Self::FLAT_STEPS
            && let Some(next) = grown(self, load)
        {
            let Some(step) = measured.next() else {
                return ControlFlow::Break(next);
            };
            load = step.load;
            if step.ios_per_s >= best.ios_per_s * (1.0 + Self::GAIN_MIN) {
                (best, flat) = (*step, 0);
            } else {
                flat += 1;
            }
        }
        ControlFlow::Continue(best)
    }

    fn deeper(&self, load: PeakLoad) -> Option<PeakLoad> {
        let depth = load.depth.saturating_mul(2).min(self.depth_max);
        self.within(PeakLoad { depth, ..load }, load)
    }

    fn wider(&self, load: PeakLoad) -> Option<PeakLoad> {
        let doubled = load.threads.saturating_mul(2);
        let threads = match load.threads < self.cpus {
            true => doubled.min(self.cpus),
            false => doubled,
        };
        let threads = threads.min(self.threads_max);
        self.within(PeakLoad { threads, ..load }, load)
    }

    fn within(&self, next: PeakLoad, load: PeakLoad) -> Option<PeakLoad> {
        let grows = next.in_flight() > load.in_flight();
        (grows && next.in_flight() <= self.in_flight_max).then_some(next)
    }
}

/// Which of the loads is the peak, and which are worth telling of.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Peak {
    /// Loads in the order in which they were tried.
    pub steps: Vec<PeakRow>,
    /// The step with the highest rate, of those that were confirmed where any were.
    pub best: usize,
    /// The knee: the step with the least in flight, then the fewest threads, whose rate is
    /// within [`PeakSearch::GAIN_MIN`] of the best; of those that were confirmed where any were.
    pub knee: usize,
    /// Whether the search came to its end, and what it found was measured again. The rates of both
    /// are of those trials alone; others have one trial.
    #[serde(rename = "confirmed")]
    pub is_confirmed: bool,
    /// What gave no more, as the inference `limit-…` says with its evidence; `None` where nothing
    /// was concluded.
    pub limit: Option<PeakLimit>,
}

impl Peak {
    /// Of a run of this method; `None` for any other, and where nothing was measured.
    pub(crate) fn of(run: &Run) -> Option<Self> {
        let peak = run
            .plan
            .method
            .is_of(&METHOD)
            .then(|| Self::of_rows(&run.rows))??;
        let mut limits = run.inferences.iter();
        Some(Self {
            limit: limits.find_map(|inference| PeakLimit::of_code(&inference.code)),
            ..peak
        })
    }

    /// Of rows whose loads are the steps of a search.
    pub(crate) fn of_rows(rows: &[Row]) -> Option<Self> {
        let rows = rows.iter().enumerate();
        let measured = rows.filter_map(|(number, row)| Some((PeakRow::of(number, row)?, row)));
        let (mut steps, mut confirmed): (Vec<PeakRow>, Vec<usize>) = (Vec::new(), Vec::new());
        for (step, row) in measured {
            if row.trials.len() > 1 {
                confirmed.push(steps.len());
            }
            steps.push(step);
        }
        let is_confirmed = !confirmed.is_empty();
        let candidates = match is_confirmed {
            true => confirmed,
            false => (0..steps.len()).collect(),
        };
        let rate = |step: &usize| steps[*step].step.ios_per_s;
        let cost = |step: &usize| {
            let load = steps[*step].step.load;
            (load.in_flight(), load.threads)
        };
        let best = candidates.iter().copied().max_by(|one, other| {
            let by_rate = rate(one).total_cmp(&rate(other));
            by_rate.then(cost(other).cmp(&cost(one)))
        })?;
        let enough = rate(&best) * (1.0 - PeakSearch::GAIN_MIN);
        let near = candidates.into_iter().filter(|step| rate(step) >= enough);
        let knee = near.min_by_key(cost)?;
        let most = rate(&best);
        for step in &mut steps {
            step.share = step.step.ios_per_s / most;
        }
        Some(Self {
            steps,
            best,
            knee,
            is_confirmed,
            limit: None,
        })
    }

    /// The steps that are worth being measured again: the best and the knee; where that is
    /// one, the best of those with less in flight, too, if it is near enough that single trials
    /// may have mistaken it.
    pub(crate) fn to_confirm(&self) -> Vec<usize> {
        let rate = |step: &usize| self.steps[*step].step.ios_per_s;
        let in_flight = |step: usize| self.steps[step].step.load.in_flight();
        let other = match self.knee == self.best {
            false => Some(self.knee),
            true => (0..self.steps.len())
                .filter(|step| in_flight(*step) < in_flight(self.best))
                .filter(|step| rate(step) >= self.near_best())
                .max_by(|one, other| rate(one).total_cmp(&rate(other))),
        };
        other.into_iter().chain([self.best]).collect()
    }

    /// Rates from here on may be as high as the best, as far as single trials tell.
    fn near_best(&self) -> f64 {
        self.best().ios_per_s * (1.0 - 2.0 * PeakSearch::GAIN_MIN)
    }

    /// The step whose one trial gave far more than the best gave when it was measured again: the
    /// rates changed so much meanwhile that no peak is known.
    pub(crate) fn refuted_by(&self) -> Option<PeakStep> {
        let steps = self.steps.iter().map(|it| it.step);
        let most = steps.max_by(|one, other| one.ios_per_s.total_cmp(&other.ios_per_s))?;
        let bound = self.best().ios_per_s * (1.0 + 2.0 * PeakSearch::GAIN_MIN);
        (most.ios_per_s > bound).then_some(most)
    }

    /// The step with the highest rate.
    pub(crate) fn best(&self) -> PeakStep {
        self.steps[self.best].step
    }

    /// The least load that comes near it.
    pub(crate) fn knee(&self) -> PeakStep {
        self.steps[self.knee].step
    }

    /// Whether the rate still rose with the last doubling that was tried, of threads or of depth.
    pub(crate) fn rises(&self) -> bool {
        let knee = self.knee().load;
        let loads = || self.steps.iter().map(|it| it.step.load);
        let fewer = loads().any(|load| load.threads < knee.threads);
        let more = loads().any(|load| load.threads > knee.threads);
        let at_knee = || loads().filter(|load| load.threads == knee.threads);
        let shallower = at_knee().any(|load| load.depth < knee.depth);
        let deeper = at_knee().any(|load| load.depth > knee.depth);
        !more && (fewer || shallower && !deeper)
    }

    /// The step that drives hardest past the knee, without having broken down: the one with
    /// the most threads, then the deepest.
    pub(crate) fn hardest(&self) -> usize {
        let holds = |step: &usize| self.steps[*step].step.ios_per_s >= self.near_best();
        let steps = (0..self.steps.len()).filter(holds);
        let hardest = steps.max_by_key(|step| {
            let load = self.steps[*step].step.load;
            (load.threads, load.depth)
        });
        hardest.unwrap_or(self.best)
    }
}

fn step(row: &Row) -> Option<PeakStep> {
    Some(PeakStep {
        load: PeakLoad {
            threads: row.workload.threads,
            depth: row.workload.depth,
        },
        ios_per_s: row.ios_per_second()?,
    })
}

/// Processors in user mode and in the kernel, over all trials; `None` where one tells none.
fn processors(row: &Row) -> Option<[f64; 2]> {
    let (mut used, mut elapsed) = ([0.0; 2], 0.0);
    for trial in &row.trials {
        let cpu = trial.outcome.cpu?;
        used[0] += cpu.user.as_secs_f64();
        used[1] += cpu.system.as_secs_f64();
        elapsed += trial.outcome.elapsed.as_secs_f64();
    }
    (elapsed > 0.0).then(|| used.map(|used| used / elapsed))
}

/// What gave no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PeakLimit {
    /// The processors, with what runs outside the kernel.
    Processor,
    /// The processors, with what the kernel does; or its queues.
    Kernel,
    /// The device, with whatever lies behind it.
    Disk,
    /// Nothing that was seen: the rate still rose, or the evidence says nothing.
    NotFound,
}

impl PeakLimit {
    const ALL: [Self; 4] = [Self::Processor, Self::Kernel, Self::Disk, Self::NotFound];

    /// The code of the inference that says so.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::Processor => "limit-processor",
            Self::Kernel => "limit-kernel",
            Self::Disk => "limit-disk",
            Self::NotFound => "limit-not-found",
        }
    }

    /// The limit that a code says.
    pub(crate) fn of_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|limit| limit.code() == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::plan::{BackendKind, Operation, Workload};
    use sokudo_model::trial::{OperationTally, Outcome, StopReason, Trial};
    use sokudo_model::units::{Bytes, Nanos};

    const SEARCH: PeakSearch = PeakSearch {
        start: PeakLoad {
            threads: 1,
            depth: 1,
        },
        cpus: 4,
        threads_max: 8,
        depth_max: 64,
        in_flight_max: 1 << 20,
    };

    /// The loads that are tried on a device, in order.
    fn searched(search: PeakSearch, rate: impl Fn(PeakLoad) -> f64) -> Vec<PeakStep> {
        let mut steps = Vec::new();
        while let Some(load) = search.next(&steps) {
            assert!(steps.len() < search.steps_max(), "{steps:?}");
            let ios_per_s = rate(load);
            steps.push(PeakStep { load, ios_per_s });
        }
        steps
    }

    fn loads(steps: &[PeakStep]) -> Vec<(u32, u32)> {
        let load = |step: &PeakStep| (step.load.threads, step.load.depth);
        steps.iter().map(load).collect()
    }

    fn row(step: &PeakStep, trials: usize) -> Row {
        let mut workload = Workload::new("w", Bytes::kib(4));
        (workload.threads, workload.depth) = (step.load.threads, step.load.depth);
        let mut outcome = Outcome::new(BackendKind::Sim, StopReason::Time);
        let mut tally = OperationTally::new(Operation::Read);
        tally.ios = step.ios_per_s as u64;
        outcome.elapsed = Nanos::from_secs(1);
        outcome.operations.push(tally);
        let trial = Trial::new(outcome);
        Row {
            trials: vec![trial; trials],
            ..Row::new(workload)
        }
    }

    fn peak(steps: &[PeakStep], confirmed: &[usize]) -> Peak {
        let rows = steps.iter().enumerate();
        let trials = |number| if confirmed.contains(&number) { 6 } else { 1 };
        let rows: Vec<Row> = rows.map(|(number, it)| row(it, trials(number))).collect();
        Peak::of_rows(&rows).unwrap()
    }

    fn load(threads: u32, depth: u32) -> PeakLoad {
        PeakLoad { threads, depth }
    }

    #[test]
    fn a_device_with_eight_places_has_its_knee_there_and_more_threads_are_tried_from_it() {
        let steps = searched(SEARCH, |load| 1e4 * load.in_flight().min(8) as f64);
        let tried = [
            (1, 1),
            (1, 2),
            (1, 4),
            (1, 8),
            (1, 16),
            (1, 32),
            (2, 8),
            (4, 8),
        ];
        assert_eq!(loads(&steps), tried);
        let peak = peak(&steps, &[]);
        assert_eq!(peak.knee().load, load(1, 8));
        assert!(!peak.rises());
        assert_eq!(peak.steps[peak.hardest()].step.load, load(4, 8));
    }

    #[test]
    fn threads_that_each_do_so_much_are_raised_to_the_processors_and_once_beyond() {
        let per_thread = |load: PeakLoad| f64::from(load.threads.min(4)) * 1e6;
        let steps = searched(SEARCH, per_thread);
        let tried = [
            (1, 1),
            (1, 2),
            (1, 4),
            (2, 1),
            (4, 1),
            (8, 1),
            (4, 2),
            (4, 4),
        ];
        assert_eq!(loads(&steps), tried);
        let found = peak(&steps, &[]);
        assert_eq!((found.knee().load, found.rises()), (load(4, 1), false));
        assert_eq!(found.steps[found.hardest()].step.load, load(8, 1));
        // Six processors are no power of two.
        let six = PeakSearch {
            cpus: 6,
            threads_max: 12,
            ..SEARCH
        };
        let steps = searched(six, |load| f64::from(load.threads.min(6)));
        let threads: Vec<u32> = steps.iter().map(|step| step.load.threads).collect();
        assert_eq!(threads, [1, 1, 1, 2, 4, 6, 12, 6, 6]);
    }

    #[test]
    fn a_device_that_always_gives_more_is_driven_to_the_bounds_and_said_to_rise() {
        let rising = |load: PeakLoad| load.in_flight() as f64;
        let steps = searched(SEARCH, rising);
        assert_eq!(*loads(&steps).last().unwrap(), (8, 64));
        assert!(peak(&steps, &[]).rises());
        let one_thread = PeakSearch {
            threads_max: 1,
            ..SEARCH
        };
        let steps = searched(one_thread, rising);
        assert_eq!(*loads(&steps).last().unwrap(), (1, 64));
        assert!(peak(&steps, &[]).rises());
        let small = PeakSearch {
            in_flight_max: 16,
            ..SEARCH
        };
        let most = searched(small, rising);
        assert!(most.iter().all(|step| step.load.in_flight() <= 16));
    }

    #[test]
    fn one_bad_moment_does_not_end_a_climb() {
        let disturbed = |load: PeakLoad| match load.depth {
            4 => 1.0,
            depth => f64::from(depth.min(16)),
        };
        let steps = searched(SEARCH, disturbed);
        assert_eq!(peak(&steps, &[]).knee().load, load(1, 16));
    }

    #[test]
    fn what_was_confirmed_is_believed() {
        let step = |threads, depth, ios_per_s| PeakStep {
            load: load(threads, depth),
            ios_per_s,
        };
        // A single trial that was lucky is no peak.
        let steps = [
            step(1, 1, 50.0),
            step(1, 2, 97.0),
            step(2, 2, 100.0),
            step(4, 2, 200.0),
        ];
        let found = peak(&steps, &[1, 2]);
        assert_eq!(found.best().load, load(2, 2));
        assert_eq!(found.knee().load, load(1, 2));
        assert_eq!(found.refuted_by().unwrap().load, load(4, 2));
        let all = peak(&steps, &[]);
        assert_eq!((all.best().load, all.refuted_by()), (load(4, 2), None));
        // Its knee is itself, and nothing comes near it.
        assert_eq!(all.to_confirm(), [3]);
        // One that is 6 % lower may be as high in truth.
        let close = [step(1, 1, 94.0), step(1, 2, 100.0)];
        assert_eq!(peak(&close, &[]).to_confirm(), [0, 1]);
        assert_eq!(peak(&steps[..3], &[]).to_confirm(), [1, 2]);
        assert_eq!(peak(&steps[..1], &[]).to_confirm(), [0]);
        assert_eq!(Peak::of_rows(&[]), None);
    }

    #[test]
    fn codes_are_read_as_they_are_written() {
        for limit in PeakLimit::ALL {
            assert_eq!(PeakLimit::of_code(limit.code()), Some(limit));
        }
        assert_eq!(PeakLimit::of_code("rotation"), None);
    }
}
