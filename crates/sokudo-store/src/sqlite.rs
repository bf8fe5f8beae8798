//! The store in a file: SQLite.

use std::path::Path;
use std::time::Duration;

use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, Transaction, params};
use sokudo_model::{Nanos, Verdict};

use crate::{
    Baseline, Device, Entry, Filter, HistoryPoint, NewRow, NewRun, Page, RowEntry, RunId, Store,
    StoreError,
};

/// Versions in their order: each line leads from the one before to its own, and
/// `PRAGMA user_version` says how many have been gone through. A line that has been
/// released is never changed.
const MIGRATIONS: &[&str] = &[include_str!("../migrations/sqlite/1.sql")];

/// How long another sokudo that writes is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// A store in a file.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    name: String,
}

impl Sqlite {
    /// Opens a store; where there is none it is made, with its folder.
    ///
    /// # Errors
    /// When it cannot be opened or made, is damaged, or is of a newer version.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if let Some(folder) = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
        {
            std::fs::create_dir_all(folder).map_err(|source| StoreError::Folder {
                path: folder.to_owned(),
                source,
            })?;
        }
        let name = path.display().to_string();
        let connection = Connection::open(path).map_err(|error| refusal(&name, &error))?;
        let mut store = Self { connection, name };
        store.prepare()?;
        Ok(store)
    }

    fn prepare(&mut self) -> Result<(), StoreError> {
        let setup = |connection: &Connection| {
            connection.busy_timeout(PATIENCE)?;
            connection.pragma_update(None, "journal_mode", "wal")?;
            // A run that is reported as kept survives a power cut.
            connection.pragma_update(None, "synchronous", "full")?;
            connection.pragma_update(None, "foreign_keys", "on")
        };
        setup(&self.connection).map_err(|error| refusal(&self.name, &error))?;
        let known = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
        let found = self.with(version)?;
        if found > known {
            return Err(StoreError::Newer {
                store: self.name.clone(),
                found,
                known,
            });
        }
        if found == known {
            return Ok(());
        }
        self.within(|transaction| {
            // Another sokudo may have been faster.
            let found = version(transaction)?;
            for (line, version) in MIGRATIONS.iter().zip(1..).skip(found as usize) {
                transaction.execute_batch(line)?;
                transaction.pragma_update(None, "user_version", version)?;
            }
            Ok(())
        })
    }

    fn with<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        work(&self.connection).map_err(|error| refusal(&self.name, &error))
    }

    /// All of the work, or nothing of it.
    fn within<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let carry_out = |connection: &mut Connection| {
            let behaviour = rusqlite::TransactionBehavior::Immediate;
            let transaction = connection.transaction_with_behavior(behaviour)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        carry_out(&mut self.connection).map_err(|error| refusal(&self.name, &error))
    }

    /// The same for one run, which must be there.
    fn on_run<T>(
        &mut self,
        run: RunId,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let done = self.within(|transaction| {
            let there = transaction
                .query_row("SELECT 1 FROM runs WHERE id = ?", [number(run.0)], |_| {
                    Ok(())
                })
                .optional()?;
            there.map(|()| work(transaction)).transpose()
        })?;
        done.ok_or(StoreError::NoRun(run))
    }

    fn entries(&mut self, condition: &str, values: &[Value]) -> Result<Vec<Entry>, StoreError> {
        let query = format!(
            "SELECT runs.id, started_at, method, target, devices.identity, devices.name, host, \
             verdict, fingerprint, sokudo_version, origin, command, interrupted, note, \
             EXISTS (SELECT 1 FROM baselines WHERE run = runs.id) \
             FROM runs JOIN devices ON devices.id = runs.device {condition}"
        );
        self.with(|connection| {
            let mut statement = connection.prepare_cached(&query)?;
            let found = statement.query_map(rusqlite::params_from_iter(values), entry)?;
            let mut entries: Vec<Entry> = found.collect::<Result<_, _>>()?;
            for entry in &mut entries {
                let id = number(entry.id.0);
                let mut tags =
                    connection.prepare_cached("SELECT tag FROM tags WHERE run = ? ORDER BY tag")?;
                let found = tags.query_map([id], |row| row.get(0))?;
                entry.tags = found.collect::<Result<_, _>>()?;
                let mut rows = connection.prepare_cached(
                    "SELECT name, direction, fingerprint, verdict, bytes_per_s, ios_per_s, \
                     latency_ns, trials FROM rows WHERE run = ? ORDER BY position",
                )?;
                let found = rows.query_map([id], |row| row_entry(row, 0))?;
                entry.run.rows = found.collect::<Result<_, _>>()?;
            }
            Ok(entries)
        })
    }
}

impl Store for Sqlite {
    fn keep(&mut self, run: &NewRun) -> Result<RunId, StoreError> {
        self.within(|transaction| {
            let device: i64 = transaction.query_row(
                "INSERT INTO devices (identity, name) VALUES (?1, ?2) \
                 ON CONFLICT (identity) DO UPDATE SET name = ?2 RETURNING id",
                params![run.device, run.device_name],
                |row| row.get(0),
            )?;
            transaction.execute(
                "INSERT INTO runs (started_at, method, target, device, host, verdict, \
                 fingerprint, sokudo_version, origin, command, interrupted, note, document) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, '', ?12)",
                params![
                    number(run.started_at.0),
                    run.method,
                    run.target,
                    device,
                    run.host,
                    run.verdict.map(rank),
                    run.fingerprint,
                    run.sokudo_version,
                    run.origin,
                    run.command,
                    run.interrupted,
                    run.document
                ],
            )?;
            let id = transaction.last_insert_rowid();
            let mut insert = transaction.prepare_cached(
                "INSERT INTO rows (run, position, device, started_at, name, direction, \
                 fingerprint, verdict, bytes_per_s, ios_per_s, latency_ns, trials) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?;
            for (row, position) in run.rows.iter().zip(0_u32..) {
                insert.execute(params![
                    id,
                    position,
                    device,
                    number(run.started_at.0),
                    row.name,
                    row.direction,
                    row.fingerprint,
                    row.verdict.map(rank),
                    row.bytes_per_s,
                    row.ios_per_s,
                    row.latency_ns,
                    row.trials
                ])?;
            }
            Ok(RunId(id.cast_unsigned()))
        })
    }

    fn list(&mut self, filter: &Filter, page: Page) -> Result<Vec<Entry>, StoreError> {
        let mut conditions = vec!["TRUE".to_owned()];
        let mut values: Vec<Value> = Vec::new();
        if let Some(device) = &filter.device {
            let part = Value::from(format!("%{}%", escaped(device)));
            conditions.push(
                "(devices.identity LIKE ? ESCAPE '\\' OR devices.name LIKE ? ESCAPE '\\' \
                 OR target LIKE ? ESCAPE '\\')"
                    .to_owned(),
            );
            values.extend([part.clone(), part.clone(), part]);
        }
        let mut ask = |condition: &str, value: Value| {
            conditions.push(condition.to_owned());
            values.push(value);
        };
        if let Some(identity) = &filter.device_identity {
            ask("devices.identity = ?", identity.clone().into());
        }
        if let Some(method) = &filter.method {
            ask(
                "method LIKE ? ESCAPE '\\'",
                format!("{}%", escaped(method)).into(),
            );
        }
        if let Some(since) = filter.since {
            ask("started_at >= ?", number(since.0).into());
        }
        if let Some(until) = filter.until {
            ask("started_at < ?", number(until.0).into());
        }
        if let Some(verdict) = filter.verdict {
            ask("verdict = ?", rank(verdict).into());
        }
        for tag in &filter.tags {
            ask(
                "EXISTS (SELECT 1 FROM tags WHERE run = runs.id AND tag = ?)",
                tag.clone().into(),
            );
        }
        values.extend([number(page.count).into(), number(page.skip).into()]);
        let condition = format!(
            "WHERE {} ORDER BY started_at DESC, runs.id DESC LIMIT ? OFFSET ?",
            conditions.join(" AND ")
        );
        self.entries(&condition, &values)
    }

    fn entry(&mut self, run: RunId) -> Result<Entry, StoreError> {
        let found = self.entries("WHERE runs.id = ?", &[number(run.0).into()])?;
        found.into_iter().next().ok_or(StoreError::NoRun(run))
    }

    fn document(&mut self, run: RunId) -> Result<Vec<u8>, StoreError> {
        let query = "SELECT document FROM runs WHERE id = ?";
        self.with(|connection| {
            connection
                .query_row(query, [number(run.0)], |row| row.get(0))
                .optional()
        })?
        .ok_or(StoreError::NoRun(run))
    }

    fn note(&mut self, run: RunId, note: &str) -> Result<(), StoreError> {
        self.on_run(run, |transaction| {
            transaction
                .execute(
                    "UPDATE runs SET note = ?2 WHERE id = ?1",
                    params![number(run.0), note],
                )
                .map(|_| ())
        })
    }

    fn tag(&mut self, run: RunId, add: &[String], remove: &[String]) -> Result<(), StoreError> {
        self.on_run(run, |transaction| {
            for tag in remove {
                transaction.execute(
                    "DELETE FROM tags WHERE run = ?1 AND tag = ?2",
                    params![number(run.0), tag],
                )?;
            }
            for tag in add {
                transaction.execute(
                    "INSERT INTO tags (run, tag) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                    params![number(run.0), tag],
                )?;
            }
            Ok(())
        })
    }

    fn delete(&mut self, run: RunId) -> Result<(), StoreError> {
        // Rows, tags and baselines go with it.
        self.on_run(run, |transaction| {
            transaction
                .execute("DELETE FROM runs WHERE id = ?", [number(run.0)])
                .map(|_| ())
        })
    }

    fn set_baseline(&mut self, run: RunId) -> Result<(), StoreError> {
        self.on_run(run, |transaction| {
            transaction
                .execute(
                    "INSERT INTO baselines (device, method, run) \
                     SELECT device, method, id FROM runs WHERE id = ? \
                     ON CONFLICT (device, method) DO UPDATE SET run = excluded.run",
                    [number(run.0)],
                )
                .map(|_| ())
        })
    }

    fn unset_baseline(&mut self, run: RunId) -> Result<(), StoreError> {
        self.on_run(run, |transaction| {
            transaction
                .execute("DELETE FROM baselines WHERE run = ?", [number(run.0)])
                .map(|_| ())
        })
    }

    fn baselines(&mut self) -> Result<Vec<Baseline>, StoreError> {
        self.with(|connection| {
            let mut statement = connection.prepare(
                "SELECT identity, name, method, run FROM baselines \
                 JOIN devices ON devices.id = device ORDER BY name, identity, method",
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

    fn devices(&mut self, part: Option<&str>) -> Result<Vec<Device>, StoreError> {
        let part = part.map(|part| format!("%{}%", escaped(part)));
        self.with(|connection| {
            let mut statement = connection.prepare(
                "SELECT identity, name FROM devices \
                 WHERE EXISTS (SELECT 1 FROM runs WHERE device = devices.id) \
                 AND (?1 IS NULL OR identity LIKE ?1 ESCAPE '\\' OR name LIKE ?1 ESCAPE '\\' \
                 OR (SELECT target FROM runs WHERE device = devices.id \
                 ORDER BY started_at DESC LIMIT 1) LIKE ?1 ESCAPE '\\') \
                 ORDER BY identity, name",
            )?;
            let found = statement.query_map([part], |row| {
                Ok(Device {
                    identity: row.get(0)?,
                    name: row.get(1)?,
                })
            })?;
            found.collect()
        })
    }

    fn history(&mut self, device: &str, row: &str) -> Result<Vec<HistoryPoint>, StoreError> {
        self.with(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT run, started_at, rows.name, direction, fingerprint, verdict, \
                 bytes_per_s, ios_per_s, latency_ns, trials FROM rows \
                 WHERE device = (SELECT id FROM devices WHERE identity = ?1) \
                 AND (fingerprint = ?2 OR rows.name = ?2) ORDER BY started_at, run, position",
            )?;
            let found = statement.query_map([device, row], |row| {
                Ok(HistoryPoint {
                    run: RunId(row.get::<_, i64>(0)?.cast_unsigned()),
                    started_at: Nanos(row.get::<_, i64>(1)?.cast_unsigned()),
                    row: row_entry(row, 2)?,
                })
            })?;
            found.collect()
        })
    }
}

fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
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
        },
        note: row.get(13)?,
        tags: Vec::new(),
        is_baseline: row.get(14)?,
    })
}

fn row_entry(row: &Row<'_>, first: usize) -> rusqlite::Result<RowEntry> {
    Ok(NewRow {
        name: row.get(first)?,
        direction: row.get(first + 1)?,
        fingerprint: row.get(first + 2)?,
        verdict: row.get::<_, Option<i64>>(first + 3)?.and_then(verdict),
        bytes_per_s: row.get(first + 4)?,
        ios_per_s: row.get(first + 5)?,
        latency_ns: row.get(first + 6)?,
        trials: row.get(first + 7)?,
    })
}

/// How a verdict is kept.
const fn rank(verdict: Verdict) -> i64 {
    match verdict {
        Verdict::Verified => 0,
        Verdict::Unverified => 1,
        Verdict::Invalid => 2,
    }
}

const fn verdict(rank: i64) -> Option<Verdict> {
    match rank {
        0 => Some(Verdict::Verified),
        1 => Some(Verdict::Unverified),
        2 => Some(Verdict::Invalid),
        _ => None,
    }
}

/// SQLite's numbers have a sign.
const fn number(value: u64) -> i64 {
    value.cast_signed()
}

/// A part of a text that LIKE takes literally.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

fn refusal(store: &str, error: &rusqlite::Error) -> StoreError {
    let store = store.to_owned();
    let reason = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            StoreError::Damaged { store, reason }
        }
        _ => StoreError::Database { store, reason },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(device: &str) -> NewRun {
        NewRun {
            started_at: Nanos(1_000),
            method: "mark/default".to_owned(),
            target: "/mnt/a".to_owned(),
            device: device.to_owned(),
            device_name: "Example 1000".to_owned(),
            host: Some("host".to_owned()),
            verdict: Some(Verdict::Verified),
            fingerprint: "f".to_owned(),
            sokudo_version: "0.1.0".to_owned(),
            origin: None,
            command: "sokudo mark /mnt/a".to_owned(),
            interrupted: false,
            rows: vec![NewRow {
                name: "SEQ1M Q8T1".to_owned(),
                direction: "read".to_owned(),
                fingerprint: "r".to_owned(),
                verdict: Some(Verdict::Verified),
                bytes_per_s: Some(1e9),
                ios_per_s: Some(953.7),
                latency_ns: None,
                trials: 6,
            }],
            document: vec![1, 2, 3],
        }
    }

    #[test]
    fn a_run_comes_back_as_it_was_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/runs.db");
        let id = Sqlite::open(&path).unwrap().keep(&run("a")).unwrap();
        let mut store = Sqlite::open(&path).unwrap();
        assert_eq!(store.document(id).unwrap(), [1, 2, 3]);
        let entry = store.entry(id).unwrap();
        assert_eq!(
            entry.run,
            NewRun {
                document: Vec::new(),
                ..run("a")
            }
        );
        let history = store.history("a", "SEQ1M Q8T1").unwrap();
        assert_eq!(history.len(), 1);
        assert_eq!(history[0].row, run("a").rows[0]);
    }

    #[test]
    fn a_baseline_is_one_per_device_and_method_until_it_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Sqlite::open(&folder.path().join("runs.db")).unwrap();
        let first = store.keep(&run("a")).unwrap();
        let second = store.keep(&run("a")).unwrap();
        for id in [first, second] {
            store.set_baseline(id).unwrap();
            let runs: Vec<RunId> = store.baselines().unwrap().iter().map(|it| it.run).collect();
            assert_eq!(runs, [id]);
        }
        store.unset_baseline(second).unwrap();
        store.unset_baseline(second).unwrap();
        assert_eq!(store.baselines().unwrap(), []);
        assert!(!store.entry(second).unwrap().is_baseline);
        assert!(matches!(
            store.unset_baseline(RunId(99)),
            Err(StoreError::NoRun(RunId(99)))
        ));
    }
}
