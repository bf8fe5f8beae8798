//! What can be measured, and having it measured.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde::Deserialize;
use serde_json::json;
use std::path::Path;
use std::time::Duration;

use crate::access::Refusal;
use crate::folders::{self, FolderError};
use crate::keys::Session;
use crate::measurer::Unanswered;
use crate::message::Ask;
use crate::page::WebUi;
use crate::reply::{Failure, answered, answered_or_not, json_of};
use crate::wish::Wish;

use super::input::{Answered, Ui, read, read_query};

/// A directory on a server that is away is waited for no longer.
const FOLDER_TIME: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
struct Wished {
    wish: Wish,
}

#[derive(Deserialize)]
struct OneRun {
    run: u64,
}

#[derive(Deserialize)]
struct MovedRun {
    run: u64,
    to: usize,
}

#[derive(Deserialize)]
struct FolderPath {
    /// Without it, where its user is at home.
    path: Option<String>,
}

pub(super) async fn methods(State(page): Ui) -> Response {
    let list = page.methods();
    json_of(&json!({ "methods": list.forms, "names": list.names, "remedies": list.remedies }))
}

/// Only for who may start a run: the names of directories tell of their owner.
pub(super) async fn folders(Extension(session): Extension<Session>, uri: Uri) -> Answered {
    if session.is_read_only {
        return Err(Refusal::ReadOnly.into());
    }
    let FolderPath { path } = read_query(&uri)?;
    let path = path.unwrap_or_else(folders::home);
    let shown = path.clone();
    let listed = tokio::task::spawn_blocking(move || folders::list(&path));
    match tokio::time::timeout(FOLDER_TIME, listed).await {
        Ok(Ok(listed)) => Ok(json_of(&listed?)),
        Ok(Err(_)) => Err(Unanswered::Busy.into()),
        Err(_) => Err(FolderError::late(&shown).into()),
    }
}

pub(super) async fn plan(State(page): Ui, body: Bytes) -> Answered {
    let wish = match checked(&page, &body) {
        Err(Failure::Wish(why)) => return Ok(json_of(&json!({ "error": why.to_string() }))),
        wish => wish?,
    };
    let reply = page
        .measurer
        .ask(|id, lang| Ask::Plan { id, lang, wish })
        .await?;
    Ok(answered_or_not(reply))
}

pub(super) async fn start(State(page): Ui, body: Bytes) -> Answered {
    let wish = checked(&page, &body)?;
    let reply = page
        .measurer
        .ask(|id, lang| Ask::Start { id, lang, wish })
        .await?;
    Ok(answered(reply))
}

pub(super) async fn stop(State(page): Ui, body: Bytes) -> Answered {
    let OneRun { run } = read(&body)?;
    let reply = page.measurer.ask(|id, _| Ask::Stop { id, run }).await?;
    if reply.ok {
        page.stopping(run);
    }
    Ok(answered(reply))
}

pub(super) async fn drop_run(State(page): Ui, body: Bytes) -> Answered {
    let OneRun { run } = read(&body)?;
    let reply = page.measurer.ask(|id, _| Ask::Drop { id, run }).await?;
    Ok(answered(reply))
}

pub(super) async fn move_run(State(page): Ui, body: Bytes) -> Answered {
    let MovedRun { run, to } = read(&body)?;
    let reply = page.measurer.ask(|id, _| Ask::Move { id, run, to }).await?;
    Ok(answered(reply))
}

/// A wish that is one: the measurer looks again, and asks for nothing of what is none.
fn checked(page: &WebUi, body: &[u8]) -> Result<Wish, Failure> {
    let Wished { wish } = read(body)?;
    wish.words(wish.form(&page.methods().forms)?, Path::new("job.fio"))?;
    Ok(wish)
}
