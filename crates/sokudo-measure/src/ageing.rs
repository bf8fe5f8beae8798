//! A file system that has been used: files are made until it is as full as wanted, then some
//! are deleted, others written over, and new ones made, from a seed.
//!
//! It makes free space fragmented and files scattered, as months do. It works in a folder of its
//! own in a file system of our own.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use sokudo_engine::Control;
use sokudo_model::Ageing;
use sokudo_stats::Random;

/// The folder of the files that make it used.
const FOLDER: &str = "sokudo-ageing";

/// Sizes of files: 4 KiB to 4 MiB, each doubling as likely as the next.
const SIZE_MIN: u64 = 4 << 10;
const DOUBLINGS: u64 = 10;

/// Times that a third of the files is deleted and made anew.
const ROUNDS: u64 = 3;

/// One file in this many is deleted in a round, and as many are written over.
const CHURNED: u64 = 3;

/// More files take hours to make.
const FILES_MAX: usize = 1_000_000;

/// Files to a folder, as file systems slow down with more.
const FILES_A_FOLDER: u64 = 1_000;

/// Makes the file system at `mount_point` used.
///
/// # Errors
/// When a file cannot be made or written, or somebody wants it to end.
pub fn age(mount_point: &Path, ageing: Ageing, control: &Control) -> io::Result<()> {
    let mut used = UsedFiles {
        folder: mount_point.join(FOLDER),
        fill: f64::from(ageing.fill_percent) / 100.0,
        lot: Random::stream(ageing.seed, 0),
        files: Vec::new(),
        made: 0,
        data: data(ageing.seed),
        control,
    };
    fs::create_dir(&used.folder)?;
    used.fill()?;
    for _ in 0..ROUNDS {
        used.churn()?;
        used.fill()?;
    }
    // What is measured next finds nothing that is yet to be written.
    rustix::fs::syncfs(File::open(mount_point)?)?;
    Ok(())
}

struct UsedFiles<'a> {
    folder: PathBuf,
    fill: f64,
    lot: Random,
    files: Vec<(PathBuf, u64)>,
    /// How many were made in all.
    made: u64,
    data: Vec<u8>,
    control: &'a Control,
}

impl UsedFiles<'_> {
    /// Makes files until the file system is as full as wanted.
    fn fill(&mut self) -> io::Result<()> {
        while self.files.len() < FILES_MAX && self.share()? < self.fill {
            self.go_on()?;
            let doublings = self.lot.below(DOUBLINGS);
            let size = (SIZE_MIN << doublings) + self.lot.below(SIZE_MIN << doublings);
            let folder = self.folder.join((self.made / FILES_A_FOLDER).to_string());
            if self.made.is_multiple_of(FILES_A_FOLDER) {
                fs::create_dir(&folder)?;
            }
            let path = folder.join(self.made.to_string());
            self.made += 1;
            let mut options = OpenOptions::new();
            let file = options.write(true).create_new(true).open(&path)?;
            match write(&file, &self.data, size) {
                Ok(()) => self.files.push((path, size)),
                // Full before it says so: metadata take their share.
                Err(error) if error.kind() == io::ErrorKind::StorageFull => {
                    return fs::remove_file(path);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Deletes some files and writes over a part of others.
    fn churn(&mut self) -> io::Result<()> {
        let mut index = 0;
        while index < self.files.len() {
            self.go_on()?;
            match self.lot.below(2 * CHURNED) {
                0 | 1 => {
                    let (path, _) = self.files.swap_remove(index);
                    fs::remove_file(path)?;
                    continue;
                }
                2 | 3 => {
                    let (path, size) = &self.files[index];
                    let file = OpenOptions::new().write(true).open(path)?;
                    let at = self.lot.below(size.div_ceil(SIZE_MIN)) * SIZE_MIN;
                    let length = SIZE_MIN.min(size - at.min(*size));
                    let length = usize::try_from(length).expect("a block fits a usize");
                    file.write_all_at(&self.data[..length], at)?;
                }
                _ => {}
            }
            index += 1;
        }
        Ok(())
    }

    /// How full it is.
    fn share(&self) -> io::Result<f64> {
        let space = rustix::fs::statvfs(&self.folder)?;
        let used = space.f_blocks.saturating_sub(space.f_bfree);
        let share = used as f64 / space.f_blocks.max(1) as f64;
        Ok(share)
    }

    fn go_on(&self) -> io::Result<()> {
        match self.control.is_cancelled() {
            true => Err(io::ErrorKind::Interrupted.into()),
            false => Ok(()),
        }
    }
}

/// What cannot be compressed.
fn data(seed: u64) -> Vec<u8> {
    let mut lot = Random::stream(seed, 1);
    let words = (0..(1 << 20) / 8).flat_map(|_| lot.next_u64().to_le_bytes());
    words.collect()
}

fn write(mut file: &File, data: &[u8], size: u64) -> io::Result<()> {
    let mut left = size;
    while left > 0 {
        let length = usize::try_from(left).unwrap_or(data.len()).min(data.len());
        file.write_all(&data[..length])?;
        left -= length as u64;
    }
    Ok(())
}
