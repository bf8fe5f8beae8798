//! What of a disk was not looked at, and why.

use sokudo_model::disk::{Bus, Disk, HealthState};
use sokudo_model::{
    AssessedPoint, MethodTrait, POSSIBLE_FAKE, Row, Run, TargetKind, UNCHECKED_CAPACITY,
    UNKNOWN_HEALTH, UNREAD_BLOCKS, Verify,
};
use sokudo_words::{Text, text};

use super::surface;
use crate::expectations::expectations;

/// A point for each thing that people mean by OK and that the others say nothing of.
pub(super) fn not_looked_at(run: &Run, points: &[AssessedPoint]) -> Vec<AssessedPoint> {
    let has = |codes: &[&str]| points.iter().any(|point| codes.contains(&&*point.code));
    let drives = run.conditions.drives.iter().map(|it| &it.disk);
    let silent = drives.filter(|disk| disk.health.state == HealthState::Unknown);
    let silent: Vec<&Disk> = silent.collect();
    let is_unknown = !silent.is_empty() || run.conditions.drives.is_empty();
    let all = [
        (UNKNOWN_HEALTH, is_unknown, health(run, &silent)),
        (
            UNREAD_BLOCKS,
            !surface::is_whole(points) && !has(&["read-errors"]),
            blocks(run),
        ),
        (
            capacity_code(run),
            !has(&[surface::CAPACITY]),
            capacity(run),
        ),
    ];
    let missing = all.into_iter().filter(|(_, is_missing, _)| *is_missing);
    missing
        .map(|(code, _, why)| expectations().looked_at.point(code, None, why))
        .collect()
}

/// Why the health of these drives is not known.
fn health(run: &Run, silent: &[&Disk]) -> Text {
    let names = |waited: Option<u64>| {
        let disks = silent.iter();
        let such = disks.filter(|disk| disk.health.unanswered_seconds == waited);
        let names: Vec<&str> = such.map(|disk| &*disk.name).collect();
        names.join(", ")
    };
    // What one does not say matters less than that another did not answer.
    let waited = silent.iter().map(|it| it.health.unanswered_seconds).max();
    match silent {
        [] => text!(
            "health: no drive that reports it is seen below {}",
            run.target.name
        ),
        _ if !run.environment.root => "health: only root may ask the drive".into(),
        _ => match waited.flatten() {
            Some(seconds) => text!(
                "health: {} did not answer within {seconds} s",
                names(Some(seconds))
            ),
            None => text!("health: not reported by {}", names(None)),
        },
    }
}

fn blocks(run: &Run) -> Text {
    let is_survey = |row: &&Row| row.workload.survey().is_some();
    let survey = run.rows.iter().find(is_survey);
    let is_device = matches!(
        run.target.kind,
        TargetKind::BlockDevice | TargetKind::Simulated
    );
    match survey {
        _ if !run.schedule.surveys_once => {
            "all blocks: only some were read, for speed; sokudo checkup looks at the surface".into()
        }
        Some(row) if !surface::is_of_device(row) => {
            "all blocks: what was read may have come from a cache, not from the disk".into()
        }
        Some(row) if !surface::has_visited_all(row) => {
            "all blocks: the run ended before they were read".into()
        }
        Some(_) if is_device => "all blocks: a sample was read; --full reads all of them".into(),
        Some(_) => {
            "all blocks: a sample was read; name the device with --full for all of them".into()
        }
        None if is_device => "all blocks: the device is too small to be sampled".into(),
        None if run.environment.root => match run.target.devices.first() {
            Some(device) => text!(
                "all blocks: /dev/{} is not here or cannot be read",
                &device.name
            ),
            None => "all blocks: no block device is seen below".into(),
        },
        None => "all blocks: only root may read the device below".into(),
    }
}

/// What is plugged in from outside is sold with false sizes.
fn capacity_code(run: &Run) -> &'static str {
    let mut drives = run.conditions.drives.iter().map(|it| &it.disk);
    let is_plugged_in = |it: &Disk| it.removable == Some(true) || it.bus == Some(Bus::Usb);
    match run.plan.method.is(MethodTrait::AsksForDisk) && drives.any(is_plugged_in) {
        true => POSSIBLE_FAKE,
        false => UNCHECKED_CAPACITY,
    }
}

fn capacity(run: &Run) -> Text {
    let checks = |row: &&Row| row.workload.verify == Some(Verify::Capacity);
    let trials = run.rows.iter().filter(checks).flat_map(|row| &row.trials);
    if let Some(failure) = trials.flat_map(|it| &it.outcome.failures).next() {
        return text!(
            "real size: a {} failed at byte {}",
            Text::from(failure.operation.name()),
            failure.offset.0
        );
    }
    match run.target.kind {
        TargetKind::BlockDevice => {
            let (path, device) = (&run.target.name, run.target.devices.first());
            let serial = device.and_then(|device| device.serial.as_deref());
            // What a shell takes as more than one word is named by its path.
            let is_word = |it: &&str| it.chars().all(|it| it.is_ascii_alphanumeric());
            let serial = serial.filter(|it| !it.is_empty() && is_word(it));
            text!(
                "real size: only writing shows it, and erases the device: sudo sokudo checkup {path} --destroy {}",
                serial.unwrap_or(path)
            )
        }
        TargetKind::Simulated => "real size: it was not written to".into(),
        _ => "real size: only writing to the whole device shows it".into(),
    }
}
