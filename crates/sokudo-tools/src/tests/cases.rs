//! Texts from the field, each against what it must give: `cases.txt`, typed by hand from
//! the texts themselves.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use sokudo_model::{ImportedRow, ImportedRun, PlanPart};

use super::*;

/// What must be so of each file: rows in their order, `says` words that are told, `lacks`
/// words that are not, and `refused` words of the error.
const EXPECTED: &str = include_str!("cases.txt");

#[test]
fn texts_from_the_field_give_what_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/cases");
    let expected = expected();
    let entries = fs::read_dir(&folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    assert_eq!(names, expected.keys().copied().collect::<Vec<_>>());
    let mut wrong = String::new();
    for (name, lines) in expected {
        let bytes = fs::read(folder.join(name)).unwrap();
        let (rows, text) = match read(name, &bytes[..]) {
            Ok(import) => (rows_of(&import), reported_by(&import)),
            Err(error) => (Vec::new(), format!("refused {error}")),
        };
        let wanted: Vec<&str> = lines
            .iter()
            .filter_map(|it| it.strip_prefix("row "))
            .collect();
        if rows != wanted {
            writeln!(
                wrong,
                "{name}:\n  is  {}\n  not {}",
                rows.join("\n      "),
                wanted.join("\n      ")
            )
            .unwrap();
        }
        for line in lines {
            let (kind, words) = line.split_once(' ').unwrap();
            let is_right = match kind {
                "row" => true,
                "says" => text.contains(words),
                "lacks" => !text.contains(words),
                "refused" => text.starts_with("refused ") && text.contains(words),
                _ => panic!("{name}: {line}"),
            };
            if !is_right {
                writeln!(wrong, "{name}: {line}\n  told: {text}").unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The lines of each file.
fn expected() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut file = "";
    for line in EXPECTED
        .lines()
        .filter(|it| !it.is_empty() && !it.starts_with('#'))
    {
        match line.strip_prefix("  ") {
            Some(line) => files.get_mut(file).unwrap().push(line),
            None => {
                file = line;
                assert!(files.insert(file, Vec::new()).is_none(), "{file} twice");
            }
        }
    }
    files
}

/// `tool target: row direction, MB/s, IOPS, latencies in us, kind, what is not known`.
fn rows_of(import: &Import) -> Vec<String> {
    let of_run = |run: &ImportedRun| -> Vec<String> {
        let rows = run.rows.iter();
        rows.map(|row| {
            format!(
                "{} {}: {}",
                run.origin.measurer(),
                run.target.name,
                row_of(row)
            )
        })
        .collect()
    };
    import.runs.iter().flat_map(of_run).collect()
}

fn row_of(row: &ImportedRow) -> String {
    let (workload, reported) = (&row.workload, &row.reported);
    let mut text = workload.name.clone();
    let is_unknown = |part| reported.unknown.contains(&part);
    match is_unknown(PlanPart::Operations) {
        true => text.push_str(" ?"),
        false => write!(text, " {}", workload.operations.direction()).unwrap(),
    }
    if !is_unknown(PlanPart::Blocks) {
        write!(text, " bs {}", workload.blocks.smallest().0).unwrap();
    }
    for (rate, scale, unit) in [
        (&reported.bandwidth, 1e6, "MB/s"),
        (&reported.iops, 1.0, "IOPS"),
    ] {
        if let Some(rate) = rate {
            write!(text, ", {:.2} {unit}", rate.value / scale).unwrap();
            if let (Some(min), Some(max)) = (rate.min, rate.max) {
                write!(text, " of {:.2} to {:.2}", min / scale, max / scale).unwrap();
            }
        }
    }
    if let Some(latency) = &reported.latency {
        write!(text, ", mean {:.3}", latency.mean / 1e3).unwrap();
        let shown = |wanted: &f64| {
            latency
                .percentiles
                .iter()
                .find(|(percent, _)| percent == wanted)
        };
        for (percent, nanos) in [50.0, 99.0].iter().filter_map(shown) {
            write!(text, " p{percent} {:.3}", nanos / 1e3).unwrap();
        }
        if let Some(max) = latency.max {
            write!(text, " max {:.3}", max / 1e3).unwrap();
        }
    }
    if let Some(error) = reported.error {
        write!(text, ", failed with error {error}").unwrap();
    }
    text
}

/// All words beside the rows.
fn reported_by(import: &Import) -> String {
    let mut text = String::new();
    for run in &import.runs {
        let of = &run.origin;
        let corrections = of.corrections.iter().map(|it| it.what.english());
        let remarks = of.remarks.iter().map(|remark| remark.english());
        let kinds = run
            .rows
            .iter()
            .filter_map(|row| Some(row.reported.bandwidth.as_ref()?.kind.english()));
        let name = &run.target.name;
        corrections.for_each(|it| writeln!(text, "{name}: put right: {it}").unwrap());
        remarks.for_each(|it| writeln!(text, "{name}: remark: {it}").unwrap());
        kinds.for_each(|it| writeln!(text, "{name}: {it}").unwrap());
    }
    for left in &import.left_out {
        writeln!(
            text,
            "left out, line {}: {}",
            left.line.unwrap_or(0),
            left.why.english()
        )
        .unwrap();
    }
    text
}
