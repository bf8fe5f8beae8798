//! What an option is: its names, what it takes, what it sets, how much of it is here.

use sokudo_model::{Nanos, narrow};

use crate::language::nearest::likely;

use super::failure::FioProblem;
use super::job::Job;
use super::numbers::{self, Amount, Expected};

pub(super) const SECOND_NS: u64 = 1_000_000_000;
pub(super) const MICROSECOND_NS: u64 = 1_000;
pub(super) const MILLISECOND_NS: u64 = 1_000_000;
pub(super) const U32_MAX: u64 = u32::MAX as u64;
pub(super) const U64_MAX: u64 = u64::MAX;

/// An option of fio's jobs.
#[derive(Clone, Copy, Debug)]
pub struct FioOption {
    /// fio's own name for it.
    pub name: &'static str,
    /// Other names for the same.
    pub aliases: &'static [&'static str],
    /// What it means, in a few words.
    pub meaning: &'static str,
    /// What holds without it, as fio writes it; empty is nothing.
    pub default: &'static str,
    /// How much of it is here.
    pub support: FioSupport,
    /// The engines whose option it is; empty is every job's.
    pub engines: &'static [&'static str],
    /// What it takes and does.
    pub(super) effect: OptionEffect,
}

/// How much of an option is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FioSupport {
    /// It means what it means to fio.
    Full,
    /// It works, with a difference.
    Differs(&'static str),
    /// It is accepted; it changes nothing that is measured, for this reason.
    NoEffect(&'static str),
    /// It would change what is measured, and would need this. Its default and the values
    /// that ask for as little are accepted.
    Refused {
        /// What it would need.
        needs: &'static str,
        /// Values besides the default that ask for nothing.
        unless: &'static [&'static str],
    },
}

/// What an option takes, and what it sets.
#[derive(Clone, Copy, Debug)]
pub(super) enum OptionEffect {
    /// `flag`, `flag=0` or `flag=1`.
    Flag(fn(&mut Job, bool)),
    /// `switch=0` or `switch=1`; fio refuses it bare.
    Switch(fn(&mut Job, bool)),
    /// A whole number with units.
    Number(u64, u64, fn(&mut Job, u64)),
    Percent(fn(&mut Job, u32)),
    /// One number for each of read, write and trim.
    Three(u64, u64, fn(&mut Job, [Option<u64>; 3])),
    /// A size in bytes, or a percentage.
    Size(fn(&mut Job, Amount)),
    /// A time, with what a bare number counts in nanoseconds.
    Time(u64, fn(&mut Job, Nanos)),
    /// One of these words, perhaps with `:` and more.
    Word(
        &'static [&'static str],
        fn(&mut Job, &str, Option<&str>) -> Result<(), Expected>,
    ),
    /// Anything that can be read as what is named.
    Text(&'static str, fn(&mut Job, &str) -> Option<()>),
    /// Any text, and what it is.
    Any(&'static str, fn(&mut Job, &str)),
    /// A name that may be left out.
    Name(fn(&mut Job, Option<&str>)),
    /// What nothing here looks at.
    Unread,
}

/// A table of options, one after the other: its names, its default, what it means, what it
/// takes and sets; then what limits it, by the names of [`FioOption`]'s methods.
macro_rules! options {
    ($($name:literal $(| $alias:literal)* = $default:literal, $meaning:literal, $effect:expr
       $(, $limit:ident($($what:expr),*))*;)*) => {
        &[$(
            $crate::fio::option::FioOption::new($name, &[$($alias),*], $default, $meaning, $effect)
                $(.$limit($($what),*))*
        ),*]
    };
}
pub(super) use options;

/// An effect that sets a field to the value of a word; `alone` refuses what follows a colon.
macro_rules! choice {
    ($($field:ident).+ $(, alone $alone:literal)?:
     $($word:literal $(| $other:literal)* => $value:expr),+) => {
        $crate::fio::option::OptionEffect::Word(&[$($word $(, $other)*),+], |job, word, _more| {
            $(if _more.is_some() {
                return Err($alone.into());
            })?
            job.$($field).+ = match word {
                $($word $(| $other)* => $value,)+
                _ => unreachable!("the table admits no other word"),
            };
            Ok(())
        })
    };
}
pub(super) use choice;

/// A number, of which 0 is none.
pub(super) fn above_0(value: u64) -> Option<u32> {
    Some(narrow(value)).filter(|value| *value > 0)
}

/// Sets those of three that are given.
pub(super) fn each<T>(own: &mut [T; 3], three: [Option<T>; 3]) {
    for (own, given) in own.iter_mut().zip(three) {
        if let Some(given) = given {
            *own = given;
        }
    }
}

impl FioOption {
    /// An option that is all here.
    pub(super) const fn new(
        name: &'static str,
        aliases: &'static [&'static str],
        default: &'static str,
        meaning: &'static str,
        effect: OptionEffect,
    ) -> Self {
        Self {
            name,
            aliases,
            meaning,
            default,
            support: FioSupport::Full,
            engines: &[],
            effect,
        }
    }

    pub(super) const fn differs(self, how: &'static str) -> Self {
        let support = FioSupport::Differs(how);
        Self { support, ..self }
    }

    pub(super) const fn no_effect(self, why: &'static str) -> Self {
        let support = FioSupport::NoEffect(why);
        Self { support, ..self }
    }

    pub(super) const fn needs(self, needs: &'static str) -> Self {
        let support = FioSupport::Refused { needs, unless: &[] };
        Self { support, ..self }
    }

    /// Not refused with these values either.
    pub(super) const fn unless(self, unless: &'static [&'static str]) -> Self {
        match self.support {
            FioSupport::Refused { needs, .. } => Self {
                support: FioSupport::Refused { needs, unless },
                ..self
            },
            _ => self,
        }
    }

    pub(super) const fn of_engines(self, engines: &'static [&'static str]) -> Self {
        Self { engines, ..self }
    }

    /// Every name that it has.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// The values of a refused option that ask for nothing.
    pub fn idle_values(&self) -> Vec<&'static str> {
        let FioSupport::Refused { unless, .. } = self.support else {
            return Vec::new();
        };
        let default = Some(self.default).filter(|default| !default.is_empty());
        default.into_iter().chain(unless.iter().copied()).collect()
    }

    /// Whether it may stand without a value in a job file.
    #[cfg(test)]
    pub(super) const fn may_stand_bare(&self) -> bool {
        matches!(self.effect, OptionEffect::Flag(_) | OptionEffect::Name(_))
    }

    /// What it takes, for help.
    pub fn form(&self) -> String {
        match self.effect {
            OptionEffect::Flag(_) => "nothing, 0 or 1".to_owned(),
            OptionEffect::Switch(_) => "0 or 1".to_owned(),
            OptionEffect::Number(min, max, _) => number_form(min, max),
            OptionEffect::Three(min, max, _) => {
                format!("{}, or one each for read,write,trim", number_form(min, max))
            }
            OptionEffect::Percent(_) => "a percentage from 0 to 100".to_owned(),
            OptionEffect::Size(_) => {
                "a size such as 4k or 1m, or a percentage such as 50%".to_owned()
            }
            OptionEffect::Time(unit_ns, _) => {
                let unit = match unit_ns {
                    1_000 => "microseconds",
                    1_000_000 => "milliseconds",
                    _ => "seconds",
                };
                format!("a time such as 30s, 500ms or 100us; a bare number is {unit}")
            }
            OptionEffect::Word(words, _) => format!("one of {}", words.join(", ")),
            OptionEffect::Text(form, _) | OptionEffect::Any(form, _) => form.to_owned(),
            OptionEffect::Name(_) => "nothing, or a name".to_owned(),
            OptionEffect::Unread => "not looked at".to_owned(),
        }
    }

    /// Sets what `value` says.
    pub(super) fn apply(&self, job: &mut Job, value: Option<&str>) -> Result<(), FioProblem> {
        let Some(text) = value else {
            return self.apply_bare(job);
        };
        let base = job.kilo_base;
        let form = || Expected::from(self.form());
        let trimmed = text.trim();
        let result = match self.effect {
            OptionEffect::Flag(set) | OptionEffect::Switch(set) => {
                flag(trimmed).map(|on| set(job, on)).ok_or_else(form)
            }
            OptionEffect::Number(min, max, set) => numbers::number(trimmed, base)
                .filter(|number| (min..=max).contains(number))
                .map(|number| set(job, number))
                .ok_or_else(form),
            OptionEffect::Percent(set) => numbers::percent(trimmed, base)
                .map(|percent| set(job, percent))
                .ok_or_else(form),
            OptionEffect::Three(min, max, set) => numbers::three(trimmed, base)
                .filter(|three| three.iter().flatten().all(|n| (min..=max).contains(n)))
                .map(|three| set(job, three))
                .ok_or_else(form),
            OptionEffect::Size(set) => numbers::amount(trimmed, base)
                .map(|amount| set(job, amount))
                .ok_or_else(form),
            OptionEffect::Time(unit_ns, set) => numbers::time(trimmed, unit_ns)
                .map(|time| set(job, time))
                .ok_or_else(form),
            OptionEffect::Word(words, set) => word(words, trimmed)
                .ok_or_else(|| nearest_form(form(), words, trimmed))
                .and_then(|(word, more)| set(job, word, more)),
            OptionEffect::Text(..) | OptionEffect::Any(..) if trimmed.is_empty() => Err(form()),
            OptionEffect::Text(_, set) => set(job, trimmed).ok_or_else(form),
            OptionEffect::Any(_, set) => {
                set(job, trimmed);
                Ok(())
            }
            OptionEffect::Name(set) => {
                set(job, Some(trimmed));
                Ok(())
            }
            OptionEffect::Unread => Ok(()),
        };
        result.map_err(|expected| self.problem(text, expected))
    }

    fn apply_bare(&self, job: &mut Job) -> Result<(), FioProblem> {
        match self.effect {
            OptionEffect::Flag(set) => set(job, true),
            OptionEffect::Name(set) => set(job, None),
            _ => return Err(self.problem("", self.form().into())),
        }
        Ok(())
    }

    fn problem(&self, value: &str, expected: Expected) -> FioProblem {
        let option = self.name.to_owned();
        let expected = expected.into_owned();
        if value.trim().is_empty() {
            return FioProblem::MissingValue { option, expected };
        }
        let value = value.to_owned();
        FioProblem::BadValue {
            option,
            value,
            expected,
        }
    }
}

fn number_form(min: u64, max: u64) -> String {
    match (min, max) {
        (0, u64::MAX) => "a number such as 100, 4k or 1m".to_owned(),
        (1, u64::MAX) => "a number above 0 such as 100, 4k or 1m".to_owned(),
        (min, max) if max >= u64::from(u32::MAX) => {
            format!("a number such as 100, 4k or 1m, from {min} to {max}")
        }
        (min, max) => format!("a whole number from {min} to {max}"),
    }
}

/// fio reads any number up to 1 here; it takes words for errors.
fn flag(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// What is expected, with the word that was probably meant.
fn nearest_form(form: Expected, words: &[&'static str], text: &str) -> Expected {
    let first = text.split_once(':').map_or(text, |(first, _)| first);
    match likely(first, words.iter().copied()) {
        Some(word) => format!("{form}; the nearest is {word}").into(),
        None => form,
    }
}

/// The word that `text` begins with, up to a colon, and what follows that.
fn word<'a>(words: &[&'static str], text: &'a str) -> Option<(&'static str, Option<&'a str>)> {
    let (first, more) = match text.split_once(':') {
        Some((first, more)) => (first, Some(more)),
        None => (text, None),
    };
    let word = words.iter().find(|word| **word == first)?;
    Some((word, more))
}
