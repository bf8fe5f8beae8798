//! Options about jobs as such: names, groups, threads, processors.

use sokudo_model::{CpuPolicy, Stage, narrow};

use super::super::criteria;
use super::super::job::ExitWhat;
use super::super::numbers::KiloBase;
use super::super::option::OptionEffect::{Any, Flag, Number, Text};
use super::super::option::{FioOption, U64_MAX, choice, options};

pub(super) const OPTIONS: &[FioOption] = options! {
    "description" = "", "a remark, repeated in the output",
        Any("a text", |j, v| j.description = Some(v.to_owned()));
    "name" = "", "name of the job in the output; on the command line it begins a job",
        Any("a name", |j, v| j.name = Some(v.to_owned()));
    "kb_base" = "1024", "whether k is 1024 or 1000, for the whole section",
        choice!(kilo_base: "1024" => KiloBase::Binary, "1000" => KiloBase::Decimal);
    "unit_base" = "0", "whether speeds are printed in bits (1), bytes (8) or both (0)",
        choice!(report.unit_base: "0" => 0, "8" => 8, "1" => 1);
    "numjobs" = "1", "how many threads run this job, each with files of its own",
        Number(1, Stage::THREADS_MAX as u64, |j, v| j.threads = narrow(v));
    // fio reads this in job files, and its own examples say it.
    "thread" | "threads" = "", "threads instead of processes", Flag(|_, _| {}),
        no_effect("jobs are always threads");
    "stonewall" | "wait_for_previous" = "",
        "waits until all jobs before it have ended; begins a reporting group",
        Flag(|j, on| j.stonewall = on);
    "new_group" = "", "begins a reporting group", Flag(|j, on| j.new_group = on);
    "group_reporting" = "", "reports all jobs of a group as one", Flag(|j, on| j.report.group_reporting = on);
    "exitall" = "", "its end ends the other jobs of its group", Flag(|j, on| j.exitall = on),
        differs("an error where a group ends and later ones would go on; use exit_what=all");
    "exit_what" = "group", "what exitall ends",
        choice!(exit_what: "group" => ExitWhat::Group, "stonewall" => ExitWhat::Stonewall,
            "all" => ExitWhat::All),
        differs("group and stonewall: see exitall");
    "exitall_on_error" = "", "its failure ends everything", Flag(|j, on| j.exitall_on_error = on);
    "cpus_allowed" = "", "processors that the job may run on",
        Text(criteria::CPUS, |j, v| criteria::cpus(v).map(|cpus| j.plan.issuing.cpus = cpus));
    "cpus_allowed_policy" = "shared", "whether the threads of a job share cpus_allowed, or have one each in turn",
        choice!(plan.issuing.cpu_policy: "shared" => CpuPolicy::Shared, "split" => CpuPolicy::Split);
    "cpumask" = "", "processors that the job may run on, as the bits of a number",
        Number(0, U64_MAX, |j, v| j.plan.issuing.cpus = (0..64).filter(|cpu| v >> cpu & 1 == 1).collect());
};
