//! Kept runs, and what is made of them.

use std::path::Path as FilePath;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::Uri;
use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;

use crate::measurer::Reply;
use crate::message::Ask;
use crate::page::Page;
use crate::query::{DocumentForm, ListFilter, PictureForm, Query};
use crate::reply::{Failure, answered};

use super::input::{asked, read};

type Answered = Result<Response, Failure>;

/// In words that `?` can have: all values are texts.
#[derive(Deserialize)]
struct PictureWish {
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    theme: Option<String>,
    #[serde(default, rename = "as")]
    form: Option<PictureForm>,
}

#[derive(Deserialize)]
struct ReportWish {
    /// Numbers with commas between them.
    runs: String,
}

#[derive(Deserialize)]
struct Pair {
    left: i64,
    right: i64,
}

#[derive(Deserialize)]
struct TrendWish {
    device: Option<String>,
    /// Whose device it is.
    run: Option<i64>,
    row: Option<String>,
}

#[derive(Deserialize)]
struct NoteText {
    text: String,
}

#[derive(Deserialize)]
struct Tags {
    #[serde(default)]
    add: Vec<String>,
    #[serde(default)]
    remove: Vec<String>,
}

#[derive(Deserialize)]
struct BaselineSet {
    set: bool,
}

pub(super) async fn disks(State(page): State<Arc<Page>>) -> Answered {
    answer(&page, Query::Disks).await
}

pub(super) async fn list(State(page): State<Arc<Page>>, uri: Uri) -> Answered {
    let filter: ListFilter = asked(&uri)?;
    answer(&page, Query::List(filter)).await
}

pub(super) async fn document(State(page): State<Arc<Page>>, Path(run): Path<String>) -> Answered {
    let form = DocumentForm::Json;
    let run = number(&run)?;
    answer(&page, Query::Show { run, form }).await
}

pub(super) async fn shown(
    State(page): State<Arc<Page>>,
    Path((run, form)): Path<(String, String)>,
) -> Answered {
    let form = serde_json::from_value(Value::String(form)).map_err(|_| Failure::NotFound)?;
    let run = number(&run)?;
    answer(&page, Query::Show { run, form }).await
}

pub(super) async fn picture(
    State(page): State<Arc<Page>>,
    Path(run): Path<String>,
    uri: Uri,
) -> Answered {
    let PictureWish { kind, theme, form } = asked(&uri)?;
    let query = Query::Picture {
        run: number(&run)?,
        kind,
        theme: theme.unwrap_or_else(|| "light".to_owned()),
        form: form.unwrap_or(PictureForm::Svg),
    };
    answer(&page, query).await
}

pub(super) async fn replay(State(page): State<Arc<Page>>, Path(run): Path<String>) -> Answered {
    let run = number(&run)?;
    answer(&page, Query::View { run }).await
}

pub(super) async fn note(
    State(page): State<Arc<Page>>,
    Path(run): Path<String>,
    body: Bytes,
) -> Answered {
    let NoteText { text } = read(&body)?;
    let run = number(&run)?;
    answer(&page, Query::Note { run, text }).await
}

pub(super) async fn tag(
    State(page): State<Arc<Page>>,
    Path(run): Path<String>,
    body: Bytes,
) -> Answered {
    let Tags { add, remove } = read(&body)?;
    let run = number(&run)?;
    answer(&page, Query::Tag { run, add, remove }).await
}

pub(super) async fn baseline(
    State(page): State<Arc<Page>>,
    Path(run): Path<String>,
    body: Bytes,
) -> Answered {
    let BaselineSet { set } = read(&body)?;
    let run = number(&run)?;
    let query = match set {
        true => Query::BaselineSet { run },
        false => Query::BaselineUnset { run },
    };
    answer(&page, query).await
}

pub(super) async fn baselines(State(page): State<Arc<Page>>) -> Answered {
    answer(&page, Query::BaselineList).await
}

pub(super) async fn report(State(page): State<Arc<Page>>, uri: Uri) -> Answered {
    let ReportWish { runs } = asked(&uri)?;
    let runs = runs.split(',').map(number).collect::<Result<_, _>>()?;
    answer(&page, Query::Report { runs }).await
}

pub(super) async fn compare(State(page): State<Arc<Page>>, uri: Uri) -> Answered {
    let Pair { left, right } = asked(&uri)?;
    answer(&page, Query::Compare { left, right }).await
}

pub(super) async fn trend(State(page): State<Arc<Page>>, uri: Uri) -> Answered {
    let TrendWish { device, run, row } = asked(&uri)?;
    let device = match (device, run) {
        (Some(device), _) => device,
        (None, Some(run)) => match device_of(&page, run).await? {
            Ok(device) => device,
            Err(reply) => return Ok(answered(reply)),
        },
        (None, None) => return Err(Failure::NotFound),
    };
    answer(&page, Query::Trend { device, row }).await
}

/// The device of a run, as its document names it; the answer where there is no such run.
async fn device_of(page: &Page, run: i64) -> Result<Result<String, Reply>, Failure> {
    let form = DocumentForm::Json;
    let query = Query::Show { run, form };
    let reply = page.measurer.ask(|id| Ask::Query { id, query }).await?;
    if !reply.ok {
        return Ok(Err(reply));
    }
    let document: Value = serde_json::from_slice(&reply.bytes).unwrap_or_default();
    device(&document).map(Ok).ok_or(Failure::NotFound)
}

/// The serial number, or the model, of the first disk below the target.
fn device(document: &Value) -> Option<String> {
    let target = document.get("targets").and_then(|targets| targets.get(0));
    let target = target.or_else(|| document.get("target"))?;
    let texts = ["/device/serial", "/device/model", "/name"];
    let found = texts.iter().find_map(|path| target.pointer(path)?.as_str());
    found.map(str::to_owned)
}

async fn answer(page: &Page, query: Query) -> Answered {
    // What becomes no command line is not asked.
    query.words(FilePath::new("picture.svg"))?;
    let reply = page.measurer.ask(|id| Ask::Query { id, query }).await?;
    Ok(answered(reply))
}

fn number(text: &str) -> Result<i64, Failure> {
    text.trim().parse().map_err(|_| Failure::NotFound)
}
