//! What comparisons and matrices of many runs look at, of a run that is kept whole beside it.
//!
//! To unpack a run and to compute its figures takes milliseconds, to read its summary a
//! hundredth of that. A summary holds nothing that the run does not: one that is damaged, or that
//! another version has made, is as none, and the run itself is read.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sokudo_model::{
    BackendUse, Conditions, Finding, Host, Plan, PlanParts, Run, Severity, TargetInfo, TargetKind,
    Verdict, Workload, with_texts_as_data,
};
use sokudo_words::Text;
use zstd::bulk::Decompressor;

use super::super::reading::ROWS_MAX;
use super::super::result::Status;
use super::super::{
    BandwidthFigures, Direction, LatencyFigures, RateFigures, ReportedDocument, ResultDocument,
    RunDocument, TrialDocument,
};
use super::compressed_by;

/// Which figures there are, how they are computed and written. What changes any of it raises
/// it, so that summaries made before are made anew.
const VERSION: u8 = 4;
/// Summaries are read by thousands.
const LEVEL: i32 = 6;
/// A run of so many rows that its summary is larger has none.
const PACKED_BYTES_MAX: usize = 1 << 20;
const TEXT_BYTES_MAX: usize = 8 << 20;
/// So many different workloads, and plans of rows, are remembered; a store has some hundreds.
const REMEMBERED_MAX: usize = 4_096;

/// What is compared of a run, packed; nothing of one with too many rows.
pub fn summary(document: &RunDocument) -> Vec<u8> {
    let mut text = env!("CARGO_PKG_VERSION").to_owned();
    // No line feed is in JSON that is written in one line.
    let mut add = |line: serde_json::Result<String>| {
        text.push('\n');
        text.push_str(&line.expect("it is plain data and is written to memory"));
    };
    with_texts_as_data(|| {
        add(serde_json::to_string(&without_rows(&document.run)));
        add(serde_json::to_string(&document.fingerprint));
        for result in &document.results {
            add(serde_json::to_string(&result.workload));
            add(serde_json::to_string(&RowSummary::of(result)));
        }
    });
    let packed = compressed_by(LEVEL, VERSION, text.as_bytes());
    match packed.len() <= PACKED_BYTES_MAX && text.len() <= TEXT_BYTES_MAX {
        true => packed,
        false => Vec::new(),
    }
}

/// Reads summaries, of which many have rows of the same plan.
#[derive(Default)]
pub struct SummaryReader {
    known: Arc<Mutex<Known>>,
    decompressor: Option<Decompressor<'static>>,
}

/// What readers have read.
#[derive(Default)]
struct Known {
    /// Workloads read so far, by their JSON.
    workloads: HashMap<String, Arc<Workload>>,
    /// Parts of plans read so far, by their fingerprints.
    plans: HashMap<String, PlanParts>,
}

impl SummaryReader {
    /// A reader for another thread, which knows what this one knows, and the other way round.
    pub fn another(&self) -> Self {
        Self {
            known: Arc::clone(&self.known),
            decompressor: None,
        }
    }

    /// The document of a run without what no comparison looks at; `None` where another sokudo
    /// has made the summary, or it is damaged.
    pub fn read(&mut self, packed: &[u8]) -> Option<RunDocument> {
        let text = self.text(packed.strip_prefix(&[VERSION])?)?;
        let mut lines = text.split('\n');
        if lines.next()? != env!("CARGO_PKG_VERSION") {
            return None;
        }
        let run: Run = serde_json::from_str(lines.next()?).ok()?;
        let fingerprint = serde_json::from_str(lines.next()?).ok()?;
        let mut results = Vec::with_capacity(text.matches('\n').count() / 2);
        let mut is_planned = true;
        while let Some(json) = lines.next() {
            let row: RowSummary = serde_json::from_str(lines.next()?).ok()?;
            let (workload, plan) = self.known(json, &row.fingerprint)?;
            let mut result = row.result(workload);
            is_planned &= plan.is_some();
            result.plan = plan.unwrap_or_default();
            results.push(result);
        }
        if results.len() > ROWS_MAX {
            return None;
        }
        let mut document = RunDocument {
            fingerprint,
            ..RunDocument::of_results(run, results)
        };
        if !is_planned {
            document.plan_summary();
            self.remember(&document.results);
        }
        Some(document)
    }

    fn text(&mut self, packed: &[u8]) -> Option<String> {
        let declared = zstd::zstd_safe::get_frame_content_size(packed).ok()??;
        let bytes = usize::try_from(declared).ok()?;
        if bytes > TEXT_BYTES_MAX {
            return None;
        }
        let decompressor = match self.decompressor.take() {
            Some(decompressor) => decompressor,
            None => Decompressor::new().ok()?,
        };
        let decompressor = self.decompressor.insert(decompressor);
        String::from_utf8(decompressor.decompress(packed, bytes).ok()?).ok()
    }

    /// A workload, and the plan of its row where that is known.
    fn known(&self, json: &str, fingerprint: &str) -> Option<(Arc<Workload>, Option<PlanParts>)> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let plan = known.plans.get(fingerprint).cloned();
        if let Some(workload) = known.workloads.get(json) {
            return Some((workload.clone(), plan));
        }
        let workload = Arc::new(serde_json::from_str::<Workload>(json).ok()?);
        if known.workloads.len() < REMEMBERED_MAX {
            let workload = Arc::clone(&workload);
            known.workloads.insert(json.to_owned(), workload);
        }
        Some((workload, plan))
    }

    fn remember(&self, results: &[ResultDocument]) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for result in results {
            if known.plans.len() < REMEMBERED_MAX {
                let fingerprint = result.fingerprint.clone();
                known.plans.insert(fingerprint, result.plan.clone());
            }
        }
    }
}

fn without_rows(run: &Run) -> Run {
    let target = TargetInfo::new("", TargetKind::Simulated);
    let host = |host: &Host| Host {
        name: host.name.clone(),
        ranks: host.ranks,
        target: target.clone(),
        lost: host.lost,
        ..Host::default()
    };
    let plan = Plan::in_turn(run.plan.method.clone(), run.plan.seed, Vec::new());
    Run {
        sokudo_version: run.sokudo_version.clone(),
        provenance: run.provenance.clone(),
        started_at: run.started_at,
        label: run.label.clone(),
        command: run.command.clone(),
        interrupted: run.interrupted,
        environment: run.environment.clone(),
        conditions: Conditions {
            drives: run.conditions.drives.clone(),
            arrays: run.conditions.arrays.clone(),
            io_limits: run.conditions.io_limits.clone(),
            power: run.conditions.power.clone(),
            ..Conditions::default()
        },
        hosts: run.hosts.iter().map(host).collect(),
        ..Run::new(plan, run.schedule.clone(), run.target.clone())
    }
}

/// What is compared of a row, beside its workload.
#[derive(Serialize, Deserialize)]
struct RowSummary {
    name: String,
    direction: Direction,
    status: Status,
    verdict: Option<Verdict>,
    bandwidth: Option<RateFigures>,
    iops: Option<RateFigures>,
    files: Option<RateFigures>,
    latency_mean: Option<f64>,
    #[serde(rename = "told")]
    reported: Option<ReportedDocument>,
    backend: Option<BackendUse>,
    direct: Option<bool>,
    findings: Vec<(String, Severity)>,
    fingerprint: String,
    beside: u32,
    /// The first one: whether there were any.
    trial: Option<TrialDocument>,
}

impl RowSummary {
    fn of(result: &ResultDocument) -> Self {
        let bandwidth = result.bandwidth_bytes_per_s.as_ref();
        let findings = result.findings.iter();
        Self {
            name: result.name.clone(),
            direction: result.direction,
            status: result.status,
            verdict: result.verdict,
            bandwidth: bandwidth.map(|bandwidth| bandwidth.bytes_per_s.clone()),
            iops: result.iops.clone(),
            files: result.files_per_s.clone(),
            latency_mean: result.latency_ns.as_ref().map(|latency| latency.mean),
            reported: result.reported.clone(),
            backend: result.backend.clone(),
            direct: result.direct,
            findings: findings.map(|it| (it.code.clone(), it.severity)).collect(),
            fingerprint: result.fingerprint.clone(),
            beside: result.beside,
            trial: result.trials.first().cloned(),
        }
    }

    fn result(self, workload: Arc<Workload>) -> ResultDocument {
        let bandwidth = self.bandwidth.map(BandwidthFigures::of_rate);
        ResultDocument {
            name: self.name,
            direction: self.direction,
            status: self.status,
            verdict: self.verdict,
            steadiness: bandwidth.as_ref().and_then(BandwidthFigures::steadiness),
            bandwidth_bytes_per_s: bandwidth,
            iops: self.iops,
            files_per_s: self.files,
            latency_ns: self.latency_mean.map(LatencyFigures::of_mean),
            reported: self.reported,
            backend: self.backend,
            direct: self.direct,
            findings: self.findings.into_iter().map(finding).collect(),
            fingerprint: self.fingerprint,
            beside: self.beside,
            trials: Vec::from_iter(self.trial),
            ..ResultDocument::without_figures(workload)
        }
    }
}

/// A finding by its code: what it says is in the run.
fn finding((code, severity): (String, Severity)) -> Finding {
    Finding {
        code,
        severity,
        symptom: Text::default(),
        cause: Text::default(),
        remedy: Text::default(),
    }
}

#[cfg(test)]
mod tests;
