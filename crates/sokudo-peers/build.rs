//! Names the commit that is built, where this is a working copy of the repository.

use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

/// Written with every commit, checkout and reset.
const LOG: &str = "../../.git/logs/HEAD";

fn main() -> io::Result<()> {
    let described = Command::new("git")
        .args([
            "describe",
            "--always",
            "--dirty",
            "--abbrev=12",
            "--exclude=*",
        ])
        .output();
    let commit = described.ok().filter(|output| output.status.success());
    let commit = commit.and_then(|output| String::from_utf8(output.stdout).ok());
    let commit = commit.unwrap_or_default();
    let mut cargo = io::stdout();
    writeln!(cargo, "cargo::rustc-env=SOKUDO_COMMIT={}", commit.trim())?;
    writeln!(cargo, "cargo::rerun-if-changed=build.rs")?;
    match Path::new(LOG).exists() {
        true => writeln!(cargo, "cargo::rerun-if-changed={LOG}"),
        false => Ok(()),
    }
}
