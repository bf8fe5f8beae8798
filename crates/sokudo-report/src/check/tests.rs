//! Texts of a check, from comparisons made by hand.

use super::*;
use crate::RunDocument;
use crate::comparison::{Figure, SideDocument, Way};
use crate::sample::{self, change};

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
        (vec![unchanged(), slower(), faster()], Outcome::Slower),
        (vec![unchanged(), faster(), blocked()], Outcome::Faster),
        (vec![unchanged(), blocked()], Outcome::Unchanged),
        (vec![unchanged(), vague()], Outcome::NoChangeShown),
        (vec![blocked(), blocked()], Outcome::NotJudged),
        (vec![wild()], Outcome::NotJudged),
        (Vec::new(), Outcome::NotJudged),
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
    assert_eq!(document.outcome, Outcome::Unchanged);
    assert_eq!(document.rows[1].outcome, Outcome::Slower);
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
    assert!(document.sentence.contains("1 row could not be judged."));
    // Where all rows are of a cache, that is what was measured.
    let document = of(vec![slower(), slower()], &[0, 1]);
    assert_eq!(document.outcome, Outcome::Slower);
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
    assert_eq!(all.outcome, Outcome::NotJudged);
    assert!(all.sentence.contains("--anyway"), "{}", all.sentence);
    assert_eq!(all.rows[0].outcome, Outcome::NotJudged);
    assert!(all.rows[0].disturbed);
    // A row that was not disturbed still counts, and none else is the worst.
    let one = disturbed(vec![slower(), unchanged()], &[0]);
    assert_eq!(one.outcome, Outcome::Unchanged);
    let mut worse = slower();
    worse.change.as_mut().unwrap().ratio = 0.3;
    let other = disturbed(vec![worse, slower()], &[0]);
    assert_eq!(other.outcome, Outcome::Slower);
    assert!(other.sentence.contains("23 %"), "{}", other.sentence);
    assert!(!other.sentence.contains("70 %"), "{}", other.sentence);
}

#[test]
fn documents_follow_the_schema_in_the_docs_and_read_back() {
    let document = check(vec![slower(), blocked()], |_| ());
    crate::kept_schema::assert_kept::<CheckDocument>("sokudo.check-1", &[document.to_json()]);
}
