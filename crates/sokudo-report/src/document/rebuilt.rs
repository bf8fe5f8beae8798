//! A run as far as its figures tell of it, for documents that are all there is: files.
//! `sokudo_analysis::judge_figures` says what is missing in it, and judges it no further.

use sokudo_model::{
    Assessment, BackendUse, Bytes, CpuTime, Defect, DeviceCounters, FailureKind, ForeignUse, Host,
    HostTrial, IoFailure, Moved, Nanos, Operation, OperationTally, Outcome, Plan, Provenance, Row,
    Run, Schedule, SeriesPoint, Stage, SurveySample, Trial, TrialEvidence, TrialTogether, Window,
    narrow,
};
use sokudo_stats::Histogram;

use super::RunDocument;
use super::hosts::{
    HostDocument, HostPointDocument, HostRowDocument, HostTrialDocument, TrialTogetherDocument,
};
use super::identified::together;
use super::result::ResultDocument;
use super::trial::{FailureDocument, FailureWay, TrialDocument};

/// Each may have a histogram, of 58 KiB. The largest sweeps and steady tests have some thousands.
const TRIALS_MAX: usize = 20_000;

impl RunDocument {
    /// The run without what no document holds. Latencies, processor time, and what devices
    /// and other processes did stand in the first trial of each row, for all of them.
    ///
    /// `None` where there are more trials than any run has.
    pub fn rebuilt(&self) -> Option<Run> {
        let trials = self.results.iter().map(|result| result.trials.len());
        if trials.sum::<usize>() > TRIALS_MAX {
            return None;
        }
        let provenance = match &self.origin {
            Some(origin) => Provenance::Reported(origin.clone()),
            None => Provenance::Measured,
        };
        let plan = Plan {
            method: self.method.clone(),
            seed: self.seed,
            stages: self.stages(),
        };
        let schedule = Schedule {
            steady: (self.steady.as_ref()).map(|steady| Box::new(steady.procedure.clone())),
            latency_limit: self
                .load
                .as_ref()
                .and_then(|load| Some(load.limit.as_ref()?.limit)),
            fit: (self.fit.as_ref()).map(|fit| Box::new(fit.question.clone())),
            ..self.schedule.clone()
        };
        Some(Run {
            sokudo_version: self.sokudo_version.clone(),
            provenance,
            started_at: self.started_at(),
            environment: self.environment.clone(),
            circumstances: self.circumstances.clone(),
            layout: self.layout.map(|layout| layout.layout),
            rows: self.rows(),
            hosts: (self.together.iter())
                .flat_map(|it| &it.hosts)
                .map(HostDocument::rebuilt)
                .collect(),
            findings: self.findings.clone(),
            inferences: self.inferences.clone(),
            disk_assessment: self.disk_assessment.clone(),
            burn_in: self.burn_in.clone(),
            label: self.label.clone(),
            command: self.command.clone(),
            interrupted: self.interrupted,
            parts: self.parts.clone(),
            stopped_by: self.stopped_by.clone(),
            ..Run::new(plan, schedule, self.target.clone())
        })
    }

    fn rows(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = self.results.iter().map(ResultDocument::rebuilt).collect();
        for told in self.together.iter().flat_map(|it| &it.trials) {
            let row = rows.get_mut(narrow::<u32, usize>(told.result));
            let place = told.trial.checked_sub(1).map(narrow::<u32, usize>);
            let trial = row
                .zip(place)
                .and_then(|(row, place)| row.trials.get_mut(place));
            if let Some(trial) = trial {
                trial.together = Some(Box::new(told.rebuilt(&trial.outcome)));
            }
        }
        rows
    }

    fn stages(&self) -> Vec<Stage> {
        let mut rest = &self.results[..];
        let stages = std::iter::from_fn(|| {
            let (stage, others) = rest.split_at(together(rest.first()?, rest.len()));
            rest = others;
            let workloads = stage.iter().map(|it| (*it.workload).clone()).collect();
            Some(Stage { workloads })
        });
        stages.collect()
    }
}

impl ResultDocument {
    fn rebuilt(&self) -> Row {
        let mut trials: Vec<Trial> = self.trials.iter().map(|trial| self.trial(trial)).collect();
        self.points_into(&mut trials);
        let has_io = |trial: &&mut Trial| trial.outcome.ios() > 0;
        if let Some(first) = trials.iter_mut().find(has_io) {
            self.sums_into(first);
        }
        Row {
            trials,
            assessment: self.verdict.map(|verdict| Assessment {
                verdict,
                device_ratio: self.device_ratio,
                findings: self.findings.clone(),
            }),
            unsettled: self.unsettled_trials,
            slow: self.slow_places.clone(),
            ..Row::new((*self.workload).clone())
        }
    }

    /// What is told of each trial by itself.
    fn trial(&self, told: &TrialDocument) -> Trial {
        let unknown = || BackendUse {
            kind: self.workload.backend,
            features: Vec::new(),
            notes: Vec::new(),
        };
        // Of a mix it is not known how much each operation did.
        let operation = self.workload.operations.single();
        let tally = OperationTally {
            ios: told.ios,
            bytes: Bytes(told.bytes),
            elapsed: Nanos(told.elapsed_ns),
            ..OperationTally::new(operation.unwrap_or(Operation::Read))
        };
        let backend = self.backend.clone().unwrap_or_else(unknown);
        Trial {
            outcome: Outcome {
                elapsed: Nanos(told.elapsed_ns),
                window: told.settled_ns.map(|nanos| Window {
                    settled: Nanos(nanos),
                    ..Window::default()
                }),
                operations: vec![tally],
                cpu: self.cpu.map(|_| CpuTime::default()),
                durable_after: told.durable_after_ns.map(Nanos),
                depth_achieved: told.depth_achieved.unwrap_or(f64::NAN),
                direct: self.direct.unwrap_or_default(),
                ..Outcome::new(backend, told.stopped)
            },
            evidence: TrialEvidence {
                device: self.device.map(|_| DeviceCounters::default()),
                cached_before: told.cached_before_bytes.map(Bytes),
                began: told.began_ns.map(Nanos),
                foreign: Some(ForeignUse::default()),
                processors: None,
            },
            together: None,
        }
    }

    /// What is told of single intervals, places, ranges and failures, each with its trial.
    fn points_into(&self, trials: &mut [Trial]) {
        for point in &self.series {
            if let Some(outcome) = of_trial(trials, point.trial) {
                outcome.series.push(SeriesPoint {
                    at: Nanos(point.at_ns),
                    bytes: Bytes(point.bytes),
                    ios: point.ios,
                });
            }
        }
        for place in &self.places {
            if let Some(outcome) = of_trial(trials, place.trial) {
                outcome.places.push(SurveySample {
                    offset: Bytes(place.offset),
                    bytes: Bytes(place.bytes),
                    ios: place.ios.unwrap_or_default(),
                    elapsed: Nanos(place.elapsed_ns),
                    latency_max: Nanos(place.latency_max_ns.unwrap_or_default()),
                    distance: place.distance.map(Bytes),
                });
            }
        }
        for defect in &self.defects {
            if let Some(outcome) = of_trial(trials, defect.trial) {
                outcome.defects.push(Defect {
                    operation: defect.operation,
                    offset: Bytes(defect.offset),
                    length: Bytes(defect.length),
                    // In words only.
                    kind: FailureKind::Nothing,
                });
            }
        }
        for failure in &self.failures {
            if let Some(outcome) = of_trial(trials, failure.trial) {
                outcome.failures.extend(failure.rebuilt());
            }
        }
    }

    /// What is told of all trials together.
    fn sums_into(&self, first: &mut Trial) {
        let buckets = self.histogram.iter().map(|[low, _, count]| (*low, *count));
        let ends = self.latency_ns.as_ref().and_then(|it| it.min.zip(it.max));
        let (min, max) = ends.unwrap_or_default();
        if let Some(latency) = Histogram::of_buckets(buckets, min, max) {
            first.outcome.operations[0].latency = latency;
        }
        first.outcome.cpu = self.cpu;
        first.evidence.device = self.device.map(|device| DeviceCounters {
            read_bytes: device.read_bytes,
            written_bytes: device.written_bytes,
            flushes: device.flushes,
            ..DeviceCounters::default()
        });
        first.evidence.foreign = Some(ForeignUse {
            users: self.foreign_users.clone(),
            hidden: 0,
        });
    }
}

/// What happened in a trial, which is counted from 1.
fn of_trial(trials: &mut [Trial], number: u32) -> Option<&mut Outcome> {
    let place = usize::try_from(number.checked_sub(1)?).ok()?;
    trials.get_mut(place).map(|trial| &mut trial.outcome)
}

impl HostDocument {
    fn rebuilt(&self) -> Host {
        let assessment = |row: &HostRowDocument| {
            Some(Assessment {
                verdict: row.verdict?,
                device_ratio: None,
                findings: row.findings.clone(),
            })
        };
        Host {
            name: self.name.clone(),
            ranks: self.ranks,
            environment: self.environment.clone(),
            target: self.target.clone(),
            circumstances: self.circumstances.clone(),
            layout: self.layout.map(|layout| layout.layout),
            assessments: self.rows.iter().map(assessment).collect(),
            findings: self.findings.clone(),
            lost: self.lost,
        }
    }
}

impl TrialTogetherDocument {
    /// Of a trial that is like this one of all hosts together.
    fn rebuilt(&self, whole: &Outcome) -> TrialTogether {
        let [from, to] = self.window_ns.unwrap_or_default().map(Nanos);
        TrialTogether {
            from,
            to,
            first_began: Nanos(self.first_began_ns),
            last_ended: Nanos(self.last_ended_ns),
            skew: Nanos(self.skew_ns),
            clock_uncertainty: Nanos(self.clock_uncertainty_ns),
            hosts: self.hosts.iter().map(|host| host.rebuilt(whole)).collect(),
        }
    }
}

impl HostTrialDocument {
    fn rebuilt(&self, whole: &Outcome) -> HostTrial {
        let elapsed = Nanos(self.ended_ns.saturating_sub(self.began_ns));
        let operation = whole.operations.first().map(|tally| tally.operation);
        let tally = OperationTally {
            ios: self.ios,
            bytes: Bytes(self.bytes),
            elapsed,
            ..OperationTally::new(operation.unwrap_or(Operation::Read))
        };
        let point = |point: &HostPointDocument| SeriesPoint {
            at: Nanos(point.at_ns.saturating_sub(self.began_ns)),
            bytes: Bytes(point.bytes),
            ios: point.ios,
        };
        HostTrial {
            host: self.host,
            in_window: Moved {
                bytes: Bytes(self.bytes_in_window),
                ios: self.ios_in_window,
            },
            slowest: Bytes(self.slowest_rank_bytes),
            outcome: Outcome {
                started_after: Nanos(self.began_ns),
                elapsed,
                operations: vec![tally],
                series: self.series.iter().map(point).collect(),
                depth_achieved: f64::NAN,
                direct: whole.direct,
                ..Outcome::new(whole.backend.clone(), self.stopped)
            },
            evidence: TrialEvidence {
                device: self.device.map(|device| DeviceCounters {
                    read_bytes: device.read_bytes,
                    written_bytes: device.written_bytes,
                    flushes: device.flushes,
                    ..DeviceCounters::default()
                }),
                foreign: Some(ForeignUse::default()),
                ..TrialEvidence::default()
            },
        }
    }
}

impl FailureDocument {
    fn rebuilt(&self) -> Option<IoFailure> {
        Some(IoFailure {
            operation: self.operation,
            kind: match self.kind {
                FailureWay::Errno => FailureKind::Errno(self.errno?),
                FailureWay::Short => FailureKind::Short {
                    asked: self.asked_bytes?,
                    moved: self.moved_bytes?,
                },
                FailureWay::Nothing => FailureKind::Nothing,
                FailureWay::Unanswered => FailureKind::Unanswered,
                FailureWay::Nvme => FailureKind::Nvme(self.nvme_status?),
            },
            offset: Bytes(self.offset_bytes),
            count: self.count,
        })
    }
}
