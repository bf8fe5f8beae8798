//! Volumes of clouds: what is fast for a while alone, and what is slow the first time.
//!
//! Both are notes: providers were not seen, only what they publish is held against what was measured.

use sokudo_model::{
    BlockDevice, BlockDeviceKind, Bytes, Nanos, Operation, Row, Run, TargetKind, weighed,
};
use sokudo_words::{Text, text};

use crate::code::{Code, RuleResult};
use crate::rule::RunRule;

pub(crate) const RULES: &[RunRule] = &[credit_likely, first_touch];

/// How long a full credit lasts: 5.4 million I/Os at 3,000 a second (AWS, EBS volume types, gp2), and
/// 30 minutes at most (Azure, managed disk bursting).
const CREDIT_TIME: Nanos = Nanos::from_secs(1_800);

/// A rate is one that somebody has set within this share of it.
const ALIKE: f64 = 0.03;

/// A volume of which less than this part was ever moved may have to be fetched first.
const TOUCHED_SHARE_MAX: f64 = 0.5;

/// What a provider sells volumes with.
struct Provider {
    /// As [`sokudo_model::HostEnvironment::provider`] has it.
    name: &'static str,
    /// How the model of its volumes begins.
    models: &'static [&'static str],
    /// Volumes of this size or more have no credit.
    credit_size_max: Bytes,
    /// I/Os a second that smaller ones do on credit.
    credit_ios_per_s: f64,
    /// A volume made from a snapshot fetches each block when it is first read.
    fetches: bool,
}

const PROVIDERS: [Provider; 2] = [
    Provider {
        name: "AWS",
        models: &["Amazon Elastic Block Store"],
        credit_size_max: Bytes::gib(1_000),
        credit_ios_per_s: 3_000.0,
        fetches: true,
    },
    Provider {
        name: "Azure",
        models: &["Virtual Disk", "MSFT NVMe Accelerator"],
        credit_size_max: Bytes::gib(513),
        credit_ios_per_s: 3_500.0,
        fetches: false,
    },
];

/// The one volume of a provider's that the target is on. What the machine is says more than the
/// model, which local disks of a provider share with others.
fn volume(run: &Run) -> Option<(&BlockDevice, &'static Provider)> {
    let mut leaves = run.target.leaves();
    let leaf = leaves.next().filter(|_| leaves.next().is_none())?;
    let provider = run.environment.provider.as_deref()?;
    let provider = PROVIDERS.iter().find(|it| it.name == provider)?;
    let model = leaf.model.as_deref().unwrap_or_default().trim();
    let is_named = provider
        .models
        .iter()
        .any(|it| model.ends_with(it) || model.starts_with(it));
    (leaf.kind == BlockDeviceKind::VirtualDisk && is_named).then_some((leaf, provider))
}

/// A rate that a provider lends, and takes back.
fn credit_likely(run: &Run) -> Option<RuleResult> {
    let (leaf, provider) = volume(run)?;
    let is_small = leaf
        .size_bytes
        .is_some_and(|size| size < provider.credit_size_max);
    let on_credit = |row: &Row| {
        let rate = ios_per_s(row)?;
        ((rate / provider.credit_ios_per_s - 1.0).abs() <= ALIKE).then_some(rate)
    };
    let ios_per_s = run.rows.iter().find_map(on_credit).filter(|_| is_small)?;
    let trials = run.rows.iter().flat_map(|row| &row.trials);
    let loaded = trials
        .map(|trial| trial.outcome.time().0)
        .fold(0, u64::saturating_add);
    let minutes = CREDIT_TIME.0.checked_sub(loaded)? / 60_000_000_000;
    Some(RuleResult::new(
        Code::CreditLikely,
        text!(
            "{ios_per_s:.0} IOPS may be a credit of {provider}, which lasts for {minutes} minutes more at most",
            provider = provider.name
        ),
        "small volumes of clouds save up what is not used, and run faster until that is used up; others have the same rate for good (AWS gp3)",
        "sokudo fill shows whether it lasts, and so do trials over more than half an hour (--spread-over 40min)",
    ))
}

fn ios_per_s(row: &Row) -> Option<f64> {
    let rate = |outcome: &sokudo_model::Outcome| {
        let seconds = outcome.elapsed.as_secs_f64();
        (seconds > 0.0).then(|| outcome.ios() as f64 / seconds)
    };
    weighed(&row.trials, rate).median()
}

/// Blocks that nobody has read on this volume.
fn first_touch(run: &Run) -> Option<RuleResult> {
    let (leaf, _) = volume(run).filter(|(_, provider)| provider.fetches)?;
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
            "{device} had moved {moved} of its {size} since it was attached: what is read for the first time may be slow"
        ),
        "a volume that was made from a snapshot fetches each block when it is first read (AWS, Initialize Amazon EBS volumes)",
        "read all of it once (sokudo scan --full), then measure again",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, reads_with};
    use sokudo_model::Verdict::Verified;
    use sokudo_model::{DriveConditions, disk::Disk};

    /// A run of so many reads a second on a volume of this provider and model.
    fn on(provider: Option<&str>, model: &str, ios: u64, size: Bytes) -> Run {
        reads_with(|run| {
            run.environment.provider = provider.map(str::to_owned);
            run.target.devices.retain(|device| device.is_leaf);
            let leaf = &mut run.target.devices[0];
            leaf.kind = BlockDeviceKind::VirtualDisk;
            leaf.model = Some(model.to_owned());
            leaf.size_bytes = Some(size);
            for trial in &mut run.rows[0].trials {
                let seconds = trial.outcome.elapsed.as_secs_f64();
                trial.outcome.operations[0].ios = (seconds * ios as f64) as u64;
            }
        })
    }

    const EBS: &str = "Amazon Elastic Block Store";

    #[test]
    fn a_rate_that_is_lent_is_told_of_volumes_that_have_a_credit() {
        let small = Bytes::gib(100);
        let said = |run: &Run| credit_likely(run).is_some();
        assert!(said(&on(Some("AWS"), EBS, 3_010, small)));
        assert!(!said(&on(Some("AWS"), EBS, 5_000, small)));
        assert!(!said(&on(Some("AWS"), EBS, 3_010, Bytes::gib(2_000))));
        assert!(!said(&on(
            Some("AWS"),
            "Amazon EC2 NVMe Instance Storage",
            3_010,
            small
        )));
        assert!(!said(&on(None, EBS, 3_010, small)));
        assert!(said(&on(Some("Azure"), "Virtual Disk", 3_500, small)));
        let mut long = on(Some("AWS"), EBS, 3_010, small);
        let words = credit_likely(&long).unwrap().symptom.english();
        assert!(words.contains("29 minutes more"), "{words}");
        long.rows[0].trials[0].outcome.elapsed = Nanos::from_secs(1_900);
        assert!(!said(&long));
    }

    #[test]
    fn a_volume_that_was_hardly_read_may_have_to_be_fetched() {
        let read = |moved: u64| {
            let mut run = on(Some("AWS"), EBS, 100, Bytes::gib(100));
            run.target.kind = TargetKind::BlockDevice;
            run.conditions.drives = vec![DriveConditions {
                disk: Disk::unknown(&run.target.devices[0].name),
                moved_before: Some(Bytes::gib(moved)),
                ..DriveConditions::default()
            }];
            run
        };
        let said = |run: &Run| first_touch(run).is_some();
        assert!(said(&read(1)));
        assert!(!said(&read(60)));
        let mut directory = read(1);
        directory.target.kind = TargetKind::Directory;
        assert!(!said(&directory));
        check! { "elsewhere": reads_with(|_| {}) => [], Verified; }
    }
}
