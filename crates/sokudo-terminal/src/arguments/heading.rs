//! Headings under which help tells the options that most commands have.

pub const MEASURED: &str = "What is measured";
pub const HOW: &str = "How it is measured";
pub const WRITTEN: &str = "What may be written";
pub const KEPT: &str = "What is kept";
pub const PRINTED: &str = "What is printed";

/// Where the heading of what is printed stands.
pub const PRINTED_RANK: usize = 4;

/// Where a heading stands. What no other command has is about what is measured.
pub fn rank(heading: Option<&str>) -> usize {
    match heading {
        None => 0,
        Some(WRITTEN) => 2,
        Some(HOW) => 3,
        Some(PRINTED) => PRINTED_RANK,
        Some(KEPT) => 5,
        Some(_) => 1,
    }
}
