//! What differs in the state of the same device between two runs: firmware, wear, heat,
//! arrays, how full it is. Small changes of what always changes a little are none.

use sokudo_model::disk::{Disk, HealthState};
use sokudo_model::{ArrayState, PartDifference};
use sokudo_words::{Text, text};

use super::differing::{Part, differing, named, word};
use crate::document::RunDocument;
use crate::number::float;
use crate::wording::phrase;

/// What is the same or is not.
fn parts(run: &RunDocument) -> Vec<Part> {
    let conditions = &run.conditions;
    // One after the other.
    let drives = |of: fn(&Disk) -> Option<Text>| {
        let drives = conditions.drives.iter();
        joined(drives.filter_map(|drive| of(&drive.disk)))
    };
    let limits = conditions.io_limits.iter();
    let power = &conditions.power;
    vec![
        ("firmware", drives(|disk| named(disk.firmware.as_ref()))),
        (
            "link",
            drives(|disk| named(disk.link.as_ref()?.negotiated.as_ref())),
        ),
        (
            "write cache of the drive",
            drives(|disk| {
                let is_on = disk.write_cache.enabled?;
                Some(if is_on { "on" } else { "off" }.into())
            }),
        ),
        (
            "health",
            drives(|disk| {
                let state = disk.health.state;
                (state != HealthState::Unknown).then(|| word(&state))
            }),
        ),
        (
            "reallocated sectors",
            drives(|disk| Some(text!("{}", disk.health.reallocated_sectors?))),
        ),
        ("RAID", joined(conditions.arrays.iter().map(array))),
        (
            "limits of control groups",
            joined(limits.map(|limit| Text::name(&limit.file))),
        ),
        ("energy preference", named(power.energy_preference.as_ref())),
        (
            "power supply",
            power
                .on_battery
                .map(|is| if is { "battery" } else { "mains" }.into()),
        ),
    ]
}

/// A part that is a number: its name, its unit, from which difference on it is told, and
/// what a run has of it.
type Measure = (&'static str, &'static str, f64, Option<f64>);

/// What is never quite the same. Ten degrees are what a drive gains under load; a
/// file system that is 5 % fuller has other places free.
fn measures(run: &RunDocument) -> [Measure; 3] {
    let used = || {
        let system = run.target.file_system.as_ref()?;
        let (total, free) = (system.total_bytes?.0, system.available_bytes?.0);
        (total > 0).then(|| 100.0 * (1.0 - float(free) / float(total)))
    };
    let drives = || run.conditions.drives.iter();
    let heat = drives().filter_map(|drive| drive.before.temperature_celsius);
    let heat = heat.max().map(f64::from);
    let wear = drives().filter_map(|drive| drive.disk.health.used_percent);
    let wear = wear.max().map(f64::from);
    [
        ("file system used", "%", 5.0, used()),
        ("temperature before the run", "°C", 10.0, heat),
        ("wear", "%", 5.0, wear),
    ]
}

/// Every part in which the state differs.
pub(super) fn conditions(reference: &RunDocument, other: &RunDocument) -> Vec<PartDifference> {
    let measures = measures(reference).into_iter().zip(measures(other));
    let measures = measures.filter_map(|((name, unit, least, before), (.., now))| {
        let (before, now) = (before?, now?);
        let text = |value: f64| Some(Text::name(format!("{value:.0} {unit}")));
        ((before - now).abs() >= least).then(|| PartDifference {
            name: name.to_owned(),
            reference: text(before),
            other: text(now),
        })
    });
    let parts = differing(parts, reference, other).into_iter();
    parts.chain(measures).collect()
}

/// `md0 raid5, 1 of 4 members missing, recover`.
fn array(array: &ArrayState) -> Text {
    let name = match &array.level {
        Some(level) => format!("{} {level}", array.name),
        None => array.name.clone(),
    };
    let members = match (array.missing, array.members) {
        (Some(missing), Some(members)) if missing > 0 => {
            Some(text!("{missing} of {members} members missing"))
        }
        (_, members) => members.map(|members| text!("{members} members")),
    };
    let action = array.action.as_deref().map(phrase);
    Text::list(
        [Some(Text::name(name)), members, action]
            .into_iter()
            .flatten(),
        ", ",
    )
}

fn joined(texts: impl Iterator<Item = Text>) -> Option<Text> {
    let texts: Vec<Text> = texts.collect();
    (!texts.is_empty()).then(|| Text::list(texts, "; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use sokudo_model::{Bytes, DriveConditions, Heat};

    fn run(change: impl FnOnce(&mut RunDocument)) -> RunDocument {
        let mut run = RunDocument::from_run(&sample::run());
        let heat = Heat {
            temperature_celsius: Some(35),
            ..Heat::default()
        };
        run.conditions.drives = vec![DriveConditions {
            disk: Disk {
                firmware: Some("1.0".to_owned()),
                ..Disk::unknown("sda")
            },
            before: heat,
            after: heat,
            segments_max: None,
            link_power: None,
            runtime_power: None,
            moved_before: None,
            flash_writes: None,
        }];
        run.conditions.arrays = vec![ArrayState {
            name: "md0".to_owned(),
            level: Some("raid5".to_owned()),
            members: Some(4),
            ..ArrayState::default()
        }];
        change(&mut run);
        run
    }

    fn differences(change: impl FnOnce(&mut RunDocument)) -> Vec<String> {
        conditions(&run(|_| ()), &run(change))
            .into_iter()
            .map(|part| {
                let text = |value: Option<Text>| value.unwrap_or_default();
                format!(
                    "{}: {} | {}",
                    part.name,
                    text(part.reference),
                    text(part.other)
                )
            })
            .collect()
    }

    #[test]
    fn firmware_arrays_heat_and_fill_level_are_told() {
        assert_eq!(differences(|_| ()), [""; 0]);
        let firmware = |run: &mut RunDocument| {
            run.conditions.drives[0].disk.firmware = Some("1.1".to_owned());
        };
        assert_eq!(differences(firmware), ["firmware: 1.0 | 1.1"]);
        let degraded = |run: &mut RunDocument| {
            let array = &mut run.conditions.arrays[0];
            array.missing = Some(1);
            array.action = Some("recover".to_owned());
        };
        assert_eq!(
            differences(degraded),
            ["RAID: md0 raid5, 4 members | md0 raid5, 1 of 4 members missing, recover"]
        );
        let full = |run: &mut RunDocument| {
            let system = run.target.file_system.as_mut().unwrap();
            system.available_bytes = Some(Bytes(0));
        };
        assert_eq!(differences(full).len(), 1, "{:?}", differences(full));
    }

    #[test]
    fn what_always_changes_a_little_is_told_only_where_it_changes_much() {
        let heated = |celsius| {
            move |run: &mut RunDocument| {
                run.conditions.drives[0].before.temperature_celsius = Some(celsius);
            }
        };
        assert_eq!(differences(heated(44)), [""; 0]);
        assert_eq!(
            differences(heated(45)),
            ["temperature before the run: 35 °C | 45 °C"]
        );
    }
}
