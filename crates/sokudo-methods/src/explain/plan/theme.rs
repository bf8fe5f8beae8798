//! A question about a device, and what it is asked of.

use sokudo_model::{Bytes, Nanos, Workload};
use sokudo_words::{Text, text};

/// What a device stores its data on, as far as that is known before it is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageMedium {
    /// Platters that turn, as in a hard disk.
    Rotating,
    /// Flash or other memory.
    Flash,
    /// Nothing says so, or what says so cannot be trusted: virtual disks call themselves
    /// either.
    Unknown,
}

/// What the probes of a theme do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeAccess {
    /// The probes only read, so that no data is at risk.
    Reads,
    /// They overwrite what is there.
    Writes,
}

/// One question about a device.
#[derive(Clone, Copy, Debug)]
pub struct Theme {
    /// The word that users choose it by.
    pub name: &'static str,
    /// What it finds out, to be read after a colon.
    pub about: &'static str,
    /// What it is asked about; a device of unknown medium is asked everything.
    pub media: &'static [StorageMedium],
    /// Whether its probes write.
    pub access: ProbeAccess,
    /// Whether only a whole device can be asked, and no file on it.
    pub of_devices: bool,
    /// How long its probes take on a slow device of that kind, about; no measured figure.
    pub takes: Nanos,
    /// Its probes, each a row of its own named `explain/…`; or why a request has none.
    pub probes: fn(&ExplainRequest) -> Result<Vec<Workload>, Text>,
}

/// A table of themes: the word and what it finds out; media, what the probes do, about how many
/// seconds they take, the probes, and whether only devices can be asked.
macro_rules! themes {
    ($($name:expr, $about:literal, [$($medium:ident),+], $access:ident, $seconds:literal => $probes:ident
       $(, of_devices $of_devices:literal)?;)*) => {
        &[$(Theme {
            name: $name,
            about: $about,
            media: &[$($crate::explain::plan::theme::StorageMedium::$medium),+],
            access: $crate::explain::plan::theme::ProbeAccess::$access,
            of_devices: [$($of_devices,)? false][0],
            takes: Nanos::from_secs($seconds),
            probes: $probes,
        }),*]
    };
}
pub(super) use themes;

#[derive(Clone, Debug)]
pub struct ExplainRequest {
    /// Size of the target.
    pub size: Bytes,
    /// The smallest block that it takes.
    pub block_min: Bytes,
    pub medium: StorageMedium,
    /// So much is written to find where fast cells end; `None` for at most 64 GiB and ten minutes.
    pub fill: Option<Bytes>,
    /// Whether what it holds may be overwritten.
    pub may_write: bool,
    /// Only these themes; empty for all that fit.
    pub only: Vec<Theme>,
    /// Whether the check of capacity writes and reads back everything, and not places alone.
    pub is_full: bool,
    /// Where all chance starts from.
    pub seed: u64,
}

/// How writes come to be allowed.
const WAY_TO_WRITE: &str = "name a directory on the disk, or the device itself with --destroy (a file with --overwrite), if what it holds may be lost";

/// The same where nothing smaller than a device can be asked.
const WAY_TO_WRITE_DEVICES: &str = "name the device with --destroy, if what it holds may be lost";

impl Eq for Theme {}

impl PartialEq for Theme {
    /// Two themes are equal if their names are, since no name occurs twice.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Theme {
    pub(super) fn fits(&self, medium: StorageMedium) -> bool {
        medium == StorageMedium::Unknown || self.media.contains(&medium)
    }

    pub(super) const fn way_to_write(&self) -> &'static str {
        match self.of_devices {
            true => WAY_TO_WRITE_DEVICES,
            false => WAY_TO_WRITE,
        }
    }
}

/// Refuses a target that has no room for what is asked.
pub(super) fn room(request: &ExplainRequest, needed: Bytes) -> Result<(), Text> {
    match request.size < needed {
        true => Err(text!(
            "the target has {}, and the test needs {needed}",
            request.size
        )),
        false => Ok(()),
    }
}
