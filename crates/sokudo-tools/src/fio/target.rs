//! Where a printed job file runs.

use sokudo_model::Bytes;

/// The name of the test file that printed job files make and remove.
pub const TEST_FILE_NAME: &str = "sokudo-fio-test-file";

/// The target of a printed job file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobFileTarget {
    site: TargetLocation,
    pub(super) read_only: bool,
    pub(super) size: Option<Bytes>,
    /// Whether the file begins empty.
    grows: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TargetLocation {
    Directory(String),
    File(String),
}

/// Why a path cannot stand in a job file.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
pub enum JobFilePathError {
    /// fio would read something else than the path.
    #[error(
        "{path:?} cannot be written in a fio job file, which has no way to quote {part:?}; give the path under another name, such as a symbolic link"
    )]
    Unwritable {
        path: String,
        /// What fio would not take as part of a name.
        part: String,
    },
    /// A name is missing.
    #[error("the path of the target is empty; use . for the current directory")]
    Empty,
}

impl JobFileTarget {
    /// A directory in which the job file makes a test file of `size`, and from
    /// which it removes it. Absolute, if the job file is to run from anywhere.
    ///
    /// # Errors
    /// [`JobFilePathError`] if fio's language cannot express the path.
    pub fn directory(path: &str, size: Bytes) -> Result<Self, JobFilePathError> {
        Ok(Self {
            site: TargetLocation::Directory(escaped(path)?),
            read_only: false,
            size: Some(size),
            grows: false,
        })
    }

    /// An existing file or device, which the job file reads and writes but neither
    /// makes nor removes.
    /// `size` is how much of it is used; `None` is all.
    ///
    /// # Errors
    /// As [`JobFileTarget::directory`].
    pub fn file(path: &str, size: Option<Bytes>) -> Result<Self, JobFilePathError> {
        Ok(Self {
            site: TargetLocation::File(escaped(path)?),
            read_only: false,
            size,
            grows: false,
        })
    }

    /// The same with a test file that is empty at first.
    #[must_use]
    pub fn growing(self) -> Self {
        Self {
            grows: true,
            ..self
        }
    }

    /// An existing file or device that is only read: workloads that would write
    /// are left out.
    ///
    /// # Errors
    /// As [`JobFileTarget::directory`].
    pub fn read_only_file(path: &str, size: Option<Bytes>) -> Result<Self, JobFilePathError> {
        Self::file(path, size).map(|target| Self {
            read_only: true,
            ..target
        })
    }

    /// Whether the job file makes its own file, and so must remove it.
    pub(super) const fn is_own_file(&self) -> bool {
        matches!(self.site, TargetLocation::Directory(_))
    }

    /// The options that name the target.
    pub(super) fn options(&self) -> Vec<String> {
        match &self.site {
            TargetLocation::Directory(path) => {
                let mut options = vec![
                    format!("directory={path}"),
                    format!("filename={TEST_FILE_NAME}"),
                    // Unwritten blocks would be read without touching the device.
                    "fallocate=none".to_owned(),
                ];
                // Lays the file out in full before a job that only writes, too.
                options.extend((!self.grows).then(|| "overwrite=1".to_owned()));
                options
            }
            TargetLocation::File(path) => {
                vec![format!("filename={path}"), "allow_file_create=0".to_owned()]
            }
        }
    }
}

/// The path in fio's notation: a colon separates paths unless escaped.
fn escaped(path: &str) -> Result<String, JobFilePathError> {
    if path.is_empty() {
        return Err(JobFilePathError::Empty);
    }
    let unwritable = |part: &str| JobFilePathError::Unwritable {
        path: path.to_owned(),
        part: part.to_owned(),
    };
    for part in [";", "#", "$", "\\", "\"", "'"] {
        if path.contains(part) {
            return Err(unwritable(part));
        }
    }
    if let Some(control) = path.chars().find(|c| c.is_control()) {
        return Err(unwritable(&control.to_string()));
    }
    if path.trim() != path {
        return Err(unwritable(" "));
    }
    Ok(path.replace(':', "\\:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_fio_would_read_otherwise_are_refused() {
        for path in ["/a;b", "/a#b", "/${HOME}", "/a\\b", "/a\nb", "/a ", " /a"] {
            let error = JobFileTarget::directory(path, Bytes::mib(1)).unwrap_err();
            assert!(
                matches!(error, JobFilePathError::Unwritable { .. }),
                "{path}"
            );
            assert!(error.to_string().contains("symbolic link"), "{error}");
        }
        assert_eq!(
            JobFileTarget::file("", None).unwrap_err().to_string(),
            "the path of the target is empty; use . for the current directory"
        );
    }

    #[test]
    fn colons_are_escaped() {
        let target = JobFileTarget::file("/dev/disk/by-path/pci-0000:00", None).unwrap();
        assert_eq!(
            target.options()[0],
            "filename=/dev/disk/by-path/pci-0000\\:00"
        );
    }
}
