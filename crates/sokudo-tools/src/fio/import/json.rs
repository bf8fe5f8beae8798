//! fio's JSON and json+, read job by job.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use sokudo_model::{ImportedLatency, Nanos, Operation, Origin, Verdict};
use sokudo_words::text;

use crate::results::lenient::{LenientNumber, LenientText};
use crate::results::number::whole;
use crate::results::row::percentiles;
use crate::results::text::{label, leave_out};

use super::bins::class_of;
use super::gathered::{ALL_CLIENTS, Gathered, OutputForm};
use super::job::{JobDirection, ReportedJob, error_number};
use super::options::Options;
use super::source::TextSource;

/// fio has 29 groups of 64 classes; more are not of fio.
const CLASSES_MAX: usize = 29 * 64;
/// `percentile_list` has 20 at most.
const PERCENTILES_MAX: usize = 64;
/// All options of fio are about 300.
const OPTIONS_MAX: usize = 1_000;

/// Reads the JSON value that begins next. Jobs that were whole are kept also where it
/// breaks off.
pub(super) fn read(source: &mut TextSource<'_>, gathered: &mut Gathered) {
    let line = source.line();
    gathered.begin(OutputForm::Json, None);
    let mut json = serde_json::Deserializer::from_reader(&mut *source);
    let document = Document {
        line,
        gathered,
        global: Options::default(),
        is_within_others: false,
    };
    if let Err(error) = document.deserialize(&mut json) {
        let broken = source.line();
        let why = match error.classify() {
            serde_json::error::Category::Eof => "the JSON is cut off".into(),
            _ => text!("from here on it is no JSON of fio: {error}"),
        };
        leave_out(&mut gathered.import.left_out, broken, why);
    }
    if gathered
        .parts
        .last()
        .is_some_and(|part| part.jobs.is_empty())
    {
        gathered.parts.pop();
    }
}

/// The whole value: a seed, so that jobs leave it one by one.
struct Document<'a> {
    line: u64,
    gathered: &'a mut Gathered,
    global: Options,
    /// What fio printed is a part of what another tool printed, such as kubestr.
    is_within_others: bool,
}

#[derive(Deserialize)]
enum DocumentKey {
    #[serde(rename = "fio version")]
    Version,
    #[serde(rename = "timestamp_ms")]
    Milliseconds,
    #[serde(rename = "timestamp")]
    Seconds,
    #[serde(rename = "global options")]
    Global,
    #[serde(rename = "sokudo")]
    Sokudo,
    #[serde(rename = "jobs", alias = "client_stats")]
    Jobs,
    #[serde(other)]
    Other,
}

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("what fio prints")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, map: A) -> Result<(), A::Error> {
        self.read(map, true)
    }
}

impl Document<'_> {
    /// An object, which is fio's from the start, or from its version on.
    fn read<'de, A: MapAccess<'de>>(
        &mut self,
        mut map: A,
        mut is_fio: bool,
    ) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<DocumentKey>()? {
            if matches!(key, DocumentKey::Version) && !is_fio {
                is_fio = true;
                self.begin_within_others();
            }
            let part = self.gathered.parts.last_mut();
            let Some(part) = part.filter(|part| part.form == OutputForm::Json) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            match key {
                _ if !is_fio => map.next_value_seed(AroundVisitor(self))?,
                DocumentKey::Version => {
                    let version = map.next_value::<LenientText>()?.0.unwrap_or_default();
                    let version = version.strip_prefix("fio-").unwrap_or(&version);
                    part.version = label(version);
                }
                DocumentKey::Milliseconds => part.started_at = instant(map.next_value()?, 1e6),
                DocumentKey::Seconds => {
                    let seconds = instant(map.next_value()?, 1e9);
                    part.started_at = part.started_at.or(seconds);
                }
                DocumentKey::Global => self.global = map.next_value::<ListedOptions>()?.0,
                DocumentKey::Sokudo => part.sokudo = Some(sokudo(&map.next_value::<Value>()?)),
                DocumentKey::Jobs => map.next_value_seed(JobsVisitor(self))?,
                DocumentKey::Other => map.next_value_seed(AroundVisitor(self))?,
            }
        }
        Ok(())
    }

    fn begin_within_others(&mut self) {
        if !self.is_within_others {
            let why = "what is around fio's results: another tool's JSON, which is not read";
            leave_out(&mut self.gathered.import.left_out, self.line, why);
        }
        self.is_within_others = true;
        self.global = Options::default();
        let last = self.gathered.parts.last();
        if last.is_some_and(|part| !part.jobs.is_empty()) {
            self.gathered.begin(OutputForm::Json, None);
        }
    }
}

/// A value of no meaning here, in which fio's results may be.
struct AroundVisitor<'a, 'b>(&'a mut Document<'b>);

impl<'de> DeserializeSeed<'de> for AroundVisitor<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AroundVisitor<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.0.read(map, false)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(AroundVisitor(self.0))?.is_some() {}
        Ok(())
    }
    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

fn instant(number: LenientNumber, scale: f64) -> Option<Nanos> {
    let nanos = number.0.filter(|value| *value > 0.0)? * scale;
    Some(Nanos(whole(nanos))).filter(|instant| instant.0 < u64::MAX)
}

struct JobsVisitor<'a, 'b>(&'a mut Document<'b>);

impl<'de> DeserializeSeed<'de> for JobsVisitor<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for JobsVisitor<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of jobs")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Self(document) = self;
        while !document.gathered.is_full {
            let Some(json_job) = list.next_element::<JsonJob>()? else {
                return Ok(());
            };
            if json_job.jobname.0.as_deref() == Some("All clients") {
                leave_out(
                    &mut document.gathered.import.left_out,
                    document.line,
                    ALL_CLIENTS,
                );
                continue;
            }
            let mut job = json_job.job(&document.global);
            if document.gathered.admits(document.line, &mut job) {
                let part = document.gathered.parts.last_mut();
                if let Some(part) = part {
                    part.jobs.push(job);
                }
            }
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// Options of a job, or of all of them: one list, or one per host in client mode, which is of
/// no job here.
#[derive(Default)]
struct ListedOptions(Options);

impl<'de> Deserialize<'de> for ListedOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OptionsVisitor).map(Self)
    }
}

struct OptionsVisitor;

impl<'de> Visitor<'de> for OptionsVisitor {
    type Value = Options;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("options by their names")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Options, A::Error> {
        let mut options = Options::default();
        options.is_whole = true;
        let mut count = 0;
        while let Some(name) = map.next_key::<LenientText>()? {
            let value = map.next_value::<OptionValue>()?;
            count += 1;
            if let (Some(name), Some(value), ..OPTIONS_MAX) = (name.0, value.0, count) {
                options.set(&name, &value);
            }
        }
        Ok(options)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Options, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Options::default())
    }
}

/// The value of an option: fio prints texts, an empty one for a switch.
struct OptionValue(Option<String>);

impl<'de> Deserialize<'de> for OptionValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ValuesVisitor;
        impl<'de> Visitor<'de> for ValuesVisitor {
            type Value = OptionValue;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the value of an option")
            }
            fn visit_str<E>(self, value: &str) -> Result<OptionValue, E> {
                Ok(OptionValue(Some(label(value).unwrap_or_default())))
            }
            fn visit_u64<E>(self, value: u64) -> Result<OptionValue, E> {
                Ok(OptionValue(Some(value.to_string())))
            }
            fn visit_i64<E>(self, value: i64) -> Result<OptionValue, E> {
                Ok(OptionValue(Some(value.to_string())))
            }
            fn visit_f64<E>(self, value: f64) -> Result<OptionValue, E> {
                Ok(OptionValue(Some(value.to_string())))
            }
            fn visit_bool<E>(self, value: bool) -> Result<OptionValue, E> {
                Ok(OptionValue(Some(u8::from(value).to_string())))
            }
            fn visit_unit<E>(self) -> Result<OptionValue, E> {
                Ok(OptionValue(None))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OptionValue, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(OptionValue(None))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<OptionValue, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(OptionValue(None))
            }
        }
        deserializer.deserialize_any(ValuesVisitor)
    }
}

/// Who measured, by what sokudo adds to fio's JSON.
fn sokudo(block: &Value) -> Origin {
    let jobs = block["verdicts"].as_array().into_iter().flatten();
    // A job of which nothing is said is not as good as the others.
    let verdict =
        |job: &Value| Verdict::deserialize(&job["verdict"]).unwrap_or(Verdict::Unverified);
    let worst = jobs.map(verdict).max().map(Verdict::name);
    let remark = worst.map(|it| text!("sokudo said {it} when it measured"));
    Origin {
        tool: Origin::SOKUDO_FIO.to_owned(),
        version: block["version"].as_str().and_then(label),
        remarks: remark.into_iter().collect(),
        ..Origin::default()
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct JsonJob {
    jobname: LenientText,
    groupid: LenientText,
    hostname: LenientText,
    error: LenientNumber,
    #[serde(rename = "job options")]
    options: ListedOptions,
    read: JsonDirection,
    write: JsonDirection,
    trim: JsonDirection,
    /// In the place of the others with `unified_rw_reporting=1`.
    mixed: JsonDirection,
    usr_cpu: LenientNumber,
    sys_cpu: LenientNumber,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct JsonDirection {
    bw_bytes: LenientNumber,
    bw: LenientNumber,
    iops: LenientNumber,
    total_ios: LenientNumber,
    clat_ns: JsonLatency,
    lat_ns: JsonLatency,
    slat_ns: JsonLatency,
    /// Microseconds, as fio 2 told them.
    clat: JsonLatency,
    lat: JsonLatency,
    slat: JsonLatency,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct JsonLatency {
    min: LenientNumber,
    max: LenientNumber,
    mean: LenientNumber,
    stddev: LenientNumber,
    #[serde(rename = "N")]
    count: LenientNumber,
    percentile: Pairs,
    bins: Pairs,
}

/// Numbers by numbers, in the order of the text.
#[derive(Default)]
struct Pairs(Vec<(f64, f64)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor;
        impl<'de> Visitor<'de> for PairsVisitor {
            type Value = Pairs;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("numbers by their keys")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(key) = map.next_key::<LenientNumber>()? {
                    let value = map.next_value::<LenientNumber>()?;
                    if let (Some(key), Some(value), ..CLASSES_MAX) = (key.0, value.0, pairs.len()) {
                        pairs.push((key, value));
                    }
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(PairsVisitor)
    }
}

impl JsonJob {
    fn job(self, global: &Options) -> ReportedJob {
        let sides = [
            (Some(Operation::Read), self.read),
            (Some(Operation::Write), self.write),
            (Some(Operation::Trim), self.trim),
            (None, self.mixed),
        ];
        ReportedJob {
            name: self.jobname.0.unwrap_or_else(|| "job".to_owned()),
            group: self.groupid.0.unwrap_or_default(),
            host: self.hostname.0,
            error: error_number(self.error.0),
            options: self.options.0.over(global),
            sides: sides
                .into_iter()
                .filter_map(|(operation, side)| side.side(operation))
                .collect(),
            cpu: self.usr_cpu.0.zip(self.sys_cpu.0),
        }
    }
}

impl JsonDirection {
    /// `None` where nothing was done in this direction.
    fn side(self, operation: Option<Operation>) -> Option<JobDirection> {
        let kib = self.bw.0.map(|kib| kib * 1_024.0);
        let mut side = JobDirection::new(operation);
        side.bytes_per_s = self.bw_bytes.0.or(kib).unwrap_or(0.0);
        side.ios_per_s = self.iops.0.unwrap_or(0.0);
        let did_nothing = self.total_ios.0 == Some(0.0) || side.ios_per_s <= 0.0;
        if did_nothing && side.bytes_per_s <= 0.0 {
            return None;
        }
        let reported = |nanos: JsonLatency, micros| match nanos.is_reported() {
            true => (nanos, 1),
            false => (micros, 1_000),
        };
        let (completion, unit) = reported(self.clat_ns, self.clat);
        let (total, total_unit) = reported(self.lat_ns, self.lat);
        let (submission, submission_unit) = reported(self.slat_ns, self.slat);
        side.histogram = match completion.bins.0.is_empty() {
            true => total.classes(total_unit),
            false => completion.classes(unit),
        };
        side.completion = completion.latency(unit);
        side.total = total.latency(total_unit);
        side.submission = submission.latency(submission_unit);
        Some(side)
    }
}

impl JsonLatency {
    fn is_reported(&self) -> bool {
        self.mean.0.is_some_and(|mean| mean > 0.0)
    }

    /// In units of so many nanoseconds; `None` where nothing was timed.
    fn latency(&self, unit: u16) -> Option<ImportedLatency> {
        let unit = f64::from(unit);
        let scaled = |number: LenientNumber| number.0.map(|value| value * unit);
        let percentile_values = self.percentile.0.iter().take(PERCENTILES_MAX);
        self.is_reported().then(|| ImportedLatency {
            mean: self.mean.0.unwrap_or(0.0) * unit,
            min: scaled(self.min),
            max: scaled(self.max),
            stdev: scaled(self.stddev),
            count: self.count.0.filter(|count| *count > 0.0).map(whole),
            percentiles: percentiles(
                percentile_values.map(|(percent, value)| (*percent, value * unit)),
            ),
        })
    }

    fn classes(&self, unit: u16) -> Vec<[u64; 3]> {
        let unit = u64::from(unit);
        let class = |(value, count): &(f64, f64)| {
            let [low, high] = class_of(whole(*value));
            let low = low.checked_mul(unit)?;
            let high = high.checked_add(1)?.checked_mul(unit)? - 1;
            (*count >= 1.0).then_some([low, high, whole(*count)])
        };
        self.bins.0.iter().filter_map(class).collect()
    }
}
