//! Where runs are kept, for every command that keeps or shows some.

use std::ffi::OsString;
use std::ops::Deref;
use std::path::PathBuf;

use clap::Args;
use sokudo_words::{Text, text};

use crate::arguments::heading::KEPT;
use crate::invocation;

/// Names the store where no option does.
pub const VARIABLE: &str = "SOKUDO_STORE";

/// Where runs are kept, as given.
#[derive(Clone, Debug, Args)]
pub struct Keeping {
    /// Where to keep runs: file, postgresql://… or none [default: data folder]
    ///
    /// A file is a SQLite database. The default is sokudo/runs.db in $XDG_DATA_HOME, or
    /// in ~/.local/share; the variable SOKUDO_STORE names another.
    #[arg(long, value_name = "WHERE", help_heading = KEPT)]
    pub store: Option<Location>,
}

/// The same of a command that has runs to keep, and need not.
#[derive(Clone, Debug, Args)]
#[group(skip)]
pub struct RunKeeping {
    #[command(flatten)]
    keeping: Keeping,

    /// Do not keep this run
    #[arg(long, conflicts_with = "store", help_heading = KEPT)]
    no_store: bool,
}

static NOWHERE: Keeping = Keeping {
    store: Some(Location::None),
};

impl Deref for RunKeeping {
    type Target = Keeping;

    fn deref(&self) -> &Keeping {
        match self.no_store {
            true => &NOWHERE,
            false => &self.keeping,
        }
    }
}

/// Where a store is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// No store: runs are not kept.
    None,
    /// A SQLite file at this path.
    File(PathBuf),
    /// A PostgreSQL server at this address, `postgresql://…`.
    Server(String),
}

impl std::str::FromStr for Location {
    type Err = Text;

    fn from_str(text: &str) -> Result<Self, Text> {
        match text {
            "" => Err(text!("name a file, postgresql://…, or none")),
            "none" => Ok(Self::None),
            _ if text.starts_with("postgresql://") || text.starts_with("postgres://") => {
                Ok(Self::Server(text.to_owned()))
            }
            _ => Ok(Self::File(PathBuf::from(text))),
        }
    }
}

impl Location {
    /// Refuses the addresses of other servers, which would be taken for files. They are not
    /// quoted, because they may hold a password.
    fn known(self) -> Result<Self, Text> {
        match &self {
            Self::File(path) if path.to_string_lossy().contains("://") => Err(text!(
                "sokudo does not know this kind of address for a store; use postgresql://USER@HOST/DATABASE, a file or none"
            )),
            _ => Ok(self),
        }
    }
}

impl Keeping {
    /// What the variable names; `None` where it is not set.
    pub fn of_variable() -> Option<Self> {
        let value = invocation::variable_os(VARIABLE)?;
        (!value.is_empty()).then_some(Self { store: None })
    }

    /// What says to another sokudo where to keep, in the variable; `None` where nothing was given.
    pub fn named(&self) -> Option<OsString> {
        match &self.store {
            Some(Location::None) => Some("none".into()),
            Some(Location::File(path)) => Some(path.clone().into()),
            Some(Location::Server(address)) => Some(address.clone().into()),
            None => None,
        }
    }

    /// Where to keep; an error where no folder is known.
    pub fn location(&self) -> Result<Location, Text> {
        if let Some(location) = &self.store {
            return location.clone().known();
        }
        if let Some(value) = invocation::variable_os(VARIABLE).filter(|value| !value.is_empty()) {
            return match value.into_string() {
                Ok(text) => text.parse::<Location>()?.known(),
                Err(value) => Ok(Location::File(value.into())),
            };
        }
        data_folder()
            .map(|folder| Location::File(folder.join("sokudo/runs.db")))
            .ok_or_else(|| {
                text!("neither XDG_DATA_HOME nor HOME names a folder; name a file with --store")
            })
    }
}

/// As the XDG Base Directory Specification has it: relative paths are ignored.
pub fn data_folder() -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = PathBuf::from(invocation::variable_os(name)?);
        path.is_absolute().then_some(path)
    };
    absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(".local/share")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_a_file_a_server_or_none() {
        assert_eq!("none".parse(), Ok(Location::None));
        assert_eq!("./none".parse(), Ok(Location::File("./none".into())));
        let server = "postgresql://host/base";
        assert_eq!(server.parse(), Ok(Location::Server(server.to_owned())));
        assert!("".parse::<Location>().is_err());
    }

    #[test]
    fn the_address_of_another_server_is_no_file_and_is_not_quoted() {
        for address in [
            "mysql://me:secret@host/base",
            "POSTGRESQL://me:secret@host/base",
            "https://secret",
        ] {
            let keeping = Keeping {
                store: address.parse().ok(),
            };
            let message = keeping.location().unwrap_err().english();
            assert!(message.contains("does not know"), "{message}");
            assert!(!message.contains("secret"), "{message}");
        }
    }
}
