//! Signing in and out.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;

use crate::access::Refusal;
use crate::keys::Session;
use crate::page::{WebUi, random};
use crate::reply::{Failure, json_of};

/// What is shown at the door.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Shown {
    Token(String),
    Code(String),
}

pub(super) async fn enter(
    State(page): State<Arc<WebUi>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Failure> {
    // The reason would quote what was shown.
    let shown = serde_json::from_slice(&body).map_err(|_| Refusal::WrongKey)?;
    let random = random().map_err(|error| Failure::Malformed {
        reason: error.to_string(),
    })?;
    let cookie = page.keys(|keys, now| {
        let session = match &shown {
            Shown::Token(token) => keys.of_token(token),
            Shown::Code(code) => keys.of_code(code, now),
        };
        session.map(|session| keys.begin(session, random))
    });
    let cookie = cookie.ok_or(Refusal::WrongKey)?;
    Ok(with_cookie(&page, &headers, &cookie, ""))
}

pub(super) async fn leave(State(page): State<Arc<WebUi>>, headers: HeaderMap) -> Response {
    if let Some((cookie, _)) = page.session(&headers) {
        page.keys(|keys, _| keys.end(&cookie));
    }
    with_cookie(&page, &headers, "", "; Max-Age=0")
}

pub(super) async fn session(Extension(session): Extension<Session>) -> Response {
    json_of(&json!({ "read_only": session.is_read_only }))
}

fn with_cookie(page: &WebUi, headers: &HeaderMap, cookie: &str, more: &str) -> Response {
    let name = page.access.cookie_name();
    let secure = match page.access.is_secure(headers) {
        true => "; Secure",
        false => "",
    };
    let line = format!("{name}={cookie}; HttpOnly; SameSite=Strict; Path=/{secure}{more}");
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Ok(mut line) = HeaderValue::try_from(line) {
        line.set_sensitive(true);
        response.headers_mut().insert(header::SET_COOKIE, line);
    }
    response
}
