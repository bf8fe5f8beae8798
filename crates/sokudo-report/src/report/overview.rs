//! All runs at a glance: a line per row and a column per run, or the other way round
//! where there are many runs.

use sokudo_model::Verdict;

use super::Report;
use crate::date;
use crate::document::{ResultDocument, RunDocument, Status};
use crate::number::rate_with;

/// More rows, such as the cells of a sweep, are told by each run alone.
const ROWS_MAX: usize = 60;
/// More runs stand below each other.
const COLUMNS_MAX: usize = 5;
const BYTES_PER_MB: f64 = 1e6;

/// The rows of runs beside each other, each of which has one in common with another.
pub(super) struct Overview {
    /// Places of the runs in the report.
    pub(super) runs: Vec<usize>,
    /// Names of rows and what each run has measured of it.
    pub(super) rows: Vec<OverviewRow>,
    /// Rows that are not shown.
    pub(super) left_out: usize,
}

/// A row of several runs.
pub(super) struct OverviewRow {
    pub(super) name: String,
    pub(super) direction: String,
    /// One per run; `None` where it has no such row.
    pub(super) cells: Vec<Option<Cell>>,
}

/// What a run has measured of a row.
#[derive(Clone)]
pub(super) struct Cell {
    /// MB/s, median of the trials; `None` where nothing was measured.
    pub(super) megabytes_per_s: Option<f64>,
    /// The 95 % interval of the median.
    interval: Option<[f64; 2]>,
    pub(super) verdict: Option<Verdict>,
    /// It was interrupted, failed, or was not reached.
    pub(super) is_incomplete: bool,
    /// It was measured in another way than the first of its line.
    pub(super) differs: bool,
    fingerprint: String,
}

impl Cell {
    fn of(result: &ResultDocument) -> Self {
        let rates = result.bandwidth_bytes_per_s.as_ref();
        let rates = rates.map(|figures| &figures.bytes_per_s);
        Self {
            megabytes_per_s: rates.map(|rates| rates.median / BYTES_PER_MB),
            interval: rates.and_then(|rates| rates.interval_in(BYTES_PER_MB)),
            verdict: result.verdict,
            is_incomplete: result.status != Status::Complete,
            differs: false,
            fingerprint: result.fingerprint.clone(),
        }
    }

    /// `3,550 ± 0.8 %`.
    pub(super) fn figure(&self) -> String {
        match self.megabytes_per_s {
            Some(value) => rate_with(value, self.interval),
            None => crate::number::MISSING.to_owned(),
        }
    }

    /// What is to be known of it, in signs: `✓`, `?` or `✗`, `…` and `≠`.
    pub(super) fn signs(&self) -> String {
        let verdict = sign(self.verdict);
        let incomplete = if self.is_incomplete { "…" } else { "" };
        let differs = if self.differs { "≠" } else { "" };
        format!("{verdict}{incomplete}{differs}")
    }
}

/// A verdict as a sign; nothing where nobody judged.
pub(super) const fn sign(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Verified) => "✓",
        Some(Verdict::Unverified) => "?",
        Some(Verdict::Invalid) => "✗",
        None => "",
    }
}

impl Overview {
    /// One of each set of runs that have rows in common, and the runs that have none in
    /// common with any: beside others they would be nothing but dashes.
    pub(super) fn of(report: &Report) -> (Vec<Self>, Vec<usize>) {
        let count = report.runs.len();
        let mut rows: Vec<OverviewRow> = Vec::new();
        for (index, reported) in report.runs.iter().enumerate() {
            let run = &reported.run;
            // Probes are many, and it is not them that are shown.
            if run.is_explanation() {
                continue;
            }
            for result in run.results_by_direction() {
                place(&mut rows, result, index, count);
            }
        }
        for row in &mut rows {
            mark_differing(row);
        }
        let (shared, alone): (Vec<_>, Vec<_>) = related(&rows, count)
            .into_iter()
            .partition(|runs| runs.len() > 1);
        let overviews = shared.into_iter().map(|runs| Self::of_runs(runs, &rows));
        (overviews.collect(), alone.concat())
    }

    fn of_runs(runs: Vec<usize>, rows: &[OverviewRow]) -> Self {
        let theirs = |row: &OverviewRow| OverviewRow {
            name: row.name.clone(),
            direction: row.direction.clone(),
            cells: runs.iter().map(|run| row.cells[*run].clone()).collect(),
        };
        let mut rows: Vec<OverviewRow> = rows
            .iter()
            .map(theirs)
            .filter(|row| row.cells.iter().any(Option::is_some))
            .collect();
        let left_out = rows.len().saturating_sub(ROWS_MAX);
        rows.truncate(ROWS_MAX);
        Self {
            runs,
            rows,
            left_out,
        }
    }

    /// Whether a line is a row and a column a run, or the other way round.
    pub(super) fn is_wide(&self) -> bool {
        self.runs.len() <= COLUMNS_MAX
    }

    /// Numbers of the runs as the report has them, from 1.
    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> {
        self.runs.iter().map(|run| run + 1)
    }

    /// Whether any cell has the sign.
    pub(super) fn has(&self, is_so: impl Fn(&Cell) -> bool) -> bool {
        let mut cells = self.rows.iter().flat_map(|row| row.cells.iter().flatten());
        cells.any(is_so)
    }
}

/// What is said of runs that are in no overview.
pub(super) fn alone_text(alone: &[usize]) -> Option<String> {
    let numbers: Vec<String> = alone.iter().map(|run| format!("#{}", run + 1)).collect();
    (!numbers.is_empty()).then(|| {
        format!(
            "No row in common with another run: {}; each tells its own below.",
            numbers.join(", ")
        )
    })
}

/// Sets of runs that have rows in common, if only by way of a third; runs without rows are
/// in none.
fn related(rows: &[OverviewRow], count: usize) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = Vec::new();
    for row in rows {
        let has_it = |run: &usize| row.cells[*run].is_some();
        let mut joined: Vec<usize> = (0..count).filter(has_it).collect();
        sets.retain_mut(|set| {
            let is_related = set.iter().any(has_it);
            if is_related {
                joined.append(set);
            }
            !is_related
        });
        joined.sort_unstable();
        joined.dedup();
        sets.push(joined);
    }
    sets.sort_unstable();
    sets
}

/// Puts a result into its line; rows of one name in a run have lines of their own.
fn place(rows: &mut Vec<OverviewRow>, result: &ResultDocument, index: usize, count: usize) {
    let direction = result.direction_label();
    let fits = |row: &&mut OverviewRow| {
        row.name == result.name && row.direction == direction && row.cells[index].is_none()
    };
    let cell = Some(Cell::of(result));
    if let Some(row) = rows.iter_mut().find(fits) {
        row.cells[index] = cell;
        return;
    }
    let mut cells = vec![None; count];
    cells[index] = cell;
    rows.push(OverviewRow {
        name: result.name.clone(),
        direction,
        cells,
    });
}

fn mark_differing(row: &mut OverviewRow) {
    let first = row.cells.iter().flatten().next();
    let Some(first) = first.map(|cell| cell.fingerprint.clone()) else {
        return;
    };
    for cell in row.cells.iter_mut().flatten() {
        cell.differs = cell.fingerprint != first;
    }
}

/// The worst verdict of a run and how many rows have which: `5 VERIFIED, 2 UNVERIFIED`.
pub(super) fn verdicts(run: &RunDocument) -> Vec<(Option<Verdict>, usize)> {
    let kinds = [
        Some(Verdict::Verified),
        Some(Verdict::Unverified),
        Some(Verdict::Invalid),
        None,
    ];
    let count = |kind| {
        let results = run.results.iter();
        results.filter(|result| result.verdict == kind).count()
    };
    kinds
        .into_iter()
        .map(|kind| (kind, count(kind)))
        .filter(|(_, count)| *count > 0)
        .collect()
}

/// Name of a verdict.
pub(super) const fn verdict_name(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(verdict) => verdict.name(),
        None => "not judged",
    }
}

/// From the first to the last day of the runs, as far as it is known when they were.
pub(super) fn days(report: &Report) -> String {
    let runs = report.runs.iter();
    let mut days: Vec<String> = runs
        .filter(|reported| !reported.run.started_at.is_empty())
        .map(|reported| date::for_people(&reported.run.started_at))
        .map(|date| date.split(' ').next().unwrap_or_default().to_owned())
        .collect();
    days.sort_unstable();
    match (days.first(), days.last()) {
        (Some(first), Some(last)) if first == last => first.clone(),
        (Some(first), Some(last)) => format!("{first} – {last}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn runs_that_have_no_row_in_common_do_not_stand_beside_each_other() {
        let like = sample::report().runs.remove(0);
        let mut unlike = like.clone();
        for result in &mut unlike.run.results {
            result.name += " of another kind";
        }
        let overview = |runs: Vec<&crate::report::ReportedRun>| {
            let runs = runs.into_iter().cloned().collect();
            Overview::of(&Report::new(None, runs))
        };
        let (overviews, alone) = overview(vec![&like, &unlike, &like]);
        assert_eq!((overviews.len(), alone), (1, vec![1]));
        assert_eq!(overviews[0].runs, [0, 2]);
        let is_filled = |row: &OverviewRow| row.cells.iter().all(Option::is_some);
        assert!(overviews[0].rows.iter().all(is_filled));
        let (overviews, alone) = overview(vec![&like, &unlike]);
        assert_eq!((overviews.len(), alone), (0, vec![0, 1]));
        let (overviews, alone) = overview(vec![&like, &unlike, &unlike, &like]);
        let runs: Vec<&[usize]> = overviews.iter().map(|it| &*it.runs).collect();
        assert_eq!((runs, alone), (vec![&[0, 3][..], &[1, 2]], vec![]));
        // A third run may bring two together.
        let mut both = like.clone();
        both.run.results.extend(unlike.run.results.clone());
        let (overviews, alone) = overview(vec![&like, &unlike, &both]);
        assert_eq!((overviews[0].runs.len(), alone), (3, vec![]));
    }

    #[test]
    fn a_run_of_an_unknown_time_is_not_the_first_nor_the_last() {
        let mut report = sample::report();
        assert_eq!(days(&report), "2026-11-21");
        report.runs[0].run.started_at = "2012-02-15T20:39:27.000Z".to_owned();
        assert_eq!(days(&report), "2012-02-15 – 2026-11-21");
        report.runs[1].run.started_at = String::new();
        assert_eq!(days(&report), "2012-02-15");
        report.runs[0].run.started_at = String::new();
        assert_eq!(days(&report), "");
    }
}
