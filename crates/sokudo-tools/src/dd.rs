//! What dd says at its end, in any language: GNU's, BSD's and busybox's.
//!
//! ```text
//! 1000+0 records in
//! 1000+0 records out
//! 1048576000 bytes (1.0 GB, 1000 MiB) copied, 5.60273 s, 187 MB/s
//! ```
//!
//! Of a log that was cut down to the last lines (`dd … 2>&1 | grep MB/s` in a loop) each is
//! a copy, but for the progress of `status=progress`, which counts whole seconds.
//!
//! The words differ from language to language; the numbers do not. The rate is computed
//! from bytes and seconds, because dd prints too few digits of it. dd does not say whether
//! it read or wrote; a command line kept above its output does.

use sokudo_model::{
    BackendKind, Bytes, DataContent, Durability, ImportedRun, Limits, Operation, Order, PlanPart,
};
use sokudo_words::{Text, text};

use crate::results::row::{self, LOAD, PACE, ROWS_MAX, WorkloadDescription, entry};
use crate::results::text::{self, Line, label, leave_out};
use crate::results::{Import, ImportError, LeftOut, Reader, Source, number};

const FORMAT: &str = "dd";
pub(crate) const READER: Reader = Reader::new(FORMAT, recognise, Source::Text(read));

/// What rows with `oflag=direct` or `iflag=direct` are called, as those of `quick`.
pub const DIRECT: &str = "direct (dd)";
/// What rows with `conv=fdatasync` or `conv=fsync` are called.
pub const FLUSHED: &str = "fdatasync (dd)";

/// dd's block where nothing is said.
const BLOCK_DEFAULT: Bytes = Bytes(512);

/// Whether it has dd's three lines one after the other, or its last line alone.
fn recognise(head: &str) -> bool {
    let mut log = DdLog::default();
    text::lines(head).any(|line| log.read(line) && !(log.copies.is_empty() && log.alone.is_empty()))
}

fn read(text: &str) -> Result<Import, ImportError> {
    let mut log = DdLog::default();
    for line in text::lines(text) {
        if !log.read(line) {
            break;
        }
    }
    log.end()
}

/// The copies so far, and what the next line may belong to.
#[derive(Default)]
struct DdLog {
    copies: Vec<Copy>,
    command: Option<DdCommand>,
    /// Whole blocks read, and whether there was a partial one; by the lines seen.
    records: Vec<(u64, u64)>,
    records_line: u64,
    /// Whether any records were told: where they are, a last line without them is progress.
    has_records: bool,
    /// Last lines without records.
    alone: Vec<Alone>,
    left_out: Vec<LeftOut>,
}

/// A last line that stands by itself.
struct Alone {
    line: u64,
    copy: Copy,
    /// Its seconds have no decimals, as those of progress.
    is_whole: bool,
}

/// One run of dd.
struct Copy {
    bytes: u64,
    seconds: f64,
    block: Option<Bytes>,
    command: Option<DdCommand>,
}

impl DdLog {
    /// Reads a line; `false` when there is too much.
    fn read(&mut self, line: Line<'_>) -> bool {
        if let Some(records) = records(line.text) {
            self.has_records = true;
            if self.records.is_empty() || self.records.len() == 2 {
                self.close();
                self.records_line = line.number;
            }
            self.records.push(records);
        } else if let Some((bytes, seconds)) = copied(line.text).filter(|_| self.records.len() == 2)
        {
            let block = self.block(bytes);
            self.records.clear();
            self.add(
                line.number,
                Copy {
                    bytes,
                    seconds,
                    block,
                    command: self.command.clone(),
                },
            );
        } else if let Some((bytes, seconds)) = copied(line.text).filter(|_| is_end(line.text)) {
            self.alone.push(Alone {
                line: line.number,
                copy: Copy {
                    bytes,
                    seconds,
                    block: None,
                    command: self.command.clone(),
                },
                is_whole: seconds.fract() == 0.0,
            });
        } else if let Some(command) = DdCommand::read(line.text) {
            self.close();
            self.command = Some(command);
        }
        if self.copies.len().max(self.alone.len()) < ROWS_MAX {
            return true;
        }
        let why = text!("there are more than {ROWS_MAX} copies; split the file");
        leave_out(&mut self.left_out, line.number, why);
        false
    }

    /// The size of a block, where all that were written were whole.
    fn block(&self, bytes: u64) -> Option<Bytes> {
        let [(whole_in, 0), (whole_out, 0)] = self.records[..] else {
            return None;
        };
        let is_exact = whole_out > 0 && whole_in == whole_out && bytes.is_multiple_of(whole_out);
        is_exact.then(|| Bytes(bytes / whole_out))
    }

    fn add(&mut self, line: u64, copy: Copy) {
        let is_rate = copy.bytes > 0 && copy.seconds > 0.0;
        match is_rate && copy.rate().is_some() {
            true => self.copies.push(copy),
            false => leave_out(
                &mut self.left_out,
                line,
                text!("{} bytes in {} s are no rate", copy.bytes, copy.seconds),
            ),
        }
    }

    /// Records without what was copied.
    fn close(&mut self) {
        if !self.records.is_empty() {
            self.records.clear();
            leave_out(
                &mut self.left_out,
                self.records_line,
                "records without the bytes and seconds that follow them: dd was stopped, or this \
                 dd does not report them",
            );
        }
    }

    /// What last lines without records are: copies where nothing has records.
    fn settle_alone(&mut self) {
        let mut alone = std::mem::take(&mut self.alone).into_iter().peekable();
        while let Some(one) = alone.next() {
            let is_followed = alone.peek().is_some_and(|next| {
                one.is_whole
                    && next.copy.bytes >= one.copy.bytes
                    && next.copy.seconds >= one.copy.seconds
            });
            let why = match (self.has_records, is_followed) {
                (false, false) => {
                    self.add(one.line, one.copy);
                    continue;
                }
                (false, true) => {
                    "dd's progress (whole seconds), not its end: the copy goes on in the next line"
                }
                (true, _) => {
                    "dd's last line without the records before it, in a text where others have \
                     them: it is progress, or a copy that was cut; import it from a file of its own"
                }
            };
            leave_out(&mut self.left_out, one.line, why);
        }
    }

    fn end(mut self) -> Result<Import, ImportError> {
        self.close();
        self.settle_alone();
        let mut runs: Vec<ImportedRun> = Vec::new();
        for copy in self.copies {
            let target = copy.command.as_ref().and_then(DdCommand::target);
            let target = target.unwrap_or_default();
            let is_it = |run: &ImportedRun| run.target.name == target;
            let run = entry(&mut runs, is_it, || new_run(&target, copy.command.as_ref()));
            let remark = copy.command.as_ref().and_then(DdCommand::page_cache);
            let remark = remark.filter(|remark| !run.origin.remarks.contains(remark));
            run.origin.remarks.extend(remark);
            copy.add_to(run);
        }
        runs.iter_mut().for_each(row::sum_up);
        let nothing = "no copy in it is complete";
        Import::of(FORMAT, runs, self.left_out, nothing)
    }
}

fn new_run(target: &str, command: Option<&DdCommand>) -> ImportedRun {
    let mut run = ImportedRun {
        method: "copy".to_owned(),
        command: command.map(|command| command.text.clone()),
        target: row::target(target),
        ..row::run("dd", FORMAT)
    };
    if command.is_none() {
        run.origin.remarks.push(
            "dd does not say what it copied: whether this was read or written, and where, \
             is not known"
                .into(),
        );
    }
    run
}

impl Copy {
    fn rate(&self) -> Option<f64> {
        let rate = number::float(self.bytes) / self.seconds;
        number::is_possible(rate).then_some(rate)
    }

    fn add_to(self, run: &mut ImportedRun) {
        let Some(rate) = self.rate() else {
            return;
        };
        let block = self.block.or_else(|| self.command.as_ref()?.block);
        let mut description = WorkloadDescription::new("copy", BLOCK_DEFAULT)
            .block(block)
            .parts(LOAD)
            .parts(PACE)
            .parts(&[PlanPart::Backend, PlanPart::Duration]);
        description.workload.backend = BackendKind::Sync;
        description.workload.limits = Limits::of_bytes(Bytes(self.bytes));
        if let Some(command) = &self.command {
            description = command.apply(description);
        }
        row::add_trial(run, description, rate);
    }
}

/// A command line of dd, as a terminal shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct DdCommand {
    text: String,
    input: Option<String>,
    output: Option<String>,
    block: Option<Bytes>,
    direct: bool,
    durability: Durability,
}

impl DdCommand {
    /// `$ dd if=/dev/zero of=file bs=1M oflag=direct`.
    fn read(line: &str) -> Option<Self> {
        let (before, rest) = line.split_once("dd ")?;
        let is_word = !before.ends_with(|sign: char| sign.is_alphanumeric() || sign == '-');
        let operands: Vec<(&str, &str)> = rest
            .split_whitespace()
            .filter_map(|word| word.split_once('='))
            .collect();
        let names_a_file = operands
            .iter()
            .any(|(name, _)| matches!(*name, "if" | "of"));
        if !is_word || !names_a_file {
            return None;
        }
        let mut command = Self {
            text: label(&format!("dd {rest}"))?,
            ..Self::default()
        };
        for (name, value) in operands {
            command.read_operand(name, value);
        }
        Some(command)
    }

    fn read_operand(&mut self, name: &str, value: &str) {
        let has = |flag: &str| value.split(',').any(|word| word == flag);
        match name {
            "if" => self.input = label(value),
            "of" => self.output = label(value),
            "bs" => self.block = value.parse().ok().filter(|Bytes(bytes)| *bytes > 0),
            "iflag" => self.direct |= has("direct"),
            "oflag" => {
                self.direct |= has("direct");
                self.durability.write_through |= has("dsync") || has("sync");
                self.durability.with_metadata |= has("sync");
            }
            "conv" => self.durability.final_flush |= has("fsync") || has("fdatasync"),
            _ => {}
        }
    }

    /// What is measured: the side that is not memory.
    fn target(&self) -> Option<String> {
        let is_storage = |path: &&String| !is_memory(path);
        let output = self.output.as_ref().filter(is_storage);
        output.or(self.input.as_ref().filter(is_storage)).cloned()
    }

    /// Whether it read or wrote.
    fn operation(&self) -> Option<Operation> {
        let is_memory = |side: &Option<String>| side.as_ref().is_some_and(|path| is_memory(path));
        match (is_memory(&self.input), is_memory(&self.output)) {
            (false, true) => Some(Operation::Read),
            (true, false) => Some(Operation::Write),
            // From disk to disk it is both, from memory to memory neither.
            _ => None,
        }
    }

    /// Why its figure may be that of memory.
    fn page_cache(&self) -> Option<Text> {
        let is_durable = self.durability.write_through || self.durability.final_flush;
        Some(match self.operation().filter(|_| !self.direct)? {
            Operation::Write if is_durable => return None,
            Operation::Write => text!(
                "dd wrote without oflag=direct, oflag=dsync or conv=fdatasync: it may have ended before the data was on the disk"
            ),
            _ => text!(
                "dd read without iflag=direct: what was in the page cache did not come from the disk"
            ),
        })
    }

    /// What the command line tells of the workload.
    fn apply(&self, mut description: WorkloadDescription) -> WorkloadDescription {
        let Some(operation) = self.operation() else {
            return description;
        };
        let reads = operation == Operation::Read;
        let is_zero = self.input.as_deref() == Some("/dev/zero");
        // What `quick` does in the same way has one name, so that both are compared.
        let rule = self.durability;
        let name = match (self.direct, rule.final_flush, rule.write_through) {
            (true, false, false) => DIRECT,
            (false, true, false) if !reads => FLUSHED,
            _ if reads => "read",
            _ => "write",
        };
        name.clone_into(&mut description.workload.name);
        description.workload.durability = self.durability;
        if is_zero {
            description.workload.data = DataContent::Zero;
        }
        description
            .operation(Some(operation))
            .order(Some(Order::SEQUENTIAL))
            .direct(Some(self.direct))
            .parts(&[PlanPart::Durability])
            .parts_if(is_zero || reads, &[PlanPart::Data])
    }
}

/// Whether a path is no storage.
fn is_memory(path: &str) -> bool {
    matches!(
        path,
        "/dev/null" | "/dev/zero" | "/dev/urandom" | "/dev/random"
    )
}

/// Whole and partial blocks of `1000+0 records in`, in any language: Chinese has words before
/// them, without a blank between.
fn records(line: &str) -> Option<(u64, u64)> {
    let (before, rest) = line.trim().split_once('+')?;
    let (word, whole) = before.split_at(before.trim_end_matches(is_digit).len());
    let (partial, words) = rest.split_at(rest.find(|sign| !is_digit(sign))?);
    let is_letter = |sign: char| sign.is_alphabetic() && !sign.is_ascii();
    let is_word = |text: &str| text.trim().chars().all(is_letter);
    let begins = words.trim_start().starts_with(char::is_alphabetic);
    if !is_word(word) || !begins || !words.starts_with(char::is_whitespace) {
        return None;
    }
    Some((whole.parse().ok()?, partial.parse().ok()?))
}

const fn is_digit(sign: char) -> bool {
    sign.is_ascii_digit()
}

/// Bytes and seconds of dd's last line: the first two numbers that stand in no brackets.
/// Ukrainian has a word before the first, Chinese none between number and word.
fn copied(line: &str) -> Option<(u64, f64)> {
    let line = line.trim().trim_start_matches("скопійовано ");
    let (bytes, rest) = line.split_at(line.find(|sign| !is_digit(sign))?);
    let bytes = bytes.parse::<u64>().ok()?;
    if !rest.starts_with(|sign: char| sign.is_whitespace() || sign.is_alphabetic()) {
        return None;
    }
    let rest = match (rest.split_once('('), rest.split_once(')')) {
        // BSD has only the rate in brackets, at the end.
        (Some((before, _)), _) if before.contains(|sign: char| sign.is_ascii_digit()) => before,
        (Some(_), Some((_, after))) => after,
        _ => rest,
    };
    let start = rest.find(|sign: char| sign.is_ascii_digit())?;
    let number = &rest[start..];
    let end = number
        .find(|sign: char| !(sign.is_ascii_digit() || matches!(sign, '.' | ',' | 'e' | '-' | '+')))
        .unwrap_or(number.len());
    number::seconds(number[..end].trim_end_matches([',', '.'])).map(|seconds| (bytes, seconds))
}

/// Whether a line begins with bytes in words and ends with a rate, as dd's last one. Only of
/// sizes below 1000 bytes has it nothing in brackets.
fn is_end(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_counted = words.nth(1).is_some_and(|word| {
        let mut letters = word.chars();
        letters.all(char::is_alphabetic)
    });
    let is_copied = line.contains('(') || line.contains("copied, ");
    let last = line.trim_end();
    is_counted && is_copied && (last.ends_with("B/s") || last.ends_with("bytes/sec)"))
}

#[cfg(test)]
mod tests;
