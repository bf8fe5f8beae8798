//! A command line that has measured, to be carried out again: as it was, or on the same
//! device under another name.
//!
//! What destroys is never repeated unasked: leave to do so is given anew, or the command
//! is refused.

use std::path::PathBuf;

use clap::ArgMatches;
use clap::parser::ValueSource;
use sokudo_analysis::trials_needed;
use sokudo_engine::Control;
use sokudo_measure::Measurement;
use sokudo_model::{BackendKind, Enough, Workload, narrow};
use sokudo_report::RunDocument;
use sokudo_terminal::arguments::printing::{Asking, Printing};
use sokudo_terminal::event_stream::Estimate;
use sokudo_terminal::exit::Exit;
use sokudo_terminal::notify::Notifying;
use sokudo_terminal::{command_line, definition, output};
use sokudo_words::{Text, text};

use crate::arguments::destroying::Destroying;
use crate::arguments::{Ability, SharedGroup};
use crate::measurement::FinishedMeasurement;
use crate::measuring::{Leaves, Measuring, Planned};
use crate::peer_group::PeerGroup;
use crate::{commands, several};

/// A command that measures, understood.
pub struct StoredCommand {
    /// Its words, without the program's name.
    words: Vec<String>,
    command: Box<dyn Measuring>,
    /// What it measures, as it was named; `None` where that is in job files.
    target: Option<String>,
    /// Whether it says how often rows are measured.
    has_trials: bool,
    /// The rows whose choices are made again where this command leaves them.
    rows: Vec<(Workload, Option<BackendKind>)>,
    /// Trials of each row without which nothing can be judged.
    trials_before_time_max: u32,
}

/// What a command will measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedTrials {
    pub rows: usize,
    /// The fewest trials that a row gets.
    pub trials: usize,
    /// Whether somebody has said how many.
    pub is_requested: bool,
}

/// Leave to destroy, as somebody has given it now.
pub struct Leave<'a> {
    pub overwrite: bool,
    pub destroying: &'a Destroying,
}

impl StoredCommand {
    /// Reads the command line of a run.
    pub fn of_run(run: &RunDocument) -> Result<Self, Exit> {
        let words = command_line::words(&run.command).unwrap_or_default();
        let words = command_line::without_program(words);
        Self::of_words(words)
    }

    /// Reads the arguments of a command.
    pub fn of_words(words: Vec<String>) -> Result<Self, Exit> {
        let text = words_text(&words);
        let refused = |reason| Exit::usage(text!("{text} cannot be repeated: {reason}"));
        let (repeat, given) = Self::read(words, refused, unrepeatable)?;
        if !repeat.command.can(Ability::Repeat) {
            return Err(unrepeatable(&text));
        }
        if !definition::values_of(&given, "others").is_empty() {
            return Err(Exit::usage(text!(
                "{text} cannot be repeated: it is for several disks; measure one by a command of its own, and take that run"
            )));
        }
        Ok(repeat)
    }

    /// Reads the arguments of a command that several processes are to carry out together.
    pub fn of_several(words: Vec<String>) -> Result<Self, Exit> {
        let (repeat, given) = Self::read(words, Exit::usage, not_together)?;
        if !repeat.command.can(Ability::Together) {
            return Err(not_together(&words_text(&repeat.words)));
        }
        several::check_one(&definition::values_of(&given, "others"), "sokudo together")?;
        // Each process would see another rate, and has kept other runs.
        let mut for_one_alone = ["--resume", "--beside", "--stop-when"].into_iter();
        match for_one_alone.find(|it| is_given(&given, it)) {
            Some(option) => Err(Exit::usage(text!(
                "{option} is for one process alone, and several cannot agree on it; leave it out"
            ))),
            None => Ok(repeat),
        }
    }

    fn read(
        words: Vec<String>,
        mistaken: impl FnOnce(Text) -> Exit,
        no_command: impl FnOnce(&str) -> Exit,
    ) -> Result<(Self, ArgMatches), Exit> {
        let read = || {
            let given = definition::read_later(&words)?;
            let command = commands::given(&given)?;
            Ok((given, command))
        };
        let (given, command) = read().map_err(mistaken)?;
        let Some(command) = command else {
            return Err(no_command(&words_text(&words)));
        };
        let mut command = commands::of(command);
        // It may be a stranger's, and calls no program.
        command.shared_mut().notifying = Notifying::default();
        let repeat = Self {
            command,
            words,
            target: definition::values_of(&given, "target").pop(),
            has_trials: ["--runs", "--precision", "--quick"]
                .iter()
                .any(|it| is_given(&given, it)),
            rows: Vec::new(),
            trials_before_time_max: 0,
        };
        Ok((repeat, given))
    }

    /// Where it measures; nothing where job files cannot be read, which is told when they are.
    pub fn target_paths(&self) -> Vec<PathBuf> {
        match &self.target {
            Some(target) => vec![PathBuf::from(target)],
            None => match self.command.planned() {
                Ok(Planned::Jobs(jobs, _)) => jobs.paths(),
                _ => Vec::new(),
            },
        }
    }

    /// By the backends that a run has used, and with the lengths of its trials of reads, where these
    /// are left to the row: what is faster today is not to be taken for what has become faster. It
    /// has as many trials in any time as judge its rows, but no more than that run.
    pub fn with_choices_of(mut self, run: &RunDocument) -> Self {
        let chosen = run.results.iter().map(|result| {
            let kind = result.backend.as_ref().map(|used| used.kind);
            ((*result.workload).clone(), kind.filter(is_chosen_by_rate))
        });
        self.rows = chosen.collect();
        let most = run.results.iter().map(|row| row.trials.len()).max();
        let needed = trials_needed(run.results.len().max(1), false);
        self.in_any_time(needed.min(most.unwrap_or_default()))
    }

    /// With so many trials of each row before a limit of time ends the run: a disk that has become
    /// slower is to have enough of them, too.
    #[must_use]
    pub fn in_any_time(mut self, trials: usize) -> Self {
        self.trials_before_time_max = narrow(trials);
        self
    }

    fn choose_again(&self, measurement: &mut Measurement<'_>) {
        let schedule = &mut measurement.schedule;
        if schedule.time_max.is_some() {
            schedule.trials_before_time_max = self.trials_before_time_max;
        }
        if let Some(enough) = &mut schedule.enough {
            enough.trials_min = enough.trials_min.max(self.trials_before_time_max);
        }
        measurement.any_backend &= self.rows.is_empty();
        let stages = measurement.plan.stages.iter_mut();
        let workloads = stages.flat_map(|stage| &mut stage.workloads);
        for workload in workloads {
            let is_same = |(was, _): &&(Workload, _)| {
                was.name == workload.name && was.operations == workload.operations
            };
            let Some((was, used)) = self.rows.iter().find(is_same) else {
                continue;
            };
            if workload.backend == BackendKind::Auto {
                workload.backend = used.unwrap_or(BackendKind::Auto);
                workload.issuing.polled = was.issuing.polled;
            }
            // Writes begin with a trial that is as long as any, as they did then: it uses up the
            // memory of a drive, without which shorter ones would be faster.
            let is_read = !workload.operations.changes_data();
            if workload.limits.time_min.is_some() && is_read {
                workload.limits = was.limits;
            }
        }
    }

    pub fn target(&self) -> Option<&str> {
        self.target.as_deref()
    }

    /// How many rows it will measure, and how often; `None` where it decides that while it
    /// measures, or other files do.
    pub fn planned(&self) -> Result<Option<PlannedTrials>, Exit> {
        let Some(measurement) = self.measurement()? else {
            return Ok(None);
        };
        let stages = &measurement.plan.stages;
        let schedule = &measurement.schedule;
        let least = |enough: Enough| enough.trials_min.min(schedule.trials);
        let trials = schedule.enough.map_or(schedule.trials, least);
        Ok(Some(PlannedTrials {
            rows: stages.iter().map(|stage| stage.workloads.len()).sum(),
            trials: usize::try_from(trials).expect("a number of trials fits a usize"),
            is_requested: self.has_trials,
        }))
    }

    /// Where all that will be measured is known beforehand.
    fn measurement(&self) -> Result<Option<Measurement<'_>>, Exit> {
        if !self.command.can(Ability::Count) {
            return Ok(None);
        }
        Ok(match self.command.planned()? {
            Planned::Rows(measurement, _) => Some(measurement),
            Planned::Jobs(..) => None,
        })
    }

    /// How long it takes and what it writes; `None` as for [`Self::planned`].
    pub fn estimate(&self) -> Result<Option<Estimate>, Exit> {
        let measurement = self.measurement()?;
        Ok(measurement.as_ref().map(Estimate::of))
    }

    /// The same with so many trials of each row, no fewer.
    pub fn with_runs(mut self, trials: usize) -> Result<Self, Exit> {
        let runs = ["--runs", &trials.to_string(), "--precision", "0"].map(str::to_owned);
        self.words.extend(runs);
        Self::of_words(self.words)
    }

    /// The same on what is called so today.
    pub fn aimed_at(self, target: &str) -> Result<Self, Exit> {
        let Some(old) = self.target().map(str::to_owned) else {
            return Ok(self);
        };
        if old == target {
            return Ok(self);
        }
        // A value of an option may read like the target: what counts is what comes of it.
        let indices = (0..self.words.len()).filter(|index| self.words[*index] == old);
        let replaced = indices.map(|index| {
            let mut words = self.words.clone();
            target.clone_into(&mut words[index]);
            words
        });
        let mut appended = self.words.clone();
        appended.push(target.to_owned());
        let mut candidates = replaced.chain([appended]);
        let found = candidates.find_map(|words| {
            Self::of_words(words)
                .ok()
                .filter(|it| it.target() == Some(target))
        });
        found.ok_or_else(|| {
            Exit::usage(text!(
                "{} cannot be repeated on {target}; measure it with a new command, and compare both runs",
                words_text(&self.words)
            ))
        })
    }

    /// Takes the old leave to destroy away and puts the new one in its place.
    ///
    /// # Errors
    /// When the old command destroys and no new leave is given, or leave is given for
    /// nothing.
    pub fn ask_again(&mut self, leave: &Leave<'_>) -> Result<(), Exit> {
        let text = words_text(&self.words);
        let Leaves {
            overwrite,
            destroy,
            destroy_contents,
        } = self.command.leaves();
        if *overwrite != leave.overwrite {
            return Err(match *overwrite {
                true => Exit::refused(text!(
                    "the baseline's command overwrites the file ({text}); give --overwrite again if its contents may be lost"
                )),
                false => Exit::usage(text!(
                    "the baseline's command overwrites no file; leave --overwrite out"
                )),
            });
        }
        let destroys = !destroy.is_empty();
        if destroys == leave.destroying.destroy.is_empty() {
            return Err(match destroys {
                true => Exit::refused(text!(
                    "the baseline's command destroys the data on the device ({text}); name the device again with --destroy if they may be lost"
                )),
                false => Exit::usage(text!(
                    "the baseline's command destroys nothing; leave --destroy out"
                )),
            });
        }
        destroy.clone_from(&leave.destroying.destroy);
        if let Some(contents) = destroy_contents {
            *contents = leave.destroying.destroy_contents;
        }
        Ok(())
    }

    /// How its result is printed.
    pub fn printing_mut(&mut self) -> &mut Printing {
        &mut self.command.shared_mut().printing
    }

    /// Asks and carries it out, and prints nothing but its progress.
    pub fn measure(&self, control: &Control, asking: Asking) -> Result<FinishedMeasurement, Exit> {
        let choose_again = |measurement: &mut Measurement<'_>| self.choose_again(measurement);
        let mut finished = self.command.measure(&choose_again, control, asking)?;
        finished.document.command = self.command_line(finished.document.plan.seed);
        finished.run.command.clone_from(&finished.document.command);
        Ok(finished)
    }

    /// Says what it would measure and write, and how long that takes; does nothing.
    pub fn announce(&self) -> Result<(), Exit> {
        let choose_again = |measurement: &mut Measurement<'_>| self.choose_again(measurement);
        let mut lines = vec![Text::name(words_text(&self.words))];
        lines.extend(self.command.planned_again(&choose_again)?.lines(None)?);
        output::print_lines(&lines)
    }

    /// Carries it out as one of several processes.
    pub fn measure_in(
        &self,
        peers: &mut PeerGroup,
        control: &Control,
    ) -> Result<FinishedMeasurement, Exit> {
        self.command.measure_in(peers, control)
    }

    /// The command line that repeats it, with the seed that was used.
    fn command_line(&self, seed: u64) -> String {
        let text = words_text(&self.words);
        let is_drawn = self.command.shared().seed.is_none();
        match is_drawn && self.command.has(SharedGroup::Seed) {
            true => format!("{text} --seed {seed}"),
            false => text,
        }
    }
}

/// Whether it may have been taken because it was faster.
const fn is_chosen_by_rate(kind: &BackendKind) -> bool {
    use BackendKind::{IoUring, IoUringCmd, Libaio};
    matches!(kind, IoUring | IoUringCmd | Libaio)
}

/// Whether an option was given by who has typed the command.
fn is_given(given: &ArgMatches, option: &str) -> bool {
    let given = given.subcommand().map_or(given, |(_, given)| given);
    let argument = option.trim_start_matches('-').replace('-', "_");
    matches!(given.try_contains_id(&argument), Ok(true))
        && given.value_source(&argument) == Some(ValueSource::CommandLine)
}

fn words_text(words: &[String]) -> String {
    let harmless = |word: &String| command_line::quoted(&command_line::without_password(word));
    let words = words.iter().map(harmless);
    std::iter::once("sokudo".to_owned())
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}

fn not_together(text: &str) -> Exit {
    Exit::usage(text!(
        "{text} cannot be carried out by several processes together; use one of {}",
        commands::names(Ability::Together)
    ))
}

fn unrepeatable(text: &str) -> Exit {
    Exit::usage(text!(
        "{text} cannot be repeated; use one of {}",
        commands::names(Ability::Repeat)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Subcommand;
    use sokudo_model::{Limits, Nanos};

    fn command() -> clap::Command {
        let others = ["info", "list", "compare"].map(|name| {
            let runs = clap::Arg::new("runs").num_args(0..);
            clap::Command::new(name).arg(runs)
        });
        let all = clap::Command::new("sokudo").subcommands(others);
        commands::MeasuringCommand::augment_subcommands(all)
    }

    fn of_words(words: Vec<String>) -> Result<StoredCommand, Exit> {
        definition::hand_over(command);
        StoredCommand::of_words(words)
    }

    fn repeat(text: &str) -> StoredCommand {
        of_words(command_line::words(text).unwrap()).unwrap_or_else(|_| panic!("{text}"))
    }

    fn destroying(device: &str) -> Destroying {
        Destroying {
            destroy: match device {
                "" => Vec::new(),
                device => vec![device.to_owned()],
            },
            destroy_contents: false,
        }
    }

    fn refusal(text: &str, overwrite: bool, device: &str) -> Option<Exit> {
        let destroying = &destroying(device);
        let leave = Leave {
            overwrite,
            destroying,
        };
        repeat(text).ask_again(&leave).err()
    }

    #[test]
    fn every_command_that_measures_is_understood() {
        for text in [
            "mark .",
            "scan /dev/sdb --gnome",
            "sweep sim:ssd",
            "quick .",
            "explain sim:smr",
            "load .",
            "steady sim:ssd --test iops",
            "bonnie /mnt/a",
            "run a.fio",
        ] {
            assert!(repeat(text).command.can(Ability::Repeat), "{text}");
        }
        for text in [
            "",
            "info",
            "list",
            "compare a b",
            "mark --nonsense",
            "mark -h",
        ] {
            let words = command_line::words(text).unwrap();
            let refused = of_words(words);
            assert!(matches!(refused, Err(Exit::Usage(_))), "{text}");
        }
    }

    #[test]
    fn what_measures_a_directory_says_so() {
        // Planning makes nothing there.
        let folder = std::env::temp_dir();
        let all = crate::commands::descriptions();
        for it in all.filter(|it| it.can.contains(&Ability::Repeat)) {
            let text = format!("{} {}", it.name, folder.display());
            let planned = repeat(&text).command.planned().map(|_| ());
            let says_so = it.can.contains(&Ability::Directory);
            assert_eq!(planned.is_ok(), says_so, "{}: {planned:?}", it.name);
        }
    }

    #[test]
    fn the_line_that_is_kept_holds_no_password() {
        let given = "mark . --seed 1 --store postgresql://me:secret@host/runs";
        let line = repeat(given).command_line(1);
        assert_eq!(line, "sokudo mark . --seed 1 --store postgresql://...");
    }

    #[test]
    fn another_target_takes_the_place_of_the_old_one_alone() {
        for (text, old, line) in [
            (
                "mark /mnt/a -n 6",
                "/mnt/a",
                "sokudo mark '/mnt/b c' -n 6 --seed 7",
            ),
            ("mark --seed 3", ".", "sokudo mark --seed 3 '/mnt/b c'"),
            (
                "mark --output . -n 6 . --seed 1",
                ".",
                "sokudo mark --output . -n 6 '/mnt/b c' --seed 1",
            ),
            (
                "bonnie /mnt/a",
                "/mnt/a",
                "sokudo bonnie '/mnt/b c' --seed 7",
            ),
        ] {
            let repeat = repeat(text);
            assert_eq!(repeat.target(), Some(old), "{text}");
            let aimed = repeat.aimed_at("/mnt/b c");
            let aimed = aimed.unwrap_or_else(|_| panic!("{text}"));
            assert_eq!(aimed.target(), Some("/mnt/b c"), "{text}");
            assert_eq!(aimed.command_line(7), line, "{text}");
        }
        // Jobs have no seed.
        let jobs = repeat("run a.fio").aimed_at("/mnt/b");
        let line = jobs.map(|it| it.command_line(7)).ok();
        assert_eq!(line.as_deref(), Some("sokudo run a.fio"));
    }

    #[test]
    fn a_repeated_row_has_what_was_chosen_for_it() {
        let rows = "mark . --row RND4K,Q8,read --row RND4K,Q8,write --row RND4K,Q1,read";
        let was = StoredCommand {
            rows: measured_rows(rows),
            ..repeat(rows)
        };
        for (more, expected_ms) in [("", 7), (" -t 1s", 1000)] {
            let again = repeat(&format!("{rows}{more}"));
            let mut measurement = again.measurement().ok().flatten().unwrap();
            was.choose_again(&mut measurement);
            let stages = measurement.plan.stages.iter();
            let workloads: Vec<&Workload> = stages.map(|stage| &stage.workloads[0]).collect();
            let kinds = [BackendKind::Libaio, BackendKind::IoUring, BackendKind::Auto];
            let fixed: Vec<BackendKind> = workloads.iter().map(|it| it.backend).collect();
            assert_eq!(fixed, kinds);
            let expected = Some(Nanos::from_millis(expected_ms));
            let reads = |it: &&&Workload| !it.operations.changes_data();
            let mut read = workloads.iter().filter(reads);
            assert!(read.all(|it| it.limits.time == expected));
            // A row that writes is to use up a drive's memory as it did then.
            let requested = asked_rows(&again);
            let writes = |it: &&Workload| it.operations.changes_data();
            let requested_limits: Vec<Limits> = requested
                .iter()
                .filter(writes)
                .map(|it| it.limits)
                .collect();
            let written = workloads.iter().copied().filter(writes);
            assert_eq!(
                written.map(|it| it.limits).collect::<Vec<_>>(),
                requested_limits
            );
            assert_eq!(requested_limits.len(), 1);
        }
    }

    /// What the command itself asks for.
    fn asked_rows(repeat: &StoredCommand) -> Vec<Workload> {
        let plan = repeat
            .measurement()
            .ok()
            .flatten()
            .map(|it| it.plan)
            .unwrap();
        let stages = plan.stages.into_iter();
        stages.flat_map(|stage| stage.workloads).collect()
    }

    #[test]
    fn a_limit_of_time_leaves_the_trials_without_which_nothing_is_judged() {
        let limit = |repeat: StoredCommand| {
            let mut measurement = repeat.measurement().ok().flatten().unwrap();
            repeat.choose_again(&mut measurement);
            let schedule = measurement.schedule;
            assert!(schedule.time_max.is_some());
            let least = schedule.enough.unwrap().trials_min;
            (schedule.trials_before_time_max, least)
        };
        let rows = "mark sim:hdd --row RND4K,Q1,read";
        assert_eq!(limit(repeat(rows)), (0, Enough::TRIALS_MIN));
        assert_eq!(limit(repeat(rows).in_any_time(7)), (7, 7));
    }

    /// As a run tells them whose trials took 7 ms.
    fn measured_rows(text: &str) -> Vec<(Workload, Option<BackendKind>)> {
        let mut workloads = asked_rows(&repeat(text));
        for workload in &mut workloads {
            workload.limits = Limits::of_time(Nanos::from_millis(7));
        }
        let kinds = [Some(BackendKind::Libaio), Some(BackendKind::IoUring), None];
        workloads.into_iter().zip(kinds).collect()
    }

    #[test]
    fn leave_to_destroy_is_not_inherited() {
        let destroys = "mark /dev/sdb --destroy S1 --destroy-contents";
        let overwrites = "quick file --overwrite";
        for (text, overwrite, device, code) in [
            (destroys, false, "", 3),
            (destroys, false, "S1", 0),
            (overwrites, false, "", 3),
            (overwrites, true, "", 0),
            ("mark .", true, "", 2),
            ("mark .", false, "S1", 2),
            ("run a.fio --destroy S1", false, "", 3),
        ] {
            let is_expected = match refusal(text, overwrite, device) {
                None => code == 0,
                Some(Exit::Usage(_)) => code == 2,
                Some(Exit::Refused(_)) => code == 3,
                Some(_) => false,
            };
            assert!(is_expected, "{text} {overwrite} {device}");
        }
        let mut repeat = repeat(destroys);
        let destroying = &destroying("S2");
        let leave = Leave {
            overwrite: false,
            destroying,
        };
        assert!(repeat.ask_again(&leave).is_ok());
        let leaves = repeat.command.leaves();
        assert_eq!(*leaves.destroy, ["S2"]);
        assert_eq!(leaves.destroy_contents.copied(), Some(false));
    }
}
