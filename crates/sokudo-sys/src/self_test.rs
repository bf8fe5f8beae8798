//! What a drive can be told about a test that it makes of itself, in whatever language.

/// An order about a self-test. It runs beside the drive's other work, and writes nothing of
/// anybody's; tests for which a drive leaves its work undone cannot be ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelfTestOrder {
    /// Begin the short one.
    Short,
    /// Begin the one that goes over the whole medium.
    Extended,
    /// End the one that is under way.
    Stop,
}
