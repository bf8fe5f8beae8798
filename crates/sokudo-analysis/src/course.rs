//! What is told of the course of a run: what ended it, when it was measured, what was slow on the
//! way.

use sokudo_model::{Nanos, Run, SlowPlace, SlowPlaces, civil_date};
use sokudo_words::{Text, text};

use crate::case::Case;
use crate::code::{Code, Ruling};
use crate::remedy;
use crate::rule::{RowRule, RunRule};

pub(crate) const RULES: &[RowRule] = &[slow_places];
pub(crate) const RUN_RULES: &[RunRule] = &[stopped_by_rule, measured_in_parts];

/// Places that are named; the result lists all of them.
const PLACES_TOLD: usize = 3;

/// Parts that are named.
const PARTS_TOLD: usize = 5;

fn stopped_by_rule(run: &Run) -> Option<Ruling> {
    let cause = run.stopped_by.as_deref()?;
    let rule = cause.rule.to_string();
    let value = cause.rule.figure.told(cause.value);
    let (row, trial, at) = (&*cause.row, cause.trial, cause.at);
    Some(Ruling::new(
        Code::StoppedByRule,
        text!("{rule} came true in {row}, trial {trial}, after {at}: {value}"),
        "the rule was given to end the run, and what was measured until then is kept",
        "leave the rule out to measure to the end, or see the series for what led to it",
    ))
}

fn measured_in_parts(run: &Run) -> Option<Ruling> {
    let parts = &run.parts;
    if parts.len() < 2 {
        return None;
    }
    let count = parts.len();
    let told = parts
        .iter()
        .take(PARTS_TOLD)
        .map(|part| text!("{} to {}", moment(part.started_at), moment(part.ended_at)));
    let told = Text::list(told, ", ");
    Some(Ruling::new(
        Code::MeasuredInParts,
        match count > PARTS_TOLD {
            true => text!("it was measured in {count} parts, the first of them {told} (UTC)"),
            false => text!("it was measured in {count} parts: {told} (UTC)"),
        },
        "it was interrupted and resumed: nothing was measured twice, and each part met the disk \
         as it was then",
        "for one figure of one state of the disk measure it in one go",
    ))
}

/// A moment to the minute, in UTC.
fn moment(Nanos(since_1970): Nanos) -> String {
    let minutes = since_1970 / 60_000_000_000;
    let (year, month, day) = civil_date(minutes / 1_440);
    let (hour, minute) = (minutes / 60 % 24, minutes % 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}")
}

/// Places that were slow, and are slow again or not.
fn slow_places(case: &Case<'_>) -> Option<Ruling> {
    let slow = case.row.slow.as_deref()?;
    let is_again = |place: &&SlowPlace| slow.is_slow_again(place) == Some(true);
    let again: Vec<&SlowPlace> = slow.places.iter().filter(is_again).collect();
    match (again.is_empty(), slow.places.is_empty()) {
        (_, true) => None,
        (false, _) => Some(slow_again(slow, &again)),
        (true, _) => Some(slow_once(slow)),
    }
}

fn slow_again(slow: &SlowPlaces, again: &[&SlowPlace]) -> Ruling {
    let (count, all, limit) = (again.len(), slow.places.len(), slow.limit);
    let named = again.iter().take(PLACES_TOLD).map(|place| {
        let (offset, first) = (place.offset.0, place.latency);
        let second = place.again.unwrap_or_default();
        text!("byte {offset} {first} and {second}")
    });
    let named = Text::list(named, ", ");
    Ruling::new(
        Code::SlowPlaces,
        text!("{count} of the {all} slowest places were slow again (above {limit}): {named}"),
        "the drive takes several attempts to read these places, or has moved their blocks \
         elsewhere: they can still be read, and may not be for long",
        remedy::health(),
    )
}

fn slow_once(slow: &SlowPlaces) -> Ruling {
    let (count, limit) = (slow.places.len(), slow.limit);
    let longest = slow.places.first().map_or(Nanos(0), |place| place.latency);
    let reread = slow.places.iter().filter(|it| it.again.is_some()).count();
    Ruling::new(
        Code::SlowOnce,
        match reread {
            0 => text!(
                "I/Os at {count} places took longer than {limit}, the longest {longest}, and were \
                 not read again"
            ),
            _ => text!(
                "I/Os at {count} places took longer than {limit}, the longest {longest}, and none \
                 did so each time that it was read again"
            ),
        },
        "something held them up that has passed: another program, the drive's own work, or a \
         place that could be read at the second attempt",
        "scan again: a place that is worn is found again",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, reads, reads_with};
    use sokudo_model::Verdict::Verified;
    use sokudo_model::{Bytes, RunPart, StopCause};

    fn with_slow(places: &[(u64, Option<u64>)]) -> Run {
        let place = |(first, again): &(u64, Option<u64>)| SlowPlace {
            offset: Bytes(8_192),
            length: Bytes(4_096),
            latency: Nanos::from_millis(*first),
            again: again.map(Nanos::from_millis),
            beside: None,
        };
        let slow = SlowPlaces {
            limit: Nanos::from_millis(100),
            places: places.iter().map(place).collect(),
        };
        reads_with(|run| run.rows[0].slow = Some(Box::new(slow.clone())))
    }

    #[test]
    fn places_are_slow_again_or_once() {
        check! {
            "none": with_slow(&[]) => [], Verified;
            "again": with_slow(&[(900, Some(800)), (700, Some(9))]) => ["slow-places"], Verified,
                "^1 of the 2 slowest places were slow again (above 100 ms): byte 8192 900 ms and 800 ms |";
            "once": with_slow(&[(900, Some(8)), (700, Some(9))]) => ["slow-once"], Verified,
                "none did so each time that it was read again";
            "not read again": with_slow(&[(900, None)]) => ["slow-once"], Verified,
                "were not read again";
        }
    }

    #[test]
    fn a_run_says_which_rule_ended_it_and_in_which_parts_it_was_measured() {
        let mut run = reads();
        run.stopped_by = Some(Box::new(StopCause {
            rule: "rate<100MB/s for 10s".parse().unwrap(),
            row: "SEQ1M".to_owned(),
            trial: 2,
            at: Nanos::from_secs(40),
            value: 91_234_567,
        }));
        let part = |started_at: u64| RunPart {
            started_at: Nanos::from_secs(started_at),
            ended_at: Nanos::from_secs(started_at + 3_600),
            kept_as: Some(4),
        };
        run.parts = vec![part(0), part(86_400)];
        crate::judge(&mut run);
        let told: Vec<String> = run
            .findings
            .iter()
            .map(|finding| format!("{} {}", finding.code, finding.symptom.english()))
            .collect();
        assert!(
            told[0].starts_with(
                "stopped-by-rule rate<100MB/s for 10.0 s came true in SEQ1M, trial 2, after 40.0 s: 91.2 MB/s"
            ),
            "{told:?}"
        );
        assert!(
            told.iter()
                .any(|it| it.contains("1970-01-01 00:00 to 1970-01-01 01:00, 1970-01-02")),
            "{told:?}"
        );
    }
}
