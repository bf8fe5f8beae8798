//! The Japanese catalogue has every text of the sources that it is made for, and none that
//! the sources have no longer.

mod texts;

use std::collections::BTreeSet;

use sokudo_words::Language;
use texts::{Text, texts_below};

/// Sources whose texts a person reads, in the language that was asked for.
const SPOKEN: [&str; 3] = [
    "crates/sokudo-analysis/src",
    "crates/sokudo-model/src",
    "crates/sokudo-report/src",
];

/// Sources whose texts stay English, and why.
const UNSPOKEN: [(&str, &str); 7] = [
    (
        "crates/sokudo-report/src/bonnie.rs",
        "what another tool prints",
    ),
    (
        "crates/sokudo-report/src/csv",
        "a format that programs read",
    ),
    (
        "crates/sokudo-report/src/diskspd",
        "what another tool prints",
    ),
    ("crates/sokudo-report/src/fio", "what another tool prints"),
    (
        "crates/sokudo-report/src/plot/svg/canvas.rs",
        "drawing, no words",
    ),
    ("crates/sokudo-report/src/plot/svg.rs", "drawing, no words"),
    (
        "crates/sokudo-analysis/src/method.rs",
        "reads sources and METHOD.md",
    ),
];

/// Single texts that stay English, and why.
const AS_IT_IS: [(&str, &str); 5] = [
    ("sokudo {}", "a name"),
    ("Linux {}", "a name"),
    ("{} {}=max", "what is written into a file of the kernel"),
    ("```text\n{}\n```", "Markdown"),
    ("{}console\n$ {}\n{}", "Markdown"),
];

/// Words that are the same in all languages: units, names of programs, of their options and
/// of parts of Linux.
const NAMES: [&str; 3] = ["sokudo", "IOPS", "rpm"];

fn is_spoken(text: &Text) -> bool {
    let file = text.file.to_string_lossy();
    let path = |folder: &str| file.strip_prefix(folder).is_some_and(ends_a_name);
    SPOKEN.into_iter().any(path)
        && !UNSPOKEN.iter().any(|(folder, _)| path(folder))
        && !AS_IT_IS.iter().any(|(key, _)| *key == text.key.trim())
}

/// Whether what follows a path does not go on with its last name.
fn ends_a_name(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(['/', '.'])
}

/// Whether there is an English word in what the catalogue does not know.
fn is_english(unknown: &str) -> bool {
    let mut words = unknown.split(|sign: char| !sign.is_ascii_alphabetic());
    words.any(|word| {
        let lower = word.chars().skip(1).all(|sign| sign.is_ascii_lowercase());
        word.len() >= 3 && lower && !NAMES.contains(&word)
    })
}

fn filled(key: &str) -> String {
    key.replace("{}", "§")
}

#[test]
fn every_text_that_a_person_reads_is_translated() {
    let texts = SPOKEN.iter().flat_map(|folder| texts_below(folder));
    let mut missing = BTreeSet::new();
    let mut seen = 0;
    for text in texts.filter(|text| text.has_words() && is_spoken(text)) {
        seen += 1;
        let filled = filled(&text.key);
        let said = Language::Japanese.said(&filled);
        if said.unknown.iter().any(|unknown| is_english(unknown)) {
            missing.insert(format!(
                "#: {}\nmsgid {:?}\nmsgstr \"\"\n",
                text.file.display(),
                text.key.trim()
            ));
        }
    }
    assert!(seen > 500, "the sources were not found: {seen} texts");
    let missing: Vec<String> = missing.into_iter().collect();
    assert!(
        missing.is_empty(),
        "{} texts are not in crates/sokudo-words/ja:\n\n{}",
        missing.len(),
        missing.join("\n")
    );
}
