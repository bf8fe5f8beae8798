//! What fio prints: JSON and json+ (also several in one file, and behind warnings), terse
//! of versions 2 to 5, and the normal text; and any mixture of them in one file.
//!
//! A file is read once, from its beginning to its end. A job that several formats of one
//! file tell of is read from the one that tells most: JSON, then terse, then text.

mod bins;
mod job;
mod json;
mod normal;
mod options;
mod source;
mod terse;

use std::io::BufRead;

use sokudo_model::{Correction, Environment, ImportedRun, ImportedTarget, Nanos, Origin};

use crate::text::leave_out;
use crate::{Import, ImportError, Reader};
use job::Job;
use source::{Piece, Source};

pub(crate) const READER: Reader = Reader {
    format: "fio",
    recognise,
    read,
};

/// What is to be known of a date in fio's text.
const LOCAL_TIME: &str = "fio tells its date in local time without the zone; it is taken as UTC";
/// No file holds more rows: a job has at most three.
const ROWS_MAX: usize = 10_000;
/// No file keeps more classes of latency, of all rows together: beyond that, rows have
/// their percentiles only.
const BINS_MAX: usize = 250_000;

fn recognise(head: &str) -> bool {
    let is_json = head.contains("\"fio version\"");
    is_json
        || head
            .lines()
            .any(|line| terse::is_terse(line) || normal::is_job(line))
}

/// Which format a run was read from; those that tell more come later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Normal,
    Terse,
    Json,
}

impl Form {
    const fn name(self, has_bins: bool) -> &'static str {
        match self {
            Self::Normal => "fio text",
            Self::Terse => "fio terse",
            Self::Json if has_bins => "fio json+",
            Self::Json => "fio json",
        }
    }
}

/// Jobs that one fio has printed in one form.
#[derive(Debug)]
struct Part {
    form: Form,
    version: Option<String>,
    started_at: Option<Nanos>,
    jobs: Vec<Job>,
}

impl Part {
    fn new(form: Form, version: Option<String>) -> Self {
        Self {
            form,
            version,
            started_at: None,
            jobs: Vec::new(),
        }
    }
}

/// What has been read so far.
#[derive(Default)]
struct Gathered {
    parts: Vec<Part>,
    import: Import,
    /// Figures of fio's text that were put right.
    corrections: Vec<Correction>,
    rows: usize,
    bins: usize,
    is_full: bool,
}

impl Gathered {
    /// The part that jobs of this form and version belong to.
    fn part(&mut self, form: Form, version: Option<&str>) -> &mut Part {
        let is_same = |part: &Part| part.form == form && part.version.as_deref() == version;
        if !self.parts.last().is_some_and(is_same) {
            self.begin(form, version.map(str::to_owned));
        }
        self.parts.last_mut().expect("there is one now")
    }

    fn begin(&mut self, form: Form, version: Option<String>) {
        self.parts.push(Part::new(form, version));
    }

    /// Counts a job against the limits; `false` when there is no room for it.
    fn admits(&mut self, line: u64, job: &mut Job) -> bool {
        let rows = self.rows + job.sides.len();
        if rows > ROWS_MAX {
            if !self.is_full {
                let why =
                    format!("this job and what follows: one file has {ROWS_MAX} rows at most");
                leave_out(&mut self.import.left_out, line, why);
            }
            self.is_full = true;
            return false;
        }
        self.rows = rows;
        for side in &mut job.sides {
            let bins = self.bins + side.histogram.len();
            if bins > BINS_MAX {
                side.histogram = Vec::new();
                let why = format!(
                    "the classes of latency of {}: one file has {BINS_MAX} at most, so there \
                     are only its percentiles",
                    job.name
                );
                leave_out(&mut self.import.left_out, line, why);
            } else {
                self.bins = bins;
            }
        }
        true
    }
}

fn read(source: &mut dyn BufRead) -> Result<Import, ImportError> {
    let mut source = Source::new(source);
    let mut gathered = Gathered::default();
    let mut text = normal::Text::default();
    let ended = loop {
        match source.next() {
            Ok(Some(Piece::Json)) => json::read(&mut source, &mut gathered),
            Ok(Some(Piece::Line(number, line))) if terse::is_terse(line) => {
                terse::read(number, line, &mut gathered);
            }
            Ok(Some(Piece::Line(number, line))) => text.line(number, line, &mut gathered),
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    text.end(&mut gathered);
    let line = source.line();
    if let Some(error) = ended {
        let why = format!("from here on: {error}");
        leave_out(&mut gathered.import.left_out, line, why);
    }
    let parts = without_repetition(gathered.parts);
    let mut import = gathered.import;
    import.runs = parts.into_iter().filter_map(run).collect();
    for run in &mut import.runs {
        if run.origin.format == Form::Normal.name(false) {
            run.origin.corrections.clone_from(&gathered.corrections);
            run.origin
                .remarks
                .extend(run.started_at.map(|_| LOCAL_TIME.to_owned()));
        }
    }
    if import.runs.is_empty() {
        let why = match import.left_out.first() {
            Some(first) => match first.line {
                Some(line) => format!("line {line}: {}", first.why),
                None => first.why.clone(),
            },
            None => "no job in it has moved anything".to_owned(),
        };
        return Err(ImportError::Broken {
            format: READER.format,
            why,
        });
    }
    Ok(import)
}

/// With `--output-format=json,normal` fio tells the same jobs twice: the form that tells
/// more counts.
fn without_repetition(mut parts: Vec<Part>) -> Vec<Part> {
    let richest = parts.iter().map(|part| part.form).max();
    let keys = |part: &Part| -> Vec<(String, String)> {
        let jobs = part.jobs.iter();
        jobs.map(|job| (job.name.clone(), job.group.clone()))
            .collect()
    };
    let told: std::collections::HashSet<(String, String)> = parts
        .iter()
        .filter(|part| Some(part.form) == richest)
        .flat_map(keys)
        .collect();
    for part in parts.iter_mut().filter(|part| Some(part.form) != richest) {
        part.jobs
            .retain(|job| !told.contains(&(job.name.clone(), job.group.clone())));
    }
    parts
}

fn run(part: Part) -> Option<ImportedRun> {
    let has_bins = |job: &Job| job.sides.iter().any(|side| !side.histogram.is_empty());
    let format = part.form.name(part.jobs.iter().any(has_bins));
    let target = target(&part.jobs);
    let host = part.jobs.iter().find_map(|job| job.host.clone());
    let rows: Vec<_> = part.jobs.iter().flat_map(Job::rows).collect();
    (!rows.is_empty()).then(|| ImportedRun {
        origin: Origin {
            tool: "fio".to_owned(),
            version: part.version,
            format: format.to_owned(),
            ..Origin::default()
        },
        started_at: part.started_at,
        method: "fio".to_owned(),
        command: None,
        target,
        environment: Environment {
            host,
            ..Environment::default()
        },
        rows,
    })
}

/// What all jobs accessed, where they say so.
fn target(jobs: &[Job]) -> ImportedTarget {
    let mut names: Vec<&str> = Vec::new();
    for name in jobs.iter().filter_map(|job| job.options.target.as_deref()) {
        if !names.contains(&name) && names.len() < 4 {
            names.push(name);
        }
    }
    let sizes: Vec<_> = jobs.iter().map(|job| job.options.size).collect();
    let size = sizes.first().copied().flatten();
    ImportedTarget {
        name: match names.is_empty() {
            true => "fio's files".to_owned(),
            false => names.join(", "),
        },
        size: size.filter(|_| sizes.iter().all(|other| *other == size)),
        ..ImportedTarget::default()
    }
}

#[cfg(test)]
mod tests;
