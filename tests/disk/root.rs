//! What needs root throughout.

mod engine_device;
mod volume;
