//! A page that is served, with a store and a directory of its own.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};

use crate::keeper::Keeper;

/// Ends the page when its input ends, with what it measures.
const KEEPER: &str = "\"$@\" & read -r _; kill \"$!\"; wait";

/// As whom the page serves where root starts it.
const NOBODY: u32 = 65_534;

pub(crate) struct Site {
    /// With its key.
    pub(crate) address: String,
    /// The one that can only look.
    pub(crate) look: String,
    pub(crate) language: &'static str,
    _keeper: Keeper,
    /// Whoever reads no more is told so by a signal.
    _printed: BufReader<ChildStdout>,
    folder: tempfile::TempDir,
}

impl Site {
    /// Serves in a language, with an empty store.
    pub(crate) fn start(language: &'static str) -> Self {
        // Not in memory, where direct I/O does not work, and where nobody may go.
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let home = folder.path().join("home");
        make_directory(&home);
        let mut command = Keeper::command(KEEPER);
        command
            .args([crate::program::path(), "page", "--lang", language])
            .env("SOKUDO_STORE", folder.path().join("runs.db"))
            .env("HOME", home)
            .env("TMPDIR", folder.path())
            .stdout(Stdio::piped());
        let mut keeper = Keeper::start(&mut command);
        let mut printed = BufReader::new(keeper.0.stdout.take().unwrap());
        let mut address = || {
            let mut line = String::new();
            printed.read_line(&mut line).unwrap();
            let at = line.find("http://").expect("the page prints its addresses");
            line[at..].trim_end().to_owned()
        };
        Self {
            address: address(),
            look: address(),
            language,
            _keeper: keeper,
            _printed: printed,
            folder,
        }
    }

    /// The address without its key.
    pub(crate) fn origin(&self) -> String {
        let (origin, _) = self.address.split_once("/#").unwrap();
        origin.to_owned()
    }

    /// A directory in the one that the page offers first.
    pub(crate) fn home_with(&self, name: &str) -> PathBuf {
        let path = self.folder.path().join("home").join(name);
        make_directory(&path);
        path
    }

    /// A file without contents, of any size.
    pub(crate) fn file(&self, bytes: u64) -> PathBuf {
        let path = self.folder.path().join("file");
        fs::File::create(&path).unwrap().set_len(bytes).unwrap();
        path
    }

    /// What the command line prints, with the store of the page.
    pub(crate) fn sokudo(&self, arguments: &[&str]) -> String {
        let output = Command::new(crate::program::path())
            .args(arguments)
            .env("SOKUDO_STORE", self.folder.path().join("runs.db"))
            .env("SOKUDO_LANG", self.language)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

/// A directory in which the page may measure.
fn make_directory(path: &Path) {
    fs::create_dir(path).unwrap();
    if rustix::process::geteuid().is_root() {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
}
