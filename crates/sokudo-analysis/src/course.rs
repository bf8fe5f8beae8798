//! What is told of the course of a run: what ended it, when it was measured, what was slow on the
//! way.

use sokudo_model::{Nanos, Run, SlowSpot, SlowSpots, civil_date};
use sokudo_words::{Text, text};

use crate::case::RowContext;
use crate::code::{Code, RuleResult};
use crate::remedy;
use crate::rule::{RowRule, RunRule};

pub(crate) const RULES: &[RowRule] = &[slow_samples];
pub(crate) const RUN_RULES: &[RunRule] = &[stopped_by_rule, measured_in_parts];

/// Places that are named; the result lists all of them.
const SLOW_SAMPLES_LISTED_MAX: usize = 3;

/// Parts that are named.
const PARTS_LISTED_MAX: usize = 5;

fn stopped_by_rule(run: &Run) -> Option<RuleResult> {
    let cause = run.stopped_by.as_deref()?;
    let rule = cause.rule.to_string();
    let value = cause.rule.figure.value_text(cause.value);
    let (row, trial, at) = (&*cause.row, cause.trial, cause.at);
    Some(RuleResult::new(
        Code::StoppedByRule,
        text!("the rule {rule} was met in {row}, trial {trial}, after {at}: {value}"),
        "this rule stops the run; what was measured until then is kept",
        "leave the rule out to measure to the end, or see the series for what led to it",
    ))
}

fn measured_in_parts(run: &Run) -> Option<RuleResult> {
    let parts = &run.parts;
    if parts.len() < 2 {
        return None;
    }
    let count = parts.len();
    let intervals = parts
        .iter()
        .take(PARTS_LISTED_MAX)
        .map(|part| text!("{} to {}", moment(part.started_at), moment(part.ended_at)));
    let intervals = Text::list(intervals, ", ");
    Some(RuleResult::new(
        Code::MeasuredInParts,
        match count > PARTS_LISTED_MAX {
            true => text!("it was measured in {count} parts, the first of them {intervals} (UTC)"),
            false => text!("it was measured in {count} parts: {intervals} (UTC)"),
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
fn slow_samples(case: &RowContext<'_>) -> Option<RuleResult> {
    let slow = case.row.slow.as_deref()?;
    let is_again = |spot: &&SlowSpot| slow.is_slow_again(spot) == Some(true);
    let again: Vec<&SlowSpot> = slow.spots.iter().filter(is_again).collect();
    match (again.is_empty(), slow.spots.is_empty()) {
        (_, true) => None,
        (false, _) => Some(slow_again(slow, &again)),
        (true, _) => Some(slow_once(slow)),
    }
}

fn slow_again(slow: &SlowSpots, again: &[&SlowSpot]) -> RuleResult {
    let (count, all, limit) = (again.len(), slow.spots.len(), slow.limit);
    let named = again.iter().take(SLOW_SAMPLES_LISTED_MAX).map(|spot| {
        let (offset, first) = (spot.offset.0, spot.latency);
        let second = spot.again.unwrap_or_default();
        text!("byte {offset} {first} and {second}")
    });
    let named = Text::list(named, ", ");
    RuleResult::new(
        Code::SlowSpots,
        text!("{count} of the {all} slowest places were slow again (above {limit}): {named}"),
        "the drive takes several attempts to read these places, or has moved their blocks \
         elsewhere: they can still be read, and may not be for long",
        remedy::health(),
    )
}

fn slow_once(slow: &SlowSpots) -> RuleResult {
    let (count, limit) = (slow.spots.len(), slow.limit);
    let longest = slow.spots.first().map_or(Nanos(0), |spot| spot.latency);
    let reread = slow.spots.iter().filter(|it| it.again.is_some()).count();
    RuleResult::new(
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
        "a passing disturbance held them up: another program, the drive's own work, or a place that needed a second attempt",
        "scan again: a worn place shows up again",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, reads, reads_with};
    use sokudo_model::Verdict::Verified;
    use sokudo_model::{Bytes, RunPart, StopCause};

    fn with_slow(latencies: &[(u64, Option<u64>)]) -> Run {
        let spot = |(first, again): &(u64, Option<u64>)| SlowSpot {
            offset: Bytes(8_192),
            length: Bytes(4_096),
            latency: Nanos::from_millis(*first),
            again: again.map(Nanos::from_millis),
            beside: None,
        };
        let slow = SlowSpots {
            limit: Nanos::from_millis(100),
            spots: latencies.iter().map(spot).collect(),
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
        let lines: Vec<String> = run
            .findings
            .iter()
            .map(|finding| format!("{} {}", finding.code, finding.symptom.english()))
            .collect();
        assert!(
            lines[0].starts_with(
                "stopped-by-rule the rule rate<100MB/s for 10.0 s was met in SEQ1M, trial 2, after 40.0 s: 91.2 MB/s"
            ),
            "{lines:?}"
        );
        assert!(
            lines
                .iter()
                .any(|it| it.contains("1970-01-01 00:00 to 1970-01-01 01:00, 1970-01-02")),
            "{lines:?}"
        );
    }
}
