//! Which kept runs are meant.

pub mod moment;
pub mod which;
