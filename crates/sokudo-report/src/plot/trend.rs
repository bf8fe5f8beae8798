//! Runs over time: a line from run to run; of a single row also the median of each level and a
//! mark where the level changes.

use sokudo_model::{civil_date, narrow};
use sokudo_words::{Language, Text, speaking, spoken, text};

use super::figure::{Body, Chart, ChartSection, Ink, Layer, PlotFigure, Shape};
use super::scale::{PlotAxis, Scale, Tick, whole};
use super::time::seconds;
use crate::figure::Figure as Shown;
use crate::number::{change_text, natural, rate};
use crate::style::BandwidthUnit;
use crate::trend::{SeriesDocument, TrendDocument};
use crate::wording::row;

const DAY: u64 = 86_400;
const PERCENT: f64 = 100.0;
/// About so many dates are named.
const DATES: u64 = 8;
/// Steps of the axis of values.
const STEPS: usize = 8;

/// `None` without runs. Several rows are drawn as shares of their first level, because
/// their rates may lie far apart.
pub fn trend(
    document: &TrendDocument,
    unit: BandwidthUnit,
    language: Language,
) -> Option<PlotFigure> {
    speaking(language, || drawn(document, unit))
}

fn drawn(document: &TrendDocument, unit: BandwidthUnit) -> Option<PlotFigure> {
    let unit = document.unit(unit);
    let all: Vec<&SeriesDocument> = document
        .series
        .iter()
        .filter(|series| !series.levels.is_empty())
        .collect();
    let points = || all.iter().flat_map(|series| &series.points);
    let first = points().map(|point| point.started_at_ns).min()?;
    let last = points().map(|point| point.started_at_ns).max()?;
    let is_single = all.len() == 1;
    let scale_of = |series: &SeriesDocument| match is_single {
        true => unit.bytes().recip(),
        false => PERCENT / series.levels[0].median_per_s.max(f64::MIN_POSITIVE),
    };
    let values = all.iter().flat_map(|series| {
        let points = series.points.iter();
        points.map(|point| point.per_second * scale_of(series))
    });
    let highest = values.fold(0.0, f64::max);
    let label = match is_single {
        true => unit.name().to_owned(),
        false => text!("% of the first level").into(),
    };
    let layers = all.iter().enumerate();
    let layers = layers.flat_map(|(number, series)| {
        layers_of(series, (number, is_single), scale_of(series), unit)
    });
    let bottom = dates(seconds(first), seconds(last));
    let left = PlotAxis::from_zero(label, highest, STEPS);
    let chart = Chart {
        parts: match is_single {
            true => parts(all[0]),
            false => Vec::new(),
        },
        ..Chart::new(bottom, left, layers.collect())
    };
    let what = match (is_single, document.figure) {
        (true, _) => row(&all[0].row),
        (false, Shown::Bandwidth) => text!("bandwidth of rows"),
        (false, Shown::Iops) => text!("IOPS of rows"),
    };
    Some(PlotFigure {
        language: spoken(),
        title: text!("{}: {what} over time", document.device_name).into(),
        subtitle: subtitle(&all, document),
        footer: match is_single {
            true => text!("a level changes where runs differ by more than their noise"),
            false => text!(
                "beside a row: its last run · a level changes where runs differ by more than their noise"
            ),
        }
        .into(),
        body: Body::Chart(Box::new(chart)),
    })
}

fn subtitle(all: &[&SeriesDocument], document: &TrendDocument) -> String {
    let runs = all.iter().map(|series| series.points.len());
    let runs = runs.max().unwrap_or(0);
    let changes: usize = all.iter().map(|series| series.changes().count()).sum();
    let tells = all.iter().any(|series| series.is_long_enough());
    let changes = match changes {
        0 if !tells => text!("too few to show a change"),
        0 => text!("no change"),
        1 => text!("1 change"),
        changes => text!("{changes} changes"),
    };
    let program = Text::name(format!("sokudo {}", document.sokudo_version));
    Text::list([text!("{runs} runs"), changes, program], " · ").into()
}

/// The runs of a row, and of one alone its levels.
fn layers_of(
    series: &SeriesDocument,
    (number, is_single): (usize, bool),
    scale: f64,
    unit: BandwidthUnit,
) -> Vec<Layer> {
    let at = |index: usize| seconds(series.points[index].started_at_ns);
    let points = series.points.iter();
    let runs = points.map(|point| [seconds(point.started_at_ns), point.per_second * scale]);
    let runs = Shape::Lines(vec![runs.collect()]);
    let lines = series.levels.iter().map(|level| {
        let median = level.median_per_s * scale;
        // A level reaches to where the next one begins.
        let end = (level.first + level.runs).min(series.points.len() - 1);
        vec![[at(level.first), median], [at(end), median]]
    });
    let medians: Vec<String> = series
        .levels
        .iter()
        .map(|level| rate(level.median_per_s / unit.bytes()))
        .collect();
    let figures = match &medians[..] {
        [first, _, _, _, .., last] if medians.len() > 4 => {
            text!("{first}, … then {last} {}", unit.name())
        }
        few => {
            let few = few.iter().map(Text::name);
            let few = few.reduce(|before, after| text!("{before}, then {after}"));
            text!("{} {}", few.unwrap_or_default(), unit.name())
        }
    };
    let runs = Layer::new(Ink::of_number(number), runs);
    if !is_single {
        // Its line is drawn from run to run, and ends there.
        let last = series.points.last().map_or(0.0, |it| it.per_second);
        let last = format!("{} {}", rate(last / unit.bytes()), unit.name());
        return vec![runs.named(row(&series.row), last)];
    }
    let levels = Layer::new(Ink::WRITE.dashed(true), Shape::Lines(lines.collect()));
    vec![
        runs.named(row(&series.row), ""),
        levels.named(text!("median of each level"), figures),
    ]
}

fn parts(series: &SeriesDocument) -> Vec<ChartSection> {
    series
        .changes()
        .map(|(level, change)| ChartSection {
            at: seconds(series.points[level.first].started_at_ns),
            name: change_text(change.ratio),
        })
        .collect()
}

/// How far apart dates are that are named.
#[derive(Clone, Copy)]
enum DateSpacing {
    Seconds(u64),
    Months(u64),
}

/// An axis of time, UTC, with round dates.
fn dates(low: f64, high: f64) -> PlotAxis {
    let high = if high > low { high } else { low + 60.0 };
    let (first, last) = (natural(low), natural(high.ceil()));
    let step = step(last - first);
    let ticks = match step {
        DateSpacing::Seconds(step) => (first.div_ceil(step)..=last / step)
            .map(|count| Tick {
                at: whole(narrow(count * step)),
                name: instant(count * step, step),
            })
            .collect(),
        DateSpacing::Months(months) => month_ticks(first, last, months),
    };
    PlotAxis {
        label: text!("Date (UTC)").into(),
        scale: Scale::linear(low, high),
        ticks,
    }
}

/// The shortest round step that names few enough dates.
fn step(length: u64) -> DateSpacing {
    const SECONDS: [u64; 14] = [
        1,
        10,
        60,
        5 * 60,
        15 * 60,
        30 * 60,
        3_600,
        3 * 3_600,
        6 * 3_600,
        12 * 3_600,
        DAY,
        2 * DAY,
        7 * DAY,
        14 * DAY,
    ];
    const MONTHS: [u64; 8] = [1, 2, 3, 6, 12, 24, 60, 120];
    let least = length / DATES;
    let seconds = SECONDS.into_iter().find(|step| *step >= least);
    seconds.map_or_else(
        || {
            let months = MONTHS.into_iter().find(|months| months * 31 * DAY >= least);
            DateSpacing::Months(months.unwrap_or(120))
        },
        DateSpacing::Seconds,
    )
}

fn instant(seconds: u64, step: u64) -> String {
    let (year, month, day) = civil_date(seconds / DAY);
    let second = seconds % DAY;
    let time = format!("{:02}:{:02}", second / 3_600, second / 60 % 60);
    match step {
        step if step >= DAY => format!("{year:04}-{month:02}-{day:02}"),
        step if step >= 3 * 3_600 => format!("{month:02}-{day:02} {time}"),
        step if step >= 60 => time,
        _ => format!("{time}:{:02}", second % 60),
    }
}

fn month_ticks(first: u64, last: u64, months: u64) -> Vec<Tick> {
    let (year, _, _) = civil_date(first / DAY);
    (0..)
        .map(|count| {
            let month = count * months;
            let (year, month) = (year + month / 12, month % 12 + 1);
            // Behind the last year of the calendar no tick is shown.
            let day = sokudo_model::day_since_1970(year, month, 1).unwrap_or(u64::MAX / DAY);
            (day * DAY, format!("{year:04}-{month:02}"))
        })
        .skip_while(|(at, _)| *at < first)
        .take_while(|(at, _)| *at <= last)
        .map(|(at, name)| Tick {
            at: whole(narrow(at)),
            name,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forms::Forms;
    use crate::trend::TrendPoint;
    use sokudo_model::Nanos;

    fn names(from: u64, length: u64) -> Vec<String> {
        let (low, high) = (whole(from as usize), whole((from + length) as usize));
        dates(low, high)
            .ticks
            .into_iter()
            .map(|tick| tick.name)
            .collect()
    }

    #[test]
    fn three_runs_tell_no_change_and_the_last_of_them_is_not_their_median() {
        const BEGIN: u64 = 1_767_225_600_000_000_000;
        let series = |name: &str| {
            let rates = [180e6, 180e6, 150e6];
            let point = |(run, rate): (u64, f64)| {
                let started_at = Nanos(BEGIN + run * DAY * 1_000_000_000);
                TrendPoint::new(run, started_at, rate, None)
            };
            let points = (1..).zip(rates).map(point).collect();
            SeriesDocument::new(name.to_owned(), "f".to_owned(), points, 0.02)
        };
        let document = TrendDocument {
            series: vec![series("SEQ1M read"), series("RND4K read")],
            ..TrendDocument::new("A 1", "A", Shown::Bandwidth, 0.02)
        };
        let drawn = trend(
            &document,
            BandwidthUnit::MegabytesPerSecond,
            Language::English,
        )
        .unwrap();
        assert!(
            drawn.subtitle.contains("too few to show a change"),
            "{}",
            drawn.subtitle
        );
        let table = document.render(&crate::TableStyle::default());
        assert!(
            table.contains("level MB/s") && table.contains("last MB/s"),
            "{table}"
        );
        assert!(
            table.contains("180.0") && table.contains("150.0"),
            "{table}"
        );
        assert!(!table.contains("now MB/s"), "{table}");
        // What stands beside a line is what the line ends at.
        let Body::Chart(chart) = &drawn.body else {
            panic!("{:?}", drawn.body);
        };
        assert_eq!(chart.layers[0].figures, "150.0 MB/s");
    }

    #[test]
    fn dates_are_round_and_few() {
        const BEGIN: u64 = 1_767_225_600 + 5 * 3_600; // 2026-01-01 05:00
        assert_eq!(names(BEGIN, 5 * 60)[..2], ["05:00", "05:01"]);
        assert_eq!(names(BEGIN, DAY)[0], "01-01 06:00");
        assert_eq!(names(BEGIN, 7 * DAY)[0], "2026-01-02");
        assert_eq!(names(BEGIN, 300 * DAY)[..2], ["2026-03", "2026-05"]);
        assert_eq!(names(BEGIN, 3_650 * DAY)[0], "2028-01");
        for length in [
            0,
            1,
            59,
            3_601,
            90_000,
            604_800,
            9_999_999,
            99_999_999,
            3_000_000_000,
        ] {
            let names = names(BEGIN, length);
            assert!(names.len() <= 10, "{length}: {names:?}");
        }
    }
}
