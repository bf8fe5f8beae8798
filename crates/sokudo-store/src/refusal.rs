//! What a database says, as the refusal of a store.

use std::time::Duration;

use rusqlite::ErrorCode;
use sokudo_words::{Text, text};

use crate::StoreError;

/// Why a statement fails.
pub(crate) enum SqlError {
    File(rusqlite::Error),
    #[cfg(feature = "postgres")]
    Server(postgres::Error),
    /// What is kept there cannot be.
    Damaged(Text),
}

impl From<rusqlite::Error> for SqlError {
    fn from(error: rusqlite::Error) -> Self {
        Self::File(error)
    }
}

#[cfg(feature = "postgres")]
impl From<postgres::Error> for SqlError {
    fn from(error: postgres::Error) -> Self {
        Self::Server(error)
    }
}

/// Whose refusals they are.
#[derive(Clone, Debug)]
pub(crate) struct Refusals {
    /// What the store is called in messages: without a password.
    pub(crate) store: Text,
    /// How long another sokudo that writes into a file is waited for.
    pub(crate) patience: Duration,
}

impl Refusals {
    pub(crate) fn of(&self, error: impl Into<SqlError>) -> StoreError {
        match error.into() {
            SqlError::File(error) => self.of_file(&error),
            #[cfg(feature = "postgres")]
            SqlError::Server(error) => self.of_server(&error),
            SqlError::Damaged(reason) => StoreError::Damaged {
                store: self.store.clone(),
                reason,
            },
        }
    }

    fn of_file(&self, error: &rusqlite::Error) -> StoreError {
        let store = self.store.clone();
        let text = match error {
            // Its own text repeats all of the statement.
            rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
            error => error.to_string(),
        };
        let reason = match error.sqlite_error_code() {
            // Without a code, a value is of another type or range than we write.
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt | ErrorCode::Unknown)
            | None => {
                return StoreError::Damaged {
                    store,
                    reason: Text::name(text),
                };
            }
            Some(ErrorCode::DatabaseBusy) => {
                let seconds = self.patience.as_secs_f64();
                let reason = text!("another program has been writing to it for {seconds} s");
                return StoreError::Silent { store, reason };
            }
            Some(ErrorCode::ReadOnly) => "this user may only read it".into(),
            Some(ErrorCode::DiskFull) => "its disk is full".into(),
            Some(ErrorCode::CannotOpen) => {
                "no journal can be written in its folder (no right to write, or no room)".into()
            }
            _ => Text::name(text),
        };
        StoreError::Database { store, reason }
    }

    #[cfg(feature = "postgres")]
    fn of_server(&self, error: &postgres::Error) -> StoreError {
        let cause = std::error::Error::source(error);
        // What our own connector says is said in full.
        let ours = cause
            .and_then(|cause| cause.downcast_ref::<std::io::Error>())
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
        let store = self.store.clone();
        match ours.is_some_and(|ours| ours.kind() == std::io::ErrorKind::TimedOut) {
            true => StoreError::Silent { store, reason },
            false => StoreError::Database { store, reason },
        }
    }
}
