use sokudo_model::{Bytes, ImportedRun, Nanos, Operation, OperationMix, PlanPart};

use crate::results::row;

use super::*;

macro_rules! corpus {
    ($name:literal) => {
        include_str!(concat!("../../corpus/ioping/", $name, ".txt"))
    };
}

fn of(text: &str) -> ImportedRun {
    assert!(recognise(text));
    let import = read(text).unwrap();
    assert_eq!(import.left_out, []);
    let mut runs = import.runs;
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

#[test]
fn what_it_tells_people_is_read() {
    let run = of(corpus!("normal"));
    assert_eq!(run.target.name, ".");
    assert_eq!(run.target.file_system.as_deref(), Some("ext4"));
    let row = &run.rows[0];
    assert_eq!(row.workload.operations, OperationMix::only(Operation::Read));
    assert_eq!(row.workload.blocks.single(), Some(Bytes::kib(4)));
    assert_eq!(row.reported.iops, Some(row::rate(877.0, "")));
    assert_eq!(
        row.reported.bandwidth,
        Some(row::rate(3.43 * 1_048_576.0, ""))
    );
    let latency = row.reported.latency.as_ref().unwrap();
    assert_eq!(
        (latency.min, latency.mean, latency.count),
        (Some(170_500.0), 1.14 * 1e6, Some(4))
    );
    assert_eq!(
        (latency.max, latency.stdev),
        (Some(4.02 * 1e6), Some(1.66 * 1e6))
    );
}

#[test]
fn thousands_nanoseconds_and_writes_are_read() {
    let rapid = &of(corpus!("rapid")).rows[0];
    assert_eq!(rapid.reported.iops, Some(row::rate(681.0 * 1e3, "")));
    assert_eq!(rapid.reported.latency.as_ref().unwrap().min, Some(500.0));
    assert!(rapid.reported.unknown.contains(&PlanPart::Blocks));
    let write = &of(corpus!("write")).rows[0];
    assert_eq!(
        write.workload.operations,
        OperationMix::only(Operation::Write)
    );
    assert_eq!(write.workload.blocks.single(), Some(Bytes::kib(8)));
}

#[test]
fn raw_lines_are_numbers_that_agree() {
    let batch = &of(corpus!("batch")).rows[0];
    assert_eq!(batch.reported.iops, Some(row::rate(954_630.0, "")));
    assert_eq!(batch.workload.blocks.single(), Some(Bytes::kib(4)));
    assert_eq!(batch.reported.latency.as_ref().unwrap().mean, 1048.0);
    assert_eq!(of(corpus!("raw")).rows.len(), 3);
    // Version 0.8: microseconds, eight columns.
    let old = of("10 81210 123 504369 6012 8121 10233 901\n");
    assert_eq!(
        old.rows[0].reported.latency.as_ref().unwrap().mean,
        8_121_000.0
    );
    for text in [
        "1 2 3 4 5 6 7 8\n",
        "1 2 3\n",
        "19 19903 954630 3910164297 962 9048 1292 85 20 37225\n",
        "\n",
    ] {
        assert!(!recognise(text), "{text}");
    }
}

#[test]
fn json_is_read_object_by_object() {
    let run = of(corpus!("json"));
    assert_eq!(run.target.size, Some(Bytes(270_553_174_016)));
    assert_eq!(run.started_at, Some(Nanos(1_795_294_725_417_093_000)));
    let row = &run.rows[0];
    assert_eq!(row.reported.bandwidth, Some(row::rate(580_087_806.0, "")));
    assert_eq!(row.reported.latency.as_ref().unwrap().count, Some(2));
    assert_eq!(row.workload.operations, OperationMix::only(Operation::Read));
}

#[test]
fn cut_json_gives_what_is_whole_and_tells_the_rest() {
    let whole = corpus!("json").trim_end();
    let twice = format!("{},{}", whole.trim_end_matches(']'), &whole[1..300]);
    let import = read(&twice).unwrap();
    assert_eq!(import.runs[0].rows.len(), 1);
    assert_eq!(import.left_out.len(), 1);
    assert!(read(&whole[..500]).is_err());
}

#[test]
fn requests_without_statistics_are_told() {
    let normal = corpus!("normal");
    let cut = normal.find("min/avg").unwrap();
    let error = read(&normal[..cut]).unwrap_err().to_string();
    assert_eq!(
        error,
        "looks like ioping, but line 7: its statistics are not complete"
    );
    let import = read(&format!("{normal}{}", &normal[..cut])).unwrap();
    assert_eq!(import.left_out[0].line, Some(17));
}
