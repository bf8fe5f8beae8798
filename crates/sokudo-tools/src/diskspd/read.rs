//! From a command line to what it asks for.

use sokudo_model::Bytes;

use crate::diskspd::session::{DiskspdLayout, DiskspdProfile, DiskspdSession, DiskspdTarget};
use crate::language::host::Host;
use crate::language::quoted_unless;

use super::apply::AppliedOptions;
use super::error::{DiskspdError, DiskspdProblem};
use super::scan::{DiskspdCommandLine, scan};
use super::{validate, value, xml};

/// A command line that has been read.
#[derive(Clone, Debug, PartialEq)]
pub struct DiskspdInvocation {
    /// What is to be done with it.
    pub action: DiskspdAction,
    /// What was asked for; sizes of targets and rows are filled in by
    /// [`DiskspdInvocation::plan`].
    pub session: DiskspdSession,
}

/// What a command line asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskspdAction {
    Run,
    /// To print the profile without running it (`-Rp`).
    PrintProfile,
    /// Print the text of [`super::help`].
    Help,
}

/// Reads a command line, without the program's name. Files other than an XML profile or
/// a source of data are not looked at.
///
/// # Errors
/// Names the argument, what is wrong with it and the way out.
pub fn invocation(
    arguments: &[String],
    host: &dyn Host,
) -> Result<DiskspdInvocation, DiskspdError> {
    let line = scan(arguments, host)?;
    let mut session = DiskspdSession {
        command_line: command_line(arguments),
        ..DiskspdSession::default()
    };
    if line.help {
        let action = DiskspdAction::Help;
        return Ok(DiskspdInvocation { action, session });
    }
    let mut options = AppliedOptions::default();
    options.windows = line.windows;
    options.target.block = Bytes(block_bytes(&line)?);
    for option in &line.options {
        options.apply(option)?;
    }
    session.profile = match options.xml.take() {
        Some(file) => {
            let (profile, is_xml_wanted) = xml::profile_of(&file, &line, host)?;
            if is_xml_wanted {
                options.layout.get_or_insert(DiskspdLayout::Xml);
            }
            options.compose(profile, &line)?
        }
        None => from_line(&mut options, line.targets)?,
    };
    session.layout = options.layout.unwrap_or(match options.windows {
        true => DiskspdLayout::Windows,
        false => DiskspdLayout::Linux,
    });
    session.notes.append(&mut options.notes);
    let notes = validate::spans(&session.profile.spans)?;
    session.notes.extend(notes);
    let action = match options.profile_only {
        true => DiskspdAction::PrintProfile,
        false => DiskspdAction::Run,
    };
    Ok(DiskspdInvocation { action, session })
}

/// `b` in other sizes means this block, wherever `-b` stands.
fn block_bytes(line: &DiskspdCommandLine) -> Result<u64, DiskspdError> {
    const DEFAULT: u64 = 64 << 10;
    let Some(option) = line.options.iter().rfind(|option| option.letter == 'b') else {
        return Ok(DEFAULT);
    };
    value::size(&option.value, DEFAULT)
        .filter(|bytes| (1..=u64::from(u32::MAX)).contains(bytes))
        .ok_or_else(|| {
            let expected = "a size above 0 and below 4G, such as 4K or 1M";
            DiskspdError::new(&option.text, DiskspdProblem::Bad { expected })
        })
}

fn from_line(
    options: &mut AppliedOptions,
    targets: Vec<String>,
) -> Result<DiskspdProfile, DiskspdError> {
    options.settle()?;
    if targets.is_empty() {
        return Err(DiskspdError::new("no target", DiskspdProblem::NoTarget));
    }
    let mut profile = options.profile.clone();
    let mut span = options.span.clone();
    let target = |path| DiskspdTarget {
        path,
        ..options.target.clone()
    };
    span.targets.extend(targets.into_iter().map(target));
    profile.spans.push(span);
    Ok(profile)
}

/// The line as it would be typed; words with spaces are quoted.
fn command_line(arguments: &[String]) -> String {
    let mut line = String::from("diskspd");
    for argument in arguments {
        line.push(' ');
        let is_plain = !argument.contains([' ', '\t', '\'', '"']);
        line.push_str(&quoted_unless(is_plain, argument));
    }
    line
}
