//! How the program ends: exit codes, and errors as one line.

use std::fmt::{self, Display, Formatter};
use std::io;

use rustix::io::Errno;
use sokudo_measure::MeasureError;
use sokudo_report::TableStyle;
use sokudo_store::StoreError;
use sokudo_words::{Fault, HasFault, Text, text};

use crate::{escape, invocation, language};

/// Words of the user's are repeated in messages, and some are as long as a file.
const LINE_CHARACTERS_MAX: usize = 4096;

/// The code after Ctrl-C.
pub const INTERRUPTED: i32 = 130;

/// Why the program ends without full success.
#[derive(Debug)]
pub enum Exit {
    /// 1: a job failed.
    Failed(anyhow::Error),
    /// 1: a job failed, and the result that was printed says so.
    FailedAsReported,
    /// What was printed says why it ends with this code, which may be another program's.
    AsReported(u8),
    /// 2: the arguments make no sense.
    Usage(anyhow::Error),
    /// 3: refused, because it would endanger data.
    Refused(anyhow::Error),
    /// 4: rows are trusted less than was asked for; the result has been printed.
    NotTrusted(anyhow::Error),
    /// 5: ended by a rule of --stop-when; what was measured has been printed.
    StoppedByRule,
    /// 130: interrupted; what was measured has been printed.
    Interrupted,
    /// 128: interrupted, as fio ends then; what was measured has been printed.
    InterruptedAsFio,
    /// 130: interrupted before anything was measured.
    InterruptedEarly(anyhow::Error),
}

impl Exit {
    /// An exit with code 1: a job failed.
    pub fn failed(error: impl Into<anyhow::Error>) -> Self {
        Self::Failed(error.into())
    }

    /// An exit with code 2: the arguments make no sense.
    pub fn usage(error: impl Into<anyhow::Error>) -> Self {
        Self::Usage(error.into())
    }

    /// An exit with code 3: refused, because it would endanger data.
    pub fn refused(error: impl Into<anyhow::Error>) -> Self {
        Self::Refused(error.into())
    }

    /// An exit with code 4: what was measured is trusted less than was asked for.
    pub fn not_trusted(error: impl Into<anyhow::Error>) -> Self {
        Self::NotTrusted(error.into())
    }

    /// Tells the user in one line and gives the code.
    pub fn report(&self) -> u8 {
        self.tell();
        self.code()
    }

    pub const fn code(&self) -> u8 {
        match self {
            Self::Failed(_) | Self::FailedAsReported => 1,
            Self::Usage(_) => 2,
            Self::Refused(_) => 3,
            Self::NotTrusted(_) => 4,
            Self::StoppedByRule => 5,
            Self::InterruptedAsFio => 128,
            Self::Interrupted | Self::InterruptedEarly(_) => 130,
            Self::AsReported(code) => *code,
        }
    }

    /// What it tells; `None` where that has been printed.
    pub fn message(&self) -> Option<Text> {
        let error = self.error()?;
        let text = error.downcast_ref::<Text>().cloned();
        Some(text.unwrap_or_else(|| Text::name(one_line(error))))
    }

    /// The same, and of a run that was interrupted that it was.
    pub fn reason(&self) -> Option<Text> {
        let interrupted = matches!(self, Self::Interrupted).then(|| text!("interrupted"));
        self.message().or(interrupted)
    }

    /// What it tells, to be said in another process, whatever language that one speaks.
    pub fn in_each_language(&self) -> Option<Text> {
        let error = self.error()?;
        let text = error.downcast_ref::<Text>().cloned();
        Some(text.unwrap_or_else(|| Text::shown(&OneLine(error))))
    }

    const fn error(&self) -> Option<&anyhow::Error> {
        match self {
            Self::Failed(error)
            | Self::Usage(error)
            | Self::Refused(error)
            | Self::NotTrusted(error)
            | Self::InterruptedEarly(error) => Some(error),
            _ => None,
        }
    }

    /// What a store has refused: a run that is not there is one that was named wrongly.
    pub fn of_store(error: StoreError) -> Self {
        match error {
            StoreError::NoRun(_) => Self::usage(error),
            error => Self::failed(error),
        }
    }

    /// The same with other words, where it has any.
    pub fn map(self, words: impl FnOnce(anyhow::Error) -> anyhow::Error) -> Self {
        match self {
            Self::Failed(error) => Self::Failed(words(error)),
            Self::Usage(error) => Self::Usage(words(error)),
            Self::Refused(error) => Self::Refused(words(error)),
            Self::NotTrusted(error) => Self::NotTrusted(words(error)),
            Self::InterruptedEarly(error) => Self::InterruptedEarly(words(error)),
            reported => reported,
        }
    }

    /// The same error where another tool, which ends with 1 for it, would have met it.
    pub fn without_usage(self) -> Self {
        match self {
            Self::Usage(error) => Self::Failed(error),
            other => other,
        }
    }

    /// The same error where another tool, which knows no refusals, ends with 1 for it.
    pub fn without_refusal(self) -> Self {
        match self {
            Self::Refused(error) => Self::Failed(error),
            other => other,
        }
    }

    /// The system's number of the error by which nothing could be started: its own where
    /// the system has refused, "not permitted" where sokudo has. `None` after an
    /// interruption.
    pub fn error_number(&self) -> Option<i32> {
        let of_system = |error: &anyhow::Error| {
            let mut causes = error.chain();
            causes.find_map(|cause| cause.downcast_ref::<std::io::Error>()?.raw_os_error())
        };
        match self {
            Self::Failed(error) | Self::Usage(error) | Self::Refused(error) => {
                Some(of_system(error).unwrap_or(Errno::PERM.raw_os_error()))
            }
            _ => None,
        }
    }

    /// Tells the user in one line.
    pub fn tell(&self) {
        if let Some(error) = self.error() {
            tell(&language::spoken(|| one_line(error)));
        }
    }
}

/// Whose affair an error is decides how the program ends.
impl From<MeasureError> for Exit {
    fn from(error: MeasureError) -> Self {
        match error.fault() {
            Fault::Usage => Self::usage(error),
            Fault::Refused => Self::refused(error),
            Fault::Interrupted => Self::InterruptedEarly(error.into()),
            Fault::System => Self::failed(error),
        }
    }
}

/// Set to `off`, notes are not printed: for scripts that take sokudo for another tool.
const NOTES_VARIABLE: &str = "SOKUDO_NOTES";

/// Something that the user should know but that stops nothing.
pub fn note(message: impl Display) {
    if invocation::variable(NOTES_VARIABLE).is_some_and(|it| it == "off") {
        return;
    }
    let (word, message) = language::spoken(|| (text!("note").to_string(), message.to_string()));
    tell(&format!("{word}: {}", fitting(&message)));
}

/// Something that makes a run fail and is told while others go on.
pub fn fault(message: impl Display) {
    tell(&fitting(&language::spoken(|| message.to_string())));
}

/// What is being done, for somebody who waits at a terminal; others see nothing.
pub fn progress(message: impl Display) {
    if invocation::is_error_terminal() {
        fault(message);
    }
}

fn tell(line: &str) {
    // Where nothing can be told any more (a full disk, a closed pipe), the exit code
    // still says how it ended.
    let width = invocation::error_terminal().map(|(width, _)| usize::from(width.0));
    let _ = invocation::write_error(laid_out(line, width).as_bytes());
}

/// A message as it is written: to a terminal in lines that end between words.
fn laid_out(message: &str, width: Option<usize>) -> String {
    let Some(width) = width else {
        return format!("sokudo: {message}\n");
    };
    let style = TableStyle {
        width,
        ..TableStyle::default()
    };
    style.wrapped("sokudo: ", &Text::name(message)).join("\n") + "\n"
}

/// An error with those of its causes that it does not name itself.
pub struct WithCauses<'a>(pub &'a anyhow::Error);

impl Display for WithCauses<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut line = String::new();
        for cause in self.0.chain() {
            let cause = match cause.downcast_ref::<io::Error>() {
                Some(of_system) => Text::from(of_system).to_string(),
                None => cause.to_string(),
            };
            if line.is_empty() {
                line = cause;
            } else if !line.contains(&cause) {
                line = format!("{line}: {cause}");
            }
        }
        f.write_str(&line)
    }
}

/// An error as one line.
struct OneLine<'a>(&'a anyhow::Error);

impl Display for OneLine<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&one_line(self.0))
    }
}

/// The error without line breaks, in the language that is spoken.
fn one_line(error: &anyhow::Error) -> String {
    let mut line = WithCauses(error).to_string();
    for (errno, limit, way_out) in [
        (
            Errno::MFILE,
            "ulimit -n",
            text!("raise the limit of open files (ulimit -n)"),
        ),
        (
            Errno::FBIG,
            "ulimit -f",
            text!("use a smaller size, or raise the limit of a file's size (ulimit -f)"),
        ),
    ] {
        if is_caused_by(error, errno) && !line.contains(limit) {
            line = format!("{line}; {way_out}");
        }
    }
    fitting(&line)
}

/// One line that is no longer than anybody reads and commands no terminal.
pub fn fitting(line: &str) -> String {
    shortened(escape::line(line))
}

/// Whatever is opened or grows can meet a limit of the system's, so the way out is told
/// here.
fn is_caused_by(error: &anyhow::Error, errno: Errno) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.raw_os_error() == Some(errno.raw_os_error()))
}

/// The middle of an overlong line is left out, for the cause is at its begin and the
/// way out at its end.
fn shortened(line: String) -> String {
    let count = line.chars().count();
    if count <= LINE_CHARACTERS_MAX {
        return line;
    }
    let half = LINE_CHARACTERS_MAX / 2;
    let begin: String = line.chars().take(half).collect();
    let end: String = line.chars().skip(count - half).collect();
    format!("{begin} … {end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let error = sokudo_engine::TestFileError::Create {
            directory: "/mnt".into(),
            source: io::Error::from_raw_os_error(Errno::ACCESS.raw_os_error()),
            remedy: "try another",
        };
        let line = one_line(&error.into());
        assert_eq!(line.matches("Permission denied").count(), 1, "{line}");
        assert!(line.ends_with("; try another"), "{line}");
    }

    #[test]
    fn a_cause_that_the_error_does_not_name_is_added() {
        let error = anyhow::anyhow!("no such thing").context("the result cannot be printed");
        assert_eq!(
            one_line(&error),
            "the result cannot be printed: no such thing"
        );
    }

    #[test]
    fn too_few_descriptors_have_a_way_out() {
        let error = io::Error::from_raw_os_error(Errno::MFILE.raw_os_error());
        assert!(one_line(&error.into()).contains("ulimit -n"));
    }

    #[test]
    fn a_way_out_that_is_told_is_not_told_again() {
        for (errno, limit) in [(Errno::MFILE, "ulimit -n"), (Errno::FBIG, "ulimit -f")] {
            let error = anyhow::Error::from(io::Error::from_raw_os_error(errno.raw_os_error()))
                .context(format!("no test file can be made; raise {limit}"));
            assert_eq!(one_line(&error).matches(limit).count(), 1);
        }
    }

    #[test]
    fn a_long_message_is_broken_between_words_at_a_terminal() {
        let note = "note: the figures of this disk are those of its cache";
        assert_eq!(laid_out(note, None), format!("sokudo: {note}\n"));
        assert_eq!(
            laid_out(note, Some(40)),
            "sokudo: note: the figures of this disk\n        are those of its cache\n"
        );
        let name = "/mnt/a  b does not exist";
        assert_eq!(laid_out(name, Some(40)), format!("sokudo: {name}\n"));
    }

    #[test]
    fn a_name_does_not_command_the_terminal() {
        let error = anyhow::anyhow!("\u{1b}[31m\n\u{7} \u{9b}é does not exist");
        assert_eq!(
            one_line(&error),
            "\\u{1b}[31m \\u{7} \\u{9b}é does not exist"
        );
    }
}
