//! Measuring in rounds until a drive is steady, as the SNIA's Performance Test
//! Specification (PTS) has it: what belongs to the procedure, and when its rounds are
//! steady.
//!
//! It is not fio's `steadystate` ([`crate::SteadyRule`]), which ends one workload by the
//! samples within it. Here whole rounds over many rows are compared.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_stats::RoundWindow;
use sokudo_words::Text;

use crate::narrow::narrow;
use crate::plan::Operation;
use crate::trial::{Outcome, Row, StopReason, Trial};
use crate::units::{Bytes, Nanos};

/// When rounds are steady.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SteadyWindow {
    /// Rounds in a window.
    pub rounds: u32,
    /// Largest range (largest − smallest) within a window, in thousandths of its mean.
    pub range_permille_max: u32,
    /// Largest way of the best linear fit within a window, in thousandths of its mean.
    pub excursion_permille_max: u32,
    /// Windows in a row that must pass.
    pub passes: u32,
}

impl SteadyWindow {
    /// PTS 2.0.2, 2.1.24: five rounds, 20 %, 10 %. The PTS is content with one window;
    /// noise passes one too often by luck, so that two in a row are asked for.
    pub const PTS: Self = Self {
        rounds: 5,
        range_permille_max: 200,
        excursion_permille_max: 100,
        passes: 2,
    };

    /// Every whole window of these rounds, in order of time.
    pub fn looks(&self, rounds: &[f64]) -> Vec<WindowLook> {
        let length = index(self.rounds).max(1);
        let windows = rounds.windows(length).zip(self.rounds..);
        windows
            .map(|(values, last_round)| {
                let figures = RoundWindow::of(values);
                WindowLook {
                    last_round,
                    figures,
                    passed: figures.is_some_and(|figures| {
                        figures.is_within(
                            f64::from(self.range_permille_max) / 1e3,
                            f64::from(self.excursion_permille_max) / 1e3,
                        )
                    }),
                }
            })
            .collect()
    }

    /// Whether the last windows of every tracked row have passed, as many in a row as are
    /// asked for.
    pub fn is_reached(&self, tracked: &[Vec<f64>]) -> bool {
        let passes = index(self.passes);
        let has_passed = |rounds: &Vec<f64>| {
            let looks = self.looks(rounds);
            looks.len() >= passes && looks.iter().rev().take(passes).all(|look| look.passed)
        };
        !tracked.is_empty() && tracked.iter().all(has_passed)
    }

    /// The fewest rounds that can be steady.
    pub const fn rounds_min(&self) -> u32 {
        self.rounds + self.passes.saturating_sub(1)
    }
}

/// What one window of rounds looks like.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WindowLook {
    /// Its last round; 1 is the first of all.
    pub last_round: u32,
    /// Mean, range and linear fit; null where a round has no figure.
    pub figures: Option<RoundWindow>,
    /// Whether both limits are kept.
    pub passed: bool,
}

/// Which test of the PTS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SteadyTest {
    /// Random I/O by mix and block size.
    Iops,
    /// Sequential reads and writes of 128 KiB and of 1 MiB.
    Throughput,
    /// Random I/O one at a time.
    Latency,
    /// Random writes of 4 KiB from a purged drive on.
    WriteSaturation,
}

impl SteadyTest {
    /// As `--test` has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Iops => "iops",
            Self::Throughput => "throughput",
            Self::Latency => "latency",
            Self::WriteSaturation => "wsat",
        }
    }
}

/// For which class of drives the PTS sets load, active range and write cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SteadyClass {
    /// PTS-C: 2 threads at depth 16, 75 % of the capacity, write cache on.
    Client,
    /// PTS-E: 4 threads at depth 32, all of the capacity, write cache off.
    Enterprise,
}

/// How near a result is to one of the PTS. It is never one: nobody has certified it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SteadyLabel {
    /// A file that was not written through before.
    FileQuick,
    /// A file that was written through before.
    FilePrefilled,
    /// A device as it was found.
    DeviceQuick,
    /// A device that was written through before.
    DevicePreconditioned,
    /// A device that was purged and written through, with the matrix and times of the PTS.
    PtsLike,
}

impl SteadyLabel {
    /// `file-quick`, `file-prefilled`, `device-quick`, `device-preconditioned` or
    /// `PTS-like`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FileQuick => "file-quick",
            Self::FilePrefilled => "file-prefilled",
            Self::DeviceQuick => "device-quick",
            Self::DevicePreconditioned => "device-preconditioned",
            Self::PtsLike => "PTS-like",
        }
    }
}

/// The figure of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoundFigure {
    /// Reads and writes per second.
    Iops,
    /// Bytes moved per second in the round.
    BytesPerSecond,
    /// Mean latency of the round's I/Os, nanoseconds.
    LatencyMeanNs,
}

impl RoundFigure {
    /// Its value in one trial; `None` where nothing was measured.
    pub fn of(self, outcome: &Outcome) -> Option<f64> {
        match self {
            Self::BytesPerSecond => outcome.bytes_per_second(),
            Self::Iops => {
                let seconds = outcome.elapsed.as_secs_f64();
                let ios = outcome.ios();
                (seconds > 0.0 && ios > 0).then(|| ios as f64 / seconds)
            }
            Self::LatencyMeanNs => {
                let tallies = outcome.operations.iter();
                let data = tallies.filter(|tally| tally.operation != Operation::Flush);
                let (sum, count) = data.fold((0, 0), |(sum, count), tally| {
                    (sum + tally.latency.sum(), count + tally.latency.count())
                });
                (count > 0).then(|| sum as f64 / count as f64)
            }
        }
    }

    /// Its values in trials, up to the first that has none or was cut short.
    pub fn of_all(self, trials: &[Trial]) -> Vec<f64> {
        let is_cut = |reason| matches!(reason, StopReason::Cancelled | StopReason::Failed);
        let whole = trials.iter().map(|trial| &trial.outcome);
        let values = whole.map(|outcome| self.of(outcome).filter(|_| !is_cut(outcome.stopped)));
        values.map_while(|value| value).collect()
    }
}

/// What rows of a phase are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SteadyPhaseKind {
    /// The device is told that it holds nothing.
    Purge,
    /// It is written through, whatever is tested (WIPC).
    Precondition,
    /// The test itself, round by round (WDPC).
    Rounds,
    /// What is measured once it is steady.
    Afterwards,
}

/// Rows that take turns until they are steady, or once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SteadyPhase {
    /// What they are for.
    pub kind: SteadyPhaseKind,
    /// The first of them, counted from 0 in the plan's order.
    pub first_row: u32,
    /// How many they are.
    pub rows: u32,
    /// Rounds after which it ends even if it is not steady.
    pub rounds_max: u32,
    /// The rows by which it is told whether they are steady.
    pub tracked: Vec<u32>,
    /// What is looked at.
    pub figure: RoundFigure,
    /// It ends, steady or not, when so much has been written in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_bytes_max: Option<Bytes>,
}

impl SteadyPhase {
    /// The phase's own of all rows of a run.
    pub fn rows_of<'a>(&self, rows: &'a [Row]) -> &'a [Row] {
        let first = index(self.first_row).min(rows.len());
        let end = (first + index(self.rows)).min(rows.len());
        &rows[first..end]
    }

    /// The rounds of each tracked row, as many as all of them have.
    pub fn tracked_rounds(&self, rows: &[Row]) -> Vec<Vec<f64>> {
        let tracked = self.tracked.iter().filter_map(|row| rows.get(index(*row)));
        let mut rounds: Vec<Vec<f64>> =
            tracked.map(|row| self.figure.of_all(&row.trials)).collect();
        let whole = rounds.iter().map(Vec::len).min().unwrap_or(0);
        rounds.iter_mut().for_each(|values| values.truncate(whole));
        rounds
    }

    /// Whether no round is to begin after so many: they are steady, enough has been
    /// written, or a row has ended before.
    pub fn is_over(&self, window: &SteadyWindow, rows: &[Row], rounds_done: u32) -> bool {
        let done = index(rounds_done);
        let of_phase = self.rows_of(rows);
        // Within a round the rows that have had their turn have one trial more.
        if of_phase.iter().any(|row| row.trials.len() < done) {
            return true;
        }
        let mut rounds = self.tracked_rounds(rows);
        for values in &mut rounds {
            values.truncate(done);
        }
        let written: u64 = of_phase
            .iter()
            .flat_map(|row| &row.trials)
            .map(|trial| {
                let measured = trial.outcome.operation(Operation::Write);
                let beside = trial.outcome.in_ramp[Operation::Write.index()].bytes.0;
                measured
                    .map_or(0, |writes| writes.bytes.0)
                    .saturating_add(beside)
            })
            .fold(0, u64::saturating_add);
        let is_full = self.written_bytes_max.is_some_and(|most| written >= most.0);
        is_full || window.is_reached(&rounds)
    }

    /// Whether the tracked rows have ended steady; `None` where none are tracked.
    pub fn is_steady(&self, window: &SteadyWindow, rows: &[Row]) -> Option<bool> {
        (!self.tracked.is_empty()).then(|| window.is_reached(&self.tracked_rounds(rows)))
    }
}

/// How long a procedure takes and how much it writes, as far as that can be told before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SteadyEstimate {
    /// If it is steady as soon as can be.
    pub time_min: Nanos,
    /// If it never becomes steady.
    pub time_max: Nanos,
    /// What is written at least: before the rounds.
    pub written_bytes_min: Bytes,
    /// What is written at most.
    pub written_bytes_max: Bytes,
    /// What that rests on, in sentences.
    #[serde(with = "crate::sentences")]
    #[schemars(with = "Vec<String>")]
    pub assumptions: Vec<Text>,
}

/// A steady-state test after the PTS with its phases and limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SteadyProcedure {
    /// Test of the PTS that is made.
    pub test: SteadyTest,
    /// For which class of drives.
    pub class: SteadyClass,
    /// How near it is to the PTS.
    pub label: SteadyLabel,
    /// How long a row is measured in each round.
    pub round_time: Nanos,
    /// What counts as the capacity.
    pub capacity_bytes: Bytes,
    /// The part of it that is used, from its start.
    pub active_range_bytes: Bytes,
    /// When rounds are steady.
    pub window: SteadyWindow,
    /// What is done, in order.
    pub phases: Vec<SteadyPhase>,
    /// In what it is not as the PTS has it, in sentences without a full stop.
    #[serde(with = "crate::sentences")]
    #[schemars(with = "Vec<String>")]
    pub differences: Vec<Text>,
    /// What was expected of time and writes before it began.
    pub estimate: SteadyEstimate,
}

impl SteadyProcedure {
    /// Whether every phase that has to be steady is.
    pub fn is_steady(&self, rows: &[Row]) -> bool {
        let steady = self.phases.iter();
        let mut tracked = steady.filter_map(|phase| phase.is_steady(&self.window, rows));
        tracked.all(|is_steady| is_steady)
    }

    /// `PTS-like (steady)` or the like.
    pub fn label(&self, is_steady: bool) -> String {
        let word = if is_steady { "steady" } else { "NOT STEADY" };
        format!("{} ({word})", self.label.name())
    }

    /// The phase that a row belongs to.
    pub fn phase_of(&self, row: usize) -> Option<&SteadyPhase> {
        self.phases.iter().find(|phase| {
            let first = index(phase.first_row);
            (first..first + index(phase.rows)).contains(&row)
        })
    }
}

fn index(number: u32) -> usize {
    narrow(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{BackendKind, OperationMix, Workload};
    use crate::trial::OperationTally;

    fn is_reached(rounds: &[f64]) -> bool {
        SteadyWindow::PTS.is_reached(&[rounds.to_vec()])
    }

    #[test]
    fn one_window_is_not_enough_and_two_in_a_row_are() {
        assert_eq!(SteadyWindow::PTS.rounds_min(), 6);
        assert!(!is_reached(&[100.0; 5]));
        assert!(is_reached(&[100.0; 6]));
        // The second window holds the first round of something else.
        assert!(!is_reached(&[100.0, 100.0, 100.0, 100.0, 100.0, 70.0]));
        // A pass, a miss and a pass are not two in a row.
        let mut rounds = vec![100.0; 5];
        rounds.push(70.0);
        rounds.extend([100.0; 5]);
        assert!(!is_reached(&rounds));
        rounds.push(100.0);
        assert!(is_reached(&rounds));
    }

    #[test]
    fn every_tracked_row_must_be_steady_and_there_must_be_one() {
        let (flat, falling) = (vec![5.0; 6], vec![9.0, 8.0, 7.0, 6.0, 5.0, 4.0]);
        assert!(SteadyWindow::PTS.is_reached(&[flat.clone(), flat.clone()]));
        assert!(!SteadyWindow::PTS.is_reached(&[flat, falling]));
        assert!(!SteadyWindow::PTS.is_reached(&[]));
    }

    #[test]
    fn a_look_names_its_last_round() {
        let looks = SteadyWindow::PTS.looks(&[3e5, 6e4, 6e4, 6e4, 6e4, 6e4]);
        let verdicts: Vec<(u32, bool)> = looks.iter().map(|l| (l.last_round, l.passed)).collect();
        assert_eq!(verdicts, [(5, false), (6, true)]);
    }

    /// A row of writes that had these IOPS in its rounds of a second.
    fn row(iops: &[u64]) -> Row {
        let trial = |ios: &u64| {
            let mut outcome = Outcome::new(BackendKind::Sim, StopReason::Time);
            outcome.elapsed = Nanos::from_secs(1);
            let mut writes = OperationTally::new(Operation::Write);
            writes.ios = *ios;
            writes.bytes = Bytes(ios * 4096);
            for _ in 0..*ios {
                writes.latency.record(1_000_000 / ios);
            }
            outcome.operations.push(writes);
            Trial::new(outcome)
        };
        let mut workload = Workload::new("RND4K Q1T1", Bytes::kib(4));
        workload.operations = OperationMix::only(Operation::Write);
        Row {
            trials: iops.iter().map(trial).collect(),
            ..Row::new(workload)
        }
    }

    fn phase() -> SteadyPhase {
        SteadyPhase {
            kind: SteadyPhaseKind::Rounds,
            first_row: 0,
            rows: 2,
            rounds_max: 25,
            tracked: vec![1],
            figure: RoundFigure::Iops,
            written_bytes_max: None,
        }
    }

    #[test]
    fn a_phase_is_over_when_its_tracked_rows_are_steady_at_the_end_of_a_round() {
        let rows = [row(&[90, 50, 90, 50, 90, 50]), row(&[100; 6])];
        let over = |done| phase().is_over(&SteadyWindow::PTS, &rows, done);
        assert!(!over(5));
        assert!(over(6));
        assert_eq!(phase().is_steady(&SteadyWindow::PTS, &rows), Some(true));
        let untracked = SteadyPhase {
            tracked: vec![],
            ..phase()
        };
        assert!(!untracked.is_over(&SteadyWindow::PTS, &rows, 6));
        assert_eq!(untracked.is_steady(&SteadyWindow::PTS, &rows), None);
    }

    #[test]
    fn a_phase_is_over_when_a_row_has_ended_or_enough_is_written() {
        let rows = [row(&[100]), row(&[100, 100])];
        assert!(!phase().is_over(&SteadyWindow::PTS, &rows, 1));
        assert!(phase().is_over(&SteadyWindow::PTS, &rows, 2));
        let bounded = |blocks: u64| SteadyPhase {
            written_bytes_max: Some(Bytes(blocks * 4096)),
            ..phase()
        };
        assert!(bounded(300).is_over(&SteadyWindow::PTS, &rows, 1));
        assert!(!bounded(301).is_over(&SteadyWindow::PTS, &rows, 1));
    }

    #[test]
    fn figures_of_a_round_are_those_of_its_trial() {
        let row = row(&[100, 200]);
        assert_eq!(RoundFigure::Iops.of_all(&row.trials), [100.0, 200.0]);
        let bandwidth = RoundFigure::BytesPerSecond.of_all(&row.trials);
        assert_eq!(bandwidth, [409_600.0, 819_200.0]);
        let latency = RoundFigure::LatencyMeanNs.of_all(&row.trials);
        assert_eq!(latency, [10_000.0, 5_000.0]);
        let mut cut = row.clone();
        cut.trials[1].outcome.stopped = StopReason::Cancelled;
        assert_eq!(RoundFigure::Iops.of_all(&cut.trials), [100.0]);
        let mut silent = row;
        silent.trials[0].outcome.operations.clear();
        assert!(RoundFigure::Iops.of_all(&silent.trials).is_empty());
    }
}
