//! `sokudo compare --pivot`: many runs as one matrix, and runs that are named by what they
//! have in common.

use anyhow::anyhow;
use sokudo_report::PivotDocument;
use sokudo_report::pivot::{self, Pivot, PivotRun, Value};
use sokudo_report::plot;
use sokudo_store::{Filter, Page, RunId};

use super::kept;
use crate::cli::{Axes, CompareArguments, Format, ValueName};
use crate::exit::Exit;
use crate::recall::{self, Recalled};
use crate::{command_line, keep, language, output, picture};

/// More runs than this are no table that anybody reads.
const RUNS_MAX: u64 = 10_000;

/// Prints the matrix, and draws it.
pub(super) fn run(axes: &Axes, arguments: &CompareArguments) -> Result<(), Exit> {
    let sides = kept(arguments)?;
    let tags = tags(&sides, arguments)?;
    let runs: Vec<PivotRun<'_>> = sides
        .iter()
        .zip(&tags)
        .map(|(side, tags)| PivotRun {
            run: &side.run,
            source: &side.source,
            tags,
        })
        .collect();
    let asked = Pivot {
        rows: axes.rows.clone(),
        columns: axes.columns.clone(),
        only: arguments.shape.only.clone(),
        value: match arguments.shape.value {
            ValueName::Rate => Value::Rate,
            ValueName::Latency => Value::Latency,
        },
        unit: output::style(false, arguments.rendering.unit).unit,
    };
    let document = PivotDocument::new(&runs, &asked).ok_or_else(|| {
        Exit::usage(anyhow!(
            "no result of these runs has what is asked for; leave out --only, or name other runs"
        ))
    })?;
    let document = PivotDocument {
        command: command_line::as_given(),
        ..document
    };
    print(&document, arguments)
}

/// Prints a matrix, and draws it.
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
pub(super) fn draw(document: &PivotDocument, arguments: &CompareArguments) -> Result<(), Exit> {
    let Some(figure) = plot::pivot(document) else {
        return Ok(());
    };
    picture::write_all(&figure, &arguments.pictures)
}

/// The runs that a name stands for: `all` that are kept, `tag:TAG`, or one.
pub(super) fn named(name: &str, arguments: &CompareArguments) -> Result<Vec<Recalled>, Exit> {
    let tag = name.strip_prefix("tag:");
    if name != "all" && tag.is_none() {
        return recall::runs(name, &arguments.keeping);
    }
    let filter = Filter {
        tags: tag.map(str::to_owned).into_iter().collect(),
        ..Filter::default()
    };
    let page = Page {
        skip: 0,
        count: RUNS_MAX,
    };
    let entries = keep::store(&arguments.keeping)?
        .list(&filter, page)
        .map_err(Exit::failed)?;
    if entries.is_empty() {
        return Err(Exit::usage(anyhow!(
            "no run is kept that {name} stands for; sokudo list shows those that are"
        )));
    }
    // The oldest first, as people tell what happened.
    let ids: Vec<RunId> = entries.iter().rev().map(|entry| entry.id).collect();
    ids.into_iter()
        .map(|id| recall::stored(id, &arguments.keeping))
        .collect()
}

/// The tags of each run: of those that are kept, as they are today.
fn tags(sides: &[Recalled], arguments: &CompareArguments) -> Result<Vec<Vec<String>>, Exit> {
    if sides.iter().all(|side| side.id.is_none()) {
        return Ok(sides.iter().map(|side| side.said.tags.clone()).collect());
    }
    let mut store = keep::store(&arguments.keeping)?;
    sides
        .iter()
        .map(|side| match side.id {
            Some(id) => Ok(store.entry(id).map_err(Exit::failed)?.tags),
            None => Ok(side.said.tags.clone()),
        })
        .collect()
}
