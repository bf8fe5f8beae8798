//! HD Tune's text, free edition and Pro: what its copy button gives of each page.
//!
//! ```text
//! HD Tune: SAMSUNG HD502HJ Benchmark
//! Transfer Rate Minimum : 72.0 MB/sec
//! Access Time           : 13.6 ms
//! ```
//!
//! Of the free edition's Benchmark and Error Scan real texts are known. The Pro edition's
//! other pages are read by what every line of them has: a name, and figures with units.

use sokudo_model::{Bytes, ImportedRow, ImportedRun, ImportedTarget, Operation, Order, Subject};
use sokudo_words::{Text, text};

use crate::results::row::{self, RANDOM, ROWS_MAX, WorkloadDescription, entry, figure};
use crate::results::text::{Line, label, leave_out, lines};
use crate::results::{Import, ImportError, LeftOut, Reader, Source, number};

const FORMAT: &str = "HD Tune";
pub(crate) const READER: Reader = Reader::new(FORMAT, recognise, Source::Text(read));

/// Where the size is not told; the row says that it is unknown.
const ANY_BLOCK: Bytes = Bytes::mib(1);
const MIB: f64 = 1_048_576.0;
/// The pages whose results are read.
const PAGES: [&str; 5] = [
    "File Benchmark",
    "Benchmark",
    "Error Scan",
    "Random Access",
    "Extra Tests",
];
/// What is to be known of every rate.
const REMARK: &str = "whether HD Tune's MB are 1,000,000 or 1,048,576 bytes is not known; taken \
    as 1,000,000, its rates may be up to 4.9 % too low";

fn recognise(head: &str) -> bool {
    lines(head).any(|line| heading(line.text).is_some())
}

/// Edition, model and page of `HD Tune Pro: WDC WD60EZAZ Random Access`.
fn heading(line: &str) -> Option<(&'static str, &str, &'static str)> {
    let line = line.trim();
    let (edition, rest) = [("HD Tune Pro", "HD Tune Pro: "), ("HD Tune", "HD Tune: ")]
        .into_iter()
        .find_map(|(edition, begin)| Some((edition, line.strip_prefix(begin)?)))?;
    PAGES.iter().find_map(|page| {
        let model = rest.strip_suffix(page)?;
        (model.ends_with(' ')).then(|| (edition, model.trim(), *page))
    })
}

fn read(text: &str) -> Result<Import, ImportError> {
    let mut pages = HdTunePages::default();
    for line in lines(text) {
        if !pages.read(line) {
            break;
        }
    }
    pages.import()
}

/// The pages so far.
#[derive(Default)]
struct HdTunePages {
    pages: Vec<HdTunePage>,
    left_out: Vec<LeftOut>,
    /// Whether lines belong to a page that is read.
    is_open: bool,
    rows: usize,
}

struct HdTunePage {
    run: ImportedRun,
    name: &'static str,
    /// As the last line that told it; the free edition only reads.
    direction: Option<Operation>,
}

impl HdTunePages {
    /// Reads a line; `false` when there is too much.
    fn read(&mut self, line: Line<'_>) -> bool {
        let text = line.text.trim();
        if let Some((edition, model, name)) = heading(text) {
            self.is_open = true;
            self.pages.push(HdTunePage {
                run: new_run(edition, model, name),
                name,
                direction: (edition == "HD Tune" || name == "Error Scan")
                    .then_some(Operation::Read),
            });
            return true;
        }
        if text.starts_with("HD Tune") {
            // A page without results, such as Health.
            self.is_open = false;
        }
        let Some(page) = self.pages.last_mut().filter(|_| self.is_open) else {
            return true;
        };
        if self.rows >= ROWS_MAX {
            let why = text!("there are more than {ROWS_MAX} figures; split the file");
            leave_out(&mut self.left_out, line.number, why);
            return false;
        }
        match page.read(text) {
            Ok(rows) => self.rows += rows,
            Err(why) => leave_out(&mut self.left_out, line.number, why),
        }
        true
    }

    fn import(mut self) -> Result<Import, ImportError> {
        self.pages.retain(|page| !page.run.rows.is_empty());
        for page in &mut self.pages {
            page.run.rows.iter_mut().for_each(without_mean);
            let has_rate = |row: &ImportedRow| row.reported.bandwidth.is_some();
            if page.run.rows.iter().any(has_rate) {
                page.run.origin.remarks.push(REMARK.into());
            }
        }
        let runs = self.pages.into_iter().map(|page| page.run).collect();
        Import::of(FORMAT, runs, self.left_out, "no page in it has a figure")
    }
}

fn new_run(edition: &str, model: &str, page: &str) -> ImportedRun {
    ImportedRun {
        method: page.to_owned(),
        target: ImportedTarget {
            model: label(model),
            ..row::target(label(model).unwrap_or_default())
        },
        ..row::run(edition, FORMAT)
    }
}

/// A number of a line with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
enum PrintedQuantity {
    Bandwidth(f64),
    Iops(f64),
    Nanos(f64),
    Percent(f64),
}

impl HdTunePage {
    /// Reads a line; how many rows it added.
    fn read(&mut self, text: &str) -> Result<usize, Text> {
        let lower = text.to_ascii_lowercase();
        if let Some(direction) = direction_of_heading(&lower) {
            self.direction = Some(direction);
            return Ok(0);
        }
        if self.name == "Error Scan" {
            return self.read_scan(text);
        }
        let Some((name, quantities)) = figures(text) else {
            let looks_like_one = ["MB/s", "KB/s", "IOPS"]
                .iter()
                .any(|unit| text.contains(unit));
            return match looks_like_one && text.contains(':') {
                true => Err(impossible(text)),
                false => Ok(0),
            };
        };
        let before = self.run.rows.len();
        self.add(name, &quantities);
        Ok(self.run.rows.len() - before)
    }

    fn add(&mut self, name: &str, quantities: &[PrintedQuantity]) {
        match (name, quantities) {
            ("Transfer Rate Minimum", [PrintedQuantity::Bandwidth(rate)]) => {
                self.transfer().min = Some(*rate)
            }
            ("Transfer Rate Maximum", [PrintedQuantity::Bandwidth(rate)]) => {
                self.transfer().max = Some(*rate)
            }
            ("Transfer Rate Average", [PrintedQuantity::Bandwidth(rate)]) => {
                self.transfer().value = *rate
            }
            ("CPU Usage", [PrintedQuantity::Percent(percent)]) => {
                if let Some(row) = self.run.rows.last_mut() {
                    row.reported.others.push(figure("CPU", "%", *percent));
                }
            }
            _ => {
                let row = self.row(name, quantities, None);
                self.run.rows.push(row);
            }
        }
    }

    /// The curve over the whole disk, of which three figures are told.
    fn transfer(&mut self) -> &mut sokudo_model::ImportedRate {
        let new = self.row("Transfer Rate", &[], Some(Order::SEQUENTIAL));
        let operations = new.workload.operations.clone();
        let is_it = |row: &ImportedRow| {
            row.workload.name == "Transfer Rate" && row.workload.operations == operations
        };
        let row = entry(&mut self.run.rows, is_it, || new);
        row.reported
            .bandwidth
            .get_or_insert_with(|| row::rate(0.0, "mean over the disk"))
    }

    /// A row; in this order, or the one that its name tells.
    fn row(&self, name: &str, quantities: &[PrintedQuantity], order: Option<Order>) -> ImportedRow {
        let lower = name.to_ascii_lowercase();
        let words = || lower.split(|sign: char| !sign.is_ascii_alphanumeric());
        let has = |wanted: &[&str]| wanted.iter().any(|word| lower.contains(word));
        let direction = match () {
            () if words().any(|word| word == "write") => Some(Operation::Write),
            () if words().any(|word| word == "read") => Some(Operation::Read),
            () => self.direction,
        };
        let is_random = self.name == "Random Access" || has(&["random", "seek", "access"]);
        let named = is_random.then_some(RANDOM);
        let named = named.or(has(&["sequential"]).then_some(Order::SEQUENTIAL));
        let mut workload = WorkloadDescription::new(label(name).unwrap_or_default(), ANY_BLOCK)
            .operation(direction)
            .block(block(&lower))
            .order(order.or(named));
        if has(&["burst"]) {
            workload.workload.measures.subject = Subject::Cache;
        }
        let mut row = workload.row();
        for quantity in quantities {
            match quantity {
                PrintedQuantity::Bandwidth(rate) => {
                    row.reported.bandwidth = Some(row::rate(*rate, ""))
                }
                PrintedQuantity::Iops(rate) => row.reported.iops = Some(row::rate(*rate, "")),
                // The mean comes first, and the largest after it.
                PrintedQuantity::Nanos(time) => match &mut row.reported.latency {
                    Some(latency) => latency.max = Some(*time),
                    None => row.reported.latency = Some(row::latency(*time)),
                },
                PrintedQuantity::Percent(percent) => {
                    row.reported.others.push(figure("CPU", "%", *percent))
                }
            }
        }
        row
    }

    /// `Scanned data   : 476749 MB`, `Damaged Blocks : 0.0 %`, `Elapsed Time   : 145:30`.
    fn read_scan(&mut self, text: &str) -> Result<usize, Text> {
        let Some((name, value)) = text.split_once(':') else {
            return Ok(0);
        };
        let wrong = || impossible(text);
        let (value, name) = (value.trim(), name.trim());
        let scan_figure = match name {
            "Scanned data" => {
                // A disk of 500 GB has 476,749 of its MB: here they are MiB.
                let mib = value.strip_suffix("MB").ok_or_else(wrong)?;
                let bytes = number::rate(mib, MIB).ok_or_else(wrong)?;
                figure("scanned", "GB", bytes / 1e9)
            }
            "Damaged Blocks" => {
                let percent = value.strip_suffix('%').ok_or_else(wrong)?;
                figure(
                    "damaged blocks",
                    "%",
                    number::number(percent).ok_or_else(wrong)?,
                )
            }
            "Elapsed Time" => {
                let (minutes, seconds) = value.split_once(':').ok_or_else(wrong)?;
                let seconds = number::number(seconds).filter(|seconds| *seconds < 60.0);
                let minutes = number::number(minutes).ok_or_else(wrong)?;
                figure("elapsed", "s", minutes * 60.0 + seconds.ok_or_else(wrong)?)
            }
            _ => return Ok(0),
        };
        let is_new = self.run.rows.is_empty();
        if is_new {
            let row = self.row("Error Scan", &[], Some(Order::SEQUENTIAL));
            self.run.rows.push(row);
        }
        if let Some(row) = self.run.rows.last_mut() {
            row.reported.others.push(scan_figure);
        }
        Ok(usize::from(is_new))
    }
}

/// Keeps smallest and largest rate by themselves where the mean is missing.
fn without_mean(row: &mut ImportedRow) {
    let Some(rate) = row.reported.bandwidth.take_if(|rate| rate.value == 0.0) else {
        return;
    };
    let extremes = [("minimum", rate.min), ("maximum", rate.max)];
    let extremes = extremes
        .into_iter()
        .filter_map(|(name, rate)| Some((name, rate?)));
    row.reported
        .others
        .extend(extremes.map(|(name, rate)| figure(name, "MB/s", rate / 1e6)));
}

/// `Read test`, `Write transfer rate`: a line that says in which direction what follows is.
fn direction_of_heading(lower: &str) -> Option<Operation> {
    match lower.trim_end_matches(':') {
        "read test" | "read transfer rate" | "read" => Some(Operation::Read),
        "write test" | "write transfer rate" | "write" => Some(Operation::Write),
        _ => None,
    }
}

/// The name of a line, and its figures: numbers with a unit. `None` without any, or with a
/// number that is not possible.
fn figures(text: &str) -> Option<(&str, Vec<PrintedQuantity>)> {
    let mut quantities = Vec::new();
    let mut name_end = text.len();
    let words: Vec<(usize, &str)> = words(text).collect();
    let mut index = 0;
    while index < words.len() {
        let (start, word) = words[index];
        let next = words.get(index + 1).map_or("", |(_, word)| *word);
        let (figure, used) = match word.strip_suffix('%') {
            Some(percent) => (number::number(percent).map(PrintedQuantity::Percent), 1),
            None => (quantity(word, next), 2),
        };
        match figure {
            Some(figure) => {
                name_end = name_end.min(start);
                quantities.push(figure);
                index += used;
            }
            None if quantity("1", next).is_some() && !quantities.is_empty() => return None,
            None => index += 1,
        }
    }
    let name = text[..name_end].trim().trim_end_matches(':').trim();
    (!quantities.is_empty() && !name.is_empty()).then_some((name, quantities))
}

/// Words and where they begin.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace()
        .map(move |word| (word.as_ptr().addr() - text.as_ptr().addr(), word))
}

fn quantity(number: &str, unit: &str) -> Option<PrintedQuantity> {
    match unit {
        "MB/sec" | "MB/s" => number::rate(number, 1e6).map(PrintedQuantity::Bandwidth),
        "KB/sec" | "KB/s" => number::rate(number, 1e3).map(PrintedQuantity::Bandwidth),
        "IOPS" => number::rate(number, 1.0).map(PrintedQuantity::Iops),
        "ms" => number::nanos(number, 1e6).map(PrintedQuantity::Nanos),
        "%" => number::number(number).map(PrintedQuantity::Percent),
        _ => None,
    }
}

/// The `4 KB` of a name, in powers of 1024, as blocks are.
fn block(lower: &str) -> Option<Bytes> {
    let spaced = lower.replace("kb", " kb ").replace("mb", " mb ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    words.windows(2).find_map(|pair| match pair {
        [size, "kb"] => number::block(size, 1 << 10),
        [size, "mb"] => number::block(size, 1 << 20),
        [size, "bytes"] => number::block(size, 1),
        _ => None,
    })
}

fn impossible(line: &str) -> Text {
    let short: String = line.chars().take(80).collect();
    text!("`{short}` is not a possible figure")
}

#[cfg(test)]
mod tests;
