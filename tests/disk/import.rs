//! `sokudo import`, and files of other tools in the place of runs.

use std::path::Path;

use serde_json::Value;

use crate::sokudo::{sokudo, sokudo_in};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The figures of rows by name and direction: rate, I/Os, mean latency and percentiles.
fn figures(run: &Value) -> Vec<[f64; 4]> {
    let results = run["figures"].as_array().unwrap();
    results
        .iter()
        .map(|result| {
            [
                &result["bandwidth_bytes_per_s"]["median"],
                &result["iops"]["median"],
                &result["latency_ns"]["mean"],
                &result["latency_ns"]["p99"],
            ]
            .map(|value| value.as_f64().unwrap())
        })
        .collect()
}

/// What `sokudo import` says of a text.
fn read_back(folder: &Path, printed: &str) -> Value {
    let file = folder.join("printed");
    std::fs::write(&file, printed).unwrap();
    sokudo(&format!("import {} --format json", text(&file))).json()
}

/// Each figure with how far it may be from that of another text.
fn assert_near(figures: &[[f64; 4]], expected: &[[f64; 4]], near: impl Fn(usize, f64) -> f64) {
    assert_eq!(figures.len(), expected.len());
    for (row, rows) in figures.iter().zip(expected).enumerate() {
        for (place, (figure, expected)) in rows.0.iter().zip(rows.1).enumerate() {
            let apart = (figure - expected).abs();
            assert!(
                apart <= near(place, *expected),
                "row {row}, {place}: {figure} for {expected}"
            );
        }
    }
}

/// Reads and writes as diskspd's text tells them: bytes per second, I/Os per second, mean
/// latency in nanoseconds, the 99th percentile.
fn told_by_text(printed: &str) -> Vec<[f64; 4]> {
    let percentiles: Vec<&str> = printed
        .lines()
        .find(|line| line.trim_start().starts_with("99th"))
        .unwrap()
        .split('|')
        .collect();
    ["Read IO", "Write IO"]
        .into_iter()
        .zip([1, 2])
        .map(|(heading, column)| {
            let table = &printed[printed.find(heading).unwrap()..];
            let total = table.lines().find(|line| line.starts_with("total:"));
            let cells: Vec<f64> = total.unwrap()["total:".len()..]
                .split('|')
                .map(|cell| cell.trim().parse().unwrap())
                .collect();
            let names = table.lines().find(|line| line.contains("AvgLat")).unwrap();
            let cell = |name: &str| {
                let mut names = names.split('|').skip(1);
                cells[names
                    .position(|cell| cell.trim().starts_with(name))
                    .unwrap()]
            };
            let p99: f64 = percentiles[column].trim().parse().unwrap();
            [
                cell("MiB/s") * 1_048_576.0,
                cell("I/O per s"),
                cell("AvgLat") * 1e6,
                p99 * 1e6,
            ]
        })
        .collect()
}

/// The numbers in a text's elements of this name.
fn elements(text: &str, name: &str) -> Vec<f64> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    text.split(&open)
        .skip(1)
        .map(|rest| rest[..rest.find(&close).unwrap()].parse().unwrap())
        .collect()
}

#[test]
fn what_sokudo_prints_at_diskspds_door_is_read_back() {
    let folder = crate::sokudo::directory_on_disk();
    for layout in ["-Rlinux", "-Rtext", "-Rxml"] {
        let line = format!("diskspd -c1M -b4K -d1 -W0 -o4 -t2 -w40 -r -L -D100 {layout} file");
        let ended = sokudo_in(folder.path(), &line).ok();
        let printed = &ended.printed;
        let run = read_back(folder.path(), printed);
        let tool = run["provenance"]["reported"]["format"].as_str().unwrap();
        assert!(tool.to_lowercase().contains("diskspd"), "{tool}");
        assert_eq!(
            run["provenance"]["reported"]["corrections"],
            serde_json::json!([])
        );
        if layout == "-Rxml" {
            let seconds = elements(printed, "TestTimeSeconds")[0];
            for (index, direction) in ["Read", "Write"].into_iter().enumerate() {
                let sum = |what: &str| -> f64 {
                    elements(printed, &format!("{direction}{what}"))
                        .iter()
                        .sum()
                };
                let (bytes, ios) = (sum("Bytes"), sum("Count"));
                let figures = figures(&run)[index];
                assert_eq!([figures[0], figures[1]], [bytes / seconds, ios / seconds]);
                // Of all threads together, behind those of each.
                let mean = elements(printed, &format!("Average{direction}Milliseconds"));
                assert_eq!(figures[2], mean.last().unwrap() * 1e6);
            }
        } else {
            let told = told_by_text(printed);
            assert_near(&figures(&run), &told, |_, value| 1e-9 * value);
        }
    }
}
