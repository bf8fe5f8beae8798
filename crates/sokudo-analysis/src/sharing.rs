//! What it costs disks to be used together, and what they share.

use std::collections::BTreeSet;

use sokudo_model::{
    Attachment, AttachmentKind, Run, SharedRates, Sharing, SharingDisk, SharingTest, TargetInfo,
    TargetKind,
};
use sokudo_words::{Text, text};

use crate::code::{Code, Ruling};
use crate::threshold::CPU_SHARE_MAX;

/// Something that several disks are attached by.
struct SharedThing {
    attachment: Attachment,
    /// The places of their targets.
    targets: BTreeSet<usize>,
    /// How far it is from the first of them.
    distance: usize,
}

/// One thing for each group of disks that lose something together, and share what is seen or not.
pub(crate) fn rulings(run: &Run) -> Vec<Ruling> {
    let Some(sharing) = Sharing::of(run) else {
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
fn losers(sharing: &Sharing) -> BTreeSet<usize> {
    let disks = sharing.tests.iter().flat_map(|test| &test.disks);
    let loses = |disk: &&SharingDisk| disk.rates.is_some_and(|rates| rates.is_loss());
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
        let rate = thing.attachment.bytes_per_s.unwrap_or(u64::MAX);
        (thing.targets.len(), rate, thing.distance)
    })
}

fn ruling(
    run: &Run,
    sharing: &Sharing,
    thing: Option<&SharedThing>,
    losers: &BTreeSet<usize>,
) -> Option<Ruling> {
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
    Some(Ruling::new(
        Code::SharingCosts,
        text!(
            "{}, used together, come to {together:.0} of the {alone:.0} MB/s that they come to one by one ({test}): {}",
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
    let disks: Vec<SharingDisk> = test.disks.iter().filter(of_group).cloned().collect();
    let loses = |disk: &SharingDisk| {
        losers.contains(&disk.target) && disk.rates.is_some_and(|rates| rates.is_loss())
    };
    disks.iter().any(loses).then_some(())?;
    SharingTest {
        disks,
        ..test.clone()
    }
    .sum()
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
    let seen = thing.map(|thing| text!("they share {}", thing.told()));
    let busy = busy.map(|share| {
        text!(
            "the processors were busy for {percent:.0} % of the time",
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
            "measure on a machine with more or faster processors to see what the disks can do together"
        ),
        (None, None) => text!("measure them in pairs: who loses with whom tells what they share"),
    }
}

impl SharedThing {
    /// What it is, with its speed where that is known.
    fn told(&self) -> Text {
        let name = &self.attachment.name;
        let what = match self.attachment.kind {
            AttachmentKind::Disk => text!("the disk {name}"),
            AttachmentKind::FileSystem => text!("the file system on {name}"),
            AttachmentKind::SataPort => text!("the SATA port {name}, by a port multiplier"),
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
