//! What both kinds of database are asked through.
//!
//! Statements are written as SQLite reads them, with numbered place marks (`?1`).

use std::borrow::Cow;
#[cfg(feature = "postgres")]
use std::collections::HashMap;

use rusqlite::Connection;
use sokudo_words::Text;

use crate::StoreError;
use crate::dialect::{self, Dialect};
use crate::refusal::{Refusals, SqlError};

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
pub(crate) enum Row<'a> {
    File(&'a rusqlite::Row<'a>),
    #[cfg(feature = "postgres")]
    Server(&'a postgres::Row),
}

impl Row<'_> {
    pub(crate) fn get<T: Column>(&self, column: usize) -> Result<T, SqlError> {
        match self {
            Self::File(row) => Ok(row.get(column)?),
            #[cfg(feature = "postgres")]
            Self::Server(row) => Ok(row.try_get(column)?),
        }
    }
}

/// Work in a database that is done as a whole or not at all.
pub(crate) enum Session<'a> {
    File {
        connection: &'a Connection,
        refusals: &'a Refusals,
    },
    #[cfg(feature = "postgres")]
    Server {
        transaction: postgres::Transaction<'a>,
        prepared: HashMap<String, postgres::Statement>,
        refusals: &'a Refusals,
    },
}

impl Session<'_> {
    pub(crate) fn dialect(&self) -> &'static Dialect {
        match self {
            Self::File { .. } => &dialect::FILE,
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
        read: impl Fn(&Row<'_>) -> Result<T, SqlError>,
    ) -> Result<Vec<T>, StoreError> {
        match self {
            Self::File {
                connection,
                refusals,
            } => {
                let query = || {
                    let mut prepared = connection.prepare_cached(statement)?;
                    let mut rows = prepared.query(&*of_file(values))?;
                    let mut found = Vec::new();
                    while let Some(row) = rows.next()? {
                        found.push(read(&Row::File(row))?);
                    }
                    Ok(found)
                };
                query().map_err(|error: SqlError| refusals.of(error))
            }
            #[cfg(feature = "postgres")]
            Self::Server {
                transaction,
                prepared,
                refusals,
            } => {
                let mut query = || {
                    let statement = as_prepared(transaction, prepared, statement)?;
                    let found = transaction.query(&statement, &of_server(values))?;
                    found
                        .iter()
                        .map(|row| read(&Row::Server(row)))
                        .collect::<Result<_, _>>()
                };
                query().map_err(|error: SqlError| refusals.of(error))
            }
        }
    }

    pub(crate) fn execute(
        &mut self,
        statement: &str,
        values: &[&dyn Parameter],
    ) -> Result<(), StoreError> {
        self.query(statement, values, |_| Ok(())).map(drop)
    }

    /// A refusal for what stands there and cannot be.
    pub(crate) fn damaged(&self, reason: Text) -> StoreError {
        match self {
            Self::File { refusals, .. } => refusals.of(SqlError::Damaged(reason)),
            #[cfg(feature = "postgres")]
            Self::Server { refusals, .. } => refusals.of(SqlError::Damaged(reason)),
        }
    }
}

fn of_file<'a>(values: &[&'a dyn Parameter]) -> Vec<&'a dyn rusqlite::ToSql> {
    let value = |value: &&'a dyn Parameter| *value as &dyn rusqlite::ToSql;
    values.iter().map(value).collect()
}

#[cfg(feature = "postgres")]
fn of_server<'a>(values: &[&'a dyn Parameter]) -> Vec<&'a (dyn postgres::types::ToSql + Sync)> {
    let value = |value: &&'a dyn Parameter| *value as &(dyn postgres::types::ToSql + Sync);
    values.iter().map(value).collect()
}

/// A statement in PostgreSQL's words, whose `LIKE` tells large letters from small ones and
/// whose order of texts is that of a language.
#[cfg(feature = "postgres")]
fn as_prepared(
    transaction: &mut postgres::Transaction<'_>,
    prepared: &mut HashMap<String, postgres::Statement>,
    statement: &str,
) -> Result<postgres::Statement, postgres::Error> {
    if let Some(known) = prepared.get(statement) {
        return Ok(known.clone());
    }
    let translated = statement
        .replace('?', "$")
        .replace(" LIKE ", " ILIKE ")
        .replace("COLLATE BINARY", "COLLATE \"C\"");
    let new = transaction.prepare(&translated)?;
    prepared.insert(statement.to_owned(), new.clone());
    Ok(new)
}
