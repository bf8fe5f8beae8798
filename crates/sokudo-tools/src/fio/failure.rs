//! What can be wrong with a fio command line or job file, and where.

use std::fmt;

/// Place of an error: a command line, a line of a job file, or a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorLocation {
    /// On the command line.
    CommandLine,
    /// In a job file.
    File {
        /// Its name, as given.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
    },
    /// In a job as a whole.
    Job(String),
    /// In a job as a whole, whose section stands in a job file.
    JobOfFile {
        /// Name of the job's section.
        job: String,
        /// Where its section begins.
        section: Box<ErrorLocation>,
    },
}

impl fmt::Display for ErrorLocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CommandLine => out.write_str("command line"),
            Self::File { name, line, column } => write!(out, "{name}:{line}:{column}"),
            Self::Job(name) => write!(out, "job \"{name}\""),
            Self::JobOfFile { job, section } => write!(out, "{section}: job \"{job}\""),
        }
    }
}

/// Options with faults that are named at once; a file with more is no job file.
pub(super) const FAULTS_MAX: usize = 64;

/// Why a fio command line or job file cannot be run, and where.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
#[error("{error_location}: {problem}{}", after(others))]
pub struct FioError {
    pub error_location: ErrorLocation,
    /// What is wrong there, in a sentence with the way out.
    pub problem: Box<FioProblem>,
    /// What is wrong with other options, in the order in which they stand.
    pub others: Vec<FioError>,
}

fn after(others: &[FioError]) -> String {
    others.iter().map(|other| format!("; {other}")).collect()
}

#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
pub enum FioProblem {
    /// An option that nobody knows.
    #[error(
        "there is no option \"{option}\"; the nearest is \"{}{nearest}\"",
        dashes(option)
    )]
    Unknown {
        option: String,
        /// The known name most like it.
        nearest: &'static str,
    },
    /// An option that another fio has.
    #[error("\"{option}\" is an option of {owner}, and not supported; leave it out")]
    Elsewhere { option: String, owner: &'static str },
    /// An abbreviation of several options.
    #[error("--{option} may be {candidates}; write more of it")]
    Ambiguous {
        option: String,
        /// What it may be.
        candidates: String,
    },
    /// An option that fio has and sokudo does not.
    #[error("option {option} is not supported: {reason}; leave it out, or run with --lenient")]
    Unsupported {
        option: String,
        /// What it would need.
        reason: String,
    },
    /// An option of fio's command line that sokudo does not have.
    #[error("--{option} is not supported: {reason}")]
    UnsupportedSwitch {
        option: String,
        /// What it would need.
        reason: &'static str,
    },
    /// An option without its value.
    #[error("{option} needs a value: {expected}")]
    MissingValue { option: String, expected: String },
    /// A value that is wrong.
    #[error("{option}={value} is not valid: {option} is {expected}")]
    BadValue {
        option: String,
        value: String,
        expected: String,
    },
    /// A value where none is taken.
    #[error("--{option} takes no value; leave out \"={value}\"")]
    UnwantedValue { option: String, value: String },
    /// An option before the first section of a file.
    #[error("\"{option}\" stands before the first section; put it under [global] or a [job]")]
    OutsideSection { option: String },
    /// Anything else: a sentence.
    #[error("{0}")]
    Other(String),
}

/// As many as `option` begins with.
fn dashes(option: &str) -> &str {
    &option[..option.len() - option.trim_start_matches('-').len()]
}

impl FioError {
    /// The same, with the place of the job's section where that stands in a file.
    pub(super) fn within(self, section: &ErrorLocation) -> Self {
        let error_location = match (self.error_location, section) {
            (ErrorLocation::Job(job), ErrorLocation::File { .. }) => ErrorLocation::JobOfFile {
                job,
                section: Box::new(section.clone()),
            },
            (error_location, _) => error_location,
        };
        Self {
            error_location,
            ..self
        }
    }

    pub(super) fn new(error_location: ErrorLocation, problem: FioProblem) -> Self {
        Self {
            error_location,
            problem: Box::new(problem),
            others: Vec::new(),
        }
    }

    /// What a sentence says.
    pub(super) fn other(error_location: ErrorLocation, sentence: impl Into<String>) -> Self {
        Self::new(error_location, FioProblem::Other(sentence.into()))
    }

    /// All faults as one error; `None` when there are none.
    pub(super) fn of_all(faults: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut faults = faults.into_iter().take(FAULTS_MAX);
        let first = faults.next()?;
        Some(Self {
            others: faults.collect(),
            ..first
        })
    }

    /// Every fault by itself, for a line each.
    pub fn apart(mut self) -> Vec<Self> {
        let others = std::mem::take(&mut self.others);
        std::iter::once(self).chain(others).collect()
    }

    pub(super) fn of_job(job: &str, sentence: impl Into<String>) -> Self {
        Self::other(ErrorLocation::Job(job.to_owned()), sentence)
    }

    pub(super) fn of_command_line(sentence: impl Into<String>) -> Self {
        Self::other(ErrorLocation::CommandLine, sentence)
    }
}
