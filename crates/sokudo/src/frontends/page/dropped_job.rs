//! A fio job file that was dropped on the page. It is kept beside the runs, under a name that tells
//! its contents, so that the command line of its run can be repeated; one that was only planned is
//! not.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use sokudo_terminal::arguments::store::data_folder;
use sokudo_words::{Text, text};
use tempfile::NamedTempFile;

/// Digits of the digest in a name: nobody drops as many files as make two alike.
const DIGITS: usize = 12;

pub(crate) struct JobFile {
    text: String,
    path: PathBuf,
}

impl JobFile {
    /// Of a text, which is not yet kept.
    pub(crate) fn new(text: &str) -> Result<Self, Text> {
        let folder = data_folder().ok_or_else(|| {
            text!("neither XDG_DATA_HOME nor HOME names a folder to keep the job file in; set one of them")
        })?;
        Ok(Self {
            text: text.to_owned(),
            path: folder.join("sokudo/jobs").join(name_of(text)),
        })
    }

    /// Where it is kept, or will be.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps it. Whole or not at all: a file of this name has this contents.
    pub(crate) fn keep(&self) -> Result<(), Text> {
        let keep = || -> io::Result<()> {
            let folder = self.path.parent().expect("it is in a folder");
            fs::create_dir_all(folder)?;
            let file = written(NamedTempFile::new_in(folder)?, &self.text)?;
            file.persist(&self.path)?;
            Ok(())
        };
        keep().map_err(|error| {
            let path = self.path.display();
            text!("the job file cannot be kept as {path}: {error}; make room, or name another folder in XDG_DATA_HOME")
        })
    }

    /// The same for a moment.
    pub(crate) fn for_a_moment(&self) -> Result<NamedTempFile, Text> {
        let write = || {
            let file = tempfile::Builder::new().suffix(".fio").tempfile()?;
            written(file, &self.text)
        };
        write().map_err(|error| text!("the job file cannot be kept: {error}; free space in TMPDIR"))
    }
}

fn written(mut file: NamedTempFile, text: &str) -> io::Result<NamedTempFile> {
    file.write_all(text.as_bytes())?;
    file.flush()?;
    Ok(file)
}

fn name_of(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}.fio", &digits[..DIGITS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_what_is_in_the_file() {
        assert_eq!(name_of("[a]\n"), name_of("[a]\n"));
        assert_ne!(name_of("[a]\n"), name_of("[b]\n"));
        assert_eq!(name_of("").len(), DIGITS + ".fio".len());
    }

    #[test]
    fn it_is_kept_whole_and_as_often_as_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let text = "[a]\nrw=read\n".to_owned();
        let path = folder.path().join("jobs").join(name_of(&text));
        let job = JobFile { text, path };
        for _ in 0..2 {
            job.keep().unwrap();
            assert_eq!(fs::read_to_string(job.path()).unwrap(), job.text);
        }
        let kept = fs::read_dir(folder.path().join("jobs")).unwrap();
        assert_eq!(kept.count(), 1, "nothing else is left");
        assert_eq!(
            fs::read_to_string(job.for_a_moment().unwrap().path()).unwrap(),
            job.text
        );
    }
}
