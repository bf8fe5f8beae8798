//! What a request says, read.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::Uri;
use axum::response::Response;
use serde::de::DeserializeOwned;

use crate::page::WebUi;
use crate::reply::Failure;

/// Of whom everything is asked.
pub(super) type Ui = State<Arc<WebUi>>;

pub(super) type Answered = Result<Response, Failure>;

/// What a body says.
pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(body).map_err(|error| Failure::Malformed {
        reason: error.to_string(),
    })
}

/// What the part of an address behind `?` says.
pub(super) fn read_query<T: DeserializeOwned>(uri: &Uri) -> Result<T, Failure> {
    Query::try_from_uri(uri)
        .map(|query| query.0)
        .map_err(|error| Failure::Malformed {
            reason: error.body_text(),
        })
}
