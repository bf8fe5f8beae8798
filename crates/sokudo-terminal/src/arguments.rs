//! Arguments that many commands share: how results are printed, and where they are kept; and what
//! values and mistakes are called.

pub mod heading;
pub mod mistake;
pub mod one_of;
pub mod percent;
pub mod pictures;
pub mod printing;
pub mod store;
