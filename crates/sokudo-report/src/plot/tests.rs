//! Pictures as a whole: what they show, that they are the same to the byte, well formed,
//! small, and safe.

use std::fmt::Write;
use std::sync::LazyLock;

use sokudo_model::{Bytes, OperationMix};

use super::figure::{Body, Shape};
use super::sample::{both_caches, explained, extra, mark, surface, sweep};
use super::*;
use crate::sample::{row, run_of};

/// In English.
fn figure(document: &RunDocument, kind: Option<PlotKind>) -> Result<PlotFigure, PlotError> {
    super::figure(document, kind, Language::English)
}

fn together() -> RunDocument {
    RunDocument::from_run(&crate::sample::together_run())
}

fn many_together() -> RunDocument {
    RunDocument::from_run(&crate::sample::run_of_many(40))
}

/// Every picture that the samples have data for, by a name, drawn once for all tests.
static PICTURES: LazyLock<Vec<(String, PlotFigure)>> = LazyLock::new(pictures);

fn pictures() -> Vec<(String, PlotFigure)> {
    let documents = [
        ("mark", mark()),
        ("surface", surface(200)),
        ("caches", both_caches()),
        ("extra", extra()),
        ("explained", explained()),
        ("sizes", sweep(&[4])),
        ("matrix", sweep(&[1, 2, 4, 8, 16, 32])),
        ("steady", crate::steady::tests::iops()),
        ("saturation", crate::steady::tests::saturation()),
        ("together", together()),
        ("together-many", many_together()),
    ];
    let mut pictures = Vec::new();
    for (name, document) in documents {
        for kind in fitting(&document) {
            let figure = figure(&document, Some(kind)).unwrap();
            pictures.push((format!("{name}-{}", kind.name()), figure));
        }
    }
    pictures
}

/// Writes every picture into the directory of SOKUDO_PICTURES, for eyes.
#[test]
fn pictures_can_be_looked_at() {
    let Some(directory) = std::env::var_os("SOKUDO_PICTURES") else {
        return;
    };
    let directory = std::path::PathBuf::from(directory);
    for (name, figure) in PICTURES.iter() {
        let write = |end: &str, bytes: &[u8]| {
            std::fs::write(directory.join(format!("{name}{end}")), bytes).unwrap();
        };
        write(
            ".svg",
            svg(figure, Size::default(), PictureTheme::Auto).as_bytes(),
        );
        #[cfg(feature = "png")]
        for (end, theme) in [
            ("-light.png", PictureTheme::Light),
            ("-dark.png", PictureTheme::Dark),
        ] {
            write(end, &png(figure, Size::default(), theme).unwrap());
        }
        for (end, colour, ascii, columns, lines) in [
            (".80.txt", false, false, 80, 24),
            (".160.txt", true, false, 160, 50),
            (".ascii.txt", false, true, 80, 24),
        ] {
            let style = TerminalStyle {
                columns,
                lines,
                colour,
                ascii,
            };
            write(end, terminal(figure, &style).as_bytes());
        }
    }
}

/// A figure as text to be compared: the picture itself is too long to read.
fn outline(svg: &str) -> String {
    let document = roxmltree::Document::parse(svg).unwrap();
    let mut outline = String::new();
    for node in document.descendants().filter(|node| node.is_element()) {
        let text = node.text().map_or("", str::trim);
        let named = !text.is_empty() && node.tag_name().name() != "style";
        if named {
            let at = |name| node.attribute(name).unwrap_or("-");
            let _ = writeln!(outline, "{:>7} {:>7}  {text}", at("x"), at("y"));
        }
    }
    outline
}

fn of(document: &RunDocument, kind: PlotKind) -> String {
    let figure = figure(document, Some(kind)).unwrap();
    svg(&figure, Size::default(), PictureTheme::Auto)
}

#[test]
fn words_of_a_surface() {
    insta::assert_snapshot!(outline(&of(&surface(200), PlotKind::Curve)));
}

#[test]
fn words_of_a_mark() {
    insta::assert_snapshot!(outline(&of(&mark(), PlotKind::Bars)));
}

#[test]
fn words_of_hosts() {
    // What people expect of such a run.
    let first = figure(&together(), None).unwrap();
    assert_eq!(first, figure(&together(), Some(PlotKind::Hosts)).unwrap());
    insta::assert_snapshot!(outline(&of(&together(), PlotKind::Hosts)));
    insta::assert_snapshot!(outline(&of(&together(), PlotKind::HostBars)));
    insta::assert_snapshot!(outline(&of(&many_together(), PlotKind::Hosts)));
    insta::assert_snapshot!(outline(&of(&many_together(), PlotKind::HostBars)));
    for kind in [PlotKind::Hosts, PlotKind::HostBars] {
        assert!(!fitting(&mark()).contains(&kind));
    }
}

#[test]
fn words_of_a_card() {
    let figure = figure(&mark(), Some(PlotKind::Card)).unwrap();
    let size = Size::fitting(&figure);
    assert!(size.height < Size::default().height);
    insta::assert_snapshot!(outline(&svg(&figure, size, PictureTheme::Auto)));
    // A hard disk's sequential rows are no measure of its random ones.
    let Body::Card(card) = &figure.body else {
        panic!("it is a card")
    };
    let tiles = card.rows.iter().flat_map(|row| &row.tiles).flatten();
    let fastest = tiles.filter(|tile| (tile.share - 1.0).abs() < 1e-9).count();
    assert_eq!(fastest, 2, "one of sequential and one of random rows");
}

#[test]
fn a_small_picture_to_the_byte() {
    insta::assert_snapshot!(of(&surface(12), PlotKind::Seek));
}

#[test]
fn a_heat_map_on_the_terminal() {
    let figure = figure(&sweep(&[1, 8, 32]), None).unwrap();
    insta::assert_snapshot!(terminal(&figure, &TerminalStyle::default()));
}

#[test]
fn a_surface_on_the_terminal() {
    let figure = figure(&surface(200), None).unwrap();
    insta::assert_snapshot!(terminal(&figure, &TerminalStyle::default()));
}

#[test]
fn bars_on_a_terminal_of_ascii() {
    let figure = figure(&mark(), None).unwrap();
    let style = TerminalStyle {
        ascii: true,
        ..TerminalStyle::default()
    };
    let text = terminal(&figure, &style);
    assert!(text.is_ascii());
    insta::assert_snapshot!(text);
}

#[test]
fn the_usual_picture_is_the_one_that_people_expect() {
    let first = |document| fitting(&document)[0];
    assert_eq!(first(mark()), PlotKind::Bars);
    assert_eq!(first(surface(20)), PlotKind::Curve);
    assert_eq!(first(sweep(&[4])), PlotKind::Bars);
    assert_eq!(first(sweep(&[1, 4, 16])), PlotKind::Heat);
}

#[test]
fn a_kind_without_data_names_those_that_fit() {
    let error = figure(&mark(), Some(PlotKind::Curve)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "this run has no picture of kind curve, which needs places over a device, as sokudo scan \
         measures them; bars, cdf, histogram, time and card fit"
    );
    let mut nothing = mark();
    nothing.results.clear();
    assert_eq!(figure(&nothing, None), Err(PlotError::NothingMeasured));
}

#[test]
fn every_picture_is_well_formed_alone_and_the_same_again() {
    for ((name, figure), (_, again)) in PICTURES.iter().zip(pictures()) {
        let text = svg(figure, Size::default(), PictureTheme::Auto);
        assert_eq!(
            text,
            svg(&again, Size::default(), PictureTheme::Auto),
            "{name}"
        );
        for theme in [PictureTheme::Auto, PictureTheme::Light, PictureTheme::Dark] {
            let text = svg(figure, Size::default(), theme);
            let document = roxmltree::Document::parse(&text).unwrap();
            for node in document.descendants() {
                for attribute in node.attributes() {
                    assert!(!attribute.name().contains("href"), "{name}");
                    assert!(!attribute.value().contains("NaN"), "{name}: {attribute:?}");
                    assert!(!attribute.value().contains("inf"), "{name}: {attribute:?}");
                }
            }
            assert_eq!(text.matches("http").count(), 1, "the name space of {name}");
            assert_eq!(
                text.contains("<style>"),
                theme == PictureTheme::Auto,
                "{name}"
            );
        }
    }
}

#[test]
fn no_two_names_of_a_legend_are_alike() {
    for (name, figure) in PICTURES.iter() {
        let names: Vec<&str> = match &figure.body {
            Body::Chart(chart) => chart
                .named_layers()
                .iter()
                .map(|layer| &*layer.name)
                .collect(),
            Body::Bars(bars) => bars.legend.iter().map(|(name, _)| &**name).collect(),
            Body::Matrices(matrices) => {
                let matrices = matrices.matrices.iter();
                matrices.map(|matrix| &*matrix.name).collect()
            }
            Body::Card(card) => card.rows.iter().map(|row| &*row.name).collect(),
        };
        let different: std::collections::BTreeSet<&&str> = names.iter().collect();
        assert_eq!(different.len(), names.len(), "{name}: {names:?}");
    }
}

#[test]
fn rows_that_differ_in_more_than_their_direction_have_their_names() {
    let names = |document: &RunDocument| {
        let Body::Chart(chart) = figure(document, Some(PlotKind::Curve)).unwrap().body else {
            panic!("a chart")
        };
        let layers = chart.named_layers();
        let names: Vec<String> = layers.iter().map(|layer| layer.name.clone()).collect();
        names.join(" · ")
    };
    assert_eq!(
        names(&extra()),
        "TRANSFER read · SEQ outer read · SEQ middle read · SEQ inner read · access time · 1 unreadable range"
    );
    assert_eq!(
        names(&surface(20)),
        "read · write · access time · 1 unreadable range · 1 unwritable range"
    );
}

#[test]
fn an_axis_of_positions_holds_all_that_was_measured() {
    for (name, document) in [
        ("surface", surface(200)),
        ("caches", both_caches()),
        ("extra", extra()),
        ("explained", explained()),
    ] {
        let Body::Chart(chart) = figure(&document, None).unwrap().body else {
            panic!("a chart")
        };
        let (low, high) = (chart.bottom.scale.low, chart.bottom.scale.high);
        assert!(
            low == 0.0 && (4_000.0..4_001.0).contains(&high),
            "{name}: {low} to {high}"
        );
        for layer in &chart.layers {
            let at: Vec<f64> = match &layer.shape {
                Shape::Lines(lines) => lines.iter().flatten().map(|[at, _]| *at).collect(),
                Shape::Bands(bands) => bands.iter().flatten().map(|[at, ..]| *at).collect(),
                Shape::Dots(dots) | Shape::Signs(dots) | Shape::Ranges(dots) => {
                    dots.iter().map(|[at, _]| *at).collect()
                }
            };
            assert!(!at.is_empty(), "{name}: {layer:?}");
            assert!(
                at.iter().all(|at| (low..=high).contains(at)),
                "{name}: {layer:?}"
            );
        }
    }
    let dots = |document| match figure(&document, None).unwrap().body {
        Body::Chart(chart) => chart
            .layers
            .into_iter()
            .find_map(|layer| match layer.shape {
                Shape::Dots(dots) => Some(dots),
                _ => None,
            }),
        _ => None,
    };
    let everywhere = dots(explained()).unwrap();
    let farthest = everywhere.iter().map(|[at, _]| *at).fold(0.0, f64::max);
    assert!(
        farthest > 3_500.0,
        "seeks over all of the disk, not those in a part: {farthest}"
    );
}

/// As the fonts of most readers are narrower than is reckoned with, what does not
/// overlap here overlaps nowhere.
#[test]
fn no_words_lie_on_each_other_or_beyond_the_edge() {
    for (name, figure) in PICTURES.iter() {
        let text = svg(figure, Size::default(), PictureTheme::Auto);
        let document = roxmltree::Document::parse(&text).unwrap();
        let boxes: Vec<(String, [f64; 4])> = document
            .descendants()
            .filter(|node| node.has_tag_name("text"))
            .map(word_box)
            .collect();
        for (number, (words, [left, top, right, bottom])) in boxes.iter().enumerate() {
            let inside = *left >= 0.0 && *right <= 1_200.0 && *top >= 0.0 && *bottom <= 700.0;
            assert!(inside, "{name}: {words} {left} {right}");
            for (others, [from, above, to, below]) in &boxes[..number] {
                let apart = left >= to || from >= right || top >= below || above >= bottom;
                assert!(apart, "{name}: {words:?} lies on {others:?}");
            }
        }
    }
}

/// Where a text lies: from its left to its right, from its top to its bottom.
fn word_box(node: roxmltree::Node<'_, '_>) -> (String, [f64; 4]) {
    let number = |name| node.attribute(name).unwrap().parse::<f64>().unwrap();
    let words = node.text().unwrap_or("").to_owned();
    let (x, y, size) = (number("x"), number("y"), number("font-size"));
    let width = super::text::width(&words, size);
    let begin = match node.attribute("text-anchor") {
        Some("middle") => width / 2.0,
        Some("end") => width,
        _ => 0.0,
    };
    let (above, below) = (size * 0.72, size * 0.1);
    if node.attribute("transform").is_some() {
        return (words, [x - above, y - begin, x + below, y - begin + width]);
    }
    (words, [x - begin, y - above, x - begin + width, y + below])
}

#[test]
fn what_a_device_calls_itself_stays_text() {
    let mut document = mark();
    document.target.devices[1].model = Some("<script>alert(1)</script>\u{1b}[2J\"]]>".into());
    document.target.path = Some("/mnt/a&b\u{0}<g onload='x'>".into());
    document.method = "--><style>*{}</style>".into();
    document.results[0].name = "</text><image href=\"http://x\"/>".into();
    for kind in fitting(&document) {
        let text = of(&document, kind);
        let parsed = roxmltree::Document::parse(&text).unwrap();
        let names = parsed.descendants().map(|node| node.tag_name().name());
        let stranger = names.filter(|name| ["script", "g", "image"].contains(name));
        assert_eq!(stranger.count(), 0, "{text}");
        let figure = figure(&document, Some(kind)).unwrap();
        let shown = terminal(&figure, &TerminalStyle::default());
        let is_escape = |sign: char| sign.is_control() && sign != '\n';
        assert!(!shown.contains(is_escape), "{shown:?}");
    }
}

#[test]
fn a_terminal_of_any_size_gets_lines_that_fit() {
    use unicode_width::UnicodeWidthStr;

    for (name, figure) in PICTURES.iter() {
        for (columns, lines) in [(40, 10), (80, 24), (160, 50)] {
            for (colour, ascii) in [(false, false), (true, false), (false, true)] {
                let style = TerminalStyle {
                    columns,
                    lines,
                    colour,
                    ascii,
                };
                let text = terminal(figure, &style);
                assert_eq!(text.contains('\u{1b}'), colour, "{name}");
                assert!(!ascii || text.is_ascii(), "{name}: {text}");
                for line in text.lines().filter(|_| !colour) {
                    assert!(line.width() <= columns, "{name} {columns}: {line}");
                }
            }
        }
    }
}

#[test]
fn very_many_places_make_a_small_picture_with_every_extreme() {
    let document = surface(40_000);
    let text = of(&document, PlotKind::Curve);
    assert!(text.len() < 300_000, "{} bytes", text.len());
    let places = &document.results[0].places;
    let rates = places.iter().filter_map(|place| place.bytes_per_s());
    let highest = rates.fold(0.0, f64::max);
    assert!(text.contains(&format!("max {} MB/s", crate::number::rate(highest / 1e6))));
}

#[cfg(feature = "png")]
#[test]
fn a_png_has_its_text_japanese_too() {
    let small = Size {
        width: 600.0,
        height: 350.0,
    };
    let with_title = |title: &str| {
        let mut figure = figure(&surface(20), None).unwrap();
        title.clone_into(&mut figure.title);
        png(&figure, small, PictureTheme::Auto).unwrap()
    };
    let (empty, japanese, other) = (with_title(""), with_title("速度"), with_title("装置"));
    assert!(empty.starts_with(b"\x89PNG"));
    assert!(japanese != empty && japanese != other, "signs of their own");
    let dark = png(&figure(&mark(), None).unwrap(), small, PictureTheme::Dark).unwrap();
    assert_ne!(
        dark,
        png(&figure(&mark(), None).unwrap(), small, PictureTheme::Light).unwrap()
    );
}

/// Prints what a picture costs, for docs/PERFORMANCE.md:
/// `cargo test --release -p sokudo-report --lib cost_of_a_picture -- --ignored --nocapture`
#[test]
#[ignore = "a measurement, not a test"]
fn cost_of_a_picture() {
    let mut document = surface(100_000);
    document.results.truncate(1);
    document.results[0].places.retain(|place| place.trial == 1);
    let mut times: Vec<f64> = (0..15)
        .map(|_| {
            let started = std::time::Instant::now();
            let length = of(&document, PlotKind::Curve).len();
            assert!(length > 0);
            started.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let bytes = of(&document, PlotKind::Curve).len();
    println!(
        "{:.1} ms (median of 15, {:.1}–{:.1}), {bytes} bytes",
        times[7], times[0], times[14]
    );
}

/// There are fewer inks than shares of reads.
#[test]
fn every_share_of_reads_is_drawn() {
    let mixed = |reads| {
        let mix = OperationMix::read_write(reads).unwrap();
        row(&format!("R{reads}"), Bytes::kib(4), mix, 1, 1_000.0)
    };
    let document = RunDocument::from_run(&run_of((1..100).map(mixed).collect()));
    let Body::Bars(bars) = bars::figure(&document).unwrap().body else {
        panic!("rows are bars");
    };
    assert_eq!(bars.groups.len(), 99);
    assert_eq!(bars.legend.len(), 99);
}
