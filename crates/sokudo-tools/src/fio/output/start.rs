//! What fio prints before the jobs run.

use sokudo_model::{Bytes, Operation, Order, Plan, Workload};

use crate::fio::session::{FioJob, FioSession};

use super::FIO_VERSION;
use super::number::{UnitSuffix, scaled};

/// One line per section, fio's version, and how many processes start.
pub fn start_lines(session: &FioSession, plan: &Plan) -> String {
    let workloads = plan.stages.iter().flat_map(|stage| &stage.workloads);
    let mut text = String::new();
    for (index, (job, workload)) in session.jobs.iter().zip(workloads).enumerate() {
        if job.job_number == 0 {
            text.push_str(&job_line(job, workload));
            text.push('\n');
            let next = session.jobs.get(index + 1);
            if next.is_some_and(|next| next.section == job.section && next.job_number > 0) {
                text.push_str("...\n");
            }
        }
    }
    text.push_str(FIO_VERSION);
    text.push('\n');
    text.push_str(&starting_line(session));
    text.push('\n');
    text
}

/// What fio prints when it makes a job's files: `name: Laying out IO file (1 file /
/// 16MiB)`.
pub fn layout_line(job: &FioJob, files: usize, each: Bytes) -> String {
    let name = &job.name;
    let mebibytes = each.0 >> 20;
    match files {
        1 => format!("{name}: Laying out IO file (1 file / {mebibytes}MiB)"),
        _ => format!(
            "{name}: Laying out IO files ({files} files / total {}MiB)",
            mebibytes * files as u64
        ),
    }
}

fn job_line(job: &FioJob, workload: &Workload) -> String {
    let sizes = [
        ("R", Operation::Read),
        ("W", Operation::Write),
        ("T", Operation::Trim),
    ];
    let sizes = sizes.map(|(letter, operation)| {
        let choice = workload.blocks.of(operation);
        let size = |Bytes(bytes)| {
            let digits = job.reporting.significant_figures as usize;
            scaled(
                bytes,
                digits,
                job.reporting.kb_base.is_power_of_two(),
                UnitSuffix::Bytes,
            )
        };
        format!(
            "({letter}) {}-{}",
            size(choice.smallest()),
            size(choice.largest())
        )
    });
    format!(
        "{}: (g={}): rw={}, bs={}, ioengine={}, iodepth={}",
        job.name,
        job.group,
        pattern_name(workload),
        sizes.join(", "),
        job.engine,
        job.depth
    )
}

/// fio's word for what a workload does.
fn pattern_name(workload: &Workload) -> String {
    let does = |operation| workload.operations.percent(operation) > 0;
    let word = match Operation::ALL.map(does) {
        [true, true, ..] => "rw",
        [_, true, true, _] => "trimwrite",
        [_, true, ..] => "write",
        [_, _, true, _] => "trim",
        _ => "read",
    };
    match workload.order {
        Order::Sequential { .. } => word.to_owned(),
        Order::Random { .. } => format!("rand{word}"),
    }
}

fn starting_line(session: &FioSession) -> String {
    let threads = session.jobs.iter().filter(|job| is_thread(session, job));
    let threads = threads.count();
    let count = |number: usize, one: &str, many: &str| match number {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{number} {many}")),
    };
    let parts = [
        count(threads, "thread", "threads"),
        count(session.jobs.len() - threads, "process", "processes"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!("Starting {}", parts.join(" and "))
}

/// Whether fio would make a job a thread rather than a process. sokudo always makes
/// it a thread; the line says what the job asked for.
fn is_thread(session: &FioSession, job: &FioJob) -> bool {
    let named = |options: &[(String, String)]| {
        let thread_option = options.iter().rev().find(|(name, _)| name == "thread");
        thread_option.map(|(_, value)| value != "0")
    };
    named(&job.options)
        .or_else(|| named(&session.global_options))
        .unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fio::output::sample::{Sample, plain_job};
    use sokudo_model::{BlockChoice, BlockSizes, OperationMix};

    #[test]
    fn sections_are_introduced_as_fio_introduces_them() {
        let mut sample = Sample::new(&["g", "g", "h", "j"]);
        for (job, (section, job_number)) in
            sample
                .session
                .jobs
                .iter_mut()
                .zip([(0, 0), (0, 1), (1, 0), (2, 0)])
        {
            (job.section, job.job_number) = (section, job_number);
        }
        let workloads = &mut sample.run.plan.stages[0].workloads;
        workloads[3].operations = OperationMix::only(Operation::Trim);
        let range = BlockChoice::Range {
            smallest: Bytes::kib(1),
            largest: Bytes::mib(2),
        };
        let range = || range.clone();
        workloads[3].blocks = BlockSizes::per_direction(range(), range(), range()).unwrap();
        workloads[2].blocks = BlockSizes::one(Bytes::kib(64));
        workloads[2].order = Order::Sequential {
            offset: sokudo_model::SequentialOffset::Own,
        };
        let jobs = &mut sample.session.jobs;
        jobs[3].group = 1;
        jobs[3].options.push(("thread".into(), String::new()));
        assert_eq!(
            start_lines(&sample.session, &sample.run.plan),
            "g: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, \
             ioengine=null, iodepth=4\n\
             ...\n\
             h: (g=0): rw=rw, bs=(R) 64.0KiB-64.0KiB, (W) 64.0KiB-64.0KiB, \
             (T) 64.0KiB-64.0KiB, ioengine=null, iodepth=4\n\
             j: (g=1): rw=randtrim, bs=(R) 1024B-2048KiB, (W) 1024B-2048KiB, \
             (T) 1024B-2048KiB, ioengine=null, iodepth=4\n\
             fio-3.33\n\
             Starting 1 thread and 3 processes\n"
        );
    }

    #[test]
    fn laying_out_is_told_with_the_number_of_files() {
        let job = FioJob {
            name: "a".into(),
            ..plain_job()
        };
        assert_eq!(
            layout_line(&job, 1, Bytes::mib(16)),
            "a: Laying out IO file (1 file / 16MiB)"
        );
        assert_eq!(
            layout_line(&job, 3, Bytes::mib(2)),
            "a: Laying out IO files (3 files / total 6MiB)"
        );
    }
}
