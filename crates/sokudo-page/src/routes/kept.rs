//! Kept runs, and what is made of them.

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::Uri;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path as FilePath;

use crate::measurer::Reply;
use crate::message::Ask;
use crate::page::WebUi;
use crate::query::{DocumentForm, ListFilter, PictureForm, Query};
use crate::reply::{Failure, answered, answered_or_not, done};

use super::input::{Answered, Ui, read, read_query};

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
struct RunPair {
    left: String,
    right: String,
}

#[derive(Deserialize)]
struct TrendWish {
    device: Option<String>,
    /// Whose device it is.
    run: Option<String>,
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

#[derive(Deserialize)]
struct ImportedName {
    name: String,
}

pub(super) async fn disks(State(page): Ui) -> Answered {
    answer(&page, Query::Disks).await
}

pub(super) async fn list(State(page): Ui, uri: Uri) -> Answered {
    let filter: ListFilter = read_query(&uri)?;
    answer(&page, Query::List(filter)).await
}

pub(super) async fn document(State(page): Ui, Path(run): Path<String>) -> Answered {
    let form = DocumentForm::Json;
    let run = number(&run)?;
    answer(&page, Query::Show { run, form }).await
}

pub(super) async fn shown(State(page): Ui, Path((run, form)): Path<(String, String)>) -> Answered {
    let form = serde_json::from_value(Value::String(form)).map_err(|_| Failure::NotFound)?;
    let run = number(&run)?;
    answer(&page, Query::Show { run, form }).await
}

pub(super) async fn picture(State(page): Ui, Path(run): Path<String>, uri: Uri) -> Answered {
    let PictureWish { kind, theme, form } = read_query(&uri)?;
    let query = Query::Picture {
        run: number(&run)?,
        kind,
        theme: theme.unwrap_or_else(|| "light".to_owned()),
        form: form.unwrap_or(PictureForm::Svg),
    };
    answer(&page, query).await
}

pub(super) async fn replay(State(page): Ui, Path(run): Path<String>) -> Answered {
    let run = number(&run)?;
    answer(&page, Query::View { run }).await
}

pub(super) async fn note(State(page): Ui, Path(run): Path<String>, body: Bytes) -> Answered {
    let NoteText { text } = read(&body)?;
    let run = number(&run)?;
    answer(&page, Query::Note { run, text }).await
}

pub(super) async fn tag(State(page): Ui, Path(run): Path<String>, body: Bytes) -> Answered {
    let Tags { add, remove } = read(&body)?;
    let run = number(&run)?;
    answer(&page, Query::Tag { run, add, remove }).await
}

pub(super) async fn import(State(page): Ui, uri: Uri, body: Bytes) -> Answered {
    let ImportedName { name } = read_query(&uri)?;
    let query = Query::Import { name };
    let ask = |id, lang| Ask::Query { id, lang, query };
    Ok(answered(page.measurer.ask_with(body.into(), ask).await?))
}

pub(super) async fn baseline(State(page): Ui, Path(run): Path<String>, body: Bytes) -> Answered {
    let BaselineSet { set } = read(&body)?;
    let run = number(&run)?;
    let query = match set {
        true => Query::BaselineSet { run },
        false => Query::BaselineUnset { run },
    };
    answer(&page, query).await
}

pub(super) async fn baselines(State(page): Ui) -> Answered {
    answer(&page, Query::BaselineList).await
}

pub(super) async fn report(State(page): Ui, uri: Uri) -> Answered {
    let ReportWish { runs } = read_query(&uri)?;
    let runs = runs.split(',').map(number).collect::<Result<_, _>>()?;
    answer(&page, Query::Report { runs }).await
}

pub(super) async fn compare(State(page): Ui, uri: Uri) -> Answered {
    let RunPair { left, right } = read_query(&uri)?;
    let (left, right) = (number(&left)?, number(&right)?);
    answer(&page, Query::Compare { left, right }).await
}

pub(super) async fn trend(State(page): Ui, uri: Uri) -> Answered {
    let TrendWish { device, run, row } = read_query(&uri)?;
    let device = match (device, run) {
        (Some(device), _) => device,
        (None, Some(run)) => match device_of(&page, number(&run)?).await? {
            Ok(device) => device,
            Err(reply) => return Ok(answered(reply)),
        },
        (None, None) => return Err(Failure::NotFound),
    };
    // One run alone has no trend.
    let query = Query::Trend { device, row };
    let reply = ask(&page, query).await?;
    Ok(answered_or_not(reply))
}

/// The device of a run, as its document names it; the answer where there is no such run.
async fn device_of(page: &WebUi, run: i64) -> Result<Result<String, Reply>, Failure> {
    let form = DocumentForm::Json;
    let query = Query::Show { run, form };
    let reply = ask(page, query).await?;
    if !reply.ok {
        return Ok(Err(reply));
    }
    let document: Value = serde_json::from_slice(&reply.bytes).unwrap_or_default();
    device(&document).map(Ok).ok_or(Failure::NotFound)
}

/// The serial number or the model of the first device below the target that has one; the name of
/// a simulated one.
fn device(document: &Value) -> Option<String> {
    let target = &document["target"];
    let devices = target["devices"].as_array().map_or(&[][..], Vec::as_slice);
    let of_devices = |key: &str| devices.iter().find_map(|device| device[key].as_str());
    let found = of_devices("serial").or_else(|| of_devices("model"));
    found.or_else(|| target["name"].as_str()).map(str::to_owned)
}

async fn answer(page: &WebUi, query: Query) -> Answered {
    // What becomes no command line is not asked.
    query.words(FilePath::new("picture.svg"))?;
    let is_change = query.changes();
    let reply = ask(page, query).await?;
    match is_change {
        true => Ok(done(reply)),
        false => Ok(answered(reply)),
    }
}

async fn ask(page: &WebUi, query: Query) -> Result<Reply, Failure> {
    let ask = |id, lang| Ask::Query { id, lang, query };
    Ok(page.measurer.ask(ask).await?)
}

fn number(text: &str) -> Result<i64, Failure> {
    let number: i64 = text.trim().parse().map_err(|_| Failure::NotFound)?;
    // One below zero would be read as an option.
    match number > 0 {
        true => Ok(number),
        false => Err(Failure::NotFound),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_device_is_known_by_its_serial_number_or_else_by_what_there_is() {
        let disk = json!({ "model": "WD40", "serial": "WD-1" });
        let partition = json!({ "model": null, "serial": null });
        for (target, expected) in [
            (
                json!({ "name": "/mnt", "devices": [partition, disk] }),
                Some("WD-1"),
            ),
            (
                json!({ "name": "/mnt", "devices": [{ "model": "WD40" }] }),
                Some("WD40"),
            ),
            (json!({ "name": "sim:ssd", "devices": [] }), Some("sim:ssd")),
            (json!({}), None),
        ] {
            let document = json!({ "target": target });
            assert_eq!(device(&document).as_deref(), expected, "{target}");
        }
    }
}
