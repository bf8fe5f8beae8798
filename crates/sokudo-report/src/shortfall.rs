//! How a result is worded that is less than it was meant to be.

use sokudo_model::{Schedule, Steadiness, StopReason, Verdict};
use sokudo_words::{Text, text};

use crate::document::{ResultDocument, Status};
use crate::table::{Cell, Tone, verdict_name};

/// What stands behind the figure of a cell.
pub const UNVERIFIED: &str = "?";
pub const INVALID: &str = "!";
pub const IMPRECISE: &str = "~";
pub const INCOMPLETE: &str = "*";

/// The verdict, and in the same place whatever makes the row incomplete:
/// nobody should read the one without the other.
pub fn verdict_cell(result: &ResultDocument, trials_planned: u32) -> Cell {
    let text = verdict_text(result, trials_planned);
    let tone = match is_unfinished(result) {
        true => Tone::Doubtful,
        false => Tone::of(result.verdict),
    };
    Cell::Judged(tone, text)
}

/// Whether its figure may stand without its verdict, where there is little room.
pub(crate) fn is_sound(result: &ResultDocument) -> bool {
    result.status == Status::Complete && result.verdict != Some(Verdict::Invalid)
}

/// Whether its figure comes out the same again, or `None` where too few trials tell.
pub(crate) fn steadiness_cell(result: &ResultDocument) -> Option<Cell> {
    let steadiness = result.steadiness?;
    let tone = match steadiness {
        Steadiness::Steady => Tone::Good,
        Steadiness::Unsteady => Tone::Doubtful,
    };
    Some(Cell::Judged(tone, steadiness.name().into()))
}

/// A verdict, and what makes its row incomplete, as text.
pub fn verdict_text(result: &ResultDocument, trials_planned: u32) -> Text {
    let verdict = Text::from(verdict_name(result.verdict));
    match result.status {
        Status::Complete => verdict,
        // Without a whole trial a verdict would say too much.
        Status::Partial if is_unfinished(result) => "unfinished".into(),
        Status::Partial => text!(
            "{verdict} ({} of {trials_planned})",
            completed_trials(result)
        ),
        Status::Failed => text!("{verdict} (failed)"),
        Status::NotReached => "not reached".into(),
    }
}

/// The worst that is to be said of a cell; a space where there is nothing, so that
/// figures stay under each other.
pub fn sign(result: &ResultDocument) -> &'static str {
    let has = |code: &str| result.findings.iter().any(|finding| finding.code == code);
    match result.verdict {
        Some(Verdict::Invalid) => INVALID,
        _ if result.status != Status::Complete => INCOMPLETE,
        Some(Verdict::Unverified) => UNVERIFIED,
        _ if has("precision-not-reached") => IMPRECISE,
        _ => " ",
    }
}

/// Why a result has fewer figures than were planned, and every failure, also
/// those that did not end it.
pub(crate) fn shortfalls(result: &ResultDocument, schedule: &Schedule) -> Vec<Text> {
    let completed = completed_trials(result);
    // A row that stops when it is precise enough was not meant to have all of them.
    let trials = schedule.trials_of(&result.workload);
    let planned = match schedule.enough {
        Some(_) => text!("at most {trials}"),
        None => text!("{trials}"),
    };
    let mut shortfalls = match result.status {
        Status::Complete => vec![],
        Status::Partial if is_ended_by_rule(result, schedule) => {
            let rules = schedule.stop_when.iter().map(ToString::to_string);
            let rules = Text::list(rules.map(Text::name), ", ");
            vec![text!(
                "ended by --stop-when {rules}; {completed} of {planned} trials were completed"
            )]
        }
        Status::Partial => vec![text!(
            "interrupted; {completed} of {planned} trials were completed"
        )],
        Status::Failed => vec![match result.failures.iter().max_by_key(|it| it.count) {
            Some(failure) => {
                let failed = failure.description();
                text!("{failed}; {completed} of {planned} trials were completed")
            }
            None => text!("ended by a failure; {completed} of {planned} trials were completed"),
        }],
        Status::NotReached => vec!["the run ended before its first trial".into()],
    };
    let failures = result.failures.iter();
    shortfalls.extend(failures.map(|one| text!("trial {}: {}", one.trial, one.description())));
    shortfalls
}

/// Whether a rule of the schedule has ended its last trial.
fn is_ended_by_rule(result: &ResultDocument, schedule: &Schedule) -> bool {
    let last = result.trials.last();
    !schedule.stop_when.is_empty() && last.is_some_and(|it| it.stopped == StopReason::Ended)
}

/// The fewest and the most trials that were made of a row that has any.
pub fn trials_made<'a>(results: impl Iterator<Item = &'a ResultDocument> + Clone) -> [usize; 2] {
    let counts = || {
        let counts = results.clone().map(|result| result.trials.len());
        counts.filter(|count| *count > 0)
    };
    [counts().min(), counts().max()].map(Option::unwrap_or_default)
}

/// `6 trials`, `4 to 10 trials`.
pub fn trials_text(made: [usize; 2]) -> Text {
    match made {
        [1, 1] => text!("1 trial"),
        [least, most] if least == most => text!("{most} trials"),
        [least, most] => text!("{least} to {most} trials"),
    }
}

/// Whether none of its trials ran to its end.
fn is_unfinished(result: &ResultDocument) -> bool {
    result.status == Status::Partial && completed_trials(result) == 0
}

/// Trials that ran to their planned end.
pub(crate) fn completed_trials(result: &ResultDocument) -> usize {
    let is_complete = |stopped| !matches!(stopped, StopReason::Cancelled | StopReason::Failed);
    let trials = result.trials.iter();
    trials.filter(|trial| is_complete(trial.stopped)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RunDocument, sample};

    #[test]
    fn a_complete_row_still_tells_its_failures() {
        let mut document = RunDocument::from_run(&sample::troubled_run());
        let failures = document.results[2].failures.clone();
        let schedule = document.schedule.clone();
        assert_eq!(shortfalls(&document.results[0], &schedule), [""; 0]);
        document.results[0].failures = failures;
        assert_eq!(shortfalls(&document.results[0], &schedule).len(), 3);
    }

    /// What failed most often is the first that is said of a row, and so of the run.
    #[test]
    fn a_row_that_failed_says_what_failed() {
        let document = RunDocument::from_run(&sample::troubled_run());
        let failed = document.results.iter();
        let mut failed = failed.filter(|it| it.status == Status::Failed);
        let failed = failed.next().unwrap();
        let shortfall = shortfalls(failed, &document.schedule)[0].english();
        let failure = failed.failures.iter().max_by_key(|it| it.count);
        let failure = failure.unwrap().description().english();
        assert!(failure.contains(" failed, the first at byte "), "{failure}");
        assert!(
            shortfall.starts_with(&format!("{failure}; ")),
            "{shortfall}"
        );
    }

    #[test]
    fn trials_that_were_only_allowed_were_not_planned() {
        let document = RunDocument::from_run(&sample::troubled_run());
        let interrupted = &document.results[3];
        let mut schedule = document.schedule.clone();
        schedule.trials = 40;
        let first_shortfall = |schedule: &Schedule| shortfalls(interrupted, schedule)[0].clone();
        assert_eq!(
            first_shortfall(&schedule),
            "interrupted; 1 of 40 trials were completed"
        );
        schedule.enough = Some(sokudo_model::Enough::within(20));
        assert_eq!(
            first_shortfall(&schedule),
            "interrupted; 1 of at most 40 trials were completed"
        );
    }

    #[test]
    fn a_sign_says_what_is_to_be_said_of_a_cell() {
        let mut document = RunDocument::from_run(&sample::bare_run());
        let result = &mut document.results[0];
        for (verdict, expected) in [
            (Some(Verdict::Verified), " "),
            (Some(Verdict::Unverified), UNVERIFIED),
            (Some(Verdict::Invalid), INVALID),
        ] {
            result.verdict = verdict;
            result.status = Status::Complete;
            assert_eq!(sign(result), expected);
        }
        result.verdict = Some(Verdict::Verified);
        result.status = Status::Partial;
        assert_eq!(sign(result), INCOMPLETE);
    }
}
