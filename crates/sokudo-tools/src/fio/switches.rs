//! fio's own switches: what a command line says that is no option of a job.

use sokudo_model::Nanos;

use crate::fio::session::{EtaMode, FioFormat};

use super::failure::FioProblem;
use super::invocation::{FioAction, FioInvocation};
use super::numbers::time;
use super::option::SECOND_NS;

/// fio's shortest interval of the status line (DISK_UTIL_MSEC).
const ETA_INTERVAL_MIN: Nanos = Nanos::from_millis(250);

/// A switch of fio's command line.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// Its name, without dashes.
    pub name: &'static str,
    /// The letter that fio takes for it, if it does.
    pub letter: Option<char>,
    pub meaning: &'static str,
    pub(super) takes: Takes,
    effect: SwitchEffect,
}

/// Whether a switch takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    Value,
    /// A value may follow, only behind `=`.
    MayBe,
}

/// What a switch does.
#[derive(Clone, Copy, Debug)]
enum SwitchEffect {
    Set(fn(&mut FioInvocation, &str)),
    /// What it takes, and how that is read.
    Read(&'static str, fn(&mut FioInvocation, &str) -> Option<()>),
    /// Why it changes nothing, which is noted.
    NoEffect(&'static str),
    /// Why it is refused.
    Refused(&'static str),
}
use SwitchEffect::{NoEffect, Read, Refused, Set};
use Takes::{MayBe, Nothing, Value};

/// Every switch there is.
pub fn switches() -> &'static [Switch] {
    SWITCHES
}

impl Switch {
    /// Why it is refused, if it is.
    pub fn refused(&self) -> Option<&'static str> {
        match self.effect {
            Refused(reason) => Some(reason),
            _ => None,
        }
    }

    /// Does what it says.
    pub(super) fn apply(
        &self,
        invocation: &mut FioInvocation,
        value: Option<&str>,
    ) -> Result<(), FioProblem> {
        let (name, text) = (self.name, value.unwrap_or_default());
        match self.effect {
            Set(set) => set(invocation, text),
            Read(form, read) => {
                return read(invocation, text).ok_or_else(|| FioProblem::BadValue {
                    option: format!("--{name}"),
                    value: text.to_owned(),
                    expected: form.to_owned(),
                });
            }
            NoEffect(why) => (invocation.notes).push(format!("--{name} has no effect: {why}")),
            Refused(reason) => {
                let option = name.to_owned();
                return Err(FioProblem::UnsupportedSwitch { option, reason });
            }
        }
        Ok(())
    }
}

/// A line per switch: its name, fio's letter for it, whether it takes a value, what it means,
/// and what it does. Those without a letter are sokudo's own.
macro_rules! switches {
    ($($name:literal $($letter:literal)?, $takes:expr, $meaning:literal, $effect:expr;)*) => {
        &[$(Switch {
            name: $name,
            letter: [$($letter)?].first().copied(),
            meaning: $meaning,
            takes: $takes,
            effect: $effect,
        }),*]
    };
}

static SWITCHES: &[Switch] = switches! {
    "output" 'o', Value, "writes results to this file",
        Set(|i, v| i.output.file = Some(v.to_owned()));
    "minimal" 'm', Nothing, "prints terse output",
        Set(|i, _| i.output.formats = vec![FioFormat::Terse]);
    "output-format" 'F', Value, "prints these: normal, terse, json, json+",
        Read("a list of normal, terse, json, json+",
            |i, v| formats(v).map(|found| i.output.formats = found));
    "append-terse" 'f', MayBe, "prints terse output as well", Set(|i, _| {
        if !i.output.formats.contains(&FioFormat::Terse) {
            i.output.formats.push(FioFormat::Terse);
        }
    });
    "terse-version" 'V', Value, "2, 3, 4 or 5", Read("2, 3, 4 or 5", |i, v| {
        let version = v.parse().ok().filter(|version| (2..=5).contains(version));
        version.map(|version| i.output.terse_version = version)
    });
    "version" 'v', Nothing, "prints the version", Set(|i, _| i.action = FioAction::Version);
    "help" 'h', Nothing, "prints the switches", Set(|i, _| i.action = FioAction::Help);
    "cmdhelp" 'c', MayBe, "explains an option, or all",
        Set(|i, v| i.action = FioAction::CommandHelp(v.to_owned()));
    "showcmd" 's', Nothing, "prints job files as command lines",
        Set(|i, _| i.action = FioAction::ShowCommand);
    "parse-only" 'P', Nothing, "reads jobs and runs nothing", Set(|i, _| {
        if i.action == FioAction::Run {
            i.action = FioAction::ParseOnly;
        }
    });
    "readonly" 'r', Nothing, "refuses jobs that write", Set(|i, _| i.readonly = true);
    "eta" 'e', Value, "shows the status line: always, never or auto",
        Read("always, never or auto", |i, v| eta_mode(v).map(|mode| i.output.eta = mode));
    "eta-interval" 'O', Value, "time between two status lines",
        Read("a time of at least 250ms",
            |i, v| at_least(ETA_INTERVAL_MIN, v).map(|time| i.output.eta_interval = time));
    "eta-newline" 'E', Value, "no effect",
        Read(A_MILLISECOND, |i, v| {
            i.notes.push("--eta-newline has no effect: the status line is renewed in place".to_owned());
            at_least(Nanos::from_millis(1), v).map(drop)
        });
    "status-interval" 'L', Value, "prints full results that often",
        Read(A_MILLISECOND, |i, v| {
            i.output.status_interval = Some(at_least(Nanos::from_millis(1), v)?);
            Some(())
        });
    "debug" 'd', Value, "prints nothing more",
        Set(|i, v| i.notes.push(format!("--debug={v} has no effect")));
    "section" 'x', Value, "reads only this section of job files, and [global]",
        Read("the name of a job; [global] is always read", |_, v| (v != "global").then_some(()));
    "warnings-fatal" 'w', Nothing, "takes doubts for errors", Set(|i, _| i.warnings_fatal = true);
    "max-jobs" 'j', Value, "no effect", NoEffect("4096 jobs are the most");
    "alloc-size" 'a', Value, "no effect", NoEffect("memory is taken as it is needed");
    "aux-path" 'K', Value, "no effect", NoEffect("no state is kept beside results");
    "warnings", Nothing, "prints what is accepted without effect", Set(|i, _| i.warnings = true);
    "lenient", Nothing, "leaves out options that are not supported", Set(|i, _| i.lenient = true);
    "destroy", Value, "allows writing to the device with this serial number or path",
        Set(|i, v| i.destroy.push(v.to_owned()));
    "latency-log" 'l', Value, "logs latencies",
        Refused("fio has it no longer either; use write_lat_log in the job");
    "bandwidth-log" 'b', Nothing, "logs the bandwidth of all jobs together",
        Refused("write_bw_log in the job logs that of each");
    "enghelp" 'i', MayBe, "explains an engine", Refused("use --cmdhelp=OPTION");
    "profile" 'p', Value, "runs a built-in method", Refused("sokudo has its own: sokudo mark");
    "inflate-log" 'X', Value, "unpacks a log", Refused("logs are never compressed");
    "server" 'S', MayBe, "waits for clients", Refused("sokudo has no fio server");
    "daemonize" 'D', Value, "runs a server in the background", Refused("sokudo has no fio server");
    "client" 'C', Value, "runs on a server",
        Refused("sokudo does not speak fio's protocol; run it there by ssh");
    "remote-config" 'R', Value, "runs a server's job file",
        Refused("sokudo does not speak fio's protocol");
    "cpuclock-test" 'T', Nothing, "tests the clock", Refused("sokudo checks its clock itself");
    "crctest" 'G', MayBe, "measures checksums", Refused("sokudo measures disks");
    "memcpytest" 'M', MayBe, "measures memory", Refused("sokudo measures disks");
    "idle-prof" 'I', Value, "measures idle processors",
        Refused("sokudo has no idle threads; see the processor columns of its own report");
    "trigger-file" 'W', Value, "runs a command when a file appears",
        Refused("sokudo runs no commands");
    "trigger-timeout" 'B', Value, "runs a command after a time", Refused("sokudo runs no commands");
    "trigger" 'H', Value, "the command", Refused("sokudo runs no commands");
    "trigger-remote" 'J', Value, "the command on a server", Refused("sokudo runs no commands");
    "merge-blktrace-only" 'A', Nothing, "merges logs", Refused("sokudo replays no logs");
};

const A_MILLISECOND: &str = "a time of at least 1ms, such as 10 or 500ms";

fn at_least(least: Nanos, text: &str) -> Option<Nanos> {
    time(text, SECOND_NS).filter(|time| *time >= least)
}

fn eta_mode(text: &str) -> Option<EtaMode> {
    Some(match text {
        "always" => EtaMode::Always,
        "never" => EtaMode::Never,
        "auto" => EtaMode::Auto,
        _ => return None,
    })
}

fn formats(text: &str) -> Option<Vec<FioFormat>> {
    let mut found = Vec::new();
    for word in text.split(',') {
        let format = match word {
            "normal" => FioFormat::Normal,
            "terse" | "minimal" | "csv" => FioFormat::Terse,
            "json" => FioFormat::Json,
            "json+" => FioFormat::JsonPlus,
            _ => return None,
        };
        if !found.contains(&format) {
            found.push(format);
        }
    }
    Some(found)
}
