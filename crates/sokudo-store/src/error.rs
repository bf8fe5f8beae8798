//! Why a store refuses.

use std::path::PathBuf;

use crate::RunId;

use sokudo_words::Text;

/// Why a store cannot do what it is asked for.
#[derive(Debug, sokudo_words::Error)]
pub enum StoreError {
    /// There is no such run.
    #[error("there is no run {0}; sokudo list shows those that are kept")]
    NoRun(RunId),
    /// It was written by a newer sokudo.
    #[error(
        "{store} has version {found}, and this sokudo knows none above {known}; use the sokudo that wrote it or a newer one, or another --store"
    )]
    Newer {
        /// Name of the store in messages, without a password.
        store: Text,
        /// Its version: any number that somebody has written there.
        found: i64,
        /// The newest that is known.
        known: u32,
    },
    /// The folder of the file cannot be made.
    #[error(
        "{path} cannot be made: {source}; name a file with --store, or keep nothing with --no-store",
        path = path.display()
    )]
    Folder {
        /// Folder or file that could not be made.
        path: PathBuf,
        /// Why the system refused to make it.
        source: std::io::Error,
    },
    /// There is something that is no file.
    #[error("{path} is a {what}; name a file with --store", path = path.display(), what = Text::from(*what))]
    NoFile {
        /// Path at which a store was looked for.
        path: PathBuf,
        /// Kind of what is there, such as `directory`.
        what: &'static str,
    },
    /// The file holds nothing, and no store of ours ever does.
    #[error(
        "{path} is an empty file, and a store is made only where there is none; remove it to have one made there, or name another file with --store",
        path = .0.display()
    )]
    Empty(PathBuf),
    /// The file is gone, but not what SQLite has kept beside it, which it would take for a
    /// part of the next one.
    #[error(
        "{path} is left of a store that is gone, and would damage a new one; move it away, or name another file with --store",
        path = path.display()
    )]
    LeftOver {
        /// Journal or write-ahead log that SQLite left.
        path: PathBuf,
    },
    /// The file is no store, or is damaged.
    #[error(
        "{store} is damaged or not a store of sokudo ({reason}); move it away, or name another with --store"
    )]
    Damaged {
        /// Name of the store in messages, without a password.
        store: Text,
        /// What the database says.
        reason: Text,
    },
    /// It has been waited for in vain: another writes, or a server says nothing.
    #[error(
        "{store} cannot be used: {reason}; name another store with --store, or keep nothing with --no-store"
    )]
    Silent {
        /// Name of the store in messages, without a password.
        store: Text,
        /// Who keeps it waiting, and for how many seconds.
        reason: Text,
    },
    /// Anything else that the database says.
    #[error(
        "{store} cannot be used: {reason}; name another store with --store, or keep nothing with --no-store",
        path = path.display()
    )]
    Database {
        /// Name of the store in messages, without a password.
        store: Text,
        /// What the database says.
        reason: Text,
    },
}
