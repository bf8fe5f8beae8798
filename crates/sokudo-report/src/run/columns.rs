//! The columns of the table of a run: which figures there are, and which give way first.

use sokudo_model::ScheduleName;

use crate::document::{LatencyFigures, RateFigures, ResultDocument, RunDocument};
use crate::figure::figures_in;
use crate::number;
use crate::shortfall::{steadiness_cell, verdict_cell};
use crate::style::BandwidthUnit;
use crate::table::{Cell, Head, Skin, Table, TableBuilder, left, point, right};
use crate::view::{RowColumn, views};
use crate::wording::{phrase, row_alone};
use sokudo_words::{Text, text};

/// What stands over latencies: there are two of them at a fixed rate.
const LATENCY: &str = "latency";
const SERVICE: &str = "service";
const INTENDED: &str = "intended";
/// Of fsync or fdatasync, by itself.
const SYNC: &str = "sync";

/// What the other latencies of such a row are.
const SYNCS: &str = "sync: how long fsync or fdatasync took by itself; latency is that of the \
    writes before it, into the page cache unless --direct is on.";

/// What the rare latencies of a row leave out whose next I/O waits for the one before.
const CLOSED_LOOP: &str = "p99.9 of a closed loop: while the disk stalls, no new I/O starts, so stalls are under-counted; for latency under a load, fix the rate (--rate).";

/// Why rows have none that have other latencies.
const TOO_FEW: &str = "p99 —: too few independent I/Os; it needs 299.";

/// What the difference of a row's trials is.
const RANGE: &str = "R: the fastest trial minus the slowest.";

/// All columns in the order in which they are shown.
pub(super) fn table(
    document: &RunDocument,
    results: &[&ResultDocument],
    unit: BandwidthUnit,
) -> Table {
    let shown = ColumnContext {
        document,
        unit,
        is_at_rates: is_at_rates(document),
    };
    let rows = shown.medians(results);
    let rows = shown.spreads(rows);
    let rows = shown.latencies(rows);
    let is_known = results.iter().any(|result| result.steadiness.is_some());
    let rows = rows
        .column(left("Verdict"), |result| {
            let trials = document.schedule.trials_of(&result.workload);
            Some(verdict_cell(result, trials))
        })
        .column_if(is_known, left("Spread").rank(3), |result| {
            steadiness_cell(result)
        })
        .turning(|before, after| before.direction != after.direction);
    Table {
        note_on_paper: "A percentile without enough samples is missing (—).",
        ..rows.table()
    }
}

struct ColumnContext<'a> {
    document: &'a RunDocument,
    unit: BandwidthUnit,
    is_at_rates: bool,
}

type RatePick = fn(&RateFigures) -> Option<f64>;
type Columns<'a> = TableBuilder<'a, &'a ResultDocument>;

impl ColumnContext<'_> {
    /// At a fixed rate columns give way in another order: there the rate was chosen, and
    /// latencies are what was measured.
    fn rank(&self, head: Head, usual: u8, at_rates: u8) -> Head {
        head.rank(if self.is_at_rates { at_rates } else { usual })
    }

    fn has(&self, column: RowColumn) -> bool {
        views(self.document).any(|view| view.row_columns().contains(&column))
    }

    fn rate(&self, pick: RatePick) -> impl Fn(&&ResultDocument) -> Option<Cell> {
        let unit = self.unit;
        move |result| Some(Cell::rate(pick(figures_in(result, unit)?)? / unit.bytes()))
    }

    fn medians<'a>(&self, results: &'a [&'a ResultDocument]) -> Columns<'a> {
        let unit = self.unit;
        // Another tool's figure is what its `Figures` say: a mean, the best, or of one run.
        let figure = match self.document.origin().is_none() || are_medians(self.document) {
            true => "median",
            false => "as reported",
        };
        let medians = results.iter();
        let medians = medians.filter_map(|result| Some(figures_in(result, unit)?.median));
        let most = medians.fold(0.0, f64::max);
        let share = move |result: &ResultDocument| {
            let median = figures_in(result, unit).map(|figures| figures.median);
            median.map_or(0.0, |median| median / most)
        };
        let bar = left("").under(unit.name()).on(Skin::Terminal);
        Table::of(results)
            .column(left("Row"), |result| Some(row_alone(&result.name)))
            .column(left("Direction").quiet(), |result| {
                let direction = result.direction_shown();
                Some(direction.map_or_else(Text::default, |it| phrase(&it)))
            })
            .column(point(figure).under(unit.name()), |result| {
                Some(Cell::Figure {
                    text: number::rate(figures_in(result, unit)?.median / unit.bytes()),
                    signs: String::new(),
                    share: share(result),
                })
            })
            .column_if(self.has(RowColumn::Bar), self.rank(bar, 8, 8), |result| {
                Some(Cell::Bar(share(result)))
            })
    }

    fn spreads<'a>(&self, rows: Columns<'a>) -> Columns<'a> {
        let unit = self.unit;
        let is_crystal = self.document.schedule.name == ScheduleName::Crystal;
        let is_trimmed = self.document.schedule.trim > 0;
        let is_charted =
            is_trimmed || self.has(RowColumn::MeanAndRange) && self.document.schedule.trials > 1;
        let figures = || (self.document.results.iter()).filter_map(|it| figures_in(it, unit));
        let has_interval = figures().any(|figures| figures.interval_95.is_some());
        let has_spread = || figures().any(|figures| figures.spread(unit.bytes()).is_some());
        let column =
            |title, usual, at_rates| self.rank(point(title).under(unit.name()), usual, at_rates);
        let spread = match !has_interval && has_spread() {
            true => "range".into(),
            false => spread_title(self.document),
        };
        let spread = right(spread).under(unit.name());
        let interval = right("95 % interval").under(unit.name()).on(Skin::Paper);
        let range_head = self.rank(right("range").under(unit.name()), 15, 16);
        let [mean, reach] = if is_trimmed { [6, 3] } else { [2, 5] };
        let spread = self.rank(spread, reach, 13);
        let mebibytes = self.rank(point("median").under("MiB/s"), 1, 4);
        let is_bandwidth = unit != BandwidthUnit::IosPerSecond;
        // KB/s are asked for to stand beside IOPS.
        let ios_rank = match unit {
            BandwidthUnit::KilobytesPerSecond => 0,
            _ => 13,
        };
        let optional: [(bool, &'static str, u8, u8, RatePick); 5] = [
            (is_crystal, "best", 10, 10, |it| Some(it.max)),
            (is_trimmed, "trimmed", 2, 3, |it| it.trimmed_mean),
            (is_charted, "mean", mean, 6, |it| Some(it.mean)),
            (is_trimmed, "stdev", 7, 7, |it| it.stdev),
            (is_charted, "R", 4, 5, |it| {
                (it.trials.len() > 1).then_some(it.range)
            }),
        ];
        let rows = optional.into_iter().fold(rows, |rows, figure| {
            let (is_shown, title, usual, at_rates, pick) = figure;
            let head = column(title, usual, at_rates);
            let head = head.noted(if title == "R" { RANGE } else { "" });
            rows.column_if(is_shown, head, self.rate(pick))
        });
        rows.column(spread, |result| {
            let spread = figures_in(result, unit)?.spread(unit.bytes())?;
            Some(spread.replace("± ", "±"))
        })
        .column(interval, |result| {
            let interval = figures_in(result, unit)?.interval_95?;
            Some(range(interval.low, interval.high, unit))
        })
        // R says the same, and the spread of rows with few trials.
        .column_if(!is_charted && has_interval, range_head, |result| {
            let it = figures_in(result, unit)?;
            (it.trials.len() > 1).then(|| range(it.min, it.max, unit))
        })
        .column_if(self.has(RowColumn::Mebibytes), mebibytes, |result| {
            let bandwidth = result.bandwidth_bytes_per_s.as_ref()?;
            Some(Cell::rate(bandwidth.median_mib_per_s))
        })
        .column_if(
            is_bandwidth,
            self.rank(point("IOPS"), ios_rank, 9),
            |result| Some(Cell::rate(result.iops.as_ref()?.median)),
        )
    }

    /// What must be known of p99.9, unless all rows that have one were measured at fixed rates.
    /// Whether another tool's were is not known.
    fn closed_loop(&self) -> &'static str {
        let is_closed = |result: &ResultDocument| {
            let rare = result.latency_ns.as_ref().and_then(|it| it.p99_9);
            result.workload.pacing.rate.is_none() && rare.is_some()
        };
        let is_own = self.document.origin().is_none();
        match is_own && self.document.results.iter().any(is_closed) {
            true => CLOSED_LOOP,
            false => "",
        }
    }

    /// What must be known of p99 where a row has latencies and lacks it.
    fn too_few(&self) -> &'static str {
        let results = self.document.results.iter();
        let mut latencies = results.filter_map(|it| it.latency_ns.as_ref());
        match latencies.any(|it| it.p50.is_some() && it.p99.is_none()) {
            true => TOO_FEW,
            false => "",
        }
    }

    fn latencies<'a>(&self, rows: Columns<'a>) -> Columns<'a> {
        let service = if self.is_at_rates { SERVICE } else { LATENCY };
        let service =
            |title, usual, at_rates| self.rank(right(title).under(service), usual, at_rates);
        let intended_head = |title, rank| right(title).under(INTENDED).rank(rank);
        let rows = rows
            .column(service("p50", 14, 12), latency(|it| it.p50))
            .column(service("p95", 17, 18), latency(|it| it.p95))
            .column(
                service("p99", 11, 2).noted(self.too_few()),
                latency(|it| it.p99),
            )
            .column(
                service("p99.9", 16, 15).noted(self.closed_loop()),
                latency(|it| it.p99_9),
            );
        let mut results = self.document.results.iter();
        let has_syncs = results.any(|it| it.flush_latency_ns.is_some());
        let sync = |title, usual, at_rates| self.rank(right(title).under(SYNC), usual, at_rates);
        let rows = rows
            .column_if(has_syncs, sync("p50", 4, 8), flush(|it| it.p50))
            .column_if(has_syncs, sync("p95", 18, 19), flush(|it| it.p95))
            .column_if(
                has_syncs,
                sync("p99", 2, 3).noted(SYNCS),
                flush(|it| it.p99),
            );
        if !self.is_at_rates {
            return rows;
        }
        rows.column(intended_head("p50", 11), intended(|it| it.p50))
            .column(intended_head("p95", 17), intended(|it| it.p95))
            .column(intended_head("p99", 1), intended(|it| it.p99))
            .column(intended_head("p99.9", 14), intended(|it| it.p99_9))
    }
}

/// Whether the figures of another tool are medians of the runs that it printed.
pub(super) fn are_medians(document: &RunDocument) -> bool {
    let mut results = document.results.iter();
    results.all(|it| {
        let reported = it.reported.as_ref();
        reported.is_some_and(|it| it.bandwidth_kind.english().starts_with("median of "))
    })
}

/// What the ± of a row is of: trials that followed each other know nothing of other runs.
pub(crate) fn spread_title(document: &RunDocument) -> Text {
    match document.spread() {
        None => "± run".into(),
        Some(over) => text!("± {over}"),
    }
}

/// Whether any row has latencies from an intended start.
pub(super) fn is_at_rates(document: &RunDocument) -> bool {
    let mut results = document.results.iter();
    results.any(|result| result.latency_from_intended_ns.is_some())
}

fn range(low: f64, high: f64, unit: BandwidthUnit) -> String {
    number::rate_range(low / unit.bytes(), high / unit.bytes())
}

type Pick = fn(&LatencyFigures) -> Option<u64>;

fn latency(pick: Pick) -> impl Fn(&&ResultDocument) -> Option<Cell> {
    move |result| Cell::time(result.latency_ns.as_ref().and_then(pick))
}

/// Of the flushes among the writes.
fn flush(pick: Pick) -> impl Fn(&&ResultDocument) -> Option<Cell> {
    move |result| Cell::time(result.flush_latency_ns.as_ref().and_then(pick))
}

/// From the start that a fixed rate intended.
fn intended(pick: Pick) -> impl Fn(&&ResultDocument) -> Option<Cell> {
    move |result| Cell::time(result.latency_from_intended_ns.as_ref().and_then(pick))
}

#[cfg(test)]
mod tests {
    use crate::{RunDocument, TableStyle, sample, text};

    #[test]
    fn a_trimmed_mean_stays_when_all_but_the_verdict_is_left_out() {
        let mut run = sample::run();
        run.schedule.trim = 1;
        let document = RunDocument::from_run(&run);
        let titles = |width| {
            let style = TableStyle {
                width,
                ..TableStyle::default()
            };
            let text = text::render(&document, &style);
            let titles = text.lines().find(|line| line.starts_with("Row "));
            format!("{} ", titles.unwrap())
        };
        let wide = titles(200);
        for title in ["trimmed", "mean", "stdev", " R ", "± run"] {
            assert!(wide.contains(title), "{wide}");
        }
        assert!(!wide.contains("range"), "{wide}");
        assert!(titles(80).contains("± run"));
        assert!(titles(55).contains("trimmed"));
    }

    #[test]
    fn the_spread_of_too_few_trials_for_an_interval_is_headed_as_a_range() {
        let mut run = sample::run();
        run.rows.iter_mut().for_each(|row| row.trials.truncate(3));
        let text = text::render(&RunDocument::from_run(&run), &TableStyle::default());
        assert!(text.contains("range") && !text.contains("± run"), "{text}");
    }
}
