use super::*;
use crate::forms::Forms;
use crate::sample;
use sokudo_model::{PlanData, Provenance};

fn runs() -> [RunDocument; 3] {
    let run = |name: &str, kind: &str| {
        let mut run = RunDocument::from_run(&sample::run());
        run.target.name = name.to_owned();
        if let Some(system) = &mut run.target.file_system {
            system.kind = kind.to_owned();
        }
        run
    };
    [
        run("/raid5/a", "ext4"),
        run("/raid5/a", "ext4"),
        run("/single/b", "xfs"),
    ]
}

fn pivot(rows: &str, columns: &str) -> Pivot {
    Pivot {
        rows: rows.parse().unwrap(),
        columns: columns.parse().unwrap(),
        only: Vec::new(),
        value: PivotValue::Rate,
        unit: BandwidthUnit::MegabytesPerSecond,
    }
}

fn document(pivot: &Pivot) -> Option<PivotDocument> {
    let runs = runs();
    let tags = ["fs=ext4".to_owned()];
    let runs = runs.each_ref().map(|run| PivotRun {
        run,
        source: "run 1",
        tags: if run.target.name == "/raid5/a" {
            &tags
        } else {
            &[]
        },
    });
    PivotDocument::new(&runs, pivot)
}

#[test]
fn results_of_one_row_and_column_share_a_cell() {
    let document = document(&pivot("row", "target")).unwrap();
    assert_eq!(document.columns, ["/raid5/a", "/single/b"]);
    assert_eq!(document.runs, 3);
    let first = document.rows[0].cells[0].as_ref().unwrap();
    assert_eq!(first.results, 2);
    assert!(
        first.text().ends_with("(2: 3,499–3,499)"),
        "{}",
        first.text()
    );
    let second = document.rows[0].cells[1].as_ref().unwrap();
    assert!(second.text().contains(" ± "), "{}", second.text());
    assert!(document.warnings.is_empty(), "sokudo has measured all");
}

#[test]
fn an_invalid_result_is_called_so_in_the_table_and_in_the_picture() {
    let [mut invalid, _, mut doubtful] = runs();
    invalid.results[0].verdict = Some(Verdict::Invalid);
    doubtful.results[0].verdict = Some(Verdict::Unverified);
    let runs = [&invalid, &doubtful].map(|run| PivotRun {
        run,
        source: "run",
        tags: &[],
    });
    let document = PivotDocument::new(&runs, &pivot("row", "target")).unwrap();
    let table = document.render(&crate::TableStyle::default());
    let row = table.lines().find(|it| it.contains("SEQ1M Q8T1 read"));
    let (invalid, doubtful) = row.unwrap().split_once("INVALID").unwrap();
    assert!(!invalid.contains('?') && doubtful.ends_with('?'), "{table}");
    assert!(table.contains("INVALID: not a figure of the device"));
    let figure = crate::plot::pivot(&document, sokudo_words::Language::English).unwrap();
    let size = crate::plot::Size::fitting(&figure);
    let picture = crate::plot::svg(&figure, size, crate::plot::PictureTheme::Light);
    assert!(picture.contains(">INVALID<") && picture.contains(">UNVERIFIED<"));
    let shown = crate::plot::terminal(&figure, &crate::plot::TerminalStyle::default());
    assert!(shown.contains(" INVALID"), "{shown}");
}

#[test]
fn loads_that_share_a_cell_are_told() {
    let [first, mut second, _] = runs();
    for result in &mut second.results {
        result.plan.set(PlanData::Depth(99));
    }
    let runs = [&first, &second].map(|run| PivotRun {
        run,
        source: "run",
        tags: &[],
    });
    let document = PivotDocument::new(&runs, &pivot("row", "target")).unwrap();
    let [warning] = &document.warnings[..] else {
        panic!("{:?}", document.warnings);
    };
    assert_eq!(warning.cause, "they differ in depth");
}

#[test]
fn who_alone_went_through_the_page_cache_is_named_below() {
    let [first, mut second, _] = runs();
    let cached = sample::finding("direct-unavailable", Severity::Warning, "", "", "");
    second.results[0].findings.push(cached);
    second.label = Some("btrfs".to_owned());
    let runs = [&first, &second].map(|run| PivotRun {
        run,
        source: "run 1",
        tags: &[],
    });
    let document = PivotDocument::new(&runs, &pivot("row", "label")).unwrap();
    let notes: Vec<String> = document.notes.iter().map(Text::english).collect();
    let expected = "Only btrfs went through the page cache in ";
    assert!(notes.iter().any(|it| it.starts_with(expected)), "{notes:?}");
}

#[test]
fn runs_are_told_apart_by_array_and_by_tag() {
    let of = |columns: &str| document(&pivot("row", columns)).unwrap().columns;
    assert_eq!(of("raid"), ["raid5", "single"]);
    assert_eq!(of("tag:fs"), ["ext4", "—"]);
    assert_eq!(of("raid+tag:fs"), ["raid5 · ext4", "single · —"]);
}

#[test]
fn a_direction_that_stands_apart_is_not_in_the_name_of_the_row_too() {
    let of = |rows: &str, columns: &str| {
        let mut document = document(&pivot(rows, columns)).unwrap();
        (document.rows.swap_remove(0).name, document.columns)
    };
    assert_eq!(of("row+direction", "tool").0, "SEQ1M Q8T1 · read");
    let (row, columns) = of("row", "direction");
    assert_eq!(row, "SEQ1M Q8T1");
    assert_eq!(columns, ["read", "write"]);
    assert_eq!(of("row", "tool").0, "SEQ1M Q8T1 read");
    let result = |name: &str| {
        let mut result = RunDocument::from_run(&sample::run()).results[0].clone();
        result.name = name.to_owned();
        key::row_without_direction(&result)
    };
    let names = ["Sequential Read", "read", "readers"].map(result);
    assert_eq!(names, ["Sequential", "read", "readers"]);
}

#[test]
fn only_what_is_asked_for_is_shown() {
    let mut filtered = pivot("row", "target");
    filtered.only = vec![
        (Key::Row, "rnd4k q1".to_owned()),
        (Key::Target, "RAID5".to_owned()),
    ];
    let shown = document(&filtered).unwrap();
    assert_eq!((shown.rows.len(), shown.columns.len()), (2, 1));
    filtered.only = vec![(Key::Row, "nothing".to_owned())];
    assert_eq!(document(&filtered), None);
}

#[test]
fn a_word_that_is_no_key_is_refused_with_those_there_are() {
    let message = "colour".parse::<Key>().unwrap_err().to_string();
    assert!(
        message.contains("file-system") && message.contains("tag:KEY"),
        "{message}"
    );
    for word in ["", "tag:", "row+", "Row"] {
        assert!(word.parse::<Keys>().is_err(), "{word}");
    }
    for (word, _) in Key::WORDS {
        assert_eq!(word.parse::<Keys>().unwrap().to_string(), word);
    }
}

#[test]
fn latencies_are_another_value_with_a_unit_of_its_own() {
    let latencies = Pivot {
        value: PivotValue::Latency,
        ..pivot("row", "target")
    };
    assert_eq!(document(&latencies).unwrap().unit(), Some("ms"));
}

#[test]
fn strangers_cannot_break_a_table() {
    let mut run = runs()[0].clone();
    run.target.name = "a|b\n| \u{1b}[2J".to_owned();
    let runs = [PivotRun {
        run: &run,
        source: "run 1",
        tags: &[],
    }];
    let document = PivotDocument::new(&runs, &pivot("row", "target")).unwrap();
    let markdown = document.to_markdown(
        BandwidthUnit::MegabytesPerSecond,
        sokudo_words::Language::English,
    );
    let lines: Vec<&str> = markdown
        .lines()
        .filter(|line| line.starts_with('|'))
        .collect();
    assert_eq!(lines.len(), document.rows.len() + 2);
    assert!(
        !document
            .render(&crate::TableStyle::default())
            .contains('\u{1b}')
    );
}

#[test]
fn the_picture_has_a_bar_for_each_cell() {
    let document = document(&pivot("row", "target")).unwrap();
    let figure = crate::plot::pivot(&document, sokudo_words::Language::English).unwrap();
    let size = crate::plot::Size::fitting(&figure);
    let picture = crate::plot::svg(&figure, size, crate::plot::PictureTheme::Light);
    assert!(picture.contains("/single/b") && picture.contains("SEQ1M Q8T1 read"));
    assert!(picture.contains("MB/s, logarithmic"), "of 59 to 3,499 MB/s");
}

#[test]
fn documents_follow_the_schema_in_the_docs_and_read_back() {
    let text = document(&pivot("row", "target")).unwrap().to_json();
    crate::kept_schema::assert_kept::<PivotDocument>("sokudo.pivot-1", &[text]);
}

#[test]
fn what_sokudos_own_fio_measured_is_not_of_another_tool() {
    let mut run = RunDocument::from_run(&sample::run());
    let mut warns_of = |tool: &str| {
        run.provenance = Provenance::Reported(sokudo_model::Origin {
            tool: tool.to_owned(),
            ..sokudo_model::Origin::default()
        });
        of_tools(&[&run]).is_some()
    };
    assert!(warns_of("fio"));
    assert!(!warns_of(sokudo_model::Origin::SOKUDO_FIO));
}

#[test]
fn a_remark_of_another_tool_is_told_whole_unless_it_begins_with_its_figure() {
    let mut run = RunDocument::from_run(&sample::run());
    run.provenance = Provenance::Reported(sokudo_model::Origin {
        tool: "CrystalDiskMark".to_owned(),
        format: "CrystalDiskMark text".to_owned(),
        remarks: vec!["C: was filled by 45%".into()],
        ..sokudo_model::Origin::default()
    });
    let mut published = run.clone();
    if let Provenance::Reported(origin) = &mut published.provenance {
        origin.format = OF_FIGURES.to_owned();
        origin.remarks = vec!["Random read 4K: of a full disk".into()];
    }
    assert_eq!(
        notes(&[&run, &published]),
        [
            "CrystalDiskMark: C: was filled by 45%",
            "CrystalDiskMark: of a full disk"
        ]
    );
}
