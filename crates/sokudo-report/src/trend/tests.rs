use super::*;
use crate::forms::Forms;
use sokudo_stats::Random;

const DAY: u64 = 86_400_000_000_000;
const BEGIN: u64 = 1_767_225_600_000_000_000;

/// A run a day, whose rates vary by about 1 % around these levels.
fn series(levels: &[(usize, f64)]) -> SeriesDocument {
    let mut random = Random::new(4);
    let rates = levels.iter().flat_map(|(runs, rate)| vec![*rate; *runs]);
    let points = (0..).zip(rates).map(|(day, rate)| {
        let noise: f64 = (0..12).map(|_| random.fraction()).sum::<f64>() - 6.0;
        let rate = rate * (1.0 + 0.01 * noise);
        TrendPoint::new(day + 1, Nanos(BEGIN + day * DAY), rate, None)
    });
    SeriesDocument::new(
        "SEQ1M read".to_owned(),
        "f".to_owned(),
        points.collect(),
        0.02,
    )
}

fn document(series: Vec<SeriesDocument>) -> TrendDocument {
    TrendDocument {
        command: "sokudo trend".to_owned(),
        series,
        ..TrendDocument::new("Example 1000 S1", "Example 1000", Figure::Bandwidth, 0.02)
    }
}

#[test]
fn a_change_has_its_place_its_size_and_its_interval() {
    let series = series(&[(40, 500e6), (30, 400e6)]);
    let [first, second] = &series.levels[..] else {
        panic!("{:?}", series.levels);
    };
    assert_eq!((first.runs, second.runs, second.first), (40, 30, 40));
    assert!((first.median_per_s / 500e6 - 1.0).abs() < 0.01);
    let change = second.change.as_ref().unwrap();
    assert_eq!((change.run_before, change.run_after), (40, 41));
    let interval = change.ratio_interval_95.unwrap();
    assert!(interval.low < 0.8 && 0.8 < interval.high, "{interval:?}");
    assert!(interval.high - interval.low < 0.03, "{interval:?}");
    assert!(first.change.is_none());
}

#[test]
fn a_change_that_does_not_matter_is_none() {
    assert_eq!(series(&[(60, 500e6), (60, 507e6)]).levels.len(), 1);
}

#[test]
fn several_rows_get_a_line_each_and_one_gets_its_levels() {
    let style = crate::TableStyle {
        ascii: true,
        ..crate::TableStyle::default()
    };
    let steady = SeriesDocument {
        row: "RND4K read".to_owned(),
        runs_of_other_loads: 3,
        ..series(&[(20, 2e6)])
    };
    let mut changed = series(&[(40, 500e6), (30, 400e6)]);
    changed.levels[1].change.as_mut().unwrap().differs = Some(vec![PartDifference {
        name: "kernel".to_owned(),
        reference: Some("6.1".into()),
        other: Some("6.8".into()),
    }]);
    let text = document(vec![changed.clone(), steady]).render(&style);
    assert!(text.contains("-20 % on 2026-02-10 00:00"), "{text}");
    assert!(
        text.contains("RND4K read: 3 runs of other loads are left out"),
        "{text}"
    );
    assert!(text.contains("kernel 6.1, then 6.8"), "{text}");
    assert!(text.is_ascii(), "{text}");
    let text = document(vec![changed]).render(&style);
    assert!(
        text.contains("2026-01-01 00:00  2026-02-09 00:00    40"),
        "{text}"
    );
    assert!(
        text.contains("between runs 40 and 41: kernel 6.1, then 6.8."),
        "{text}"
    );
}

#[test]
fn documents_follow_the_schema_in_the_docs_and_read_back() {
    let text = document(vec![series(&[(40, 500e6), (30, 400e6)])]).to_json();
    crate::kept_schema::assert_kept::<TrendDocument>("sokudo.trend-1", &[text]);
}

#[test]
fn the_picture_has_a_mark_at_the_change() {
    let changed = series(&[(40, 500e6), (30, 400e6)]);
    let unit = BandwidthUnit::MegabytesPerSecond;
    let figure = crate::plot::trend(
        &document(vec![changed.clone()]),
        unit,
        sokudo_words::Language::English,
    )
    .unwrap();
    let picture = crate::plot::svg(
        &figure,
        crate::plot::Size::default(),
        crate::plot::PictureTheme::Light,
    );
    assert!(picture.contains("Date (UTC)") && picture.contains("-20 %"));
    assert!(
        crate::plot::trend(&document(Vec::new()), unit, sokudo_words::Language::English).is_none()
    );
    let both = document(vec![changed.clone(), changed]);
    assert!(crate::plot::trend(&both, unit, sokudo_words::Language::English).is_some());
}
