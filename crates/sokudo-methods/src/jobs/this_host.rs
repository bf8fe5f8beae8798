//! This machine, as dialects ask about it.

use std::fs;
use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use rustix::fs::SeekFrom;
use sokudo_device::storage_node;
use sokudo_model::Bytes;
use sokudo_terminal::invocation;
use sokudo_tools::language::host::{Host, HostPath, HostPathKind};

/// Job files and profiles are read up to this size; nobody writes one so long.
const TEXT_BYTES_MAX: u64 = 16 << 20;

/// The machine that the program runs on.
pub struct ThisHost;

impl Host for ThisHost {
    fn read_text(&self, path: &str) -> Result<String, String> {
        let bytes = self.read_bytes(path, TEXT_BYTES_MAX)?;
        String::from_utf8(bytes).map_err(|_| format!("{path} is not UTF-8 text"))
    }

    fn variable(&self, name: &str) -> Option<String> {
        invocation::variable(name)
    }

    fn found(&self, path: &str) -> Option<HostPath> {
        use HostPathKind::{BlockDevice, Directory, File, Other};
        let path = &storage_node(PathBuf::from(path));
        let metadata = fs::metadata(path).ok()?;
        let kind = metadata.file_type();
        let (kind, bytes) = if kind.is_file() {
            (File, metadata.len())
        } else if kind.is_dir() {
            (Directory, 0)
        } else if kind.is_block_device() {
            (BlockDevice, device_bytes(path).unwrap_or(0))
        } else {
            (Other, 0)
        };
        Some(HostPath {
            kind,
            bytes: Bytes(bytes),
        })
    }

    fn processors(&self) -> u32 {
        u32::try_from(self.processor_numbers().len()).unwrap_or(1)
    }

    fn page_bytes(&self) -> u64 {
        rustix::param::page_size() as u64
    }

    fn memory_bytes(&self) -> u64 {
        let info = rustix::system::sysinfo();
        info.totalram.saturating_mul(u64::from(info.mem_unit))
    }

    fn seed(&self) -> u64 {
        let mut bytes = [0; 8];
        match rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::INSECURE) {
            Ok(8) => u64::from_ne_bytes(bytes),
            // Only kernels before 5.6 do not know the flag; the time differs as well.
            _ => invocation::now().0,
        }
    }

    fn read_bytes(&self, path: &str, length: u64) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let mut read = |from: &mut dyn Read| from.take(length).read_to_end(&mut bytes);
        let done = match path {
            "-" => read(&mut invocation::input()),
            _ => fs::File::open(path).and_then(|mut file| read(&mut file)),
        };
        done.map_err(|error| format!("{path} cannot be read: {error}"))?;
        Ok(bytes)
    }

    fn processor_numbers(&self) -> Vec<u32> {
        let Ok(set) = rustix::thread::sched_getaffinity(None) else {
            return vec![0];
        };
        (0..u32::try_from(rustix::thread::CpuSet::MAX_CPU).unwrap_or(0))
            .filter(|number| set.is_set(*number as usize))
            .collect()
    }
}

/// The size of a block device, where it may be opened; stat says 0.
fn device_bytes(path: &Path) -> Option<u64> {
    let device = fs::File::open(path).ok()?;
    rustix::fs::seek(device, SeekFrom::End(0)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_processors_memory_and_files() {
        let host: &dyn Host = &ThisHost;
        assert!(host.processors() >= 1);
        assert_eq!(host.processors() as usize, host.processor_numbers().len());
        assert!(host.page_bytes().is_power_of_two());
        assert!(host.memory_bytes() > 1 << 20);
        assert_eq!(host.found("/").unwrap().kind, HostPathKind::Directory);
        assert_eq!(host.found("/dev/null").unwrap().kind, HostPathKind::Other);
        assert_eq!(host.found("/does/not/exist"), None);
        assert_ne!(host.seed(), host.seed());
        assert!(host.read_text("/does/not/exist").is_err());
        assert!(host.read_text("/proc/self/mountinfo").is_ok());
    }
}
