//! What two measurements of one row say about each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_stats::Interval;
use sokudo_words::Text;

/// What a comparison of two rows comes to; always about the other one, against the
/// reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// The other is faster, by more than chance and more than the least difference that
    /// matters.
    Faster,
    /// The other is slower, likewise.
    Slower,
    /// Any difference is smaller than the least that matters: the whole interval of the
    /// ratio lies within it.
    Same,
    /// None of these was shown; that does not make them equal.
    NoDifferenceShown,
    /// So few trials could not show any difference, however large.
    TooFewTrials,
    /// The figures are not of the same thing, or not of a device.
    CannotBeCompared,
}

impl Conclusion {
    /// As people read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Same => "same",
            Self::NoDifferenceShown => "no difference shown",
            Self::TooFewTrials => "too few trials",
            Self::CannotBeCompared => "cannot be compared",
        }
    }
}

named! {
    /// How much two samples overlap, in words.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub enum Effect {
        /// Hardly anybody could tell them apart by their values.
        Negligible = "negligible",
        /// They overlap for the most part.
        Small = "small",
        /// They overlap in part.
        Medium = "medium",
        /// They overlap little or not at all.
        Large = "large",
    }
}

/// Which test a p-value is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonTest {
    /// Of two samples that were taken apart from each other.
    MannWhitney,
    /// Of pairs whose order was drawn by lot.
    WilcoxonSignedRank,
}

/// A part that is not the same in both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PartDifference {
    /// What it is, such as `depth` or `kernel`.
    pub name: String,
    /// What the reference has; null where it has none or it could not be seen.
    #[serde(with = "crate::sentences")]
    #[schemars(with = "Option<String>")]
    pub reference: Option<Text>,
    /// What the other has.
    #[serde(with = "crate::sentences")]
    #[schemars(with = "Option<String>")]
    pub other: Option<Text>,
}

/// By how much the other differs from the reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// The other ÷ the reference: `e` to the shift of Hodges and Lehmann of the
    /// logarithms.
    pub ratio: f64,
    /// Interval of the ratio; null with too few trials for 95 %. It is of this row
    /// alone, not of all rows together.
    pub ratio_interval_95: Option<Interval>,
    /// Statistical test that gave the p-values.
    pub test: ComparisonTest,
    /// How likely systems whose difference is no larger than the least that matters differ at
    /// least so much, either way; of equal systems where any difference matters.
    pub p_value: f64,
    /// The same, raised for the number of rows (Holm), so that the probability of even
    /// one false alarm among all of them stays below the level. This one decides.
    pub p_value_of_all_rows: f64,
    /// Cliff's δ, from −1 to 1: how much likelier a trial of the other is faster than
    /// slower; of pairs, within each pair.
    pub cliffs_delta: f64,
    /// The same in words.
    pub effect: Effect,
    /// How many times as wide the interval is as for independent trials, because trials
    /// that follow one another are alike; 1 for pairs, whose order was drawn by lot.
    pub widening: f64,
    /// How much other runs of this row differ, which interval and p allow for; missing where too
    /// few are kept, and of pairs, whose trials were made in the same minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_differ: Option<RunsDiffer>,
}

/// How much the runs of one row on one device differ from each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunsDiffer {
    /// Standard deviation of a run's median, as a share of it: 0.02 for 2 %.
    pub deviation: f64,
    /// How far a run's figure may lie from its level, with 95 % confidence, as a share of it.
    pub reach_95: f64,
    /// Kept runs that tell it, beside those in question.
    pub runs: usize,
}

/// What came of comparing two rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Compared {
    /// What it comes to.
    pub conclusion: Conclusion,
    /// Why, where that is not plain from the figures, with the way out.
    #[serde(with = "crate::sentences")]
    #[schemars(with = "Option<String>")]
    pub reason: Option<Text>,
    /// By how much; null where it cannot be compared.
    pub change: Option<Change>,
    /// Parts of what was done, or of how, that differ.
    pub differs: Vec<PartDifference>,
    /// What makes the comparison less certain than its figures look.
    #[serde(with = "crate::sentences")]
    #[schemars(with = "Vec<String>")]
    pub warnings: Vec<Text>,
}
