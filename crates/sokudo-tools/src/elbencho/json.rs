//! elbencho's JSON (`--jsonfile`): one value per phase, one after the other.

use std::io::BufRead;

use serde::Deserialize;
use sokudo_model::{Bytes, Nanos};
use sokudo_words::text;

use super::{ElbenchoDirection, ElbenchoPhase, import};
use crate::results::lenient::{LenientNumber, LenientText};
use crate::results::number::{date_time, whole};
use crate::results::text::{self, leave_out};
use crate::results::{Import, ImportError, Reader};

pub(crate) const READER: Reader = Reader {
    format: "elbencho JSON",
    recognise,
    read,
};

/// A file of more phases is no result.
const PHASES_MAX: usize = 20_000;

fn recognise(head: &str) -> bool {
    head.trim_start().starts_with('{')
        && head.contains("\"phase_type\"")
        && head.contains("\"config\"")
}

fn read(source: &mut dyn BufRead) -> Result<Import, ImportError> {
    let text = text::whole(READER.format, source)?;
    let mut left_out = Vec::new();
    let mut phases = Vec::new();
    let mut values = serde_json::Deserializer::from_str(&text).into_iter::<ElbenchoResult>();
    let mut line = Lines::new(&text);
    while let Some(value) = values.next() {
        let number = line.number_at(values.byte_offset());
        match value {
            Ok(_) if phases.len() >= PHASES_MAX => {
                let why = text!("this phase and what follows: at most {PHASES_MAX} are read");
                leave_out(&mut left_out, number, why);
                break;
            }
            Ok(told) => phases.push((number, told.phase())),
            Err(error) => {
                let why = match error.is_eof() {
                    true => "the JSON ends before its end".into(),
                    false => text!("from here on it is no JSON of elbencho: {error}"),
                };
                leave_out(&mut left_out, number, why);
                break;
            }
        }
    }
    import(READER.format, phases, left_out)
}

/// Counts the lines of a text as it is read.
struct Lines<'text> {
    text: &'text str,
    at: usize,
    number: u64,
}

impl<'text> Lines<'text> {
    const fn new(text: &'text str) -> Self {
        Self {
            text,
            at: 0,
            number: 1,
        }
    }

    /// The line of a byte that lies behind those asked for before.
    fn number_at(&mut self, byte: usize) -> u64 {
        let passed = self.text.as_bytes().get(self.at..byte).unwrap_or_default();
        self.number += passed.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.at = self.at.max(byte);
        self.number
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ElbenchoResult {
    phase_type: LenientText,
    label: LenientText,
    iso_start_date: LenientText,
    config: Config,
    last_done: LastDone,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Config {
    hosts: LenientNumber,
    threads: LenientNumber,
    file_size: LenientNumber,
    block_size: LenientNumber,
    direct_io: Flag,
    random_offsets: Flag,
    io_depth: LenientNumber,
    version: LenientText,
    command: LenientText,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LastDone {
    elapsed_time_ms: LenientNumber,
    iops: LenientNumber,
    #[serde(rename = "bytes/s")]
    bytes_per_s: LenientNumber,
    #[serde(rename = "cpu%")]
    cpu_percent: LenientNumber,
    latency: ElbenchoLatencies,
    rwmix_read: ElbenchoRates,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ElbenchoRates {
    iops: LenientNumber,
    #[serde(rename = "bytes/s")]
    bytes_per_s: LenientNumber,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ElbenchoLatencies {
    #[serde(rename = "IO")]
    ios: ElbenchoLatency,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ElbenchoLatency {
    min_us: LenientNumber,
    avg_us: LenientNumber,
    max_us: LenientNumber,
    rwmix_read: Option<Box<ElbenchoLatency>>,
}

impl ElbenchoLatency {
    const fn figures(&self) -> [Option<f64>; 3] {
        [self.min_us.0, self.avg_us.0, self.max_us.0]
    }
}

/// `true` or `false`, as such or as text, or 1 or 0.
#[derive(Default, Deserialize)]
#[serde(untagged)]
enum Flag {
    Yes(bool),
    Written(String),
    Counted(i64),
    #[default]
    Unknown,
}

impl Flag {
    fn known(&self) -> Option<bool> {
        match self {
            Self::Yes(is) => Some(*is),
            Self::Written(text) => match text.as_str() {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            },
            Self::Counted(count) => Some(*count != 0),
            Self::Unknown => None,
        }
    }
}

fn count(number: LenientNumber, max: f64) -> Option<u64> {
    let value = number.0.filter(|value| (1.0..=max).contains(value));
    value.map(whole)
}

impl ElbenchoResult {
    fn phase(self) -> ElbenchoPhase {
        let small =
            |number: LenientNumber| count(number, 1e6).and_then(|it| u32::try_from(it).ok());
        let (config, done) = (self.config, self.last_done);
        let latency = &done.latency.ios;
        let mixed = latency.rwmix_read.as_ref();
        ElbenchoPhase {
            operation: self.phase_type.0.unwrap_or_default(),
            started_at: self.iso_start_date.0.as_deref().and_then(instant),
            label: self.label.0,
            version: config.version.0,
            command: config.command.0,
            hosts: small(config.hosts),
            threads: small(config.threads),
            file_size: count(config.file_size, 1e18).map(Bytes),
            block: count(config.block_size, 1e12).map(Bytes),
            is_direct: config.direct_io.known(),
            is_random: config.random_offsets.known(),
            depth: small(config.io_depth),
            seconds: done.elapsed_time_ms.0.map(|ms| ms / 1e3),
            cpu_percent: done.cpu_percent.0,
            main: ElbenchoDirection {
                bytes_per_s: done.bytes_per_s.0,
                ios_per_s: done.iops.0,
                latency: latency.figures(),
            },
            mixed_reads: ElbenchoDirection {
                bytes_per_s: done.rwmix_read.bytes_per_s.0,
                ios_per_s: done.rwmix_read.iops.0,
                latency: mixed.map_or([None; 3], |mixed| mixed.figures()),
            },
        }
    }
}

/// `2026-05-22T16:09:38.250+0200`.
fn instant(text: &str) -> Option<Nanos> {
    let local = date_time(text.get(..19)?)?;
    let zone = text.rfind(['+', '-']).filter(|at| *at >= 19);
    let Some(zone) = zone.and_then(|at| text.get(at..at + 5)) else {
        return text.ends_with('Z').then_some(local);
    };
    let hours: u64 = zone.get(1..3)?.parse().ok()?;
    let minutes: u64 = zone.get(3..5)?.parse().ok()?;
    let offset = hours
        .checked_mul(60)?
        .checked_add(minutes)?
        .checked_mul(60_000_000_000)?;
    match zone.starts_with('+') {
        true => local.0.checked_sub(offset).map(Nanos),
        false => local.0.checked_add(offset).map(Nanos),
    }
}
