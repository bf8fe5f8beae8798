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
    /// A write that ends when it is durable: it, and then a flush.
    pub(super) is_durable: bool,
}

impl PendingRequest {
    pub(super) fn ending(self, result: Result<u64, i32>) -> Self {
        Self { result, ..self }
    }

    /// What makes it durable once it is written; what it will answer stays.
    pub(super) fn flush(self) -> Option<Self> {
        let is_due = self.is_durable && self.operation == Operation::Write && self.result.is_ok();
        is_due.then_some(Self {
            operation: Operation::Flush,
            offset: 0,
            bytes: 0,
            ..self
        })
    }

    /// Bytes that pass the interface.
    pub(super) fn moved_bytes(&self) -> u64 {
        match self.operation {
            Operation::Read | Operation::Write => self.bytes,
            _ => 0,
        }
    }
}
