//! The user's word that a block device may be destroyed.
//!
//! A [`DevicePermit`] is the only way to a block device that can be written, and it
//! is made in one place, which refuses unless the user has named this very device,
//! and, where it is in use or holds anything, has said so a second time.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, SeekFrom};
use rustix::io::Errno;
use sokudo_model::{Bytes, Occupancy, Occupant};

/// Reasons that are named in a message; more would hide the way out.
const REASONS_MAX: usize = 4;

/// What the user has allowed to be destroyed. The default is nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consent {
    named: Vec<String>,
    occupied_too: bool,
}

impl Consent {
    /// Allows the devices that `named` names by serial number or path, and with
    /// `occupied_too` also what is in use or holds anything.
    pub fn new(named: impl IntoIterator<Item = String>, occupied_too: bool) -> Self {
        let named = named.into_iter().map(|word| word.trim().to_owned());
        Self {
            named: named.filter(|word| !word.is_empty()).collect(),
            occupied_too,
        }
    }

    /// The same words, for devices that are in use or hold something if
    /// `occupied_too`.
    #[must_use]
    pub fn for_occupied(&self, occupied_too: bool) -> Self {
        Self {
            named: self.named.clone(),
            occupied_too,
        }
    }

    /// Whether one of the words is this device's serial number, or the path of a
    /// node with its device number.
    fn names(&self, occupancy: &Occupancy) -> bool {
        self.named.iter().any(|word| {
            occupancy.serial.as_ref() == Some(word)
                || Path::new(word).metadata().is_ok_and(|metadata| {
                    metadata.file_type().is_block_device()
                        && metadata.rdev() == occupancy.device_number
                })
        })
    }
}

/// Why a block device is not written.
#[derive(Debug, thiserror::Error)]
pub enum ConsentError {
    /// The user has not named it.
    #[error("{path} is not written, because that destroys what it holds{held}; if that is meant, name it: {way_out}", path = path.display())]
    NotNamed {
        /// Which.
        path: PathBuf,
        /// What speaks against it, after a colon; empty if nothing does.
        held: String,
        /// How to consent.
        way_out: String,
    },
    /// It is in use or holds something, and only its name was given.
    #[error("{path} is not written: {reasons}; if it is to be destroyed all the same, add --allow_mounted_write=1 (in a job file allow_mounted_write=1)", path = path.display())]
    Occupied {
        /// Which.
        path: PathBuf,
        /// Who uses it and what it holds.
        reasons: String,
    },
    /// It is in use, so that even what it holds may not be written to it again.
    #[error("{path} is not written back: {reasons}; unmount or stop what uses it, or survey it by reading alone", path = path.display())]
    InUse {
        /// Which.
        path: PathBuf,
        /// Who uses it.
        reasons: String,
    },
    /// It is not the device that was looked at.
    #[error("{path} has become another device while it was looked at, so it is not written; see that its name stays and try again", path = .0.display())]
    Changed(PathBuf),
    /// It cannot be opened.
    #[error("{path} cannot be opened: {source}", path = path.display())]
    Open {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Proof that the user allows one block device to be destroyed. It holds the device
/// open, so that its name may change without harm, and claims it (`O_EXCL`) unless it
/// is in use anyway, so that nobody mounts it meanwhile.
#[derive(Debug)]
pub struct DevicePermit {
    pub(crate) handle: File,
    pub(crate) path: PathBuf,
    pub(crate) size: Bytes,
}

impl DevicePermit {
    /// Asks for the permit to write to the device at `path`, which `occupancy`
    /// describes.
    ///
    /// # Errors
    /// When consent is missing, or the device is not the one that was looked at.
    pub fn obtain(
        path: &Path,
        occupancy: &Occupancy,
        consent: &Consent,
    ) -> Result<Self, ConsentError> {
        let refuse = |reasons: &[String]| refusal(path, occupancy, consent, reasons);
        let reasons: Vec<String> = occupancy
            .occupants
            .iter()
            .map(ToString::to_string)
            .collect();
        let allowed = consent.names(occupancy) && (reasons.is_empty() || consent.occupied_too);
        if !allowed {
            return Err(refuse(&reasons));
        }
        let opened = |errno: Errno| ConsentError::Open {
            path: path.to_owned(),
            source: errno.into(),
        };
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let handle = match rustix::fs::open(path, flags | OFlags::EXCL, Mode::empty()) {
            Err(Errno::BUSY) if consent.occupied_too => {
                rustix::fs::open(path, flags, Mode::empty()).map_err(opened)?
            }
            Err(Errno::BUSY) => return Err(refuse(&[Occupant::Claimed.to_string()])),
            other => other.map_err(opened)?,
        };
        let (handle, size) = same_device(path, handle.into(), occupancy)?;
        Ok(Self {
            handle,
            path: path.to_owned(),
            size,
        })
    }
}

/// Proof that nobody uses a block device, so that a survey may write to each place what
/// it has just read there. It holds and claims the device (`O_EXCL`). What the device
/// holds is no hindrance: it holds the same afterwards.
#[derive(Debug)]
pub struct RewritePermit {
    pub(crate) handle: File,
    pub(crate) path: PathBuf,
    pub(crate) size: Bytes,
}

impl RewritePermit {
    /// Asks for the permit to write back to the device at `path`, which `occupancy`
    /// describes.
    ///
    /// # Errors
    /// When anybody uses the device, it could not be seen whether anybody does, or it is
    /// not the one that was looked at.
    pub fn obtain(path: &Path, occupancy: &Occupancy) -> Result<Self, ConsentError> {
        let reasons: Vec<String> = occupancy
            .occupants
            .iter()
            .filter(|occupant| uses_it(occupant))
            .map(ToString::to_string)
            .collect();
        if !reasons.is_empty() {
            return Err(in_use(path, &reasons));
        }
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::EXCL;
        let handle = match rustix::fs::open(path, flags, Mode::empty()) {
            Err(Errno::BUSY) => return Err(in_use(path, &[Occupant::Claimed.to_string()])),
            other => other.map_err(|errno| ConsentError::Open {
                path: path.to_owned(),
                source: errno.into(),
            })?,
        };
        let (handle, size) = same_device(path, handle.into(), occupancy)?;
        Ok(Self {
            handle,
            path: path.to_owned(),
            size,
        })
    }
}

/// Whether somebody may change what the device holds, or relies on it, while it is
/// written back.
fn uses_it(occupant: &Occupant) -> bool {
    match occupant {
        Occupant::Mounted { .. }
        | Occupant::Swap { .. }
        | Occupant::Holder { .. }
        | Occupant::Claimed
        | Occupant::Unseen { .. } => true,
        Occupant::Partition { .. } | Occupant::Signature { .. } => false,
    }
}

fn in_use(path: &Path, reasons: &[String]) -> ConsentError {
    ConsentError::InUse {
        path: path.to_owned(),
        reasons: first_of(reasons),
    }
}

/// The handle and size of what was opened, if it is the device that was looked at.
fn same_device(
    path: &Path,
    handle: File,
    occupancy: &Occupancy,
) -> Result<(File, Bytes), ConsentError> {
    let is_same = handle.metadata().is_ok_and(|metadata| {
        metadata.file_type().is_block_device() && metadata.rdev() == occupancy.device_number
    });
    if !is_same {
        return Err(ConsentError::Changed(path.to_owned()));
    }
    let size = rustix::fs::seek(&handle, SeekFrom::End(0)).map_err(|errno| ConsentError::Open {
        path: path.to_owned(),
        source: errno.into(),
    })?;
    Ok((handle, Bytes(size)))
}

/// The first reasons, and how many more there are.
fn first_of(reasons: &[String]) -> String {
    let told = reasons[..reasons.len().min(REASONS_MAX)].join(", ");
    if reasons.len() > REASONS_MAX {
        format!("{told} and {} more", reasons.len() - REASONS_MAX)
    } else {
        told
    }
}

/// What is missing: the name, or the second consent.
fn refusal(
    path: &Path,
    occupancy: &Occupancy,
    consent: &Consent,
    reasons: &[String],
) -> ConsentError {
    let told = first_of(reasons);
    if consent.names(occupancy) {
        return ConsentError::Occupied {
            path: path.to_owned(),
            reasons: told,
        };
    }
    let word = match &occupancy.serial {
        Some(serial) => format!("{serial} or {}", path.display()),
        None => path.display().to_string(),
    };
    let also = match reasons {
        [] => "",
        _ if consent.occupied_too => "",
        _ => ", and --allow_mounted_write=1",
    };
    ConsentError::NotNamed {
        path: path.to_owned(),
        held: match reasons {
            [] => String::new(),
            _ => format!(": {told}"),
        },
        way_out: format!(
            "SOKUDO_DESTROY={word} in the environment, or --destroy={}{also}",
            path.display()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn occupancy(occupants: Vec<Occupant>) -> Occupancy {
        Occupancy {
            device_number: 0,
            name: "sdx".to_owned(),
            serial: Some("WD-123".to_owned()),
            occupants,
        }
    }

    fn asked(occupants: Vec<Occupant>, named: &str, occupied_too: bool) -> String {
        let consent = Consent::new([named.to_owned()], occupied_too);
        DevicePermit::obtain(Path::new("/dev/null"), &occupancy(occupants), &consent)
            .unwrap_err()
            .to_string()
    }

    fn signed() -> Vec<Occupant> {
        vec![Occupant::Signature {
            what: "ext4".to_owned(),
            offset: 1080,
        }]
    }

    #[test]
    fn without_its_name_no_device_is_written() {
        for named in ["", "WD-1234", "WD-12", "/dev/null", "/", "sdx"] {
            let told = asked(Vec::new(), named, true);
            assert!(told.contains("SOKUDO_DESTROY=WD-123"), "{named}: {told}");
        }
    }

    #[test]
    fn its_name_alone_is_not_enough_when_it_holds_something() {
        let told = asked(signed(), "WD-123", false);
        assert!(told.contains("it holds ext4"), "{told}");
        assert!(told.contains("--allow_mounted_write=1"), "{told}");
        let told = asked(signed(), "", false);
        assert!(
            told.contains("SOKUDO_DESTROY") && told.contains("--allow_mounted_write=1"),
            "{told}"
        );
    }

    #[test]
    fn the_second_consent_alone_is_not_enough() {
        let told = asked(signed(), "", true);
        assert!(told.contains("SOKUDO_DESTROY"), "{told}");
    }

    #[test]
    fn what_is_no_longer_the_device_that_was_looked_at_is_refused() {
        // /dev/null stands for a node that changed after it was looked at.
        let told = asked(Vec::new(), "WD-123", false);
        assert!(told.contains("another device"), "{told}");
    }

    #[test]
    fn what_anybody_uses_is_not_written_back() {
        let device = "sdx".to_owned();
        let using = [
            Occupant::Mounted {
                device: device.clone(),
                at: "/mnt".to_owned(),
            },
            Occupant::Swap {
                device: device.clone(),
            },
            Occupant::Holder {
                device,
                holder: "md0".to_owned(),
            },
            Occupant::Claimed,
            Occupant::Unseen {
                sentence: "its users could not be seen".to_owned(),
            },
        ];
        for occupant in using {
            let reason = occupant.to_string();
            let occupancy = occupancy(vec![signed().remove(0), occupant]);
            let refused = RewritePermit::obtain(Path::new("/dev/null"), &occupancy);
            let told = refused.unwrap_err().to_string();
            assert!(told.contains(&reason) && !told.contains("ext4"), "{told}");
        }
    }

    #[test]
    fn what_it_holds_keeps_nobody_from_writing_it_back() {
        let mut occupants = signed();
        occupants.push(Occupant::Partition {
            name: "sdx1".to_owned(),
        });
        // /dev/null stands for a node that changed after it was looked at.
        let refused = RewritePermit::obtain(Path::new("/dev/null"), &occupancy(occupants));
        assert!(matches!(refused, Err(ConsentError::Changed(_))));
    }

    #[test]
    fn an_empty_word_is_no_consent_for_a_device_without_a_serial() {
        let mut nameless = occupancy(Vec::new());
        nameless.serial = Some(String::new());
        let consent = Consent::new([String::new(), "  ".to_owned()], true);
        assert!(!consent.names(&nameless));
    }
}
