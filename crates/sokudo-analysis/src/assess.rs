//! Whether a disk is well and as fast as it should be: what is known of the drives under a run's
//! target, and what was measured of it, held against what is expected of such disks.
//!
//! All figures of what is expected stand in `expectations.toml`.

mod part;
mod speed;
mod surface;
mod unseen;

use sokudo_model::disk::{Bus, Disk, HealthState, Rotation};
use sokudo_model::{
    AssessedPoint, DiskAnswer, DiskAssessment, Finding, MethodTrait, Run, Severity, TargetKind,
};
use sokudo_words::{Text, text};

use crate::disk::examine;
use crate::expectations::{Expected, expectations};
use crate::surroundings;

pub use part::each;
pub use speed::{NOT_JUDGED, failed_io, volume_cap};
pub use surface::slow_samples_point;
use unseen::not_looked_at;

/// Schedulers that cost a fast drive more than they save.
const HEAVY_SCHEDULERS: [&str; 1] = ["bfq"];
/// Sectors of 512 bytes of a drive of 50 GB, and of each further GB (IDEMA LBA1-03).
const SECTORS_OF_50_GB: u64 = 97_696_368;
const SECTORS_PER_GB: u64 = 1_953_504;

/// What is thought of the disk under a run; `None` where nothing can be expected of it, or the
/// method says nothing about that.
pub fn disk(run: &Run) -> Option<DiskAssessment> {
    // Of several disks each has an answer of its own.
    let method = &run.plan.method;
    let asks = method.is(MethodTrait::AsksForDisk);
    let is_requested = asks || method.is(MethodTrait::JudgesDisk) && run.targets.len() <= 1;
    let is_disk = !matches!(run.target.kind, TargetKind::Null | TargetKind::Imported);
    if !is_requested || !is_disk {
        return None;
    }
    let drives = || run.conditions.drives.iter().map(|drive| &drive.disk);
    let mut points = speed::points(run);
    points.extend(drives().flat_map(of_disk));
    points.extend(speed::link_shares(run));
    let arrays = run.conditions.arrays.iter();
    let broken = arrays.filter_map(surroundings::not_whole);
    points.extend(broken.map(|finding| of_finding(&finding)));
    points.extend(surface::points(run));
    // Of what cannot be judged nothing is said by what was sampled of it.
    let is_judged = points.iter().any(|point| {
        point.answer.is_some() && point.code != NOT_JUDGED && !surface::is_of_part(point)
    });
    if points.is_empty() && !asks {
        return None;
    }
    if asks && !points.iter().any(|point| !surface::is_of_part(point)) {
        points.insert(0, of_the_unknown(run));
    }
    if !is_judged {
        let speed = points.iter_mut().filter(|point| point.code == NOT_JUDGED);
        speed.for_each(|point| point.answer = None);
    }
    // How to measure a disk better that is to be replaced helps nobody.
    if points.iter().any(|it| it.answer == Some(DiskAnswer::NotOk)) {
        let codes = [NOT_JUDGED, speed::STREAMS_NOT_JUDGED];
        let speed = points.iter_mut().filter(|it| codes.contains(&&*it.code));
        speed.for_each(|point| point.remedy = Text::default());
    }
    points.extend(not_looked_at(run, &points));
    let is_cut = points.iter().any(|point| point.code == speed::NO_ROOM);
    let mut assessment = DiskAssessment::of(points)?;
    let counts = |answer: &DiskAnswer| is_judged && (!is_cut || *answer == DiskAnswer::NotOk);
    assessment.answer = assessment.answer.filter(counts);
    Some(assessment)
}

/// That there is nothing to hold it against.
fn of_the_unknown(run: &Run) -> AssessedPoint {
    let found = text!(
        "there is no reference for the speed of {}: neither its drive, link nor rotation is known",
        run.target.name
    );
    expectations().virtual_disk.point("unknown", None, found)
}

/// What a drive says of itself, and how it is connected.
pub fn of_disk(disk: &Disk) -> Vec<AssessedPoint> {
    let noticed = examine(disk);
    let has = |code: &str| noticed.iter().any(|finding| finding.code == code);
    let rules: [fn(&Disk) -> Option<AssessedPoint>; 10] = [
        health,
        unreadable,
        link_below_drive,
        usb_protocol,
        temperature,
        capacity,
        alignment,
        write_cache,
        scheduler,
        discard,
    ];
    let mut points: Vec<AssessedPoint> = noticed.iter().map(of_finding).collect();
    let own = rules.into_iter().filter_map(|rule| rule(disk));
    // What was noticed takes the place of its good end.
    points.extend(own.filter(|point| match point.code.as_str() {
        "health" => !has("disk-failing"),
        "temperature" => !has("disk-hot"),
        "alignment" => !has("partition-misaligned"),
        "write-cache" => !has("write-cache-off"),
        _ => true,
    }));
    points
}

/// What is noticed about disks wherever they are shown, as a point.
fn of_finding(finding: &Finding) -> AssessedPoint {
    let answer = match finding.severity {
        Severity::Error => Some(DiskAnswer::NotOk),
        Severity::Warning => Some(DiskAnswer::OkBut),
        Severity::Info => None,
    };
    let all = expectations();
    let (code, found) = (&*finding.code, finding.symptom.clone());
    let point = match code {
        "disk-failing" => {
            let why = text!("{}: {}", found, finding.cause.clone());
            all.health.point(code, answer, why)
        }
        "disk-worn" => all.wear.point(code, answer, found),
        "disk-hot" => all.temperature.point(code, answer, found),
        "link-below-maximum" => all.link_below_maximum.point(code, answer, found),
        "slow-usb" => all.usb_speed.point(code, answer, found),
        "link-errors" => all.link_errors.point(code, answer, found),
        "write-cache-off" => all.write_cache.point(code, answer, found),
        "partition-misaligned" => all.alignment.point(code, answer, found),
        _ => all.array_whole.point(code, answer, found),
    };
    AssessedPoint {
        remedy: finding.remedy.clone(),
        ..point
    }
}

fn good<Figures>(expectation: &Expected<Figures>, code: &str, found: Text) -> AssessedPoint {
    expectation.point(code, Some(DiskAnswer::Ok), found)
}

fn unreadable(disk: &Disk) -> Option<AssessedPoint> {
    let expected = &expectations().unreadable_sectors;
    let health = &disk.health;
    let (pending, errors) = (health.pending_sectors, health.media_errors);
    if pending.is_none() && errors.is_none() {
        return None;
    }
    let (name, code) = (&disk.name, "unreadable-sectors");
    let found = match (pending.unwrap_or(0), errors.unwrap_or(0)) {
        (0, 0) => {
            return Some(good(
                expected,
                code,
                text!("{name} has no unreadable sectors"),
            ));
        }
        (0, errors) => {
            text!("{name} has lost data {errors} times in its life: sectors could not be read")
        }
        (pending, _) => text!("{pending} sectors of {name} cannot be read"),
    };
    let answer = match pending.unwrap_or(0) {
        0 => DiskAnswer::OkBut,
        _ => DiskAnswer::NotOk,
    };
    Some(AssessedPoint {
        remedy: "back up the disk, then find these sectors (sokudo scan); replace the drive if their number grows".into(),
        ..expected.point(code, Some(answer), found)
    })
}

fn link_below_drive(disk: &Disk) -> Option<AssessedPoint> {
    let link = disk.link.as_ref()?;
    let (now, drive) = (link.negotiated.as_ref()?, link.drive_maximum.as_ref()?);
    let found = text!(
        "{} is connected at {now}, the most that its port can do; the drive supports {drive}",
        disk.name
    );
    Some(AssessedPoint {
        remedy: "move it to a port with as many lanes of that generation, if there is one".into(),
        ..expectations()
            .link_below_drive
            .point("link-below-drive", Some(DiskAnswer::OkBut), found)
    })
}

fn usb_protocol(disk: &Disk) -> Option<AssessedPoint> {
    let link = disk.link.as_ref()?;
    let expected = &expectations().usb_protocol;
    let (name, code) = (&disk.name, "usb-protocol");
    let carries = link.negotiated_bytes_per_s?;
    match link.protocol.as_deref()? {
        "uas" => Some(good(expected, code, text!("{name} uses USB Attached SCSI"))),
        _ if carries < expected.figures.from_bytes_per_s => None,
        "usb-storage" => Some(AssessedPoint {
            remedy: "check whether its bridge supports UAS (lsusb -t; a kernel quirk may disable it), or use another enclosure".into(),
            ..expected.point(
                code,
                Some(DiskAnswer::OkBut),
                text!("{name} is connected by USB Bulk-Only Transport: it gets one command at a time, whatever the queue depth"),
            )
        }),
        _ => None,
    }
}

fn health(disk: &Disk) -> Option<AssessedPoint> {
    let (name, expected) = (&disk.name, &expectations().health);
    match disk.health.state {
        HealthState::Good => Some(good(
            expected,
            "health",
            text!("{name} reports that it is healthy"),
        )),
        _ => None,
    }
}

/// Whether it is a drive that keeps such things.
fn may_report_health(disk: &Disk) -> bool {
    matches!(disk.bus, Some(Bus::Ata | Bus::Sas | Bus::Nvme | Bus::Usb))
}

fn temperature(disk: &Disk) -> Option<AssessedPoint> {
    let celsius = disk.health.temperature_celsius?;
    let (name, expected) = (&disk.name, &expectations().temperature);
    Some(match disk.health.temperature_warning_celsius {
        Some(warning) => good(
            expected,
            "temperature",
            text!("{name} is at {celsius} °C; it warns from {warning} °C"),
        ),
        None => expected.point("temperature", None, text!("{name} is at {celsius} °C")),
    })
}

/// Of drives that follow the industry's count; cards, sticks and virtual disks have any size.
fn capacity(disk: &Disk) -> Option<AssessedPoint> {
    if !matches!(disk.bus, Some(Bus::Ata | Bus::Sas | Bus::Nvme)) {
        return None;
    }
    let sectors = disk.size_bytes?.0 / 512;
    let above = sectors.checked_sub(SECTORS_OF_50_GB)?;
    let gigabytes = above / SECTORS_PER_GB + 50;
    let found = text!(
        "{} has the standard number of sectors for {gigabytes} GB",
        disk.name
    );
    let is_whole = above % SECTORS_PER_GB == 0;
    is_whole.then(|| good(&expectations().capacity, "capacity", found))
}

fn alignment(disk: &Disk) -> Option<AssessedPoint> {
    let partitions = disk.contents.iter();
    let partitions = partitions.filter(|content| content.offset_bytes.is_some());
    let name = &disk.name;
    (partitions.count() > 0).then(|| {
        good(
            &expectations().alignment,
            "alignment",
            text!("partitions of {name} begin at multiples of its physical block"),
        )
    })
}

fn write_cache(disk: &Disk) -> Option<AssessedPoint> {
    let turns = matches!(disk.rotation, Rotation::Turns | Rotation::PerMinute(_));
    let is_on = disk.write_cache.enabled == Some(true);
    (turns && is_on).then(|| {
        let found = text!("the write cache of {} is on", disk.name);
        good(&expectations().write_cache, "write-cache", found)
    })
}

fn scheduler(disk: &Disk) -> Option<AssessedPoint> {
    let scheduler = disk.queue.scheduler.as_deref()?;
    let (name, expected) = (&disk.name, &expectations().scheduler);
    if disk.bus != Some(Bus::Nvme) {
        return None;
    }
    let found = text!("the I/O scheduler of {name} is {scheduler}");
    Some(match HEAVY_SCHEDULERS.contains(&scheduler) {
        false => good(expected, "scheduler", found),
        true => AssessedPoint {
            remedy: text!(
                "switch the scheduler off (as root: echo none > /sys/block/{name}/queue/scheduler)"
            ),
            ..expected.point("scheduler", Some(DiskAnswer::OkBut), found)
        },
    })
}

fn discard(disk: &Disk) -> Option<AssessedPoint> {
    let is_solid = disk.rotation == Rotation::None && may_report_health(disk);
    let largest = disk.queue.discard_bytes_max.filter(|_| is_solid)?;
    let (name, expected) = (&disk.name, &expectations().discard);
    Some(match largest.0 {
        0 => AssessedPoint {
            remedy: "for USB, use a bridge that passes discard on; otherwise leave part of the drive unpartitioned, or erase the drive now and then".into(),
            ..expected.point(
                "discard",
                Some(DiskAnswer::OkBut),
                text!("{name} does not support discard (it does not learn what was deleted), so writes become slower once it has been full"),
            )
        },
        _ => good(expected, "discard", text!("{name} supports discard (it learns what was deleted)")),
    })
}

#[cfg(test)]
mod tests;
