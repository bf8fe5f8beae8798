//! Prometheus' text format (exposition format 0.0.4), as the textfile collector of node_exporter
//! reads it: gauges without times of their own, since the collector refuses those.

use crate::signs::is_unseen;

/// Longer texts are cut: a label is no place for what a stranger has to say.
const LABEL_CHARACTERS_MAX: usize = 200;

/// The labels of a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Labels(String);

impl Labels {
    /// These and one more, whose value may be any text.
    #[must_use]
    pub fn with(&self, name: &str, value: &str) -> Self {
        self.with_numbered(name, value, 1)
    }

    /// The same; from the second of this value on with its number.
    #[must_use]
    pub fn with_numbered(&self, name: &str, value: &str, number: usize) -> Self {
        let comma = if self.0.is_empty() { "" } else { "," };
        let number = match number {
            ..2 => String::new(),
            number => format!(" ({number})"),
        };
        let (before, value) = (&self.0, label(value));
        Self(format!("{before}{comma}{name}=\"{value}{number}\""))
    }
}

/// The severities of findings, the gravest first.
const SEVERITIES: [&str; 3] = ["error", "warning", "note"];

/// The samples of all metrics: name, labels, value.
#[derive(Default)]
pub struct Metrics(Vec<(&'static str, Labels, f64)>);

impl Metrics {
    pub fn add(&mut self, name: &'static str, labels: &Labels, value: Option<f64>) {
        let sample = value.map(|value| (name, labels.clone(), value));
        self.0.extend(sample);
    }

    /// A sample for each state that there is, under the name of the state's label: 1 for what
    /// holds, 0 for the others.
    pub fn add_states<'a>(
        &mut self,
        name: &'static str,
        labels: &Labels,
        label: &str,
        states: impl IntoIterator<Item = (&'a str, bool)>,
    ) {
        for (state, holds) in states {
            let value = f64::from(u8::from(holds));
            self.add(name, &labels.with(label, state), Some(value));
        }
    }

    /// How many of these findings have which severity.
    pub fn add_findings<'a>(
        &mut self,
        name: &'static str,
        labels: &Labels,
        findings: impl Iterator<Item = &'a str>,
    ) {
        let findings: Vec<&str> = findings.collect();
        for severity in SEVERITIES {
            let count = findings.iter().filter(|it| **it == severity).count();
            let count = u32::try_from(count).map_or(f64::from(u32::MAX), f64::from);
            self.add(name, &labels.with("severity", severity), Some(count));
        }
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
            for (_, Labels(labels), value) in samples {
                text += &format!("{name}{{{labels}}} {value}\n");
            }
        }
        text
    }
}

/// The value of a label: backslash, quote and line feed escaped, as the format asks.
fn label(text: &str) -> String {
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
