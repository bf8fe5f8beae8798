//! Probes that show what a device is: workloads whose figures tell one kind of device
//! from another. A theme is one question with its probes; which are asked depends on what
//! the device says it is, on what may be written, and on what the user wants.
//!
//! What the figures mean is concluded elsewhere, from the workloads themselves and not
//! from their names, so that the rows of a scan tell as much. Nothing here looks at a device.

mod flash;
mod rotating;
mod theme;

use std::str::FromStr;

use sokudo_model::{Bytes, Method, MethodKind, MethodTrait, Nanos, Plan};
use sokudo_words::{Text, text};

use crate::rows::writing_cost::time_of;

pub static METHOD: MethodKind = MethodKind {
    name: "explain",
    command: "explain",
    is_named: false,
    traits: &[MethodTrait::DecidesTrials],
};

pub use theme::{ExplainRequest, ProbeAccess, StorageMedium, Theme};

/// The themes, in the order in which they are asked: those that only read come first in
/// each group, so that no probe finds what another one has written under way.
const GROUPS: [&[Theme]; 2] = [rotating::THEMES, flash::THEMES];

/// What a slow stick writes; and what a good disk does.
pub const FULL_BYTES_PER_SECOND_MIN: u64 = 10_000_000;
pub const FULL_BYTES_PER_SECOND_GOOD: u64 = 150_000_000;

/// What cells of four bits take once fast ones are full.
const SLOW_CELLS_BYTES_PER_SECOND: u64 = 100_000_000;

/// A plan, and what is to be known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainPlan {
    /// One probe per stage.
    pub plan: Plan,
    /// What is left out, and why, in sentences without an end.
    pub notes: Vec<Text>,
    /// How long it takes on a slow device, about.
    pub takes: Nanos,
}

/// Why nothing can be asked.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
pub enum ExplainError {
    /// No theme is left.
    #[error("nothing is left to find out: {why}")]
    Nothing {
        /// What left the last of them out.
        why: Text,
    },
    /// A theme that was named cannot be asked without writing.
    #[error("--only {} writes, and that is not allowed; {}", theme.name, Text::from(theme.way_to_write()))]
    Writes { theme: Theme },
}

/// There is no theme of this name.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
#[error("there is no theme \"{name}\"; the themes are {}", names())]
pub struct UnknownTheme {
    /// What was asked for.
    name: String,
}

pub fn themes() -> impl Iterator<Item = &'static Theme> {
    GROUPS.into_iter().flatten()
}

fn names() -> String {
    themes()
        .map(|theme| theme.name)
        .collect::<Vec<_>>()
        .join(", ")
}

impl FromStr for Theme {
    type Err = UnknownTheme;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = themes().find(|theme| theme.name == text);
        named.copied().ok_or_else(|| UnknownTheme {
            name: text.to_owned(),
        })
    }
}

impl ExplainRequest {
    /// The plan: the probes of every theme that fits, one after the other.
    ///
    /// # Errors
    /// When no theme is left, or one that was named would write where that is not allowed.
    pub fn plan(&self) -> Result<ExplainPlan, ExplainError> {
        let (mut workloads, mut notes, mut takes) = (Vec::new(), Vec::new(), 0);
        for theme in self.selected_themes() {
            if theme.access == ProbeAccess::Writes && !self.may_write {
                if self.only.contains(theme) || self.is_full && is_of_capacity(theme) {
                    return Err(ExplainError::Writes { theme: *theme });
                }
                let way_out = Text::from(theme.way_to_write());
                notes.push(text!(
                    "{} is left out, because it writes; {way_out}",
                    theme.name
                ));
                continue;
            }
            match (theme.probes)(self) {
                Ok(probes) => {
                    workloads.extend(probes);
                    takes += match self.is_full && is_of_capacity(theme) {
                        true => self.full_pass(FULL_BYTES_PER_SECOND_MIN).0,
                        false if theme.name == flash::FAST_CELLS => self.fill_takes(theme).0,
                        false => theme.takes.0,
                    };
                }
                Err(why) => notes.push(text!("{} is left out, because {why}", theme.name)),
            }
        }
        if workloads.is_empty() {
            let why = notes.pop().unwrap_or_else(|| {
                "no theme fits a device of this kind; name one with --only".into()
            });
            return Err(ExplainError::Nothing { why });
        }
        Ok(ExplainPlan {
            plan: Plan::in_turn(Method::new(&METHOD), self.seed, workloads),
            notes,
            takes: Nanos(takes),
        })
    }

    /// How long a fill takes whose size was asked for, in slow cells.
    fn fill_takes(&self, theme: &Theme) -> Nanos {
        let slow = |fill: Bytes| time_of(fill.0.into(), SLOW_CELLS_BYTES_PER_SECOND);
        theme.takes.max(self.fill.map_or(Nanos(0), slow))
    }

    /// How long it takes to write and to read back everything at a rate.
    pub fn full_pass(&self, bytes_per_second: u64) -> Nanos {
        time_of(u128::from(self.size.0) * 2, bytes_per_second)
    }

    /// The themes that are asked: those that were named, or all that fit.
    fn selected_themes(&self) -> impl Iterator<Item = &'static Theme> {
        themes().filter(|theme| match self.only.is_empty() {
            true => theme.fits(self.medium),
            false => self.only.contains(theme) || self.is_full && is_of_capacity(theme),
        })
    }
}

fn is_of_capacity(theme: &Theme) -> bool {
    theme.name == flash::CAPACITY
}

#[cfg(test)]
mod tests;
