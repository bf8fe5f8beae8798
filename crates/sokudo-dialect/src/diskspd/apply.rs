//! What each option changes.

use sokudo_model::Bytes;
use sokudo_model::Nanos;
use sokudo_model::diskspd::{
    DiskspdContent, DiskspdLayout, DiskspdProfile, DiskspdSpan, DiskspdTarget, DiskspdThroughput,
    DiskspdWriteThrough,
};

use super::error::{DiskspdError, DiskspdProblem};
use super::options::{DiskspdOption, DiskspdSupport, OptionOrigin};
use super::scan::{DiskspdCommandLine, WrittenOption};
use super::value;
use crate::crystal::{DEPTH_MAX_IO_URING, THREADS_MAX};

/// What has been asked for so far.
#[derive(Debug)]
pub(super) struct AppliedOptions {
    pub(super) span: DiskspdSpan,
    /// What all targets of the line are like.
    pub(super) target: DiskspdTarget,
    pub(super) verbose: bool,
    pub(super) progress: u32,
    pub(super) profile_only: bool,
    pub(super) layout: Option<DiskspdLayout>,
    /// An option was used that only Windows' diskspd has.
    pub(super) windows: bool,
    /// `-X`.
    pub(super) xml: Option<WrittenOption>,
    pub(super) notes: Vec<String>,
    /// Every option as written, by its key.
    given: Vec<(&'static str, WrittenOption)>,
}

impl Default for AppliedOptions {
    fn default() -> Self {
        Self {
            span: DiskspdSpan::default(),
            target: DiskspdTarget::new(""),
            verbose: false,
            progress: 0,
            profile_only: false,
            layout: None,
            windows: false,
            xml: None,
            notes: Vec::new(),
            given: Vec::new(),
        }
    }
}

impl AppliedOptions {
    /// Takes one option in.
    pub(super) fn apply(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        match option.letter {
            'a' => self.affinity(option),
            'b' | 'B' | 'c' | 'f' | 'T' => self.place(option),
            'C' | 'd' | 'D' | 'W' => self.time(option),
            'F' | 'i' | 'j' | 'o' | 'O' | 't' | 'w' | 'P' => self.count(option),
            'g' => self.throughput(option),
            'h' | 'l' | 'L' | 'n' | 'p' | 'v' => self.flag(option),
            'r' => self.random(option),
            's' => self.sequential(option),
            'S' | 'N' => self.caching(option),
            'R' => self.results(option),
            'x' => self.engine(option),
            'X' => {
                self.take("X", option)?;
                self.xml = Some(option.clone());
                Ok(())
            }
            'z' => self.seed(option),
            'Z' => self.content(option),
            'I' if option.value == "3" => {
                self.windows = true;
                Ok(())
            }
            'e' => self.take("e", option),
            'I' => self.take("I", option),
            'y' => self.take("y", option),
            _ => Err(DiskspdError::new(&option.text, DiskspdProblem::Unknown)),
        }
    }

    /// Looks an option up in the table: refuses it or notes what is to be noted.
    pub(super) fn take(
        &mut self,
        key: &'static str,
        option: &WrittenOption,
    ) -> Result<(), DiskspdError> {
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
        self.given.push((key, option.clone()));
        Ok(())
    }

    fn given(&self, key: &str) -> Option<&WrittenOption> {
        let found = self.given.iter().rfind(|(given, _)| *given == key);
        found.map(|(_, option)| option)
    }

    fn place(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        let block = self.target.block.0;
        let size = |text: &str| {
            value::size(text, block)
                .ok_or_else(|| bad(option, "a size such as 4096, 64K, 1G or 10b (blocks)"))
        };
        let above_zero = |bytes: u64| match bytes {
            0 => Err(bad(option, "a size above 0")),
            bytes => Ok(bytes),
        };
        match option.letter {
            // Read before all others.
            'b' => self.take("b", option),
            'B' => {
                self.take("B", option)?;
                let (base, length) = match option.value.split_once(':') {
                    Some((base, length)) => (base, Some(above_zero(size(length)?)?)),
                    None => (option.value.as_str(), None),
                };
                let base = size(base)?;
                self.target.base = Bytes(base);
                if let Some(length) = length {
                    let end = base.checked_add(length);
                    let end = end.ok_or_else(|| bad(option, "sizes that add up below 16 EiB"))?;
                    self.target.max = Some(Bytes(end));
                }
                Ok(())
            }
            'c' => {
                self.take("c", option)?;
                self.target.create = Some(Bytes(above_zero(size(&option.value)?)?));
                Ok(())
            }
            'T' => {
                self.take("T", option)?;
                self.target.thread_stride = Bytes(size(&option.value)?);
                Ok(())
            }
            _ => self.end_or_hints(option, above_zero(size(&option.value).unwrap_or(0))),
        }
    }

    /// `-f<size>` is where use ends, `-frst` are hints.
    fn end_or_hints(
        &mut self,
        option: &WrittenOption,
        size: Result<u64, DiskspdError>,
    ) -> Result<(), DiskspdError> {
        let letters = &option.value;
        if letters.is_empty() || !letters.chars().all(|letter| "rst".contains(letter)) {
            self.take("f", option)?;
            let expected = "a size above 0, or hints: letters of r, s and t";
            self.target.max = Some(Bytes(size.map_err(|_| bad(option, expected))?));
            return Ok(());
        }
        for letter in letters.chars() {
            let (key, hint) = match letter {
                'r' => ("fr", &mut self.target.random_hint),
                's' => ("fs", &mut self.target.sequential_hint),
                _ => ("ft", &mut self.target.temporary_hint),
            };
            *hint = true;
            self.take(key, option)?;
        }
        Ok(())
    }

    fn time(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        let seconds = |least| {
            value::number_within(&option.value, least, u32::MAX)
                .ok_or_else(|| bad(option, "whole seconds, such as 10"))
        };
        match option.letter {
            'C' => {
                self.take("C", option)?;
                self.span.cooldown_s = seconds(0)?;
            }
            'd' => {
                self.take("d", option)?;
                self.span.duration_s =
                    seconds(1).map_err(|_| bad(option, "whole seconds above 0"))?;
            }
            'W' => {
                self.take("W", option)?;
                self.span.warmup_s = seconds(0)?;
            }
            _ => {
                self.take("D", option)?;
                let milliseconds = match option.value.as_str() {
                    "" | "0" => Some(1_000),
                    text => value::number_within(text, 1, u32::MAX),
                };
                let milliseconds = milliseconds
                    .ok_or_else(|| bad(option, "whole milliseconds above 0, such as 1000"))?;
                self.span.iops_interval = Some(Nanos::from_millis(u64::from(milliseconds)));
            }
        }
        Ok(())
    }

    fn count(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        let within = |most: u32, expected| {
            value::number_within(&option.value, 1, most).ok_or_else(|| bad(option, expected))
        };
        let threads = || within(THREADS_MAX, "a number of threads from 1 to 256");
        let requests = || within(DEPTH_MAX_IO_URING, "a number of I/Os from 1 to 32767");
        match option.letter {
            'F' => {
                self.take("F", option)?;
                self.span.thread_count = threads()?;
            }
            't' => {
                self.take("t", option)?;
                self.target.threads = threads()?;
            }
            'o' => {
                self.take("o", option)?;
                self.target.requests = requests()?;
            }
            'O' => {
                self.take("O", option)?;
                self.span.request_count = requests()?;
            }
            'i' => {
                self.take("i", option)?;
                self.target.burst = within(u32::MAX, "a number of I/Os above 0")?;
            }
            'j' => {
                self.take("j", option)?;
                self.target.think_ms = within(u32::MAX, "whole milliseconds above 0")?;
            }
            'P' => {
                self.take("P", option)?;
                self.progress = value::number_within(&option.value, 1, u32::MAX).unwrap_or(65_536);
            }
            _ => {
                self.take("w", option)?;
                let text = if option.value.is_empty() {
                    "0"
                } else {
                    &option.value
                };
                let percent = value::number_within(text, 0, 100).and_then(|p| u8::try_from(p).ok());
                self.target.write_percent =
                    percent.ok_or_else(|| bad(option, "a percentage of writes from 0 to 100"))?;
            }
        }
        Ok(())
    }

    fn throughput(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        self.take("g", option)?;
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

    fn flag(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        match option.letter {
            'h' => {
                self.take("h", option)?;
                self.unbuffered(option)?;
                self.write_through(option, DiskspdWriteThrough::DataAndMetadata)
            }
            'l' => {
                self.target.large_pages = true;
                self.take("l", option)
            }
            'L' => {
                self.span.measure_latency = true;
                self.take("L", option)
            }
            'n' => {
                self.span.disable_affinity = true;
                self.take("n", option)
            }
            'p' => {
                self.target.parallel = true;
                self.take("p", option)
            }
            _ if option.value == "s" => {
                self.verbose = true;
                self.take("vs", option)
            }
            _ => {
                self.verbose = true;
                self.take("v", option)
            }
        }
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
        self.take("z", option)?;
        self.span.random_seed = option.value.is_empty();
        if !option.value.is_empty() {
            let seed = value::number(&option.value);
            self.span.seed = seed.ok_or_else(|| bad(option, "a whole number, or nothing"))?;
        }
        Ok(())
    }

    /// What can only be told once all options are known.
    pub(super) fn settle(&mut self) -> Result<(), DiskspdError> {
        self.conflict(
            "t",
            "F",
            "keep -t (threads per target) or -F (threads in all)",
        )?;
        self.conflict("n", "a", "leave out one of them")?;
        self.conflict("n", "ag", "leave out one of them")?;
        self.conflict("s", "r", "-s is for sequential I/O, -r for random I/O")?;
        self.conflict("s", "rs", "give the alignment of -rs with -r")?;
        self.conflict("Sb", "Su", "the page cache is used or not")?;
        self.conflict("Sb", "Sd", "the page cache is used or not")?;
        self.conflict("Sb", "Sh", "the page cache is used or not")?;
        self.conflict("Zz", "Zr", "writes are zeros or random")?;
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

    fn conflict(
        &self,
        key: &str,
        other: &'static str,
        way_out: &'static str,
    ) -> Result<(), DiskspdError> {
        let (Some(option), Some(_)) = (self.given(key), self.given(other)) else {
            return Ok(());
        };
        let other = match other {
            "F" => "-F",
            "a" | "ag" => "-a",
            "r" => "-r",
            "rs" => "-rs",
            "Zr" => "-Zr",
            _ => "an option that bypasses it",
        };
        let problem = DiskspdProblem::Conflict { other, way_out };
        Err(DiskspdError::new(&option.text, problem))
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
        profile.verbose |= self.verbose;
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

pub(super) fn bad(option: &WrittenOption, expected: &'static str) -> DiskspdError {
    let problem = match option.value.is_empty() {
        true => DiskspdProblem::Missing { expected },
        false => DiskspdProblem::Bad { expected },
    };
    DiskspdError::new(&option.text, problem)
}
