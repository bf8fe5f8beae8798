//! Checks in the words of those who watch machines: the status line of a plugin of Nagios, and
//! metrics for the textfile collector of node_exporter.
//!
//! Nagios' formats are those of the Monitoring Plugins Development Guidelines: one line, figures
//! behind a bar as `'label'=value[unit];[warn];[crit];[min];[max]`, and exit codes of its own.

use super::fleet::{BaselineCheck, ChecksDocument};
use super::{CheckDocument, CheckOutcome, RATIO_LOW_MIN};
use crate::document::{ResultDocument, RunDocument};
use crate::figure::Figure;
use crate::record::word;
use crate::shortfall::completed_trials;
use crate::{assessment_table, date};
use sokudo_model::RunAnswer;
use sokudo_words::exposition::{Labels, Metrics};

/// Every metric that is told, in order, with what it is.
const METRICS: &str = "\
sokudo_check_timestamp_seconds Start of the check's run, seconds since 1970-01-01 UTC.
sokudo_check_exit_code Exit code of the check alone: 0 not slower, 1 slower or failed, 2 no baseline, 3 refused, 4 not judged or busy.
sokudo_check_outcome 1 for what the check came to, 0 for the others.
sokudo_check_row_outcome 1 for what has become of the row, 0 for the others.
sokudo_check_row_ratio The row's rate now, as a share of the baseline's.
sokudo_check_row_ratio_low Low end of the 95 percent interval of that share.
sokudo_check_row_ratio_high High end of the 95 percent interval of that share.
";

const OUTCOMES: [CheckOutcome; 6] = [
    CheckOutcome::Failed,
    CheckOutcome::Slower,
    CheckOutcome::Faster,
    CheckOutcome::Unchanged,
    CheckOutcome::NoChangeShown,
    CheckOutcome::NotJudged,
];

/// How a plugin of Nagios ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NagiosStatus {
    Ok = 0,
    Warning = 1,
    Critical = 2,
    Unknown = 3,
}

impl NagiosStatus {
    const GRAVEST_FIRST: [Self; 4] = [Self::Critical, Self::Warning, Self::Unknown, Self::Ok];

    const fn name(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Warning => "WARNING",
            Self::Critical => "CRITICAL",
            Self::Unknown => "UNKNOWN",
        }
    }

    /// Of a check: a row that is slower is a warning, one that has lost half its speed or more,
    /// or a device that failed while it was measured, is critical.
    fn of(check: &BaselineCheck) -> Self {
        let Some(document) = &check.check else {
            return Self::Unknown;
        };
        let has_lost_half = || {
            let mut rows = document.deciding().into_iter();
            rows.any(|(row, checked)| {
                let change = row.compared.change.as_ref();
                let is_half = change.is_some_and(|change| change.ratio <= RATIO_LOW_MIN);
                checked.outcome == CheckOutcome::Slower && is_half
            })
        };
        match document.outcome {
            _ if check.error.is_some() && check.exit_code == 1 => Self::Critical,
            CheckOutcome::Failed => Self::Critical,
            CheckOutcome::Slower if has_lost_half() => Self::Critical,
            CheckOutcome::Slower => Self::Warning,
            CheckOutcome::NotJudged => Self::Unknown,
            CheckOutcome::Faster | CheckOutcome::Unchanged | CheckOutcome::NoChangeShown => {
                Self::Ok
            }
        }
    }
}

impl RunDocument {
    /// The status line of a plugin of Nagios, and the exit code that Nagios expects, of a run that
    /// answers for disks. A part of a run answers only for what is not OK already.
    pub fn to_nagios(&self) -> (String, u8) {
        let disks = assessment_table::judged_disks(self);
        let answered = assessment_table::answer_of_all(&disks);
        if self.interrupted && !matches!(answered, Some((RunAnswer::NotOk, _))) {
            let completed: usize = self.results.iter().map(completed_trials).sum();
            let trials = |it: &ResultDocument| self.schedule.trials_of(&it.workload);
            let planned: u32 = self.results.iter().map(trials).sum();
            let why = format!("interrupted after {completed} of {planned} trials");
            return ChecksDocument::nagios_unknown(&why);
        }
        let Some((answer, sentence)) = answered else {
            return ChecksDocument::nagios_unknown("no disk was looked at");
        };
        let status = match answer {
            RunAnswer::Ok | RunAnswer::OkSoFar | RunAnswer::FastEnough => NagiosStatus::Ok,
            RunAnswer::OkBut => NagiosStatus::Warning,
            RunAnswer::NotOk | RunAnswer::TooSlow => NagiosStatus::Critical,
            RunAnswer::CannotSay => NagiosStatus::Unknown,
        };
        let line = nagios_line(status.name(), &sentence.english());
        (line + "\n", status as u8)
    }
}

impl ChecksDocument {
    /// The status line of a plugin of Nagios, further lines for each of several checks, and the
    /// exit code that Nagios expects.
    pub fn to_nagios(&self) -> (String, u8) {
        let of = |check: &BaselineCheck| NagiosStatus::of(check);
        let has = |status: &NagiosStatus| self.checks.iter().any(|check| of(check) == *status);
        let worst = NagiosStatus::GRAVEST_FIRST.into_iter().find(has);
        let worst = worst.unwrap_or(NagiosStatus::Unknown);
        let is_alone = self.checks.len() == 1;
        let figures = self
            .checks
            .iter()
            .flat_map(|check| figures(check, is_alone));
        let figures = figures.collect::<Vec<_>>().join(" ");
        let bar = if figures.is_empty() { "" } else { " | " };
        let mut text = match &self.checks[..] {
            [] => nagios_line(worst.name(), "there is no baseline"),
            [only] => nagios_line(worst.name(), &only.sentence()),
            all => {
                let count = |status| all.iter().filter(|check| of(check) == status).count();
                let statuses = NagiosStatus::GRAVEST_FIRST;
                let counts = statuses.map(|status| format!("{} {}", count(status), status.name()));
                let mut message = format!("{} baselines: {}", all.len(), counts.join(", "));
                let gravest = all.iter().find(|check| of(check) == worst);
                if let Some(check) = gravest.filter(|_| worst != NagiosStatus::Ok) {
                    message += &format!("; {}", check.named_sentence());
                }
                nagios_line(worst.name(), &message)
            }
        };
        text += &format!("{bar}{figures}\n");
        if !is_alone {
            for check in &self.checks {
                text += &format!(
                    "{} - {}\n",
                    of(check).name(),
                    plain(&check.named_sentence())
                );
            }
        }
        (text, worst as u8)
    }

    /// The status line where nothing could be checked, and its exit code.
    pub fn nagios_unknown(why: &str) -> (String, u8) {
        let status = NagiosStatus::Unknown;
        (nagios_line(status.name(), why) + "\n", status as u8)
    }

    /// Metrics in Prometheus' text format, for the textfile collector of node_exporter.
    pub fn to_prometheus(&self) -> String {
        let mut metrics = Metrics::default();
        for check in &self.checks {
            let subject = Labels::default()
                .with("device", &check.identity)
                .with("target", &check.target)
                .with("method", &check.method);
            let code = f64::from(check.exit_code);
            metrics.add("sokudo_check_exit_code", &subject, Some(code));
            let outcome = check.outcome().unwrap_or(CheckOutcome::NotJudged);
            add_outcomes(&mut metrics, "sokudo_check_outcome", &subject, outcome);
            if let Some(document) = &check.check {
                add_rows(&mut metrics, document, &subject);
            }
        }
        metrics.text(METRICS)
    }
}

fn nagios_line(status: &str, message: &str) -> String {
    format!("SOKUDO {status} - {}", plain(message))
}

/// Without what would end the line or begin the figures.
fn plain(text: &str) -> String {
    let safe = |sign: char| match sign {
        '|' => '/',
        sign if sign.is_control() => ' ',
        sign => sign,
    };
    text.chars().map(safe).collect()
}

/// The rates of a check's rows, and how far they are from the baseline's.
fn figures(check: &BaselineCheck, is_alone: bool) -> Vec<String> {
    let Some(document) = &check.check else {
        return Vec::new();
    };
    let unit = match document.comparison.figure {
        Figure::Bandwidth => "B",
        Figure::Iops => "",
    };
    let mut figures = Vec::new();
    for row in document.comparison.rows() {
        let name = match is_alone {
            true => row.row.clone(),
            false => format!("{} {} {}", check.target, check.method, row.row),
        };
        let name = figure_label(&name);
        if let Some(rates) = &row.other.per_second {
            figures.push(format!("'{name}'={:.0}{unit};;;0;", rates.median));
        }
        if let Some(change) = &row.compared.change {
            let percent = (change.ratio - 1.0) * 100.0;
            figures.push(format!("'{name} change'={percent:.1}%;;;;"));
        }
    }
    figures
}

/// A label has neither quotes nor equals signs.
fn figure_label(name: &str) -> String {
    plain(name).replace(['\'', '='], "")
}

fn add_rows(metrics: &mut Metrics, document: &CheckDocument, subject: &Labels) {
    let side = document.comparison.others.first().map(|other| &other.side);
    let at = side.and_then(|side| date::from_rfc3339(&side.started_at));
    let at = at.map(|at| at.as_secs_f64());
    metrics.add("sokudo_check_timestamp_seconds", subject, at);
    for (row, checked) in document.comparison.rows().zip(&document.rows) {
        let labels = subject.with("row", &row.row);
        let outcome = checked.outcome;
        add_outcomes(metrics, "sokudo_check_row_outcome", &labels, outcome);
        let change = row.compared.change.as_ref();
        let interval = change.and_then(|change| change.ratio_interval_95);
        let mut add = |name, value| metrics.add(name, &labels, value);
        add("sokudo_check_row_ratio", change.map(|it| it.ratio));
        add("sokudo_check_row_ratio_low", interval.map(|it| it.low));
        add("sokudo_check_row_ratio_high", interval.map(|it| it.high));
    }
}

fn add_outcomes(metrics: &mut Metrics, name: &'static str, subject: &Labels, is: CheckOutcome) {
    let words = OUTCOMES.map(|outcome| (word(&outcome), outcome == is));
    let states = words.iter().map(|(word, holds)| (&**word, *holds));
    metrics.add_states(name, subject, "outcome", states);
}

impl BaselineCheck {
    /// What it is of, and what it came to.
    fn named_sentence(&self) -> String {
        format!("{} ({}): {}", self.target, self.method, self.sentence())
    }

    /// What it came to, for programs: in English.
    fn sentence(&self) -> String {
        match (&self.error, &self.check) {
            (Some(error), _) => error.english(),
            (None, Some(check)) => check.sentence.clone(),
            (None, None) => "not measured".to_owned(),
        }
    }
}
