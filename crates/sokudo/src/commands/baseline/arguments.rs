//! Arguments of `sokudo baseline` and of `sokudo check`.

use clap::{Args, Subcommand, ValueEnum};
use sokudo_model::Nanos;
use sokudo_terminal::arguments::heading::{PRINTED, WRITTEN};
use sokudo_terminal::arguments::percent::{Percent, percent};
use sokudo_terminal::arguments::printing::{Asking, ListFormat, TableUnit};
use sokudo_terminal::arguments::store::{Keeping, RunKeeping};
use sokudo_terminal::notify::Notifying;

/// What `baseline --help` ends with.
pub(crate) const BASELINE_EXAMPLES: &str = "\
Examples:
  sokudo baseline set -- mark /mnt/data           measure, and compare with it from now on
  sokudo baseline set --wait-idle -- scan /dev/sdb
                                                  its surface, once it is idle
  sokudo mark /mnt/data && sokudo baseline set    the newest run
  sokudo baseline set --all                       measure every baseline again
  sokudo baseline show
  sokudo check /mnt/data                          is it slower than then?

A device has a baseline for each method (mark/default, scan, ...). baseline set makes at
least as many trials as sokudo check needs, and refuses a busy machine before it begins.
Unless --anyway is given, it refuses a run that was made on a busy machine, is INVALID or
was interrupted. It always refuses a run that sokudo check cannot judge.";

/// What `check --help` ends with.
pub(crate) const CHECK_EXAMPLES: &str = "\
Examples:
  sokudo check                              against the only baseline there is
  sokudo check /mnt/data                    against the baseline of the disk under it
  sokudo check /dev/sdb --method scan
  sokudo check 12                           measure again as run 12 did, and compare
  sokudo check --wait-idle --min-difference 10% --quiet       for cron
  sokudo check --all                        every device that has a baseline
  sokudo check /mnt/data --format nagios    one line, and the exit codes of Nagios

sokudo finds the device by model and serial number, whatever its name is today. The new
run is kept like any other. It writes only if the baseline wrote; a device or a file whose
contents are lost must be named again (--destroy, --overwrite).

Exit codes: 0 unchanged, faster, or no change shown; 1 a row is slower, or something failed;
2 wrong arguments, no baseline, or the result cannot be written; 3 refused because it would
endanger data; 4 a row could not be judged, or the machine was busy; 130 interrupted. Of
several checks (--all) the most serious one counts, in the order 1, 3, 2, 4.

With --format nagios: 0 OK, no row is slower; 1 WARNING, a row is slower; 2 CRITICAL, a row has
lost half its speed or more, or the device failed; 3 UNKNOWN, a row could not be judged, the
machine was busy, the check was interrupted, or there is no baseline.";

/// How long an idle machine is waited for unless told.
const IDLE_WAIT: &str = "10min";

/// Arguments of `sokudo baseline`, as given.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct BaselineArguments {
    #[command(subcommand)]
    pub(crate) command: Option<BaselineCommand>,

    #[command(flatten)]
    pub(crate) list: BaselineListArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BaselineCommand {
    /// Compare later runs of its device and method with this run
    Set(SetArguments),
    /// Show all baselines; the same as sokudo baseline alone
    #[command(alias = "list")]
    Show(BaselineListArguments),
    /// Unset a baseline; the run is kept
    Unset(UnsetArguments),
}

/// Arguments of `sokudo baseline set`, as given.
#[derive(Debug, Args)]
pub(crate) struct SetArguments {
    /// Run: its number, or last
    #[arg(
        value_name = "RUN",
        default_value = "last",
        conflicts_with_all = ["measured", "all"]
    )]
    pub(crate) run: String,

    /// Measure every baseline of this machine again, and compare with these runs from now on
    #[arg(long, conflicts_with = "measured")]
    pub(crate) all: bool,

    /// Accept a busy machine or a doubtful run
    #[arg(long)]
    pub(crate) anyway: bool,

    #[command(flatten)]
    pub(crate) idle: WaitIdle,

    /// Measure now, with this command: mark /mnt/data --size 8GiB
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) measured: Vec<String>,

    /// Say what would be done, and how long it takes; writes nothing
    #[arg(long, help_heading = WRITTEN)]
    pub(crate) dry_run: bool,

    #[command(flatten)]
    pub(crate) asking: Asking,

    #[command(flatten)]
    pub(crate) keeping: Keeping,
}

/// Whether an idle machine is waited for.
#[derive(Debug, Args)]
pub(crate) struct WaitIdle {
    /// First wait until the machine is idle, at most this long [10min]
    ///
    /// Idle means that for 5 s the CPUs and the device under the target are almost unused, and no
    /// process waits for I/O.
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true, default_missing_value = IDLE_WAIT)]
    pub(crate) wait_idle: Option<Nanos>,
}

/// Arguments of `sokudo baseline show`, as given.
#[derive(Debug, Args)]
pub(crate) struct BaselineListArguments {
    #[command(flatten)]
    pub(crate) format: ListFormat,

    #[command(flatten)]
    pub(crate) keeping: Keeping,
}

/// How checks are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people
    Table,
    /// For programs
    Json,
    /// For Nagios and what understands its plugins
    Nagios,
    /// For Prometheus
    Prom,
}

impl CheckFormat {
    /// Whether programs read it that watch machines, also where nothing was measured.
    pub(crate) const fn is_for_monitoring(self) -> bool {
        matches!(self, Self::Nagios | Self::Prom)
    }
}

/// Arguments of `sokudo baseline unset`, as given.
#[derive(Debug, Args)]
pub(crate) struct UnsetArguments {
    /// Run: its number
    #[arg(value_name = "RUN")]
    pub(crate) run: String,

    #[command(flatten)]
    pub(crate) keeping: Keeping,
}

/// Arguments of `sokudo check`, as given.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Device or path with a baseline, or a run: number, label or file
    ///
    /// Without it, the only baseline there is. A run named here serves as the baseline itself.
    #[arg(value_name = "DEVICE|RUN")]
    pub(crate) what: Option<String>,

    /// Check every device of this machine that has a baseline
    ///
    /// Devices are measured one after the other and shown in one table. Baselines that destroy or
    /// overwrite data are left out.
    #[arg(long, conflicts_with_all = ["what", "overwrite", "destroy"])]
    pub(crate) all: bool,

    /// Which baseline, where a device has several, such as mark or scan
    #[arg(long, value_name = "METHOD")]
    pub(crate) method: Option<String>,

    /// Ignore differences smaller than this
    #[arg(long, value_name = "PERCENT", default_value_t = Percent(0.05), value_parser = percent)]
    pub(crate) min_difference: Percent,

    #[command(flatten)]
    pub(crate) idle: WaitIdle,

    /// Measure and judge even if the machine is busy
    ///
    /// Without it, sokudo checks the machine first and does not judge rows that other work
    /// disturbed: they may be slower for that reason alone.
    #[arg(long)]
    pub(crate) anyway: bool,

    /// Overwrite the file that the baseline overwrote
    #[arg(long, help_heading = WRITTEN)]
    pub(crate) overwrite: bool,

    #[command(flatten)]
    pub(crate) destroying: sokudo_methods::arguments::destroying::Destroying,

    /// Say what would be done, and how long it takes; writes nothing
    #[arg(long, help_heading = WRITTEN)]
    pub(crate) dry_run: bool,

    /// Result format: table, json, nagios or prom
    ///
    /// json is sokudo.check/1, with --all sokudo.checks/1. nagios is the status line of a plugin,
    /// with exit codes of its own. prom is for the textfile collector of node_exporter.
    #[arg(
        short,
        long,
        value_enum,
        hide_possible_values = true,
        value_name = "NAME",
        default_value = "table",
        help_heading = PRINTED
    )]
    pub(crate) format: CheckFormat,

    /// Write it to a file instead of the terminal
    #[arg(short, long, value_name = "FILE", help_heading = PRINTED)]
    pub(crate) output: Option<std::path::PathBuf>,

    #[command(flatten)]
    pub(crate) table: TableUnit,

    #[command(flatten)]
    pub(crate) notifying: Notifying,

    #[command(flatten)]
    pub(crate) asking: Asking,

    #[command(flatten)]
    pub(crate) keeping: RunKeeping,
}
