//! What gave no more at the peak that was found: the processors, the kernel or the disk. It is
//! decided from what was seen of the trials: what computed, whether the row's threads ever
//! waited for the disk, and where the latency was spent.

use sokudo_analysis::code::Code;
use sokudo_analysis::explain::evidence::figure;
use sokudo_analysis::rule::MethodRules;
use sokudo_analysis::threshold::{CPU_SHARE_MAX, WAKE_UP_TIME_MAX};
use sokudo_analysis::thresholds;
use sokudo_model::{
    BlockDeviceKind, Confidence, Inference, Nanos, Operation, Row, Run, TargetKind,
};
use sokudo_stats::Histogram;
use sokudo_words::{Text, text};

use crate::peak::view::{METHOD, Peak, PeakLimit, PeakLoad, PeakSearch};

thresholds! {
    cfg(test);

    /// Of `peak`: what a doubling of depth or threads gains at least, for the climb to go on.
    ///
    /// Twice as many I/Os in flight that bring less than a twentieth cost nearly twice the
    /// latency. Single trials of a second differ by some per cent.
    pub PEAK_GAIN_MIN: f64 = PeakSearch::GAIN_MIN, percent;

    /// Latency that passed between the start and the end of the devices' requests, from which
    /// the disk is taken for the limit of a peak.
    ///
    /// The rest is submission and completion, which at a full queue are small beside the
    /// queue's own time.
    pub PEAK_IN_DEVICE_SHARE_MIN: f64 = 0.80, percent;

    /// Latency outside of these requests, above which I/Os waited in the kernel.
    pub PEAK_IN_KERNEL_SHARE_MIN: f64 = 0.50, percent;

    /// What other programs and machines may have of all processor time at a peak.
    pub PEAK_OTHERS_SHARE_MAX: f64 = 0.10, percent;
}

/// Rules of its own.
pub(crate) static RULES: MethodRules = MethodRules {
    inferences: &[limit],
    looked_for,
    ..MethodRules::NONE
};

/// Each load is tried once, and only the best ones are measured again.
fn looked_for(run: &Run, row: Option<&Row>, code: Code) -> bool {
    let is_tried = row.is_some_and(|row| row.trials.len() == 1);
    run.plan.method.is_of(&METHOD) && is_tried && code == Code::FewTrials
}

fn limit(run: &Run) -> Option<Inference> {
    // Of a search that was cut off nobody knows what it would have come to.
    let peak = Peak::of(run).filter(|peak| peak.is_confirmed && peak.refuted_by().is_none())?;
    if peak.rises() {
        return Some(still_rising(peak.knee().load));
    }
    let hardest = peak.steps[peak.hardest()];
    let row = &run.rows[hardest.result];
    let knee = &run.rows[peak.steps[peak.knee].result];
    let little = added_latency(knee, row);
    if run.target.kind == TargetKind::Simulated {
        let alone = "in virtual time the simulated device alone takes time";
        let evidence = std::iter::once(alone.into()).chain(little);
        return Some(found(
            PeakLimit::Disk,
            Confidence::High,
            Vec::new(),
            evidence.collect(),
        ));
    }
    let used = ProcessorUse::of(row)?;
    let is_null = run.target.kind == TargetKind::Null;
    let used = if is_null { used.alone() } else { used };
    let cpus = f64::from(run.environment.cpus.max(1));
    // Without a disk there is nothing else to wait for.
    let mut inference = match is_null || used.is_all_of(cpus) {
        true => computing(&used, cpus),
        false => waiting(run, knee, little),
    };
    if used.is_disturbed(cpus) {
        let doubt = "CPU time that others used was missing here: measure while nothing else runs";
        inference.evidence = Text::list([inference.evidence, doubt.into()], "; ");
        inference.confidence = match inference.confidence {
            Confidence::High => Confidence::Medium,
            _ => Confidence::Low,
        };
    }
    let seen = used.evidence(hardest.step.load, cpus);
    inference.evidence = Text::list([seen, inference.evidence], "; ");
    inference.figures.splice(0..0, used.figures(cpus));
    Some(inference)
}

fn found(
    limit: PeakLimit,
    confidence: Confidence,
    figures: Vec<sokudo_model::InferredFigure>,
    evidence: Vec<Text>,
) -> Inference {
    Inference {
        code: limit.code().to_owned(),
        claim: Text::from(match limit {
            PeakLimit::Processor => "the CPU as the limit",
            PeakLimit::Kernel => "the kernel as the limit",
            PeakLimit::Disk => "the disk as the limit",
            PeakLimit::NotFound => "a limit beyond what was tried",
        }),
        figures,
        confidence,
        evidence: Text::list(evidence, "; "),
    }
}

fn still_rising(load: PeakLoad) -> Inference {
    let evidence = text!(
        "the rate still rose at {load}, the most that was tried; --max-threads, --max-depth and a \
         quarter of the memory bound the search",
        load = load.description()
    );
    let figures = vec![
        figure("threads", load.threads.into()),
        figure("depth", load.depth.into()),
    ];
    found(
        PeakLimit::NotFound,
        Confidence::Medium,
        figures,
        vec![evidence],
    )
}

/// What computed during the trials of a row, in processors on average.
#[derive(Clone, Copy, Debug, Default)]
struct ProcessorUse {
    threads: f64,
    /// The row's threads, outside the kernel.
    user: f64,
    /// The same inside it.
    system: f64,
    /// The row's threads that were ready to run and did not; `None` where nobody told.
    waited: Option<f64>,
    /// What else was used; `None` where nobody looked.
    beside: Option<BesideUse>,
}

#[derive(Clone, Copy, Debug, Default)]
struct BesideUse {
    /// By the kernel, in threads of its own and for others.
    kernel: f64,
    /// By other programs and other machines.
    others: f64,
}

impl ProcessorUse {
    fn of(row: &Row) -> Option<Self> {
        let mut sum = Self {
            threads: f64::from(row.workload.threads),
            waited: Some(0.0),
            beside: Some(BesideUse::default()),
            ..Self::default()
        };
        let trials = row.trials.iter().filter(|trial| trial.outcome.ios() > 0);
        let mut count = 0.0;
        for trial in trials {
            let (outcome, around) = (&trial.outcome, trial.evidence.processors.as_ref());
            let elapsed = outcome.elapsed.as_secs_f64();
            let cpu = outcome.cpu.filter(|_| elapsed > 0.0)?;
            count += 1.0;
            sum.user += cpu.user.as_secs_f64() / elapsed;
            sum.system += cpu.system.as_secs_f64() / elapsed;
            let waited = outcome.usage.and_then(|usage| {
                let wake_ups = usage.context_switches.saturating_mul(WAKE_UP_TIME_MAX.0);
                Some(Nanos(usage.waited?.0.saturating_sub(wake_ups)))
            });
            let waited = waited.map(|waited| waited.as_secs_f64() / elapsed);
            sum.waited = sum.waited.zip(waited).map(|(sum, next)| sum + next);
            let beside = around.and_then(|around| {
                let window = around.elapsed.as_secs_f64();
                let of = |time: Nanos| time.as_secs_f64() / window;
                let others = of(around.programs?) + of(around.stolen.unwrap_or_default());
                (window > 0.0).then_some((of(around.kernel?), others))
            });
            sum.beside = sum
                .beside
                .zip(beside)
                .map(|(sum, (kernel, others))| BesideUse {
                    kernel: sum.kernel + kernel,
                    others: sum.others + others,
                });
        }
        (count > 0.0).then(|| Self {
            threads: sum.threads,
            user: sum.user / count,
            system: sum.system / count,
            waited: sum.waited.map(|sum| sum / count),
            beside: sum.beside.map(|sum| BesideUse {
                kernel: sum.kernel / count,
                others: sum.others / count,
            }),
        })
    }

    /// The same where no I/O reaches the kernel: what that did beside was for others.
    fn alone(self) -> Self {
        let beside = self.beside.map(|BesideUse { kernel, others }| BesideUse {
            kernel: 0.0,
            others: kernel + others,
        });
        Self { beside, ..self }
    }

    fn beside(&self) -> BesideUse {
        self.beside.unwrap_or_default()
    }

    /// What was used for the row, with what the kernel did beside it.
    fn ours(&self) -> f64 {
        self.user + self.system + self.beside().kernel
    }

    /// Whether others used so much that the row may have lacked it.
    fn is_disturbed(&self, cpus: f64) -> bool {
        self.beside().others > PEAK_OTHERS_SHARE_MAX * cpus
    }

    /// Which part of their time the threads did not wait for the disk.
    fn awake(&self) -> f64 {
        (self.user + self.system + self.waited.unwrap_or_default()) / self.threads.max(1.0)
    }

    /// Whether no processor was left, or the threads never waited for anything else.
    fn is_all_of(&self, cpus: f64) -> bool {
        self.ours() >= CPU_SHARE_MAX * cpus || self.awake() >= CPU_SHARE_MAX
    }

    fn evidence(&self, load: PeakLoad, cpus: f64) -> Text {
        let Self { user, system, .. } = *self;
        let awake = self.awake().min(1.0) * 100.0;
        let threads = text!(
            "with {load} the row's threads used {user:.2} of {cpus} CPUs in user mode and {system:.2} in the kernel, and computed or waited for a CPU {awake:.0} % of their time",
            load = load.description()
        );
        let beside = self.beside.map(|BesideUse { kernel, others }| {
            text!(
                "in addition, the kernel used {kernel:.2} CPUs, other programs and machines {others:.2}"
            )
        });
        Text::list(std::iter::once(threads).chain(beside), "; ")
    }

    fn figures(&self, cpus: f64) -> Vec<sokudo_model::InferredFigure> {
        let mut figures = vec![
            figure("CPUs", cpus),
            figure("processors_user", self.user),
            figure("processors_system", self.system),
            figure("awake_share", self.awake().min(1.0)),
        ];
        if let Some(beside) = self.beside {
            figures.push(figure("processors_kernel_beside", beside.kernel));
            figures.push(figure("processors_others", beside.others));
        }
        figures
    }
}

/// The processors were the limit: by what they did.
fn computing(used: &ProcessorUse, cpus: f64) -> Inference {
    let beside = used.beside();
    let confidence = match used.ours() >= CPU_SHARE_MAX * cpus {
        true => Confidence::High,
        false => Confidence::Medium,
    };
    let limit = match used.system + beside.kernel >= used.user {
        true => PeakLimit::Kernel,
        false => PeakLimit::Processor,
    };
    let evidence = "more I/Os in flight only wait for a CPU";
    found(limit, confidence, Vec::new(), vec![evidence.into()])
}

/// Processors were idle: by where the latency was spent.
fn waiting(run: &Run, knee: &Row, little: Option<Text>) -> Inference {
    let share = in_device(knee);
    let (limit, confidence) = match share {
        None => (PeakLimit::Disk, Confidence::Medium),
        Some(share) if share < 1.0 - PEAK_IN_KERNEL_SHARE_MIN => {
            (PeakLimit::Kernel, Confidence::Low)
        }
        Some(share) if share < PEAK_IN_DEVICE_SHARE_MIN => (PeakLimit::Disk, Confidence::Low),
        Some(_) if is_bare(run) => (PeakLimit::Disk, Confidence::High),
        Some(_) => (PeakLimit::Disk, Confidence::Medium),
    };
    let spent = share.map(|share| {
        let percent = share.min(1.0) * 100.0;
        text!("{percent:.0} % of the latency at the knee passed in the device, as the kernel counts it")
    });
    let figures = share.map(|share| figure("in_device_share", share));
    found(
        limit,
        confidence,
        figures.into_iter().collect(),
        spent.into_iter().chain(little).collect(),
    )
}

/// Whether nothing but a disk of its own can lie below: no host, no file, no memory.
fn is_bare(run: &Run) -> bool {
    let mut leaves = run.target.leaves().peekable();
    leaves.peek().is_some() && leaves.all(|leaf| leaf.kind == BlockDeviceKind::Disk)
}

/// Which part of the row's latency the devices' requests were on their way, by their own count;
/// `None` where that was not counted, or the page cache was between.
fn in_device(row: &Row) -> Option<f64> {
    let (mut counted, mut ios) = (0.0, 0_u64);
    for trial in &row.trials {
        let outcome = &trial.outcome;
        let device = trial.evidence.device.filter(|_| outcome.direct)?;
        counted += device.request_time?.as_secs_f64() * 1e9;
        let ramps = [Operation::Read, Operation::Write].map(Operation::index);
        ios += outcome.ios()
            + ramps
                .map(|index| outcome.in_ramp[index].ios)
                .iter()
                .sum::<u64>();
    }
    let latency = mean_latency(row)?;
    (ios > 0 && latency > 0.0).then(|| counted / ios as f64 / latency)
}

fn mean_latency(row: &Row) -> Option<f64> {
    let mut all = Histogram::new();
    for trial in &row.trials {
        let tallies = trial.outcome.operations.iter();
        tallies
            .filter(|tally| tally.operation != Operation::Flush)
            .for_each(|tally| all.merge(&tally.latency));
    }
    all.mean()
}

/// What more I/Os in flight than at the knee brought; `None` where no more were.
fn added_latency(knee: &Row, row: &Row) -> Option<Text> {
    let in_flight = |row: &Row| f64::from(row.workload.threads) * f64::from(row.workload.depth);
    let times = in_flight(row) / in_flight(knee);
    if times <= 1.0 {
        return None;
    }
    let rate = row.ios_per_second()? / knee.ios_per_second()?;
    let latency = mean_latency(row)? / mean_latency(knee)?;
    Some(text!(
        "{times:.0} times the I/Os in flight of the knee gave {rate:.2} times its rate and \
         {latency:.1} times its latency"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_analysis::sample;
    use sokudo_model::{Bytes, CpuTime, Method, ProcessorEvidence, ThreadUsage};

    /// What a step did in a second.
    #[derive(Clone, Copy)]
    struct Seen {
        threads: u32,
        depth: u32,
        ios: u64,
        trials: usize,
    }

    fn step(threads: u32, depth: u32, ios: u64, trials: usize) -> Seen {
        Seen {
            threads,
            depth,
            ios,
            trials,
        }
    }

    /// On four processors: threads in user mode, in the kernel and waiting, the kernel beside
    /// and others, in milliseconds of a second; and how long each request took, microseconds.
    fn run(
        steps: &[Seen],
        [user, system, waited, kernel, others]: [u64; 5],
        request_us: u64,
    ) -> Run {
        let mut run = sample::reads();
        run.plan.method = Method::new(&crate::peak::view::METHOD);
        run.environment.cpus = 4;
        let row = run.rows[0].clone();
        run.rows = steps.iter().map(|seen| of_step(&row, *seen)).collect();
        for trial in run.rows.iter_mut().flat_map(|row| &mut row.trials) {
            trial.outcome.cpu = Some(CpuTime {
                user: Nanos::from_millis(user),
                system: Nanos::from_millis(system),
                ..CpuTime::default()
            });
            trial.outcome.usage = Some(ThreadUsage {
                waited: Some(Nanos::from_millis(waited)),
                ..ThreadUsage::default()
            });
            trial.evidence.processors = Some(ProcessorEvidence {
                elapsed: Nanos::from_secs(1),
                own: Some(Nanos::from_millis(user + system)),
                programs: Some(Nanos::from_millis(others)),
                kernel: Some(Nanos::from_millis(kernel)),
                stolen: None,
                throttled: None,
            });
            let ios = trial.outcome.ios();
            let device = trial.evidence.device.as_mut().unwrap();
            device.request_time = Some(Nanos::from_micros(request_us * ios));
        }
        run
    }

    fn of_step(row: &Row, seen: Seen) -> Row {
        let mut row = row.clone();
        (row.workload.threads, row.workload.depth) = (seen.threads, seen.depth);
        row.trials.truncate(1);
        let tally = &mut row.trials[0].outcome.operations[0];
        let in_flight = u64::from(seen.threads * seen.depth);
        tally.ios = seen.ios;
        tally.bytes = Bytes(seen.ios * 4096);
        tally.latency = sample::histogram(100, Nanos(in_flight * 1_000_000_000 / seen.ios));
        row.trials = vec![row.trials[0].clone(); seen.trials];
        row
    }

    /// A knee at one thread × 8, and what threads bring beyond it: nothing.
    fn flat() -> [Seen; 5] {
        [
            step(1, 4, 45_000, 1),
            step(1, 8, 80_000, 6),
            step(1, 16, 80_000, 6),
            step(2, 8, 80_000, 1),
            step(4, 8, 80_000, 1),
        ]
    }

    fn concluded(run: &Run) -> (PeakLimit, Confidence, String) {
        let inference = limit(run).unwrap();
        let limit = PeakLimit::of_code(&inference.code).unwrap();
        (limit, inference.confidence, inference.evidence.english())
    }

    #[test]
    fn processors_that_are_all_busy_are_the_limit_by_what_they_do() {
        let own = |user, system| run(&flat(), [user, system, 0, 50, 50], 20);
        let (limit, confidence, evidence) = concluded(&own(3_000, 800));
        assert_eq!(
            (limit, confidence),
            (PeakLimit::Processor, Confidence::High)
        );
        assert!(
            evidence.contains("3.00 of 4 CPUs in user mode"),
            "{evidence}"
        );
        let (limit, confidence, _) = concluded(&own(800, 3_000));
        assert_eq!((limit, confidence), (PeakLimit::Kernel, Confidence::High));
        // The kernel's own threads do the work, while ours sleep.
        let workers = run(&flat(), [200, 200, 0, 3_400, 0], 20);
        assert_eq!(concluded(&workers).0, PeakLimit::Kernel);
    }

    #[test]
    fn what_others_took_makes_the_processor_a_doubtful_limit() {
        let disturbed = run(&flat(), [1_500, 300, 1_900, 0, 2_000], 20);
        let (limit, confidence, evidence) = concluded(&disturbed);
        assert_eq!((limit, confidence), (PeakLimit::Processor, Confidence::Low));
        assert!(evidence.contains("nothing else runs"), "{evidence}");
    }

    #[test]
    fn without_a_disk_the_processor_is_the_limit_whatever_others_do() {
        // Others write, which the kernel does for them, and another machine takes half the time.
        let mut busy = run(&flat(), [500, 10, 0, 2_000, 2_000], 20);
        busy.target.kind = TargetKind::Null;
        let (limit, confidence, evidence) = concluded(&busy);
        assert_eq!((limit, confidence), (PeakLimit::Processor, Confidence::Low));
        assert!(evidence.contains("nothing else runs"), "{evidence}");
    }

    #[test]
    fn threads_that_never_wait_for_the_disk_are_limited_by_processors_that_they_cannot_have() {
        // A quota of two processors of four: they wait for processors and not for the disk.
        let held_back = run(&flat(), [1_500, 500, 1_900, 0, 0], 20);
        let (limit, confidence, _) = concluded(&held_back);
        assert_eq!(
            (limit, confidence),
            (PeakLimit::Processor, Confidence::Medium)
        );
    }

    #[test]
    fn idle_processors_and_latency_in_the_device_are_a_disk_at_its_end() {
        // 8 in flight at 80,000 per second take 100 µs each.
        let (limit, confidence, evidence) = concluded(&run(&flat(), [300, 500, 0, 0, 0], 95));
        assert_eq!((limit, confidence), (PeakLimit::Disk, Confidence::High));
        assert!(evidence.contains("95 % of the latency"), "{evidence}");
        assert!(
            evidence.contains("4 times the I/Os in flight"),
            "{evidence}"
        );
        assert!(
            evidence.contains("1.00 times its rate and 4.0 times"),
            "{evidence}"
        );
        let mut guest = run(&flat(), [300, 500, 0, 0, 0], 95);
        guest.target.devices = vec![sample::device("vda", BlockDeviceKind::VirtualDisk, true)];
        assert_eq!(concluded(&guest).1, Confidence::Medium);
        let between = run(&flat(), [300, 500, 0, 0, 0], 60);
        assert_eq!(concluded(&between).1, Confidence::Low);
        // Others fill the processors, but the threads did not wait for one.
        let (limit, confidence, evidence) = concluded(&run(&flat(), [300, 500, 0, 0, 3_000], 95));
        assert_eq!((limit, confidence), (PeakLimit::Disk, Confidence::Medium));
        assert!(evidence.contains("nothing else runs"), "{evidence}");
    }

    #[test]
    fn latency_that_no_device_saw_was_spent_in_the_kernel() {
        let (limit, confidence, _) = concluded(&run(&flat(), [300, 500, 0, 0, 0], 20));
        assert_eq!((limit, confidence), (PeakLimit::Kernel, Confidence::Low));
    }

    #[test]
    fn where_no_device_counts_an_idle_machine_makes_it_the_disk_at_medium_confidence() {
        let mut unseen = run(&flat(), [300, 500, 0, 0, 0], 95);
        for trial in unseen.rows.iter_mut().flat_map(|row| &mut row.trials) {
            trial.evidence.device = None;
        }
        let (limit, confidence, _) = concluded(&unseen);
        assert_eq!((limit, confidence), (PeakLimit::Disk, Confidence::Medium));
    }

    #[test]
    fn a_rate_that_still_rises_has_no_limit_yet_and_names_the_option() {
        let rising = [
            step(1, 1, 10_000, 1),
            step(1, 2, 10_000, 1),
            step(2, 1, 20_000, 1),
            step(4, 1, 40_000, 6),
        ];
        let (limit, _, evidence) = concluded(&run(&rising, [300, 500, 0, 0, 0], 95));
        assert_eq!(limit, PeakLimit::NotFound);
        assert!(evidence.contains("--max-threads"), "{evidence}");
        let deeper = [step(1, 1, 10_000, 1), step(1, 2, 20_000, 6)];
        let (_, _, evidence) = concluded(&run(&deeper, [300, 500, 0, 0, 0], 95));
        assert!(evidence.contains("--max-depth"), "{evidence}");
    }

    #[test]
    fn nothing_is_concluded_of_other_runs_or_of_a_search_that_was_cut_off() {
        let mut other = run(&flat(), [300, 500, 0, 0, 0], 95);
        other.plan.method = sokudo_analysis::sample::method(&[]);
        assert_eq!(limit(&other), None);
        let cut = flat().map(|seen| Seen { trials: 1, ..seen });
        assert_eq!(limit(&run(&cut, [300, 500, 0, 0, 0], 95)), None);
    }
}
