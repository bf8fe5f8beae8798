use sokudo_model::PlanPart;

use super::*;

macro_rules! corpus {
    ($name:literal) => {
        include_str!(concat!("../../corpus/sysbench/", $name, ".txt"))
    };
}

fn rows_of(text: &str) -> Vec<ImportedRow> {
    assert!(recognise(text));
    let import = read(text).unwrap();
    assert_eq!(import.left_out, []);
    import.runs.into_iter().next().unwrap().rows
}

#[test]
fn each_direction_is_a_row_and_the_latency_of_all_is_of_none() {
    let rows = rows_of(corpus!("rndrw"));
    let names: Vec<_> = rows.iter().map(|row| &*row.workload.name).collect();
    assert_eq!(names, ["read", "write", "flush"]);
    let read = &rows[0];
    assert_eq!(read.workload.blocks.single(), Some(Bytes::kib(16)));
    assert_eq!((read.workload.order, read.workload.threads), (RANDOM, 1));
    assert_eq!(read.reported.iops, Some(row::rate(3_475.24, "")));
    let bandwidth = Some(row::rate(54.3 * 1_048_576.0, ""));
    assert_eq!(read.reported.bandwidth, bandwidth);
    assert!(rows.iter().all(|row| row.reported.latency.is_none()));
    let others: Vec<_> = rows[2].reported.others.iter().map(|it| it.value).collect();
    assert_eq!(others, [0.0, 0.07, 64.97, 0.15]);
}

#[test]
fn what_was_not_done_is_no_row_and_what_is_not_told_is_unknown() {
    let rows = rows_of(corpus!("seqwr"));
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0].workload.order, Order::SEQUENTIAL);
    let rows = rows_of(corpus!("end-alone"));
    for part in [PlanPart::Blocks, PlanPart::Threads, PlanPart::Order] {
        assert!(rows[0].reported.unknown.contains(&part), "{part:?}");
    }
}

#[test]
fn two_tests_are_two_runs_and_what_is_no_figure_is_named() {
    let both = [corpus!("rndrw"), corpus!("seqwr")].concat();
    assert_eq!(read(&both).unwrap().runs.len(), 2);
    let broken = corpus!("end-alone").replace("469.62", "-1");
    let import = read(&broken).unwrap();
    assert_eq!(import.left_out[0].line, Some(2));
    assert!(!recognise("File operations:\n    reads/s: 1\n"));
}
