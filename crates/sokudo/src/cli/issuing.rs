//! How I/O is asked to be issued, as it is written.

use sokudo_model::{BackendKind, DirectMode};

pub(super) fn backend_kind(text: &str) -> Result<BackendKind, String> {
    match text {
        "auto" => Ok(BackendKind::Auto),
        "io_uring" => Ok(BackendKind::IoUring),
        "libaio" => Ok(BackendKind::Libaio),
        "psync" => Ok(BackendKind::Psync),
        _ => Err("use auto, io_uring, libaio or psync".to_owned()),
    }
}

pub(super) fn direct_mode(text: &str) -> Result<DirectMode, String> {
    match text {
        "on" => Ok(DirectMode::On),
        "off" => Ok(DirectMode::Off),
        "auto" => Ok(DirectMode::Auto),
        _ => Err("use on, off or auto".to_owned()),
    }
}
