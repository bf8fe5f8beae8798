//! `sokudo clean`: removes test files that a killed sokudo has left behind, and, as root,
//! dissolves arrays and pools that one has left, by its journal.
//!
//! What bears our mark is removed. What has only the name of a test file, or was left
//! unfinished under a name that its user gave it, may be somebody's, so its owner is asked,
//! or says so beforehand.

use std::path::Path;

use anyhow::Context;
use sokudo_engine::{LeftBehind, NotOurs, Search, left_behind};
use sokudo_terminal::command_line;
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::{invocation, output};
use sokudo_volume::dissolve_left_behind;
use sokudo_words::text;

pub(crate) fn run(directory: &Path, yes: bool) -> Result<(), Exit> {
    // A mistake is told before anything is done.
    std::fs::read_dir(directory)
        .with_context(|| text!("{} cannot be read", directory.display()))
        .map_err(Exit::Failed)?;
    let are_volumes_gone = dissolve_volumes()?;
    remove_files(directory, yes)?;
    match are_volumes_gone {
        true => Ok(()),
        false => Err(Exit::FailedAsReported),
    }
}

/// Dissolves what runs have left that were killed; false if something stays.
fn dissolve_volumes() -> Result<bool, Exit> {
    let mut done = Vec::new();
    let errors = dissolve_left_behind(&mut |action| done.push(action.to_string()));
    for command in done {
        output::say(&text!("left by a killed run, so: {command}"))?;
    }
    errors.iter().for_each(exit::fault);
    Ok(errors.is_empty())
}

fn remove_files(directory: &Path, yes: bool) -> Result<(), Exit> {
    let found = left_behind(directory, Search::All);
    if found.is_empty() {
        return output::say(&text!("{}: nothing was left behind", directory.display()));
    }
    let mut has_failed = false;
    for file in found {
        if let Some(why) = file.doubt
            && !yes
            && !is_agreed(&file, why)?
        {
            output::say(&text!(
                "left {} ({}), which may be sokudo's, but {why}; {} removes it",
                file.path.display(),
                file.size,
                command_line::cleaning(directory, true)
            ))?;
        } else if let Err(error) = file.remove() {
            has_failed = true;
            exit::fault(text!("{} cannot be removed: {error}", file.path.display()));
        } else {
            output::say(&text!("removed {} ({})", file.path.display(), file.size))?;
        }
    }
    match has_failed {
        true => Err(Exit::FailedAsReported),
        false => Ok(()),
    }
}

/// Asks who sits there. Nobody does where input or output is no terminal.
fn is_agreed(file: &LeftBehind, why: NotOurs) -> Result<bool, Exit> {
    if !invocation::is_somebody_there() {
        return Ok(false);
    }
    output::ask(&text!(
        "{} ({}) may be sokudo's, but {why}. Remove it? [y/N]",
        file.path.display(),
        file.size
    ))
}
