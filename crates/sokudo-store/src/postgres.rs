//! The store in a database on a server: PostgreSQL.
//!
//! How far a connection is encrypted and checked, the address says (`sslmode`). No message
//! ever holds a password.

mod address;
mod certificates;
mod connector;
mod meter;

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use postgres::config::Host;
use postgres::{Client, Config, Transaction};
use sokudo_model::narrow;
use sokudo_words::{Text, text};

use crate::clause::{self, QueryClause, Value};
use crate::database::Database;
use crate::facts::escaped;
use crate::refusal::{Refusals, SqlError};
use crate::session::DatabaseSession;
use crate::{Filter, Page, RunId, StoreError};
use address::{Address, Encryption};
use connector::Connector;

/// As those of the store in a file; the table `version` says how many have been gone
/// through.
const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/postgres/1.sql"),
    include_str!("../migrations/postgres/2.sql"),
    include_str!("../migrations/postgres/3.sql"),
    include_str!("../migrations/postgres/4.sql"),
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

/// A store on a server.
pub struct Postgres {
    client: Client,
    refusals: Refusals,
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
        let refusals = Refusals {
            store: name_of(&config),
            patience: PATIENCE,
        };
        let client = connect(config, &encryption, &refusals)?;
        let mut store = Self { client, refusals };
        store.prepare()?;
        Ok(store)
    }

    fn prepare(&mut self) -> Result<(), StoreError> {
        let known: u32 = narrow(MIGRATIONS.len());
        let found = brought_up_to_date(&mut self.client, known.into());
        let found = found.map_err(|error| self.refusals.of(error))?;
        if found > i64::from(known) {
            return Err(StoreError::Newer {
                store: self.refusals.store.clone(),
                found,
                known,
            });
        }
        Ok(())
    }
}

/// The version of the tables, of which those that are missing were made.
fn brought_up_to_date(client: &mut Client, known: i64) -> Result<i64, postgres::Error> {
    client.batch_execute(&format!(
        "SET client_min_messages = warning; SET search_path = {SCHEMA}; \
         SET statement_timeout = '600s'; SET lock_timeout = '{LOCK_SECONDS_MAX}s'"
    ))?;
    let found = version(client)?;
    if found >= known {
        return Ok(found);
    }
    let mut transaction = client.transaction()?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK])?;
    let found = migrate(&mut transaction)?;
    transaction.commit()?;
    Ok(found)
}

impl Database for Postgres {
    fn read<T>(
        &mut self,
        work: impl FnOnce(&mut DatabaseSession<'_>) -> Result<T, SqlError>,
    ) -> Result<T, StoreError> {
        carry_out(&mut self.client, work).map_err(|error| self.refusals.of(error))
    }

    fn write<T>(
        &mut self,
        work: impl Fn(&mut DatabaseSession<'_>) -> Result<T, SqlError>,
    ) -> Result<T, StoreError> {
        self.read(work)
    }

    fn page(
        session: &mut DatabaseSession<'_>,
        filter: &Filter,
        page: Page,
    ) -> Result<Vec<RunId>, SqlError> {
        let mut conditions = clause::of_times(filter);
        if let Some(device) = &filter.device {
            let part: Value = Rc::new(format!("%{}%", escaped(&session.text(device))));
            let condition = "(devices.identity LIKE ? OR devices.name LIKE ? OR target LIKE ?)";
            conditions.push(QueryClause::new(condition, vec![part; 3]));
        }
        if let Some(identity) = &filter.device_identity {
            let identity = session.text(identity).into_owned();
            conditions.push(QueryClause::of("devices.identity = ?", identity));
        }
        if let Some(method) = &filter.method {
            let begin = format!("{}%", escaped(&session.text(method)));
            conditions.push(QueryClause::of("method LIKE ?", begin));
        }
        let labels = clause::of_labels(session, filter);
        conditions.extend(labels.into_iter().map(|[condition, _]| condition));
        let runs = "SELECT runs.id FROM runs JOIN devices ON devices.id = runs.device";
        QueryClause::new(runs, []).page(session, conditions, page)
    }
}

/// A transaction of its own.
fn carry_out<T>(
    client: &mut Client,
    work: impl FnOnce(&mut DatabaseSession<'_>) -> Result<T, SqlError>,
) -> Result<T, SqlError> {
    let mut session = DatabaseSession::Server {
        transaction: client.transaction()?,
        prepared: HashMap::new(),
    };
    let done = work(&mut session)?;
    if let DatabaseSession::Server { transaction, .. } = session {
        transaction.commit()?;
    }
    Ok(done)
}

/// The time limit of the library ends where the server has accepted, and something else
/// than a server may say nothing after that. Its thread is left to itself then.
fn connect(
    config: Config,
    encryption: &Encryption,
    refusals: &Refusals,
) -> Result<Client, StoreError> {
    let each = config.get_connect_timeout().copied().unwrap_or(PATIENCE);
    let connector = Connector::new(encryption, each).map_err(|error| StoreError::Database {
        store: refusals.store.clone(),
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
        store: refusals.store.clone(),
        reason: text!("no thread can be started: {error}"),
    })?;
    match receiver.recv_timeout(limit) {
        Ok(connected) => connected.map_err(|error| refusals.of(error)),
        Err(_) => Err(StoreError::Silent {
            store: refusals.store.clone(),
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
                let received = stream.read(&mut bytes).unwrap();
                assert!(received > 0);
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
