//! Arguments that allow devices to be written.

use clap::Args;
use sokudo_engine::{Consent, Front};
use sokudo_terminal::arguments::heading::WRITTEN;

/// Which devices may be written.
#[derive(Debug, Default, Args)]
pub struct Destroying {
    /// Device that may be destroyed: serial number or path (repeatable)
    ///
    /// It must be the target, and nothing may use it: it is not mounted, not swap, and not a member
    /// of a RAID or volume. sokudo info shows serial numbers.
    #[arg(long, value_name = "SERIAL|PATH", help_heading = WRITTEN)]
    pub destroy: Vec<String>,

    /// With --destroy: even if it holds partitions or other known data
    #[arg(long, requires = "destroy", help_heading = WRITTEN)]
    pub destroy_contents: bool,
}

impl Destroying {
    /// The devices that may be destroyed, as they were named.
    pub fn consent(&self) -> Consent {
        Consent::new(
            Front::Own,
            self.destroy.iter().cloned(),
            self.destroy_contents,
        )
    }
}
