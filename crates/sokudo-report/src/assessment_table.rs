//! Whether a disk is as it should be, for people: the answer in a sentence, then a line per point.

use sokudo_model::{
    AssessedPoint, DiskAnswer, DiskAssessment, LOOKED_AT, UNCHECKED_CAPACITY, UNKNOWN_HEALTH,
    UNREAD_BLOCKS,
};
use sokudo_words::{Text, text};

use crate::article::{Article, Element};
use crate::table::Tone;
use crate::wording::phrase;

pub const fn tone(answer: Option<DiskAnswer>) -> Tone {
    match answer {
        Some(DiskAnswer::Ok) => Tone::Good,
        Some(DiskAnswer::OkBut) | None => Tone::Doubtful,
        Some(DiskAnswer::NotOk) => Tone::Bad,
    }
}

/// What it comes to, in one sentence: the gravest point, or of a good disk what its speed is held
/// against, which stands first.
pub fn answer(assessment: &DiskAssessment) -> Option<(Tone, Text)> {
    let answer = assessment.answer;
    let points = assessment.points.iter();
    let mut as_grave = points.filter(|point| point.answer == answer);
    let found = as_grave.next()?.found.clone();
    let more = match as_grave.count() {
        0 => Text::default(),
        more => text!(" (+ {more} more)"),
    };
    let unseen = not_looked_at(assessment);
    let sentence = match answer {
        None => text!("CANNOT SAY: {found}"),
        Some(DiskAnswer::Ok) if !unseen.is_empty() => {
            text!("OK so far (not looked at: {unseen}): {found}")
        }
        Some(DiskAnswer::Ok) => text!("OK: {found}"),
        Some(DiskAnswer::OkBut) => text!("OK BUT: {found}{more}"),
        Some(DiskAnswer::NotOk) => text!("NOT OK: {found}{more}"),
    };
    Some((tone(answer), sentence))
}

/// What nobody looked at, in a few words.
fn not_looked_at(assessment: &DiskAssessment) -> Text {
    let words = assessment
        .points
        .iter()
        .flat_map(|point| -> &[&'static str] {
            match &*point.code {
                UNKNOWN_HEALTH => &["health"],
                UNREAD_BLOCKS => &["all blocks"],
                UNCHECKED_CAPACITY => &["real size"],
                LOOKED_AT => &["all blocks", "real size"],
                _ => &[],
            }
        });
    Text::list(words.copied().map(Text::from), ", ")
}

/// The answer, what it comes from, and what to do about it, a line per point.
pub fn add<'a>(article: &mut Article<'a>, assessment: &'a DiskAssessment) {
    if let Some((tone, sentence)) = answer(assessment) {
        article.add(Element::Answer(tone, sentence));
    }
    add_points(article, assessment);
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
