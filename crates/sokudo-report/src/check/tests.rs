//! Texts of a check, from comparisons made by hand.

use super::*;
use crate::comparison::{Figure, SideDocument, Way};
use crate::sample::{self, change};
use crate::{RunDocument, TableStyle};
use sokudo_model::{AssessedPoint, DiskAnswer, DiskAssessment};

fn compared(conclusion: Conclusion, ratio: f64, low: f64, high: f64) -> Compared {
    Compared {
        conclusion,
        reason: None,
        change: Some(change(ratio, low, high)),
        differs: Vec::new(),
        warnings: Vec::new(),
    }
}

fn slower() -> Compared {
    compared(Conclusion::Slower, 0.77, 0.75, 0.79)
}

fn faster() -> Compared {
    compared(Conclusion::Faster, 1.2, 1.1, 1.3)
}

fn unchanged() -> Compared {
    compared(Conclusion::Same, 1.001, 0.996, 1.003)
}

fn vague() -> Compared {
    compared(Conclusion::NoDifferenceShown, 0.98, 0.8, 1.2)
}

fn wild() -> Compared {
    compared(Conclusion::NoDifferenceShown, 0.8, 0.07, 6.4)
}

fn blocked() -> Compared {
    Compared {
        conclusion: Conclusion::CannotBeCompared,
        change: None,
        reason: Some("B is INVALID (no-io), so its figure is not one of a device".into()),
        ..unchanged()
    }
}

fn check(rows: Vec<Compared>, changed: impl FnOnce(&mut RunDocument)) -> CheckDocument {
    let run = RunDocument::from_run(&sample::run());
    let mut later = run.clone();
    changed(&mut later);
    let reference = SideDocument::new(0, "run 3", &run);
    let mut comparison = ComparisonDocument::new(reference, Way::Kept, Figure::Bandwidth, 0.05);
    comparison.command = "sokudo check 3".to_owned();
    comparison.others = vec![OtherDocument {
        sentence: Text::default(),
        side: SideDocument::new(1, "run 12", &later),
        differs: OtherDocument::differences(&run, &later),
        rows: rows
            .into_iter()
            .zip(&run.results)
            .map(|(compared, result)| RowDocument::new(result, result, Figure::Bandwidth, compared))
            .collect(),
        only_in_reference: Vec::new(),
        only_in_other: Vec::new(),
    }];
    CheckDocument::new(comparison, [Some(3), Some(12)], Vec::new(), &[])
}

#[test]
fn one_slower_row_decides_whatever_the_others_are() {
    for (rows, outcome) in [
        (vec![unchanged(), slower(), faster()], CheckOutcome::Slower),
        (vec![slower(), blocked()], CheckOutcome::Slower),
        (vec![unchanged(), faster()], CheckOutcome::Faster),
        (vec![faster(), blocked()], CheckOutcome::NotJudged),
        (vec![unchanged(), blocked()], CheckOutcome::NotJudged),
        (vec![unchanged(), wild()], CheckOutcome::NotJudged),
        (vec![unchanged(), vague()], CheckOutcome::NoChangeShown),
        (vec![blocked(), blocked()], CheckOutcome::NotJudged),
        (vec![wild()], CheckOutcome::NotJudged),
        (Vec::new(), CheckOutcome::NotJudged),
    ] {
        let document = check(rows, |_| ());
        assert_eq!(document.outcome, outcome, "{}", document.sentence);
    }
}

#[test]
fn a_row_of_a_cache_decides_nothing_beside_rows_of_the_disk() {
    let of = |rows: Vec<Compared>, caches: &[usize]| {
        let mut comparison = check(rows, |_| ()).comparison;
        for row in caches {
            comparison.others[0].rows[*row].is_of_cache = true;
        }
        CheckDocument::new(comparison, [None; 2], Vec::new(), &[])
    };
    let document = of(vec![unchanged(), slower()], &[1]);
    assert_eq!(document.outcome, CheckOutcome::Unchanged);
    assert_eq!(document.rows[1].outcome, CheckOutcome::Slower);
    assert!(
        document
            .sentence
            .ends_with(" 1 row of a cache does not count."),
        "{}",
        document.sentence
    );
    assert!(!document.comparison.has(Conclusion::Slower));
    // A row that could not be judged may be one of a disk.
    let document = of(vec![unchanged(), blocked()], &[]);
    assert_eq!(document.outcome, CheckOutcome::NotJudged);
    let start = "NOT JUDGED: 1 of 2 rows (cannot be compared), so a slower row may go unnoticed";
    assert!(document.sentence.starts_with(start), "{document:?}");
    // Where all rows are of a cache, that is what was measured.
    let document = of(vec![slower(), slower()], &[0, 1]);
    assert_eq!(document.outcome, CheckOutcome::Slower);
}

#[test]
fn a_row_that_only_the_baseline_has_was_not_judged() {
    let mut comparison = check(vec![unchanged()], |_| ()).comparison;
    comparison.others[0].only_in_reference = vec!["RND4K Q1T1 read".to_owned()];
    let document = CheckDocument::new(comparison, [None; 2], Vec::new(), &[]);
    assert_eq!(document.outcome, CheckOutcome::NotJudged);
    let start = "NOT JUDGED: 1 of 2 rows (not measured)";
    assert!(document.sentence.starts_with(start), "{document:?}");
}

#[test]
fn why_rows_were_not_judged_is_told_once_each() {
    let mut few = blocked();
    few.conclusion = Conclusion::TooFewTrials;
    let document = check(vec![few.clone(), wild(), unchanged(), few], |_| ());
    let start = "NOT JUDGED: 3 of 4 rows (too few trials, too unsteady), so";
    assert!(document.sentence.starts_with(start), "{document:?}");
    let text = document.render(&TableStyle::default());
    assert!(text.contains("the 95 % interval of the change"), "{text}");
}

#[test]
fn rows_are_told_with_the_interval_of_their_change() {
    let document = check(vec![slower(), faster(), unchanged(), vague()], |_| ());
    let words: Vec<&str> = document.rows.iter().map(|row| &*row.words).collect();
    assert_eq!(
        words,
        [
            "slower by 23 % (21 to 25 %)",
            "faster by 20 % (10 to 30 %)",
            "unchanged (-0.4 to +0.3 %)",
            "no change shown (-20 to +20 %)",
        ]
    );
    assert_eq!(
        check(vec![wild()], |_| ()).rows[0].words,
        "too unsteady to judge (-93 to +540 %)"
    );
    assert!(
        document.sentence.contains("by 23 % (21 to 25 %)"),
        "{}",
        document.sentence
    );
}

#[test]
fn the_text_begins_with_the_answer_and_says_what_has_changed() {
    let mut document = check(vec![slower(), blocked()], |later| {
        later.environment.kernel = Some("6.19.0\x1b[31m".to_owned());
    });
    document.doubts = vec!["This run was made on a busy machine: \u{7}load".into()];
    let text = document.render(&TableStyle::default());
    assert!(text.starts_with("SLOWER: 1 of 1 rows is slower"), "{text}");
    for words in [
        "1 row could not be judged",
        "warning  This run was made on a busy machine",
        "is INVALID (no-io)",
        "A is the baseline, B this run.",
        "kernel: ",
        "→ 6.19.0",
        "Repeat: sokudo check 3",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let harmless = |sign: char| sign == '\n' || !sign.is_control();
    assert!(text.chars().all(harmless), "{text:?}");
    let same = check(vec![unchanged()], |_| ()).render(&TableStyle::default());
    assert!(
        same.contains("Nothing else is known to have changed"),
        "{same}"
    );
    let ascii = check(vec![unchanged()], |_| ()).render(&TableStyle {
        ascii: true,
        colour: true,
        ..TableStyle::default()
    });
    assert!(ascii.starts_with("\x1b[32mUNCHANGED\x1b[0m:"), "{ascii}");
}

/// The same with a later run of which these rows were disturbed.
fn disturbed(rows: Vec<Compared>, disturbed: &[usize]) -> CheckDocument {
    let quiet = check(rows, |_| ());
    let names: Vec<String> = disturbed
        .iter()
        .map(|row| quiet.rows[*row].row.clone())
        .collect();
    let doubts = vec!["run 12 was not alone on the machine.".into()];
    CheckDocument::new(quiet.comparison, [Some(3), Some(12)], doubts, &names)
}

#[test]
fn what_was_disturbed_is_not_judged_whatever_it_looks_like() {
    let all = disturbed(vec![slower(), faster()], &[0, 1]);
    assert_eq!(all.outcome, CheckOutcome::NotJudged);
    assert!(all.sentence.contains("--anyway"), "{}", all.sentence);
    assert_eq!(all.rows[0].outcome, CheckOutcome::NotJudged);
    assert!(all.rows[0].disturbed);
    // A row that was not disturbed still counts, and none else is the worst.
    let one = disturbed(vec![slower(), unchanged()], &[0]);
    assert_eq!(one.outcome, CheckOutcome::NotJudged);
    assert!(one.sentence.contains("1 of 2 rows (disturbed)"), "{one:?}");
    let mut worse = slower();
    worse.change.as_mut().unwrap().ratio = 0.3;
    let other = disturbed(vec![worse, slower()], &[0]);
    assert_eq!(other.outcome, CheckOutcome::Slower);
    assert!(other.sentence.contains("23 %"), "{}", other.sentence);
    assert!(!other.sentence.contains("70 %"), "{}", other.sentence);
}

#[test]
fn documents_follow_the_schema_in_the_docs_and_read_back() {
    let document = check(vec![slower(), blocked()], |_| ());
    let checks = ChecksDocument::new(vec![checked("/mnt/a", 0, Some(document.clone()))]);
    crate::kept_schema::assert_kept::<ChecksDocument>("sokudo.checks-1", &[checks.to_json()]);
    crate::kept_schema::assert_kept::<CheckDocument>("sokudo.check-1", &[document.to_json()]);
}

/// What the first line of checks of several says, for people and for Nagios.
fn first_lines(checks: Vec<BaselineCheck>) -> [String; 2] {
    let checks = ChecksDocument::new(checks);
    let (nagios, _) = checks.to_nagios();
    [checks.render(&TableStyle::default()), nagios].map(|it| it.lines().next().unwrap().to_owned())
}

#[test]
fn what_could_not_be_checked_is_not_praised_with_the_others() {
    let well = || checked("/mnt/a", 0, Some(check(vec![unchanged()], |_| ())));
    let gone = || checked("/mnt/b", 2, None);
    let failed = || {
        let document = check(vec![unchanged()], |_| ()).failed_by("1 read failed".into());
        checked("/mnt/c", 1, Some(document))
    };
    let [people, nagios] = first_lines(vec![well(), gone()]);
    assert_eq!(
        people,
        "NOT JUDGED: 1 of 2 baselines; none of the others is slower"
    );
    assert!(
        nagios.contains("UNKNOWN - 2 baselines: ") && nagios.contains("; /mnt/b ("),
        "{nagios}"
    );
    let [people, nagios] = first_lines(vec![well(), gone(), failed()]);
    assert_eq!(people, "FAILED: 1 of 3 baselines; 1 were judged");
    assert!(
        nagios.starts_with("SOKUDO CRITICAL - 3 baselines: 1 CRITICAL"),
        "{nagios}"
    );
    assert!(
        nagios.contains("; /mnt/c (mark/default): FAILED: 1 read failed"),
        "{nagios}"
    );
    let [people, _] = first_lines(vec![gone()]);
    assert_eq!(people, "NOT JUDGED: none of 1 baselines");
}

fn checked(target: &str, exit_code: u8, check: Option<CheckDocument>) -> BaselineCheck {
    BaselineCheck {
        device: "Disk".to_owned(),
        identity: format!("Disk of {target}"),
        target: target.to_owned(),
        method: "mark/default".to_owned(),
        baseline_run: Some(3),
        exit_code,
        error: (check.is_none()).then(|| "the machine is busy: a|b".into()),
        check,
    }
}

fn of(row: Compared) -> Option<CheckDocument> {
    Some(check(vec![row], |_| ()))
}

#[test]
fn the_gravest_code_is_that_of_all_and_a_busy_machine_the_least() {
    assert_eq!(gravest_code(&[]), 0);
    for (codes, worst) in [
        (vec![0, 4], 4),
        (vec![4, 2, 0], 2),
        (vec![2, 3, 4], 3),
        (vec![3, 1, 2], 1),
    ] {
        assert_eq!(gravest_code(&codes), worst, "{codes:?}");
    }
}

#[test]
fn several_checks_are_one_table() {
    let document = ChecksDocument::new(vec![
        checked("/mnt/a", 0, of(unchanged())),
        checked("/mnt/b", 1, of(slower())),
        checked("/mnt/c", 4, None),
    ]);
    assert_eq!(document.exit_code, 1);
    let text = document.render(&TableStyle::default());
    for words in [
        "SLOWER: 1 of 3 baselines; 2 were judged",
        "3 → 12",
        "/mnt/b: SLOWER: 1 of 1 rows",
        "/mnt/c: the machine is busy",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn nagios_gets_one_line_with_figures_and_its_own_codes() {
    let mut half = slower();
    half.change.as_mut().unwrap().ratio = 0.5;
    for (row, status, code) in [
        (unchanged(), "OK", 0),
        (faster(), "OK", 0),
        (vague(), "OK", 0),
        (slower(), "WARNING", 1),
        (half, "CRITICAL", 2),
        (blocked(), "UNKNOWN", 3),
    ] {
        let (line, ended) = ChecksDocument::new(vec![checked("/mnt/a", 0, of(row))]).to_nagios();
        assert_eq!(ended, code, "{line}");
        assert!(line.starts_with(&format!("SOKUDO {status} - ")), "{line}");
        assert_eq!(line.matches(['|', '\n']).count(), 2, "{line}");
        assert!(
            line.contains("'SEQ1M Q8T1 read'=") && line.contains("B;;;0;"),
            "{line}"
        );
    }
    let (line, _) = ChecksDocument::new(vec![checked("/mnt/a", 1, of(slower()))]).to_nagios();
    assert!(
        line.contains("'SEQ1M Q8T1 read change'=-23.0%;;;;"),
        "{line}"
    );
    let in_part = Some(check(vec![unchanged(), blocked()], |_| ()));
    let in_part = ChecksDocument::new(vec![checked("/mnt/a", 4, in_part)]);
    assert_eq!(in_part.to_nagios().1, 3);
    let is_open = |line: &str| {
        line.starts_with("sokudo_check_outcome{") && line.ends_with("\"not_judged\"} 1")
    };
    let metrics = in_part.to_prometheus();
    assert!(metrics.lines().any(is_open), "{metrics}");
    let mut failed = checked("/mnt/a", 1, of(unchanged()));
    failed.error = Some("I/O error".into());
    assert_eq!(ChecksDocument::new(vec![failed]).to_nagios().1, 2);
    let busy = ChecksDocument::new(vec![checked("/mnt/a", 4, None)]).to_nagios();
    let line = "SOKUDO UNKNOWN - the machine is busy: a/b\n";
    assert_eq!(busy, (line.to_owned(), 3));
    assert_eq!(ChecksDocument::nagios_unknown("x").1, 3);
}

#[test]
fn nagios_is_given_no_answer_by_a_part_of_a_run() {
    let mut document = RunDocument::from_run(&sample::run());
    document.interrupted = false;
    (document.disk_assessment, document.burn_in) = (None, None);
    document.assessed_disks.clear();
    let whole = document.to_nagios();
    let line = "SOKUDO UNKNOWN - no disk was looked at\n";
    assert_eq!(whole, (line.to_owned(), 3));
    document.interrupted = true;
    let (line, code) = document.to_nagios();
    assert_eq!(code, 3);
    assert!(
        line.starts_with("SOKUDO UNKNOWN - interrupted after ") && line.ends_with(" trials\n"),
        "{line}"
    );
    for (found, status, exit_code) in [
        (DiskAnswer::Ok, "UNKNOWN", 3),
        (DiskAnswer::NotOk, "CRITICAL", 2),
    ] {
        let point = AssessedPoint {
            code: "x".to_owned(),
            answer: Some(found),
            found: "as it is".into(),
            remedy: Text::default(),
            expected: String::new(),
            source: String::new(),
            date: String::new(),
        };
        document.disk_assessment = DiskAssessment::of(vec![point]).map(Box::new);
        let (line, code) = document.to_nagios();
        assert_eq!(code, exit_code, "{line}");
        assert!(line.starts_with(&format!("SOKUDO {status} - ")), "{line}");
    }
}

#[test]
fn nagios_gets_a_line_for_each_of_several() {
    let (text, code) = ChecksDocument::new(vec![
        checked("/mnt/it's=a", 0, of(unchanged())),
        checked("/mnt/b", 4, None),
    ])
    .to_nagios();
    assert_eq!(code, 3);
    let lines: Vec<&str> = text.lines().collect();
    let first = "SOKUDO UNKNOWN - 2 baselines: 0 CRITICAL, 0 WARNING, 1 UNKNOWN, 1 OK; /mnt/b \
                 (mark/default): the machine is busy: a/b | '/mnt/itsa mark/default SEQ1M Q8T1 read'=";
    assert!(lines[0].starts_with(first), "{text}");
    assert!(lines[1].starts_with("OK - /mnt/it's=a (mark/default): UNCHANGED"));
    assert_eq!(
        lines[2],
        "UNKNOWN - /mnt/b (mark/default): the machine is busy: a/b"
    );
}

#[test]
fn prometheus_gets_each_series_once_with_its_help() {
    let text = ChecksDocument::new(vec![
        checked("/mnt/\"a", 1, of(slower())),
        checked("/mnt/b", 4, None),
    ])
    .to_prometheus();
    let samples: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let series = |line: &&str| line.rsplit_once(' ').unwrap().0.to_owned();
    let mut named: Vec<String> = samples.iter().map(series).collect();
    named.sort();
    named.dedup();
    assert_eq!(named.len(), samples.len(), "{text}");
    let b = "device=\"Disk of /mnt/b\",target=\"/mnt/b\",method=\"mark/default\"";
    let a = b.replace("/mnt/b", "/mnt/\\\"a");
    for line in [
        "# TYPE sokudo_check_outcome gauge".to_owned(),
        format!("sokudo_check_exit_code{{{b}}} 4"),
        format!("sokudo_check_outcome{{{b},outcome=\"not_judged\"}} 1"),
        format!("sokudo_check_row_ratio{{{a},row=\"SEQ1M Q8T1 read\"}} 0.77"),
    ] {
        assert!(text.lines().any(|it| it == line), "{line}: {text}");
    }
}
