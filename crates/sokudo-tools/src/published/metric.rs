//! What a metric and a unit say.

use sokudo_model::{Bytes, Operation, Order, PlanPart};
use sokudo_words::{Text, text};

use crate::results::number;
use crate::results::row::{RANDOM, WorkloadDescription};
use crate::results::wrong_unit::WrongUnit;

/// Where the size is not told; the row says that it is unknown.
const ANY_BLOCK: Bytes = Bytes::mib(1);

/// What is measured, and which figure of it.
pub(super) struct PublishedMetric {
    /// As it is written.
    pub(super) text: String,
    pub(super) description: WorkloadDescription,
    pub(super) statistic: Statistic,
}

/// Which figure of several runs it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Statistic {
    /// Not told: a single one, or the one that the tool shows.
    Value,
    /// The mean of so many, where told.
    Mean(Option<u32>),
    /// Another one, by its word.
    Other(&'static str),
}

impl Statistic {
    /// What the figure is, for whoever reads the row.
    pub(super) fn kind(self) -> Text {
        match self {
            Self::Value => Text::default(),
            Self::Mean(None) => "mean".into(),
            Self::Mean(Some(count)) => text!("mean of {count} runs"),
            Self::Other(word) => word.into(),
        }
    }

    /// The name of a figure that has no field.
    pub(super) fn name(self, metric: &str) -> String {
        match self {
            Self::Other(word) => word.to_owned(),
            Self::Value | Self::Mean(_) => metric.to_owned(),
        }
    }
}

impl PublishedMetric {
    /// Reads `SEQ1M Q8T1 read`, `Random read 4K x32`, `write mean`, `access time`, …
    pub(super) fn read(text: &str, method: &str) -> Self {
        let (words, statistic) = statistic(text, method);
        let mut description = WorkloadDescription::new(words.join(" "), ANY_BLOCK);
        for word in &words {
            description = read_word(description, &word.to_ascii_lowercase());
        }
        // The direction has a column of its own beside names such as `SEQ1M Q8T1`.
        if let [crystal @ .., "read" | "write"] = &words[..]
            && description.knows(PlanPart::Depth)
        {
            description.workload.name = crystal.join(" ");
        }
        if words == ["access", "time"] {
            description = description
                .parts(&[PlanPart::Operations])
                .order(Some(RANDOM));
        }
        let is_direct = method.split_whitespace().any(|word| word == "direct");
        Self {
            text: text.to_owned(),
            description: description.direct(is_direct.then_some(true)),
            statistic,
        }
    }
}

fn read_word(description: WorkloadDescription, word: &str) -> WorkloadDescription {
    match word {
        "read" => description.operation(Some(Operation::Read)),
        "write" => description.operation(Some(Operation::Write)),
        "sequential" | "seq" => description.order(Some(Order::SEQUENTIAL)),
        "random" | "rnd" => description.order(Some(RANDOM)),
        _ => read_numbers(description, word),
    }
}

/// `seq1m`, `rnd4k`, `512k`, `q32t16`, `x32`.
fn read_numbers(description: WorkloadDescription, word: &str) -> WorkloadDescription {
    if let Some((depth, threads)) = word.strip_prefix('q').and_then(|w| w.split_once('t')) {
        let both = number::depth(depth).zip(number::depth(threads));
        return description
            .depth(both.map(|(depth, _)| depth))
            .threads(both.map(|(_, threads)| threads));
    }
    if let Some(threads) = word.strip_prefix('x').and_then(number::depth) {
        return description.threads(Some(threads));
    }
    let (size, order) = match (word.strip_prefix("seq"), word.strip_prefix("rnd")) {
        (Some(size), _) => (size, Order::SEQUENTIAL),
        (_, Some(size)) => (size, RANDOM),
        _ => (word, description.workload.order),
    };
    let scales = [("k", 1 << 10), ("m", 1 << 20)];
    let mut sizes = scales
        .iter()
        .filter_map(|(unit, scale)| number::block(size.strip_suffix(unit)?, *scale));
    let size = sizes.next();
    description.block(size).order(size.map(|_| order))
}

/// The words without the one that names the statistic, and the statistic.
fn statistic<'text>(text: &'text str, method: &str) -> (Vec<&'text str>, Statistic) {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let runs = method
        .split([' ', ','])
        .find_map(|word| word.strip_prefix("n=")?.parse().ok());
    let statistic = match words.last().copied() {
        Some("mean" | "average") => Statistic::Mean(runs),
        Some("median") => Statistic::Other("median"),
        Some("min" | "minimum") => Statistic::Other("minimum"),
        Some("max" | "maximum") => Statistic::Other("maximum"),
        Some("range") => Statistic::Other("range"),
        Some("stdev") => Statistic::Other("standard deviation"),
        _ => Statistic::Value,
    };
    if statistic != Statistic::Value {
        words.pop();
    }
    (words, statistic)
}

/// What a rate counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RateKind {
    Bandwidth,
    Iops,
}

/// A unit, and what it means where this tool prints it.
#[derive(Debug)]
pub(super) struct PublishedUnit {
    /// As it is written.
    pub(super) text: String,
    /// Bytes per second, I/Os per second or nanoseconds; 1 for any other unit.
    pub(super) scale: f64,
    /// Whether it is a time.
    pub(super) is_time: bool,
    /// Where it is not what is written.
    pub(super) wrong: Option<WrongUnit>,
    rate: Option<RateKind>,
}

impl PublishedUnit {
    /// The unit `text` as `tool` prints it.
    pub(super) fn of(tool: &str, text: &str) -> Self {
        let unit = |scale, rate, is_time| Self {
            text: text.to_owned(),
            scale,
            is_time,
            wrong: None,
            rate,
        };
        let bandwidth = |scale| unit(scale, Some(RateKind::Bandwidth), false);
        if let Some(wrong) = WrongUnit::of(tool).filter(|_| text == "MB/s") {
            return Self {
                wrong: Some(wrong),
                ..bandwidth(wrong.scale)
            };
        }
        match text {
            "B/s" => bandwidth(1.0),
            "KB/s" | "kB/s" => bandwidth(1e3),
            "MB/s" => bandwidth(1e6),
            "GB/s" => bandwidth(1e9),
            "KiB/s" | "KB/s (KiB)" => bandwidth(1024.0),
            "MiB/s" | "MB/s (MiB)" => bandwidth(1_048_576.0),
            "MB/s (KiB/1000)" => bandwidth(1_024_000.0),
            "IOPS" => unit(1.0, Some(RateKind::Iops), false),
            _ => match number::time_scale(text) {
                Some(scale) => unit(scale, None, true),
                None => unit(1.0, None, false),
            },
        }
    }

    pub(super) fn rate(&self) -> Option<RateKind> {
        self.rate
    }

    /// A figure that is kept by itself, in a unit that people read.
    pub(super) fn shown(&self, value: f64) -> (f64, &str) {
        match (self.rate, self.is_time) {
            (Some(RateKind::Bandwidth), _) => (value / 1e6, "MB/s"),
            (_, true) => (value / 1e6, "ms"),
            _ => (value, &self.text),
        }
    }
}
