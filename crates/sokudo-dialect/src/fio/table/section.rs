//! Options about jobs as such: names, groups, clones, processors.

use sokudo_model::{CpuPolicy, narrow};

use super::super::criteria;
use super::super::job::ExitWhat;
use super::super::numbers::KiloBase;
use super::super::option::{FioOption, OptionEffect, U64_MAX, full};

/// fio's limit on jobs, clones counted (REAL_MAX_JOBS).
const CLONES_MAX: u64 = 4096;

pub(super) const OPTIONS: &[FioOption] = &[
    full(
        "description",
        &[],
        "",
        "a remark, repeated in the output",
        OptionEffect::Text("a text", |j, v| {
            j.description = Some(v.to_owned());
            Ok(())
        }),
    ),
    full(
        "name",
        &[],
        "",
        "name of the job in the output; on the command line it begins a job",
        OptionEffect::Text("a name", |j, v| {
            j.name = Some(v.to_owned());
            Ok(())
        }),
    ),
    full(
        "kb_base",
        &[],
        "1024",
        "whether k is 1024 or 1000, for the whole section",
        OptionEffect::Word(&["1024", "1000"], |j, word, _| {
            j.kilo_base = if word == "1000" {
                KiloBase::Decimal
            } else {
                KiloBase::Binary
            };
            Ok(())
        }),
    ),
    full(
        "unit_base",
        &[],
        "0",
        "whether speeds are printed in bits (1), bytes (8) or both (0)",
        OptionEffect::Word(&["0", "8", "1"], |j, word, _| {
            j.unit_base = word.parse().unwrap_or(0);
            Ok(())
        }),
    ),
    full(
        "numjobs",
        &[],
        "1",
        "how many threads run this job, each with files of its own",
        OptionEffect::Number(1, CLONES_MAX, |j, v| j.clones = narrow(v)),
    ),
    full(
        "thread",
        // fio reads this in job files, and its own examples say it.
        &["threads"],
        "",
        "threads instead of processes",
        OptionEffect::Flag(|_, _| {}),
    )
    .no_effect("jobs are always threads"),
    full(
        "stonewall",
        &["wait_for_previous"],
        "",
        "waits until all jobs before it have ended; begins a reporting group",
        OptionEffect::Flag(|j, on| j.stonewall = on),
    ),
    full(
        "new_group",
        &[],
        "",
        "begins a reporting group",
        OptionEffect::Flag(|j, on| j.new_group = on),
    ),
    full(
        "group_reporting",
        &[],
        "",
        "reports all jobs of a group as one",
        OptionEffect::Flag(|j, on| j.report.group = on),
    ),
    full(
        "exitall",
        &[],
        "",
        "its end ends the other jobs of its group",
        OptionEffect::Flag(|j, on| j.exitall = on),
    )
    .differs("an error where a group ends and later ones would go on; use exit_what=all"),
    full(
        "exit_what",
        &[],
        "group",
        "what exitall ends",
        OptionEffect::Word(&["group", "stonewall", "all"], |j, word, _| {
            j.exit_what = match word {
                "stonewall" => ExitWhat::Stonewall,
                "all" => ExitWhat::All,
                _ => ExitWhat::Group,
            };
            Ok(())
        }),
    )
    .differs("group and stonewall: see exitall"),
    full(
        "exitall_on_error",
        &[],
        "",
        "its failure ends everything",
        OptionEffect::Flag(|j, on| j.exitall_on_error = on),
    ),
    full(
        "cpus_allowed",
        &[],
        "",
        "processors that the job may run on",
        OptionEffect::Text(criteria::CPUS, |j, v| {
            j.cpus = criteria::cpus(v).ok_or(criteria::CPUS)?;
            Ok(())
        }),
    ),
    full(
        "cpus_allowed_policy",
        &[],
        "shared",
        "whether clones share cpus_allowed, or have one each in turn",
        OptionEffect::Word(&["shared", "split"], |j, word, _| {
            j.cpu_policy = if word == "split" {
                CpuPolicy::Split
            } else {
                CpuPolicy::Shared
            };
            Ok(())
        }),
    ),
    full(
        "cpumask",
        &[],
        "",
        "processors that the job may run on, as the bits of a number",
        OptionEffect::Number(0, U64_MAX, |j, v| {
            j.cpus = (0..64).filter(|cpu| v >> cpu & 1 == 1).collect();
        }),
    ),
];
