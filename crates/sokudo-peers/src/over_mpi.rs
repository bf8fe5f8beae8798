//! Frames as messages of MPI, by the library that fits the launcher.

use std::env;
use std::time::Duration;

use sokudo_sys::{Mpi, MpiError, MpiLibrary};
use sokudo_words::{Text, text};

use crate::error::PeerError;
use crate::frame::FRAME_BYTES_MAX;
use crate::launch::{Launch, MpiKind};
use crate::transport::{Transport, Unreachable};

/// The user's word for which library it is.
const VARIABLE: &str = "SOKUDO_MPI";

/// Where the library is: as Debian, Arch and most others have it, found by the system; and in
/// the folders of Fedora's and openSUSE's packages, which the system does not search.
const OPEN_MPI: [&str; 5] = [
    "libmpi.so.40",
    "/usr/lib64/openmpi/lib/libmpi.so.40",
    "/usr/lib64/mpi/gcc/openmpi5/lib64/libmpi.so.40",
    "/usr/lib64/mpi/gcc/openmpi4/lib64/libmpi.so.40",
    // 2.x.
    "libmpi.so.20",
];

/// `libmpi.so.12` is what MPICH itself, Intel MPI and MVAPICH call it.
const MPICH: [&str; 4] = [
    "libmpich.so.12",
    "libmpi.so.12",
    "/usr/lib64/mpich/lib/libmpi.so.12",
    "/usr/lib64/mpi/gcc/mpich/lib64/libmpi.so.12",
];

pub(crate) struct OverMpi(Mpi);

impl OverMpi {
    pub(crate) fn begin(launch: &Launch) -> Result<Self, PeerError> {
        let library = load(launch)?;
        let mut mpi = Mpi::begin(&library, FRAME_BYTES_MAX)?;
        if (mpi.rank(), mpi.size()) != (launch.rank, launch.count) {
            let wrong = PeerError::WrongWorld {
                launcher: Text::from(launch.launcher),
                launched: launch.count,
                rank: launch.rank,
                library: mpi.version().to_owned(),
                size: mpi.size(),
            };
            // Alone in its world it waits for nobody.
            if mpi.size() == 1 {
                let _ = mpi.end();
            }
            return Err(wrong);
        }
        Ok(Self(mpi))
    }
}

fn load(launch: &Launch) -> Result<MpiLibrary, PeerError> {
    if let Some(named) = env::var_os(VARIABLE).filter(|it| !it.is_empty()) {
        return Ok(MpiLibrary::load(named)?);
    }
    let (own, packages): (&[&str], _) = match launch.kind {
        MpiKind::OpenMpi => (
            &OPEN_MPI,
            ["libopenmpi3", "libopenmpi40", "openmpi"].as_slice(),
        ),
        MpiKind::Mpich => (&MPICH, ["libmpich12", "mpich"].as_slice()),
    };
    // What was started by another's launcher than MPI's own may be either.
    let other: &[&str] = match (launch.is_own_launcher, launch.kind) {
        (true, _) => &[],
        (false, MpiKind::OpenMpi) => &MPICH,
        (false, MpiKind::Mpich) => &OPEN_MPI,
    };
    let mut names = own.iter().chain(other);
    let found = names.find_map(|name| MpiLibrary::load(*name).ok());
    found.ok_or_else(|| PeerError::NoLibrary {
        launcher: Text::from(launch.launcher),
        name: own[0].to_owned(),
        packages: packages.join(", "),
    })
}

impl Transport for OverMpi {
    fn send(&mut self, to: u32, frame: Vec<u8>) -> Result<(), Unreachable> {
        let sent = self.0.send(to, frame);
        sent.map_err(|error| unreachable_rank(Some(to), &error))
    }

    fn receive(&mut self) -> Result<Option<(u32, Vec<u8>)>, Unreachable> {
        match self.0.receive() {
            Ok(message) => Ok(message.map(|message| (message.from, message.bytes))),
            Err(error @ MpiError::TooLong { from, .. }) => {
                Err(unreachable_rank(Some(from), &error))
            }
            Err(error) => Err(unreachable_rank(None, &error)),
        }
    }

    fn unsent(&mut self, to: u32) -> usize {
        // An error comes again with the next message to it.
        self.0.unsent(to).unwrap_or(0)
    }

    /// In MPI_Finalize MPICH 4.0.2 over UCX and TCP closes each connection with a question and an
    /// answer, and then waits deaf for all others. Whoever is answered by a process that is not
    /// there yet goes deaf before that one has asked: both wait for ever (two hosts, 3 of 4 runs).
    /// So nobody goes there while another still receives.
    fn linger(&self) -> Duration {
        Duration::from_millis(250)
    }

    fn leave(&mut self) -> Result<(), Text> {
        self.0.end().map_err(|error| text!("{error}"))
    }
}

fn unreachable_rank(rank: Option<u32>, error: &MpiError) -> Unreachable {
    Unreachable {
        rank,
        why: error.to_string(),
    }
}
