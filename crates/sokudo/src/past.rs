//! How much the runs of a row on one device differ, as the store knows it.
//!
//! It only reads, and makes no store where there is none.

use sokudo_analysis::trials_needed;
use sokudo_model::{Nanos, Verdict};
use sokudo_report::RunDocument;
use sokudo_report::comparison::{Figure, rates};
use sokudo_report::document::ResultDocument;
use sokudo_stats::PastRuns;
use sokudo_store::{HistoryPoint, RunId, Store};
use sokudo_words::text;

use crate::cli::{Keeping, Location};
use crate::{exit, keep};

/// The runs that are kept.
#[derive(Default)]
pub(crate) struct Past(Option<Box<dyn Store>>);

/// A row of which other runs are looked for.
#[derive(Clone, Copy)]
pub(crate) struct PastRow<'a> {
    pub(crate) run: &'a RunDocument,
    pub(crate) result: &'a ResultDocument,
}

impl Past {
    /// Those of a store, if it is there.
    pub(crate) fn of(keeping: &Keeping) -> Self {
        let is_there = match keeping.location() {
            Ok(Location::File(path)) => path.exists(),
            Ok(Location::Server(_)) => true,
            Ok(Location::None) | Err(_) => false,
        };
        if !is_there {
            return Self::default();
        }
        Self(keep::opened(keeping).unwrap_or_else(|error| {
            exit::note(text!(
                "the store cannot be read, so nothing is known of how much runs differ: {error}"
            ));
            None
        }))
    }

    /// How much other runs of two rows differ, `without` the runs in question. Of the same
    /// device the past of one stands for both where the other has none: a new way of doing
    /// the same is measured on the same machine.
    pub(crate) fn of_both(
        &mut self,
        rows: [PastRow<'_>; 2],
        figure: Figure,
        without: &[RunId],
    ) -> [Option<PastRuns>; 2] {
        let [mut first, mut second] = rows.map(|row| self.points(row, figure, without));
        let [one, other] = rows.map(|row| row.run.target.identity());
        if one != other {
            return [first, second].map(|points| of(&points));
        }
        for points in [&mut first, &mut second] {
            leave_out_the_new(points, rows, figure);
        }
        let [first, second] = [first, second].map(|points| of(&points));
        [first.or(second), second.or(first)]
    }

    /// How much other runs of a row differ.
    pub(crate) fn of_row(
        &mut self,
        row: PastRow<'_>,
        figure: Figure,
        without: &[RunId],
    ) -> Option<PastRuns> {
        of(&self.points(row, figure, without))
    }

    /// Other runs of a row in order of time: when, and the logarithm of the figure.
    fn points(
        &mut self,
        PastRow { run, result }: PastRow<'_>,
        figure: Figure,
        without: &[RunId],
    ) -> Vec<(Nanos, f64)> {
        // The store has no files per second, which such rows are compared by.
        let is_in_store = result.files_per_s.is_none() && run.origin.is_none();
        let Some(store) = self.0.as_mut().filter(|_| is_in_store) else {
            return Vec::new();
        };
        let (device, row) = (run.target.identity(), &result.fingerprint);
        let points = store.history(&device, row).unwrap_or_default();
        points
            .iter()
            .filter(|point| point.row.fingerprint == *row && !without.contains(&point.run))
            .filter_map(|point| Some((point.started_at, logarithm(point, figure)?)))
            .collect()
    }
}

fn of(points: &[(Nanos, f64)]) -> Option<PastRuns> {
    let logarithms: Vec<f64> = points.iter().map(|(_, logarithm)| *logarithm).collect();
    PastRuns::of(&logarithms)
}

/// Leaves out the last runs since the older of both that lie nearer to the newer: whether they
/// are another state of the device is what is asked. A disk that has become slower would
/// otherwise vouch for it with its second slow run.
fn leave_out_the_new(points: &mut Vec<(Nanos, f64)>, rows: [PastRow<'_>; 2], figure: Figure) {
    let of_row = |row: PastRow<'_>| {
        let median = rates(row.result, figure)?.median;
        Some((row.run.started_at()?, median.ln()))
    };
    let [Some(one), Some(other)] = rows.map(of_row) else {
        return;
    };
    let (older, newer) = if one.0 <= other.0 { (one, other) } else { (other, one) };
    let is_new = |(at, logarithm): &(Nanos, f64)| {
        *at > older.0 && (logarithm - newer.1).abs() < (logarithm - older.1).abs()
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
