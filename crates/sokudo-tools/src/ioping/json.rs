//! ioping's JSON: an array of objects, one per request, and at the end of each target one
//! with statistics.

use serde::de::{DeserializeSeed, IgnoredAny, SeqAccess, Visitor};
use serde_json::{Map, Value};
use sokudo_model::{Bytes, ImportedLatency, ImportedTarget, Nanos, Operation};
use sokudo_words::text;

use crate::results::number;
use crate::results::row::ROWS_MAX;
use crate::results::text::{label, leave_out};

use super::found::{IopingOutput, IopingResult, block};

/// Whether it is an array whose first object has what only ioping's have.
pub(super) fn recognise(text: &str) -> bool {
    let start: String = text
        .chars()
        .filter(|sign| !sign.is_whitespace())
        .take(2_000)
        .collect();
    let parts = ["\"timestamp\":", "\"localtime\":", "\"target\":{\"path\":"];
    start.starts_with("[{") && parts.iter().all(|part| start.contains(part))
}

pub(super) fn read(text: &str) -> IopingOutput {
    let mut objects = Objects::default();
    let mut json = serde_json::Deserializer::from_str(text);
    if let Err(error) = DeserializeSeed::deserialize(&mut objects, &mut json) {
        let why = text!("the rest cannot be read: {error}");
        leave_out(&mut objects.found.left_out, error.line() as u64, why);
    }
    objects.found
}

/// What the objects so far have told.
#[derive(Default)]
struct Objects {
    found: IopingOutput,
    started_at: Option<Nanos>,
    operation: Option<Operation>,
}

impl<'de> DeserializeSeed<'de> for &mut Objects {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for &mut Objects {
    type Value = ();

    fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("an array of objects")
    }

    /// Object after object: an array as long as a file may be is never in memory.
    fn visit_seq<A: SeqAccess<'de>>(self, mut objects: A) -> Result<(), A::Error> {
        while self.found.measured.len() < ROWS_MAX {
            match objects.next_element::<Map<String, Value>>()? {
                Some(object) => self.add(&Value::Object(object)),
                None => return Ok(()),
            }
        }
        while objects.next_element::<IgnoredAny>()?.is_some() {}
        leave_out(
            &mut self.found.left_out,
            1,
            text!("there are more than {ROWS_MAX} statistics; split the file"),
        );
        Ok(())
    }
}

impl Objects {
    /// Takes in an object; what sokudo does not use is passed over.
    fn add(&mut self, object: &Value) {
        let started_at = object["timestamp"].as_f64().and_then(instant);
        self.started_at = self.started_at.or(started_at);
        if object["io"].is_object() {
            self.operation = match object["io"]["operation"].as_str() {
                Some("read") => Some(Operation::Read),
                Some("write") => Some(Operation::Write),
                _ => None,
            };
        }
        let measured = measured(&object["stat"]).map(|measured| IopingResult {
            target: target(&object["target"]),
            started_at: self.started_at,
            operation: self.operation,
            ..measured
        });
        self.found.measured.extend(measured);
    }
}

fn target(target: &Value) -> ImportedTarget {
    let text = |name: &str| target[name].as_str().and_then(label);
    let size = target["device_size"].as_u64().filter(|size| *size > 0);
    ImportedTarget {
        name: text("path").unwrap_or_default(),
        size: size.map(Bytes),
        file_system: text("fstype"),
        ..ImportedTarget::default()
    }
}

/// Statistics: times in nanoseconds, rates of the requests alone.
fn measured(statistics: &Value) -> Option<IopingResult> {
    let rate = |name: &str| {
        let rate = statistics[name].as_f64();
        rate.filter(|rate| number::is_possible(*rate))
    };
    let count = rate("count")?;
    Some(IopingResult {
        block: block(rate("size")?, count),
        bandwidth: rate("bps"),
        iops: rate("iops"),
        latency: ImportedLatency {
            mean: rate("avg")?,
            min: rate("min"),
            max: rate("max"),
            stdev: rate("mdev"),
            count: Some(number::whole(count)),
            ..ImportedLatency::default()
        },
        ..IopingResult::default()
    })
}

/// Seconds since 1970 as an instant, to the microsecond that ioping tells.
fn instant(seconds: f64) -> Option<Nanos> {
    let is_possible = (0.0..1e10).contains(&seconds);
    is_possible.then(|| Nanos(number::whole((seconds * 1e6).round()) * 1_000))
}
