//! What differs in the state of the same device between two runs: firmware, wear, heat,
//! arrays, how full it is. Small changes of what always changes a little are none.

use sokudo_model::disk::HealthState;
use sokudo_model::{ArrayState, DriveCircumstances, PartDifference};
use sokudo_words::{Text, text};

use super::differing::{Part, differing, named, word};
use crate::document::RunDocument;
use crate::number::float;
use crate::wording::phrase;

/// A part that is a number: its name, its unit, from which difference on it is told, and
/// what a run has of it.
type Measure = (
    &'static str,
    &'static str,
    f64,
    fn(&RunDocument) -> Option<f64>,
);

/// What is the same or is not.
const PARTS: [Part; 9] = [
    ("firmware", |run| {
        drives(run, |drive| named(&drive.disk.firmware))
    }),
    ("link", |run| {
        drives(run, |drive| named(&drive.disk.link.as_ref()?.negotiated))
    }),
    ("write cache of the drive", |run| {
        drives(run, |drive| {
            let is_on = drive.disk.write_cache.enabled?;
            Some(if is_on { "on" } else { "off" }.into())
        })
    }),
    ("health", |run| {
        drives(run, |drive| {
            let state = drive.disk.health.state;
            (state != HealthState::Unknown).then(|| word(&state))
        })
    }),
    ("reallocated sectors", |run| {
        drives(run, |drive| {
            Some(text!("{}", drive.disk.health.reallocated_sectors?))
        })
    }),
    ("RAID", |run| {
        joined(run.circumstances.arrays.iter().map(array))
    }),
    ("limits of control groups", |run| {
        let limits = run.circumstances.io_limits.iter();
        joined(limits.map(|limit| Text::name(&limit.file)))
    }),
    ("energy preference", |run| {
        named(&run.circumstances.power.energy_preference)
    }),
    ("power supply", |run| {
        let on_battery = run.circumstances.power.on_battery?;
        Some(if on_battery { "battery" } else { "mains" }.into())
    }),
];

/// What is never quite the same. Ten degrees are what a drive gains under load; a
/// file system that is 5 % fuller has other places free.
const MEASURES: [Measure; 3] = [
    ("file system used", "%", 5.0, |run| {
        let system = run.target.file_system.as_ref()?;
        let (total, free) = (system.total_bytes?.0, system.available_bytes?.0);
        (total > 0).then(|| 100.0 * (1.0 - share(free, total)))
    }),
    ("temperature before the run", "°C", 10.0, |run| {
        let drives = run.circumstances.drives.iter();
        let hottest = drives
            .filter_map(|drive| drive.before.temperature_celsius)
            .max();
        hottest.map(f64::from)
    }),
    ("wear", "%", 5.0, |run| {
        let drives = run.circumstances.drives.iter();
        let worst = drives
            .filter_map(|drive| drive.disk.health.used_percent)
            .max();
        worst.map(f64::from)
    }),
];

/// Every part in which the state differs.
pub(super) fn conditions(reference: &RunDocument, other: &RunDocument) -> Vec<PartDifference> {
    let measures = MEASURES.iter().filter_map(|(name, unit, least, of)| {
        let (before, now) = (of(reference)?, of(other)?);
        let text = |value: f64| Some(Text::name(format!("{value:.0} {unit}")));
        ((before - now).abs() >= *least).then(|| PartDifference {
            name: (*name).to_owned(),
            reference: text(before),
            other: text(now),
        })
    });
    let parts = differing(&PARTS, reference, other).into_iter();
    parts.chain(measures).collect()
}

/// What the drives have, one after the other.
fn drives(run: &RunDocument, of: impl Fn(&DriveCircumstances) -> Option<Text>) -> Option<Text> {
    joined(run.circumstances.drives.iter().filter_map(of))
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

fn share(part: u64, whole: u64) -> f64 {
    float(part) / float(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use sokudo_model::{Bytes, Disk, Heat};

    fn run(change: impl FnOnce(&mut RunDocument)) -> RunDocument {
        let mut run = RunDocument::from_run(&sample::run());
        let heat = Heat {
            temperature_celsius: Some(35),
            ..Heat::default()
        };
        run.circumstances.drives = vec![DriveCircumstances {
            disk: Disk {
                firmware: Some("1.0".to_owned()),
                ..Disk::unknown("sda")
            },
            before: heat,
            after: heat,
            segments_max: None,
            link_power: None,
            runtime_power: None,
            flash_writes: None,
        }];
        run.circumstances.arrays = vec![ArrayState {
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
            run.circumstances.drives[0].disk.firmware = Some("1.1".to_owned());
        };
        assert_eq!(differences(firmware), ["firmware: 1.0 | 1.1"]);
        let degraded = |run: &mut RunDocument| {
            let array = &mut run.circumstances.arrays[0];
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
                run.circumstances.drives[0].before.temperature_celsius = Some(celsius);
            }
        };
        assert_eq!(differences(heated(44)), [""; 0]);
        assert_eq!(
            differences(heated(45)),
            ["temperature before the run: 35 °C | 45 °C"]
        );
    }
}
