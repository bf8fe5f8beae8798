//! How results are printed, and where they go: defined once, for every command that shows
//! some.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use sokudo_model::{LABEL_CHARACTERS_MAX, Verdict, is_label};
use sokudo_report::BandwidthUnit;
use sokudo_words::{Text, text};

use crate::arguments::heading::{KEPT, PRINTED, WRITTEN};
use crate::arguments::one_of::one_of;
use crate::arguments::pictures::Plotting;
use crate::arguments::store::RunKeeping;

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Table,
    /// For programs: sokudo.run/1
    Json,
    /// For spreadsheets
    Csv,
    /// For articles
    #[value(alias = "md")]
    Markdown,
    /// For Nagios and what understands its plugins, of a command that answers for disks
    #[value(skip)]
    Nagios,
    /// For Prometheus, of such a command
    #[value(skip)]
    Prom,
}

/// The formats of a command that answers for disks.
pub const FORMATS_OF_ANSWERS: &[(&str, Format)] = &[
    ("table", Format::Table),
    ("json", Format::Json),
    ("csv", Format::Csv),
    ("markdown", Format::Markdown),
    ("nagios", Format::Nagios),
    ("prom", Format::Prom),
];

/// The format of a file whose name ends in the name of the format, or in another name of it.
pub fn of_ending<F: ValueEnum>(path: &Path) -> Option<F> {
    F::from_str(path.extension()?.to_str()?, true).ok()
}

/// How documents are written that have no other form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableOrJson {
    /// For people
    Table,
    /// For programs
    Json,
}

/// Whether a table is printed, or JSON.
#[derive(Debug, Args)]
pub struct ListFormat {
    /// Result format: table or json
    ///
    /// The JSON begins with the name of its schema, which is in docs/ of the sources.
    #[arg(
        short,
        long,
        value_enum,
        hide_possible_values = true,
        value_name = "NAME",
        default_value = "table",
        help_heading = PRINTED
    )]
    format: TableOrJson,
}

impl ListFormat {
    pub fn is_json(&self) -> bool {
        self.format == TableOrJson::Json
    }
}

/// A result: its format, its unit, and where it goes.
#[derive(Debug, Args)]
pub struct Rendering {
    /// Result format: table, json, csv or markdown [default: table]
    ///
    /// Without it, a file whose name ends in .json, .csv or .md is written in that format.
    #[arg(
        short,
        long,
        value_enum,
        hide_possible_values = true,
        value_name = "NAME",
        help_heading = PRINTED
    )]
    pub format: Option<Format>,

    /// Write results to a file instead of the terminal
    #[arg(short, long, value_name = "FILE", help_heading = PRINTED)]
    output: Option<PathBuf>,

    #[command(flatten)]
    pub table: TableUnit,
}

/// The unit of the rates in a table.
#[derive(Clone, Copy, Debug, Args)]
pub struct TableUnit {
    /// Unit of the table: mb (MB/s), mib, gb, kb or iops
    ///
    /// With kb, IOPS stand beside KB/s however narrow the table is.
    /// With iops, check, compare and trend judge I/Os per second instead of bytes.
    #[arg(
        long,
        value_parser = unit(),
        ignore_case = true,
        hide_possible_values = true,
        value_name = "NAME",
        default_value = "mb",
        help_heading = PRINTED
    )]
    pub unit: BandwidthUnit,
}

/// How much of a result is told.
#[derive(Clone, Copy, Debug, Args)]
pub struct Telling {
    /// Show every finding, and how it was measured
    ///
    /// Without it, the table is followed by a summary: how good the figures are, the worst finding,
    /// and where to see the rest. All other formats contain everything.
    #[arg(long, help_heading = PRINTED)]
    pub why: bool,

    /// Show a card: the disk, its reads and writes side by side, one sentence
    ///
    /// sokudo TARGET is sokudo mark TARGET --card.
    #[arg(long, conflicts_with = "why", help_heading = PRINTED)]
    pub card: bool,
}

/// Whether it is told which disks they are.
#[derive(Clone, Copy, Debug, Args)]
pub struct Masking {
    /// Replace serial numbers, world-wide names and UUIDs by other words
    ///
    /// This includes commands, findings, names below /dev/disk and notes. The same number gets the
    /// same word throughout. The machine's name and mount points stay.
    #[arg(long, help_heading = PRINTED)]
    pub mask_serial: bool,
}

/// What every command that measures prints, and where to.
#[derive(Debug, Args)]
pub struct Printing {
    #[command(flatten)]
    pub rendering: Rendering,

    #[command(flatten)]
    pub telling: Telling,

    #[command(flatten)]
    pub asking: Asking,

    /// Exit with 4 if a row's verdict is worse: verified or unverified
    ///
    /// The result is printed anyway, and one line on standard error names the rows that fall short,
    /// each with its first finding. A row that measures the page cache on purpose (quick --test
    /// cached) does not count beside other rows.
    #[arg(
        long,
        value_parser = one_of(TRUST),
        hide_possible_values = true,
        value_name = "VERDICT",
        help_heading = PRINTED
    )]
    pub require: Option<Verdict>,

    #[command(flatten)]
    pub plotting: Plotting,

    /// Write what happens to a file as JSON lines; - prints them
    ///
    /// Plan, progress four times a second, latencies, temperature, the table after every trial, and
    /// in the last line the complete result: docs/EVENTS.md of the sources. The file must be new or
    /// empty, or a pipe. With - they take the place of the printed result.
    #[arg(long, value_name = "FILE", help_heading = PRINTED)]
    pub events: Option<PathBuf>,

    /// Name of the run: ext4 instead of run 44
    ///
    /// Tables, comparisons and pictures show the label, and commands that show runs take it as
    /// a name: sokudo compare ext4 xfs. 1 to 40 characters without commas. It is kept as the
    /// tag label=NAME; sokudo edit 44 --label NAME changes it.
    #[arg(long, value_name = "NAME", value_parser = label, help_heading = KEPT)]
    pub label: Option<String>,

    /// Say what would be done, and how long it takes; writes nothing
    #[arg(long, help_heading = WRITTEN)]
    pub dry_run: bool,

    #[command(flatten)]
    pub keeping: RunKeeping,
}

/// What somebody calls a run.
pub fn label(text: &str) -> Result<String, Text> {
    let label = text.trim();
    is_label(label).then(|| label.to_owned()).ok_or_else(|| {
        text!(
            "a label has 1 to {LABEL_CHARACTERS_MAX} characters without commas and line breaks. It must not begin with -, and must not be a number, last, all, run or tag:…, which already name runs; give another name, such as ext4"
        )
    })
}

/// How far figures must be trusted: proven to be the device's, or not proven to be something else.
const TRUST: &[(&str, Verdict)] = &[
    ("verified", Verdict::Verified),
    ("unverified", Verdict::Unverified),
];

/// What the figures of a table are in, with `/s` or without.
fn unit() -> impl TypedValueParser<Value = BandwidthUnit> {
    let words = UNITS.iter().map(|(word, _)| {
        let rate = format!("{word}/s");
        PossibleValue::new(word).alias(rate)
    });
    let named = |word: String| {
        let word = word.to_ascii_lowercase();
        let short = word.trim_end_matches("/s");
        let found = UNITS.iter().find(|(known, _)| *known == short);
        found.expect("no other word gets here").1
    };
    PossibleValuesParser::new(words).map(named)
}

const UNITS: &[(&str, BandwidthUnit)] = &[
    ("mb", BandwidthUnit::MegabytesPerSecond),
    ("mib", BandwidthUnit::MebibytesPerSecond),
    ("gb", BandwidthUnit::GigabytesPerSecond),
    ("kb", BandwidthUnit::KilobytesPerSecond),
    ("iops", BandwidthUnit::IosPerSecond),
];

/// The file that is written to by this name; `None` of -, which is standard output.
pub fn result_file(name: Option<&Path>) -> Option<&Path> {
    name.filter(|it| it.as_os_str() != "-")
}

impl Rendering {
    /// The file that results go to, where they are not printed.
    pub fn output(&self) -> Option<&Path> {
        result_file(self.output.as_deref())
    }

    /// The format that is written: what was asked for, or what the end of the file's name says.
    pub fn form(&self) -> Format {
        let of_file = || of_ending(self.output()?);
        self.format.or_else(of_file).unwrap_or(Format::Table)
    }

    /// How the name of the file ends, in lower case.
    pub fn ending(&self) -> Option<String> {
        let ending = self.output()?.extension()?.to_str()?;
        Some(ending.to_ascii_lowercase())
    }

    /// Whether standard output is the result in a form for programs.
    pub fn is_for_programs(&self) -> bool {
        self.output().is_none() && self.form() != Format::Table
    }
}

/// Whether somebody has to be asked, and hears what will be written.
#[derive(Clone, Copy, Debug, Args)]
pub struct Asking {
    /// Show no progress
    #[arg(short, long, help_heading = PRINTED)]
    pub quiet: bool,

    /// Do not ask before large writes or long runs
    ///
    /// Without it, fill and burn-in always ask, and other commands ask before they write more than
    /// 100 GB or take more than an hour.
    #[arg(short, long, help_heading = WRITTEN)]
    pub yes: bool,
}

impl Printing {
    /// Whether standard output is told where the rest of a result is, together with it.
    pub fn names_the_rest(&self) -> bool {
        let rendering = &self.rendering;
        let is_here = rendering.form() == Format::Table && rendering.output().is_none();
        is_here && !self.telling.why
    }
}
