//! What people write in the languages of other tools, what it comes to, and what is printed of it.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a failed test may panic, and a skipped one must say so"
)]

mod diskspd;
mod diskspd_page;
mod fio_golden;
mod fio_meaning;
mod fio_robust;
mod host;
mod round_trip;
