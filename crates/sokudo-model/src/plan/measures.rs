//! What a figure is of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::json::is_default;

/// What the figure of a workload is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Measures {
    /// What it is meant to be of.
    #[serde(default, skip_serializing_if = "is_default")]
    pub subject: Subject,
    /// What its rate is the rate of.
    #[serde(default, skip_serializing_if = "is_default")]
    pub estimand: Estimand,
}

impl Measures {
    /// What a cache answers.
    pub const CACHE: Self = Self {
        subject: Subject::Cache,
        estimand: Estimand::Work,
    };
}

/// What the figure of a workload is meant to be of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The device itself, and no cache before it.
    #[default]
    Device,
    /// A cache before its medium, which answers what is read again and again.
    Cache,
}

/// What a rate is the rate of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Estimand {
    /// Of a piece of work: all that was started, from the first I/O until the last one has
    /// ended, with the filling and the draining of the queue (as fio counts).
    #[default]
    Work,
    /// Of a load that lasts: what is completed while the queue is full, after it has been
    /// turned over. Only where nothing but time ends the work, and nothing spaces its I/Os;
    /// all else is a piece of work.
    Sustained,
}
