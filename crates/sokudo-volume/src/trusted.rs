//! Programs that root may run whoever has named them: nobody else can change them.

use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::error::{VolumeError, unusable};

/// Who may write besides the owner.
const SHARED: u32 = 0o022;

/// The file that a path leads to, if it, every folder and every link on the way is root's and no
/// one else may write there.
///
/// # Errors
/// What others may change, or what cannot be followed.
pub fn trusted_program(program: &Path) -> Result<PathBuf, VolumeError> {
    let parts = |path: &Path| -> Vec<OsString> {
        let parts = path.components().rev();
        parts.map(|part| part.as_os_str().to_owned()).collect()
    };
    let closed = |path: &Path| match path.symlink_metadata() {
        Ok(it) if is_closed(&it) => Ok(()),
        Ok(_) => Err(VolumeError::ChangedByOthers(path.to_owned())),
        Err(error) => Err(unusable(path, error)),
    };
    // It is there, and its links have an end.
    let _ = (program.canonicalize()).map_err(|error| unusable(program, error))?;
    let mut left = parts(program);
    let mut at = PathBuf::from("/");
    while let Some(part) = left.pop() {
        closed(&at)?;
        let next = at.join(&part);
        match next.read_link() {
            _ if part == ".." => drop(at.pop()),
            Ok(target) => left.extend(parts(&target)),
            Err(_) => at = next,
        }
    }
    closed(&at)?;
    Ok(at)
}

fn is_closed(it: &Metadata) -> bool {
    it.uid() == 0 && it.mode() & SHARED == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn what_others_could_change_on_the_way_is_refused() {
        let shell = trusted_program(Path::new("/bin/sh")).unwrap();
        assert_eq!(shell, Path::new("/bin/sh").canonicalize().unwrap());
        let directory = tempfile::tempdir().unwrap();
        let own = directory.path().canonicalize().unwrap().join("own");
        fs::write(&own, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&own, fs::Permissions::from_mode(0o755)).unwrap();
        let link = own.with_file_name("link");
        symlink("/bin/sh", &link).unwrap();
        // Whoever runs this: /tmp is everybody's, or a home is its user's.
        for path in [&own, &link, &PathBuf::from("/usr/../tmp/../bin/sh")] {
            let refused = trusted_program(path);
            let is_refused = matches!(refused, Err(VolumeError::ChangedByOthers(_)));
            assert!(is_refused, "{refused:?}");
        }
        assert!(trusted_program(Path::new("/bin/sokudo-none")).is_err());
    }
}
