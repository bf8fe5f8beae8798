//! Where the kernel's own description of the machine is found, and how its small
//! text files are read: bounded, and a missing or odd one is `None`.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The largest file that is read. sysfs attributes are at most one page; a mount
/// table of a host with many containers is far larger.
const TEXT_BYTES_MAX: u64 = 16 << 20;

/// Entries that are read of one directory; no machine has so many disks.
const ENTRIES_MAX: usize = 65_536;

/// The `sys`, `proc`, `dev` and `etc` that are looked into.
#[derive(Clone, Debug)]
pub struct System {
    root: PathBuf,
    is_host: bool,
}

impl System {
    /// The running machine, with its root at `/`.
    pub fn host() -> Self {
        Self {
            root: PathBuf::from("/"),
            is_host: true,
        }
    }

    /// A copy of a machine, or an invented one, below `root`. Its mount table is
    /// matched by path, for the kernel's mount ids mean nothing in it.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            is_host: false,
        }
    }

    /// Whether this is the machine that the program runs on.
    pub(crate) fn is_host(&self) -> bool {
        self.is_host
    }

    /// Where `path`, such as `sys/block`, is. A leading `/` is the system's.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// The text of a file of the system, without space around it.
    pub(crate) fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        text(self.path(path))
    }

    /// The names in a directory of the system, sorted; none if there is no such
    /// directory.
    pub(crate) fn names(&self, path: impl AsRef<Path>) -> Vec<String> {
        names(self.path(path))
    }
}

/// The numbers of all processes but these, the youngest first, as far as proc shows them: the
/// kernel's own threads have the lowest numbers.
pub(crate) fn processes(proc: &Path, excused: &[u32]) -> std::io::Result<Vec<u32>> {
    let entries = std::fs::read_dir(proc)?;
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let mut numbers: Vec<u32> = numbers.filter(|pid| !excused.contains(pid)).collect();
    numbers.sort_unstable_by_key(|pid| std::cmp::Reverse(*pid));
    Ok(numbers)
}

/// The value of the first line `key : value`.
pub(crate) fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.trim() == key)
        .map(|(_, value)| value.trim())
        .filter(|value| !value.is_empty())
}

/// The text of a file, without space around it; `None` if it is empty, missing or
/// may not be read.
pub(crate) fn text(path: impl AsRef<Path>) -> Option<String> {
    let bytes = bytes(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// A file that holds one whole number.
pub(crate) fn number(path: impl AsRef<Path>) -> Option<u64> {
    text(path)?.parse().ok()
}

/// A file that holds `0` or `1`.
pub(crate) fn flag(path: impl AsRef<Path>) -> Option<bool> {
    match number(path)? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// What a file holds, as it is.
pub(crate) fn bytes(path: impl AsRef<Path>) -> Option<Vec<u8>> {
    let file = File::open(path).ok()?;
    let mut bytes = Vec::new();
    file.take(TEXT_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The names in a directory, sorted, and what each really is; `None` of a link to nothing.
pub(crate) fn links(path: impl AsRef<Path>) -> impl Iterator<Item = (String, Option<PathBuf>)> {
    let path = path.as_ref().to_owned();
    names(&path).into_iter().map(move |name| {
        let real = path.join(&name).canonicalize().ok();
        (name, real)
    })
}

/// The names in a directory, sorted, so that the same machine always gives the
/// same answer.
pub(crate) fn names(path: impl AsRef<Path>) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(path) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .take(ENTRIES_MAX)
        .filter_map(|entry| entry.ok().map(|entry| entry.file_name()))
        .filter_map(|name: OsString| name.into_string().ok())
        .collect();
    names.sort();
    names
}
