//! diskspd's language: its command lines, of Windows and of Linux, and its XML profiles.
//!
//! [`invocation`] reads a command line, [`DiskspdInvocation::plan`] makes a plan of it.
//! [`command_lines`] goes the other way, from a plan to the lines that repeat it.
//! What diskspd-for-linux does wrongly is done as documented instead: every block of a
//! sequential pass is visited once, threads draw different random places, warm-up is
//! not counted, and random places are aligned to the block unless told otherwise.
//!
//! An option without meaning on Linux is refused by name with what it would need. What
//! measures the same without it is accepted with a note.

mod apply;
mod apply_access;
mod apply_order;
mod error;
mod help;
pub(crate) mod import;
mod lines;
mod options;
pub mod output;
mod plan;
mod read;
mod scan;
pub mod session;
mod validate;
mod value;
mod workload;
mod xml;
mod xml_bounds;
mod xml_target;

pub use error::{DiskspdError, DiskspdProblem};
pub use help::help;
pub use lines::{PrintedTarget, command_lines};
pub use options::{DiskspdOption, DiskspdSupport, OPTIONS, OptionOrigin};
pub use plan::METHOD;
pub use plan::{DiskspdPlan, DiskspdTargetSpec};
pub use read::{DiskspdAction, DiskspdInvocation, invocation};
