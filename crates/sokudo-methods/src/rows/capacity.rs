//! The row that finds out how much a device really holds: what is written to scattered positions
//! is read back when all of it was written.

use sokudo_model::{
    BlockShare, BlockSizes, Bytes, Operation, OperationMix, Order, Verify, Workload,
};

/// Smaller devices are not checked.
pub const SIZE_MIN: Bytes = Bytes::mib(16);
/// Positions are small, the stretch between writing and reading them is not.
const LARGE_BLOCK: Bytes = Bytes::mib(1);

/// How much of a device is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenShare {
    /// Some thousand positions of it, small and scattered.
    Sampled,
    /// Every block that it says it has.
    Whole,
}

/// The row; `None` where no blocks are of the smallest size that the device takes.
pub fn workload(name: &str, block_min: Bytes, extent: WrittenShare) -> Option<Workload> {
    let smallest = Bytes::kib(4).max(block_min);
    let mut workload = Workload::new(name, smallest);
    workload.order = match extent {
        WrittenShare::Whole => Order::SEQUENTIAL,
        WrittenShare::Sampled => Order::Random { map: false },
    };
    let one = |bytes| BlockShare { bytes, weight: 1 };
    workload.blocks = BlockSizes::mix(vec![one(smallest), one(LARGE_BLOCK)])?;
    workload.operations = OperationMix::only(Operation::Write);
    workload.verify = Some(Verify::Capacity);
    Some(workload)
}
