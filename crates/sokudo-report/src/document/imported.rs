//! The document of a run that another tool has measured: its figures as it told them.
//!
//! What it did not tell stays missing. Nothing is judged: the verdict of every row is
//! UNVERIFIED, because nobody has seen the evidence.

use sokudo_model::{
    BlockDevice, BlockDeviceKind, Correction, DeviceMarks, DirectIoSupport, FileSystem, Finding,
    ImportedLatency, ImportedPlace, ImportedRate, ImportedRow, ImportedRun, ImportedTarget, Origin,
    Sample, Severity, Survey, TargetInfo, TargetKind, Verdict, Visit, Workload, narrow,
};

use super::figures::{BandwidthFigures, LatencyFigures, RateFigures};
use super::place::PlaceDocument;
use super::result::{Direction, ResultDocument, Status};
use super::surface::SurfaceFigures;
use super::told::{ToldDocument, ToldFigure};
use super::{RunDocument, SCHEMA_FAMILY, SCHEMA_VERSION, ScheduleDocument};
use crate::date;
use crate::fingerprint::Fingerprint;

/// The finding of every row; what it means is in `sokudo_analysis::Code`.
pub const IMPORTED: &str = "imported";
/// The finding of a run in which something was put right.
pub const CORRECTED: &str = "corrected-import";
/// What such a schedule is called: the tool's own.
const SCHEDULE: &str = "imported";

impl RunDocument {
    /// The document of what another tool has measured.
    pub fn from_imported(run: &ImportedRun) -> Self {
        let results: Vec<ResultDocument> = run
            .rows
            .iter()
            .map(|row| ResultDocument::from_imported(row, run))
            .collect();
        let ids: Vec<&str> = results.iter().map(|it| it.fingerprint.as_str()).collect();
        let fingerprint = Fingerprint::of_row_ids(&ids);
        Self {
            schema: format!("{SCHEMA_FAMILY}{SCHEMA_VERSION}"),
            sokudo_version: env!("CARGO_PKG_VERSION").to_owned(),
            origin: Some(run.origin.clone()),
            started_at: run.started_at.map_or_else(String::new, date::rfc3339),
            method: run.method.clone(),
            command: run.command.clone().unwrap_or_default(),
            fingerprint: fingerprint.id,
            fingerprint_parts: fingerprint.parts,
            seed: 0,
            schedule: ScheduleDocument {
                name: SCHEDULE.to_owned(),
                trials: 1,
                pause_ns: 0,
                warm_up: false,
                enough_half_width_permille: None,
                enough_trials_min: None,
                enough_time_min_ns: None,
                enough_time_max_ns: None,
                trim: 0,
            },
            interrupted: false,
            target: target(&run.target, &run.origin.tool),
            layout: None,
            environment: run.environment.clone(),
            circumstances: sokudo_model::Circumstances::default(),
            findings: corrected(&run.origin).into_iter().collect(),
            inferences: Vec::new(),
            load: None,
            results,
            steady: None,
        }
    }
}

impl RunDocument {
    /// Who measured: sokudo with its version, or the other tool with its own.
    pub fn measurer(&self) -> String {
        match &self.origin {
            Some(origin) => measurer(origin),
            None => format!("sokudo {}", self.sokudo_version),
        }
    }
}

impl ResultDocument {
    /// Whether this part of the fingerprint is known, such as `depth`: another tool may
    /// not have told it, and then the workload's value means nothing.
    pub fn knows(&self, part: &str) -> bool {
        let told = self.told.as_ref();
        told.is_none_or(|told| !told.unknown.iter().any(|unknown| unknown == part))
    }

    fn from_imported(row: &ImportedRow, run: &ImportedRun) -> Self {
        let workload = workload(row);
        let places: Vec<PlaceDocument> = row.places.iter().map(place).collect();
        let surface = workload
            .survey
            .filter(|_| !places.is_empty())
            .map(|survey| SurfaceFigures::of(&survey, &places, &[]));
        let fingerprint =
            Fingerprint::of_imported(row, &workload, run.target.size, &run.origin.tool);
        Self {
            name: workload.name.clone(),
            direction: Direction::of(&workload),
            status: Status::Complete,
            verdict: Some(Verdict::Unverified),
            bandwidth_bytes_per_s: row
                .bandwidth
                .as_ref()
                .and_then(rate)
                .map(BandwidthFigures::of_rate),
            durable_bytes_per_s: None,
            iops: row.iops.as_ref().and_then(rate),
            files_per_s: None,
            latency_ns: row.latency.as_ref().and_then(latency),
            latency_from_intended_ns: None,
            submission_latency_ns: None,
            flush_latency_ns: None,
            shares: None,
            depth_achieved: None,
            cpu: None,
            device: None,
            device_ratio: None,
            foreign_users: Vec::new(),
            backend: None,
            direct: None,
            failures: Vec::new(),
            findings: vec![imported(&run.origin)],
            fingerprint: fingerprint.id,
            fingerprint_parts: fingerprint.parts,
            told: Some(told(row)),
            workload,
            trials: Vec::new(),
            histogram: histogram(&row.histogram),
            series: Vec::new(),
            surface,
            places,
            defects: Vec::new(),
        }
    }
}

/// The workload, in which places have a survey.
fn workload(row: &ImportedRow) -> Workload {
    let mut workload = row.workload.clone();
    if let (Some(first), None) = (row.places.first(), &workload.survey) {
        workload.survey = Some(Survey {
            places: narrow(row.places.len()),
            visit: Visit::Ascending,
            sample: Sample::Bytes(first.bytes),
            approach: None,
            write_back: false,
        });
    }
    workload
}

fn told(row: &ImportedRow) -> ToldDocument {
    let kind = |rate: &Option<ImportedRate>| {
        let kind = rate.as_ref().map(|rate| rate.kind.clone());
        kind.unwrap_or_default()
    };
    let percentiles = row.latency.iter().flat_map(|latency| &latency.percentiles);
    let others = row.others.iter().filter(|other| other.value.is_finite());
    ToldDocument {
        bandwidth_kind: kind(&row.bandwidth),
        iops_kind: kind(&row.iops),
        unknown: row.unknown.clone(),
        latency_percentiles: percentiles
            .filter(|(percent, nanos)| percent.is_finite() && is_figure(*nanos))
            .map(|(percent, nanos)| [*percent, *nanos])
            .collect(),
        others: others
            .map(|other| ToldFigure {
                name: other.name.clone(),
                unit: other.unit.clone(),
                value: other.value,
            })
            .collect(),
    }
}

/// What a rate, a time or a count can be.
fn is_figure(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

/// The trials where they were told; else the one figure there is, as if of one trial.
fn rate(told: &ImportedRate) -> Option<RateFigures> {
    let is_told = !told.trials.is_empty() && told.trials.iter().all(|rate| is_figure(*rate));
    if is_told {
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
        p50: percentile(50.0),
        p90: percentile(90.0),
        p99: percentile(99.0),
        p99_9: percentile(99.9),
        p99_99: percentile(99.99),
        max: told.max.and_then(whole),
        count: told.count,
        effective_count: None,
        intervals_95: None,
    })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a figure is not negative, and what is too large stays the largest there is"
)]
fn whole(nanos: f64) -> Option<u64> {
    is_figure(nanos).then(|| nanos.round() as u64)
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

fn place(told: &ImportedPlace) -> PlaceDocument {
    PlaceDocument {
        trial: 1,
        offset: told.offset.0,
        bytes: told.bytes.0,
        ios: None,
        elapsed_ns: told.elapsed.0,
        latency_max_ns: None,
        distance: None,
    }
}

fn target(told: &ImportedTarget, tool: &str) -> TargetInfo {
    // A run must be called by something.
    let unnamed = || format!("{tool}'s target");
    let name = match told.name.is_empty() {
        true => &unnamed(),
        false => &told.name,
    };
    let mut target = TargetInfo::new(name, TargetKind::Imported);
    target.size_bytes = told.size;
    target.file_system = told.file_system.as_ref().map(|kind| FileSystem {
        kind: kind.clone(),
        mount_point: String::new(),
        mount_options: Vec::new(),
        source: String::new(),
        total_bytes: None,
        available_bytes: None,
        uuid: None,
    });
    target.direct_io = DirectIoSupport::Unknown;
    if told.model.is_some() || told.serial.is_some() {
        target.devices.push(device(told));
    }
    target
}

fn device(told: &ImportedTarget) -> BlockDevice {
    BlockDevice {
        name: told.name.clone(),
        number: String::new(),
        kind: BlockDeviceKind::Disk,
        is_leaf: true,
        parents: Vec::new(),
        model: told.model.clone(),
        serial: told.serial.clone(),
        size_bytes: None,
        logical_block_bytes: None,
        physical_block_bytes: None,
        rotational: None,
        rotation_rpm: None,
        cache_bytes: None,
        scheduler: None,
        write_cache: None,
        max_io_bytes: None,
        read_ahead_bytes: None,
        counts_io: None,
        backing_file: None,
        backing_direct: None,
        marks: DeviceMarks::default(),
    }
}

/// Who measured, with the version where it is known.
fn measurer(origin: &Origin) -> String {
    match &origin.version {
        Some(version) => format!("{} {version}", origin.tool),
        None => origin.tool.clone(),
    }
}

fn imported(origin: &Origin) -> Finding {
    Finding {
        code: IMPORTED.to_owned(),
        severity: Severity::Warning,
        symptom: format!(
            "measured by {}, not by sokudo: nobody has seen the evidence",
            measurer(origin)
        ),
        cause: "whether the bytes reached the device, who else used it and how steady it was is \
                not in what the tool has printed"
            .to_owned(),
        remedy: "measure the same with sokudo where a figure must be trusted, and compare only \
                 runs of one tool and one method"
            .to_owned(),
    }
}

fn corrected(origin: &Origin) -> Option<Finding> {
    let once = |text: fn(&Correction) -> &str| {
        let mut texts: Vec<&str> = Vec::new();
        for correction in &origin.corrections {
            if !texts.contains(&text(correction)) {
                texts.push(text(correction));
            }
        }
        texts.join("; ")
    };
    (!origin.corrections.is_empty()).then(|| Finding {
        code: CORRECTED.to_owned(),
        severity: Severity::Info,
        symptom: format!("put right: {}", once(|correction| &correction.what)),
        cause: once(|correction| &correction.why),
        remedy: "none is needed; the tool's own output has the figures that are quoted".to_owned(),
    })
}

#[cfg(test)]
mod tests;
