//! How much the runs of a row on one device differ, as the store knows it.
//!
//! It only reads, and makes no store where there is none.

use std::collections::{HashMap, HashSet};

use sokudo_analysis::{runs_differ, trials_needed};
use sokudo_model::{Nanos, Verdict};
use sokudo_report::RunDocument;
use sokudo_report::comparison::{Figure, rates};
use sokudo_report::document::ResultDocument;
use sokudo_stats::PastRuns;
use sokudo_store::{HistoryPoint, Store};
use sokudo_words::text;

use crate::cli::{Keeping, Location};
use crate::{exit, keep};

/// The runs that are kept.
#[derive(Default)]
pub(crate) struct Past {
    store: Option<Box<dyn Store>>,
    /// What was read of the store.
    histories: HashMap<HistoryKey, History>,
}

impl PastRow<'_> {
    /// What its other runs are kept under; `None` where the store has none that are like it.
    pub(crate) fn key(self, figure: Figure) -> Option<HistoryKey> {
        // The store has no files per second, which such rows are compared by.
        let is_in_store = self.result.files_per_s.is_none() && self.run.origin.is_none();
        is_in_store.then(|| {
            (
                self.run.target.identity(),
                self.result.fingerprint.clone(),
                figure,
            )
        })
    }
}

/// A device, the fingerprint of a row, and what it is compared by.
pub(crate) type HistoryKey = (String, String, Figure);

/// The runs of a row that tell how much they differ: when, and the logarithm of the figure.
#[derive(Default)]
struct History {
    points: Vec<(Nanos, f64)>,
    /// What was told last, and of which runs: many are asked for without others that are none
    /// of the newest.
    told: Option<ToldOf>,
}

/// Runs, and how much they differ.
type ToldOf = (Vec<(Nanos, f64)>, Option<PastRuns>);

impl History {
    /// How much these of its runs differ.
    fn of(&mut self, points: Vec<(Nanos, f64)>) -> Option<PastRuns> {
        match &self.told {
            Some((told, past)) if *told == points => *past,
            _ => {
                let past = of(&points);
                self.told = Some((points, past));
                past
            }
        }
    }

    /// The newest without these, in order of time.
    fn without(&self, begun: &Begun) -> Vec<(Nanos, f64)> {
        let others = self.points.iter().rev();
        let others = others.filter(|(at, _)| !begun.0.contains(at));
        let mut newest: Vec<(Nanos, f64)> = others.take(RUNS_MAX).copied().collect();
        newest.reverse();
        newest
    }
}

/// When runs began. One that is read from a file may be kept, too: no two begin at the same
/// instant.
pub(crate) struct Begun(HashSet<Nanos>);

impl Begun {
    pub(crate) fn of<'a>(runs: impl IntoIterator<Item = &'a RunDocument>) -> Self {
        Self(
            runs.into_iter()
                .filter_map(RunDocument::started_at)
                .collect(),
        )
    }
}

/// A row of which other runs are looked for.
#[derive(Clone, Copy)]
pub(crate) struct PastRow<'a> {
    pub(crate) run: &'a RunDocument,
    pub(crate) result: &'a ResultDocument,
}

impl Past {
    /// Those of a store, if it is there. That it cannot be read is told by whoever keeps the
    /// run in it.
    pub(crate) fn of_kept(keeping: &Keeping) -> Self {
        Self::found(keeping).unwrap_or_default()
    }

    /// Those of a store, if it is there.
    pub(crate) fn of(keeping: &Keeping) -> Self {
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
    pub(crate) fn of_both(
        &mut self,
        rows: [PastRow<'_>; 2],
        figure: Figure,
    ) -> [Option<PastRuns>; 2] {
        let begun = Begun::of(rows.map(|row| row.run));
        let [one, other] = rows.map(|row| row.run.target.identity());
        let is_one_device = one == other;
        let mut each = [None, None];
        for (past, row) in each.iter_mut().zip(rows) {
            let key = row.key(figure);
            let Some(history) = key.and_then(|key| self.history(key)) else {
                continue;
            };
            let mut points = history.without(&begun);
            if is_one_device {
                leave_out_the_new(&mut points, rows, figure);
            }
            *past = history.of(points);
        }
        let [first, second] = each;
        match is_one_device {
            true => [first.or(second), second.or(first)],
            false => each,
        }
    }

    /// Puts into a run's document how much other runs of its rows differ.
    pub(crate) fn tell(&mut self, run: &mut RunDocument) {
        let begun = Begun::of([&*run]);
        let of_row = |result| {
            let key = PastRow { run, result }.key(Figure::Bandwidth)?;
            self.without(key, &begun)
        };
        let known: Vec<Option<PastRuns>> = run.results.iter().map(of_row).collect();
        for (result, past) in run.results.iter_mut().zip(known) {
            result.runs_differ = past.map(runs_differ);
        }
    }

    /// How much other runs of this differ, without these.
    pub(crate) fn without(&mut self, key: HistoryKey, begun: &Begun) -> Option<PastRuns> {
        let history = self.history(key)?;
        let points = history.without(begun);
        history.of(points)
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
                    told: None,
                }
            });
        Some(history)
    }
}

fn of(points: &[(Nanos, f64)]) -> Option<PastRuns> {
    let logarithms: Vec<f64> = points.iter().map(|(_, logarithm)| *logarithm).collect();
    PastRuns::of(&logarithms)
}

/// The newest runs that are looked at: more say nothing that these do not.
const RUNS_MAX: usize = 200;

/// So many times nearer to the newer of two runs than to the older lies what is of its state.
const NEARER: f64 = 4.0;

/// Leaves out the last runs since the older of both that lie by far nearer to the newer: whether
/// they are another state of the device is what is asked. A disk that has become slower would
/// otherwise vouch for it with its second slow run.
fn leave_out_the_new(points: &mut Vec<(Nanos, f64)>, rows: [PastRow<'_>; 2], figure: Figure) {
    let of_row = |row: PastRow<'_>| {
        let median = rates(row.result, figure)?.median;
        Some((row.run.started_at()?, median.ln()))
    };
    if let [Some(one), Some(other)] = rows.map(of_row) {
        leave_out_the_state_of(points, one, other);
    }
}

fn leave_out_the_state_of(points: &mut Vec<(Nanos, f64)>, one: (Nanos, f64), other: (Nanos, f64)) {
    let (older, newer) = if one.0 <= other.0 {
        (one, other)
    } else {
        (other, one)
    };
    let is_new = |(at, logarithm): &(Nanos, f64)| {
        *at > older.0 && NEARER * (logarithm - newer.1).abs() < (logarithm - older.1).abs()
    };
    while points.last().is_some_and(is_new) {
        points.pop();
    }
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
            let mut past = points(&kept);
            leave_out_the_state_of(&mut past, one, other);
            assert_eq!(past, points(&kept[..5]));
        }
        let spread = PastRuns::of(&kept[..5]).unwrap();
        let with_them = PastRuns::of(&kept).unwrap();
        assert!(with_them.deviation > 10.0 * spread.deviation);
    }

    #[test]
    fn runs_that_differ_as_ever_and_those_before_both_stay() {
        let kept = [5.0, 4.7, 5.1, 4.8];
        let mut past = points(&kept);
        leave_out_the_state_of(&mut past, (Nanos(0), 5.0), (Nanos(9), 4.9));
        assert_eq!(past, points(&kept));
        leave_out_the_state_of(&mut past, (Nanos(8), 5.0), (Nanos(9), 4.8));
        assert_eq!(past, points(&kept));
    }
}
