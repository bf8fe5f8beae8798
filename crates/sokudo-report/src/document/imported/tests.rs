use sokudo_model::{
    BlockSizes, Bytes, HostEnvironment, ImportedFigure, ImportedRow, ImportedRun, ImportedTarget,
    Nanos, Operation, OperationMix, Order, Origin, PlanPart, Run, Workload,
};

use super::*;
use crate::plot::{self, PlotKind, Size, TerminalStyle};
use crate::{TableStyle, csv, markdown, text};

fn run(rows: Vec<ImportedRow>) -> ImportedRun {
    ImportedRun {
        origin: Origin {
            tool: "KDiskMark".to_owned(),
            version: Some("3.1.4".to_owned()),
            format: "KDiskMark text".to_owned(),
            file: Some("saved.txt".to_owned()),
            ..Origin::default()
        },
        started_at: None,
        method: "Default".to_owned(),
        command: None,
        target: ImportedTarget {
            name: "/mnt".to_owned(),
            ..ImportedTarget::default()
        },
        environment: HostEnvironment::default(),
        rows,
    }
}

fn document_of(run: &ImportedRun) -> RunDocument {
    RunDocument::from_run(&Run::from(run.clone()))
}

/// A tool that tells a rate and nothing else.
fn row(value: f64) -> ImportedRow {
    ImportedRow {
        workload: Workload::new("SEQ1M", Bytes::mib(1)),
        reported: Reported {
            unknown: vec![
                PlanPart::Depth,
                PlanPart::Threads,
                PlanPart::Direct,
                PlanPart::Backend,
                PlanPart::Span,
            ],
            bandwidth: Some(ImportedRate {
                value,
                ..ImportedRate::default()
            }),
            ..Reported::default()
        },
    }
}

fn full_row() -> ImportedRow {
    let mut row = row(5e8);
    row.reported.unknown.clear();
    row.workload.name = "full".to_owned();
    row.workload.operations = OperationMix::only(Operation::Write);
    row.reported.iops = Some(ImportedRate {
        value: 500.0,
        kind: "best of 5".into(),
        ..ImportedRate::default()
    });
    row.reported.latency = Some(ImportedLatency {
        mean: 1_500.5,
        percentiles: vec![(50.0, 1_000.0), (99.0, 3_000.0), (99.5, 4_000.0)],
        ..ImportedLatency::default()
    });
    row.reported.histogram = vec![[2_000, 2_999, 5], [1_000, 1_999, 7]];
    row.reported.others = vec![ImportedFigure {
        name: "burst rate".to_owned(),
        unit: "MB/s".to_owned(),
        value: 310.5,
    }];
    row
}

fn surface_row() -> ImportedRow {
    let mut row = row(1e8);
    row.reported.samples = (0..30)
        .map(|number| ReportedSample {
            offset: Bytes::gib(number),
            bytes: Bytes::mib(10),
            elapsed: Nanos(100_000_000 + number * 1_000_000),
        })
        .collect();
    row
}

/// Every text that is made of a document.
fn texts(document: &RunDocument) -> Vec<String> {
    let mut texts = vec![
        text::render(document, &TableStyle::default()),
        csv::render(document),
        markdown::render(document),
        document.to_json(),
    ];
    for kind in PlotKind::all() {
        if let Ok(figure) = plot::figure(document, Some(kind), sokudo_words::Language::English) {
            texts.push(plot::svg(
                &figure,
                Size::default(),
                plot::PictureTheme::Light,
            ));
            texts.push(plot::terminal(&figure, &TerminalStyle::default()));
        }
    }
    texts
}

#[test]
fn what_a_tool_does_not_tell_is_nowhere_a_figure() {
    for rows in [
        vec![],
        vec![row(5e8)],
        vec![row(5e8), full_row()],
        vec![surface_row()],
    ] {
        let document = document_of(&run(rows));
        for text in texts(&document) {
            for wrong in ["NaN", "inf,", " 0.0 ", "1970"] {
                assert!(!text.contains(wrong), "{wrong} in {text}");
            }
        }
        let read = RunDocument::from_json(&document.to_json()).unwrap();
        assert_eq!(read, document);
    }
}

#[test]
fn figures_are_as_the_tool_told() {
    let document = document_of(&run(vec![full_row()]));
    let result = &document.results[0];
    let latency = result.latency_ns.as_ref().unwrap();
    assert_eq!(
        (latency.min, latency.max, latency.count),
        (None, None, None)
    );
    assert_eq!((latency.p50, latency.p90), (Some(1_000), None));
    assert_eq!((latency.mean, latency.p99), (1_500.5, Some(3_000)));
    assert_eq!(result.iops.as_ref().unwrap().median, 500.0);
    assert_eq!(result.histogram, [[1_000, 1_999, 7], [2_000, 2_999, 5]]);
    let reported = result.reported.as_ref().unwrap();
    assert_eq!(reported.latency_percentiles.len(), 3);
    let text = text::render(&document, &TableStyle::default());
    for part in [
        "KDiskMark 3.1.4",
        "saved.txt",
        "best of 5",
        "full: burst rate: 310.5 MB/s",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("Repeat"));
}

#[test]
fn what_is_no_figure_is_left_out() {
    for wrong in [f64::NAN, f64::INFINITY, -1.0] {
        let mut row = full_row();
        row.reported.bandwidth = Some(ImportedRate {
            value: wrong,
            trials: vec![wrong],
            ..ImportedRate::default()
        });
        row.reported.latency.as_mut().unwrap().mean = wrong;
        row.reported.others[0].value = wrong / 0.0;
        let document = document_of(&run(vec![row]));
        let result = &document.results[0];
        assert_eq!(result.bandwidth_bytes_per_s, None);
        assert_eq!(result.latency_ns, None);
        assert_eq!(result.reported.as_ref().unwrap().others, []);
        // What is no number is equal to nothing, itself included.
        let read = RunDocument::from_json(&document.to_json()).unwrap();
        assert_eq!(read.results, document.results);
        assert_eq!(read.to_json(), document.to_json());
    }
}

#[test]
fn rows_of_two_tools_and_rows_of_sokudo_never_look_the_same() {
    let of = |tool: &str, unknown: &[PlanPart]| {
        let mut row = row(1e8);
        row.reported.unknown = unknown.to_vec();
        let mut run = run(vec![row]);
        run.origin.tool = tool.to_owned();
        document_of(&run).results[0].fingerprint.clone()
    };
    assert_eq!(of("fio", &[PlanPart::Depth]), of("fio", &[PlanPart::Depth]));
    assert_ne!(
        of("fio", &[PlanPart::Depth]),
        of("diskspd", &[PlanPart::Depth])
    );
    assert_ne!(of("fio", &[PlanPart::Depth]), of("fio", &[]));
    let mut alone = run(vec![row(1e8)]);
    let fingerprint = |run: &ImportedRun| {
        let document = document_of(run);
        document.results[0].fingerprint.clone()
    };
    let before = fingerprint(&alone);
    alone.rows[0].reported.mix = OperationMix::read_write(70);
    assert_ne!(fingerprint(&alone), before, "a share of a mix");
}

#[test]
fn a_device_is_known_by_model_and_serial_and_else_by_its_name() {
    let mut run = run(vec![]);
    run.target.file_system = Some("ext4".to_owned());
    let identity = |run: &ImportedRun| document_of(run).target.identity();
    assert_eq!(identity(&run), "/mnt · ext4");
    run.target.model = Some("WD60EFZX".to_owned());
    run.target.serial = Some("S1".to_owned());
    assert_eq!(identity(&run), "WD60EFZX S1 · ext4");
}

#[test]
fn a_random_order_of_another_tool_is_kept() {
    let mut row = row(1e8);
    row.workload.order = Order::Random { map: false };
    row.workload.blocks = BlockSizes::one(Bytes::kib(4));
    let document = document_of(&run(vec![row]));
    let parts = &document.results[0].fingerprint_parts;
    assert_eq!(parts["order"], "random, with repeats");
    assert_eq!(
        (&*parts["depth"], &*parts["tool"]),
        ("unknown", "KDiskMark")
    );
}

#[test]
fn a_run_whose_target_nobody_named_is_called_by_its_tool() {
    let mut imported = run(vec![row(5e8)]);
    imported.target.name = String::new();
    let document = document_of(&imported);
    assert_eq!(document.target.device_name(), "KDiskMark's target");
    assert_eq!(document.target.identity(), "KDiskMark's target");
}
