//! What tests are made of: plans with other values in some of their fields. The tests inside of
//! the crate and those of its public face use it alike.

#![allow(dead_code, reason = "each program of tests uses its part")]

use sokudo_model::{
    BlockShare, BlockSizes, Bytes, FileUse, Limits, Nanos, Operation, OperationMix, Order, Span,
    Stage, Workload,
};

/// A value with others in some of its fields, also in those of its parts:
/// `with!(writes(4), depth = 8, durability.final_flush = true)`.
macro_rules! with {
    ($base:expr, $($($field:ident).+ = $value:expr),+ $(,)?) => {{
        // In two steps: of a default that is changed clippy wants a literal.
        let base = $base;
        let mut with = base;
        $(with.$($field).+ = $value;)+
        with
    }};
}

pub(crate) const BLOCK: u64 = 4096;

/// Random reads of 4 KiB, without any limit.
pub(crate) fn random_reads(depth: u32) -> Workload {
    with!(
        Workload::new("reads", Bytes(BLOCK)),
        order = Order::Random { map: false },
        depth = depth
    )
}

/// Sequential writes of 4 KiB, without any limit.
pub(crate) fn writes(depth: u32) -> Workload {
    with!(
        Workload::new("writes", Bytes(BLOCK)),
        operations = OperationMix::only(Operation::Write),
        depth = depth
    )
}

/// Stops after some measured time.
pub(crate) fn for_ms(milliseconds: u64) -> Limits {
    with!(
        Limits::default(),
        time = Some(Nanos::from_millis(milliseconds))
    )
}

/// Stops after some I/Os of 4 KiB per thread.
pub(crate) fn for_ios(ios: u64) -> Limits {
    with!(Limits::default(), bytes = Some(Bytes(ios * BLOCK)))
}

pub(crate) fn span(offset: u64, length: u64) -> Span {
    let (offset, length) = (Bytes(offset), Bytes(length));
    Span { offset, length }
}

pub(crate) fn stage<const COUNT: usize>(workloads: [Workload; COUNT]) -> Stage {
    let workloads = workloads.into();
    Stage { workloads }
}

/// All of a target.
pub(crate) fn use_of(target: u32) -> FileUse {
    FileUse { target, span: None }
}

/// Block sizes by weight.
pub(crate) fn sizes(shares: &[(u64, u32)]) -> BlockSizes {
    let share = |(bytes, weight): &(u64, u32)| BlockShare {
        bytes: Bytes(*bytes),
        weight: *weight,
    };
    BlockSizes::mix(shares.iter().map(share).collect()).expect("neither size nor weight is 0")
}
