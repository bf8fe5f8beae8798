//! ioping's JSON: an array of objects, one per request, and at the end of each target one
//! with statistics.

use serde::Deserialize;
use serde::de::{DeserializeSeed, IgnoredAny, SeqAccess, Visitor};
use sokudo_model::{Bytes, ImportedLatency, ImportedTarget, Nanos, Operation};
use sokudo_words::text;

use super::found::{IopingOutput, IopingResult, block};
use crate::results::number;
use crate::results::row::ROWS_MAX;
use crate::results::text::{label, leave_out};

/// An object; what sokudo does not use is passed over.
#[derive(Deserialize)]
struct IopingObject {
    timestamp: Option<f64>,
    target: Option<IopingTarget>,
    io: Option<IopingRequest>,
    stat: Option<Statistics>,
}

#[derive(Deserialize)]
struct IopingTarget {
    path: Option<String>,
    fstype: Option<String>,
    device_size: Option<u64>,
}

#[derive(Deserialize)]
struct IopingRequest {
    operation: Option<String>,
}

/// Times in nanoseconds, rates of the requests alone.
#[derive(Deserialize)]
struct Statistics {
    count: Option<f64>,
    size: Option<f64>,
    iops: Option<f64>,
    bps: Option<f64>,
    min: Option<f64>,
    avg: Option<f64>,
    max: Option<f64>,
    mdev: Option<f64>,
}

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
            match objects.next_element::<IopingObject>()? {
                Some(object) => self.add(object),
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
    fn add(&mut self, object: IopingObject) {
        let started_at = object.timestamp.and_then(instant);
        self.started_at = self.started_at.or(started_at);
        if let Some(request) = object.io {
            self.operation = match request.operation.as_deref() {
                Some("read") => Some(Operation::Read),
                Some("write") => Some(Operation::Write),
                _ => None,
            };
        }
        if let Some(statistics) = object.stat {
            let target = object
                .target
                .map(IopingTarget::imported)
                .unwrap_or_default();
            let measured = statistics.measured(target);
            self.found
                .measured
                .extend(measured.map(|measured| IopingResult {
                    started_at: self.started_at,
                    operation: self.operation,
                    ..measured
                }));
        }
    }
}

impl IopingTarget {
    fn imported(self) -> ImportedTarget {
        ImportedTarget {
            name: self.path.as_deref().and_then(label).unwrap_or_default(),
            size: self.device_size.filter(|size| *size > 0).map(Bytes),
            file_system: self.fstype.as_deref().and_then(label),
            ..ImportedTarget::default()
        }
    }
}

impl Statistics {
    fn measured(&self, target: ImportedTarget) -> Option<IopingResult> {
        let rate = |rate: Option<f64>| rate.filter(|rate| number::is_possible(*rate));
        let count = rate(self.count)?;
        Some(IopingResult {
            target,
            block: block(rate(self.size)?, count),
            bandwidth: rate(self.bps),
            iops: rate(self.iops),
            latency: ImportedLatency {
                mean: rate(self.avg)?,
                min: rate(self.min),
                max: rate(self.max),
                stdev: rate(self.mdev),
                count: Some(number::whole(count)),
                ..ImportedLatency::default()
            },
            ..IopingResult::default()
        })
    }
}

/// Seconds since 1970 as an instant, to the microsecond that ioping tells.
fn instant(seconds: f64) -> Option<Nanos> {
    let is_possible = (0.0..1e10).contains(&seconds);
    is_possible.then(|| Nanos(number::whole((seconds * 1e6).round()) * 1_000))
}
