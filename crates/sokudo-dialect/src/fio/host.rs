//! What fio's language asks of the machine it runs on.
//!
//! The dialect opens and looks at nothing itself: whoever calls it lends it a [`Host`].

use sokudo_model::Bytes;

/// The machine, as far as job files and command lines depend on it.
pub trait Host {
    /// The text of a job file; `-` is standard input.
    ///
    /// # Errors
    /// Why it cannot be read, as the end of a sentence.
    fn read_text(&self, path: &str) -> Result<String, String>;
    /// An environment variable.
    fn variable(&self, name: &str) -> Option<String>;
    /// What is at a path; `None` when nothing is.
    fn found(&self, path: &str) -> Option<Found>;
    /// Processors that may be used (`$ncpus`).
    fn processors(&self) -> u32;
    /// Size of a page (`$pagesize`).
    fn page_bytes(&self) -> u64;
    /// Main memory (`$mb_memory`, in MiB).
    fn memory_bytes(&self) -> u64;
    /// Where chance starts from when a job asks for another one in every run
    /// (`randrepeat=0`).
    fn seed(&self) -> u64 {
        FIO_SEED
    }
}

/// fio's seed when a job gives none (FIO_RANDSEED).
pub(super) const FIO_SEED: u64 = 0xb189_9bed;

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// What kind of thing.
    pub kind: FoundKind,
    /// Its size; 0 where it has none.
    pub bytes: Bytes,
}

/// Kinds of things that paths lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A block device.
    BlockDevice,
    /// Anything else: a character device, a pipe.
    Other,
}

/// A machine without files and variables, with one processor: for texts that must
/// not depend on where they are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

impl Host for NoHost {
    fn read_text(&self, path: &str) -> Result<String, String> {
        Err(format!("{path} is not read here"))
    }

    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    fn found(&self, _path: &str) -> Option<Found> {
        None
    }

    fn processors(&self) -> u32 {
        1
    }

    fn page_bytes(&self) -> u64 {
        4096
    }

    fn memory_bytes(&self) -> u64 {
        1 << 30
    }
}
