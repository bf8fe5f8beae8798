//! How many bytes documents take in a store: `packed_size RUN.json…`, whole, without
//! series, and without each further part.

#![expect(clippy::unwrap_used, reason = "whoever runs this reads the panic")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use sokudo_report::RunDocument;
use sokudo_report::document::ResultDocument;

type Part = (&'static str, fn(&mut ResultDocument));

const PARTS: [Part; 5] = [
    ("histograms", |result| result.histogram.clear()),
    ("who else did I/O", |result| result.foreign_users.clear()),
    ("what trials say of their inside", |result| {
        for trial in &mut result.trials {
            trial.lag_1 = None;
            trial.effective_samples = None;
            trial.interval_95 = None;
        }
    }),
    ("trials", |result| result.trials.clear()),
    ("findings", |result| result.findings.clear()),
];

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut document = RunDocument::from_json(&text).unwrap();
        let whole = document.pack().len();
        document.results.iter_mut().for_each(|it| it.series.clear());
        let mut size = document.pack().len();
        println!("{path}: {whole} bytes, {size} without series, of which");
        for (name, take_away) in PARTS {
            document.results.iter_mut().for_each(take_away);
            let rest = document.pack().len();
            println!("{:>7} {name}", size.saturating_sub(rest));
            size = rest;
        }
        println!("{size:>7} all else");
    }
}
