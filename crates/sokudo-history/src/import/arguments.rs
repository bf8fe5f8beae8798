//! Arguments of `sokudo import`.

use std::path::PathBuf;

use clap::Args;
use sokudo_terminal::arguments::heading::PRINTED;
use sokudo_terminal::arguments::printing::{Rendering, label};
use sokudo_terminal::arguments::store::RunKeeping;

use crate::arguments::moment::Moment;
use crate::runs::arguments::{note, tag};

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  sokudo import fio.json                            a result of fio, which then has a number
  sokudo import *.txt --tag 2025                    many files; sokudo recognises each format
  fio job.fio --output-format=json+ | sokudo import -
  sokudo import old.txt --model 'ST6000DM003' --serial ZZZ  to find it with its disk
  sokudo import fio.json --no-store --format markdown       only show it

It reads the output and files of fio (also its logs), diskspd, CrystalDiskMark, KDiskMark, HD
Tune, GNOME Disks, hdparm, dd, Bonnie++, ioping, elbencho, yabs, kubestr, sysbench, IOR,
mdtest, pveperf and F3. It corrects known errors and shows each correction. Such a run has no
evidence, so all its rows are UNVERIFIED.

Exit codes: 0 all files were read, 1 one could not be read or kept, 2 wrong arguments.";

/// Arguments of `sokudo import`, as given.
#[derive(Debug, Args)]
pub struct ImportArguments {
    /// Files that other tools have printed or saved, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Name of what was measured, instead of the tool's name for it
    #[arg(long, value_name = "NAME", help_heading = "Additional facts")]
    pub device: Option<String>,

    /// Model of the disk
    #[arg(long, value_name = "TEXT", help_heading = "Additional facts")]
    pub model: Option<String>,

    /// Serial number of the disk
    #[arg(long, value_name = "TEXT", help_heading = "Additional facts")]
    pub serial: Option<String>,

    /// Date of results that have none: 2026-11-21, 1y, RFC 3339
    #[arg(long, value_name = "DATE", help_heading = "Additional facts")]
    pub date: Option<Moment>,

    /// Also print the mean without the N slowest and N fastest trials
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = PRINTED)]
    pub trim: u32,

    /// Tag of every run that is kept (repeatable)
    #[arg(long = "tag", value_name = "TAG", value_parser = tag, help_heading = "Additional facts")]
    pub tags: Vec<String>,

    /// Give every imported run this name, as --label does for measured runs
    #[arg(long, value_name = "NAME", value_parser = label, help_heading = "Additional facts")]
    pub label: Option<String>,

    /// Note on every run that is kept
    #[arg(long, value_name = "TEXT", value_parser = note, help_heading = "Additional facts")]
    pub note: Option<String>,

    #[command(flatten)]
    pub rendering: Rendering,

    /// Print only errors
    #[arg(short, long, help_heading = PRINTED)]
    pub quiet: bool,

    #[command(flatten)]
    pub keeping: RunKeeping,
}
