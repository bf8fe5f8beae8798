//! Where what a run has measured is today. Kernel names and mount points change; what a
//! device is does not.

use std::path::{Path, PathBuf};

use sokudo_device::{InspectError, System, look};
use sokudo_model::{TargetInfo, TargetKind};
use sokudo_terminal::exit::Exit;
use sokudo_words::text;

/// The name by which the target of a run is reached today: the one it had, if that is
/// still the same device, and else whatever is.
///
/// # Errors
/// When it is not here.
pub fn target(of: &TargetInfo) -> Result<String, Exit> {
    if matches!(of.kind, TargetKind::Simulated | TargetKind::Null) {
        return Ok(of.name.clone());
    }
    let identity = of.identity();
    let is_it = |name: &str| {
        let inspected = look(&System::host(), name);
        inspected.is_ok_and(|it| it.info.identity() == identity)
    };
    // A relative name meant something else where it was given.
    let absolute = Some(of.name.as_str()).filter(|name| name.starts_with('/'));
    let old = [of.path.as_deref(), absolute];
    let old = old.into_iter().flatten().find(|name| is_it(name));
    if let Some(name) = old {
        return Ok(name.to_owned());
    }
    let found = match of.kind {
        TargetKind::BlockDevice => block_devices().find(|name| is_it(name)),
        _ => elsewhere(of).find(|name| is_it(name)),
    };
    found.ok_or_else(|| {
        let what = of.path.as_deref().unwrap_or(&of.name);
        match look(&System::host(), what) {
            Err(error @ InspectError::NoPermission { .. }) => Exit::usage(error),
            _ => Exit::usage(text!(
                "{} was not found ({what} is missing or is another device now); connect and mount it, or give its path: sokudo check PATH",
                of.device_name()
            )),
        }
    })
}

/// The nodes of all block devices, partitions among them.
fn block_devices() -> impl Iterator<Item = String> {
    names(Path::new("/sys/class/block"))
        .into_iter()
        .map(|name| format!("/dev/{}", name.replace('!', "/")))
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    names
}

/// The same place in its file system, below every mount point that there is.
fn elsewhere(of: &TargetInfo) -> impl Iterator<Item = String> {
    let system = of.file_system.as_ref();
    let below = system.and_then(|system| {
        let path = Path::new(of.path.as_deref()?);
        path.strip_prefix(&system.mount_point).ok()
    });
    let below = below.map(Path::to_owned);
    let table = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    sokudo_device::mount_points(&table)
        .into_iter()
        .filter_map(move |point| {
            let candidate: PathBuf = point.join(below.as_ref()?);
            candidate
                .exists()
                .then(|| candidate.to_str().map(str::to_owned))?
        })
}
