//! Stores in files.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "the helpers of tests are tests too, and tell what they do"
)]

mod file;
mod rules;

#[test]
fn a_store_in_a_file_holds_all_rules() {
    let folder = tempfile::tempdir().unwrap();
    rules::hold(&mut sokudo_store::Sqlite::open(&folder.path().join("runs.db")).unwrap());
}
