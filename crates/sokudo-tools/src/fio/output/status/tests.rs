use sokudo_model::{BackendKind, Bytes, Event, OperationMix, Outcome, Stage, Trial};

use crate::fio::output::sample::Sample;

use super::*;

fn moved(kib: u64) -> Moved {
    Moved {
        bytes: Bytes::kib(kib),
        ios: kib / 4,
    }
}

fn progress(workload: usize, at: Nanos, each: [Moved; 3], phase: Phase) -> Event {
    Event::Progress {
        workload,
        at,
        bytes: Bytes(each.iter().map(|moved| moved.bytes.0).sum()),
        ios: each.iter().map(|moved| moved.ios).sum(),
        each,
        phase,
    }
}

/// A line and the state that it is of.
struct StatusOfLine {
    status: StatusLine,
    state: RunState,
}

impl StatusOfLine {
    fn stage_started(&mut self, stage: usize, at: Nanos) {
        let stages = &self.state.run.plan.stages[..stage];
        let first = stages.iter().map(|stage| stage.workloads.len()).sum();
        self.observe(&Event::StageStarted { stage, first });
        self.status.stage_started(stage, at);
    }

    fn stage_ended(&mut self) {
        self.observe(&Event::StageEnded);
        self.status.stage_ended();
    }

    fn observe(&mut self, event: &Event) {
        self.state.take(event);
    }

    fn line(&mut self, now: Nanos) -> String {
        self.status.line(now, &self.state)
    }

    fn letters(&self) -> String {
        self.status.letters(&self.state)
    }

    fn remaining(&self, now: Nanos) -> Option<Nanos> {
        self.status.remaining(now, &self.state)
    }
}

fn status(sample: &Sample) -> StatusOfLine {
    let run = &sample.run;
    StatusOfLine {
        status: StatusLine::new(&run.plan, &sample.session),
        state: RunState::planned(&run.plan, &run.schedule),
    }
}

/// Two jobs of four seconds, then one that writes in order.
fn two_stages() -> Sample {
    let mut sample = Sample::new(&["a", "a", "b"]);
    let mut workloads = sample.run.plan.stages.remove(0).workloads;
    for workload in &mut workloads {
        workload.limits.time = Some(Nanos::from_secs(4));
    }
    let mut last = workloads.pop().unwrap();
    last.operations = OperationMix::only(Operation::Write);
    last.order = Order::Sequential {
        offset: sokudo_model::SequentialOffset::Own,
    };
    last.timing.ramp = Nanos::from_secs(1);
    last.pacing.rates.each[1] = Some(Rate::BytesPerSecond(10 << 20));
    last.pacing.rates.each[0] = Some(Rate::BytesPerSecond(1 << 20));
    let second = Stage {
        workloads: vec![last],
    };
    sample.run.plan.stages = vec![Stage { workloads }, second];
    sample
}

#[test]
fn the_line_is_the_one_of_fio() {
    let sample = two_stages();
    let mut status = status(&sample);
    status.stage_started(0, Nanos(0));
    let second = Nanos::from_secs(1);
    let each = [moved(6_000), moved(6_000), Moved::default()];
    for job in 0..2 {
        status.observe(&progress(job, second, each, Phase::Running));
    }
    let first = status.line(second);
    assert_eq!(
        first,
        "Jobs: 2 (f=2): [m(2),P(1)][11.1%][r=11.7MiB/s,w=11.7MiB/s][r=3000,w=3000 IOPS]\
         [eta 00m:08s]"
    );
    status.observe(&progress(1, Nanos::from_secs(2), each, Phase::Ended));
    let line = status.line(Nanos::from_secs(2));
    assert_eq!(
        line.trim_end(),
        "Jobs: 1 (f=1): [m(1),_(1),P(1)][22.2%][eta 00m:07s]"
    );
    assert_eq!(
        line.len(),
        first.len(),
        "it covers the longer line before it"
    );
}

#[test]
fn stages_follow_one_another() {
    let sample = two_stages();
    let mut status = status(&sample);
    status.stage_started(0, Nanos(0));
    status.stage_ended();
    let start = Nanos::from_secs(4);
    status.stage_started(1, start);
    let nothing = [Moved::default(); 3];
    status.observe(&progress(0, Nanos(1), nothing, Phase::Ramp));
    assert_eq!(
        status.line(Nanos::from_secs(5)),
        "Jobs: 1 (f=0): [_(2),/(1)][-.-%][eta 00m:04s]"
    );
    let written = [Moved::default(), moved(10_240), Moved::default()];
    status.observe(&progress(0, Nanos(1), written, Phase::Running));
    status.status.begin_new_line();
    assert_eq!(
        status.line(Nanos::from_secs(6)),
        "Jobs: 1 (f=1), 0B/s-10.0MiB/s: [_(2),W(1)][66.7%][w=10.0MiB/s][w=2560 IOPS]\
         [eta 00m:03s]"
    );
    status.stage_ended();
    let failed = Trial::new(Outcome::new(BackendKind::Psync, StopReason::Failed));
    let workload = sample.run.plan.stages[1].workloads[0].clone();
    status.observe(&Event::counted(2, &workload, &failed));
    assert_eq!(status.line(Nanos::from_secs(9)).trim_end(), "Jobs: 0 (f=0)");
    assert_eq!(status.letters(), "_(2),X(1)");
}

#[test]
fn phases_have_the_letters_of_fio() {
    let sample = Sample::new(&["a"]);
    for (phase, letter) in [
        (Phase::Waiting, 'P'),
        (Phase::Ramp, '/'),
        (Phase::Running, 'm'),
        (Phase::Verifying, 'V'),
        (Phase::Flushing, 'F'),
        (Phase::Finishing, 'f'),
        (Phase::Ended, '_'),
    ] {
        let mut status = status(&sample);
        status.stage_started(0, Nanos(0));
        status.observe(&progress(0, Nanos(1), [Moved::default(); 3], phase));
        assert_eq!(status.letters(), format!("{letter}(1)"));
    }
}

#[test]
fn the_rest_of_a_job_without_a_time_limit_follows_from_what_is_done() {
    let mut sample = Sample::new(&["a"]);
    let workload = &mut sample.run.plan.stages[0].workloads[0];
    workload.limits.time = None;
    workload.limits.bytes = Some(Bytes::mib(100));
    workload.limits.repeats = 1;
    let mut status = status(&sample);
    status.stage_started(0, Nanos(0));
    assert_eq!(status.remaining(Nanos(0)), None);
    let each = [moved(50 * 1024), Moved::default(), Moved::default()];
    let second = Nanos::from_secs(1);
    status.observe(&progress(0, second, each, Phase::Running));
    assert_eq!(status.remaining(second), Some(Nanos::from_secs(3)));
    let again = sample.run.plan.stages[0].clone();
    sample.run.plan.stages.push(again);
    let job = sample.session.jobs[0].clone();
    sample.session.jobs.push(job);
    let mut of_two = self::status(&sample);
    of_two.stage_started(0, Nanos(0));
    of_two.observe(&progress(0, second, each, Phase::Running));
    assert_eq!(of_two.remaining(second), Some(Nanos::from_secs(3)));
}

#[test]
fn long_times_have_hours_and_days() {
    let text = |seconds| eta(Some(Nanos::from_secs(seconds)));
    assert_eq!(text(59), "00m:59s");
    assert_eq!(text(3_723), "01h:02m:03s");
    assert_eq!(text(99_997), "01d:03h:46m:37s");
    assert_eq!(eta(None), "--");
}
