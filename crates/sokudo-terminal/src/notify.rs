//! A program of the user's that gets the answer, once it is kept and printed. Whatever comes of it
//! changes nothing of that.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use rustix::fs::Access;
use sokudo_device::{System, environment};
use sokudo_measure::MeasureError;
use sokudo_report::AnswerDocument;
use sokudo_volume::{PROGRAMS_PATH, call, trusted_program};
use sokudo_words::{Text, text};

use crate::arguments::heading::PRINTED;
use crate::command_line::{self, NOTIFY};
use crate::exit::{self, Exit};
use crate::{definition, interrupt, invocation};

/// Nobody waits longer for a message to be sent.
const TIME_MAX: Duration = Duration::from_secs(60);

/// Who gets the answer, if anybody.
#[derive(Clone, Debug, Default, Args)]
pub struct Notifying {
    /// Run this program with the answer as JSON on its standard input
    ///
    /// It runs each time, also where all is well (exit_code is 0 then), once the run is kept and
    /// printed, and where nothing could be measured, with the reason; not after Ctrl-C. No shell
    /// reads it: quotes hold words together, and "sh -c '...'" calls a shell. It runs as the user
    /// who runs sokudo, with PATH and LC_ALL alone, for 60 s at most. If it fails, a line says so,
    /// and the exit code stays. As root it must be a program that only root can change.
    #[arg(long, value_name = "COMMAND", value_parser = notice, help_heading = PRINTED)]
    notify: Option<Recipient>,
}

/// A program and its arguments.
#[derive(Clone, Debug)]
struct Recipient(String, Vec<String>);

fn notice(text: &str) -> Result<Recipient, Text> {
    let mut words = command_line::words(text).unwrap_or_default().into_iter();
    let program = words.next().ok_or_else(|| {
        text!("it is no command; name a program and its arguments, with every quote closed")
    })?;
    Ok(Recipient(program, words.collect()))
}

impl Notifying {
    /// Refuses a program that is not there or, as root, that others can change.
    pub fn check(&self) -> Result<(), Exit> {
        self.notify.iter().try_for_each(|it| it.found().map(drop))
    }

    /// Calls it with this document, and says what went wrong.
    pub fn tell(&self, json: impl FnOnce() -> String) {
        let Some(notice) = &self.notify else {
            return;
        };
        let called = notice.found().and_then(|program| {
            let Recipient(name, words) = notice;
            let called = interrupt::KEEPING
                .during(|is_cancelled| call(&program, name, words, json(), TIME_MAX, is_cancelled));
            called.map_err(of_volume)
        });
        if let Some(why) = called.err().and_then(|exit| exit.message()) {
            exit::fault(text!("{NOTIFY}: {why}"));
        }
    }

    /// Calls it where nothing could be measured, and gives back what came of it: nobody sees what a
    /// timer prints. Who has stopped it knows.
    pub fn tell_failure<T>(&self, ended: Result<T, Exit>) -> Result<T, Exit> {
        if let Err(failure) = &ended
            && !matches!(failure, Exit::InterruptedEarly(_))
            && let Some(why) = failure.message()
        {
            self.tell(|| not_measured(&why, failure.code()).to_json());
        }
        ended
    }
}

/// That a command could measure nothing, and why.
fn not_measured(why: &Text, exit_code: u8) -> AnswerDocument {
    let given = invocation::current().arguments();
    let words = given.iter().skip(1).map(|word| word.to_string_lossy());
    let mut words = words.map(String::from);
    let command = words.find(|word| definition::is_command(word));
    let host = environment(&System::host()).host;
    AnswerDocument::not_measured(command.unwrap_or_default(), host, why, exit_code)
}

impl Recipient {
    /// Its file. What the environment has for PATH is not asked: it may be another user's.
    fn found(&self) -> Result<PathBuf, Exit> {
        let name = Path::new(&self.0);
        let path = match self.0.contains('/') {
            true => name.is_absolute().then(|| name.to_owned()),
            false => {
                let folders = PROGRAMS_PATH.split(':');
                let mut paths = folders.map(|folder| Path::new(folder).join(name));
                paths.find(|path| path.is_file())
            }
        };
        let path = path.ok_or_else(|| {
            Exit::usage(text!(
                "{NOTIFY}: there is no {} in {PROGRAMS_PATH}; name a program by its whole path",
                &self.0
            ))
        })?;
        if !path.is_file() || rustix::fs::access(&path, Access::EXEC_OK).is_err() {
            return Err(Exit::usage(text!(
                "{NOTIFY}: {} is no program that can be run; name another one",
                path.display()
            )));
        }
        match rustix::process::geteuid().is_root() {
            true => trusted_program(&path).map_err(of_volume),
            false => Ok(path),
        }
    }
}

fn of_volume(error: impl Into<MeasureError>) -> Exit {
    Exit::from(error.into())
}
