//! `sokudo together`: one of several processes that an MPI launcher has started, on one or many
//! hosts, and that measure as one. All of them go the same way; only the first prints and keeps.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use sokudo_engine::Control;
use sokudo_measure::{MeasureError, Sharing, Together, have_files_guarded};
use sokudo_methods::peer_group::PeerGroup;
use sokudo_methods::peer_group::arguments::TogetherArguments;
use sokudo_methods::stored_command::StoredCommand;
use sokudo_peers::{Launch, Notice, PeerError, Peers, Stopper};
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::{event_stream, interrupt, print};
use sokudo_words::text;

/// How long the first one may take to say who was lost, and what was measured before.
const FIRST_SPEAKS: Duration = Duration::from_secs(10);

/// How long a launcher may take to pass on what was said.
const PASSED_ON: Duration = Duration::from_millis(500);

/// Whoever waits for longer is told for whom; launchers on large clusters take their time.
const SILENT_JOINING: Duration = Duration::from_secs(10);

/// How soon all others hear of Ctrl-C on one host.
const STOP_LOOK: Duration = Duration::from_millis(20);

pub(crate) fn run(arguments: &TogetherArguments) -> Result<(), Exit> {
    let Some(launch) = sokudo_peers::launch() else {
        return Err(Exit::usage(text!(
            "no MPI launcher has started this sokudo; start it on all hosts, such as with mpirun -n 4 --hostfile hosts sokudo together -- mark DIR"
        )));
    };
    launch.prepare();
    let rank = launch.rank;
    let ended = begin(arguments, &launch);
    ended.map_err(|exit| match rank {
        0 => of_first(exit),
        1 if is_first_lost(&exit) => of_first(exit),
        _ => of_other(exit),
    })
}

/// How the first process ends. Where not all leave in order, the launcher ends all as soon as one
/// has ended, and some pass on nothing then that was said just before.
fn of_first(exit: Exit) -> Exit {
    if !is_disorderly(&exit) {
        return exit;
    }
    exit.tell();
    thread::sleep(PASSED_ON);
    Exit::AsReported(exit.code())
}

/// The second one speaks then.
fn is_first_lost(exit: &Exit) -> bool {
    let error = measure_error(exit);
    matches!(
        error,
        Some(MeasureError::Peers(PeerError::Lost { rank: 0, .. }))
    )
}

fn measure_error(exit: &Exit) -> Option<&MeasureError> {
    match exit {
        Exit::Failed(error) | Exit::InterruptedEarly(error) => error.downcast_ref(),
        _ => None,
    }
}

/// Whether processes are lost, or have never come together.
fn is_disorderly(exit: &Exit) -> bool {
    let error = measure_error(exit);
    matches!(
        error,
        Some(MeasureError::Peers(
            PeerError::Lost { .. } | PeerError::OtherVersion { .. }
        ))
    )
}

fn begin(arguments: &TogetherArguments, launch: &Launch) -> Result<(), Exit> {
    // Where the words are wrong, they are so everywhere, and nobody waits for anybody.
    let mut repeat = StoredCommand::of_several(arguments.command.clone())?;
    repeat.printing_mut().asking.quiet |= launch.rank > 0;
    if launch.rank > 0 {
        event_stream::leave_to_another();
    }
    let control = Control::new();
    let peers = joined(launch, &control)?;
    interrupt::watch(&control)?;
    pass_on(&control, peers.stopper())?;
    let together = Together::new(peers, sharing(arguments), options(arguments));
    let leaving = together.leaving();
    if let Err(error) = have_files_guarded(&together.processes_here()) {
        exit::note(text!(
            "a killed process may leave its test file behind: {error}"
        ));
    }
    let mut peers = PeerGroup::new(together, arguments, repeat.printing_mut());
    let finished = match launch.rank {
        0 => check_results(&mut repeat, arguments)
            .and_then(|()| event_stream::open(repeat.printing_mut()))
            .and_then(|()| repeat.measure_in(&mut peers, &control)),
        _ => repeat.measure_in(&mut peers, &control),
    };
    peers.part(finished.is_err());
    let concluded = finished.and_then(|finished| {
        if launch.rank > 0 {
            return finished.ended_by.map_or(Ok(()), Err);
        }
        finished.conclude(repeat.printing_mut())
    });
    // After Ctrl-C the launcher ends whoever is still there.
    if !control.is_cancelled() {
        leaving.wait();
    }
    concluded
}

const fn sharing(arguments: &TogetherArguments) -> Sharing {
    match (arguments.shared_file, arguments.read_back_shifted) {
        (true, _) => Sharing::Parts,
        (_, true) => Sharing::Shifted,
        _ => Sharing::Own,
    }
}

/// What all must have been told alike, whatever they are to do.
fn options(arguments: &TogetherArguments) -> Vec<String> {
    let options = [
        (arguments.separate, "--separate"),
        (arguments.shared_file, "--shared-file"),
        (arguments.read_back_shifted, "--read-back-shifted"),
        (arguments.results_here, "--results-here"),
        (arguments.dry_run, "--dry-run"),
    ];
    let given = options.into_iter().filter(|(is_given, _)| *is_given);
    given.map(|(_, option)| option.to_owned()).collect()
}

fn joined(launch: &Launch, control: &Control) -> Result<Peers, Exit> {
    let control = control.clone();
    // Whatever it is, nobody measures on: who waits in a call is told there why.
    let watch = move |_: Notice| control.cancel();
    let _reminder = (launch.rank == 0).then(|| tell_if_none_comes(launch.count));
    Peers::join(launch, watch).map_err(|error| Exit::from(MeasureError::Peers(error)))
}

/// Says what is waited for, unless what is returned is dropped before.
fn tell_if_none_comes(count: u32) -> Sender<()> {
    let (joined, joining) = channel();
    let tell = move || {
        if joining.recv_timeout(SILENT_JOINING) == Err(RecvTimeoutError::Timeout) {
            exit::note(text!(
                "some of the {count} processes have not started after {} s; one that does not run sokudo together, or cannot reach the others, never will",
                SILENT_JOINING.as_secs()
            ));
        }
    };
    // Without the thread nothing is said.
    let _ = thread::Builder::new()
        .name("sokudo-wait".to_owned())
        .spawn(tell);
    joined
}

/// Has all others stop where this process is interrupted.
fn pass_on(control: &Control, stopper: Stopper) -> Result<(), Exit> {
    let control = control.clone();
    let wait = move || {
        while !control.is_cancelled() {
            thread::sleep(STOP_LOOK);
        }
        stopper.stop();
    };
    let waiting = thread::Builder::new()
        .name("sokudo-stop".to_owned())
        .spawn(wait);
    waiting.map(drop).map_err(Exit::failed)
}

/// Results would be traffic on what is measured.
fn check_results(repeat: &mut StoredCommand, arguments: &TogetherArguments) -> Result<(), Exit> {
    if arguments.results_here {
        return Ok(());
    }
    let targets = repeat.target_paths();
    let printing = repeat.printing_mut();
    let mut targets = targets.iter();
    match targets.find_map(|target| print::destination_on(target, printing)) {
        Some(path) => Err(Exit::refused(text!(
            "{} is on the storage that is measured, and results would be written there; name another place (--store, -o), keep nothing (--no-store), or allow it (--results-here)",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// How a process ends that is not the first: what all of them met has been said by that one. A
/// launcher ends with the code of whoever ends first, and ends all others then.
fn of_other(exit: Exit) -> Exit {
    if is_disorderly(&exit) {
        thread::sleep(FIRST_SPEAKS);
    }
    let is_own = matches!(exit, Exit::Failed(_) | Exit::InterruptedEarly(_));
    if !is_own || measure_error(&exit).is_some_and(MeasureError::is_of_all_processes) {
        return Exit::AsReported(0);
    }
    let host = rustix::system::uname();
    let host = host.nodename().to_string_lossy().into_owned();
    if let Some(message) = exit.in_each_language() {
        exit::note(text!("{host}: {message}"));
    }
    Exit::AsReported(exit.code())
}
