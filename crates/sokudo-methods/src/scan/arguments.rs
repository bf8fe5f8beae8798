//! Arguments of `sokudo scan`.

use clap::Args;
use sokudo_model::{Bytes, DriveCache};
use sokudo_terminal::arguments::heading::{HOW, MEASURED, WRITTEN};
use sokudo_terminal::arguments::mistake::whole_number;
use sokudo_terminal::arguments::one_of::one_of;

use crate::arguments::precision::Precision;
use crate::arguments::{Ability, MeasuringArguments, OwnArguments, SharedGroup};
use crate::rows::surface::{ACCESS_COUNT_MAX, DEPTH_MAX, Level, POINTS_MAX, Position};

use Ability::{Alternate, Count, Directory, Repeat, Together};
use SharedGroup::{Destroy, Issue, Overwrite, Pages, Seed, Stop};

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  sokudo scan /dev/sdb                             curve and access times, reads only
  sokudo scan /dev/sdb --full                      read every byte, and list what cannot be read
  sokudo scan /dev/sdb --full --from 40% --to 60%  the same for a part
  sokudo scan /dev/sdb /dev/sdc                    each alone, then both: what sharing costs
  sokudo scan /dev/sdb --resume                    resume the scan that was interrupted
  sokudo scan /dev/sdb --full --timeout 60s        continue after reads that hang
  sokudo scan /dev/sdb --hdtune accurate --random  as HD Tune, with its random access
  sokudo scan /dev/sdb --gnome --write --write-back  as GNOME Disks, with its writes
  sokudo scan /dev/sdb --write --destroy WD-1234 --write-cache both
  sokudo scan /mnt/data --write --size 8GiB        on a file of sokudo's own
  sokudo scan 'sim:hdd?size=6TB'                   try it on a simulated disk

sokudo writes to a device only with --write, and then only what it has just read
(--write-back), or if --destroy names the device. In either case nothing else may use it.

Exit codes: 0 done, 1 something failed, also if a range could not be read, 2 wrong
arguments, 3 refused because it would endanger data, 4 less trusted than --require asks,
5 ended by --stop-when, 130 interrupted.";

/// All arguments of `sokudo scan`.
pub type Arguments = MeasuringArguments<ScanOptions>;

impl OwnArguments for ScanOptions {
    const SHARED: &'static [SharedGroup] = &[Overwrite, Destroy, Issue, Stop, Pages, Seed];
    const CAN: &'static [Ability] = &[Repeat, Directory, Count, Alternate, Together];
}

/// Own arguments of `sokudo scan`, as given.
#[derive(Debug, Args)]
#[command(mut_arg("overwrite", |it| it
    .requires("write")
    .conflicts_with("destroy")
    .help("With --write: overwrite the existing file; its contents are lost")
))]
pub struct ScanOptions {
    /// Block device, partition, file, directory or sim:MODEL
    ///
    /// Offsets count from the start of the target, which may be a partition. In a directory, sokudo
    /// makes its own test file and removes it afterwards.
    pub target: String,

    /// More of them: each is scanned alone, then all together
    ///
    /// The result says what sharing costs each of them, and names the link, controller, file system
    /// or CPU that they share, where it is seen.
    #[arg(value_name = "MORE")]
    pub others: Vec<String>,

    /// As GNOME Disks: 100 points, 10 MiB by one I/O each, 1000 access times
    ///
    /// One page is read before each sample and not measured. The seed is 42, as in GNOME Disks,
    /// unless --seed changes it.
    #[arg(long, conflicts_with_all = ["hdtune", "full"], help_heading = MEASURED)]
    pub gnome: bool,

    /// As HD Tune, at a level from 1 (fast) to 5 (accurate)
    ///
    /// 200 points; at each, blocks of 64 KiB one by one for 1/8, 1/4, 1/2, 1 or 2 seconds.
    #[arg(
        long,
        value_name = "LEVEL",
        conflicts_with_all = ["full", "sample"],
        help_heading = MEASURED
    )]
    pub hdtune: Option<Level>,

    /// Read every byte, and list what cannot be read
    #[arg(long, conflicts_with = "sample", help_heading = MEASURED)]
    pub full: bool,

    /// Points of the curve, 0 for no curve [default: 200, gnome: 100]
    #[arg(long, value_name = "N", value_parser = whole_number(0..=POINTS_MAX), help_heading = MEASURED)]
    pub points: Option<u32>,

    /// Size to measure at each point [default: 10MiB]
    #[arg(long, value_name = "SIZE", help_heading = MEASURED)]
    pub sample: Option<Bytes>,

    /// Measure only the first part of the target, such as 100GB
    #[arg(long, value_name = "SIZE", help_heading = MEASURED)]
    pub short_stroke: Option<Bytes>,

    /// Measure only from this place of the target on, such as 500GB or 40%
    ///
    /// Results show positions on the whole target. A share is rounded down to 1 MiB.
    #[arg(long, value_name = "PLACE", conflicts_with = "short_stroke", help_heading = MEASURED)]
    pub from: Option<Position>,

    /// Measure only up to this place of the target, such as 1TB or 60%
    #[arg(long, value_name = "PLACE", conflicts_with = "short_stroke", help_heading = MEASURED)]
    pub to: Option<Position>,

    /// Visit the points of the curve in random order
    #[arg(long, help_heading = MEASURED)]
    pub shuffle: bool,

    /// Random I/Os per access-time row, 0 for none [default: 200, gnome: 1000]
    #[arg(long, value_name = "N", value_parser = whole_number(0..=ACCESS_COUNT_MAX), help_heading = MEASURED)]
    pub access_count: Option<u32>,

    /// Size of the I/Os that measure access times [default: 4KiB]
    #[arg(long, value_name = "SIZE", help_heading = MEASURED)]
    pub access_size: Option<Bytes>,

    /// Also random access by size: 512 B, 4 KiB, 64 KiB, 1 MiB, mixed
    #[arg(long, help_heading = MEASURED)]
    pub random: bool,

    /// Also HD Tune's extra tests: outer, middle, inner, seeks, burst, cache
    #[arg(long, help_heading = MEASURED)]
    pub extra: bool,

    /// Size of the test file in a directory [default: 1GiB]
    #[arg(short, long, value_name = "SIZE", help_heading = MEASURED)]
    pub size: Option<Bytes>,

    /// Also measure writes
    ///
    /// A directory needs nothing more. An existing file also needs --write-back or --overwrite, a
    /// device --write-back or --destroy.
    #[arg(long, help_heading = WRITTEN)]
    pub write: bool,

    /// With --write: write back only what was just read, so nothing changes
    ///
    /// Nothing else may use the device. Its data stays, but a crash or power loss can damage the
    /// sectors being written.
    #[arg(long, requires = "write", conflicts_with_all = ["destroy", "overwrite"], help_heading = WRITTEN)]
    pub write_back: bool,

    /// The drive's own write cache: keep it, on, off, or both
    ///
    /// sokudo restores the cache afterwards, however the run ends. With both, everything is
    /// measured twice.
    #[arg(long, value_parser = one_of(WRITE_CACHES), hide_possible_values = true, value_name = "STATE", default_value = "keep", help_heading = HOW)]
    pub write_cache: &'static [DriveCache],

    /// Resume a scan that was interrupted, and read only what is missing
    ///
    /// Resumes the kept run of that number; without a number, the newest run of these targets, in
    /// any order. Its options are used again. Only for scans that read.
    #[arg(
        long,
        value_name = "RUN",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with_all = [
            "gnome", "hdtune", "full", "points", "sample", "short_stroke", "from", "to", "shuffle",
            "access_count", "access_size", "random", "extra", "size", "write", "block", "depth",
            "runs", "seed", "timeout", "write_cache", "engine", "direct",
        ],
        help_heading = MEASURED
    )]
    pub resume: Option<String>,

    /// Size of the curve's I/Os [default: 1MiB, gnome: sample, hdtune: 64KiB]
    ///
    /// With --gnome one I/O reads all of a sample.
    #[arg(long, value_name = "SIZE", help_heading = HOW)]
    pub block: Option<Bytes>,

    /// I/Os in flight on the curve [default: 8, gnome and hdtune: 1]
    #[arg(long, value_name = "N", value_parser = whole_number(1..=DEPTH_MAX), help_heading = HOW)]
    pub depth: Option<u32>,

    /// Trials per row; 6 give a 95 % interval [default: 1]
    #[arg(short = 'n', long, value_name = "N", value_parser = whole_number(1..=10_000), help_heading = HOW)]
    pub runs: Option<u32>,

    #[command(flatten)]
    pub precision: Precision,
}

/// What becomes of the drive's own write cache, one after the other. With both it is off first: what
/// was written before it was switched off is on the medium.
const WRITE_CACHES: &[(&str, &[DriveCache])] = &[
    ("keep", &[DriveCache::Keep]),
    ("on", &[DriveCache::On]),
    ("off", &[DriveCache::Off]),
    ("both", &[DriveCache::Off, DriveCache::On]),
];
