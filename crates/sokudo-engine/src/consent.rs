//! The user's word that a block device may be destroyed.
//!
//! A [`DevicePermit`] is the only way to a block device that can be written, and it
//! is made in one place, which refuses unless the user has named this very device,
//! and, where it holds anything, has said so a second time. A device in use is written
//! only through the doors for other tools' users, which go as far as those tools do.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, SeekFrom};
use rustix::io::Errno;
use sokudo_model::{Bytes, Occupancy, Occupant, Users};
use sokudo_words::{Text, text};

/// Reasons that are named in a message; more would hide the way out.
const REASONS_MAX: usize = 4;

/// Finds out who else uses an open file or device. It is asked when the file is open and, if
/// it is a device, claimed, so that nobody comes in between.
pub type Look = fn(&File) -> Users;

/// How far the user's second consent reaches, and in whose words it is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Front {
    /// sokudo's own commands: `--destroy-contents` allows what a device holds to be
    /// destroyed. What is in use is never written.
    #[default]
    Own,
    /// The doors for users of fio and diskspd: `allow_mounted_write=1`, as in fio, allows
    /// a device in use as well.
    Door,
}

/// What the user has allowed to be destroyed. The default is nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consent {
    front: Front,
    named: Vec<String>,
    occupied_too: bool,
    files_too: bool,
}

impl Consent {
    /// Allows the devices that `named` names by serial number or path. With `occupied_too`
    /// also what `front` lets that word allow.
    pub fn new(front: Front, named: impl IntoIterator<Item = String>, occupied_too: bool) -> Self {
        let named = named.into_iter().map(|word| word.trim().to_owned());
        Self {
            front,
            named: named.filter(|word| !word.is_empty()).collect(),
            occupied_too,
            files_too: false,
        }
    }

    /// The devices, by serial number or path.
    pub fn named(&self) -> &[String] {
        &self.named
    }

    /// The same words, and whether files may be overwritten that no job has laid out. Of
    /// devices it says nothing.
    #[must_use]
    pub fn for_files(self, files_too: bool) -> Self {
        Self { files_too, ..self }
    }

    /// Whether existing files may be overwritten, whoever has written them.
    pub fn reaches_files(&self) -> bool {
        self.files_too
    }

    /// The same words, for devices that are occupied if `occupied_too`.
    #[must_use]
    pub fn for_occupied(&self, occupied_too: bool) -> Self {
        Self {
            occupied_too,
            ..self.clone()
        }
    }

    /// Whether one of the words is this device's serial number, or the path of a
    /// node with its device number.
    fn names(&self, occupancy: &Occupancy) -> bool {
        self.names_serial(occupancy) || self.names_path(occupancy)
    }

    fn names_serial(&self, occupancy: &Occupancy) -> bool {
        let mut words = self.named.iter();
        words.any(|word| occupancy.serial.as_ref() == Some(word))
    }

    fn names_path(&self, occupancy: &Occupancy) -> bool {
        self.named.iter().any(|word| {
            Path::new(word).metadata().is_ok_and(|metadata| {
                metadata.file_type().is_block_device() && metadata.rdev() == occupancy.device_number
            })
        })
    }

    /// The serial number, if that alone names this device: another may have it, too.
    pub fn serial_alone<'o>(&self, occupancy: &'o Occupancy) -> Option<&'o str> {
        let is_alone = self.names_serial(occupancy) && !self.names_path(occupancy);
        occupancy.serial.as_deref().filter(|_| is_alone)
    }

    /// Refuses unless the device at `path` has been named, whatever it holds and whoever uses
    /// it.
    ///
    /// # Errors
    /// What is to be named.
    pub fn covers(&self, path: &Path, occupancy: &Occupancy) -> Result<(), ConsentError> {
        match self.names(occupancy) {
            true => Ok(()),
            false => Err(refusal(path, occupancy, self, &[])),
        }
    }

    /// Refuses unless the device at `path` has been named, and what it holds may be lost as well.
    ///
    /// # Errors
    /// What speaks against it.
    pub fn allows(
        &self,
        path: &Path,
        occupancy: &Occupancy,
        reasons: &[Occupant],
    ) -> Result<(), ConsentError> {
        let is_reached = reasons.iter().all(|reason| self.can_reach(reason));
        let is_consented = reasons.is_empty() || self.occupied_too;
        match is_reached && is_consented && self.names(occupancy) {
            true => Ok(()),
            false => Err(refusal(path, occupancy, self, reasons)),
        }
    }

    /// Whether a second consent, given or not, can allow what speaks against writing.
    fn can_reach(&self, occupant: &Occupant) -> bool {
        match self.front {
            Front::Own => occupant.is_content(),
            Front::Door => !matches!(occupant, Occupant::Unwritable { .. }),
        }
    }

    const fn second_word(&self) -> &'static str {
        match self.front {
            Front::Own => "--destroy-contents",
            Front::Door => "--allow_mounted_write=1",
        }
    }
}

/// Why a block device is not written.
#[derive(Debug, sokudo_words::Error)]
#[fault(refused)]
pub enum ConsentError {
    /// The user has not named it.
    #[error("{path} is not written, because {held}; if that is meant, name it: {way_out}", path = path.display())]
    NotNamed {
        /// Path of the device, as it was given.
        path: PathBuf,
        /// What would be lost, what speaks against it and what was named instead.
        held: Text,
        /// Option that consents, in the words of the front end.
        way_out: Text,
    },
    /// It is in use or holds something, and only its name was given.
    #[error("{path} is not written: {reasons}; if you want to destroy it anyway, add {second_word}", path = path.display())]
    Occupied {
        /// Path of the device, as it was given.
        path: PathBuf,
        /// Who uses it and what it holds.
        reasons: Text,
        /// The second consent, in the words of the front end.
        second_word: &'static str,
    },
    /// No consent reaches that far.
    #[error("{path} is not written, whatever is allowed: {why}", path = path.display())]
    Never {
        /// Path of the device, as it was given.
        path: PathBuf,
        /// What speaks against it, and what to do instead.
        why: Box<InUse>,
    },
    /// It is not the device that was looked at.
    #[error("{path} became another device while it was examined, so it is not written; make sure that its name is stable, and try again", path = .0.display())]
    Changed(PathBuf),
    /// It cannot be opened.
    #[error("{path} cannot be opened: {source}", path = path.display())]
    #[fault(source)]
    Open {
        /// Path of the device, as it was given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A block device that is held open, so that its name may change without harm, and claimed
/// (`O_EXCL`) unless it is in use anyway, so that nobody mounts it meanwhile.
#[derive(Debug)]
pub(crate) struct ClaimedDevice {
    pub(crate) handle: File,
    pub(crate) path: PathBuf,
    pub(crate) size: Bytes,
    pub(crate) blind_spots: Vec<Text>,
}

/// Proof that the user allows one block device to be destroyed.
#[derive(Debug)]
pub struct DevicePermit(pub(crate) ClaimedDevice);

/// Proof that nobody uses a block device, so that a survey may write to each place what
/// it has just read there. What the device holds is no hindrance: it holds the same
/// afterwards.
#[derive(Debug)]
pub struct RewritePermit(pub(crate) ClaimedDevice);

impl DevicePermit {
    /// Asks for the permit to write to the device at `path`, which `occupancy`
    /// describes. Who uses it is looked at once more when it is claimed.
    ///
    /// # Errors
    /// When consent is missing, or the device is not the one that was looked at.
    pub fn obtain(
        path: &Path,
        occupancy: &Occupancy,
        consent: &Consent,
        look: Look,
    ) -> Result<Self, ConsentError> {
        let device = ClaimedDevice::obtain(path, occupancy, look, |reasons| {
            consent.allows(path, occupancy, reasons).err()
        });
        device.map(Self)
    }

    /// The device, held but no longer claimed, for programs that claim it themselves.
    ///
    /// # Errors
    /// When it cannot be opened a second time.
    pub fn into_unclaimed(self) -> Result<File, ConsentError> {
        let device = self.0;
        // That very device, whatever its name leads to by now.
        let held = format!("/proc/self/fd/{}", device.handle.as_raw_fd());
        File::open(held).map_err(|source| ConsentError::Open {
            path: device.path,
            source,
        })
    }
}

impl RewritePermit {
    /// Asks for the permit to write back to the device at `path`, which `occupancy`
    /// describes. Who uses it is looked at once more when it is claimed.
    ///
    /// # Errors
    /// When anybody uses the device, it could not be seen whether anybody does, it takes no
    /// writes, or it is not the one that was looked at.
    pub fn obtain(path: &Path, occupancy: &Occupancy, look: Look) -> Result<Self, ConsentError> {
        let device = ClaimedDevice::obtain(path, occupancy, look, |occupants| {
            // What cannot be read cannot be written back.
            never(path, occupants, |it| it.is_content() && !it.is_unread())
        });
        device.map(Self)
    }
}

impl ClaimedDevice {
    /// Claims the device, unless it is `refused` because of what occupies it.
    fn obtain(
        path: &Path,
        occupancy: &Occupancy,
        look: Look,
        refused: impl Fn(&[Occupant]) -> Option<ConsentError>,
    ) -> Result<Self, ConsentError> {
        let allowed = |occupants: &[Occupant]| refused(occupants).map_or(Ok(()), Err);
        allowed(&occupancy.occupants)?;
        let opened = |errno: Errno| ConsentError::Open {
            path: path.to_owned(),
            source: errno.into(),
        };
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let handle = match rustix::fs::open(path, flags | OFlags::EXCL, Mode::empty()) {
            Err(Errno::BUSY) => {
                allowed(&[Occupant::Claimed])?;
                rustix::fs::open(path, flags, Mode::empty())
            }
            other => other,
        };
        let handle = File::from(handle.map_err(opened)?);
        let is_same = handle.metadata().is_ok_and(|metadata| {
            metadata.file_type().is_block_device() && metadata.rdev() == occupancy.device_number
        });
        // Another disk may have the number by now.
        let sequence = occupancy.sequence;
        let is_same =
            is_same && (sequence.is_none() || sequence == sokudo_sys::disk_sequence(&handle));
        if !is_same {
            return Err(ConsentError::Changed(path.to_owned()));
        }
        let size = rustix::fs::seek(&handle, SeekFrom::End(0)).map_err(opened)?;
        let users = look(&handle);
        allowed(&users.occupants)?;
        Ok(Self {
            handle,
            path: path.to_owned(),
            size: Bytes(size),
            blind_spots: users.blind_spots,
        })
    }
}

/// The refusal because of what no consent reaches, if there is any.
fn never(
    path: &Path,
    occupants: &[Occupant],
    is_reached: impl Fn(&Occupant) -> bool,
) -> Option<ConsentError> {
    let beyond = |occupant: &&Occupant| !is_reached(occupant);
    let worst = occupants.iter().find(beyond)?;
    Some(ConsentError::Never {
        path: path.to_owned(),
        why: Box::new(InUse {
            way_out: way_out_of(worst),
            reasons: first_reasons(occupants.iter().filter(beyond)),
        }),
    })
}

/// Who uses a file or device, and how that is ended.
#[derive(Debug, sokudo_words::Error)]
#[error("{reasons}; {way_out}")]
pub struct InUse {
    reasons: Text,
    way_out: Text,
}

/// What could not be seen of who uses a regular file; a refusal that no consent lifts if
/// anybody is seen to.
pub(crate) fn unused(file: &File, look: Look) -> Result<Vec<Text>, InUse> {
    let users = look(file);
    match users.occupants.first() {
        None => Ok(users.blind_spots),
        Some(worst) => Err(InUse {
            way_out: way_out_of(worst),
            reasons: first_reasons(users.occupants.iter()),
        }),
    }
}

/// What is missing: another device, the name, or the second consent.
fn refusal(
    path: &Path,
    occupancy: &Occupancy,
    consent: &Consent,
    reasons: &[Occupant],
) -> ConsentError {
    if let Some(refused) = never(path, reasons, |it| consent.can_reach(it)) {
        return refused;
    }
    let path = path.to_owned();
    if consent.names(occupancy) {
        return ConsentError::Occupied {
            path,
            reasons: first_reasons(reasons.iter()),
            second_word: consent.second_word(),
        };
    }
    // Words of the user's may hold anything; a message is one line.
    let named = consent.named.iter().map(|word| {
        let signs = word.chars().filter(|sign| !sign.is_control());
        Text::name(signs.collect::<String>())
    });
    let named = Text::list(named, " or ");
    let held = match (consent.named.is_empty(), reasons) {
        (true, []) => "that destroys what it holds".into(),
        (true, reasons) => text!(
            "that destroys what it holds: {}",
            first_reasons(reasons.iter())
        ),
        (false, []) => text!("that destroys what it holds, and it is not {named}"),
        (false, reasons) => text!(
            "that destroys what it holds, and it is not {named}: {}",
            first_reasons(reasons.iter())
        ),
    };
    let also = if reasons.is_empty() || consent.occupied_too {
        Text::default()
    } else {
        text!(", and {}", consent.second_word())
    };
    let words = |prefix: &str| match &occupancy.serial {
        Some(serial) => text!("{} or {}", format!("{prefix}{serial}"), path.display()),
        None => Text::name(format!("{prefix}{}", path.display())),
    };
    let way_out = match consent.front {
        Front::Own => text!("{}{also}", words("--destroy ")),
        Front::Door => text!(
            "{} in the environment, or {}{also}",
            words("SOKUDO_DESTROY="),
            format!("--destroy={}", path.display())
        ),
    };
    ConsentError::NotNamed {
        path,
        held,
        way_out,
    }
}

/// The first reasons, and how many more there are.
fn first_reasons<'a>(reasons: impl Iterator<Item = &'a Occupant>) -> Text {
    let mut reasons: Vec<Text> = reasons.map(Text::from).collect();
    let more = reasons.len().saturating_sub(REASONS_MAX);
    reasons.truncate(REASONS_MAX);
    let first = Text::list(reasons, ", ");
    match more {
        0 => first,
        more => text!("{first} and {more} more"),
    }
}

/// How to come to a device that may be written.
fn way_out_of(reason: &Occupant) -> Text {
    let fixed = match reason {
        Occupant::Mounted { .. } => "unmount it, or measure writes in a directory on it",
        Occupant::Swap { .. } => "take it out of use with swapoff",
        Occupant::Holder { .. } => "take it out of that first, or name what stands on it",
        Occupant::Claimed => "unmount or stop what uses it",
        Occupant::Shown { .. } | Occupant::Opened { .. } | Occupant::OpenedUnseen => {
            "stop that first, or name another file or device"
        }
        Occupant::Unwritable { .. }
        | Occupant::Partition { .. }
        | Occupant::Signature { .. }
        | Occupant::EndUnread { .. } => "name a device that takes writes, or read it only",
        Occupant::Unseen { way_out, .. } => return way_out.clone(),
    };
    fixed.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn occupancy(occupants: Vec<Occupant>) -> Occupancy {
        Occupancy {
            device_number: 0,
            sequence: None,
            name: "sdx".to_owned(),
            serial: Some("WD-123".to_owned()),
            occupants,
        }
    }

    fn refusal_text(
        front: Front,
        occupants: Vec<Occupant>,
        named: &str,
        occupied_too: bool,
    ) -> String {
        let consent = Consent::new(front, [named.to_owned()], occupied_too);
        let path = Path::new("/dev/null");
        DevicePermit::obtain(path, &occupancy(occupants), &consent, |_| Users::default())
            .unwrap_err()
            .to_string()
    }

    fn signed() -> Vec<Occupant> {
        vec![Occupant::Signature {
            what: "ext4".into(),
            offset: 1080,
        }]
    }

    fn uses() -> Vec<Occupant> {
        let device = || "sdx1".to_owned();
        vec![
            Occupant::Mounted {
                device: device(),
                at: "/home".to_owned(),
            },
            Occupant::Swap {
                device: Text::name(device()),
            },
            Occupant::Holder {
                device: device(),
                holder: "md0".into(),
            },
            Occupant::Claimed,
            Occupant::Shown {
                what: Text::name(device()),
                by: "loop1".to_owned(),
            },
            Occupant::Opened {
                what: Text::name(device()),
                pid: 7,
                program: "qemu".to_owned(),
            },
            Occupant::OpenedUnseen,
            Occupant::Unseen {
                sentence: "nobody knows".into(),
                way_out: "ask around".into(),
            },
            Occupant::Unwritable {
                sentence: "sdx is write-protected".into(),
            },
        ]
    }

    #[test]
    fn a_device_is_written_only_where_it_is_named_and_its_contents_are_given_up() {
        for (front, first, second) in [
            (
                Front::Door,
                "SOKUDO_DESTROY=WD-123",
                "--allow_mounted_write=1",
            ),
            (Front::Own, "--destroy WD-123", "--destroy-contents"),
        ] {
            for named in ["", "WD-1234", "WD-12", "/dev/null", "/", "sdx"] {
                let message = refusal_text(front, Vec::new(), named, true);
                assert!(
                    message.contains(first) && message.contains(named),
                    "{named}: {message}"
                );
                let is_of_door = message.contains("SOKUDO_DESTROY");
                assert_eq!(is_of_door, front == Front::Door, "{message}");
            }
            let message = refusal_text(front, signed(), "WD-123", false);
            assert!(
                message.contains("it holds ext4") && message.contains(second),
                "{message}"
            );
            let message = refusal_text(front, signed(), "", false);
            assert!(
                message.contains(first) && message.contains(second),
                "{message}"
            );
            let message = refusal_text(front, signed(), "", true);
            assert!(
                message.contains(first) && !message.contains(second),
                "{message}"
            );
            // /dev/null is not the device that was looked at.
            let message = refusal_text(front, Vec::new(), "WD-123", false);
            assert!(message.contains("another device"), "{message}");
        }
    }

    #[test]
    fn consent_for_files_reaches_no_device() {
        let consent = Consent::new(Front::Door, [], true).for_files(true);
        let path = Path::new("/dev/null");
        let refused =
            DevicePermit::obtain(path, &occupancy(signed()), &consent, |_| Users::default());
        assert!(matches!(refused, Err(ConsentError::NotNamed { .. })));
    }

    #[test]
    fn a_device_in_use_is_never_written_by_commands_of_our_own() {
        for occupant in uses() {
            let message = refusal_text(Front::Own, vec![occupant.clone()], "WD-123", true);
            assert!(message.contains(&occupant.to_string()), "{message}");
            assert!(message.contains("whatever is allowed"), "{message}");
            assert!(!message.contains("--destroy"), "no flag helps: {message}");
        }
        let mounted = refusal_text(Front::Own, uses(), "WD-123", true);
        assert!(mounted.contains("unmount it"), "{mounted}");
    }

    #[test]
    fn what_is_not_seen_names_what_makes_it_seen() {
        let unseen = uses()
            .into_iter()
            .filter(|it| matches!(it, Occupant::Unseen { .. }));
        let message = refusal_text(Front::Own, unseen.collect(), "WD-123", true);
        assert!(message.ends_with("nobody knows; ask around"), "{message}");
    }

    #[test]
    fn a_door_goes_as_far_as_its_tool_but_not_to_what_takes_no_writes() {
        for occupant in uses() {
            let message = refusal_text(Front::Door, vec![occupant.clone()], "WD-123", true);
            let is_unwritable = matches!(occupant, Occupant::Unwritable { .. });
            // /dev/null stands for a node that changed after it was looked at.
            assert_eq!(
                message.contains("another device"),
                !is_unwritable,
                "{message}"
            );
        }
    }

    #[test]
    fn what_anybody_uses_is_not_written_back() {
        for occupant in uses() {
            let reason = occupant.to_string();
            let occupancy = occupancy(vec![signed().remove(0), occupant]);
            let refused =
                RewritePermit::obtain(Path::new("/dev/null"), &occupancy, |_| Users::default());
            let message = refused.unwrap_err().to_string();
            assert!(
                message.contains(&reason) && !message.contains("ext4"),
                "{message}"
            );
        }
    }

    #[test]
    fn what_it_holds_keeps_nobody_from_writing_it_back() {
        let mut occupants = signed();
        occupants.push(Occupant::Partition {
            name: "sdx1".to_owned(),
        });
        // /dev/null stands for a node that changed after it was looked at.
        let refused = RewritePermit::obtain(Path::new("/dev/null"), &occupancy(occupants), |_| {
            Users::default()
        });
        assert!(matches!(refused, Err(ConsentError::Changed(_))));
    }

    #[test]
    fn an_empty_word_is_no_consent_for_a_device_without_a_serial() {
        let mut nameless = occupancy(Vec::new());
        nameless.serial = Some(String::new());
        let consent = Consent::new(Front::Own, [String::new(), "  ".to_owned()], true);
        assert!(!consent.names(&nameless));
    }
}
