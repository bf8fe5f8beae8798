//! What is printed and drawn of each kept run, and of what they come to together: one file per
//! fixture and output in `tests/kept/goldens`.
//!
//! `INSTA_UPDATE=always cargo test --package sokudo --test base goldens` makes them anew, and so does
//! `cargo insta review`; then they are read, for nobody else says whether they are true.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::LazyLock;
use std::{fs, thread};

use serde_json::Value;
use sha2::{Digest, Sha256};
use sokudo_model::Nanos;
use sokudo_report::RunDocument;
use unicode_width::UnicodeWidthStr;

use crate::kept::{FIXTURES, kept, told};
use crate::sokudo::directory_in_memory;

/// An output's name, what sokudo is asked, and the columns of its terminal.
type Output = (&'static str, &'static str, Option<usize>);

/// Of each kept run, which is run 1 of its store.
#[rustfmt::skip]
const OUTPUTS: &[Output] = &[
    ("80", "show 1", Some(80)),
    ("140", "show 1 --why", Some(140)),
    ("ja", "show 1 --why --lang ja", Some(80)),
    ("card", "show 1 --card", Some(80)),
    ("ascii", "LC_ALL=C show 1 --unit mib", Some(100)),
    ("colour", "NO_COLOR= show 1", Some(100)),
    ("markdown", "show 1 -f markdown --unit iops", None),
    ("csv", "show 1 -f csv", None),
    ("json", "show 1 -f json", None),
    ("report", "report 1 --format markdown --lang ja", None),
    ("html", "report 1 --format html", None),
    ("text", "report 1 --format text", None),
    ("prom", "report 1 --format prometheus", None),
    ("plot", "plot 1 -", Some(100)),
    ("plot-ascii", "LC_ALL=C plot 1 -", Some(80)),
    ("again", "show 1 --judge-again", Some(80)),
];

/// Kept runs that are looked at together.
#[rustfmt::skip]
const TOGETHER: &[(&str, &[&str], &[Output])] = &[
    ("slower", &["mark", "mark-slower"], COMPARED),
    ("faster", &["mark-slower", "mark"], COMPARED),
    ("unlike", &["mark", "scan"], COMPARED),
    ("three", &["mark", "mark-slower", "troubled"], COMPARED),
    ("tools", &["crystaldiskmark", "fio", "diskspd"], PIVOTED),
    ("hosts", &["mark", "together"], PIVOTED),
    ("slower-since", SINCE, &[
        ("80", "trend", Some(80)),
        ("140", "trend samsung --row 'seq1m q1t1 READ'", Some(140)),
        ("ja", "trend --lang ja", Some(100)),
        ("ascii", "LC_ALL=C trend --row 'SEQ1M Q1T1 read'", Some(80)),
        ("unchanged", "trend --row 'SEQ1M Q8T1 write'", Some(80)),
        ("markdown", "trend --unit iops -f markdown", None),
        ("csv", "trend -f csv", None),
        ("json", "trend -f json", None),
        ("plot", "trend --row 'SEQ1M Q1T1 read' --plot -", Some(100)),
    ]),
    ("few", &["mark", "mark", "mark-slower"], &[
        ("80", "trend", Some(80)),
        ("one", "trend --row 'SEQ1M Q8T1 write' -f markdown", None),
    ]),
    ("all", ALL, &[
        ("list", "list", Some(100)),
        ("list-ja", "list --lang ja", Some(80)),
        ("list-json", "list --format json", None),
        ("report", "report --since 1y --format markdown", None),
        ("html", "report --since 1y --format html --mask-serial", None),
        ("prom", "report --since 1y --format prometheus", None),
    ]),
];
#[rustfmt::skip]
const COMPARED: &[Output] = &[
    ("80", "compare all", Some(80)),
    ("140", "compare all --unit iops", Some(140)),
    ("ja", "compare all --lang ja", Some(80)),
    ("colour", "NO_COLOR= compare all", Some(100)),
    ("ascii", "LC_ALL=C compare all", Some(80)),
    ("markdown", "compare all -f markdown", None),
    ("csv", "compare all -f csv", None),
    ("json", "compare all -f json", None),
    ("plot", "compare all --plot -", Some(100)),
];
#[rustfmt::skip]
const PIVOTED: &[Output] = &[
    ("pivot", "compare all --pivot row:target", Some(100)),
    ("pivot-ja", "compare all --pivot row+direction:run --lang ja", Some(80)),
    ("pivot-csv", "compare all --pivot row:target --value latency -f csv", None),
    ("pivot-json", "compare all --pivot row:target -f json", None),
    ("ratio", "compare all --ratio write/read -f markdown", None),
];
const ALL: &[&str] = &[
    "mark",
    "scan",
    "fill",
    "fit",
    "steady",
    "fio",
    "together",
    "cache-answers",
];

/// A drive that becomes slower on the ninth day, with another kernel.
const SINCE: &[&str] = &{
    let mut days = ["mark"; 16];
    let mut day = 8;
    while day < days.len() {
        days[day] = "mark-slower";
        day += 1;
    }
    days
};

/// Runs that are looked at together were measured one a day.
const DAY: u64 = 86_400_000_000_000;

/// The kinds of picture.
const KINDS: [&str; 15] = [
    "load",
    "rounds",
    "curve",
    "seek",
    "map",
    "access",
    "cache",
    "hosts",
    "host-bars",
    "bars",
    "heat",
    "cdf",
    "histogram",
    "time",
    "card",
];

#[test]
fn each_run_is_printed_and_drawn_as_it_was() {
    let runs: Vec<_> = FIXTURES
        .iter()
        .map(|(name, ..)| (*name, vec![*name]))
        .collect();
    compare_all(&runs, |name, store| {
        let mut stale = outputs(name, OUTPUTS, store);
        stale.extend(golden(name, "svg", &pictures(store)));
        stale
    });
}

#[test]
fn runs_are_compared_and_listed_as_they_were() {
    let runs: Vec<_> = TOGETHER
        .iter()
        .map(|(name, runs, _)| (*name, runs.to_vec()))
        .collect();
    compare_all(&runs, |name, store| {
        let (.., of) = TOGETHER.iter().find(|(its, ..)| its == &name).unwrap();
        outputs(name, of, store)
    });
}

/// What is stale of all of these, two at a time.
fn compare_all(all: &[(&str, Vec<&str>)], stale: impl Fn(&str, &Path) -> Vec<String> + Sync) {
    let half = |from| {
        let of = |(name, runs): &(&str, Vec<&str>)| {
            let folder = directory_in_memory();
            let store = folder.path().join("runs.db");
            for (day, run) in (0..).zip(runs) {
                let mut kept = kept(run);
                kept.started_at = kept.started_at.map(|it| Nanos(it.0 + day * DAY));
                let file = folder.path().join(format!("{run}.json"));
                fs::write(&file, RunDocument::from_run(&kept).to_json()).unwrap();
                let (code, _, said) = told(&format!("import -q {}", file.display()), &store, None);
                assert_eq!((code, &*said), (0, ""), "{run}");
            }
            stale(name, &store)
        };
        all.iter()
            .skip(from)
            .step_by(2)
            .flat_map(of)
            .collect::<Vec<_>>()
    };
    let stale = thread::scope(|scope| {
        let other = scope.spawn(|| half(1));
        let mut stale = half(0);
        stale.extend(
            other
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        );
        stale
    });
    assert!(
        stale.is_empty(),
        "see above, then `cargo insta review`: {stale:?}"
    );
}

fn outputs(name: &str, outputs: &[Output], store: &Path) -> Vec<String> {
    let of = |(output, words, columns): &Output| {
        let (code, printed, said) = told(words, store, *columns);
        assert!(
            !words.starts_with("LC_ALL=C") || printed.is_ascii(),
            "{name}: {printed}"
        );
        fits(&printed, *columns, name);
        let text = match *words {
            words if words.contains("json") => outline(&serde_json::from_str(&printed).unwrap()),
            words if words.contains("html") => words_of(&printed),
            _ => printed,
        };
        let end = match (code, &*said) {
            (0, "") => String::new(),
            _ => format!("\n[{code}] {said}"),
        };
        let version = concat!("sokudo ", env!("CARGO_PKG_VERSION"));
        golden(
            name,
            output,
            &(text + &end).replace(version, "sokudo 0.1.0"),
        )
    };
    outputs.iter().filter_map(of).collect()
}

/// No line is wider than its terminal but for what is copied from it, and a single long word.
fn fits(printed: &str, columns: Option<usize>, name: &str) {
    let Some(columns) = columns.filter(|_| !printed.contains('\u{1b}')) else {
        return;
    };
    for line in printed.lines().filter(|line| line.width() > columns) {
        // The heading of a card is not broken.
        let begins = ["fio ", "Repeat: ", "再現: ", "sokudo simulated "];
        let is_whole = begins.iter().any(|it| line.starts_with(it));
        let longest = line.split(' ').map(UnicodeWidthStr::width).max();
        assert!(is_whole || longest > Some(columns / 2), "{name}: {line}");
    }
}

/// Each kind of picture that fits: its words, and a number that any other stroke changes.
fn pictures(store: &Path) -> String {
    let file = store.with_extension("svg");
    let draw = |kind: &&str| {
        let words = format!("plot 1 {} --plot-kind {kind}", file.display());
        let (code, ..) = told(&words, store, None);
        (code == 0).then(|| {
            let svg = fs::read_to_string(&file).unwrap();
            let strokes = u32::from_be_bytes(*Sha256::digest(&svg).first_chunk().unwrap());
            format!("# {kind} {strokes:08x}\n{}", words_of(&svg))
        })
    };
    KINDS.iter().filter_map(draw).collect::<Vec<_>>().join("\n")
}

/// `Some` name where the golden file holds something else.
fn golden(name: &str, output: &str, text: &str) -> Option<String> {
    static SETTINGS: LazyLock<insta::Settings> = LazyLock::new(|| {
        let mut settings = insta::Settings::new();
        settings.set_snapshot_path("../kept/goldens");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings
    });
    let name = format!("{name}.{output}");
    let is_same = || SETTINGS.bind(|| insta::assert_snapshot!(&*name, text));
    catch_unwind(AssertUnwindSafe(is_same))
        .is_err()
        .then_some(name)
}

/// The text between tags, what is said of pictures, and nothing of how it looks, a line each.
fn words_of(page: &str) -> String {
    let mut words = Vec::new();
    for part in page.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap();
        for attribute in ["aria-label=\"", "title=\"", "datetime=\""] {
            if let Some((_, said)) = tag.split_once(attribute) {
                words.push(said.split('"').next().unwrap());
            }
        }
        if !tag.starts_with("style") {
            words.push(text.trim());
        }
    }
    words.retain(|word| !word.is_empty());
    words.join("\n")
}

/// A document of which long lists of figures are their first, and how many there are.
fn outline(document: &Value) -> String {
    fn shorten(value: &mut Value) {
        match value {
            Value::Array(list) => {
                let is_long = list.len() > 3 && !list.iter().any(|it| it.get("findings").is_some());
                if is_long {
                    let count = list.len();
                    list.truncate(2);
                    list.push(format!("{count} in all").into());
                }
                list.iter_mut().for_each(shorten);
            }
            Value::Object(fields) => {
                fields.remove("sokudo_version");
                fields.values_mut().for_each(shorten);
            }
            _ => {}
        }
    }
    let mut document = document.clone();
    shorten(&mut document);
    serde_json::to_string_pretty(&document).unwrap()
}
