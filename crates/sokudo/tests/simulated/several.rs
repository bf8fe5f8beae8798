//! What it costs simulated disks to be used together: of those that share a link, and of others.

use sokudo_engine::Control;
use sokudo_measure::{Measurement, Named, OtherTarget};
use sokudo_methods::commands::hand_over;
use sokudo_methods::rows::several::{self, DiskTests};
use sokudo_methods::rows::surface::{self, SurfacePreset, SurfaceRequest};
use sokudo_model::{
    Bytes, Contention, Estimand, Method, Nanos, Plan, Run, Schedule, SharingTest, Workload,
};

/// Two that share a lane of 500 MB/s, and one that does not.
const DISKS: [&str; 3] = [
    "sim:const?latency=50us&rate=400MB/s&size=8GiB&serial=1&link=lane:500MB/s",
    "sim:const?latency=50us&rate=400MB/s&size=8GiB&serial=2&link=lane:500MB/s",
    "sim:const?latency=50us&rate=300MB/s&size=8GiB&serial=3",
];

fn named(spec: &str) -> Named {
    Named::recognise(spec).unwrap_or_else(|_| panic!("{spec} is not understood"))
}

/// What comes of the same tests of disks, alone and together.
fn measured(disks: &[&str], method: Method, tests: impl Fn(&Named) -> Vec<Workload>) -> Run {
    let labels = several::labels(disks).into_iter();
    let tests = labels.zip(disks).map(|(label, spec)| DiskTests {
        label,
        workloads: tests(&named(spec)),
    });
    let plan = Plan {
        method,
        seed: 1,
        stages: several::stages(&tests.collect::<Vec<_>>()),
    };
    let others = disks[1..].iter().map(|spec| OtherTarget {
        name: (*spec).to_owned(),
        named: named(spec),
    });
    let measurement = Measurement {
        schedule: Schedule::in_turn(6, Nanos(0)),
        others: others.collect(),
        ..Measurement::new(disks[0], named(disks[0]), plan)
    };
    let control = Control::new();
    let mut prepared = measurement.prepare(&control, &mut |_| ()).unwrap();
    let ended_by = prepared.measure(&control, &mut |_| ()).unwrap();
    assert!(ended_by.is_none(), "{ended_by:?}");
    prepared.finish(&control)
}

fn marked(disks: &[&str]) -> Run {
    hand_over();
    measured(disks, Method::from("mark/rows"), |_| {
        let mut reads = Workload::new("SEQ1M Q8T1", Bytes::mib(1));
        reads.depth = 8;
        reads.measures.estimand = Estimand::Sustained;
        reads.limits.time = Some(Nanos::from_millis(500));
        vec![reads]
    })
}

fn scanned(disks: &[&str]) -> Run {
    hand_over();
    measured(disks, Method::from("scan/full"), |named| {
        let size = named.size().unwrap();
        let request = SurfaceRequest {
            access_count: Some(0),
            ..SurfaceRequest::reading(SurfacePreset::Full, size, Bytes(512))
        };
        surface::plan(&request).unwrap().workloads
    })
}

fn first_test(run: &Run) -> SharingTest {
    Contention::of(run).unwrap().tests[0].clone()
}

/// What each disk keeps of its rate is as it should be.
fn assert_kept(run: &Run, truth: &[f64]) {
    let test = first_test(run);
    for (disk, truth) in test.disks.iter().zip(truth) {
        let kept = disk.rates.unwrap().kept;
        assert!((kept / truth - 1.0).abs() < 0.15, "{}: {kept}", disk.label);
    }
}

fn sharing_findings(run: &Run) -> Vec<String> {
    let of_sharing = run.findings.iter().filter(|it| it.code == "sharing-costs");
    of_sharing
        .map(|it| format!("{} {}", it.symptom.english(), it.cause.english()))
        .collect()
}

#[test]
fn who_shares_a_lane_is_named_with_what_each_loses() {
    let run = marked(&DISKS);
    assert_kept(&run, &[0.625, 0.625, 1.0]);
    let told = sharing_findings(&run);
    let [told] = &told[..] else {
        panic!("{told:?}")
    };
    assert!(told.contains("A, B, used together"), "{told}");
    assert!(told.contains("the link lane (500 MB/s)"), "{told}");
    assert_eq!(run.targets.len(), 3);
}

#[test]
fn disks_that_share_nothing_lose_nothing() {
    let apart: Vec<&str> = [DISKS[0], DISKS[2]].to_vec();
    let run = marked(&apart);
    assert_kept(&run, &[1.0, 1.0]);
    assert_eq!(sharing_findings(&run), [""; 0]);
}

#[test]
fn a_wide_link_costs_nothing() {
    let wide = DISKS.map(|spec| spec.replace("lane:500MB/s", "lane:900MB/s"));
    let run = marked(&wide.each_ref().map(String::as_str));
    assert_kept(&run, &[1.0, 1.0, 1.0]);
    assert_eq!(sharing_findings(&run), [""; 0]);
}

#[test]
fn scans_of_several_disks_tell_the_same() {
    let run = scanned(&DISKS);
    assert_kept(&run, &[0.625, 0.625, 1.0]);
    assert_eq!(sharing_findings(&run).len(), 1);
}

/// The smaller one is done before the other, which has the lane for itself from there on.
#[test]
fn of_scans_of_unequal_disks_the_time_counts_in_which_both_were_read() {
    let small = DISKS[1].replace("8GiB", "2GiB");
    let run = scanned(&[DISKS[0], &small]);
    assert_kept(&run, &[0.625, 0.625]);
}

/// Each disk alone is measured as if there were no others.
#[test]
fn the_rows_of_one_disk_alone_are_those_of_a_run_of_that_disk() {
    let test = first_test(&marked(&DISKS));
    let alone: Vec<f64> = test
        .disks
        .iter()
        .map(|it| it.rates.unwrap().alone)
        .collect();
    for (rate, truth) in alone.iter().zip([400e6, 400e6, 300e6]) {
        assert!((rate / truth - 1.0).abs() < 0.02, "{alone:?}");
    }
}
