//! What a burn-in says of each of its disks, held against what is expected of a disk that is to be
//! trusted with data.

use sokudo_analysis::assess;
use sokudo_analysis::expectations::expectations;
use sokudo_analysis::rule::MethodRules;
use sokudo_model::disk::Health;
use sokudo_model::{
    AssessedPoint, BurnIn, BurnInDisk, BurnInWork, Bytes, DiskAnswer, DiskAssessment, DriveHealth,
    FailedRanges, FailureKind, Row, Run, SelfTest, SelfTestResult, TargetKind, Verdict, narrow,
};
use sokudo_words::{Text, text};

/// Rules of its own.
pub(crate) static RULES: MethodRules = MethodRules {
    whole: Some(judge),
    ..MethodRules::NONE
};

/// Puts a verdict on each disk of a burn-in; does nothing to any other run.
fn judge(run: &mut Run) {
    let Some(mut burn_in) = run.burn_in.take() else {
        return;
    };
    let mut disks = BurnInDisk::all_of(run, &burn_in);
    for (target, disk) in (0u32..).zip(&mut disks) {
        let points = points(run, &burn_in, target, disk);
        let is_proven =
            is_at_its_end(run, disk) && !is_from_cache(run, target) && !has_no_room(run, target);
        disk.assessment = assessment(points, is_at_its_end(run, disk), is_proven);
    }
    burn_in.disks = disks;
    run.burn_in = Some(burn_in);
}

/// The verdict. Only what has come to its end, and was read from the disk, can be said to be well.
fn assessment(
    mut points: Vec<AssessedPoint>,
    is_at_its_end: bool,
    is_proven: bool,
) -> DiskAssessment {
    if !is_at_its_end {
        points.insert(0, unfinished());
    }
    let mut remedies = Vec::new();
    for point in &mut points {
        match remedies.contains(&point.remedy) {
            true => point.remedy = Text::default(),
            false => remedies.push(point.remedy.clone()),
        }
    }
    let assessment = DiskAssessment::of(points);
    let mut assessment = assessment.expect("there is at least the point of what was written");
    let counts = |answer: &DiskAnswer| is_proven || *answer == DiskAnswer::NotOk;
    assessment.answer = assessment.answer.filter(counts);
    assessment
}

/// Whether nothing of it is missing.
fn is_at_its_end(run: &Run, disk: &BurnInDisk) -> bool {
    !run.interrupted && run.stopped_by.is_none() && disk.is_whole
}

fn unfinished() -> AssessedPoint {
    AssessedPoint {
        remedy: "resume the burn-in (--resume)".into(),
        ..expectations().burn_in_end.point(
            "burn-in-end",
            None,
            "the burn-in did not finish, so there may be more to find".into(),
        )
    }
}

fn points(run: &Run, burn_in: &BurnIn, target: u32, disk: &BurnInDisk) -> Vec<AssessedPoint> {
    // What is found of a good disk stands first, and is what its verdict is told by.
    let is_cached = is_from_cache(run, target);
    let mut points = match has_no_room(run, target) {
        true => vec![no_room(disk)],
        false => vec![read_back(disk, is_cached), written(disk)],
    };
    // What a cache has answered shows nothing of the disk; what is wrong did not come from one.
    let is_seen = !is_cached || disk.wrong_blocks > 0;
    points.extend(slow(disk).filter(|_| is_seen));
    points.extend(burn_in.tests_of(target).map(self_test));
    let before = |drive: &DriveHealth| {
        let earlier = burn_in.before.iter().filter(|it| it.target == target);
        let mut same = earlier.filter(|it| match (&it.serial, &drive.serial) {
            (Some(one), Some(other)) => one == other,
            _ => it.drive == drive.drive,
        });
        same.next()
    };
    let after = burn_in.after.iter().filter(|it| it.target == target);
    points.extend(after.filter_map(|drive| Some(grown(drive, before(drive)?))));
    let names = targets_drives(run, target);
    let drives = run.conditions.drives.iter().map(|it| &it.disk);
    let of_target = drives.filter(|disk| names.contains(&disk.name));
    points.extend(of_target.flat_map(assess::of_disk));
    points
}

/// Kernel names of the drives that a target stands on.
fn targets_drives(run: &Run, target: u32) -> Vec<String> {
    let target = run.all_targets().get(narrow::<u32, usize>(target));
    let leaves = target.into_iter().flat_map(|it| it.leaves());
    leaves.map(|leaf| leaf.name.clone()).collect()
}

/// What to do about a disk that has failed.
const LOOK_AND_RETURN: &str = "look at cable, port and memory of the machine, and burn it in again; where it happens again, return the disk";

fn written(disk: &BurnInDisk) -> AssessedPoint {
    let (work, done) = (&disk.written, disk.written.done);
    let FailedRanges { bytes, first } = disk.unwritable;
    let expected = &expectations().burn_in_writes;
    let found = match (first, work.is_given_up) {
        (Some(first), _) => text!("{bytes} could not be written, first at byte {}", first.0),
        (None, true) => text!("it stopped answering once {done} were written"),
        (None, false) => {
            let found = text!("{done} were written, {}", passes(work));
            return expected.point("burn-in-writes", ended_well(work), found);
        }
    };
    AssessedPoint {
        remedy: LOOK_AND_RETURN.into(),
        ..expected.point("burn-in-writes", Some(DiskAnswer::NotOk), found)
    }
}

fn passes(work: &BurnInWork) -> Text {
    match (work.rows_done, work.rows) {
        (done, all) if done < all => text!("in {done} of {all} passes"),
        (1, _) => text!("all of it once"),
        (passes, _) => text!("all of it {passes} times"),
    }
}

/// What is not at its end is not well yet.
fn ended_well(work: &BurnInWork) -> Option<DiskAnswer> {
    (work.rows_done == work.rows).then_some(DiskAnswer::Ok)
}

/// Linux error numbers of a file system without room (asm-generic/errno.h).
const NO_ROOM: [i32; 2] = [28, 122];

/// Whether a file could not be written because its file system was full: no fault of the disk.
fn has_no_room(run: &Run, target: u32) -> bool {
    let info = run.all_targets().get(narrow::<u32, usize>(target));
    let is_file = info.is_some_and(|info| info.kind == TargetKind::File);
    let rows = run.rows.iter();
    let rows = rows.filter(|row| row.workload.targets() == [narrow::<u32, usize>(target)]);
    let mut defects = rows
        .flat_map(|row| &row.trials)
        .flat_map(|trial| &trial.outcome.defects);
    is_file
        && defects.any(|defect| match defect.kind {
            FailureKind::Errno(number) => NO_ROOM.contains(&number),
            _ => false,
        })
}

fn no_room(disk: &BurnInDisk) -> AssessedPoint {
    let found = text!(
        "its file system had no room for {} of it, so that part was not checked",
        disk.unwritable.bytes
    );
    AssessedPoint {
        remedy: "make room, or name the disk itself".into(),
        ..expectations()
            .burn_in_writes
            .point("burn-in-writes", None, found)
    }
}

/// Whether a row that reads back a target is no figure of its disk: what a cache holds says nothing
/// about what the disk does. Where there is a cache between them, a row must be proven: what others
/// read of the same disk meanwhile looks as if it came from the disk.
fn is_from_cache(run: &Run, target: u32) -> bool {
    let reads_back = |row: &&Row| {
        row.workload.targets() == [narrow::<u32, usize>(target)]
            && row.workload.seal().is_some()
            && !row.workload.operations.changes_data()
    };
    let of_target = run.all_targets().get(narrow::<u32, usize>(target));
    let is_cached = of_target.is_some_and(|it| it.cached_loop().is_some());
    let mut judged = run.rows.iter().filter(reads_back);
    judged.any(|row| {
        let verdict = row.assessment.as_ref().map(|it| it.verdict);
        match verdict {
            Some(Verdict::Invalid) => true,
            Some(Verdict::Unverified) => is_cached,
            Some(Verdict::Verified) | None => false,
        }
    })
}

fn read_back(disk: &BurnInDisk, is_from_cache: bool) -> AssessedPoint {
    let expected = &expectations().burn_in_reads;
    let point = |answer, found| expected.point("burn-in-reads", answer, found);
    let (blocks, unchecked) = (disk.blocks, disk.unchecked_blocks);
    let is_given_up = disk.read_back.is_given_up || disk.scanned.is_given_up;
    let FailedRanges { bytes, first } = disk.unreadable;
    let unreadable = match first {
        Some(first) => Some(text!(
            "{bytes} could not be read, first at byte {}",
            first.0
        )),
        None => is_given_up.then(|| "it stopped answering while it was read".into()),
    };
    let faults = [wrong(disk), unreadable];
    let faults: Vec<Text> = faults.into_iter().flatten().collect();
    if !faults.is_empty() {
        let first = disk.first_wrong.as_ref();
        return AssessedPoint {
            remedy: match first.is_some_and(|it| it.is_of_another_offset) {
                true if fake(disk).is_some() => {
                    "keep nothing on it that matters, and return it".into()
                }
                true => text!(
                    "find out how much it really holds (sokudo explain {} --only capacity), and return it",
                    disk.name
                ),
                false => LOOK_AND_RETURN.into(),
            },
            ..point(Some(DiskAnswer::NotOk), Text::list(faults, "; "))
        };
    }
    if unchecked > 0 {
        let all = blocks + unchecked;
        let found = text!(
            "of {all} blocks that were read back, {unchecked} were not checked: this is a bug in sokudo, please report it"
        );
        return point(None, found);
    }
    if is_from_cache {
        let found = text!(
            "{blocks} blocks hold what was written to them, but it is not proven that they came from the disk"
        );
        return AssessedPoint {
            remedy: "name the disk itself, with direct I/O (--direct on); the findings of the rows say what answered".into(),
            ..point(None, found)
        };
    }
    let found = match blocks {
        0 => "nothing was read back yet".into(),
        _ => text!("{blocks} blocks hold what was written to them"),
    };
    point(ended_well(&disk.read_back), found)
}

/// How much a disk holds, and how much it says, where so many blocks hold what was written to
/// another offset that their addresses must share them.
fn fake(disk: &BurnInDisk) -> Option<(Bytes, Bytes)> {
    // Of a part of it nobody knows which blocks are still to be overwritten.
    let is_whole = |work: &BurnInWork| work.rows_done == work.rows;
    if !is_whole(&disk.written) || !is_whole(&disk.read_back) {
        return None;
    }
    let first = disk.first_wrong.as_ref()?;
    let is_many = disk.wrong_blocks >= disk.blocks.div_ceil(FAKE_SHARE);
    let stated = disk.written.done.0 / u64::from(disk.written.rows_done.max(1));
    let right = u128::from(disk.blocks.saturating_sub(disk.wrong_blocks));
    let held = u128::from(stated) * right / u128::from(disk.blocks.max(1));
    (first.is_of_another_offset && is_many).then(|| (Bytes(narrow(held)), Bytes(stated)))
}

/// One of so many: misdirected writes of a drive that is only ill are few.
const FAKE_SHARE: u64 = 20;

/// That blocks do not hold what was written to them; `None` where all do.
fn wrong(disk: &BurnInDisk) -> Option<Text> {
    let (blocks, wrong) = (disk.blocks, disk.wrong_blocks);
    let first = disk.first_wrong.as_ref().filter(|_| wrong > 0)?;
    if let Some((held, stated)) = fake(disk) {
        return Some(text!(
            "it is a fake that holds {held} of the {stated} it claims: {wrong} of {blocks} blocks were overwritten by others, the first at byte {}",
            first.offset.0
        ));
    }
    Some(text!(
        "{wrong} of {blocks} blocks did not hold what was written to them, the first at byte {}: {}",
        first.offset.0,
        Text::name(&*first.detail)
    ))
}

fn slow(disk: &BurnInDisk) -> Option<AssessedPoint> {
    let is_known = disk.slow_samples > 0 || disk.is_whole;
    is_known.then(|| assess::slow_samples_point("burn-in-slow", disk.slow_samples))
}

fn self_test(test: &SelfTest) -> AssessedPoint {
    let expected = &expectations().self_test;
    let drive = &test.disk;
    let kind = Text::from(test.kind.name());
    let (answer, found) = match test.result {
        SelfTestResult::Passed => (
            Some(DiskAnswer::Ok),
            text!("{drive} has passed its own {kind} self-test"),
        ),
        SelfTestResult::Failed => (
            Some(DiskAnswer::NotOk),
            match test.first_error {
                Some(at) => text!(
                    "{drive} has failed its own {kind} self-test, first at byte {}",
                    at.0
                ),
                None => text!("{drive} has failed its own {kind} self-test"),
            },
        ),
        SelfTestResult::Aborted => (
            None,
            text!("the {kind} self-test of {drive} did not finish"),
        ),
        SelfTestResult::Absent => (None, text!("{drive} has no {kind} self-test")),
        SelfTestResult::Unknown => (
            None,
            text!("{drive} does not report the result of its {kind} self-test"),
        ),
    };
    let found = match &test.note {
        Some(note) => text!("{found}: {}", note.clone()),
        None => found,
    };
    AssessedPoint {
        remedy: match test.result {
            SelfTestResult::Failed => {
                "return the disk: its maker's own test says that it is broken".into()
            }
            _ => Text::default(),
        },
        ..expected.point("self-test", answer, found)
    }
}

/// A counter of something that should not happen.
struct ErrorCounter {
    what: &'static str,
    of: fn(&Health) -> Option<u64>,
    answer: DiskAnswer,
}

/// Errors of the medium make a new disk one to be returned; those of the cable do not.
const COUNTERS: [ErrorCounter; 4] = [
    ErrorCounter {
        what: "pending sectors",
        of: |health| health.pending_sectors,
        answer: DiskAnswer::NotOk,
    },
    ErrorCounter {
        what: "reallocated sectors",
        of: |health| health.reallocated_sectors,
        answer: DiskAnswer::NotOk,
    },
    ErrorCounter {
        what: "errors that lost data",
        of: |health| health.media_errors,
        answer: DiskAnswer::NotOk,
    },
    ErrorCounter {
        what: "transfers that failed on the cable",
        of: |health| health.link_errors,
        answer: DiskAnswer::OkBut,
    },
];

/// What of a drive's counters has grown meanwhile.
fn grown(after: &DriveHealth, before: &DriveHealth) -> AssessedPoint {
    let expected = &expectations().burn_in_health;
    let drive = &after.drive;
    let known = COUNTERS.iter().filter_map(|counter| {
        let (then, now) = (counter.of)(&before.health).zip((counter.of)(&after.health))?;
        Some((counter, then, now))
    });
    let known: Vec<_> = known.collect();
    let grown: Vec<_> = known.iter().filter(|(_, then, now)| now > then).collect();
    let (answer, found) = match (known.is_empty(), grown.is_empty()) {
        (true, _) => (None, text!("{drive} reports no error counters")),
        (false, true) => (
            Some(DiskAnswer::Ok),
            text!("no error counter of {drive} grew during the burn-in"),
        ),
        (false, false) => {
            let changes = grown
                .iter()
                .map(|(counter, then, now)| text!("{}: {then} → {now}", Text::from(counter.what)));
            let worst = grown.iter().map(|(counter, ..)| counter.answer).max();
            (
                worst,
                text!(
                    "error counters of {drive} grew during the burn-in: {}",
                    Text::list(changes, ", ")
                ),
            )
        }
    };
    AssessedPoint {
        remedy: match answer {
            Some(DiskAnswer::NotOk) => "return the disk while it is under warranty: a new disk that grows defects will grow more".into(),
            Some(DiskAnswer::OkBut) => "replace the cable, or use another port, and burn it in again".into(),
            _ => Text::default(),
        },
        ..expected.point("burn-in-health", answer, found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_analysis::sample::reads_with;
    use sokudo_model::{
        Assessment, BlockDeviceKind, BurnInTests, Bytes, Defect, Method, Mismatch, MismatchKind,
        Nanos, Operation, OperationMix, Sample, SelfTestKind, Span, StopReason, Survey,
        SurveySample, Verify, VerifyOutcome, Visit, Work,
    };

    const MIB: u64 = 1 << 20;

    /// A disk of 64 MiB that was written and read back, and is well.
    fn run(change: impl FnOnce(&mut Run)) -> Run {
        let mut run = reads_with(|run| {
            run.plan.method = Method::new(&crate::burn_in::plan::METHOD);
            run.target.kind = TargetKind::BlockDevice;
            run.rows.truncate(1);
            let row = &mut run.rows[0];
            row.trials.truncate(1);
            row.workload.span = Some(Span::from_start(Bytes(64 * MIB)));
            row.workload.work = Work::Survey(Survey::new(16, Visit::Ascending, Sample::Whole));
            row.workload.verify = Some(Verify::Seals(1));
            let outcome = &mut row.trials[0].outcome;
            outcome.stopped = StopReason::Bytes;
            outcome.samples = (0..16)
                .map(|index| SurveySample {
                    offset: Bytes(index * 4 * MIB),
                    bytes: Bytes(4 * MIB),
                    ios: 4,
                    elapsed: Nanos::from_millis(10),
                    latency_max: Nanos::from_millis(5),
                    distance: None,
                })
                .collect();
            let mut write = row.clone();
            write.workload.operations = OperationMix::only(Operation::Write);
            let outcome = &mut row.trials[0].outcome;
            let checked = outcome.ios();
            outcome.verified = Some(VerifyOutcome {
                checked,
                ..VerifyOutcome::default()
            });
            run.rows.insert(0, write);
            let drive = run.target.leaves().next().unwrap().name.clone();
            let health = |media_errors| DriveHealth {
                target: 0,
                drive: drive.clone(),
                serial: None,
                health: Health {
                    media_errors,
                    ..Health::default()
                },
            };
            let test = |kind| SelfTest {
                target: 0,
                disk: drive.clone(),
                kind,
                started_at: Nanos(0),
                took: Nanos(1),
                result: SelfTestResult::Passed,
                first_error: None,
                note: None,
            };
            run.burn_in = Some(Box::new(BurnIn {
                tests: BurnInTests::Both,
                before: vec![health(Some(0))],
                after: vec![health(Some(0))],
                self_tests: vec![test(SelfTestKind::Short), test(SelfTestKind::Extended)],
                disks: Vec::new(),
            }));
        });
        change(&mut run);
        judge(&mut run);
        run
    }

    fn burn_in(run: &mut Run) -> &mut BurnIn {
        run.burn_in.as_mut().unwrap()
    }

    fn verified(run: &mut Run) -> &mut VerifyOutcome {
        run.rows[1].trials[0].outcome.verified.as_mut().unwrap()
    }

    /// The answer, and the points that have it.
    fn answer_of(change: impl FnOnce(&mut Run)) -> (Option<DiskAnswer>, Vec<String>) {
        let run = run(change);
        let assessment = &run.burn_in.unwrap().disks[0].assessment;
        let points = assessment.points.iter();
        let gravest = points.filter(|point| point.answer == assessment.answer);
        (
            assessment.answer,
            gravest.map(|point| point.code.clone()).collect(),
        )
    }

    fn is_bad(code: &str, change: impl FnOnce(&mut Run)) {
        let (answer, codes) = answer_of(change);
        assert_eq!(answer, Some(DiskAnswer::NotOk), "{code}");
        assert_eq!(codes, [code]);
    }

    #[test]
    fn a_disk_that_holds_everything_is_ok() {
        let (answer, codes) = answer_of(|_| ());
        assert_eq!(answer, Some(DiskAnswer::Ok), "{codes:?}");
        for code in [
            "burn-in-reads",
            "burn-in-writes",
            "self-test",
            "burn-in-health",
        ] {
            assert!(codes.iter().any(|it| it == code), "{codes:?}");
        }
    }

    #[test]
    fn what_makes_a_disk_one_to_be_returned_is_named() {
        is_bad("burn-in-health", |run| {
            burn_in(run).after[0].health.media_errors = Some(1);
        });
        is_bad("self-test", |run| {
            burn_in(run).self_tests[1].result = SelfTestResult::Failed;
        });
        let failed = run(|run| burn_in(run).self_tests[1].result = SelfTestResult::Failed);
        let mut points = failed.burn_in.unwrap().disks.remove(0).assessment.points;
        points.retain(|point| point.answer == Some(DiskAnswer::NotOk));
        let remedy = points[0].remedy.english();
        assert!(remedy.starts_with("return the disk"), "{remedy}");
        is_bad("burn-in-reads", |run| {
            let verified = verified(run);
            verified.wrong = 1;
            verified.mismatches.push(Mismatch {
                file: String::new(),
                offset: Bytes(MIB),
                length: Bytes(MIB),
                kind: MismatchKind::Stale,
                detail: "old".to_owned(),
            });
        });
        is_bad("burn-in-writes", |run| {
            run.rows[0].trials[0].outcome.stopped = StopReason::Failed;
        });
    }

    #[test]
    fn nothing_is_ok_before_its_end_and_what_is_bad_is_bad() {
        let changes: [fn(&mut Run); 5] = [
            |run| run.interrupted = true,
            |run| run.rows[1].trials.clear(),
            |run| burn_in(run).self_tests.truncate(1),
            |run| burn_in(run).self_tests[1].result = SelfTestResult::Aborted,
            |run| verified(run).checked -= 1,
        ];
        for change in changes {
            let (answer, codes) = answer_of(change);
            assert_eq!(answer, None, "{codes:?}");
        }
        // What was done of it is still so.
        let begun = run(|run| run.interrupted = true);
        let points = &begun.burn_in.unwrap().disks[0].assessment.points;
        let of = |code| points.iter().find(|it| it.code == code).unwrap().answer;
        for code in ["burn-in-writes", "burn-in-slow"] {
            assert_eq!(of(code), Some(DiskAnswer::Ok), "{code}");
        }
        let (answer, _) = answer_of(|run| {
            run.interrupted = true;
            burn_in(run).self_tests[0].result = SelfTestResult::Failed;
        });
        assert_eq!(answer, Some(DiskAnswer::NotOk));
    }

    #[test]
    fn what_is_read_through_a_cache_must_be_proven_to_come_from_the_disk() {
        let answer = |kind, verdict| {
            let (answer, _) = answer_of(|run| {
                run.target.devices[0].kind = kind;
                run.rows[1].assessment = Some(Assessment {
                    verdict,
                    device_ratio: None,
                    findings: Vec::new(),
                });
            });
            answer
        };
        let (disk, cached) = (BlockDeviceKind::Disk, BlockDeviceKind::Loop);
        let ok = Some(DiskAnswer::Ok);
        assert_eq!(answer(cached, Verdict::Verified), ok);
        assert_eq!(answer(cached, Verdict::Unverified), None);
        assert_eq!(answer(cached, Verdict::Invalid), None);
        // Others at the disk, or a slow tester, make a figure doubtful and not what was read.
        assert_eq!(answer(disk, Verdict::Unverified), ok);
    }

    #[test]
    fn a_drive_without_tests_of_its_own_is_ok_and_says_so() {
        let (answer, _) = answer_of(|run| {
            for test in &mut burn_in(run).self_tests {
                test.result = SelfTestResult::Absent;
            }
        });
        assert_eq!(answer, Some(DiskAnswer::Ok));
        let of_a_file = answer_of(|run| {
            burn_in(run).self_tests.clear();
            run.target.devices[0].kind = BlockDeviceKind::Loop;
        });
        assert_eq!(of_a_file.0, Some(DiskAnswer::Ok));
    }

    #[test]
    fn errors_of_the_cable_are_no_reason_to_return_a_disk() {
        let (answer, codes) = answer_of(|run| {
            burn_in(run).before[0].health.link_errors = Some(3);
            burn_in(run).after[0].health.link_errors = Some(9);
        });
        assert_eq!(
            (answer, &*codes[0]),
            (Some(DiskAnswer::OkBut), "burn-in-health")
        );
    }

    #[test]
    fn a_full_file_system_is_no_fault_of_the_disk() {
        let full = |run: &mut Run, number| {
            run.target.kind = TargetKind::File;
            let outcome = &mut run.rows[0].trials[0].outcome;
            outcome.defects.push(Defect {
                operation: Operation::Write,
                offset: Bytes(0),
                length: Bytes(MIB),
                kind: FailureKind::Errno(number),
            });
            verified(run).wrong = 1;
        };
        let (answer, codes) = answer_of(|run| full(run, 28));
        assert_eq!((answer, &*codes[0]), (None, "burn-in-writes"));
        assert_eq!(answer_of(|run| full(run, 5)).0, Some(DiskAnswer::NotOk));
    }
}
