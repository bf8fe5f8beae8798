//! What another workload at the same time does to a row, and whether it was the disk that did it.

use sokudo_model::{Beside, BesideRow, Nanos, Workload};
use sokudo_words::{Text, text};

use crate::case::Case;
use crate::code::{Code, Ruling};
use crate::rule::RowRule;
use crate::threshold::CPU_SHARE_MAX;

pub(crate) const RULES: &[RowRule] = &[processors_of_both, latency_beside, rate_beside];

/// Of a row that ran beside another one, itself and the other.
fn rows<'a>(case: &Case<'a>) -> Option<[BesideRow<'a>; 2]> {
    Beside::of(case.run)?.with(case.row)
}

/// A row as its table calls it.
fn name(workload: &Workload) -> Text {
    Text::name(format!(
        "{} {}",
        workload.name,
        workload.operations.direction()
    ))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a latency, rounded to nanoseconds"
)]
fn time(nanos: f64) -> Nanos {
    Nanos(nanos.round() as u64)
}

/// Of what a workload in a closed loop waits for its rate tells as much.
fn latency_beside(case: &Case<'_>) -> Option<Ruling> {
    let [row, other] = rows(case)?;
    case.row.workload.rate?;
    let (figure, compared) = row.headline()?;
    compared.has_risen().then(|| Ruling::new(
        Code::BesideLatency,
        text!(
            "{figure} is {beside} beside {other} instead of {alone} alone ({ratio:.1} ×)",
            figure = figure.name(),
            beside = time(compared.beside),
            other = name(&other.alone.workload),
            alone = time(compared.alone),
            ratio = compared.ratio
        ),
        "the I/Os of both wait in the same queues, of the system or of the disk",
        "share by weights or latency targets (io.weight, io.latency, bfq), limit the rate of the other workload (io.max), or put both on disks of their own",
    ))
}

fn rate_beside(case: &Case<'_>) -> Option<Ruling> {
    let [row, other] = rows(case)?;
    let rate = row.rate().filter(|rate| rate.has_fallen())?;
    let others = other.rate()?;
    Some(Ruling::new(
        Code::BesideRate,
        text!(
            "{percent:.0} % of its rate alone is left beside {other}, which has {others:.0} % of its own",
            percent = rate.ratio * 100.0,
            other = name(&other.alone.workload),
            others = others.ratio * 100.0
        ),
        "what the disk gives is shared, and this is the row's part of it",
        "where one is left much less than the other, share by weights (io.weight, bfq), or limit the rate of the other (io.max)",
    ))
}

/// Both compute nearly all the time of all processors: what changes may be the processors' doing.
fn processors_of_both(case: &Case<'_>) -> Option<Ruling> {
    let [row, other] = rows(case)?;
    let cpus = case.run.environment.cpus;
    if cpus == 0 || !case.real() {
        return None;
    }
    let (mut busy, mut available) = (0.0, 0.0);
    for trial in row.beside.trials.iter().chain(&other.beside.trials) {
        let cpu = trial.outcome.cpu?;
        busy += cpu.user.as_secs_f64() + cpu.system.as_secs_f64();
        // Both were measured in the same time, which is counted once.
        available += trial.outcome.elapsed.as_secs_f64() * f64::from(cpus) / 2.0;
    }
    (available > 0.0 && busy > available * CPU_SHARE_MAX).then(|| {
        Ruling::new(
            Code::TesterLimited,
            text!(
                "the threads of both workloads computed {percent:.0} % of the time of all {cpus} processors: what changes beside the other may be the processors' doing",
                percent = busy / available * 100.0
            ),
            "issuing and completing the I/Os of both takes nearly all of the processors' time",
            "measure on more processors, or a neighbour with larger blocks or fewer threads",
        )
    })
}
