//! The fingerprints of a document, of what was done. They are never believed as they stand in one.

use sokudo_model::{BackendUse, DirectUse, PlanData, PlanPart, PlanParts, narrow};

use super::RunDocument;
use super::result::ResultDocument;
use crate::fingerprint::{self, EngineChoices, words};

impl RunDocument {
    /// Puts the fingerprints in, where each row says how many ran at the same time.
    pub(crate) fn identify(&mut self) {
        self.plan_rows();
        let mut rows = Vec::new();
        for stage in stages(&mut self.results) {
            add_beside(stage);
            rows.push(identify(stage));
        }
        let parts = PlanParts::from_iter([PlanData::Rows(rows)]);
        self.fingerprint = fingerprint::id(&parts);
        self.fingerprint_parts = words::english(&parts);
    }

    /// Puts in what was done in each row of a summary, whose fingerprints this sokudo has taken.
    pub(super) fn plan_summary(&mut self) {
        self.plan_rows();
        stages(&mut self.results).into_iter().for_each(add_beside);
    }

    /// Puts in what was done in each row, alone.
    fn plan_rows(&mut self) {
        let run = &self.run;
        let size = run.target.size_bytes;
        let schedule = &run.schedule;
        let schedule = (schedule.name.clone(), schedule.pause, schedule.warm_up);
        let spread = run.schedule.spread_over.map(PlanData::Spread);
        let hosts = narrow(run.hosts.len());
        let hosts = (hosts > 0).then_some(PlanData::Hosts(hosts));
        let of_run: Vec<PlanData> = spread.into_iter().chain(hosts).collect();
        let schedule = PlanData::Schedule(schedule);
        let origin = run.provenance.origin();
        let tool = origin.map_or("", |origin| &*origin.tool);
        for result in &mut self.results {
            let used = result.used();
            result.plan = fingerprint::parts(&result.workload, used, size);
            result.plan.set(schedule.clone());
            for part in &of_run {
                result.plan.set(part.clone());
            }
            result.tell_of(tool);
        }
    }
}

/// How many rows ran together, of as many as there are.
fn together(first: &ResultDocument, rows: usize) -> usize {
    let beside: usize = narrow(first.beside);
    rows.min(1 + beside)
}

/// The rows that ran together, one stage after the other.
fn stages(results: &mut [ResultDocument]) -> Vec<&mut [ResultDocument]> {
    let mut stages = Vec::new();
    let mut rest = results;
    while let Some(first) = rest.first() {
        let (stage, others) = rest.split_at_mut(together(first, rest.len()));
        stages.push(stage);
        rest = others;
    }
    stages
}

/// Says of rows that ran together what the others were. The same row beside others is another
/// measurement: what they were all together is the sum of what each would be alone.
fn add_beside(stage: &mut [ResultDocument]) {
    let count = stage.len() - 1;
    if count == 0 {
        return;
    }
    let alone: Vec<u64> = stage
        .iter()
        .map(|row| fingerprint::hash(&row.plan))
        .collect();
    let all = alone.iter().fold(0, |sum: u64, row| sum.wrapping_add(*row));
    for (row, alone) in stage.iter_mut().zip(alone) {
        row.plan
            .set(PlanData::Beside((count, all.wrapping_sub(alone))));
    }
}

/// Gives rows their fingerprints, and says what those are.
fn identify(stage: &mut [ResultDocument]) -> Vec<String> {
    for row in stage.iter_mut() {
        row.fingerprint = fingerprint::id(&row.plan);
        row.fingerprint_parts = words::english(&row.plan);
    }
    stage.iter().map(|row| row.fingerprint.clone()).collect()
}

impl ResultDocument {
    /// What was used, as the first trial and all of them have it.
    fn used(&self) -> EngineChoices {
        let direct = match self.direct {
            Some(true) => DirectUse::On,
            Some(false) => DirectUse::Off,
            None => DirectUse::Differs,
        };
        EngineChoices {
            backend: self.backend.as_ref().map(|backend| backend.kind),
            huge_pages: self
                .backend
                .as_ref()
                .is_some_and(BackendUse::has_huge_pages),
            direct: (!self.trials.is_empty()).then_some(direct),
        }
    }

    /// Puts in what is another of a row that a tool has measured: the tool, and what it does
    /// not tell.
    fn tell_of(&mut self, tool: &str) {
        let Some(reported) = &self.reported else {
            return;
        };
        for part in reported.unknown.iter().copied().chain([PlanPart::Schedule]) {
            self.plan.set_unknown(part);
        }
        if let Some(mix) = &reported.mix {
            self.plan.set(PlanData::Mix(mix.sorted()));
        }
        self.plan.set(PlanData::Tool(tool.to_owned()));
    }
}

#[cfg(test)]
mod tests;
