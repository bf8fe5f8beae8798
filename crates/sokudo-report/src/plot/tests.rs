//! Pictures as a whole: what they show, that they are the same to the byte, well formed,
//! small, and safe.

use std::sync::LazyLock;

use sokudo_model::{Bytes, OperationMix, Steadiness};

use super::figure::{Body, Shape};
use super::*;
use crate::sample::{self, document, row, run_of};

fn figure(document: &RunDocument, kind: Option<PlotKind>) -> Result<PlotFigure, PlotError> {
    super::figure(document, kind, Language::English)
}

fn mark() -> RunDocument {
    document("mark")
}

/// A scan of so many places, and a range that cannot be read.
fn surface(sample_count: u64) -> RunDocument {
    let mut run = sample::kept("unreadable");
    let outcome = &mut run.rows[0].trials[0].outcome;
    let size = run.target.size_bytes.unwrap().0 / sample_count;
    let sample_at = |number: u64| {
        let mut survey_sample =
            outcome.samples[usize::try_from(number * 199 / sample_count).unwrap()];
        (survey_sample.offset, survey_sample.bytes) = (Bytes(number * size), Bytes(size));
        survey_sample.elapsed.0 =
            1 + survey_sample.elapsed.0 * 200 / sample_count + number * 7_919 % 1_013;
        survey_sample
    };
    outcome.samples = (0..sample_count).map(sample_at).collect();
    RunDocument::from_run(&run)
}

/// Every picture that kept runs have data for, by a name, drawn once for all tests.
static PICTURES: LazyLock<Vec<(String, PlotFigure)>> = LazyLock::new(pictures);

fn pictures() -> Vec<(String, PlotFigure)> {
    const NAMES: [&str; 16] = [
        "mark",
        "crystal",
        "rate",
        "several",
        "sweep",
        "scan",
        "unreadable",
        "load",
        "peak",
        "explain",
        "fill",
        "steady",
        "wsat",
        "together",
        "troubled",
        "fio",
    ];
    let many = RunDocument::from_run(&sample::run_of_many(40));
    let documents = NAMES.map(|name| (name, document(name)));
    let mut pictures = Vec::new();
    for (name, document) in documents.into_iter().chain([("many", many)]) {
        for kind in fitting(&document) {
            let figure = figure(&document, Some(kind)).unwrap();
            pictures.push((format!("{name}-{}", kind.name), figure));
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

fn of(document: &RunDocument, kind: PlotKind) -> String {
    let figure = figure(document, Some(kind)).unwrap();
    svg(&figure, Size::default(), PictureTheme::Auto)
}

#[test]
fn a_kind_without_data_names_those_that_fit() {
    let error = figure(&mark(), Some(PlotKind::named("curve").unwrap())).unwrap_err();
    assert_eq!(
        error.to_string(),
        "this run has no picture of kind curve, which needs places over a device, as sokudo scan \
         measures them; bars, cdf, histogram and time fit"
    );
    let mut nothing = mark();
    nothing.results.clear();
    assert_eq!(figure(&nothing, None), Err(PlotError::NothingMeasured));
}

#[test]
fn a_kind_of_a_method_that_has_none_of_a_run_is_drawn_as_of_any_run() {
    let own = PlotKind {
        figure: |_| None,
        ..PlotKind::BARS
    };
    assert_eq!(own.of(&mark()), PlotKind::BARS.of(&mark()));
    assert!(own.of(&mark()).is_some());
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
            Body::HeatMaps(matrices) => {
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
fn a_card_cuts_no_sentence() {
    let mut picture = figure(&mark(), None).unwrap();
    picture.body = Body::Card(figure::Card {
        sides: vec!["read"],
        rows: Vec::new(),
        axis: scale::PlotAxis::decades(
            sokudo_words::Text::from("MB/s"),
            1.0,
            10.0,
            scale::whole_rate,
        ),
        sentences: vec!["the link is not the limit ".repeat(20) + "at all"],
    });
    let drawn = svg(&picture, Size::fitting(&picture), PictureTheme::Light);
    assert!(drawn.contains("at all</text>"), "{drawn}");
    assert!(!drawn.contains("link is not…"), "{drawn}");
}

#[test]
fn a_tile_of_an_unsteady_row_has_its_verdict() {
    let document = mark();
    let mut result = document.results[0].clone();
    result.steadiness = Some(Steadiness::Unsteady);
    let tile = card::tile(&document, &result).unwrap();
    assert_eq!(tile.verdict, result.verdict);
    assert!(tile.details.contains("UNSTEADY"), "{}", tile.details);
}

#[test]
fn a_picture_of_a_run_with_an_answer_begins_with_it_below_its_title() {
    for kind in ["curve", "map"] {
        let picture = figure(&document("unreadable"), PlotKind::named(kind)).unwrap();
        assert!(picture.subtitle.starts_with("NOT OK: "), "{picture:?}");
        assert!(!picture.subtitle.contains("VERIFIED"), "{picture:?}");
    }
}

#[test]
fn an_axis_of_positions_holds_all_that_was_measured() {
    for name in ["scan", "unreadable", "explain"] {
        let document = document(name);
        let size = document.target.size_bytes.unwrap().0 as f64 / 1e9;
        let Body::Chart(chart) = figure(&document, None).unwrap().body else {
            panic!("a chart")
        };
        let (low, high) = (chart.bottom.scale.low, chart.bottom.scale.high);
        assert!(
            low == 0.0 && (0.95 * size..1.05 * size).contains(&high),
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
}

/// As the fonts of most readers are narrower than is reckoned with, what does not
/// overlap here overlaps nowhere.
#[test]
fn no_words_lie_on_each_other_or_beyond_the_edge() {
    for (name, figure) in PICTURES.iter() {
        let size = Size::fitting(figure);
        let text = svg(figure, size, PictureTheme::Auto);
        let document = roxmltree::Document::parse(&text).unwrap();
        let boxes: Vec<(String, [f64; 4])> = document
            .descendants()
            .filter(|node| node.has_tag_name("text"))
            .map(word_box)
            .collect();
        for (number, (words, [left, top, right, bottom])) in boxes.iter().enumerate() {
            let inside = *left >= 0.0 && *right <= 1_200.0 && *top >= 0.0 && *bottom <= size.height;
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
fn a_picture_is_called_by_the_label_and_a_directory_is_not_as_large_as_its_disk() {
    let title = |document: &RunDocument| figure(document, PlotKind::named("bars")).unwrap().title;
    let mut document = mark();
    document
        .target
        .devices
        .iter_mut()
        .for_each(|it| it.model = None);
    assert!(!title(&document).contains('('), "{}", title(&document));
    document.label = Some("My XFS".to_owned());
    assert_eq!(title(&document), "My XFS: rate by row");
}

#[test]
fn what_a_device_calls_itself_stays_text() {
    let mut document = mark();
    document.target.devices[1].model = Some("<script>alert(1)</script>\u{1b}[2J\"]]>".into());
    document.target.path = Some("/mnt/a&b\u{0}<g onload='x'>".into());
    document.plan.method = "--><style>*{}</style>".into();
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
    let text = of(&document, PlotKind::named("curve").unwrap());
    assert!(text.len() < 300_000, "{} bytes", text.len());
    let samples = &document.results[0].samples;
    let rates = samples.iter().filter_map(|sample| sample.bytes_per_s());
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
    document.results[0]
        .samples
        .retain(|sample| sample.trial == 1);
    let mut times: Vec<f64> = (0..15)
        .map(|_| {
            let started = std::time::Instant::now();
            let length = of(&document, PlotKind::named("curve").unwrap()).len();
            assert!(length > 0);
            started.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let bytes = of(&document, PlotKind::named("curve").unwrap()).len();
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
