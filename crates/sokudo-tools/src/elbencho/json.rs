//! elbencho's JSON (`--jsonfile`): one value per phase, one after the other.

use serde::Deserialize;
use serde_json::{Map, Value};
use sokudo_model::{Bytes, Nanos};
use sokudo_words::text;

use crate::results::lenient::{LenientNumber, LenientText};
use crate::results::number::{date_time, whole};
use crate::results::text::leave_out;
use crate::results::{Import, ImportError, Reader, Source};

use super::{ElbenchoDirection, ElbenchoPhase, import};

pub(crate) const READER: Reader = Reader::new("elbencho JSON", recognise, Source::Text(read));

/// A file of more phases is no result.
const PHASES_MAX: usize = 20_000;

fn recognise(head: &str) -> bool {
    head.trim_start().starts_with('{')
        && head.contains("\"phase_type\"")
        && head.contains("\"config\"")
}

fn read(text: &str) -> Result<Import, ImportError> {
    let mut left_out = Vec::new();
    let mut phases = Vec::new();
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Map<String, Value>>();
    let mut line = Lines::new(text);
    while let Some(value) = values.next() {
        let number = line.number_at(values.byte_offset());
        match value {
            Ok(_) if phases.len() >= PHASES_MAX => {
                let why = text!("this phase and what follows: at most {PHASES_MAX} are read");
                leave_out(&mut left_out, number, why);
                break;
            }
            Ok(object) => phases.push((number, phase(&Value::Object(object)))),
            Err(error) => {
                let why = match error.is_eof() {
                    true => "the JSON is cut off".into(),
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

fn phase(result: &Value) -> ElbenchoPhase {
    let number = |path: &str| LenientNumber::deserialize(result.pointer(path)?).ok()?.0;
    let text = |path: &str| LenientText::deserialize(result.pointer(path)?).ok()?.0;
    // `true` or `false`, as such or as text, or 1 or 0.
    let flag = |path: &str| match result.pointer(path)? {
        Value::Bool(is) => Some(*is),
        Value::Number(count) => Some(count.as_i64()? != 0),
        Value::String(text) => match text.as_str() {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    };
    let count = |path: &str, max: f64| {
        let value = number(path).filter(|value| (1.0..=max).contains(value));
        value.map(whole)
    };
    let small = |path: &str| count(path, 1e6).and_then(|it| u32::try_from(it).ok());
    let side = |rates: &str, latency: &str| ElbenchoDirection {
        bytes_per_s: number(&format!("/last_done{rates}/bytes~1s")),
        ios_per_s: number(&format!("/last_done{rates}/iops")),
        latency: ["min_us", "avg_us", "max_us"]
            .map(|name| number(&format!("/last_done/latency/IO{latency}/{name}"))),
    };
    ElbenchoPhase {
        operation: text("/phase_type").unwrap_or_default(),
        started_at: text("/iso_start_date").as_deref().and_then(instant),
        label: text("/label"),
        version: text("/config/version"),
        command: text("/config/command"),
        hosts: small("/config/hosts"),
        threads: small("/config/threads"),
        file_size: count("/config/file_size", 1e18).map(Bytes),
        block: count("/config/block_size", 1e12).map(Bytes),
        is_direct: flag("/config/direct_io"),
        is_random: flag("/config/random_offsets"),
        depth: small("/config/io_depth"),
        seconds: number("/last_done/elapsed_time_ms").map(|ms| ms / 1e3),
        cpu_percent: number("/last_done/cpu%"),
        main: side("", ""),
        mixed_reads: side("/rwmix_read", "/rwmix_read"),
    }
}

/// Reads an ISO 8601 time with its zone, such as `2026-05-22T16:09:38.250+0200`.
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
