//! The table of latency percentiles, of all threads together.

use sokudo_stats::Histogram;

use super::figures::whole_milliseconds;

/// The percentiles that diskspd prints, with its names for them.
const PERCENTILES: [(f64, &str); 13] = [
    (0.25, "25th"),
    (0.50, "50th"),
    (0.75, "75th"),
    (0.90, "90th"),
    (0.95, "95th"),
    (0.99, "99th"),
    (0.999, "3-nines"),
    (0.9999, "4-nines"),
    (0.99999, "5-nines"),
    (0.999_999, "6-nines"),
    (0.999_999_9, "7-nines"),
    (0.999_999_99, "8-nines"),
    (0.999_999_999, "9-nines"),
];

/// The lines of the table below its head.
pub(super) fn lines(read: &Histogram, write: &Histogram, total: &Histogram) -> String {
    let columns = [read, write, total];
    let mut text = line("min", columns.map(Histogram::min));
    for (fraction, name) in PERCENTILES {
        text.push_str(&line(name, columns.map(|column| column.quantile(fraction))));
    }
    text.push_str(&line("max", columns.map(Histogram::max)));
    text
}

fn line(name: &str, nanos: [Option<u64>; 3]) -> String {
    let [read, write, total] = nanos.map(|nanos| match nanos {
        Some(nanos) => format!("{:10.3}", whole_milliseconds(nanos)),
        None => format!("{:>10}", "N/A"),
    });
    format!("{name:>7} | {read} | {write} | {total}\n")
}
