//! The memory of a rotating drive: what it keeps of reads, what it takes of writes, and
//! whether a flush empties it. Only where turning platters were seen: elsewhere a page
//! cache or a host would be taken for the drive.
//!
//! That flushes are too fast to be true can be seen; that data would be lost cannot: a
//! capacitor does the same, and only a loss of power tells the two apart.

use sokudo_model::{Bytes, Confidence, Inference, Operation, Order, Outcome, Run, Workload};
use sokudo_words::{Text, text};

use super::evidence::{figure, only_reads, outcomes, sure, to_float};
use super::rotation;
use super::threshold::{
    BURST_RATIO_MIN, OVERWRITES_MIN, READ_AGAIN_RATIO_MIN, TURNS_FAST_MIN, TURNS_PLAIN_MAX,
};
use crate::rule::InferenceRule;

pub(super) const RULES: &[InferenceRule] = &[read_cache, write_cache_size, write_cache_state];

/// A span that is longer is no test of a cache.
const AGAIN_BYTES_MAX: u64 = 1 << 30;

fn read_cache(run: &Run) -> Option<Inference> {
    rotation::turn(run)?;
    let rates: Vec<(u64, f64)> = outcomes(run, is_read_again)
        .filter_map(|(workload, outcome)| {
            Some((workload.span?.length.0, outcome.bytes_per_second()?))
        })
        .collect();
    let kept = kept(rates)?;
    Some(Inference {
        code: "read-cache".to_owned(),
        claim: text!(
            "a drive that keeps {least} to {most} of one stream in its memory",
            least = Bytes(kept.least),
            most = Bytes(kept.most)
        ),
        figures: vec![
            figure("kept_bytes_min", to_float(kept.least)),
            figure("kept_bytes_max", to_float(kept.most)),
        ],
        confidence: kept.confidence,
        evidence: text!(
            "read again and again, {least} came at {memory_mb_per_s:.0} MB/s and {largest} at \
             {platters_mb_per_s:.0} MB/s",
            least = Bytes(kept.least),
            memory_mb_per_s = kept.memory / 1e6,
            largest = Bytes(kept.largest),
            platters_mb_per_s = kept.platters / 1e6
        ),
    })
}

/// How much of one stream a cache holds: bytes, and bytes per second.
#[derive(Debug, PartialEq)]
struct CacheCapacity {
    least: u64,
    most: u64,
    largest: u64,
    memory: f64,
    platters: f64,
    confidence: Confidence,
}

/// Of spans that were read again and again, each with its rate: the last of those that came from
/// memory, and the first that did not. None where the largest came as fast as any.
fn kept(mut rates: Vec<(u64, f64)>) -> Option<CacheCapacity> {
    rates.sort_unstable_by_key(|rate| rate.0);
    let (largest, platters) = *rates.last()?;
    let fastest = rates.iter().map(|rate| rate.1).fold(0.0, f64::max);
    if fastest < platters * READ_AGAIN_RATIO_MIN {
        return None;
    }
    let is_fast = |rate: &(u64, f64)| rate.1 >= f64::midpoint(fastest, platters);
    let count = rates.iter().take_while(|rate| is_fast(rate)).count();
    let (least, memory) = *rates[..count].last()?;
    // A larger span that is fast again is one of which older parts were found by luck.
    let is_clean = !rates[count..].iter().any(is_fast);
    Some(CacheCapacity {
        least,
        most: rates.get(count)?.0,
        largest,
        memory,
        platters,
        confidence: sure(count >= 2 && is_clean),
    })
}

/// One stream, one at a time, that goes round more than once in a small part.
fn is_read_again(workload: &Workload) -> bool {
    let is_small = workload
        .span
        .is_some_and(|span| span.length.0 <= AGAIN_BYTES_MAX);
    is_small && only_reads(workload) && is_one_stream(workload)
}

fn is_one_stream(workload: &Workload) -> bool {
    matches!(workload.order, Order::Sequential { .. })
        && workload.survey().is_none()
        && workload.depth == 1
        && workload.threads == 1
}

fn writes_one_stream(workload: &Workload) -> bool {
    workload.operations.single() == Some(Operation::Write) && is_one_stream(workload)
}

/// How much more has been written where the line that is continued back to the start ends,
/// than where it begins.
const NEAR_THE_KNEE: f64 = 3.0;

/// What is less is where the line was read off, and no memory of a drive.
const HELD_BYTES_MIN: f64 = 1024.0 * 1024.0;

/// In one stream, the platters are behind by what the memory holds: the line of what was
/// written over time, once it is straight, begins at that.
fn write_cache_size(run: &Run) -> Option<Inference> {
    rotation::turn(run)?;
    let (early, late, held) = outcomes(run, writes_one_stream)
        .filter_map(|(_, outcome)| burst(outcome))
        .max_by(|a, b| a.2.total_cmp(&b.2))?;
    if early < late * BURST_RATIO_MIN {
        return None;
    }
    Some(Inference {
        code: "write-cache-size".to_owned(),
        claim: text!(
            "a drive whose memory takes {mib:.0} MiB of writes before it waits for the platters",
            mib = held / to_float(Bytes::MIB)
        ),
        figures: vec![
            figure("write_cache_bytes", held),
            figure("burst_bytes_per_s", early),
            figure("platters_bytes_per_s", late),
        ],
        confidence: sure(early >= 1.5 * late),
        evidence: text!(
            "a stream of writes began at {begin_mb_per_s:.0} MB/s and went on at \
             {then_mb_per_s:.0} MB/s",
            begin_mb_per_s = early / 1e6,
            then_mb_per_s = late / 1e6
        ),
    })
}

/// Rate at the start, rate at the end, and what was taken and not yet written.
fn burst(outcome: &Outcome) -> Option<(f64, f64, f64)> {
    let mut written = 0.0;
    let line: Vec<(f64, f64)> = outcome
        .logs
        .total
        .iter()
        .filter(|point| point.operation == Operation::Write)
        .map(|point| {
            written += f64::from(point.bytes);
            (point.at.as_secs_f64(), written)
        })
        .collect();
    // Four parts need some points each.
    let quarter = line.len() / 4;
    if quarter < 8 {
        return None;
    }
    let rate = |from: (f64, f64), to: (f64, f64)| (to.1 - from.1) / (to.0 - from.0);
    let last = line[line.len() - 1];
    let late = rate(line[2 * quarter], last);
    // What is true of the last quarter must be true of the one before: the memory is full.
    let is_straight = (rate(line[3 * quarter], last) / late - 1.0).abs() <= 0.1;
    let early = line
        .iter()
        .skip(4)
        .map(|point| point.1 / point.0)
        .fold(0.0, f64::max);
    // From here on the memory is full: the rate on average has come half of the way down.
    let is_full = |point: &(f64, f64)| point.1 / point.0 <= f64::midpoint(early, late);
    let full = 4 + line[4..].iter().position(is_full)?;
    // Near it, for the tracks of the next head may hold some percent more.
    let is_far = |point: &(f64, f64)| point.1 >= NEAR_THE_KNEE * line[full].1;
    let far = line[full..].iter().position(is_far);
    let far = far.map_or(line.len() - 1, |far| full + far);
    let held = line[full].1 - rate(line[full], line[far]) * line[full].0;
    (is_straight && held >= HELD_BYTES_MIN && late > 0.0 && far > full)
        .then_some((early, late, held))
}

/// Whether flushes were seen to end before anything can be on the platters: that they cost nothing
/// proves nothing of where writes are.
pub(super) fn are_flushes_free(run: &Run) -> bool {
    let durable = durable_overwrites_per_second(run).zip(rotation::turn(run));
    durable.is_some_and(|(durable, turn)| durable * turn.seconds >= TURNS_FAST_MIN)
}

fn durable_overwrites_per_second(run: &Run) -> Option<f64> {
    overwrites_per_second(run, |workload| {
        workload.durability.fdatasync_every == Some(1)
            || workload.durability.fsync_every == Some(1)
            || workload.durability.write_through
    })
}

/// One block overwritten again and again passes under the head once per turn: what is
/// faster was not on the platters.
fn write_cache_state(run: &Run) -> Option<Inference> {
    let turns_per_second = 1.0 / rotation::turn(run)?.seconds;
    let plain = overwrites_per_second(run, |workload| {
        workload.durability == sokudo_model::Durability::default()
    })?;
    let durable = durable_overwrites_per_second(run)?;
    let (plain_turns, durable_turns) = (plain / turns_per_second, durable / turns_per_second);
    let (claim, confidence) = if plain_turns <= TURNS_PLAIN_MAX {
        ("a write cache that is off", Confidence::High)
    } else if plain_turns < TURNS_FAST_MIN {
        return None;
    } else if durable_turns <= TURNS_PLAIN_MAX {
        (
            "a volatile write cache that is on, and flushes that write it out",
            Confidence::High,
        )
    } else if are_flushes_free(run) {
        (
            "flushes that end before the platters can have been written: they are ignored, or the write cache is protected against a loss of power",
            Confidence::Medium,
        )
    } else {
        return None;
    };
    Some(Inference {
        code: "write-cache".to_owned(),
        claim: Text::from(claim),
        figures: vec![
            figure("overwrites_per_s", plain),
            figure("durable_overwrites_per_s", durable),
            figure("turns_per_s", turns_per_second),
        ],
        confidence,
        evidence: text!(
            "one block took {plain:.0} overwrites a second without flush, {durable:.0} with one after each; the platters turn {turns_per_second:.0} times"
        ),
    })
}

/// How often one block was overwritten.
fn overwrites_per_second(run: &Run, is_durable: impl Fn(&Workload) -> bool) -> Option<f64> {
    let is_wanted = |workload: &Workload| {
        writes_one_stream(workload)
            && workload
                .span
                .is_some_and(|span| span.length == workload.blocks.largest())
            && is_durable(workload)
    };
    let (_, outcome) = outcomes(run, is_wanted).last()?;
    let writes = outcome.operation(Operation::Write)?;
    let is_measured = writes.ios >= OVERWRITES_MIN && outcome.elapsed.0 > 0;
    is_measured.then(|| to_float(writes.ios) / outcome.elapsed.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use sokudo_model::{LogPoint, Nanos};

    /// 1 MiB writes, the first of which take 2 ms and the others 8 ms.
    fn outcome(fast: u64, slow: u64) -> Outcome {
        let mut outcome = sample::writes().rows[0].trials[0].outcome.clone();
        let point = |index: u64| LogPoint {
            at: Nanos::from_millis(
                2 * (index + 1).min(fast) + 8 * (index + 1).saturating_sub(fast),
            ),
            operation: Operation::Write,
            value: 1.0,
            max: 1,
            bytes: 1 << 20,
            offset: index << 20,
        };
        outcome.logs.total = (0..fast + slow).map(point).collect();
        outcome
    }

    #[test]
    fn what_was_taken_ahead_of_the_platters_is_what_the_memory_holds() {
        let (early, late, held) = burst(&outcome(64, 400)).unwrap();
        assert!((early / late - 4.0).abs() < 0.01, "{early} {late}");
        // Of 64 MiB, a quarter was on the platters by then.
        assert!((held / to_float(Bytes::MIB) - 48.0).abs() < 0.5, "{held}");
    }

    #[test]
    fn a_memory_that_was_never_full_has_no_size() {
        assert!(burst(&outcome(200, 100)).is_none());
        assert!(burst(&outcome(8, 8)).is_none());
    }

    #[test]
    fn one_write_that_is_fast_is_no_memory() {
        assert!(burst(&outcome(1, 400)).is_none());
        assert!(burst(&outcome(4, 400)).is_some());
    }

    #[test]
    fn a_memory_keeps_the_spans_up_to_the_first_that_is_slow() {
        let of = |rates: &[f64]| kept((0..).zip(rates.iter().copied()).collect());
        let clean = of(&[900.0, 800.0, 150.0, 100.0]).unwrap();
        assert_eq!((clean.least, clean.most, clean.largest), (1, 2, 3));
        assert_eq!((clean.memory, clean.platters), (800.0, 100.0));
        assert_eq!(clean.confidence, Confidence::High);
        // One that is fast behind a slow one, and one alone, are by luck, perhaps.
        for rates in [
            &[900.0, 800.0, 150.0, 900.0, 100.0][..],
            &[900.0, 150.0, 100.0],
        ] {
            assert_eq!(
                of(rates).unwrap().confidence,
                Confidence::Medium,
                "{rates:?}"
            );
        }
        assert_eq!(of(&[100.0, 900.0, 100.0]), None);
        assert_eq!(of(&[100.0, 100.0, 100.0]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn nothing_is_concluded_without_turning_platters() {
        for rule in RULES {
            assert_eq!(rule(&sample::writes()), None);
        }
    }
}
