//! A fio command line that was read: what is to be done, and every job's options as
//! they were written. [`FioInvocation::plan`](super::FioInvocation::plan) says what they mean.

use std::fmt::Write as _;

use crate::fio::session::FioOutput;
use crate::language::host::Host;

use super::failure::{ErrorLocation, FioError, FioProblem};
use super::job::Job;
use super::option::FioOption;
use super::patterns;
use super::table::options;

/// A fio command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioInvocation {
    /// What is to be done.
    pub action: FioAction,
    /// What is to be printed, and where.
    pub output: FioOutput,
    /// Whether writing is an error (`--readonly`).
    pub readonly: bool,
    /// Whether notes are shown (`--warnings`, ours).
    pub warnings: bool,
    /// Whether doubts are errors (`--warnings-fatal`).
    pub warnings_fatal: bool,
    /// Whether options that are not supported are left out, not refused (`--lenient`, ours).
    pub lenient: bool,
    /// Devices that may be overwritten, by serial number or path (`--destroy`, ours).
    pub destroy: Vec<String>,
    /// The job files, in order; empty when all stands on the command line.
    pub files: Vec<String>,
    /// The sections of the command line and of every file, in order.
    pub(super) sections: Vec<Section>,
    /// Options of the command line that are accepted without effect: one sentence each.
    pub(super) notes: Vec<String>,
}

/// What a command line asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FioAction {
    #[default]
    Run,
    /// Only read and check them (`--parse-only`).
    ParseOnly,
    /// Print job files as command lines (`--showcmd`).
    ShowCommand,
    /// Explain the command line (`--help`).
    Help,
    /// Print the version (`--version`).
    Version,
    /// Explain an option, or `all` (`--cmdhelp`).
    CommandHelp(String),
}

/// A `[section]`, or what stands behind a `--name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// Its name; of the command line's, what `--name` says.
    pub(super) name: String,
    /// Whether it sets what holds for the sections after it.
    pub(super) is_global: bool,
    /// Index of its job file; `None` on the command line.
    pub(super) file: Option<usize>,
    /// Place of the section's heading, for messages.
    pub(super) source: ErrorLocation,
    /// Its options, substituted, in the order in which fio applies them.
    pub(super) options: Vec<Assignment>,
}

impl Section {
    /// One without options yet; `None` where it is none of the `wanted`, if there are any.
    pub(super) fn begun(
        name: &str,
        file: Option<usize>,
        source: ErrorLocation,
        wanted: &[String],
    ) -> Option<Self> {
        let is_global = name.starts_with("global");
        let is_wanted = wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
        (is_global || is_wanted).then(|| Self {
            name: name.to_owned(),
            is_global,
            file,
            source,
            options: Vec::new(),
        })
    }
}

/// One option as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Assignment {
    /// Index in the option table.
    pub(super) option: usize,
    /// The value; `None` when there is no `=`.
    pub(super) value: Option<String>,
    /// Characters from where it stands to its value.
    pub(super) value_column: usize,
    pub(super) source: ErrorLocation,
}

impl Assignment {
    /// Sets in `job` what it says; files that a pattern names are read first.
    pub(super) fn apply(&self, job: &mut Job, host: &dyn Host) -> Result<(), FioError> {
        let option = self.option();
        if matches!(option.name, "buffer_pattern" | "verify_pattern") {
            let text = self.value.as_deref().unwrap_or_default();
            job.pattern_files = patterns::read_files(text, host)
                .map_err(|why| self.error(FioProblem::Other(format!("{}: {why}", option.name))))?;
        }
        job.is_verify_given |= option.name == "verify";
        option
            .apply(job, self.value.as_deref())
            .map_err(|problem| self.error(problem))
    }

    /// Whether it is an option that is refused, with a value that asks for nothing.
    pub(super) fn asks_for_nothing(&self) -> bool {
        let value = self.value.as_deref().map(str::trim);
        value.is_some_and(|value| self.option().idle_values().contains(&value))
    }

    /// The error that a problem with it is: at the value where that is wrong.
    pub(super) fn error(&self, problem: FioProblem) -> FioError {
        let mut source = self.source.clone();
        if let (ErrorLocation::File { column, .. }, FioProblem::BadValue { .. }) =
            (&mut source, &problem)
        {
            *column += self.value_column;
        }
        FioError::new(source, problem)
    }

    /// As fio shows it.
    fn shown(&self) -> String {
        let name = self.option().name;
        match (&self.value, name) {
            (None, _) => format!("--{name} "),
            (Some(value), "description") => format!("--{name}=\"{value}\" "),
            (Some(value), _) => format!("--{name}={value} "),
        }
    }

    pub(super) fn option(&self) -> &'static FioOption {
        &options()[self.option]
    }
}

/// Every job file of the command line as fio's command line, one line each, as
/// `fio --showcmd` prints them.
pub fn show_command(invocation: &FioInvocation) -> String {
    let mut text = String::new();
    let of_command_line = |section: &&Section| section.file.is_none();
    // fio keeps one list of all that is global: the first file's begins with the
    // command line's, and every [global] repeats those before it.
    let own = invocation.sections.iter().filter(of_command_line);
    let mut global: Vec<&Assignment> = own
        .filter(|section| section.is_global)
        .flat_map(|section| &section.options)
        .collect();
    for index in 0..invocation.files.len() {
        let of_file = |section: &&Section| section.file == Some(index);
        for (number, section) in invocation.sections.iter().filter(of_file).enumerate() {
            if number == 0 {
                text += "fio ";
            }
            if section.is_global {
                global.extend(&section.options);
                global.iter().for_each(|option| text += &option.shown());
            } else {
                let _ = write!(text, "--name={} ", section.name);
                let options = section.options.iter();
                options.for_each(|option| text += &option.shown());
            }
        }
        text.push('\n');
        global.clear();
    }
    text
}
