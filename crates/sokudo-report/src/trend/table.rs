//! Rows over time on the terminal: one line for each row, or its levels.

use super::{LevelChange, LevelDocument, SeriesDocument, TrendDocument};
use crate::comparison::{change_text, interval_text};
use crate::layout::{Align, Column, fit, table_lines, table_width};
use crate::number::{self, MISSING, percent, rate};
use crate::style::{BandwidthUnit, TableStyle};
use sokudo_stats::Summary;

/// Columns that a narrow table can do without, in the order in which they go.
const DROP_ORDER: [&str; 3] = ["±", "runs", "changes"];
/// Columns of a course.
const COURSE: usize = 24;
/// Heights of a course, and what stands for them where there is only ASCII.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII_HEIGHTS: [char; 8] = ['_', '.', ',', '-', '~', '=', '*', '#'];
/// A course is at least so high, as a share of its middle, so that noise is no mountain.
const COURSE_HEIGHT_MIN: f64 = 0.1;

/// The whole text: the levels of one row, or a line for each of several.
pub fn render(document: &TrendDocument, style: &TableStyle) -> String {
    let unit = document.unit(style.unit);
    let title = format!(
        "sokudo {} · trend · {}",
        document.sokudo_version, document.device_name
    );
    let mut blocks = vec![style.wrapped("", &title)];
    match &document.series[..] {
        [only] => blocks.extend(detail(only, unit, style)),
        several => {
            blocks.push(overview(several, unit, style));
            blocks.push(changes(several, style));
            blocks.push(short(several, style));
        }
    }
    for series in &document.series {
        blocks.push(left_out(series, document.series.len() > 1, style));
    }
    let rows = document.left_out();
    blocks.push(rows.map_or_else(Vec::new, |text| style.wrapped("", &text)));
    blocks.push(style.wrapped("", &legend(document, unit)));
    blocks.push(vec![style.command(&document.command)]);
    blocks.retain(|block| !block.is_empty());
    let blocks: Vec<String> = blocks.iter().map(|lines| lines.join("\n")).collect();
    blocks.join("\n\n") + "\n"
}

fn legend(document: &TrendDocument, unit: BandwidthUnit) -> String {
    format!(
        "{}: median of the runs, ± how far its 95 % interval reaches. A level changes where runs \
         differ by more than their noise, which one of twenty series without a change does by \
         chance, and by at least {}.",
        unit.name(),
        percent(document.difference_min)
    )
}

fn detail(series: &SeriesDocument, unit: BandwidthUnit, style: &TableStyle) -> Vec<Vec<String>> {
    let levels = &series.levels;
    let column = |title: &str, align, cell: &dyn Fn(&LevelDocument) -> String| Column {
        group: "",
        title: style.text(title),
        align,
        cells: levels
            .iter()
            .map(|level| style.text(&cell(level)))
            .collect(),
    };
    let columns = vec![
        column("from", Align::Left, &|level| day(&level.from)),
        column("until", Align::Left, &|level| day(&level.until)),
        column("runs", Align::Right, &|level| level.runs.to_string()),
        column(unit.name(), Align::Point, &|level| {
            rate(level.median_per_s / unit.bytes())
        }),
        column("±", Align::Right, &|level| spread(level, unit)),
        column("change", Align::Right, &|level| {
            level
                .change
                .as_ref()
                .map_or_else(|| MISSING.to_owned(), |change| change_text(change.ratio))
        }),
        column("95 % interval", Align::Right, &|level| {
            let change = level.change.as_ref();
            let interval = change.and_then(|change| change.ratio_interval_95);
            interval.map_or_else(|| MISSING.to_owned(), interval_text)
        }),
    ];
    let course = format!(
        "{}  {}",
        style.text(&series.row),
        course(series, style.ascii)
    );
    let mut blocks = vec![vec![course], with_rule(&columns, style)];
    blocks.extend(
        series
            .changes()
            .map(|(level, change)| style.wrapped("", &what_changed(level, change))),
    );
    if series.changes().next().is_none() {
        blocks.push(style.wrapped("", &steady(series)));
    }
    blocks
}

/// What is said where nothing changes.
pub(super) fn steady(series: &SeriesDocument) -> String {
    let runs = series.points.len();
    match series.is_long_enough() {
        true => format!("No change in {runs} runs."),
        false => format!("{}.", too_few(series)),
    }
}

fn too_few(series: &SeriesDocument) -> String {
    let needed = series.runs_needed;
    match series.points.len() {
        1 => format!(
            "1 run is too few to tell a change, {needed} are needed; sokudo check compares two runs"
        ),
        runs => format!(
            "{runs} runs are too few to tell a change, {needed} are needed; sokudo check compares \
             two runs"
        ),
    }
}

/// What of the surroundings differs at a change.
pub(super) fn what_changed(level: &LevelDocument, change: &LevelChange) -> String {
    let begin = format!(
        "{}, between runs {} and {}",
        day(&level.from),
        change.run_before,
        change.run_after
    );
    let Some(differs) = &change.differs else {
        return format!("{begin}: what changed is not known.");
    };
    if differs.is_empty() {
        return format!("{begin}: nothing that sokudo sees of target, machine or program changed.");
    }
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| MISSING.to_owned());
    let parts: Vec<String> = differs
        .iter()
        .map(|part| {
            format!(
                "{} {}, then {}",
                part.name,
                value(&part.reference),
                value(&part.other)
            )
        })
        .collect();
    format!("{begin}: {}.", parts.join("; "))
}

fn overview(all: &[SeriesDocument], unit: BandwidthUnit, style: &TableStyle) -> Vec<String> {
    let column = |title: &str, align, cell: &dyn Fn(&SeriesDocument) -> String| Column {
        group: "",
        title: style.text(title),
        align,
        cells: all.iter().map(|series| style.text(&cell(series))).collect(),
    };
    let last = |series: &SeriesDocument, cell: &dyn Fn(&LevelDocument) -> String| {
        series
            .levels
            .last()
            .map_or_else(|| MISSING.to_owned(), cell)
    };
    let title = format!("now {}", unit.name());
    let course = Column {
        group: "",
        title: style.text("course"),
        align: Align::Left,
        cells: all
            .iter()
            .map(|series| course(series, style.ascii))
            .collect(),
    };
    let mut columns = vec![
        column("row", Align::Left, &|series| series.row.clone()),
        column("runs", Align::Right, &|series| {
            series.points.len().to_string()
        }),
        course,
        column(&title, Align::Point, &|series| {
            last(series, &|level| rate(level.median_per_s / unit.bytes()))
        }),
        column("±", Align::Right, &|series| {
            last(series, &|level| spread(level, unit))
        }),
        column(
            "changes",
            Align::Right,
            &|series| match series.is_long_enough() {
                true => series.changes().count().to_string(),
                false => MISSING.to_owned(),
            },
        ),
        column("last change", Align::Left, &|series| {
            let last = series.changes().last();
            last.map_or_else(
                || MISSING.to_owned(),
                |(level, change)| format!("{} on {}", change_text(change.ratio), day(&level.from)),
            )
        }),
    ];
    fit(
        &mut columns,
        style.width,
        &DROP_ORDER.map(|it| style.text(it)),
    );
    with_rule(&columns, style)
}

/// What of the surroundings differs at the changes of several rows, each once.
fn changes(all: &[SeriesDocument], style: &TableStyle) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for (level, change) in all.iter().flat_map(SeriesDocument::changes) {
        let text = what_changed(level, change);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.sort_unstable();
    texts
        .iter()
        .flat_map(|text| style.wrapped("", text))
        .collect()
}

/// Rows with so few runs that nothing can be said of them, those of one number together.
fn short(all: &[SeriesDocument], style: &TableStyle) -> Vec<String> {
    let mut told: Vec<(String, Vec<&str>)> = Vec::new();
    for series in all.iter().filter(|series| !series.is_long_enough()) {
        let text = too_few(series);
        match told.iter_mut().find(|(known, _)| *known == text) {
            Some((_, rows)) => rows.push(&series.row),
            None => told.push((text, vec![&series.row])),
        }
    }
    told.iter()
        .flat_map(|(text, rows)| {
            let rows = match rows.len() == all.len() {
                true => "all rows".to_owned(),
                false => rows.join(", "),
            };
            style.wrapped("", &format!("{rows}: {text}."))
        })
        .collect()
}

fn with_rule(columns: &[Column], style: &TableStyle) -> Vec<String> {
    let mut lines = table_lines(columns, style.rule());
    lines[0] = lines[1].clone();
    lines[1] = style.rule().to_string().repeat(table_width(columns));
    lines
}

pub(super) fn left_out(series: &SeriesDocument, named: bool, style: &TableStyle) -> Vec<String> {
    let of = match named {
        true => format!("{}: ", style.text(&series.row)),
        false => String::new(),
    };
    let others = (series.runs_of_other_loads > 0).then(|| {
        format!(
            "{} runs of other loads are left out; they are not comparable.",
            series.runs_of_other_loads
        )
    });
    let without = (series.runs_without_figure > 0).then(|| {
        format!(
            "{} runs are left out that are INVALID, have no figure, or were made at an unknown time.",
            series.runs_without_figure
        )
    });
    let texts = others.into_iter().chain(without);
    texts.flat_map(|text| style.wrapped(&of, &text)).collect()
}

/// The day and time of an instant, to the minute.
pub(super) fn day(rfc3339: &str) -> String {
    match rfc3339.split_once('T') {
        Some((day, time)) => format!("{day} {}", time.get(..5).unwrap_or(time)),
        None => rfc3339.to_owned(),
    }
}

/// Without its sign, which is the column's title.
pub(super) fn spread(level: &LevelDocument, unit: BandwidthUnit) -> String {
    let interval = level.interval_95.as_ref();
    let ends = interval.map(|interval| [interval.low, interval.high].map(|it| it / unit.bytes()));
    let spread = ends.and_then(|ends| number::spread(level.median_per_s / unit.bytes(), ends));
    spread.map_or_else(
        || MISSING.to_owned(),
        |spread| spread.trim_start_matches("± ").to_owned(),
    )
}

/// Medians of equal parts of the runs, as heights.
fn course(series: &SeriesDocument, ascii: bool) -> String {
    let values: Vec<f64> = series.points.iter().map(|point| point.per_second).collect();
    let part = values.len().div_ceil(COURSE).max(1);
    let medians: Vec<f64> = values
        .chunks(part)
        .filter_map(|part| Some(Summary::of(part)?.median))
        .collect();
    let Some(all) = Summary::of(&medians) else {
        return String::new();
    };
    let middle = f64::midpoint(all.min, all.max);
    let height = all
        .range
        .max(COURSE_HEIGHT_MIN * middle)
        .max(f64::MIN_POSITIVE);
    let heights = if ascii { ASCII_HEIGHTS } else { HEIGHTS };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of seven"
    )]
    let sign = |value: &f64| {
        let share = ((value - middle) / height + 0.5).clamp(0.0, 1.0);
        heights[(share * 7.0).round() as usize]
    };
    medians.iter().map(sign).collect()
}
