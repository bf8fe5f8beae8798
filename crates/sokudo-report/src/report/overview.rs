//! All runs at a glance: a line per row and a column per run, or the other way round
//! where there are many runs.

use sokudo_model::Verdict;
use sokudo_words::{Language, Text, text};

use super::{Report, ReportedRun};
use crate::article::{Article, Element};
use crate::date;
use crate::document::{ResultDocument, RunDocument, Status};
use crate::matrix::table::outcome;
use crate::number::{BYTES_PER_MB, rate_with};
use crate::style::BandwidthUnit;
use crate::table::{Cell, Table, left, right};
use crate::wording::{labelled, phrase, row_alone, source};

/// More rows, such as the cells of a sweep, are told by each run alone.
const ROWS_MAX: usize = 60;
/// More runs stand below each other.
const COLUMNS_MAX: usize = 5;

/// The rows of runs beside each other, each of which has one in common with another.
struct Overview {
    /// Places of the runs in the report.
    runs: Vec<usize>,
    /// Names of rows and what each run has measured of it.
    rows: Vec<OverviewRow>,
    /// Rows that are not shown.
    left_out: usize,
}

/// A row of several runs.
struct OverviewRow {
    name: String,
    direction: String,
    /// One per run; `None` where it has no such row.
    cells: Vec<Option<OverviewCell>>,
}

/// What a run has measured of a row.
#[derive(Clone)]
struct OverviewCell {
    /// MB/s, median of the trials; `None` where nothing was measured.
    megabytes_per_s: Option<f64>,
    /// The 95 % interval of the median.
    interval: Option<[f64; 2]>,
    verdict: Option<Verdict>,
    /// It was interrupted, failed, or was not reached.
    is_incomplete: bool,
    /// It was measured in another way than the first of its line.
    differs: bool,
    fingerprint: String,
}

impl OverviewCell {
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
    fn figure(&self) -> String {
        match self.megabytes_per_s {
            Some(value) => rate_with(value, self.interval),
            None => crate::number::MISSING.to_owned(),
        }
    }

    /// What is to be known of it, in signs: `✓`, `?` or `✗`, `…` and `≠`.
    fn signs(&self) -> String {
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

/// All runs, and the rows that some of them have in common.
pub(super) fn article(report: &Report, language: Language) -> Article<'_> {
    let mut article = Article::default();
    for matrix in &report.matrices {
        let (id, method) = (&matrix.id, &matrix.method);
        article.add(Element::Heading(text!("Matrix {id} · {method}")));
        article.append(outcome(matrix, BandwidthUnit::MegabytesPerSecond));
    }
    article.add(Element::Heading("Runs".into()));
    article.add(Element::Table(runs_table(report, language)));
    article.add(Element::Heading("Rows".into()));
    let (overviews, alone) = Overview::of(report);
    for overview in overviews {
        article.add(Element::Table(overview.table(report, language)));
    }
    article.paragraph(alone_text(&alone).unwrap_or_default());
    article
}

/// Number, device, target, method, date and verdicts of each run.
fn runs_table(report: &Report, language: Language) -> Table {
    let runs: Vec<(usize, &ReportedRun)> = (1..).zip(&report.runs).collect();
    let name = |name: &str| Some(Cell::Name(name.to_owned()));
    Table::of(&runs)
        .column(right("#"), |(number, _)| Some(Cell::Run(*number)))
        .column(left("Device"), |(_, it)| name(&it.run.device(language)))
        .column(left("Target"), |(_, it)| {
            let target = &it.run.target;
            name(target.path.as_ref().unwrap_or(&target.name))
        })
        .column(left("Method"), |(_, it)| name(&it.run.method_of_tool()))
        .column(left("Started"), |(_, it)| {
            name(&date::for_people(&it.run.began()))
        })
        .column(left("Verdicts"), |(_, it)| {
            Some(Cell::Verdicts(verdicts(&it.run)))
        })
        .column(left("Run"), |(_, it)| {
            Some(labelled(it.run.label.as_deref(), source(&it.source)))
        })
        .table()
}

impl Overview {
    /// One of each set of runs that have rows in common, and the runs that have none in
    /// common with any: beside others they would be nothing but dashes.
    fn of(report: &Report) -> (Vec<Self>, Vec<usize>) {
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

    /// A line per row and a column per run, or the other way round where there are many runs.
    fn table(&self, report: &Report, language: Language) -> Table {
        // Bars compare what stands beside each other: the same row of all runs.
        let cell = |row: &OverviewRow, run: usize| {
            let rates = row.cells.iter().flatten();
            let most = rates
                .filter_map(|it| it.megabytes_per_s)
                .fold(0.0, f64::max);
            let measured = row.cells[run].as_ref()?;
            Some(Cell::Figure {
                text: measured.figure(),
                signs: measured.signs(),
                share: measured.megabytes_per_s.unwrap_or(0.0) / most,
            })
        };
        let row_name = |row: &OverviewRow| match &*row.direction {
            "" => row_alone(&row.name),
            direction => text!("{} {}", row_alone(&row.name), phrase(direction)),
        };
        let run_name = |run: usize| {
            let device = report.runs[self.runs[run]].run.device(language);
            Text::name(format!("{} {device}", self.runs[run] + 1))
        };
        let runs: Vec<usize> = (0..self.runs.len()).collect();
        let table = if runs.len() <= COLUMNS_MAX {
            let mut rows = Table::of(&self.rows).column(left("MB/s"), |row| Some(row_name(row)));
            for run in runs {
                rows = rows.column(right(run_name(run)), |row| cell(row, run));
            }
            rows.table()
        } else {
            let mut rows = Table::of(&runs).column(left("MB/s"), |run| Some(run_name(*run)));
            for row in &self.rows {
                rows = rows.column(right(row_name(row)), |run| cell(row, *run));
            }
            rows.table()
        };
        table.noted(self.legend())
    }

    fn legend(&self) -> Text {
        let more = text!("{} more rows are told by each run below.", self.left_out);
        let parts: [(bool, Text); 5] = [
            (
                true,
                "MB/s: median of the trials, ± how far its 95 % interval reaches within its run; 1 MB is 1,000,000 bytes.".into(),
            ),
            (true, "✓ VERIFIED, ? UNVERIFIED, ✗ INVALID.".into()),
            (
                self.has(|cell| cell.is_incomplete),
                "…: not all trials were made.".into(),
            ),
            (
                self.has(|cell| cell.differs),
                "≠: measured in another way than the first of its row, so the two say nothing about each other.".into(),
            ),
            (self.left_out > 0, more),
        ];
        let shown = parts
            .into_iter()
            .filter_map(|(is_shown, text)| is_shown.then_some(text));
        Text::list(shown, " ")
    }

    /// Whether any cell has the sign.
    fn has(&self, is_so: impl Fn(&OverviewCell) -> bool) -> bool {
        let mut cells = self.rows.iter().flat_map(|row| row.cells.iter().flatten());
        cells.any(is_so)
    }
}

/// What is said of runs that are in no overview.
fn alone_text(alone: &[usize]) -> Option<Text> {
    let numbers: Vec<String> = alone.iter().map(|run| format!("#{}", run + 1)).collect();
    (!numbers.is_empty()).then(|| {
        text!(
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
    let direction = result.direction_shown().unwrap_or_default();
    let fits = |row: &&mut OverviewRow| {
        row.name == result.name && row.direction == direction && row.cells[index].is_none()
    };
    let cell = Some(OverviewCell::of(result));
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

/// From the first to the last day of the runs, as far as it is known when they were.
pub(super) fn days(report: &Report) -> String {
    let runs = report.runs.iter();
    let mut days: Vec<String> = runs
        .filter(|reported| reported.run.started_at.is_some())
        .map(|reported| date::for_people(&reported.run.began()))
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
        report.runs[0].run.started_at = date::from_rfc3339("2012-02-15T20:39:27.000Z");
        assert_eq!(days(&report), "2012-02-15 – 2026-11-21");
        report.runs[1].run.started_at = None;
        assert_eq!(days(&report), "2012-02-15");
        report.runs[0].run.started_at = None;
        assert_eq!(days(&report), "");
    }
}
