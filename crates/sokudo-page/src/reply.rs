//! What is sent back: JSON, documents to take away, and what is wrong, in one line.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::json;
use sokudo_words::Error;

use crate::access::Refusal;
use crate::folders::FolderError;
use crate::measurer::{Reply, Unanswered};
use crate::query::QueryError;
use crate::wish::WishError;

/// Documents are looked at in the page or saved; opened alone they can do nothing.
const SANDBOX: HeaderValue = HeaderValue::from_static(
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'",
);

/// Media types that an answer may have.
const KINDS: [(&str, &str); 7] = [
    ("text/plain", "text/plain; charset=utf-8"),
    ("text/csv", "text/csv; charset=utf-8"),
    ("text/markdown", "text/markdown; charset=utf-8"),
    ("text/html", "text/html; charset=utf-8"),
    ("image/svg+xml", "image/svg+xml"),
    ("image/png", "image/png"),
    ("application/json", JSON),
];
const JSON: &str = "application/json";

#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Wish(#[from] WishError),
    #[error(transparent)]
    Query(#[from] QueryError),
    #[error(transparent)]
    Unanswered(#[from] Unanswered),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("the request is not what the page sends: {reason}; reload the page")]
    Malformed { reason: String },
    #[error("there is no such page or file; go back to the first page")]
    NotFound,
    #[error("the request is longer than {mib_max} MiB; send less at once")]
    TooLarge { mib_max: usize },
    #[error("the request took too long to arrive; send it again")]
    Slow,
    #[error("the answer took too long; try again when the run is over")]
    TimedOut,
    #[error("too many windows show the page; close one, and reload this")]
    TooMany,
}

impl Failure {
    const fn status(&self) -> StatusCode {
        match self {
            Self::Refused(refusal) => refusal.status(),
            Self::Wish(_) | Self::Query(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Unanswered(_) | Self::TimedOut | Self::TooMany => StatusCode::SERVICE_UNAVAILABLE,
            Self::Folder(error) => error.status(),
            Self::Malformed { .. } => StatusCode::BAD_REQUEST,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Slow => StatusCode::REQUEST_TIMEOUT,
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = self.status();
        let mut response = json_of(&json!({ "error": self.to_string() }));
        *response.status_mut() = status;
        response
    }
}

/// What the measurer answers, as it is.
pub(crate) fn answered(reply: Reply) -> Response {
    let (name, _) = reply.kind.split_once(';').unwrap_or((&reply.kind, ""));
    let known = KINDS.iter().find(|(kind, _)| *kind == name.trim());
    let kind = known.map_or("application/octet-stream", |(_, kind)| *kind);
    if !reply.ok {
        return refused(reply);
    }
    let mut response = typed(kind, Body::from(reply.bytes));
    if kind != JSON {
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_SECURITY_POLICY, SANDBOX);
        let name = reply.name.unwrap_or_else(|| "sokudo".to_owned());
        headers.insert(header::CONTENT_DISPOSITION, attachment(&name));
    }
    response
}

/// The answer to what may be asked of anything, so that a no is one as well, and no failure that a
/// browser would note.
pub(crate) fn answered_or_not(reply: Reply) -> Response {
    let is_no = !reply.ok;
    let mut response = answered(reply);
    if is_no {
        *response.status_mut() = StatusCode::OK;
    }
    response
}

/// That it is done, or why not: what a command prints on the way is for its terminal.
pub(crate) fn done(reply: Reply) -> Response {
    match reply.ok {
        true => StatusCode::NO_CONTENT.into_response(),
        false => refused(reply),
    }
}

/// The measurer's no, with its reason.
fn refused(reply: Reply) -> Response {
    let is_json = serde_json::from_slice::<serde_json::Value>(&reply.bytes)
        .is_ok_and(|value| value["error"].is_string());
    let mut response = match is_json {
        true => typed(JSON, Body::from(reply.bytes)),
        false => json_of(&json!({ "error": String::from_utf8_lossy(&reply.bytes).trim() })),
    };
    *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    response
}

pub(crate) fn json_of(value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => typed(JSON, Body::from(bytes)),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

pub(crate) fn typed(kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    let kind = HeaderValue::from_static(kind);
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// A file name with nothing in it that a header or a file system could take for its own.
fn attachment(name: &str) -> HeaderValue {
    const CHARACTERS_MAX: usize = 100;
    let plain = |sign: char| match sign {
        sign if sign.is_ascii_alphanumeric() || "-_.".contains(sign) => sign,
        _ => '_',
    };
    let name: String = name.chars().take(CHARACTERS_MAX).map(plain).collect();
    let name = name.trim_start_matches('.');
    let value = HeaderValue::try_from(format!("attachment; filename=\"{name}\""));
    value.unwrap_or_else(|_| HeaderValue::from_static("attachment"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_is_only_a_name() {
        for (name, expected) in [
            ("sokudo 12.csv", "sokudo_12.csv"),
            ("a\"; filename=b\r\nX: y", "a___filename_b__X__y"),
            ("../../.profile", "_.._.profile"),
            ("<script>.html", "_script_.html"),
        ] {
            let expected = format!("attachment; filename=\"{expected}\"");
            assert_eq!(attachment(name), expected, "{name}");
        }
    }
}
