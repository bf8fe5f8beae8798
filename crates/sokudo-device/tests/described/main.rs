//! What machines and disks say of themselves: on invented machines, by recorded pages, and by
//! pages that no honest disk sends.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, and tells loudly what it skips"
)]

mod disks;
mod hostile_pages;
mod identity;
mod interrogation;
#[path = "../../src/invented.rs"]
mod invented;
mod made;
mod recorded_disks;
mod stacks;
mod typical_disks;

use sokudo_device::{Inspected, System, inspect};

fn page(name: &str) -> Vec<u8> {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    std::fs::read(directory.join(name)).unwrap()
}
