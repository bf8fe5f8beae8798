use super::*;
use crate::sample;
use sokudo_model::Run;

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
    document.plan.method =
        "Default, 1 GiB (x3) [C: 45% (210/476GiB)], [Admin], Measure 5 sec".into();
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
fn a_run_without_rows_is_still_a_report() {
    let text = rendered(&sample::run_of(vec![]), at(80));
    assert!(text.contains("Repeat: sokudo mark"), "{text}");
}
