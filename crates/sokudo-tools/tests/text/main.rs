//! What people write in the languages of other tools, what it comes to, and what is printed of it.

#![expect(clippy::unwrap_used, reason = "a failed test may panic")]

mod diskspd;
mod fio_golden;
mod fio_meaning;
mod fio_robust;
#[path = "../../../../tests/support/fio_said.rs"]
mod fio_said;
mod host;
mod option_pages;
mod round_trip;
