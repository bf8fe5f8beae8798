//! CSV for spreadsheets and scripts: one line per result, for scans one per place
//! (`places`), for steady procedures one per round (`rounds`), a unit in every name, an empty
//! field for what is missing. Of hosts that measured together, lines of each follow those of all.
//! Lines carry what they need to be told apart when files are joined.

mod line;
mod places;
mod rounds;

use crate::document::RunDocument;
use crate::record;
use crate::surface;

pub(crate) use line::{ResultRecord, columns, lines, lines_of_hosts};

/// A line of names, then one line per result in the run's order; for a scan, one per
/// place.
pub fn render(document: &RunDocument) -> String {
    if surface::is_scan(document) {
        return places::render(document);
    }
    if let Some(steady) = &document.steady {
        return rounds::render(document, steady);
    }
    let mut columns = columns();
    if document.together.is_some() {
        columns.insert(0, line::host_column());
    }
    record::csv(&columns, lines(document).chain(lines_of_hosts(document)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    /// The fields of a result by their names.
    fn read(document: &RunDocument) -> Vec<std::collections::HashMap<String, String>> {
        let text = render(document);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        reader.deserialize().collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn every_result_is_one_line() {
        let document = RunDocument::from_run(&sample::run());
        insta::assert_snapshot!(render(&document));
    }

    #[test]
    fn hosts_have_lines_of_their_own_behind_those_of_all() {
        let document = RunDocument::from_run(&sample::together_run());
        let text = render(&document);
        assert!(text.starts_with("host,started_at,"), "{text}");
        let lines = read(&document);
        let hosts: Vec<&str> = lines.iter().map(|line| line["host"].as_str()).collect();
        assert_eq!(hosts, ["", "", "n01", "n02", "n03", "n01", "n02", "n03"]);
        let of = |line: usize, column: &str| lines[line][column].parse::<f64>().unwrap();
        let rates: f64 = (2..5)
            .map(|it| of(it, "bandwidth_median_bytes_per_s"))
            .sum();
        assert!((rates / of(0, "bandwidth_max_bytes_per_s") - 1.0).abs() < 0.02);
        assert_eq!((of(0, "threads"), of(2, "threads")), (6.0, 2.0));
        let column = |name: &str| -> Vec<String> {
            lines[2..5].iter().map(|line| line[name].clone()).collect()
        };
        assert_eq!(column("trials"), ["4", "4", "2"]);
        assert_eq!(column("status"), ["complete", "complete", "partial"]);
        // Whoever measured alone has no such column.
        assert!(!render(&RunDocument::from_run(&sample::run())).contains("host"));
    }

    #[test]
    fn what_is_missing_is_empty_and_not_zero() {
        let lines = read(&RunDocument::from_run(&sample::troubled_run()));
        let not_reached = &lines[4];
        assert_eq!(not_reached["status"], "not_reached");
        assert_eq!(not_reached["verdict"], "");
        assert_eq!(not_reached["bandwidth_median_mb_per_s"], "");
        assert_eq!(not_reached["latency_p50_ns"], "");
        assert_eq!(not_reached["device_read_bytes"], "");
        assert_eq!(lines[2]["failures"], "20");
    }

    #[test]
    fn numbers_read_back_exactly() {
        let document = RunDocument::from_run(&sample::run());
        for (line, result) in read(&document).iter().zip(&document.results) {
            let bandwidth = result.bandwidth_bytes_per_s.as_ref().unwrap();
            let median = line["bandwidth_median_bytes_per_s"].parse::<f64>().unwrap();
            assert_eq!(median, bandwidth.bytes_per_s.median);
            let mb: f64 = line["bandwidth_median_mb_per_s"].parse().unwrap();
            let mib: f64 = line["bandwidth_median_mib_per_s"].parse().unwrap();
            assert!((mb / mib - 1.048_576).abs() < 1e-12);
        }
    }

    #[test]
    fn names_with_commas_and_quotes_stay_one_field() {
        let mut run = sample::bare_run();
        run.rows[0].workload.name = "mine, \"really\"\nmine".into();
        assert_eq!(
            read(&RunDocument::from_run(&run))[0]["name"],
            "mine, \"really\"\nmine"
        );
    }
}
