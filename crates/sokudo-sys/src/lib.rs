//! The only crate with `unsafe`: io_uring and libaio rings that own their
//! buffers, blocking I/O and mapped files on the same buffers, and the system calls that no safe
//! library offers.
//!
//! Every public function is safe. Nothing here decides anything: which backend,
//! which file and when is up to the caller.

#![cfg_attr(test, allow(clippy::cast_possible_truncation))]

mod aio;
mod block_cache;
mod blocking;
mod bus_error;
mod counter;
pub mod extents;
mod file_system_uuid;
mod local_time;
mod loop_device;
mod mapped;
mod mount_namespace;
mod mpi;
mod named_entry;
mod namespace;
pub mod nvme;
mod parent;
mod question;
mod queue;
mod region;
mod reopen;
mod request;
pub mod residency;
mod ring;
pub mod scsi;
mod self_test;
mod usage;
mod users;
mod variable;
mod write_back;

pub use aio::Aio;
pub use block_cache::{disk_sequence, flush_block_cache};
pub use blocking::{Blocking, Calls, OneByOne, VECTORS_MAX};
pub use counter::time_stamp;
pub use file_system_uuid::file_system_uuid;
pub use local_time::utc_offset_seconds;
pub use loop_device::{LoopWish, attach_loop};
pub use mapped::Mapped;
pub use mount_namespace::unshare_mounts;
pub use mpi::{Mpi, MpiError, MpiLibrary, MpiMessage};
pub use named_entry::{NamedEntry, create_in, folder_of};
pub use namespace::{Namespace, NamespaceError, nvme_block_device, nvme_status};
pub use parent::{die_with_parent, inherit_nothing};
pub use question::AskError;
pub use queue::Queue;
pub use region::{BUFFER_ALIGNMENT, PageWish, Pages, Region};
pub use reopen::reopen;
pub use request::{IoAction, Request};
pub use ring::{Commands, Completions, Ring, RingFeatures, RingFiles};
pub use self_test::SelfTestOrder;
pub use usage::{ThreadCounts, thread_counts};
pub use users::{LoopStatus, is_open_for_writing, loop_status, share_files};
pub use variable::set_variable;
pub use write_back::{begin_write_back, write_back};
