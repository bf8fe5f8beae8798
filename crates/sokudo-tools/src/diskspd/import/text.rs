//! diskspd's text, in the layout of Windows (time spans) and of diskspd-for-linux (jobs).

use std::collections::BTreeMap;
use std::slice::from_ref;

use sokudo_model::{Bytes, Correction, ImportedLatency, ImportedRun, Nanos, Order};
use sokudo_words::{Text, text};

use crate::results::number::{block, date_time, depth, number, size_scale};
use crate::results::row::RANDOM;
use crate::results::text::{label, leave_out, lines};
use crate::results::wrong_unit::DISKSPD_FOR_LINUX;
use crate::results::{Import, ImportError, LeftOut, Reader, Source};

use super::timespan::{
    self, DiskspdDirection, TargetParameters, TimeSpanParameters, TimeSpanResult, rows, sequential,
};

pub(crate) const READER: Reader = Reader::new("diskspd text", recognise, Source::Text(read));

/// No profile has more time spans or targets, and no file more results.
const SPANS_MAX: usize = 1_000;
const NANOS_PER_MS: f64 = 1e6;
const NANOS_PER_S: u64 = 1_000_000_000;
const BYTES_PER_MIB: f64 = 1_048_576.0;
/// Columns are printed with two digits behind the point: slow rates are rounded much.
const UNIT_TOLERANCE: f64 = 0.02;

fn recognise(head: &str) -> bool {
    let has = |text: &str| head.contains(text);
    has("Results for job ") && has("test time:") && has("Total IO")
        || has("Results for timespan ") && has("actual test time:")
        || has("Command Line: ") && has("diskspd") && has("Input parameters:")
}

/// What is being read.
#[derive(Default)]
struct DiskspdText {
    command: Option<String>,
    host: Option<String>,
    started_at: Option<Nanos>,
    parameters: BTreeMap<u32, TimeSpanParameters>,
    /// The time span whose parameters are being read.
    asking: u32,
    result: Option<Result>,
    finished: Vec<Result>,
    is_full: bool,
}

/// The results of a time span, as far as they have been read.
#[derive(Default)]
struct Result {
    line: u64,
    number: u32,
    is_linux: bool,
    done: TimeSpanResult,
    section: TextSection,
    titles: Vec<String>,
    /// What the column of the rate is called.
    unit: String,
    /// The line before, which says what a table of percentiles is of, and its number.
    title: (u64, String),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TextSection {
    #[default]
    Head,
    Total,
    Read,
    Write,
    Percentiles,
    /// Percentiles of one of several targets.
    OfTarget,
}

fn read(all: &str) -> std::result::Result<Import, ImportError> {
    let mut import = Import::default();
    let mut text = DiskspdText::default();
    for line in lines(all) {
        if line.text.trim_start().starts_with("Command Line:") {
            text.end(&mut import);
            text = DiskspdText::default();
        }
        text.line(line.number, line.text, &mut import);
    }
    text.end(&mut import);
    let nothing = "there is no result in it: no \"total:\" of bytes that were moved";
    Import::of(READER.format, import.runs, import.left_out, nothing)
}

impl DiskspdText {
    fn line(&mut self, number: u64, line: &str, import: &mut Import) {
        let line = line.trim();
        if let Some(command) = line.strip_prefix("Command Line:") {
            self.command = label(command);
        } else if let Some((is_linux, span)) = result_of(line) {
            self.begin(number, is_linux, span, import);
        } else if line == "Input parameters:" || line == "Totals:" || line == "System information:"
        {
            self.finished.extend(self.result.take());
        } else if let Some(result) = &mut self.result {
            result.line(number, line, &mut import.left_out);
        } else {
            self.parameter(line);
        }
    }

    fn begin(&mut self, line: u64, is_linux: bool, number: u32, import: &mut Import) {
        self.finished.extend(self.result.take());
        if self.finished.len() >= SPANS_MAX {
            if !self.is_full {
                let why = text!("these results and what follows: one file has {SPANS_MAX} at most");
                leave_out(&mut import.left_out, line, why);
            }
            self.is_full = true;
            return;
        }
        self.result = Some(Result {
            line,
            number,
            is_linux,
            ..Result::default()
        });
    }

    /// A line of what was asked for, or of the system.
    fn parameter(&mut self, line: &str) {
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.trim();
        match key {
            "computer name" => self.host = label(value),
            "start time" => {
                self.started_at = value.strip_suffix(" UTC").and_then(date_time);
            }
            "timespan" | "job" => self.asking = value.parse().unwrap_or(0),
            _ if self.parameters.len() < SPANS_MAX => {
                let parameters = self.parameters.entry(self.asking).or_default();
                parameters.parameter(key, value);
            }
            _ => {}
        }
    }

    fn end(&mut self, import: &mut Import) {
        self.finished.extend(self.result.take());
        let mut runs: Vec<ImportedRun> = Vec::new();
        for result in std::mem::take(&mut self.finished) {
            let parameters = self
                .parameters
                .get(&result.number)
                .cloned()
                .unwrap_or_default();
            let (line, number) = (result.line, result.number);
            match self.run(&parameters, result) {
                Some(run) => match runs.last_mut() {
                    // Time spans of one profile are one run.
                    Some(last) => {
                        last.rows.extend(run.rows);
                        last.origin.corrections.extend(run.origin.corrections);
                        for remark in run.origin.remarks {
                            if !last.origin.remarks.contains(&remark) {
                                last.origin.remarks.push(remark);
                            }
                        }
                    }
                    None => runs.push(run),
                },
                None => {
                    let why = text!(
                        "result {number} holds no total of reads or writes: it was cut off or \
                         moved nothing"
                    );
                    leave_out(&mut import.left_out, line, why);
                }
            }
        }
        import.runs.extend(runs);
    }

    fn run(&self, parameters: &TimeSpanParameters, mut result: Result) -> Option<ImportedRun> {
        let tool = match result.is_linux {
            true => "diskspd-for-linux",
            false => "DiskSpd",
        };
        let (mut corrections, mut linux_remarks) =
            (Vec::from_iter(result.put_units_right()), Vec::new());
        if result.is_linux && result.unit == "MB/s" {
            corrections.extend(result.leave_latency_out(parameters));
            linux_remarks = remarks(parameters);
        }
        let rows = rows(parameters, &result.done);
        let mut run = timespan::run(tool, READER.format, from_ref(parameters), rows)?;
        run.origin.corrections = corrections;
        run.origin.remarks = linux_remarks;
        run.started_at = self.started_at;
        run.command.clone_from(&self.command);
        run.environment.host.clone_from(&self.host);
        Some(run)
    }
}

/// `Results for timespan 1:` of Windows, `Results for job 1:` of Linux.
fn result_of(line: &str) -> Option<(bool, u32)> {
    let rest = line.strip_prefix("Results for ")?;
    let (kind, number) = rest.trim_end_matches(':').split_once(' ')?;
    let number = number.trim().parse().ok()?;
    match kind {
        "job" => Some((true, number)),
        "timespan" => Some((false, number)),
        _ => None,
    }
}

impl TimeSpanParameters {
    fn parameter(&mut self, key: &str, value: &str) {
        // A text may lack the path of its only target.
        let targets = self.paths.len() + usize::from(key == "path");
        self.targets
            .resize(targets.clamp(1, SPANS_MAX), TargetParameters::default());
        let seconds = || {
            let seconds: u64 = value.strip_suffix('s')?.parse().ok()?;
            seconds.checked_mul(NANOS_PER_S).map(Nanos)
        };
        match key {
            "duration" => self.duration = seconds(),
            "warm up time" => self.warm_up = seconds(),
            "path" if self.paths.len() < SPANS_MAX => {
                self.paths.extend(label(value.trim_matches('\'')));
            }
            // Windows has them of each target only.
            "total threads" => self.threads_in_all = depth(value),
            _ => {
                if let Some(target) = self.targets.last_mut() {
                    target.parameter(key, value);
                }
            }
        }
    }
}

impl TargetParameters {
    fn parameter(&mut self, key: &str, value: &str) {
        let value = value.trim_end_matches(')');
        match key {
            "size" => self.size = value.strip_suffix('B').and_then(|size| block(size, 1)),
            "threads per file" => self.threads = depth(value),
            "block size" => self.block = size(value),
            "number of outstanding I/O operations"
            | "number of outstanding I/O operations per thread" => self.depth = depth(value),
            "using O_DIRECT" | "software cache disabled" => self.is_direct = true,
            "using O_DSYNC" => self.is_written_through = true,
            "performing read test" => self.read_percent = Some(100),
            "performing write test" => self.read_percent = Some(0),
            "performing mix test (read/write ratio" => {
                let reads = value.split('/').next().and_then(|reads| reads.parse().ok());
                self.read_percent = reads.filter(|reads| *reads <= 100);
            }
            _ if key.ends_with("writethrough on") => self.is_written_through = true,
            _ if key.starts_with("using random I/O") => self.order = Some(RANDOM),
            _ if key.starts_with("using mixed random/sequential I/O") => self.order = None,
            _ if key.contains("sequential I/O") => {
                self.order = Some(sequential(key.contains("interlocked")));
            }
            _ => {}
        }
    }
}

impl Result {
    fn line(&mut self, number: u64, line: &str, left_out: &mut Vec<LeftOut>) {
        self.cells(line, left_out);
        if !line.is_empty() {
            self.title = (number, line.to_owned());
        }
    }

    fn cells(&mut self, line: &str, left_out: &mut Vec<LeftOut>) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        match line {
            "Total IO" => self.section = TextSection::Total,
            "Read IO" => self.section = TextSection::Read,
            "Write IO" => self.section = TextSection::Write,
            _ if cells[0] == "%-ile" => self.begin_percentiles(left_out),
            _ if cells[0] == "thread" => {
                self.titles = cells
                    .iter()
                    .take(16)
                    .map(|&title| title.to_owned())
                    .collect();
                let unit = self.titles.iter().find(|title| title.ends_with("B/s"));
                self.unit = unit.cloned().unwrap_or_default();
            }
            _ if line.contains("test time:") => {
                let value = line.split(':').next_back().unwrap_or_default();
                self.done.seconds = number(value.trim().trim_end_matches('s'));
            }
            _ if line.starts_with("total:") && cells.len() > 1 => self.total(line),
            _ if line.starts_with("avg") => self.processors(line),
            _ if self.section == TextSection::Percentiles && cells.len() == 4 => {
                self.percentile(cells[0], cells[1], cells[2]);
            }
            _ => {}
        }
    }

    /// With several targets `DiskSpd` prints a table of each before that of all.
    fn begin_percentiles(&mut self, left_out: &mut Vec<LeftOut>) {
        let (line, title) = &self.title;
        let is_of_all = self.section != TextSection::OfTarget && title.contains('|')
            || matches!(&**title, "total:" | "Total latency distribution:");
        if is_of_all {
            self.section = TextSection::Percentiles;
            let latencies = self.sides().map(|side| side.latency.as_mut());
            let reported = latencies.into_iter().flatten();
            reported.for_each(|latency| latency.percentiles.clear());
            return;
        }
        self.section = TextSection::OfTarget;
        let of = label(title).unwrap_or_default();
        let why = text!("the percentiles of {of} alone: rows are of all targets together");
        leave_out(left_out, *line, why);
    }

    /// The sum over all threads. Titles tell what its cells are.
    fn total(&mut self, line: &str) {
        let rest = line.trim_start_matches("total:");
        let cells: Vec<&str> = rest.split('|').map(str::trim).collect();
        let titles = self.titles.clone();
        let of = |wanted: &str| {
            let column = titles.iter().position(|title| title.starts_with(wanted))?;
            number(cells.get(column.checked_sub(1)?)?)
        };
        let rate = of(&self.unit).filter(|_| !self.unit.is_empty());
        let side = DiskspdDirection {
            bytes: of("bytes").unwrap_or(0.0),
            bytes_per_s: rate.unwrap_or(0.0) * BYTES_PER_MIB,
            ios_per_s: of("I/O per s").unwrap_or(0.0),
            ios_deviation: of("IopsStdDev"),
            latency: of("AvgLat").map(|mean| ImportedLatency {
                mean: mean * NANOS_PER_MS,
                stdev: of("LatStdDev").map(|ms| ms * NANOS_PER_MS),
                ..ImportedLatency::default()
            }),
        };
        match self.section {
            TextSection::Read => self.done.read = side,
            TextSection::Write => self.done.write = side,
            _ => {}
        }
    }

    fn processors(&mut self, line: &str) {
        let cells: Vec<&str> = line.split('|').collect();
        let percent = |cell: usize| number(cells.get(cell)?.trim().strip_suffix('%')?);
        // The first cell of Linux holds the name and the use.
        self.done.cpu = match self.is_linux {
            true => percent(1).zip(percent(2)),
            false => percent(2).zip(percent(3)),
        };
    }

    fn percentile(&mut self, name: &str, read: &str, write: &str) {
        for (side, text) in [(&mut self.done.read, read), (&mut self.done.write, write)] {
            let (Some(latency), Some(ms)) = (&mut side.latency, number(text)) else {
                continue;
            };
            let nanos = ms * NANOS_PER_MS;
            match (name, percent(name)) {
                ("min", _) => latency.min = Some(nanos),
                ("max", _) => latency.max = Some(nanos),
                (_, Some(percent)) if latency.percentiles.len() < 64 => {
                    latency.percentiles.push((percent, nanos));
                }
                _ => {}
            }
        }
    }

    fn sides(&mut self) -> [&mut DiskspdDirection; 2] {
        [&mut self.done.read, &mut self.done.write]
    }

    /// Rates in MiB/s that are called MB/s, as bytes and seconds show.
    fn put_units_right(&mut self) -> Option<Correction> {
        if self.unit != "MB/s" {
            return None;
        }
        let seconds = self.done.seconds.filter(|seconds| *seconds > 0.0);
        let mut shown = None;
        for side in self.sides().into_iter().filter(|side| side.bytes > 0.0) {
            let printed = side.bytes_per_s / BYTES_PER_MIB;
            let is_decimal = seconds.is_some_and(|seconds| {
                (printed * 1e6 / (side.bytes / seconds) - 1.0).abs() < UNIT_TOLERANCE
            });
            if is_decimal {
                side.bytes_per_s = printed * 1e6;
            } else {
                shown.get_or_insert(printed);
            }
        }
        shown.map(|printed| match self.is_linux {
            true => DISKSPD_FOR_LINUX.correction("MB/s", printed),
            false => Correction {
                what: text!(
                    "every \"MB/s\": {printed} are {:.1} MB/s, and so on",
                    printed * BYTES_PER_MIB / 1e6
                ),
                why: "DiskSpd before 2.0.18 calls MiB/s MB/s, as its own bytes and seconds show"
                    .into(),
            },
        })
    }

    /// diskspd-for-linux never notes when the first I/Os of a thread begin: they seem to
    /// take as long as the machine is up, unless a warm-up hides them.
    fn leave_latency_out(&mut self, parameters: &TimeSpanParameters) -> Option<Correction> {
        // Where it does not say how long it ran, any latency is possible.
        let longest_ns = self.done.seconds.map(|seconds| (seconds + 60.0) * 1e9);
        let has_warm_up = parameters.warm_up.is_some_and(|time| time > Nanos(0));
        let is_impossible = |latency: &ImportedLatency| {
            let both = latency.max.zip(longest_ns);
            both.is_some_and(|(max, longest)| max > longest)
        };
        let mut worst: Option<f64> = None;
        for side in self.sides() {
            let is_broken = |latency: &mut ImportedLatency| !has_warm_up || is_impossible(latency);
            if let Some(latency) = side.latency.take_if(is_broken) {
                let longest = latency.max.unwrap_or(latency.mean);
                worst = Some(worst.map_or(longest, |other| other.max(longest)));
            }
        }
        worst.map(|nanos| Correction {
            what: text!("all latencies, of up to {:.3} s, are left out", nanos / 1e9),
            why: "diskspd for Linux does not note when the first I/Os of each thread begin and \
                  counts the time since the machine was started (its source, 2023), so that mean, \
                  deviation and high percentiles are none of the disk without a warm-up (-W)"
                .into(),
        })
    }
}

/// `8192` or, since 2.1, `8KiB`.
fn size(text: &str) -> Option<Bytes> {
    let digits = text.trim_end_matches(|sign: char| sign.is_ascii_alphabetic());
    match &text[digits.len()..] {
        "" => block(digits, 1),
        unit => block(digits, size_scale(unit)?),
    }
}

/// Reads the name of a percentile, such as `25th` or `3-nines`, in percent.
fn percent(name: &str) -> Option<f64> {
    if let Some(nines) = name.strip_suffix("-nines") {
        let nines: i32 = nines.parse().ok().filter(|nines| (1..=9).contains(nines))?;
        return Some(100.0 - 100.0 * 10f64.powi(-nines));
    }
    let percent = number(name.trim_end_matches(|sign: char| sign.is_ascii_lowercase()))?;
    (percent > 0.0 && percent <= 100.0).then_some(percent)
}

/// What diskspd-for-linux does otherwise than it says.
fn remarks(parameters: &TimeSpanParameters) -> Vec<Text> {
    let several = |count: Option<u32>| count.is_some_and(|count| count > 1);
    let target = parameters.shared();
    let is_random = matches!(target.order, Some(Order::Random { .. }));
    let mut remarks = Vec::new();
    if !is_random && target.order.is_some() && several(target.depth) {
        remarks.push(text!(
            "diskspd for Linux accesses every block {} times in a sequential row of this depth, so \
             most of it may have met a cache",
            target.depth.unwrap_or(1)
        ));
    }
    if is_random && several(parameters.thread_count()) {
        remarks.push(
            "all threads of diskspd for Linux visit the same places in the same order".into(),
        );
    }
    remarks
}
