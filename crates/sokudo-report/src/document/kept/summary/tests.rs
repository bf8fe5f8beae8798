use super::*;
use crate::comparison::{Figure, OtherDocument, RowDocument, SideDocument};
use crate::pivot::{Key, PivotRun};
use crate::sample;
use sokudo_model::{Change, Compared, Conclusion, Run};

fn read(packed: &[u8]) -> Option<RunDocument> {
    SummaryReader::default().read(packed)
}

fn text(packed: &[u8]) -> String {
    let mut reader = SummaryReader::default();
    reader.text(&packed[1..]).unwrap()
}

fn runs() -> Vec<Run> {
    vec![
        sample::run(),
        sample::troubled_run(),
        sample::together_run(),
    ]
}

/// What a comparison and a matrix take of a run.
fn taken(run: &RunDocument) -> String {
    let compared = || Compared {
        conclusion: Conclusion::CannotBeCompared,
        reason: None,
        change: None::<Change>,
        differs: Vec::new(),
        warnings: Vec::new(),
    };
    let pivoted = PivotRun {
        run,
        source: "run 1",
        tags: &[],
    };
    let rows = run.results.iter().map(|row| {
        let keys = Key::WORDS.map(|(_, key)| key.of(&pivoted, row));
        let rows = [Figure::Bandwidth, Figure::Iops]
            .map(|figure| RowDocument::new(row, row, figure, compared()));
        let mean = row.latency_ns.as_ref().map(|latency| latency.mean);
        let severities = row.findings.iter().map(|it| it.severity);
        let severities: Vec<_> = severities.collect();
        format!(
            "{keys:?} {rows:?} {mean:?} {severities:?} {:?} {}",
            row.plan, row.fingerprint
        )
    });
    let rows: Vec<String> = rows.collect();
    format!(
        "{:?} {:?} {rows:#?}",
        SideDocument::new(0, "run 1", run),
        run.target.kind
    )
}

#[test]
fn a_comparison_finds_in_it_all_that_is_in_the_run() {
    for run in runs() {
        let whole = RunDocument::from_run(&run);
        let packed = summary(&whole);
        let summarised = read(&packed).unwrap();
        assert_eq!(taken(&summarised), taken(&whole));
        let differences = OtherDocument::differences(&summarised, &whole);
        assert_eq!(differences, []);
        assert!(packed.len() < whole.to_json().len() / 10);
        assert_eq!(summary(&summarised), packed);
    }
}

/// `golden.txt` holds summaries of runs that are never measured anew, behind their VERSION;
/// `SOKUDO_BLESS=1` writes it anew, of another VERSION only: summaries that are kept are believed as
/// long as theirs is the same.
#[test]
fn what_stands_in_it_has_a_version() {
    let packed = include_bytes!("../../../../tests/kept/run.bin");
    let run = crate::document::unpack(packed).unwrap();
    let runs = [RunDocument::new(run), sample::document("crystaldiskmark")];
    let texts = runs.map(|run| {
        let text = text(&summary(&run));
        text.split_once('\n').unwrap().1.to_owned()
    });
    let text = texts.concat();
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/document/kept/summary/golden.txt"
    );
    let kept = std::fs::read_to_string(file).unwrap_or_default();
    let (version, golden) = kept.split_once('\n').unwrap_or_default();
    if text != golden {
        assert_ne!(
            version,
            VERSION.to_string(),
            "summaries are not what they were, so that kept ones are wrong: raise VERSION in \
             summary.rs, then run this test with SOKUDO_BLESS=1\n{text}"
        );
    }
    if std::env::var_os("SOKUDO_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(file, format!("{VERSION}\n{text}")).unwrap();
        return;
    }
    assert!(
        kept == format!("{VERSION}\n{text}"),
        "golden.txt is of another VERSION; run this test with SOKUDO_BLESS=1"
    );
}

#[test]
fn what_is_damaged_or_of_others_is_as_none() {
    let packed = summary(&RunDocument::from_run(&sample::run()));
    for length in (0..packed.len()).step_by(97) {
        assert!(read(&packed[..length]).is_none(), "{length}");
    }
    assert!(read(&[&[VERSION + 1], &packed[1..]].concat()).is_none());
    let repacked = |text: &str| compressed_by(LEVEL, VERSION, text.as_bytes());
    let text = text(&packed);
    assert!(read(&repacked(&text)).is_some());
    let of_another = text.replacen(env!("CARGO_PKG_VERSION"), "0.0.0", 1);
    assert!(read(&repacked(&of_another)).is_none());
    let without_figures = text.rsplit_once('\n').unwrap().0;
    assert!(read(&repacked(without_figures)).is_none());
    // More than a summary ever holds is not unpacked.
    let bomb = " ".repeat(TEXT_BYTES_MAX + 1);
    assert!(read(&repacked(&bomb)).is_none());
}

#[test]
fn a_run_of_very_many_rows_has_none() {
    let mut document = RunDocument::from_run(&sample::run());
    let row = document.results[0].clone();
    document.results = vec![row; 12_000];
    assert!(summary(&document).is_empty());
}
