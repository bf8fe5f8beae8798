//! What has been read of a file of fio's so far, and what it may hold at most.

use sokudo_model::{Correction, Nanos, Origin};
use sokudo_words::text;

use crate::results::Import;
use crate::results::text::leave_out;

use super::job::ReportedJob;

/// No file holds more rows: a job has at most three.
pub(super) const ROWS_MAX: usize = 10_000;

/// No file keeps more classes of latency, of all rows together: beyond that, rows have
/// their percentiles only.
pub(super) const BINS_MAX: usize = 250_000;

/// Why the sum over all clients is left out.
pub(super) const ALL_CLIENTS: &str = "\"All clients\": it repeats what each client reported";

/// Which format a run was read from; those that tell more come later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OutputForm {
    Normal,
    Terse,
    Json,
}

impl OutputForm {
    pub(super) const fn name(self, has_bins: bool) -> &'static str {
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
pub(super) struct GatheredJobs {
    pub(super) form: OutputForm,
    pub(super) version: Option<String>,
    /// Who measured, where sokudo stood in for fio.
    pub(super) sokudo: Option<Origin>,
    pub(super) started_at: Option<Nanos>,
    pub(super) jobs: Vec<ReportedJob>,
}

impl GatheredJobs {
    pub(super) fn new(form: OutputForm, version: Option<String>) -> Self {
        Self {
            form,
            version,
            sokudo: None,
            started_at: None,
            jobs: Vec::new(),
        }
    }
}

/// What has been read so far.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) parts: Vec<GatheredJobs>,
    pub(super) import: Import,
    /// Figures of fio's text that were put right.
    pub(super) corrections: Vec<Correction>,
    pub(super) rows: usize,
    pub(super) bins: usize,
    pub(super) is_full: bool,
}

impl Gathered {
    /// The part that jobs of this form and version belong to.
    pub(super) fn part(&mut self, form: OutputForm, version: Option<&str>) -> &mut GatheredJobs {
        let is_same = |part: &GatheredJobs| part.form == form && part.version.as_deref() == version;
        if !self.parts.last().is_some_and(is_same) {
            self.begin(form, version.map(str::to_owned));
        }
        self.parts.last_mut().expect("there is one now")
    }

    pub(super) fn begin(&mut self, form: OutputForm, version: Option<String>) {
        self.parts.push(GatheredJobs::new(form, version));
    }

    /// Counts a job against the limits; `false` when there is no room for it.
    pub(super) fn admits(&mut self, line: u64, job: &mut ReportedJob) -> bool {
        let rows = self.rows + job.sides.len();
        if rows > ROWS_MAX {
            if !self.is_full {
                let why = text!("this job and what follows: one file has {ROWS_MAX} rows at most");
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
                let why = text!(
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
