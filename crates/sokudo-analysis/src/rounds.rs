//! Rounds of a steady procedure: whether they became steady, and which rules have nothing
//! to say about them.

use sokudo_model::SteadyPhase;
use sokudo_words::text;

use crate::case::RowContext;
use crate::code::{Code, RuleResult};
use crate::rule::RowRule;

pub(crate) const RULES: &[RowRule] = &[not_steady];

/// Rules that take trials for repetitions of one thing. Rounds are none: a drive is written
/// until it has changed, and the figures are those of the last window.
pub(crate) const fn takes_trials_for_repetitions(code: Code) -> bool {
    matches!(
        code,
        Code::Unsteady
            | Code::FirstRunOutlier
            | Code::Trend
            | Code::TwoModes
            | Code::PrecisionNotReached
            | Code::Outliers
            | Code::WarmUp
            | Code::FewTrials
    )
}

/// All rounds are over, and this row's last two windows did not both pass. The bytes have
/// arrived all the same.
fn not_steady(case: &RowContext<'_>) -> Option<RuleResult> {
    let procedure = case.run.schedule.steady.as_deref()?;
    let mut rows = case.run.rows.iter();
    let index = rows.position(|row| std::ptr::eq(row, case.row))?;
    let phase = procedure.phase_of(index)?;
    let is_tracked = phase
        .tracked
        .iter()
        .any(|row| usize::try_from(*row) == Ok(index));
    let rounds = phase.figure.of_all(&case.row.trials);
    let window = procedure.window;
    if !is_tracked || case.run.interrupted || window.is_reached(std::slice::from_ref(&rounds)) {
        return None;
    }
    let last = window.looks(&rounds).pop()?;
    let figures = last.figures?;
    let rounds = rounds.len();
    let range_percent = figures.range_share * 100.0;
    let range_percent_max = window.range_permille_max / 10;
    let excursion_percent = figures.excursion_share * 100.0;
    let excursion_percent_max = window.excursion_permille_max / 10;
    Some(RuleResult::new(
        Code::NotSteady,
        match last.passed {
            true => text!(
                "not steady after {rounds} rounds (two windows in a row must pass): in the last five the range is {range_percent:.1} % of the mean ({range_percent_max} % allowed), and the best-fit line moves by {excursion_percent:.1} % ({excursion_percent_max} % allowed)"
            ),
            false => text!(
                "not steady after {rounds} rounds: in the last five the range is {range_percent:.1} % of the mean ({range_percent_max} % allowed), and the best-fit line moves by {excursion_percent:.1} % ({excursion_percent_max} % allowed)"
            ),
        },
        cause(phase),
        "treat the drive as not yet steady; allow more rounds, or longer ones, and look at each in the picture of the rounds",
    ))
}

fn cause(phase: &SteadyPhase) -> &'static str {
    if phase.written_bytes_max.is_some() {
        "the drive was still moving data to make room for writes when enough was written"
    } else {
        "the drive still moves data to make room for writes, or something else uses it"
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::sample::{check, says, writes_with};
    use sokudo_model::Verdict::Verified;
    use sokudo_model::{
        Bytes, Nanos, RoundFigure, Run, SteadyClass, SteadyEstimate, SteadyLabel, SteadyPhaseKind,
        SteadyProcedure, SteadyTest, SteadyWindow,
    };

    pub(crate) fn procedure(
        tracked: Vec<u32>,
        written_bytes_max: Option<Bytes>,
    ) -> SteadyProcedure {
        SteadyProcedure {
            test: SteadyTest::Iops,
            class: SteadyClass::Client,
            label: SteadyLabel::FilePrefilled,
            round_time: Nanos::from_secs(1),
            capacity_bytes: Bytes::gib(1),
            active_range_bytes: Bytes::gib(1),
            window: SteadyWindow::PTS,
            phases: vec![SteadyPhase {
                kind: SteadyPhaseKind::Rounds,
                first_row: 0,
                rows: 1,
                rounds_max: 25,
                tracked,
                figure: RoundFigure::BytesPerSecond,
                written_bytes_max,
            }],
            differences: Vec::new(),
            estimate: SteadyEstimate {
                time_min: Nanos(0),
                time_max: Nanos(0),
                written_bytes_min: Bytes(0),
                written_bytes_max: Bytes(0),
                assumptions: Vec::new(),
            },
        }
    }

    /// Rounds of writes that take these times.
    fn taking(milliseconds: &[u64], tracked: Vec<u32>) -> Run {
        writes_with(|run| {
            let trial = run.rows[0].trials[0].clone();
            run.rows[0].trials = vec![trial; milliseconds.len()];
            for (trial, milliseconds) in run.rows[0].trials.iter_mut().zip(milliseconds) {
                trial.outcome.elapsed = Nanos::from_millis(*milliseconds);
                trial.outcome.depth_achieved = 1e3 / *milliseconds as f64;
            }
            // The depth moves with the speed, which is not what is tested here.
            run.rows[0].workload.pacing.rate = Some(sokudo_model::Rate::Iops(10_000));
            run.rows[0].workload.depth = 4;
            run.schedule.steady = Some(Box::new(procedure(tracked, None)));
        })
    }

    const FALLING: [u64; 8] = [300, 300, 300, 300, 500, 700, 1_000, 1_400];

    #[test]
    fn a_cliff_and_a_first_round_unlike_the_others_are_no_faults_of_a_steady_run() {
        let cliff = [300, 300, 310, 1_000, 1_010, 990, 1_005, 995, 1_000];
        check! {
            "steady in the end": taking(&cliff, vec![0]) => [], Verified;
            "one trial only": taking(&[1_000], vec![]) => [], Verified;
            "not tracked": taking(&FALLING, vec![]) => [], Verified;
            "still falling": taking(&FALLING, vec![0]) => ["not-steady"], Verified;
        }
    }

    #[test]
    fn what_is_not_steady_is_told_with_both_figures() {
        says(
            taking(&FALLING, vec![0]),
            "not-steady",
            &["after 8 rounds: in the last five", "(20 % allowed)"],
        );
        // One window alone is luck.
        let once = [300, 1_000, 1_000, 1_000, 1_000, 1_000];
        says(
            taking(&once, vec![0]),
            "not-steady",
            &["two windows in a row"],
        );
        let mut interrupted = taking(&FALLING, vec![0]);
        interrupted.interrupted = true;
        check! {
            "interrupted": interrupted => [], Verified;
        }
    }
}
