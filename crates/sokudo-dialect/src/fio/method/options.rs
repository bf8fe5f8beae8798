//! Every option that is known, defined once: name, aliases, what it means to a
//! plan, and what it sets.

use std::borrow::Cow;

use sokudo_model::{DataContent, DirectMode};

use super::error::JobFileProblem;
use super::settings::Settings;
use super::values::{self, Expected, KiloBase};
use super::words;
use crate::fio::nearest::nearest;

/// An option of fio's job files.
#[derive(Clone, Copy, Debug)]
pub struct MethodOption {
    /// fio's own name for it.
    pub name: &'static str,
    /// Other names for the same.
    pub aliases: &'static [&'static str],
    /// What it means here; for options without effect, why they have none.
    pub meaning: &'static str,
    effect: Effect,
}

/// What an option takes and does.
#[derive(Clone, Copy, Debug)]
enum Effect {
    /// `flag`, `flag=0` or `flag=1`.
    Flag(fn(&mut Settings, bool)),
    /// `switch=0` or `switch=1`; fio refuses it bare.
    Switch(fn(&mut Settings, bool)),
    /// Anything else.
    Value(fn(&mut Settings, &str) -> Result<(), Expected>),
}

/// Every option that job files may contain.
pub fn options() -> &'static [MethodOption] {
    &OPTIONS
}

impl MethodOption {
    /// The option with this name or alias, or the problem with a better name.
    pub(super) fn find(name: &str) -> Result<&'static Self, JobFileProblem> {
        let named = |option: &&Self| option.name == name || option.aliases.contains(&name);
        OPTIONS
            .iter()
            .find(named)
            .ok_or_else(|| JobFileProblem::UnknownOption {
                option: name.to_owned(),
                nearest: nearest(name, OPTIONS.iter().flat_map(Self::names)),
            })
    }

    /// Sets what the option says.
    pub(super) fn apply(
        &self,
        settings: &mut Settings,
        value: Option<&str>,
    ) -> Result<(), JobFileProblem> {
        let result = match (self.effect, value) {
            (Effect::Flag(set), None) => {
                set(settings, true);
                Ok(())
            }
            (Effect::Flag(set) | Effect::Switch(set), Some(text)) => {
                values::switch(text).map(|on| set(settings, on))
            }
            (Effect::Value(set), Some(text)) => set(settings, text),
            (Effect::Switch(_), None) => Err("0 or 1".into()),
            // The setter of an empty value says what it takes instead.
            (Effect::Value(set), None) => set(&mut settings.clone(), "").and(Err("a text".into())),
        };
        result.map_err(|expected| value_problem(self.name, value, expected))
    }

    fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

/// What is wrong with `name=value`, given what was expected.
pub(super) fn value_problem(
    name: &str,
    value: Option<&str>,
    expected: Cow<'static, str>,
) -> JobFileProblem {
    let option = name.to_owned();
    let expected = expected.into_owned();
    match value {
        None | Some("") => JobFileProblem::MissingValue { option, expected },
        Some(value) => JobFileProblem::BadValue {
            option,
            value: value.to_owned(),
            expected,
        },
    }
}

const fn flag(
    name: &'static str,
    aliases: &'static [&'static str],
    meaning: &'static str,
    set: fn(&mut Settings, bool),
) -> MethodOption {
    let effect = Effect::Flag(set);
    MethodOption {
        name,
        aliases,
        meaning,
        effect,
    }
}

const fn switch(
    name: &'static str,
    meaning: &'static str,
    set: fn(&mut Settings, bool),
) -> MethodOption {
    let effect = Effect::Switch(set);
    MethodOption {
        name,
        aliases: &[],
        meaning,
        effect,
    }
}

const fn value(
    name: &'static str,
    aliases: &'static [&'static str],
    meaning: &'static str,
    set: fn(&mut Settings, &str) -> Result<(), Expected>,
) -> MethodOption {
    let effect = Effect::Value(set);
    MethodOption {
        name,
        aliases,
        meaning,
        effect,
    }
}

/// fio's own limit on jobs, and thus on clones (`--max-jobs`).
const CLONES_MAX: u32 = 4096;
/// No backend takes more; each refuses what is too much for it.
const DEPTH_MAX: u32 = 1 << 16;
/// fio's limit on a time that it keeps in 32 bits of microseconds.
const THINK_US_MAX: u64 = u32::MAX as u64;
const SECOND_NS: u64 = 1_000_000_000;
const MICROSECOND_NS: u64 = 1_000;
/// `randseed` is a signed number to fio 3.33.
pub(super) const SEED_MAX: u64 = i64::MAX as u64;

static OPTIONS: [MethodOption; 50] = [
    // What a workload does.
    value(
        "rw",
        &["readwrite"],
        "which operations, in which order",
        |s, v| {
            s.access = words::access(v)?;
            Ok(())
        },
    ),
    value("rwmixread", &[], "percentage of reads in a mix", |s, v| {
        s.read_percent = values::count(v, s.kilo_base, 0, 100)?;
        Ok(())
    }),
    value(
        "rwmixwrite",
        &[],
        "percentage of writes in a mix",
        |s, v| {
            s.read_percent = 100 - values::count(v, s.kilo_base, 0, 100)?;
            Ok(())
        },
    ),
    value("bs", &["blocksize"], "size of one I/O", |s, v| {
        s.block = values::block(v, s.kilo_base)?;
        Ok(())
    }),
    value(
        "bssplit",
        &[],
        "sizes of I/Os with percentages; overrides bs",
        |s, v| {
            s.block_mix = Some(values::block_split(v, s.kilo_base)?);
            Ok(())
        },
    ),
    value("iodepth", &[], "I/Os in flight per clone", |s, v| {
        s.depth = values::count(v, s.kilo_base, 1, DEPTH_MAX)?;
        Ok(())
    }),
    value("numjobs", &[], "clones", |s, v| {
        s.clones = values::count(v, s.kilo_base, 1, CLONES_MAX)?;
        Ok(())
    }),
    flag(
        "norandommap",
        &[],
        "random offsets may repeat before all were visited",
        |s, on| {
            s.random_map = !on;
        },
    ),
    // How I/O is issued.
    value("ioengine", &[], "the backend", |s, v| {
        s.backend = words::engine(v)?;
        Ok(())
    }),
    switch("direct", "whether the page cache is bypassed", |s, on| {
        s.direct = if on { DirectMode::On } else { DirectMode::Off };
    }),
    switch("buffered", "the opposite of direct", |s, on| {
        s.direct = if on { DirectMode::Off } else { DirectMode::On };
    }),
    value(
        "cpus_allowed",
        &[],
        "processors that clones are bound to",
        |s, v| {
            s.cpus = values::cpus(v)?;
            Ok(())
        },
    ),
    value(
        "cpus_allowed_policy",
        &[],
        "split binds each clone to one of cpus_allowed",
        |s, v| {
            s.cpus_split = values::choice(v, &["shared", "split"])? == "split";
            Ok(())
        },
    ),
    // Where, and how much.
    value(
        "offset",
        &["fileoffset"],
        "where the used part starts",
        |s, v| {
            s.offset = values::size(v, s.kilo_base)?;
            Ok(())
        },
    ),
    value(
        "size",
        &[],
        "length of the used part, and bytes to move unless io_size says",
        |s, v| {
            s.size = Some(values::size_above_0(v, s.kilo_base)?);
            Ok(())
        },
    ),
    value("filesize", &[], "where the used part ends", |s, v| {
        s.file_size = Some(values::size_above_0(v, s.kilo_base)?);
        Ok(())
    }),
    value(
        "io_size",
        &["io_limit"],
        "bytes to move per clone",
        |s, v| {
            s.io_size = Some(values::size(v, s.kilo_base)?).filter(|bytes| *bytes > 0);
            Ok(())
        },
    ),
    value(
        "runtime",
        &["timeout"],
        "time to run, in seconds; 0 is no limit",
        |s, v| {
            s.runtime = Some(values::time(v, SECOND_NS)?).filter(|time| time.0 > 0);
            Ok(())
        },
    ),
    flag("time_based", &[], "runtime alone ends the job", |s, on| {
        s.time_based = on
    }),
    value(
        "ramp_time",
        &[],
        "time to run first without measuring, in seconds",
        |s, v| {
            s.ramp = values::time(v, SECOND_NS)?;
            Ok(())
        },
    ),
    // How fast.
    value("rate", &[], "bytes per second and clone", |s, v| {
        s.rate = Some(values::limit(v, s.kilo_base)?);
        Ok(())
    }),
    value("rate_iops", &[], "I/Os per second and clone", |s, v| {
        s.rate_iops = Some(values::limit(v, s.kilo_base)?);
        Ok(())
    }),
    value(
        "thinktime",
        &[],
        "pause between I/Os, in microseconds",
        |s, v| {
            s.think_time = values::time(v, MICROSECOND_NS)
                .ok()
                .filter(|time| time.0 <= THINK_US_MAX * MICROSECOND_NS)
                .ok_or("a time below 4295 s such as 500, 100us or 1ms")?;
            Ok(())
        },
    ),
    value(
        "thinktime_blocks",
        &[],
        "I/Os between two pauses",
        |s, v| {
            s.think_after_ios = values::count(v, s.kilo_base, 1, u32::MAX)?;
            Ok(())
        },
    ),
    // What is written, and when it is durable.
    value(
        "fsync",
        &[],
        "fsync after so many writes; 0 is never",
        |s, v| {
            let every = values::count(v, s.kilo_base, 0, i32::MAX as u32)?;
            s.durability.fsync_every = Some(every).filter(|every| *every > 0);
            Ok(())
        },
    ),
    value(
        "fdatasync",
        &[],
        "fdatasync after so many writes; 0 is never",
        |s, v| {
            let every = values::count(v, s.kilo_base, 0, i32::MAX as u32)?;
            s.durability.fdatasync_every = Some(every).filter(|every| *every > 0);
            Ok(())
        },
    ),
    switch("end_fsync", "one fsync when all is written", |s, on| {
        s.durability.final_flush = on;
    }),
    value(
        "sync",
        &[],
        "dsync: each write returns only when durable",
        |s, v| {
            s.durability.write_through = words::sync(v)?;
            Ok(())
        },
    ),
    flag(
        "zero_buffers",
        &[],
        "writes zeros instead of random bytes",
        |s, on| {
            s.data = if on {
                DataContent::Zero
            } else {
                DataContent::Random
            };
        },
    ),
    // Sections.
    flag(
        "stonewall",
        &["wait_for_previous"],
        "starts a new stage",
        |s, on| s.stonewall = on,
    ),
    value(
        "name",
        &[],
        "the job's name, instead of the section's",
        |s, v| {
            s.name = Some(words::text(v)?);
            Ok(())
        },
    ),
    value(
        "kb_base",
        &[],
        "whether k is 1024 or 1000, for the whole section",
        |s, v| {
            s.kilo_base = KiloBase::parse(v)?;
            Ok(())
        },
    ),
    value(
        "randseed",
        &[],
        "where all chance in the plan starts from",
        |s, v| {
            s.seed = Some(
                v.parse()
                    .ok()
                    .filter(|seed| *seed <= SEED_MAX)
                    .ok_or("a whole number from 0 to 9223372036854775807")?,
            );
            Ok(())
        },
    ),
    value(
        "filename",
        &[],
        "no effect: the target is chosen on the command line; it must be one for all jobs",
        |s, v| {
            s.file_name = Some(words::path(v)?);
            Ok(())
        },
    ),
    value(
        "directory",
        &[],
        "no effect: the target is chosen on the command line; it must be one for all jobs",
        |s, v| {
            s.directory = Some(words::path(v)?);
            Ok(())
        },
    ),
    // Known, and without effect on a plan.
    flag(
        "refill_buffers",
        &[],
        "no effect: data that is written never repeats",
        |_, _| {},
    ),
    switch(
        "randrepeat",
        "no effect: every run has a seed and prints it",
        |_, _| {},
    ),
    flag(
        "thread",
        &[],
        "no effect: clones always are threads",
        |_, _| {},
    ),
    flag(
        "group_reporting",
        &[],
        "no effect: clones are always reported together",
        |_, _| {},
    ),
    flag(
        "new_group",
        &[],
        "no effect: every job is reported by itself",
        |_, _| {},
    ),
    switch(
        "invalidate",
        "no effect: what the cache held of the file is always looked at and dropped",
        |_, _| {},
    ),
    switch(
        "unlink",
        "no effect: our own test file is always removed, a user's file never",
        |_, _| {},
    ),
    switch(
        "overwrite",
        "no effect: the test file is always written in full first",
        |_, _| {},
    ),
    switch(
        "create_serialize",
        "no effect: there is one test file",
        |_, _| {},
    ),
    switch(
        "allow_file_create",
        "no effect: a missing file that the user names is always an error",
        |_, _| {},
    ),
    value(
        "fallocate",
        &[],
        "no effect: the test file is always written, never only allocated",
        |_, v| {
            const WORDS: [&str; 8] = [
                "none", "0", "native", "posix", "1", "keep", "truncate", "default",
            ];
            values::choice(v, &WORDS).map(|_| ())
        },
    ),
    value("description", &[], "no effect: a remark", |_, v| {
        words::text(v).map(|_| ())
    }),
    value(
        "nrfiles",
        &[],
        "no effect: 1 is the only number of files",
        |s, v| values::count(v, s.kilo_base, 1, 1).map(|_| ()),
    ),
    value(
        "loops",
        &[],
        "no effect: 1 is the only number here; repeating is the schedule's",
        |s, v| values::count(v, s.kilo_base, 1, 1).map(|_| ()),
    ),
    value(
        "verify",
        &[],
        "no effect: nothing but 0 is known",
        |_, v| values::choice(v, &["0"]).map(|_| ()),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_defined_once() {
        let mut names: Vec<_> = OPTIONS.iter().flat_map(MethodOption::names).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn the_nearest_name_is_offered() {
        for (wrong, right) in [
            ("iodeph", "iodepth"),
            ("block_size", "blocksize"),
            ("num_jobs", "numjobs"),
            ("RW", "rw"),
        ] {
            let problem = MethodOption::find(wrong).unwrap_err();
            let text = problem.to_string();
            assert!(text.contains(&format!("\"{right}\"")), "{text}");
        }
    }

    #[test]
    fn every_option_says_what_it_takes_when_its_value_is_missing() {
        for option in options() {
            let mut settings = Settings::default();
            let result = option.apply(&mut settings, None);
            match option.effect {
                Effect::Flag(_) => assert_eq!(result, Ok(()), "{}", option.name),
                Effect::Switch(_) | Effect::Value(_) => assert!(
                    matches!(result, Err(JobFileProblem::MissingValue { .. })),
                    "{}: {result:?}",
                    option.name
                ),
            }
        }
    }
}
