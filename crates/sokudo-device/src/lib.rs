//! From a path to what is under it: file system, stack of block devices, their
//! counters, and what a file is made of. It only looks. It writes nothing, opens
//! nothing for writing, and judges nothing: what it cannot see it names in
//! [`TargetInfo::blind_spots`](sokudo_model::TargetInfo).

#![cfg_attr(test, allow(clippy::cast_possible_truncation))]

pub mod ata;
mod attachment;
mod block;
mod conditions;
mod control_groups;
mod counters;
mod disk;
mod environment;
mod file;
mod file_system;
mod find;
mod group_counters;
mod health;
mod held;
mod in_time;
mod inspect;
mod interrogate;
#[cfg(test)]
mod invented;
mod marks;
mod mounts;
pub mod nvme;
mod occupants;
mod page;
mod processors;
mod queue;
pub mod scsi;
mod self_test;
mod signature;
pub mod smart;
mod stack;
mod system;
mod users;
pub mod write_cache;
mod zfs;

pub use block::segments_max;
pub use conditions::{
    DRIVE_TIME_MAX, DriveMonitor, Neighbours, ProcessorWatch, Watch, drives_under, io_waits,
};
pub use control_groups::{MemoryLimit, memory_limit};
pub use counters::CounterSource;
pub use disk::{DiskError, IoPhase, Reading, Thermometer, content, disk, disks, listed};
pub use environment::{booted_at, environment};
pub use file::{
    FileStateError, cached_bytes, direct_io_support, drop_cached, drop_cached_device, drop_synced,
    file_state, free_bytes,
};
pub use find::{FindError, find};
pub use group_counters::GroupCounters;
pub use inspect::{InspectError, Inspected, inspect, look, storage_node};
pub use interrogate::{Interrogation, interrogate};
pub use mounts::mount_points;
pub use occupants::{OccupancyError, occupants};
pub use page::PageError;
pub use processors::{processor_times, processor_use};
pub use self_test::{
    SelfTestEntry, SelfTestError, SelfTestProgress, SelfTestState, SelfTestTarget, SelfTestWatch,
    SelfTester, self_tests,
};
pub use signature::{DeviceEnds, HEAD_BYTES, Signature, TAIL_BYTES, Title, signatures, title};
pub use sokudo_sys::utc_offset_seconds;
pub use system::System;
pub use users::{tell_long_looks, users};
pub use zfs::ArcCounts;
