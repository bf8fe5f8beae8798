//! The commands that measure. Each has a file and a folder: what may be asked for (`arguments`),
//! what is planned, and how it is carried out where that is more than all trials in turn.
//! [`commands`] lists those that measure by themselves; [`matrix`] has them carried out on many
//! volumes.

#![cfg_attr(test, allow(clippy::cast_possible_truncation))]

pub mod argument_checks;
pub mod arguments;
pub mod bonnie;
pub mod burn_in;
pub mod checkup;
#[cfg(test)]
mod codes;
pub mod commands;
pub mod consent;
pub mod declared;
#[cfg(test)]
mod documents;
pub mod explain;
pub mod fill;
pub mod fit;
pub mod jobs;
pub mod load;
pub mod mark;
pub mod matrix;
pub mod measurement;
pub mod measuring;
pub mod peak;
pub mod peer_group;
pub mod quick;
pub mod requirement;
pub mod rows;
pub mod run;
pub mod scan;
pub mod several;
pub mod steady;
pub mod stored_command;
pub mod sweep;
