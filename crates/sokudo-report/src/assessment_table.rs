//! Whether a disk is as it should be, for people: the answer in a sentence, then a line per point.

use sokudo_model::{
    AssessedPoint, BlockDevice, DiskAnswer, DiskAssessment, DriveConditions, LOOKED_AT,
    POSSIBLE_FAKE, Run, RunAnswer, UNCHECKED_CAPACITY, UNKNOWN_HEALTH, UNREAD_BLOCKS, narrow,
};
use sokudo_words::{Text, text};

use crate::article::{Article, Element};
use crate::disk_words;
use crate::document::RunDocument;
use crate::table::{Cell, Table, TableBuilder, Tone, left, right};
use crate::wording::phrase;

/// The answer where this was not looked at, which is not called OK.
fn answered(answer: Option<DiskAnswer>, unseen: &Text) -> RunAnswer {
    match answer {
        None => RunAnswer::CannotSay,
        Some(DiskAnswer::Ok) if !unseen.is_empty() => RunAnswer::OkSoFar,
        Some(DiskAnswer::Ok) => RunAnswer::Ok,
        Some(DiskAnswer::OkBut) => RunAnswer::OkBut,
        Some(DiskAnswer::NotOk) => RunAnswer::NotOk,
    }
}

/// What it comes to, in one sentence: the gravest point, or of a good disk what its speed is held
/// against, which stands first.
pub fn answer(assessment: &DiskAssessment) -> Option<(RunAnswer, Text)> {
    let answer = assessment.answer;
    let points = assessment.points.iter();
    let mut as_grave = points.filter(|point| point.answer == answer);
    let found = as_grave.next()?.found.clone();
    let more = match as_grave.count() {
        0 => Text::default(),
        more => text!(" (+ {more} more)"),
    };
    let unseen = not_looked_at(&assessment.points);
    let answer = answered(answer, &unseen);
    let sentence = match answer {
        RunAnswer::OkSoFar => text!("OK so far (not looked at: {unseen}): {found}"),
        RunAnswer::Ok => text!("OK: {found}"),
        RunAnswer::OkBut => text!("OK BUT: {found}{more}"),
        RunAnswer::NotOk => text!("NOT OK: {found}{more}"),
        _ => text!("CANNOT SAY: {found}"),
    };
    let sentences = std::iter::once(sentence).chain(doubted_size(assessment));
    Some((answer, Text::list(sentences, "; ")))
}

/// That a disk may be a fake: of one that is to be returned anyway nobody needs to hear it.
fn doubted_size(assessment: &DiskAssessment) -> Option<Text> {
    let mut points = assessment.points.iter();
    let is_bad = assessment.answer == Some(DiskAnswer::NotOk);
    (!is_bad && points.any(|point| point.code == POSSIBLE_FAKE))
        .then(|| "real size not tested: it may be a fake".into())
}

/// What nobody looked at, in a few words, each once.
fn not_looked_at<'a>(points: impl IntoIterator<Item = &'a AssessedPoint>) -> Text {
    let [mut health, mut blocks, mut size] = [false; 3];
    for point in points {
        health |= point.code == UNKNOWN_HEALTH;
        blocks |= [UNREAD_BLOCKS, LOOKED_AT].contains(&&*point.code);
        size |= [UNCHECKED_CAPACITY, POSSIBLE_FAKE, LOOKED_AT].contains(&&*point.code);
    }
    let words = [
        (health, "health"),
        (blocks, "all blocks"),
        (size, "real size"),
    ];
    let words = words.into_iter().filter(|(is_unseen, _)| *is_unseen);
    Text::list(words.map(|(_, word)| Text::from(word)), ", ")
}

/// One disk of those that a run has judged.
#[derive(Clone, Copy, Debug)]
pub struct JudgedDisk<'a> {
    /// Its place among the targets of the run, from 0.
    pub target: usize,
    /// As it was named.
    pub name: &'a str,
    /// What it is called in the names of rows; `None` where it is the only one.
    pub label: Option<&'a str>,
    pub assessment: &'a DiskAssessment,
}

impl JudgedDisk<'_> {
    /// Its label does not show how it was named.
    fn is_letter(&self) -> bool {
        let last = self.name.rsplit('/').next();
        self.label.is_some_and(|label| last != Some(label))
    }
}

/// So many disks that come to the same are named in the sentence; of more the first alone.
const NAMED_MAX: usize = 3;

/// The gravest point, which its answer comes from.
fn decisive(assessment: &DiskAssessment) -> Option<&AssessedPoint> {
    let mut points = assessment.points.iter();
    points.find(|point| point.answer == assessment.answer)
}

/// What disks come to; `None` where none was judged.
pub fn answer_of_all(disks: &[JudgedDisk<'_>]) -> Option<(RunAnswer, Text)> {
    if let [disk] = disks {
        return answer(disk.assessment);
    }
    let rank = |disk: &&JudgedDisk<'_>| match disk.assessment.answer {
        Some(DiskAnswer::Ok) => 0,
        Some(DiskAnswer::OkBut) => 1,
        None => 2,
        Some(DiskAnswer::NotOk) => 3,
    };
    let worst = disks.iter().rev().max_by_key(rank)?;
    let answer = worst.assessment.answer;
    let is_alike = |disk: &&JudgedDisk<'_>| disk.assessment.answer == answer;
    let (alike, all) = (disks.iter().filter(is_alike).count(), disks.len());
    let named = if alike <= NAMED_MAX { alike } else { 1 };
    let named = disks
        .iter()
        .filter(is_alike)
        .take(named)
        .filter_map(|disk| {
            let name = disk.label.unwrap_or(disk.name);
            let found = decisive(disk.assessment)?.found.clone();
            Some(text!("{name}: {found}"))
        });
    let found = Text::list(named, "; ");
    let unseen = not_looked_at(disks.iter().flat_map(|disk| &disk.assessment.points));
    let answer = answered(answer, &unseen);
    let sentence = match answer {
        RunAnswer::OkSoFar => {
            text!("OK so far (not looked at: {unseen}): all {all} disks are as they should be")
        }
        RunAnswer::Ok => text!("OK: all {all} disks are as they should be"),
        RunAnswer::OkBut => text!("OK BUT: {alike} of {all} disks; {found}"),
        RunAnswer::NotOk => text!("NOT OK: {alike} of {all} disks; {found}"),
        _ => text!("CANNOT SAY: {alike} of {all} disks; {found}"),
    };
    let doubts = disks.iter().filter_map(|disk| {
        let name = disk.label.unwrap_or(disk.name);
        let doubt = doubted_size(disk.assessment)?;
        Some(text!("{name}: {doubt}"))
    });
    let sentences = std::iter::once(sentence).chain(doubts.take(NAMED_MAX));
    Some((answer, Text::list(sentences, "; ")))
}

/// Adds what each disk comes to, in a sentence.
pub(crate) fn add_answers(article: &mut Article<'_>, document: &RunDocument) {
    for (answer, sentence) in answers(document) {
        article.add(Element::Answer(Tone::of_answer(answer), sentence));
    }
}

/// What each disk comes to, by its name where there are several.
pub(crate) fn answers(document: &RunDocument) -> Vec<(RunAnswer, Text)> {
    let one = document.disk_assessment.iter().map(|it| (None, &**it));
    let several = document.assessed_disks.iter();
    let several = several.map(|it| (Some(&*it.label), &it.assessment));
    let labelled = |(label, assessment): (Option<&str>, &DiskAssessment)| {
        let (answer, sentence) = answer(assessment)?;
        let sentence = match label {
            Some(label) => text!("{label}: {sentence}"),
            None => sentence,
        };
        Some((answer, sentence))
    };
    one.chain(several).filter_map(labelled).collect()
}

/// The verdicts: one sentence for all, one table, and what each verdict comes from.
pub fn add_all<'a>(
    article: &mut Article<'a>,
    disks: &[JudgedDisk<'a>],
    table: Table,
) -> Option<RunAnswer> {
    let (answer, sentence) = answer_of_all(disks)?;
    article.add(Element::Answer(Tone::of_answer(answer), sentence));
    article.add(Element::Table(table));
    for disk in disks {
        if let Some(label) = disk.label {
            article.add(Element::Heading(match disk.is_letter() {
                false => Text::name(disk.name),
                true => text!("{label}: {}", disk.name),
            }));
        }
        add_points(article, disk.assessment);
    }
    Some(answer)
}

/// What is thought of each disk that was asked for, in the order of the targets.
pub fn judged_disks(run: &Run) -> Vec<JudgedDisk<'_>> {
    let one = run.disk_assessment.iter().map(|assessment| JudgedDisk {
        target: 0,
        name: &run.target.name,
        label: None,
        assessment,
    });
    let several = run.assessed_disks.iter().map(|disk| JudgedDisk {
        target: narrow(disk.target),
        name: &disk.name,
        label: Some(&disk.label),
        assessment: &disk.assessment,
    });
    let burnt_in = run.burn_in.iter().flat_map(|it| &it.disks).enumerate();
    let burnt_in = burnt_in.map(|(target, disk)| JudgedDisk {
        target,
        name: &disk.name,
        label: disk.label.as_deref(),
        assessment: &disk.assessment,
    });
    one.chain(several).chain(burnt_in).collect()
}

/// A line for each of them.
pub fn table_of_all(run: &Run, disks: &[JudgedDisk<'_>]) -> Table {
    let health = |disk: &JudgedDisk<'_>| Some(&drive(run, disk.target)?.disk.health);
    identified(Table::of(disks), run, |disk| *disk)
        .column_if_any(left("Health").rank(3), |disk| {
            Some(disk_words::health(health(disk)?.state))
        })
        .column_if_any(right("°C").rank(4), |disk| {
            Some(Cell::Name(health(disk)?.temperature_celsius?.to_string()))
        })
        .column_if_any(left("Why").rank(2).sentence_at_most(48, 20), |disk| {
            let point = decisive(disk.assessment)?;
            let found = (point.answer != Some(DiskAnswer::Ok)).then(|| point.found.clone());
            let all = Text::list(found.into_iter().chain(doubted_size(disk.assessment)), "; ");
            (!all.is_empty()).then_some(all)
        })
        .table()
}

/// Columns that say which disk a line is of, by its name, its serial number and its slot, and its
/// verdict.
pub fn identified<'r, R>(
    table: TableBuilder<'r, R>,
    run: &Run,
    disk: impl Fn(&R) -> JudgedDisk<'r>,
) -> TableBuilder<'r, R> {
    table
        .column_if_any(left("Disk"), |row| {
            disk(row).label.map(|label| Cell::Name(label.to_owned()))
        })
        .column_if_any(left("Target").rank(3).at_most(32, 16), |row| {
            let disk = disk(row);
            disk.is_letter().then(|| Cell::Name(disk.name.to_owned()))
        })
        .column_if_any(left("Serial").rank(1), |row| {
            Some(Cell::Name(serial(run, disk(row).target)?.to_owned()))
        })
        .column_if_any(left("Slot").rank(1), |row| {
            let slot = drive(run, disk(row).target)?.disk.slot.clone()?;
            Some(Cell::Name(slot))
        })
        .column(left("Verdict"), |row| Some(verdict(disk(row).assessment)))
}

/// The words of its answer, as far as the disk was looked at.
pub(crate) fn verdict(assessment: &DiskAssessment) -> Cell {
    let DiskAssessment { answer, points } = assessment;
    let answered = answered(*answer, &not_looked_at(points));
    let words = answer.map_or_else(|| label(None), |_| answered.name().into());
    Cell::Judged(Tone::of_answer(answered), words)
}

/// The one device at the bottom of a target.
fn leaf(run: &Run, target: usize) -> Option<&BlockDevice> {
    let mut leaves = run.all_targets().get(target)?.leaves();
    leaves.next().filter(|_| leaves.next().is_none())
}

/// The serial number of the one disk under a target.
pub(crate) fn serial(run: &Run, target: usize) -> Option<&str> {
    let of_drive = drive(run, target).and_then(|it| it.disk.serial.as_deref());
    let serial = of_drive.or_else(|| leaf(run, target)?.serial.as_deref());
    serial.map(str::trim)
}

/// What is known of the one drive under a target.
pub(crate) fn drive(run: &Run, target: usize) -> Option<&DriveConditions> {
    let leaf = leaf(run, target)?;
    let mut drives = run.conditions.drives.iter();
    drives.find(|drive| drive.disk.name == leaf.name)
}

/// The answer, what it comes from, and what to do about it, a line per point.
pub fn add<'a>(article: &mut Article<'a>, assessment: &'a DiskAssessment) -> Option<RunAnswer> {
    let answer = answer(assessment).map(|(answer, sentence)| {
        article.add(Element::Answer(Tone::of_answer(answer), sentence));
        answer
    });
    add_points(article, assessment);
    answer
}

/// A line per point.
pub fn add_points<'a>(article: &mut Article<'a>, assessment: &'a DiskAssessment) {
    let points = assessment.points.iter();
    let points = points.map(|point| {
        let label = match point.is_not_looked_at() {
            true => "not looked at".into(),
            false => label(point.answer),
        };
        (label, finding_text(point).into())
    });
    article.add(Element::Facts(points.collect()));
}

/// The words of an answer.
pub fn label(answer: Option<DiskAnswer>) -> Text {
    Text::from(answer.map_or("not judged", DiskAnswer::name))
}

/// What was found, and what to do about it.
fn finding_text(point: &AssessedPoint) -> Text {
    let found = point.found.clone();
    match point.remedy.is_empty() {
        true => found,
        false => text!("{found}; {}", point.remedy.clone()),
    }
}

/// What was expected, and who says so.
pub fn add_sources<'a>(article: &mut Article<'a>, points: impl Iterator<Item = &'a AssessedPoint>) {
    let expects = |point: &&AssessedPoint| !point.is_not_looked_at();
    let mut distinct_points: Vec<&AssessedPoint> = points.filter(expects).collect();
    distinct_points.sort_by_key(|point| &*point.code);
    distinct_points.dedup_by_key(|point| &*point.code);
    let expected = distinct_points.iter().map(|point| {
        text!(
            "{}: {} [{}; {}]",
            Text::name(&*point.code),
            phrase(&point.expected),
            phrase(&point.source),
            Text::name(&*point.date)
        )
    });
    article.marked("What is expected, and by whom:", "", expected.collect());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(code: &str, answer: Option<DiskAnswer>, found: &'static str) -> AssessedPoint {
        AssessedPoint {
            code: code.to_owned(),
            answer,
            found: found.into(),
            remedy: Text::default(),
            expected: String::new(),
            source: String::new(),
            date: String::new(),
        }
    }

    #[test]
    fn what_may_be_a_fake_is_said_in_the_first_line_of_all_but_what_is_bad() {
        let of = |answer| {
            let untested = point(POSSIBLE_FAKE, None, "real size: untested");
            DiskAssessment::of(vec![point("x", answer, "found"), untested]).unwrap()
        };
        let says = "real size not tested: it may be a fake";
        let stick = of(Some(DiskAnswer::Ok));
        let alone = answer(&stick).unwrap().1.english();
        let expected = format!("OK so far (not looked at: real size): found; {says}");
        assert_eq!(alone, expected);
        let bad = of(Some(DiskAnswer::NotOk));
        assert_eq!(answer(&bad).unwrap().1.english(), "NOT OK: found");
        let disk = |label, assessment| JudgedDisk {
            target: 0,
            name: label,
            label: Some(label),
            assessment,
        };
        let both = [disk("sda", &bad), disk("sdb", &stick)];
        let both = answer_of_all(&both).unwrap().1.english();
        assert_eq!(
            both,
            format!("NOT OK: 1 of 2 disks; sda: found; sdb: {says}")
        );
    }
}
