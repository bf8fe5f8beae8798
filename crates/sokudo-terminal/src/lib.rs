//! What a program at a terminal says, and how it ends: streams and language, exit codes and
//! interruptions, progress, the stream of events, and how a result is printed.
//!
//! It measures nothing, keeps nothing, and defines no command: the command line that help,
//! remedies and repetitions are about is handed to it ([`definition`]).

pub mod arguments;
pub mod command_line;
pub mod definition;
pub mod escape;
pub mod event_stream;
pub mod exit;
pub mod interrupt;
pub mod invocation;
pub mod invoker;
pub mod language;
pub mod notify;
pub mod output;
pub mod parallel;
pub mod picture;
pub mod print;
pub mod progress;
pub mod remedies;
mod stuck;
