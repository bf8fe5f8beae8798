//! Texts of a matrix, from runs made by hand.

use super::*;
use crate::document::RunDocument;
use crate::forms::{CsvForm, Forms};
use crate::plot::{self, TerminalStyle};
use crate::report::{Report, ReportedRun};
use crate::sample::{self, style};
use crate::style::BandwidthUnit;
use sokudo_model::{
    CellLevel, CombinationEffect, DriveCache, EffectRatio, FileSystemKind, Finding, MatrixCell,
    MatrixFigures, MatrixPlan, PairEffect, RaidBy, RaidLevel, RaidPlan, RowEffects, Severity,
    VolumeOptions, VolumePlan,
};
use sokudo_words::Language;

fn plan() -> MatrixPlan {
    let axis = |name: &str, values: &[&str]| MatrixAxis {
        name: name.to_owned(),
        values: values.iter().map(|it| (*it).to_owned()).collect(),
    };
    let volume = VolumePlan {
        raid: RaidPlan {
            level: RaidLevel::None,
            disks: 1,
            by: RaidBy::Md,
        },
        file_system: FileSystemKind::Xfs,
        options: VolumeOptions::default(),
        scheduler: None,
        ageing: None,
    };
    let cell = |number: usize| MatrixCell {
        drive_cache: DriveCache::Keep,
        values: vec![number / 3, number % 3],
        volume: (number != 5).then(|| volume.clone()),
        method: Vec::new(),
        notes: match number {
            5 => vec!["JFS cannot be made here".into()],
            _ => Vec::new(),
        },
    };
    MatrixPlan {
        axes: vec![
            axis("raid", &["none", "5"]),
            axis("fs", &["ext4", "xfs", "jfs"]),
        ],
        method: "mark --row RND4K,Q32".to_owned(),
        seed: 42,
        cells: (0..6).map(cell).collect(),
    }
}

fn ratio(ratio: f64, low: f64, high: f64) -> EffectRatio {
    EffectRatio { ratio, low, high }
}

fn effects(figures: &MatrixFigures) -> MatrixEffects {
    let rows = figures.rows.iter().enumerate().map(|(number, row)| {
        let level = |cell: usize| {
            let mut rates = row.rates.iter().filter(|it| it.cell == cell);
            let per_second = rates.next()?.per_second;
            Some(CellLevel {
                per_second,
                interval_95: Some([per_second * 0.98, per_second * 1.02]),
                blocks: 3,
            })
        };
        let pair = |axis, value, reference, ratio| PairEffect {
            axis,
            value,
            reference,
            contexts: 2,
            blocks_to_show: None,
            ratio,
        };
        let same = ratio(1.001, 0.98, 1.02);
        let faster = ratio(1.065, 1.04, 1.09);
        RowEffects {
            row: row.name.clone(),
            cells: (0..6).map(level).collect(),
            pairs: vec![
                pair(
                    0,
                    1,
                    0,
                    if number == 2 {
                        ratio(0.06, 0.055, 0.066)
                    } else {
                        same
                    },
                ),
                pair(1, 1, 0, if number == 3 { faster } else { same }),
            ],
            combinations: vec![CombinationEffect {
                axes: [0, 1],
                values: [1, 1],
                ratio: if number == 3 {
                    ratio(0.9, 0.86, 0.95)
                } else {
                    same
                },
            }],
            best: (number == 0).then_some(1),
        }
    });
    MatrixEffects {
        comparisons: 21,
        rows: rows.collect(),
    }
}

fn not_on_device() -> Finding {
    Finding {
        code: "not-on-device".to_owned(),
        severity: Severity::Error,
        symptom: "only 0.0 % of the bytes reached the devices".into(),
        cause: Text::default(),
        remedy: Text::default(),
    }
}

fn document() -> MatrixDocument {
    let plan = plan();
    let mut run = RunDocument::from_run(&sample::run());
    run.results.truncate(5);
    let mut invalid = run.clone();
    invalid.results[1].verdict = Some(Verdict::Invalid);
    invalid.results[1].findings.push(not_on_device());
    let cells = [0, 1, 3, 4].into_iter();
    let runs: Vec<MatrixRun> = cells
        .flat_map(|cell| (0..3).map(move |block| (cell, block)))
        .map(|(cell, block)| MatrixRun {
            cell,
            block,
            run: if cell == 4 { &invalid } else { &run }.clone(),
        })
        .collect();
    let failures = [CellFailure {
        cell: 2,
        block: 0,
        command: "mkfs.jfs -q /dev/loop7".to_owned(),
        message: Text::name("No such file or directory"),
    }];
    let so_far = MatrixSoFar {
        id: "1f0c9a3e",
        command: "sokudo matrix --loop 4x8GiB --in /tmp --raid none,5 --fs ext4,xfs,jfs",
        is_of_files: true,
        plan: &plan,
        runs: &runs,
        failures: &failures,
    };
    let mut document = MatrixDocument::new(&so_far, effects(&so_far.figures()));
    document.sokudo_version = "0.0.0".to_owned();
    document
}

#[test]
fn a_report_of_its_runs_alone_is_its_picture() {
    let document = document();
    let run = ReportedRun::new("run 1", RunDocument::from_run(&sample::run()));
    let picture = |runs: usize| {
        let report = Report::new(None, vec![run.clone(); runs]);
        let report = report.with_matrices(vec![document.clone()]);
        report.picture(Language::English).unwrap()
    };
    let unit = BandwidthUnit::MegabytesPerSecond;
    let own = plot::matrix(&document, unit, Language::English).unwrap();
    assert_eq!(picture(12), own);
    assert_ne!(picture(13), own, "a run of something else is among them");
}

#[test]
fn invalid_results_are_not_compared() {
    let document = document();
    let row = &document.rows[1];
    assert!(row.cells[3].as_ref().unwrap().per_second.is_some());
    let invalid = row.cells[4].as_ref().unwrap();
    assert_eq!(
        (invalid.per_second, invalid.verdict),
        (None, Some(Verdict::Invalid))
    );
    let [note] = &document.cells[4].notes[..] else {
        panic!("{:?}", document.cells[4].notes);
    };
    assert!(note.english().contains("is INVALID: only 0.0 %"), "{note}");
    assert_eq!(document.cells[2].state, MatrixCellState::Failed);
    assert_eq!(document.cells[5].state, MatrixCellState::LeftOut);
}

#[test]
fn the_largest_difference_that_is_not_proven_is_named_with_what_would_prove_it() {
    let mut document = document();
    let pair = &mut document.effects.rows[1].pairs[1];
    pair.ratio = ratio(0.1, 0.001, 12.0);
    pair.blocks_to_show = Some(5);
    let answer = sentence::sentences(&document)[0].english();
    let expected = "Not proven with 3 blocks: ext4 is some 10 times as fast as xfs in SEQ1M Q1T1 read; --blocks 5 is expected to show it.";
    assert!(answer.ends_with(expected), "{answer}");
    assert!(!answer.contains("nothing else"), "{answer}");
    let text = document.render(&style(200));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(expected), "{text}");
    let unseen = "one of more than 100 times may have gone unseen";
    assert!(text.contains(unseen), "{text}");
}

#[test]
fn behind_the_answer_stands_which_cells_alone_went_through_the_page_cache() {
    let mut document = document();
    assert!(
        !sentence::sentences(&document)[1]
            .english()
            .contains("page cache")
    );
    let cell = document.rows[0].cells[1].as_mut().unwrap();
    cell.findings.push("direct-unavailable".to_owned());
    let sentence = sentence::sentences(&document)[1].english();
    let expected = "Only a single disk · xfs went through the page cache in SEQ1M Q8T1 read,";
    assert!(sentence.starts_with(expected), "{sentence}");
}

#[test]
fn a_wide_table() {
    insta::assert_snapshot!(document().render(&style(140)));
}

#[test]
fn a_table_of_eighty_columns() {
    let text = document().render(&style(80));
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    insta::assert_snapshot!(text);
}

#[test]
fn markdown_in_japanese() {
    let unit = BandwidthUnit::IosPerSecond;
    insta::assert_snapshot!(document().to_markdown(unit, Language::Japanese));
}

#[test]
fn lines_for_scripts() {
    insta::assert_snapshot!(document().to_csv());
}

#[test]
fn before_anything_was_measured_it_says_so() {
    let plan = plan();
    let so_far = MatrixSoFar {
        id: "1f0c9a3e",
        command: "",
        is_of_files: false,
        plan: &plan,
        runs: &[],
        failures: &[],
    };
    let document = MatrixDocument::new(&so_far, MatrixEffects::default());
    assert!(
        document.sentences[0]
            .english()
            .starts_with("Nothing can be compared yet")
    );
    assert!(
        document
            .render(&style(80))
            .contains("5 still to be measured")
    );
    assert_eq!(document.to_csv().lines().count(), 1);
}

#[test]
fn where_all_is_invalid_it_says_so_and_why() {
    let plan = plan();
    let mut run = RunDocument::from_run(&sample::run());
    run.results.truncate(1);
    run.results[0].verdict = Some(Verdict::Invalid);
    run.results[0].findings.push(not_on_device());
    let of_cell = |cell| MatrixRun {
        cell,
        block: 0,
        run: run.clone(),
    };
    let so_far = MatrixSoFar {
        id: "1f0c9a3e",
        command: "",
        is_of_files: false,
        plan: &plan,
        runs: &[of_cell(0), of_cell(1)],
        failures: &[],
    };
    let document = MatrixDocument::new(&so_far, MatrixEffects::default());
    let text = document.render(&style(200));
    assert!(text.contains("because all results are INVALID"), "{text}");
    assert!(text.contains("only 0.0 % of the bytes"), "{text}");
}

#[test]
fn the_schema_in_docs_is_current_and_documents_follow_it() {
    crate::kept_schema::assert_kept::<MatrixDocument>("sokudo.matrix-1", &[document().to_json()]);
}

/// Written into the directory of SOKUDO_PICTURES, for eyes.
#[test]
fn a_picture_has_a_map_for_each_row_and_bars_where_one_axis_is_varied() {
    use crate::plot::{self, PictureTheme, Size, TerminalStyle};
    let document = document();
    let unit = BandwidthUnit::MegabytesPerSecond;
    let mut flat = document.clone();
    flat.axes[0].values.truncate(1);
    flat.cells.truncate(3);
    for row in &mut flat.rows {
        row.cells.truncate(3);
    }
    for (name, document) in [("maps", document), ("bars", flat)] {
        for language in [Language::English, Language::Japanese] {
            let figure = plot::matrix(&document, unit, language).unwrap();
            let picture = plot::svg(&figure, Size::default(), PictureTheme::Auto);
            assert!(picture.contains("SEQ1M Q8T1"), "{picture}");
            assert!(!plot::terminal(&figure, &TerminalStyle::default()).is_empty());
            let Some(directory) = std::env::var_os("SOKUDO_PICTURES") else {
                continue;
            };
            #[cfg(feature = "png")]
            for theme in [PictureTheme::Light, PictureTheme::Dark] {
                let bytes = plot::png(&figure, Size::default(), theme).unwrap();
                let file = format!("{name}-{language:?}-{theme:?}.png");
                std::fs::write(std::path::Path::new(&directory).join(file), bytes).unwrap();
            }
            let _ = (&directory, name);
        }
    }
}

/// Its picture on a terminal.
fn picture(document: &MatrixDocument) -> String {
    let figure = plot::matrix(
        document,
        BandwidthUnit::MegabytesPerSecond,
        Language::English,
    );
    plot::terminal(&figure.unwrap(), &TerminalStyle::default())
}

#[test]
fn a_picture_of_two_axes_has_a_map_for_each_row() {
    insta::assert_snapshot!(picture(&document()));
}

#[test]
fn a_map_has_the_figures_of_the_table_on_colours_of_its_fastest() {
    use crate::plot::figure::Body;
    let mut document = document();
    document.rows.truncate(1);
    let rates = [Some(100.0), Some(93.0), Some(80.0), None];
    for (cell, rate) in [0, 1, 3, 4].into_iter().zip(rates) {
        let figure = document.rows[0].cells[cell].as_mut().unwrap();
        figure.per_second = rate.map(|rate| rate * 1e6);
    }
    let unit = BandwidthUnit::MegabytesPerSecond;
    let figure = plot::matrix(&document, unit, Language::English).unwrap();
    let Body::HeatMaps(maps) = &figure.body else {
        panic!("two axes make a map");
    };
    let map = &maps.matrices[0];
    assert_eq!(map.cells[0], [Some(100.0), Some(93.0), None]);
    assert_eq!(map.cells[1], [Some(80.0), None, None]);
    assert_eq!((map.on_axis(80.0), &map.faults[..]), (80.0, &[[1, 1]][..]));
    assert!(
        figure.footer.contains("cross: INVALID"),
        "{}",
        figure.footer
    );
}

#[test]
fn a_picture_of_one_axis_has_bars() {
    let mut document = document();
    document.cells.truncate(3);
    document
        .rows
        .iter_mut()
        .for_each(|row| row.cells.truncate(3));
    document.axes[0].values.truncate(1);
    insta::assert_snapshot!(picture(&document));
}

#[test]
fn what_was_never_varied_has_no_picture() {
    let mut document = document();
    document
        .axes
        .iter_mut()
        .for_each(|axis| axis.values.truncate(1));
    document.cells.truncate(1);
    let unit = BandwidthUnit::MegabytesPerSecond;
    assert!(plot::matrix(&document, unit, Language::English).is_none());
}
