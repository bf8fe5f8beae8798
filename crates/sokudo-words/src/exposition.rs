//! Prometheus' text format (exposition format 0.0.4), as the textfile collector of node_exporter
//! reads it: gauges without times of their own, since the collector refuses those.

use crate::signs::is_unseen;

/// Longer texts are cut: a label is no place for what a stranger has to say.
const LABEL_CHARACTERS_MAX: usize = 200;

/// The samples of all metrics: name, labels, value.
#[derive(Default)]
pub struct Metrics(Vec<(&'static str, String, f64)>);

impl Metrics {
    pub fn add(&mut self, name: &'static str, labels: &str, value: Option<f64>) {
        let sample = value.map(|value| (name, labels.to_owned(), value));
        self.0.extend(sample);
    }

    /// All samples of the metrics that are described, a line each with its help, in that order.
    pub fn text(self, described: &str) -> String {
        let mut text = String::new();
        for line in described.lines() {
            let name = line.split(' ').next().unwrap_or_default();
            let mut samples = self.0.iter().filter(|sample| sample.0 == name).peekable();
            if samples.peek().is_some() {
                text += &format!("# HELP {line}\n# TYPE {name} gauge\n");
            }
            for (_, labels, value) in samples {
                text += &format!("{name}{{{labels}}} {value}\n");
            }
        }
        text
    }
}

/// The value of a label: backslash, quote and line feed escaped, as the format asks.
pub fn label(text: &str) -> String {
    let mut safe = String::new();
    for sign in text.trim().chars().take(LABEL_CHARACTERS_MAX) {
        match sign {
            '\\' => safe.push_str("\\\\"),
            '"' => safe.push_str("\\\""),
            '\n' => safe.push_str("\\n"),
            sign if sign.is_control() || is_unseen(sign) => {
                safe.push(char::REPLACEMENT_CHARACTER);
            }
            sign => safe.push(sign),
        }
    }
    safe
}
