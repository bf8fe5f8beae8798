//! Volumes of AWS: what is fast for a while alone, and what is slow the first time.
//!
//! Both are notes: no such machine was seen, only what the provider publishes is held against what
//! was measured.

use sokudo_model::{BlockDevice, Operation, Outcome, Row, Run, TargetKind, weighed};
use sokudo_words::{Text, text};

use crate::code::{Code, RuleResult};
use crate::rule::RunRule;

pub(crate) const RULES: &[RunRule] = &[credit_likely, first_touch];

/// How the kernel names a volume of EBS on NVMe.
const MODEL: &str = "Amazon Elastic Block Store";

/// A full credit, in I/Os; the rate that a volume has on it, and what it earns per GiB, in I/Os a
/// second (AWS, Amazon EBS General Purpose SSD volumes, gp2).
const CREDIT_IOS: f64 = 5.4e6;
const ON_CREDIT_PER_S: f64 = 3_000.0;
const EARNED_PER_S: f64 = 3.0;

/// A rate is one that somebody has set within this share of it.
const ALIKE: f64 = 0.03;

/// A volume of which less than this part was ever moved may have to be fetched first.
const TOUCHED_SHARE_MAX: f64 = 0.5;

/// The volume that all of the target is on.
fn volume(run: &Run) -> Option<&BlockDevice> {
    let mut leaves = run.target.leaves();
    let leaf = leaves.next().filter(|_| leaves.next().is_none())?;
    let model = leaf.model.as_deref()?;
    model.starts_with(MODEL).then_some(leaf)
}

/// A rate that the provider lends, and takes back.
fn credit_likely(run: &Run) -> Option<RuleResult> {
    let gibibytes = volume(run)?.size_bytes?.0 as f64 / (1u64 << 30) as f64;
    let spent_per_s = ON_CREDIT_PER_S - EARNED_PER_S * gibibytes;
    let on_credit = |row: &Row| {
        let rate = ios_per_s(row)?;
        ((rate / ON_CREDIT_PER_S - 1.0).abs() <= ALIKE).then_some(rate)
    };
    let ios_per_s = run.rows.iter().find_map(on_credit)?;
    let trials = run.rows.iter().flat_map(|row| &row.trials);
    let loaded: f64 = trials.map(|trial| trial.outcome.time().as_secs_f64()).sum();
    let minutes = ((CREDIT_IOS / spent_per_s - loaded) / 60.0).floor();
    (spent_per_s > 0.0 && minutes > 0.0).then(|| {
        RuleResult::new(
            Code::CreditLikely,
            text!(
                "{ios_per_s:.0} IOPS may come from the burst credit of an AWS gp2 volume; a full credit lasts for about {minutes:.0} minutes more"
            ),
            "a gp2 volume of less than 1,000 GiB saves up what is not used, and reaches 3,000 IOPS until that is used up; a gp3 volume sustains as many",
            "sokudo fill shows whether it lasts, and so do trials over a longer time (--spread-over)",
        )
    })
}

fn ios_per_s(row: &Row) -> Option<f64> {
    let rate = |outcome: &Outcome| {
        let seconds = outcome.elapsed.as_secs_f64();
        (seconds > 0.0).then(|| outcome.ios() as f64 / seconds)
    };
    weighed(&row.trials, rate).median()
}

/// Blocks that nobody has read on this volume.
fn first_touch(run: &Run) -> Option<RuleResult> {
    let leaf = volume(run)?;
    let is_written_by_us = run.target.kind == TargetKind::Directory;
    let reads = |row: &Row| row.workload.operations.single() == Some(Operation::Read);
    if is_written_by_us
        || !run
            .rows
            .iter()
            .any(|row| reads(row) && !row.trials.is_empty())
    {
        return None;
    }
    let mut drives = run.conditions.drives.iter();
    let drive = drives.find(|drive| drive.disk.name == leaf.name)?;
    let (moved, size) = (drive.moved_before?, leaf.size_bytes?);
    if moved.0 as f64 >= size.0 as f64 * TOUCHED_SHARE_MAX {
        return None;
    }
    let device = Text::name(&*leaf.name);
    Some(RuleResult::new(
        Code::FirstTouch,
        text!(
            "{device} had transferred only {moved} of its {size} since it was attached or the machine started: what is read for the first time may be slow"
        ),
        "a volume that was made from a snapshot fetches each block when it is first read (AWS, Initialize Amazon EBS volumes)",
        "read all of it once (sokudo scan --full), then measure again",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{self, reads_with};
    use sokudo_model::{Bytes, Nanos};

    /// A run of so many reads a second on a volume of this model.
    fn on(model: &str, ios: u64, size: Bytes) -> Run {
        reads_with(|run| {
            run.target.devices.retain(|device| device.is_leaf);
            let leaf = &mut run.target.devices[0];
            leaf.model = Some(model.to_owned());
            leaf.size_bytes = Some(size);
            for trial in &mut run.rows[0].trials {
                let seconds = trial.outcome.elapsed.as_secs_f64();
                trial.outcome.operations[0].ios = (seconds * ios as f64) as u64;
            }
        })
    }

    #[test]
    fn a_rate_that_may_be_lent_is_told_of_small_volumes() {
        let small = Bytes::gib(100);
        let has_note = |run: &Run| credit_likely(run).is_some();
        assert!(has_note(&on(MODEL, 3_010, small)));
        assert!(!has_note(&on(MODEL, 5_000, small)));
        assert!(!has_note(&on(MODEL, 3_010, Bytes::gib(2_000))));
        assert!(!has_note(&on(
            "Amazon EC2 NVMe Instance Storage",
            3_010,
            small
        )));
        // 5.4 million at 3,000 less the 300 that it earns meanwhile are 33 minutes.
        let mut run = on(MODEL, 3_010, small);
        let words = credit_likely(&run).unwrap().symptom.english();
        assert!(
            words.contains("about 33 minutes") || words.contains("about 32 minutes"),
            "{words}"
        );
        run.rows[0].trials[0].outcome.elapsed = Nanos::from_secs(2_100);
        assert!(!has_note(&run));
    }

    #[test]
    fn a_volume_that_was_hardly_read_may_have_to_be_fetched() {
        let read = |moved: u64| {
            let mut run = on(MODEL, 100, Bytes::gib(100));
            run.target.kind = TargetKind::BlockDevice;
            let name = run.target.devices[0].name.clone();
            let mut drive = sample::drive(&name);
            drive.moved_before = Some(Bytes::gib(moved));
            run.conditions.drives = vec![drive];
            run
        };
        let has_note = |run: &Run| first_touch(run).is_some();
        assert!(has_note(&read(1)));
        assert!(!has_note(&read(60)));
        let mut directory = read(1);
        directory.target.kind = TargetKind::Directory;
        assert!(!has_note(&directory));
    }
}
