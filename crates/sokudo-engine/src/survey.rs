//! Measures places of a target one by one, and goes on where something cannot be read.
//!
//! What is measured is the I/O at the places: the outcome is the sum over them, and the
//! time between them is nobody's. Reads on the way to a place, before writing back, and
//! those that find out where a failing range begins and ends are counted apart
//! (`read_aside`).
//!
//! A survey says what is done in which order; the worker does it. It refuses what cannot be
//! told apart per place: several threads, mixes, recordings.

mod beside;
mod bisect;
mod borders;
mod check;
mod checkpoint;
mod counts;
mod defects;
mod error_isolation;
mod hung;
mod io;
mod presence;
mod route;
mod samples;
mod sealed;
mod slowest;
mod surveying;

pub use check::SurveyError;
pub(crate) use check::check_survey;
pub(crate) use counts::Surveyed;
pub(crate) use io::{Instants, SurveyIo};
pub(crate) use sealed::{PreparedBlock, SealedIo};
pub(crate) use surveying::{SurveyStep, SurveyTarget, Surveying};
