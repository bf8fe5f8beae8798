use sokudo_model::{OperationMix, PlanPart};

use super::*;

fn of(text: &str) -> ImportedRun {
    let import = read(text).unwrap();
    assert_eq!(import.left_out, []);
    import.runs.into_iter().next().unwrap()
}

const MIXED: &str = include_str!("../../corpus/kdiskmark/3-mix.txt");

fn near(left: f64, right: f64) -> bool {
    (left / right - 1.0).abs() < 1e-3
}

#[test]
fn its_megabytes_are_put_right_by_its_own_iops() {
    let run = of(MIXED);
    assert_eq!(run.origin.version.as_deref(), Some("3.3.0"));
    assert_eq!(run.target.name, "/home/user");
    assert_eq!(run.environment.kernel.as_deref(), Some("6.17.4-1-default"));
    let row = &run.rows[3];
    assert_eq!(row.workload.name, "RND4K Q1T1");
    let bandwidth = row.reported.bandwidth.as_ref().unwrap();
    assert!(
        near(bandwidth.value, 11_041.6 * 4096.0),
        "{}",
        bandwidth.value
    );
    assert_eq!(bandwidth.kind, "mean of 5 runs");
    assert_eq!(
        run.origin.corrections[0].what,
        "every \"MB/s\": 508.928 are 521.1 MB/s, and so on"
    );
}

#[test]
fn a_mix_is_the_sum_of_reads_and_writes() {
    let run = of(MIXED);
    let mix = &run.rows[8];
    assert_eq!(
        mix.workload.operations,
        OperationMix::read_write(70).unwrap()
    );
    assert!(near(
        mix.reported.bandwidth.as_ref().unwrap().value,
        497.0 * 1_048_576.0
    ));
    assert!(near(mix.reported.iops.as_ref().unwrap().value, 497.0));
    assert_eq!(
        run.origin.corrections[1].what,
        "mixed rows / 0.58: 302.3 are 521.1 MB/s, and so on"
    );
}

#[test]
fn a_mix_of_unknown_shares_is_told() {
    let run = of(&MIXED.replace("[Mix] Read 70%/Write 30%", "[Mix]"));
    assert!(
        run.origin
            .remarks
            .iter()
            .any(|remark| remark.english().contains("averages"))
    );
    assert!(near(
        run.rows[8].reported.iops.as_ref().unwrap().value,
        0.58 * 497.0
    ));
    assert!(run.rows[8].reported.unknown.contains(&PlanPart::Operations));
}

#[test]
fn older_and_corrected_versions_have_units_of_their_own() {
    let first = of(include_str!("../../corpus/kdiskmark/1.txt"));
    assert_eq!(first.origin.version, None);
    assert!(near(
        first.rows[0].reported.bandwidth.as_ref().unwrap().value,
        497.0 * 1_048_576.0
    ));
    assert!(first.origin.corrections[0].why.english().contains("MiB/s"));
    let peak = of(include_str!("../../corpus/kdiskmark/2.txt"));
    assert_eq!(
        peak.rows[0].reported.bandwidth.as_ref().unwrap().kind,
        "best of 5"
    );
    let right = "KDiskMark (9.9): https://github.com/JonMagon/KDiskMark\n[Read]\n\
        Sequential 1 MiB (Q= 8, T= 1):   1048.576 MB/s [ 1000.0 IOPS] < 1.00 us>\n";
    let run = of(right);
    assert_eq!(run.origin.corrections, []);
    assert_eq!(
        run.rows[0].reported.bandwidth.as_ref().unwrap().value,
        1048.576 * 1e6
    );
}

#[test]
fn figures_that_no_version_explains_are_told() {
    let text = "KDiskMark (9.9): https://github.com/JonMagon/KDiskMark\n[Read]\n\
        Sequential 1 MiB (Q= 8, T= 1):   500.000 MB/s [ 1000.0 IOPS] < 1.00 us>\n";
    assert!(of(text).origin.remarks[0].english().contains("2.097"));
    let without = text.replace("[ 1000.0 IOPS] < 1.00 us>", "");
    assert_eq!(
        of(&without).rows[0]
            .reported
            .bandwidth
            .as_ref()
            .unwrap()
            .value,
        512e6
    );
}

#[test]
fn only_versions_that_leave_threads_out_are_put_right() {
    let text = include_str!("../../corpus/cases/i24-kdiskmark-3.1.4-T16.txt");
    let of_version = |version: &str, threads: &str| {
        let text = text.replace("3.1.4", version).replace("T=16", threads);
        of(&text).rows[2].reported.clone()
    };
    for (version, threads, factor) in [
        ("1.5.9", "T=16", 1.0),
        ("1.6.0", "T=16", 2.0),
        ("2.2", "T=16", 2.0),
        ("3.2.0", "T= 3", 1.5),
        ("3.2.1", "T=16", 1.0),
        ("3.1.4-rc", "T=16", 1.0),
    ] {
        let row = of_version(version, threads);
        let [rate, iops] = [row.bandwidth, row.iops].map(|rate| rate.unwrap().value);
        assert!(near(rate, 614.4e6 * factor), "{version}: {rate}");
        assert!(near(iops, 150_000.0 * factor), "{version}: {iops}");
        assert!(near(row.latency.unwrap().mean, 850e3 * factor), "{version}");
    }
}
