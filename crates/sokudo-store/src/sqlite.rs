//! The store in a file: SQLite.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use sokudo_model::narrow;
use sokudo_words::{Text, text};

use crate::database::{self, Database};
use crate::refusal::{Refusals, SqlError};
use crate::session::DatabaseSession;
use crate::{Filter, NewRun, Page, RunId, StoreError};

mod file;
mod folders;
mod listing;

use file::{APPLICATION, PathState};

/// Versions in their order: each line leads from the one before to its own, and
/// `PRAGMA user_version` says how many have been gone through. A line that has been
/// released is never changed.
const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/sqlite/1.sql"),
    include_str!("../migrations/sqlite/2.sql"),
    include_str!("../migrations/sqlite/3.sql"),
    include_str!("../migrations/sqlite/4.sql"),
];

/// What stores up to a version lack that is looked at, which changes nothing in them: views of
/// this connection alone stand before their tables.
const AS_READ: [(i64, &str); 2] = [
    (
        1,
        "CREATE TEMP VIEW rows AS SELECT *, NULL AS stands_for_disk FROM main.rows",
    ),
    (
        3,
        "CREATE TEMP VIEW runs AS SELECT *, (SELECT substr(tag, 8) FROM main.tags \
         WHERE run = id AND tag GLOB 'answer=*') AS answer FROM main.runs; \
         CREATE TEMP VIEW tags AS SELECT * FROM main.tags WHERE tag NOT GLOB 'answer=*'",
    ),
];
const AS_WRITTEN: &str = "DROP VIEW IF EXISTS temp.rows; DROP VIEW IF EXISTS temp.runs; \
     DROP VIEW IF EXISTS temp.tags";

/// How long another sokudo that writes is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes of a page. A run of 9 KB takes one and what goes beyond, 9.4 KB in all; in a page of
/// 16 KiB it would be alone.
const PAGE_BYTES: u32 = 8_192;

/// Who writes locks the file before the first look at it.
const BEHAVIOUR: TransactionBehavior = TransactionBehavior::Immediate;

/// Where a database comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DatabaseOrigin {
    /// It was made just now, in memory.
    Nothing,
    /// A file that was there before.
    File,
}

/// A store in a file. Nothing but that one file is left behind, so that it can be copied
/// and read from a medium that cannot be written.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    refusals: Refusals,
    /// Where the file is to be made before anything is kept; until then the store is empty.
    missing: Option<PathBuf>,
    /// Whether its tables are of an older version: who writes brings them up to date.
    is_older: bool,
}

impl Sqlite {
    /// Opens a store. Nothing is written before something is kept: where there is no file,
    /// the store is empty, and where it may not be written, it can be read.
    ///
    /// # Errors
    /// When it cannot be opened, is damaged, or is of a newer version.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, PATIENCE)
    }

    /// The same with another patience: so long another program that writes is waited for.
    ///
    /// # Errors
    /// Those of [`Self::open`].
    pub fn open_with(path: &Path, patience: Duration) -> Result<Self, StoreError> {
        // A bare `:memory:` would be no file.
        let path = std::path::absolute(path).map_err(|error| StoreError::Database {
            store: Text::name(path.display().to_string()),
            reason: text!("{error}"),
        })?;
        let refusals = Refusals {
            store: Text::name(path.display().to_string()),
            patience,
        };
        let access = match file::look(&path)? {
            PathState::Nothing => {
                return Ok(Self {
                    missing: Some(path),
                    ..Self::in_memory(refusals)?
                });
            }
            PathState::ToWrite => OpenFlags::SQLITE_OPEN_READ_WRITE,
            PathState::ToRead => OpenFlags::SQLITE_OPEN_READ_ONLY,
        };
        let connection = open_file(&path, access);
        Self::prepared(connection, refusals, DatabaseOrigin::File)
    }

    /// Whether there is a store at a path, even a damaged one.
    #[must_use]
    pub fn is_at(path: &Path) -> bool {
        file::is_store(path)
    }

    /// Keeps many runs at once: all or none.
    ///
    /// # Errors
    /// When they are not kept.
    pub fn keep_all(&mut self, runs: &[NewRun]) -> Result<Vec<RunId>, StoreError> {
        self.write(|session| {
            let keep = |run| database::insert(session, run);
            runs.iter().map(keep).collect()
        })
    }

    /// The work in a store that is not there yet. Its file comes into being with all of the
    /// work in it or not at all, so that no full disk and no death leaves an empty one behind.
    /// `None` where another sokudo has been faster, and nothing is done yet.
    fn begin<T>(
        &mut self,
        path: &Path,
        work: &impl Fn(&mut DatabaseSession<'_>) -> Result<T, SqlError>,
    ) -> Result<Option<T>, StoreError> {
        // What cannot be placed must not be there at the next attempt.
        let mut draft = Self::in_memory(self.refusals.clone())?;
        let done = carry_out(&mut draft.connection, work);
        let done = done.map_err(|error| self.refusals.of(error))?;
        let image = draft.connection.serialize("main");
        let image = image.map_err(|error| self.refusals.of(error))?;
        let is_placed = file::create(path, &image)?;
        let access = OpenFlags::SQLITE_OPEN_READ_WRITE;
        self.connection = open_file(path, access).map_err(|error| self.refusals.of(error))?;
        self.prepare(DatabaseOrigin::File)?;
        Ok(is_placed.then_some(done))
    }

    /// An empty store that is nowhere.
    fn in_memory(refusals: Refusals) -> Result<Self, StoreError> {
        let connection = Connection::open_in_memory();
        Self::prepared(connection, refusals, DatabaseOrigin::Nothing)
    }

    fn prepared(
        connection: rusqlite::Result<Connection>,
        refusals: Refusals,
        origin: DatabaseOrigin,
    ) -> Result<Self, StoreError> {
        let mut store = Self {
            connection: connection.map_err(|error| refusals.of(error))?,
            refusals,
            missing: None,
            is_older: false,
        };
        store.prepare(origin)?;
        Ok(store)
    }

    fn prepare(&mut self, origin: DatabaseOrigin) -> Result<(), StoreError> {
        self.with(|connection| {
            connection.busy_timeout(self.refusals.patience)?;
            // A statement stays as it was prepared, whatever is put in its place marks.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
            connection.pragma_update(None, "page_size", PAGE_BYTES)?;
            // A run that is reported as kept survives a power cut.
            connection.pragma_update(None, "synchronous", "extra")?;
            connection.pragma_update(None, "foreign_keys", "on")
        })?;
        let known: u32 = narrow(MIGRATIONS.len());
        let (found, is_ours) =
            self.with(|connection| Ok((version(connection)?, is_ours(connection)?)))?;
        let damaged = |reason: &'static str| StoreError::Damaged {
            store: self.refusals.store.clone(),
            reason: reason.into(),
        };
        // A file of ours has said so since it came into being.
        if !is_ours && origin == DatabaseOrigin::File {
            return Err(damaged("it is the database of another program"));
        }
        if found < 0 {
            return Err(damaged("its version is a negative number"));
        }
        if found > i64::from(known) {
            return Err(StoreError::Newer {
                store: self.refusals.store.clone(),
                found,
                known,
            });
        }
        self.is_older = found < i64::from(known);
        if found == 0 {
            return self.bring_up_to_date();
        }
        let mut lacking = AS_READ.iter().filter(|(last, _)| found <= *last);
        lacking.try_for_each(|(_, view)| self.with(|it| it.execute_batch(view)))
    }

    fn bring_up_to_date(&mut self) -> Result<(), StoreError> {
        let migrate = |transaction: &Connection| {
            transaction.execute_batch(AS_WRITTEN)?;
            // Another sokudo may have been faster.
            let found = version(transaction)?;
            let missing = MIGRATIONS.iter().zip(1_i64..);
            for (line, version) in missing.filter(|(_, version)| *version > found) {
                transaction.execute_batch(line)?;
                transaction.pragma_update(None, "user_version", version)?;
            }
            Ok(())
        };
        let transaction = self.connection.transaction_with_behavior(BEHAVIOUR);
        transaction
            .and_then(|it| migrate(&it).and_then(|()| it.commit()))
            .map_err(|error| self.refusals.of(error))?;
        self.is_older = false;
        Ok(())
    }

    fn with<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        work(&self.connection).map_err(|error| self.refusals.of(error))
    }
}

impl Database for Sqlite {
    fn read<T>(
        &mut self,
        work: impl FnOnce(&mut DatabaseSession<'_>) -> Result<T, SqlError>,
    ) -> Result<T, StoreError> {
        // One look at the file: it is locked once, not for every statement.
        let look = self.connection.unchecked_transaction();
        let done = look.map_err(SqlError::from);
        let done = done.and_then(|look| work(&mut DatabaseSession::File(&look)));
        done.map_err(|error| self.refusals.of(error))
    }

    fn write<T>(
        &mut self,
        work: impl Fn(&mut DatabaseSession<'_>) -> Result<T, SqlError>,
    ) -> Result<T, StoreError> {
        if let Some(path) = self.missing.clone() {
            let done = self.begin(&path, &work)?;
            self.missing = None;
            if let Some(done) = done {
                return Ok(done);
            }
        }
        if self.is_older {
            self.bring_up_to_date()?;
        }
        carry_out(&mut self.connection, &work).map_err(|error| self.refusals.of(error))
    }

    fn write_if_free(
        &mut self,
        work: impl Fn(&mut DatabaseSession<'_>) -> Result<(), SqlError>,
    ) -> Result<(), StoreError> {
        let patient =
            |store: &Self, patience| store.with(|connection| connection.busy_timeout(patience));
        patient(self, Duration::ZERO)?;
        let written = self.write(work);
        patient(self, self.refusals.patience)?;
        written
    }

    fn page(
        session: &mut DatabaseSession<'_>,
        filter: &Filter,
        page: Page,
    ) -> Result<Vec<RunId>, SqlError> {
        listing::page(session, filter, page)
    }

    fn is_there(&self) -> bool {
        self.missing.is_none()
    }

    fn has_summaries(&self) -> bool {
        !self.is_older
    }
}

/// A transaction of its own.
fn carry_out<T>(
    connection: &mut Connection,
    work: &impl Fn(&mut DatabaseSession<'_>) -> Result<T, SqlError>,
) -> Result<T, SqlError> {
    let transaction = connection.transaction_with_behavior(BEHAVIOUR)?;
    let done = work(&mut DatabaseSession::File(&transaction))?;
    transaction.commit()?;
    Ok(done)
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Whether a database is a store.
fn is_ours(connection: &Connection) -> rusqlite::Result<bool> {
    let application: i64 =
        connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    Ok(application == i64::from(APPLICATION))
}

/// Paths are paths, and never the addresses that SQLite knows besides.
fn open_file(path: &Path, access: OpenFlags) -> rusqlite::Result<Connection> {
    Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}
