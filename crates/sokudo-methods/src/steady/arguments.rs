//! Arguments of `sokudo steady`.

use clap::{ArgGroup, Args};
use sokudo_model::{Bytes, DriveCache, Nanos, SteadyTest};
use sokudo_terminal::arguments::heading::{HOW, MEASURED};
use sokudo_terminal::arguments::mistake::whole_number;
use sokudo_terminal::arguments::one_of::one_of;

use crate::arguments::axis::Sizes;
use crate::arguments::{Ability, MeasuringArguments, OwnArguments, SharedGroup};
use crate::steady::plan::Mixes;

use Ability::{Directory, Repeat, Together};
use SharedGroup::{Destroy, Issue, Overwrite, Pages, Seed, Stop};

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  sokudo steady /dev/sdb --destroy WD-1234 --dry-run  how long, and how much is written
  sokudo steady /dev/sdb --purge --destroy WD-1234 IOPS by mix and block size, as PTS-C
  sokudo steady /dev/nvme1n1 --enterprise --purge --destroy S4X1
  sokudo steady /dev/sdb --test wsat --purge --destroy WD-1234 --plot wsat.svg
  sokudo steady /mnt/data --size 64GiB --round-time 5s --sizes 4K,64K --mixes 100/0,65/35,0/100
  sokudo steady sim:ssd --plot rounds.png          try it on a simulated drive

sokudo follows the SNIA's Performance Test Specification. It purges the drive (a discard, with --purge; for a secure erase use nvme format or hdparm) and writes its full capacity twice. It then measures in rounds until five of them are steady, twice in a row, or 25 are over. The result is called PTS-like if all of this was done, and never a PTS result.

Every test writes. sokudo destroys a device only if --destroy names it, and overwrites an
existing file only with --overwrite.

Exit codes: 0 done, steady or not, 1 something failed, 2 wrong arguments, 3 refused because
it would endanger data, 5 ended by --stop-when, 130 interrupted.";

const TESTS: &[(&str, SteadyTest)] = &[
    ("iops", SteadyTest::Iops),
    ("throughput", SteadyTest::Throughput),
    ("latency", SteadyTest::Latency),
    ("wsat", SteadyTest::WriteSaturation),
];

/// What becomes of the drive's own write cache.
const WRITE_CACHES: &[(&str, DriveCache)] = &[
    ("keep", DriveCache::Keep),
    ("on", DriveCache::On),
    ("off", DriveCache::Off),
];

/// All arguments of `sokudo steady`.
pub type Arguments = MeasuringArguments<SteadyOptions>;

impl OwnArguments for SteadyOptions {
    const SHARED: &'static [SharedGroup] = &[Overwrite, Destroy, Issue, Stop, Pages, Seed];
    const CAN: &'static [Ability] = &[Repeat, Directory, Together];
}

/// Own arguments of `sokudo steady`, as given.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("classes").args(["client", "enterprise"]))]
pub struct SteadyOptions {
    /// Block device, file, directory or sim:MODEL
    ///
    /// In a directory, sokudo makes its own test file and removes it afterwards.
    pub target: String,

    /// Which test: iops, throughput, latency or wsat
    ///
    /// iops: random I/O by mix and block size, 56 cells. throughput: sequential, 128 KiB and
    /// 1 MiB. latency: one I/O at a time, and a histogram. wsat: writes from purged to worn.
    #[arg(
        long,
        value_parser = one_of(TESTS),
        hide_possible_values = true,
        value_name = "NAME",
        default_value = "iops",
        help_heading = MEASURED
    )]
    pub test: SteadyTest,

    /// As PTS-C (default): 2 threads, depth 16, 75 % of the size, cache on
    ///
    /// The size is the capacity under test, the cache the drive's own write cache.
    #[arg(long, help_heading = MEASURED)]
    pub client: bool,

    /// As PTS-E: 4 threads, depth 32, all of the size, cache off
    ///
    /// The size is the capacity under test, the cache the drive's own write cache.
    #[arg(long, help_heading = MEASURED)]
    pub enterprise: bool,

    /// Block sizes instead of the test's, such as 4K,64K
    #[arg(long, value_name = "LIST", help_heading = MEASURED)]
    pub sizes: Option<Sizes>,

    /// Percent of reads and writes instead of the test's: 100/0,65/35
    #[arg(long, value_name = "LIST", help_heading = MEASURED)]
    pub mixes: Option<Mixes>,

    /// Capacity to test [default: all of a file or device, directory: 1GiB]
    ///
    /// In a directory, the size of the test file. A simulated device defaults to at most 1 GiB, so
    /// the simulation ends soon.
    #[arg(short, long, value_name = "SIZE", help_heading = MEASURED)]
    pub size: Option<Bytes>,

    /// Percentage of the capacity to use [default: 75, enterprise: 100]
    #[arg(long, value_name = "PERCENT", value_parser = whole_number(1..=100), help_heading = MEASURED)]
    pub active_range: Option<u32>,

    /// First discard all blocks of the device or file
    ///
    /// Earlier writes leave most drives in a state that slows later writes; a discard (TRIM) resets
    /// most of them. It is not a secure erase.
    #[arg(long, help_heading = "What is written before")]
    pub purge: bool,

    /// Full writes of the capacity before the test; 0 for none
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = whole_number(0..=100), help_heading = "What is written before")]
    pub precondition: u32,

    /// Time per cell in a round [default: 60s, simulated: 100ms]
    #[arg(long, value_name = "TIME", help_heading = HOW)]
    pub round_time: Option<Nanos>,

    /// Rounds at most [default: 25, wsat: as many as fit into --max-time]
    #[arg(long, value_name = "N", value_parser = whole_number(1..=10_080), help_heading = HOW)]
    pub rounds_max: Option<u32>,

    /// Time that --test wsat takes at most [default: 6h, enterprise: 24h]
    #[arg(long, value_name = "TIME", conflicts_with = "rounds_max", help_heading = HOW)]
    pub max_time: Option<Nanos>,

    /// The drive's own write cache: keep, on or off [default: the class's]
    ///
    /// The setting of the class is used where the cache can be switched.
    #[arg(long, value_parser = one_of(WRITE_CACHES), hide_possible_values = true, value_name = "STATE", help_heading = HOW)]
    pub write_cache: Option<DriveCache>,
}
