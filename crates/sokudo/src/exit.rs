//! How the program ends: exit codes, and errors as one line.

use std::fmt::Display;
use std::process::ExitCode;

/// Why the program ends without full success.
#[derive(Debug)]
pub(crate) enum Exit {
    /// 1: a job failed.
    Failed(anyhow::Error),
    /// 1: a job failed, and the result that was printed says so.
    FailedAsReported,
    /// 2: the arguments make no sense.
    Usage(anyhow::Error),
    /// 3: refused, because it would endanger data.
    Refused(anyhow::Error),
    /// 130: interrupted; what was measured has been printed.
    Interrupted,
}

impl Exit {
    /// 1.
    pub(crate) fn failed(error: impl Into<anyhow::Error>) -> Self {
        Self::Failed(error.into())
    }

    /// 2.
    pub(crate) fn usage(error: impl Into<anyhow::Error>) -> Self {
        Self::Usage(error.into())
    }

    /// Tells the user in one line and gives the code.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Self::Failed(error) | Self::Usage(error) | Self::Refused(error) => {
                tell(&one_line(error))
            }
            Self::FailedAsReported | Self::Interrupted => {}
        }
        ExitCode::from(match self {
            Self::Failed(_) | Self::FailedAsReported => 1,
            Self::Usage(_) => 2,
            Self::Refused(_) => 3,
            Self::Interrupted => 130,
        })
    }
}

/// Help and version are printed; a wrong argument becomes one line and code 2.
pub(crate) fn from_clap(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // A reader that has seen enough, such as `head`, is no failure.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.render().to_string();
    let said: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .filter(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .collect();
    let line = said.join("; ");
    tell(line.strip_prefix("error: ").unwrap_or(&line));
    ExitCode::from(2)
}

/// Something that the user should know but that stops nothing.
pub(crate) fn note(message: impl Display) {
    write_line(&format!("sokudo: note: {message}"));
}

fn tell(message: &str) {
    write_line(&format!("sokudo: {message}"));
}

#[expect(clippy::print_stderr, reason = "this is where errors are told")]
fn write_line(line: &str) {
    eprintln!("{line}");
}

/// The error with its causes, without line breaks.
fn one_line(error: &anyhow::Error) -> String {
    format!("{error:#}").replace('\n', " ")
}
