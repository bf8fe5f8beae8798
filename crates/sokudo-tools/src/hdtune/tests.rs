use sokudo_model::{OperationMix, PlanPart};

use super::*;

fn of(text: &str) -> Import {
    assert!(recognise(text));
    read(text).unwrap()
}

const FREE: &str = include_str!("../../corpus/hdtune/free.txt");

fn rate(row: &ImportedRow) -> f64 {
    row.reported.bandwidth.as_ref().unwrap().value
}

#[test]
fn the_free_editions_benchmark_and_scan_are_read() {
    let import = of(FREE);
    assert_eq!(import.left_out, []);
    let [benchmark, scan] = &import.runs[..] else {
        panic!("two pages have results");
    };
    assert_eq!(benchmark.target.model.as_deref(), Some("SAMSUNG HD502HJ"));
    let transfer = benchmark.rows[0].reported.bandwidth.as_ref().unwrap();
    assert_eq!(
        (transfer.value, transfer.min, transfer.max),
        (113.4 * 1e6, Some(72e6), Some(136.4 * 1e6))
    );
    assert_eq!(
        benchmark.rows[1].reported.latency,
        Some(row::latency(13.6 * 1e6))
    );
    assert_eq!(
        (&*benchmark.rows[2].workload.name, rate(&benchmark.rows[2])),
        ("Burst Rate", 176.3 * 1e6)
    );
    assert_eq!(
        benchmark.rows[2].workload.measures.subject,
        sokudo_model::Subject::Cache
    );
    assert_eq!(
        benchmark.rows[2].reported.others,
        [figure("CPU", "%", 26.4)]
    );
    assert!(
        !benchmark.rows[0]
            .reported
            .unknown
            .contains(&PlanPart::Operations)
    );
    assert_eq!(benchmark.origin.remarks, [REMARK]);
    assert_eq!(
        scan.rows[0].reported.others[0],
        figure("scanned", "GB", 476_749.0 * MIB / 1e9)
    );
    assert_eq!(
        scan.rows[0].reported.others[2],
        figure("elapsed", "s", 8730.0)
    );
    assert_eq!(scan.origin.remarks, [""; 0]);
}

#[test]
fn the_pro_editions_pages_are_read_by_names_and_units() {
    let import = of(include_str!("../../corpus/hdtune/pro.txt"));
    assert_eq!(import.left_out, []);
    let methods: Vec<_> = import
        .runs
        .iter()
        .map(|run| (&*run.method, run.rows.len()))
        .collect();
    assert_eq!(
        methods,
        [
            ("Benchmark", 3),
            ("Random Access", 5),
            ("Extra Tests", 5),
            ("File Benchmark", 4)
        ]
    );
    let random = &import.runs[1].rows[1];
    assert_eq!(random.workload.blocks.single(), Some(Bytes::kib(4)));
    assert_eq!(
        random.workload.operations,
        OperationMix::only(Operation::Read)
    );
    assert_eq!(
        (random.reported.iops.as_ref().unwrap().value, rate(random)),
        (62.0, 0.242 * 1e6)
    );
    let latency = random.reported.latency.as_ref().unwrap();
    assert_eq!((latency.mean, latency.max), (16.1 * 1e6, Some(33e6)));
    let extra = &import.runs[2].rows[3];
    assert_eq!(
        (&*extra.workload.name, &extra.workload.operations),
        ("Sequential outer", &OperationMix::only(Operation::Write))
    );
    let file = &import.runs[3].rows;
    assert_eq!(rate(&file[1]), 174_820e3);
    assert_eq!(
        file[1].workload.operations,
        OperationMix::only(Operation::Write)
    );
    assert_eq!(file[3].workload.blocks.single(), Some(Bytes::kib(4)));
}

#[test]
fn impossible_figures_are_told() {
    let import = of(&FREE.replace("113.4", "NaN").replace("145:30", "145:99"));
    let lines: Vec<_> = import.left_out.iter().map(|part| part.line).collect();
    assert_eq!(lines, [Some(4), Some(13)]);
    let transfer = &import.runs[0].rows[0];
    assert_eq!(transfer.reported.bandwidth, None);
    assert_eq!(
        transfer.reported.others,
        [
            figure("minimum", "MB/s", 72.0),
            figure("maximum", "MB/s", 136.4)
        ]
    );
}

#[test]
fn other_texts_are_not_taken_for_it() {
    for text in [
        "HD Tune: is a tool",
        "HD Tune: X Health",
        "Transfer Rate Minimum : 1 MB/sec",
    ] {
        assert!(!recognise(text), "{text}");
    }
    assert!(read("HD Tune: X Benchmark\n").is_err());
}
