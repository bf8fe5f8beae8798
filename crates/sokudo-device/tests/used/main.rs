//! What is seen on the running machine, with file systems on loop devices, and who else uses a
//! file or device. What needs root or a tool that is missing is skipped, loudly.

#![expect(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, tells loudly what it skips, and its values are small"
)]

mod below;
mod loop_device;
mod machine;
mod occupants;
mod users;
