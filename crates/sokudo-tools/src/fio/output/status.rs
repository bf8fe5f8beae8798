//! fio's status line: `Jobs: 2 (f=2): [m(2)][57.1%][r=…,w=…][r=…,w=… IOPS][eta 00m:03s]`.
//!
//! It gives a line of a state at a time. It reads no clock and no terminal: who shows it
//! decides when.

use sokudo_model::{
    Doing, EndsOthers, Moved, Nanos, Operation, Order, Phase, Plan, Rate, RunState, StopReason,
    Workload,
};

use crate::fio::session::{FioJob, FioSession};

use super::figures::per_second;
use super::number::{UnitSuffix, scaled};

mod remaining;

use remaining::remaining;
use sokudo_report::number::float;

/// Significant digits that rates are printed with.
const RATE_DIGITS: usize = 4;
const DIRECTION_LETTERS: [char; 3] = ['r', 'w', 't'];

/// What the line is made of beside the state of the run.
#[derive(Clone, Debug)]
pub struct StatusLine {
    jobs: Vec<JobState>,
    /// The running stage, and when it began.
    stage: Option<(usize, Nanos)>,
    binary: bool,
    unit: UnitSuffix,
    digits: usize,
    /// What had been moved when the last line was made, and when that was.
    shown: [Moved; 3],
    shown_at: Nanos,
    /// Characters of the last line: a shorter one is filled up to cover it.
    length: usize,
    /// Whether any end could be foreseen so far.
    has_estimate: bool,
}

#[derive(Clone, Debug)]
struct JobState {
    stage: usize,
    workload: Workload,
    files: usize,
}

impl StatusLine {
    /// Nothing has begun yet.
    pub fn new(plan: &Plan, session: &FioSession) -> Self {
        let workloads = plan.stages.iter().enumerate().flat_map(|(number, stage)| {
            let of_stage = move |workload| (number, workload);
            stage.workloads.iter().map(of_stage)
        });
        let state = |((stage, workload), job): ((usize, &Workload), &FioJob)| JobState {
            stage,
            workload: workload.clone(),
            // A job of an engine without files counts as one with one open.
            files: job.files.len().max(1),
        };
        let reporting = session.jobs.first().map(|job| &job.reporting);
        Self {
            jobs: workloads.zip(&session.jobs).map(state).collect(),
            stage: None,
            binary: reporting.is_none_or(|r| r.kb_base.is_power_of_two()),
            unit: UnitSuffix::of_base(reporting.map_or(0, |r| r.unit_base)),
            digits: reporting.map_or(RATE_DIGITS, |r| r.significant_figures as usize),
            shown: [Moved::default(); 3],
            shown_at: Nanos(0),
            length: 0,
            has_estimate: false,
        }
    }

    /// A stage begins, `at` this time since the run's start.
    pub fn stage_started(&mut self, stage: usize, at: Nanos) {
        self.stage = Some((stage, at));
    }

    /// The running stage has ended, and all its jobs with it.
    pub fn stage_ended(&mut self) {
        self.stage = None;
    }

    /// Each job with what it does, which its row tells.
    fn doing<'a>(&'a self, state: &'a RunState) -> impl Iterator<Item = (&'a JobState, Doing)> {
        let jobs = self.jobs.iter().enumerate();
        jobs.map(|(row, job)| (job, state.doing(row)))
    }

    /// The line `now`, counted from the run's start, without an end of line. Rates are
    /// those since the last line.
    pub fn line(&mut self, now: Nanos, state: &RunState) -> String {
        let phases = self.doing(state).map(|(_, doing)| doing.phase);
        let running = phases.filter(|phase| is_running(*phase)).count();
        let files: usize = self.doing(state).map(|(job, it)| job.open_files(it)).sum();
        let mut line = format!("Jobs: {running} (f={files})");
        self.add_fixed_rates(&mut line, state);
        let left = self.remaining(now, state);
        if running > 0 {
            let percent = self.percent(now, left, running, state);
            line += &format!(": [{}][{percent}]", self.letters(state));
            self.add_rates(&mut line, now, state);
            line += &format!("[eta {}]", eta(left));
        }
        let length = line.chars().count();
        let filler = self.length.saturating_sub(length);
        self.length = length;
        line.extend(std::iter::repeat_n(' ', filler));
        line
    }

    /// Once a line was cleared there is nothing to cover.
    pub fn begin_new_line(&mut self) {
        self.length = 0;
    }

    /// How long the run is expected to go on; `None` when that cannot be foreseen.
    pub fn remaining(&self, now: Nanos, state: &RunState) -> Option<Nanos> {
        let stages = self.jobs.iter().map(|job| job.stage).max()? + 1;
        let mut sum = 0u64;
        for stage in 0..stages {
            let jobs = || self.doing(state).filter(|(job, _)| job.stage == stage);
            let since_start = match self.stage {
                Some((running, at)) if running == stage => Nanos(now.0.saturating_sub(at.0)),
                _ => Nanos(0),
            };
            let left = |(job, doing): (&JobState, Doing)| match doing.phase {
                Phase::Ended => Some(Nanos(0)),
                phase => remaining(&job.workload, &doing.each, phase, since_start),
            };
            let first_ends_all = jobs().any(|(job, _)| {
                matches!(
                    job.workload.timing.ends_others,
                    EndsOthers::Stage | EndsOthers::Always
                )
            });
            let is_running = self.stage.is_some_and(|(running, _)| running == stage);
            let of_stage = if first_ends_all {
                jobs().filter_map(left).min()
            } else if is_running {
                let all: Option<Vec<Nanos>> = jobs().map(left).collect();
                all?.into_iter().max()
            } else {
                // What cannot be foreseen of later stages counts as nothing, as in fio.
                jobs().filter_map(left).max()
            };
            sum = sum.saturating_add(of_stage.unwrap_or_default().0);
        }
        Some(Nanos(sum))
    }

    fn percent(
        &mut self,
        now: Nanos,
        left: Option<Nanos>,
        running: usize,
        state: &RunState,
    ) -> String {
        let phases = self.doing(state).map(|(_, doing)| doing.phase);
        let ramping = phases.filter(|phase| *phase == Phase::Ramp).count();
        let unknown = match left {
            None => true,
            Some(Nanos(0)) => !self.has_estimate,
            Some(_) => ramping == running,
        };
        if unknown {
            return "-.-%".to_owned();
        }
        self.has_estimate = true;
        let (passed, left) = (seconds_up(now), seconds_up(left.unwrap_or_default()));
        format!(
            "{:.1}%",
            100.0 * float(passed) / float((passed + left).max(1))
        )
    }

    /// `, 0B/s-10.0MiB/s` or `, 0-2000 IOPS`: the rates that running jobs are held to.
    fn add_fixed_rates(&self, line: &mut String, state: &RunState) {
        let (mut bytes, mut ios) = (0u64, 0u64);
        let measured = self
            .doing(state)
            .filter(|(job, it)| job.open_files(*it) > 0);
        for rate in measured.flat_map(|(job, _)| fixed_rates(&job.workload)) {
            match rate {
                Rate::BytesPerSecond(rate) => bytes = bytes.saturating_add(rate),
                Rate::Iops(rate) => ios = ios.saturating_add(rate),
            }
        }
        if bytes > 0 {
            let size = |rate| scaled(rate, self.digits, self.binary, UnitSuffix::BytesPerSecond);
            *line += &format!(", {}-{}", size(0), size(bytes));
        } else if ios > 0 {
            *line += &format!(", 0-{ios} IOPS");
        }
    }

    /// `[r=…,w=…][r=…,w=… IOPS]` of the directions in which anything was moved.
    fn add_rates(&mut self, line: &mut String, now: Nanos, state: &RunState) {
        let passed = now.0.saturating_sub(self.shown_at.0).max(1);
        let mut bandwidths = Vec::new();
        let mut iops = Vec::new();
        for (direction, letter) in DIRECTION_LETTERS.into_iter().enumerate() {
            let moved = self.doing(state).map(|(_, doing)| doing.each[direction]);
            let (bytes, ios) = moved.fold((0, 0), |(bytes, ios), moved| {
                (bytes + moved.bytes.0, ios + moved.ios)
            });
            let before = self.shown[direction];
            let rates = [(bytes, before.bytes.0), (ios, before.ios)]
                .map(|(now, before)| per_second(now.saturating_sub(before), passed, 1_000_000_000));
            self.shown[direction] = Moved {
                bytes: sokudo_model::Bytes(bytes),
                ios,
            };
            if rates != [0, 0] {
                let bandwidth = scaled(rates[0], RATE_DIGITS, self.binary, self.unit);
                bandwidths.push(format!("{letter}={bandwidth}"));
                let rate = scaled(rates[1], RATE_DIGITS, false, UnitSuffix::None);
                iops.push(format!("{letter}={rate}"));
            }
        }
        self.shown_at = now;
        if !bandwidths.is_empty() {
            *line += &format!("[{}][{} IOPS]", bandwidths.join(","), iops.join(","));
        }
    }

    /// The letter of each job, runs of the same one as `R(4)`.
    fn letters(&self, state: &RunState) -> String {
        let has_failed = |row: usize| {
            let trial = state.run.rows.get(row).and_then(|row| row.trials.last());
            trial.is_some_and(|trial| trial.outcome.stopped == StopReason::Failed)
        };
        let letter = |(row, (job, doing)): (usize, (&JobState, Doing))| match doing.phase {
            Phase::Ended if has_failed(row) => 'X',
            phase => job.letter(phase),
        };
        let letters: Vec<char> = self.doing(state).enumerate().map(letter).collect();
        let runs = letters.chunk_by(|one, next| one == next);
        let runs: Vec<String> = runs
            .map(|run| format!("{}({})", run[0], run.len()))
            .collect();
        runs.join(",")
    }
}

impl JobState {
    /// Files count as open while there is I/O that is measured, as fio shows it.
    fn open_files(&self, doing: Doing) -> usize {
        match doing.phase {
            Phase::Running | Phase::Verifying | Phase::Flushing => self.files,
            _ => 0,
        }
    }

    fn letter(&self, phase: Phase) -> char {
        match phase {
            Phase::Waiting => 'P',
            Phase::Ramp => '/',
            Phase::Running => self.running_letter(),
            Phase::Verifying => 'V',
            Phase::Flushing => 'F',
            Phase::Finishing => 'f',
            Phase::Ended => '_',
        }
    }

    /// Letter of a running job, in capitals where its I/O is sequential.
    fn running_letter(&self) -> char {
        let does = |operation| self.workload.operations.percent(operation) > 0;
        let letter = match [Operation::Read, Operation::Write, Operation::Trim].map(does) {
            [true, true, _] => 'm',
            [true, ..] => 'r',
            [_, true, _] => 'w',
            _ => 'd',
        };
        match self.workload.order {
            Order::Sequential { .. } => letter.to_ascii_uppercase(),
            Order::Random { .. } => letter,
        }
    }
}

const fn is_running(phase: Phase) -> bool {
    !matches!(phase, Phase::Waiting | Phase::Ended)
}

/// The fixed rates of a workload, one per operation that it does.
fn fixed_rates(workload: &Workload) -> Vec<Rate> {
    let does = |index: &usize| workload.operations.percent(Operation::ALL[*index]) > 0;
    let each = (0..3).filter(does);
    let each = each.filter_map(|index| workload.pacing.rates.each[index]);
    workload.pacing.rate.into_iter().chain(each).collect()
}

fn seconds_up(Nanos(time): Nanos) -> u64 {
    time.div_ceil(1_000_000_000)
}

/// `00m:03s`, `01h:02m:03s`, `01d:03h:46m:37s`; `--` when it cannot be foreseen.
fn eta(left: Option<Nanos>) -> String {
    let Some(left) = left else {
        return "--".to_owned();
    };
    let seconds = seconds_up(left);
    let [days, hours] = [seconds / 86_400, seconds / 3_600 % 24];
    let tail = format!("{:02}m:{:02}s", seconds / 60 % 60, seconds % 60);
    match (days, hours) {
        (0, 0) => tail,
        (0, hours) => format!("{hours:02}h:{tail}"),
        (days, hours) => format!("{days:02}d:{hours:02}h:{tail}"),
    }
}

#[cfg(test)]
mod tests;
