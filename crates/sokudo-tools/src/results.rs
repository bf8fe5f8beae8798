//! What the readers of other tools' results share.

pub(crate) mod crystal_layout;
pub(crate) mod format;
pub(crate) mod lenient;
pub(crate) mod named;
pub(crate) mod number;
pub(crate) mod reader;
pub(crate) mod row;
pub(crate) mod text;
pub(crate) mod unread;
pub(crate) mod wrong_unit;

pub(crate) use format::{Reader, Source};
pub use reader::{Import, ImportError, LeftOut};
