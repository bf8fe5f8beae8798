//! What can be wrong with a job file, and where.

/// Why a job file could not be read, and where in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{source_name}:{line}:{column}: {problem}")]
pub struct JobFileError {
    /// The file's name, as given to the parser.
    pub source_name: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong there.
    pub problem: JobFileProblem,
}

/// What is wrong at one place of a job file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobFileProblem {
    /// The text is longer than any job file.
    #[error("the file has {bytes} bytes; a job file has at most {limit}")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The longest that is read.
        limit: usize,
    },
    /// More jobs than fio itself accepts.
    #[error("more than {limit} jobs; split the file")]
    TooManyJobs {
        /// The most that are read.
        limit: usize,
    },
    /// Nothing to run.
    #[error("no job in it; add a section such as [read-test]")]
    NoJobs,
    /// `[` without `]`, or something after it.
    #[error("a section is written [name], alone on its line")]
    BadSection,
    /// An option before the first section.
    #[error("\"{option}\" stands before the first section; put it under [global] or a [job]")]
    OutsideSection {
        /// What stands there.
        option: String,
    },
    /// An option that sokudo does not know.
    #[error("sokudo does not know the option \"{option}\"; the nearest it knows is \"{nearest}\"")]
    UnknownOption {
        /// As written.
        option: String,
        /// The known name most like it.
        nearest: &'static str,
    },
    /// A pragma that does not exist.
    #[error("there is no pragma \"{pragma}\"; the nearest is \"{nearest}\"")]
    UnknownPragma {
        /// As written.
        pragma: String,
        /// The known name most like it.
        nearest: &'static str,
    },
    /// A value is missing.
    #[error("{option} needs a value: {expected}")]
    MissingValue {
        /// The option or pragma.
        option: String,
        /// What it takes.
        expected: String,
    },
    /// A value is wrong.
    #[error("{option}={value} is not valid: {option} is {expected}")]
    BadValue {
        /// The option or pragma.
        option: String,
        /// As written.
        value: String,
        /// What it takes.
        expected: String,
    },
    /// The job would run over a file of unknown size once.
    #[error("job \"{job}\" has no end; give it time_based with runtime=, or size=, or io_size=")]
    NoEnd {
        /// The job.
        job: String,
    },
    /// The part of the target that is used has no end, or ends before it starts.
    #[error("job \"{job}\" starts at offset {offset}; add a size= or filesize= that ends after it")]
    BadSpan {
        /// The job.
        job: String,
        /// Its offset in bytes.
        offset: u64,
    },
    /// One rate for both directions of a mix.
    #[error(
        "job \"{job}\" mixes reads and writes, which fio limits each by itself; give both, as in {option}=70m,30m"
    )]
    RateOfMix {
        /// The job.
        job: String,
        /// `rate` or `rate_iops`.
        option: &'static str,
    },
    /// Two fixed rates.
    #[error("job \"{job}\" has rate and rate_iops; keep one of them")]
    TwoRates {
        /// The job.
        job: String,
    },
    /// Clones may move between processors.
    #[error(
        "job \"{job}\" allows several processors to each clone; add cpus_allowed_policy=split to bind each to one"
    )]
    SharedProcessors {
        /// The job.
        job: String,
    },
    /// Jobs on different targets.
    #[error(
        "job \"{job}\" uses another filename or directory than the first job; sokudo runs a file on one target, so split it"
    )]
    SeveralTargets {
        /// The job.
        job: String,
    },
    /// Jobs with different seeds.
    #[error(
        "job \"{job}\" has another randseed than an earlier job; a plan has one, so put it under [global]"
    )]
    SeveralSeeds {
        /// The job.
        job: String,
    },
}
