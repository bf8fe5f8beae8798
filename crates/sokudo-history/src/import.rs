//! `sokudo import`: what other tools have printed becomes runs, which are shown and kept.
//!
//! What a text is of, and what is wrong in it, `sokudo-tools` knows. A run that is kept
//! already is not kept twice.

pub mod arguments;

use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

use sokudo_model::{ImportedRun, Provenance, Run, is_label};
use sokudo_report::document::{names_schema, pack, unpack};
use sokudo_report::{RunDocument, csv, markdown, text};
use sokudo_store::{Filter, NewRun, Page, RunId, Store};
use sokudo_terminal::arguments::printing::Format;
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::{event_stream, invocation, language, output, print};
use sokudo_tools::{Import, LeftOut};
use sokudo_words::text;

use crate::import::arguments::ImportArguments;
use crate::{keep, result_file};

/// By its beginning a document of sokudo's own is told.
const HEAD_BYTES: usize = 4_096;
/// Runs of one device that began at the same instant, or at none, are looked through for
/// the one that is to be kept.
const ALIKE_MAX: u64 = 1_000;

pub fn run(arguments: &ImportArguments) -> Result<(), Exit> {
    let from_standard_input = arguments
        .files
        .iter()
        .filter(|file| file.as_os_str() == "-");
    if from_standard_input.count() > 1 {
        return Err(Exit::usage(text!(
            "- is given twice, but standard input can be read once; name files"
        )));
    }
    let path = arguments.rendering.output();
    print::check_rendering(&arguments.rendering, std::iter::empty())?;
    output::check_writable(path)?;
    let mut store = keep::opened(&arguments.keeping).map_err(Exit::Failed)?;
    let mut printed = Printed::default();
    let mut is_whole = true;
    for file in &arguments.files {
        let name = file.display();
        match read(file, arguments) {
            Ok(read) => {
                for left in &read.left_out {
                    exit::note(result_file::left_out(file, left));
                }
                for run in read.runs {
                    let run = labelled(run, arguments.label.as_ref());
                    let is_for_page = event_stream::is_for_page();
                    if (!arguments.quiet || path.is_some()) && !is_for_page {
                        printed.print(&run, arguments)?;
                    }
                    let id = store.as_mut();
                    let id = id.map(|store| kept(store.as_mut(), &run, arguments));
                    is_whole &= id.is_none_or(|id| id.is_some());
                    if is_for_page {
                        event_stream::done(&run, id.flatten().map(|id| id.0));
                    }
                }
            }
            Err(error) => {
                exit::fault(text!("{name} {error}"));
                is_whole = false;
            }
        }
    }
    if let Some(path) = path {
        output::write_file(path, printed.text)?;
    }
    match is_whole {
        true => Ok(()),
        false => Err(Exit::FailedAsReported),
    }
}

/// What a file held.
struct ImportedFile {
    runs: Vec<RunDocument>,
    left_out: Vec<LeftOut>,
}

fn read(file: &Path, arguments: &ImportArguments) -> anyhow::Result<ImportedFile> {
    let unread = |error: io::Error| text!("cannot be read: {error}");
    if file.is_dir() {
        anyhow::bail!(text!("is a directory; name the files in it"));
    }
    let mut source = BufReader::new(result_file::open(file).map_err(unread)?);
    let mut head = Vec::new();
    source
        .by_ref()
        .take(HEAD_BYTES as u64)
        .read_to_end(&mut head)
        .map_err(unread)?;
    let is_own = is_own(&head);
    let whole = Cursor::new(head).chain(source);
    if is_own {
        return own(whole);
    }
    let Import { mut runs, left_out } = result_file::imported(file, whole)?;
    for run in &mut runs {
        complete(run, arguments);
    }
    Ok(ImportedFile {
        runs: runs
            .into_iter()
            .map(|run| result_file::judged(run, arguments.trim))
            .collect(),
        left_out,
    })
}

/// Whether what begins so is a document of sokudo's own.
pub fn is_own(begin: &[u8]) -> bool {
    let head = begin.get(..HEAD_BYTES).unwrap_or(begin);
    names_schema(&String::from_utf8_lossy(head))
}

/// Such a document, as from another machine.
fn own(source: impl Read) -> anyhow::Result<ImportedFile> {
    let text = result_file::read_bounded(source)?;
    Ok(ImportedFile {
        runs: vec![RunDocument::from_json(&text)?],
        left_out: Vec::new(),
    })
}

/// What the user knows besides.
fn complete(run: &mut ImportedRun, arguments: &ImportArguments) {
    let date = arguments.date.map(|it| it.begin(invocation::now()));
    run.started_at = run.started_at.or(date);
    let target = &mut run.target;
    if let Some(device) = &arguments.device {
        target.name.clone_from(device);
    }
    if arguments.model.is_some() {
        target.model.clone_from(&arguments.model);
    }
    if arguments.serial.is_some() {
        target.serial.clone_from(&arguments.serial);
    }
}

/// The run called so, if it is to be called anything.
fn labelled(mut run: RunDocument, label: Option<&String>) -> RunDocument {
    if label.is_some() {
        run.label = label.cloned();
    }
    run
}

/// What has been printed so far.
#[derive(Default)]
struct Printed {
    documents: usize,
    /// What is to be written to a file.
    text: String,
}

impl Printed {
    fn print(&mut self, document: &RunDocument, arguments: &ImportArguments) -> Result<(), Exit> {
        let unit = arguments.rendering.table.unit;
        let (output, format) = (arguments.rendering.output(), arguments.rendering.form());
        let is_first = self.documents == 0;
        self.documents += 1;
        let between = if is_first { "" } else { "\n" };
        let text = match format {
            Format::Table | Format::Nagios | Format::Prom => {
                let style = output::style(output.is_none(), unit);
                format!("{between}{}", text::render(document, &style))
            }
            Format::Json => document.to_json(),
            Format::Csv => without_names(csv::render(document), is_first),
            Format::Markdown => format!(
                "{between}{}",
                markdown::render_in(
                    document,
                    output::style(false, unit).unit,
                    language::current()
                )
            ),
        };
        if output.is_some() {
            self.text += &text;
            return Ok(());
        }
        output::put(None, &text, format == Format::Table)
    }
}

/// Names of columns stand above all runs once.
fn without_names(text: String, is_first: bool) -> String {
    match text.split_once('\n') {
        Some((_, lines)) if !is_first => lines.to_owned(),
        _ => text,
    }
}

/// Keeps a run unless it is there; its number, if it is there then.
fn kept(
    store: &mut dyn Store,
    document: &RunDocument,
    arguments: &ImportArguments,
) -> Option<RunId> {
    let kept_import = match keep_once(store, document, arguments) {
        Ok(kept_import) => kept_import,
        Err(error) => {
            exit::fault(text!("this run is not kept: {error}"));
            return None;
        }
    };
    let (run, note) = match kept_import {
        KeptImport::Now(run) => (run, text!("kept as run {run}: sokudo show {run}")),
        KeptImport::Before(run) => (run, text!("already kept as run {run}")),
    };
    if !arguments.quiet {
        exit::note(note);
    }
    Some(run)
}

enum KeptImport {
    Now(RunId),
    Before(RunId),
}

fn keep_once(
    store: &mut dyn Store,
    document: &RunDocument,
    arguments: &ImportArguments,
) -> anyhow::Result<KeptImport> {
    let run = keep::new_run(document, pack(&document.run)?);
    let (id, kept) = match alike(store, &run, document)? {
        Some(before) => (before, KeptImport::Before(before)),
        None => {
            let id = store.keep(&run)?;
            (id, KeptImport::Now(id))
        }
    };
    if let Some(label) = document.label.as_ref().filter(|it| is_label(it)) {
        keep::label(store, id, label)?;
    }
    if !arguments.tags.is_empty() {
        keep::relabelled(store, id, &arguments.tags, &[])?;
    }
    if let Some(note) = &arguments.note {
        let earlier = store.entry(id)?.note;
        if earlier.is_empty() {
            store.note(id, note)?;
        } else if earlier != *note {
            exit::note(text!(
                "run {id} keeps its earlier note; sokudo edit {id} --note TEXT replaces it"
            ));
        }
    }
    Ok(kept)
}

/// The run that holds the same, whatever the file was called.
fn alike(
    store: &mut dyn Store,
    run: &NewRun,
    document: &RunDocument,
) -> anyhow::Result<Option<RunId>> {
    let filter = Filter {
        device_identity: Some(run.device.clone()),
        since: Some(run.started_at),
        until: run.started_at.0.checked_add(1).map(sokudo_model::Nanos),
        ..Filter::default()
    };
    let page = Page {
        skip: 0,
        count: ALIKE_MAX,
    };
    for entry in store.list(&filter, page)? {
        let kept = &entry.run;
        if kept.method != run.method || kept.rows != run.rows {
            continue;
        }
        let other = unpack(&store.document(entry.id)?);
        if other.is_ok_and(|other| content(other) == content(document.run.clone())) {
            return Ok(Some(entry.id));
        }
    }
    Ok(None)
}

/// All of a run but the name of the file that it was read from, and by which sokudo.
fn content(mut run: Run) -> Run {
    run.sokudo_version = String::new();
    run.label = None;
    if let Provenance::Reported(origin) = &mut run.provenance {
        origin.file = None;
    }
    run
}
