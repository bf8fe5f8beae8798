//! What the main thread of the page waits for.

use sokudo_page::{Ask, Frame, RunEvent};

pub(crate) enum PageEvent {
    Ask(Frame<Ask>),
    /// The process that speaks to browsers has ended.
    WebEnded,
    /// The run of this number tells something.
    Child(u64, ChildReport),
    /// Enter in the terminal.
    Enter,
    /// Ctrl-C and its kin.
    End,
}

/// What a child that measures tells.
pub(crate) enum ChildReport {
    Event(RunEvent),
    /// A line for people.
    Line(String),
    /// It tells no more.
    Over,
}
