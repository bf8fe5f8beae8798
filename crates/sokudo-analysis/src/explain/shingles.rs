//! Drive-managed shingled recording: small writes go to a persistent cache on the platters
//! at speed; when that is full, each of them waits for whole bands to be cleaned, and the
//! drive says nothing for the better part of a second or longer; left alone, it cleans by
//! itself and is fast again (Aghayev and Desnoyers, "Skylight", 2015).
//!
//! A conventional drive that collects writes in its memory and writes them out in batches pauses
//! as well, and is fast again after a rest. What tells the two apart is a flush: to scattered
//! places a head writes a few pieces per turn at most, however they are sorted, and to the
//! persistent cache as many as follow each other. Where the log of that cache is as slow, writes with
//! flushes are as fast as those without. Flushes that are ignored tell nothing.
//!
//! That nothing of it is seen proves nothing: a cache that did not fill looks like none.

use sokudo_model::{Confidence, Inference, Operation, Order, Outcome, Run, Workload};
use sokudo_stats::median;
use sokudo_words::{Text, text};

use super::drive_cache;
use super::evidence::{figure, outcomes, to_float};
use super::rotation;
use super::threshold::{
    CLEANING_PAUSE_SECONDS_MIN, CLEANING_PAUSES_MIN, CLEANING_SHARE_MIN, CLEANING_SLOWER_MIN,
    DURABLE_PER_TURN_MIN, DURABLE_SHARE_MIN, FLUSHED_EVERY_MAX, RECOVERED_RATIO_MIN,
    RECOVERY_REST_SECONDS_MIN,
};
use crate::rule::InferenceRule;

pub(super) const RULES: &[InferenceRule] = &[shingled];

/// What happened in small random writes over time.
#[derive(Clone, Debug, Default)]
struct WriteTimeline {
    /// Writes between the pauses.
    runs: Vec<u64>,
    /// When each of them began, seconds from the start.
    begins: Vec<f64>,
    /// Lengths of the pauses, seconds.
    pauses: Vec<f64>,
    /// When the first pause began, seconds from the start.
    first_pause_at: f64,
    seconds: f64,
}

fn shingled(run: &Run) -> Option<Inference> {
    let turn = rotation::turn(run)?;
    let (fill, timeline) = outcomes(run, |workload| {
        is_piecemeal(workload) && !is_rested(workload)
    })
    .map(|(workload, outcome)| (workload, timeline(outcome)))
    .max_by_key(|(_, timeline)| timeline.pauses.len())?;
    let absorbed = *timeline.runs.first()?;
    let fast = to_float(absorbed) / timeline.first_pause_at;
    let after = timeline.seconds - timeline.first_pause_at;
    let later: Vec<f64> = timeline.runs[1..]
        .iter()
        .map(|ios| to_float(*ios))
        .collect();
    let slow = later.iter().sum::<f64>() / after;
    let paused = timeline.pauses.iter().sum::<f64>() / after;
    let collapses = timeline.pauses.len() >= CLEANING_PAUSES_MIN
        && paused >= CLEANING_SHARE_MIN
        && fast >= slow * CLEANING_SLOWER_MIN;
    if !collapses {
        return None;
    }
    let between = median(&later)?.max(1.0);
    let rested = outcomes(run, |workload| {
        is_piecemeal(workload) && is_rested(workload)
    });
    let rested: Vec<(&Workload, &Outcome)> = rested.collect();
    let recovered = rested
        .iter()
        .map(|(_, outcome)| course_longest(outcome))
        .max();
    let recovers = recovered.is_some_and(|run| to_float(run) >= between * RECOVERED_RATIO_MIN);
    let durable = rested.iter();
    let durable = durable.filter_map(|(workload, outcome)| durable_rate(workload, outcome));
    let durable = durable.reduce(f64::max);
    let tells = durable.filter(|_| !drive_cache::are_flushes_free(run));
    let is_persistent = tells.map(|durable| is_persistent(durable, fast, turn.seconds));
    let seen = text!(
        "{absorbed} small random writes at {fast:.0} a second, then {slow:.1} a second with {pauses} pauses of {pause_s:.1} s",
        pauses = timeline.pauses.len(),
        pause_s = median(&timeline.pauses)?
    );
    let after_rest = recovered.map(|run| text!("after a rest {run} writes in one go"));
    let flushed = durable.map(|rate| text!("with flushes {rate:.0} a second"));
    let evidence = [Some(seen), after_rest, flushed].into_iter().flatten();
    let block = to_float(fill.blocks.largest().0);
    let mut figures = vec![
        figure("absorbed_writes", to_float(absorbed)),
        figure("absorbed_bytes", to_float(absorbed) * block),
        figure("fast_writes_per_s", fast),
        figure("cleaning_writes_per_s", slow),
        figure("pause_median_s", median(&timeline.pauses)?),
    ];
    figures.extend(durable.map(|rate| figure("durable_writes_per_s", rate)));
    let (code, claim) = claimed(absorbed, is_persistent);
    Some(Inference {
        code: code.to_owned(),
        claim,
        figures,
        // Never more: it was tried on simulated disks alone.
        confidence: match recovers && is_persistent == Some(true) || code == "batched-writes" {
            true => Confidence::Medium,
            false => Confidence::Low,
        },
        evidence: Text::list(evidence, ", "),
    })
}

/// Whether so many writes a second with flushes, of so many without, are of a persistent cache: more
/// than a head can write to scattered places, or no fewer than without.
fn is_persistent(durable: f64, fast: f64, turn_seconds: f64) -> bool {
    durable * turn_seconds >= DURABLE_PER_TURN_MIN || durable >= fast * DURABLE_SHARE_MIN
}

/// What it is called and said to be: with a cache that keeps writes durably, without one, or
/// either where no flush tells.
fn claimed(absorbed: u64, is_persistent: Option<bool>) -> (&'static str, Text) {
    match is_persistent {
        Some(false) => (
            "batched-writes",
            text!(
                "a drive that collects {absorbed} small writes in its memory and writes them out in batches, with pauses; no persistent cache was seen, and so no shingled recording"
            ),
        ),
        Some(true) => (
            "shingled-recording",
            text!(
                "drive-managed shingled recording (SMR): a persistent cache that was full after {absorbed} small writes, then cleaning"
            ),
        ),
        None => (
            "shingled-recording",
            text!(
                "drive-managed shingled recording (SMR) with a persistent cache that was full after {absorbed} small writes, or a conventional drive that writes its memory out in batches: flushes do not distinguish the two"
            ),
        ),
    }
}

/// Small random writes over all of the target.
pub(super) fn is_piecemeal(workload: &Workload) -> bool {
    workload.operations.single() == Some(Operation::Write)
        && matches!(workload.order, Order::Random { .. })
        && workload.survey().is_none()
        && workload.span.is_none()
        && workload.blocks.largest().0 <= 64 << 10
}

/// After how many writes they are made durable, again and again.
fn flushed_every(workload: &Workload) -> Option<u32> {
    let durability = &workload.durability;
    let each = durability.write_through.then_some(1);
    let often = [each, durability.fsync_every, durability.fdatasync_every];
    let often = often.into_iter().flatten().min()?;
    (often <= FLUSHED_EVERY_MAX).then_some(often)
}

/// Writes per second with their flushes, where most of them came in one go. The silence behind
/// them, in which they may have been brought to their places, is of those that no flush has yet
/// ended; where twice as many came as there are before a flush, one has, and what follows is not its wait.
/// Of fewer than that, and more than one flush is for, nobody can say which.
fn durable_rate(workload: &Workload, outcome: &Outcome) -> Option<f64> {
    let every = u64::from(flushed_every(workload)?);
    let timeline = timeline(outcome);
    let ends = timeline.begins[1..]
        .iter()
        .copied()
        .chain([timeline.seconds]);
    let runs = timeline.runs.iter().zip(timeline.begins.iter().zip(ends));
    let pauses = timeline.pauses.iter().copied().chain([0.0]);
    let rates = runs.zip(pauses).filter_map(|((ios, (begin, end)), pause)| {
        let is_over = *ios >= 2 * every;
        let seconds = end - begin - if is_over { pause } else { 0.0 };
        let tells = is_over || (every..=every + every / 10).contains(ios);
        (tells && seconds > 0.0).then(|| to_float(*ios) / seconds)
    });
    rates.reduce(f64::max)
}

/// Whether the target was left alone before.
fn is_rested(workload: &Workload) -> bool {
    workload.timing.starts_after.as_secs_f64() >= RECOVERY_REST_SECONDS_MIN
}

fn timeline(outcome: &Outcome) -> WriteTimeline {
    let mut timeline = WriteTimeline {
        begins: vec![0.0],
        ..WriteTimeline::default()
    };
    let (mut ios, mut last_at, mut silent_from) = (0, 0.0, None);
    for point in &outcome.series {
        let at = point.at.as_secs_f64();
        if point.ios == 0 {
            silent_from.get_or_insert(last_at);
        } else {
            timeline.end_silence(silent_from.take(), last_at, &mut ios);
            ios += point.ios;
        }
        last_at = at;
    }
    timeline.end_silence(silent_from, last_at, &mut ios);
    timeline.runs.push(ios);
    timeline.seconds = last_at;
    timeline
}

impl WriteTimeline {
    fn end_silence(&mut self, from: Option<f64>, to: f64, ios: &mut u64) {
        let Some(from) = from.filter(|from| to - from >= CLEANING_PAUSE_SECONDS_MIN) else {
            return;
        };
        if self.pauses.is_empty() {
            self.first_pause_at = from;
        }
        self.pauses.push(to - from);
        self.begins.push(to);
        self.runs.push(std::mem::take(ios));
    }
}

fn course_longest(outcome: &Outcome) -> u64 {
    timeline(outcome).runs.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use sokudo_model::{Nanos, SeriesPoint};

    /// Tenths of a second, each with so many writes.
    fn outcome(ios: &[u64]) -> Outcome {
        let mut outcome = sample::writes().rows[0].trials[0].outcome.clone();
        let point = |(index, ios): (usize, &u64)| SeriesPoint {
            at: Nanos::from_millis(100 * (index as u64 + 1)),
            bytes: sokudo_model::Bytes(ios * 4096),
            ios: *ios,
        };
        outcome.series = ios.iter().enumerate().map(point).collect();
        outcome
    }

    #[test]
    fn silence_parts_the_writes_into_runs() {
        let timeline = timeline(&outcome(&[900, 800, 0, 0, 0, 5, 0, 6, 0, 0, 0, 0, 7]));
        assert_eq!(timeline.runs, [1_700, 11, 7]);
        let lengths: Vec<i64> = timeline
            .pauses
            .iter()
            .map(|pause| (pause * 10.0).round() as i64)
            .collect();
        assert_eq!(lengths, [3, 4]);
        assert!((timeline.first_pause_at - 0.2).abs() < 1e-9);
    }

    #[test]
    fn of_writes_that_are_made_durable_the_silence_behind_them_counts() {
        let with = |every: Option<u32>| {
            let mut workload = sample::writes().rows[0].workload.clone();
            workload.durability.fdatasync_every = every;
            workload
        };
        let rate = |every, ios: &[u64]| durable_rate(&with(every), &outcome(ios));
        // 500 writes in a tenth of a second, and 0.9 s until they are where they belong.
        let collected = [
            500, 0, 0, 0, 0, 0, 0, 0, 0, 0, 500, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ];
        let found = rate(Some(500), &collected).unwrap();
        assert!((found - 500.0).abs() < 1.0, "{found}");
        let persistent = rate(Some(500), &[500, 500, 500, 500]).unwrap();
        assert!((persistent - 5_000.0).abs() < 1.0, "{persistent}");
        // Two flushes are over, and then the cache is full.
        let short = [
            1_181, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 0, 0,
        ];
        let found = rate(Some(500), &short).unwrap();
        assert!((found - 11_810.0).abs() < 1.0, "{found}");
        // A cache that had room for 912 was full then, or a flush was waited for.
        let either = [912, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0, 0];
        assert_eq!(rate(Some(500), &either), None);
        assert_eq!(rate(None, &collected), None);
        assert_eq!(rate(Some(100_000), &collected), None);
        // Not one flush was met.
        assert_eq!(rate(Some(900), &collected), None);
    }

    #[test]
    fn a_slow_log_is_known_by_flushes_that_cost_nothing() {
        let turn = 60.0 / 5_900.0;
        // Of a log 370 to 490 writes a second, with flushes and without.
        for (durable, fast) in [(370.0, 400.0), (490.0, 480.0), (5_000.0, 11_810.0)] {
            assert!(is_persistent(durable, fast, turn), "{durable} {fast}");
        }
        // Of a memory that takes thousands, and a head that writes two to five a turn.
        for (durable, fast) in [(200.0, 9_000.0), (490.0, 2_000.0)] {
            assert!(!is_persistent(durable, fast, turn), "{durable} {fast}");
        }
    }

    #[test]
    fn a_disk_that_is_only_slow_has_no_pauses() {
        let timeline = timeline(&outcome(&[900, 15, 15, 0, 14, 15, 16]));
        assert!(timeline.pauses.is_empty());
        assert_eq!(timeline.runs, [975]);
    }
}
