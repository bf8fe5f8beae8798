//! Disks alone and together for people: one sentence and one table.

use std::sync::Arc;

use sokudo_model::{Contention, SharingDisk, SharingTest};
use sokudo_report::article::{Article, Element};
use sokudo_report::document::{ResultDocument, RunDocument, ViewKind};
use sokudo_report::figure::figures_in;
use sokudo_report::number;
use sokudo_report::shortfall::verdict_cell;
use sokudo_report::style::BandwidthUnit;
use sokudo_report::table::{Cell, Table, TableBuilder, left, point, right};
use sokudo_report::view::{ShownBehind, ShownView};
use sokudo_report::wording::phrase;
use sokudo_words::{Text, text};

const LEGEND: &str = "Alone: each disk by itself, alternately; together: all at the same time, \
                      medians of the trials. Kept: together ÷ alone. Verdict: of what was measured \
                      together.";

/// A disk in a test, or all of them where there is none.
type Line<'a> = (&'a SharingTest, Option<&'a SharingDisk>);

/// View of how much of its own rate each disk keeps beside the others.
pub(crate) static VIEW: ViewKind =
    ViewKind::new::<Contention>("sharing", |run, _| Some(Arc::new(Contention::of(run)?)));

/// How it is shown.
pub(crate) fn showing(document: &RunDocument) -> Option<&dyn ShownView> {
    document.views.get::<Contention>()?;
    Some(&ShownContention)
}

struct ShownContention;

impl ShownView for ShownContention {
    fn add_figures<'a>(
        &'a self,
        article: &mut Article<'a>,
        document: &'a RunDocument,
        unit: BandwidthUnit,
    ) -> ShownBehind {
        if let Some(sharing) = document.views.get() {
            article.paragraph(sentence(document, sharing));
            article.add(Element::Table(table(document, sharing, unit).noted(LEGEND)));
            if let Some(names) = names(document, sharing) {
                article.paragraph(names);
            }
        }
        // The table has the figures of rows, disk by disk.
        ShownBehind::RowsOnPaper
    }
}

/// Which name is whose, where disks are called otherwise than they were named.
fn names(document: &RunDocument, sharing: &Contention) -> Option<Text> {
    let first = sharing.tests.first()?;
    let is_called = |disk: &&SharingDisk| {
        let target = document.targets.get(disk.target);
        target.is_some_and(|it| it.name.rsplit('/').next() != Some(&disk.label))
    };
    let named = first.disks.iter().filter(is_called).filter_map(|disk| {
        let name = &document.targets.get(disk.target)?.name;
        Some(text!("{}: {name}", disk.label))
    });
    let named: Vec<Text> = named.collect();
    (!named.is_empty()).then(|| Text::list(named, "; "))
}

fn sentence(document: &RunDocument, sharing: &Contention) -> Text {
    let sums = sharing.tests.iter();
    let sums = sums.filter_map(|test| Some((test, test.sum?)));
    let worst = sums.min_by(|(_, one), (_, other)| one.kept.total_cmp(&other.kept));
    let Some((test, sum)) = worst else {
        return text!("Not all disks were measured both alone and together.");
    };
    let all = || sharing.tests.iter().flat_map(|test| &test.disks);
    let loses = |disk: &&SharingDisk| disk.rates.is_some_and(|it| it.loses);
    if !all().any(|disk| loses(&disk)) {
        let kept = all().filter_map(|disk| Some(disk.rates?.kept));
        let least = kept.reduce(f64::min).unwrap_or(sum.kept);
        return text!(
            "Sharing costs nothing: together each disk keeps {} of its rate or more.",
            number::percent(least.min(1.0))
        );
    }
    let of_test = test.disks.iter().filter_map(|disk| {
        let kept = number::percent(disk.rates?.kept);
        Some(text!("{} keeps {kept}", disk.label))
    });
    text!(
        "Together the disks reach {} of what they do one by one ({} {}): {}.",
        number::percent(sum.kept),
        test.name,
        direction(document, test),
        Text::list(of_test, ", ")
    )
}

fn direction(document: &RunDocument, test: &SharingTest) -> Text {
    let first = test.disks.first();
    let result = first.and_then(|disk| document.results.get(disk.alone));
    result.map_or_else(Text::default, |result| phrase(&result.direction_label()))
}

fn table(document: &RunDocument, sharing: &Contention, unit: BandwidthUnit) -> Table {
    let lines: Vec<Line<'_>> = (sharing.tests.iter())
        .flat_map(|test| {
            let disks = test.disks.iter().map(move |disk| (test, Some(disk)));
            disks.chain([(test, None)])
        })
        .collect();
    let result = |index: usize| document.results.get(index);
    let of = move |index: usize| {
        let figures = figures_in(result(index)?, unit)?;
        Some(figures.median / unit.bytes())
    };
    let rate = move |(test, disk): &Line<'_>, pick: fn(&SharingDisk) -> usize| {
        let rate = match disk {
            Some(disk) => of(pick(disk)),
            None => test.disks.iter().map(|disk| of(pick(disk))).sum(),
        };
        rate.map(Cell::rate)
    };
    let spread = move |(_, disk): &Line<'_>, pick: fn(&SharingDisk) -> usize| {
        let figures = figures_in(result(pick((*disk)?))?, unit)?;
        Some(figures.spread(unit.bytes())?.replace("± ", "±"))
    };
    let alone = |disk: &SharingDisk| disk.alone;
    let together = |disk: &SharingDisk| disk.together;
    named(document, &lines)
        .column(point("alone").under(unit.name()), move |line| {
            rate(line, alone)
        })
        .column(right("± run").under(unit.name()).rank(3), move |line| {
            spread(line, alone)
        })
        .column(point("together").under(unit.name()), move |line| {
            rate(line, together)
        })
        .column(right("± run").under(unit.name()).rank(4), move |line| {
            spread(line, together)
        })
        .column(right("Kept"), |(test, disk)| {
            let rates = disk.map_or(test.sum, |disk| disk.rates);
            Some(number::percent(rates?.kept))
        })
        .column(right("95 % interval").rank(2), |(_, disk)| {
            let [low, high] = (*disk)?.rates?.kept_95?;
            Some(Cell::Name(format!(
                "{:.1}–{:.1} %",
                low * 100.0,
                high * 100.0
            )))
        })
        .column(right("p99").under("latency").rank(5), move |(_, disk)| {
            let latency = result((*disk)?.together)?.latency_ns.as_ref()?;
            Cell::time(latency.p99)
        })
        .column(left("Verdict").rank(1), move |(_, disk)| {
            Some(verdict(document, result((*disk)?.together)?))
        })
        .turning(|(before, _), (after, _)| !std::ptr::eq(*before, *after))
        .table()
}

/// The columns that say what a line is of.
fn named<'a>(document: &RunDocument, lines: &'a [Line<'a>]) -> TableBuilder<'a, Line<'a>> {
    let is_first = |test: &SharingTest, disk: Option<&SharingDisk>| {
        disk.is_some_and(|disk| std::ptr::eq(disk, &test.disks[0]))
    };
    Table::of(lines)
        .column(left("Row"), |(test, disk)| {
            Some(match is_first(test, *disk) {
                true => Cell::Name(test.name.clone()),
                false => Cell::Name(String::new()),
            })
        })
        .column(left("Direction").quiet(), |(test, disk)| {
            Some(match is_first(test, *disk) {
                true => direction(document, test),
                false => Text::default(),
            })
        })
        .column(left("Disk"), |(_, disk)| {
            Some(match disk {
                Some(disk) => Text::name(disk.label.clone()),
                None => text!("all"),
            })
        })
}

fn verdict(document: &RunDocument, result: &ResultDocument) -> Cell {
    verdict_cell(result, document.schedule.trials)
}
