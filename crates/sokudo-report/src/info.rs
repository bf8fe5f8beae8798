//! What is known of disks, as a document `sokudo.info/1` and as text for people.
//!
//! Everything that a disk says of itself is written by strangers: it is shown so that it
//! cannot command a terminal.

mod detail;
mod lines;
mod overview;
mod raw;
mod tree;

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::disk::{Content, Disk};
use sokudo_model::{Finding, TargetInfo};

use crate::json_layout;
use sokudo_words::is_unseen;

pub use crate::disk_words::model;
pub use detail::render as render_detail;
pub use lines::render as render_lines;
pub use overview::render as render_overview;
pub use raw::render as render_raw;

/// The format and version that is written.
const SCHEMA: &str = "sokudo.info/1";

/// What is known of disks: `sokudo.info/1`. What could not be seen is null, empty or
/// `unknown`, never 0; numbers are in the unit that their name ends with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "sokudo.info/1")]
pub struct InfoDocument {
    /// Name and version of this format: `sokudo.info/1`.
    #[schemars(extend("const" = "sokudo.info/1"))]
    pub schema: String,
    /// Version of the program that looked.
    pub sokudo_version: String,
    /// What was asked about; null for every disk.
    pub target: Option<TargetInfo>,
    /// The device that was asked about with what is on it, where it is a part of disks or
    /// stands on them.
    pub device: Option<Content>,
    /// Every disk, or those under the target.
    pub disks: Vec<DiskDocument>,
}

/// A disk and what is noticed about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiskDocument {
    /// Disk as the kernel and the disk itself describe it.
    #[serde(flatten)]
    pub disk: Disk,
    /// What is noticed about it, the gravest first.
    pub findings: Vec<Finding>,
}

impl InfoDocument {
    /// A document about these disks.
    pub fn new(version: impl Into<String>, disks: Vec<DiskDocument>) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            sokudo_version: version.into(),
            target: None,
            device: None,
            disks,
        }
    }

    /// The document as text that ends with a line feed. Signs that could command a
    /// terminal are escaped in it.
    pub fn to_json(&self) -> String {
        let compact = serde_json::to_string(self)
            .expect("a document has no map with keys other than strings and writes to memory");
        json_layout::lay_out(&escaped(&compact))
    }
}

/// Such signs stand only inside strings, where an escape means the same.
fn escaped(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for sign in json.chars() {
        if sign.is_control() || is_unseen(sign) {
            let mut units = [0; 2];
            for unit in sign.encode_utf16(&mut units) {
                safe.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            safe.push(sign);
        }
    }
    safe
}
