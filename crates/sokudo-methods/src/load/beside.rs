//! `sokudo load --beside`: a row at a fixed rate alone, another workload alone, and both at the same
//! time, by turns.
//!
//! What that comes to is computed by `sokudo-model`; here is only decided what is measured.

pub(crate) mod comparison;
pub(crate) mod picture;
pub(crate) mod rules;
pub(crate) mod table;
pub(crate) mod view;

use sokudo_measure::{MeasureError, MeasuredParts, Named, TEST_FILE_SIZE};
use sokudo_model::{Bytes, Estimand, Method, Nanos, Percentile, Plan, Row, Span, Stage, Workload};
use sokudo_terminal::exit::Exit;
use sokudo_words::text;

use crate::load::arguments::Arguments;
use crate::load::paced::{TRIAL_TIME_MAX, paced, samples_for, time_of};

/// Both run so long before they are measured: the memory of a drive that takes the first writes at
/// once, and the queues of both, are full by then.
const RAMP: Nanos = Nanos::from_millis(500);

/// No trial is made longer than this for the sake of p99.9. For p99 it may be
/// [`TRIAL_TIME_MAX`].
const RARE_TIME_MAX: Nanos = Nanos::from_secs(5);

/// The row, and the workload that is beside it.
pub(super) struct Neighbour<'a> {
    arguments: &'a Arguments,
    /// In a closed loop.
    row: Workload,
    neighbour: Workload,
}

impl<'a> Neighbour<'a> {
    /// Of both in a closed loop. Each has a half of the target, so that no block is of both.
    pub(super) fn of(
        arguments: &'a Arguments,
        [mut row, mut neighbour]: [Workload; 2],
        named: &Named,
    ) -> Result<Self, Exit> {
        let length = arguments.size.or(named.size()).unwrap_or(TEST_FILE_SIZE);
        let blocks = [&row, &neighbour].map(|it| it.blocks.largest());
        let [first, second] = halves(length, blocks).ok_or_else(|| {
            Exit::usage(text!(
                "half of {length} is too small for a block of {} and one of {}, and each workload gets one half; use more (--size)",
                row.name,
                neighbour.name
            ))
        })?;
        (row.span, neighbour.span) = (Some(first), Some(second));
        // Both are measured from the same instant on, to the same one.
        neighbour.measures.estimand = Estimand::Work;
        neighbour.timing.ramp = RAMP;
        Ok(Self {
            arguments,
            row,
            neighbour,
        })
    }

    /// What will be measured, as far as that is known before the first figure.
    pub(super) fn plan(&self, seed: u64) -> Plan {
        let stages = self.stages(None).into_iter();
        Plan {
            method: Method::new(&comparison::METHOD),
            seed,
            stages: std::iter::once(Stage::alone(self.row.clone()))
                .chain(stages)
                .collect(),
        }
    }

    pub(super) fn carry_out(
        self,
        mut parts: MeasuredParts<'_>,
    ) -> Result<Option<MeasureError>, MeasureError> {
        if parts.measure(vec![self.row.clone()])?
            && let Some(most) = parts.rows.first().and_then(Row::ios_per_second)
        {
            parts.measure_by_turns(self.stages(Some(most)));
        }
        Ok(parts.put_into_run())
    }

    /// What is measured by turns, once it is known how much the row does in a closed loop.
    fn stages(&self, most: Option<f64>) -> [Stage; 3] {
        let (share, time) = (self.arguments.at.0, self.arguments.time);
        let mut row = paced(&self.row, most.unwrap_or(1.0), share, self.arguments.linear);
        let needed = most.map_or(Nanos(0), |most| needed_time(most * share));
        row.timing.ramp = RAMP;
        row.limits.time = Some(time.max(needed));
        let neighbour = Workload {
            limits: row.limits,
            ..self.neighbour.clone()
        };
        comparison::stages_beside(&row, &neighbour)
    }
}

/// How long a trial is whose percentiles are to be known, at so many I/Os per second.
fn needed_time(rate: f64) -> Nanos {
    let of = |percentile| time_of(samples_for(percentile), rate);
    let common = of(Percentile::P99).min(TRIAL_TIME_MAX);
    common.max(of(Percentile::P99_9).min(RARE_TIME_MAX))
}

/// Both halves of a length, each of whole blocks of both workloads; `None` where one has no room.
fn halves(length: Bytes, [one, other]: [Bytes; 2]) -> Option<[Span; 2]> {
    let common = one.0 / greatest_common_divisor(one.0, other.0) * other.0;
    let half = length.0 / 2 / common * common;
    let from = |offset| Span {
        offset: Bytes(offset),
        length: Bytes(half),
    };
    (half > 0).then(|| [from(0), from(half)])
}

/// Euclid's, of two that are not 0.
const fn greatest_common_divisor(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_hold_whole_blocks_of_both_and_share_none() {
        let of = |length, blocks: [u64; 2]| halves(Bytes(length), blocks.map(Bytes));
        let [first, second] = of(10 << 20, [4096, 1 << 20]).unwrap();
        assert_eq!((first.offset.0, first.length.0), (0, 5 << 20));
        assert_eq!((second.offset.0, second.length.0), (5 << 20, 5 << 20));
        // 3 and 2 sectors: a half is a multiple of 6.
        let [first, second] = of(26 * 512, [3 * 512, 1024]).unwrap();
        assert_eq!((first.length.0, second.offset.0), (12 * 512, 12 * 512));
        assert_eq!(of(1 << 20, [4096, 1 << 20]), None);
    }

    #[test]
    fn trials_are_as_long_as_rare_latencies_need_and_no_longer_than_anybody_waits() {
        assert!(needed_time(10_000.0) < Nanos::from_secs(1));
        // 360 I/Os tell p99; for p99.9 nobody waits for a minute.
        assert_eq!(needed_time(60.0).as_secs_f64().round(), 6.0);
        assert_eq!(needed_time(1.0), TRIAL_TIME_MAX);
    }
}
