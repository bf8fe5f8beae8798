//! The results of a run that another tool has measured: its figures as it reported them.
//! What it did not tell stays missing.

use sokudo_model::{ImportedLatency, ImportedRate, PlanPart, Reported, ReportedSample};

use super::RunDocument;
use super::figures::{BandwidthFigures, LatencyFigures, Percentiles, RateFigures};
use super::reported::ReportedDocument;
use super::result::{ResultDocument, Status};
use super::sample::SampleDocument;
use super::surface::SurfaceFigures;
use crate::number::natural;

impl RunDocument {
    /// Who measured: sokudo with its version, or the other tool with its own.
    pub fn measurer(&self) -> String {
        match self.origin() {
            Some(origin) => origin.measurer(),
            None => format!("sokudo {}", self.sokudo_version),
        }
    }
}

impl ResultDocument {
    /// Whether this part of the fingerprint is known, such as the depth: another tool may
    /// not have told it, and then the workload's value means nothing.
    pub fn knows(&self, part: PlanPart) -> bool {
        let reported = self.reported.as_ref();
        reported.is_none_or(|reported| !reported.unknown.contains(&part))
    }

    /// With what another tool printed, in the place of trials; so many of which are left out at each
    /// end of a trimmed mean.
    pub(super) fn reported(self, reported: &Reported, trim: u32) -> Self {
        let samples: Vec<SampleDocument> = reported.samples.iter().map(sample_document).collect();
        let survey = self.workload.survey().filter(|_| !samples.is_empty());
        let rate = |imported: &Option<ImportedRate>| Some(rate(imported.as_ref()?)?.trimmed(trim));
        Self {
            status: Status::Complete,
            bandwidth_bytes_per_s: rate(&reported.bandwidth).map(BandwidthFigures::of_rate),
            iops: rate(&reported.iops),
            latency_ns: reported.latency.as_ref().and_then(latency),
            shares: None,
            reported: Some(reported_document(reported)),
            histogram: histogram(&reported.histogram),
            surface: survey.map(|survey| SurfaceFigures::of(&survey, 1, &samples, &[])),
            samples,
            ..self
        }
    }
}

fn reported_document(row: &Reported) -> ReportedDocument {
    let kind = |rate: &Option<ImportedRate>| {
        let kind = rate.as_ref().map(|rate| rate.kind.clone());
        kind.unwrap_or_default()
    };
    let percentiles = row.latency.iter().flat_map(|latency| &latency.percentiles);
    ReportedDocument {
        bandwidth_kind: kind(&row.bandwidth),
        iops_kind: kind(&row.iops),
        unknown: row.unknown.clone(),
        mix: row.mix.clone(),
        latency_percentiles: percentiles
            .map(|(percent, nanos)| [*percent, *nanos])
            .collect(),
        others: row.others.clone(),
    }
}

/// What a rate, a time or a count can be.
fn is_figure(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

/// The trials where they were told; else the one figure there is, as if of one trial.
fn rate(imported: &ImportedRate) -> Option<RateFigures> {
    if !imported.trials.is_empty() {
        return RateFigures::of(imported.trials.clone());
    }
    let mut figures =
        RateFigures::of(vec![imported.value]).filter(|_| is_figure(imported.value))?;
    let known = |value: Option<f64>| value.filter(|value| is_figure(*value));
    figures.min = known(imported.min).map_or(imported.value, |min| min.min(imported.value));
    figures.max = known(imported.max).map_or(imported.value, |max| max.max(imported.value));
    figures.range = figures.max - figures.min;
    figures.stdev = known(imported.stdev);
    Some(figures)
}

fn latency(imported: &ImportedLatency) -> Option<LatencyFigures> {
    let percentile = |wanted: f64| {
        let mut percentiles = imported.percentiles.iter();
        let found = percentiles.find(|(percent, _)| (percent - wanted).abs() < 1e-6);
        found.and_then(|(_, nanos)| whole(*nanos))
    };
    is_figure(imported.mean).then(|| LatencyFigures {
        min: imported.min.and_then(whole),
        mean: imported.mean,
        stdev: imported.stdev.filter(|stdev| is_figure(*stdev)),
        percentiles: Percentiles::of(|it| percentile(it.fraction() * 100.0)),
        max: imported.max.and_then(whole),
        count: imported.count,
        ..LatencyFigures::default()
    })
}

fn whole(nanos: f64) -> Option<u64> {
    is_figure(nanos).then(|| natural(nanos.round()))
}

/// The buckets in order; one that overlaps another, or holds nothing, cannot be drawn.
fn histogram(raw_buckets: &[[u64; 3]]) -> Vec<[u64; 3]> {
    let mut buckets: Vec<[u64; 3]> = raw_buckets
        .iter()
        .copied()
        .filter(|[low, high, count]| low <= high && *count > 0)
        .collect();
    buckets.sort_unstable();
    buckets.dedup_by(|later, earlier| later[0] <= earlier[1]);
    buckets
}

fn sample_document(sample: &ReportedSample) -> SampleDocument {
    SampleDocument {
        trial: 1,
        offset: sample.offset.0,
        bytes: sample.bytes.0,
        elapsed_ns: sample.elapsed.0,
        ..SampleDocument::default()
    }
}

#[cfg(test)]
mod tests;
