//! What fio prints: JSON and json+ (also several in one file, and behind warnings), terse
//! of versions 2 to 5, and the normal text; and any mixture of them in one file.
//!
//! A file is read once, from its beginning to its end. A job that several formats of one
//! file tell of is read from the one that tells most: JSON, then terse, then text.

mod bins;
mod gathered;
mod job;
mod json;
pub(crate) mod log;
mod normal;
mod options;
mod source;
mod terse;

use std::io::BufRead;

use gathered::{Gathered, GatheredJobs, OutputForm};
use job::{JobDirection, ReportedJob};
use sokudo_model::{HostEnvironment, ImportedRun, ImportedTarget, Origin};
use sokudo_words::text;
use source::{SourceToken, TextSource};

use crate::results::row::{self, names_or};
use crate::results::text::leave_out;
use crate::results::{Import, ImportError, Reader, Source};

pub(crate) const READER: Reader = Reader::new("fio", recognise, Source::Bytes(read));

/// What is to be known of a date in fio's text.
const LOCAL_TIME: &str = "fio reports its date in local time without the zone; it is taken as UTC";

const OF_TOTAL: &str = "latencies of rows with lat_percentiles=1 are fio's total latency, from \
                        before the submission to the completion, since it reports percentiles of \
                        no other";

fn recognise(head: &str) -> bool {
    let is_json = head.contains("\"fio version\"");
    is_json
        || head
            .lines()
            .any(|line| terse::is_terse(line) || normal::is_job(line))
}

fn read(source: &mut dyn BufRead) -> Result<Import, ImportError> {
    let mut source = TextSource::new(source);
    let mut gathered = Gathered::default();
    let mut text = normal::NormalText::default();
    let ended = loop {
        match source.next() {
            Ok(Some(SourceToken::Json)) => json::read(&mut source, &mut gathered),
            Ok(Some(SourceToken::Line(number, line))) if terse::is_terse(line) => {
                terse::read(number, line, &mut gathered);
            }
            Ok(Some(SourceToken::Line(number, line))) => text.line(number, line, &mut gathered),
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    text.end(&mut gathered);
    let line = source.line();
    if let Some(error) = ended {
        let why = text!("from here on: {error}");
        leave_out(&mut gathered.import.left_out, line, why);
    }
    let parts = without_repetition(gathered.parts);
    let mut import = gathered.import;
    import.runs = parts.into_iter().filter_map(run).collect();
    for run in &mut import.runs {
        if run.origin.format == OutputForm::Normal.name(false) {
            run.origin.corrections.clone_from(&gathered.corrections);
            run.origin
                .remarks
                .extend(run.started_at.map(|_| LOCAL_TIME.into()));
        }
    }
    let nothing = "no job in it has moved anything";
    Import::of(READER.format, import.runs, import.left_out, nothing)
}

/// With `--output-format=json,normal` fio tells the same jobs twice: the form that tells
/// more counts.
fn without_repetition(mut parts: Vec<GatheredJobs>) -> Vec<GatheredJobs> {
    let richest = parts.iter().map(|part| part.form).max();
    let keys = |part: &GatheredJobs| -> Vec<(String, String)> {
        let jobs = part.jobs.iter();
        jobs.map(|job| (job.name.clone(), job.group.clone()))
            .collect()
    };
    let richest_keys: std::collections::HashSet<(String, String)> = parts
        .iter()
        .filter(|part| Some(part.form) == richest)
        .flat_map(keys)
        .collect();
    for part in parts.iter_mut().filter(|part| Some(part.form) != richest) {
        part.jobs
            .retain(|job| !richest_keys.contains(&(job.name.clone(), job.group.clone())));
    }
    parts
}

fn run(part: GatheredJobs) -> Option<ImportedRun> {
    let has_bins = |job: &ReportedJob| job.sides.iter().any(|side| !side.histogram.is_empty());
    let format = part.form.name(part.jobs.iter().any(has_bins));
    let target = target(&part.jobs);
    let mut hosts = part.jobs.iter().map(|job| &job.host);
    let host = hosts.next().cloned().flatten();
    let host = host.filter(|first| hosts.all(|host| host.as_ref() == Some(first)));
    let mut sides = part.jobs.iter().flat_map(|job| &job.sides);
    let has_total = sides.any(JobDirection::is_of_total);
    let rows: Vec<_> = part.jobs.iter().flat_map(ReportedJob::rows).collect();
    if rows.is_empty() {
        return None;
    }
    let mut run = ImportedRun {
        started_at: part.started_at,
        method: "fio".to_owned(),
        target,
        environment: HostEnvironment {
            host,
            ..HostEnvironment::default()
        },
        rows,
        ..row::run("fio", format)
    };
    run.origin.version = part.version;
    if let Some(own) = part.sokudo {
        let format = run.origin.format;
        run.origin = Origin { format, ..own };
    }
    run.origin
        .remarks
        .extend(has_total.then(|| OF_TOTAL.into()));
    Some(run)
}

/// What all jobs accessed, where they say so.
fn target(jobs: &[ReportedJob]) -> ImportedTarget {
    let names: Vec<_> = jobs.iter().filter_map(|job| job.options.target()).collect();
    let names = names.iter().map(String::as_str);
    let sizes: Vec<_> = jobs.iter().map(|job| job.options.size()).collect();
    let size = sizes.first().copied().flatten();
    ImportedTarget {
        size: size.filter(|_| sizes.iter().all(|other| *other == size)),
        ..row::target(names_or(names, "fio's files"))
    }
}

#[cfg(test)]
mod tests;
