//! Texts of a comparison, from documents made by hand.

use super::*;
use crate::forms::Forms;
use crate::sample::{self, change, style};
use crate::style::BandwidthUnit;
use sokudo_model::{Change, PlanData};
use sokudo_words::{Language, Text};

fn compared(conclusion: Conclusion, change: Option<Change>, reason: Option<&str>) -> Compared {
    Compared {
        conclusion,
        reason: reason.map(Text::phrase),
        change,
        differs: Vec::new(),
        warnings: Vec::new(),
    }
}

/// One row of every conclusion.
fn document() -> ComparisonDocument {
    let run = RunDocument::from_run(&sample::run());
    let mut other_run = run.clone();
    other_run.environment.kernel = Some("6.19.0".to_owned());
    other_run.target.path = Some("/mnt/other".to_owned());
    other_run.results[4].plan.set(PlanData::Depth(32));
    let blocked = compared(
        Conclusion::CannotBeCompared,
        None,
        Some("not the same load: depth differs; measure both with the same options"),
    );
    let mut doubtful = compared(Conclusion::Same, Some(change(1.004, 0.991, 1.012)), None);
    doubtful.warnings = vec!["B is UNVERIFIED (foreign-io)".into()];
    let results = [
        compared(Conclusion::Faster, Some(change(1.124, 1.081, 1.163)), None),
        doubtful,
        compared(Conclusion::Slower, Some(change(0.912, 0.894, 0.931)), None),
        compared(
            Conclusion::TooFewTrials,
            Some(Change {
                ratio_interval_95: None,
                ..change(1.4, 1.0, 1.0)
            }),
            Some("3 and 3 trials, and 5 of each are needed; measure both with --runs 5"),
        ),
        blocked,
    ];
    let rows = run.results.iter().zip(&other_run.results).zip(results);
    let rows = rows.map(|((a, b), compared)| RowDocument::new(a, b, Figure::Bandwidth, compared));
    let reference = SideDocument::new(0, "a.json", &run);
    let mut document = ComparisonDocument::new(reference, Way::Kept, Figure::Bandwidth, 0.02);
    document.sokudo_version = "0.0.0".to_owned();
    document.command = "sokudo compare a.json b.json".to_owned();
    document.with_others(vec![OtherDocument {
        side: SideDocument::new(1, "b.json", &other_run),
        sentence: Text::default(),
        differs: OtherDocument::differences(&run, &other_run),
        rows: rows.collect(),
        only_in_reference: vec!["RND4K Q1T1 write".to_owned()],
        only_in_other: Vec::new(),
    }])
}

#[test]
fn names_of_strangers_do_no_harm() {
    let mut document = document();
    document.reference.source = "a\u{1b}[31m|b.json".to_owned();
    document.others[0].rows[0].row = "x\u{202e}\n|y".to_owned();
    let table = document.render(&style(120));
    assert!(
        !table.contains('\u{1b}') && !table.contains('\u{202e}'),
        "{table}"
    );
    let markdown = document.to_markdown(BandwidthUnit::MegabytesPerSecond, Language::English);
    assert!(
        !markdown.contains('\u{1b}') && markdown.contains("\\|b.json"),
        "{markdown}"
    );
}

#[test]
fn a_change_whose_sign_is_not_that_of_the_medians_is_told() {
    let mut document = document();
    let note = "the medians alone differ the other way";
    assert!(!document.render(&style(200)).contains(note));
    let row = &mut document.others[0].rows[0];
    let median = row.reference.per_second.as_ref().unwrap().median;
    row.other.per_second.as_mut().unwrap().median = median * 0.9;
    assert!(document.render(&style(200)).contains(note));
}

#[test]
fn documents_follow_the_schema_in_the_docs_and_read_back() {
    let text = document().to_json();
    crate::kept_schema::assert_kept::<ComparisonDocument>("sokudo.compare-1", &[text]);
}

#[test]
fn others_are_called_by_letters_for_ever() {
    let letters = [0, 1, 25, 26, 27].map(letter);
    assert_eq!(letters, ["A", "B", "Z", "A1", "B1"]);
}

#[test]
fn what_differs_names_target_and_machine_and_nothing_that_is_equal() {
    let run = RunDocument::from_run(&sample::run());
    assert_eq!(OtherDocument::differences(&run, &run), []);
    let mut other = run.clone();
    other.environment.governor = None;
    if let Some(system) = &mut other.target.file_system {
        system.mount_options.push("discard".to_owned());
    }
    let mut looped = other.clone();
    looped.target.devices[0].backing_direct = Some(false);
    let of_loop = OtherDocument::differences(&other, &looped);
    let [part] = &of_loop[..] else {
        panic!("{of_loop:?}");
    };
    assert_eq!(part.name, "direct I/O of the loop device");
    let names: Vec<String> = OtherDocument::differences(&run, &other)
        .into_iter()
        .map(|part| part.name)
        .collect();
    let expected: &[&str] = match run.environment.governor {
        Some(_) => &["mount options", "governor"],
        None => &["mount options"],
    };
    assert_eq!(names, expected);
}

#[test]
fn behind_the_answer_stands_which_side_alone_went_through_the_page_cache() {
    let mut document = document();
    let of_cache = |document: &ComparisonDocument| {
        let answer = answer(document).into_iter();
        let mut texts = answer.map(|it| it.english());
        texts.find(|it| it.contains("direct-unavailable"))
    };
    assert_eq!(of_cache(&document), None);
    let row = &mut document.others[0].rows[0];
    row.other.findings = vec!["direct-unavailable".to_owned()];
    let sentence = of_cache(&document).unwrap();
    let expected = "Only B went through the page cache in SEQ1M Q8T1 read, although direct I/O";
    assert!(sentence.starts_with(expected), "{sentence}");
    let row = &mut document.others[0].rows[0];
    row.reference.findings.clone_from(&row.other.findings);
    assert_eq!(of_cache(&document), None, "both did");
}

#[test]
fn a_judgement_is_any_row_of_which_a_difference_could_have_been_shown() {
    let mut document = document();
    assert!(document.has(Conclusion::Slower) && document.has_judgement());
    document.others[0].rows.drain(..3);
    assert!(!document.has_judgement());
}
