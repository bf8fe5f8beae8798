//! How much the runs of a row on one device differ, as the store knows it.
//!
//! It only reads, and makes no store where there is none.

use std::borrow::Cow;
use std::collections::HashMap;

use sokudo_analysis::{runs_differ, trials_needed};
use sokudo_model::{Nanos, Order, Verdict};
use sokudo_report::RunDocument;
use sokudo_report::comparison::{Figure, rates};
use sokudo_report::document::ResultDocument;
use sokudo_stats::{PAST_RUNS_MIN, PastRuns};
use sokudo_store::{HistoryPoint, Store};
use sokudo_terminal::arguments::store::{Keeping, Location};
use sokudo_terminal::exit;
use sokudo_words::text;

use crate::keep;

/// The runs that are kept.
#[derive(Default)]
pub struct Past {
    store: Option<Box<dyn Store>>,
    /// What was read of the store.
    histories: HashMap<HistoryKey, History>,
}

/// A run of whose rows other runs are looked for.
pub struct PastRun<'a> {
    run: &'a RunDocument,
    device: String,
    begun: Option<Nanos>,
}

impl<'a> PastRun<'a> {
    pub fn of(run: &'a RunDocument) -> Self {
        Self {
            run,
            device: run.target.identity(),
            begun: run.started_at,
        }
    }
}

/// A row of which other runs are looked for.
#[derive(Clone, Copy)]
pub struct PastRow<'a> {
    pub run: &'a PastRun<'a>,
    pub result: &'a ResultDocument,
}

impl PastRow<'_> {
    /// What its other runs are kept under; `None` where the store has none that are like it.
    pub fn key(self, figure: Figure) -> Option<HistoryKey> {
        // The store has no files per second, which such rows are compared by.
        let is_in_store = self.result.files_per_s.is_none() && self.run.run.origin().is_none();
        is_in_store.then(|| {
            (
                self.run.device.clone(),
                self.result.fingerprint.clone(),
                figure,
            )
        })
    }

    /// When it was measured, and the logarithm of its figure.
    fn point(self, figure: Figure) -> Option<(Nanos, f64)> {
        let median = rates(self.result, figure)?.median;
        Some((self.run.begun?, median.ln()))
    }
}

/// A device, the fingerprint of a row, and what it is compared by.
pub type HistoryKey = (String, String, Figure);

/// The runs of a row that tell how much they differ: when, and the logarithm of the figure.
#[derive(Default)]
struct History {
    points: Vec<(Nanos, f64)>,
    /// What was told last, and of which runs: many are asked for without others that are none
    /// of the newest.
    cached: Option<CachedPast>,
}

/// Runs, and how much they differ.
type CachedPast = (Vec<(Nanos, f64)>, Option<PastRuns>);

impl History {
    /// How much the newest of its runs differ, without these, and without the state of the
    /// device that is in question between two rows.
    fn past(&mut self, without: &StartTimes, rows: Option<[(Nanos, f64); 2]>) -> Option<PastRuns> {
        let newest = newest(&self.points, without);
        let points = match rows {
            Some([one, other]) => before_the_state_of(&newest, one, other),
            None => newest,
        };
        match &self.cached {
            Some((cached_points, past)) if *cached_points == *points => *past,
            _ => {
                let logarithms: Vec<f64> = points.iter().map(|(_, it)| *it).collect();
                let past = PastRuns::of(&logarithms);
                self.cached = Some((points.into_owned(), past));
                past
            }
        }
    }
}

/// The newest without these, in order of time.
fn newest<'a>(points: &'a [(Nanos, f64)], without: &StartTimes) -> Cow<'a, [(Nanos, f64)]> {
    let all = &points[points.len().saturating_sub(RUNS_MAX)..];
    if !all.iter().any(|(at, _)| without.contains(*at)) {
        return Cow::Borrowed(all);
    }
    let others = points.iter().rev().filter(|(at, _)| !without.contains(*at));
    let mut newest: Vec<(Nanos, f64)> = others.take(RUNS_MAX).copied().collect();
    newest.reverse();
    Cow::Owned(newest)
}

/// When runs began, in order. One that is read from a file may be kept, too: no two begin at the
/// same instant.
pub struct StartTimes(Vec<Nanos>);

impl StartTimes {
    pub fn of<'a>(runs: impl IntoIterator<Item = &'a PastRun<'a>>) -> Self {
        let mut begun: Vec<Nanos> = runs.into_iter().filter_map(|run| run.begun).collect();
        begun.sort_unstable();
        Self(begun)
    }

    fn contains(&self, at: Nanos) -> bool {
        match self.0.len() {
            0..4 => self.0.contains(&at),
            _ => self.0.binary_search(&at).is_ok(),
        }
    }
}

impl Past {
    /// Those of a store, if it is there. That it cannot be read is told by whoever keeps the
    /// run in it.
    pub fn of_kept(keeping: &Keeping) -> Self {
        Self::found(keeping).unwrap_or_default()
    }

    /// Those of a store, if it is there.
    pub fn of(keeping: &Keeping) -> Self {
        Self::found(keeping).unwrap_or_else(|error| {
            exit::note(text!(
                "the store cannot be read, so nothing is known of how much runs differ: {error}"
            ));
            Self::default()
        })
    }

    fn of_store(store: Option<Box<dyn Store>>) -> Self {
        Self {
            store,
            histories: HashMap::new(),
        }
    }

    fn found(keeping: &Keeping) -> anyhow::Result<Self> {
        let is_there = match keeping.location() {
            Ok(Location::File(path)) => path.exists(),
            Ok(Location::Server(_)) => true,
            Ok(Location::None) | Err(_) => false,
        };
        match is_there {
            true => keep::opened(keeping).map(Self::of_store),
            false => Ok(Self::default()),
        }
    }

    /// How much other runs of two rows differ, without the two. Of the same
    /// device the past of one stands for both where the other has none: a new way of doing
    /// the same is measured on the same machine.
    pub fn of_both(&mut self, rows: [PastRow<'_>; 2], figure: Figure) -> [Option<PastRuns>; 2] {
        let without = StartTimes::of(rows.map(|row| row.run));
        let [one, other] = rows;
        let is_one_device = one.run.device == other.run.device;
        let state = is_one_device.then(|| Some([one.point(figure)?, other.point(figure)?]));
        let each = rows.map(|row| {
            let history = self.history(row.key(figure)?)?;
            history.past(&without, state.flatten())
        });
        let [first, second] = each;
        match is_one_device {
            true => [first.or(second), second.or(first)],
            false => each,
        }
    }

    /// Puts into a run's document how much other runs of its rows differ.
    pub fn tell(&mut self, document: &mut RunDocument) {
        let run = &PastRun::of(document);
        let without = StartTimes::of([run]);
        let of_row = |result| {
            let key = PastRow { run, result }.key(Figure::Bandwidth)?;
            self.without(key, &without)
        };
        let known: Vec<Option<PastRuns>> = document.results.iter().map(of_row).collect();
        let rows = document.run.rows.iter_mut().zip(&mut document.results);
        for ((row, result), past) in rows.zip(known) {
            row.runs_differ = past.map(runs_differ);
            result.runs_differ = row.runs_differ;
        }
    }

    /// How much other runs of this differ, without these.
    pub fn without(&mut self, key: HistoryKey, begun: &StartTimes) -> Option<PastRuns> {
        self.history(key)?.past(begun, None)
    }

    /// Bytes per second of the rows of a run that go in order, in the newest run before it.
    pub fn streams_before(&mut self, document: &RunDocument) -> Vec<f64> {
        let run = &PastRun::of(document);
        let streams = document.results.iter();
        let streams = streams.filter(|it| matches!(it.workload.order, Order::Sequential { .. }));
        let own = streams.filter(|it| it.workload.targets() == [0]);
        let newest = own.filter_map(|result| {
            let key = PastRow { run, result }.key(Figure::Bandwidth)?;
            let (_, logarithm) = self.history(key)?.points.last()?;
            Some(logarithm.exp())
        });
        newest.collect()
    }

    /// What is kept of this; `None` where there is no store.
    fn history(&mut self, key: HistoryKey) -> Option<&mut History> {
        let figure = key.2;
        let store = self.store.as_mut()?;
        let history = self
            .histories
            .entry(key)
            .or_insert_with_key(|(device, row, _)| {
                let points = store.history(device, row).unwrap_or_default();
                let points = points.iter().filter(|point| point.row.fingerprint == *row);
                let points =
                    points.filter_map(|point| Some((point.started_at, logarithm(point, figure)?)));
                History {
                    points: points.collect(),
                    cached: None,
                }
            });
        Some(history)
    }
}

/// The newest runs that are looked at: more say nothing that these do not.
const RUNS_MAX: usize = 200;

/// So many times nearer to the newer of two runs than to the older lies what is of its state.
const NEARER: f64 = 4.0;

/// So rarely do runs in an order of chance end with so many of one state: it stays, then.
const IN_A_ROW: f64 = 0.05;

/// So many runs since a baseline was set say enough without the earlier ones.
const SINCE_MIN: usize = 2 * PAST_RUNS_MIN;

/// Runs that differ by no more than this, as a logarithm, are of one state.
const ONE_STATE: f64 = 0.05;

/// The runs that say how much runs in the state of the older of both differ, without the last ones
/// since it that lie by far nearer to the newer: whether they are another state of the device is
/// what is asked. A disk that has become slower would otherwise vouch for it with its second slow
/// run. Earlier runs in that state are noise while it comes and goes, and left out, too, once it
/// stays for longer than by chance, and so are those of a third state. Runs since the older alone
/// count as soon as they suffice: who sets a baseline anew asks about the time from there on. Before,
/// the others stand for them, or each night's difference would be taken for certain.
fn before_the_state_of(
    points: &[(Nanos, f64)],
    one: (Nanos, f64),
    other: (Nanos, f64),
) -> Cow<'_, [(Nanos, f64)]> {
    let (older, newer) = if one.0 <= other.0 {
        (one, other)
    } else {
        (other, one)
    };
    let is_new = |(_, logarithm): &(Nanos, f64)| {
        NEARER * (logarithm - newer.1).abs() < (logarithm - older.1).abs()
    };
    let is_since = |point: &(Nanos, f64)| point.0 > older.0;
    let last = points.iter().rev();
    let last = last.take_while(|it| is_since(it) && is_new(it)).count();
    let before = &points[..points.len() - last];
    let since = &before[before.partition_point(|it| !is_since(it))..];
    let of_states = |points| of_states(points, [older.1, newer.1]);
    // Where too few are left, all of them are better than certainty.
    let chosen = match of_states(since) {
        known if known.len() >= SINCE_MIN => known,
        _ => Some(of_states(before))
            .filter(|it| it.len() >= PAST_RUNS_MIN)
            .unwrap_or(Cow::Borrowed(before)),
    };
    let as_new = chosen.iter().filter(|point| is_new(point)).count();
    // Laplace's rule of succession, for the newer run and each of the last.
    let share = (as_new + 1) as f64 / (chosen.len() + 2) as f64;
    let in_a_row = (0..=last).fold(1.0, |all, _| all * share);
    match last > 0 && as_new > 0 && in_a_row <= IN_A_ROW {
        true => chosen.iter().filter(|it| !is_new(it)).copied().collect(),
        false => chosen,
    }
}

/// The runs of the states of two figures. Beyond a gap in which there are none, several times as
/// wide as all distances from the nearer figure and as what is between both, is a third state (a
/// night with a broken cable), which says nothing of these two.
fn of_states(points: &[(Nanos, f64)], figures: [f64; 2]) -> Cow<'_, [(Nanos, f64)]> {
    let distance = |(_, logarithm): &(Nanos, f64)| {
        let [one, other] = figures.map(|figure| (logarithm - figure).abs());
        one.min(other)
    };
    let mut distances: Vec<f64> = points.iter().map(distance).collect();
    distances.sort_by(f64::total_cmp);
    let mut reach = (figures[0] - figures[1]).abs().max(ONE_STATE);
    for next in distances {
        match next <= NEARER * reach {
            true => reach = reach.max(next),
            false => {
                return points
                    .iter()
                    .filter(|it| distance(it) <= reach)
                    .copied()
                    .collect();
            }
        }
    }
    Cow::Borrowed(points)
}

/// Of a run's figure; `None` of one that tells nothing of how much such runs differ.
fn logarithm(point: &HistoryPoint, figure: Figure) -> Option<f64> {
    let row = &point.row;
    let is_like = row.verdict != Some(Verdict::Invalid)
        && point.started_at != Nanos(0)
        && usize::try_from(row.trials).is_ok_and(|trials| trials >= trials_needed(1, false));
    let rate = match figure {
        Figure::Bandwidth => row.bytes_per_s,
        Figure::Iops => row.ios_per_s,
    };
    rate.filter(|rate| is_like && *rate > 0.0 && rate.is_finite())
        .map(f64::ln)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(logarithms: &[f64]) -> Vec<(Nanos, f64)> {
        (1..).map(Nanos).zip(logarithms.iter().copied()).collect()
    }

    #[test]
    fn runs_of_a_state_that_is_in_question_do_not_vouch_for_it() {
        // A baseline, five runs like it, and two since the disk has lost a third.
        let kept = [5.0, 5.01, 4.99, 5.0, 5.01, 4.65, 4.66];
        let (baseline, now) = ((Nanos(0), 5.0), (Nanos(9), 4.64));
        for [one, other] in [[baseline, now], [now, baseline]] {
            let past = points(&kept);
            assert_eq!(*before_the_state_of(&past, one, other), past[..5]);
        }
        let spread = PastRuns::of(&kept[..5]).unwrap();
        let with_them = PastRuns::of(&kept).unwrap();
        assert!(with_them.deviation > 10.0 * spread.deviation);
    }

    #[test]
    fn runs_that_differ_as_ever_and_those_before_both_stay() {
        let kept = [5.0, 4.7, 5.1, 4.8];
        let past = points(&kept);
        for (older, newer) in [((0, 5.0), (9, 4.9)), ((8, 5.0), (9, 4.8))] {
            let [older, newer] = [older, newer].map(|(at, it)| (Nanos(at), it));
            assert_eq!(*before_the_state_of(&past, older, newer), past);
        }
    }

    #[test]
    fn a_state_that_came_and_went_is_no_noise_once_it_stays() {
        let good = [5.0, 5.01, 4.99, 5.0, 5.01, 4.99, 5.0];
        let flaps = [4.65, 5.0, 4.66, 5.01];
        // The baseline was set at first, or anew when that had come and gone.
        for set_at in [0, 11] {
            let (baseline, now) = ((Nanos(set_at), 5.0), (Nanos(99), 4.64));
            let left = |slow: &[f64]| {
                let past = points(&[&good[..], &flaps, slow].concat());
                before_the_state_of(&past, baseline, now).len()
            };
            // Two of eleven were slow: one more, and a second, may be chance; a third is not.
            assert_eq!(
                [&[][..], &[4.65], &[4.65; 2], &[4.65; 9]].map(left),
                [11, 11, 9, 9]
            );
        }
    }

    #[test]
    fn nights_of_a_third_state_say_nothing_of_the_two_in_question() {
        // A third of the rate in four nights; then a loss of a sixth, and none.
        let bad = [5.0, 5.0, 3.9, 5.0, 3.9, 3.91, 3.9];
        let left = |kept: &[f64], now| {
            let kept = points(kept);
            let left = before_the_state_of(&kept, (Nanos(0), 5.0), (Nanos(99), now));
            left.iter().map(|(_, it)| *it).collect::<Vec<_>>()
        };
        let then = [&bad[..], &[5.0, 5.0]].concat();
        assert_eq!(left(&then, 4.82), [5.0; 5]);
        let later = [&then[..], &[4.82]].concat();
        assert_eq!(left(&later, 5.0), [5.0, 5.0, 5.0, 5.0, 5.0, 4.82]);
        // Of three that are left nothing would be known of how much runs differ.
        assert_eq!(left(&bad, 4.82), bad);
        // A night in the bad state is asked about with all of them.
        assert_eq!(left(&bad[..4], 3.9), bad[..4]);
    }

    #[test]
    fn a_baseline_that_was_set_anew_leaves_earlier_runs_behind_once_ten_have_followed() {
        let all = points(&[[4.8, 5.0, 4.7].as_slice(), &[5.0, 5.01].repeat(5)].concat());
        let left = |count| {
            let (baseline, now) = ((Nanos(3), 5.0), (Nanos(99), 4.9));
            before_the_state_of(&all[..count], baseline, now).len()
        };
        assert_eq!([12, 13].map(left), [12, 10]);
    }

    mod many_draws {
        use super::*;
        use sokudo_stats::Random;
        use sokudo_testing::{Rate, draws, seed};

        /// Runs of one device, each of which keeps so much of the one before it.
        fn runs(random: &mut Random, count: usize, keeps: f64) -> Vec<f64> {
            let mut level = 0.0;
            let next = |_| {
                // Twelve of them have a variance of one, and are as good as normal.
                let chance = (0..12).map(|_| random.fraction()).sum::<f64>() - 6.0;
                level = keeps * level + (1.0 - keeps * keeps).sqrt() * chance;
                level
            };
            (0..count).map(next).collect()
        }

        #[test]
        fn of_one_device_runs_are_called_different_as_rarely_as_promised() {
            let mut random = Random::stream(seed(), 61);
            for (keeps, at_most) in [(0.0, 0.055), (0.5, 0.085)] {
                for count in [6, 12, 30, 60] {
                    let different = Rate::of(0..draws(4_000), |_| {
                        let all = points(&runs(&mut random, count + 2, keeps));
                        let (older, newer) = (all[0], all[count + 1]);
                        let past = before_the_state_of(&all[1..=count], older, newer);
                        let past: Vec<f64> = past.iter().map(|(_, it)| *it).collect();
                        let difference = newer.1 - older.1;
                        let past = PastRuns::of(&past);
                        let test = past.and_then(|it| it.test(difference, 0.0, 0.95));
                        test.is_none_or(|it| it.p_value <= 0.05)
                    });
                    let what = format_args!("{count} runs that keep {keeps}");
                    different.assert_at_most(at_most, what);
                }
            }
        }
    }
}
