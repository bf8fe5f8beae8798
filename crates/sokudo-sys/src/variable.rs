//! Variables of the environment that libraries of this process read.

#![expect(unsafe_code, reason = "no thread may read the environment meanwhile")]

use std::{env, fs, io};

/// Sets a variable, unless it is set already.
///
/// # Errors
/// If this process has other threads, or it cannot be told.
pub fn set_variable(name: &str, value: &str) -> io::Result<()> {
    if env::var_os(name).is_some() {
        return Ok(());
    }
    if fs::read_dir("/proc/self/task")?.count() != 1 {
        return Err(io::ErrorKind::ResourceBusy.into());
    }
    // SAFETY: this thread is the only one, and it reads no environment meanwhile.
    unsafe { env::set_var(name, value) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beside_other_threads_nothing_is_set() {
        // A test has a thread of its own.
        assert!(set_variable("SOKUDO_OF_A_TEST", "1").is_err());
        assert_eq!(env::var_os("SOKUDO_OF_A_TEST"), None);
    }
}
