//! What a disk is attached by, as far as others may be attached by the same: what they then share.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A link, a hub or a controller on the way to a disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Attachment {
    /// Sort of link, hub or controller that it is.
    pub kind: AttachmentKind,
    /// Its name, which is the same for all that are attached by it.
    pub name: String,
    /// How fast it is, such as `8.0 GT/s x4`; missing where that is not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<String>,
    /// What it carries in one direction once the coding of the line is subtracted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_per_s: Option<u64>,
}

/// What it is that disks are attached by.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum AttachmentKind {
    /// The disk itself, of which there are several partitions or files.
    Disk,
    /// A file system, which files and loop devices stand on.
    FileSystem,
    /// A SATA port; several disks are at one behind a port multiplier.
    SataPort,
    /// A SAS expander, by which several disks share links to a controller.
    SasExpander,
    /// A USB device, a hub, or the root of a bus.
    Usb,
    /// A PCI Express bridge with its link.
    PciBridge,
    /// A controller: a PCI function with its link.
    Controller,
    /// A link of simulated devices.
    Link,
}
