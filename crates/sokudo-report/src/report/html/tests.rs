use sokudo_words::Language;

use super::page::{POLICY, colours};
use super::*;
use crate::article::{Article, Element};
use crate::plot::palette::tests::{contrast, parsed};
use crate::plot::{PictureTheme, Role};
use crate::report::sample;

fn page() -> String {
    sample::report().html(ReportStyle::default())
}

/// What a browser would take for an element, an attribute that runs something, or an
/// address, had it not been escaped.
const HOSTILE: [&str; 6] = [
    "<script>alert(1)</script>",
    "\"onload=\"alert(1)",
    "'><img src=x onerror=alert(1)>",
    "]]><!--",
    "</style></title></svg>&lt;b&gt;",
    "\u{202e}\u{0}\u{1b}[2J\u{feff}\u{fffe}",
];

#[test]
fn several_runs_leave_out_on_paper_what_each_alone_tells() {
    let (several, mut one) = (sample::report(), sample::report());
    one.runs.truncate(1);
    let page = several.html(ReportStyle::default());
    let details = page.matches("class=\"detail\"").count();
    assert_eq!(details, 4 * several.runs.len());
    assert!(page.contains(".run:not(.only) .detail"), "no rule");
    assert!(page.contains("<p class=\"paper\">"), "it is not said");
    let alone = one.html(ReportStyle::default());
    assert!(alone.contains("class=\"run only\"") && !alone.contains("<p class=\"paper\">"));
}

#[test]
fn a_page_is_well_formed_and_needs_nothing_else() {
    for style in [PictureTheme::Auto, PictureTheme::Light, PictureTheme::Dark] {
        let page = sample::report().html(ReportStyle {
            theme: style,
            ..ReportStyle::default()
        });
        assert!(page.contains("default-src 'none'"));
        for forbidden in [
            "<script", "src=", "http:", "https:", "@import", "url(", "<link", "<iframe",
        ] {
            // The name space of SVG is not needed inside of HTML.
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        // HTML whose elements are all closed is nearly XML.
        let body = &page[page.find("<body>").unwrap()..page.find("</html>").unwrap()];
        let body = body.replace("<br>", "<br/>").replace("<hr>", "<hr/>");
        roxmltree::Document::parse(&body).unwrap();
    }
}

#[test]
fn what_is_of_no_row_has_no_name_and_a_table_without_lines_keeps_its_note() {
    let page = HtmlPage {
        style: ReportStyle::default(),
        is_full: true,
        is_only: true,
        has_title: false,
    };
    let mut article = Article::default();
    article.add(Element::OfRows(vec![
        ("".into(), "of all".into()),
        ("RND".into(), "of one".into()),
    ]));
    let table = crate::table::Table::default();
    article.add(Element::Table(table.titled("none").noted("why")));
    let html = elements::elements(&page, &article).into_string();
    let paragraphs = "<p>of all</p><p><b>RND</b>: of one</p>";
    let title = "<p class=\"strong\">none</p><p>why</p>";
    assert_eq!(html, [paragraphs, title].concat());
}

#[test]
fn heads_are_labels_and_the_answer_stands_before_the_figures() {
    let mut report = sample::report();
    report.title = None;
    for (reported, label) in report.runs.iter_mut().zip(["old", "new"]) {
        reported.run.label = Some(label.to_owned());
    }
    let page = report.html(ReportStyle::default());
    for head in ["<h1>old, new</h1>", "<h2>1 · old</h2>", ">2 new</th>"] {
        assert!(page.contains(head), "{head}");
    }
    let begin = page.find("id=\"run-1\"").unwrap();
    let run = &page[begin..];
    let [answer, figures] = ["class=\"answer\"", "<h3>"].map(|it| run.find(it).unwrap());
    assert!(answer < figures, "the answer comes first");
    for (reported, target) in report.runs.iter_mut().zip(["/mnt/a", "/mnt/b"]) {
        reported.run.label = Some("alike".to_owned());
        reported.run.target.name = target.to_owned();
    }
    let page = report.html(ReportStyle::default());
    assert!(page.contains(">2 alike (/mnt/b)</th>"), "{page}");
}

#[test]
fn the_fastest_is_none_of_a_cache() {
    let mut report = sample::report();
    for result in report.runs.iter_mut().flat_map(|it| &mut it.run.results) {
        if result.direction == crate::document::Direction::Read {
            std::sync::Arc::make_mut(&mut result.workload)
                .measures
                .subject = sokudo_model::Subject::Cache;
        }
    }
    let page = report.html(ReportStyle::default());
    assert!(!page.contains("Fastest read") && page.contains("Fastest write"));
}

#[test]
fn what_strangers_have_written_stays_text_wherever_it_stands() {
    let clean = element_count(&page());
    for hostile in HOSTILE {
        let mut report = sample::report();
        let text = serde_json::to_string(&report).unwrap();
        let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
        spoil(&mut value, hostile);
        report = serde_json::from_value(value).unwrap();
        report.title = Some(hostile.to_owned());
        let page = report.html(ReportStyle::default());
        assert!(
            !page.contains("<script") && !page.contains("<img"),
            "{hostile:?}"
        );
        assert!(!page.contains('\u{0}') && !page.contains('\u{1b}') && !page.contains('\u{202e}'));
        assert_eq!(element_count(&page), clean, "{hostile:?}");
    }
}

/// Elements of a page; a text that is taken for one makes them more.
fn element_count(page: &str) -> usize {
    let body = &page[page.find("<body>").unwrap()..page.find("</html>").unwrap()];
    let body = body.replace("<br>", "<br/>").replace("<hr>", "<hr/>");
    let document = roxmltree::Document::parse(&body).unwrap();
    let elements = document.descendants().filter(roxmltree::Node::is_element);
    // Legends have an entry more or less by the length of names; their texts are no matter.
    elements
        .filter(|node| !node.ancestors().any(|it| it.has_tag_name("svg")))
        .count()
}

/// Puts a text into every field that anybody but sokudo may have written.
fn spoil(value: &mut serde_json::Value, hostile: &str) {
    const FIELDS: [&str; 19] = [
        "name",
        "model",
        "host",
        "kernel",
        "distribution",
        "cpu_model",
        "note",
        "source",
        "command",
        "symptom",
        "cause",
        "remedy",
        "mount_point",
        "path",
        "message",
        "scheduler",
        "governor",
        "method",
        "write_cache",
    ];
    match value {
        serde_json::Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    serde_json::Value::String(text) if FIELDS.contains(&name.as_str()) => {
                        // The schedule's name is sokudo's own word.
                        if text != "crystal" && text != "interleaved" {
                            *text = format!("{hostile}{text}");
                        }
                    }
                    other => spoil(other, hostile),
                }
            }
        }
        serde_json::Value::Array(values) => {
            for value in values {
                spoil(value, hostile);
            }
        }
        _ => {}
    }
}

#[test]
fn an_endless_name_is_cut() {
    let mut report = sample::report();
    report.runs[0].run.target.devices[1].model = Some("x".repeat(1 << 20));
    report.runs[0].note = "word ".repeat(1 << 18);
    report.runs[0].run.results[0].name = "y".repeat(1 << 20);
    assert!(report.html(ReportStyle::default()).len() < 2 << 20);
}

#[test]
fn fifty_runs_fit_into_two_megabytes() {
    let one = sample::report().runs.remove(0);
    let page = Report::new(None, vec![one; 50]).html(ReportStyle::default());
    assert!(page.len() <= 2_000_000, "{} bytes", page.len());
}

#[test]
fn dark_and_light_have_enough_contrast_on_cards() {
    // Colours of text on cards, which are a little off the background.
    for (role, card) in [
        (Role::light as fn(Role) -> &'static str, "#f6f8fa"),
        (Role::dark, "#171f28"),
    ] {
        assert!(colours(PictureTheme::Auto).contains(card));
        for name in [Role::Text, Role::Muted] {
            let contrast = contrast(parsed(role(name)), parsed(card));
            assert!(contrast >= 4.5, "{name:?} has {contrast}");
        }
    }
}

/// Texts that stand in the sources of the page; what is markup or a name of a style is none.
fn texts() -> Vec<String> {
    const SOURCES: [&str; 7] = [
        include_str!("page.rs"),
        include_str!("charts.rs"),
        include_str!("evidence.rs"),
        include_str!("elements.rs"),
        include_str!("overview.rs"),
        include_str!("run.rs"),
        include_str!("table.rs"),
    ];
    const NO_TEXTS: [&str; 6] = [
        POLICY,
        "Content-Security-Policy",
        "light dark",
        "CARGO_PKG_VERSION",
        " · sokudo",
        "sokudo ",
    ];
    let code = SOURCES.map(|source| {
        let lines = source
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        lines.collect::<Vec<_>>().join("\n")
    });
    let literals = code
        .iter()
        .flat_map(|code| code.split('"').skip(1).step_by(2));
    let is_text = |literal: &&str| {
        let is_markup = literal.contains(['<', '=', '\\']);
        let begins = literal.starts_with(|sign: char| sign.is_ascii_uppercase());
        !is_markup && (begins || literal.contains(' ')) && !NO_TEXTS.contains(literal)
    };
    literals.filter(is_text).map(str::to_owned).collect()
}

#[test]
fn all_texts_of_a_page_are_said_in_japanese() {
    let texts = texts();
    assert!(texts.len() > 80, "{} texts were found", texts.len());
    // Units, names and percentiles are the same.
    let is_word =
        |word: &str| word.len() > 3 && word.chars().skip(1).all(|sign| sign.is_ascii_lowercase());
    for text in texts {
        let mut words =
            text.split(|sign: char| !sign.is_ascii_alphabetic() && !"{}".contains(sign));
        assert!(
            Language::Japanese.knows(&text) || !words.any(is_word),
            "{text:?}"
        );
    }
}

#[test]
fn a_japanese_page_says_that_it_is_one() {
    let page = sample::report().html(ReportStyle {
        language: Language::Japanese,
        ..ReportStyle::default()
    });
    assert!(page.contains("<html lang=\"ja\">"));
    for japanese in [
        "最速の読み出し",
        "測定のしかた",
        "検証済み",
        "もう一度測定するには",
    ] {
        assert!(page.contains(japanese), "{japanese}");
    }
    for english in ["Fastest read", "How it was measured", "To measure it again"] {
        assert!(!page.contains(english), "{english}");
    }
    // Names and commands stay as they are.
    assert!(page.contains("sokudo mark /mnt/data --seed 1"));
}
