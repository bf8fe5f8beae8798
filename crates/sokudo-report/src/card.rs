//! A run as a card: what the disk is, the figures that people know, and what they come to.

use sokudo_model::Method;
use sokudo_model::disk::{Disk, HealthState};
use sokudo_words::{Text, text};

use crate::article::{Article, Element};
use crate::date;
use crate::document::{Direction, ResultDocument, RunDocument};
use crate::info::words;
use crate::number;
use crate::run;
use crate::style::BandwidthUnit;
use crate::table::{Cell, Head, Table, left, point, right};
use crate::wording::row_alone;

/// A row of the card: reads and writes of one name.
struct Pair<'a> {
    name: &'a str,
    read: Option<&'a ResultDocument>,
    write: Option<&'a ResultDocument>,
}

/// What stands above the sentence of a card.
pub(crate) fn article(document: &RunDocument, unit: BandwidthUnit) -> Article<'_> {
    let mut article = Article::default();
    let (title, facts) = heading(document);
    article.marked(title, "", vec![Text::list(facts, " · ")]);
    match pairs(document) {
        Some(pairs) => article.add(Element::Table(table(&pairs, unit))),
        None => article.append(run::brief_figures(document, unit)),
    }
    article
}

/// What was measured, and what is known of it.
fn heading(document: &RunDocument) -> (Text, Vec<Text>) {
    let target = &document.target;
    let name = Text::name(target.path.clone().unwrap_or_else(|| target.name.clone()));
    let drives = document.circumstances.drives.iter();
    let disks: Vec<&Disk> = drives.map(|drive| &drive.disk).collect();
    let mut facts = Vec::new();
    let title = match disks.as_slice() {
        [] => name.clone(),
        [disk] => {
            facts.extend(of_disk(disk));
            let size = disk.size_bytes;
            let size = size.map(|size| Text::name(number::decimal_size(size, 2)));
            let parts = [words::model(disk)].into_iter().chain(size);
            text!("{} ({name})", Text::list(parts, ", "))
        }
        several => text!("{} disks ({name})", several.len()),
    };
    let file_system = target.file_system.as_ref();
    facts.extend(file_system.map(|it| text!("{} on {}", it.kind, it.mount_point)));
    facts.push(Text::name(date::for_people(&document.started_at)));
    (title, facts)
}

/// How it is connected, how it is, and how warm.
fn of_disk(disk: &Disk) -> Vec<Text> {
    let health = (disk.health.state != HealthState::Unknown)
        .then(|| Text::from(words::health(disk.health.state)));
    let firmware = disk.firmware.as_ref();
    let firmware = firmware.map(|firmware| text!("firmware {firmware}"));
    let temperature = words::temperature(disk.health.temperature_celsius);
    let connection = disk.link.as_ref().map(|_| words::connection(disk));
    let parts = [connection, firmware, health, temperature];
    parts.into_iter().flatten().collect()
}

/// Reads and writes beside each other; `None` where rows are something else.
fn pairs(document: &RunDocument) -> Option<Vec<Pair<'_>>> {
    if !matches!(document.method, Method::Mark(_)) {
        return None;
    }
    let mut pairs: Vec<Pair<'_>> = Vec::new();
    for result in document.results_by_direction() {
        let is_new = pairs.iter().all(|pair| pair.name != result.name);
        if is_new {
            pairs.push(Pair {
                name: &result.name,
                read: None,
                write: None,
            });
        }
        let pair = pairs.iter_mut().find(|pair| pair.name == result.name)?;
        let place = match result.direction {
            Direction::Read => &mut pair.read,
            Direction::Write => &mut pair.write,
            _ => return None,
        };
        if place.replace(result).is_some() {
            return None;
        }
    }
    Some(pairs)
}

type Side = for<'a> fn(&Pair<'a>) -> Option<&'a ResultDocument>;

fn table(pairs: &[Pair<'_>], unit: BandwidthUnit) -> Table {
    let sides: [(&'static str, Side); 2] = [("read", |it| it.read), ("write", |it| it.write)];
    let mut rows = Table::of(pairs).column(left("Row"), |pair| Some(row_alone(pair.name)));
    for (name, side) in sides {
        let is_there = pairs.iter().any(|pair| side(pair).is_some());
        let under = |head: Head| head.under(name);
        let rate = move |pair: &Pair<'_>| run::figures_in(side(pair)?, unit).map(|it| it.median);
        rows = rows
            .column_if(is_there, under(point(unit.name())), move |pair| {
                Some(Cell::rate(rate(pair)? / unit.bytes()))
            })
            .column_if(is_there, under(right("±")), move |pair| {
                let figures = run::figures_in(side(pair)?, unit)?;
                Some(number::percent(figures.reach()?))
            })
            .column_if(
                is_there && unit != BandwidthUnit::IosPerSecond,
                under(point("IOPS")),
                move |pair| Some(Cell::rate(side(pair)?.iops.as_ref()?.median)),
            );
    }
    rows.table()
}
