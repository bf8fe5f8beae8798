//! A store in either kind of database: what is asked of it, and what is written there.

use std::collections::HashMap;

use sokudo_model::{ListedRow, Nanos, RunAnswer};
use sokudo_words::text;

use crate::change::MAKE_ROOM;
use crate::facts::{escaped, number, rank, verdict};
use crate::refusal::SqlError;
use crate::session::{DatabaseSession, FoundRow};
use crate::{
    Baseline, Entry, Filter, HistoryPoint, NewRun, Page, RunId, Store, StoreError, StoredChange,
    StoredDevice,
};

/// So many runs are read at once.
const RUNS_AT_ONCE: usize = 500;

/// A database of our tables.
pub(crate) trait Database {
    /// Reads: all of the work sees the same, as far as the database can.
    fn read<T>(
        &mut self,
        work: impl FnOnce(&mut DatabaseSession<'_>) -> Result<T, SqlError>,
    ) -> Result<T, StoreError>;

    /// Writes: all of the work, or nothing of it.
    fn write<T>(
        &mut self,
        work: impl Fn(&mut DatabaseSession<'_>) -> Result<T, SqlError>,
    ) -> Result<T, StoreError>;

    /// Writes where nobody is in the way and tables hold it; else nothing happens.
    fn write_if_free(
        &mut self,
        work: impl Fn(&mut DatabaseSession<'_>) -> Result<(), SqlError>,
    ) -> Result<(), StoreError> {
        self.write(work)
    }

    /// The numbers of the runs of a page, the newest first.
    fn page(
        session: &mut DatabaseSession<'_>,
        filter: &Filter,
        page: Page,
    ) -> Result<Vec<RunId>, SqlError>;

    /// Whether it is there; one that is not is made when a run is kept, and for nothing else.
    fn is_there(&self) -> bool {
        true
    }

    /// Whether its tables hold summaries.
    fn has_summaries(&self) -> bool {
        true
    }
}

impl<D: Database> Store for D {
    fn keep(&mut self, run: &NewRun) -> Result<RunId, StoreError> {
        self.write(|session| insert(session, run))
    }

    fn replace(&mut self, run: RunId, by: &NewRun) -> Result<(), StoreError> {
        change(self, run, |session| replace(session, run, by))
    }

    fn list(&mut self, filter: &Filter, page: Page) -> Result<Vec<Entry>, StoreError> {
        self.read(|session| {
            let runs = D::page(session, filter, page)?;
            let mut entries = Vec::with_capacity(runs.len());
            for runs in runs.chunks(RUNS_AT_ONCE) {
                let mut found = entries_of(session, runs)?;
                entries.extend(runs.iter().filter_map(|run| found.remove(run)));
            }
            Ok(entries)
        })
    }

    fn entry(&mut self, run: RunId) -> Result<Entry, StoreError> {
        let found = self.read(|session| entries_of(session, &[run]))?;
        found.into_values().next().ok_or(StoreError::NoRun(run))
    }

    fn document(&mut self, run: RunId) -> Result<Vec<u8>, StoreError> {
        let query = "SELECT document FROM documents WHERE run = ?1";
        let found =
            self.read(|session| session.query(query, &[&number(run.0)], |row| row.get(0)))?;
        found.into_iter().next().ok_or(StoreError::NoRun(run))
    }

    fn summaries(&mut self, runs: &[RunId]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        if !self.has_summaries() {
            return Ok(vec![None; runs.len()]);
        }
        self.read(|session| {
            let mut summaries = Vec::with_capacity(runs.len());
            for runs in runs.chunks(RUNS_AT_ONCE) {
                let query = format!(
                    "SELECT run, summary FROM summaries WHERE run IN ({})",
                    numbers(runs)
                );
                let found = session.query(&query, &[], |row| Ok((run_id(row, 0)?, row.get(1)?)))?;
                let found: HashMap<RunId, Vec<u8>> = found.into_iter().collect();
                summaries.extend(runs.iter().map(|run| found.get(run).cloned()));
            }
            Ok(summaries)
        })
    }

    fn keep_summaries(&mut self, summaries: &[(RunId, Vec<u8>)]) -> Result<(), StoreError> {
        if !self.is_there() || !self.has_summaries() {
            return Ok(());
        }
        self.write_if_free(|session| {
            summaries
                .iter()
                .try_for_each(|(run, summary)| keep_summary(session, number(run.0), summary))
        })
    }

    fn change(&mut self, run: RunId, by: StoredChange<'_>) -> Result<(), StoreError> {
        let id = number(run.0);
        change(self, run, |session| {
            let for_update = session.dialect().for_update;
            let query = format!("SELECT id FROM runs WHERE id = ?1{for_update}");
            let found: Vec<i64> = session.query(&query, &[&id], |row| row.get(0))?;
            if found.is_empty() {
                return Ok(false);
            }
            for (statement, text) in by.statements() {
                match text {
                    Some(text) => session.execute(statement, &[&id, &session.text(text)])?,
                    None => session.execute(statement, &[&id])?,
                }
            }
            Ok(true)
        })
    }

    fn baselines(&mut self) -> Result<Vec<Baseline>, StoreError> {
        self.read(|session| {
            let dialect = session.dialect();
            let query = format!(
                "SELECT identity, devices.name, {method}, runs.id FROM {runs} \
                 JOIN baselines ON baselines.run = runs.id \
                 JOIN devices ON devices.id = runs.device \
                 ORDER BY devices.name COLLATE BINARY, identity COLLATE BINARY, \
                 {method} COLLATE BINARY",
                method = dialect.method,
                runs = dialect.runs,
            );
            session.query(&query, &[], |row| {
                Ok(Baseline {
                    device: row.get(0)?,
                    device_name: row.get(1)?,
                    method: row.get(2)?,
                    run: run_id(row, 3)?,
                })
            })
        })
    }

    fn devices(&mut self, part: Option<&str>) -> Result<Vec<StoredDevice>, StoreError> {
        self.read(|session| {
            let part = part.map(|part| format!("%{}%", escaped(&session.text(part))));
            let query = format!(
                "SELECT identity, name FROM devices \
                 WHERE EXISTS (SELECT 1 FROM runs WHERE device = devices.id) \
                 AND (CAST(?1 AS TEXT) IS NULL OR identity LIKE ?1 ESCAPE '\\' \
                 OR name LIKE ?1 ESCAPE '\\' OR ({}) LIKE ?1 ESCAPE '\\') \
                 ORDER BY identity COLLATE BINARY, name COLLATE BINARY",
                session.dialect().newest_target
            );
            session.query(&query, &[&part], |row| {
                Ok(StoredDevice {
                    identity: row.get(0)?,
                    name: row.get(1)?,
                })
            })
        })
    }

    /// Both queries read what lies together: to look each run up by itself would take a file ten
    /// times as long.
    fn history(&mut self, device: &str, row: &str) -> Result<Vec<HistoryPoint>, StoreError> {
        self.read(|session| {
            let (device, row) = (session.text(device), session.text(row));
            let query = "SELECT id FROM devices WHERE identity = ?1";
            let found: Vec<i64> = session.query(query, &[&device], |row| row.get(0))?;
            let Some(device) = found.first() else {
                return Ok(Vec::new());
            };
            let query = "SELECT id, started_at FROM runs WHERE device = ?1";
            let starts = session.query(query, &[device], |row| {
                Ok((run_id(row, 0)?, nanos(row, 1)?))
            })?;
            let starts: HashMap<RunId, Nanos> = starts.into_iter().collect();
            let query = format!(
                "{ROW} FROM {} WHERE rows.device = ?1 AND (fingerprint = ?2 OR name = ?2) \
                 ORDER BY run, position",
                session.dialect().rows_of_kind
            );
            let rows = session.query(&query, &[device, &row], listed_row)?;
            // One that was kept or deleted between the queries is none of either.
            let points = rows.into_iter().filter_map(|(run, row)| {
                let started_at = *starts.get(&run)?;
                Some(HistoryPoint {
                    run,
                    started_at,
                    row,
                })
            });
            let mut points: Vec<HistoryPoint> = points.collect();
            points.sort_by_key(|point| point.started_at);
            Ok(points)
        })
    }
}

/// Changes a run that is there. A store that is not there holds none, and is not made for that.
fn change(
    database: &mut impl Database,
    run: RunId,
    work: impl Fn(&mut DatabaseSession<'_>) -> Result<bool, SqlError>,
) -> Result<(), StoreError> {
    let is_found = database.is_there() && database.write(work)?;
    is_found.then_some(()).ok_or(StoreError::NoRun(run))
}

/// The facts of these runs.
fn entries_of(
    session: &mut DatabaseSession<'_>,
    runs: &[RunId],
) -> Result<HashMap<RunId, Entry>, SqlError> {
    let (dialect, numbers) = (session.dialect(), numbers(runs));
    let query = format!(
        "SELECT runs.id, started_at, {}, {}, devices.identity, devices.name, host, verdict, \
         fingerprint, sokudo_version, origin, command, interrupted, note, answer, \
         EXISTS (SELECT 1 FROM baselines WHERE run = runs.id) \
         FROM {} JOIN devices ON devices.id = runs.device WHERE runs.id IN ({numbers})",
        dialect.method, dialect.target, dialect.runs
    );
    let entries = session.query(&query, &[], entry)?;
    let mut entries: HashMap<RunId, Entry> = entries.into_iter().map(|it| (it.id, it)).collect();
    let query = format!(
        "SELECT run, tag FROM tags WHERE run IN ({numbers}) ORDER BY run, tag COLLATE BINARY"
    );
    for (run, tag) in session.query(&query, &[], |row| Ok((run_id(row, 0)?, row.get(1)?)))? {
        if let Some(entry) = entries.get_mut(&run) {
            entry.tags.push(tag);
        }
    }
    let query = format!(
        "{ROW} FROM {} WHERE run IN ({numbers}) ORDER BY run, position",
        dialect.rows_of_runs
    );
    for (run, row) in session.query(&query, &[], listed_row)? {
        if let Some(entry) = entries.get_mut(&run) {
            entry.run.rows.push(row);
        }
    }
    Ok(entries)
}

/// Numbers as a list of a statement.
fn numbers(runs: &[RunId]) -> String {
    let numbers: Vec<String> = runs.iter().map(|run| number(run.0).to_string()).collect();
    numbers.join(", ")
}

pub(crate) fn insert(session: &mut DatabaseSession<'_>, run: &NewRun) -> Result<RunId, SqlError> {
    let statement = format!(
        "INSERT INTO runs ({FACTS}, note) VALUES (?1, {}, {OTHER_FACTS}, '') RETURNING id, device",
        session.dialect().run_values
    );
    let written = facts(session, &statement, None, run)?;
    let (id, device) = written.ok_or_else(|| SqlError::Damaged("a run was not inserted".into()))?;
    contents(session, id, device, run)?;
    Ok(RunId(id.cast_unsigned()))
}

/// Whether there is a run of this number, in whose place another was put.
fn replace(session: &mut DatabaseSession<'_>, run: RunId, by: &NewRun) -> Result<bool, SqlError> {
    let statement = format!(
        "UPDATE runs SET ({FACTS}) = (?1, {}, {OTHER_FACTS}) WHERE id = ?13 RETURNING id, device",
        session.dialect().run_values
    );
    let Some((id, device)) = facts(session, &statement, Some(run), by)? else {
        return Ok(false);
    };
    for statement in MAKE_ROOM {
        session.execute(statement, &[&id])?;
    }
    contents(session, id, device, by)?;
    Ok(true)
}

/// What [`facts`] writes, in its order: the method and the target are `?2` and `?3`.
const FACTS: &str = "started_at, method, target, device, host, verdict, fingerprint, \
     sokudo_version, origin, command, interrupted, answer";
const OTHER_FACTS: &str = "?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12";

/// Writes the facts of a run by a statement, and says under which number and of which device.
fn facts(
    session: &mut DatabaseSession<'_>,
    statement: &str,
    id: Option<RunId>,
    run: &NewRun,
) -> Result<Option<(i64, i64)>, SqlError> {
    let text = |text| session.text(text);
    let (identity, name) = (text(&run.device), text(&run.device_name));
    let (method, target) = (text(&run.method), text(&run.target));
    let (host, origin) = (
        run.host.as_deref().map(text),
        run.origin.as_deref().map(text),
    );
    let fingerprint = text(&run.fingerprint);
    let (version, command) = (text(&run.sokudo_version), text(&run.command));
    let answer = run.answer.map(RunAnswer::name);
    // People may call a device otherwise than before.
    let device = session.query(
        "INSERT INTO devices (identity, name) VALUES (?1, ?2) \
         ON CONFLICT (identity) DO UPDATE SET name = ?2 RETURNING id",
        &[&identity, &name],
        |row| row.get::<i64>(0),
    )?;
    let dialect = session.dialect();
    for (new, name) in [(dialect.new_method, &method), (dialect.new_target, &target)] {
        if let Some(new) = new {
            session.execute(new, &[name])?;
        }
    }
    let (started_at, verdict) = (number(run.started_at.0), run.verdict.map(rank));
    let device = device.first().copied();
    let mut values: Vec<&dyn crate::session::Parameter> = vec![
        &started_at,
        &method,
        &target,
        &device,
        &host,
        &verdict,
        &fingerprint,
        &version,
        &origin,
        &command,
        &run.interrupted,
        &answer,
    ];
    let id = id.map(|id| number(id.0));
    if let Some(id) = &id {
        values.push(id);
    }
    let written = session.query(statement, &values, |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(written.first().copied())
}

/// Keeps what a run holds beside its facts.
fn contents(
    session: &mut DatabaseSession<'_>,
    id: i64,
    device: i64,
    run: &NewRun,
) -> Result<(), SqlError> {
    let statement = "INSERT INTO documents (run, document) VALUES (?1, ?2)";
    session.execute(statement, &[&id, &run.document])?;
    if !run.summary.is_empty() {
        keep_summary(session, id, &run.summary)?;
    }
    let dialect = session.dialect();
    let insert = format!(
        "INSERT INTO rows (run, position, device, {}, verdict, bytes_per_s, ios_per_s, \
         latency_ns, trials, stands_for_disk) VALUES (?1, ?2, ?3, {}, ?7, ?8, ?9, ?10, ?11, ?12)",
        dialect.row_columns, dialect.row_values
    );
    for (row, position) in run.rows.iter().zip(0_i64..) {
        let (name, direction) = (session.text(&row.name), session.text(&row.direction));
        let fingerprint = session.text(&row.fingerprint);
        if let Some(new) = dialect.new_row_kind {
            session.execute(new, &[&name, &direction, &fingerprint])?;
        }
        session.execute(
            &insert,
            &[
                &id,
                &position,
                &device,
                &name,
                &direction,
                &fingerprint,
                &row.verdict.map(rank),
                &row.bytes_per_s,
                &row.ios_per_s,
                &row.latency_ns,
                &i64::from(row.trials),
                &row.stands_for_disk,
            ],
        )?;
    }
    Ok(())
}

/// Keeps a summary of a run that is still there.
fn keep_summary(
    session: &mut DatabaseSession<'_>,
    run: i64,
    summary: &[u8],
) -> Result<(), SqlError> {
    let statement = "INSERT INTO summaries (run, summary) SELECT id, ?2 FROM runs WHERE id = ?1 \
         ON CONFLICT (run) DO UPDATE SET summary = excluded.summary";
    session.execute(statement, &[&run, &summary])
}

fn run_id(row: &FoundRow<'_>, column: usize) -> Result<RunId, SqlError> {
    Ok(RunId(row.get::<i64>(column)?.cast_unsigned()))
}

fn nanos(row: &FoundRow<'_>, column: usize) -> Result<Nanos, SqlError> {
    Ok(Nanos(row.get::<i64>(column)?.cast_unsigned()))
}

fn entry(row: &FoundRow<'_>) -> Result<Entry, SqlError> {
    Ok(Entry {
        id: run_id(row, 0)?,
        run: NewRun {
            started_at: nanos(row, 1)?,
            method: row.get(2)?,
            target: row.get(3)?,
            device: row.get(4)?,
            device_name: row.get(5)?,
            host: row.get(6)?,
            verdict: row.get::<Option<i64>>(7)?.and_then(verdict),
            fingerprint: row.get(8)?,
            sokudo_version: row.get(9)?,
            origin: row.get(10)?,
            command: row.get(11)?,
            interrupted: row.get(12)?,
            answer: row
                .get::<Option<String>>(14)?
                .and_then(|it| RunAnswer::named(&it)),
            rows: Vec::new(),
            document: Vec::new(),
            summary: Vec::new(),
        },
        note: row.get(13)?,
        tags: Vec::new(),
        is_baseline: row.get(15)?,
    })
}

/// Columns that [`listed_row`] reads, in its order.
const ROW: &str = "SELECT run, name, direction, fingerprint, verdict, bytes_per_s, ios_per_s, \
     latency_ns, trials, stands_for_disk";

fn listed_row(row: &FoundRow<'_>) -> Result<(RunId, ListedRow), SqlError> {
    let (run, name): (RunId, String) = (run_id(row, 0)?, row.get(1)?);
    // Whoever wrote there may have written any number.
    let trials: i64 = row.get(8)?;
    let count = u32::try_from(trials);
    let damage = |_| SqlError::Damaged(text!("run {run} has {trials} trials of {name}"));
    let row = ListedRow {
        trials: count.map_err(damage)?,
        name,
        direction: row.get(2)?,
        fingerprint: row.get(3)?,
        verdict: row.get::<Option<i64>>(4)?.and_then(verdict),
        bytes_per_s: row.get(5)?,
        ios_per_s: row.get(6)?,
        latency_ns: row.get(7)?,
        stands_for_disk: row.get(9)?,
    };
    Ok((run, row))
}
