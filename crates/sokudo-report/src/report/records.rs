//! Every result of every run as a record, for programs: CSV and JSON lines have
//! the same columns. They are those of the CSV of a run, behind the columns that tell
//! runs apart.
//!
//! Of a scan or a steady drive it is the rows, not the places or rounds: those are in the
//! JSON.

use sokudo_model::HostEnvironment;

use super::{Report, ReportedRun};
use crate::csv::{self, ResultRecord};
use crate::record::{Columns, Field};

/// A result of a run of a report.
struct ReportRecord<'a> {
    reported: &'a ReportedRun,
    line: ResultRecord<'a>,
}

impl ReportRecord<'_> {
    /// Where it was done; of hosts together, that is no one place.
    fn environment(&self) -> Option<&HostEnvironment> {
        let run = &self.reported.run;
        let alone = run.together().is_none().then_some(&run.environment);
        self.line.host.map(|host| &host.environment).or(alone)
    }

    fn host(&self) -> Option<&String> {
        let host = self.line.host.map(|host| &host.name);
        host.or_else(|| self.environment()?.host.as_ref())
    }
}

/// The columns that tell runs apart.
fn of_run<'a>() -> Columns<'a, ReportRecord<'a>> {
    Columns::<ReportRecord<'_>>::none()
        .column("run", |it| it.reported.source.clone())
        .column("device", |it| it.line.target().identity())
        .column("device_name", |it| it.line.target().device_name())
        .column("host", |it| it.host().cloned())
        .column("kernel", |it| it.environment()?.kernel.clone())
        .column("sokudo_version", |it| it.line.run.sokudo_version.clone())
        .column("measured_by", |it| {
            let origin = it.line.run.origin();
            origin.map_or_else(|| "sokudo".to_owned(), |origin| origin.tool.clone())
        })
        .column("tags", |it| it.reported.tags.join(" "))
        .column("note", |it| it.reported.note.clone())
}

/// All columns, in order.
fn columns<'a>() -> Columns<'a, ReportRecord<'a>> {
    of_run().and(csv::columns().within(|it: &ReportRecord<'_>| Some(&it.line)))
}

/// Every result of every run, and of each host of it.
fn records(report: &Report) -> impl Iterator<Item = ReportRecord<'_>> {
    report.runs.iter().flat_map(|reported| {
        let lines = csv::lines(&reported.run).chain(csv::lines_of_hosts(&reported.run));
        lines.map(move |line| ReportRecord { reported, line })
    })
}

pub(super) fn csv(report: &Report) -> String {
    columns().fitting_csv(records(report), without_formula)
}

/// A text that no spreadsheet takes for a formula, by a leading apostrophe, as OWASP
/// advises ("CSV Injection"). Numbers stay as they are.
fn without_formula(field: Field) -> Field {
    match field {
        Field::Text(text)
            if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) =>
        {
            Field::Text(format!("'{text}"))
        }
        other => other,
    }
}

pub(super) fn json_lines(report: &Report) -> String {
    columns().json_lines(records(report))
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use serde_json::Value;

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
    fn a_host_has_lines_under_its_name_and_all_together_under_none() {
        let mut report = sample::report();
        report.runs[0].run = crate::RunDocument::from_run(&crate::sample::together_run());
        let text = report.json_lines();
        let hosts: Vec<String> = text
            .lines()
            .take(9)
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["host"].to_string())
            .collect();
        let names = ["\"n01\"", "\"n02\"", "\"n03\""];
        let expected = [&["null"; 2][..], &names, &names, &["\"bench\""]].concat();
        assert_eq!(hosts, expected);
    }

    #[test]
    fn a_line_of_csv_and_one_of_json_agree() {
        let report = sample::report();
        let text = report.csv();
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
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
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
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
