//! What both kinds of database are asked through.
//!
//! Statements are written as SQLite reads them, with numbered place marks (`?1`).

use std::borrow::Cow;
#[cfg(feature = "postgres")]
use std::collections::HashMap;

use rusqlite::Connection;

use crate::dialect::{self, Dialect};
use crate::refusal::SqlError;

/// What stands for a place mark.
#[cfg(not(feature = "postgres"))]
pub(crate) trait Parameter: rusqlite::ToSql {}
#[cfg(not(feature = "postgres"))]
impl<T: rusqlite::ToSql> Parameter for T {}
#[cfg(feature = "postgres")]
pub(crate) trait Parameter: rusqlite::ToSql + postgres::types::ToSql + Sync {}
#[cfg(feature = "postgres")]
impl<T: rusqlite::ToSql + postgres::types::ToSql + Sync> Parameter for T {}

/// What a column holds.
#[cfg(not(feature = "postgres"))]
pub(crate) trait Column: rusqlite::types::FromSql {}
#[cfg(not(feature = "postgres"))]
impl<T: rusqlite::types::FromSql> Column for T {}
#[cfg(feature = "postgres")]
pub(crate) trait Column: rusqlite::types::FromSql + postgres::types::FromSqlOwned {}
#[cfg(feature = "postgres")]
impl<T: rusqlite::types::FromSql + postgres::types::FromSqlOwned> Column for T {}

/// What was found, a row of it.
pub(crate) enum FoundRow<'a> {
    File(&'a rusqlite::Row<'a>),
    #[cfg(feature = "postgres")]
    Server(&'a postgres::Row),
}

impl FoundRow<'_> {
    pub(crate) fn get<T: Column>(&self, column: usize) -> Result<T, SqlError> {
        match self {
            Self::File(row) => Ok(row.get(column)?),
            #[cfg(feature = "postgres")]
            Self::Server(row) => Ok(row.try_get(column)?),
        }
    }
}

/// Work in a database that is done as a whole or not at all.
pub(crate) enum DatabaseSession<'a> {
    File(&'a Connection),
    #[cfg(feature = "postgres")]
    Server {
        transaction: postgres::Transaction<'a>,
        prepared: HashMap<String, postgres::Statement>,
    },
}

impl DatabaseSession<'_> {
    pub(crate) fn dialect(&self) -> &'static Dialect {
        match self {
            Self::File(_) => &dialect::FILE,
            #[cfg(feature = "postgres")]
            Self::Server { .. } => &dialect::SERVER,
        }
    }

    /// A text as it can be kept: PostgreSQL's texts hold no character 0.
    pub(crate) fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self {
            #[cfg(feature = "postgres")]
            Self::Server { .. } if text.contains('\0') => text.replace('\0', "\u{fffd}").into(),
            _ => text.into(),
        }
    }

    pub(crate) fn query<T>(
        &mut self,
        statement: &str,
        values: &[&dyn Parameter],
        read: impl Fn(&FoundRow<'_>) -> Result<T, SqlError>,
    ) -> Result<Vec<T>, SqlError> {
        match self {
            Self::File(connection) => {
                let values = values.iter().map(|value| *value as &dyn rusqlite::ToSql);
                let mut prepared = connection.prepare_cached(statement)?;
                let mut rows = prepared.query(&*values.collect::<Vec<_>>())?;
                let mut found = Vec::new();
                while let Some(row) = rows.next()? {
                    found.push(read(&FoundRow::File(row))?);
                }
                Ok(found)
            }
            #[cfg(feature = "postgres")]
            Self::Server {
                transaction,
                prepared,
            } => {
                let values = values
                    .iter()
                    .map(|value| *value as &(dyn postgres::types::ToSql + Sync));
                if !prepared.contains_key(statement) {
                    let new = transaction.prepare(&as_of_server(statement))?;
                    prepared.insert(statement.to_owned(), new);
                }
                let found = transaction.query(&prepared[statement], &values.collect::<Vec<_>>())?;
                found
                    .iter()
                    .map(|row| read(&FoundRow::Server(row)))
                    .collect()
            }
        }
    }

    pub(crate) fn execute(
        &mut self,
        statement: &str,
        values: &[&dyn Parameter],
    ) -> Result<(), SqlError> {
        self.query(statement, values, |_| Ok(())).map(drop)
    }
}

/// A statement in PostgreSQL's words, whose `LIKE` tells large letters from small ones and
/// whose order of texts is that of a language.
#[cfg(feature = "postgres")]
fn as_of_server(statement: &str) -> String {
    statement
        .replace('?', "$")
        .replace(" LIKE ", " ILIKE ")
        .replace("COLLATE BINARY", "COLLATE \"C\"")
}
