//! What a kind of plan, and a rule for its trials, is called.

use std::fmt;
use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a method declares of itself: nobody below it asks which it is.
#[derive(Debug, PartialEq, Eq)]
pub struct MethodKind {
    /// As documents call it, or begin to: `load/beside`, `scan`.
    pub name: &'static str,
    /// The command that has it.
    pub command: &'static str,
    /// Whether a name of its own follows, such as that of a profile: `mark/default`.
    pub is_named: bool,
    /// What is so of its plans and of no others.
    pub traits: &'static [MethodTrait],
}

/// What can be so of a method's plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodTrait {
    /// It decides how often it measures, or fixes the rate: `--runs` is not for it.
    DecidesTrials,
    /// What an interrupted run has measured can be gone on with.
    Resumes,
    /// The disk is judged beside the rows.
    JudgesDisk,
    /// Whether the disk is well is what was asked for.
    AsksForDisk,
    /// I/Os that took far longer than others are repeated.
    RepeatsSlow,
    /// Rows with large blocks are measured in small and in huge pages, too.
    ComparesPages,
    /// One of its rows times the page cache, and is meant to.
    TimesPageCache,
    /// Rows come in pairs of reads and writes.
    PairsDirections,
}

/// A named kind of plan. In documents it is a text: `explain`, `mark/default`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "String", into = "String")]
pub struct Method {
    /// `None` in the words of another tool, or of a version that this one does not know.
    kind: Option<&'static MethodKind>,
    /// What follows the kind's name; all of it where there is no kind.
    variant: String,
}

static KINDS: OnceLock<Vec<&'static MethodKind>> = OnceLock::new();

impl Method {
    /// From now on these are known by their names in documents.
    pub fn hand_over(kinds: impl IntoIterator<Item = &'static MethodKind>) {
        KINDS.get_or_init(|| kinds.into_iter().collect());
    }

    /// One whose kind has a single plan.
    pub const fn new(kind: &'static MethodKind) -> Self {
        Self::named(kind, String::new())
    }

    /// One of several of its kind, such as a profile.
    pub const fn named(kind: &'static MethodKind, variant: String) -> Self {
        Self {
            kind: Some(kind),
            variant,
        }
    }

    /// The command that has this method; `None` where sokudo has none.
    pub fn command(&self) -> Option<&'static str> {
        self.kind.map(|kind| kind.command)
    }

    /// Which of its kind it is, such as the name of a profile.
    pub fn variant(&self) -> Option<&str> {
        let is_named = self.kind.is_some_and(|kind| kind.is_named);
        is_named.then_some(&self.variant)
    }

    /// Whether this is so of its plans.
    pub fn is(&self, which: MethodTrait) -> bool {
        self.kind.is_some_and(|kind| kind.traits.contains(&which))
    }

    /// Whether it is one of this kind.
    pub fn is_of(&self, kind: &MethodKind) -> bool {
        self.kind == Some(kind)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            None => out.write_str(&self.variant),
            Some(kind) if kind.is_named => write!(out, "{}/{}", kind.name, self.variant),
            Some(kind) => out.write_str(kind.name),
        }
    }
}

impl From<String> for Method {
    fn from(name: String) -> Self {
        let kinds = KINDS.get().into_iter().flatten().copied();
        for kind in kinds {
            let rest = name.strip_prefix(kind.name);
            let rest = rest.filter(|_| kind.is_named);
            if let Some(variant) = rest.and_then(|rest| rest.strip_prefix('/')) {
                return Self::named(kind, variant.to_owned());
            }
            if !kind.is_named && name == kind.name {
                return Self::new(kind);
            }
        }
        Self {
            kind: None,
            variant: name,
        }
    }
}

impl From<&str> for Method {
    fn from(name: &str) -> Self {
        Self::from(name.to_owned())
    }
}

impl From<Method> for String {
    fn from(method: Method) -> Self {
        method.to_string()
    }
}

/// What a rule for trials is called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScheduleName {
    /// Rows in turn, so that drift hits all alike.
    #[default]
    Interleaved,
    /// All trials of a row in a block, after a discarded warm-up, as CrystalDiskMark does.
    Crystal,
    /// Rounds until they are steady.
    Rounds,
    /// Two plans by turns.
    Live,
    /// As jobs of fio have it.
    Fio,
    /// As a profile of diskspd has it.
    Diskspd,
    /// As another tool had it.
    Imported,
    /// Of a version that this one does not know.
    #[serde(untagged)]
    Other(String),
}

impl fmt::Display for ScheduleName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn kind(name: &'static str, is_named: bool) -> MethodKind {
        MethodKind {
            name,
            command: "load",
            is_named,
            traits: &[MethodTrait::Resumes],
        }
    }

    static PLAIN: MethodKind = kind("load", false);
    static BESIDE: MethodKind = kind("load/beside", false);
    static NAMED: MethodKind = kind("mark", true);

    #[test]
    fn a_method_is_read_as_it_is_written() {
        Method::hand_over([&PLAIN, &BESIDE, &NAMED]);
        for (name, kind, variant) in [
            ("load", Some(&PLAIN), None),
            ("load/beside", Some(&BESIDE), None),
            ("mark/default", Some(&NAMED), Some("default")),
            ("mark/a/b.fio c", Some(&NAMED), Some("a/b.fio c")),
            ("mark", None, None),
            ("load/more", None, None),
            ("Default, 1 GiB (x5)", None, None),
        ] {
            let method = Method::from(name);
            assert_eq!(method.to_string(), name);
            assert_eq!(method.variant(), variant, "{name}");
            assert_eq!(method.is(MethodTrait::Resumes), kind.is_some());
            assert_eq!(method.command(), kind.map(|kind| kind.command));
            assert!(kind.is_none_or(|kind| method.is_of(kind)), "{name}");
        }
    }

    #[test]
    fn a_schedule_is_read_as_it_is_written() {
        for (json, name) in [
            ("\"crystal\"", ScheduleName::Crystal),
            ("\"later\"", ScheduleName::Other("later".to_owned())),
        ] {
            assert_eq!(serde_json::from_str::<ScheduleName>(json).unwrap(), name);
            assert_eq!(serde_json::to_string(&name).unwrap(), json);
            assert_eq!(format!("\"{name}\""), json);
        }
    }
}
