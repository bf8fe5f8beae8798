//! The page in a browser: HTTP, its guard, and the view that all browsers share.
//!
//! `sokudo page` is two processes. The measurer owns the terminal, the consent and the queue; the
//! web process, which is this crate, owns what speaks to browsers. A pipe joins them, and all that
//! comes from here through it are typed wishes and queries ([`Ask`]): it cannot measure, write or
//! name an option that [`Wish`] does not know.

mod access;
mod event;
mod files;
mod folders;
mod guard;
mod keys;
mod listen;
mod measurer;
mod message;
mod page;
mod pipe;
mod query;
mod reply;
mod routes;
mod serve;
mod shell;
mod stall;
mod view;
mod wish;
mod words;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use event::{PlannedRow, RunEvent, RunPhase, SampleUnit, StuckRequest};
pub use message::{Ask, Hello, MeasurerMessage, QueueEntry, UPLOAD_BYTES_MAX};
pub use pipe::{BYTES_MAX, Frame, LINE_BYTES_MAX, PipeError, read_frame, write_frame};
pub use query::{DocumentForm, ListFilter, PictureForm, Query, QueryError};
pub use serve::serve;
pub use view::replayed;
pub use wish::{
    FormValue, JOB_BYTES_MAX, MethodForm, MethodList, Methods, OptionForm, OptionKind, TargetForm,
    Wish, WishError,
};

/// The hidden argument with which the program becomes the web process.
pub const ARGUMENT: &str = "--serve-page";

/// What a mutex guards. Nobody panics while it is held, so that it is whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
