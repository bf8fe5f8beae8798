//! Which blocks are visited (invariants 7 and 8): a file is written and read back.

use std::collections::HashSet;

use sokudo_model::{
    BackendKind, Bytes, DataContent, DirectMode, Operation, OperationMix, Order, Outcome,
    SequentialOffset,
};

use crate::builders::span;
use crate::setup::{BLOCK, KERNEL_BACKENDS, OwnFile, for_ios, run, run_one, simulated, writes};

const INTERLOCKED: Order = Order::Sequential {
    offset: SequentialOffset::Interlocked,
};

/// Every block of the file has been written, and no two alike.
fn assert_every_block_is_written_once(own: &OwnFile, outcome: &Outcome, of: &str) {
    assert_eq!(outcome.failures, [], "{of}");
    let contents = own.contents();
    let blocks: HashSet<&[u8]> = contents.chunks(4096).collect();
    let count = contents.len() / 4096;
    // As many writes as blocks and none left out: each was written exactly once.
    assert_eq!(outcome.ios(), count as u64, "{of}");
    assert!(
        !blocks.contains(&[0; 4096][..]),
        "{of}: a block was left out"
    );
    assert_eq!(blocks.len(), count, "{of}: two blocks are alike");
}

/// No power of two, and divisible by the clones.
const BLOCKS: u64 = 3 * 5 * 67;

#[test]
fn clones_with_a_shared_position_write_every_block_once() {
    for backend in KERNEL_BACKENDS {
        for (clones, depth) in [(1, 1), (3, 1), (5, 16)] {
            let own = OwnFile::empty(Bytes(BLOCKS * BLOCK));
            let limits = for_ios(BLOCKS / u64::from(clones));
            let workload = with!(
                writes(depth),
                backend = backend,
                threads = clones,
                order = INTERLOCKED,
                limits = limits
            );
            let outcome = run_one(workload, &mut own.target());
            let of = format!("{clones} clones at depth {depth} on {}", backend.name());
            assert_every_block_is_written_once(&own, &outcome, &of);
        }
    }
}

#[test]
fn a_random_map_writes_every_block_once() {
    for (backend, direct, blocks) in [
        (BackendKind::IoUring, DirectMode::Auto, BLOCKS),
        (BackendKind::Libaio, DirectMode::Auto, 1024),
        (BackendKind::Psync, DirectMode::Auto, 1),
        // It lasts for many intervals of a millisecond.
        (BackendKind::Psync, DirectMode::Off, 20_000),
    ] {
        let own = OwnFile::empty(Bytes(blocks * BLOCK));
        let order = Order::Random { map: true };
        let workload = with!(
            writes(8),
            backend = backend,
            direct = direct,
            order = order,
            limits = for_ios(blocks)
        );
        let outcome = run_one(workload, &mut own.target());
        assert_every_block_is_written_once(&own, &outcome, &format!("{blocks} blocks"));
    }
}

/// Of 20,000 places out of 100,000 some are drawn twice: 18,127 others are expected, with a
/// standard deviation of 54. A stream that began anew at each interval would visit far fewer.
#[test]
fn random_places_are_drawn_from_one_stream() {
    let (blocks, ios) = (100_000, 20_000);
    let own = OwnFile::empty(Bytes(blocks * BLOCK));
    let workload = with!(
        writes(8),
        backend = BackendKind::Psync,
        direct = DirectMode::Off,
        order = Order::Random { map: false },
        limits = for_ios(ios)
    );
    let outcome = run_one(workload, &mut own.target());
    assert_eq!(outcome.ios(), ios);
    let contents = own.contents();
    let written = contents.chunks(4096).filter(|block| **block != [0; 4096]);
    let places = written.count();
    assert!((17_850..18_400).contains(&places), "{places} places");
}

#[test]
fn an_own_position_walks_the_file_once_and_starts_again() {
    let own = OwnFile::empty(Bytes(BLOCKS * BLOCK));
    let once = with!(writes(4), limits = for_ios(BLOCKS));
    let outcome = run_one(once.clone(), &mut own.target());
    assert_every_block_is_written_once(&own, &outcome, "one pass");
    let before = own.contents();
    let twice = with!(once, limits = for_ios(BLOCKS + 1));
    let options_seed = 2;
    let outcome = crate::setup::try_run(vec![twice], &mut own.target(), options_seed).unwrap();
    assert_eq!(outcome[0].ios(), BLOCKS + 1);
    let after = own.contents();
    let changed = before
        .chunks(4096)
        .zip(after.chunks(4096))
        .all(|(old, new)| old != new);
    assert!(
        changed,
        "another pass with another seed writes other data everywhere"
    );
}

#[test]
fn interlocked_clones_share_the_work_on_a_simulated_disk_without_seeking() {
    let clones = |order| {
        with!(
            writes(1),
            operations = OperationMix::only(Operation::Read),
            threads = 4,
            order = order,
            limits = for_ios(2_000)
        )
    };
    let rate = |order| {
        let outcome = run_one(clones(order), &mut simulated("sim:hdd?size=1TB&cache=1MiB"));
        assert_eq!(outcome.ios(), 8_000);
        outcome.bytes_moved().0 as f64 / outcome.elapsed.0 as f64
    };
    let (sequential, random) = (rate(INTERLOCKED), rate(Order::Random { map: false }));
    assert!(sequential > 20.0 * random, "{sequential} and {random} GB/s");
}

#[test]
fn workloads_of_one_stage_write_different_data() {
    let half = |offset| {
        with!(
            writes(4),
            span = Some(span(offset, 512 * BLOCK)),
            limits = for_ios(512)
        )
    };
    let own = OwnFile::empty(Bytes(1024 * BLOCK));
    run(vec![half(0), half(512 * BLOCK)], &mut own.target());
    let contents = own.contents();
    assert_eq!(contents.chunks(4096).collect::<HashSet<_>>().len(), 1024);
    let zeros = with!(half(0), data = DataContent::Zero);
    run_one(zeros, &mut own.target());
    let contents = own.contents();
    assert!(
        contents[..512 * 4096].iter().all(|byte| *byte == 0),
        "zero data is zero"
    );
    assert!(contents[512 * 4096..].iter().any(|byte| *byte != 0));
}

#[test]
fn trimmed_blocks_read_as_zeros() {
    for backend in KERNEL_BACKENDS {
        let own = OwnFile::laid_out(Bytes(BLOCKS * BLOCK), DataContent::Random);
        let workload = with!(
            writes(4),
            backend = backend,
            operations = OperationMix::only(Operation::Trim),
            limits = for_ios(BLOCKS)
        );
        let outcome = run_one(workload, &mut own.target());
        assert_eq!(outcome.failures, [], "{backend:?}");
        assert_eq!(outcome.operation(Operation::Trim).unwrap().ios, BLOCKS);
        assert!(own.contents().iter().all(|byte| *byte == 0), "{backend:?}");
    }
}
