//! Arguments of `sokudo mark`.

use clap::{Args, ValueEnum};
use sokudo_model::{Bytes, DataContent, DirectMode, Nanos, Rate};
use sokudo_terminal::arguments::heading::{HOW, MEASURED, PRINTED};
use sokudo_terminal::arguments::mistake::whole_number;
use sokudo_terminal::arguments::one_of::one_of;
use sokudo_tools::crystaldiskmark::{DEPTH_MAX_IO_URING, Mix, Profile, RowSpec, THREADS_MAX};

use crate::arguments::io::{DATA, DIRECT, ENGINES, Engine};
use crate::arguments::precision::Precision;
use crate::arguments::{Ability, MeasuringArguments, OwnArguments, SharedGroup};

use Ability::{Alternate, Count, Directory, Repeat, Together};
use SharedGroup::{Destroy, Overwrite, Pages, Seed, Stop};

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  sokudo mark .                                        the disk under this directory
  sokudo mark . --quick                                every row once, in about 15 s
  sokudo mark /mnt/data --profile nvme --size 8GiB     CrystalDiskMark's NVMe rows
  sokudo mark /dev/sdb                                 a whole device, reads only
  sokudo mark /dev/sdb /dev/sdc                        each alone, then both: what sharing costs
  sokudo mark . --row SEQ128K,Q32,T4 --row RND4K,Q1,T1,mix70
  sokudo mark . --row RND4K,Q32 --rate 5000iops        latency at a fixed load
  sokudo mark . --format json --output result.json     keep the figures
  sokudo mark . --precision 1%                         longer, and each figure to ± 1 %
  sokudo mark . --plot bars.svg --plot -               with a picture in a file and one here
  sokudo mark . --require verified                     exit code 4 unless every row is VERIFIED
  sokudo mark 'sim:hdd?size=4TB&rpm=5900'              a simulated hard disk
  sokudo mark . --print-job > job.fio && fio job.fio   the same, measured by fio

Exit codes: 0 done, 1 something failed, 2 wrong arguments, 3 refused because it
would endanger data, 4 less trusted than --require asks, 5 ended by --stop-when, 130
interrupted.";

/// How often and in which order rows are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScheduleChoice {
    /// Rows alternate, so drift affects all alike; each row until it is precise enough
    Interleaved,
    /// As CrystalDiskMark: each row with a warm-up and 3 trials of 5 s; 5 s between rows
    Crystal,
}

/// All arguments of `sokudo mark`.
pub type Arguments = MeasuringArguments<MarkOptions>;

impl OwnArguments for MarkOptions {
    const SHARED: &'static [SharedGroup] = &[Overwrite, Destroy, Stop, Pages, Seed];
    const CAN: &'static [Ability] = &[Repeat, Directory, Count, Alternate, Together];
}

/// Own arguments of `sokudo mark`, as given.
#[derive(Debug, Args)]
pub struct MarkOptions {
    /// Directory, file, block device, sim:MODEL or null:
    ///
    /// In a directory, sokudo makes its own test file and removes it afterwards. It writes to a
    /// file only with --overwrite, and to a device only with --destroy. sim:const, sim:hdd, sim:smr,
    /// sim:ssd and sim:raid5 are simulated devices; null: is no device and measures sokudo's own cost.
    #[arg(default_value = ".")]
    pub target: String,

    /// More of them: each is measured alone, then all together
    ///
    /// The result says what sharing costs each of them, and names the link, controller, file system
    /// or CPU that they share, where it is seen. Writes only if every target may be written.
    #[arg(value_name = "MORE")]
    pub others: Vec<String>,

    /// Rows: nvme, flash, peak, real, demo, classic or durable
    ///
    /// The rows of CrystalDiskMark's profiles; classic has those of CrystalDiskMark 3 (Seq, 512K,
    /// 4K, 4K QD32). durable writes as logs do: 4 KiB with O_DSYNC (Ceph journal, ZFS SLOG), 2,300 B
    /// with fdatasync (etcd), 8 KiB with fdatasync and 16 MiB with fsync (PostgreSQL).
    #[arg(short, long, default_value = "default", value_name = "NAME", help_heading = MEASURED)]
    pub profile: Profile,

    /// Row to measure instead of the profile, such as RND4K,Q32,T16 (repeatable)
    ///
    /// SEQ or RND and a block size, then depth (Q), threads (T), and read, write or mix70 to
    /// measure only that direction. Threads of a sequential row share one position. dsync, sync,
    /// fsync=16 or fdatasync make its writes durable, each or every 16: RND4K,Q1,T1,dsync. Such a
    /// row is only written, and not with --read-only. fsync and fdatasync go through the page cache,
    /// as in databases, unless --direct is on.
    #[arg(short, long = "row", value_name = "ROW", value_parser = sokudo_tools::crystaldiskmark::row, help_heading = MEASURED)]
    pub rows: Vec<RowSpec>,

    /// Also measure mixed reads and writes, 70 % reads by default (repeatable)
    #[arg(long = "mix", value_name = "R70/W30", num_args = 0..=1, default_missing_value = "R70/W30", help_heading = MEASURED)]
    pub mixes: Vec<Mix>,

    /// Measure reads only
    #[arg(long, conflicts_with = "write_only", help_heading = MEASURED)]
    pub read_only: bool,

    /// Measure writes only
    #[arg(long, help_heading = MEASURED)]
    pub write_only: bool,

    /// Size to use, such as 8GiB [default: 1GiB, or all of a file or device]
    ///
    /// In a directory, the size of the test file: at least 16MiB, and a multiple of every row's
    /// block. Of a file or device, the part from its start.
    #[arg(short, long, value_name = "SIZE", help_heading = MEASURED)]
    pub size: Option<Bytes>,

    /// Data to write: random or zero
    #[arg(long, default_value = "random", value_parser = one_of(DATA), hide_possible_values = true, value_name = "WHAT", help_heading = MEASURED)]
    pub data: DataContent,

    /// Measure every row once, in about 15 s, without a ±
    ///
    /// One trial of 1 s per row: --runs 1 --time 1s.
    #[arg(long, conflicts_with_all = ["runs", "time", "schedule", "precision", "max_time", "spread_over"], help_heading = HOW)]
    pub quick: bool,

    /// Trial order
    #[arg(long, value_enum, value_name = "NAME", default_value = "interleaved", help_heading = HOW)]
    pub schedule: ScheduleChoice,

    /// Trials per row, exactly or at most; 6 give a 95 % interval [crystal: 3]
    ///
    /// Without it, each row gets as many trials as its precision needs, from 6 to 40.
    #[arg(short = 'n', long, value_name = "N", value_parser = whole_number(1..=10_000), help_heading = HOW)]
    pub runs: Option<u32>,

    #[command(flatten)]
    pub precision: Precision,

    /// Length of a trial, such as 5s [default: as needed, crystal: 5s]
    ///
    /// Without it, a row's trials take 250 ms, 500 ms or 1 s (reads: 650 ms at most): the shortest
    /// that its first trial shows to be enough. With --runs or --rate they take 1 s.
    #[arg(short, long, value_name = "TIME", help_heading = HOW)]
    pub time: Option<Nanos>,

    /// Pause between trials (crystal: between rows) [default: none, crystal: 5s]
    #[arg(long, value_name = "TIME", help_heading = HOW)]
    pub pause: Option<Nanos>,

    /// Engine: fastest, io_uring, libaio, psync or io_uring_cmd
    ///
    /// auto tries io_uring and libaio and takes the faster one. io_uring_cmd sends commands
    /// straight to a whole NVMe drive and bypasses the block layer; the protection from writes
    /// stays. fastest also tries polling and io_uring_cmd where the device supports them: the
    /// disk's maximum, which few programs reach.
    #[arg(short, long, default_value = "auto", value_parser = one_of(ENGINES), hide_possible_values = true, value_name = "ENGINE", help_heading = HOW)]
    pub engine: Engine,

    /// Poll the device for completions instead of waiting for its interrupts
    ///
    /// With io_uring, for direct I/O on devices whose driver has queues for it (NVMe:
    /// nvme.poll_queues=2 on the kernel's command line). Each thread keeps a CPU busy.
    #[arg(long, help_heading = HOW)]
    pub polled: bool,

    /// I/Os in flight per thread, instead of each row's Q
    #[arg(long, value_name = "N", value_parser = whole_number(1..=DEPTH_MAX_IO_URING), help_heading = HOW)]
    pub depth: Option<u32>,

    /// Threads, instead of each row's T
    #[arg(long, value_name = "N", value_parser = whole_number(1..=THREADS_MAX), help_heading = HOW)]
    pub threads: Option<u32>,

    /// Bypass the page cache: on, off or where possible (auto)
    #[arg(long, default_value = "auto", value_parser = one_of(DIRECT), hide_possible_values = true, value_name = "MODE", help_heading = HOW)]
    pub direct: DirectMode,

    /// Read the clock before and after every I/O, not once per batch
    #[arg(long, help_heading = HOW)]
    pub exact_clock: bool,

    /// Start I/Os at a fixed rate, such as 5000iops or 200MB/s
    ///
    /// The rate holds for each row and is divided among its threads. Latencies are shown twice:
    /// from when an I/O was issued (service), and from when the rate intended it to start, which
    /// includes the wait for a busy disk.
    #[arg(long, value_name = "RATE", conflicts_with_all = ["print_job", "print_as"], help_heading = HOW)]
    pub rate: Option<Rate>,

    /// With --rate: start I/Os at random instants (Poisson), as users do
    #[arg(long, requires = "rate", help_heading = HOW)]
    pub poisson: bool,

    /// Print the method as a fio job file and measure nothing
    #[arg(long, help_heading = PRINTED)]
    pub print_job: bool,

    /// Print the method as fio or diskspd command lines and measure nothing
    #[arg(
        long = "as",
        value_enum,
        hide_possible_values = true,
        value_name = "TOOL",
        conflicts_with = "print_job",
        help_heading = PRINTED
    )]
    pub print_as: Option<CommandLines>,
}

/// A tool whose command lines a method is printed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CommandLines {
    /// One fio line per job
    Fio,
    /// One diskspd line per row
    Diskspd,
}
