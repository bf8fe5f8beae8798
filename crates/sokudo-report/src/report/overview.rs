//! All runs at a glance: a line per row and a column per run, or the other way round
//! where there are many runs.

use sokudo_model::Verdict;
use sokudo_words::{Language, Text, text};

use super::{Report, ReportedRun};
use crate::article::{Article, Element};
use crate::assessment_table;
use crate::date;
use crate::document::{ResultDocument, RunDocument, Status};
use crate::figure::figures_in;
use crate::matrix::table::outcome;
use crate::number::{BYTES_PER_MB, MISSING};
use crate::run::answered;
use crate::run_table::RunTable;
use crate::style::BandwidthUnit::{self, MegabytesPerSecond as MEGABYTES};
use crate::table::{Cell, Table, Tone, left, right};
use crate::view::shows_rows;
use crate::wording::{labelled, phrase, row_alone, source};

/// More rows, such as the cells of a sweep, are told by each run alone.
const ROWS_MAX: usize = 60;
/// More runs stand below each other.
const COLUMNS_MAX: usize = 5;

/// The rows of runs beside each other, each of which has one in common with another.
struct Overview<'a> {
    /// Places of the runs in the report.
    runs: Vec<usize>,
    rows: Vec<OverviewRow<'a>>,
    /// Rows that are not shown.
    left_out: usize,
}

/// What each run has measured of a row; `None` where it has no such row.
struct OverviewRow<'a>(Vec<Option<&'a ResultDocument>>);

impl<'a> OverviewRow<'a> {
    fn measured(&self) -> impl Iterator<Item = &'a ResultDocument> {
        self.0.iter().flatten().copied()
    }

    fn name(&self) -> Text {
        let first = self.measured().next();
        let direction = first.and_then(ResultDocument::direction_shown);
        let name = row_alone(first.map_or("", |result| &result.name));
        match direction {
            None => name,
            Some(direction) => text!("{} {}", name, phrase(&direction)),
        }
    }

    /// Whether it was measured in another way than the first of its line.
    fn differs(&self, result: &ResultDocument) -> bool {
        let mut measured = self.measured();
        measured
            .next()
            .is_some_and(|first| first.fingerprint != result.fingerprint)
    }

    /// A figure such as `3,550 ± 0.8 %`, and what is to be known of it, in signs: `✓`, `?` or
    /// `✗`, `…` and `≠`.
    fn cell(&self, run: usize) -> Option<Cell> {
        let megabytes = |result| Some(figures_in(result, MEGABYTES)?.median / BYTES_PER_MB);
        // Bars compare what stands beside each other: the same row of all runs.
        let most = self.measured().filter_map(megabytes).fold(0.0, f64::max);
        let result = self.0[run]?;
        let text = match figures_in(result, MEGABYTES) {
            None => MISSING.to_owned(),
            Some(rates) => rates.with_spread(BYTES_PER_MB),
        };
        let incomplete = if is_incomplete(result) { "…" } else { "" };
        let differs = if self.differs(result) { "≠" } else { "" };
        Some(Cell::Figure {
            text,
            signs: format!("{}{incomplete}{differs}", sign(result.verdict)),
            share: megabytes(result).unwrap_or(0.0) / most,
        })
    }
}

/// It was interrupted, failed, or was not reached.
fn is_incomplete(result: &ResultDocument) -> bool {
    result.status != Status::Complete
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

/// What a run answers, or what it thinks of its disk.
fn answer_cell(run: &RunDocument) -> Option<Cell> {
    match answered(run).1 {
        Some(answer) => Some(Cell::Judged(Tone::of_answer(answer), phrase(answer.name()))),
        None => Some(assessment_table::verdict(run.disk_assessment.as_deref()?)),
    }
}

/// Number, answer, device, target, method, date and verdicts of each run.
fn runs_table(report: &Report, language: Language) -> Table {
    let runs: Vec<(usize, &ReportedRun)> = (1..).zip(&report.runs).collect();
    let name = |name: &str| Some(Cell::Name(name.to_owned()));
    Table::of(&runs)
        .column(right("#"), |(number, _)| Some(Cell::Run(*number)))
        .column_if_any(left("Answer"), |(_, it)| answer_cell(&it.run))
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

impl<'a> Overview<'a> {
    /// One of each set of runs that have rows in common, and the runs that have none in
    /// common with any: beside others they would be nothing but dashes.
    fn of(report: &'a Report) -> (Vec<Self>, Vec<usize>) {
        let results = report.runs.iter().map(|it| match shows_rows(&it.run) {
            true => it.run.results_by_direction(),
            false => Vec::new(),
        });
        let results: Vec<Vec<&ResultDocument>> = results.collect();
        let keys = results.iter().map(|results| {
            let keys = results.iter().map(|it| (&*it.name, it.direction_shown()));
            keys.collect()
        });
        let keys: Vec<Vec<(&str, Option<String>)>> = keys.collect();
        let keys: Vec<&[_]> = keys.iter().map(Vec::as_slice).collect();
        let table = RunTable::joined(&keys, &[|one, other| one == other]);
        let rows = table.lines.iter().map(|line| {
            let results = line.iter().zip(&results);
            OverviewRow(results.map(|(row, of_run)| Some(of_run[(*row)?])).collect())
        });
        let rows: Vec<OverviewRow<'_>> = rows.collect();
        let (shared, alone): (Vec<_>, Vec<_>) = related(&rows, results.len())
            .into_iter()
            .partition(|runs| runs.len() > 1);
        let overviews = shared.into_iter().map(|runs| Self::of_runs(runs, &rows));
        (overviews.collect(), alone.concat())
    }

    fn of_runs(runs: Vec<usize>, rows: &[OverviewRow<'a>]) -> Self {
        let theirs =
            |row: &OverviewRow<'a>| OverviewRow(runs.iter().map(|run| row.0[*run]).collect());
        let mut rows: Vec<OverviewRow<'_>> = rows.iter().map(theirs).collect();
        rows.retain(|row| row.measured().next().is_some());
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
        let run_of = |run: usize| &report.runs[self.runs[run]].run;
        // What is called alike is told apart by how it was named.
        let run_name = |run: usize| {
            let (called, target) = (run_of(run).called(language), &run_of(run).target.name);
            let mut others = (0..self.runs.len()).map(run_of);
            let is_alike = others
                .any(|other| other.target.name != *target && other.called(language) == called);
            let target = if is_alike {
                format!(" ({target})")
            } else {
                String::new()
            };
            Text::name(format!("{} {called}{target}", self.runs[run] + 1))
        };
        let runs: Vec<usize> = (0..self.runs.len()).collect();
        let table = if runs.len() <= COLUMNS_MAX {
            let mut rows = Table::of(&self.rows).column(left("MB/s"), |row| Some(row.name()));
            for run in runs {
                rows = rows.column(right(run_name(run)), move |row| row.cell(run));
            }
            rows.table()
        } else {
            let mut rows = Table::of(&runs).column(left("MB/s"), |run| Some(run_name(*run)));
            for row in &self.rows {
                rows = rows.column(right(row.name()), |run| row.cell(*run));
            }
            rows.table()
        };
        table.noted(self.legend())
    }

    fn legend(&self) -> Text {
        let more = text!("{} more rows are shown by each run below.", self.left_out);
        let parts: [(bool, Text); 5] = [
            (
                true,
                "MB/s: median of the trials, ± its 95 % interval (its run only), or lowest to highest of fewer than 6 trials; 1 MB is 1,000,000 bytes.".into(),
            ),
            (true, "✓ VERIFIED, ? UNVERIFIED, ✗ INVALID.".into()),
            (
                self.has(|_, result| is_incomplete(result)),
                "…: not all trials were made.".into(),
            ),
            (
                self.has(OverviewRow::differs),
                "≠: measured in another way than the first of its row, so the two cannot be compared.".into(),
            ),
            (self.left_out > 0, more),
        ];
        let shown = parts
            .into_iter()
            .filter_map(|(is_shown, text)| is_shown.then_some(text));
        Text::list(shown, " ")
    }

    /// Whether any cell has the sign.
    fn has(&self, is_so: fn(&OverviewRow<'a>, &ResultDocument) -> bool) -> bool {
        let mut rows = self.rows.iter();
        rows.any(|row| row.measured().any(|result| is_so(row, result)))
    }
}

/// What is said of runs that are in no overview.
fn alone_text(alone: &[usize]) -> Option<Text> {
    let numbers: Vec<String> = alone.iter().map(|run| format!("#{}", run + 1)).collect();
    (!numbers.is_empty()).then(|| {
        text!(
            "No row in common with another run: {}; each shows its own below.",
            numbers.join(", ")
        )
    })
}

/// Sets of runs that have rows in common, if only by way of a third; runs without rows are
/// in none.
fn related(rows: &[OverviewRow<'_>], count: usize) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = Vec::new();
    for row in rows {
        let has_it = |run: &usize| row.0[*run].is_some();
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

/// The worst verdict of a run and how many rows have which: `5 VERIFIED, 2 UNVERIFIED`.
fn verdicts(run: &RunDocument) -> Vec<(Option<Verdict>, usize)> {
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
            let report = Report::new(None, runs.into_iter().cloned().collect());
            let (overviews, alone) = Overview::of(&report);
            let runs: Vec<Vec<usize>> = overviews.iter().map(|it| it.runs.clone()).collect();
            let mut rows = overviews.iter().flat_map(|it| &it.rows);
            (
                runs,
                alone,
                rows.all(|row| row.0.iter().all(Option::is_some)),
            )
        };
        let beside = overview(vec![&like, &unlike, &like]);
        assert_eq!(beside, (vec![vec![0, 2]], vec![1], true));
        let alone = overview(vec![&like, &unlike]);
        assert_eq!(alone, (vec![], vec![0, 1], true));
        let (runs, alone, _) = overview(vec![&like, &unlike, &unlike, &like]);
        assert_eq!((runs, alone), (vec![vec![0, 3], vec![1, 2]], vec![]));
        // A third run may bring two together.
        let mut both = like.clone();
        both.run.results.extend(unlike.run.results.clone());
        let (runs, alone, _) = overview(vec![&like, &unlike, &both]);
        assert_eq!((runs, alone), (vec![vec![0, 1, 2]], vec![]));
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
