//! What the code gives docs/METHOD.md and docs/FINDINGS.md: tests write the tables of thresholds
//! and findings there (`SOKUDO_BLESS=1 cargo test -p sokudo-methods documents`).

use std::fs;
use std::ops::Range;
use std::path::PathBuf;

use sokudo_analysis::method::{Stated, assert_is, cell, cells, with_tables};
use sokudo_analysis::{Code, all_codes, disk_codes, explain, threshold};
use sokudo_report::kept_schema::assert_kept;
use sokudo_report::{RunDocument, sample};

use crate::arguments::Ability;
use crate::commands;

#[test]
fn the_pages_state_every_threshold_as_it_is() {
    let table = |name: &str| {
        let stated: Vec<Stated> = match name {
            "thresholds of verdicts" => {
                let of_methods = commands::stated_thresholds();
                threshold::stated().into_iter().chain(of_methods).collect()
            }
            "thresholds of explain" => explain::stated_thresholds(),
            name => panic!("{name} is no table"),
        };
        let rows: String = stated.iter().map(Stated::row).collect();
        format!("| name | value | of what |\n|---|---|---|\n{rows}")
    };
    for page in ["METHOD.md", "EXPLAIN.md"] {
        assert_is(page, |found| with_tables(found, table));
    }
}

fn severity_of(code: Code) -> String {
    format!("{:?}", code.severity()).to_lowercase()
}

fn index_of_findings() -> String {
    let rows: String = (all_codes().iter())
        .map(|code| {
            let (name, severity) = (code.name(), severity_of(*code));
            let verdict = code.verdict().name();
            let meaning = code.meaning();
            let meaning = cell(&meaning);
            format!("| [`{name}`](#{name}) | {severity} | {verdict} | {meaning} |\n")
        })
        .collect();
    format!("| finding | severity | at best | when |\n|---|---|---|---|\n{rows}")
}

/// The line below a section's heading.
fn effect(name: &str) -> Option<String> {
    let code = all_codes().into_iter().find(|code| code.name() == name)?;
    let verdict = code.verdict().name();
    Some(format!("{}, at best {verdict}", severity_of(code)))
}

fn heading(line: &str) -> Option<&str> {
    line.strip_prefix("### `")?.strip_suffix('`')
}

/// The sections that lie beside rules of methods, in `findings.md`.
fn sections_of_methods() -> Vec<String> {
    let (mut folders, mut sections) = (vec![PathBuf::from("src")], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else if entry.file_name() == "findings.md" {
                let text = fs::read_to_string(entry.path()).unwrap();
                let each = text.split("### `").skip(1);
                sections.extend(each.map(|section| format!("### `{section}")));
            }
        }
    }
    sections
}

/// Where the section of a finding stands in the document, with the empty line behind it.
fn extent_of(document: &str, name: &str) -> Option<Range<usize>> {
    let start = document.find(&format!("### `{name}`\n"))?;
    let rest = &document[start..];
    let ends = ["\n## ", "\n### "].map(|next| rest.find(next));
    let end = ends.into_iter().flatten().min();
    let length = end.map_or(rest.len(), |line_end| line_end + 1);
    Some(start..start + length)
}

/// Where the section of a code goes that has none: before that of the next code, if it matters as
/// much, and otherwise behind that of the code before it.
fn insertion_offset(document: &str, name: &str) -> Option<Range<usize>> {
    let codes = all_codes();
    let this = codes.iter().position(|code| code.name() == name)?;
    let effect = |code: &Code| (code.severity(), code.verdict());
    let found = |code: &Code| Some((effect(code), extent_of(document, code.name())?));
    let next = codes[this + 1..].iter().find_map(found);
    let at = match next.filter(|(of_next, _)| *of_next == effect(&codes[this])) {
        Some((_, next)) => next.start,
        None => codes[..this].iter().rev().find_map(found)?.1.end,
    };
    Some(at..at)
}

/// The document with this section as it is here: in the place of the one of that name, or where the
/// order of codes has it.
fn with_section(mut document: String, section: String) -> String {
    let name = section.lines().next().and_then(heading).unwrap();
    let extent = extent_of(&document, name).or_else(|| insertion_offset(&document, name));
    let extent = extent.expect("findings of its effect are there");
    document.replace_range(extent, &format!("{}\n\n", section.trim_end()));
    document
}

#[test]
fn sections_that_are_missing_are_put_where_the_order_of_codes_has_them() {
    crate::commands::hand_over();
    let sections = sections_of_methods();
    let without = |document: String, section: &String| {
        let name = section.lines().next().and_then(heading).unwrap();
        let extent = extent_of(&document, name).unwrap();
        document[..extent.start].to_owned() + &document[extent.end..]
    };
    for section in &sections {
        let missing = without(FINDINGS.to_owned(), section);
        assert_ne!(missing, FINDINGS);
        assert!(
            with_section(missing, section.clone()) == FINDINGS,
            "{section}"
        );
    }
    let missing = sections.iter().fold(FINDINGS.to_owned(), without);
    assert!(!missing.contains("### `folding`"));
    assert!(sections.into_iter().fold(missing, with_section) == FINDINGS);
}

#[test]
fn sections_of_methods_are_those_of_their_codes() {
    crate::commands::hand_over();
    let of_methods = |code: &Code| matches!(code, Code::Of(_));
    let codes = all_codes().into_iter().filter(of_methods).map(Code::name);
    let sections = sections_of_methods();
    let mut found: Vec<&str> = sections
        .iter()
        .filter_map(|it| heading(it.lines().next()?))
        .collect();
    found.sort_unstable();
    let mut codes: Vec<&str> = codes.collect();
    codes.sort_unstable();
    assert_eq!(found, codes);
}

/// What each command can, and what it is for.
fn table_of_methods() -> String {
    let mark = |is_so: bool| if is_so { "yes" } else { "" };
    let rows: String = commands::descriptions()
        .map(|it| {
            let [again, turns, hosts] = [Ability::Repeat, Ability::Alternate, Ability::Together]
                .map(|ability| mark(it.can.contains(&ability)));
            let page = mark(it.has_form);
            format!(
                "| `{}` | {} | {again} | {turns} | {hosts} | {page} |\n",
                it.name, it.about
            )
        })
        .collect();
    format!(
        "| command | what it does | `check` | `compare --live` | `together` | page |\n|---|---|---|---|---|---|\n{rows}"
    )
}

#[test]
fn the_table_of_methods_is_what_they_declare() {
    assert_is("METHODS.md", |found| {
        with_tables(found, |_| table_of_methods())
    });
}

#[test]
fn the_findings_are_those_of_the_code_and_have_their_effect() {
    crate::commands::hand_over();
    assert_is("FINDINGS.md", |found| {
        let written = with_tables(found, |_| index_of_findings());
        let written = sections_of_methods()
            .into_iter()
            .fold(written, with_section);
        let mut lines = Vec::new();
        let mut below = None;
        for line in written.lines() {
            lines.push(below.take().unwrap_or_else(|| line.to_owned()));
            below = heading(line).and_then(effect);
        }
        lines.join("\n") + "\n"
    });
}

const FINDINGS: &str = include_str!("../../../docs/FINDINGS.md");

#[test]
fn every_finding_has_its_section_and_every_section_a_finding() {
    crate::commands::hand_over();
    let of_runs = all_codes().into_iter().map(Code::name);
    let known: Vec<&str> = of_runs.chain(disk_codes()).collect();
    let sections: Vec<&str> = FINDINGS.lines().filter_map(heading).collect();
    assert_eq!(sections, known);
}

#[test]
fn every_section_says_what_how_and_what_to_do() {
    for text in FINDINGS.split("\n### ").skip(1) {
        for part in ["Symptom", "Cause", "How sokudo knows", "Remedy"] {
            let part = format!("**{part}**");
            assert_eq!(text.matches(&part).count(), 1, "{part} in {}", &text[..20]);
        }
    }
}

#[test]
fn thresholds_that_sections_name_exist() {
    let words = FINDINGS.split(|sign: char| !sign.is_ascii_uppercase() && sign != '_');
    let names: Vec<&str> = words
        .filter(|word| word.contains('_') && word.len() > 5 && !word.starts_with('_'))
        .collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names.iter().filter(|name| !name.ends_with("_DIRECT")) {
        assert_eq!(cells(name).len(), 1, "{name}");
    }
}

/// Paths of all sources of the product, each with a slash before it.
fn sources() -> Vec<String> {
    let (mut folders, mut sources) = (vec![PathBuf::from("..")], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if path.components().any(|it| it.as_os_str() == "src") {
                sources.push(format!("/{}", path.display()));
            }
        }
    }
    sources
}

#[test]
fn files_that_the_pages_name_exist() {
    const TRUTH: &str = include_str!("../../../docs/TRUTH.md");
    const ENGINE: &str = include_str!("../../../docs/ENGINE.md");
    let sources = sources();
    let pages = [
        ("FINDINGS.md", FINDINGS),
        ("TRUTH.md", TRUTH),
        ("ENGINE.md", ENGINE),
    ];
    for (page, text) in pages {
        let marked = text.split('`').skip(1).step_by(2);
        let named: Vec<&str> = marked
            .filter(|it| it.ends_with(".rs") && !it.starts_with("tests/"))
            .collect();
        assert!(named.len() > 20, "{page}: {named:?}");
        for name in named {
            let path = format!("/{name}");
            assert!(
                sources.iter().any(|it| it.ends_with(&path)),
                "{page}: {name}"
            );
        }
    }
}

#[test]
fn every_run_follows_the_schema_in_the_docs() {
    crate::commands::hand_over();
    let of_hosts = [sample::together_run(), sample::run_of_many(20)];
    let runs = sample::all_shapes().into_iter().chain(of_hosts);
    let texts: Vec<String> = runs
        .map(|run| RunDocument::from_run(&run).to_json())
        .collect();
    assert_kept::<RunDocument>("sokudo.run-1", &texts);
}
