//! A survey of a simulated device. The device is a backend: waiting moves virtual time on
//! to the next event.

use sokudo_model::{
    BackendKind, BackendUse, Event, Moved, Nanos, Outcome, Phase, Stage, StopReason, Survey,
    Workload,
};
use sokudo_sys::ThreadCounts;

use super::real::stop_reason;
use super::route::Route;
use super::surveyor::{Means, Surroundings, Surveyor};
use super::{chunks, circumstances, outcome_of, write_action};
use crate::backend::Simulated;
use crate::clock::{Clock, VirtualClock};
use crate::collector::progress_event;
use crate::control::Control;
use crate::offsets::Stretch;
use crate::progress::Glance;
use crate::read_back::ReadBack;
use crate::stage_options::StageOptions;
use crate::target::SimulatedTarget;
use crate::target_use::uses;

/// The unit in which simulated devices are read and written.
pub(super) const SECTOR_BYTES: u64 = 512;

/// Progress is told once in this many times that it could be: virtual time passes faster
/// than anybody can look.
const TIMES_PER_TELLING: u32 = 256;

/// Runs the survey of a stage that has been checked. The same seed and device state give
/// the same outcome.
pub(crate) fn run(
    stage: &Stage,
    survey: Survey,
    options: StageOptions,
    target: &mut SimulatedTarget,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Outcome {
    let workload = &stage.workloads[0];
    let span = uses(workload).first().and_then(|first| first.span);
    let stretch = Stretch {
        start: span.map_or(0, |span| span.offset.0),
        length: span.map_or(target.device.size().0, |span| span.length.0),
    };
    let route = Route::new(workload, &survey, stretch, SECTOR_BYTES, options.seed);
    let started_at = target.now;
    let clock = VirtualClock::default();
    clock.advance_to(started_at);
    let chunks = chunks(workload, &survey, workload.depth);
    let device = Simulated::new(&mut target.device, clock.clone());
    let around = Around {
        control,
        listener,
        started_at,
        times: 0,
    };
    let surveyed = if survey.write_back {
        let backend = ReadBack::simulated(device, chunks);
        let means = means(backend, &clock, around, workload, chunks);
        Surveyor::new(workload, survey, &route, means).survey().0
    } else {
        let means = means(device, &clock, around, workload, chunks);
        Surveyor::new(workload, survey, &route, means).survey().0
    };
    target.now = clock.now();
    let backend = BackendUse {
        kind: BackendKind::Sim,
        features: vec![],
        notes: vec![],
    };
    outcome_of(surveyed, circumstances(started_at, backend, true))
}

fn means<'a, B>(
    backend: B,
    clock: &VirtualClock,
    surroundings: Around<'a>,
    workload: &Workload,
    chunks: u32,
) -> Means<B, VirtualClock, Around<'a>> {
    Means {
        backend,
        clock: clock.clone(),
        surroundings,
        data: None,
        depth: workload.depth,
        chunks,
        logical_bytes: SECTOR_BYTES,
        write_action: write_action(workload),
    }
}

/// Those around a simulated survey.
struct Around<'a> {
    control: &'a Control,
    listener: &'a mut dyn FnMut(Event),
    started_at: u64,
    times: u32,
}

impl Surroundings for Around<'_> {
    fn stopped(&self) -> Option<StopReason> {
        stop_reason(self.control)
    }

    fn tell(&mut self, now: u64, at: Nanos, each: [Moved; 3]) {
        if self.times.is_multiple_of(TIMES_PER_TELLING) {
            let glance = Glance {
                at: at.0,
                each,
                phase: Phase::Running,
            };
            let elapsed = Nanos(now - self.started_at);
            (self.listener)(progress_event(0, elapsed, glance));
        }
        self.times = self.times.wrapping_add(1);
    }

    /// A simulated device that has vanished answers reads with nothing.
    fn is_gone(&self) -> bool {
        false
    }

    fn used(&self) -> Option<ThreadCounts> {
        None
    }
}
