//! Why MPI does not do what is asked.

use std::path::PathBuf;

#[derive(Debug, sokudo_words::Error)]
pub enum MpiError {
    #[error("{} cannot be loaded: {why}", library.display())]
    NotLoaded { library: PathBuf, why: String },
    #[error("{} is no MPI library that sokudo knows; it lacks {lacks}", library.display())]
    Unknown { library: PathBuf, lacks: String },
    #[error(
        "{} has the interface of MPI 5 (libmpi_abi), which sokudo does not speak yet; name libmpi or libmpich beside it",
        .0.display()
    )]
    Abi(PathBuf),
    #[error("MPI was begun before in this process")]
    Twice,
    /// In the library's words.
    #[error("{function} has failed: {why}")]
    Failed { function: &'static str, why: String },
    #[error("rank {from} has sent {bytes} bytes at once, and at most {most} are taken")]
    TooLong { from: u32, bytes: u64, most: usize },
    #[error("there is no rank {0}")]
    NoRank(u32),
}
