//! The store in a file: SQLite.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, Transaction, params};
use sokudo_model::{ListedRow, Nanos, narrow};
use sokudo_words::{Text, text};

use crate::change::MAKE_ROOM;
use crate::facts::{escaped, number, rank, verdict};
use crate::{
    Baseline, Entry, Filter, HistoryPoint, NewRun, Page, RunId, Store, StoreError, StoredChange,
    StoredDevice,
};

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
];

/// What a store of the first version lacks that is looked at, which changes nothing in it: a
/// view of this connection alone stands before its table.
const AS_READ: &str = "CREATE TEMP VIEW rows AS \
     SELECT *, NULL AS stands_for_disk FROM main.rows";
const AS_WRITTEN: &str = "DROP VIEW IF EXISTS temp.rows";

/// How long another sokudo that writes is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes of a page. A run of 9 KB takes one and what goes beyond, 9.4 KB in all; in a page of
/// 16 KiB it would be alone.
const PAGE_BYTES: u32 = 8_192;

/// Where a database comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DatabaseOrigin {
    /// It was made just now, in memory.
    Nothing,
    /// It was there.
    File,
}

/// A store in a file. Nothing but that one file is left behind, so that it can be copied
/// and read from a medium that cannot be written.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    name: String,
    /// How long another sokudo that writes is waited for.
    patience: Duration,
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
        let name = path.display().to_string();
        let access = match file::look(&path)? {
            PathState::Nothing => {
                return Ok(Self {
                    missing: Some(path),
                    ..Self::in_memory(&name, patience)?
                });
            }
            PathState::ToWrite => OpenFlags::SQLITE_OPEN_READ_WRITE,
            PathState::ToRead => OpenFlags::SQLITE_OPEN_READ_ONLY,
        };
        let connection =
            open_file(&path, access).map_err(|error| refusal(&name, patience, &error))?;
        let mut store = Self {
            connection,
            name,
            patience,
            missing: None,
            is_older: false,
        };
        store.prepare(DatabaseOrigin::File)?;
        Ok(store)
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
        self.within(|transaction| runs.iter().map(|run| insert(transaction, run)).collect())
    }

    /// The work in a store that is not there yet. Its file comes into being with all of the
    /// work in it or not at all, so that no full disk and no death leaves an empty one behind.
    /// `None` where another sokudo has been faster, and nothing is done yet.
    fn begin<T>(
        &mut self,
        path: &Path,
        work: &impl Fn(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        let refused = |error: rusqlite::Error| refusal(&self.name, self.patience, &error);
        // What cannot be placed must not be there at the next attempt.
        let mut draft = Self::in_memory(&self.name, self.patience)?;
        let done = carry_out(&mut draft.connection, work).map_err(refused)?;
        let image = draft.connection.serialize("main").map_err(refused)?;
        let is_placed = file::place(path, &image)?;
        let access = OpenFlags::SQLITE_OPEN_READ_WRITE;
        self.connection =
            open_file(path, access).map_err(|error| refusal(&self.name, self.patience, &error))?;
        self.prepare(DatabaseOrigin::File)?;
        Ok(is_placed.then_some(done))
    }

    /// An empty store that is nowhere.
    fn in_memory(name: &str, patience: Duration) -> Result<Self, StoreError> {
        let connection =
            Connection::open_in_memory().map_err(|error| refusal(name, patience, &error))?;
        let mut store = Self {
            connection,
            name: name.to_owned(),
            patience,
            missing: None,
            is_older: false,
        };
        store.prepare(DatabaseOrigin::Nothing)?;
        Ok(store)
    }

    fn prepare(&mut self, origin: DatabaseOrigin) -> Result<(), StoreError> {
        let patience = self.patience;
        let setup = |connection: &Connection| {
            connection.busy_timeout(patience)?;
            // A statement stays as it was prepared, whatever is put in its place marks.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
            connection.pragma_update(None, "page_size", PAGE_BYTES)?;
            // A run that is reported as kept survives a power cut.
            connection.pragma_update(None, "synchronous", "extra")?;
            connection.pragma_update(None, "foreign_keys", "on")
        };
        setup(&self.connection).map_err(|error| refusal(&self.name, self.patience, &error))?;
        let known: u32 = narrow(MIGRATIONS.len());
        let (found, is_ours) =
            self.with(|connection| Ok((version(connection)?, is_ours(connection)?)))?;
        let damaged = |reason: &'static str| StoreError::Damaged {
            store: Text::name(&self.name),
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
                store: Text::name(&self.name),
                found,
                known,
            });
        }
        self.is_older = found < i64::from(known);
        match found {
            0 => self.bring_up_to_date(),
            1 => self.with(|connection| connection.execute_batch(AS_READ)),
            _ => Ok(()),
        }
    }

    fn bring_up_to_date(&mut self) -> Result<(), StoreError> {
        let migrate = |transaction: &Transaction<'_>| {
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
        carry_out(&mut self.connection, &migrate)
            .map_err(|error| refusal(&self.name, self.patience, &error))?;
        self.is_older = false;
        Ok(())
    }

    fn with<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        work(&self.connection).map_err(|error| refusal(&self.name, self.patience, &error))
    }

    /// All of the work, or nothing of it.
    fn within<T>(
        &mut self,
        work: impl Fn(&Transaction<'_>) -> rusqlite::Result<T>,
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
        carry_out(&mut self.connection, &work)
            .map_err(|error| refusal(&self.name, self.patience, &error))
    }
}

/// A transaction of its own.
fn carry_out<T>(
    connection: &mut Connection,
    work: &impl Fn(&Transaction<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let behaviour = rusqlite::TransactionBehavior::Immediate;
    let transaction = connection.transaction_with_behavior(behaviour)?;
    let done = work(&transaction)?;
    transaction.commit()?;
    Ok(done)
}

/// The facts of one run.
fn entry_of(connection: &Connection, run: RunId) -> rusqlite::Result<Option<Entry>> {
    let id = number(run.0);
    let mut statement = connection.prepare_cached(
        "SELECT runs.id, started_at, methods.name, targets.name, devices.identity, \
         devices.name, host, verdict, fingerprint, sokudo_version, origin, command, \
         interrupted, note, EXISTS (SELECT 1 FROM baselines WHERE run = runs.id) \
         FROM runs JOIN devices ON devices.id = runs.device \
         JOIN methods ON methods.id = runs.method JOIN targets ON targets.id = runs.target \
         WHERE runs.id = ?",
    )?;
    let Some(mut entry) = statement.query_row([id], entry).optional()? else {
        return Ok(None);
    };
    let mut tags = connection.prepare_cached("SELECT tag FROM tags WHERE run = ? ORDER BY tag")?;
    let found = tags.query_map([id], |row| row.get(0))?;
    entry.tags = found.collect::<Result<_, _>>()?;
    let mut rows = connection.prepare_cached(
        "SELECT name, direction, fingerprint, verdict, bytes_per_s, ios_per_s, latency_ns, \
         trials, stands_for_disk FROM rows JOIN row_kinds ON row_kinds.id = rows.kind \
         WHERE run = ? ORDER BY position",
    )?;
    let found = rows.query_map([id], |row| row_entry(row, 0))?;
    entry.run.rows = found.collect::<Result<_, _>>()?;
    Ok(Some(entry))
}

impl Store for Sqlite {
    fn keep(&mut self, run: &NewRun) -> Result<RunId, StoreError> {
        self.within(|transaction| insert(transaction, run))
    }

    fn replace(&mut self, run: RunId, by: &NewRun) -> Result<(), StoreError> {
        // As in `change`.
        if self.missing.is_some() {
            return Err(StoreError::NoRun(run));
        }
        let is_there = self.within(|transaction| replace(transaction, run, by))?;
        is_there.then_some(()).ok_or(StoreError::NoRun(run))
    }

    fn list(&mut self, filter: &Filter, page: Page) -> Result<Vec<Entry>, StoreError> {
        self.with(|connection| {
            // One look at the file: it is locked once, not for every statement.
            let connection = &*connection.unchecked_transaction()?;
            let mut entries = Vec::new();
            for run in listing::page(connection, filter, page)? {
                entries.extend(entry_of(connection, run)?);
            }
            Ok(entries)
        })
    }

    fn entry(&mut self, run: RunId) -> Result<Entry, StoreError> {
        let found = self.with(|connection| entry_of(connection, run))?;
        found.ok_or(StoreError::NoRun(run))
    }

    fn document(&mut self, run: RunId) -> Result<Vec<u8>, StoreError> {
        let query = "SELECT document FROM documents WHERE run = ?";
        self.with(|connection| {
            connection
                .query_row(query, [number(run.0)], |row| row.get(0))
                .optional()
        })?
        .ok_or(StoreError::NoRun(run))
    }

    fn summaries(&mut self, runs: &[RunId]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        if self.is_older {
            return Ok(vec![None; runs.len()]);
        }
        self.with(|connection| {
            let connection = &*connection.unchecked_transaction()?;
            let query = "SELECT summary FROM summaries WHERE run = ?";
            let mut query = connection.prepare(query)?;
            let mut of = |run: &RunId| {
                let found = query.query_row([number(run.0)], |row| row.get(0));
                found.optional()
            };
            runs.iter().map(&mut of).collect()
        })
    }

    fn keep_summaries(&mut self, summaries: &[(RunId, Vec<u8>)]) -> Result<(), StoreError> {
        if self.missing.is_some() || self.is_older {
            return Ok(());
        }
        let patient =
            |store: &mut Self, patience| store.with(|connection| connection.busy_timeout(patience));
        patient(self, Duration::ZERO)?;
        let kept = self.within(|transaction| {
            summaries
                .iter()
                .try_for_each(|(run, summary)| keep_summary(transaction, number(run.0), summary))
        });
        patient(self, self.patience)?;
        kept
    }

    fn change(&mut self, run: RunId, change: StoredChange<'_>) -> Result<(), StoreError> {
        // A store that is not there holds none, and is not made for that.
        if self.missing.is_some() {
            return Err(StoreError::NoRun(run));
        }
        let id = number(run.0);
        let is_there = self.within(|transaction| {
            let mut query = transaction.prepare_cached("SELECT 1 FROM runs WHERE id = ?")?;
            if !query.exists([id])? {
                return Ok(false);
            }
            for (statement, text) in change.statements() {
                match text {
                    Some(text) => transaction.execute(statement, params![id, text])?,
                    None => transaction.execute(statement, [id])?,
                };
            }
            Ok(true)
        })?;
        is_there.then_some(()).ok_or(StoreError::NoRun(run))
    }

    fn baselines(&mut self) -> Result<Vec<Baseline>, StoreError> {
        self.with(|connection| {
            let mut statement = connection.prepare(
                "SELECT identity, devices.name, methods.name, run FROM baselines \
                 JOIN devices ON devices.id = device JOIN methods ON methods.id = method \
                 ORDER BY devices.name, identity, methods.name",
            )?;
            let found = statement.query_map([], |row| {
                Ok(Baseline {
                    device: row.get(0)?,
                    device_name: row.get(1)?,
                    method: row.get(2)?,
                    run: RunId(row.get::<_, i64>(3)?.cast_unsigned()),
                })
            })?;
            found.collect()
        })
    }

    fn devices(&mut self, part: Option<&str>) -> Result<Vec<StoredDevice>, StoreError> {
        let part = part.map(|part| format!("%{}%", escaped(part)));
        self.with(|connection| {
            let mut statement = connection.prepare(
                "SELECT identity, name FROM devices \
                 WHERE EXISTS (SELECT 1 FROM runs WHERE device = devices.id) \
                 AND (?1 IS NULL OR identity LIKE ?1 ESCAPE '\\' OR name LIKE ?1 ESCAPE '\\' \
                 OR (SELECT targets.name FROM runs JOIN targets ON targets.id = target \
                 WHERE device = devices.id \
                 ORDER BY started_at DESC LIMIT 1) LIKE ?1 ESCAPE '\\') \
                 ORDER BY identity, name",
            )?;
            let found = statement.query_map([part], |row| {
                Ok(StoredDevice {
                    identity: row.get(0)?,
                    name: row.get(1)?,
                })
            })?;
            found.collect()
        })
    }

    fn history(&mut self, device: &str, row: &str) -> Result<Vec<HistoryPoint>, StoreError> {
        self.with(|connection| {
            let id = connection
                .query_row(
                    "SELECT id FROM devices WHERE identity = ?",
                    [device],
                    |row| row.get(0),
                )
                .optional()?;
            id.map_or(Ok(Vec::new()), |id| history_of(connection, id, row))
        })
    }
}

/// The history of a row. Both queries read what lies together: to look each run up by
/// itself would take ten times as long.
fn history_of(
    connection: &Connection,
    device: i64,
    row: &str,
) -> rusqlite::Result<Vec<HistoryPoint>> {
    let mut runs = connection.prepare_cached("SELECT id, started_at FROM runs WHERE device = ?")?;
    let starts = runs.query_map([device], |run| Ok((run.get(0)?, run.get(1)?)))?;
    let starts: HashMap<i64, i64> = starts.collect::<Result<_, _>>()?;
    let mut rows = connection.prepare_cached(
        "SELECT run, name, direction, fingerprint, verdict, bytes_per_s, ios_per_s, \
         latency_ns, trials, stands_for_disk FROM row_kinds CROSS JOIN rows ON rows.kind = row_kinds.id \
         WHERE rows.device = ?1 AND (fingerprint = ?2 OR name = ?2) \
         ORDER BY run, position",
    )?;
    let found = rows.query_map(params![device, row], |row| {
        let run: i64 = row.get(0)?;
        // One that was kept or deleted between the queries is none of either.
        let Some(started_at) = starts.get(&run) else {
            return Ok(None);
        };
        Ok(Some(HistoryPoint {
            run: RunId(run.cast_unsigned()),
            started_at: Nanos(started_at.cast_unsigned()),
            row: row_entry(row, 1)?,
        }))
    })?;
    let points = found.filter_map(Result::transpose);
    let mut points = points.collect::<Result<Vec<HistoryPoint>, _>>()?;
    points.sort_by_key(|point| point.started_at);
    Ok(points)
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

fn insert(transaction: &Transaction<'_>, run: &NewRun) -> rusqlite::Result<RunId> {
    const INSERT: &str = "INSERT INTO runs (started_at, method, target, device, host, verdict, \
         fingerprint, sokudo_version, origin, command, interrupted, note) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, '') RETURNING id, device";
    let (id, device) = facts(transaction, INSERT, None, run)?.expect("a run was inserted");
    contents(transaction, id, device, run)?;
    Ok(RunId(id.cast_unsigned()))
}

/// Whether there is a run of this number, in whose place another was put.
fn replace(transaction: &Transaction<'_>, run: RunId, by: &NewRun) -> rusqlite::Result<bool> {
    const UPDATE: &str = "UPDATE runs SET (started_at, method, target, device, host, verdict, \
         fingerprint, sokudo_version, origin, command, interrupted) \
         = (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) WHERE id = ?12 RETURNING id, device";
    let Some((id, device)) = facts(transaction, UPDATE, Some(run), by)? else {
        return Ok(false);
    };
    for statement in MAKE_ROOM {
        transaction.execute(statement, [id])?;
    }
    contents(transaction, id, device, by)?;
    Ok(true)
}

/// Writes the facts of a run by a statement, and says under which number and of which device.
fn facts(
    transaction: &Transaction<'_>,
    statement: &str,
    id: Option<RunId>,
    run: &NewRun,
) -> rusqlite::Result<Option<(i64, i64)>> {
    let device = device_of(transaction, run)?;
    let method = id_of(transaction, "methods", "name", &[&run.method])?;
    let target = id_of(transaction, "targets", "name", &[&run.target])?;
    let verdict = run.verdict.map(rank);
    let started_at = number(run.started_at.0);
    let mut values: Vec<&dyn rusqlite::ToSql> = vec![
        &started_at,
        &method,
        &target,
        &device,
        &run.host,
        &verdict,
        &run.fingerprint,
        &run.sokudo_version,
        &run.origin,
        &run.command,
        &run.interrupted,
    ];
    let id = id.map(|id| number(id.0));
    if let Some(id) = &id {
        values.push(id);
    }
    let mut statement = transaction.prepare_cached(statement)?;
    let written = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    statement.query_row(&*values, written).optional()
}

/// Keeps what a run holds beside its facts.
fn contents(
    transaction: &Transaction<'_>,
    id: i64,
    device: i64,
    run: &NewRun,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("INSERT INTO documents (run, document) VALUES (?1, ?2)")?
        .execute(params![id, run.document])?;
    if !run.summary.is_empty() {
        keep_summary(transaction, id, &run.summary)?;
    }
    let mut insert = transaction.prepare_cached(
        "INSERT INTO rows (run, position, kind, device, verdict, bytes_per_s, \
         ios_per_s, latency_ns, trials, stands_for_disk) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    for (row, position) in run.rows.iter().zip(0_u32..) {
        let columns = "name, direction, fingerprint";
        let texts = [&row.name, &row.direction, &row.fingerprint];
        let kind = id_of(transaction, "row_kinds", columns, &texts)?;
        insert.execute(params![
            id,
            position,
            kind,
            device,
            row.verdict.map(rank),
            row.bytes_per_s,
            row.ios_per_s,
            row.latency_ns,
            row.trials,
            row.stands_for_disk
        ])?;
    }
    Ok(())
}

/// Keeps a summary of a run that is still there.
fn keep_summary(transaction: &Transaction<'_>, run: i64, summary: &[u8]) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT OR REPLACE INTO summaries (run, summary) SELECT id, ?2 FROM runs WHERE id = ?1",
    )?;
    insert.execute(params![run, summary]).map(drop)
}

/// The id of a device, which people may call otherwise than before.
fn device_of(transaction: &Transaction<'_>, run: &NewRun) -> rusqlite::Result<i64> {
    let mut query = transaction.prepare_cached(
        "INSERT INTO devices (identity, name) VALUES (?1, ?2) \
         ON CONFLICT (identity) DO UPDATE SET name = ?2 RETURNING id",
    )?;
    query.query_row([&run.device, &run.device_name], |row| row.get(0))
}

/// The id of texts in a table that holds each once.
fn id_of(
    transaction: &Transaction<'_>,
    table: &str,
    columns: &str,
    texts: &[&String],
) -> rusqlite::Result<i64> {
    let marks = vec!["?"; texts.len()].join(", ");
    let query = format!("SELECT id FROM {table} WHERE ({columns}) = ({marks})");
    let mut query = transaction.prepare_cached(&query)?;
    let known = query
        .query_row(rusqlite::params_from_iter(texts), |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    let insert = format!("INSERT INTO {table} ({columns}) VALUES ({marks})");
    let mut insert = transaction.prepare_cached(&insert)?;
    insert.insert(rusqlite::params_from_iter(texts))
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        id: RunId(row.get::<_, i64>(0)?.cast_unsigned()),
        run: NewRun {
            started_at: Nanos(row.get::<_, i64>(1)?.cast_unsigned()),
            method: row.get(2)?,
            target: row.get(3)?,
            device: row.get(4)?,
            device_name: row.get(5)?,
            host: row.get(6)?,
            verdict: row.get::<_, Option<i64>>(7)?.and_then(verdict),
            fingerprint: row.get(8)?,
            sokudo_version: row.get(9)?,
            origin: row.get(10)?,
            command: row.get(11)?,
            interrupted: row.get(12)?,
            rows: Vec::new(),
            document: Vec::new(),
            summary: Vec::new(),
        },
        note: row.get(13)?,
        tags: Vec::new(),
        is_baseline: row.get(14)?,
    })
}

fn row_entry(row: &Row<'_>, first: usize) -> rusqlite::Result<ListedRow> {
    Ok(ListedRow {
        name: row.get(first)?,
        direction: row.get(first + 1)?,
        fingerprint: row.get(first + 2)?,
        verdict: row.get::<_, Option<i64>>(first + 3)?.and_then(verdict),
        bytes_per_s: row.get(first + 4)?,
        ios_per_s: row.get(first + 5)?,
        latency_ns: row.get(first + 6)?,
        trials: row.get(first + 7)?,
        stands_for_disk: row.get(first + 8)?,
    })
}

fn refusal(store: &str, patience: Duration, error: &rusqlite::Error) -> StoreError {
    let store = Text::name(store);
    let text = match error {
        // Its own text repeats all of the statement.
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        error => error.to_string(),
    };
    let reason = match error.sqlite_error_code() {
        // Without a code, a value is of another type or range than we write.
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt | ErrorCode::Unknown) | None => {
            return StoreError::Damaged {
                store,
                reason: Text::name(text),
            };
        }
        Some(ErrorCode::DatabaseBusy) => {
            let seconds = patience.as_secs_f64();
            let reason = text!("another program has been writing to it for {seconds} s");
            return StoreError::Silent { store, reason };
        }
        Some(ErrorCode::ReadOnly) => "this user may only read it".into(),
        Some(ErrorCode::DiskFull) => "its disk is full".into(),
        Some(ErrorCode::CannotOpen) => {
            "its folder takes no journal (no right to write, or no room)".into()
        }
        _ => Text::name(text),
    };
    StoreError::Database { store, reason }
}
