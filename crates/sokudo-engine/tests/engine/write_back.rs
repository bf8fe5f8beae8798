//! Writing back what was read: everything is the same afterwards.

use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;

use sokudo_engine::{ConsentError, FileTarget, RewritePermit, Target};
use sokudo_model::{
    BackendKind, Bytes, DataContent, Occupancy, Occupant, Operation, OperationMix, Outcome, Sample,
    StopReason, Users, Visit, Workload,
};
use sokudo_stats::mix64;

use crate::setup::{
    KERNEL_BACKENDS, LoopDevice, Mount, OwnFile, run_one, simulated, succeeds, try_run,
};
use crate::survey::{MIB, assert_is_sum_of_places, first, survey, surveying};

pub(crate) fn writing_back(places: u32, sample: Sample, block: u64, depth: u32) -> Workload {
    let mut survey = survey(places, Visit::Ascending, sample);
    survey.write_back = true;
    survey.approach = Some(Bytes(4096));
    with!(
        surveying(survey, block, depth),
        operations = OperationMix::only(Operation::Write)
    )
}

fn assert_wrote(outcome: &Outcome, bytes: u64, places: usize) {
    assert_eq!(outcome.bytes_moved(), Bytes(bytes));
    assert_eq!(outcome.operation(Operation::Write).unwrap().bytes.0, bytes);
    assert!(
        outcome.operation(Operation::Read).is_none(),
        "reads are not measured"
    );
    assert_eq!(
        outcome.operation(Operation::Flush).unwrap().ios,
        places as u64
    );
    assert_eq!(outcome.places.len(), places);
    // What was written was read before, and the approach twice.
    assert_eq!(outcome.read_aside.0, bytes + 2 * 4096 * places as u64);
    assert_eq!(outcome.stopped, StopReason::Bytes);
    assert_is_sum_of_places(outcome);
}

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
    assert_eq!(outcome.places.len(), 10);
    assert_eq!((outcome.places[3].ios, outcome.places[4].ios), (0, 4));
    assert_eq!(outcome.defects.len(), 1);
    assert_eq!(outcome.defects[0].operation, Operation::Read);
    assert_eq!(outcome.defects[0].offset, Bytes(301 * MIB));
    assert_eq!(outcome.stopped, StopReason::Bytes);
}

/// A loop device full of data that is known.
fn filled_device() -> Option<(LoopDevice, Vec<u8>)> {
    let device = LoopDevice::attach(Bytes::mib(16))?;
    let content: Vec<u8> = (0..2 * MIB)
        .flat_map(|number| mix64(number).to_le_bytes())
        .collect();
    let handle = std::fs::File::options()
        .write(true)
        .open(&device.path)
        .unwrap();
    handle.write_all_at(&content, 0).unwrap();
    handle.sync_all().unwrap();
    Some((device, content))
}

fn occupancy(path: &Path, occupants: Vec<Occupant>) -> Occupancy {
    Occupancy {
        device_number: path.metadata().unwrap().rdev(),
        name: "loop".to_owned(),
        serial: None,
        occupants,
    }
}

#[test]
fn a_device_that_nobody_uses_is_written_back_and_not_otherwise() {
    let Some((device, content)) = filled_device() else {
        return;
    };
    // That it holds something is no hindrance.
    let signature = Occupant::Signature {
        what: "ext4".into(),
        offset: 1080,
    };
    let occupancy = occupancy(&device.path, vec![signature]);
    let permit = RewritePermit::obtain(&device.path, &occupancy, |_| Users::default()).unwrap();
    let mut target = Target::File(FileTarget::for_write_back(permit));
    let before = device.counters();
    let workload = writing_back(4, Sample::Bytes(Bytes::mib(2)), 256 << 10, 4);
    assert_wrote(&run_one(workload.clone(), &mut target), 8 * MIB, 4);
    let counted = device.counters();
    assert_eq!(counted.written_bytes - before.written_bytes, 8 * MIB);
    assert!(counted.flushes - before.flushes >= 4);
    let mut plain = workload;
    plain.survey.as_mut().unwrap().write_back = false;
    let refused = try_run(vec![plain], &mut target, 1).unwrap_err();
    assert!(refused.to_string().contains("is only read"), "{refused}");
    // Nobody else gets it meanwhile.
    let second = RewritePermit::obtain(&device.path, &occupancy, |_| Users::default());
    assert!(matches!(second, Err(ConsentError::Never { .. })));
    drop(target);
    assert!(
        std::fs::read(&device.path).unwrap() == content,
        "it holds something else"
    );
}

#[test]
fn a_mounted_device_is_not_written_back_whatever_was_seen() {
    let Some((device, _)) = filled_device() else {
        return;
    };
    let path = device.path.to_str().unwrap();
    if !succeeds("mkfs.ext4", &["-q", path]) {
        crate::setup::skip("mkfs.ext4 is not installed");
        return;
    }
    let Some(_mount) = Mount::new("ext4", path, "noatime") else {
        return;
    };
    let refused = RewritePermit::obtain(&device.path, &occupancy(&device.path, Vec::new()), |_| {
        Users::default()
    });
    let told = refused.unwrap_err().to_string();
    assert!(told.contains("is not written"), "{told}");
    assert!(told.contains("unmount or stop what uses it"), "{told}");
}
