//! `sokudo report`: kept runs as something to be posted, pasted, printed or read by
//! programs. Nothing leaves the machine: files are written where they were asked for.

pub(crate) mod arguments;

use std::path::{Path, PathBuf};

use sokudo_history::arguments::which::RunFilterArguments;
use sokudo_history::find::{FoundRun, Recall};
use sokudo_history::plot::{self, arguments::PlotArguments};
use sokudo_history::runs::{self, arguments::ShowArguments};
use sokudo_methods::matrix;
use sokudo_report::Report;
use sokudo_report::plot as pictures;
use sokudo_report::report::{ReportStyle, ReportedRun};
use sokudo_store::Page;
use sokudo_terminal::arguments::pictures::destination;
use sokudo_terminal::arguments::printing::Format;
use sokudo_terminal::exit::Exit;
use sokudo_terminal::picture;
use sokudo_terminal::{invocation, language, output};
use sokudo_tools::crystaldiskmark;
use sokudo_words::text;

use crate::commands::report::arguments::{ReportArguments, ReportFormat};

/// More runs make a page that no browser likes, and that nobody reads.
const RUNS_MAX: u64 = 1_000;

pub(crate) fn run(arguments: &ReportArguments) -> Result<(), Exit> {
    let destinations = destinations(arguments)?;
    for (_, path) in &destinations {
        output::check_writable(path.as_deref())?;
    }
    let runs = recalled(arguments)?.into_iter().map(reported).collect();
    let report = Report::new(arguments.title.clone(), runs);
    let matrices = matrix::of_report(&report);
    let report = report.with_matrices(matrices);
    let report = match arguments.mask_serial {
        true => report.masked().map_err(Exit::usage)?,
        false => report,
    };
    let style = ReportStyle {
        language: language::current(),
        theme: arguments.theme,
    };
    for (format, path) in destinations {
        let bytes = rendered(&report, format, style)?;
        match path {
            None => match std::str::from_utf8(&bytes) {
                Ok(text) => output::print(text)?,
                Err(_) => output::print_bytes(&bytes)?,
            },
            Some(path) => output::write_file(&path, bytes)?,
        }
    }
    Ok(())
}

/// `sokudo show RUN -o FILE`: as the end of FILE says, where no format is given.
pub(crate) fn show(mut arguments: ShowArguments) -> Result<(), Exit> {
    let output = arguments.rendering.output.clone();
    let by_ending = arguments.rendering.format == Format::Table && !arguments.judge_again;
    let Some(path) = output.filter(|_| by_ending) else {
        return runs::show(&arguments);
    };
    match of_file(&path).ok() {
        Some(ReportFormat::Json) => arguments.rendering.format = Format::Json,
        Some(ReportFormat::Csv) => arguments.rendering.format = Format::Csv,
        Some(ReportFormat::Markdown) => arguments.rendering.format = Format::Markdown,
        Some(ReportFormat::Svg | ReportFormat::Png) => {
            let picture = destination(&path.to_string_lossy()).map_err(Exit::usage)?;
            return plot::run(&PlotArguments {
                result: arguments.run,
                destinations: vec![picture],
                kind: arguments.plotting.kind,
                colours: arguments.plotting.pictures.colours,
                keeping: arguments.keeping,
            });
        }
        Some(ReportFormat::Html | ReportFormat::Jsonl | ReportFormat::Prometheus) => {
            return run(&ReportArguments {
                runs: vec![arguments.run],
                device: None,
                which: RunFilterArguments::default(),
                outputs: vec![path],
                format: None,
                title: None,
                theme: arguments.plotting.pictures.colours.theme,
                mask_serial: false,
                keeping: arguments.keeping,
            });
        }
        // CrystalDiskMark's layout is a report's; a table is text, too.
        Some(ReportFormat::Text) => {}
        None if path
            .extension()
            .is_some_and(|it| it.eq_ignore_ascii_case("pdf")) =>
        {
            of_file(&path)?;
        }
        None => {}
    }
    runs::show(&arguments)
}

/// The runs that are named, or those of the store that fit, the oldest first.
fn recalled(arguments: &ReportArguments) -> Result<Vec<FoundRun>, Exit> {
    let mut recall = Recall::new(&arguments.keeping);
    if !arguments.runs.is_empty() {
        let runs = arguments.runs.iter();
        let runs: Vec<_> = runs
            .map(|name| recall.runs(name))
            .collect::<Result<_, _>>()?;
        return Ok(runs.into_iter().flatten().collect());
    }
    let page = Page {
        skip: 0,
        count: RUNS_MAX + 1,
    };
    let device = arguments.device.as_deref();
    let entries = runs::found(recall.store()?, device, &arguments.which, page)?;
    if entries.is_empty() {
        return Err(Exit::usage(text!(
            "no kept run matches; sokudo list shows all kept runs"
        )));
    }
    if entries.len() as u64 > RUNS_MAX {
        return Err(Exit::usage(text!(
            "more than {RUNS_MAX} runs match, too many for one report; choose a shorter time with --since and --until"
        )));
    }
    recall.of_entries(entries.into_iter().rev().collect())
}

/// Every format with the file that it goes to; `None` is standard output.
fn destinations(arguments: &ReportArguments) -> Result<Vec<(ReportFormat, Option<PathBuf>)>, Exit> {
    if arguments.outputs.is_empty() {
        let format = arguments.format.unwrap_or(ReportFormat::Markdown);
        check_format(format)?;
        let is_binary = format == ReportFormat::Png;
        if is_binary && invocation::is_output_terminal() {
            return Err(Exit::usage(text!(
                "this format is not for a terminal; name a file with --output"
            )));
        }
        return Ok(vec![(format, None)]);
    }
    let mut destinations = Vec::new();
    for path in &arguments.outputs {
        let format = match arguments.format {
            Some(format) => format,
            None => of_file(path)?,
        };
        check_format(format)?;
        let is_standard_output = path.as_os_str() == "-";
        let path = (!is_standard_output).then(|| path.clone());
        if destinations.iter().any(|(_, other)| *other == path) {
            return Err(Exit::usage(text!(
                "{} is given twice, and the second result would overwrite the first; name two files",
                path.as_deref().unwrap_or(Path::new("-")).display()
            )));
        }
        destinations.push((format, path));
    }
    Ok(destinations)
}

fn of_file(path: &Path) -> Result<ReportFormat, Exit> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    if ending.is_some_and(|ending| ending.eq_ignore_ascii_case("pdf")) {
        return Err(Exit::usage(text!(
            "{} cannot be written: sokudo writes no PDF; write .html, open it in a browser and print it to a file",
            path.display()
        )));
    }
    ending.and_then(ReportFormat::of_ending).ok_or_else(|| {
        Exit::usage(text!(
            "unknown extension of {}; use .html, .md, .csv, .json, .jsonl, .txt, .prom, .svg or .png, or give --format",
            path.display()
        ))
    })
}

/// Fails early for what this program was built without.
fn check_format(format: ReportFormat) -> Result<(), Exit> {
    match format {
        ReportFormat::Png if !cfg!(feature = "png") => Err(Exit::usage(text!(
            "this sokudo was built without PNG (cargo feature png); write .svg"
        ))),
        _ => Ok(()),
    }
}

/// The run with what was said of it.
fn reported(recalled: FoundRun) -> ReportedRun {
    ReportedRun {
        source: recalled.source,
        note: recalled.annotations.note,
        tags: recalled.annotations.tags,
        run: recalled.run,
    }
}

fn rendered(report: &Report, format: ReportFormat, style: ReportStyle) -> Result<Vec<u8>, Exit> {
    let text = match format {
        ReportFormat::Html => report.html(style),
        ReportFormat::Markdown => report.markdown(style),
        ReportFormat::Csv => report.csv(),
        ReportFormat::Json => report.to_json(),
        ReportFormat::Jsonl => report.json_lines(),
        ReportFormat::Text => crystaldiskmark::render(report),
        ReportFormat::Prometheus => report.prometheus(),
        ReportFormat::Svg => {
            let (figure, size) = report.picture(style.language).map_err(Exit::usage)?;
            pictures::svg(&figure, size, style.theme)
        }
        ReportFormat::Png => {
            let (figure, size) = report.picture(style.language).map_err(Exit::usage)?;
            return picture::png(&figure, size, style.theme);
        }
    };
    Ok(text.into_bytes())
}
