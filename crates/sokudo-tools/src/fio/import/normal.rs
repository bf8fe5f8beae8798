//! fio's normal text: what people paste. Its figures have three or four digits.

use std::collections::HashMap;

use sokudo_model::{Correction, ImportedLatency, Nanos, Operation, day_since_1970};
use sokudo_words::text;

use crate::results::number::{number, time_scale};
use crate::results::text::{label, leave_out};

use super::gathered::{ALL_CLIENTS, Gathered, OutputForm};
use super::job::{JobDirection, ReportedJob, error_number};
use super::options::Options;

/// Jobs whose headings are kept until their figures come.
const HEADINGS_MAX: usize = 4_096;
const PERCENTILES_MAX: usize = 64;

/// Whether a line tells of a job: what it is to do, or what it did.
pub(super) fn is_job(line: &str) -> bool {
    heading(line).is_some() || begun(line).is_some()
}

/// A text that is read line by line.
#[derive(Default)]
pub(super) struct NormalText {
    version: Option<String>,
    /// What a log puts before each line.
    prefix: String,
    /// Clients of a server with their versions, and the one that is speaking.
    clients: HashMap<String, Option<String>>,
    host: Option<String>,
    /// The last job that was to be done.
    heading: String,
    options: HashMap<String, Options>,
    /// The job whose figures are being read, and its line.
    job: Option<(u64, ReportedJob)>,
    started_at: Option<Nanos>,
    /// Which latency the percentiles belong to that follow, and nanoseconds of its unit.
    percentiles: Option<(LatencyKind, f64)>,
}

/// Which of fio's three latencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LatencyKind {
    Submission,
    Completion,
    Total,
}

impl NormalText {
    pub(super) fn line(&mut self, number: u64, line: &str, gathered: &mut Gathered) {
        let line = self.without_prefix(line).trim();
        let line = self.without_client(line);
        if let Some(version) = self.version_of(line) {
            self.end(gathered);
            self.host = None;
            self.version = label(version);
            gathered.begin(OutputForm::Normal, self.version.clone());
        } else if let Some((host, version)) = client(line) {
            if self.clients.len() < HEADINGS_MAX {
                self.clients.insert(host, version);
            }
        } else if let Some((name, options)) = heading(line) {
            if self.options.len() < HEADINGS_MAX {
                let job = ReportedJob {
                    name,
                    host: self.host.clone(),
                    ..ReportedJob::default()
                };
                self.heading = job.full_name();
                self.options.insert(self.heading.clone(), options);
            }
        } else if line.starts_with("All clients: (groupid=") {
            self.end(gathered);
            leave_out(&mut gathered.import.left_out, number, ALL_CLIENTS);
        } else if let Some((job, time)) = begun(line) {
            self.end(gathered);
            self.started_at = time;
            self.begin(number, job);
        } else if line.starts_with("Run status group") {
            self.end(gathered);
        } else {
            self.figure(number, line, gathered);
        }
    }

    /// fio's line of its version, behind what a log puts before each line: the job headings
    /// above it then begin in the same way.
    fn version_of<'line>(&mut self, line: &'line str) -> Option<&'line str> {
        let at = line.rfind(' ').map_or(0, |blank| blank + 1);
        let (prefix, version) = line.split_at(at);
        let version = version.strip_prefix("fio-").filter(|it| is_version(it))?;
        if prefix.is_empty() {
            return Some(version);
        }
        if !self.prefix.is_empty() || !is_alike(prefix, &self.heading) {
            return None;
        }
        prefix.clone_into(&mut self.prefix);
        let headings = std::mem::take(&mut self.options).into_iter();
        let renamed =
            headings.map(|(name, options)| (self.without_prefix(&name).to_owned(), options));
        self.options = renamed.collect();
        Some(version)
    }

    fn without_prefix<'line>(&self, line: &'line str) -> &'line str {
        match is_alike(&self.prefix, line) {
            true => &line[self.prefix.len()..],
            false => line,
        }
    }

    /// What follows `<node-1>`, if that is a client.
    fn without_client<'line>(&mut self, line: &'line str) -> &'line str {
        let client_line = line.strip_prefix('<').and_then(|rest| rest.split_once('>'));
        match client_line.filter(|(host, _)| self.clients.contains_key(*host)) {
            Some((host, rest)) => {
                self.host = Some(host.to_owned());
                rest.trim_start()
            }
            None => line,
        }
    }

    fn begin(&mut self, number: u64, mut job: ReportedJob) {
        job.host.clone_from(&self.host);
        let own_options = job.options.clone();
        if let Some(options) = self.options.get(&job.full_name()) {
            job.options = own_options.over(options);
        }
        self.percentiles = None;
        self.job = Some((number, job));
    }

    /// The job that was being read has ended.
    pub(super) fn end(&mut self, gathered: &mut Gathered) {
        let Some((number, mut job)) = self.job.take() else {
            return;
        };
        if job.sides.is_empty() {
            let why = text!(
                "{}: no rate of it was found; it moved nothing, or was cut off",
                job.name
            );
            leave_out(&mut gathered.import.left_out, number, why);
        } else if gathered.admits(number, &mut job) {
            let client = job
                .host
                .as_ref()
                .and_then(|host| self.clients.get(host)?.as_deref());
            let version = client.or(self.version.as_deref());
            let part = gathered.part(OutputForm::Normal, version);
            part.started_at = part.started_at.or(self.started_at);
            part.jobs.push(job);
        }
    }

    fn figure(&mut self, number: u64, line: &str, gathered: &mut Gathered) {
        let Some((_, job)) = &mut self.job else {
            return;
        };
        if let Some((side, correction)) = rates(line) {
            self.percentiles = None;
            let is_new = job
                .sides
                .iter()
                .all(|other| other.operation != side.operation);
            if is_new {
                job.sides.push(side);
                note(correction, gathered);
            } else {
                let why = "the same job reports this direction twice";
                leave_out(&mut gathered.import.left_out, number, why);
            }
            return;
        }
        if let Some(shares) = processor(line) {
            job.cpu = Some(shares);
            return;
        }
        let Some(side) = job.sides.last_mut() else {
            return;
        };
        if let Some((which, scale)) = percentile_title(line) {
            self.percentiles = Some((which, scale));
        } else if let Some((which, latency)) = latency(line) {
            self.percentiles = None;
            *side.of(which) = Some(latency);
        } else if let (Some((which, scale)), true) = (self.percentiles, line.starts_with('|'))
            && let Some(latency) = side.of(which)
        {
            percentiles(line, scale, latency);
        }
    }
}

fn note(correction: Option<Correction>, gathered: &mut Gathered) {
    let Some(correction) = correction else { return };
    if gathered
        .corrections
        .iter()
        .all(|other| other.why != correction.why)
    {
        gathered.corrections.push(correction);
    }
}

impl JobDirection {
    const fn of(&mut self, which: LatencyKind) -> &mut Option<ImportedLatency> {
        match which {
            LatencyKind::Submission => &mut self.submission,
            LatencyKind::Completion => &mut self.completion,
            LatencyKind::Total => &mut self.total,
        }
    }
}

/// `hostname=node-1, be=0, 64-bit, os=Linux, arch=x86-64, fio=fio-3.7, flags=1`.
fn client(line: &str) -> Option<(String, Option<String>)> {
    let (host, rest) = line.strip_prefix("hostname=")?.split_once(',')?;
    let (_, version) = rest.split_once("fio=fio-")?;
    Some((label(host)?, label(version.split(',').next()?)))
}

/// Whether a line begins so, but for its digits, as those of a time.
fn is_alike(prefix: &str, line: &str) -> bool {
    let is_same =
        |(one, other): (u8, u8)| one == other || one.is_ascii_digit() && other.is_ascii_digit();
    let start = line.get(..prefix.len());
    start.is_some_and(|start| prefix.bytes().zip(start.bytes()).all(is_same))
}

fn is_version(text: &str) -> bool {
    text.len() < 40 && text.starts_with(|sign: char| sign.is_ascii_digit())
}

/// `seq: (g=0): rw=read, bs=(R) 4096B-4096B, (W) …, ioengine=psync, iodepth=1`, of fio 2
/// `bs=4K-4K/4K-4K/4K-4K`.
fn heading(line: &str) -> Option<(String, Options)> {
    let (name, rest) = line.split_once(": (g=")?;
    let (_, rest) = rest.split_once("): ")?;
    let mut options = Options::default();
    let of = |key: &str| {
        let (_, value) = rest.split_once(key)?;
        value.split(',').next().map(str::trim)
    };
    options.set("rw", of("rw=")?);
    options.set("ioengine", of("ioengine=")?);
    options.set("iodepth", of("iodepth=")?);
    if let Some(block) = of("bs=") {
        let block = block.trim_start_matches("(R)").trim();
        let (smallest, largest) = block.split('/').next()?.split_once('-')?;
        if smallest == largest {
            // What fio prints as KiB it reads as K.
            options.set("bs", smallest.trim_end_matches("iB"));
        } else {
            options.set("bsrange", block);
        }
    }
    Some((label(name)?, options))
}

/// `seq: (groupid=0, jobs=1): err= 0: pid=2120: Sat Nov 21 20:55:48 2026`.
fn begun(line: &str) -> Option<(ReportedJob, Option<Nanos>)> {
    let (name, rest) = line.split_once(": (groupid=")?;
    let (group, rest) = rest.split_once(", jobs=")?;
    let (jobs, rest) = rest.split_once("): err=")?;
    let (error, rest) = rest.split_once(':')?;
    let mut options = Options::default();
    options.set("numjobs", jobs);
    let time = rest.rsplit_once(": ").and_then(|(_, time)| ctime(time));
    // Of an error, its text stands between the number and the process.
    let error = error.trim().split(' ').next().unwrap_or_default();
    let job = ReportedJob {
        name: label(name)?,
        group: label(group)?,
        error: error_number(number(error)),
        options,
        ..ReportedJob::default()
    };
    Some((job, time))
}

/// `Sat Nov 21 20:55:48 2026`, as if it were UTC.
fn ctime(text: &str) -> Option<Nanos> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let mut words = text.split_whitespace().skip(1);
    let month = MONTHS.find(words.next().filter(|month| month.len() == 3)?)? / 3 + 1;
    let day: u64 = words.next()?.parse().ok()?;
    let mut time = words
        .next()?
        .split(':')
        .map(|part| part.parse::<u64>().ok());
    let [hour, minute, second] = [time.next()??, time.next()??, time.next()??];
    let year: u64 = words.next()?.parse().ok()?;
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let day = day_since_1970(year, u64::try_from(month).ok()?, day)?;
    let seconds = day * 86_400 + hour * 3_600 + minute * 60 + second;
    seconds.checked_mul(1_000_000_000).map(Nanos)
}

/// `read: IOPS=13.8k, BW=53.9MiB/s (56.5MB/s)(5680KiB/103msec)`, of fio 2
/// `read : io=10240MB, bw=63317KB/s, iops=15829, runt=165607msec`.
fn rates(line: &str) -> Option<(JobDirection, Option<Correction>)> {
    let (word, rest) = line.split_once(':')?;
    let operation = match word.trim() {
        "read" => Some(Operation::Read),
        "write" => Some(Operation::Write),
        "trim" => Some(Operation::Trim),
        "mixed" => None,
        _ => return None,
    };
    let of = |key: &str| {
        let (_, value) = rest.split_once(key)?;
        value.split([',', ' ', '(', ')']).next()
    };
    let is_old = !rest.contains("BW=");
    let (bandwidth, ios) = match is_old {
        true => (of("bw=")?, of("iops=")?),
        false => (of("BW=")?, of("IOPS=")?),
    };
    let mut side = JobDirection::new(operation);
    let (value, unit) = split(bandwidth.strip_suffix("/s")?)?;
    side.bytes_per_s = value * byte_unit(unit, is_old)?;
    side.ios_per_s = plain(ios)?;
    let correction = (is_old && unit != "B").then(|| Correction {
        what: text!(
            "every \"{unit}/s\" of fio's text: {bandwidth} are {:.1} MB/s, and so on",
            side.bytes_per_s / 1e6
        ),
        why: "fio 2 calls KiB KB and MiB MB (kb_base=1024 is its default; fio 3 prints KiB)".into(),
    });
    (side.bytes_per_s > 0.0 || side.ios_per_s > 0.0).then_some((side, correction))
}

/// A number and the unit behind it.
fn split(text: &str) -> Option<(f64, &str)> {
    let digits = text.find(|sign: char| !sign.is_ascii_digit() && sign != '.')?;
    let (digits, unit) = text.split_at(digits);
    Some((number(digits)?, unit))
}

/// Bytes of a unit. Before fio 3, `KB` were 1024 bytes.
fn byte_unit(unit: &str, is_old: bool) -> Option<f64> {
    let base: f64 = match is_old || unit.contains('i') {
        true => 1_024.0,
        false => 1_000.0,
    };
    let power = match unit.trim_end_matches('B').trim_end_matches('i') {
        "" => 0,
        "K" | "k" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        _ => return None,
    };
    Some(base.powi(power))
}

/// `15829`, `13.8k`, `1.2M`: powers of 1000.
fn plain(text: &str) -> Option<f64> {
    let (digits, scale) = match text.as_bytes().last()? {
        b'k' | b'K' => (&text[..text.len() - 1], 1e3),
        b'M' => (&text[..text.len() - 1], 1e6),
        b'G' => (&text[..text.len() - 1], 1e9),
        _ => (text, 1.0),
    };
    number(digits).map(|value| value * scale)
}

fn processor(line: &str) -> Option<(f64, f64)> {
    let rest = line.strip_prefix("cpu")?;
    let of = |key: &str| {
        let (_, value) = rest.split_once(key)?;
        number(value.split('%').next()?)
    };
    Some((of("usr=")?, of("sys=")?))
}

fn which(word: &str) -> Option<LatencyKind> {
    match word {
        "slat" => Some(LatencyKind::Submission),
        "clat" => Some(LatencyKind::Completion),
        "lat" => Some(LatencyKind::Total),
        _ => None,
    }
}

/// `clat (usec): min=53, max=3307, avg=896.43, stdev=1356.58`.
fn latency(line: &str) -> Option<(LatencyKind, ImportedLatency)> {
    let (word, rest) = line.split_once(" (")?;
    let which = which(word.trim())?;
    let (unit, rest) = rest.split_once(')')?;
    let scale = time_scale(unit)?;
    let of = |key: &str| {
        let (_, value) = rest.split_once(key)?;
        plain(value.split(',').next()?.trim()).map(|value| value * scale)
    };
    let latency = ImportedLatency {
        mean: of("avg=")?,
        min: of("min="),
        max: of("max="),
        stdev: of("stdev="),
        ..ImportedLatency::default()
    };
    Some((which, latency))
}

/// Reads a title such as `clat percentiles (usec):`; gives the scale to nanoseconds.
fn percentile_title(line: &str) -> Option<(LatencyKind, f64)> {
    let (word, rest) = line.split_once(" percentiles (")?;
    Some((which(word)?, time_scale(rest.split(')').next()?)?))
}

/// `|  1.00th=[   54],  5.00th=[   54],`.
fn percentiles(line: &str, scale: f64, latency: &mut ImportedLatency) {
    let parts = line.trim_start_matches('|').split("],");
    let pairs = parts.filter_map(|part| {
        let (percent, value) = part.split_once("th=[")?;
        let percent = number(percent).filter(|percent| *percent > 0.0 && *percent <= 100.0)?;
        Some((percent, plain(value.trim_end_matches(']').trim())? * scale))
    });
    let room = PERCENTILES_MAX.saturating_sub(latency.percentiles.len());
    latency.percentiles.extend(pairs.take(room));
    latency
        .percentiles
        .sort_by(|left, right| left.0.total_cmp(&right.0));
}
