//! Text to [`Plan`](sokudo_model::Plan), and back: other people's languages for
//! disk measurements.
//!
//! - [`fio`] reads and prints fio job files.
//! - [`diskspd`] reads and prints command lines of diskspd, and reads its profiles.
//! - [`crystal`] knows CrystalDiskMark's profiles and rows.
//! - [`hdparm`] knows hdparm's two timings.
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

pub mod crystal;
pub mod diskspd;
pub mod fio;
pub mod hdparm;
pub mod host;
