//! Names the commit that is built for use, where this is a working copy of the repository. A build
//! for tests names none: it would be made anew with every commit.

use std::env;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

/// Written with every commit, checkout and reset.
const LOG: &str = "../../.git/logs/HEAD";

fn main() -> io::Result<()> {
    let mut cargo = io::stdout();
    writeln!(cargo, "cargo::rerun-if-changed=build.rs")?;
    if env::var_os("PROFILE").is_none_or(|profile| profile != "release") {
        return Ok(());
    }
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
    writeln!(cargo, "cargo::rustc-env=SOKUDO_COMMIT={}", commit.trim())?;
    match Path::new(LOG).exists() {
        true => writeln!(cargo, "cargo::rerun-if-changed={LOG}"),
        false => Ok(()),
    }
}
