//! Makes the dictionary with which documents are packed, of documents as `--format json`
//! writes them; the most usual last, for what is near is told in fewer bytes:
//!
//! `cargo run -p sokudo-report --example packed_dictionary -- A.json B.json > assets/packed-N.dictionary`
//!
//! A dictionary that was released is never changed: what was packed with it could not be
//! read any more. A new one needs a new way of packing.

#![expect(clippy::unwrap_used, reason = "whoever runs this reads the panic")]

use std::io::Write;

use sokudo_report::RunDocument;

fn main() {
    let mut dictionary = Vec::new();
    for path in std::env::args().skip(1) {
        let mut document = RunDocument::from_json(&std::fs::read_to_string(path).unwrap()).unwrap();
        // Figures are never the same again, and whose machine it was is nobody's business.
        document.environment = sokudo_model::Environment::default();
        document.target.host = None;
        for result in &mut document.results {
            result.histogram.clear();
            result.series.clear();
            result.trials.truncate(2);
            result.places.clear();
            result.surface = None;
            result.foreign_users.clear();
        }
        dictionary.extend(document.dictionary_part());
    }
    std::io::stdout().write_all(&dictionary).unwrap();
}
