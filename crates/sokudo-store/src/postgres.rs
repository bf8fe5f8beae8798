//! The store in a database on a server: PostgreSQL.
//!
//! How far a connection is encrypted and checked, the address says (`sslmode`). No message
//! ever holds a password.

mod address;
mod certificates;
mod connector;
mod meter;

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use postgres::config::Host;
use postgres::types::ToSql;
use postgres::{Client, Config, Row, Transaction};
use sokudo_model::{ListedRow, Nanos, narrow};
use sokudo_words::{Text, text};

use crate::change::MAKE_ROOM;
use crate::facts::{escaped, number, rank, verdict};
use crate::{
    Baseline, Entry, Filter, HistoryPoint, NewRun, Page, RunId, Store, StoreError, StoredChange,
    StoredDevice,
};
use address::{Address, Encryption};
use connector::Connector;

/// As those of the store in a file; the table `version` says how many have been gone
/// through.
const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/postgres/1.sql"),
    include_str!("../migrations/postgres/2.sql"),
    include_str!("../migrations/postgres/3.sql"),
];

/// All tables are in this schema, so that the database may be used for others too.
const SCHEMA: &str = "sokudo";

/// Who holds this lock changes the tables: "sokd".
const MIGRATION_LOCK: i64 = 0x736f_6b64;

/// How long a server is waited for that says nothing, unless the address says so
/// (`connect_timeout`).
const PATIENCE: Duration = Duration::from_secs(10);
/// Who connects says itself that it took too long, before it is left to itself.
const ANSWER_SLACK: Duration = Duration::from_secs(1);
/// The server says itself who holds a lock, before it is given up.
const LOCK_SECONDS_MAX: u64 = 8;

/// Why work on the server fails.
enum ServerError {
    Database(postgres::Error),
    /// What is kept there cannot be.
    Damaged(Text),
}

impl From<postgres::Error> for ServerError {
    fn from(error: postgres::Error) -> Self {
        Self::Database(error)
    }
}

/// Keeps a summary of a run that is still there.
const KEEP_SUMMARY: &str = "INSERT INTO summaries (run, summary) \
     SELECT id, $2 FROM runs WHERE id = $1 \
     ON CONFLICT (run) DO UPDATE SET summary = excluded.summary";

const INSERT: &str = "INSERT INTO runs (started_at, method, target, device, host, verdict, \
     fingerprint, sokudo_version, origin, command, interrupted, note) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, '') RETURNING id, device";
const UPDATE: &str = "UPDATE runs SET (started_at, method, target, device, host, verdict, \
     fingerprint, sokudo_version, origin, command, interrupted) \
     = ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) WHERE id = $12 RETURNING id, device";

/// A store on a server.
pub struct Postgres {
    client: Client,
    name: Text,
}

impl Postgres {
    /// Connects to `postgresql://…`; tables that are missing are made. A password that the
    /// address does not hold is taken from `PGPASSWORD`.
    ///
    /// # Errors
    /// When the server cannot be reached, refuses, is not who it should be, or has tables of
    /// a newer version.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        let Address {
            mut config,
            encryption,
        } = Address::parse(url)?;
        let name = name_of(&config);
        if config.get_password().is_none()
            && let Some(password) = std::env::var_os("PGPASSWORD")
        {
            config.password(std::os::unix::ffi::OsStrExt::as_bytes(password.as_os_str()));
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(PATIENCE);
        }
        if config.get_application_name().is_none() {
            config.application_name("sokudo");
        }
        let client = connect(config, &encryption, &name)?;
        let mut store = Self { client, name };
        store.prepare()?;
        Ok(store)
    }

    fn prepare(&mut self) -> Result<(), StoreError> {
        let known: u32 = narrow(MIGRATIONS.len());
        let mut found = self.with(|client| {
            client.batch_execute(&format!(
                "SET client_min_messages = warning; SET search_path = {SCHEMA}; \
                 SET statement_timeout = '600s'; SET lock_timeout = '{LOCK_SECONDS_MAX}s'"
            ))?;
            Ok(version(client)?)
        })?;
        if found < i64::from(known) {
            found = self.within(|transaction| {
                transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK])?;
                Ok(migrate(transaction)?)
            })?;
        }
        if found > i64::from(known) {
            return Err(StoreError::Newer {
                store: self.name.clone(),
                found,
                known,
            });
        }
        Ok(())
    }

    fn with<T>(
        &mut self,
        work: impl FnOnce(&mut Client) -> Result<T, ServerError>,
    ) -> Result<T, StoreError> {
        work(&mut self.client).map_err(|error| match error {
            ServerError::Database(error) => refusal(&self.name, &error),
            ServerError::Damaged(reason) => StoreError::Damaged {
                store: self.name.clone(),
                reason,
            },
        })
    }

    /// All of the work, or nothing of it.
    fn within<T>(
        &mut self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, ServerError>,
    ) -> Result<T, StoreError> {
        self.with(|client| {
            let mut transaction = client.transaction()?;
            let done = work(&mut transaction)?;
            transaction.commit()?;
            Ok(done)
        })
    }

    fn entries(
        &mut self,
        condition: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Entry>, StoreError> {
        let query = format!(
            "SELECT runs.id, started_at, method, target, devices.identity, devices.name, host, \
             verdict, fingerprint, sokudo_version, origin, command, interrupted, note, \
             EXISTS (SELECT 1 FROM baselines WHERE run = runs.id), \
             ARRAY(SELECT tag FROM tags WHERE run = runs.id ORDER BY tag COLLATE \"C\") \
             FROM runs JOIN devices ON devices.id = runs.device {condition}"
        );
        self.with(|client| {
            let found = client.query(&query, values)?;
            let entries = found.iter().map(entry).collect::<Result<_, _>>();
            let mut entries: Vec<Entry> = entries?;
            let rows = client.prepare(
                "SELECT name, direction, fingerprint, verdict, bytes_per_s, ios_per_s, \
                 latency_ns, trials, stands_for_disk FROM rows WHERE run = $1 ORDER BY position",
            )?;
            for entry in &mut entries {
                let found = client.query(&rows, &[&number(entry.id.0)])?;
                let found = found.iter().map(|row| row_entry(entry.id, row, 0));
                entry.run.rows = found.collect::<Result<_, _>>()?;
            }
            Ok(entries)
        })
    }
}

impl Store for Postgres {
    fn keep(&mut self, run: &NewRun) -> Result<RunId, StoreError> {
        self.within(|transaction| {
            let (id, device) = facts(transaction, INSERT, None, run)?
                .ok_or_else(|| ServerError::Damaged("a run was not inserted".into()))?;
            contents(transaction, id, device, run)?;
            Ok(RunId(id.cast_unsigned()))
        })
    }

    fn replace(&mut self, run: RunId, by: &NewRun) -> Result<(), StoreError> {
        let is_there = self.within(|transaction| {
            let Some((id, device)) = facts(transaction, UPDATE, Some(run), by)? else {
                return Ok(false);
            };
            for statement in MAKE_ROOM {
                transaction.execute(&statement.replace('?', "$"), &[&id])?;
            }
            contents(transaction, id, device, by)?;
            Ok(true)
        })?;
        is_there.then_some(()).ok_or(StoreError::NoRun(run))
    }

    fn list(&mut self, filter: &Filter, page: Page) -> Result<Vec<Entry>, StoreError> {
        let mut conditions = vec!["TRUE".to_owned()];
        let mut values: Vec<Box<dyn ToSql + Sync>> = Vec::new();
        let mut ask = |condition: &str, value: Box<dyn ToSql + Sync>| {
            values.push(value);
            let mark = format!("${}", values.len());
            conditions.push(condition.replace('?', &mark));
        };
        if let Some(device) = &filter.device {
            let part = format!("%{}%", escaped(&text(device)));
            ask(
                "(devices.identity ILIKE ? OR devices.name ILIKE ? OR target ILIKE ?)",
                Box::new(part),
            );
        }
        if let Some(identity) = &filter.device_identity {
            ask(
                "devices.identity = ?",
                Box::new(text(identity).into_owned()),
            );
        }
        if let Some(method) = &filter.method {
            let part = format!("{}%", escaped(&text(method)));
            ask("method ILIKE ?", Box::new(part));
        }
        if let Some(since) = filter.since {
            ask("started_at >= ?", Box::new(number(since.0)));
        }
        if let Some(until) = filter.until {
            ask("started_at < ?", Box::new(number(until.0)));
        }
        if let Some(verdict) = filter.verdict {
            ask("verdict = ?", Box::new(rank(verdict)));
        }
        for tag in &filter.tags {
            ask(
                "EXISTS (SELECT 1 FROM tags WHERE run = runs.id AND tag = ?)",
                Box::new(text(tag).into_owned()),
            );
        }
        let conditions = conditions.join(" AND ");
        let condition = format!(
            "WHERE {conditions} ORDER BY started_at DESC, runs.id DESC LIMIT ${} OFFSET ${}",
            values.len() + 1,
            values.len() + 2
        );
        values.push(Box::new(number(page.count)));
        values.push(Box::new(number(page.skip)));
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(AsRef::as_ref).collect();
        self.entries(&condition, &values)
    }

    fn entry(&mut self, run: RunId) -> Result<Entry, StoreError> {
        let found = self.entries("WHERE runs.id = $1", &[&number(run.0)])?;
        found.into_iter().next().ok_or(StoreError::NoRun(run))
    }

    fn document(&mut self, run: RunId) -> Result<Vec<u8>, StoreError> {
        let query = "SELECT document FROM documents WHERE run = $1";
        let found = self.with(|client| {
            let row = client.query_opt(query, &[&number(run.0)])?;
            Ok(row.map(|row| row.try_get(0)).transpose()?)
        })?;
        found.ok_or(StoreError::NoRun(run))
    }

    fn summaries(&mut self, runs: &[RunId]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let ids: Vec<i64> = runs.iter().map(|run| number(run.0)).collect();
        let query = "SELECT run, summary FROM summaries WHERE run = ANY ($1)";
        let found = self.with(|client| {
            let found = client.query(query, &[&ids])?;
            let pair = |row: &Row| Ok((row.try_get(0)?, row.try_get(1)?));
            Ok(found
                .iter()
                .map(pair)
                .collect::<Result<HashMap<i64, Vec<u8>>, postgres::Error>>()?)
        })?;
        Ok(ids.iter().map(|id| found.get(id).cloned()).collect())
    }

    fn keep_summaries(&mut self, summaries: &[(RunId, Vec<u8>)]) -> Result<(), StoreError> {
        self.within(|transaction| {
            let keep = transaction.prepare(KEEP_SUMMARY)?;
            for (run, summary) in summaries {
                transaction.execute(&keep, &[&number(run.0), summary])?;
            }
            Ok(())
        })
    }

    fn change(&mut self, run: RunId, change: StoredChange<'_>) -> Result<(), StoreError> {
        let id = number(run.0);
        let is_there = self.within(|transaction| {
            let query = "SELECT 1 FROM runs WHERE id = $1 FOR UPDATE";
            if transaction.query_opt(query, &[&id])?.is_none() {
                return Ok(false);
            }
            for (statement, said) in change.statements() {
                let statement = statement.replace('?', "$");
                match said.map(text) {
                    Some(said) => transaction.execute(&statement, &[&id, &said])?,
                    None => transaction.execute(&statement, &[&id])?,
                };
            }
            Ok(true)
        })?;
        is_there.then_some(()).ok_or(StoreError::NoRun(run))
    }

    fn baselines(&mut self) -> Result<Vec<Baseline>, StoreError> {
        self.with(|client| {
            let found = client.query(
                "SELECT identity, name, method, run FROM baselines \
                 JOIN devices ON devices.id = device \
                 ORDER BY name COLLATE \"C\", identity COLLATE \"C\", method COLLATE \"C\"",
                &[],
            )?;
            let baseline = |row: &Row| {
                Ok(Baseline {
                    device: row.try_get(0)?,
                    device_name: row.try_get(1)?,
                    method: row.try_get(2)?,
                    run: RunId(row.try_get::<_, i64>(3)?.cast_unsigned()),
                })
            };
            found.iter().map(baseline).collect()
        })
    }

    fn devices(&mut self, part: Option<&str>) -> Result<Vec<StoredDevice>, StoreError> {
        let part = part.map(|part| format!("%{}%", escaped(&text(part))));
        self.with(|client| {
            let found = client.query(
                "SELECT identity, name FROM devices \
                 WHERE EXISTS (SELECT 1 FROM runs WHERE device = devices.id) \
                 AND ($1::TEXT IS NULL OR identity ILIKE $1 OR name ILIKE $1 \
                 OR (SELECT target FROM runs WHERE device = devices.id \
                 ORDER BY started_at DESC LIMIT 1) ILIKE $1) \
                 ORDER BY identity COLLATE \"C\", name COLLATE \"C\"",
                &[&part],
            )?;
            let device = |row: &Row| {
                Ok(StoredDevice {
                    identity: row.try_get(0)?,
                    name: row.try_get(1)?,
                })
            };
            found.iter().map(device).collect()
        })
    }

    fn history(&mut self, device: &str, row: &str) -> Result<Vec<HistoryPoint>, StoreError> {
        self.with(|client| {
            let found = client.query(
                "SELECT run, started_at, rows.name, direction, rows.fingerprint, rows.verdict, \
                 bytes_per_s, ios_per_s, latency_ns, trials, stands_for_disk \
                 FROM rows JOIN runs ON runs.id = run \
                 WHERE rows.device = (SELECT id FROM devices WHERE identity = $1) \
                 AND (rows.fingerprint = $2 OR rows.name = $2) \
                 ORDER BY started_at, run, position",
                &[&text(device), &text(row)],
            )?;
            let point = |row: &Row| {
                let run = RunId(row.try_get::<_, i64>(0)?.cast_unsigned());
                Ok(HistoryPoint {
                    run,
                    started_at: Nanos(row.try_get::<_, i64>(1)?.cast_unsigned()),
                    row: row_entry(run, row, 2)?,
                })
            };
            found.iter().map(point).collect()
        })
    }
}

/// Writes the facts of a run by a statement, and says under which number and of which device.
fn facts(
    transaction: &mut Transaction<'_>,
    statement: &str,
    id: Option<RunId>,
    run: &NewRun,
) -> Result<Option<(i64, i64)>, postgres::Error> {
    let device: i64 = transaction
        .query_one(
            "INSERT INTO devices (identity, name) VALUES ($1, $2) \
             ON CONFLICT (identity) DO UPDATE SET name = $2 RETURNING id",
            &[&text(&run.device), &text(&run.device_name)],
        )?
        .try_get(0)?;
    let started_at = number(run.started_at.0);
    let (method, target) = (text(&run.method), text(&run.target));
    let (host, origin) = (
        run.host.as_deref().map(text),
        run.origin.as_deref().map(text),
    );
    let verdict = run.verdict.map(rank);
    let fingerprint = text(&run.fingerprint);
    let (version, command) = (text(&run.sokudo_version), text(&run.command));
    let mut values: Vec<&(dyn ToSql + Sync)> = vec![
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
    ];
    let id = id.map(|id| number(id.0));
    if let Some(id) = &id {
        values.push(id);
    }
    let written = transaction.query_opt(statement, &values)?;
    let of = |row: &Row| Ok((row.try_get(0)?, row.try_get(1)?));
    written.as_ref().map(of).transpose()
}

/// Keeps what a run holds beside its facts.
fn contents(
    transaction: &mut Transaction<'_>,
    id: i64,
    device: i64,
    run: &NewRun,
) -> Result<(), postgres::Error> {
    transaction.execute(
        "INSERT INTO documents (run, document) VALUES ($1, $2)",
        &[&id, &run.document],
    )?;
    if !run.summary.is_empty() {
        transaction.execute(KEEP_SUMMARY, &[&id, &run.summary])?;
    }
    let insert = transaction.prepare(
        "INSERT INTO rows (run, position, device, name, direction, fingerprint, \
         verdict, bytes_per_s, ios_per_s, latency_ns, trials, stands_for_disk) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
    )?;
    for (row, position) in run.rows.iter().zip(0_i64..) {
        transaction.execute(
            &insert,
            &[
                &id,
                &position,
                &device,
                &text(&row.name),
                &text(&row.direction),
                &text(&row.fingerprint),
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

/// The time limit of the library ends where the server has accepted, and something else
/// than a server may say nothing after that. Its thread is left to itself then.
fn connect(config: Config, encryption: &Encryption, name: &Text) -> Result<Client, StoreError> {
    let each = config.get_connect_timeout().copied().unwrap_or(PATIENCE);
    let connector = Connector::new(encryption, each).map_err(|error| StoreError::Database {
        store: name.clone(),
        reason: Text::name(error.to_string()),
    })?;
    let hosts = narrow::<usize, u32>(config.get_hosts().len());
    let limit = each
        .saturating_mul(hosts.max(1))
        .saturating_add(ANSWER_SLACK);
    let (sender, receiver) = mpsc::channel();
    let connecting = thread::Builder::new().spawn(move || {
        // Nobody listens any more where it took too long.
        let _ = sender.send(config.connect(connector));
    });
    connecting.map_err(|error| StoreError::Database {
        store: name.clone(),
        reason: text!("no thread can be started: {error}"),
    })?;
    match receiver.recv_timeout(limit) {
        Ok(connected) => connected.map_err(|error| refusal(name, &error)),
        Err(_) => Err(StoreError::Silent {
            store: name.clone(),
            reason: text!("it has not answered within {} s", limit.as_secs()),
        }),
    }
}

/// What a store is called in messages: without a password.
fn name_of(config: &Config) -> Text {
    let hosts: Vec<String> = config
        .get_hosts()
        .iter()
        .map(|host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(path) => path.display().to_string(),
        })
        .collect();
    let hosts = hosts.join(", ");
    match config.get_dbname().or(config.get_user()) {
        Some(named) => text!("the database {named} on {hosts}"),
        None => text!("the database of this user on {hosts}"),
    }
}

fn version(client: &mut Client) -> Result<i64, postgres::Error> {
    let query = "SELECT to_regclass('sokudo.version') IS NOT NULL";
    let is_there: bool = client.query_one(query, &[])?.try_get(0)?;
    if !is_there {
        return Ok(0);
    }
    let query = "SELECT coalesce(max(version), 0) FROM version";
    client.query_one(query, &[])?.try_get(0)
}

/// Goes through what is missing, which may be nothing when another was faster.
fn migrate(transaction: &mut Transaction<'_>) -> Result<i64, postgres::Error> {
    transaction.batch_execute(&format!(
        "CREATE SCHEMA IF NOT EXISTS {SCHEMA}; \
         CREATE TABLE IF NOT EXISTS version (version BIGINT NOT NULL)"
    ))?;
    let query = "SELECT coalesce(max(version), 0) FROM version";
    let mut found: i64 = transaction.query_one(query, &[])?.try_get(0)?;
    for (line, version) in MIGRATIONS.iter().zip(1..) {
        if version > found {
            transaction.batch_execute(line)?;
            transaction.execute("DELETE FROM version", &[])?;
            transaction.execute("INSERT INTO version VALUES ($1)", &[&version])?;
            found = version;
        }
    }
    Ok(found)
}

fn entry(row: &Row) -> Result<Entry, postgres::Error> {
    Ok(Entry {
        id: RunId(row.try_get::<_, i64>(0)?.cast_unsigned()),
        run: NewRun {
            started_at: Nanos(row.try_get::<_, i64>(1)?.cast_unsigned()),
            method: row.try_get(2)?,
            target: row.try_get(3)?,
            device: row.try_get(4)?,
            device_name: row.try_get(5)?,
            host: row.try_get(6)?,
            verdict: row.try_get::<_, Option<i64>>(7)?.and_then(verdict),
            fingerprint: row.try_get(8)?,
            sokudo_version: row.try_get(9)?,
            origin: row.try_get(10)?,
            command: row.try_get(11)?,
            interrupted: row.try_get(12)?,
            rows: Vec::new(),
            document: Vec::new(),
            summary: Vec::new(),
        },
        note: row.try_get(13)?,
        is_baseline: row.try_get(14)?,
        tags: row.try_get(15)?,
    })
}

/// A row of a run, from this column on.
fn row_entry(run: RunId, row: &Row, first: usize) -> Result<ListedRow, ServerError> {
    let name: String = row.try_get(first)?;
    // Whoever wrote there may have written any number.
    let trials: i64 = row.try_get(first + 7)?;
    let count = u32::try_from(trials);
    let damage = |_| ServerError::Damaged(text!("run {run} has {trials} trials of {name}"));
    Ok(ListedRow {
        trials: count.map_err(damage)?,
        name,
        direction: row.try_get(first + 1)?,
        fingerprint: row.try_get(first + 2)?,
        verdict: row.try_get::<_, Option<i64>>(first + 3)?.and_then(verdict),
        bytes_per_s: row.try_get(first + 4)?,
        ios_per_s: row.try_get(first + 5)?,
        latency_ns: row.try_get(first + 6)?,
        stands_for_disk: row.try_get(first + 8)?,
    })
}

/// PostgreSQL's texts hold no character 0.
fn text(text: &str) -> Cow<'_, str> {
    match text.contains('\0') {
        true => text.replace('\0', "\u{fffd}").into(),
        false => text.into(),
    }
}

fn refusal(store: &Text, error: &postgres::Error) -> StoreError {
    let cause = std::error::Error::source(error);
    // What our own connector says is said in full.
    let ours = cause
        .and_then(|cause| cause.downcast_ref::<io::Error>())
        .filter(|cause| cause.get_ref().is_some());
    let reason = match (error.as_db_error(), ours) {
        (Some(error), _) => Text::name(error.message()),
        (None, Some(ours)) => text!("{ours}"),
        (None, None) => {
            let cause = cause.map(|it| format!(": {it}"));
            let text = error.to_string();
            let cause = cause.filter(|cause| !text.ends_with(cause.as_str()));
            Text::name(text + &cause.unwrap_or_default())
        }
    };
    let store = store.clone();
    match ours.is_some_and(|ours| ours.kind() == io::ErrorKind::TimedOut) {
        true => StoreError::Silent { store, reason },
        false => StoreError::Database { store, reason },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_message_holds_a_password() {
        for url in [
            "postgresql://me:secret@localhost:1/runs",
            "postgresql://me:se/secret@localhost:1/runs",
            "postgresql://me:secret@local host/runs?x=secret",
            "postgresql://me:secret@localhost:1/runs?sslmode=require",
            "postgresql://me:secret@localhost:1/runs?sslmode=verify-full",
            "postgresql://localhost:1/runs?password=secret&secret=1",
            "postgresql://me:pass@secret@localhost:1/runs",
            "postgresql://secret",
        ] {
            let Err(error) = Postgres::open(url) else {
                panic!("{url} was opened");
            };
            let is_host = url == "postgresql://secret";
            let message = error.to_string();
            assert!(is_host || !message.contains("secret"), "{message}");
        }
    }

    #[test]
    fn who_accepts_and_says_nothing_is_not_waited_for_for_ever() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = silent.local_addr().unwrap().port();
        let url = format!("postgresql://me@127.0.0.1:{port}/runs?connect_timeout=1");
        let Err(error) = Postgres::open(&url) else {
            panic!("it was opened");
        };
        assert!(error.to_string().contains("not answered"), "{error}");
    }

    /// Answers each of what it is asked, and then nothing until it is hung up on.
    fn answering(answers: &'static [&'static [u8]]) -> (u16, thread::JoinHandle<()>) {
        use std::io::{Read, Write};
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut bytes = [0; 1_024];
            for answer in answers {
                let asked = stream.read(&mut bytes).unwrap();
                assert!(asked > 0);
                stream.write_all(answer).unwrap();
            }
            while stream.read(&mut bytes).is_ok_and(|count| count > 0) {}
        });
        (port, server)
    }

    /// No encryption, and whoever asks is in.
    const REFUSAL: &[u8] = b"N";
    const WELCOME: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";

    #[test]
    fn who_is_silent_after_the_log_in_is_given_up() {
        let (port, server) = answering(&[REFUSAL, WELCOME]);
        // Longer than a busy machine takes for the log-in.
        let url = format!("postgresql://me@127.0.0.1:{port}/runs?connect_timeout=4");
        let Err(error) = Postgres::open(&url) else {
            panic!("it was opened");
        };
        assert!(matches!(error, StoreError::Silent { .. }), "{error}");
        assert!(
            error.to_string().contains("not answered within 4 s"),
            "{error}"
        );
        server.join().unwrap();
    }

    #[test]
    fn a_server_that_announces_gigabytes_is_cut_off() {
        let (port, server) = answering(&[REFUSAL, WELCOME, b"D\x77\x77\x77\x77"]);
        let Err(error) = Postgres::open(&format!("postgresql://me@127.0.0.1:{port}/runs")) else {
            panic!("it was opened");
        };
        assert!(error.to_string().contains("more than 64 MiB"), "{error}");
        server.join().unwrap();
    }
}
