//! `sokudo compare --pivot`: many runs as one matrix, and runs that are named by what they
//! have in common.

use indicatif::ProgressBar;
use sokudo_history::find::{FoundRun, Recall};
use sokudo_report::PivotDocument;
use sokudo_report::pivot::{self, Pivot, PivotRun, Ratio};
use sokudo_report::plot;
use sokudo_store::{Filter, Page};
use sokudo_terminal::arguments::printing::Format;
use sokudo_terminal::exit::Exit;
use sokudo_terminal::{command_line, language, output, picture};
use sokudo_words::text;

use crate::commands::compare::arguments::{Axes, CompareArguments};

/// More runs than this are no table that anybody reads.
const RUNS_MAX: u64 = 10_000;

pub(super) fn run(
    axes: &Axes,
    arguments: &CompareArguments,
    sides: &[FoundRun],
) -> Result<(), Exit> {
    let runs = of_sides(sides);
    let asked = Pivot {
        rows: axes.rows.clone(),
        columns: axes.columns.clone(),
        only: arguments.shape.only.clone(),
        value: arguments.shape.value,
        unit: output::style(false, arguments.rendering.unit).unit,
    };
    let document = PivotDocument::new(&runs, &asked).ok_or_else(|| {
        Exit::usage(text!(
            "no result of these runs matches; leave --only out, or name other runs"
        ))
    })?;
    let document = PivotDocument {
        command: command_line::as_given(),
        ..document
    };
    print(&document, arguments)
}

fn of_sides<'a>(sides: &'a [FoundRun]) -> Vec<PivotRun<'a>> {
    let run = |side: &'a FoundRun| {
        let FoundRun {
            source, said, run, ..
        } = side;
        PivotRun {
            run,
            source,
            tags: &said.tags,
        }
    };
    sides.iter().map(run).collect()
}

/// `--ratio`: rows of each run divided by others of it.
pub(super) fn ratios(
    ratio: &Ratio,
    arguments: &CompareArguments,
    sides: &[FoundRun],
) -> Result<(), Exit> {
    let figure = arguments.rendering.unit.figure();
    let document = PivotDocument::of_ratios(&of_sides(sides), ratio, figure);
    let document = document.ok_or_else(|| {
        Exit::usage(text!(
            "no run has two rows whose names differ in this alone; sokudo show RUN shows the names of its rows"
        ))
    })?;
    let document = PivotDocument {
        command: command_line::as_given(),
        ..document
    };
    print(&document, arguments)
}

pub(super) fn print(document: &PivotDocument, arguments: &CompareArguments) -> Result<(), Exit> {
    let path = arguments.rendering.output.as_deref();
    let text = match arguments.rendering.format {
        Format::Table => {
            let style = output::style(path.is_none(), arguments.rendering.unit);
            pivot::render_table(document, &style)
        }
        Format::Json => document.to_json(),
        Format::Csv => pivot::render_csv(document),
        Format::Markdown => pivot::render_markdown(document, language::current()),
    };
    output::put(path, &text, arguments.rendering.format == Format::Table)?;
    draw(document, arguments)
}

/// Draws a matrix wherever it was asked for.
fn draw(document: &PivotDocument, arguments: &CompareArguments) -> Result<(), Exit> {
    picture::write_all(
        |language| plot::pivot(document, language),
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
