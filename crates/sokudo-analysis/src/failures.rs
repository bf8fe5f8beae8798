//! I/O that failed, in words.

use sokudo_model::{Bytes, Defect, FailureKind, IoFailure, Operation, Row, StopReason, TargetKind};
use sokudo_words::{Argument, Text, text};

use crate::case::RowContext;
use crate::code::{Code, RuleResult};
use crate::remedy;
use crate::rule::RowRule;

pub(crate) const RULES: &[RowRule] = &[
    no_io,
    wrong_data,
    device_vanished,
    unreadable,
    hung,
    io_errors,
];

/// Ranges that are named in a finding; the results list all of them.
const RANGES_LISTED_MAX: usize = 4;

/// Ranges of several trials that are compared with each other.
const DEFECTS_COMPARED_MAX: usize = 1_000;

/// The largest sector that a disk reads as one.
const SECTOR_MAX: Bytes = Bytes::kib(4);

/// Linux error numbers that storage answers with (asm-generic/errno.h). Above 34
/// they are others on MIPS, SPARC, PA-RISC and Alpha, where they would be shown
/// with the wrong words.
mod errno {
    pub(super) const EIO: i32 = 5;
    pub(super) const ENXIO: i32 = 6;
    pub(super) const EAGAIN: i32 = 11;
    pub(super) const ENOMEM: i32 = 12;
    pub(super) const EACCES: i32 = 13;
    pub(super) const ENODEV: i32 = 19;
    pub(super) const EINVAL: i32 = 22;
    pub(super) const EFBIG: i32 = 27;
    pub(super) const ENOSPC: i32 = 28;
    pub(super) const EROFS: i32 = 30;
    pub(super) const ENODATA: i32 = 61;
    pub(super) const EILSEQ: i32 = 84;
    pub(super) const EOPNOTSUPP: i32 = 95;
    pub(super) const ETIMEDOUT: i32 = 110;
    pub(super) const EREMOTEIO: i32 = 121;
    pub(super) const EDQUOT: i32 = 122;
}

/// What was read back is not what was written: whatever the speed, it is not that of
/// storing data.
fn wrong_data(case: &RowContext<'_>) -> Option<RuleResult> {
    let checks = || {
        case.outcomes()
            .filter_map(|outcome| outcome.verified.as_ref())
    };
    let wrong: u64 = checks().map(|check| check.wrong).sum();
    let checked: u64 = checks().map(|check| check.checked).sum();
    let mut mismatches = checks().flat_map(|check| &check.mismatches);
    let first = mismatches.next();
    let more = mismatches.take(RANGES_LISTED_MAX - 1);
    let more: Vec<Text> = more.map(|it| text!("{}", it.offset.0)).collect();
    let of_all = text!("{wrong} of {checked} blocks did not hold what was written to them");
    let symptom = match first {
        Some(first) => text!(
            "{wrong_blocks}; the first is {length} at byte {offset}: {detail}",
            wrong_blocks = of_all,
            length = first.length,
            offset = first.offset.0,
            detail = first.detail
        ),
        None => of_all,
    };
    let symptom = match more.is_empty() {
        true => symptom,
        false => text!("{symptom}; the next are at byte {}", Text::list(more, ", ")),
    };
    (wrong > 0).then(|| {
        RuleResult::new(
            Code::WrongData,
            symptom,
            "a disk, cable, memory or driver that changes or loses data, or another program that \
             writes to the same place",
            "do not trust this disk with data until the cause is found; look at its health and at \
             the kernel's log (dmesg)",
        )
    })
}

/// Whether the run was interrupted before an I/O of the row ended in any way.
pub(crate) fn was_not_reached(case: &RowContext<'_>) -> bool {
    let is_cut = case.run.interrupted || case.run.stopped_by.is_some();
    is_cut && !has_completed(case) && !has_failed(case)
}

fn has_completed(case: &RowContext<'_>) -> bool {
    case.outcomes()
        .any(|outcome| outcome.operations.iter().any(|tally| tally.ios > 0))
}

fn has_failed(case: &RowContext<'_>) -> bool {
    case.outcomes().any(|outcome| !outcome.failures.is_empty())
}

/// The finding `no-io`: no trial of the row completed an I/O.
fn no_io(case: &RowContext<'_>) -> Option<RuleResult> {
    if has_completed(case) {
        return None;
    }
    let (cause, remedy) = if has_failed(case) {
        (
            "every I/O failed",
            Text::from("see the row's other findings for how the I/O failed"),
        )
    } else if case.row.trials.is_empty() {
        ("the row was not run", Text::from("measure it again"))
    } else {
        ("no I/O completed within a trial", remedy::more_time())
    };
    Some(RuleResult::new(
        Code::NoIo,
        "no I/O completed, so that there is no figure",
        cause,
        remedy,
    ))
}

/// A device that is gone answers in ways that do not say so.
fn device_vanished(case: &RowContext<'_>) -> Option<RuleResult> {
    let vanished: Vec<IoFailure> = failures(case)
        .into_iter()
        .filter(|failure| means_vanished(case, failure) || survey_gave_up(case, failure))
        .collect();
    (!vanished.is_empty()).then(|| {
        RuleResult::new(
            Code::DeviceVanished,
            all_in_words(case, &vanished),
            "the device stopped answering: unplugged, reset or broken. A device that is gone answers reads with no bytes and no error, or with ENODEV; it answers writes with ENOSPC although there is room",
            "look for the device's name in the kernel's log (dmesg), and check cable, power and \
             health",
        )
    })
}

/// A survey goes on where something cannot be read, and says where.
fn unreadable(case: &RowContext<'_>) -> Option<RuleResult> {
    let defects = defects(case, |kind| kind != FailureKind::Unanswered);
    let first = defects.first()?;
    let (bytes, ranges, named) = summary(&defects);
    Some(RuleResult::new(
        Code::Unreadable,
        match first.operation {
            Operation::Write => text!("{bytes} in {ranges} cannot be written: {named}"),
            _ => text!("{bytes} in {ranges} cannot be read: {named}"),
        },
        "the device answers these blocks with errors: a worn or damaged medium, or a bad cable or \
         power supply",
        remedy::health_and_cable(),
    ))
}

/// It goes on where something does not come back, too.
fn hung(case: &RowContext<'_>) -> Option<RuleResult> {
    let timeout = case.row.workload.survey()?.timeout?;
    let defects = defects(case, |kind| kind == FailureKind::Unanswered);
    if defects.is_empty() {
        return None;
    }
    let (bytes, ranges, named) = summary(&defects);
    let ended = case.outcomes().any(|it| it.stopped == StopReason::Failed);
    Some(RuleResult::new(
        Code::Hung,
        match ended {
            true => text!(
                "{bytes} in {ranges} did not come back within {timeout}, and so many reads hung \
                 at once that the scan ended: {named}"
            ),
            false => text!("{bytes} in {ranges} did not come back within {timeout}: {named}"),
        },
        "the device or what stands below it holds these requests: a drive that tries to read a \
         damaged place again and again, a bad cable, or a server that is gone",
        remedy::health_and_cable(),
    ))
}

/// The defects of all trials that are of these kinds, each once.
fn defects(case: &RowContext<'_>, is_meant: impl Fn(FailureKind) -> bool) -> Vec<Defect> {
    let mut defects: Vec<Defect> = Vec::new();
    let all = case.outcomes().flat_map(|outcome| &outcome.defects);
    for defect in all.filter(|defect| is_meant(defect.kind)) {
        let is_known = defects.iter().any(|known| {
            (known.operation, known.offset, known.length)
                == (defect.operation, defect.offset, defect.length)
        });
        if !is_known && defects.len() < DEFECTS_COMPARED_MAX {
            defects.push(*defect);
        }
    }
    defects
}

/// How much they are, in how many ranges, and the first of them.
fn summary(defects: &[Defect]) -> (Bytes, Text, Text) {
    let bytes = Bytes(defects.iter().map(|defect| defect.length.0).sum());
    let ranges = defects.iter().take(RANGES_LISTED_MAX).map(|defect| {
        text!(
            "{length} at {at} (byte {offset})",
            length = defect.length,
            at = defect.offset,
            offset = defect.offset.0
        )
    });
    let named = Text::list(ranges, ", ");
    let named = match defects.len().saturating_sub(RANGES_LISTED_MAX) {
        0 => named,
        more => text!("{named} and {more} more"),
    };
    let ranges = match defects.len() {
        1 => Text::from("1 range"),
        count => text!("{count} ranges"),
    };
    (bytes, ranges, named)
}

fn io_errors(case: &RowContext<'_>) -> Option<RuleResult> {
    // Failures that a survey has looked into are its defects.
    let has_defects = case.outcomes().any(|outcome| !outcome.defects.is_empty());
    let errors: Vec<IoFailure> = failures(case)
        .into_iter()
        .filter(|failure| !means_vanished(case, failure) && !survey_gave_up(case, failure))
        .filter(|failure| !has_defects || !is_looked_into(case, failure))
        .collect();
    let first = errors.first()?;
    let (cause, remedy) = explain(first.kind);
    Some(RuleResult::new(
        Code::IoErrors,
        all_in_words(case, &errors),
        cause,
        remedy,
    ))
}

/// The error that another tool says to have ended a row.
pub(crate) fn reported(tool: String, number: i32) -> RuleResult {
    RuleResult::new(
        Code::IoErrors,
        text!("{tool} ended with {error}", error = errno_words(number)),
        "its figures are of the time until then",
        "see in the tool's own output and in the kernel's log what failed, and measure again",
    )
}

/// All failures of the row, those of one kind together: the first offset, and
/// the number in all trials.
fn failures(case: &RowContext<'_>) -> Vec<IoFailure> {
    let mut merged: Vec<IoFailure> = Vec::new();
    for failure in case.outcomes().flat_map(|outcome| &outcome.failures) {
        let same = merged.iter_mut().find(|known| {
            known.operation == failure.operation
                && std::mem::discriminant(&known.kind) == std::mem::discriminant(&failure.kind)
                && errno_of(known.kind) == errno_of(failure.kind)
        });
        match same {
            Some(known) => known.count += failure.count,
            None => merged.push(failure.clone()),
        }
    }
    merged
}

/// Whether all that failed in a row did so because a file system, or the user's share of it, was
/// full.
pub(crate) fn lacks_room(row: &Row) -> bool {
    let is_full = |it: &IoFailure| matches!(errno_of(it.kind), Some(errno::ENOSPC | errno::EDQUOT));
    let mut failures = row.trials.iter().flat_map(|it| &it.outcome.failures);
    failures.all(is_full)
}

fn means_vanished(case: &RowContext<'_>, failure: &IoFailure) -> bool {
    match failure.kind {
        FailureKind::Nothing | FailureKind::Errno(errno::ENODEV | errno::ENXIO) => true,
        FailureKind::Errno(errno::ENOSPC) => case.target().kind == TargetKind::BlockDevice,
        FailureKind::Errno(_)
        | FailureKind::Short { .. }
        | FailureKind::Unanswered
        | FailureKind::Nvme(_) => false,
    }
}

/// A survey ends where the device answers nothing any more, whatever error it gives.
fn survey_gave_up(case: &RowContext<'_>, failure: &IoFailure) -> bool {
    let gave_up = case.outcomes().any(|outcome| {
        let wrote_in_vain = |defect: &Defect| defect.operation == Operation::Write;
        outcome.stopped == StopReason::Failed && !outcome.defects.iter().any(wrote_in_vain)
    });
    case.row.workload.survey().is_some() && gave_up && is_of_medium(failure)
}

/// Whether a survey has told of it as a defect.
fn is_looked_into(case: &RowContext<'_>, failure: &IoFailure) -> bool {
    let survey = case.row.workload.survey();
    let waits = survey.is_none_or(|survey| survey.timeout.is_none());
    is_of_medium(failure) || failure.kind == FailureKind::Unanswered && !waits
}

/// Whether it is the answer of a medium, not of a kernel that was asked for something wrong.
fn is_of_medium(failure: &IoFailure) -> bool {
    match failure.kind {
        FailureKind::Errno(number) => matches!(
            number,
            errno::EIO | errno::ENODATA | errno::EILSEQ | errno::ETIMEDOUT | errno::EREMOTEIO
        ),
        FailureKind::Short { .. } => true,
        FailureKind::Nvme(status) => is_of_nvme_medium(status),
        FailureKind::Nothing | FailureKind::Unanswered => false,
    }
}

/// Status type 2h: media and data integrity errors.
const fn is_of_nvme_medium(status: u16) -> bool {
    status >> 8 == 2
}

fn errno_of(kind: FailureKind) -> Option<i32> {
    match kind {
        FailureKind::Errno(number) => Some(number),
        FailureKind::Short { .. }
        | FailureKind::Nothing
        | FailureKind::Unanswered
        | FailureKind::Nvme(_) => None,
    }
}

fn all_in_words(case: &RowContext<'_>, failures: &[IoFailure]) -> Text {
    let workload = &case.row.workload;
    let words = |it: &IoFailure| match workload.checks_capacity() {
        // Blocks of a request that failed are tried one by one.
        true => in_words(it, sokudo_model::CapacityCheck::BLOCK),
        false => in_words(it, workload.blocks.of(it.operation).largest()),
    };
    Text::list(failures.iter().map(words), "; ")
}

/// A failure of a request of so many bytes at most.
fn in_words(failure: &IoFailure, request: Bytes) -> Text {
    let how = match failure.kind {
        FailureKind::Errno(number) => text!("failed with {error}", error = errno_words(number)),
        FailureKind::Short { requested, moved } => text!("moved {moved} of {requested} bytes"),
        FailureKind::Nothing => Text::from("moved no bytes and gave no error"),
        FailureKind::Unanswered => Text::from("never completed and had to be given up"),
        FailureKind::Nvme(status) => text!(
            "failed with NVMe status type {kind:x}h code {code:02x}h",
            kind = status >> 8,
            code = status & 0xff
        ),
    };
    let operation = Text::from(failure.operation.name());
    let (count, offset) = (failure.count, offset_argument(failure.offset));
    let is_flush = failure.operation == Operation::Flush;
    // Of a long request the error does not say which sector it is of.
    let is_long = !is_flush && request > SECTOR_MAX && errno_of(failure.kind).is_some();
    match (count, is_long) {
        _ if failure.operation.is_on_files() => {
            let files = failure.offset.0;
            text!("{count} {operation} {how}, after {files} files")
        }
        (1, true) => text!("1 {operation} {how}, within {request} from offset {offset}"),
        (_, true) => {
            text!("{count} {operation}s {how}, the first within {request} from offset {offset}")
        }
        (1, false) => text!("1 {operation} {how}, at offset {offset}"),
        _ if is_flush => text!("{count} flushes {how}, the first at offset {offset}"),
        _ => text!("{count} {operation}s {how}, the first at offset {offset}"),
    }
}

/// Where something is. It is no amount: of several there is no range.
fn offset_argument(offset: Bytes) -> Argument {
    Argument::figure(offset.0, "offset", offset.0)
}

fn errno_words(number: i32) -> Text {
    let (name, words) = match number {
        errno::EIO => ("EIO", "input/output error"),
        errno::ENXIO => ("ENXIO", "no such device or address"),
        errno::EAGAIN => ("EAGAIN", "try again"),
        errno::ENOMEM => ("ENOMEM", "out of memory"),
        errno::EACCES => ("EACCES", "permission denied"),
        errno::ENODEV => ("ENODEV", "no such device"),
        errno::EINVAL => ("EINVAL", "invalid argument"),
        errno::EFBIG => ("EFBIG", "file too large"),
        errno::ENOSPC => ("ENOSPC", "no space left"),
        errno::EROFS => ("EROFS", "read-only file system"),
        errno::ENODATA => ("ENODATA", "critical medium error"),
        errno::EILSEQ => ("EILSEQ", "data does not match its checksum"),
        errno::EOPNOTSUPP => ("EOPNOTSUPP", "not supported"),
        errno::ETIMEDOUT => ("ETIMEDOUT", "timed out"),
        errno::EREMOTEIO => ("EREMOTEIO", "critical target error"),
        errno::EDQUOT => ("EDQUOT", "quota used up"),
        number => return text!("error number {number}"),
    };
    text!("{name} ({words})", words = Text::from(words))
}

fn explain(kind: FailureKind) -> (&'static str, Text) {
    match kind {
        FailureKind::Nvme(status) if is_of_nvme_medium(status) => (
            "the device cannot read that place any more",
            remedy::health(),
        ),
        FailureKind::Nvme(_) => (
            "the drive refused the command or failed",
            remedy::health_and_log(),
        ),
        FailureKind::Errno(errno::ENODATA) => (
            "the device cannot read that place any more",
            remedy::health(),
        ),
        FailureKind::Errno(errno::EIO | errno::ETIMEDOUT | errno::EREMOTEIO) => (
            "the device or its connection failed; a damaged place is one reason",
            remedy::health_and_log(),
        ),
        FailureKind::Errno(errno::EILSEQ) => (
            "what the device returned is not what was written to it",
            remedy::health(),
        ),
        FailureKind::Errno(errno::ENOSPC | errno::EDQUOT) => (
            "the file system is full, or the user's share of it",
            remedy::smaller_file(),
        ),
        FailureKind::Errno(errno::EINVAL) => (
            "the file system does not accept these offsets or sizes with direct I/O",
            remedy::buffered(),
        ),
        FailureKind::Errno(errno::EOPNOTSUPP) => (
            "the target does not know this operation",
            Text::from("leave the operation out, or measure another target"),
        ),
        FailureKind::Errno(errno::EROFS) => (
            "the file system became read-only, as after an error of its device",
            Text::from("look for the device's name in the kernel's log (dmesg)"),
        ),
        FailureKind::Short { .. } => (
            "the file ended, the disk was full, or the device failed in the middle",
            Text::from(
                "look for the device's name in the kernel's log (dmesg), and at the free space",
            ),
        ),
        FailureKind::Unanswered => (
            "the device hangs, or what it stands on does",
            Text::from(
                "look for the device's name in the kernel's log (dmesg), and at its connection",
            ),
        ),
        FailureKind::Errno(_) | FailureKind::Nothing => (
            "the system refused the I/O",
            Text::from("look for the device's name in the kernel's log (dmesg)"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, each_outcome, large_writes, reads, reads_with, says};
    use sokudo_model::Verdict::{Invalid, Unverified, Verified};
    use sokudo_model::{Bytes, Run};

    fn failing(target: TargetKind, operation: Operation, kind: FailureKind) -> Run {
        reads_with(|run| {
            run.target.kind = target;
            run.rows[0].trials[1].outcome.failures.push(IoFailure {
                operation,
                kind,
                offset: Bytes(8_192),
                count: 1,
            });
        })
    }

    #[test]
    fn how_io_failed_decides_what_is_said() {
        let (file, disk) = (TargetKind::Directory, TargetKind::BlockDevice);
        let (read, write) = (Operation::Read, Operation::Write);
        let errno = FailureKind::Errno;
        let failures: Vec<(&str, Run, &str)> = vec![
            ("EIO", failing(disk, read, errno(5)), "io-errors"),
            ("ENODATA", failing(disk, read, errno(61)), "io-errors"),
            ("full", failing(file, write, errno(28)), "io-errors"),
            (
                "ENOSPC of a disk",
                failing(disk, write, errno(28)),
                "device-vanished",
            ),
            ("ENODEV", failing(disk, read, errno(19)), "device-vanished"),
            (
                "nothing",
                failing(disk, read, FailureKind::Nothing),
                "device-vanished",
            ),
        ];
        for (name, run, code) in failures {
            check! {
                name: run => [code], Unverified;
            }
        }
        check! {
            "no failure": reads() => [], Verified;
        }
    }

    #[test]
    fn a_failure_is_told_in_words_with_its_place() {
        let medium = failing(
            TargetKind::BlockDevice,
            Operation::Read,
            FailureKind::Errno(errno::ENODATA),
        );
        says(
            medium,
            "io-errors",
            &[
                "^1 read failed with ENODATA (critical medium error), at offset 8192 | the device \
                 cannot read that place",
            ],
        );
        let strange = failing(
            TargetKind::File,
            Operation::Flush,
            FailureKind::Errno(1_234),
        );
        says(
            strange,
            "io-errors",
            &["^1 flush failed with error number 1234, at"],
        );
    }

    #[test]
    fn the_failure_of_a_long_request_is_somewhere_in_it() {
        for (count, words) in [
            (
                1,
                "^1 write failed with EIO (input/output error), within 1 MiB from offset 8192 |",
            ),
            (
                2,
                "^2 writes failed with EIO (input/output error), the first within 1 MiB from \
                 offset 8192 |",
            ),
        ] {
            let mut run = large_writes();
            run.rows[0].trials[1].outcome.failures.push(IoFailure {
                operation: Operation::Write,
                kind: FailureKind::Errno(errno::EIO),
                offset: Bytes(8_192),
                count,
            });
            says(run, "io-errors", &[words]);
        }
    }

    #[test]
    fn the_failure_of_a_capacity_check_is_of_one_block() {
        let mut run = large_writes();
        run.rows[0].workload.verify = Some(sokudo_model::Verify::Capacity);
        run.rows[0].trials[1].outcome.failures.push(IoFailure {
            operation: Operation::Write,
            kind: FailureKind::Errno(errno::EIO),
            offset: Bytes(8_192),
            count: 1,
        });
        let words = "^1 write failed with EIO (input/output error), at offset 8192 |";
        says(run, "io-errors", &[words]);
    }

    #[test]
    fn failures_of_one_kind_are_counted_together() {
        let run = reads_with(|run| {
            let failure = |kind, offset, count| IoFailure {
                operation: Operation::Read,
                kind,
                offset: Bytes(offset),
                count,
            };
            let short = |moved| FailureKind::Short {
                requested: 4096,
                moved,
            };
            run.rows[0].trials[0].outcome.failures = vec![
                failure(FailureKind::Errno(5), 512, 2),
                failure(short(512), 0, 1),
            ];
            run.rows[0].trials[1].outcome.failures = vec![
                failure(short(1_024), 4_096, 1),
                failure(FailureKind::Errno(5), 1_024, 3),
            ];
        });
        says(
            run,
            "io-errors",
            &[
                "^5 reads failed with EIO (input/output error), the first at offset 512; \
                 2 reads moved 512 of 4096 bytes, the first at offset 0 |",
            ],
        );
    }

    #[test]
    fn a_row_without_io_is_invalid_and_says_why() {
        let nothing = |change: fn(&mut Run)| {
            reads_with(|run| {
                each_outcome(run, |outcome| outcome.operations.clear());
                each_outcome(run, |outcome| outcome.depth_achieved = 1.0);
                change(run);
            })
        };
        let failed = nothing(|run| {
            run.rows[0].trials[0].outcome.failures.push(IoFailure {
                operation: Operation::Read,
                kind: FailureKind::Errno(5),
                offset: Bytes(0),
                count: 1,
            });
        });
        check! {
            "failed": failed.clone() => ["no-io", "io-errors"], Invalid;
            "too slow": nothing(|_| ()) => ["no-io"], Invalid;
        }
        // Whoever interrupts a run is told of no errors but those that there were.
        for (case, mut run, is_judged) in [
            (
                "before it",
                nothing(|run| run.rows[0].trials.clear()),
                false,
            ),
            ("in its first trial", nothing(|_| ()), false),
            ("after a failure", failed, true),
            ("after an I/O", reads(), true),
        ] {
            run.interrupted = true;
            crate::judge(&mut run);
            assert_eq!(run.rows[0].assessment.is_some(), is_judged, "{case}");
        }
    }

    #[test]
    fn wrong_data_are_no_result_and_right_data_are_no_finding() {
        let checked = |wrong| {
            crate::sample::writes_with(|run| {
                run.rows[0].trials[0].outcome.verified = Some(sokudo_model::VerifyOutcome {
                    checked: 9,
                    wrong,
                    mismatches: Vec::new(),
                });
            })
        };
        crate::sample::check! {
            "right": checked(0) => [], sokudo_model::Verdict::Verified;
            "wrong": checked(2) => ["wrong-data"], sokudo_model::Verdict::Invalid;
        }
        let text = crate::sample::text_of(checked(2), "wrong-data");
        assert!(text.contains("2 of 9 blocks"), "{text}");
    }

    #[test]
    fn of_wrong_blocks_the_first_are_named() {
        let wrong = |count: u64| {
            crate::sample::writes_with(|run| {
                let mismatch = |number: u64| sokudo_model::Mismatch {
                    file: "/dev/sdx".to_owned(),
                    offset: Bytes(number * 8192),
                    length: Bytes(4096),
                    kind: sokudo_model::MismatchKind::WrongOffset,
                    detail: "holds the block of offset 0: swapped or misdirected".to_owned(),
                };
                run.rows[0].trials[0].outcome.verified = Some(sokudo_model::VerifyOutcome {
                    checked: 20,
                    wrong: count,
                    mismatches: (1..=count).map(mismatch).collect(),
                });
            })
        };
        let text = crate::sample::text_of(wrong(1), "wrong-data");
        let first = "the first is 4 KiB at byte 8192: holds the block of offset 0";
        assert!(text.contains(first) && !text.contains("next"), "{text}");
        let text = crate::sample::text_of(wrong(9), "wrong-data");
        let more = "misdirected; the next are at byte 16384, 24576, 32768";
        assert!(text.contains(first) && text.contains(more), "{text}");
    }
}
