//! What users of HD Tune and GNOME Disks look for in a scan: the curve and its figures,
//! access times, and what could not be read.

pub(crate) mod curve;

use sokudo_model::{Bytes, Operation, SlowSpot, Visit};
use sokudo_words::{Text, text};

use crate::article::{Article, Element};
use crate::document::{
    AccessTimes, DefectDocument, ResultDocument, RunDocument, SampleDocument, SampleRates, Status,
};
use crate::number;
use crate::shortfall::verdict_cell;
use crate::style::BandwidthUnit;
use crate::table::{Cell, Table, TableBuilder, left, point, right};
use crate::wording::{phrase, row_alone};
use curve::position;

/// Ranges that are listed; all of them are in the JSON document.
const DEFECTS_LISTED: usize = 20;
/// From this share on a curve has looked at all of its target: its last block may not fit.
const WHOLE_SHARE_MIN: f64 = 0.99;

/// Whether the run was made to visit places.
pub(crate) fn is_scan(document: &RunDocument) -> bool {
    let mut results = document.results.iter();
    !document.schedule.surveys_once && results.any(|it| it.workload.survey().is_some())
}

/// What sort of figures a row has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SurfaceRowKind {
    /// Rates of places, in order of place.
    Curve,
    /// Times of accesses at scattered places.
    Access,
    /// One figure: one place, or none.
    Plain,
}

impl SurfaceRowKind {
    fn of(result: &ResultDocument) -> Self {
        match result.workload.survey() {
            Some(survey) if matches!(survey.visit, Visit::Random | Visit::Butterfly) => {
                Self::Access
            }
            Some(survey) if survey.sample_count > 1 => Self::Curve,
            _ => Self::Plain,
        }
    }
}

/// A table per kind of row in the order in which people ask, the curves, access times by
/// distance, what could not be read, the legend.
pub(crate) fn add<'a>(article: &mut Article<'a>, document: &'a RunDocument, unit: BandwidthUnit) {
    let results = document.results_by_direction();
    for kind in [
        SurfaceRowKind::Curve,
        SurfaceRowKind::Access,
        SurfaceRowKind::Plain,
    ] {
        let rows = results.iter().copied();
        let rows: Vec<&ResultDocument> = rows.filter(|it| SurfaceRowKind::of(it) == kind).collect();
        if rows.is_empty() {
            continue;
        }
        let table = table(kind, &rows, unit, document.schedule.trials);
        article.add(Element::Table(table));
        for row in rows {
            article.add(Element::Curve(row));
        }
    }
    // The row beside the curve stands for all: more would tell the same again.
    if let Some(note) = results.iter().find_map(|result| distance_note(result)) {
        article.paragraph(note);
    }
    if let Some(note) = sampled_share(document, &results) {
        article.paragraph(note);
    }
    add_faults(article, document);
    article.paragraph(legend(unit, results.iter().any(|it| it.cpu.is_some())));
}

/// The curve, and what could not be read or only slowly, of a run that had other rows, too.
pub(crate) fn add_beside<'a>(article: &mut Article<'a>, document: &'a RunDocument) {
    let curves = document.results.iter();
    for curve in curves.filter(|it| SurfaceRowKind::of(it) == SurfaceRowKind::Curve) {
        article.add(Element::Curve(curve));
    }
    add_faults(article, document);
}

fn add_faults(article: &mut Article<'_>, document: &RunDocument) {
    if let Some((title, ranges)) = defects(document) {
        article.marked(title, "  ", ranges);
    }
    for row in document.results_by_direction() {
        if let Some((title, spots)) = slow_samples(row) {
            article.marked(title, "  ", spots);
        }
    }
}

fn table(
    kind: SurfaceRowKind,
    rows: &[&ResultDocument],
    unit: BandwidthUnit,
    trials: u32,
) -> Table {
    let named = Table::of(rows)
        .column(left("Row"), |row| Some(row_alone(&row.name)))
        .column(left("Direction").quiet(), |row| {
            Some(phrase(&row.direction_label()))
        });
    let figures = match kind {
        SurfaceRowKind::Curve => of_curve(named, unit),
        SurfaceRowKind::Access => of_access(named, unit),
        SurfaceRowKind::Plain => named
            .column(point(unit.name()), |row| whole(row, unit))
            .column(right("p50").under("latency"), |row| {
                Cell::time(row.latency_ns.as_ref()?.p50)
            })
            .column(right("p95").under("latency").rank(4), |row| {
                Cell::time(row.latency_ns.as_ref()?.p95)
            })
            .column(right("p99").under("latency").rank(1), |row| {
                Cell::time(row.latency_ns.as_ref()?.p99)
            }),
    };
    // In virtual time there is none.
    let has_cpu = rows.iter().any(|row| row.cpu.is_some());
    figures
        .column_if(has_cpu, right("CPU").rank(3), |row| {
            row.cpu_share().map(number::percent)
        })
        .column(left("Verdict"), |row| Some(verdict_cell(row, trials)))
        .table()
}

type Columns<'a> = TableBuilder<'a, &'a ResultDocument>;

fn of_curve(rows: Columns<'_>, unit: BandwidthUnit) -> Columns<'_> {
    let rate = |pick: fn(&SampleRates) -> f64| {
        move |row: &&ResultDocument| Some(Cell::rate(pick(rates(row)?) / unit.bytes()))
    };
    let head = |title| point(title).under(unit.name());
    rows.column(head("min"), rate(|rates| rates.min))
        .column(head("mean"), rate(|rates| rates.mean))
        .column(head("median").rank(1), rate(|rates| rates.median))
        .column(head("max"), rate(|rates| rates.max))
        .column(right("outer:inner"), |row| {
            let ratio = rates(row)?.outer_to_inner;
            ratio.map(|ratio| format!("{ratio:.2}"))
        })
}

fn rates(row: &ResultDocument) -> Option<&SampleRates> {
    row.surface.as_ref()?.rate_bytes_per_s.as_ref()
}

fn of_access(rows: Columns<'_>, unit: BandwidthUnit) -> Columns<'_> {
    let access = |pick: fn(&AccessTimes) -> Option<f64>| {
        move |row: &&ResultDocument| pick(row.surface.as_ref()?.access_ns.as_ref()?).map(time)
    };
    let head = |title| right(title).under("access time");
    rows.column(point("IOPS"), |row| {
        Some(Cell::rate(row.iops.as_ref()?.median))
    })
    .column(head("mean"), access(|times| Some(times.mean)))
    .column(head("median").rank(1), access(|times| Some(times.median)))
    .column(head("p95").rank(2), access(|times| times.p95))
    .column(head("max"), access(|times| Some(times.max)))
    .column(point(unit.name()), |row| whole(row, unit))
}

/// The rate of a whole row.
fn whole(row: &ResultDocument, unit: BandwidthUnit) -> Option<Cell> {
    let bandwidth = row.bandwidth_bytes_per_s.as_ref()?;
    Some(Cell::rate(bandwidth.bytes_per_s.median / unit.bytes()))
}

fn time(nanos: f64) -> String {
    number::nanos(nanos).to_string()
}

/// How access times depend on the distance, of a row that measured the way.
fn distance_note(result: &ResultDocument) -> Option<Text> {
    let access = result.surface.as_ref()?.access_ns.as_ref()?;
    let class = |class: &crate::document::DistanceTimes| {
        text!(
            "to {} {}",
            position(class.distance_max),
            time(class.mean_ns)
        )
    };
    let classes: Vec<Text> = access.by_distance.iter().map(class).collect();
    (classes.len() > 1).then(|| {
        text!(
            "{} {}, mean by seek distance: {}",
            row_alone(&result.name),
            phrase(&result.direction_label()),
            Text::list(classes, " · ")
        )
    })
}

/// The part of the target that a result was to measure, from its first byte to the byte after
/// its last: its span, or all of the target.
pub(crate) fn measured_part(result: &ResultDocument, device: Option<Bytes>) -> (u64, u64) {
    let end = |sample: &SampleDocument| sample.offset.saturating_add(sample.bytes);
    match (result.workload.span, device) {
        (Some(span), _) => (span.offset.0, span.offset.0.saturating_add(span.length.0)),
        (None, Some(Bytes(size))) => (0, size),
        (None, None) => (0, result.samples.iter().map(end).max().unwrap_or(0)),
    }
}

/// How much a curve has looked at of what it was to look at.
pub(crate) struct SurfaceCoverage {
    samples: usize,
    share: f64,
    /// Its first byte and the byte after its last, where that is not all of the target.
    pub(crate) range: Option<(u64, u64)>,
}

impl SurfaceCoverage {
    /// `None` where nobody knows: of a run of another tool, which does not say what failed, and of
    /// several targets, of which each has a curve. What was sealed has been read as a whole.
    pub(crate) fn of(document: &RunDocument, curve: &ResultDocument) -> Option<Self> {
        let is_alone = document.targets.len() <= 1 && curve.workload.seal().is_none();
        let size = document.target.size_bytes?;
        if document.origin().is_some() || !is_alone {
            return None;
        }
        let part @ (start, end) = measured_part(curve, Some(size));
        let samples = || curve.samples.iter().filter(|sample| sample.trial == 1);
        let defects = curve.defects.iter().filter(|defect| defect.trial == 1);
        let failed = defects.map(|defect| defect.length);
        let bytes = samples().map(|sample| sample.bytes).chain(failed);
        let bytes = bytes.fold(0, u64::saturating_add);
        (end > start).then(|| Self {
            samples: samples().count(),
            share: number::float(bytes) / number::float(end - start),
            range: (part != (0, size.0)).then_some(part),
        })
    }

    /// Whether that is all: the last block may not fit.
    pub(crate) fn is_whole(&self) -> bool {
        self.share > WHOLE_SHARE_MIN
    }

    /// Of the target, or of its range, in percent.
    pub(crate) fn share_text(&self) -> Text {
        match self.share < 0.001 {
            true => text!("less than 0.1 %"),
            false => text!("{}", number::percent(self.share)),
        }
    }
}

/// How much of the target the first curve has looked at, where that is not all of it.
fn sampled_share(document: &RunDocument, results: &[&ResultDocument]) -> Option<Text> {
    let mut curves = results.iter();
    let curve = curves.find(|it| SurfaceRowKind::of(it) == SurfaceRowKind::Curve)?;
    let coverage = SurfaceCoverage::of(document, curve)?;
    let range = coverage.range.map(|(start, end)| {
        let [start, end] = [start, end].map(position);
        text!("the range from {start} to {end}")
    });
    let has_failed = curve.status == Status::Failed || failed(results.iter().copied()).is_some();
    if coverage.is_whole() {
        let range = range?;
        return Some(match has_failed {
            false => {
                text!("All of {range} was checked and nothing failed; the rest was not checked.")
            }
            true => text!("All of {range} was checked; the rest was not."),
        });
    }
    let part = range.unwrap_or_else(|| text!("the target"));
    let share = coverage.share_text();
    let count = number::grouped(&coverage.samples.to_string());
    Some(match has_failed {
        false => text!(
            "{count} places, {share} of {part}, were checked and none failed; the rest was not checked."
        ),
        true => text!("{count} places, {share} of {part}, were checked; the rest was not."),
    })
}

/// That some of a surface could not be read; `None` where all that was visited could.
pub(crate) fn unreadable(document: &RunDocument) -> Option<Text> {
    let reads = document.results.iter();
    let reads = reads.filter(|it| it.workload.operations.single() == Some(Operation::Read));
    let (ranges, bytes) = failed(reads)?;
    Some(match ranges {
        1 => text!("NOT OK: {bytes} could not be read, in 1 place"),
        _ => text!("NOT OK: {bytes} could not be read, in {ranges} places"),
    })
}

/// In how many ranges these rows could not be read or written, and their bytes; `None` where they
/// could.
pub(crate) fn failed<'a>(
    results: impl Iterator<Item = &'a ResultDocument>,
) -> Option<(u64, Bytes)> {
    let surfaces = results.filter_map(|result| result.surface.as_ref());
    let sum = surfaces.fold((0, 0), |(ranges, bytes), it| {
        (ranges + it.defect_ranges, bytes + it.defect_bytes)
    });
    (sum.0 > 0).then_some((sum.0, Bytes(sum.1)))
}

/// What could not be read or written: a sentence, and the first ranges.
fn defects(document: &RunDocument) -> Option<(Text, Vec<Text>)> {
    let (count, bytes) = failed(document.results.iter())?;
    let plural = if count == 1 { "" } else { "s" };
    let title = text!(
        "NOT READABLE OR WRITABLE: {} range{plural}, {} in all",
        number::grouped(&count.to_string()),
        bytes
    );
    let all = document.results.iter().flat_map(|result| {
        let range = |defect| range(result, defect);
        result.defects.iter().map(range)
    });
    let mut listed: Vec<Text> = all.take(DEFECTS_LISTED).collect();
    // What is read may list more than it counts.
    let more = count.saturating_sub(listed.len() as u64);
    if more > 0 {
        listed.push(text!("and {more} more; --format json has all of them"));
    }
    Some((title, listed))
}

fn range(result: &ResultDocument, defect: &DefectDocument) -> Text {
    text!(
        "{} from byte {} on (at {}), {}: {}",
        Bytes(defect.length),
        number::grouped(&defect.offset.to_string()),
        position(defect.offset),
        row_alone(&result.name),
        &defect.message
    )
}

/// The slowest places of a row, and whether they were slow again.
fn slow_samples(result: &ResultDocument) -> Option<(Text, Vec<Text>)> {
    let slow = result.slow_samples.as_deref()?;
    if slow.spots.is_empty() {
        return None;
    }
    let title = text!(
        "SLOWEST PLACES of {}, longer than {}",
        row_alone(&result.name),
        slow.limit
    );
    let spot_text = |spot: &SlowSpot| {
        let (at, first) = (position(spot.offset.0), spot.latency);
        let offset = number::grouped(&spot.offset.0.to_string());
        let seen_again = (slow.is_slow_again(spot), spot.again, spot.beside);
        match seen_again {
            (Some(true), Some(again), _) => {
                text!("{first} at byte {offset} (at {at}), slow again: {again}")
            }
            (Some(false), Some(again), Some(beside)) if again > slow.limit => {
                text!(
                    "{first} at byte {offset} (at {at}), then {again} where ordinary places took up to {beside}"
                )
            }
            (Some(false), Some(again), _) => {
                text!("{first} at byte {offset} (at {at}), slow once: then {again}")
            }
            _ => text!("{first} at byte {offset} (at {at}), not read again"),
        }
    };
    Some((title, slow.spots.iter().map(spot_text).collect()))
}

/// What must be known to read the tables.
fn legend(unit: BandwidthUnit, has_cpu: bool) -> Text {
    let unit = Text::from(unit.definition());
    match has_cpu {
        true => text!(
            "min, mean, median and max are over the measured places; outer:inner is the first 5 % \
             of them to the last; CPU: 100 % is one CPU; {}.",
            unit
        ),
        false => text!(
            "min, mean, median and max are over the measured places; outer:inner is the first 5 % \
             of them to the last; {}.",
            unit
        ),
    }
}

#[cfg(test)]
mod tests;
