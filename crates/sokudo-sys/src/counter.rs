//! The processor's own counter of time.

#![expect(unsafe_code, reason = "the instruction has no safe name")]

/// The time stamp counter, where the processor has one.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn time_stamp() -> Option<u64> {
    // SAFETY: every processor of this architecture has the instruction, which reads no memory.
    Some(unsafe { std::arch::x86_64::_rdtsc() })
}

/// The time stamp counter, where the processor has one.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub fn time_stamp() -> Option<u64> {
    None
}
