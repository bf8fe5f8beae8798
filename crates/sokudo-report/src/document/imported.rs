//! The results of a run that another tool has measured: its figures as it reported them.
//! What it did not tell stays missing.

use sokudo_model::{ImportedLatency, ImportedRate, PlanPart, Reported, ReportedSample};

use super::RunDocument;
use super::figures::{BandwidthFigures, LatencyFigures, Percentiles, RateFigures};
use super::place::PlaceDocument;
use super::result::{ResultDocument, Status};
use super::surface::SurfaceFigures;
use super::told::ToldDocument;
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
        let told = self.told.as_ref();
        told.is_none_or(|told| !told.unknown.contains(&part))
    }

    /// With what another tool printed, in the place of trials.
    pub(super) fn reported(self, reported: &Reported) -> Self {
        let places: Vec<PlaceDocument> = reported.places.iter().map(place).collect();
        let survey = self.workload.survey().filter(|_| !places.is_empty());
        let rate = |told: &Option<ImportedRate>| told.as_ref().and_then(rate);
        Self {
            status: Status::Complete,
            bandwidth_bytes_per_s: rate(&reported.bandwidth).map(BandwidthFigures::of_rate),
            iops: rate(&reported.iops),
            latency_ns: reported.latency.as_ref().and_then(latency),
            shares: None,
            told: Some(told(reported)),
            histogram: histogram(&reported.histogram),
            surface: survey.map(|survey| SurfaceFigures::of(&survey, 1, &places, &[])),
            places,
            ..self
        }
    }
}

fn told(row: &Reported) -> ToldDocument {
    let kind = |rate: &Option<ImportedRate>| {
        let kind = rate.as_ref().map(|rate| rate.kind.clone());
        kind.unwrap_or_default()
    };
    let percentiles = row.latency.iter().flat_map(|latency| &latency.percentiles);
    ToldDocument {
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
fn rate(told: &ImportedRate) -> Option<RateFigures> {
    if !told.trials.is_empty() {
        return RateFigures::of(told.trials.clone());
    }
    let mut figures = RateFigures::of(vec![told.value]).filter(|_| is_figure(told.value))?;
    let known = |value: Option<f64>| value.filter(|value| is_figure(*value));
    figures.min = known(told.min).map_or(told.value, |min| min.min(told.value));
    figures.max = known(told.max).map_or(told.value, |max| max.max(told.value));
    figures.range = figures.max - figures.min;
    figures.stdev = known(told.stdev);
    Some(figures)
}

fn latency(told: &ImportedLatency) -> Option<LatencyFigures> {
    let percentile = |wanted: f64| {
        let mut percentiles = told.percentiles.iter();
        let found = percentiles.find(|(percent, _)| (percent - wanted).abs() < 1e-6);
        found.and_then(|(_, nanos)| whole(*nanos))
    };
    is_figure(told.mean).then(|| LatencyFigures {
        min: told.min.and_then(whole),
        mean: told.mean,
        stdev: told.stdev.filter(|stdev| is_figure(*stdev)),
        percentiles: Percentiles::of(|it| percentile(it.fraction() * 100.0)),
        max: told.max.and_then(whole),
        count: told.count,
        effective_count: None,
        intervals_95: None,
    })
}

fn whole(nanos: f64) -> Option<u64> {
    is_figure(nanos).then(|| natural(nanos.round()))
}

/// The buckets in order; one that overlaps another, or holds nothing, cannot be drawn.
fn histogram(told: &[[u64; 3]]) -> Vec<[u64; 3]> {
    let mut buckets: Vec<[u64; 3]> = told
        .iter()
        .copied()
        .filter(|[low, high, count]| low <= high && *count > 0)
        .collect();
    buckets.sort_unstable();
    buckets.dedup_by(|later, earlier| later[0] <= earlier[1]);
    buckets
}

fn place(told: &ReportedSample) -> PlaceDocument {
    PlaceDocument {
        trial: 1,
        offset: told.offset.0,
        bytes: told.bytes.0,
        elapsed_ns: told.elapsed.0,
        ..PlaceDocument::default()
    }
}

#[cfg(test)]
mod tests;
