//! Command lines of this program that children carry out.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use sokudo_measure::FileUser;
use sokudo_page::{BYTES_MAX, LINE_BYTES_MAX};
use sokudo_terminal::arguments::store::VARIABLE as STORE_VARIABLE;
use sokudo_terminal::{event_stream, invoker};
use sokudo_words::{Language, Text, text};

use super::page_event::{ChildReport, PageEvent};

/// This program, wherever it was started from.
pub(crate) const PROGRAM: &str = "/proc/self/exe";

/// Consent is given by the page's own rules alone.
const CONSENTS: [&str; 2] = ["SOKUDO_DESTROY", "SOKUDO_OVERWRITE"];

/// No answer about what is kept takes longer.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(120);

/// Between two looks at a child that answers.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Lines that a child says to people; of more, the first are told.
const LINES_MAX: usize = 200;

/// What is alike for all children.
#[derive(Clone)]
pub(crate) struct Surroundings {
    pub(crate) store: Option<OsString>,
    /// Of whoever has asked.
    pub(crate) language: Language,
}

impl Surroundings {
    /// The same for somebody who speaks this language.
    pub(crate) fn speaking(&self, language: Language) -> Self {
        Self {
            language,
            ..self.clone()
        }
    }

    fn command(&self, words: &[String], tell: Option<&str>) -> Command {
        self.command_of(PROGRAM, words, tell)
    }

    fn command_of(&self, program: &str, words: &[String], tell: Option<&str>) -> Command {
        let mut command = Command::new(program);
        command
            .args(words)
            .env("SOKUDO_LANG", self.language.code())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // The terminal's Ctrl-C is the page's to answer.
            .process_group(0);
        for consent in CONSENTS {
            command.env_remove(consent);
        }
        command.env_remove(invoker::FILES_AS);
        match tell {
            Some(wanted) => command.env(event_stream::VARIABLE, wanted),
            None => command.env_remove(event_stream::VARIABLE),
        };
        if let Some(store) = &self.store {
            command.env(STORE_VARIABLE, store);
        }
        command
    }

    /// Starts a run and tells what happens in it.
    pub(crate) fn measure(
        &self,
        run: u64,
        words: &[String],
        files_as: Option<FileUser>,
        sender: &Sender<PageEvent>,
    ) -> io::Result<Child> {
        let mut command = self.command(words, Some("events"));
        if let Some(FileUser { user, group }) = files_as {
            command.env(invoker::FILES_AS, format!("{user}:{group}"));
        }
        spawn_child(command, run, sender)
    }

    /// Starts a launcher, whose first process tells what happens in all of them.
    pub(crate) fn launch(
        &self,
        run: u64,
        launcher: &str,
        words: &[String],
        sender: &Sender<PageEvent>,
    ) -> io::Result<Child> {
        spawn_child(
            self.command_of(launcher, words, Some("events")),
            run,
            sender,
        )
    }

    /// What a command prints, within limits of time and size, and what is wrong otherwise.
    pub(crate) fn answer(&self, words: &[String], tell: Option<&str>) -> Result<Answer, Text> {
        let failed = |error: io::Error| text!("sokudo cannot be started for it: {error}");
        let mut command = self.command(words, tell);
        let mut child = command.spawn().map_err(failed)?;
        let out = collected(child.stdout.take().expect("it is piped"), BYTES_MAX);
        let errors = collected(child.stderr.take().expect("it is piped"), 1 << 20);
        let until = Instant::now() + ANSWER_TIME_MAX;
        let status = loop {
            if let Some(status) = child.try_wait().map_err(failed)? {
                break status;
            }
            if Instant::now() >= until {
                let _ = child.kill();
                let _ = child.wait();
                return Err(text!(
                    "there was no answer within {} s; ask for less",
                    ANSWER_TIME_MAX.as_secs()
                ));
            }
            thread::sleep(LOOK_EVERY);
        };
        let printed = out.join().unwrap_or_default();
        let error_bytes = errors.join().unwrap_or_default();
        let error_text = String::from_utf8_lossy(&error_bytes);
        Ok(Answer {
            is_good: status.success(),
            printed,
            messages: error_text.lines().map(without_name).collect(),
        })
    }
}

/// Starts it, and passes on what it tells.
fn spawn_child(mut command: Command, run: u64, sender: &Sender<PageEvent>) -> io::Result<Child> {
    let mut child = command.spawn()?;
    let out = child.stdout.take().expect("it is piped");
    let errors = child.stderr.take().expect("it is piped");
    let tell = |sender: &Sender<PageEvent>| {
        let sender = sender.clone();
        // Where nobody hears it any more, the run goes on and is kept.
        move |report| drop(sender.send(PageEvent::Child(run, report)))
    };
    let send_line = tell(sender);
    let errors = thread::spawn(move || {
        let mut lines = 0;
        each_line(errors, |line| {
            lines += 1;
            if lines <= LINES_MAX {
                send_line(ChildReport::Line(without_name(line)));
            }
        });
    });
    let send_event = tell(sender);
    thread::spawn(move || {
        each_line(out, |line| {
            if let Ok(event) = serde_json::from_str(line) {
                send_event(ChildReport::Event(event));
            }
        });
        let _ = errors.join();
        send_event(ChildReport::Over);
    });
    Ok(child)
}

/// What a child has answered.
pub(crate) struct Answer {
    pub(crate) is_good: bool,
    pub(crate) printed: Vec<u8>,
    /// Lines that the child wrote to standard error.
    pub(crate) messages: Vec<String>,
}

/// Asks a child to end as Ctrl-C does. It has not been waited for, so that its number is its own.
pub(crate) fn interrupt(child: &Child) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, Signal::INT);
    }
}

/// A line without the program's name before it.
fn without_name(line: &str) -> String {
    line.strip_prefix("sokudo: ").unwrap_or(line).to_owned()
}

/// All that comes, up to a limit.
fn collected(from: impl Read + Send + 'static, bytes_max: u64) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut from = from.take(bytes_max);
        let _ = from.read_to_end(&mut bytes);
        bytes
    })
}

/// Each line that comes, but for overlong ones.
pub(crate) fn each_line(from: impl Read, mut hear: impl FnMut(&str)) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = from
            .by_ref()
            .take(LINE_BYTES_MAX as u64)
            .read_until(b'\n', &mut line);
        match read {
            Ok(0) | Err(_) => return,
            Ok(_) if line.ends_with(b"\n") => hear(String::from_utf8_lossy(&line).trim_end()),
            // The rest of an overlong line is no line either: it is no JSON.
            Ok(_) => {}
        }
    }
}
