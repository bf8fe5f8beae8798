//! How many bytes documents take in a store: `packed_size RUN.json…`, whole, without
//! series, and without histograms too.

#![expect(clippy::unwrap_used, reason = "whoever runs this reads the panic")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use sokudo_report::RunDocument;

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut document = RunDocument::from_json(&text).unwrap();
        let whole = document.pack().len();
        document.results.iter_mut().for_each(|it| it.series.clear());
        let without_series = document.pack().len();
        document
            .results
            .iter_mut()
            .for_each(|it| it.histogram.clear());
        let bare = document.pack().len();
        println!(
            "{path}: {whole} bytes, {without_series} without series, {bare} without histograms too"
        );
    }
}
