//! What stands in the JSON of a run, for programs of tests that read it as others do.

#![allow(dead_code, reason = "each program of tests uses its part")]

use serde_json::{Value, json};

/// What a method makes of a run; null where it has no view of this name.
pub(crate) fn view<'a>(run: &'a Value, name: &str) -> &'a Value {
    let mut views = run["views"].as_array().unwrap().iter();
    views.find(|it| it["view"] == name).unwrap_or(&Value::Null)
}

/// The places of a survey, of all trials of the row that has these figures.
pub(crate) fn places(run: &Value, figures: &Value) -> Vec<Value> {
    let of_trial = |outcome: &Value| {
        let [offsets, bytes, _, elapsed, ..] = &columns(&outcome["places"], 5)[..] else {
            return Vec::new();
        };
        let places = offsets.iter().zip(bytes).zip(elapsed);
        places
            .map(|((offset, bytes), elapsed)| {
                json!({"offset": offset, "bytes": bytes, "elapsed_ns": elapsed})
            })
            .collect()
    };
    outcomes(run, figures).flat_map(of_trial).collect()
}

/// Bytes and I/Os of each interval of the row that has these figures.
pub(crate) fn series(run: &Value, figures: &Value) -> Vec<[i64; 2]> {
    let of_trial = |outcome: &Value| {
        let [_, blocks, ios, rest] = &columns(&outcome["series"], 2)[..] else {
            return Vec::new();
        };
        let points = blocks.iter().zip(ios).zip(rest);
        points
            .map(|((block, ios), rest)| [block * ios + rest, *ios])
            .collect()
    };
    outcomes(run, figures).flat_map(of_trial).collect()
}

fn outcomes<'a>(run: &'a Value, figures: &Value) -> impl Iterator<Item = &'a Value> {
    let all = run["figures"].as_array().unwrap();
    let place = all.iter().position(|it| it == figures).unwrap();
    let trials = run["rows"][place]["trials"].as_array().unwrap();
    trials.iter().map(|trial| &trial["outcome"])
}

/// Columns of numbers, of which the first ones hold how far each is from the one before.
fn columns(written: &Value, stepped: usize) -> Vec<Vec<i64>> {
    let columns = written.as_array().map_or(&[][..], Vec::as_slice).iter();
    let numbers = columns.map(|column| column.as_array().unwrap());
    let numbers = numbers.map(|column| column.iter().map(|it| it.as_i64().unwrap()));
    let read = numbers.enumerate().map(|(place, numbers)| {
        let mut before = 0;
        let number = |number: i64| {
            let base = if place < stepped { before } else { 0 };
            before = base + number;
            before
        };
        numbers.map(number).collect()
    });
    read.collect()
}
