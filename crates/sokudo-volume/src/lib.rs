//! Disks to arrays, file systems and mounts, and back: commands that can be read first, are
//! carried out, and undone.
//!
//! It asks nobody for consent and chooses no disk: a [`VolumeDisk`] is made of a device that
//! somebody holds open who has both. It measures nothing.

mod action;
mod arrays;
mod carry_out;
mod disk;
mod error;
mod file_systems;
mod free_of_paths;
mod in_force;
mod journal;
mod left_behind;
mod loop_disks;
mod making;
mod missing;
mod mount_namespace;
mod mount_point;
mod names;
mod pools;
mod prepare;
mod program;
mod shell;
mod steps;
mod trusted;
mod volume;

pub use action::{Action, CommandLine, Step};
pub use disk::VolumeDisk;
pub use error::VolumeError;
pub use free_of_paths::check_options;
pub use journal::Journal;
pub use left_behind::{dissolve_left_behind, dissolve_left_behind_in};
pub use loop_disks::loop_disks;
pub use making::ActionListener;
pub use missing::{Missing, missing};
pub use mount_namespace::own_mount_namespace;
pub use mount_point::mount_point;
pub use names::{Uuid, VolumeNames};
pub use prepare::{PARTITION_NAME, Preparation, carry_out_on, emptying, is_prepared, unmounting};
pub use program::{PATH as PROGRAMS_PATH, call};
pub use shell::quoted;
pub use steps::steps;
pub use trusted::trusted_program;
pub use volume::Volume;
