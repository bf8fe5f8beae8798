use super::*;
use crate::sample;
use crate::style::BandwidthUnit;
use sokudo_model::{Nanos, Run, StopReason, Verdict};

fn rendered(run: &Run, style: TableStyle) -> String {
    render(&RunDocument::from_run(run), &style)
}

fn at(width: usize) -> TableStyle {
    TableStyle {
        width,
        ..TableStyle::default()
    }
}

#[test]
fn a_wide_terminal_shows_every_column() {
    insta::assert_snapshot!(rendered(&sample::run(), at(120)));
}

#[test]
fn a_hundred_columns() {
    insta::assert_snapshot!(rendered(&sample::run(), at(100)));
}

#[test]
fn eighty_columns() {
    insta::assert_snapshot!(rendered(&sample::run(), at(80)));
}

#[test]
fn plain_ascii() {
    let text = rendered(
        &sample::run(),
        TableStyle {
            ascii: true,
            ..at(100)
        },
    );
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn verdicts_in_colour() {
    let text = rendered(
        &sample::run(),
        TableStyle {
            colour: true,
            ..at(80)
        },
    );
    insta::assert_snapshot!(text.replace('\x1b', "ESC"));
}

#[test]
fn colour_changes_no_word() {
    let coloured = rendered(
        &sample::troubled_run(),
        TableStyle {
            colour: true,
            ..at(100)
        },
    );
    let mut plain = coloured.clone();
    for escape in ["\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"] {
        plain = plain.replace(escape, "");
    }
    assert_ne!(plain, coloured);
    assert_eq!(plain, rendered(&sample::troubled_run(), at(100)));
}

#[test]
fn a_troubled_crystal_run_shows_best_and_says_what_is_missing() {
    insta::assert_snapshot!(rendered(&sample::troubled_run(), at(100)));
}

#[test]
fn a_simulated_device_has_few_facts() {
    insta::assert_snapshot!(rendered(&sample::bare_run(), at(80)));
}

#[test]
fn every_width_keeps_bandwidth_and_verdict_and_fits_when_it_can() {
    for run in [sample::run(), sample::troubled_run(), sample::bare_run()] {
        let document = RunDocument::from_run(&run);
        for width in 20..160 {
            let text = render(&document, &at(width));
            assert!(
                text.contains("median") && text.contains("Verdict"),
                "{text}"
            );
            let is_table = |line: &&str| line.starts_with("SEQ") || line.starts_with("RND");
            for line in text.lines().filter(is_table) {
                assert!(line.width() <= width.max(60), "{width}: {line}");
            }
        }
    }
}

#[test]
fn a_method_that_another_tool_tells_at_length_is_no_wider_than_the_terminal() {
    let mut document = RunDocument::from_run(&sample::run());
    document.method = "Default, 1 GiB (x3) [C: 45% (210/476GiB)], [Admin], Measure 5 sec".into();
    let text = render(&document, &at(80));
    let heading = text.lines().take_while(|line| !line.is_empty());
    assert!(heading.clone().count() > 1, "{text}");
    assert!(heading.clone().all(|line| line.width() <= 80), "{text}");
}

#[test]
fn columns_leave_in_the_order_of_their_worth() {
    let document = RunDocument::from_run(&sample::run());
    let mut lost = Vec::new();
    for width in (20..160).rev() {
        let text = render(&document, &at(width));
        let titles = text.lines().find(|line| line.starts_with("Row ")).unwrap();
        for title in ["p99.9", "range", "IOPS", "p99 ", "p50", "± run"] {
            if !format!("{titles} ").contains(title) && !lost.contains(&title) {
                lost.push(title);
            }
        }
    }
    assert_eq!(lost, ["p99.9", "range", "p50", "IOPS", "p99 ", "± run"]);
}

#[test]
fn names_written_by_strangers_cannot_reach_the_terminal() {
    let mut run = sample::run();
    run.target.devices[1].model = Some("\x1b[31mEVIL\x07".into());
    run.rows[0].workload.name = "a\x1b]0;b\nc".into();
    run.command = "sokudo mark '\x1b[2J'".into();
    run.findings[0].symptom = "\x1b[0m".into();
    for ascii in [false, true] {
        let text = rendered(&run, TableStyle { ascii, ..at(100) });
        assert!(
            !text.contains(|sign: char| sign.is_control() && sign != '\n'),
            "{text}"
        );
    }
}

#[test]
fn the_unit_scales_the_bandwidth_only() {
    let style = TableStyle {
        unit: BandwidthUnit::MebibytesPerSecond,
        ..at(120)
    };
    let text = rendered(&sample::run(), style);
    let line = text
        .lines()
        .find(|line| line.starts_with("SEQ1M Q8T1"))
        .unwrap();
    assert!(text.contains(" MiB/s "), "{text}");
    // One I/O of this row is 1 MiB, so both figures are the same number.
    assert_eq!(line.matches("3,388").count(), 2, "{line}");
}

#[test]
fn a_run_without_rows_is_still_a_report() {
    let text = rendered(&sample::run_of(vec![]), at(80));
    assert!(text.contains("Repeat: sokudo mark"), "{text}");
}

/// What is told of a run without being asked for more.
fn answered(run: &Run) -> String {
    let rest = Text::from("the rest is elsewhere");
    super::answer(&RunDocument::from_run(run), &at(80), &rest)
}

/// The lines behind the table.
fn told_behind_the_table(text: &str) -> Vec<&str> {
    let blocks: Vec<&str> = text.trim_end().split("\n\n").collect();
    blocks.last().unwrap().lines().collect()
}

#[test]
fn an_answer_is_the_table_and_three_lines() {
    insta::assert_snapshot!(answered(&sample::run()));
    for run in [sample::run(), sample::troubled_run(), sample::bare_run()] {
        let text = answered(&run);
        let told = told_behind_the_table(&text);
        assert!(told.len() <= 3, "{text}");
        assert!(text.lines().all(|line| line.width() <= 80), "{text}");
        assert_eq!(told.last(), Some(&"the rest is elsewhere"), "{text}");
        for word in ["cause:", "remedy:", "Repeat:", "Engine", "Seed"] {
            assert!(!text.contains(word), "{word}: {text}");
        }
    }
}

#[test]
fn how_good_figures_are_is_that_of_the_worst_row() {
    let first = |run: &Run| told_behind_the_table(&answered(run))[0].to_owned();
    let mut run = sample::run();
    assert!(first(&run).starts_with("Not proven: 2 of 7 rows are UNVERIFIED; ± 0.8 %"));
    let judge = |run: &mut Run, row: usize, verdict| {
        run.rows[row].assessment.as_mut().unwrap().verdict = verdict;
    };
    for row in 0..run.rows.len() {
        judge(&mut run, row, Verdict::Verified);
    }
    assert_eq!(
        first(&run),
        "Good to about ± 0.8 % or better: every row is VERIFIED and STEADY"
    );
    let trials = &mut run.rows[0].trials;
    for trial in trials.iter_mut().step_by(2) {
        trial.outcome.elapsed = Nanos(trial.outcome.elapsed.0 * 2);
    }
    let said = first(&run);
    assert!(said.contains("SEQ1M Q8T1 read: UNSTEADY"), "{said}");
    assert!(said.starts_with("Good to about ± "), "{said}");
    judge(&mut run, 1, Verdict::Invalid);
    assert!(
        first(&run).starts_with("Not the disk's: "),
        "{}",
        first(&run)
    );
}

#[test]
fn what_was_interrupted_is_proven_as_far_as_it_went() {
    let mut run = sample::run();
    for row in &mut run.rows {
        row.assessment.as_mut().unwrap().verdict = Verdict::Verified;
        row.trials.truncate(1);
        row.trials[0].outcome.stopped = StopReason::Cancelled;
    }
    let text = answered(&run);
    let said = told_behind_the_table(&text)[0];
    assert!(said.starts_with("Proven as far as it went: "), "{text}");
    run.schedule.trials = 1;
    for row in &mut run.rows {
        row.trials[0].outcome.stopped = StopReason::Time;
    }
    let text = answered(&run);
    let said = told_behind_the_table(&text)[0];
    assert!(said.starts_with("Proven: every row "), "{text}");
}
