//! The arguments of `sokudo page`.

use std::net::IpAddr;

use clap::Args;
use sokudo_terminal::arguments::heading::WRITTEN;
use sokudo_terminal::arguments::store::Keeping;

pub(crate) const EXAMPLES: &str = "\
Examples:
  sokudo page --open                           measure and look in a browser
  sokudo page --port 7000                      always on the same port
  sokudo page --read-only                      look at kept runs, and start none
  sudo sokudo page --allow-destroy S5H9NS0N    also write to the disk with this serial number
  sokudo page --open -- mpirun -n 8 --hostfile hosts sokudo together -- mark /mnt/shared
                                               watch hosts that measure together

Ctrl-C ends it, and the run in progress with it, which is kept. Enter prints a fresh address.";

/// What the page may do, and where it is.
#[derive(Debug, Args)]
pub(crate) struct PageArguments {
    /// Open it in the browser
    ///
    /// The browser gets a code that opens the page once, within 30 seconds: others can see its
    /// command line.
    #[arg(long)]
    pub(crate) open: bool,

    /// Port of the page [default: any that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,

    /// Address to listen on, besides loopback
    ///
    /// Anyone who can reach it and has the printed address can measure. So can anyone who reads the
    /// traffic: the page is not encrypted. ssh -L, which is also printed, is.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Vec<IpAddr>,

    /// Origin of the page behind a proxy, such as https://disks.example
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) public_origin: Option<String>,

    /// Show kept runs and measure nothing
    #[arg(long)]
    pub(crate) read_only: bool,

    /// Device that runs may destroy (repeatable)
    ///
    /// It is named by its serial number, which must be typed into the page as well. If it has none,
    /// its WWN or by-id name serves. Nothing may use the device, and it may hold no known data.
    #[arg(long, value_name = "SERIAL", conflicts_with = "read_only", help_heading = WRITTEN)]
    pub(crate) allow_destroy: Vec<String>,

    #[command(flatten)]
    pub(crate) keeping: Keeping,

    /// Command that launches sokudo together; started at once, shown as it measures
    ///
    /// It is run as typed, as in a shell. The first process reports the progress of all to the
    /// page, so it must run on this machine or get SOKUDO_TELL from the launcher.
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "read_only")]
    pub(crate) command: Vec<String>,
}
