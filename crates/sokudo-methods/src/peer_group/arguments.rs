//! Arguments of `sokudo together`.

use clap::Args;
use sokudo_terminal::arguments::heading::{HOW, MEASURED, PRINTED};

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  mpirun -n 8 --hostfile hosts sokudo together -- mark /mnt/shared
  mpirun -n 8 --hostfile hosts sokudo together -- load /mnt/shared --row RND4K,Q8
  srun --mpi=pmix sokudo together -- run /shared/home/me/job.fio
  mpirun -n 8 --hostfile hosts sokudo together --separate -- scan /dev/nvme0n1
  mpirun -n 8 --hostfile hosts sokudo together --dry-run -- mark /mnt/shared

The launcher (mpirun, srun, the Kubernetes MPI Operator) starts sokudo on every host; MPI is
looked for only then. Every process makes a test file of its own, all begin at the same instant,
and the figures are those of the time in which all ran. Only the first process prints and keeps.";

/// Arguments of `sokudo together`, as given.
#[derive(Debug, Args)]
pub struct TogetherArguments {
    /// Each host measures storage of its own: file systems, devices, sizes may differ
    ///
    /// Without it, hosts that have something else mounted under the same name are refused.
    #[arg(long, help_heading = MEASURED)]
    pub separate: bool,

    /// Processes write to disjoint parts of the one file or device that is named
    ///
    /// Without it, only a directory is written by several processes, for each makes a file of its
    /// own there.
    #[arg(long, conflicts_with = "separate", help_heading = MEASURED)]
    pub shared_file: bool,

    /// Every process reads the test file that its neighbour has written
    ///
    /// What a host has written may be answered by its own cache; what another has written is not.
    #[arg(long, conflicts_with_all = ["separate", "shared_file"], help_heading = HOW)]
    pub read_back_shifted: bool,

    /// Let results be written onto the storage that is measured
    #[arg(long, help_heading = PRINTED)]
    pub results_here: bool,

    /// Say what every host would do, and do nothing
    #[arg(long)]
    pub dry_run: bool,

    /// The command that all carry out: mark, scan, sweep, quick, load, peak, steady or run
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}
