//! How I/O is asked to be issued, as it is written.

use sokudo_model::{BackendKind, DirectMode};
use sokudo_words::{Text, text};

pub(super) fn backend_kind(text: &str) -> Result<BackendKind, Text> {
    match text {
        "auto" => Ok(BackendKind::Auto),
        "io_uring" => Ok(BackendKind::IoUring),
        "libaio" => Ok(BackendKind::Libaio),
        "psync" => Ok(BackendKind::Psync),
        _ => Err(text!("use auto, io_uring, libaio or psync")),
    }
}

pub(super) fn direct_mode(text: &str) -> Result<DirectMode, Text> {
    match text {
        "on" => Ok(DirectMode::On),
        "off" => Ok(DirectMode::Off),
        "auto" => Ok(DirectMode::Auto),
        _ => Err(text!("use on, off or auto")),
    }
}
