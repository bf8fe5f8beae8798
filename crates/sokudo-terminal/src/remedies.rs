//! Remedies in the words of whoever reads them: what `mark` calls `--direct on` is `direct=1`
//! to who writes for fio and `-Sd` to who writes for diskspd, and a command that has no such
//! option names one that has.

use std::collections::BTreeMap;

use clap::Arg;
use sokudo_analysis::Means;
use sokudo_model::{Run, ScheduleName};
use sokudo_report::RunDocument;
use sokudo_words::{Argument, Text};

use crate::definition::{self, spoken};
use crate::language;

/// Who reads the remedies of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Somebody who has written for fio.
    Fio,
    /// Somebody who has written for diskspd.
    Diskspd,
    /// Somebody who has typed this command of sokudo's.
    Command(&'static str),
    /// Somebody who has filled in its form on the page.
    Page(&'static str),
}

impl Audience {
    /// Of jobs in a language, or of one of sokudo's own methods.
    fn of(run: &Run) -> Self {
        match run.schedule.name {
            ScheduleName::Fio => Self::Fio,
            ScheduleName::Diskspd => Self::Diskspd,
            _ => Self::Command(run.plan.method.command().unwrap_or_default()),
        }
    }

    /// What these are called here.
    fn names(self, means: &[Means]) -> String {
        let names: Vec<String> = means.iter().filter_map(|it| self.name(*it)).collect();
        match names.is_empty() {
            true => {
                let options: Vec<&str> = means.iter().map(|it| it.name()).collect();
                format!("sokudo mark {}", options.join(" "))
            }
            false => names.join(", "),
        }
    }

    /// `None` where there is none.
    fn name(self, means: Means) -> Option<String> {
        let name = match self {
            _ if means.is_command() => Some(means.name()),
            Self::Fio => in_other_tools(means).map(|[fio, _]| fio),
            Self::Diskspd => in_other_tools(means).map(|[_, diskspd]| diskspd),
            Self::Command(command) => return of_command(command, means.name()),
            Self::Page(command) => return of_form(command, means.name()),
        };
        name.map(str::to_owned)
    }
}

/// What is written in fio's job files, and in diskspd's command lines, which know no repetitions.
pub const fn in_other_tools(means: Means) -> Option<[&'static str; 2]> {
    Some(match means {
        Means::Direct => ["direct=1", "-Sd"],
        Means::Buffered => ["direct=0", "-Sb"],
        Means::Size => ["size", "-c"],
        Means::Time => ["runtime", "-d"],
        Means::Runs => ["sokudo run --runs", "the line more often"],
        Means::SixRuns => ["sokudo run --runs 6", "the line six times"],
        Means::Rate => ["rate_iops", "-g"],
        Means::Depth => ["iodepth", "-o"],
        Means::Threads => ["numjobs", "-t"],
        Means::Libaio => ["ioengine=libaio", "-xk"],
        Means::IoUring => ["ioengine=io_uring", "without -xk"],
        Means::RandomData => ["refill_buffers", "-Zr"],
        Means::SmallPages => ["iomem=malloc", "without -l"],
        Means::HugePages => ["iomem=mmaphuge", "-l"],
        _ => return None,
    })
}

/// An option of a command, if it has it, and the value that is named with it: options of one name mean
/// the same in all commands.
fn option_of<'o>(command: &str, option: &'o str) -> Option<(Arg, Option<&'o str>)> {
    let (name, value) = match option.split_once(' ') {
        None => (option, None),
        Some((name, value)) => (name, Some(value)),
    };
    let cli = definition::made();
    let mut arguments = cli.find_subcommand(command)?.get_arguments();
    let argument = arguments.find(|argument| argument.get_long() == name.strip_prefix("--"))?;
    Some((argument.clone(), value))
}

/// As it is typed.
pub fn of_command(command: &str, option: &str) -> Option<String> {
    match option_of(command, option)? {
        // hdparm's --direct, for one, is no choice between on and off.
        (argument, Some(value)) if !argument.get_action().takes_values() => {
            let (name, _) = option.split_once(' ')?;
            (value == "on").then(|| name.to_owned())
        }
        _ => Some(option.to_owned()),
    }
}

/// The field of a form, and what goes into it.
fn of_form(command: &str, option: &str) -> Option<String> {
    let (argument, value) = option_of(command, option)?;
    let help = argument.get_help()?.to_string();
    let label = spoken::label(&help, &spoken::exactly(language::current()));
    Some(match value {
        Some(value) => format!("{label}: {value}"),
        None => label,
    })
}

/// The run with all remedies in the words of whoever has typed the command or written the jobs.
pub fn worded(mut run: Run) -> Run {
    let reader = Audience::of(&run);
    let assessments = run
        .rows
        .iter_mut()
        .filter_map(|row| row.assessment.as_mut());
    let of_rows = assessments.flat_map(|assessment| &mut assessment.findings);
    for finding in of_rows.chain(&mut run.findings) {
        finding.remedy = in_words_of(reader, &finding.remedy);
    }
    run
}

/// The document with remedies that name fields of the form on the page.
pub fn on_page(mut document: RunDocument) -> RunDocument {
    let reader = Audience::of(&document.run);
    if let Audience::Command(command) = reader {
        let of_rows = document.results.iter_mut().flat_map(|it| &mut it.findings);
        for finding in of_rows.chain(&mut document.run.findings) {
            finding.remedy = in_words_of(Audience::Page(command), &finding.remedy);
        }
    }
    document
}

/// The remedy with what it points at in other words.
pub fn in_words_of(reader: Audience, remedy: &Text) -> Text {
    let called = |(hole, argument): (String, &Argument)| {
        let means = Means::of(argument);
        let argument = match means.is_empty() {
            true => argument.clone(),
            false => Means::called(&means, reader.names(&means)),
        };
        (hole, argument)
    };
    let arguments: BTreeMap<String, Argument> = remedy.arguments().map(called).collect();
    Text::of_parts(remedy.template(), |hole| arguments.get(hole).cloned())
}
