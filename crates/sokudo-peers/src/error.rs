//! What goes wrong among peers, and what they tell while nobody waits.

use std::time::Duration;

use sokudo_sys::MpiError;
use sokudo_words::Text;

/// Why a process is lost.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
pub enum LossCause {
    #[error("it has sent no sign of life for {:.0} s", .0.as_secs_f64())]
    Silent(Duration),
    /// MPI reported an error, in its own words.
    #[error("no message reaches it or comes from it ({0})")]
    Unreachable(String),
    #[error("it ended before the others")]
    Gone,
    #[error("what it sent is no message of sokudo's")]
    Garbled,
    #[error("it does something other than the others; this is a bug in sokudo")]
    OutOfStep,
}

/// What the background thread tells, also while nobody waits in a call. Each comes once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Somebody has asked all to stop.
    Stop,
    Lost {
        rank: u32,
        host: String,
        cause: LossCause,
    },
}

/// Why peers are not together, or no longer.
#[derive(Debug, sokudo_words::Error)]
pub enum PeerError {
    #[error(
        "{launcher} has started this process, and its MPI library ({name}) is not found; install it on every host ({packages}), or name it: SOKUDO_MPI=PATH"
    )]
    NoLibrary {
        launcher: Text,
        name: String,
        /// Of Debian and others.
        packages: String,
    },
    #[error(
        "{launcher} has started {launched} processes, of which this is rank {rank}, and {library} sees {size}: it is not the MPI of that launcher; name the right library: SOKUDO_MPI=PATH"
    )]
    WrongWorld {
        launcher: Text,
        launched: u32,
        rank: u32,
        /// As it calls itself.
        library: String,
        size: u32,
    },
    #[error(transparent)]
    #[fault(system)]
    Mpi(#[from] MpiError),
    /// In the words of the transport.
    #[error("the processes have not left in order: {0}")]
    End(Text),
    #[error(
        "{host} (rank {rank}) has sokudo {theirs}, and rank 0 has sokudo {firsts}; install the same version on every host"
    )]
    OtherVersion {
        rank: u32,
        host: String,
        theirs: String,
        firsts: String,
    },
    #[error(
        "rank {rank} did not start within {} s; check that its host can be reached and runs sokudo",
        within.as_secs()
    )]
    NotCome { rank: u32, within: Duration },
    #[error("rank {rank} on {host} is lost: {cause}; check that host, and start again")]
    Lost {
        rank: u32,
        host: String,
        cause: LossCause,
    },
    #[error("somebody has asked all processes to stop")]
    #[fault(interrupted)]
    Stopped,
    #[error("a message of {bytes} bytes is too large for other processes; at most {most} are sent")]
    TooLarge { bytes: usize, most: usize },
    #[error("the processes have not left together within {} s; the launcher ends what is left", .0.as_secs())]
    NotLeft(Duration),
    #[error(
        "the thread that communicates with the other processes has ended; this is a bug in sokudo"
    )]
    Ended,
    #[error("the thread that communicates with other processes cannot be started: {0}")]
    Thread(std::io::Error),
}
