//! What to think of a measurement: a [`Run`] with its evidence goes in, a
//! verdict per row and findings that teach come out.
//!
//! Every rule is a small pure function that sees one row, or the run, and says
//! nothing or one thing; [`Code`] says what that does to the verdict. Nothing
//! here does I/O, reads a clock or changes a figure.

#![cfg_attr(test, allow(clippy::cast_possible_truncation))]

pub mod assess;
mod burst;
mod by_target;
mod caches;
pub mod case;
mod cloud;
pub mod code;
mod compare;
mod conditions;
mod course;
mod cpu_starvation;
mod device_delivery;
mod disk;
mod drift;
pub mod expectations;
pub mod explain;
mod failures;
mod flush_cover;
mod foreign_io;
mod imported;
mod invariants;
mod latency_outliers;
mod load_generator;
mod matrix;
#[cfg(any(test, feature = "testing"))]
pub mod method;
mod passes;
pub mod remedy;
mod request_splitting;
mod rounds;
pub mod rule;
#[cfg(any(test, feature = "testing"))]
pub mod sample;
mod short_form;
mod steadiness;
pub mod surroundings;
#[cfg(test)]
mod surveys;
mod target;
pub mod threshold;
mod together;
mod touched;
mod workload;

use std::cmp::Reverse;

use sokudo_model::{Assessment, Row, Run, Verdict};

pub use assess::{NOT_JUDGED, failed_io, volume_cap};
pub use code::{Code, MethodCode, RuleResult};
pub use compare::{Comparing, Side, best, compare, load_differences, runs_differ, trials_needed};
#[cfg(any(test, feature = "testing"))]
pub use disk::codes as disk_codes;
pub use disk::examine;
pub use matrix::{is_matrix_precise, matrix_effects};
pub use remedy::{Means, remedies_with_options};
pub use rule::{all_codes, code_named, hand_over};

use case::RowContext;
use code::in_order;
use rule::{RowRule, is_looked_for, of_methods};

/// The rules about rows, a list per theme.
const ROW_RULES: [&[RowRule]; 17] = [
    failures::RULES,
    invariants::RULES,
    target::RULES,
    device_delivery::RULES,
    flush_cover::RULES,
    foreign_io::RULES,
    caches::RULES,
    conditions::RULES,
    cpu_starvation::RULES,
    request_splitting::RULES,
    load_generator::RULES,
    steadiness::RULES,
    drift::RULES,
    latency_outliers::RULES,
    workload::RULES,
    rounds::RULES,
    course::RULES,
];

/// Judges every row and the run as a whole. Earlier judgements are replaced, so
/// that judging twice changes nothing. A row that an interrupted run did not reach is not
/// judged: nothing is wrong with it.
///
/// A row that stands on other storage than its neighbours is judged by what is known of
/// that, and nobody can judge what another tool has measured.
pub fn judge(run: &mut Run) {
    if let Some(origin) = run.provenance.origin().cloned() {
        return imported::judge(run, &origin);
    }
    if !run.hosts.is_empty() {
        return together::judge(run, judge_alike);
    }
    match run.targets.is_empty() || run.rows.is_empty() {
        true => judge_alike(run),
        false => by_target::judge(run, judge_alike),
    }
    run.assessed_disks = assess::each(run);
    let is_one = run.assessed_disks.is_empty();
    let assessment = is_one.then(|| assess::disk(run)).flatten();
    run.disk_assessment = assessment.map(Box::new);
    for judge in of_methods().filter_map(|rules| rules.whole) {
        judge(run);
    }
}

/// Adds findings of the run.
pub fn add_findings(run: &mut Run, rulings: Vec<RuleResult>) {
    run.findings.extend(in_order(rulings));
    run.findings
        .sort_by_key(|finding| Reverse(finding.severity));
}

/// Judges rows that all stand on the run's one target.
fn judge_alike(run: &mut Run) {
    let assessments: Vec<_> = run.rows.iter().map(|row| assess(run, row)).collect();
    for (row, assessment) in run.rows.iter_mut().zip(assessments) {
        row.assessment = assessment;
    }
    judge_whole(run);
    run.inferences = explain::explain(run);
}

/// Judges what concerns the run, by what its rows are thought of.
fn judge_whole(run: &mut Run) {
    let rules = target::RUN_RULES
        .iter()
        .chain(surroundings::RULES)
        .chain(burst::RULES)
        .chain(cloud::RULES)
        .chain(course::RUN_RULES)
        .chain(of_methods().flat_map(|rules| rules.runs));
    let rulings = rules.filter_map(|rule| rule(run));
    let rulings = rulings.filter(|ruling| !is_looked_for(run, None, ruling.code));
    let rulings = rulings.collect();
    run.findings = surroundings::about_disks(run);
    run.findings.extend(in_order(rulings));
    run.findings
        .sort_by_key(|finding| Reverse(finding.severity));
}

fn assess(run: &Run, row: &Row) -> Option<Assessment> {
    let case = RowContext { run, row };
    if failures::was_not_reached(&case) {
        return None;
    }
    let rules = ROW_RULES.iter().copied().flatten();
    let rules = rules.chain(of_methods().flat_map(|rules| rules.rows));
    let is_of_rounds = run.schedule.steady.is_some();
    let mut rulings: Vec<RuleResult> = rules
        .filter_map(|rule| rule(&case))
        .filter(|ruling| !(is_of_rounds && rounds::takes_trials_for_repetitions(ruling.code)))
        .filter(|ruling| !is_looked_for(run, Some(row), ruling.code))
        .collect();
    // That the bytes arrived is a rule like any other: it speaks up when there is
    // no proof. So what nobody objects to is proven.
    let verdict = rulings
        .iter()
        .map(|ruling| ruling.code.verdict())
        .max()
        .unwrap_or(Verdict::Verified);
    if verdict == Verdict::Invalid {
        rulings.retain(|ruling| !ruling.code.is_about_steadiness());
    }
    Some(Assessment {
        verdict,
        device_ratio: device_delivery::device_ratio(&case),
        findings: in_order(rulings),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, each_count, large_writes, mix, reads, reads_with, writes};
    use sokudo_model::{Severity, TargetKind};

    #[test]
    fn a_job_of_which_something_was_left_out_is_not_verified() {
        let mut run = reads();
        judge(&mut run);
        assert_eq!(run.rows[0].assessment.as_ref().unwrap().findings, []);
        run.left_out = vec!["zonemode".to_owned()];
        judge(&mut run);
        let assessment = run.rows[0].assessment.as_ref().unwrap();
        assert_eq!(assessment.verdict, Verdict::Unverified);
        assert_eq!(assessment.findings[0].code, "left-out");
        assert!(
            assessment.findings[0]
                .symptom
                .english()
                .contains("zonemode")
        );
    }

    #[test]
    fn a_row_is_judged_by_the_target_that_it_used() {
        let mut run = reads();
        let mut simulated = run.target.clone();
        simulated.kind = TargetKind::Null;
        run.targets = vec![run.target.clone(), simulated];
        let mut other = run.rows[0].clone();
        other.workload.files.uses = vec![sokudo_model::FileUse {
            target: 1,
            span: None,
        }];
        run.rows.push(other);
        judge(&mut run);
        let verdicts: Vec<Verdict> = run
            .rows
            .iter()
            .map(|row| row.assessment.as_ref().unwrap().verdict)
            .collect();
        assert_eq!(verdicts[0], Verdict::Verified);
        assert_ne!(verdicts[1], Verdict::Verified);
    }

    #[test]
    fn a_clean_run_is_verified_and_nothing_is_said() {
        check! {
            "reads": reads() => [], Verdict::Verified;
            "writes": writes() => [], Verdict::Verified;
            "large writes": large_writes() => [], Verdict::Verified;
            "mix": mix() => [], Verdict::Verified;
        }
        let mut run = reads();
        judge(&mut run);
        assert_eq!(run.findings, []);
        let ratio = run.rows[0].assessment.as_ref().unwrap().device_ratio;
        assert_eq!(ratio, Some(1.0));
    }

    #[test]
    fn of_what_is_no_figure_of_a_device_its_steadiness_is_not_told() {
        let few = |device_read_share: u64| {
            reads_with(|run| {
                run.rows[0].trials.truncate(3);
                each_count(run, |device| device.read_bytes /= device_read_share);
            })
        };
        check! {
            "arrived": few(1) => ["few-trials"], Verdict::Verified;
            "half of it": few(2) => ["not-from-device"], Verdict::Invalid;
        }
    }

    #[test]
    fn judging_twice_changes_nothing() {
        let mut run = reads_with(|run| {
            run.target.kind = TargetKind::Simulated;
            each_count(run, |device| device.read_bytes /= 2);
        });
        judge(&mut run);
        let once = run.clone();
        judge(&mut run);
        assert_eq!(run, once);
        assert_eq!(run.findings.len(), 1);
    }

    #[test]
    fn what_changes_the_figure_most_comes_first() {
        let mut run = reads_with(|run| {
            run.rows[0].workload.threads = 2;
            run.rows[0].workload.order = sokudo_model::Order::Sequential {
                offset: sokudo_model::SequentialOffset::Own,
            };
            let state = run.target.file_state.as_mut().unwrap();
            state.hole_bytes = state.size_bytes;
            each_count(run, |device| device.read_bytes = 0);
        });
        judge(&mut run);
        let assessment = run.rows[0].assessment.take().unwrap();
        let codes: Vec<&str> = assessment
            .findings
            .iter()
            .map(|finding| finding.code.as_str())
            .collect();
        assert_eq!(
            codes,
            [
                "sparse-file",
                "not-from-device",
                "depth-not-reached",
                "separate-offsets"
            ]
        );
        assert!(
            assessment
                .findings
                .is_sorted_by_key(|f| Reverse(f.severity))
        );
        assert_eq!(assessment.findings[0].severity, Severity::Error);
        assert_eq!(assessment.device_ratio, Some(0.0));
    }

    #[test]
    fn one_row_does_not_taint_another() {
        let mut run = reads();
        let mut bad = run.rows[0].clone();
        bad.trials[0].outcome.depth_achieved = 9.0;
        run.rows.push(bad);
        judge(&mut run);
        let verdicts: Vec<Verdict> = run
            .rows
            .iter()
            .map(|row| row.assessment.as_ref().unwrap().verdict)
            .collect();
        assert_eq!(verdicts, [Verdict::Verified, Verdict::Unverified]);
    }
}
