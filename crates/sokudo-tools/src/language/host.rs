//! What a dialect must ask of the system it speaks on: text of files, what a path is,
//! how many processors there are.
//!
//! The dialects themselves touch nothing; who calls them answers through [`Host`], and
//! tests answer with what they made up.

use sokudo_model::{Bytes, narrow};

/// The system as a dialect sees it.
pub trait Host {
    /// The text of a file, or why it cannot be read; `-` is standard input.
    ///
    /// # Errors
    /// One sentence that names the cause.
    fn read_text(&self, path: &str) -> Result<String, String>;
    /// A variable of the environment.
    fn variable(&self, name: &str) -> Option<String>;
    /// What a path names; `None` where there is nothing.
    fn found(&self, path: &str) -> Option<HostPath>;
    /// Processors that may be used.
    fn processors(&self) -> u32;
    /// Size of a page of memory.
    fn page_bytes(&self) -> u64;
    /// Size of the memory.
    fn memory_bytes(&self) -> u64;
    /// Where chance starts from when another one is wanted in every run: fio's
    /// `randrepeat=0`, diskspd's bare `-z`. It differs at every call.
    fn seed(&self) -> u64;

    /// The first bytes of a file, `length` at most; fewer where the file is shorter.
    ///
    /// # Errors
    /// One sentence that names the cause.
    fn read_bytes(&self, path: &str, length: u64) -> Result<Vec<u8>, String> {
        let mut bytes = self.read_text(path)?.into_bytes();
        bytes.truncate(narrow(length.min(bytes.len() as u64)));
        Ok(bytes)
    }

    /// The numbers of the processors that may be used.
    fn processor_numbers(&self) -> Vec<u32> {
        (0..self.processors()).collect()
    }
}

/// What a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostPath {
    pub kind: HostPathKind,
    /// Its size; 0 where that has no meaning.
    pub bytes: Bytes,
}

/// What kind of thing a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostPathKind {
    File,
    Directory,
    BlockDevice,
    /// Anything else: a character device, a pipe.
    Other,
}

/// A machine without files, variables and chance, with one processor: for texts that must
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

    fn found(&self, _path: &str) -> Option<HostPath> {
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

    fn seed(&self) -> u64 {
        0
    }
}
