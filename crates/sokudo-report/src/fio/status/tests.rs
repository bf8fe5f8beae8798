use super::*;
use crate::fio::sample::Sample;
use sokudo_model::{Bytes, OperationMix, Stage};

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

fn status(sample: &Sample) -> StatusLine {
    StatusLine::new(&sample.run.plan, &sample.session)
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
    last.ramp = Nanos::from_secs(1);
    last.rates.each[1] = Some(Rate::BytesPerSecond(10 << 20));
    last.rates.each[0] = Some(Rate::BytesPerSecond(1 << 20));
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
    status.begin_new_line();
    assert_eq!(
        status.line(Nanos::from_secs(6)),
        "Jobs: 1 (f=1), 0B/s-10.0MiB/s: [_(2),W(1)][66.7%][w=10.0MiB/s][w=2560 IOPS]\
         [eta 00m:03s]"
    );
    status.failed(0);
    status.stage_ended();
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
    let mut status = StatusLine::new(&sample.run.plan, &sample.session);
    status.stage_started(0, Nanos(0));
    status.observe(&progress(0, second, each, Phase::Running));
    assert_eq!(status.remaining(second), Some(Nanos::from_secs(3)));
}

#[test]
fn long_times_have_hours_and_days() {
    let text = |seconds| eta(Some(Nanos::from_secs(seconds)));
    assert_eq!(text(59), "00m:59s");
    assert_eq!(text(3_723), "01h:02m:03s");
    assert_eq!(text(99_997), "01d:03h:46m:37s");
    assert_eq!(eta(None), "--");
}
