//! How fast the platters turn, from single sectors read one at a time.
//!
//! Two sectors that lie side by side pass under the head at the same angle. However long
//! the drive takes over each, from the end of the one read to the end of the other it is
//! a whole number of turns. The turn is the longest time that, folded over all such
//! pairs, brings them to the same phase (a periodogram of the pairs' distances in time;
//! Scargle, "Studies in astronomical time series analysis", 1982). What the drive had in
//! its memory is left out.
//!
//! It does not say how many heads or platters there are.

use sokudo_model::{Inference, Outcome, Run, Sample, Visit, Workload};
use sokudo_stats::quantile;
use sokudo_words::{Argued, Argument, text};

use super::evidence::{figure, outcomes, read_survey, sure, to_float, to_index};
use super::threshold::{
    TURN_COHERENCE_MIN, TURN_COHERENCE_SURE, TURN_PAIRS_MIN, TURN_SPREAD_MAX, TURN_SPREAD_MIN,
};
use crate::rule::InferenceRule;

pub(super) const RULES: &[InferenceRule] = &[rotation];

/// Disks turn 4,200 to 15,000 times a minute; a little room on both sides.
const RPM_MIN: f64 = 4_000.0;
const RPM_MAX: f64 = 15_600.0;
/// Usual speeds. What lies as near as [`NOMINAL_SHARE`] to one is told by its name.
const NOMINAL_RPM: [f64; 9] = [
    4_200.0, 5_400.0, 5_640.0, 5_700.0, 5_900.0, 7_200.0, 10_000.0, 10_500.0, 15_000.0,
];
const NOMINAL_SHARE: f64 = 0.003;

/// Sectors nearer than this are side by side: 1 % of a track of 1.6 MB.
const NEIGHBOURS_BYTES: u64 = 16 << 10;
/// Pairs further apart in time are left out: no spindle keeps its speed to the last digit.
const PAIR_SECONDS_MAX: f64 = 2.0;
/// A larger part of the disk is crossed by seeks that hide the turning.
const SPAN_BYTES_MAX: u64 = 256 << 20;
/// What comes back sooner was in the drive's memory.
const FROM_MEMORY_SECONDS: f64 = 3e-4;
/// More are not needed, and all pairs of them are looked at.
const READS_MAX: usize = 4_096;

/// One turn of the platters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Revolution {
    /// How long it takes.
    pub(super) seconds: f64,
    /// How well the pairs agree, 1 at best.
    coherence: f64,
    pairs: usize,
    /// How far the access times are spread, in turns.
    spread: f64,
}

/// A read from the platters.
#[derive(Clone, Copy, Debug)]
struct PlatterRead {
    offset: u64,
    ended_at: f64,
    took: f64,
}

fn rotation(run: &Run) -> Option<Inference> {
    let turn = turn(run)?;
    let measured = 60.0 / turn.seconds;
    let is_near = |nominal: &f64| (measured / nominal - 1.0).abs() <= NOMINAL_SHARE;
    let nominal = NOMINAL_RPM.into_iter().find(|nominal| is_near(nominal));
    let rpm = nominal.unwrap_or_else(|| (measured / 10.0).round() * 10.0);
    Some(Inference {
        code: "rotation".to_owned(),
        claim: text!("platters that turn at {rpm} rpm", rpm = grouped(rpm)),
        figures: vec![
            figure("rpm", measured),
            figure("turn_ms", turn.seconds * 1e3),
            figure("coherence", turn.coherence),
        ],
        confidence: sure(turn.coherence >= TURN_COHERENCE_SURE),
        evidence: text!(
            "{pairs} pairs of neighbouring reads ended whole revolutions of {turn_ms:.3} ms apart (coherence {coherence:.2} of 1), and access times spread over {turns:.2} revolutions",
            pairs = turn.pairs,
            turn_ms = turn.seconds * 1e3,
            coherence = turn.coherence,
            turns = turn.spread
        ),
    })
}

/// `7,200`: every speed that is looked for has four or five digits.
pub(crate) fn grouped(rpm: f64) -> Argument {
    let rpm = to_index(rpm);
    rpm.written(match rpm {
        0..1_000 => rpm.to_string(),
        _ => format!("{},{:03}", rpm / 1_000, rpm % 1_000),
    })
}

/// One turn, where the run shows it.
pub(super) fn turn(run: &Run) -> Option<Revolution> {
    outcomes(run, is_local)
        .filter_map(|(_, outcome)| turn_of(&reads(outcome)))
        .max_by(|a, b| a.coherence.total_cmp(&b.coherence))
}

/// Whether it was looked at at all.
pub(super) fn was_tried(run: &Run) -> bool {
    outcomes(run, is_local).next().is_some()
}

/// Mean time of an access in a part of the disk that the arm crosses in next to no time.
pub(super) fn local_access_seconds(run: &Run) -> Option<f64> {
    let reads: Vec<PlatterRead> = outcomes(run, is_local)
        .flat_map(|(_, outcome)| reads(outcome))
        .collect();
    let sum: f64 = reads.iter().map(|read| read.took).sum();
    (!reads.is_empty()).then(|| sum / to_float(reads.len() as u64))
}

/// Single blocks, one at a time, at random in a small part.
fn is_local(workload: &Workload) -> bool {
    let is_small = workload
        .span
        .is_some_and(|span| span.length.0 <= SPAN_BYTES_MAX);
    is_small
        && read_survey(workload).is_some_and(|survey| {
            survey.visit == Visit::Random
                && survey.approach.is_none()
                && survey.sample == Sample::Bytes(workload.blocks.largest())
        })
}

fn reads(outcome: &Outcome) -> Vec<PlatterRead> {
    let mut now = 0.0;
    let ended = outcome.samples.iter().map(|sample| {
        let took = sample.elapsed.as_secs_f64();
        now += took;
        PlatterRead {
            offset: sample.offset.0,
            ended_at: now,
            took,
        }
    });
    let from_platters = ended.filter(|read| read.took >= FROM_MEMORY_SECONDS);
    from_platters.take(READS_MAX).collect()
}

fn turn_of(reads: &[PlatterRead]) -> Option<Revolution> {
    let pairs = neighbours(reads);
    if pairs.len() < TURN_PAIRS_MIN {
        return None;
    }
    let per_second = strongest(&pairs)?;
    let seconds = 1.0 / per_second;
    let took: Vec<f64> = reads.iter().map(|read| read.took).collect();
    // From the 2nd to the 98th percentile, so that retries do not count.
    let spread = (quantile(&took, 0.98)? - quantile(&took, 0.02)?) / 0.96 / seconds;
    let coherence = coherence(&pairs, per_second);
    let is_turning =
        coherence >= TURN_COHERENCE_MIN && (TURN_SPREAD_MIN..=TURN_SPREAD_MAX).contains(&spread);
    is_turning.then_some(Revolution {
        seconds,
        coherence,
        pairs: pairs.len(),
        spread,
    })
}

/// How far apart in time reads side by side ended.
fn neighbours(reads: &[PlatterRead]) -> Vec<f64> {
    let mut sorted = reads.to_vec();
    sorted.sort_unstable_by_key(|read| read.offset);
    let mut pairs = Vec::new();
    for (index, read) in sorted.iter().enumerate() {
        let near = sorted[index + 1..]
            .iter()
            .take_while(|other| other.offset - read.offset <= NEIGHBOURS_BYTES);
        let apart = near.map(|other| (other.ended_at - read.ended_at).abs());
        pairs.extend(apart.filter(|apart| *apart <= PAIR_SECONDS_MAX));
    }
    pairs
}

/// The lowest frequency at which the pairs agree as well as at any other, but for a
/// tenth: at multiples of it they agree, too.
fn strongest(pairs: &[f64]) -> Option<f64> {
    let step = 1.0 / PAIR_SECONDS_MAX / 10.0;
    let frequencies = || {
        std::iter::successors(Some(RPM_MIN / 60.0), |at| Some(at + step))
            .take_while(|at| *at <= RPM_MAX / 60.0)
    };
    let heights: Vec<f64> = frequencies().map(|at| coherence(pairs, at)).collect();
    let highest = heights.iter().copied().reduce(f64::max)?;
    let first = heights.iter().position(|height| *height >= 0.9 * highest)?;
    // Uphill from there, and then between the steps.
    let uphill = heights[first..]
        .windows(2)
        .take_while(|pair| pair[1] > pair[0])
        .count();
    let coarse = frequencies().nth(first + uphill)?;
    let fine = (-20..=20).map(|tick| coarse + step * f64::from(tick) / 20.0);
    fine.max_by(|a, b| coherence(pairs, *a).total_cmp(&coherence(pairs, *b)))
}

/// Mean cosine of the pairs' phases: 1 when all are whole turns apart, 0 when they are
/// anything.
fn coherence(pairs: &[f64], per_second: f64) -> f64 {
    let turns = std::f64::consts::TAU * per_second;
    let sum: f64 = pairs.iter().map(|apart| (turns * apart).cos()).sum();
    sum / to_float(pairs.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_stats::Random;

    const TRACK_BYTES: u64 = 1_600_000;

    /// Random sectors in 64 MiB of a disk that turns in `turn` seconds, or of a device
    /// that takes `constant` over each.
    fn reads(turn: Option<f64>, constant: f64, jitter: f64) -> Vec<PlatterRead> {
        let mut random = Random::new(7);
        let mut now = 0.0;
        let share = |random: &mut Random| to_float(random.below(1 << 30)) / 1073741824.0;
        (0..1_024)
            .map(|_| {
                let offset = random.below(64 << 20) / 512 * 512;
                let began = now + constant + jitter * share(&mut random);
                now = match turn {
                    Some(turn) => {
                        let angle = to_float(offset % TRACK_BYTES) / to_float(TRACK_BYTES);
                        let turns = (began / turn - angle).ceil() + angle;
                        turns * turn
                    }
                    None => began,
                };
                PlatterRead {
                    offset,
                    ended_at: now,
                    took: now - began + constant,
                }
            })
            .collect()
    }

    #[test]
    fn a_turn_is_found_to_a_thousandth() {
        for rpm in [4_200.0, 5_400.0, 7_200.0, 10_000.0, 15_000.0] {
            let turn = turn_of(&reads(Some(60.0 / rpm), 1e-3, 2e-4)).unwrap();
            let found = 60.0 / turn.seconds;
            assert!((found / rpm - 1.0).abs() < 1e-3, "{found} for {rpm}");
        }
    }

    #[test]
    fn what_takes_the_same_time_over_everything_does_not_turn() {
        // Its reads end whole multiples of 10 ms apart.
        assert!(turn_of(&reads(None, 0.010, 0.0)).is_none());
        assert!(turn_of(&reads(None, 0.008, 0.006)).is_none());
        assert!(turn_of(&reads(None, 0.0001, 0.0)).is_none());
        assert!(turn_of(&[]).is_none());
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(text!("{}", grouped(7_200.0)), "7,200");
        assert_eq!(text!("{}", grouped(10_020.0)), "10,020");
    }
}
