//! Programs that are run for a volume: with a known environment, a bound on what they print
//! and on how long they take, and ended with this process.

use std::collections::VecDeque;
use std::io::{self, PipeReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{ioctl_fionread, retry_on_intr};
use rustix::process::{Pid, Signal, kill_process_group};
use rustix::time::Timespec;

use crate::action::CommandLine;
use crate::error::VolumeError;
use crate::shell::quoted;

/// Where programs are looked for.
pub const PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

/// What is kept of what a program prints; errors stand at its end.
const PRINTED_BYTES_MAX: usize = 16 << 10;

/// What a message shows of it: some programs say what is wrong first, and then how they are
/// used; others say at the end.
const FIRST_LINES_KEPT: usize = 2;
const LAST_LINES_KEPT: usize = 4;
const CHARACTERS_KEPT_MAX: usize = 1000;

/// How often it is looked whether a program has ended.
const LOOK: Duration = Duration::from_millis(10);

/// What a program that was killed has to end; one that waits for a dead disk never does.
const KILLED_TIME_MAX: Duration = Duration::from_secs(10);

/// How long a program may take, and what ends it before.
#[derive(Clone, Copy)]
pub(crate) struct ProgramLimits<'a> {
    pub(crate) time: Duration,
    pub(crate) is_cancelled: &'a dyn Fn() -> bool,
}

impl<'a> ProgramLimits<'a> {
    /// A large disk takes its time to be discarded or filled with tables.
    const MAKING: Duration = Duration::from_secs(3600);
    const UNDOING: Duration = Duration::from_secs(300);

    pub(crate) const fn making(is_cancelled: &'a dyn Fn() -> bool) -> Self {
        Self {
            time: Self::MAKING,
            is_cancelled,
        }
    }

    /// What is taken back is taken back whoever is in a hurry.
    pub(crate) const fn undoing() -> Self {
        Self {
            time: Self::UNDOING,
            is_cancelled: &|| false,
        }
    }
}

/// Runs a program to its end and gives what it printed.
pub(crate) fn run(command: &CommandLine, limits: ProgramLimits<'_>) -> Result<String, VolumeError> {
    let mut started = Command::new(command.program);
    started.args(&command.arguments);
    carry_out(started, command.input.clone(), &command.to_string(), limits)
}

/// Runs a program of the user's own in the same way, under a name, and gives it this to read.
///
/// # Errors
/// When it cannot be run, fails, takes longer, or is cancelled.
pub fn call(
    program: &Path,
    name: &str,
    arguments: &[String],
    input: String,
    time: Duration,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<(), VolumeError> {
    let mut started = Command::new(program);
    started.arg0(name).args(arguments);
    let limits = ProgramLimits { time, is_cancelled };
    carry_out(started, Some(input), &quoted(name), limits).map(drop)
}

fn carry_out(
    started: Command,
    input: Option<String>,
    command: &str,
    limits: ProgramLimits<'_>,
) -> Result<String, VolumeError> {
    let not_run = |source| VolumeError::NotRun {
        command: command.to_owned(),
        source,
    };
    let mut running = Running::start(started, input).map_err(not_run)?;
    let deadline = Instant::now() + limits.time;
    let status = loop {
        if let Some(status) = running.child.try_wait().map_err(not_run)? {
            break status;
        }
        if (limits.is_cancelled)() {
            running.kill();
            let command = command.to_owned();
            return Err(VolumeError::Cancelled { command });
        }
        if Instant::now() > deadline {
            running.kill();
            return Err(VolumeError::TooLong {
                command: command.to_owned(),
                seconds: limits.time.as_secs(),
            });
        }
        running.listen();
    };
    outcome(command, status, running.printed())
}

fn outcome(command: &str, status: ExitStatus, printed: String) -> Result<String, VolumeError> {
    match status.success() {
        true => Ok(printed),
        false => Err(VolumeError::Failed {
            command: command.to_owned(),
            status: status.to_string(),
            excerpt: kept_lines(&printed),
        }),
    }
}

struct Running {
    child: Child,
    output: PipeReader,
    heard: VecDeque<u8>,
}

impl Running {
    fn start(mut started: Command, text: Option<String>) -> io::Result<Self> {
        let (output, input) = io::pipe()?;
        let stdin = match text {
            Some(_) => Stdio::piped(),
            None => Stdio::null(),
        };
        started
            .env_clear()
            .envs([("LC_ALL", "C"), ("PATH", PATH)])
            // Words without a slash are no devices there.
            .current_dir("/")
            .stdin(stdin)
            .stdout(input.try_clone()?)
            .stderr(input)
            // Ctrl-C on the terminal is for us; what we do about it may need programs.
            .process_group(0);
        sokudo_sys::die_with_parent(&mut started);
        let mut child = started.spawn()?;
        // It holds our ends of the pipe, which must be closed for the output to end.
        drop(started);
        if let (Some(text), Some(mut stdin)) = (text, child.stdin.take()) {
            // One that does not read does not hold us up, and complains itself about what it misses.
            let writes = move || stdin.write_all(text.as_bytes());
            let _ = thread::Builder::new().spawn(writes);
        }
        Ok(Self {
            child,
            output,
            heard: VecDeque::new(),
        })
    }

    /// Waits until it prints something, and no longer than until the next look.
    fn listen(&mut self) {
        let next_look = Timespec {
            tv_sec: 0,
            tv_nsec: LOOK.subsec_nanos().into(),
        };
        let mut pipe = [PollFd::new(&self.output, PollFlags::IN)];
        let is_reported = poll(&mut pipe, Some(&next_look)).is_ok_and(|count| count > 0);
        if is_reported && !pipe[0].revents().contains(PollFlags::IN) {
            // Nobody holds the other end any more.
            thread::sleep(LOOK);
        }
        self.hear();
    }

    /// Keeps the last of what it has printed so far. The end of the pipe is not waited for: a
    /// grandchild may hold it for ever.
    fn hear(&mut self) {
        let mut rest = ioctl_fionread(&self.output).unwrap_or_default();
        let mut part = [0; 4096];
        while rest > 0 {
            let most = usize::try_from(rest).map_or(part.len(), |rest| rest.min(part.len()));
            match retry_on_intr(|| rustix::io::read(&self.output, &mut part[..most])) {
                Ok(0) | Err(_) => return,
                Ok(length) => {
                    rest = rest.saturating_sub(length as u64);
                    self.heard.extend(&part[..length]);
                }
            }
            let surplus = self.heard.len().saturating_sub(PRINTED_BYTES_MAX);
            self.heard.drain(..surplus);
        }
    }

    /// What it printed, once it has ended: all of it is in the pipe then.
    fn printed(mut self) -> String {
        self.hear();
        let bytes: Vec<u8> = self.heard.into();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn kill(&mut self) {
        if let Ok(number) = i32::try_from(self.child.id())
            && let Some(group) = Pid::from_raw(number)
        {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let deadline = Instant::now() + KILLED_TIME_MAX;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
            thread::sleep(LOOK);
        }
    }
}

/// The first and the last lines as one, without what could command a terminal.
fn kept_lines(printed: &str) -> String {
    let mut lines: Vec<&str> = printed
        .split(['\n', '\r'])
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    if lines.len() > FIRST_LINES_KEPT + LAST_LINES_KEPT {
        let last = lines.len() - LAST_LINES_KEPT;
        lines.splice(FIRST_LINES_KEPT..last, ["..."]);
    }
    let excerpt = lines.join("; ");
    let excerpt = excerpt.chars().filter(|sign| !sign.is_control());
    excerpt.take(CHARACTERS_KEPT_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> CommandLine {
        CommandLine::new("sh", ["-c", script])
    }

    #[test]
    fn a_failure_tells_the_first_and_the_last_lines() {
        let error = run(
            &shell("seq 100; echo 'no \x1b[31mroom' >&2; exit 3"),
            ProgramLimits::undoing(),
        );
        let VolumeError::Failed {
            status, excerpt, ..
        } = error.unwrap_err()
        else {
            panic!("another error");
        };
        assert_eq!(status, "exit status: 3");
        assert_eq!(excerpt, "1; 2; ...; 98; 99; 100; no [31mroom");
    }

    #[test]
    fn a_program_without_end_is_ended() {
        let limits = ProgramLimits {
            time: Duration::from_millis(50),
            is_cancelled: &|| false,
        };
        let error = run(&shell("sleep 60 & sleep 60"), limits).unwrap_err();
        assert!(matches!(error, VolumeError::TooLong { .. }), "{error}");
        let cancelled = ProgramLimits {
            is_cancelled: &|| true,
            ..limits
        };
        let error = run(&shell("sleep 60"), cancelled).unwrap_err();
        assert!(matches!(error, VolumeError::Cancelled { .. }), "{error}");
    }

    #[test]
    fn what_is_printed_without_end_is_not_kept() {
        let printed = run(&shell("yes | head -c 1000000"), ProgramLimits::undoing()).unwrap();
        assert_eq!(printed.len(), PRINTED_BYTES_MAX);
    }

    #[test]
    fn who_reads_nothing_holds_nobody_up() {
        let limits = ProgramLimits {
            time: Duration::from_millis(200),
            is_cancelled: &|| false,
        };
        let long = "x".repeat(1 << 20);
        let lazy = shell("sleep 60").reading(long.clone());
        let error = run(&lazy, limits).unwrap_err();
        assert!(matches!(error, VolumeError::TooLong { .. }), "{error}");
        let counts = shell("wc -c").reading(long);
        let printed = run(&counts, ProgramLimits::undoing()).unwrap();
        assert_eq!(printed.trim(), (1 << 20).to_string());
    }

    #[test]
    fn what_it_leaves_running_is_not_waited_for_and_all_that_it_printed_is_told() {
        let begun = Instant::now();
        let printed = run(&shell("sleep 600 & echo made $!"), ProgramLimits::undoing()).unwrap();
        assert!(begun.elapsed() < ProgramLimits::UNDOING);
        let left = printed.strip_prefix("made ").unwrap().trim();
        let left = Pid::from_raw(left.parse().unwrap()).unwrap();
        rustix::process::kill_process(left, Signal::KILL).unwrap();
    }

    #[test]
    fn a_program_sees_nothing_of_our_environment() {
        let printed = run(&shell("pwd; env | sort"), ProgramLimits::undoing()).unwrap();
        assert!(!printed.contains("CARGO"), "{printed}");
        assert!(printed.starts_with("/\nLC_ALL=C\n"), "{printed}");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let missing = CommandLine::new("mkfs.sokudo-none", ["/dev/null"]);
        let error = run(&missing, ProgramLimits::undoing())
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("mkfs.sokudo-none /dev/null cannot be run"),
            "{error}"
        );
    }
}
