//! The error number that a job ends with, and its text.

use std::io;

use sokudo_model::{FailureKind, IoFailure, Outcome, StopReason};

use super::FioReport;

const EIO: i32 = 5;
/// What fio reports when a block is not what was written.
const EILSEQ: i32 = 84;
const ETIMEDOUT: i32 = 110;

/// The error of a job: that of its first failed I/O, or of a failed check; 0 for none.
///
/// An I/O that moved a part of its bytes is no error by itself: fio counts it and
/// goes on.
pub(super) fn error_number(outcome: &Outcome) -> i32 {
    if let Some(number) = outcome.failures.iter().find_map(number_of) {
        return number;
    }
    let wrong = outcome
        .verified
        .as_ref()
        .map_or(0, |verified| verified.wrong);
    match outcome.stopped {
        _ if wrong > 0 => EILSEQ,
        StopReason::Failed => EIO,
        _ => 0,
    }
}

/// Which I/Os failed and how, one sentence per kind and job: for the standard error,
/// since fio's outputs have room for a number only.
pub fn failure_lines(report: &FioReport) -> Vec<String> {
    let jobs = report.session.jobs.iter().enumerate();
    let failed = jobs.filter_map(|(index, job)| Some((job, &report.outcome(index)?.failures)));
    failed
        .flat_map(|(job, failures)| failures.iter().map(move |failure| (job, failure)))
        .filter_map(|(job, failure)| {
            let text = error_text(number_of(failure)?);
            let of_file = match &job.files[..] {
                [file] => format!(" of {file}"),
                _ => String::new(),
            };
            Some(format!(
                "{}: {}{of_file} failed {} times, first at offset {}: {text}",
                job.name,
                failure.operation.name(),
                failure.count,
                failure.offset.0
            ))
        })
        .collect()
}

fn number_of(failure: &IoFailure) -> Option<i32> {
    match failure.kind {
        FailureKind::Errno(number) => Some(number),
        FailureKind::Nothing | FailureKind::Nvme(_) => Some(EIO),
        FailureKind::Unanswered => Some(ETIMEDOUT),
        FailureKind::Short { .. } => None,
    }
}

/// What the system calls an error number.
pub(super) fn error_text(number: i32) -> String {
    let text = io::Error::from_raw_os_error(number).to_string();
    match text.rfind(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{BackendKind, Bytes, Operation, VerifyOutcome};

    fn outcome() -> Outcome {
        let backend = crate::sample::backend(BackendKind::Null);
        Outcome::new(backend, StopReason::Time)
    }

    fn failure(kind: FailureKind) -> IoFailure {
        IoFailure {
            operation: Operation::Read,
            kind,
            offset: Bytes(0),
            count: 1,
        }
    }

    #[test]
    fn a_short_transfer_is_counted_but_no_error() {
        let mut outcome = outcome();
        assert_eq!(error_number(&outcome), 0);
        outcome.failures.push(failure(FailureKind::Short {
            requested: 4096,
            moved: 512,
        }));
        assert_eq!(error_number(&outcome), 0);
        outcome.failures.push(failure(FailureKind::Errno(28)));
        assert_eq!(error_number(&outcome), 28);
        assert_eq!(error_text(28), "No space left on device");
    }

    #[test]
    fn a_wrong_block_is_the_error_that_fio_gives() {
        let mut outcome = outcome();
        outcome.verified = Some(VerifyOutcome {
            checked: 2,
            wrong: 1,
            mismatches: vec![],
        });
        assert_eq!(error_number(&outcome), 84);
        assert_eq!(
            error_text(84),
            "Invalid or incomplete multibyte or wide character"
        );
    }
}
