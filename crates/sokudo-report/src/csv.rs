//! CSV for spreadsheets and scripts: one line per result, for scans one per place
//! (`places`), for steady procedures one per round (`rounds`), a unit in every name, an empty
//! field for what is missing. Of hosts that measured together, lines of each follow those of all.
//! Lines carry what they need to be told apart when files are joined.

mod line;
mod samples;

use crate::document::RunDocument;
use crate::surface;
use crate::view::views;

pub use line::{ResultRecord, columns, lines, lines_of_hosts, per_second};

/// A line of names, then one line per result in the run's order; for a scan, one per
/// place.
pub fn render(document: &RunDocument) -> String {
    if surface::is_scan(document) {
        return samples::render(document);
    }
    if let Some(records) = views(document).find_map(|view| view.csv(document)) {
        return records;
    }
    let columns = match document.together() {
        Some(_) => line::host_column().and(columns()),
        None => columns(),
    };
    columns.csv(lines(document).chain(lines_of_hosts(document)))
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
