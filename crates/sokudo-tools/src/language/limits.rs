//! How much one target may be given to do at once.

/// Twice what CrystalDiskMark offers; kernels by default share 65536 asynchronous
/// requests between all processes (`fs.aio-max-nr`).
pub const DEPTH_MAX: u32 = 1024;
/// io_uring refuses more than 32,768 entries, and one is the engine's timer.
pub const DEPTH_MAX_IO_URING: u32 = 32_767;
/// Four times what CrystalDiskMark offers.
pub const THREADS_MAX: u32 = 256;
