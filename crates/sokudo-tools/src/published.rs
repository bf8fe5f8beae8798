//! Figures that people have collected from articles: a CSV file with a line per figure.
//!
//! `document,tool,method,target,metric,unit,value` and, where there is something to say,
//! `note`. What belongs to one document, tool, method and target is one run; a target
//! that ends in ` run 3` is a trial of one. A metric is read for what it says of the row
//! (`SEQ1M Q8T1 read`, `Random write 4K x32`) and of the figure (`mean`, `range`); what it
//! does not say stays unknown.

mod metric;

use sokudo_model::{ImportedRow, ImportedRun, ImportedTarget};
use sokudo_words::{Text, text};

use crate::results::row::{self, ROWS_MAX, entry};
use crate::results::text::{label, leave_out};
use crate::results::{Import, ImportError, LeftOut, Reader, Source, number};

use self::metric::{PublishedMetric, PublishedUnit, Statistic};

const FORMAT: &str = "published results (CSV)";
pub(crate) const READER: Reader = Reader::new(FORMAT, recognise, Source::Text(read));
const COLUMNS: [&str; 7] = [
    "document", "tool", "method", "target", "metric", "unit", "value",
];
/// Types of file system that people name after what lies below, such as `RAID5 ext3`.
const FILE_SYSTEMS: [&str; 10] = [
    "ext2", "ext3", "ext4", "xfs", "btrfs", "jfs", "f2fs", "zfs", "ntfs", "exfat",
];

/// Whether the first line names the columns.
fn recognise(head: &str) -> bool {
    let first = head.lines().next().unwrap_or_default();
    let mut columns = first.trim().split(',');
    COLUMNS.iter().all(|column| columns.next() == Some(column))
        && matches!(columns.next(), None | Some("note"))
}

fn read(text: &str) -> Result<Import, ImportError> {
    let mut records = csv::ReaderBuilder::new()
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut collection = Collection::default();
    for (index, record) in records.records().enumerate() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line);
                leave_out(&mut collection.left_out, line, text!("{error}"));
                continue;
            }
        };
        let line = record.position().map_or(0, csv::Position::line);
        if index >= ROWS_MAX {
            let why = text!("there are more than {ROWS_MAX} figures; split the file");
            leave_out(&mut collection.left_out, line, why);
            break;
        }
        if let Err(why) = collection.add(&record) {
            leave_out(&mut collection.left_out, line, why);
        }
    }
    collection.import()
}

/// The runs so far.
#[derive(Default)]
struct Collection {
    runs: Vec<ImportedRun>,
    /// Where in `runs` the run of a document, tool, method and target is.
    indices: std::collections::HashMap<[String; 4], usize>,
    left_out: Vec<LeftOut>,
}

impl Collection {
    fn add(&mut self, record: &csv::StringRecord) -> Result<(), Text> {
        let field = |index: usize| {
            let text = record.get(index).and_then(label);
            text.ok_or_else(|| text!("has no {}", COLUMNS[index]))
        };
        let [document, tool, method, target] = [field(0)?, field(1)?, field(2)?, field(3)?];
        let (metric, unit, value) = (field(4)?, record.get(5).and_then(label), field(6)?);
        let note = record.get(7).and_then(label);
        let value =
            number::number(&value).ok_or_else(|| text!("`{value}` is not a possible figure"))?;
        let metric = PublishedMetric::read(&metric, &method);
        let unit = PublishedUnit::of(&tool, unit.as_deref().unwrap_or_default());
        let (target, trial) = trial_of(&target);
        let run = self.run([document, tool, method, target.to_owned()]);
        let remark = note.map(|note| text!("{}: {note}", metric.text));
        put(row_of(run, &metric), &metric, &unit, value, trial)?;
        correct(run, &unit, value);
        run.origin.remarks.extend(remark);
        Ok(())
    }

    fn run(&mut self, key: [String; 4]) -> &mut ImportedRun {
        let next = self.runs.len();
        let index = *self.indices.entry(key).or_insert_with_key(|key| {
            self.runs.push(new_run(key));
            next
        });
        &mut self.runs[index]
    }

    fn import(mut self) -> Result<Import, ImportError> {
        self.runs.iter_mut().for_each(row::sum_up);
        let nothing = "no line follows the first";
        Import::of(FORMAT, self.runs, self.left_out, nothing)
    }
}

fn new_run([document, tool, method, target]: &[String; 4]) -> ImportedRun {
    let version = tool
        .rsplit_once(' ')
        .filter(|(_, version)| version.starts_with(|sign: char| sign.is_ascii_digit()));
    let file_system = target
        .split_whitespace()
        .find(|word| FILE_SYSTEMS.contains(&word.to_ascii_lowercase().as_str()));
    let tool_name = version.map_or(tool.as_str(), |(tool, _)| tool);
    let mut run = ImportedRun {
        method: method.clone(),
        target: ImportedTarget {
            file_system: file_system.map(str::to_ascii_lowercase),
            ..row::target(target)
        },
        ..row::run(tool_name, FORMAT)
    };
    run.origin.version = version.map(|(_, version)| version.to_owned());
    run.origin.document = Some(document.clone());
    run
}

/// `/dev/sda run 3` is a trial of `/dev/sda`.
fn trial_of(target: &str) -> (&str, bool) {
    let trial = target.rsplit_once(" run ");
    match trial.filter(|(_, number)| number.parse::<u32>().is_ok()) {
        Some((target, _)) => (target, true),
        None => (target, false),
    }
}

/// The row of the run that this metric is of.
fn row_of<'run>(run: &'run mut ImportedRun, metric: &PublishedMetric) -> &'run mut ImportedRow {
    let is_it = |row: &ImportedRow| row.workload == metric.description.workload;
    entry(&mut run.rows, is_it, || metric.description.clone().row())
}

/// Puts a figure where it belongs.
fn put(
    row: &mut ImportedRow,
    metric: &PublishedMetric,
    unit: &PublishedUnit,
    value: f64,
    trial: bool,
) -> Result<(), Text> {
    let value = value * unit.scale;
    let rate_slot = match (unit.rate(), metric.statistic) {
        (None, Statistic::Value | Statistic::Mean(_)) if unit.is_time => {
            let is_new = row.reported.latency.is_none();
            row.reported
                .latency
                .get_or_insert_with(|| row::latency(value));
            return given_once(is_new, metric);
        }
        (Some(rate), Statistic::Value | Statistic::Mean(_)) => match rate {
            metric::RateKind::Bandwidth => &mut row.reported.bandwidth,
            metric::RateKind::Iops => &mut row.reported.iops,
        },
        (_, statistic) => {
            let name = statistic.name(&metric.text);
            let is_new = row.reported.others.iter().all(|other| other.name != name);
            if is_new {
                let (value, unit) = unit.shown(value);
                row.reported.others.push(row::figure(&name, unit, value));
            }
            return given_once(is_new, metric);
        }
    };
    match rate_slot {
        Some(rate) if trial && !rate.trials.is_empty() => rate.trials.push(value),
        Some(_) => return given_once(false, metric),
        None => {
            let mut rate = row::rate(value, metric.statistic.kind());
            rate.trials.extend(trial.then_some(value));
            *rate_slot = Some(rate);
        }
    }
    Ok(())
}

fn given_once(is_new: bool, metric: &PublishedMetric) -> Result<(), Text> {
    match is_new {
        true => Ok(()),
        false => Err(text!("`{}` is given twice; the first counts", metric.text)),
    }
}

/// Tells once a run what was put right.
fn correct(run: &mut ImportedRun, unit: &PublishedUnit, value: f64) {
    if let Some(wrong) = unit.wrong.filter(|_| run.origin.corrections.is_empty()) {
        let correction = wrong.correction(&unit.text, value);
        run.origin.corrections.push(correction);
    }
}

#[cfg(test)]
mod tests;
