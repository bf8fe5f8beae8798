//! What a command leaves: its result in the format asked for, and pictures beside it.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use sokudo_report::plot::{PlotKind, fitting};
use sokudo_report::report::{self, ReportedRun};
use sokudo_report::{
    ChecksDocument, CsvForm, Report, RunDocument, TableStyle, csv, markdown, text,
};
use sokudo_store::RunId;
use sokudo_words::{Text, text};

use crate::arguments::pictures::{Destination, Plotting};
use crate::arguments::printing::{Format, Masking, Printing, Rendering, Telling, result_file};
use crate::arguments::store::Location;
use crate::exit::Exit;
use crate::output::{check_writable, put, style};
use crate::{language, picture};

/// Fails early when what a command that measures prints could not be written at the end.
pub fn check(printing: &Printing) -> Result<(), Exit> {
    check_rendering(&printing.rendering, printing.plotting.destinations())
}

/// Fails early when what was asked for could not be written at the end.
pub fn check_rendering<'a>(
    rendering: &'a Rendering,
    pictures: impl Iterator<Item = &'a Destination> + Clone,
) -> Result<(), Exit> {
    let output = rendering.output();
    if rendering.format.is_none()
        && let Some("svg" | "png" | "html" | "pdf") = rendering.ending().as_deref()
        && let Some(path) = output
    {
        return Err(Exit::usage(text!(
            "--output {} would hold a table; name pictures with --plot FILE, and write reports with sokudo show RUN… --output FILE.html, of a matrix with --tag matrix=ID in place of RUN",
            path.display()
        )));
    }
    check_destinations(rendering.is_for_programs(), output.as_slice(), pictures)
}

/// Fails early when one of several results, of which a program may read what is printed, or of
/// the pictures could not be written at the end.
pub fn check_destinations<'a>(
    is_for_programs: bool,
    outputs: &[&'a Path],
    pictures: impl Iterator<Item = &'a Destination> + Clone,
) -> Result<(), Exit> {
    if is_for_programs && pictures.clone().any(|it| *it == Destination::Terminal) {
        return Err(Exit::usage(text!(
            "the result and the picture of --plot - would be mixed; write one of them to a file (--output FILE, --plot FILE.svg)"
        )));
    }
    let pictures = pictures.filter_map(Destination::file);
    let mut files: Vec<&Path> = outputs.iter().copied().chain(pictures).collect();
    for path in &files {
        check_writable(Some(path))?;
    }
    files.retain(|path| !is_special(path));
    files.sort_unstable();
    match files.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => Err(Exit::usage(text!(
            "{} is given twice, and the second result would overwrite the first; name two files",
            pair[0].display()
        ))),
    }
}

/// Fails early when results would take the place of the file that is measured.
pub fn check_apart(target: &Path, printing: &Printing) -> Result<(), Exit> {
    let measured = identity(target);
    let mut files = all_files(printing);
    match files.find(|path| measured.is_some() && identity(path) == measured) {
        None => Ok(()),
        Some(path) => Err(Exit::refused(text!(
            "{} is the target of the measurement, and results would overwrite it; name another file",
            path.display()
        ))),
    }
}

/// What tells one file from another, whatever their names; `None` where there is none.
pub fn identity(path: &Path) -> Option<(u64, u64)> {
    let metadata = path.metadata().ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// The file system that holds it, by its number; that of the folder where it is not there yet.
fn file_system(path: &Path) -> Option<u64> {
    let mut above = path.ancestors();
    let is_there = above.find_map(|it| match it.as_os_str().is_empty() {
        true => Path::new(".").metadata().ok(),
        false => it.metadata().ok(),
    })?;
    Some(is_there.dev())
}

/// A file that results go to and that is on the file system of a target.
pub fn destination_on(target: &Path, printing: &Printing) -> Option<PathBuf> {
    let measured = target.metadata().ok().map(|it| it.dev());
    let store = match printing.keeping.location() {
        Ok(Location::File(path)) => Some(path),
        _ => None,
    };
    let mut files = all_files(printing).map(Path::to_owned).chain(store);
    files.find(|path| measured.is_some() && file_system(path) == measured)
}

/// Every file that a command that measures writes for whoever has typed it.
fn all_files(printing: &Printing) -> impl Iterator<Item = &Path> {
    let output = printing.rendering.output().into_iter();
    let pictures = printing.plotting.destinations();
    let results = output.chain(pictures.filter_map(Destination::file));
    results.chain(result_file(printing.events.as_deref()))
}

/// A pipe or a terminal takes one after the other.
fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file())
}

/// Writes what a command has measured, which is kept under this number.
pub fn write(document: &RunDocument, printing: &Printing, kept: Option<RunId>) -> Result<(), Exit> {
    let rest = rest(kept, true);
    let detail = RunDetail::of(printing.telling, &rest);
    let rendering = &printing.rendering;
    let (format, path) = (rendering.form(), rendering.output());
    let style = style(path.is_none(), rendering.table.unit);
    let text = rendered(document, format, &style, detail);
    match format {
        Format::Nagios => put_for_nagios(path, &text)?,
        _ => put(path, &text, format == Format::Table)?,
    }
    draw(document, &printing.plotting, detail)
}

/// Where the rest of a run is, by its number in the store and by whether it was measured just now:
/// one that was, and is not kept, is measured anew to tell it.
pub fn rest(kept: Option<RunId>, is_new: bool) -> Text {
    match (kept, is_new) {
        (Some(id), true) => {
            text!("Kept as run {id}; why, and how it was measured: sokudo show {id} --why")
        }
        (Some(id), false) => text!("Why, and how it was measured: sokudo show {id} --why"),
        (None, true) => text!(
            "Not kept; why, and how it was measured: the same command with --why, which measures again"
        ),
        (None, false) => text!("Why, and how it was measured: the same command with --why"),
    }
}

/// How much people are told of a run, and where the rest of it is.
#[derive(Clone, Copy)]
pub enum RunDetail<'a> {
    Everything,
    Answer(&'a Text),
    Card(&'a Text),
}

impl<'a> RunDetail<'a> {
    pub const fn of(telling: Telling, rest: &'a Text) -> Self {
        match telling {
            Telling { why: true, .. } => Self::Everything,
            Telling { card: true, .. } => Self::Card(rest),
            Telling { .. } => Self::Answer(rest),
        }
    }
}

/// A run in a format.
pub fn rendered(
    document: &RunDocument,
    format: Format,
    style: &TableStyle,
    detail: RunDetail<'_>,
) -> String {
    match format {
        Format::Table => match detail {
            RunDetail::Everything => text::render(document, style),
            RunDetail::Answer(rest) => text::answer(document, style, rest),
            RunDetail::Card(rest) => text::card(document, style, rest),
        },
        Format::Json => document.to_json(),
        Format::Csv => csv::render(document),
        Format::Markdown => markdown::render_in(document, style.unit, language::current()),
        Format::Nagios => document.to_nagios().0,
        Format::Prom => {
            let run = ReportedRun::new(String::new(), document.clone());
            Report::new(None, vec![run]).prometheus()
        }
    }
}

/// Writes the line that Nagios waits for: to standard output where its file cannot be written.
pub fn put_for_nagios(output: Option<&Path>, line: &str) -> Result<(), Exit> {
    put(output, line, false).or_else(|exit| {
        exit.tell();
        put(None, line, false)
    })
}

/// What Nagios gets that ended so: a line also where nothing could be measured, or only a part. It
/// takes 2 for a disk that is not OK.
pub fn ended_for_nagios(ended: Result<(), Exit>, output: Option<&Path>) -> Result<(), Exit> {
    let Some(why) = ended.as_ref().err().and_then(Exit::reason) else {
        return ended;
    };
    let (line, code) = ChecksDocument::nagios_unknown(&why.english());
    put_for_nagios(output, &line)?;
    Err(Exit::AsReported(code))
}

/// Draws the pictures of a run that were asked for beside its result.
pub fn draw(
    document: &RunDocument,
    plotting: &Plotting,
    detail: RunDetail<'_>,
) -> Result<(), Exit> {
    let kind = match detail {
        RunDetail::Card(_) => {
            PlotKind::named(PlotKind::CARD).filter(|it| fitting(document).contains(it))
        }
        RunDetail::Everything | RunDetail::Answer(_) => None,
    };
    picture::draw(document, plotting, kind)
}

/// The document of these runs as it is to be shown.
pub fn masked<D: Serialize + DeserializeOwned>(
    document: D,
    runs: &[&RunDocument],
    masking: Masking,
) -> Result<D, Exit> {
    match masking.mask_serial {
        true => report::masked(&document, runs).map_err(Exit::usage),
        false => Ok(document),
    }
}

/// Writes a document of several runs in the format asked for.
pub fn write_document(document: &impl CsvForm, rendering: &Rendering) -> Result<(), Exit> {
    let path = rendering.output();
    let style = style(path.is_none(), rendering.table.unit);
    let format = rendering.form();
    let text = match format {
        // No document of several runs is for programs that watch machines.
        Format::Table | Format::Nagios | Format::Prom => document.render(&style),
        Format::Json => document.to_json(),
        Format::Csv => document.to_csv(),
        Format::Markdown => document.to_markdown(style.unit, language::current()),
    };
    put(path, &text, format == Format::Table)
}
