//! Commands that measure: each has arguments of its own, and shares the others. These are declared
//! once, and one order of headings holds for all.

pub mod axis;
pub mod destroying;
pub mod io;
pub mod precision;

use std::ops::Deref;

use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches, Id};
use sokudo_engine::Control;
use sokudo_measure::{Named, Permission};
use sokudo_model::{Nanos, Plan, Schedule, StopRule, Workload};
use sokudo_terminal::arguments::heading::{self, HOW, WRITTEN};
use sokudo_terminal::arguments::printing::Printing;
use sokudo_terminal::exit::Exit;
use sokudo_terminal::notify::Notifying;
use sokudo_words::{Text, text};

use crate::arguments::destroying::Destroying;
use crate::arguments::io::{Buffers, Issuing};

/// The arguments of a command that measures.
#[derive(Debug)]
pub struct MeasuringArguments<Own> {
    pub own: Own,
    pub shared: SharedArguments,
}

/// What a command takes that no other does; which of the shared arguments it has, and what it can.
pub trait OwnArguments: Args {
    const SHARED: &'static [SharedGroup];
    const CAN: &'static [Ability];
}

/// What can be done with a command beside carrying it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ability {
    /// A kept run of it is measured again, and the cells of a matrix are measured by it.
    Repeat,
    /// It measures a directory, such as where the volume of a matrix is mounted.
    Directory,
    /// How often it measures each row is known before, and `--runs` says it.
    Count,
    /// Its trials take turns with those of another.
    Alternate,
    /// Several processes carry it out as one.
    Together,
}

/// Shared arguments that not every command has. All have those of how the result is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedGroup {
    Overwrite,
    Destroy,
    Issue,
    Stop,
    Pages,
    Seed,
    Notify,
}

/// What commands that measure share, as given; as if nothing were given where a command has not
/// got it.
#[derive(Debug)]
pub struct SharedArguments {
    pub overwrite: bool,
    pub destroying: Destroying,
    issuing: Option<Issuing>,
    stop_when: Vec<StopRule>,
    buffers: Buffers,
    /// How long a request may take, where somebody has said so.
    pub timeout: Option<Nanos>,
    pub seed: Option<u64>,
    pub notifying: Notifying,
    pub printing: Printing,
}

#[derive(Default, Args)]
struct Overwriting {
    /// Overwrite the existing file TARGET; its contents are lost
    #[arg(long, help_heading = WRITTEN)]
    overwrite: bool,
}

/// What ends a run before its time.
#[derive(Default, Args)]
struct Stopping {
    /// End the run when this is met, such as 'rate<100MB/s' (repeatable)
    ///
    /// Figures are rate, iops and temperature (the hottest drive, in °C), each with < or > and a
    /// limit. "for TIME" sets how long it must hold without a break, in measured time. Rules are
    /// checked once a second. What was measured until then is kept and printed; the exit code is 5.
    #[arg(long, value_name = "RULE", help_heading = HOW)]
    stop_when: Vec<StopRule>,
}

/// How long requests are waited for.
#[derive(Args)]
struct Waiting {
    /// Report requests that have not come back after this time [default: 30s]
    ///
    /// The place and age of the request are shown while it hangs. When all requests of a row have
    /// hung for twice as long, the row fails and the others go on; a flush has 10 minutes. Requests
    /// of the engine psync, of small files and of a capacity check cannot be given up: sokudo waits.
    /// A scan that only reads gives up such a read only if this option is given: it lists the read
    /// and goes on, and what comes back later is listed as slow; when 32 reads hang at once, the
    /// scan ends. The drive has its own time limit, often 30 s for several attempts
    /// (/sys/block/*/device/timeout); use more to distinguish both.
    #[arg(long, value_name = "TIME", value_parser = timeout, help_heading = HOW)]
    timeout: Option<Nanos>,
}

fn timeout(text: &str) -> Result<Nanos, Text> {
    let is_long = |time: &Nanos| *time >= Nanos::from_secs(1);
    let time = text.parse().ok().filter(is_long);
    time.ok_or_else(|| text!("use a time of at least 1s, such as 30s"))
}

#[derive(Default, Args)]
struct Seed {
    /// Random seed; the same seed repeats the same offsets
    #[arg(long, value_name = "N", help_heading = HOW)]
    seed: Option<u64>,
}

impl SharedArguments {
    /// What may be written.
    pub fn permission(&self) -> Permission {
        let Destroying {
            destroy,
            destroy_contents,
        } = &self.destroying;
        Permission::new(self.overwrite, destroy, *destroy_contents)
    }

    /// Where chance starts from.
    pub fn seed_for(&self, named: &Named) -> u64 {
        self.seed.unwrap_or_else(|| named.default_seed())
    }

    /// Puts into a plan how I/O is issued, and what buffers lie in.
    pub fn set(&self, plan: &mut Plan) {
        if let Some(issuing) = self.issuing {
            issuing.set(plan);
        }
        self.buffers.set(plan);
    }

    /// Puts into a workload what buffers lie in.
    pub const fn set_buffers_of(&self, workload: &mut Workload) {
        self.buffers.set_of(workload);
    }

    /// What came of it; whoever wants the answer hears where it is none.
    pub fn notified<T>(&self, ended: Result<T, Exit>) -> Result<T, Exit> {
        match self.printing.dry_run {
            true => ended,
            false => self.notifying.tell_failure(ended),
        }
    }

    /// Sets how long a request may take before it is named.
    pub fn set_timeout(&self, control: &Control) {
        control.set_timeout(self.timeout);
    }

    /// A control that has not been used, with that time.
    pub fn control(&self) -> Control {
        let control = Control::new();
        self.set_timeout(&control);
        control
    }

    /// Whether it is left to sokudo how I/O is issued.
    pub fn has_default_io(&self) -> bool {
        self.issuing.is_none_or(Issuing::is_default)
    }

    /// The schedule, ended by the rules that were given.
    pub fn ending(&self, schedule: Schedule) -> Schedule {
        Schedule {
            stop_when: self.stop_when.clone(),
            ..schedule
        }
    }

    fn read(groups: &[SharedGroup], given: &ArgMatches) -> Result<Self, Error> {
        fn part<T: FromArgMatches + Default>(has: bool, given: &ArgMatches) -> Result<T, Error> {
            match has {
                true => T::from_arg_matches(given),
                false => Ok(T::default()),
            }
        }
        let has = |group| groups.contains(&group);
        let issuing = has(SharedGroup::Issue).then(|| Issuing::from_arg_matches(given));
        Ok(Self {
            overwrite: part::<Overwriting>(has(SharedGroup::Overwrite), given)?.overwrite,
            destroying: part(has(SharedGroup::Destroy), given)?,
            issuing: issuing.transpose()?,
            stop_when: part::<Stopping>(has(SharedGroup::Stop), given)?.stop_when,
            buffers: part(has(SharedGroup::Pages), given)?,
            timeout: Waiting::from_arg_matches(given)?.timeout,
            seed: part::<Seed>(has(SharedGroup::Seed), given)?.seed,
            notifying: part(has(SharedGroup::Notify), given)?,
            printing: Printing::from_arg_matches(given)?,
        })
    }

    /// A command that has nothing else.
    fn command(groups: &[SharedGroup]) -> Command {
        let add = |command, group: &SharedGroup| match group {
            SharedGroup::Overwrite => Overwriting::augment_args(command),
            SharedGroup::Destroy => Destroying::augment_args(command),
            SharedGroup::Issue => Issuing::augment_args(command),
            SharedGroup::Stop => Stopping::augment_args(command),
            SharedGroup::Pages => Buffers::augment_args(command),
            SharedGroup::Seed => Seed::augment_args(command),
            SharedGroup::Notify => Notifying::augment_args(command),
        };
        let command = groups.iter().fold(Command::new("shared"), add);
        Printing::augment_args(Waiting::augment_args(command))
    }
}

impl<Own: OwnArguments> MeasuringArguments<Own> {
    /// What can be done with the command.
    pub const CAN: &'static [Ability] = Own::CAN;
}

impl<Own: OwnArguments> Args for MeasuringArguments<Own> {
    /// Its own arguments come first below each heading, but for those of what is printed.
    fn augment_args(command: Command) -> Command {
        let shared = SharedArguments::command(Own::SHARED);
        let shared_ids: Vec<Id> = ids(&shared).cloned().collect();
        // A command may say of shared arguments what holds for it alone.
        let all = Own::augment_args(shared);
        let mut arguments: Vec<Arg> = all.get_arguments().cloned().collect();
        arguments.sort_by_key(|it| {
            let rank = heading::rank(it.get_help_heading());
            let index = shared_ids.iter().position(|id| id == it.get_id());
            let own = if rank == heading::PRINTED_RANK {
                usize::MAX
            } else {
                0
            };
            (rank, index.map_or(own, |index| index + 1))
        });
        let arguments = arguments.into_iter();
        let arguments = arguments.map(|it| it.display_order(None::<usize>));
        command.groups(all.get_groups().cloned()).args(arguments)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn ids(command: &Command) -> impl Iterator<Item = &Id> {
    command.get_arguments().map(Arg::get_id)
}

impl<Own: OwnArguments> FromArgMatches for MeasuringArguments<Own> {
    fn from_arg_matches(given: &ArgMatches) -> Result<Self, Error> {
        Ok(Self {
            own: Own::from_arg_matches(given)?,
            shared: SharedArguments::read(Own::SHARED, given)?,
        })
    }

    fn update_from_arg_matches(&mut self, given: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(given)?;
        Ok(())
    }
}

impl<Own> Deref for MeasuringArguments<Own> {
    type Target = Own;

    fn deref(&self) -> &Own {
        &self.own
    }
}
