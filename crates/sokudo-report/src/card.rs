//! A run as a card: what the disk is, the figures that people know, and what they come to.

use sokudo_model::disk::HealthState;
use sokudo_model::{DriveConditions, MethodTrait, TargetInfo, TargetKind};
use sokudo_words::{Text, text};

use crate::article::{Article, Element};
use crate::assessment_table;
use crate::date;
use crate::disk_words;
use crate::document::{ResultDocument, RunDocument};
use crate::figure::figures_in;
use crate::number;
use crate::run;
use crate::shortfall::{is_sound, verdict_cell};
use crate::style::BandwidthUnit;
use crate::table::{Cell, Head, Table, left, point, right};
use crate::unique::unique;
use crate::wording::{row_alone, target};

/// Rows by their names, and by what they did.
pub(crate) struct Sides<'a> {
    /// What was done: reads, writes, mixes.
    pub(crate) names: Vec<&'static str>,
    /// Each row with what it did, in the order of the names.
    pub(crate) rows: Vec<(&'a str, Vec<Option<&'a ResultDocument>>)>,
}

/// What stands above the sentence of a card.
pub(crate) fn article(document: &RunDocument, unit: BandwidthUnit) -> Article<'_> {
    let (mut article, _) = run::answered(document);
    let (title, facts) = heading(document);
    let facts = std::iter::once(Text::list(facts, " · "));
    article.marked(title, "", facts.chain(disks(document)).collect());
    match Sides::of(document) {
        Some(sides) => article.add(Element::Table(table(document, &sides, unit))),
        None => article.append(run::brief_figures(document, unit)),
    }
    assessment_table::add_answers(&mut article, document);
    article
}

/// What each of several disks is; empty of one, which the heading describes.
pub(crate) fn disks(document: &RunDocument) -> Vec<Text> {
    let line = |(label, target): (&str, &TargetInfo)| {
        let (title, facts) = of_target(document, target);
        let facts = Text::list(std::iter::once(title).chain(facts), " · ");
        text!("{label}: {facts}")
    };
    document.several_disks().into_iter().map(line).collect()
}

/// What was measured, and what is known of it.
pub(crate) fn heading(document: &RunDocument) -> (Text, Vec<Text>) {
    let (title, mut facts) = match document.several_disks().len() {
        0 => of_target(document, &document.target),
        many => {
            let names = target(&document.target.name);
            (text!("{} disks ({names})", many), Vec::new())
        }
    };
    facts.push(Text::name(date::for_people(&document.began())));
    facts.extend(document.label.iter().map(Text::name));
    (title, facts)
}

/// What a target is called, and what is known of it.
fn of_target(document: &RunDocument, target: &TargetInfo) -> (Text, Vec<Text>) {
    let name = Text::name(target.path.clone().unwrap_or_else(|| target.name.clone()));
    let mut facts: Vec<Text> = Vec::new();
    let is_below = |drive: &&DriveConditions| {
        let mut leaves = target.leaves();
        document.targets.is_empty() || leaves.any(|leaf| leaf.name == drive.disk.name)
    };
    let drives = document.conditions.drives.iter();
    let drives: Vec<&DriveConditions> = drives.filter(is_below).collect();
    let title = match drives.as_slice() {
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

fn table(document: &RunDocument, sides: &Sides<'_>, unit: BandwidthUnit) -> Table {
    let mut rows = Table::of(&sides.rows).column(left("Row"), |(name, _)| Some(row_alone(name)));
    for (side, name) in sides.names.iter().enumerate() {
        let under = |head: Head| head.under(name);
        let figures = move |row: &[Option<&ResultDocument>]| figures_in(row[side]?, unit).cloned();
        rows = rows
            .column(under(point(unit.name())), move |(_, row)| {
                Some(Cell::rate(figures(row)?.median / unit.bytes()))
            })
            .column(under(right("±")), move |(_, row)| match row[side]? {
                it if is_sound(it) => Some(number::percent(figures(row)?.reach()?).into()),
                it => Some(verdict_cell(it, document.schedule.trials_of(&it.workload))),
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
    use crate::shortfall::verdict_text;
    use sokudo_model::disk::Disk;
    use sokudo_model::{AssessedDisk, AssessedPoint, Bytes, DiskAnswer, DiskAssessment, Heat};
    use sokudo_words::Language;

    #[test]
    fn a_figure_of_a_row_that_failed_or_is_no_disks_stands_with_its_verdict() {
        let run = sample::troubled_run();
        let document = RunDocument::from_run(&run);
        let doubted = document.results.iter().filter(|it| !is_sound(it));
        let names: Vec<String> = doubted
            .map(|it| verdict_text(it, document.schedule.trials_of(&it.workload)).english())
            .collect();
        assert!(names.iter().any(|it| it.contains("failed")), "{names:?}");
        let sides = Sides {
            names: vec!["read"],
            rows: document
                .results
                .iter()
                .map(|it| (it.name.as_str(), vec![Some(it)]))
                .collect(),
        };
        let table = table(&document, &sides, BandwidthUnit::MegabytesPerSecond);
        let cells = table.columns.iter().flat_map(|column| &column.cells);
        let shown: Vec<String> = cells
            .map(|cell| cell.in_language(Language::English, false).into_owned())
            .collect();
        assert!(names.iter().all(|it| shown.contains(it)), "{shown:?}");
    }

    #[test]
    fn a_card_of_several_disks_says_what_each_is_and_comes_to() {
        let mut run = sample::kept("several-free");
        let point = |found: &'static str, answer| AssessedPoint {
            code: "x".to_owned(),
            answer: Some(answer),
            found: found.into(),
            remedy: Text::default(),
            expected: String::new(),
            source: String::new(),
            date: String::new(),
        };
        let disk = |target, label: &str, point| AssessedDisk {
            target,
            name: label.to_owned(),
            label: label.to_owned(),
            assessment: DiskAssessment::of(vec![point]).unwrap(),
        };
        run.assessed_disks = vec![
            disk(0, "A", point("fast enough", DiskAnswer::Ok)),
            disk(1, "B", point("far too slow", DiskAnswer::NotOk)),
        ];
        let document = RunDocument::from_run(&run);
        let listed = crate::run::listed_answer(&document);
        assert_eq!(listed, Some(sokudo_model::RunAnswer::NotOk));
        let shown = crate::text::card(&document, &sample::style(120), &Text::default());
        for words in [
            "2 disks (sim:ssd?serial=A1 and 1 more)",
            "A: sokudo simulated solid-state drive (sim:ssd?serial=A1)",
            "B: sokudo simulated hard disk (sim:hdd?serial=B2)",
            "A: OK: fast enough",
            "B: NOT OK: far too slow",
        ] {
            assert!(shown.contains(words), "{words}: {shown}");
        }
        let whole = crate::text::render(&document, &sample::style(120));
        let line = whole.lines().find(|line| line.starts_with("Target "));
        let line = line.unwrap_or_default();
        for words in ["sim:ssd?serial=A1, sim:hdd?serial=B2 (", " together)"] {
            assert!(line.contains(words), "{line}");
        }
        for words in ["A: OK: fast enough", "B: NOT OK: far too slow"] {
            assert!(whole.contains(words), "{words}: {whole}");
        }
    }

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
