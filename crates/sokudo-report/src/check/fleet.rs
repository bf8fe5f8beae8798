//! What checks of several baselines came to, `sokudo.checks/1`: one table, one exit code.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_words::{Text, text};

use super::{CheckDocument, CheckOutcome};
use crate::article::{Article, Element};
use crate::forms::Forms;
use crate::style::BandwidthUnit;
use crate::table::{Cell, Table, Tone, left};
use crate::wording::device;

const SCHEMA: &str = "sokudo.checks/1";

/// Exit codes from the gravest on: what failed or is slower, what may not or cannot be
/// measured, what a busy machine left open, and nothing.
const GRAVEST_FIRST: [u8; 6] = [130, 1, 3, 2, 4, 0];

/// Checks of several baselines as JSON: `sokudo.checks/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "sokudo.checks/1")]
pub struct ChecksDocument {
    /// Name and version of this format: `sokudo.checks/1`.
    #[schemars(extend("const" = "sokudo.checks/1"))]
    pub schema: String,
    /// The gravest exit code of all.
    pub exit_code: u8,
    /// One check of each baseline.
    pub checks: Vec<BaselineCheck>,
}

/// One baseline, and what came of checking it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BaselineCheck {
    /// What people call the device.
    pub device: String,
    /// Which device it is: the same text is the same device.
    pub identity: String,
    /// What the baseline measured, as it was named.
    pub target: String,
    /// The method, such as `mark/default`.
    pub method: String,
    /// The baseline; null where that is no run of a store.
    pub baseline_run: Option<u64>,
    /// With what this check alone ends.
    pub exit_code: u8,
    /// Why nothing was measured, or not to its end; null where it was.
    #[serde(with = "sokudo_model::sentences")]
    #[schemars(with = "Option<String>")]
    pub error: Option<Text>,
    /// What became of the rows; null where nothing was measured.
    pub check: Option<CheckDocument>,
}

/// The exit code of several things of which each would end with its own.
pub fn gravest_code(codes: &[u8]) -> u8 {
    let is_there = |code: &u8| codes.contains(code);
    GRAVEST_FIRST.into_iter().find(is_there).unwrap_or(0)
}

impl ChecksDocument {
    /// The checks in their order.
    pub fn new(checks: Vec<BaselineCheck>) -> Self {
        let codes: Vec<u8> = checks.iter().map(|check| check.exit_code).collect();
        Self {
            schema: SCHEMA.to_owned(),
            exit_code: gravest_code(&codes),
            checks,
        }
    }

    fn tone(&self) -> Tone {
        match self.exit_code {
            0 => Tone::Good,
            4 => Tone::Doubtful,
            _ => Tone::Bad,
        }
    }

    fn sentence_text(&self) -> Text {
        let all = self.checks.len();
        let of =
            |is_so: fn(&BaselineCheck) -> bool| self.checks.iter().filter(|it| is_so(it)).count();
        let failed = of(|it| it.outcome() == Some(CheckOutcome::Failed));
        let slower = of(|it| it.outcome() == Some(CheckOutcome::Slower));
        let open = of(|it| it.outcome().is_none_or(|it| it == CheckOutcome::NotJudged));
        let judged = all - failed - open;
        match (failed, slower, open) {
            (0, 0, 0) => text!("NONE SLOWER: {all} of {all} baselines were judged"),
            (0, 0, open) if open == all => text!("NOT JUDGED: none of {all} baselines"),
            (0, 0, open) => {
                text!("NOT JUDGED: {open} of {all} baselines; none of the others is slower")
            }
            (0, slower, _) => text!("SLOWER: {slower} of {all} baselines; {judged} were judged"),
            (failed, ..) => text!("FAILED: {failed} of {all} baselines; {judged} were judged"),
        }
    }
}

impl Forms for ChecksDocument {
    fn article(&self, _: BandwidthUnit) -> Article<'_> {
        let mut article = Article::default();
        article.add(Element::Answer(self.tone(), self.sentence_text()));
        let checks: Vec<&BaselineCheck> = self.checks.iter().collect();
        let table = Table::of(&checks)
            .column(left("Target"), |it| Some(Cell::Name(it.target.clone())))
            .column(left("Device").rank(3), |it| {
                Some(device(&it.identity, &it.device))
            })
            .column(left("Method").rank(1), |it| {
                Some(Cell::Name(it.method.clone()))
            })
            .column(left("Runs").rank(2), |it| {
                let run = it.check.as_ref().and_then(|check| check.run);
                let runs = [it.baseline_run, run].into_iter().flatten();
                let runs: Vec<_> = runs.map(|run| run.to_string()).collect();
                Some(Cell::Name(runs.join(" → ")))
            })
            .column(left("since then"), |it| {
                let (tone, words) = it.in_a_word();
                Some(Cell::Judged(tone, words))
            })
            .table();
        article.add(Element::Table(table));
        let check_notes = self.checks.iter().filter_map(|it| {
            let text = it.error.clone().or_else(|| {
                let check = it.check.as_ref()?;
                let is_reported = matches!(
                    check.outcome,
                    CheckOutcome::Failed | CheckOutcome::Slower | CheckOutcome::NotJudged
                );
                is_reported.then(|| check.sentence_text())
            })?;
            Some(text!("{}: {text}", it.target))
        });
        article.notes(check_notes.collect());
        article
    }
}

impl BaselineCheck {
    pub(super) fn outcome(&self) -> Option<CheckOutcome> {
        self.check.as_ref().map(|check| check.outcome)
    }

    fn in_a_word(&self) -> (Tone, Text) {
        let words = match self.outcome() {
            Some(CheckOutcome::Failed) => (Tone::Bad, "failed"),
            Some(CheckOutcome::Slower) => (Tone::Bad, "slower"),
            Some(CheckOutcome::Faster) => (Tone::Good, "faster"),
            Some(CheckOutcome::Unchanged) => (Tone::Good, "unchanged"),
            Some(CheckOutcome::NoChangeShown) => (Tone::None, "no change shown"),
            Some(CheckOutcome::NotJudged) => (Tone::Doubtful, "not judged"),
            None if self.exit_code == 4 => (Tone::Doubtful, "not measured"),
            None => (Tone::Bad, "not measured"),
        };
        (words.0, words.1.into())
    }
}
