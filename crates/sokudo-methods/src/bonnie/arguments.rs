//! Arguments of `sokudo bonnie`.

use clap::Args;
use sokudo_model::Bytes;
use sokudo_terminal::arguments::heading::{HOW, MEASURED, PRINTED};
use sokudo_terminal::arguments::mistake::whole_number;

use crate::arguments::{Ability, MeasuringArguments, OwnArguments, SharedGroup};
use crate::bonnie::plan::{FileSpec, FilesSpec};

use Ability::{Directory, Repeat};
use SharedGroup::Seed;

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  sokudo bonnie /mnt/data                        as bonnie++ -d /mnt/data
  sokudo bonnie . --size 4GiB --files 0          one file of 4 GiB and nothing else
  sokudo bonnie . --size 0 --files 16:4k:1k:8    16,384 files of 1 to 4 KiB in 8 directories
  sokudo bonnie . --bonnie-csv | bon_csv2html    Bonnie++'s own CSV line

As with Bonnie++, reads may come from the page cache: use a file of twice the memory,
which is the default, or --cold. The verdict says so where a figure is the cache's.

Exit codes: 0 done, 1 something failed, 2 wrong arguments, 3 refused because it
would endanger data, 4 less trusted than --require asks, 130 interrupted.";

/// All arguments of `sokudo bonnie`.
pub type Arguments = MeasuringArguments<BonnieOptions>;

impl OwnArguments for BonnieOptions {
    const SHARED: &'static [SharedGroup] = &[Seed];
    const CAN: &'static [Ability] = &[Repeat, Directory];
}

/// Own arguments of `sokudo bonnie`, as given.
#[derive(Debug, Args)]
#[command(mut_arg("seed", |it| it.help("Random seed of names, sizes, offsets and orders")))]
pub struct BonnieOptions {
    /// Directory to measure in; sokudo removes everything that it makes there
    #[arg(default_value = ".", value_name = "DIRECTORY")]
    pub target: String,

    /// The large file [default: twice the memory:8k:8192:5]
    ///
    /// Its size in MiB or with a unit (0 leaves its phases out), the chunk of one read or
    /// write, how many seeks, and how many seekers do them at the same time.
    #[arg(short, long, value_name = "SIZE[:CHUNK[:SEEKS[:SEEKERS]]]", help_heading = MEASURED)]
    pub size: Option<FileSpec>,

    /// The small files: number (× 1024), sizes and directories
    ///
    /// 0 leaves their phases out. MAX and MIN bound the random size of a file; MAX -1 makes hard
    /// links and -2 symbolic links instead. CHUNK is the size of one read or write.
    #[arg(
        short = 'n',
        long,
        value_name = "N[:MAX[:MIN[:DIRECTORIES[:CHUNK]]]]",
        default_value = "16",
        help_heading = MEASURED
    )]
    pub files: FilesSpec,

    /// Size to write and read one byte at a time; 0 leaves this out
    #[arg(long, value_name = "SIZE", default_value = "20MiB", help_heading = MEASURED)]
    pub characters: Bytes,

    /// Repetitions of all phases; 6 are needed for a 95 % interval
    #[arg(short = 'x', long, value_name = "N", default_value_t = 1, value_parser = whole_number(1..=10_000), help_heading = HOW)]
    pub runs: u32,

    /// Make every single write, creation and deletion durable (fsync)
    #[arg(short = 'b', long, help_heading = HOW)]
    pub sync_each: bool,

    /// Bypass the page cache in the phases that work in chunks: on or off
    #[arg(
        short = 'D',
        long,
        num_args = 0..=1,
        default_value = "off",
        default_missing_value = "on",
        value_parser = ["on", "off"],
        value_name = "MODE",
        hide_possible_values = true,
        help_heading = HOW
    )]
    pub direct: String,

    /// Empty the page cache of the file before each phase that reads it
    #[arg(long, help_heading = HOW)]
    pub cold: bool,

    /// Print Bonnie++'s CSV line, one per run, as bon_csv2txt reads it
    ///
    /// bon_csv2html reads it as well.
    #[arg(long, conflicts_with = "format", help_heading = PRINTED)]
    pub bonnie_csv: bool,
}
