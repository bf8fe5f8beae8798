//! Arguments of `sokudo sweep`.

use clap::{ArgGroup, Args};
use sokudo_model::{Bytes, DataContent, DirectMode, Nanos};
use sokudo_terminal::arguments::heading::{HOW, MEASURED};
use sokudo_terminal::arguments::mistake::whole_number;
use sokudo_terminal::arguments::one_of::one_of;
use sokudo_words::{Text, text};

use crate::arguments::axis::{CountList, Sizes};
use crate::arguments::io::DIRECT;
use crate::arguments::precision::Precision;
use crate::arguments::{Ability, MeasuringArguments, OwnArguments, SharedGroup};

use Ability::{Count, Directory, Repeat, Together};
use SharedGroup::{Destroy, Overwrite, Pages, Seed, Stop};

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  sokudo sweep .                                  512 B to 64 MiB, depth 4, as ATTO
  sokudo sweep . --minitool --random              1 KiB to 2 MiB, depth 8, at random
  sokudo sweep /dev/sdb --from 4K --to 1M         a device, reads only
  sokudo sweep . --sizes 4K,64K,1M --depths 1..32 a matrix: size by depth
  sokudo sweep 'sim:ssd' --from 4K --to 64K --threads 1..16 --random --unit iops

A range doubles from its start to its end. Threads of a sequential sweep share one
position, and each takes the next block.";

/// All arguments of `sokudo sweep`.
pub type Arguments = MeasuringArguments<SweepOptions>;

impl OwnArguments for SweepOptions {
    const SHARED: &'static [SharedGroup] = &[Overwrite, Destroy, Stop, Pages, Seed];
    const CAN: &'static [Ability] = &[Repeat, Directory, Count, Together];
}

/// Own arguments of `sokudo sweep`, as given.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("presets").args(["atto", "minitool"]))]
pub struct SweepOptions {
    /// Directory, file, block device, sim:MODEL or null:
    ///
    /// In a directory, sokudo makes its own test file and removes it afterwards. It writes to a
    /// file only with --overwrite, and to a device only with --destroy.
    #[arg(default_value = ".")]
    pub target: String,

    /// As ATTO Disk Benchmark: 512 B to 64 MiB, depth 4, 256 MiB each (default)
    #[arg(long, help_heading = MEASURED)]
    pub atto: bool,

    /// As MiniTool Partition Wizard: 1 KiB to 2 MiB, depth 8, 100 MiB each
    #[arg(long, help_heading = MEASURED)]
    pub minitool: bool,

    /// Smallest block, a power of two [default: 512 B]
    #[arg(long, value_name = "SIZE", help_heading = MEASURED)]
    pub from: Option<Bytes>,

    /// Largest block, a power of two [default: 64 MiB]
    #[arg(long, value_name = "SIZE", help_heading = MEASURED)]
    pub to: Option<Bytes>,

    /// Block sizes instead of a range, such as 4K,12K,48M
    #[arg(long, value_name = "LIST", conflicts_with_all = ["from", "to"], help_heading = MEASURED)]
    pub sizes: Option<Sizes>,

    /// Size that a cell moves at most, and of the test file [default: 256 MiB]
    #[arg(short, long, value_name = "SIZE", help_heading = MEASURED)]
    pub length: Option<Bytes>,

    /// I/Os in flight [default: 4]; a list or 1..256 is the second axis
    ///
    /// Each thread has as many.
    #[arg(long = "depths", visible_alias = "depth", value_name = "N|LIST", help_heading = MEASURED)]
    pub depths: Option<CountList>,

    /// Threads; a list or range (1..16) is the second axis
    #[arg(long, value_name = "N|LIST", help_heading = MEASURED)]
    pub threads: Option<CountList>,

    /// Use random offsets instead of sequential ones
    #[arg(long, help_heading = MEASURED)]
    pub random: bool,

    /// Measure reads only
    #[arg(long, conflicts_with = "write_only", help_heading = MEASURED)]
    pub read_only: bool,

    /// Measure writes only
    #[arg(long, help_heading = MEASURED)]
    pub write_only: bool,

    /// Data to write: random, zero, repeated, or bytes such as 0xdeadbeef
    #[arg(long, default_value = "random", value_parser = content, value_name = "WHAT", help_heading = MEASURED)]
    pub data: DataContent,

    /// Verify what was written (not timed); --time then limits reads only
    ///
    /// What a cell has written is read back and compared after its measured part.
    #[arg(long, conflicts_with = "read_only", help_heading = MEASURED)]
    pub verify: bool,

    /// Bypass the page cache: on, off or where possible (auto)
    #[arg(long, default_value = "auto", value_parser = one_of(DIRECT), hide_possible_values = true, value_name = "MODE", help_heading = HOW)]
    pub direct: DirectMode,

    /// Every write is durable before it counts ("bypass write cache")
    #[arg(long, help_heading = HOW)]
    pub write_through: bool,

    /// Longest trial of a cell, such as 1s
    #[arg(short, long, value_name = "TIME", default_value = "500ms", help_heading = HOW)]
    pub time: Nanos,

    #[command(flatten)]
    pub precision: Precision,

    /// Trials per cell at most; 6 are needed for a 95 % interval
    #[arg(short = 'n', long, value_name = "N", default_value_t = 12, value_parser = whole_number(1..=10_000), help_heading = HOW)]
    pub runs: u32,

    /// Pause between trials, such as 5s
    #[arg(long, value_name = "TIME", default_value = "0s", help_heading = HOW)]
    pub cool_down: Nanos,
}

/// Random, zero, repeated, or bytes in hexadecimal.
fn content(text: &str) -> Result<DataContent, Text> {
    match text {
        "random" => Ok(DataContent::Random),
        "zero" => Ok(DataContent::Zero),
        "repeated" => Ok(DataContent::Repeated),
        _ => text
            .strip_prefix("0x")
            .and_then(bytes)
            .map(DataContent::Pattern)
            .ok_or_else(|| text!("use random, zero, repeated, or bytes such as 0xdeadbeef")),
    }
}

/// Pairs of hexadecimal digits, at least one.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = digits.chars().map(|sign| sign.to_digit(16)).collect();
    let pairs = digits.filter(|digits| !digits.is_empty() && digits.len().is_multiple_of(2))?;
    let byte = |pair: &[u32]| u8::try_from(pair[0] << 4 | pair[1]).ok();
    pairs.chunks_exact(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_can_be_given_byte_by_byte() {
        let pattern = vec![0xde, 0xad, 0x01];
        assert_eq!(content("0xdead01"), Ok(DataContent::Pattern(pattern)));
        for text in ["0x", "0xabc", "0xgg", "ones"] {
            assert!(content(text).is_err(), "{text}");
        }
    }
}
