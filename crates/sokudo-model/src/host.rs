//! One of several machines that measured together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conditions::Conditions;
use crate::finding::{Assessment, Finding};
use crate::layout::Layout;
use crate::target::{HostEnvironment, TargetInfo};

/// One of the machines that measured together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    /// As it calls itself.
    pub name: String,
    /// How many processes measured there. Each did an equal part of every workload's threads.
    pub ranks: u32,
    /// Where it was done.
    pub environment: HostEnvironment,
    /// What it was done to, as this host sees it.
    pub target: TargetInfo,
    /// What the system said around it.
    #[serde(rename = "circumstances")]
    pub conditions: Conditions,
    /// How the test files were made, the slowest of them.
    pub layout: Option<Layout>,
    /// What is thought of each row, as if only this host had measured.
    pub assessments: Vec<Option<Assessment>>,
    /// What concerns its part of the run as a whole.
    pub findings: Vec<Finding>,
    /// Why it left before the end; missing where it stayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<HostLost>,
}

/// How a host was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HostLost {
    /// It said nothing any more.
    Silent,
    /// Its process ended, or could not be reached or understood.
    Ended,
}
