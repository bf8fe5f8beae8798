//! fio's own switches: what a command line says that is no option of a job.

use sokudo_model::Nanos;
use sokudo_model::fio::{EtaMode, FioFormat};

use super::failure::FioProblem;
use super::invocation::{FioAction, FioInvocation};
use super::numbers::{Expected, time};

/// fio's shortest interval of the status line (DISK_UTIL_MSEC).
const ETA_INTERVAL_MIN: Nanos = Nanos::from_millis(250);
const SECOND_NS: u64 = 1_000_000_000;

/// A switch of fio's command line.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// Its name, without dashes.
    pub name: &'static str,
    /// The letter that fio takes for it, if it does.
    pub letter: Option<char>,
    pub meaning: &'static str,
    /// Why it is refused, if it is.
    pub refused: Option<&'static str>,
    pub(super) takes: Takes,
    effect: Effect,
}

/// Whether a switch takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    Value,
    /// Only behind `=`.
    MayBe,
}

type Effect = fn(&mut FioInvocation, &str) -> Result<(), Expected>;

/// Every switch there is.
pub fn switches() -> &'static [Switch] {
    &SWITCHES
}

impl Switch {
    /// Does what it says.
    pub(super) fn apply(
        &self,
        invocation: &mut FioInvocation,
        value: Option<&str>,
    ) -> Result<(), FioProblem> {
        if let Some(reason) = self.refused {
            let option = self.name.to_owned();
            return Err(FioProblem::UnsupportedSwitch { option, reason });
        }
        let text = value.unwrap_or_default();
        (self.effect)(invocation, text).map_err(|expected| {
            let (option, expected) = (format!("--{}", self.name), expected.into_owned());
            let value = text.to_owned();
            FioProblem::BadValue {
                option,
                value,
                expected,
            }
        })
    }
}

const fn switch(
    name: &'static str,
    letter: char,
    takes: Takes,
    meaning: &'static str,
    effect: Effect,
) -> Switch {
    Switch {
        name,
        letter: Some(letter),
        meaning,
        refused: None,
        takes,
        effect,
    }
}

const fn ours(name: &'static str, takes: Takes, meaning: &'static str, effect: Effect) -> Switch {
    Switch {
        letter: None,
        ..switch(name, ' ', takes, meaning, effect)
    }
}

const fn refused(
    name: &'static str,
    letter: char,
    takes: Takes,
    meaning: &'static str,
    reason: &'static str,
) -> Switch {
    Switch {
        refused: Some(reason),
        ..switch(name, letter, takes, meaning, |_, _| Ok(()))
    }
}

static SWITCHES: [Switch; 42] = [
    switch(
        "output",
        'o',
        Takes::Value,
        "writes results to this file",
        |i, v| {
            i.output.file = Some(v.to_owned());
            Ok(())
        },
    ),
    switch(
        "bandwidth-log",
        'b',
        Takes::Nothing,
        "logs the bandwidth of all jobs together",
        |i, _| {
            i.output.bandwidth_log = true;
            Ok(())
        },
    ),
    switch(
        "minimal",
        'm',
        Takes::Nothing,
        "prints terse output",
        |i, _| {
            i.output.formats = vec![FioFormat::Terse];
            Ok(())
        },
    ),
    switch(
        "output-format",
        'F',
        Takes::Value,
        "prints these: normal, terse, json, json+",
        |i, v| {
            i.output.formats = formats(v)?;
            Ok(())
        },
    ),
    switch(
        "append-terse",
        'f',
        Takes::MayBe,
        "prints terse output as well",
        |i, _| {
            if !i.output.formats.contains(&FioFormat::Terse) {
                i.output.formats.push(FioFormat::Terse);
            }
            Ok(())
        },
    ),
    switch(
        "terse-version",
        'V',
        Takes::Value,
        "2, 3, 4 or 5",
        |i, v| {
            let version = v.parse().ok().filter(|version| (2..=5).contains(version));
            i.output.terse_version = version.ok_or("2, 3, 4 or 5")?;
            Ok(())
        },
    ),
    switch(
        "version",
        'v',
        Takes::Nothing,
        "prints the version",
        |i, _| {
            i.action = FioAction::Version;
            Ok(())
        },
    ),
    switch(
        "help",
        'h',
        Takes::Nothing,
        "prints the switches",
        |i, _| {
            i.action = FioAction::Help;
            Ok(())
        },
    ),
    switch(
        "cmdhelp",
        'c',
        Takes::MayBe,
        "explains an option, or all",
        |i, v| {
            i.action = FioAction::CommandHelp(v.to_owned());
            Ok(())
        },
    ),
    switch(
        "showcmd",
        's',
        Takes::Nothing,
        "prints job files as command lines",
        |i, _| {
            i.action = FioAction::ShowCommand;
            Ok(())
        },
    ),
    switch(
        "parse-only",
        'P',
        Takes::Nothing,
        "reads jobs and runs nothing",
        |i, _| {
            if i.action == FioAction::Run {
                i.action = FioAction::ParseOnly;
            }
            Ok(())
        },
    ),
    switch(
        "readonly",
        'r',
        Takes::Nothing,
        "refuses jobs that write",
        |i, _| {
            i.readonly = true;
            Ok(())
        },
    ),
    switch(
        "eta",
        'e',
        Takes::Value,
        "shows the status line: always, never or auto",
        |i, v| {
            i.output.eta = match v {
                "always" => EtaMode::Always,
                "never" => EtaMode::Never,
                "auto" => EtaMode::Auto,
                _ => return Err("always, never or auto".into()),
            };
            Ok(())
        },
    ),
    switch(
        "eta-interval",
        'O',
        Takes::Value,
        "time between two status lines",
        |i, v| {
            let interval = time(v, SECOND_NS).filter(|time| *time >= ETA_INTERVAL_MIN);
            i.output.eta_interval = interval.ok_or("a time of at least 250ms")?;
            Ok(())
        },
    ),
    switch(
        "eta-newline",
        'E',
        Takes::Value,
        "keeps a status line that often",
        |i, v| {
            i.output.eta_newline = Some(a_millisecond(v)?);
            Ok(())
        },
    ),
    switch(
        "status-interval",
        'L',
        Takes::Value,
        "prints full results that often",
        |i, v| {
            i.output.status_interval = Some(a_millisecond(v)?);
            Ok(())
        },
    ),
    switch("debug", 'd', Takes::Value, "prints nothing more", |i, v| {
        i.notes.push(format!("--debug={v} has no effect"));
        Ok(())
    }),
    switch(
        "section",
        'x',
        Takes::Value,
        "reads only this section of job files, and [global]",
        |_, v| match v {
            "global" => Err("the name of a job; [global] is always read".into()),
            _ => Ok(()),
        },
    ),
    switch(
        "warnings-fatal",
        'w',
        Takes::Nothing,
        "takes doubts for errors",
        |i, _| {
            i.warnings_fatal = true;
            Ok(())
        },
    ),
    switch("max-jobs", 'j', Takes::Value, "no effect", |i, _| {
        i.notes
            .push("--max-jobs has no effect: 4096 jobs are the most".to_owned());
        Ok(())
    }),
    switch("alloc-size", 'a', Takes::Value, "no effect", |i, _| {
        i.notes
            .push("--alloc-size has no effect: memory is taken as it is needed".to_owned());
        Ok(())
    }),
    switch("aux-path", 'K', Takes::Value, "no effect", |i, _| {
        i.notes
            .push("--aux-path has no effect: no state is kept beside results".to_owned());
        Ok(())
    }),
    ours(
        "warnings",
        Takes::Nothing,
        "prints what is accepted without effect",
        |i, _| {
            i.warnings = true;
            Ok(())
        },
    ),
    ours(
        "lenient",
        Takes::Nothing,
        "leaves out options that are not supported",
        |i, _| {
            i.lenient = true;
            Ok(())
        },
    ),
    ours(
        "destroy",
        Takes::Value,
        "allows writing to the device with this serial number or path",
        |i, v| {
            i.destroy.push(v.to_owned());
            Ok(())
        },
    ),
    refused(
        "latency-log",
        'l',
        Takes::Value,
        "logs latencies",
        "fio has it no longer either; use write_lat_log in the job",
    ),
    refused(
        "enghelp",
        'i',
        Takes::MayBe,
        "explains an engine",
        "use --cmdhelp=OPTION",
    ),
    refused(
        "profile",
        'p',
        Takes::Value,
        "runs a built-in method",
        "sokudo has its own: sokudo mark",
    ),
    refused(
        "inflate-log",
        'X',
        Takes::Value,
        "unpacks a log",
        "logs are never compressed",
    ),
    refused(
        "server",
        'S',
        Takes::MayBe,
        "waits for clients",
        "sokudo has no fio server",
    ),
    refused(
        "daemonize",
        'D',
        Takes::Value,
        "runs a server in the background",
        "sokudo has no fio server",
    ),
    refused(
        "client",
        'C',
        Takes::Value,
        "runs on a server",
        "sokudo does not speak fio's protocol; run it there by ssh",
    ),
    refused(
        "remote-config",
        'R',
        Takes::Value,
        "runs a server's job file",
        "sokudo does not speak fio's protocol",
    ),
    refused(
        "cpuclock-test",
        'T',
        Takes::Nothing,
        "tests the clock",
        "sokudo checks its clock itself",
    ),
    refused(
        "crctest",
        'G',
        Takes::MayBe,
        "measures checksums",
        "sokudo measures disks",
    ),
    refused(
        "memcpytest",
        'M',
        Takes::MayBe,
        "measures memory",
        "sokudo measures disks",
    ),
    refused(
        "idle-prof",
        'I',
        Takes::Value,
        "measures idle processors",
        "sokudo has no idle threads; see the processor columns of its own report",
    ),
    refused(
        "trigger-file",
        'W',
        Takes::Value,
        "runs a command when a file appears",
        "sokudo runs no commands",
    ),
    refused(
        "trigger-timeout",
        'B',
        Takes::Value,
        "runs a command after a time",
        "sokudo runs no commands",
    ),
    refused(
        "trigger",
        'H',
        Takes::Value,
        "the command",
        "sokudo runs no commands",
    ),
    refused(
        "trigger-remote",
        'J',
        Takes::Value,
        "the command on a server",
        "sokudo runs no commands",
    ),
    refused(
        "merge-blktrace-only",
        'A',
        Takes::Nothing,
        "merges logs",
        "sokudo replays no logs",
    ),
];

fn formats(text: &str) -> Result<Vec<FioFormat>, Expected> {
    let mut found = Vec::new();
    for word in text.split(',') {
        let format = match word {
            "normal" => FioFormat::Normal,
            "terse" | "minimal" | "csv" => FioFormat::Terse,
            "json" => FioFormat::Json,
            "json+" => FioFormat::JsonPlus,
            _ => return Err("a list of normal, terse, json, json+".into()),
        };
        if !found.contains(&format) {
            found.push(format);
        }
    }
    Ok(found)
}

fn a_millisecond(text: &str) -> Result<Nanos, Expected> {
    time(text, SECOND_NS)
        .filter(|time| *time >= Nanos::from_millis(1))
        .ok_or_else(|| "a time of at least 1ms, such as 10 or 500ms".into())
}
