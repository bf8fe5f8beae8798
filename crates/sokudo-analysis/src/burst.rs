//! Writes that are over before a drive has to do the work that they make.
//!
//! A drive takes the first writes into a memory of its own, or into fast cells, and puts off
//! tidying up. That bytes arrived is proven; that they would go on arriving so fast is not.

use sokudo_model::{BlockDevice, BlockDeviceKind, Bytes, Operation, Row, Run, TargetKind, Verdict};
use sokudo_words::{Text, text};

use crate::code::{Code, RuleResult};
use crate::remedy;
use crate::rule::RunRule;

pub(crate) const RULES: &[RunRule] = &[not_preconditioned];

/// So often a drive is written through before it is measured (SNIA PTS 2.0.2,
/// workload-independent preconditioning).
const PRECONDITIONING_PASSES: u64 = 2;

/// Rows that are named; of more the number is told.
const ROWS_NAMED_MAX: usize = 8;

fn not_preconditioned(run: &Run) -> Option<RuleResult> {
    let is_real = !matches!(run.target.kind, TargetKind::Simulated | TargetKind::Null);
    let mut leaves = run.target.leaves().filter(|_| is_real);
    let device = leaves.find(|leaf| takes_bursts(leaf))?;
    if run.schedule.steady.is_some() || is_written_through(run) {
        return None;
    }
    let rows: Vec<&str> = run
        .rows
        .iter()
        .filter(|row| is_proven(row) && written(row) > 0)
        .map(|row| row.workload.name.as_str())
        .collect();
    if rows.is_empty() {
        return None;
    }
    Some(RuleResult::new(
        Code::NotPreconditioned,
        text!(
            "{rows} wrote only for a short time, and {device} had not been filled before",
            rows = named(&rows),
            device = device.name
        ),
        "a drive takes the first writes into its memory or fast cells and moves them later: the figures are proven, but such speed may not last",
        remedy::until_steady(),
    ))
}

/// Whether a device takes writes faster at first than for long: one without platters, or
/// with a memory for writes.
fn takes_bursts(leaf: &BlockDevice) -> bool {
    let has_cells = leaf.rotational == Some(false);
    let has_memory = leaf.write_cache.as_deref() == Some("write back");
    !matches!(leaf.kind, BlockDeviceKind::Memory) && (has_cells || has_memory)
}

/// Whether the run itself has written as much as preconditioning does.
fn is_written_through(run: &Run) -> bool {
    let all: u64 = run.rows.iter().map(written).sum();
    // What does not say how large it is has never been written through.
    let size = run.target.size_bytes.unwrap_or(Bytes(u64::MAX));
    let is_device = run.target.kind == TargetKind::BlockDevice;
    is_device && all >= size.0.saturating_mul(PRECONDITIONING_PASSES)
}

fn is_proven(row: &Row) -> bool {
    let assessment = row.assessment.as_ref();
    assessment.is_some_and(|it| it.verdict == Verdict::Verified)
}

fn written(row: &Row) -> u64 {
    let outcomes = row.trials.iter().map(|trial| &trial.outcome);
    let tallies = outcomes.filter_map(|outcome| outcome.operation(Operation::Write));
    tallies.map(|tally| tally.bytes.0).sum()
}

fn named(rows: &[&str]) -> Text {
    match rows.len() {
        count if count > ROWS_NAMED_MAX => text!("{count} rows"),
        _ => Text::list(rows.iter().map(|row| Text::name(*row)), ", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge;
    use crate::sample::{reads, writes_with};

    fn symptom_of(mut run: Run) -> Option<String> {
        judge(&mut run);
        let mut findings = run.findings.into_iter();
        let found = findings.find(|finding| finding.code == "not-preconditioned")?;
        Some(found.symptom.english())
    }

    fn flash(run: &mut Run) {
        for device in &mut run.target.devices {
            device.rotational = Some(false);
        }
    }

    #[test]
    fn writes_that_are_proven_are_told_to_be_a_burst_once_and_keep_their_verdict() {
        let mut run = writes_with(flash);
        let more = run.rows[0].clone();
        run.rows.push(more);
        let name = run.rows[0].workload.name.clone();
        judge(&mut run);
        let codes = run.findings.iter().map(|it| it.code.as_str());
        assert_eq!(codes.collect::<Vec<_>>(), ["not-preconditioned"]);
        let symptom = &run.findings[0].symptom;
        let symptom = symptom.english();
        assert!(symptom.contains(&format!("{name}, {name}")), "{symptom}");
        let verdict = run.rows[0].assessment.as_ref().map(|it| it.verdict);
        assert_eq!(verdict, Some(Verdict::Verified));
    }

    #[test]
    fn what_is_no_burst_is_not_called_one() {
        let mut reading = reads();
        flash(&mut reading);
        assert_eq!(symptom_of(reading), None);
        let platters = writes_with(|run| {
            for device in &mut run.target.devices {
                device.rotational = Some(true);
                device.write_cache = Some("write through".to_owned());
            }
        });
        assert_eq!(symptom_of(platters), None);
        let through = writes_with(|run| {
            flash(run);
            run.target.kind = TargetKind::BlockDevice;
            run.target.size_bytes = Some(Bytes(4096));
        });
        assert_eq!(symptom_of(through), None);
        let simulated = writes_with(|run| {
            flash(run);
            run.target.kind = TargetKind::Simulated;
        });
        assert_eq!(symptom_of(simulated), None);
        let memory = writes_with(|run| {
            for device in &mut run.target.devices {
                device.rotational = Some(true);
                device.write_cache = Some("write back".to_owned());
            }
        });
        assert!(symptom_of(memory).is_some());
    }
}
