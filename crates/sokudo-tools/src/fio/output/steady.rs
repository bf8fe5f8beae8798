//! How steady a job became, with fio's words for the rule.

use sokudo_model::{Outcome, Row, SteadyFigure, SteadyLimit, SteadyOutcome, SteadyRule};
use sokudo_report::number;

use super::json_value::{JsonObject, JsonValue, float};

/// Parameters of rules are in millionths.
const MILLIONTHS: f64 = 1e6;

/// A rule with what came of it.
#[derive(Clone, Debug)]
pub(super) struct SteadyReport {
    pub(super) rule: SteadyRule,
    pub(super) outcome: SteadyOutcome,
}

impl SteadyReport {
    /// `None` where the job has no rule. A job that did not run was not steady.
    pub(super) fn of(row: &Row, outcome: Option<&Outcome>) -> Option<Self> {
        let rule = row.workload.timing.steady?;
        let outcome = outcome.and_then(|outcome| outcome.steady.clone());
        Some(Self {
            rule,
            outcome: outcome.unwrap_or_default(),
        })
    }

    /// Name of the figure that is watched: `iops` or `bw`.
    pub(super) fn figure(&self) -> &'static str {
        match self.rule.figure {
            SteadyFigure::Iops => "iops",
            SteadyFigure::Bandwidth => "bw",
        }
    }

    /// `%` for a share of the mean.
    pub(super) fn unit(&self) -> &'static str {
        match self.rule.limit {
            SteadyLimit::Percent(_) => "%",
            SteadyLimit::Absolute(_) => "",
        }
    }

    /// The mean of the window's bytes per second.
    pub(super) fn bandwidth(&self) -> u64 {
        mean(&self.outcome.bandwidth)
    }

    /// The mean of the window's I/Os per second.
    pub(super) fn iops(&self) -> u64 {
        mean(&self.outcome.iops)
    }

    /// The block `steadystate` of a job in JSON.
    pub(super) fn block(&self) -> JsonObject {
        let slope = if self.rule.slope { "_slope" } else { "" };
        let rule = format!(
            "{}{slope}:{}{}",
            self.figure(),
            float(self.limit()),
            self.unit()
        );
        let criterion = format!("{}{}", float(self.outcome.criterion), self.unit());
        let mut data = JsonObject::default();
        data.add("bw_mean", self.bandwidth())
            .add("iops_mean", self.iops())
            .add("iops", whole(&self.outcome.iops))
            .add("bw", whole(&self.outcome.bandwidth));
        let mut block = JsonObject::default();
        block
            .add("ss", rule)
            .add("duration", self.rule.duration.0 / 1_000_000_000)
            .add("attained", u32::from(self.outcome.attained))
            .add("criterion", criterion)
            .add("max_deviation", self.outcome.deviation_max)
            .add("slope", self.outcome.slope)
            .add("data", data);
        block
    }

    /// The limit as fio prints it: percent, I/Os per second, or bytes per second.
    fn limit(&self) -> f64 {
        match (self.rule.limit, self.rule.figure) {
            (SteadyLimit::Absolute(kib), SteadyFigure::Bandwidth) => {
                number::float(kib) / MILLIONTHS * 1024.0
            }
            (SteadyLimit::Percent(limit) | SteadyLimit::Absolute(limit), _) => {
                number::float(limit) / MILLIONTHS
            }
        }
    }
}

fn mean(values: &[f64]) -> u64 {
    match values.len() {
        0 => 0,
        count => number::natural(values.iter().sum::<f64>() / number::whole(count)),
    }
}

fn whole(values: &[f64]) -> JsonValue {
    JsonValue::list(values.iter().map(|value| number::natural(*value)))
}
