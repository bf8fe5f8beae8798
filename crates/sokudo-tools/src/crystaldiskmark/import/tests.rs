use sokudo_model::{Bytes, Nanos, Operation, OperationMix, Order, PlanPart};

use super::*;

fn of(bytes: &[u8]) -> Import {
    read(&text::decoded(bytes)).unwrap()
}

macro_rules! corpus {
    ($name:literal) => {
        &include_bytes!(concat!("../../../corpus/crystaldiskmark/", $name))[..]
    };
}

fn names(run: &ImportedRun) -> Vec<&str> {
    run.rows
        .iter()
        .map(|row| row.workload.name.as_str())
        .collect()
}

#[test]
fn version_9_is_read_with_all_it_tells() {
    let import = of(corpus!("9-mix.txt"));
    assert_eq!(import.left_out, []);
    let run = &import.runs[0];
    assert_eq!(run.origin.version.as_deref(), Some("9.0.1"));
    assert_eq!(run.target.name, "C:");
    assert_eq!(run.target.size, Some(Bytes::gib(1)));
    assert_eq!(run.started_at, Some(Nanos(1_750_323_907_000_000_000)));
    assert!(
        run.method.starts_with("Default, 1 GiB (x3)"),
        "{}",
        run.method
    );
    assert!(
        run.origin
            .remarks
            .iter()
            .any(|it| *it == "comment: before cloning")
    );
    assert!(
        run.origin
            .remarks
            .iter()
            .any(|it| *it == "C: was filled by 45% (210/476GiB)")
    );
    assert_eq!(run.rows.len(), 12);
    let mix = &run.rows[8].workload;
    assert_eq!(
        (&*mix.name, &mix.operations),
        ("SEQ1M Q8T1", &OperationMix::read_write(70).unwrap())
    );
    let row = &run.rows[2];
    assert_eq!(row.workload.name, "RND4K Q32T1");
    assert_eq!(row.workload.limits.time, Some(Nanos::from_secs(5)));
    let bandwidth = row.reported.bandwidth.as_ref().unwrap();
    assert_eq!(
        (bandwidth.value, bandwidth.kind.english().as_str()),
        (610.25 * 1e6, "best of 3")
    );
    assert_eq!(row.reported.iops.as_ref().unwrap().value, 148_986.8);
    assert_eq!(row.reported.latency.as_ref().unwrap().mean, 214.78 * 1e3);
    assert_eq!(
        row.reported.unknown,
        [PlanPart::Backend, PlanPart::Schedule]
    );
}

#[test]
fn every_encoding_and_decimal_sign_is_the_same_text() {
    let plain = of(corpus!("9-mix.txt")).runs;
    assert_eq!(of(corpus!("9-mix-utf16.txt")).runs, plain);
    assert_eq!(of(corpus!("9-comma.txt")).runs, plain);
    let quoted = String::from_utf8(corpus!("9-mix.txt").to_vec()).unwrap();
    let quoted: String = quoted.lines().map(|line| format!("> {line}\n")).collect();
    assert_eq!(of(quoted.as_bytes()).runs, plain);
}

#[test]
fn version_8_had_threads_of_their_own_offsets_and_may_write_zeros() {
    let import = of(corpus!("8-nvme-bom.txt"));
    let run = &import.runs[0];
    assert_eq!(
        names(run)[..4],
        ["SEQ1M Q8T1", "SEQ128K Q32T1", "RND4K Q32T16", "RND4K Q1T1"]
    );
    assert_eq!(run.rows[2].workload.order, Order::Random { map: false });
    assert_eq!(run.rows[0].workload.data, DataContent::Zero);
    assert_eq!(
        run.rows[4].workload.operations,
        OperationMix::only(Operation::Write)
    );
}

#[test]
fn version_7_6_5_and_3_have_layouts_of_their_own() {
    let run = |bytes| of(bytes).runs.remove(0);
    let seven = run(corpus!("7.txt"));
    assert_eq!(
        names(&seven)[..3],
        ["SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T16"]
    );
    assert_eq!(
        seven.rows[2].reported.latency.as_ref().unwrap().mean,
        2_205_207.15 * 1e3
    );
    let six = run(corpus!("6.txt"));
    assert_eq!(six.target.size, Some(Bytes::gib(1)));
    assert_eq!(names(&six)[1..3], ["Sequential (Q= 32,T= 1)", "RND4K Q8T8"]);
    assert_eq!(
        six.rows[1].workload.operations,
        OperationMix::only(Operation::Write)
    );
    assert!(six.rows[0].reported.unknown.contains(&PlanPart::Blocks));
    assert_eq!(
        six.rows[0].reported.bandwidth.as_ref().unwrap().kind,
        "of 5 runs"
    );
    let five = run(corpus!("5.txt"));
    assert_eq!(five.rows.len(), 8);
    assert!(five.rows[4].reported.unknown.contains(&PlanPart::Depth));
    let three = run(corpus!("3.txt"));
    assert_eq!(three.target.size, None);
    assert_eq!(three.rows.len(), 8);
    assert_eq!(
        three.rows[2].workload.blocks.single(),
        Some(Bytes::kib(512))
    );
    assert_eq!(three.rows[6].workload.depth, 32);
}

#[test]
fn what_sokudo_writes_in_this_layout_is_sokudos() {
    let run = of(corpus!("by-sokudo.txt")).runs.remove(0);
    assert_eq!(
        (&*run.origin.tool, run.origin.version.as_deref()),
        ("sokudo", Some("0.1.0"))
    );
    assert_eq!(run.target.name, "/mnt/data");
    assert_eq!(run.environment.kernel.as_deref(), Some("6.18.2"));
    assert_eq!(run.started_at, Some(Nanos(1_795_226_288_000_000_000)));
    let bandwidth = run.rows[0].reported.bandwidth.as_ref().unwrap();
    assert_eq!(
        (bandwidth.value, bandwidth.kind.english().as_str()),
        (3552.212 * 1e6, "median of 6 runs")
    );
    assert!(run.rows[0].reported.unknown.contains(&PlanPart::Direct));
    assert_eq!(run.rows[6].workload.name, "RND4K Q32T1");
    let other = include_str!("../../../corpus/crystaldiskmark/by-sokudo.txt");
    let other = other.replace("sokudo 0.1.0", "KDiskMark 3.3.0 (read by sokudo 0.1.0)");
    let run = of(other.as_bytes()).runs.remove(0);
    assert_eq!(
        (&*run.origin.tool, run.origin.version.as_deref()),
        ("KDiskMark", Some("3.3.0"))
    );
}

#[test]
fn a_file_of_two_reports_is_two_runs() {
    assert_eq!(of(corpus!("two-reports.txt")).runs.len(), 2);
}

#[test]
fn a_cut_text_gives_what_is_whole() {
    let import = of(corpus!("8-cut.txt"));
    assert_eq!(import.runs[0].rows.len(), 8);
    assert_eq!(import.runs[0].started_at, None);
}

#[test]
fn rows_that_were_not_measured_or_are_impossible_are_told() {
    let text = "CrystalDiskMark 8.0.4 x64 (C) 2007-2021 hiyohiyo\n[Read]\n\
        SEQ    1MiB (Q=  8, T= 1):     0.000 MB/s [      0.0 IOPS] <     0.00 us>\n\
        SEQ    1MiB (Q=  1, T= 1):       nan MB/s [      0.0 IOPS] <     0.00 us>\n\
        SEQ    1MiB (Q=  1, T= 1):     7.000 MB/s [      nan IOPS] <    -1.00 us>\n\
        SEQ    1MiB (Q=4294967296, T= 0):     7.000 MB/s\n";
    let import = of(text.as_bytes());
    let lines: Vec<_> = import.left_out.iter().map(|part| part.line).collect();
    assert_eq!(lines, [Some(3), Some(4)]);
    let [row, strange] = &import.runs[0].rows[..] else {
        panic!("two rows have rates");
    };
    assert_eq!((&row.reported.iops, &row.reported.latency), (&None, &None));
    assert!(strange.reported.unknown.contains(&PlanPart::Depth));
}

#[test]
fn other_texts_are_not_taken_for_it() {
    for text in [
        "KDiskMark (3.1.3): https://github.com/JonMagon/KDiskMark",
        "CrystalDiskMark is a tool",
        "I ran CrystalDiskMark 8 and got 500 MB/s",
    ] {
        assert!(!recognise(text), "{text}");
    }
    let heading = "CrystalDiskMark 8.0.4 x64 (C) 2007-2021 hiyohiyo";
    assert!(recognise(heading));
    assert!(read(heading).is_err());
}
