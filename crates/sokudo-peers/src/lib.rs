//! Many processes that measure as one: started by an MPI launcher, they agree, share one clock,
//! hand their results to the first of them, and learn within seconds when one of them is lost.
//!
//! A [`Peers`] owns a thread that alone calls the transport, MPI or, in tests, queues within this
//! process. It sleeps between its looks, so that it costs next to nothing while I/O is measured.
//! All messages go to the first process or come from it.
//!
//! It refuses to know what is measured: it carries bytes.

mod beats;
mod clock;
mod error;
#[cfg(test)]
mod faults;
mod frame;
mod host;
mod launch;
mod limits;
mod mail;
mod message;
mod over_mpi;
mod peers;
mod pings;
mod round;
mod session;
mod status_board;
mod transport;
#[cfg(test)]
mod within;

pub use clock::{ClockReading, Start};
pub use error::{LossCause, Notice, PeerError};
pub use host::PeerHost;
pub use launch::{Launch, MpiKind, launch};
pub use limits::{MESSAGE_BYTES_MAX, STATUS_BYTES_MAX, Timeouts};
pub use peers::{Peers, Stopper};
