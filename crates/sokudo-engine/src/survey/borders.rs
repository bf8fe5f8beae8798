//! When one sample ends and the next begins while I/Os of both are in flight.
//!
//! No instant ends such a sample: its last I/Os are in flight beside the first of the next
//! one, and completions are seen in batches. What is known of a border is that the next
//! sample did not begin before its first I/O was issued, and that everything before the
//! border had been moved when the last I/O before it was seen to be complete.

use std::collections::VecDeque;

/// What is known of the end of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Border {
    /// Bytes issued up to it, those of all samples before included.
    pub(super) at: u64,
    /// When the next sample could begin: its first I/O was issued.
    pub(super) earliest: u64,
    /// When all I/Os up to it were complete.
    pub(super) latest: u64,
}

impl Border {
    const fn is_known(&self) -> bool {
        self.earliest == self.latest
    }
}

/// When each sample ended. The first one began at `began_at`, the last one ended at its
/// latest time. Borders are in order, and so are both their times.
///
/// Of all courses within these bounds this is the shortest one, a taut string (Davies and
/// Kovac 2001). Among all courses its fastest sample is the slowest, and its slowest sample
/// the fastest. Whatever the device did, it was at least as fast somewhere as the fastest
/// sample here; completions that are seen late or in batches add no speed. And a sample
/// takes at least bytes ÷ (bytes in flight) × the shortest latency.
pub(super) fn ends(began_at: u64, mut borders: Vec<Border>) -> Vec<u64> {
    if let Some(last) = borders.last_mut() {
        last.earliest = last.latest;
    }
    let mut ends = Vec::with_capacity(borders.len());
    let mut from = StringPoint {
        at: 0,
        time: began_at,
    };
    for stretch in borders.split_inclusive(Border::is_known) {
        let bends = bends(from, stretch);
        let mut rest = stretch;
        for to in bends {
            let passed = rest.partition_point(|border| border.at < to.at);
            let (passed, after) = rest.split_at(passed);
            ends.extend(passed.iter().map(|border| from.on_the_way(to, border.at)));
            (from, rest) = (to, after);
        }
        // The last bend is the last border.
        ends.push(from.time);
    }
    ends
}

/// A point of the string.
#[derive(Clone, Copy)]
struct StringPoint {
    at: u64,
    time: u64,
}

impl StringPoint {
    /// When the straight line to another point is at a byte.
    fn on_the_way(self, to: Self, at: u64) -> u64 {
        let time = u128::from(to.time - self.time) * u128::from(at - self.at);
        let passed = time / u128::from(to.at - self.at);
        self.time + u64::try_from(passed).expect("it is a part of the time between both")
    }

    /// Whether a byte takes longer on the way to one point than on the way to another.
    fn is_slower(self, one: Self, other: Self) -> bool {
        let passed = |to: Self| i128::from(to.time) - i128::from(self.time);
        let bytes = |to: Self| i128::from(to.at - self.at);
        passed(one) * bytes(other) > passed(other) * bytes(one)
    }
}

/// Where the string bends on its way to the last border of a stretch, whose time alone is known;
/// that border is the last of them. In each step two strings are known, to the earliest and to
/// the latest time of a border (funnel algorithm: Lee and Preparata 1984).
fn bends(from: StringPoint, stretch: &[Border]) -> Vec<StringPoint> {
    let mut common = vec![from];
    let (mut to_earliest, mut to_latest) = (VecDeque::new(), VecDeque::new());
    for border in stretch {
        let at = border.at;
        let point = |time| StringPoint { at, time };
        reach(
            &mut common,
            &mut to_earliest,
            &mut to_latest,
            point(border.earliest),
            |from, one, other| from.is_slower(one, other),
        );
        reach(
            &mut common,
            &mut to_latest,
            &mut to_earliest,
            point(border.latest),
            |from, one, other| from.is_slower(other, one),
        );
    }
    common.extend(to_earliest);
    common
}

/// Pulls one of both strings on to a point. What both have in common ends where the other one
/// is in the way.
fn reach(
    common: &mut Vec<StringPoint>,
    own: &mut VecDeque<StringPoint>,
    other: &mut VecDeque<StringPoint>,
    to: StringPoint,
    is_beyond: impl Fn(StringPoint, StringPoint, StringPoint) -> bool,
) {
    while let Some(last) = own.pop_back() {
        let before = own.back().or(common.last()).copied();
        if before.is_some_and(|before| is_beyond(before, last, to)) {
            own.push_back(last);
            break;
        }
    }
    while own.is_empty()
        && let (Some(apex), Some(first)) = (common.last(), other.front())
        && is_beyond(*apex, to, *first)
    {
        common.extend(other.pop_front());
    }
    own.push_back(to);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Borders every 10 bytes.
    fn tens(times: &[(u64, u64)]) -> Vec<Border> {
        let border = |(number, (earliest, latest)): (u64, &(u64, u64))| Border {
            at: number * 10,
            earliest: *earliest,
            latest: *latest,
        };
        (1..).zip(times).map(border).collect()
    }

    #[test]
    fn where_nothing_overlaps_a_sample_ends_when_its_last_io_does() {
        let known = tens(&[(5, 5), (5, 5), (30, 30)]);
        assert_eq!(ends(0, known), [5, 5, 30]);
        assert!(ends(0, vec![]).is_empty());
        let of_nothing = Border {
            at: 0,
            earliest: 7,
            latest: 7,
        };
        assert_eq!(ends(0, vec![of_nothing, of_nothing]), [7, 7]);
    }

    #[test]
    fn samples_that_end_with_one_batch_share_its_time() {
        let batches = tens(&[(0, 40), (0, 40), (0, 40), (40, 80), (40, 80), (40, 80)]);
        assert_eq!(ends(0, batches), [13, 26, 40, 53, 66, 80]);
    }

    #[test]
    fn a_late_completion_before_a_batch_makes_no_sample_fast() {
        // The first sample was seen after 1000, the second 1 later; both had been in flight.
        assert_eq!(ends(0, tens(&[(0, 1_000), (1_000, 1_001)])), [500, 1_001]);
    }

    #[test]
    fn what_is_known_to_be_slower_is_slower() {
        // Nothing of the second half is issued before 100, all of it is over at 110.
        let half = tens(&[(10, 60), (100, 100), (100, 104), (104, 110)]);
        assert_eq!(ends(0, half), [50, 100, 104, 110]);
        let slow_last = tens(&[(0, 10), (10, 12), (12, 500)]);
        assert_eq!(ends(0, slow_last), [6, 12, 500]);
    }

    /// I/Os in order of issue: how many bytes and how long each takes.
    fn ios() -> impl Strategy<Value = Vec<(u64, u64)>> {
        prop::collection::vec((1_u64..9, 50_u64..400), 1..120)
    }

    /// Carries I/Os out with so many in flight and looks only every now and then; a sample
    /// has so many I/Os. The borders, and the shortest latency seen.
    fn borders(ios: &[(u64, u64)], depth: usize, every: u64, each: usize) -> (Vec<Border>, u64) {
        let mut done_at = vec![0; ios.len()];
        let mut issued_at = vec![0; ios.len()];
        let (mut now, mut next) = (0, 0);
        let mut in_flight: Vec<usize> = Vec::new();
        while next < ios.len() || !in_flight.is_empty() {
            while next < ios.len() && in_flight.len() < depth {
                issued_at[next] = now;
                in_flight.push(next);
                next += 1;
            }
            let first = in_flight.iter().map(|io| issued_at[*io] + ios[*io].1).min();
            now = (first.unwrap_or(now) / every + 1) * every;
            in_flight.retain(|io| {
                let is_done = issued_at[*io] + ios[*io].1 <= now;
                if is_done {
                    done_at[*io] = now;
                }
                !is_done
            });
        }
        let shortest = (0..ios.len()).map(|io| done_at[io] - issued_at[io]).min();
        let mut at = 0;
        let borders = (0..ios.len()).step_by(each).map(|first| {
            let end = (first + each).min(ios.len());
            at += ios[first..end].iter().map(|(bytes, _)| bytes).sum::<u64>();
            let latest = done_at[..end].iter().copied().max().unwrap_or(0);
            let next = issued_at.get(end).copied().unwrap_or(latest);
            Border {
                at,
                earliest: next.min(latest),
                latest,
            }
        });
        (borders.collect(), shortest.unwrap_or(0))
    }

    /// Bytes and times of all samples.
    fn samples(borders: &[Border], ends: &[u64]) -> Vec<(u64, u64)> {
        let befores = std::iter::once((0, 0)).chain(
            borders
                .iter()
                .zip(ends)
                .map(|(border, end)| (border.at, *end)),
        );
        let sample = |((border, end), (at, began)): ((&Border, &u64), (u64, u64))| {
            (border.at - at, end - began)
        };
        borders.iter().zip(ends).zip(befores).map(sample).collect()
    }

    /// The rate of the fastest sample; what cutting off parts of nanoseconds may have
    /// taken from a time is added to it.
    fn highest(samples: &[(u64, u64)], cut_off: u64) -> f64 {
        let rate = |(bytes, time): &(u64, u64)| *bytes as f64 / (*time + cut_off) as f64;
        samples.iter().map(rate).fold(0.0, f64::max)
    }

    proptest! {
        #[test]
        fn times_add_up_stay_in_their_bounds_and_no_course_is_smoother(
            ios in ios(), depth in 1_usize..9, every in 1_u64..200, each in 1_usize..12,
            at in 0_u64..=100,
        ) {
            let (borders, shortest) = borders(&ios, depth, every, each);
            let ends = ends(0, borders.clone());
            prop_assert_eq!(ends.last(), borders.last().map(|border| &border.latest));
            for (border, end) in borders.iter().zip(&ends) {
                prop_assert!((border.earliest..=border.latest).contains(end), "{border:?} {end}");
            }
            let taut = samples(&borders, &ends);
            prop_assert_eq!(taut.iter().map(|(bytes, _)| bytes).sum::<u64>(), borders.last().unwrap().at);
            // Any other course, from the fastest start to the slowest.
            let other: Vec<u64> = borders.iter().enumerate().map(|(number, border)| {
                if number + 1 == borders.len() {
                    border.latest
                } else {
                    border.earliest + (border.latest - border.earliest) * at / 100
                }
            }).collect();
            prop_assert!(highest(&taut, 1) <= highest(&samples(&borders, &other), 0));
            // The bound that every survey is held against.
            let in_flight = 8 * depth as u64;
            for (bytes, time) in taut {
                prop_assert!((time + 1) * in_flight >= bytes * shortest, "{bytes} in {time}");
            }
        }
    }
}
