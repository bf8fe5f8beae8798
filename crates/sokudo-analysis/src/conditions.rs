//! What the system did to a row from outside: limits of control groups, heat.

use sokudo_model::{DriveConditions, IoLimit, Nanos, Operation, Run};
use sokudo_words::{Text, text};

use crate::case::{RowContext, counted};
use crate::code::{Code, RuleResult};
use crate::rule::RowRule;
use crate::threshold::{LIMIT_SHARE_MAX, LIMIT_SHARE_MIN};

pub(crate) const RULES: &[RowRule] = &[throttled_by_cgroup, throttled_by_heat];

/// How near a row came to one limit.
struct Reached<'a> {
    limit: &'a IoLimit,
    operation: Operation,
    /// Whether it limits requests and not bytes.
    counts_requests: bool,
    /// Limit in bytes or requests per second, as `counts_requests` says.
    allowed: f64,
    /// Rate of the row, in the unit of `allowed`.
    reached: f64,
}

impl Reached<'_> {
    /// Whether the limit was there for a part of the run only.
    fn when(&self) -> Option<Text> {
        Some(match (self.limit.from, self.limit.to) {
            (None, None) => return None,
            (Some(from), None) => text!("the limit was in force from {from} into the run"),
            (None, Some(to)) => text!("the limit was in force until {to} into the run"),
            (Some(from), Some(to)) => {
                text!("the limit was in force from {from} to {to} into the run")
            }
        })
    }

    fn share(&self) -> f64 {
        self.reached / self.allowed
    }

    fn symptom(&self) -> Text {
        let rate = |per_second: f64| match self.counts_requests {
            true => text!("{per_second:.0} requests/s"),
            false => text!("{mb_per_s:.1} MB/s", mb_per_s = per_second / 1e6),
        };
        let (device, percent) = (&self.limit.device, self.share() * 100.0);
        let (reached, allowed) = (rate(self.reached), rate(self.allowed));
        match self.operation {
            Operation::Read => text!(
                "{device} was read at {reached}: {percent:.0} % of the {allowed} that a control \
                 group allows"
            ),
            _ => text!(
                "{device} was written at {reached}: {percent:.0} % of the {allowed} that a \
                 control group allows"
            ),
        }
    }

    /// How far the rate is from the limit, in both directions alike.
    fn distance(&self) -> f64 {
        self.share().ln().abs()
    }

    /// What to write into the file so that it limits nothing.
    fn remedy(&self) -> Text {
        let number = &self.limit.number;
        let line = if self.limit.file.ends_with("io.max") {
            let key = match (self.operation, self.counts_requests) {
                (Operation::Read, false) => "rbps",
                (Operation::Read, true) => "riops",
                (_, false) => "wbps",
                (_, true) => "wiops",
            };
            format!("{number} {key}=max")
        } else {
            format!("{number} 0")
        };
        text!(
            "as root: echo '{line}' > {file}; or measure outside of that group",
            file = self.limit.file
        )
    }
}

/// A limit of which a row used nearly all has most likely set its rate.
pub(crate) fn throttled_by_cgroup(case: &RowContext<'_>) -> Option<RuleResult> {
    let limits = &case.run.conditions.io_limits;
    let reached = limits
        .iter()
        .flat_map(|limit| reached(case, limit))
        .filter(|reached| (LIMIT_SHARE_MIN..=LIMIT_SHARE_MAX).contains(&reached.share()))
        .min_by(|left, right| left.distance().total_cmp(&right.distance()))?;
    Some(RuleResult::new(
        Code::ThrottledByCgroup,
        Text::list([reached.symptom()].into_iter().chain(reached.when()), "; "),
        text!(
            "{file} limits the rate, so the figure is that of the limit, not of the device",
            file = reached.limit.file
        ),
        reached.remedy(),
    ))
}

/// The rates of a row beside those of a limit. What the devices counted is what was let
/// through; a cache may have answered the rest.
fn reached<'a>(case: &RowContext<'a>, limit: &'a IoLimit) -> Vec<Reached<'a>> {
    let seconds: f64 = case
        .outcomes()
        .map(|outcome| case.counted_time(outcome).as_secs_f64())
        .sum();
    let devices = &case.target().devices;
    let device = devices.iter().find(|device| device.number == limit.number);
    let group = case.group().filter(|group| group.number == limit.number);
    let is_leaf = device.map_or(group.is_some(), |device| device.is_leaf);
    if seconds <= 0.0 || device.is_none() && !is_leaf {
        return Vec::new();
    }
    // Each member of an array has its part of what all of them counted.
    let parts = match is_leaf {
        true => case.target().leaves().count().max(1) as f64,
        false => 1.0,
    };
    let meanwhile = match (limit.from, limit.to) {
        (None, None) => None,
        _ => match rates_meanwhile(case, limit) {
            None => return Vec::new(),
            found => found,
        },
    };
    // What others had from the device was not let through by a limit of this group.
    let rates = |operation: Operation| {
        let own = (case.moved(operation), case.requested(operation));
        let of_group = group.as_ref().map(|group| group.counters);
        let all = case.device().or(of_group);
        let counted = all.filter(|_| is_leaf).map(|count| {
            let requests = match operation {
                Operation::Read => count.read_ios,
                _ => count.written_ios.saturating_sub(count.flushes),
            };
            (counted(&count, operation).unwrap_or(own.0), requests)
        });
        let is_all = counted.is_some_and(|(bytes, _)| parts > 1.0 || bytes < own.0);
        let own = (!is_all).then_some(own);
        counted
            .into_iter()
            .chain(own)
            .map(move |(bytes, requests)| {
                (
                    bytes as f64 / seconds / parts,
                    requests as f64 / seconds / parts,
                )
            })
    };
    let operations = [Operation::Read, Operation::Write].into_iter();
    let wanted_operations = operations.filter(|operation| case.asks(*operation));
    let rates = wanted_operations.flat_map(|operation| {
        let whole = rates(operation).filter(move |_| meanwhile.is_none());
        let all = whole.chain(meanwhile);
        all.map(move |rate| (operation, rate))
    });
    rates
        .flat_map(|(operation, rate)| beside(limit, operation, rate))
        .collect()
}

/// Bytes and requests per second beside what a limit allows of them.
fn beside(
    limit: &IoLimit,
    operation: Operation,
    (bytes, requests): (f64, f64),
) -> impl Iterator<Item = Reached<'_>> {
    let (bytes_per_s, ios_per_s) = match operation {
        Operation::Read => (limit.read_bytes_per_s, limit.read_ios_per_s),
        _ => (limit.write_bytes_per_s, limit.write_ios_per_s),
    };
    let both = [(bytes_per_s, bytes, false), (ios_per_s, requests, true)];
    let both = both.into_iter();
    both.filter_map(move |(allowed, reached, counts_requests)| {
        Some(Reached {
            limit,
            operation,
            counts_requests,
            allowed: allowed.filter(|allowed| *allowed > 0)? as f64,
            reached,
        })
    })
}

/// Bytes and I/Os per second of a row of one operation while a limit was seen that was not there all
/// the time, by the intervals of its series: the devices counted for whole trials.
fn rates_meanwhile(case: &RowContext<'_>, limit: &IoLimit) -> Option<(f64, f64)> {
    case.row.workload.operations.single()?;
    let from = limit.from.unwrap_or_default().0;
    let to = limit.to.map_or(u64::MAX, |to| to.0);
    let (mut length, mut bytes, mut ios) = (Nanos(0), 0, 0);
    for trial in &case.row.trials {
        let began = trial.evidence.began?.0;
        let mut before = began.saturating_add(trial.outcome.started_after.0);
        let begin = before;
        for point in &trial.outcome.series {
            let at = begin.saturating_add(point.at.0);
            if before >= from && at <= to {
                length.0 += at.saturating_sub(before);
                (bytes, ios) = (bytes + point.bytes.0, ios + point.ios);
            }
            before = at;
        }
    }
    let seconds = length.as_secs_f64();
    (length >= MEANWHILE_MIN).then(|| (bytes as f64 / seconds, ios as f64 / seconds))
}

/// Less of a series tells no rate.
const MEANWHILE_MIN: Nanos = Nanos::from_millis(100);

/// Heat of the run concerns every row of it.
fn throttled_by_heat(case: &RowContext<'_>) -> Option<RuleResult> {
    let drives = &case.run.conditions.drives;
    let of_target =
        |drive: &&DriveConditions| case.target().leaves().any(|it| it.name == drive.disk.name);
    let (drive, symptom) = drives
        .iter()
        .filter(of_target)
        .find_map(|drive| Some((drive, heated(case.run, drive)?)))?;
    let symptom = match (hot_from(case.run, drive), drive.after.temperature_celsius) {
        (Some((second, celsius)), _) => {
            text!(
                "from {second} s on: {heat} ({celsius} °C then)",
                heat = symptom
            )
        }
        (None, Some(celsius)) => text!("{heat} ({celsius} °C after it)", heat = symptom),
        (None, None) => symptom,
    };
    Some(RuleResult::new(
        Code::ThrottledByHeat,
        symptom,
        "drives slow themselves down when they are hot: too little air, or long heavy use",
        "cool the drive, let it rest, and measure again: a cool drive gives other figures than a hot one",
    ))
}

/// The second of the run from which on the drive was at its warning temperature, and what it had
/// then. Of several drives the hottest is seen, so that it is told of one alone.
fn hot_from(run: &Run, drive: &DriveConditions) -> Option<(u64, i32)> {
    let warning = drive
        .after
        .warning_celsius
        .or(drive.before.warning_celsius)?;
    let is_alone = run.conditions.drives.len() == 1;
    let course = run.conditions.course.as_ref().filter(|_| is_alone)?;
    let moment = course.first_at(warning)?;
    Some((moment.at.0 / 1_000_000_000, moment.celsius?))
}

/// What says that a drive was hot in the run, the strongest word first.
fn heated(run: &Run, drive: &DriveConditions) -> Option<Text> {
    let device = &drive.disk.name;
    let (before, after) = (&drive.before, &drive.after);
    let grown =
        |then: Option<u64>, now: Option<u64>| now?.checked_sub(then?).filter(|growth| *growth > 0);
    if let Some(times) = grown(before.throttle_events, after.throttle_events) {
        return Some(text!(
            "{device} slowed itself down {times} times during the run because it was hot"
        ));
    }
    if let Some(seconds) = grown(before.throttled_seconds, after.throttled_seconds) {
        return Some(text!(
            "{device} was slowed down by heat for {seconds} s of the run"
        ));
    }
    if let Some(minutes) = grown(before.warning_minutes, after.warning_minutes) {
        return Some(text!(
            "{device} counted {minutes} min above its warning temperature during the run"
        ));
    }
    let warning = after.warning_celsius.or(before.warning_celsius)?;
    let meanwhile = hot_from(run, drive).map(|(_, celsius)| celsius);
    let around = before.temperature_celsius.max(after.temperature_celsius);
    let hottest = around.max(meanwhile)?;
    (hottest >= warning)
        .then(|| text!("{device} was at {hottest} °C around the run; it warns from {warning} °C"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{
        check, device, drive, each_count, mix, reads, reads_with, says, spoilt, writes,
    };
    use sokudo_model::Verdict::{Unverified, Verified};
    use sokudo_model::{BlockDeviceKind, Bytes, Course, CourseMoment, SeriesPoint};

    /// One trial of a sample moves 40.96 MB in 10,000 I/Os in one second.
    const BYTES_PER_S: u64 = 40_960_000;

    fn limited(change: impl Fn(&mut IoLimit)) -> impl Fn(&mut Run) {
        move |run| {
            let leaf = run.target.devices.last_mut().unwrap();
            leaf.number = "8:16".into();
            let mut limit = IoLimit {
                file: "/sys/fs/cgroup/job/io.max".into(),
                device: leaf.name.clone(),
                number: "8:16".into(),
                ..IoLimit::default()
            };
            change(&mut limit);
            run.conditions.io_limits.push(limit);
        }
    }

    #[test]
    fn a_limit_is_told_beside_others_and_without_the_stalls_that_it_makes() {
        let at_limit = limited(|limit| limit.read_bytes_per_s = Some(BYTES_PER_S));
        check! {
            "at the limit while others read three times as much": reads_with(|run| {
                at_limit(run);
                each_count(run, |device| device.read_bytes *= 4);
            }) => ["foreign-io", "throttled-by-cgroup"], Unverified;
            "at the limit, and stalled by it": reads_with(|run| {
                at_limit(run);
                for trial in &mut run.rows[0].trials {
                    let latency = &mut trial.outcome.operations[0].latency;
                    *latency = crate::sample::histogram(9_980, sokudo_model::Nanos(20_040));
                    (0..20).for_each(|_| latency.record(40_000_000));
                }
            }) => ["throttled-by-cgroup"], Unverified;
        }
    }

    #[test]
    fn a_limit_is_told_when_the_row_came_up_against_it() {
        let bytes = |share: f64| {
            limited(move |limit| limit.read_bytes_per_s = Some((BYTES_PER_S as f64 / share) as u64))
        };
        check! {
            "at the limit": reads_with(bytes(1.0)) => ["throttled-by-cgroup"], Unverified;
            "at 91 %": reads_with(bytes(0.91)) => ["throttled-by-cgroup"], Unverified;
            "at 89 %": reads_with(bytes(0.89)) => [], Verified;
            "far above the limit": reads_with(bytes(2.0)) => [], Verified;
            "of the other direction": spoilt(writes(), bytes(1.0)) => [], Verified;
            "requests": reads_with(limited(|limit| limit.read_ios_per_s = Some(10_000)))
                => ["throttled-by-cgroup"], Unverified;
            "writes of a mix": spoilt(
                mix(),
                limited(|limit| limit.write_bytes_per_s = Some(BYTES_PER_S * 30 / 100)),
            ) => ["throttled-by-cgroup"], Unverified;
            "of another device": reads_with(|run| {
                bytes(1.0)(run);
                run.conditions.io_limits[0].number = "8:0".into();
            }) => [], Verified;
        }
    }

    #[test]
    fn a_limit_of_a_part_of_the_run_is_told_of_the_row_that_met_it() {
        // Six trials of a second, one behind the other; for two of them a tenth of the rate.
        let met = |from: Option<u64>, to: Option<u64>, rate: u64| {
            reads_with(|run| {
                limited(|limit| {
                    limit.read_bytes_per_s = Some(rate);
                    (limit.from, limit.to) = (from.map(Nanos::from_secs), to.map(Nanos::from_secs));
                })(run);
                for (second, trial) in (10..).zip(&mut run.rows[0].trials) {
                    trial.evidence.began = Some(Nanos::from_secs(second));
                    let is_limited = (12..14).contains(&second);
                    let bytes = BYTES_PER_S / if is_limited { 100 } else { 10 };
                    let point = |number: u64| SeriesPoint {
                        at: Nanos::from_millis(number * 100),
                        bytes: Bytes(bytes),
                        ios: bytes / 4096,
                    };
                    trial.outcome.series = (1..=10).map(point).collect();
                }
            })
        };
        let is_reported = |run: Run| {
            let (codes, _) = crate::sample::judged(run);
            codes.iter().any(|code| code == "throttled-by-cgroup")
        };
        let tenth = BYTES_PER_S / 10;
        assert!(is_reported(met(Some(12), Some(14), tenth)));
        assert!(
            !is_reported(met(Some(14), None, tenth)),
            "not while it was there"
        );
        assert!(
            !is_reported(met(None, Some(9), BYTES_PER_S)),
            "before the row"
        );
        assert!(is_reported(met(Some(14), None, BYTES_PER_S)));
        says(
            met(Some(12), Some(14), tenth),
            "throttled-by-cgroup",
            &[
                "4.1 MB/s: 100 % of the 4.1 MB/s",
                "the limit was in force from 12.0 s to 14.0 s into the run",
            ],
        );
    }

    #[test]
    fn file_limit_and_way_out_are_named() {
        says(
            reads_with(limited(|limit| limit.read_bytes_per_s = Some(BYTES_PER_S))),
            "throttled-by-cgroup",
            &[
                "41.0 MB/s: 100 % of the 41.0 MB/s",
                "echo '8:16 rbps=max' > /sys/fs/cgroup/job/io.max",
            ],
        );
        says(
            reads_with(limited(|limit| {
                limit.read_ios_per_s = Some(10_000);
                limit.file = "/sys/fs/cgroup/blkio/blkio.throttle.read_iops_device".into();
            })),
            "throttled-by-cgroup",
            &["10000 requests/s", "echo '8:16 0' > "],
        );
    }

    #[test]
    fn a_member_of_an_array_has_its_part() {
        let run = reads_with(|run| {
            run.target.devices = vec![
                device("md0", BlockDeviceKind::Raid, false),
                device("sda", BlockDeviceKind::Disk, true),
                device("sdb", BlockDeviceKind::Disk, true),
            ];
            limited(|limit| limit.read_bytes_per_s = Some(BYTES_PER_S / 2))(run);
        });
        check! {
            "half": run => ["throttled-by-cgroup"], Unverified;
        }
    }

    #[test]
    fn what_a_cache_answered_was_not_held_back_by_a_limit() {
        let run = reads_with(|run| {
            limited(|limit| limit.read_bytes_per_s = Some(BYTES_PER_S))(run);
            each_count(run, |device| device.read_bytes = 0);
        });
        assert_eq!(crate::sample::judged(run).0, ["not-from-device"]);
    }

    #[test]
    fn a_drive_that_became_hot_is_told_by_counter_or_temperature() {
        type Change = fn(&mut DriveConditions);
        let hot = |change: Change| {
            reads_with(|run| {
                let mut drive = drive("nvme0n1");
                change(&mut drive);
                run.conditions.drives.push(drive);
            })
        };
        let cases: [(&str, Change); 4] = [
            ("events", |drive| {
                drive.before.throttle_events = Some(4);
                drive.after.throttle_events = Some(7);
            }),
            ("seconds", |drive| {
                drive.before.throttled_seconds = Some(1);
                drive.after.throttled_seconds = Some(3);
            }),
            ("minutes", |drive| {
                drive.before.warning_minutes = Some(0);
                drive.after.warning_minutes = Some(1);
            }),
            ("temperature", |drive| {
                drive.after.temperature_celsius = Some(80);
                drive.after.warning_celsius = Some(80);
            }),
        ];
        for (name, change) in cases {
            check! {
                name: hot(change) => ["throttled-by-heat"], Unverified;
            }
        }
        check! {
            "counters that stand": hot(|drive| {
                drive.before.throttle_events = Some(4);
                drive.after.throttle_events = Some(4);
                drive.after.temperature_celsius = Some(79);
                drive.after.warning_celsius = Some(80);
            }) => [], Verified;
            "a counter that was not seen before":
                hot(|drive| drive.after.throttle_events = Some(4)) => [], Verified;
            "nothing known": reads() => [], Verified;
            "another drive": spoilt(hot(cases[0].1), |run| {
                run.conditions.drives[0].disk.name = "sdz".into();
            }) => [], Verified;
        }
        says(
            hot(cases[0].1),
            "throttled-by-heat",
            &["slowed itself down 3 times"],
        );
    }

    /// A drive that is hot only in the middle of a run is cool before and after it.
    #[test]
    fn the_moment_from_which_on_a_drive_was_hot_is_named() {
        let hot = |drives: usize| {
            reads_with(|run| {
                for number in 0..drives {
                    let mut drive = drive(&format!("nvme{number}n1"));
                    drive.before.temperature_celsius = Some(41);
                    drive.after.temperature_celsius = Some(52);
                    drive.after.warning_celsius = Some(70);
                    run.conditions.drives.push(drive);
                }
                let mut course = Course::default();
                for second in 0..600 {
                    course.add(CourseMoment {
                        at: Nanos::from_secs(second),
                        celsius: Some(if second < 340 { 60 } else { 71 }),
                        ..CourseMoment::default()
                    });
                }
                run.conditions.course = Some(course);
            })
        };
        says(
            hot(1),
            "throttled-by-heat",
            &["from 340 s on", "71 °C", "warns from 70 °C"],
        );
        check! {
            "which of two it was is not seen": hot(2) => [], Verified;
        }
    }
}
