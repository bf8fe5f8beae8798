//! Arguments of `sokudo matrix`.

use std::path::PathBuf;

use clap::Args;
use sokudo_model::{Bytes, Nanos};
use sokudo_terminal::arguments::heading::{HOW, MEASURED};
use sokudo_terminal::arguments::percent::{Percent, percent};
use sokudo_terminal::arguments::pictures::Pictures;
use sokudo_terminal::arguments::printing::{Asking, Masking, Rendering};
use sokudo_terminal::arguments::store::RunKeeping;
use sokudo_words::{Text, text};

use crate::arguments::destroying::Destroying;

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  sudo sokudo matrix --loop 2x2GiB --in /var/tmp --fs ext4,xfs,btrfs --raid none
                                          try it on files: nothing of yours is touched
  sudo sokudo matrix --disk WD-A --disk WD-B --raid none,0,1 --fs ext4,btrfs
                                          the plan: what would be done to these disks
  … --destroy WD-A --destroy WD-B         do it
  sokudo matrix --example > disks.toml    the same in a file, with axes of your own
  sudo sokudo matrix --resume 5f3a9c21 --destroy …   go on where it stopped

A value is a word, and may carry options: --fs 'xfs mkfs=\"-m reflink=0\" name=old'. Commas
separate values; mount options contain commas, so each --mount is one value.";

/// Files of loop devices, as `4x8GiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopDisks {
    pub count: usize,
    pub size: Bytes,
}

/// Arguments of `sokudo matrix`, as given.
#[derive(Debug, Args)]
pub struct MatrixArguments {
    /// Read the matrix from a TOML file; options on the command line come first
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Disk to build on: serial number or path (repeatable)
    ///
    /// Nothing is done to it without --destroy. What is not an array uses the first disk alone.
    #[arg(long, value_name = "SERIAL|PATH", help_heading = MEASURED)]
    pub disk: Vec<String>,

    /// Use files as disks, such as 4x8GiB, in the folder --in
    ///
    /// They are loop devices, which show much about file systems and little about disks: all of
    /// them share one. They vanish with the matrix, whatever ends it.
    #[arg(long, value_name = "NxSIZE", value_parser = loop_disks, conflicts_with = "disk", help_heading = MEASURED)]
    pub r#loop: Option<LoopDisks>,

    /// Folder of the files of --loop
    #[arg(long, value_name = "DIR", help_heading = MEASURED)]
    pub r#in: Option<PathBuf>,

    /// RAID levels: none, 0, 1, 5, 6, 10, also 0@2 of two disks [default: none]
    ///
    /// Btrfs and ZFS combine disks themselves; md:0 lets mdadm combine them underneath.
    #[arg(long, value_name = "LIST", help_heading = MEASURED)]
    pub raid: Vec<String>,

    /// File systems: ext2 to ext4, xfs, btrfs, jfs, zfs, f2fs [default: ext4]
    #[arg(long, value_name = "LIST", help_heading = MEASURED)]
    pub fs: Vec<String>,

    /// Mount options of one value, such as noatime,discard (repeatable)
    ///
    /// The value defaults stands for no options. For ZFS they are properties, such as
    /// compression=off.
    #[arg(long, value_name = "OPTIONS", help_heading = MEASURED)]
    pub mount: Vec<String>,

    /// I/O schedulers of the disks, such as none,mq-deadline
    #[arg(long, value_name = "LIST", help_heading = MEASURED)]
    pub scheduler: Vec<String>,

    /// Write caches of the drives: on, off or both
    #[arg(long, value_name = "LIST", help_heading = MEASURED)]
    pub write_cache: Vec<String>,

    /// How used the file system is: fresh, or filled and churned, as 60%
    #[arg(long, value_name = "LIST", help_heading = MEASURED)]
    pub ageing: Vec<String>,

    /// Command that measures a cell, without its target [default: mark]
    #[arg(long, value_name = "COMMAND", help_heading = MEASURED)]
    pub method: Option<String>,

    /// How often every cell is measured, in random order each time [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3..=100), help_heading = HOW)]
    pub blocks: Option<u32>,

    /// Add blocks until every figure is this precise, such as 3%
    #[arg(long, value_name = "N%", value_parser = percent, help_heading = HOW)]
    pub precision: Option<Percent>,

    /// Begin no further block that would end after this time
    #[arg(long, value_name = "TIME", help_heading = HOW)]
    pub max_time: Option<Nanos>,

    /// Seed of the order [default: random]
    #[arg(long, value_name = "N", help_heading = HOW)]
    pub seed: Option<u64>,

    /// Wait until new arrays are synchronised, instead of taking them for clean
    #[arg(long, help_heading = HOW)]
    pub initial_sync: bool,

    /// Resume a matrix that was stopped; once it is complete, show it
    #[arg(long, value_name = "ID", conflicts_with_all = ["file", "disk", "loop", "in", "raid", "fs", "mount", "scheduler", "write_cache", "ageing", "method", "seed", "initial_sync"])]
    pub resume: Option<String>,

    /// Show what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,

    /// Print an example of such a file
    #[arg(long, exclusive = true)]
    pub example: bool,

    #[command(flatten)]
    pub destroying: Destroying,

    #[command(flatten)]
    pub rendering: Rendering,

    #[command(flatten)]
    pub masking: Masking,

    #[command(flatten)]
    pub asking: Asking,

    #[command(flatten)]
    pub pictures: Pictures,

    #[command(flatten)]
    pub keeping: RunKeeping,
}

/// Reads the number and size of loop devices, such as `4x8GiB`.
pub fn loop_disks(text: &str) -> Result<LoopDisks, Text> {
    /// More disks than any array of the axes wants.
    const COUNT_MAX: usize = 16;
    /// The smallest in which every file system can be made.
    const SIZE_MIN: Bytes = Bytes(320 << 20);
    let parts = text.split_once(['x', '×']);
    let read = parts.and_then(|(count, size)| {
        let count = count.trim().parse().ok()?;
        let size: Bytes = size.trim().parse().ok()?;
        let is_possible = (1..=COUNT_MAX).contains(&count) && size >= SIZE_MIN;
        (is_possible && size.0.is_multiple_of(1 << 20)).then_some(LoopDisks { count, size })
    });
    read.ok_or_else(|| {
        text!("write how many and how large, such as 4x8GiB: 1 to {COUNT_MAX}, of {SIZE_MIN} or more, whole MiB")
    })
}
