//! Runs as drafts of the format had them: each kind of work, and each way to check blocks, was a
//! field of a workload.

use serde_json::{Map, Value, json};
use sokudo_model::{Files, Run};

/// The run of a text that is none of today's; `None` of one that is no draft either.
pub(super) fn run_of(json: &str) -> Option<Run> {
    let mut run = serde_json::from_str(json).ok()?;
    rewrite(&mut run);
    serde_json::from_value(run).ok()
}

/// Puts every workload in a value into today's form.
fn rewrite(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if fields.contains_key("operations") && fields.contains_key("limits") {
                rewrite_workload(fields);
            }
            fields.values_mut().for_each(rewrite);
        }
        Value::Array(values) => values.iter_mut().for_each(rewrite),
        _ => (),
    }
}

fn rewrite_workload(fields: &mut Map<String, Value>) {
    let mut take = |name: &str| fields.remove(name).filter(|value| !value.is_null());
    let mut survey = take("survey");
    let seal = survey
        .as_mut()
        .and_then(|survey| survey.as_object_mut()?.remove("sealed"));
    let seal = seal.filter(|seal| !seal.is_null());
    let work = [
        survey.map(|survey| json!({"survey": survey})),
        take("tree").map(|tree| json!({"tree": tree})),
        take("rewritten_percent").map(|percent| json!({"rewriting": {"percent": percent}})),
    ];
    let is_capacity = take("checks_capacity") == Some(true.into());
    let verify = [
        seal.map(|number| json!({"seals": number})),
        is_capacity.then(|| "capacity".into()),
        take("verify").map(|check| json!({"writes": check})),
    ];
    let from_empty = take("from_empty");
    let found = [("work", work), ("verify", verify)].into_iter();
    let found =
        found.filter_map(|(name, all)| Some((name.to_owned(), all.into_iter().flatten().next()?)));
    fields.extend(found);
    if let Some(from_empty) = from_empty {
        let files = fields.entry("files");
        let files = files.or_insert_with(|| json!(Files::default()));
        files["from_empty"] = from_empty;
    }
}
