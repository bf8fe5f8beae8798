//! `sokudo compare --pivot`: many runs as one matrix, and runs that are named by what they
//! have in common.

use indicatif::ProgressBar;
use sokudo_history::find::{FoundRun, Recall};
use sokudo_report::PivotDocument;
use sokudo_report::pivot::{Pivot, PivotRun, Ratio};
use sokudo_report::plot;
use sokudo_store::{Filter, Page};
use sokudo_terminal::exit::Exit;
use sokudo_terminal::{command_line, picture, print};
use sokudo_words::text;

use super::sides::documents;
use crate::commands::compare::arguments::{Axes, CompareArguments};

/// More runs than this are no table that anybody reads.
const RUNS_MAX: u64 = 10_000;

pub(super) fn run(
    axes: &Axes,
    arguments: &CompareArguments,
    sides: &[FoundRun],
) -> Result<(), Exit> {
    let runs: Vec<PivotRun<'_>> = sides.iter().map(FoundRun::in_pivot).collect();
    let pivot = Pivot {
        rows: axes.rows.clone(),
        columns: axes.columns.clone(),
        only: arguments.shape.only.clone(),
        value: arguments.shape.value,
        unit: arguments.rendering.table.unit,
    };
    let document = PivotDocument::new(&runs, &pivot).ok_or_else(|| {
        Exit::usage(text!(
            "no result of these runs matches; leave --only out, or name other runs"
        ))
    })?;
    print(document, sides, arguments)
}

/// `--ratio`: rows of each run divided by others of it.
pub(super) fn ratios(
    ratio: &Ratio,
    arguments: &CompareArguments,
    sides: &[FoundRun],
) -> Result<(), Exit> {
    let figure = arguments.rendering.table.unit.figure();
    let runs: Vec<PivotRun<'_>> = sides.iter().map(FoundRun::in_pivot).collect();
    let document = PivotDocument::of_ratios(&runs, ratio, figure);
    let document = document.ok_or_else(|| {
        Exit::usage(text!(
            "no run has two rows whose names differ in this alone; sokudo show RUN shows the names of its rows"
        ))
    })?;
    print(document, sides, arguments)
}

fn print(
    document: PivotDocument,
    sides: &[FoundRun],
    arguments: &CompareArguments,
) -> Result<(), Exit> {
    let document = PivotDocument {
        command: command_line::as_given(),
        ..document
    };
    let document = print::masked(document, &documents(sides), arguments.masking)?;
    print::write_document(&document, &arguments.rendering)?;
    picture::write_all(
        |language| plot::pivot(&document, language),
        &arguments.pictures,
    )
}

/// The runs that a name stands for: `all` that are kept, `tag:TAG`, or one.
pub(super) fn named(
    name: &str,
    recall: &mut Recall<'_>,
    progress: &ProgressBar,
) -> Result<Vec<FoundRun>, Exit> {
    let tag = name.strip_prefix("tag:");
    if name != "all" && tag.is_none() {
        progress.inc(1);
        return recall.runs(name);
    }
    let filter = Filter {
        tags: tag.map(str::to_owned).into_iter().collect(),
        ..Filter::default()
    };
    let page = Page {
        skip: 0,
        count: RUNS_MAX,
    };
    let entries = recall.store()?.list(&filter, page).map_err(Exit::failed)?;
    if entries.is_empty() {
        return Err(Exit::usage(text!(
            "no kept run matches {name}; sokudo list shows all kept runs"
        )));
    }
    progress.inc_length(entries.len() as u64);
    progress.inc(1);
    // The oldest first, as people tell what happened.
    recall.compared(entries.into_iter().rev().collect(), progress)
}
