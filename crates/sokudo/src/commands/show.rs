//! `sokudo show`: kept runs in any format, on the terminal or in files. `report` and `plot` are older
//! names of it, which write a report or a picture where no format is named. Nothing leaves the
//! machine: files are written where they were asked for.

pub(crate) mod arguments;

use std::path::{Path, PathBuf};

use sokudo_history::find::{FoundRun, Recall};
use sokudo_history::{replay, runs};
use sokudo_methods::matrix;
use sokudo_report::plot::{self, PlotFigure, Size};
use sokudo_report::report::{ReportStyle, ReportedRun};
use sokudo_report::{JudgementDocument, Report, RunDocument};
use sokudo_store::Page;
use sokudo_terminal::arguments::pictures::{Destination, destination};
use sokudo_terminal::arguments::printing::{of_ending, result_file};
use sokudo_terminal::exit::Exit;
use sokudo_terminal::print::{self, RunDetail};
use sokudo_terminal::{event_stream, invocation, language, output, picture, remedies};
use sokudo_tools::crystaldiskmark;
use sokudo_words::{Language, text};

use crate::commands::show::arguments::{ShowArguments, ShowFormat};

/// What it was called when it was three commands.
pub(crate) const OLDER_NAMES: [&str; 2] = ["report", "plot"];

/// More runs make a page that no browser likes, and that nobody reads.
const RUNS_MAX: u64 = 1_000;

/// A format, and the file that it goes to; `None` is standard output.
type ShowDestination = (ShowFormat, Option<PathBuf>);

pub(crate) fn run(mut arguments: ShowArguments) -> Result<(), Exit> {
    let default = default_format();
    if default == ShowFormat::Picture {
        // Pictures stand behind the run: what else is named there may be another run.
        let files = arguments.runs.drain(arguments.runs.len().min(1)..);
        for file in files {
            destination(&file).map_err(Exit::usage)?;
            arguments.outputs.push(PathBuf::from(file));
        }
    }
    let is_filtered = arguments.device.is_some() || arguments.which.is_given();
    if arguments.runs.is_empty() && !is_filtered {
        if default == ShowFormat::Markdown {
            let missing = "<RUN>";
            return Err(Exit::usage(text!(
                "required arguments are missing: {missing}"
            )));
        }
        arguments.runs.push("last".to_owned());
    }
    let destinations = destinations(&arguments, default)?;
    let mut recall = Recall::new(&arguments.keeping);
    let found = recalled(&arguments, &mut recall)?;
    let is_report = default == ShowFormat::Markdown
        || is_filtered
        || found.len() != 1
        || arguments.title.is_some()
        || arguments.masking.mask_serial;
    if is_report && arguments.is_of_one_run() {
        return Err(Exit::usage(text!(
            "--card, --judge-again, --plot and --plot-kind work for a single run; name one run, without --title and --mask-serial"
        )));
    }
    let id = found.first().and_then(|it| it.id);
    let report = report(found, &arguments)?;
    let own = report.runs.first().filter(|_| !is_report);
    if let Some(own) = own {
        if arguments.judge_again {
            return judge_again(own, &destinations, &arguments);
        }
        if event_stream::wanted().is_some() {
            return replay::retell(&own.run, id.map(|id| id.0));
        }
        if let Some(id) = id.filter(|_| destinations.contains(&(ShowFormat::Table, None))) {
            let entry = recall.store()?.entry(id).map_err(Exit::failed)?;
            output::print_coloured(&runs::listed(entry).heading(&output::terminal_style()))?;
        }
    }
    let rest = print::rest(id, false);
    let detail = RunDetail::of(arguments.telling, &rest);
    let shown = ShownRuns {
        report: &report,
        own: own.map(|it| &it.run),
        detail,
        arguments: &arguments,
    };
    for (format, path) in &destinations {
        shown.write(*format, path.as_deref())?;
    }
    match shown.own {
        Some(run) => print::draw(run, &arguments.plotting, detail),
        None => Ok(()),
    }
}

/// The format where none is named: that of the name that was typed. Only --lang CODE stands before it.
fn default_format() -> ShowFormat {
    let words = invocation::current().arguments().into_iter().skip(1);
    let mut formats = words.filter_map(|word| match word.to_str()? {
        "show" => Some(ShowFormat::Table),
        "report" => Some(ShowFormat::Markdown),
        "plot" => Some(ShowFormat::Picture),
        _ => None,
    });
    formats.next().unwrap_or(ShowFormat::Table)
}

/// Where everything goes, which can be written there.
fn destinations(
    arguments: &ShowArguments,
    default: ShowFormat,
) -> Result<Vec<ShowDestination>, Exit> {
    let named = |path: &PathBuf| -> Result<ShowDestination, Exit> {
        let file = result_file(Some(path.as_path()));
        let format = match (arguments.format, file) {
            (Some(format), _) => format,
            (None, None) => default,
            (None, Some(path)) => of_file(path, default)?,
        };
        Ok((format, file.map(Path::to_owned)))
    };
    let destinations = arguments.outputs.iter().map(named);
    let mut destinations = destinations.collect::<Result<Vec<_>, Exit>>()?;
    if destinations.is_empty() {
        destinations.push((arguments.format.unwrap_or(default), None));
    }
    let mut formats = destinations.iter().map(|(format, _)| *format);
    if !cfg!(feature = "png") && formats.any(|format| format == ShowFormat::Png) {
        return Err(Exit::usage(text!(
            "this sokudo was built without PNG (cargo feature png); write .svg"
        )));
    }
    if invocation::is_output_terminal() && destinations.contains(&(ShowFormat::Png, None)) {
        return Err(Exit::usage(text!(
            "this format is not for a terminal; name a file with --output"
        )));
    }
    let mut printed = destinations.iter().filter(|(_, path)| path.is_none());
    let is_for_programs = printed.any(|(format, _)| !format.is_for_people());
    let files = destinations.iter().filter_map(|(_, path)| path.as_deref());
    let files: Vec<&Path> = files.collect();
    print::check_destinations(is_for_programs, &files, arguments.plotting.destinations())?;
    Ok(destinations)
}

/// What the end of a file's name says.
fn of_file(path: &Path, default: ShowFormat) -> Result<ShowFormat, Exit> {
    if (path.extension()).is_some_and(|ending| ending.eq_ignore_ascii_case("pdf")) {
        return Err(Exit::usage(text!(
            "{} cannot be written: sokudo writes no PDF; write .html, open it in a browser and print it to a file",
            path.display()
        )));
    }
    let ending = path.extension().map(|it| it.to_ascii_lowercase());
    let is_table = ending.is_none_or(|it| it == "txt" || it == "log");
    match of_ending(path) {
        // CrystalDiskMark's layout is a report's; a table is text, too.
        _ if is_table && default == ShowFormat::Table => Ok(default),
        Some(format) => Ok(format),
        None => Err(Exit::usage(text!(
            "unknown extension of {}; use .html, .md, .csv, .json, .jsonl, .txt, .prom, .svg or .png, or give --format",
            path.display()
        ))),
    }
}

/// The runs that are named, or those of the store that fit, the oldest first.
fn recalled(arguments: &ShowArguments, recall: &mut Recall<'_>) -> Result<Vec<FoundRun>, Exit> {
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

/// The runs with what was written about them.
fn report(found: Vec<FoundRun>, arguments: &ShowArguments) -> Result<Report, Exit> {
    let runs = found.into_iter().map(|found| ReportedRun {
        source: found.source,
        note: found.annotations.note,
        tags: found.annotations.tags,
        run: found.run,
    });
    let report = Report::new(arguments.title.clone(), runs.collect());
    let matrices = matrix::of_report(&report);
    print::masked(report.with_matrices(matrices), &[], arguments.masking)
}

/// Judges the run by today's rules and writes the difference. It stays as it was kept.
fn judge_again(
    kept: &ReportedRun,
    destinations: &[ShowDestination],
    arguments: &ShowArguments,
) -> Result<(), Exit> {
    let has_form = |format| matches!(format, ShowFormat::Table | ShowFormat::Json);
    if !destinations.iter().all(|(format, _)| has_form(*format)) {
        return Err(Exit::usage(text!(
            "--judge-again prints a table or JSON; use --format json, or leave --format out"
        )));
    }
    let mut run = kept.run.run.clone();
    sokudo_analysis::judge(&mut run);
    let now = RunDocument::new(remedies::worded(run));
    let document = JudgementDocument::new(&kept.source, &kept.run, &now);
    destinations.iter().try_for_each(|(format, path)| {
        let path = path.as_deref();
        let is_table = *format == ShowFormat::Table;
        let text = match is_table {
            true => document.render(&output::style(path.is_none(), arguments.table.unit)),
            false => document.to_json(),
        };
        output::put(path, &text, is_table)
    })
}

/// What is shown: runs, of which one by itself has forms of its own.
struct ShownRuns<'a> {
    report: &'a Report,
    own: Option<&'a RunDocument>,
    detail: RunDetail<'a>,
    arguments: &'a ShowArguments,
}

impl ShownRuns<'_> {
    fn write(&self, format: ShowFormat, path: Option<&Path>) -> Result<(), Exit> {
        let format = match format {
            ShowFormat::Table if self.own.is_none() => ShowFormat::Markdown,
            other => other,
        };
        let bytes = self.rendered(format, path.is_none())?;
        match (path, std::str::from_utf8(&bytes)) {
            (Some(path), _) => output::write_file(path, &bytes),
            (None, Ok(text)) => output::put(None, text, format.is_for_people()),
            (None, Err(_)) => output::print_bytes(&bytes),
        }
    }

    fn rendered(&self, format: ShowFormat, is_here: bool) -> Result<Vec<u8>, Exit> {
        if let (Some(run), Some(form)) = (self.own, format.of_run()) {
            let style = output::style(is_here, self.arguments.table.unit);
            return Ok(print::rendered(run, form, &style, self.detail).into_bytes());
        }
        let report = self.report;
        let style = ReportStyle {
            language: language::current(),
            theme: self.arguments.plotting.colours.theme,
        };
        let text = match format {
            ShowFormat::Html => report.html(style),
            ShowFormat::Table | ShowFormat::Markdown => report.markdown(style),
            ShowFormat::Csv => report.csv(),
            ShowFormat::Json => report.to_json(),
            ShowFormat::Jsonl => report.json_lines(),
            ShowFormat::Text => crystaldiskmark::render(report),
            ShowFormat::Prometheus => report.prometheus(),
            ShowFormat::Picture => {
                let (figure, _) = self.figure(picture::spoken_in(&Destination::Terminal))?;
                picture::on_terminal(&figure)
            }
            ShowFormat::Svg => {
                let (figure, size) = self.figure(style.language)?;
                plot::svg(&figure, size, style.theme)
            }
            ShowFormat::Png => {
                let (figure, size) = self.figure(style.language)?;
                return picture::png(&figure, size, style.theme);
            }
        };
        Ok(text.into_bytes())
    }

    /// The picture of the run, or of all runs.
    fn figure(&self, language: Language) -> Result<(PlotFigure, Size), Exit> {
        let kind = self.arguments.plotting.kind.kind;
        let drawn = match self.own {
            Some(run) => plot::figure(run, kind, language),
            None => self.report.picture(language),
        };
        let figure = drawn.map_err(Exit::usage)?;
        let size = Size::fitting(&figure);
        Ok((figure, size))
    }
}
