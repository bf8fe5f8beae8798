//! Every result of every run as a record, for programs: CSV, JSON lines and Parquet write
//! the same columns. They are those of the CSV of a run, behind the columns that tell
//! runs apart.
//!
//! Of a scan or a steady drive it is the rows, not the places or rounds: those are in the
//! JSON.

use serde_json::{Map, Number, Value};

use super::{Report, ReportedRun};
use crate::csv::COLUMNS;
use crate::document::ResultDocument;

/// What the fields of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Whole,
    Real,
    Truth,
}

/// A column that tells runs apart: its name and its field.
type Leading = (&'static str, fn(&ReportedRun) -> String);

const LEADING: [Leading; 9] = [
    ("run", |reported| reported.source.clone()),
    ("device", |reported| reported.run.target.identity()),
    ("device_name", |reported| reported.run.target.device_name()),
    ("host", |reported| {
        reported.run.environment.host.clone().unwrap_or_default()
    }),
    ("kernel", |reported| {
        reported.run.environment.kernel.clone().unwrap_or_default()
    }),
    ("sokudo_version", |reported| {
        reported.run.sokudo_version.clone()
    }),
    ("measured_by", |reported| {
        let origin = reported.run.origin.as_ref();
        origin.map_or_else(|| "sokudo".to_owned(), |origin| origin.tool.clone())
    }),
    ("tags", |reported| reported.tags.join(" ")),
    ("note", |reported| reported.note.clone()),
];

/// Columns whose fields are words.
const TEXTS: [&str; 11] = [
    "started_at",
    "target",
    "method",
    "name",
    "direction",
    "verdict",
    "status",
    "backend",
    "findings",
    "fingerprint",
    "note",
];

/// Names of all columns with what their fields are, in order.
pub(super) fn columns() -> Vec<(&'static str, Kind)> {
    let leading = LEADING.iter().map(|(name, _)| (*name, Kind::Text));
    let figures = COLUMNS.iter().map(|(name, _)| (*name, kind(name)));
    leading.chain(figures).collect()
}

fn kind(name: &str) -> Kind {
    let is_real = name.ends_with("_per_s")
        || name.starts_with("iops_")
        || name.contains("_mean_")
        || name.contains("_stdev_")
        || name == "depth_achieved";
    match name {
        name if TEXTS.contains(&name) => Kind::Text,
        "direct" => Kind::Truth,
        _ if is_real => Kind::Real,
        _ => Kind::Whole,
    }
}

/// The fields of every result of every run; an empty one is missing.
pub(super) fn records(report: &Report) -> impl Iterator<Item = Vec<String>> {
    report.runs.iter().flat_map(|reported| {
        let results = reported.run.results.iter();
        results.map(move |result| record(reported, result))
    })
}

fn record(reported: &ReportedRun, result: &ResultDocument) -> Vec<String> {
    let leading = LEADING.iter().map(|(_, field)| field(reported));
    let figures = COLUMNS
        .iter()
        .map(|(_, field)| field(&reported.run, result));
    leading.chain(figures).collect()
}

pub(super) fn csv(report: &Report) -> String {
    let columns = columns();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |line: Vec<String>| {
        writer
            .write_record(&line)
            .expect("every line has as many fields and goes to memory");
    };
    write(columns.iter().map(|(name, _)| (*name).to_owned()).collect());
    for record in records(report) {
        let fields = columns.iter().zip(record);
        write(
            fields
                .map(|((_, kind), field)| match kind {
                    Kind::Text => without_formula(field),
                    Kind::Whole | Kind::Real | Kind::Truth => field,
                })
                .collect(),
        );
    }
    let bytes = writer.into_inner().expect("memory can be flushed");
    String::from_utf8(bytes).expect("all fields are text")
}

/// A text that no spreadsheet takes for a formula, by a leading apostrophe, as OWASP
/// advises ("CSV Injection"). Numbers stay as they are.
fn without_formula(field: String) -> String {
    match field.chars().next() {
        Some('=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠') => {
            format!("'{field}")
        }
        _ => field,
    }
}

pub(super) fn json_lines(report: &Report) -> String {
    let columns = columns();
    let mut text = String::new();
    for record in records(report) {
        let fields = columns.iter().zip(record);
        let object: Map<String, Value> = fields
            .map(|((name, kind), field)| ((*name).to_owned(), value(*kind, field)))
            .collect();
        text += &Value::Object(object).to_string();
        text.push('\n');
    }
    text
}

/// What is missing is null, not 0 and not an empty text.
fn value(kind: Kind, field: String) -> Value {
    if field.is_empty() {
        return Value::Null;
    }
    match kind {
        Kind::Text => Value::String(field),
        Kind::Truth => field.parse().map_or(Value::Null, Value::Bool),
        Kind::Whole => field.parse::<u64>().map_or(Value::Null, Value::from),
        Kind::Real => {
            let number = field.parse().ok().and_then(Number::from_f64);
            number.map_or(Value::Null, Value::Number)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn every_field_is_what_its_column_says() {
        for record in records(&sample::report()) {
            for ((name, kind), field) in columns().into_iter().zip(record) {
                let is_missing = field.is_empty();
                let value = value(kind, field.clone());
                assert_eq!(value.is_null(), is_missing, "{name}: {field:?}");
            }
        }
    }

    #[test]
    fn lines_of_json_hold_every_result_of_every_run() {
        let report = sample::report();
        let text = report.json_lines();
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let results = report
            .runs
            .iter()
            .map(|reported| reported.run.results.len());
        assert_eq!(lines.len(), results.sum::<usize>());
        let first = &report.runs[0].run.results[0];
        let median = first
            .bandwidth_bytes_per_s
            .as_ref()
            .unwrap()
            .bytes_per_s
            .median;
        assert_eq!(
            lines[0]["bandwidth_median_bytes_per_s"].as_f64(),
            Some(median)
        );
        assert_eq!(lines[0]["tags"], "nvme desk");
        let last = &lines[lines.len() - 1];
        assert!(
            last["verdict"].is_null() && last["iops_median"].is_null(),
            "{last}"
        );
        assert_eq!(last["run"], "troubled.json");
    }

    #[test]
    fn a_line_of_csv_and_one_of_json_agree() {
        let report = sample::report();
        let text = report.csv();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let names = reader.headers().unwrap().clone();
        for (line, json) in reader.records().zip(report.json_lines().lines()) {
            let json: Value = serde_json::from_str(json).unwrap();
            for (name, field) in names.iter().zip(&line.unwrap()) {
                let text = match &json[name] {
                    Value::Null => String::new(),
                    Value::String(text) => text.clone(),
                    Value::Number(number) if number.is_f64() => {
                        assert_eq!(field.parse::<f64>().ok(), number.as_f64(), "{name}");
                        continue;
                    }
                    other => other.to_string(),
                };
                assert_eq!(field, text, "{name}");
            }
        }
    }

    #[test]
    fn a_spreadsheet_finds_no_formula() {
        let mut report = sample::report();
        report.runs[0].note = "=HYPERLINK(\"http://example.org\")".into();
        report.runs[0].run.results[0].name = "@SUM(A1)".into();
        report.runs[0].run.target.name = "\t=1+1".into();
        report.runs[0].run.target.path = None;
        let text = report.csv();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        for line in reader.records() {
            for field in &line.unwrap() {
                let is_number = field.parse::<f64>().is_ok();
                let first = field.chars().next().unwrap_or(' ');
                assert!(is_number || !"=+-@\t\r\n".contains(first), "{field}");
            }
        }
        // Programs get it as it is.
        assert!(report.json_lines().contains("\"=HYPERLINK"));
    }
}
