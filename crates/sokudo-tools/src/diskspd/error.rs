//! What can be wrong with a command line or a profile, and where.

use sokudo_model::Bytes;

/// Why a command line or profile of diskspd cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
#[error("diskspd: {location}: {problem}")]
pub struct DiskspdError {
    /// The argument as written, or the place in the profile.
    pub location: String,
    /// What is wrong there.
    pub problem: DiskspdProblem,
}

impl DiskspdError {
    pub(super) fn new(location: impl Into<String>, problem: DiskspdProblem) -> Self {
        Self {
            location: location.into(),
            problem,
        }
    }
}

/// What is wrong at one place.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
pub enum DiskspdProblem {
    #[error("diskspd has no such option; diskspd -? lists all of them")]
    Unknown,
    /// No such long name of an option.
    #[error("diskspd has no such option; the nearest is --{nearest}")]
    UnknownName {
        /// The known name most like it.
        nearest: &'static str,
    },
    /// No such element of a profile.
    #[error("a profile has no such element here; the nearest is <{nearest}>")]
    UnknownElement {
        /// The known element most like it.
        nearest: &'static str,
    },
    /// A value is missing.
    #[error("it needs {expected} right behind it")]
    Missing { expected: &'static str },
    /// A value is wrong.
    #[error("it takes {expected}")]
    Bad { expected: &'static str },
    /// It means something that sokudo cannot do.
    #[error("sokudo cannot do that: {needs}")]
    Refused {
        /// What it would need, and the way out.
        needs: &'static str,
    },
    /// It contradicts another one.
    #[error("it contradicts {other}; {way_out}")]
    Conflict {
        other: &'static str,
        way_out: &'static str,
    },
    /// It means nothing by itself.
    #[error("it means nothing without {other}; add it")]
    Alone { other: &'static str },
    /// Nothing to do I/O on.
    #[error(
        "no target is named; add a file or a device at the end, with -c<size> to make the file"
    )]
    NoTarget,
    /// The target is not there.
    #[error("there is no such file; add -c<size> to make it")]
    NoFile,
    /// The target cannot be measured.
    #[error("this is no file and no block device; name a file in it")]
    NotMeasurable,
    /// A device cannot be created.
    #[error("this is a device, which has its size; leave out -c")]
    CreateDevice,
    /// It is written in the manner of Windows.
    #[error("Windows names disks so; on Linux name the device, such as /dev/sdb, or a file")]
    WindowsTarget,
    /// The part that is used is too small.
    #[error(
        "the used part has {bytes} and the last thread starts {start} into it, which leaves no room for a block of {block}; make the file larger (-c, -f) or -b, -B or -T smaller"
    )]
    TooSmall {
        /// Length of the used part.
        bytes: Bytes,
        /// Where in it the last thread starts.
        start: Bytes,
        /// Size of one I/O.
        block: Bytes,
    },
    /// `-f` beyond the end.
    #[error("it ends at {end}, but the target has only {bytes}; make -f smaller or -c larger")]
    BeyondEnd {
        /// Where use of the target is to end.
        end: Bytes,
        bytes: Bytes,
    },
    /// Direct I/O needs whole sectors.
    #[error(
        "without the page cache (-S) it must be a multiple of 512 bytes, the smallest sector; it is {bytes}"
    )]
    Unaligned { bytes: Bytes },
    /// More threads than anybody needs.
    #[error("that makes {threads} threads; {limit} are the most, so make -t, -F or -o smaller")]
    TooManyThreads {
        threads: u64,
        /// How many are allowed.
        limit: u64,
    },
    /// A file cannot be read.
    #[error("it cannot be read: {cause}")]
    Unreadable { cause: String },
    /// It is no XML.
    #[error("it is not XML: {cause}")]
    NotXml { cause: String },
    /// The profile is not diskspd's.
    #[error("the profile has no <{element}>; it needs {expected}")]
    MissingElement {
        element: &'static str,
        /// What it is for.
        expected: &'static str,
    },
    /// A target `*1` that the command line gives no path for.
    #[error(
        "it stands for target number {number} of the command line, which names {named}; add its path"
    )]
    NoTemplate {
        number: usize,
        /// How many there are.
        named: usize,
    },
    /// A target of the command line that the profile does not use.
    #[error("the profile has no target *{number} that this could stand for; leave it out")]
    UnusedTemplate {
        /// The number it would have.
        number: usize,
    },
    /// A part of a distribution.
    #[error("{what}; write it like -rdpct90/10:0/10:5/20 or -rdabs90/10G:10/20G")]
    Distribution {
        /// What is wrong with it.
        what: &'static str,
    },
}
