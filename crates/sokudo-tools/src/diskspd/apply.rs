//! What each option changes.

use sokudo_model::{Bytes, Nanos, narrow};

use crate::diskspd::session::{
    DiskspdContent, DiskspdLayout, DiskspdProfile, DiskspdSpan, DiskspdTarget, DiskspdThroughput,
    DiskspdWriteThrough,
};
use crate::language::limits::{DEPTH_MAX_IO_URING, THREADS_MAX};

use super::error::{DiskspdError, DiskspdProblem};
use super::options::{DiskspdOption, DiskspdSupport, OptionOrigin};
use super::scan::{DiskspdCommandLine, WrittenOption};
use super::value;

/// What has been asked for so far.
#[derive(Debug, Default)]
pub(super) struct AppliedOptions {
    pub(super) span: DiskspdSpan,
    /// What all targets of the line are like.
    pub(super) target: DiskspdTarget,
    /// What is asked of all time spans.
    pub(super) profile: DiskspdProfile,
    pub(super) profile_only: bool,
    pub(super) layout: Option<DiskspdLayout>,
    /// An option was used that only Windows' diskspd has.
    pub(super) windows: bool,
    /// `-X`: option that names an XML profile.
    pub(super) xml: Option<WrittenOption>,
    pub(super) notes: Vec<String>,
    /// Every option as written, by its key.
    given: Vec<(&'static str, WrittenOption)>,
}

/// Letters that are an option by themselves, whatever follows.
const LETTERS: &str = "bBcCdDeFghijlLnoOpPstTwWXyz";

const SECONDS: &str = "whole seconds, such as 10";
const THREADS: &str = "a number of threads from 1 to 256";
const REQUESTS: &str = "a number of I/Os from 1 to 32767";

impl AppliedOptions {
    /// Takes one option in.
    pub(super) fn apply(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        let value = option.value.as_str();
        if LETTERS.contains(option.letter) {
            self.take(option.letter.encode_utf8(&mut [0; 4]), option)?;
        }
        match option.letter {
            'a' => self.affinity(option)?,
            'B' => self.base(option)?,
            'c' => self.target.create = Some(above_zero(option, self.size(option, value)?)?),
            'C' => self.span.cooldown_s = within(option, 0, u32::MAX, SECONDS)?,
            'd' => self.span.duration_s = within(option, 1, u32::MAX, "whole seconds above 0")?,
            'D' => self.deviation(option)?,
            'f' => self.end_or_hints(option)?,
            'F' => self.span.thread_count = within(option, 1, THREADS_MAX, THREADS)?,
            'g' => self.throughput(option)?,
            'h' => self.set("Sh", option)?,
            'i' => self.target.burst = within(option, 1, u32::MAX, "a number of I/Os above 0")?,
            'I' if value == "3" => self.windows = true,
            'I' => self.take("I", option)?,
            'j' => {
                self.target.think_ms = within(option, 1, u32::MAX, "whole milliseconds above 0")?;
            }
            'l' => self.target.large_pages = true,
            'L' => self.span.measure_latency = true,
            'n' => self.span.disable_affinity = true,
            'o' => self.target.requests = within(option, 1, DEPTH_MAX_IO_URING, REQUESTS)?,
            'O' => self.span.request_count = within(option, 1, DEPTH_MAX_IO_URING, REQUESTS)?,
            'p' => self.target.parallel = true,
            'P' => {
                self.profile.progress = value::number_within(value, 1, u32::MAX).unwrap_or(65_536)
            }
            'r' => self.random(option)?,
            'R' => self.results(option)?,
            's' => self.sequential(option)?,
            'S' if value.is_empty() => self.letters(option, "u", "")?,
            'S' => self.letters(
                option,
                value,
                "letters of b, h, m, u and w, or d, s and h of Linux",
            )?,
            'N' => self.letter(option, &value.to_ascii_lowercase(), "one of v, n and i")?,
            't' => self.target.threads = within(option, 1, THREADS_MAX, THREADS)?,
            'T' => self.target.thread_stride = self.size(option, value)?,
            'v' => {
                self.profile.verbose = true;
                self.take(if value == "s" { "vs" } else { "v" }, option)?;
            }
            'w' => self.target.write_percent = write_percent(option)?,
            'W' => self.span.warmup_s = within(option, 0, u32::MAX, SECONDS)?,
            'x' if value.is_empty() => {
                self.span.completion_routines = true;
                self.take("x", option)?;
            }
            'x' => self.letter(option, value, "k, p or nothing")?,
            'X' => self.xml = Some(option.clone()),
            'z' => self.seed(option)?,
            'Z' => self.content(option)?,
            // Read before all others, or refused by the table.
            'b' | 'e' | 'y' => {}
            _ => return Err(DiskspdError::new(&option.text, DiskspdProblem::Unknown)),
        }
        Ok(())
    }

    /// Looks an option up in the table: refuses it or notes what is to be noted.
    pub(super) fn take(&mut self, key: &str, option: &WrittenOption) -> Result<(), DiskspdError> {
        let row = DiskspdOption::of(key)
            .ok_or_else(|| DiskspdError::new(&option.text, DiskspdProblem::Unknown))?;
        if let DiskspdSupport::Refused(needs) = row.support {
            let problem = DiskspdProblem::Refused { needs };
            return Err(DiskspdError::new(&option.text, problem));
        }
        if let DiskspdSupport::NoEffect(reason) = row.support {
            self.notes
                .push(format!("{} changes nothing: {reason}.", option.text));
        }
        if self.given(key).is_some() && key != "v" {
            self.notes.push(format!(
                "{} is given again; the last one counts.",
                option.text
            ));
        }
        self.windows |= row.origin == OptionOrigin::Windows;
        self.given.push((row.key, option.clone()));
        Ok(())
    }

    fn given(&self, key: &str) -> Option<&WrittenOption> {
        let found = self.given.iter().rfind(|(given, _)| *given == key);
        found.map(|(_, option)| option)
    }

    fn size(&self, option: &WrittenOption, text: &str) -> Result<Bytes, DiskspdError> {
        let size = value::size(text, self.target.block.0).map(Bytes);
        size.ok_or_else(|| bad(option, "a size such as 4096, 64K, 1G or 10b (blocks)"))
    }

    fn base(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        let (base, length) = match option.value.split_once(':') {
            Some((base, length)) => (base, Some(above_zero(option, self.size(option, length)?)?)),
            None => (option.value.as_str(), None),
        };
        self.target.base = self.size(option, base)?;
        if let Some(length) = length {
            let end = self.target.base.0.checked_add(length.0);
            let end = end.ok_or_else(|| bad(option, "sizes that add up below 16 EiB"))?;
            self.target.max = Some(Bytes(end));
        }
        Ok(())
    }

    /// `-f<size>` is where use ends, `-frst` are hints.
    fn end_or_hints(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        let letters = &option.value;
        if letters.is_empty() || !letters.chars().all(|letter| "rst".contains(letter)) {
            self.take("f", option)?;
            let size = self.size(option, letters);
            let size = size.and_then(|size| above_zero(option, size));
            let expected = "a size above 0, or hints: letters of r, s and t";
            self.target.max = Some(size.map_err(|_| bad(option, expected))?);
            return Ok(());
        }
        self.letters(option, letters, "")
    }

    fn deviation(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        let milliseconds = match option.value.as_str() {
            "" | "0" => 1_000,
            _ => {
                let expected = "whole milliseconds above 0, such as 1000";
                within(option, 1, u32::MAX, expected)?
            }
        };
        self.span.iops_interval = Some(Nanos::from_millis(u64::from(milliseconds)));
        Ok(())
    }

    fn throughput(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        let throughput = match option.value.strip_suffix('i') {
            Some(number) => {
                self.windows = true;
                value::number(number).map(DiskspdThroughput::Iops)
            }
            None => value::size(&option.value, self.target.block.0)
                // A millisecond's bytes become a second's.
                .filter(|bytes| bytes.checked_mul(1_000).is_some())
                .map(DiskspdThroughput::BytesPerMillisecond),
        };
        let nothing = [
            DiskspdThroughput::Iops(0),
            DiskspdThroughput::BytesPerMillisecond(0),
        ];
        let throughput = throughput.filter(|throughput| !nothing.contains(throughput));
        let expected = "bytes per millisecond above 0, or I/Os per second with an i, such as 500i";
        self.target.throughput = Some(throughput.ok_or_else(|| bad(option, expected))?);
        Ok(())
    }

    fn results(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        if option.value == "linux" {
            self.layout = Some(DiskspdLayout::Linux);
            return self.take("Rlinux", option);
        }
        self.take("R", option)?;
        let format = match option.value.strip_prefix('p') {
            Some(format) => {
                self.profile_only = true;
                format
            }
            None => &option.value,
        };
        self.layout = match format {
            "xml" => Some(DiskspdLayout::Xml),
            "text" => Some(DiskspdLayout::Windows),
            "" if self.profile_only => self.layout,
            _ => {
                return Err(bad(
                    option,
                    "text, xml or linux, with p before it for the profile alone",
                ));
            }
        };
        Ok(())
    }

    fn seed(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        self.span.random_seed = option.value.is_empty();
        if !option.value.is_empty() {
            let seed = value::number(&option.value);
            self.span.seed = seed.ok_or_else(|| bad(option, "a whole number, or nothing"))?;
        }
        Ok(())
    }

    /// What can only be told once all options are known.
    pub(super) fn settle(&mut self) -> Result<(), DiskspdError> {
        for (key, other, way_out) in CONFLICTS {
            if let (Some(option), Some(_)) = (self.given(&key[1..]), self.given(&other[1..])) {
                let problem = DiskspdProblem::Conflict { other, way_out };
                return Err(DiskspdError::new(&option.text, problem));
            }
        }
        if let (Some(option), None) = (self.given("O"), self.given("F")) {
            let problem = DiskspdProblem::Alone {
                other: "-F<threads>",
            };
            return Err(DiskspdError::new(&option.text, problem));
        }
        // FILE_FLAG_WRITE_THROUGH leaves times of change to later, O_SYNC does not.
        if self.windows && self.target.write_through == DiskspdWriteThrough::DataAndMetadata {
            let linux = self.given("Ss").is_some();
            self.target.write_through = match linux {
                true => DiskspdWriteThrough::DataAndMetadata,
                false => DiskspdWriteThrough::Data,
            };
        }
        self.span.random_write_data = self.target.content == DiskspdContent::Random;
        Ok(())
    }

    /// A profile of XML with what may be given beside `-X`: `-R`, `-v`, `-z`, `-d`, `-W`, `-C`.
    pub(super) fn compose(
        &mut self,
        mut profile: DiskspdProfile,
        line: &DiskspdCommandLine,
    ) -> Result<DiskspdProfile, DiskspdError> {
        let alien = line.options.iter().find(|o| !"XRvzdWC".contains(o.letter));
        if let Some(option) = alien {
            let way_out = "put it into the profile; only -R, -v, -z, -d, -W and -C go beside -X";
            let problem = DiskspdProblem::Conflict {
                other: "-X",
                way_out,
            };
            return Err(DiskspdError::new(&option.text, problem));
        }
        profile.verbose |= self.profile.verbose;
        for span in &mut profile.spans {
            if self.given("z").is_some() {
                (span.seed, span.random_seed) = (self.span.seed, self.span.random_seed);
            }
            if self.given("d").is_some() {
                span.duration_s = self.span.duration_s;
            }
            if self.given("W").is_some() {
                span.warmup_s = self.span.warmup_s;
            }
            if self.given("C").is_some() {
                span.cooldown_s = self.span.cooldown_s;
            }
        }
        Ok(profile)
    }
}

/// Options that contradict each other, and what to do about it.
const CONFLICTS: [(&str, &str, &str); 9] = [
    (
        "-t",
        "-F",
        "keep -t (threads per target) or -F (threads in all)",
    ),
    ("-n", "-a", "leave out one of them"),
    ("-n", "-ag", "leave out one of them"),
    ("-s", "-r", "-s is for sequential I/O, -r for random I/O"),
    ("-s", "-rs", "give the alignment of -rs with -r"),
    ("-Sb", "-Su", "the page cache is used or not"),
    ("-Sb", "-Sd", "the page cache is used or not"),
    ("-Sb", "-Sh", "the page cache is used or not"),
    ("-Zz", "-Zr", "writes are zeros or random"),
];

fn within(
    option: &WrittenOption,
    least: u32,
    most: u32,
    expected: &'static str,
) -> Result<u32, DiskspdError> {
    let number = value::number_within(&option.value, least, most);
    number.ok_or_else(|| bad(option, expected))
}

fn above_zero(option: &WrittenOption, size: Bytes) -> Result<Bytes, DiskspdError> {
    let size = Some(size).filter(|size| size.0 > 0);
    size.ok_or_else(|| bad(option, "a size above 0"))
}

fn write_percent(option: &WrittenOption) -> Result<u8, DiskspdError> {
    if option.value.is_empty() {
        return Ok(0);
    }
    within(option, 0, 100, "a percentage of writes from 0 to 100").map(narrow)
}

pub(super) fn bad(option: &WrittenOption, expected: &'static str) -> DiskspdError {
    let problem = match option.value.is_empty() {
        true => DiskspdProblem::Missing { expected },
        false => DiskspdProblem::Bad { expected },
    };
    DiskspdError::new(&option.text, problem)
}
