//! Jobs of other tools' languages: their files and devices made ready, their stages
//! run, their evidence taken, their rows judged. What they are called on the command
//! line and how they are printed is the doors' concern.

pub(crate) mod carry_out;
pub(crate) mod consent;
pub(crate) mod disks;
pub(crate) mod place;
pub(crate) mod stages;
pub(crate) mod storage;
pub(crate) mod this_host;
pub(crate) mod verdicts;
