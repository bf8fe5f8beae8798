//! What can be varied, and why something cannot.

/// A table with more cells takes days, and nobody reads it.
pub const CELLS_MAX: usize = 1_000;

/// A name of an axis or a value stands in tags and at the head of columns.
pub(super) const NAME_CHARACTERS_MAX: usize = 40;

/// What an axis is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AxisKind {
    Raid,
    FileSystem,
    Mount,
    Scheduler,
    WriteCache,
    Ageing,
    /// Its values have nothing but options.
    Own(String),
}

impl AxisKind {
    /// Those that the command line knows, with the words of their options.
    pub const KNOWN: [(Self, &'static str); 6] = [
        (Self::Raid, "raid"),
        (Self::FileSystem, "fs"),
        (Self::Mount, "mount"),
        (Self::Scheduler, "scheduler"),
        (Self::WriteCache, "write-cache"),
        (Self::Ageing, "ageing"),
    ];

    /// The axis of this name.
    pub fn named(name: &str) -> Self {
        let known = Self::KNOWN.into_iter().find(|(_, word)| *word == name);
        known.map_or_else(|| Self::Own(name.to_owned()), |(kind, _)| kind)
    }

    pub fn name(&self) -> &str {
        match self {
            Self::Own(name) => name,
            known => {
                let mut words = Self::KNOWN.iter();
                let word = words.find(|(kind, _)| kind == known);
                word.expect("every kind but one's own has a word").1
            }
        }
    }
}

/// It cannot be a matrix.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
pub enum MatrixError {
    #[error(
        "--raid {word}: write a level, with the number of disks if not all: none, 0, 1, 5, 6, 10, 0@2, md:0 for mdadm below any file system"
    )]
    Raid { word: String },
    #[error("--fs {word}: use {known}")]
    FileSystem { word: String, known: String },
    #[error("--write-cache {word}: use on or off")]
    WriteCache { word: String },
    #[error("--ageing {word}: write fresh, or how full the file system is made, such as 60%")]
    Ageing { word: String },
    #[error(
        "--scheduler {word:?} is no name of a scheduler; write one of /sys/block/DISK/queue/scheduler, such as none"
    )]
    Scheduler { word: String },
    #[error(
        "the mount option {word:?} cannot be given: it contains a space or belongs to the matrix itself; leave it out"
    )]
    MountOption { word: String },
    #[error(
        "the value {text:?} of {axis}: {word:?} is not one of name=, mkfs=, mount=, mdadm=, zpool=, method="
    )]
    UnknownOption {
        axis: String,
        text: String,
        word: String,
    },
    #[error("{axis} has the value {name:?} twice; give one of them another name with name=")]
    Twice { axis: String, name: String },
    #[error("{axis} has no values; name at least one")]
    Empty { axis: String },
    #[error(
        "{name:?} cannot be a name of a value: it needs 1 to {NAME_CHARACTERS_MAX} printable characters; give another with name="
    )]
    Name { name: String },
    #[error(
        "{name:?} cannot be an axis: use letters, digits, - and _, and none of the names that the matrix uses itself (matrix, block, label)"
    )]
    AxisName { name: String },
    #[error(
        "the axes make {count} cells, and at most {CELLS_MAX} are possible; leave some values out"
    )]
    TooMany { count: usize },
    #[error(
        "{what} cannot be read as a matrix: {why}; sokudo matrix --example prints one that can"
    )]
    File { what: String, why: String },
}
