//! What it costs disks to be used together, and what they share.

use std::collections::BTreeSet;

use sokudo_analysis::add_findings;
use sokudo_analysis::code::{Code, RuleResult};
use sokudo_analysis::method_codes;
use sokudo_analysis::rule::MethodRules;
use sokudo_analysis::threshold::CPU_SHARE_MAX;
use sokudo_model::{
    Attachment, AttachmentKind, Contention, Run, SharedRates, SharingDisk, SharingTest, TargetInfo,
    TargetKind,
};
use sokudo_words::{Text, text};

method_codes! {
    /// Of the run: disks keep 95 % of their rates or less when they are used together.
    SHARING_COSTS => "sharing-costs", Warning, Verified, StoppedByRule + 1;
}

/// Rules of its own.
pub(crate) static RULES: MethodRules = MethodRules {
    codes: CODES,
    whole: Some(|run| add_findings(run, rulings(run))),
    ..MethodRules::NONE
};

/// Something that several disks are attached by.
struct SharedThing {
    attachment: Attachment,
    /// The places of their targets.
    targets: BTreeSet<usize>,
    /// How far it is from the first of them.
    distance: usize,
}

/// One thing for each group of disks that lose something together, and share what is seen or not.
pub(crate) fn rulings(run: &Run) -> Vec<RuleResult> {
    let Some(sharing) = Contention::of(run) else {
        return Vec::new();
    };
    let losers = losers(&sharing);
    let shared = shared_things(run);
    let mut groups: Vec<(Option<&SharedThing>, BTreeSet<usize>)> = Vec::new();
    for loser in losers {
        let thing = likeliest(&shared, loser);
        let targets = thing.map(|it| &it.targets);
        let known = groups.iter_mut();
        let mut known = known.filter(|(other, _)| other.map(|it| &it.targets) == targets);
        match known.next() {
            Some((_, group)) => _ = group.insert(loser),
            None => groups.push((thing, BTreeSet::from([loser]))),
        }
    }
    let of_group = |(thing, losers)| ruling(run, &sharing, thing, &losers);
    groups.into_iter().filter_map(of_group).collect()
}

/// The targets that lose something in any test.
fn losers(sharing: &Contention) -> BTreeSet<usize> {
    let disks = sharing.tests.iter().flat_map(|test| &test.disks);
    let loses = |disk: &&SharingDisk| disk.rates.is_some_and(|rates| rates.loses);
    disks.filter(loses).map(|disk| disk.target).collect()
}

/// What several targets are attached by, each thing once.
fn shared_things(run: &Run) -> Vec<SharedThing> {
    let mut things: Vec<SharedThing> = Vec::new();
    for (target, info) in run.targets.iter().enumerate() {
        for (distance, attachment) in attachments(info).into_iter().enumerate() {
            let is_it = |thing: &&mut SharedThing| {
                let other = &thing.attachment;
                (other.kind, &other.name) == (attachment.kind, &attachment.name)
            };
            match things.iter_mut().find(is_it) {
                Some(thing) => _ = thing.targets.insert(target),
                None => things.push(SharedThing {
                    attachment,
                    targets: BTreeSet::from([target]),
                    distance,
                }),
            }
        }
    }
    things.retain(|thing| thing.targets.len() > 1);
    things
}

/// What a target is attached by: its file system, its disks, and what these are attached by.
fn attachments(info: &TargetInfo) -> Vec<Attachment> {
    let named = |kind, name: &str| Attachment {
        kind,
        name: name.to_owned(),
        speed: None,
        bytes_per_s: None,
    };
    let file_system = info.file_system.iter();
    let mut all: Vec<Attachment> = file_system
        .map(|it| named(AttachmentKind::FileSystem, &it.mount_point))
        .collect();
    let is_simulated = info.kind == TargetKind::Simulated;
    for device in &info.devices {
        if device.is_leaf && !is_simulated {
            all.push(named(AttachmentKind::Disk, &device.name));
        }
        all.extend(device.attached_by.iter().cloned());
    }
    all
}

/// What a disk shares with the fewest others; of several such the slowest, then the nearest.
fn likeliest(things: &[SharedThing], target: usize) -> Option<&SharedThing> {
    let of_it = things
        .iter()
        .filter(|thing| thing.targets.contains(&target));
    of_it.min_by_key(|thing| {
        let rate = thing.attachment.bytes_per_s;
        (thing.targets.len(), rate.is_none(), rate, thing.distance)
    })
}

fn ruling(
    run: &Run,
    sharing: &Contention,
    thing: Option<&SharedThing>,
    losers: &BTreeSet<usize>,
) -> Option<RuleResult> {
    let everybody = || sharing.tests[0].disks.iter().map(|disk| disk.target);
    let group = thing.map_or_else(|| everybody().collect(), |it| it.targets.clone());
    let tests = sharing.tests.iter();
    let (test, sum) = tests
        .filter_map(|test| Some((test, sum_of(test, &group, losers)?)))
        .min_by(|(_, one), (_, other)| one.kept.total_cmp(&other.kept))?;
    let of_group = || {
        test.disks
            .iter()
            .filter(|disk| group.contains(&disk.target))
    };
    let names = of_group().map(|disk| Text::name(disk.label.clone()));
    let each = of_group().filter_map(|disk| {
        let percent = disk.rates?.kept * 100.0;
        Some(text!("{label} keeps {percent:.0} %", label = disk.label))
    });
    let busy = processors_busy(run, test);
    Some(RuleResult::new(
        Code::Of(&SHARING_COSTS),
        text!(
            "{}, used together, reach {together:.0} of the {alone:.0} MB/s that they reach one by one ({test}): {}",
            Text::list(names, ", "),
            Text::list(each, ", "),
            together = sum.together / 1e6,
            alone = sum.alone / 1e6,
            test = test.name
        ),
        cause(thing, busy),
        remedy(thing, busy),
    ))
}

/// The rates of a group in a test in which one of it loses something.
fn sum_of(
    test: &SharingTest,
    group: &BTreeSet<usize>,
    losers: &BTreeSet<usize>,
) -> Option<SharedRates> {
    let of_group = |disk: &&SharingDisk| group.contains(&disk.target);
    let disks = || test.disks.iter().filter(of_group);
    let loses = |disk: &SharingDisk| {
        losers.contains(&disk.target) && disk.rates.is_some_and(|rates| rates.loses)
    };
    disks().any(loses).then_some(())?;
    SharedRates::sum(disks())
}

/// Which share of all processors was used while disks were measured together, where that is nearly
/// all of it.
fn processors_busy(run: &Run, test: &SharingTest) -> Option<f64> {
    let row = run.rows.get(test.disks.first()?.together)?;
    let (mut busy, mut available) = (0.0, 0.0);
    for trial in &row.trials {
        let seen = trial.evidence.processors.as_ref()?;
        let used = [seen.own, seen.programs, seen.kernel, seen.stolen];
        busy += used
            .into_iter()
            .flatten()
            .map(|it| it.as_secs_f64())
            .sum::<f64>();
        available += seen.elapsed.as_secs_f64() * f64::from(run.environment.cpus);
    }
    Some(busy / available).filter(|share| *share >= CPU_SHARE_MAX)
}

fn cause(thing: Option<&SharedThing>, busy: Option<f64>) -> Text {
    let seen = thing.map(|thing| text!("they share {}", thing.description()));
    let busy = busy.map(|share| {
        text!(
            "the CPUs were busy for {percent:.0} % of the time",
            percent = share * 100.0
        )
    });
    match (seen, busy) {
        (Some(seen), Some(busy)) => text!("{seen}, and {busy}"),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => {
            text!("the cause is not seen: sysfs shows no link, controller or disk that they share")
        }
    }
}

fn remedy(thing: Option<&SharedThing>, busy: Option<f64>) -> Text {
    match (thing, busy) {
        (Some(thing), _) if thing.attachment.kind == AttachmentKind::Disk => {
            text!("use different disks for what runs at the same time, or expect these rates")
        }
        (Some(_), _) => text!(
            "attach one of them elsewhere if they are used at the same time, or expect these rates"
        ),
        (None, Some(_)) => text!(
            "measure on a machine with more or faster CPUs to see what the disks can do together"
        ),
        (None, None) => {
            text!("measure the disks in pairs: the pairs that lose speed show what is shared")
        }
    }
}

impl SharedThing {
    /// What it is, with its speed where that is known.
    fn description(&self) -> Text {
        let name = &self.attachment.name;
        let what = match self.attachment.kind {
            AttachmentKind::Disk => text!("the disk {name}"),
            AttachmentKind::FileSystem => text!("the file system on {name}"),
            AttachmentKind::SataPort => text!("the SATA port {name}, through a port multiplier"),
            AttachmentKind::SasExpander => text!("the SAS expander {name}"),
            AttachmentKind::Usb => text!("the USB hub or bus {name}"),
            AttachmentKind::PciBridge => text!("the PCI Express link of {name}"),
            AttachmentKind::Controller => text!("the controller {name}"),
            AttachmentKind::Link => text!("the link {name}"),
        };
        match (&self.attachment.speed, self.attachment.bytes_per_s) {
            (Some(speed), Some(rate)) if self.attachment.kind != AttachmentKind::Link => text!(
                "{what} ({speed}, {rate} MB/s at most)",
                rate = rate / 1_000_000
            ),
            (Some(speed), _) => text!("{what} ({speed})"),
            (None, _) => what,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_analysis::sample::reads;
    use sokudo_model::sharing::row_name;
    use sokudo_model::{FileUse, Nanos, ProcessorEvidence, Row, Stage, Workload};

    /// Reads of two disks alone and together, of which the first keeps so much.
    fn run(kept_percent: u64, attached_by: [&[Attachment]; 2]) -> Run {
        let mut run = reads();
        let sample = run.rows[0].clone();
        let named = |target: u32, others| {
            let mut workload = sample.workload.clone();
            workload.name = row_name("SEQ1M", ["sdb", "sdc"][target as usize], others);
            workload.files.uses = vec![FileUse { target, span: None }];
            workload
        };
        let [alone, together] = [0, 1].map(|others| [0, 1].map(|target| named(target, others)));
        run.plan.stages = alone.iter().cloned().map(Stage::alone).collect();
        run.plan.stages.push(Stage {
            workloads: together.to_vec(),
        });
        let row = |workload: Workload| Row {
            workload,
            ..sample.clone()
        };
        run.rows = alone.into_iter().chain(together).map(row).collect();
        for trial in &mut run.rows[2].trials {
            let elapsed = &mut trial.outcome.elapsed.0;
            *elapsed = *elapsed * 100 / kept_percent;
        }
        run.targets = (0..2).map(|_| run.target.clone()).collect();
        for ((target, name), attached_by) in
            run.targets.iter_mut().zip(["sdb", "sdc"]).zip(attached_by)
        {
            target.file_system = None;
            target.devices.truncate(1);
            target.devices[0].name = name.to_owned();
            target.devices[0].is_leaf = true;
            target.devices[0].attached_by = attached_by.to_vec();
        }
        run
    }

    fn attachment(kind: AttachmentKind, name: &str, bytes_per_s: u64) -> Attachment {
        Attachment {
            kind,
            name: name.to_owned(),
            speed: Some("8.0 GT/s x4".to_owned()),
            bytes_per_s: Some(bytes_per_s),
        }
    }

    fn finding(run: &Run) -> Option<(String, String)> {
        let ruling = rulings(run).pop()?;
        Some((ruling.symptom.english(), ruling.cause.english()))
    }

    #[test]
    fn the_slowest_of_what_both_are_attached_by_is_named() {
        let own = |name| attachment(AttachmentKind::Controller, name, 1_000_000_000);
        let bridge = attachment(AttachmentKind::PciBridge, "0000:00:1c.0", 3_938_461_538);
        let root = attachment(AttachmentKind::PciBridge, "0000:00:01.0", 7_876_923_076);
        let way = |name| [own(name), bridge.clone(), root.clone()];
        let (symptom, cause) = finding(&run(60, [&way("a"), &way("b")])).unwrap();
        assert!(
            symptom.contains("sdb keeps 60 %, sdc keeps 100 %"),
            "{symptom}"
        );
        assert_eq!(
            cause,
            "they share the PCI Express link of 0000:00:1c.0 (8.0 GT/s x4, 3938 MB/s at most)"
        );
    }

    #[test]
    fn partitions_share_their_disk() {
        let mut run = run(60, [&[], &[]]);
        for target in &mut run.targets {
            target.devices[0].name = "sda".to_owned();
        }
        assert_eq!(finding(&run).unwrap().1, "they share the disk sda");
        let remedy = rulings(&run).pop().unwrap().remedy.english();
        assert!(remedy.starts_with("use different disks"), "{remedy}");
    }

    #[test]
    fn processors_that_are_busy_for_nearly_all_of_the_time_are_named() {
        let busy = |milliseconds| {
            let mut run = run(60, [&[], &[]]);
            run.environment.cpus = 2;
            for trial in run.rows.iter_mut().flat_map(|row| &mut row.trials) {
                trial.evidence.processors = Some(ProcessorEvidence {
                    elapsed: Nanos::from_secs(1),
                    own: Some(Nanos::from_millis(milliseconds)),
                    programs: Some(Nanos::from_millis(800)),
                    ..ProcessorEvidence::default()
                });
            }
            finding(&run).unwrap().1
        };
        let all = busy(1_160);
        assert!(all.starts_with("the CPUs were busy for 98 %"), "{all}");
        assert!(busy(100).starts_with("the cause is not seen"));
    }

    #[test]
    fn what_is_not_seen_is_said_to_be_so_and_who_loses_nothing_hears_nothing() {
        let (_, cause) = finding(&run(60, [&[], &[]])).unwrap();
        assert!(cause.starts_with("the cause is not seen"), "{cause}");
        assert_eq!(finding(&run(97, [&[], &[]])), None);
    }
}
