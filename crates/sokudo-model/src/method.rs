//! What a kind of plan, and a rule for its trials, is called.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A named kind of plan. In documents it is a text: `explain`, `mark/default`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "String", into = "String")]
#[expect(missing_docs, reason = "they are called like their commands")]
pub enum Method {
    Assess,
    /// `load --beside`: a workload alone and beside another one.
    Beside,
    Bonnie,
    BurnIn,
    Diskspd,
    Explain,
    Fill,
    /// With the names of its job files.
    Fio(String),
    /// With its question.
    Fit(String),
    Hdparm,
    Load,
    /// With its profile.
    Mark(String),
    Peak,
    Quick,
    /// With its preset.
    Scan(String),
    /// With its test.
    Steady(String),
    Sweep,
    /// In the words of another tool, or of a version that this one does not know.
    Other(String),
}

impl Method {
    /// The command that has this method; `None` where sokudo has none.
    pub const fn command(&self) -> Option<&'static str> {
        Some(match self {
            Self::Assess => "assess",
            Self::Bonnie => "bonnie",
            Self::BurnIn => "burn-in",
            Self::Diskspd => "diskspd",
            Self::Explain => "explain",
            Self::Fill => "fill",
            Self::Fio(_) => "fio",
            Self::Fit(_) => "fit",
            Self::Hdparm => "hdparm",
            Self::Load | Self::Beside => "load",
            Self::Mark(_) => "mark",
            Self::Peak => "peak",
            Self::Quick => "quick",
            Self::Scan(_) => "scan",
            Self::Steady(_) => "steady",
            Self::Sweep => "sweep",
            Self::Other(_) => return None,
        })
    }

    /// Whether it writes a device through, so that how its writes change is what is asked for.
    pub const fn writes_through(&self) -> bool {
        matches!(self, Self::Fill)
    }

    /// Whether `--runs` says how often it measures a row whose rate is free. The others decide by
    /// themselves how often they measure, or fix the rate.
    pub const fn has_runs(&self) -> bool {
        use Method::{Beside, BurnIn, Explain, Fill, Load, Peak, Steady};
        !matches!(
            self,
            Beside | BurnIn | Explain | Fill | Load | Peak | Steady(_)
        )
    }

    /// Whether what an interrupted run of it has measured can be gone on with.
    pub const fn goes_on(&self) -> bool {
        matches!(self, Self::BurnIn | Self::Scan(_))
    }
}

impl fmt::Display for Method {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let command = self.command().unwrap_or_default();
        match self {
            Self::Fio(which)
            | Self::Fit(which)
            | Self::Mark(which)
            | Self::Scan(which)
            | Self::Steady(which) => write!(out, "{command}/{which}"),
            Self::Beside => write!(out, "{command}/beside"),
            Self::Other(name) => out.write_str(name),
            _ => out.write_str(command),
        }
    }
}

impl From<&str> for Method {
    fn from(name: &str) -> Self {
        match name.split_once('/') {
            None => match name {
                "assess" => Self::Assess,
                "bonnie" => Self::Bonnie,
                "burn-in" => Self::BurnIn,
                "diskspd" => Self::Diskspd,
                "explain" => Self::Explain,
                "fill" => Self::Fill,
                "hdparm" => Self::Hdparm,
                "load" => Self::Load,
                "peak" => Self::Peak,
                "quick" => Self::Quick,
                "sweep" => Self::Sweep,
                _ => Self::Other(name.to_owned()),
            },
            Some(("load", "beside")) => Self::Beside,
            Some(("fio", which)) => Self::Fio(which.to_owned()),
            Some(("fit", which)) => Self::Fit(which.to_owned()),
            Some(("mark", which)) => Self::Mark(which.to_owned()),
            Some(("scan", which)) => Self::Scan(which.to_owned()),
            Some(("steady", which)) => Self::Steady(which.to_owned()),
            Some(_) => Self::Other(name.to_owned()),
        }
    }
}

impl From<String> for Method {
    fn from(name: String) -> Self {
        Self::from(name.as_str())
    }
}

impl From<Method> for String {
    fn from(method: Method) -> Self {
        method.to_string()
    }
}

/// What a rule for trials is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScheduleName {
    /// Rows in turn, so that drift hits all alike.
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

    #[test]
    fn a_method_is_read_as_it_is_written() {
        for (name, method) in [
            ("explain", Method::Explain),
            ("load/beside", Method::Beside),
            ("mark/default", Method::Mark("default".to_owned())),
            ("fit/etcd", Method::Fit("etcd".to_owned())),
            ("scan/hdtune-1", Method::Scan("hdtune-1".to_owned())),
            ("fio/a/b.fio c.fio", Method::Fio("a/b.fio c.fio".to_owned())),
            ("mark", Method::Other("mark".to_owned())),
            ("explain/more", Method::Other("explain/more".to_owned())),
            (
                "Default, 1 GiB (x5)",
                Method::Other("Default, 1 GiB (x5)".to_owned()),
            ),
        ] {
            assert_eq!(Method::from(name), method);
            assert_eq!(method.to_string(), name);
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
