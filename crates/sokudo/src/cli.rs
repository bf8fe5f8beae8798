//! The command line, defined once: parsing, help, man page and completions all
//! come from here.

mod assess;
mod baseline;
mod bonnie;
mod burn_in;
mod compare;
mod destroying;
mod explain;
mod fill;
mod fit;
mod heading;
mod history;
mod import;
mod info;
mod issuing;
mod load;
mod man;
mod matrix;
mod measuring;
mod mistake;
mod moment;
mod one_of;
mod page;
mod peak;
mod plot;
mod precision;
mod prepare;
mod printing;
mod quick;
mod report;
mod scan;
mod spoken;
mod steady;
mod store;
mod sweep;
mod together;
mod trend;
mod which;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use sokudo_dialect::crystal::{DEPTH_MAX_IO_URING, Mix, Profile, RowSpec, THREADS_MAX};
use sokudo_model::{Bytes, DataContent, DirectMode, Nanos, Rate};
use sokudo_words::{Language, Text, text};

use crate::{invocation, language};
use heading::{HOW, MEASURED, PRINTED};
use issuing::{DATA, DIRECT, ENGINES, Engine};
use mistake::{mistake, whole_number};
use one_of::one_of;

use assess::AssessOptions;
pub(crate) use baseline::{
    BaselineArguments, BaselineCommand, BaselineListArguments, CheckArguments, CheckFormat,
    SetArguments, UnsetArguments,
};
use bonnie::BonnieOptions;
use burn_in::BurnInOptions;
pub(crate) use compare::{Axes, CompareArguments, percent};
pub(crate) use destroying::Destroying;
use explain::ExplainOptions;
use fill::FillOptions;
use fit::FitOptions;
pub(crate) use history::{
    DeleteArguments, ListArguments, NoteArguments, ShowArguments, TagArguments, note,
};
pub(crate) use import::ImportArguments;
pub(crate) use info::InfoArguments;
use load::LoadOptions;
pub(crate) use man::man_page;
pub(crate) use matrix::{LoopDisks, MatrixArguments, loop_disks};
pub(crate) use measuring::{
    Ability, MeasuringArguments, OwnArguments, SharedArguments, SharedGroup,
};
pub(crate) use mistake::end_with;
pub(crate) use page::PageArguments;
use peak::PeakOptions;
pub(crate) use plot::{Destination, Pictures, PlotArguments, Plotting};
pub(crate) use precision::{PERMILLE_DEFAULT, Precision, PrecisionDefault};
pub(crate) use prepare::PrepareArguments;
pub(crate) use printing::{Asking, Format, ListFormat, Printing, Rendering, Telling, label};
use quick::QuickOptions;
pub(crate) use report::{ReportArguments, ReportFormat};
use scan::ScanOptions;
pub(crate) use spoken::{HelpDestination, exactly};
use steady::SteadyOptions;
pub(crate) use store::{Keeping, Location, VARIABLE as STORE_VARIABLE, data_folder};
use sweep::SweepOptions;
pub(crate) use together::TogetherArguments;
pub(crate) use trend::TrendArguments;
pub(crate) use which::{Period, RunFilterArguments};

measuring::listed! {
    "mark" MarkArguments: MarkOptions has [Overwrite, Destroy, Stop, Pages, Seed] can [Repeat, Count, Alternate, Together];
    "scan" ScanArguments: ScanOptions has [Overwrite, Destroy, Issue, Stop, Pages, Seed] can [Repeat, Count, Alternate, Together];
    "sweep" SweepArguments: SweepOptions has [Overwrite, Destroy, Stop, Pages, Seed] can [Repeat, Count, Together];
    "quick" QuickArguments: QuickOptions has [Overwrite, Pages, Seed] can [Repeat, Count, Together];
    "load" LoadArguments: LoadOptions has [Overwrite, Destroy, Stop, Pages, Seed] can [Repeat, Together];
    "peak" PeakArguments: PeakOptions has [Overwrite, Destroy, Pages, Seed] can [Repeat, Together];
    "steady" SteadyArguments: SteadyOptions has [Overwrite, Destroy, Issue, Stop, Pages, Seed] can [Repeat, Together];
    "explain" ExplainArguments: ExplainOptions has [Overwrite, Destroy, Issue, Pages, Seed] can [Repeat];
    "fill" FillArguments: FillOptions has [Overwrite, Destroy, Issue, Stop, Pages, Seed] can [Repeat];
    "bonnie" BonnieArguments: BonnieOptions has [Seed] can [Repeat];
    "run" RunArguments: RunOptions has [Stop, Pages] can [Repeat, Alternate, Together];
    "burn-in" BurnInArguments: BurnInOptions has [Overwrite, Destroy, Issue, Stop, Pages, Seed] can [];
    "assess" AssessArguments: AssessOptions has [Pages, Seed] can [];
    "fit" FitArguments: FitOptions has [Pages, Seed] can [];
}

/// What bare `sokudo` prints.
const SHORT_HELP: &str = "\
sokudo measures how fast a disk really is, and says how far each number can be trusted.

  sokudo mark .              measure the disk under this directory, in a minute and a half
  sokudo mark /dev/sdb       measure a device (reads only)
  sokudo mark sim:hdd        try it on a simulated disk
  sokudo help mark           every option, with examples

";

const EXAMPLES: &str = "\
Examples:
  sokudo mark .                                        the disk under this directory
  sokudo mark /mnt/data --profile nvme --size 8GiB     CrystalDiskMark's NVMe rows
  sokudo mark /dev/sdb                                 a whole device, reads only
  sokudo mark /dev/sdb /dev/sdc                        each alone, then both: what sharing costs
  sokudo mark . --row SEQ128K,Q32,T4 --row RND4K,Q1,T1,mix70
  sokudo mark . --row RND4K,Q32 --rate 5000iops        latency at a fixed load
  sokudo mark . --format json --output result.json     keep the figures
  sokudo mark . --precision 1%                         longer, and each figure to ± 1 %
  sokudo mark . --plot bars.svg --plot -               with a picture, and one here
  sokudo mark . --require verified                     exit code 4 if any row is not
  sokudo mark 'sim:hdd?size=4TB&rpm=5900'              a simulated hard disk
  sokudo mark . --print-job > job.fio && fio job.fio   the same, measured by fio

Exit codes: 0 done, 1 something failed, 2 wrong arguments, 3 refused because it
would endanger data, 4 less trusted than --require asks, 5 ended by --stop-when, 130
interrupted.";

const RUN_EXAMPLES: &str = "\
Examples:
  sokudo run job.fio                           as fio would run it, as a table with verdicts
  sokudo run job.fio --runs 6                  six times, with a 95 % interval
  sokudo run job.fio --format json -o run.json

Exit codes: 0 done, 1 something failed, 2 wrong arguments, 3 refused because it
would endanger data, 4 less trusted than --require asks, 5 ended by --stop-when, 130
interrupted.";

const PLOT_EXAMPLES: &str = "\
Examples:
  sokudo plot result.json                      the picture that suits the run, here
  sokudo plot result.json rate.svg rate.png
  sokudo plot result.json tail.svg --plot-kind cdf
  sokudo mark . --format json | sokudo plot - rate.svg";

const FIO_NOTE: &str = "\
Examples:
  sokudo fio job.fio
  sokudo fio --name=test --rw=randread --bs=4k --size=1g --runtime=10 --output-format=json

A link to sokudo named fio does the same. sokudo writes to a block device only if
SOKUDO_DESTROY=<serial or path> or --destroy names it; a device that is in use or holds
anything also needs --allow_mounted_write=1. It writes to an existing file only if jobs
made it and nobody has changed it since, or with overwrite=1. Scripts can set
SOKUDO_OVERWRITE=files instead.

Exit codes: fio's (0 done, 1 an error or a refusal because it would endanger data, 128
interrupted). SIGUSR1 prints results so far.";

const DISKSPD_NOTE: &str = "\
Examples:
  sokudo diskspd -c1G -b4K -r -o32 -t4 -w30 -d10 -Sh -L FILE
  sokudo diskspd -b1M -o8 -d5 -Sd /dev/sdb

A link to sokudo named diskspd does the same. sokudo writes only to files that -c has
made; with --overwrite or SOKUDO_OVERWRITE=files to any file. It writes to a block device
only if SOKUDO_DESTROY=<serial or path> or --destroy names it; a device that is in use or
holds anything also needs --allow_mounted_write=1.";

const HDPARM_NOTE: &str = "\
It prints hdparm's lines. Their MB are MiB (1,048,576 bytes), as in hdparm. -t reads
through the page cache, one block at a time; sokudo mark measures what the disk can do. A
link to sokudo named hdparm does the same. sokudo refuses options that change the disk or
its settings (-W0, --security-erase). sokudo info shows the identity of other disks.";

/// Measures how fast a disk really is, and says how far each number can be
/// trusted.
#[derive(Debug, Parser)]
#[command(name = "sokudo", version, about, long_about = None, disable_help_subcommand = false)]
pub(crate) struct Cli {
    /// Language of output for people: en or ja [default: the locale's]
    ///
    /// Without it, SOKUDO_LANG decides, then LC_ALL, LC_MESSAGES and LANG. Output for programs
    /// (JSON, CSV, fio's and diskspd's formats) is always English.
    #[arg(long, global = true, value_name = "CODE", value_parser = language)]
    lang: Option<Language>,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Cli {
    /// Reads the arguments; what is wrong with them is said in the current language.
    pub(crate) fn read(arguments: Vec<OsString>) -> Result<Self, clap::Error> {
        let page = HelpDestination::Terminal {
            width: help_width(),
        };
        with_command(page, |command| {
            let arguments = language::before_help(arguments, command);
            let matches = command.try_get_matches_from_mut(arguments)?;
            Self::from_arg_matches(&matches).map_err(|error| error.format(command))
        })
    }
}

/// Lends the command line as it is shown in the current language. To put its hundreds of options
/// together takes longer than to read words by it, so that it is done once per process, and what
/// was made is never taken apart.
fn with_command<T>(page: HelpDestination, read: impl FnOnce(&mut clap::Command) -> T) -> T {
    static MADE: Mutex<Vec<((Language, HelpDestination), clap::Command)>> = Mutex::new(Vec::new());
    let key = (language::current(), page);
    // A panic while words were read harms no definition.
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let index = made.iter().position(|(known, _)| *known == key);
    let index = index.unwrap_or_else(|| {
        made.push((key, command(page)));
        made.len() - 1
    });
    read(&mut made[index].1)
}

/// Reads the words of a command that is carried out later: what was given, and what it says.
/// What is wrong with them is said without the words.
pub(crate) fn read_later(words: &[String]) -> Result<(ArgMatches, Option<Command>), Text> {
    let said = |error: clap::Error| match error.use_stderr() {
        true => mistake(&error),
        false => text!("it measures nothing"),
    };
    let all = std::iter::once("sokudo").chain(words.iter().map(String::as_str));
    let page = HelpDestination::Manual;
    let given = with_command(page, |command| command.try_get_matches_from_mut(all));
    let given = given.map_err(said)?;
    let command = Cli::from_arg_matches(&given).map_err(said)?.command;
    Ok((given, command))
}

/// The values that were given, or hold unasked, for an argument of the command; none where it has
/// no such argument.
pub(crate) fn values_of(given: &ArgMatches, argument: &str) -> Vec<String> {
    let given = given.subcommand().map_or(given, |(_, given)| given);
    let values = given.try_get_many::<String>(argument).ok().flatten();
    values.into_iter().flatten().cloned().collect()
}

/// The command line as it is shown in the current language.
pub(crate) fn command(page: HelpDestination) -> clap::Command {
    match language::current() {
        Language::English => match page {
            // clap looks at the process's terminal, which is not that of kept streams.
            HelpDestination::Terminal { width } if !invocation::current().is_of_process() => {
                Cli::command().term_width(width)
            }
            _ => Cli::command(),
        },
        other => spoken::spoken(Cli::command(), page, &mut spoken::exactly(other)),
    }
}

/// Whether a word is the name of a command.
pub(crate) fn is_command(word: &str) -> bool {
    word == "help" || Cli::command().find_subcommand(word).is_some()
}

/// What bare `sokudo` prints, in the current language.
pub(crate) fn short_help() -> String {
    match language::current() {
        Language::English => SHORT_HELP.to_owned(),
        other => spoken::prose(SHORT_HELP, Some(help_width()), &mut spoken::exactly(other)),
    }
}

/// How wide help may be: as clap has it.
fn help_width() -> usize {
    /// Where there is no terminal.
    const WIDTH: usize = 100;
    invocation::terminal_size().map_or(WIDTH, |(width, _)| width)
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Measuring(MeasuringCommand),
    /// Show disks: what they are, how they are connected and what is on them
    #[command(display_order = 2)]
    Info(InfoArguments),
    /// Compare results, or measure two plans alternately: which is faster, and how surely
    #[command(after_help = compare::EXAMPLES)]
    Compare(CompareArguments),
    /// Compare file systems, RAID levels and mount options: all combinations, unattended
    #[command(after_help = matrix::EXAMPLES)]
    Matrix(Box<MatrixArguments>),
    /// Measure on many hosts at the same time, started by MPI: one figure for all of them
    #[command(after_help = together::EXAMPLES)]
    Together(TogetherArguments),
    /// Repeat a baseline's measurement, and report whether the disk has become slower
    #[command(after_help = baseline::CHECK_EXAMPLES)]
    Check(Box<CheckArguments>),
    /// Choose the runs with which later runs are compared
    #[command(after_help = baseline::BASELINE_EXAMPLES)]
    Baseline(BaselineArguments),
    /// List kept runs
    #[command(after_help = history::LIST_EXAMPLES)]
    List(ListArguments),
    /// Show a kept run, in any format
    #[command(after_help = history::SHOW_EXAMPLES)]
    Show(ShowArguments),
    /// Add a note to a kept run
    Note(NoteArguments),
    /// Add or remove tags of a kept run
    #[command(after_help = history::TAG_EXAMPLES)]
    Tag(TagArguments),
    /// Delete kept runs permanently
    Delete(DeleteArguments),
    /// Show a device's rows over time, and where they have become slower or faster
    #[command(after_help = trend::EXAMPLES)]
    Trend(TrendArguments),
    /// Measure and look in a browser: one local page, live, with all kept runs
    #[command(after_help = page::EXAMPLES)]
    Page(Box<PageArguments>),
    /// Draw a kept run or a JSON result: as SVG, as PNG or on the terminal
    #[command(after_help = PLOT_EXAMPLES)]
    Plot(PlotArguments),
    /// Write kept runs as a page, Markdown, CSV, metrics or a picture to share
    #[command(after_help = report::EXAMPLES)]
    Report(ReportArguments),
    /// Read results of other tools, show them and keep them
    #[command(after_help = import::EXAMPLES)]
    Import(ImportArguments),
    /// Drop-in for fio: takes its arguments, prints its output
    #[command(after_help = FIO_NOTE, disable_help_flag = true)]
    Fio {
        /// fio's own options and job files; --help explains them
        #[arg(
            value_name = "ARGUMENTS",
            trailing_var_arg = true,
            allow_hyphen_values = true
        )]
        arguments: Vec<String>,
    },
    /// Drop-in for diskspd: takes its arguments, prints its output
    #[command(after_help = DISKSPD_NOTE, disable_help_flag = true)]
    Diskspd {
        /// diskspd's own options and targets; -? explains them
        #[arg(
            value_name = "ARGUMENTS",
            trailing_var_arg = true,
            allow_hyphen_values = true
        )]
        arguments: Vec<String>,
    },
    /// Time and identify disks as hdparm does (-t, -T, -I, -i, -W)
    #[command(after_help = HDPARM_NOTE)]
    Hdparm(HdparmArguments),
    /// Make a partition, a file system and a mount of one disk, and take them back
    #[command(after_help = prepare::EXAMPLES)]
    Prepare(PrepareArguments),
    /// Remove what a killed sokudo has left: test files in a directory, and, as root, arrays and pools
    Clean {
        /// Directory to search
        #[arg(default_value = ".")]
        directory: PathBuf,

        /// Also remove, without asking, files that only have the name of a test file
        #[arg(short, long)]
        yes: bool,
    },
    /// Print a completion script for a shell
    Completions {
        /// Shell to complete for
        shell: Shell,
    },
    /// Print the manual page, for example: sokudo man mark | man -l -
    Man {
        /// Command to describe, such as mark; without it, sokudo itself
        page: Option<String>,
    },
}

/// Commands that measure. Help tells them among the others: one that stands elsewhere there has the
/// place of a neighbour, and is behind or before it by its name.
#[derive(Debug, Subcommand)]
pub(crate) enum MeasuringCommand {
    /// Measure a disk: sequential and random reads and writes, as a table
    #[command(after_help = EXAMPLES)]
    Mark(Box<MarkArguments>),
    /// A quick look: cached, buffered and direct reads, about 3 s each
    #[command(after_help = quick::EXAMPLES)]
    Quick(Box<QuickArguments>),
    /// Measure the whole surface: transfer rate and access time over position
    #[command(after_help = scan::EXAMPLES)]
    Scan(Box<ScanArguments>),
    /// Find out what a device is from how it behaves, with evidence for each claim
    #[command(after_help = explain::EXAMPLES)]
    Explain(Box<ExplainArguments>),
    /// Write a drive from start to end: where its fast part ends, and what comes back after a rest
    #[command(after_help = fill::EXAMPLES)]
    Fill(Box<FillArguments>),
    /// Write every block of new disks, read it back, test them: one verdict each, after hours or days
    #[command(after_help = burn_in::EXAMPLES)]
    BurnIn(Box<BurnInArguments>),
    /// Is a disk well, and as fast as it should be? OK, OK BUT or NOT OK, with reasons
    #[command(after_help = assess::EXAMPLES)]
    Assess(Box<AssessArguments>),
    /// Is a disk fast enough for etcd, PostgreSQL, Proxmox and others? Yes, no, or why not said
    #[command(after_help = fit::EXAMPLES)]
    Fit(Box<FitArguments>),
    /// Measure a range of block sizes, queue depths or threads
    #[command(after_help = sweep::EXAMPLES)]
    Sweep(Box<SweepArguments>),
    /// Measure latency against load: the knee, and the highest rate within a latency limit
    #[command(after_help = load::EXAMPLES)]
    Load(Box<LoadArguments>),
    /// Find how many threads and how much depth a device needs to give its most, and what limits it
    #[command(after_help = peak::EXAMPLES)]
    Peak(Box<PeakArguments>),
    /// Write to a drive until it is steady, then measure it, as the SNIA PTS does
    #[command(after_help = steady::EXAMPLES)]
    Steady(Box<SteadyArguments>),
    /// Measure a file system with Bonnie++'s phases
    #[command(after_help = bonnie::EXAMPLES)]
    Bonnie(Box<BonnieArguments>),
    /// Run fio job files, with sokudo's own results and verdicts
    #[command(after_help = RUN_EXAMPLES, display_order = 30)]
    Run(Box<RunArguments>),
}

/// Own arguments of `sokudo run`, as given.
#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    /// fio job files
    #[arg(required = true, value_name = "JOB.fio")]
    pub(crate) files: Vec<String>,

    /// Repetitions; 6 are needed for a 95 % interval
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1, value_parser = whole_number(1..=10_000))]
    pub(crate) runs: u32,

    /// Run the jobs of this section only (repeatable)
    #[arg(long = "section", value_name = "NAME")]
    pub(crate) sections: Vec<String>,

    /// Run even if options are not supported; the result lists them
    #[arg(long)]
    pub(crate) lenient: bool,

    /// Refuse to write anything
    #[arg(long)]
    pub(crate) readonly: bool,

    /// Overwrite existing files of the jobs; their contents are lost
    #[arg(long)]
    pub(crate) overwrite: bool,

    /// Block device whose data may be destroyed: serial number or path (repeatable)
    #[arg(long, value_name = "SERIAL|PATH")]
    pub(crate) destroy: Vec<String>,
}

/// Arguments of `sokudo hdparm`, as given.
#[derive(Debug, Args)]
pub(crate) struct HdparmArguments {
    /// Time reads of the device: 3 s from its start, through an emptied page cache
    #[arg(short = 't')]
    pub(crate) device_reads: bool,

    /// Time reads of the page cache: the same 2 MiB again and again for 2 s
    #[arg(short = 'T')]
    pub(crate) cached_reads: bool,

    /// Bypass the page cache (O_DIRECT)
    #[arg(long)]
    pub(crate) direct: bool,

    /// With -t: start at this offset, in GiB
    #[arg(long = "offset", value_name = "GIB", default_value_t = 0)]
    pub(crate) offset_gib: u64,

    /// Print an ATA disk's identity, in detail
    #[arg(short = 'I')]
    pub(crate) identify: bool,

    /// Print an ATA disk's identity, in short
    #[arg(short = 'i')]
    pub(crate) identify_shortly: bool,

    /// Print whether an ATA disk's write cache is on
    #[arg(short = 'W')]
    pub(crate) write_cache: bool,

    /// Block devices to read
    #[arg(required = true, value_name = "DEV")]
    pub(crate) devices: Vec<PathBuf>,
}

/// How often and in which order rows are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScheduleChoice {
    /// Rows in turn, so drift affects all alike; each row until it is precise enough
    Interleaved,
    /// As CrystalDiskMark: each row with a warm-up and 3 trials of 5 s; 5 s between rows
    Crystal,
}

/// Own arguments of `sokudo mark`, as given.
#[derive(Debug, Args)]
pub(crate) struct MarkOptions {
    /// Directory, file, block device, sim:MODEL or null:
    ///
    /// In a directory, sokudo makes its own test file and removes it afterwards. It writes to a
    /// file only with --overwrite, and to a device only with --destroy. sim:const, sim:hdd, sim:smr
    /// and sim:ssd are simulated devices; null: is no device and measures sokudo's own cost.
    #[arg(default_value = ".")]
    pub(crate) target: String,

    /// More of them: each is measured alone, by turns, then all together
    ///
    /// The result says what sharing costs each of them, and names the link, controller, file system
    /// or processor that they share, where it is seen. Written is only where all may be written.
    #[arg(value_name = "MORE")]
    pub(crate) others: Vec<String>,

    /// Rows: nvme, flash, peak, real, demo, classic or durable
    ///
    /// The rows of CrystalDiskMark's profiles; classic has those of CrystalDiskMark 3 (Seq, 512K,
    /// 4K, 4K QD32). durable writes as logs do: 4 KiB with O_DSYNC (Ceph journal, ZFS SLOG), 2,300 B
    /// with fdatasync (etcd), 8 KiB with fdatasync and 16 MiB with fsync (PostgreSQL).
    #[arg(short, long, default_value = "default", value_name = "NAME", help_heading = MEASURED)]
    pub(crate) profile: Profile,

    /// Row to measure instead of the profile, such as RND4K,Q32,T16 (repeatable)
    ///
    /// SEQ or RND and a block size, then depth (Q), threads (T), and read, write or mix70 to
    /// measure only that direction. Threads of a sequential row share one position. dsync, sync,
    /// fsync=16 or fdatasync make its writes durable, each or every 16: RND4K,Q1,T1,dsync. Such a
    /// row is only written, and not with --read-only. fsync and fdatasync go through the page cache,
    /// as in databases, unless --direct is on.
    #[arg(short, long = "row", value_name = "ROW", value_parser = sokudo_dialect::crystal::row, help_heading = MEASURED)]
    pub(crate) rows: Vec<RowSpec>,

    /// Also measure mixed reads and writes, 70 % reads by default (repeatable)
    #[arg(long = "mix", value_name = "R70/W30", num_args = 0..=1, default_missing_value = "R70/W30", help_heading = MEASURED)]
    pub(crate) mixes: Vec<Mix>,

    /// Measure reads only
    #[arg(long, conflicts_with = "write_only", help_heading = MEASURED)]
    pub(crate) read_only: bool,

    /// Measure writes only
    #[arg(long, help_heading = MEASURED)]
    pub(crate) write_only: bool,

    /// Size to use, such as 8GiB [default: 1GiB, or all of a file or device]
    ///
    /// In a directory, the size of the test file: at least 16MiB, and a multiple of every row's
    /// block. Of a file or device, the part from its start.
    #[arg(short, long, value_name = "SIZE", help_heading = MEASURED)]
    pub(crate) size: Option<Bytes>,

    /// Data to write: random or zero
    #[arg(long, default_value = "random", value_parser = one_of(DATA), hide_possible_values = true, value_name = "WHAT", help_heading = MEASURED)]
    pub(crate) data: DataContent,

    /// Trial order
    #[arg(long, value_enum, value_name = "NAME", default_value = "interleaved", help_heading = HOW)]
    pub(crate) schedule: ScheduleChoice,

    /// Trials per row, exactly or at most; 6 give a 95 % interval [crystal: 3]
    ///
    /// Without it, each row gets as many trials as its precision needs, from 6 to 40.
    #[arg(short = 'n', long, value_name = "N", value_parser = whole_number(1..=10_000), help_heading = HOW)]
    pub(crate) runs: Option<u32>,

    #[command(flatten)]
    pub(crate) precision: Precision,

    /// Length of a trial, such as 5s [default: as needed, crystal: 5s]
    ///
    /// Without it, a row's trials take 250 ms, 500 ms or 1 s, whatever its first one shows to be
    /// enough; 1 s where --runs or --rate is given.
    #[arg(short, long, value_name = "TIME", help_heading = HOW)]
    pub(crate) time: Option<Nanos>,

    /// Pause between trials (crystal: between rows) [default: none, crystal: 5s]
    #[arg(short, long, value_name = "TIME", help_heading = HOW)]
    pub(crate) interval: Option<Nanos>,

    /// Engine: fastest, io_uring, libaio, psync or io_uring_cmd
    ///
    /// auto tries io_uring and libaio and takes the faster one. io_uring_cmd passes commands to a whole
    /// NVMe drive around the block layer, which is guarded from writes as ever. fastest tries
    /// polling and io_uring_cmd, too, where the device takes them: what the disk gives to a program
    /// that does so, which few do.
    #[arg(short, long, default_value = "auto", value_parser = one_of(ENGINES), hide_possible_values = true, value_name = "ENGINE", help_heading = HOW)]
    pub(crate) engine: Engine,

    /// Poll the device for completions instead of waiting for its interrupts
    ///
    /// With io_uring, for direct I/O on devices whose driver has queues for it (NVMe:
    /// nvme.poll_queues=2 on the kernel's command line). Each thread keeps a processor busy.
    #[arg(long, help_heading = HOW)]
    pub(crate) polled: bool,

    /// I/Os in flight per thread, instead of each row's Q
    #[arg(long, value_name = "N", value_parser = whole_number(1..=DEPTH_MAX_IO_URING), help_heading = HOW)]
    pub(crate) depth: Option<u32>,

    /// Threads, instead of each row's T
    #[arg(long, value_name = "N", value_parser = whole_number(1..=THREADS_MAX), help_heading = HOW)]
    pub(crate) threads: Option<u32>,

    /// Bypass the page cache: on, off, or where possible (auto)
    #[arg(long, default_value = "auto", value_parser = one_of(DIRECT), hide_possible_values = true, value_name = "MODE", help_heading = HOW)]
    pub(crate) direct: DirectMode,

    /// Read the clock before and after every I/O, not once per batch
    #[arg(long, help_heading = HOW)]
    pub(crate) exact_clock: bool,

    /// Start I/Os at a fixed rate, such as 5000iops or 200MB/s
    ///
    /// The rate holds for each row and is divided among its threads. Latencies are shown twice:
    /// from when an I/O was issued (service), and from when the rate intended it to start, which
    /// includes the wait for a busy disk.
    #[arg(long, value_name = "RATE", conflicts_with_all = ["print_job", "print_as"], help_heading = HOW)]
    pub(crate) rate: Option<Rate>,

    /// With --rate: start I/Os at random instants (Poisson), as users do
    #[arg(long, requires = "rate", help_heading = HOW)]
    pub(crate) poisson: bool,

    /// Print the method as a fio job file and measure nothing
    #[arg(long, help_heading = PRINTED)]
    pub(crate) print_job: bool,

    /// Print the method as fio or diskspd command lines and measure nothing
    #[arg(
        long = "as",
        value_enum,
        hide_possible_values = true,
        value_name = "TOOL",
        conflicts_with = "print_job",
        help_heading = PRINTED
    )]
    pub(crate) print_as: Option<CommandLines>,
}

/// A tool whose command lines a method is printed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CommandLines {
    /// One fio line per job
    Fio,
    /// One diskspd line per row
    Diskspd,
}

fn language(text: &str) -> Result<Language, Text> {
    language::of_code(text).ok_or_else(|| text!("use en or ja"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
        let is_there = |(name, _): &(&str, _)| Cli::command().find_subcommand(name).is_some();
        assert!(MEASURING.iter().all(is_there));
    }

    /// Says nothing in other words, but remembers what was to be said.
    fn asked(texts: &mut Vec<String>) -> impl FnMut(&str) -> String {
        |text| {
            texts.push(text.to_owned());
            text.to_owned()
        }
    }

    #[test]
    fn every_text_of_the_command_line_is_in_the_catalogue() {
        let japanese = spoken::exactly(Language::Japanese);
        let mut texts = Vec::new();
        let mut speaker = asked(&mut texts);
        spoken::spoken(Cli::command(), HelpDestination::Manual, &mut speaker);
        spoken::prose(SHORT_HELP, None, &mut speaker);
        drop(speaker);
        texts.sort();
        texts.dedup();
        let missing: Vec<&String> = texts
            .iter()
            .filter(|text| !text.is_empty() && japanese(text) == **text)
            .collect();
        assert!(
            missing.is_empty(),
            "not in crates/sokudo-words/ja/help.po: {missing:#?}"
        );
    }

    #[test]
    fn the_spoken_definition_is_consistent() {
        let mut say = spoken::exactly(Language::Japanese);
        let command = spoken::spoken(
            Cli::command(),
            HelpDestination::Terminal { width: 100 },
            &mut say,
        );
        command.debug_assert();
    }
}
