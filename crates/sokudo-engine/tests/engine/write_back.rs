//! Writing back what was read: everything is the same afterwards.

use sokudo_engine::Target;
use sokudo_model::{BackendKind, Bytes, DataContent, Operation, Sample, StopReason};

use crate::setup::{KERNEL_BACKENDS, OwnFile, run_one, simulated};
use crate::surveys::{MIB, assert_wrote, first, writing_back};

#[test]
fn a_file_holds_the_same_afterwards() {
    let file = OwnFile::laid_out(Bytes::mib(8), DataContent::Random);
    let before = file.contents();
    for backend in KERNEL_BACKENDS {
        let workload = with!(
            writing_back(4, Sample::Bytes(Bytes::mib(1)), 128 << 10, 4),
            backend = backend
        );
        assert_wrote(&run_one(workload, &mut file.target()), 4 * MIB, 4);
        let whole = writing_back(4, Sample::Whole, 64 << 10, 2);
        let workload = with!(whole, backend = backend);
        assert_wrote(&run_one(workload, &mut file.target()), 8 * MIB, 4);
        assert!(file.contents() == before, "{backend:?} changed the file");
    }
}

#[test]
fn a_simulated_device_and_none_are_written_back_as_well() {
    let workload = writing_back(10, Sample::Bytes(Bytes::mib(10)), MIB, 1);
    let outcome = run_one(workload.clone(), &mut simulated("sim:hdd?size=1TB"));
    assert_wrote(&outcome, 100 * MIB, 10);
    let nothing = with!(workload, backend = BackendKind::Null);
    assert_wrote(
        &run_one(nothing, &mut Target::Null(Bytes::gib(1))),
        100 * MIB,
        10,
    );
}

#[test]
fn where_a_read_fails_nothing_is_written() {
    let workload = first(
        1_000 * MIB,
        writing_back(10, Sample::Bytes(Bytes::mib(4)), MIB, 2),
    );
    let outcome = run_one(
        workload,
        &mut simulated("sim:const?size=1GiB&fail_at=301MiB:EIO"),
    );
    assert_eq!(outcome.bytes_moved(), Bytes(9 * 4 * MIB));
    assert_eq!(outcome.samples.len(), 10);
    assert_eq!((outcome.samples[3].ios, outcome.samples[4].ios), (0, 4));
    assert_eq!(outcome.defects.len(), 1);
    assert_eq!(outcome.defects[0].operation, Operation::Read);
    assert_eq!(outcome.defects[0].offset, Bytes(301 * MIB));
    assert_eq!(outcome.stopped, StopReason::Bytes);
}
