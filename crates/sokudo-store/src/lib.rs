//! Keeps runs: in a file of its own (SQLite) or in a database on a server (PostgreSQL,
//! feature `postgres`).
//!
//! A run is kept as bytes that somebody else packs and unpacks, beside the few facts by
//! which it is found again and drawn over time. It computes nothing and judges nothing.

mod change;
mod clause;
mod database;
mod dialect;
mod entry;
mod error;
mod facts;
#[cfg(feature = "postgres")]
mod postgres;
mod refusal;
mod session;
mod sqlite;

pub use change::StoredChange;
pub use entry::{Baseline, Entry, Filter, HistoryPoint, NewRun, Page, RunId, StoredDevice};
pub use error::StoreError;
#[cfg(feature = "postgres")]
pub use postgres::Postgres;
pub use sqlite::Sqlite;

/// Where runs are kept. All that changes it is durable when it returns.
pub trait Store {
    /// Keeps a run.
    ///
    /// # Errors
    /// When it is not kept; then nothing of it is.
    fn keep(&mut self, run: &NewRun) -> Result<RunId, StoreError>;

    /// Puts another run in the place of one, under its number: its note and tags stay. It stays a
    /// baseline where device and method are the same.
    ///
    /// # Errors
    /// [`StoreError::NoRun`] where there is none of this number; when it is not kept, and then
    /// the one before is.
    fn replace(&mut self, run: RunId, by: &NewRun) -> Result<(), StoreError>;

    /// The runs that pass a filter, the newest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn list(&mut self, filter: &Filter, page: Page) -> Result<Vec<Entry>, StoreError>;

    /// One run's facts.
    ///
    /// # Errors
    /// [`StoreError::NoRun`] where there is none of this number.
    fn entry(&mut self, run: RunId) -> Result<Entry, StoreError>;

    /// A run as it was packed.
    ///
    /// # Errors
    /// [`StoreError::NoRun`] where there is none of this number.
    fn document(&mut self, run: RunId) -> Result<Vec<u8>, StoreError>;

    /// What was computed of these runs, each with [`NewRun::summary`] or since; `None` of one of
    /// which nothing is kept.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn summaries(&mut self, runs: &[RunId]) -> Result<Vec<Option<Vec<u8>>>, StoreError>;

    /// Keeps what was computed of runs, in the place of what was before. A store of an older
    /// version stays as it is, and nobody who writes is waited for: it can be computed again.
    ///
    /// # Errors
    /// When it is not kept.
    fn keep_summaries(&mut self, summaries: &[(RunId, Vec<u8>)]) -> Result<(), StoreError>;

    /// Changes what is kept of a run.
    ///
    /// # Errors
    /// [`StoreError::NoRun`] where there is none of this number.
    fn change(&mut self, run: RunId, change: StoredChange<'_>) -> Result<(), StoreError>;

    /// Replaces a run's note; an empty one removes it.
    ///
    /// # Errors
    /// [`StoreError::NoRun`] where there is none of this number.
    fn note(&mut self, run: RunId, note: &str) -> Result<(), StoreError> {
        self.change(run, StoredChange::Note(note))
    }

    /// Adds and removes tags of a run.
    ///
    /// # Errors
    /// [`StoreError::NoRun`] where there is none of this number.
    fn tag(&mut self, run: RunId, add: &[String], remove: &[String]) -> Result<(), StoreError> {
        self.change(run, StoredChange::Tags { add, remove })
    }

    /// Removes a run for good, also as a baseline.
    ///
    /// # Errors
    /// [`StoreError::NoRun`] where there is none of this number.
    fn delete(&mut self, run: RunId) -> Result<(), StoreError> {
        self.change(run, StoredChange::Delete)
    }

    /// Makes a run the baseline of its device and method, in the place of another.
    ///
    /// # Errors
    /// [`StoreError::NoRun`] where there is none of this number.
    fn set_baseline(&mut self, run: RunId) -> Result<(), StoreError> {
        self.change(run, StoredChange::SetBaseline)
    }

    /// Makes a run a baseline no longer; one that is none stays as it is.
    ///
    /// # Errors
    /// [`StoreError::NoRun`] where there is none of this number.
    fn unset_baseline(&mut self, run: RunId) -> Result<(), StoreError> {
        self.change(run, StoredChange::UnsetBaseline)
    }

    /// All baselines, by device and method.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn baselines(&mut self) -> Result<Vec<Baseline>, StoreError>;

    /// The figures of one device's rows of this fingerprint or name, the oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn history(&mut self, device: &str, row: &str) -> Result<Vec<HistoryPoint>, StoreError>;

    /// The devices of which a run is kept and whose identity, name or newest target has
    /// this in it, whatever its case; all of them without it.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn devices(&mut self, part: Option<&str>) -> Result<Vec<StoredDevice>, StoreError>;
}
