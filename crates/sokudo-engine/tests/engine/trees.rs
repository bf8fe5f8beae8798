//! Many files, and blocks that are read and written back.

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use sokudo_engine::{Control, OwnDirectory, StageError, TestFile, TreeError, TreeRun, run_tree};
use sokudo_model::{
    BackendKind, Bytes, DirectMode, Durability, FailureKind, FileTree, Limits, Operation,
    OperationMix, Order, Outcome, Rate, StopReason, TreeContents, TreeNames, TreeOrder, Work,
    Workload,
};

use crate::setup::{OwnFile, run_one, run_reported, simulated, try_run};

const FILES: u64 = 300;

fn tree(names: TreeNames, order: TreeOrder) -> FileTree {
    FileTree {
        files: FILES,
        contents: TreeContents::Bytes { min: 10, max: 5000 },
        directories: 3,
        names,
        order,
        sync_each: false,
    }
}

fn workload(operation: Operation, tree: FileTree) -> Workload {
    with!(
        Workload::new(operation.name(), Bytes(1024)),
        operations = OperationMix::only(operation),
        work = Work::Tree(tree)
    )
}

fn try_run_tree(
    workload: &Workload,
    directory: &OwnDirectory,
    control: &Control,
) -> Result<Outcome, TreeError> {
    let run = TreeRun {
        directory,
        seed: 7,
        control,
    };
    run_tree(workload, run, &mut |_| {})
}

fn carry_out(operation: Operation, tree: FileTree, directory: &OwnDirectory) -> Outcome {
    try_run_tree(&workload(operation, tree), directory, &Control::new()).unwrap()
}

/// Names and sizes of all files below a directory.
fn files_below(directory: &Path) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            found.extend(files_below(&entry.path()));
        } else {
            let name = entry.file_name().as_bytes().to_vec();
            let size = entry.metadata().unwrap().len();
            found.push((String::from_utf8(name).unwrap(), size));
        }
    }
    found
}

#[test]
fn every_file_is_created_once_looked_up_and_deleted_in_every_order() {
    let parent = tempfile::tempdir().unwrap();
    let own = OwnDirectory::create(parent.path(), &[]).unwrap();
    for (names, visit) in [
        (TreeNames::NumberFirst, TreeOrder::Listed),
        (TreeNames::RandomFirst, TreeOrder::Shuffled),
        (TreeNames::RandomFirst, TreeOrder::Listed),
        (TreeNames::NumberFirst, TreeOrder::Numbered),
    ] {
        let created = carry_out(Operation::Create, tree(names, TreeOrder::Numbered), &own);
        let there = files_below(own.path());
        assert_eq!(there.len() as u64, FILES);
        let different: HashSet<&String> = there.iter().map(|(name, _)| name).collect();
        assert_eq!(different.len() as u64, FILES);
        assert!(there.iter().all(|(_, size)| (10..=5000).contains(size)));
        let bytes: u64 = there.iter().map(|(_, size)| size).sum();
        let tally = created.operation(Operation::Create).unwrap();
        assert_eq!((tally.ios, tally.bytes.0), (FILES, bytes));
        assert_eq!(tally.latency.count(), FILES);
        assert_eq!(created.operation(Operation::Flush).unwrap().ios, 1);

        // Sizes are checked: a file of another one would be a failure.
        let looked_up = carry_out(Operation::Stat, tree(names, visit), &own);
        let tally = looked_up.operation(Operation::Stat).unwrap();
        assert_eq!((tally.ios, tally.bytes.0), (FILES, bytes));

        let deleted = carry_out(Operation::Delete, tree(names, visit), &own);
        assert_eq!(deleted.operation(Operation::Delete).unwrap().ios, FILES);
        for outcome in [created, looked_up, deleted] {
            assert_eq!(outcome.stopped, StopReason::Bytes);
            assert_eq!(outcome.failures, []);
            assert!(outcome.cpu.is_some());
        }
        assert_eq!(std::fs::read_dir(own.path()).unwrap().count(), 0);
    }
}

#[test]
fn links_are_made_and_resolved() {
    for contents in [TreeContents::HardLinks, TreeContents::SymbolicLinks] {
        for directories in [0, 2] {
            let parent = tempfile::tempdir().unwrap();
            let own = OwnDirectory::create(parent.path(), &[]).unwrap();
            let links = with!(
                tree(TreeNames::RandomFirst, TreeOrder::Listed),
                contents = contents,
                directories = directories
            );
            for operation in Operation::ON_FILES {
                let order = match operation {
                    Operation::Create => TreeOrder::Numbered,
                    _ => TreeOrder::Listed,
                };
                let outcome = carry_out(operation, with!(links, order = order), &own);
                assert_eq!(outcome.failures, [], "{contents:?} {operation:?}");
                assert_eq!(outcome.operation(operation).unwrap().ios, FILES);
            }
            assert_eq!(std::fs::read_dir(own.path()).unwrap().count(), 0);
        }
    }
}

#[test]
fn each_file_can_be_made_durable_instead_of_all_at_the_end() {
    let parent = tempfile::tempdir().unwrap();
    let own = OwnDirectory::create(parent.path(), &[]).unwrap();
    let synced = with!(
        tree(TreeNames::NumberFirst, TreeOrder::Numbered),
        files = 20,
        sync_each = true
    );
    for operation in Operation::ON_FILES {
        let outcome = carry_out(operation, synced, &own);
        assert_eq!(outcome.failures, []);
        assert_eq!(outcome.operation(Operation::Flush), None);
    }
}

#[test]
fn a_file_that_somebody_changed_or_took_away_is_a_failure() {
    let parent = tempfile::tempdir().unwrap();
    let own = OwnDirectory::create(parent.path(), &[]).unwrap();
    let flat = with!(
        tree(TreeNames::NumberFirst, TreeOrder::Listed),
        directories = 0
    );
    let created = with!(flat, order = TreeOrder::Numbered);
    carry_out(Operation::Create, created, &own);
    let (name, size) = files_below(own.path()).swap_remove(100);
    let path = own.path().join(&name);
    std::fs::write(&path, vec![0; usize::try_from(size).unwrap() - 1]).unwrap();
    let outcome = carry_out(Operation::Stat, flat, &own);
    assert_eq!(outcome.stopped, StopReason::Failed);
    assert!(
        matches!(outcome.failures[0].kind, FailureKind::Short { requested: asked, moved } if asked == moved + 1),
        "{:?}",
        outcome.failures
    );
    std::fs::remove_file(&path).unwrap();
    let outcome = carry_out(Operation::Delete, flat, &own);
    assert_eq!(outcome.failures[0].kind, FailureKind::Errno(2));
    assert_eq!(outcome.operation(Operation::Delete).unwrap().ios, FILES - 1);
}

#[test]
fn a_file_of_a_stranger_is_neither_taken_nor_followed() {
    let parent = tempfile::tempdir().unwrap();
    let own = OwnDirectory::create(parent.path(), &[]).unwrap();
    let flat = with!(
        tree(TreeNames::NumberFirst, TreeOrder::Numbered),
        directories = 0
    );
    carry_out(Operation::Create, flat, &own);
    // What is there already is not written.
    let again = carry_out(Operation::Create, flat, &own);
    assert_eq!(again.failures[0].kind, FailureKind::Errno(17));
    assert_eq!(again.ios(), 0);
}

#[test]
fn interrupted_anywhere_nothing_is_left() {
    for operation in Operation::ON_FILES {
        let parent = tempfile::tempdir().unwrap();
        let own = OwnDirectory::create(parent.path(), &[]).unwrap();
        let numbered = tree(TreeNames::NumberFirst, TreeOrder::Numbered);
        if operation != Operation::Create {
            carry_out(Operation::Create, numbered, &own);
        }
        let control = Control::new();
        control.cancel();
        let workload = workload(operation, numbered);
        let outcome = try_run_tree(&workload, &own, &control).unwrap();
        assert_eq!(outcome.stopped, StopReason::Cancelled);
        drop(own);
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}

#[test]
fn what_is_no_tree_is_refused() {
    let parent = tempfile::tempdir().unwrap();
    let own = OwnDirectory::create(parent.path(), &[]).unwrap();
    let reads = Workload::new("reads", Bytes(4096));
    let refused = try_run_tree(&reads, &own, &Control::new());
    assert!(matches!(refused, Err(TreeError::NoTree { .. })));
    let file = TestFile::create(parent.path(), Bytes::mib(1)).unwrap();
    let numbered = tree(TreeNames::NumberFirst, TreeOrder::Numbered);
    let create = vec![workload(Operation::Create, numbered)];
    let refused = try_run(create, &mut file.target().unwrap(), 1);
    assert!(matches!(refused, Err(StageError::Check(_))), "{refused:?}");
}

fn rewriting(percent: u32, order: Order) -> Workload {
    with!(
        Workload::new("rewrite", Bytes(4096)),
        backend = BackendKind::Sync,
        direct = DirectMode::Off,
        operations = OperationMix::rewriting(percent).unwrap(),
        order = order,
        work = Work::Rewriting { percent },
        limits.bytes = Some(Bytes::mib(1))
    )
}

fn on_file(workload: Workload, own: &OwnFile) -> Outcome {
    run_one(workload, &mut own.target())
}

fn file_of_zeros() -> OwnFile {
    OwnFile::empty(Bytes::mib(1))
}

#[test]
fn every_block_is_changed_where_it_was_read() {
    let file = file_of_zeros();
    let sequential = Workload::new("", Bytes(1)).order;
    let whole = with!(
        rewriting(100, sequential),
        durability = with!(Durability::default(), final_flush = true)
    );
    let outcome = on_file(whole, &file);
    let ios = |operation| outcome.operation(operation).unwrap().ios;
    assert_eq!((ios(Operation::Read), ios(Operation::Write)), (256, 256));
    assert_eq!(ios(Operation::Flush), 1);
    assert_eq!(outcome.stopped, StopReason::Bytes);
    for block in file.contents().chunks(4096) {
        assert!(block[..8] == [1; 8] && block[8..] == [0; 4088]);
    }
}

#[test]
fn of_seeks_about_the_share_is_written_back() {
    let file = file_of_zeros();
    let seeks = with!(
        rewriting(10, Order::Random { map: false }),
        threads = 4,
        limits = with!(Limits::default(), ios = Some(1000))
    );
    let outcome = on_file(seeks, &file);
    let ios = |operation| outcome.operation(operation).unwrap().ios;
    assert_eq!(ios(Operation::Read), 4000);
    // Binomial with 4,000 and 0.1: 400 ± 19; the seed is fixed.
    assert!((300..500).contains(&ios(Operation::Write)));
    assert!(file.contents().chunks(4096).any(|block| block[0] > 0));
}

#[test]
fn a_rewrite_can_be_stopped_and_fails_where_the_file_ends() {
    let file = file_of_zeros();
    let sequential = Workload::new("", Bytes(1)).order;
    let control = Control::new();
    control.cancel();
    let workload = rewriting(100, sequential);
    let outcome = run_reported([workload], &mut file.target(), &control, &mut |_| {}).remove(0);
    assert_eq!(outcome.stopped, StopReason::Cancelled);
    file.file.handle().set_len((1 << 20) - 4096).unwrap();
    let outcome = on_file(rewriting(100, sequential), &file);
    assert_eq!(outcome.stopped, StopReason::Failed);
    assert_eq!(outcome.failures[0].offset, Bytes((1 << 20) - 4096));
}

#[test]
fn blocks_are_written_back_at_any_depth_and_rate_and_on_any_target() {
    let sequential = Workload::new("", Bytes(1)).order;
    let deep = with!(
        rewriting(100, sequential),
        backend = BackendKind::Auto,
        depth = 8
    );
    let file = file_of_zeros();
    let outcome = on_file(deep.clone(), &file);
    let ios = |outcome: &Outcome, operation| outcome.operation(operation).unwrap().ios;
    assert_eq!(ios(&outcome, Operation::Read), 256);
    assert_eq!(ios(&outcome, Operation::Write), 256);
    assert!(file.contents().chunks(4096).all(|it| it[..8] == [1; 8]));
    // 512 I/Os, of which the reads wait for their turn.
    let paced = with!(deep, pacing.rate = Some(Rate::Iops(1000)));
    let mut target = simulated("sim:const?latency=100us");
    let outcome = run_one(paced, &mut target);
    assert_eq!(ios(&outcome, Operation::Write), 256);
    assert!((500..513).contains(&(outcome.elapsed.0 / 1_000_000)));
}
