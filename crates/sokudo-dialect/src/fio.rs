//! fio's language: its job files and its command line.
//!
//! - [`invocation`] reads a command line and the job files that it names;
//!   [`Invocation::plan`] says what they mean, with fio's defaults and rules, as a
//!   [`Plan`](sokudo_model::Plan) and the targets that it runs on.
//! - [`options`] is the one table of options that parsing, echo, help and
//!   `docs/FIO.md` are made from.
//! - [`method`] holds the methods that `sokudo mark` carries with it, and prints plans
//!   as job files for fio.
//!
//! It refuses to guess. An option that nobody knows, a value that fio would silently
//! misread (`runtime=10sec` is 10 µs to fio), an option that would change what is
//! measured and is not there: each is an error with its place and the way out.

mod arithmetic;
mod command_line;
mod criteria;
mod failure;
mod files;
mod help;
mod invocation;
mod job;
mod job_file;
mod lines;
pub mod method;
pub(crate) mod nearest;
mod numbers;
mod option;
mod patterns;
mod plan;
mod planned;
mod substitute;
mod switches;
mod table;
mod workload;

pub use crate::host::{Found, FoundKind, Host, NoHost};
pub use command_line::invocation;
pub use failure::{FioError, FioProblem, Source};
pub use help::{command_help, document, help};
pub use invocation::{Action, Invocation, show_command};
pub use lines::command_lines;
pub use method::{
    JobFile, JobFileError, JobFileProblem, Place, PlaceError, Pragma, TEST_FILE_NAME, parse,
    pragmas, read, render,
};
pub use option::{FioOption, Support};
pub use planned::{Fallocate, Planned, SpecKind, TargetSpec};
pub use switches::{Switch, switches};
pub use table::options;
