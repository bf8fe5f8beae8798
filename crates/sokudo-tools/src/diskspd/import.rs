//! What diskspd prints: the text of `DiskSpd` on Windows and of diskspd-for-linux, and
//! `DiskSpd`'s XML.
//!
//! Bytes and seconds are in every form, so that a unit with a wrong name shows. The
//! latency of diskspd-for-linux is left out where it is known to be wrong.

mod text;
mod timespan;
mod xml;

pub(crate) use text::READER as TEXT;
pub(crate) use xml::READER as XML;

#[cfg(test)]
mod tests;
