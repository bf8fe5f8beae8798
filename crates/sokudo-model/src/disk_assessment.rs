//! Whether a disk is well, and as fast as it should be: what was expected of it, and what was
//! found.
//!
//! What is expected stands in one file of `sokudo-analysis`, which judges; nothing is judged here.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_words::Text;

use crate::sentences;

/// The point that says why the health is not known.
pub const UNKNOWN_HEALTH: &str = "unknown-health";
/// The point that says why not all blocks were read.
pub const UNREAD_BLOCKS: &str = "unread-blocks";
/// The point that says why the real size is not known.
pub const UNCHECKED_CAPACITY: &str = "unchecked-capacity";
/// The same of a disk of a kind that is sold with false sizes.
pub const POSSIBLE_FAKE: &str = "possible-fake";
/// The point of runs that were kept before these: blocks and capacity in one.
pub const LOOKED_AT: &str = "looked-at";

/// What is thought of a disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiskAssessment {
    /// The gravest answer of all points; null where none could be judged.
    pub answer: Option<DiskAnswer>,
    /// What was held against what is expected, the gravest first.
    pub points: Vec<AssessedPoint>,
}

impl DiskAssessment {
    /// The assessment that these points come to; `None` where there is none.
    pub fn of(mut points: Vec<AssessedPoint>) -> Option<Self> {
        points.sort_by_key(|point| Reverse(point.answer));
        let answer = points.first()?.answer;
        Some(Self { answer, points })
    }

    /// The same with another point.
    #[must_use]
    pub fn with(self, point: AssessedPoint) -> Self {
        let at = (self.points).partition_point(|it| it.answer >= point.answer);
        let mut points = self.points;
        points.insert(at, point);
        Self {
            answer: points[0].answer,
            points,
        }
    }
}

impl AssessedPoint {
    /// Whether it only says that something was not looked at.
    pub fn is_not_looked_at(&self) -> bool {
        matches!(
            &*self.code,
            UNKNOWN_HEALTH | UNREAD_BLOCKS | UNCHECKED_CAPACITY | POSSIBLE_FAKE | LOOKED_AT
        )
    }
}

/// What is thought of one disk of several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssessedDisk {
    /// Its place among the targets of the run, from 0.
    pub target: u32,
    /// The disk, as it was named.
    pub name: String,
    /// What it is called in the names of rows.
    pub label: String,
    /// Whether it is well, and as fast as it should be.
    pub assessment: DiskAssessment,
}

/// Whether a disk is as it should be, the gravest last.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum DiskAnswer {
    /// Everything that could be held against an expectation meets it.
    Ok,
    /// It works, and something is worse than it could be.
    OkBut,
    /// It is failing, or much slower than such a disk is.
    NotOk,
}

impl DiskAnswer {
    /// The words that stand for it wherever it is told.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::OkBut => "OK BUT",
            Self::NotOk => "NOT OK",
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssessedPoint {
    /// A stable word for scripts, such as `link-share`: the name of what was expected.
    pub code: String,
    /// How it stands to what was expected; null where that could not be judged, or is only told.
    pub answer: Option<DiskAnswer>,
    /// What was found, in one sentence.
    #[serde(with = "sentences")]
    #[schemars(with = "String")]
    pub found: Text,
    /// What to do about it; empty where there is nothing to do.
    #[serde(default, skip_serializing_if = "Text::is_empty", with = "sentences")]
    #[schemars(with = "String")]
    pub remedy: Text,
    /// What is expected, as a formula or a rule, in English.
    pub expected: String,
    /// Where that comes from, in English.
    pub source: String,
    /// When that was published, or looked up.
    pub date: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(code: &str, answer: Option<DiskAnswer>) -> AssessedPoint {
        AssessedPoint {
            code: code.to_owned(),
            answer,
            found: Text::default(),
            remedy: Text::default(),
            expected: String::new(),
            source: String::new(),
            date: String::new(),
        }
    }

    #[test]
    fn the_gravest_point_is_the_answer_and_stands_first() {
        let points = vec![
            point("told", None),
            point("good", Some(DiskAnswer::Ok)),
            point("bad", Some(DiskAnswer::NotOk)),
        ];
        let assessment = DiskAssessment::of(points).unwrap();
        assert_eq!(assessment.answer, Some(DiskAnswer::NotOk));
        let codes = assessment.points.iter().map(|it| it.code.as_str());
        assert_eq!(codes.collect::<Vec<_>>(), ["bad", "good", "told"]);
        let unjudged = DiskAssessment::of(vec![point("told", None)]).unwrap();
        assert_eq!(unjudged.answer, None);
        let better = unjudged.with(point("good", Some(DiskAnswer::Ok)));
        assert_eq!(better.answer, Some(DiskAnswer::Ok));
        assert_eq!(better.points[0].code, "good");
        assert_eq!(DiskAssessment::of(Vec::new()), None);
    }
}
