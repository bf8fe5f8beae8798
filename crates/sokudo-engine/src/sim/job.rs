//! A request inside a device.

use sokudo_model::Operation;

/// A request on its way through a model. What it will answer is known from the
/// start; a model only decides when.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingRequest {
    pub(super) id: u64,
    pub(super) operation: Operation,
    pub(super) offset: u64,
    pub(super) bytes: u64,
    pub(super) result: Result<u64, i32>,
}

impl PendingRequest {
    pub(super) fn ending(self, result: Result<u64, i32>) -> Self {
        Self { result, ..self }
    }

    /// Bytes that pass the interface.
    pub(super) fn moved_bytes(&self) -> u64 {
        match self.operation {
            Operation::Read | Operation::Write => self.bytes,
            _ => 0,
        }
    }
}
