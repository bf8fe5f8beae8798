//! A run as a card: what the disk is, the figures that people know, and what they come to.

use sokudo_model::disk::HealthState;
use sokudo_model::{DriveConditions, MethodTrait, TargetKind};
use sokudo_words::{Text, text};

use crate::article::{Article, Element};
use crate::assessment_table;
use crate::date;
use crate::disk_words;
use crate::document::{ResultDocument, RunDocument};
use crate::figure::figures_in;
use crate::number;
use crate::run;
use crate::style::BandwidthUnit;
use crate::table::{Cell, Head, Table, Tone, left, point, right};
use crate::unique::unique;
use crate::wording::row_alone;

/// Rows by their names, and by what they did.
pub(crate) struct Sides<'a> {
    /// What was done: reads, writes, mixes.
    pub(crate) names: Vec<&'static str>,
    /// Each row with what it did, in the order of the names.
    pub(crate) rows: Vec<(&'a str, Vec<Option<&'a ResultDocument>>)>,
}

/// What stands above the sentence of a card.
pub(crate) fn article(document: &RunDocument, unit: BandwidthUnit) -> Article<'_> {
    let mut article = Article::default();
    run::add_answer(&mut article, document);
    let (title, facts) = heading(document);
    article.marked(title, "", vec![Text::list(facts, " · ")]);
    match Sides::of(document) {
        Some(sides) => article.add(Element::Table(table(&sides, unit))),
        None => article.append(run::brief_figures(document, unit)),
    }
    let assessment = document.disk_assessment.as_deref();
    if let Some((answer, sentence)) = assessment.and_then(assessment_table::answer) {
        article.add(Element::Answer(Tone::of_answer(answer), sentence));
    }
    article
}

/// What was measured, and what is known of it.
pub(crate) fn heading(document: &RunDocument) -> (Text, Vec<Text>) {
    let target = &document.target;
    let name = Text::name(target.path.clone().unwrap_or_else(|| target.name.clone()));
    let mut facts: Vec<Text> = Vec::new();
    let title = match document.conditions.drives.as_slice() {
        [] => match target.leaves().find_map(|leaf| leaf.model.as_deref()) {
            Some(model) => text!("{} ({name})", model.trim()),
            None => name,
        },
        [drive] => {
            let disk = &drive.disk;
            facts.extend(of_drive(drive));
            let size = disk.size_bytes;
            let size = size.map(|size| Text::name(number::decimal_size(size, 2)));
            let parts = [disk_words::model(disk)].into_iter().chain(size);
            text!("{} ({name})", Text::list(parts, ", "))
        }
        several => text!("{} disks ({name})", several.len()),
    };
    let file_system = target.file_system.as_ref();
    facts.extend(file_system.map(|it| text!("{} on {}", it.kind, it.mount_point)));
    let is_made = target.kind == TargetKind::Directory;
    let size = target.size_bytes.filter(|_| is_made);
    facts.extend(size.map(|size| text!("test file of {size}")));
    facts.push(Text::name(date::for_people(&document.began())));
    facts.extend(document.label.iter().map(Text::name));
    (title, facts)
}

/// How it is connected, how it is, and how warm the run has made it.
fn of_drive(drive: &DriveConditions) -> Vec<Text> {
    let disk = &drive.disk;
    let health = (disk.health.state != HealthState::Unknown)
        .then(|| Text::from(disk_words::health(disk.health.state)));
    let firmware = disk.firmware.as_ref();
    let firmware = firmware.map(|firmware| text!("firmware {firmware}"));
    let heats = [drive.before, drive.after].map(|heat| heat.temperature_celsius);
    let temperature = match heats {
        [Some(before), Some(after)] if before != after => Some(text!("{before} → {after} °C")),
        [before, after] => {
            disk_words::temperature(after.or(before).or(disk.health.temperature_celsius))
        }
    };
    let connection = disk.link.as_ref().map(|_| disk_words::connection(disk));
    let parts = [connection, firmware, health, temperature];
    parts.into_iter().flatten().collect()
}

impl<'a> Sides<'a> {
    /// `None` where a run is no table of such rows.
    pub(crate) fn of(document: &'a RunDocument) -> Option<Self> {
        if !document.plan.method.is(MethodTrait::PairsDirections) {
            return None;
        }
        let results = document.results_by_direction();
        let mut sides = Self {
            names: unique(results.iter().map(|result| result.direction.name())),
            rows: Vec::new(),
        };
        for result in results {
            if sides.rows.iter().all(|(name, _)| *name != result.name) {
                let none = vec![None; sides.names.len()];
                sides.rows.push((&result.name, none));
            }
            let side = result.direction.name();
            let side = sides.names.iter().position(|name| *name == side)?;
            let mut rows = sides.rows.iter_mut();
            let (_, row) = rows.find(|(name, _)| *name == result.name)?;
            if row[side].replace(result).is_some() {
                return None;
            }
        }
        Some(sides)
    }

    /// Every row that there is.
    pub(crate) fn all(&self) -> impl Iterator<Item = &'a ResultDocument> {
        self.rows.iter().flat_map(|(_, row)| row).copied().flatten()
    }
}

fn table(sides: &Sides<'_>, unit: BandwidthUnit) -> Table {
    let mut rows = Table::of(&sides.rows).column(left("Row"), |(name, _)| Some(row_alone(name)));
    for (side, name) in sides.names.iter().enumerate() {
        let under = |head: Head| head.under(name);
        let figures = move |row: &[Option<&ResultDocument>]| figures_in(row[side]?, unit).cloned();
        rows = rows
            .column(under(point(unit.name())), move |(_, row)| {
                Some(Cell::rate(figures(row)?.median / unit.bytes()))
            })
            .column(under(right("±")), move |(_, row)| {
                Some(number::percent(figures(row)?.reach()?))
            })
            .column_if(
                unit != BandwidthUnit::IosPerSecond,
                under(point("IOPS")).rank(1),
                move |(_, row)| Some(Cell::rate(row[side]?.iops.as_ref()?.median)),
            );
    }
    rows.table()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use sokudo_model::disk::Disk;
    use sokudo_model::{Bytes, Heat};

    #[test]
    fn a_card_says_how_large_its_file_was_and_how_warm_the_drive_became() {
        let mut run = sample::run();
        run.target.kind = TargetKind::Directory;
        run.target.size_bytes = Some(Bytes::gib(1));
        let heat = |celsius| Heat {
            temperature_celsius: celsius,
            ..Heat::default()
        };
        let mut facts_of = |before, after| {
            run.conditions.drives = vec![DriveConditions {
                disk: Disk::unknown("sda"),
                before: heat(before),
                after: heat(after),
                segments_max: None,
                link_power: None,
                runtime_power: None,
                moved_before: None,
                flash_writes: None,
            }];
            let document = RunDocument::from_run(&run);
            let facts: Vec<String> = heading(&document).1.iter().map(Text::english).collect();
            facts
        };
        let facts = facts_of(Some(41), Some(55));
        assert!(facts.contains(&"41 → 55 °C".to_owned()), "{facts:?}");
        assert!(
            facts.contains(&"test file of 1 GiB".to_owned()),
            "{facts:?}"
        );
        assert!(facts_of(Some(41), Some(41)).contains(&"41 °C".to_owned()));
        assert!(facts_of(None, Some(55)).contains(&"55 °C".to_owned()));
        let unknown = facts_of(None, None);
        assert!(
            unknown.iter().all(|fact| !fact.contains("°C")),
            "{unknown:?}"
        );
    }
}
