//! How I/Os are issued, besides what every plan says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::json::is_default;

/// How the I/Os of a workload are issued, besides backend and depth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IssueOptions {
    /// Whether the device's driver is asked for completions again and again, instead of
    /// interrupting a processor (fio: `hipri`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub polled: bool,
    /// How I/Os are submitted and reaped together.
    #[serde(default, skip_serializing_if = "is_default")]
    pub batching: Batching,
    /// What memory buffers lie in.
    #[serde(default, skip_serializing_if = "is_default")]
    pub memory: BufferMemory,
    /// Processors that the threads are bound to; empty is unbound.
    pub cpus: Vec<u32>,
    /// Whether a thread may run on all of `cpus`, or on one each, in turn.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cpu_policy: CpuPolicy,
    /// Read the clock before and after every single I/O, not once per batch.
    pub exact_clock: bool,
}

impl Default for IssueOptions {
    fn default() -> Self {
        Self {
            polled: false,
            batching: Batching::default(),
            // A figure is what a program with ordinary buffers gets.
            memory: BufferMemory::SmallPages,
            cpus: Vec::new(),
            cpu_policy: CpuPolicy::Split,
            exact_clock: false,
        }
    }
}

/// How I/Os are submitted and reaped together. `null` is as the engine finds best.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Batching {
    /// I/Os prepared before they are submitted (fio: `iodepth_batch`). At least 1.
    pub submit: Option<u32>,
    /// Completions waited for at once (fio: `iodepth_batch_complete_min`); 0 only looks.
    pub complete_min: Option<u32>,
    /// Completions reaped at once at most (fio: `iodepth_batch_complete_max`).
    pub complete_max: Option<u32>,
    /// Depth to which the queue drains before it is filled again (fio: `iodepth_low`).
    pub low_depth: Option<u32>,
}

/// What memory buffers lie in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BufferMemory {
    /// The fastest: huge pages where there are any. What is not written in a plan that was
    /// kept, and what writes a test file, whose speed is no figure.
    #[default]
    Auto,
    /// Ordinary memory, as most programs have (fio: `mem=malloc`). One large I/O is then
    /// many segments to a device, which may have to be split.
    SmallPages,
    /// Huge pages, or an error: of the system's pool, else transparent ones.
    HugePages,
}

/// Whether threads share processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CpuPolicy {
    /// Each thread is bound to one of them, in turn.
    #[default]
    Split,
    /// Each thread may run on all of them.
    Shared,
}
