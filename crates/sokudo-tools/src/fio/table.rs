//! The one table of options. Parsing, echo, help and `docs/FIO.md` come from it.

mod access;
mod data;
mod elsewhere;
mod engine;
mod files;
mod refused;
mod report;
mod section;
mod time;
mod verify;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::failure::FioProblem;
use super::job::Job;
use super::option::FioOption;

pub(super) use elsewhere::unknown;

/// Every option of fio's jobs.
pub fn options() -> &'static [FioOption] {
    static TABLE: LazyLock<Vec<FioOption>> = LazyLock::new(|| {
        [
            section::OPTIONS,
            access::OPTIONS,
            engine::OPTIONS,
            files::OPTIONS,
            time::OPTIONS,
            data::OPTIONS,
            verify::OPTIONS,
            report::OPTIONS,
            refused::OPTIONS,
        ]
        .concat()
    });
    &TABLE
}

/// A job that says nothing: what every option's default makes of it.
pub(super) fn job_without_options() -> Job {
    static JOB: LazyLock<Job> = LazyLock::new(|| {
        let mut job = Job::default();
        for option in options().iter().filter(|option| !option.default.is_empty()) {
            (option.apply(&mut job, Some(option.default)))
                .expect("a test applies the default of every option");
        }
        job
    });
    JOB.clone()
}

/// The index of the option with this name or alias, or the problem with a better name.
pub(super) fn find(name: &str) -> Result<usize, FioProblem> {
    let names = || options().iter().flat_map(FioOption::names);
    position(name).ok_or_else(|| unknown("", name, names()))
}

/// The index of the option with exactly this name or alias.
pub(super) fn position(name: &str) -> Option<usize> {
    static INDEX: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
        let names = |(index, option): (usize, &FioOption)| option.names().map(move |n| (n, index));
        options().iter().enumerate().flat_map(names).collect()
    });
    INDEX.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_defined_once() {
        let mut names: Vec<_> = options().iter().flat_map(FioOption::names).collect();
        names.sort_unstable();
        let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
        assert_eq!(twice, None);
    }

    #[test]
    fn the_nearest_name_is_offered() {
        for (wrong, right) in [("iodeph", "iodepth"), ("num_jobs", "numjobs"), ("RW", "rw")] {
            let text = find(wrong).unwrap_err().to_string();
            assert!(text.contains(&format!("\"{right}\"")), "{text}");
        }
    }

    #[test]
    fn every_option_says_what_it_takes_when_its_value_is_missing() {
        for option in options() {
            let result = option.apply(&mut job_without_options(), None);
            if option.may_stand_bare() {
                assert_eq!(result, Ok(()), "{}", option.name);
            } else {
                let missing = matches!(result, Err(FioProblem::MissingValue { .. }));
                assert!(missing, "{}: {result:?}", option.name);
            }
        }
    }

    #[test]
    fn what_no_option_says_is_the_default_that_the_table_states() {
        for option in options().iter().filter(|option| !option.default.is_empty()) {
            let mut job = job_without_options();
            let result = option.apply(&mut job, Some(option.default));
            assert_eq!(result, Ok(()), "{}", option.name);
            let (stated, unsaid) = (format!("{job:?}"), format!("{:?}", job_without_options()));
            assert_eq!(stated, unsaid, "{}", option.name);
        }
    }
}
