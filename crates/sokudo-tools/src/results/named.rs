//! Texts in which every figure stands behind its name, on a line of its own.

use sokudo_model::{Bytes, ImportedRow, ImportedRun, Operation, Order};
use sokudo_words::{Text, text};

use crate::results::row::{self, ROWS_MAX, WorkloadDescription, entry, figure};
use crate::results::text::{label, leave_out, lines};
use crate::results::wrong_unit::WrongUnit;
use crate::results::{Import, ImportError, number};

/// The head of mdtest's figures of one task each.
pub(crate) const PER_RANK: &str = "per Rank:";

/// What such a text of a tool holds.
pub(crate) struct NamedFigures {
    pub(crate) tool: &'static str,
    /// Beginnings of lines, one of which such a text has.
    pub(crate) marks: &'static [&'static str],
    /// What the first line of a run's figures begins with, where there is such a line.
    pub(crate) first: Option<&'static str>,
    /// What is in the lines that end them; where there are none, figures stand before the first, too.
    pub(crate) last: &'static [&'static str],
    pub(crate) settings: &'static [(&'static str, Setting)],
    pub(crate) figures: &'static [NamedFigure],
    /// A unit that it prints wrong.
    pub(crate) wrong: Option<(&'static str, WrongUnit)>,
    pub(crate) remark: Option<&'static str>,
}

/// What a line tells of the rows that follow it.
#[derive(Clone, Copy)]
pub(crate) enum Setting {
    Threads,
    Block,
    Order(Order),
    Target,
    /// The target is in brackets at the end.
    TargetInBrackets,
}

/// A figure by the name that its line begins with, and the number of its column behind it.
pub(crate) struct NamedFigure {
    name: &'static str,
    column: usize,
    row: &'static str,
    /// `None` where it is neither of sokudo's.
    operation: Option<Operation>,
    quantity: Quantity,
}

/// What a figure is, and how much its unit.
#[derive(Clone, Copy)]
pub(crate) enum Quantity {
    /// What it is in bytes per second.
    Bandwidth(f64),
    /// Its unit follows, which is of powers of 1024 whatever it is called.
    BinaryUnit,
    Iops,
    /// Nanoseconds of a mean latency.
    Latency(f64),
    /// Name and unit of what has no field.
    Other(&'static str, &'static str),
}

impl NamedFigures {
    pub(crate) fn recognise(&self, head: &str) -> bool {
        let is_mark = |text: &str| self.marks.iter().any(|mark| text.starts_with(mark));
        lines(head).any(|line| is_mark(line.text.trim_start()))
    }

    pub(crate) fn read(&self, text: &str) -> Result<Import, ImportError> {
        let (mut runs, mut left_out) = (Vec::new(), Vec::new());
        let (mut described, mut target) = (WorkloadDescription::new("", Bytes::kib(4)), None);
        let (mut is_open, mut count) = (self.last.is_empty(), 0);
        for line in lines(text) {
            let words = line.text.trim();
            let first = self.first.is_some_and(|it| words.starts_with(it));
            let last = self.last.iter().any(|it| words.contains(it));
            if last && is_open && words.contains(PER_RANK) {
                leave_out(&mut left_out, line.number, "figures per rank are not known");
            }
            is_open = first || (is_open && !last);
            if first || runs.is_empty() {
                runs.push(self.run());
            }
            for (name, setting) in self.settings {
                let Some(value) = words.strip_prefix(name) else {
                    continue;
                };
                let value = value.trim_start_matches([':', ' ']);
                described = match setting {
                    Setting::Threads => described.threads(number::depth(value)),
                    Setting::Block => {
                        described.block(number::block_with_unit(value.trim_end_matches("bytes")))
                    }
                    Setting::Order(order) => described.order(Some(*order)),
                    Setting::Target | Setting::TargetInBrackets => {
                        let is_whole = matches!(setting, Setting::Target);
                        let inner = value
                            .rsplit_once('(')
                            .map(|(_, it)| it.trim_end_matches(')'));
                        target = if is_whole {
                            label(value)
                        } else {
                            inner.and_then(label)
                        };
                        described
                    }
                };
            }
            let named = self
                .figures
                .iter()
                .filter(|it| is_open && words.starts_with(it.name));
            for named in named {
                count += 1;
                if count > ROWS_MAX {
                    let why = text!("there are more than {ROWS_MAX} figures; split the file");
                    leave_out(&mut left_out, line.number, why);
                    return Import::of(self.tool, runs, left_out, "");
                }
                let Some(run) = runs.last_mut() else { continue };
                run.target = row::target(target.clone().unwrap_or_default());
                if let Err(why) = named.add(run, &described, words) {
                    leave_out(&mut left_out, line.number, why);
                }
            }
        }
        runs.retain(|run: &ImportedRun| !run.rows.is_empty());
        runs.iter_mut().for_each(row::sum_up);
        Import::of(self.tool, runs, left_out, "no line in it is complete")
    }

    fn run(&self) -> ImportedRun {
        let mut run = row::run(self.tool, self.tool);
        let correction = self
            .wrong
            .map(|(unit, wrong)| wrong.correction(unit, 1_000.0));
        run.method = self.tool.to_owned();
        run.origin.corrections.extend(correction);
        run.origin.remarks.extend(self.remark.map(Text::from));
        run
    }
}

impl NamedFigure {
    pub(crate) const fn new(
        name: &'static str,
        column: usize,
        row: &'static str,
        operation: Option<Operation>,
        quantity: Quantity,
    ) -> Self {
        Self {
            name,
            column,
            row,
            operation,
            quantity,
        }
    }

    /// Adds the figure of a line; what is 0 was not measured.
    fn add(
        &self,
        run: &mut ImportedRun,
        described: &WorkloadDescription,
        line: &str,
    ) -> Result<(), Text> {
        let values = line[self.name.len()..].trim_start_matches([':', ' ']);
        let mut words = values.split_whitespace().skip(self.column);
        let number = words.next().map(|word| word.trim_start_matches('('));
        let (value, unit) = (number.and_then(number::number), words.next());
        let scale = match self.quantity {
            Quantity::BinaryUnit => unit.and_then(binary_scale),
            Quantity::Bandwidth(scale) | Quantity::Latency(scale) => Some(scale),
            Quantity::Iops | Quantity::Other(..) => Some(1.0),
        };
        let (Some(value), Some(scale)) = (value, scale) else {
            let line = label(line).unwrap_or_default();
            return Err(text!("`{line}` is not a possible figure"));
        };
        let (value, is_rate) = (value * scale, !matches!(self.quantity, Quantity::Other(..)));
        if !number::is_possible(value) || (is_rate && value == 0.0) {
            return Ok(());
        }
        let mut described = described.clone().operation(self.operation);
        described.workload.name = self.row.to_owned();
        let workload = &described.workload.clone();
        let is_it = |row: &ImportedRow| row.workload == *workload;
        let reported = &mut entry(&mut run.rows, is_it, || described.row()).reported;
        let rate = match self.quantity {
            Quantity::Bandwidth(_) | Quantity::BinaryUnit => &mut reported.bandwidth,
            Quantity::Iops => &mut reported.iops,
            Quantity::Latency(_) => {
                reported.latency.get_or_insert_with(|| row::latency(value));
                return Ok(());
            }
            Quantity::Other(name, unit) => {
                reported.others.push(figure(name, unit, value));
                return Ok(());
            }
        };
        let rate = rate.get_or_insert_with(|| row::rate(value, ""));
        rate.trials.push(value);
        Ok(())
    }
}

/// Bytes per second of `MB/s` where it means MiB/s.
fn binary_scale(unit: &str) -> Option<f64> {
    Some(match unit {
        "Byte/s" => 1.0,
        "KB/s" => 1_024.0,
        "MB/s" => 1_048_576.0,
        "GB/s" => 1_073_741_824.0,
        _ => return None,
    })
}
