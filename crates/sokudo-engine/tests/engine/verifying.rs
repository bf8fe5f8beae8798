//! Checking what was written, end to end.

use std::os::unix::fs::FileExt as _;

use sokudo_engine::Target;
use sokudo_model::{
    BackendKind, Bytes, Check, Durability, MismatchKind, Operation, OperationMix, Order, Outcome,
    StopReason, Verify, VerifyOutcome, Work, Workload, WriteCheck,
};

use crate::setup::{BLOCK, KERNEL_BACKENDS, OwnFile, for_ios, run_one, simulated, try_run, writes};

const BLOCKS: u64 = 256;

fn verify() -> WriteCheck {
    WriteCheck::of(Check::Crc32c)
}

fn checked_writes(verify: WriteCheck) -> Workload {
    with!(
        writes(8),
        verify = Some(Verify::Writes(verify)),
        order = Order::Random { map: true },
        limits = for_ios(BLOCKS)
    )
}

fn own() -> OwnFile {
    OwnFile::empty(Bytes(BLOCKS * BLOCK))
}

fn counts(outcome: &Outcome) -> (u64, u64) {
    let VerifyOutcome { checked, wrong, .. } = *outcome.verified.as_ref().unwrap();
    (checked, wrong)
}

fn ios(outcome: &Outcome, operation: Operation) -> u64 {
    outcome.operation(operation).map_or(0, |tally| tally.ios)
}

#[test]
fn what_was_written_is_read_back_on_every_backend() {
    for backend in KERNEL_BACKENDS {
        let workload = with!(checked_writes(verify()), backend = backend);
        let outcome = run_one(workload, &mut own().target());
        assert_eq!(outcome.failures, [], "{}", backend.name());
        assert_eq!(counts(&outcome), (BLOCKS, 0));
        assert_eq!(ios(&outcome, Operation::Read), BLOCKS, "as fio counts them");
        assert_eq!(ios(&outcome, Operation::Write), BLOCKS);
        assert_eq!(outcome.stopped, StopReason::Bytes);
        let elapsed = |operation| outcome.operation(operation).unwrap().elapsed.0;
        let both = elapsed(Operation::Read) + elapsed(Operation::Write);
        assert!(both <= outcome.elapsed.0, "one after the other");
    }
}

#[test]
fn every_pass_is_read_back() {
    let workload = with!(
        checked_writes(verify()),
        limits = with!(for_ios(BLOCKS), repeats = 2),
        durability = with!(Durability::default(), final_flush = true)
    );
    let outcome = run_one(workload, &mut own().target());
    assert_eq!(counts(&outcome), (3 * BLOCKS, 0));
    assert_eq!(ios(&outcome, Operation::Flush), 3);
}

#[test]
fn a_backlog_is_read_back_meanwhile() {
    for (backlog, backlog_batch) in [(32, None), (10, Some(3))] {
        let verify = with!(
            verify(),
            backlog = Some(backlog),
            backlog_batch = backlog_batch
        );
        let outcome = run_one(checked_writes(verify), &mut own().target());
        assert_eq!(counts(&outcome), (BLOCKS, 0));
        assert_eq!(ios(&outcome, Operation::Write), BLOCKS);
    }
}

#[test]
fn blocks_that_are_written_again_are_no_false_alarm() {
    for backlog in [None, Some(16)] {
        let verify = with!(verify(), backlog = backlog);
        let workload = with!(
            checked_writes(verify),
            order = Order::Random { map: false },
            limits = for_ios(4 * BLOCKS),
            backend = BackendKind::IoUring
        );
        let outcome = run_one(workload, &mut own().target());
        assert_eq!(counts(&outcome).1, 0, "{:?}", outcome.verified);
        assert_eq!(outcome.stopped, StopReason::Bytes);
    }
}

/// Writes blocks, lets `harm` change them, and checks them again, by reading and by
/// `verify_only`.
fn after(harm: impl Fn(&OwnFile), fatal: bool) -> Vec<Outcome> {
    let own = own();
    let written = with!(verify(), read_back = false);
    run_one(checked_writes(written), &mut own.target());
    harm(&own);
    let reads = with!(
        checked_writes(with!(verify(), fatal = fatal)),
        operations = OperationMix::only(Operation::Read)
    );
    let only = checked_writes(with!(verify(), only = true, fatal = fatal));
    [reads, only]
        .map(|workload| run_one(workload, &mut own.target()))
        .into()
}

#[test]
fn reads_and_verify_only_find_nothing_wrong_in_good_blocks() {
    for outcome in after(|_| (), true) {
        assert_eq!(counts(&outcome), (BLOCKS, 0));
        assert_eq!(ios(&outcome, Operation::Read), BLOCKS);
        assert_eq!(ios(&outcome, Operation::Write), 0);
        assert_eq!(outcome.stopped, StopReason::Bytes);
    }
}

/// Exchanges bytes of the file.
fn rewrite(own: &OwnFile, change: impl Fn(&mut [u8])) {
    let mut contents = own.contents();
    change(&mut contents);
    own.file.handle().write_all_at(&contents, 0).unwrap();
    own.file.handle().sync_all().unwrap();
}

#[test]
fn what_is_harmed_is_found_where_it_is() {
    let flipped = |own: &OwnFile| rewrite(own, |bytes| bytes[5 * 4096 + 1_000] ^= 4);
    let swapped = |own: &OwnFile| {
        rewrite(own, |bytes| {
            let (first, second) = bytes.split_at_mut(9 * 4096);
            first[7 * 4096..8 * 4096].swap_with_slice(&mut second[..4096]);
        });
    };
    let (sum, offset) = (MismatchKind::Checksum, MismatchKind::WrongOffset);
    let of_flipped = after(flipped, false)
        .into_iter()
        .map(|it| (it, vec![(5, sum)]));
    let of_swapped = after(swapped, false).into_iter();
    let of_swapped = of_swapped.map(|it| (it, vec![(7, offset), (9, offset)]));
    for (outcome, expected) in of_flipped.chain(of_swapped) {
        assert_eq!(
            counts(&outcome),
            (BLOCKS, expected.len() as u64),
            "it goes on"
        );
        assert_eq!(outcome.stopped, StopReason::Failed);
        let mismatches = outcome.verified.unwrap().mismatches;
        let found = mismatches.iter().map(|it| (it.offset.0 / BLOCK, it.kind));
        let mut found: Vec<_> = found.collect();
        found.sort_by_key(|(block, _)| *block);
        assert_eq!(found, expected);
    }
}

#[test]
fn a_fatal_mismatch_ends_the_workload() {
    for outcome in after(|own| rewrite(own, |bytes| bytes.fill(0)), true) {
        assert_eq!(outcome.stopped, StopReason::Failed);
        assert!(counts(&outcome).0 < BLOCKS, "{:?}", counts(&outcome));
        let mismatch = &outcome.verified.as_ref().unwrap().mismatches[0];
        assert_eq!(mismatch.kind, MismatchKind::NoHeader);
    }
}

#[test]
fn what_cannot_be_checked_is_refused() {
    let rewriting = with!(
        Workload::new("rewrite", Bytes(BLOCK)),
        operations = OperationMix::rewriting(100).unwrap(),
        work = Work::Rewriting { percent: 100 },
        verify = Some(Verify::Writes(verify()))
    );
    let nowhere = with!(checked_writes(verify()), backend = BackendKind::Null);
    for (workload, mut target, words) in [
        (
            checked_writes(verify()),
            Target::Null(Bytes::gib(1)),
            "keeps no data",
        ),
        (nowhere, own().target(), "keeps no data"),
        (rewriting, simulated("sim:const"), "do only one of the two"),
    ] {
        let refused = try_run(vec![workload], &mut target, 1).unwrap_err();
        assert!(refused.to_string().contains(words), "{refused}");
    }
}
