//! `sokudo fit`: is a disk fast enough for something?
//!
//! What is measured and what it has to come to is said by [`plan`], what came of it by
//! `sokudo-report`.

pub mod arguments;
pub(crate) mod list;
pub(crate) mod picture;
pub mod plan;
pub(crate) mod table;
pub(crate) mod view;

use std::collections::BTreeSet;

use arguments::Arguments;
use plan::{Fit, FitQuestions, FitTarget, QUESTIONS_BYTES_MAX};
use sokudo_history::result_file;
use sokudo_measure::{Measurement, Named, OwnFiles};
use sokudo_model::{DataContent, FitQuestion, Nanos, Plan, Schedule, TargetKind};
use sokudo_report::view::showing_of;
use sokudo_terminal::arguments::printing::Format;
use sokudo_terminal::exit::Exit;
use sokudo_terminal::{language, output, print};
use sokudo_tools::fio::{self, JobFileTarget};
use sokudo_words::{Text, text};

use crate::argument_checks;
use crate::declared::{Declared, PageForm};
use crate::fit::list::FitListDocument;
use crate::fit::view::{FitAnswer, FitDocument};
use crate::measurement::{self, FinishedMeasurement};
use crate::measuring::{Measuring, Planned};

pub(crate) const DECLARED: Declared = Declared {
    form: PageForm::of_target(9, "what, time, runs"),
    kinds: &[&plan::METHOD],
    views: &[&view::VIEW],
    showings: &[showing_of::<FitDocument>],
    pictures: &[picture::LATENCY_AND_LIMIT],
    ..Declared::NONE
};

impl Measuring for Arguments {
    fn planned(&self) -> Result<Planned<'_>, Exit> {
        let fit = questions(self)?.ask(what(self)).map_err(Exit::usage)?;
        Ok(Planned::Rows(measurement(fit, self)?, None))
    }

    fn run(&self) -> Result<(), Exit> {
        match self.what.as_deref() {
            None | Some("list") => list(&questions(self)?, self),
            Some(_) => self.print(self.planned()?, None),
        }
    }

    fn conclude(&self, finished: FinishedMeasurement) -> Result<(), Exit> {
        let answer = finished.document.views.get::<FitDocument>();
        let answer = answer.and_then(|fit| fit.answer);
        finished.conclude(&self.shared.printing)?;
        match answer {
            Some(FitAnswer::TooSlow) => Err(Exit::FailedAsReported),
            Some(FitAnswer::CannotSay) => Err(Exit::not_trusted(text!(
                "whether {} is fast enough for {what} cannot be said; the first line of the result says why",
                self.target,
                what = what(self)
            ))),
            Some(FitAnswer::FastEnough) | None => Ok(()),
        }
    }
}

fn what(arguments: &Arguments) -> &str {
    arguments.what.as_deref().unwrap_or_default()
}

/// What can be asked.
fn questions(arguments: &Arguments) -> Result<FitQuestions, Exit> {
    let Some(file) = &arguments.file else {
        return Ok(FitQuestions::known());
    };
    let name = file.display().to_string();
    let unreadable = |error: std::io::Error| {
        Exit::failed(anyhow::Error::new(error).context(text!("{name} cannot be read")))
    };
    let reader = result_file::open(file).map_err(unreadable)?;
    let bytes = result_file::bounded(reader, QUESTIONS_BYTES_MAX).map_err(unreadable)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Exit::usage(text!("{name} is no text; see docs/FIT.md for its form")))?;
    language::spoken(|| FitQuestions::read(&text))
        .map_err(|error| Exit::usage(text!("{name}, {}", error.to_string())))
}

fn list(questions: &FitQuestions, arguments: &Arguments) -> Result<(), Exit> {
    let rendering = &arguments.shared.printing.rendering;
    print::check(&arguments.shared.printing)?;
    let document = FitListDocument::new(questions.all());
    let path = rendering.output();
    match rendering.form() {
        Format::Json => output::put(path, &document.to_json(), false),
        _ => {
            let style = output::style(path.is_none(), rendering.table.unit);
            output::put(path, &document.render(&style), true)
        }
    }
}

fn measurement(fit: Fit, arguments: &Arguments) -> Result<Measurement<'_>, Exit> {
    let named = Named::recognise(&arguments.target)?;
    let target = match named.kind() {
        TargetKind::Directory => FitTarget::Directory,
        TargetKind::Simulated | TargetKind::Null => FitTarget::Simulated,
        TargetKind::File | TargetKind::BlockDevice | TargetKind::Imported => {
            return Err(Exit::usage(text!(
                "{} is no directory, and sokudo fit measures with a file of its own; name a directory on that disk",
                arguments.target
            )));
        }
    };
    arguments.time.map_or(Ok(()), argument_checks::check_time)?;
    argument_checks::check_size(fit.size(), named.size(), &arguments.target)?;
    let seed = arguments.shared.seed_for(&named);
    let mut plan = fit.plan(target, seed, arguments.time);
    arguments.shared.set(&mut plan);
    let question = FitQuestion {
        fio: fio_lines(&fit, &plan, &named),
        ..fit.question.clone()
    };
    Ok(Measurement {
        schedule: Schedule {
            fit: Some(Box::new(question)),
            ..Schedule::in_turn(arguments.runs, Nanos(0))
        },
        test_file_size: fit.size(),
        files: match fit.grows() {
            true => OwnFiles::InPhases {
                cold: fit.reads_back(),
            },
            false => OwnFiles::Full(DataContent::Random),
        },
        notes: notes(&fit, target, &arguments.target),
        ..measurement::new(&arguments.shared, &arguments.target, named, plan)
    })
}

/// What a simulated device does in another way than a file system.
fn notes(fit: &Fit, target: FitTarget, name: &str) -> Vec<Text> {
    if target == FitTarget::Directory {
        return Vec::new();
    }
    let rounded = fit.rounded();
    rounded
        .map(|(row, requested, written)| {
            text!(
                "{name} has no page cache, so that {row} writes {written} at once, not {requested}"
            )
        })
        .collect()
}

/// Lines for fio, one for each row that a threshold is for, or for the first row where there is
/// no threshold; none where fio cannot take the directory's name.
fn fio_lines(fit: &Fit, plan: &Plan, named: &Named) -> Vec<String> {
    let path = named.path().unwrap_or(".");
    let Ok(target) = JobFileTarget::directory(path, fit.size()) else {
        return Vec::new();
    };
    let target = match fit.grows() {
        true => target.growing(),
        false => target,
    };
    let criteria = fit.question.criteria.iter();
    let limited = criteria.filter(|criterion| criterion.limit.is_some());
    let mut rows: BTreeSet<u32> = limited.map(|criterion| criterion.row).collect();
    if rows.is_empty() {
        rows.insert(0);
    }
    let rows = (0..)
        .zip(&plan.stages)
        .filter(|(row, _)| rows.contains(row));
    let alone = rows.map(|(_, stage)| Plan {
        stages: vec![stage.clone()],
        ..plan.clone()
    });
    alone
        .flat_map(|plan| fio::command_lines(&plan, &target))
        .collect()
}
