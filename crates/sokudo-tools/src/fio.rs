//! fio's language: its job files and its command line.
//!
//! - [`invocation`] reads a command line and the job files that it names;
//!   [`FioInvocation::plan`] says what they mean, with fio's defaults and rules, as a
//!   [`Plan`](sokudo_model::Plan) and the targets that it runs on.
//! - [`options`] is the one table of options that parsing, echo, help and
//!   `docs/FIO.md` are made from.
//! - [`render`] and [`command_lines`] print a plan for fio.
//!
//! It refuses to guess. An option that nobody knows, a value that fio would silently
//! misread (`runtime=10sec` is 10 µs to fio), an option that would change what is
//! measured and is not there: each is an error with its place and the way out.

mod arithmetic;
mod command_line;
mod criteria;
mod failure;
mod files;
pub(crate) mod import;
mod invocation;
mod job;
mod job_file;
mod numbers;
mod option;
pub mod output;
mod patterns;
mod plan;
mod planned;
mod print;
pub mod session;
mod substitute;
mod switches;
mod table;
mod target;
mod workload;

pub use crate::language::host::{Host, HostPath, HostPathKind, NoHost};
pub use command_line::invocation;
pub use failure::{ErrorLocation, FioError, FioProblem};
pub use invocation::{FioAction, FioInvocation, show_command};
pub use option::{FioOption, FioSupport};
pub use plan::METHOD;
pub use planned::{FioPlan, FioTargetSpec};
pub use print::{command_lines, render};
pub use switches::{Switch, switches};
pub use table::options;
pub use target::{JobFilePathError, JobFileTarget, TEST_FILE_NAME};
