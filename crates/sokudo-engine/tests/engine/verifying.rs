//! Checking what was written, end to end.

use std::os::unix::fs::FileExt as _;

use sokudo_engine::Target;
use sokudo_model::{
    BackendKind, Bytes, Check, Durability, MismatchKind, Operation, OperationMix, Order, Outcome,
    StopReason, Verify, VerifyOutcome, Workload,
};

use crate::setup::{BLOCK, KERNEL_BACKENDS, OwnFile, for_ios, run_one, simulated, try_run, writes};

const BLOCKS: u64 = 256;

fn verify() -> Verify {
    Verify {
        check: Check::Crc32c,
        interval: None,
        offset: Bytes(0),
        pattern: None,
        read_back: true,
        backlog: None,
        backlog_batch: None,
        only: false,
        fatal: false,
        dump: false,
        save_state: false,
    }
}

fn checked_writes(verify: Verify) -> Workload {
    with!(
        writes(8),
        verify = Some(verify),
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

#[test]
fn without_reading_back_nothing_is_read() {
    let verify = with!(verify(), read_back = false);
    let outcome = run_one(checked_writes(verify), &mut own().target());
    assert_eq!(
        (counts(&outcome), ios(&outcome, Operation::Read)),
        ((0, 0), 0)
    );
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

fn flip_a_bit(own: &OwnFile) {
    let file = own.file.handle();
    let mut byte = [0];
    file.read_exact_at(&mut byte, 5 * BLOCK + 1_000).unwrap();
    byte[0] ^= 4;
    file.write_all_at(&byte, 5 * BLOCK + 1_000).unwrap();
    file.sync_all().unwrap();
}

fn swap_blocks(own: &OwnFile) {
    let file = own.file.handle();
    let mut blocks = [vec![0; 4096], vec![0; 4096]];
    for (block, at) in blocks.iter_mut().zip([7, 9]) {
        file.read_exact_at(block, at * BLOCK).unwrap();
    }
    file.write_all_at(&blocks[0], 9 * BLOCK).unwrap();
    file.write_all_at(&blocks[1], 7 * BLOCK).unwrap();
    file.sync_all().unwrap();
}

#[test]
fn a_flipped_bit_is_found() {
    for outcome in after(flip_a_bit, false) {
        assert_eq!(counts(&outcome), (BLOCKS, 1), "it goes on");
        assert_eq!(outcome.stopped, StopReason::Failed);
        let mismatch = &outcome.verified.as_ref().unwrap().mismatches[0];
        assert_eq!(mismatch.kind, MismatchKind::Checksum);
        assert_eq!(mismatch.offset, Bytes(5 * BLOCK));
    }
}

#[test]
fn swapped_blocks_are_found() {
    for outcome in after(swap_blocks, false) {
        let mut found: Vec<(MismatchKind, u64)> = outcome
            .verified
            .unwrap()
            .mismatches
            .iter()
            .map(|mismatch| (mismatch.kind, mismatch.offset.0 / BLOCK))
            .collect();
        found.sort_by_key(|(_, block)| *block);
        let wrong = MismatchKind::WrongOffset;
        assert_eq!(found, [(wrong, 7), (wrong, 9)]);
    }
}

#[test]
fn a_fatal_mismatch_ends_the_workload() {
    let zero = |own: &OwnFile| own.file.handle().set_len(0).unwrap();
    let harm = |own: &OwnFile| {
        zero(own);
        own.file.handle().set_len(BLOCKS * BLOCK).unwrap();
    };
    for outcome in after(harm, true) {
        assert_eq!(outcome.stopped, StopReason::Failed);
        assert!(counts(&outcome).0 < BLOCKS, "{:?}", counts(&outcome));
        let mismatch = &outcome.verified.as_ref().unwrap().mismatches[0];
        assert_eq!(mismatch.kind, MismatchKind::NoHeader);
    }
}

#[test]
fn a_target_without_data_cannot_be_checked() {
    let error = try_run(
        vec![checked_writes(verify())],
        &mut Target::Null(Bytes::gib(1)),
        1,
    );
    assert!(error.unwrap_err().to_string().contains("keeps no data"));
    let nowhere = with!(checked_writes(verify()), backend = BackendKind::Null);
    let error = try_run(vec![nowhere], &mut own().target(), 1);
    assert!(error.unwrap_err().to_string().contains("keeps no data"));
}

#[test]
fn what_is_changed_on_purpose_is_not_checked() {
    let workload = with!(
        Workload::new("rewrite", Bytes(BLOCK)),
        operations = OperationMix::rewriting(100).unwrap(),
        rewritten_percent = 100,
        verify = Some(verify())
    );
    let refused = try_run(vec![workload], &mut simulated("sim:const"), 1);
    let told = refused.unwrap_err().to_string();
    assert!(told.contains("do one of both"), "{told}");
}
