//! Text to [`Plan`](sokudo_model::Plan), and back: other people's languages for
//! disk measurements.
//!
//! - [`fio`] reads and prints fio job files.
//! - [`diskspd`] reads and prints command lines of diskspd, and reads its profiles.
//! - [`crystal`] knows CrystalDiskMark's profiles and rows.
//! - [`hdparm`] knows hdparm's two timings.
//! - [`quick`] knows the quick look: hdparm's timings, and dd.
//! - [`sweep`] knows the sweeps of ATTO and MiniTool: block sizes against depths or threads.
//! - [`steady`] knows the SNIA's Performance Test Specification: rounds until a drive is steady.
//! - [`surface`] knows the scans of GNOME Disks and HD Tune.
//! - [`fit`] knows what programs ask of a disk, and who says so.
//! - [`matrix`] knows what a matrix of file systems and arrays varies.
//! - [`fill`] knows how a drive is written from one end to the other.
//! - [`burn_in`] knows how disks are written, read back and scanned before they are trusted.
//! - [`explain`] knows the probes that show what a device is.
//!
//! Nothing here touches the system: no file is opened, no device is looked at,
//! no clock is read. Whether a plan can run on a target is decided elsewhere.

#![allow(
    missing_docs,
    reason = "it is for sokudo alone, and names that say enough need no words"
)]
#![cfg_attr(
    test,
    allow(clippy::cast_possible_truncation, reason = "test values are small")
)]

pub mod bonnie;
pub mod burn_in;
pub mod crystal;
pub mod diskspd;
pub mod explain;
pub mod fill;
pub mod fio;
pub mod fit;
pub mod hdparm;
pub mod host;
pub mod matrix;
pub mod quick;
pub mod several;
pub mod steady;
pub mod surface;
pub mod sweep;
