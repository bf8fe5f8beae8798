//! What is seen on the running machine, with file systems on loop devices. What
//! needs root or a tool that is missing is skipped, loudly.

use std::fs::{self, File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

use sokudo_device::{
    FileStateError, InspectError, Inspected, System, cached_bytes, direct_io_support, drop_cached,
    environment, file_state, free_bytes, inspect,
};
use sokudo_model::{BlockDeviceKind, Bytes, DirectIoSupport, FileState, Occupant, TargetKind};

use crate::loop_device::{FileSystem, LoopDevice, Mounted};
use crate::sokudo::{is_root, skip};

const MIB: u64 = Bytes::MIB;

/// A new file system on a loop device. `None`, with a loud note, where it cannot be made.
fn file_system(make: &[&str], options: &str) -> Option<FileSystem> {
    FileSystem::made_by(make, options, 320 * MIB)
}

fn seen(system: &FileSystem, name: &str) -> Inspected {
    let path = system.path().join(name);
    inspect(&System::host(), path.to_str().unwrap()).unwrap()
}

/// What a program prints; None where it is not installed or fails.
fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

/// Bytes that no file system can compress.
fn noise(length: u64) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let words = (0..length.div_ceil(8)).flat_map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    });
    words.take(length as usize).collect()
}

fn create(path: &Path) -> File {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .open(path)
        .unwrap()
}

fn fallocate(path: &Path, length: u64) {
    let length = length.to_string();
    run("fallocate", &["-l", &length, path.to_str().unwrap()]).unwrap();
}

fn state_of(path: &Path) -> FileState {
    file_state(&File::open(path).unwrap()).unwrap()
}

/// Sparse, allocated, partly and fully written files, told apart.
fn check_file_states(mount: &FileSystem) {
    let sparse = mount.path().join("sparse");
    create(&sparse).set_len(4 * MIB).unwrap();
    let state = state_of(&sparse);
    assert_eq!((state.hole_bytes, state.extents), (Bytes::mib(4), 0));

    let allocated = mount.path().join("allocated");
    fallocate(&allocated, 4 * MIB);
    let state = state_of(&allocated);
    assert_eq!(state.unwritten_bytes, Bytes::mib(4));
    assert_eq!(state.hole_bytes, Bytes(0));

    let file = File::options().write(true).open(&allocated).unwrap();
    file.write_all_at(&noise(MIB), MIB).unwrap();
    assert_eq!(state_of(&allocated).unwritten_bytes, Bytes::mib(3));

    // Not synced by us: looking must first give the data its place.
    let partly = mount.path().join("partly");
    create(&partly).write_all_at(&noise(MIB), MIB).unwrap();
    let state = state_of(&partly);
    assert_eq!(state.hole_bytes, Bytes::mib(1));
    assert_eq!(state.unwritten_bytes, Bytes(0));

    let full = mount.path().join("full");
    create(&full).write_all_at(&noise(4 * MIB), 0).unwrap();
    let state = state_of(&full);
    assert_eq!(state.size_bytes, Bytes::mib(4));
    assert_eq!(
        (state.hole_bytes, state.unwritten_bytes),
        Default::default()
    );
    assert_eq!(state.shared_bytes, Bytes(0));
    assert!(state.extents >= 1);

    let odd = mount.path().join("odd");
    create(&odd).write_all_at(&noise(5000), 0).unwrap();
    let state = state_of(&odd);
    assert_eq!(
        (state.size_bytes, state.hole_bytes),
        (Bytes(5000), Bytes(0))
    );
    check_cache(&full);
}

fn check_cache(path: &Path) {
    let file = File::open(path).unwrap();
    let all = Bytes(file.metadata().unwrap().len());
    fs::read(path).unwrap();
    assert_eq!(cached_bytes(&file, all), Some(all));
    assert_eq!(cached_bytes(&file, Bytes(5000)), Some(Bytes(5000)));
    drop_cached(&file).unwrap();
    assert_eq!(cached_bytes(&file, all), Some(Bytes(0)));
    // Dirty pages go as well, when the file is ours to sync.
    let file = File::options().read(true).write(true).open(path).unwrap();
    file.write_all_at(&noise(MIB), 0).unwrap();
    assert!(cached_bytes(&file, all).unwrap() >= Bytes::mib(1));
    drop_cached(&file).unwrap();
    assert_eq!(cached_bytes(&file, all), Some(Bytes(0)));
}

/// The stack under a loop mount: the loop device first, and below it what holds
/// the temporary directory.
fn check_stack(mount: &FileSystem, kind: &str) {
    let found = seen(mount, "");
    assert_eq!(found.info.kind, TargetKind::Directory);
    let file_system = found.info.file_system.as_ref().unwrap();
    assert_eq!(file_system.kind, kind);
    assert_eq!(Path::new(&file_system.source), mount.device.path);
    assert!(file_system.available_bytes.unwrap() > Bytes::mib(100));
    assert_eq!(
        free_bytes(mount.path()).unwrap() > Bytes::mib(100),
        file_system.total_bytes.unwrap() > Bytes::mib(100)
    );
    let top = &found.info.devices[0];
    assert_eq!(top.name, mount.device.name());
    assert_eq!(top.kind, BlockDeviceKind::Loop);
    assert!(!top.is_leaf);
    assert_eq!(top.size_bytes, Some(Bytes::mib(320)));
    let image = mount.device.image();
    assert_eq!(top.backing_file.as_deref(), image.to_str());
    assert!(top.backing_direct.is_some());
    let leaf_count = found.info.leaves().count();
    assert_eq!(found.counters.read().is_some(), leaf_count > 0);
}

#[test]
fn memory_is_no_device() {
    let Ok(directory) = tempfile::tempdir_in("/dev/shm") else {
        skip("there is no /dev/shm to write to");
        return;
    };
    let path = directory.path().join("file");
    fs::write(&path, noise(MIB)).unwrap();
    let found = inspect(&System::host(), path.to_str().unwrap()).unwrap();
    let file_system = found.info.file_system.unwrap();
    if file_system.kind != "tmpfs" {
        skip("/dev/shm is no tmpfs");
        return;
    }
    assert_eq!(found.info.devices, []);
    assert_eq!(found.counters.read(), None);
    assert_eq!(found.info.file_state, None);
    assert_eq!(found.info.direct_io, DirectIoSupport::Unknown);
    let [unlisted, no_device] = &found.info.blind_spots[..] else {
        panic!("{:?}", found.info.blind_spots);
    };
    assert!(unlisted.english().contains("does not list extents"));
    assert!(
        no_device
            .english()
            .ends_with("lives in memory: there is no device")
    );
}

#[test]
fn the_machine_describes_itself() {
    let seen = environment(&System::host());
    assert!(seen.kernel.is_some());
    assert!(seen.memory_bytes.unwrap() > Bytes::mib(64));
    assert!(seen.load_average.is_some());
}

#[test]
fn who_has_no_permission_is_told_so() {
    if is_root() {
        return skip("root has every permission");
    }
    let directory = tempfile::tempdir().unwrap();
    let closed = directory.path().join("closed");
    let file = directory.path().join("file");
    fs::create_dir(&closed).unwrap();
    fs::write(&file, "x").unwrap();
    for path in [&closed, &file] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o0)).unwrap();
    }
    for (path, verb) in [
        (closed.clone(), "enter"),
        (closed.join("below"), "reach"),
        (file, "read"),
    ] {
        let name = path.to_str().unwrap();
        let error = inspect(&System::host(), name).unwrap_err();
        assert!(matches!(error, InspectError::NoPermission { .. }));
        assert_eq!(
            error.to_string(),
            format!(
                "Permission denied: no right to {verb} {name}; \
                 run as root, or for a disk as a member of the group disk"
            )
        );
    }
    // Else the closed directory could not be removed.
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
    // What is readable is seen as well as by root.
    let found = inspect(&System::host(), directory.path().to_str().unwrap()).unwrap();
    assert!(found.info.file_system.is_some());
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn ext4_on_a_loop_device_is_seen_through() {
        let Some(mount) = file_system(&["mkfs.ext4", "-q"], "rw") else {
            return;
        };
        check_stack(&mount, "ext4");
        check_file_states(&mount);
        let found = seen(&mount, "full");
        assert_eq!(found.info.kind, TargetKind::File);
        assert_eq!(found.info.size_bytes, Some(Bytes::mib(4)));
        assert_eq!(found.info.file_state.unwrap().hole_bytes, Bytes(0));
        if let DirectIoSupport::Supported {
            offset_alignment, ..
        } = found.info.direct_io
        {
            assert!(offset_alignment >= Bytes(512));
        } else {
            skip("this kernel does not tell direct I/O alignment");
        }
    }

    #[test]
    fn ext4_that_journals_data_has_no_direct_io() {
        let Some(mount) = file_system(&["mkfs.ext4", "-q"], "data=journal") else {
            return;
        };
        let file = create(&mount.path().join("file"));
        let support = direct_io_support(&file);
        assert!(!matches!(support, DirectIoSupport::Supported { .. }));
    }

    #[test]
    fn xfs_on_a_loop_device_is_seen_through_and_reflinks_are_shared() {
        let Some(mount) = file_system(&["mkfs.xfs", "-q", "-f", "-m", "reflink=1"], "rw") else {
            return;
        };
        check_stack(&mount, "xfs");
        check_file_states(&mount);
        let (from, to) = (mount.path().join("full"), mount.path().join("copy"));
        let arguments = [
            "--reflink=always",
            from.to_str().unwrap(),
            to.to_str().unwrap(),
        ];
        if run("cp", &arguments).is_none() {
            skip("this xfs cannot share blocks");
            return;
        }
        assert_eq!(state_of(&from).shared_bytes, Bytes::mib(4));
        assert_eq!(state_of(&to).shared_bytes, Bytes::mib(4));
        assert_eq!(state_of(&to).repeated_bytes, Bytes(0));
        check_repeated(&mount);
    }

    /// A file that is one extent again and again.
    fn check_repeated(mount: &FileSystem) {
        const TIMES: u64 = 16;
        let path = mount.path().join("repeated");
        create(&path).write_all_at(&noise(MIB), 0).unwrap();
        File::open(&path).unwrap().sync_all().unwrap();
        assert_eq!(state_of(&path).repeated_bytes, Bytes(0));
        let name = path.to_str().unwrap();
        for number in 1..TIMES {
            let again = format!("reflink {name} 0 {} {MIB}", number * MIB);
            if run("xfs_io", &["-c", &again, name]).is_none() {
                return skip("no xfs_io to share blocks with");
            }
        }
        let state = state_of(&path);
        assert_eq!(state.size_bytes, Bytes(TIMES * MIB));
        assert_eq!(state.repeated_bytes, Bytes((TIMES - 1) * MIB));
        // What is written to one of them goes elsewhere.
        let file = File::options().write(true).open(&path).unwrap();
        file.write_all_at(&noise(MIB), 3 * MIB).unwrap();
        assert_eq!(state_of(&path).repeated_bytes, Bytes((TIMES - 2) * MIB));
    }

    #[test]
    fn btrfs_on_a_loop_device_is_seen_through_its_anonymous_number() {
        let Some(mount) = file_system(&["mkfs.btrfs", "-q"], "rw") else {
            return;
        };
        check_stack(&mount, "btrfs");
        check_file_states(&mount);
        check_repeated(&mount);
        create(&mount.path().join("tiny"))
            .write_all_at(b"in the inode", 0)
            .unwrap();
        assert_eq!(state_of(&mount.path().join("tiny")).inline_bytes, Bytes(12));
        let subvolume = mount.path().join("subvolume");
        if run(
            "btrfs",
            &["subvolume", "create", subvolume.to_str().unwrap()],
        )
        .is_some()
        {
            let found = seen(&mount, "subvolume");
            assert_eq!(found.info.devices[0].name, mount.device.name());
        } else {
            skip("no btrfs tool to make a subvolume with");
        }
    }

    #[test]
    fn what_btrfs_compresses_is_encoded() {
        let Some(mount) = file_system(&["mkfs.btrfs", "-q"], "compress-force=zstd") else {
            return;
        };
        let path = mount.path().join("zeros");
        create(&path)
            .write_all_at(&vec![0; MIB as usize], 0)
            .unwrap();
        assert_eq!(state_of(&path).encoded_bytes, Bytes::mib(1));
    }

    #[test]
    fn a_loop_device_itself_is_a_target() {
        let Some(mount) = file_system(&["mkfs.ext4", "-q"], "rw") else {
            return;
        };
        let found = inspect(&System::host(), mount.device.path.to_str().unwrap()).unwrap();
        assert_eq!(found.info.kind, TargetKind::BlockDevice);
        assert_eq!(found.info.size_bytes, Some(Bytes::mib(320)));
        assert_eq!(found.info.file_system, None);
        assert_eq!(found.info.file_state, None);
        assert_eq!(found.info.devices[0].name, mount.device.name());
        assert!(matches!(
            file_state(&File::open(&mount.device.path).unwrap()),
            Err(FileStateError::Unsupported)
        ));
    }

    #[test]
    fn an_overlay_is_followed_to_the_devices_of_its_upper_directory() {
        let Some(mount) = file_system(&["mkfs.ext4", "-q"], "rw") else {
            return;
        };
        for name in ["lower", "upper", "work", "merged"] {
            fs::create_dir(mount.path().join(name)).unwrap();
        }
        fs::write(mount.path().join("lower/file"), noise(4096)).unwrap();
        let path = |name: &str| mount.path().join(name).to_str().unwrap().to_owned();
        let (merged, options) = (
            path("merged"),
            format!(
                "lowerdir={},upperdir={},workdir={}",
                path("lower"),
                path("upper"),
                path("work")
            ),
        );
        if run(
            "mount",
            &["-t", "overlay", "-o", &options, "overlay", &merged],
        )
        .is_none()
        {
            skip("overlay cannot be mounted");
            return;
        }
        let directory = seen(&mount, "merged");
        let file = seen(&mount, "merged/file");
        let used = |name: &str| {
            sokudo_device::users(&File::open(mount.path().join("merged").join(name)).unwrap())
        };
        let users = used("file");
        // What the upper layer holds is written in place, and whoever has it open relies on it.
        let upper = mount.path().join("upper/other");
        fs::write(&upper, noise(1 << 20)).unwrap();
        assert_eq!(used("other").occupants, []);
        let file_of_writer = File::options().write(true).open(&upper).unwrap();
        let mut writer = Command::new("sleep");
        let mut writer = writer.arg("600").stdout(file_of_writer).spawn().unwrap();
        let opened = used("other");
        writer.kill().unwrap();
        writer.wait().unwrap();
        let shown = LoopDevice::over(&upper, false).map(|_loop| used("other"));
        run("umount", &["--lazy", &merged]);
        assert_eq!(directory.info.file_system.unwrap().kind, "overlay");
        assert_eq!(directory.info.devices[0].name, mount.device.name());
        assert_eq!(file.info.devices[0].name, mount.device.name());
        // A file of a lower layer is copied when it is written, whoever shows it.
        assert_eq!(users.occupants, []);
        assert_eq!(users.blind_spots, [""; 0]);
        assert_ne!(opened.occupants, [], "{opened:?}");
        if let Some(shown) = shown {
            let by_loop = |it: &Occupant| matches!(it, Occupant::Shown { .. });
            assert!(shown.occupants.iter().any(by_loop), "{shown:?}");
        }
    }

    #[test]
    fn memory_below_an_overlay_is_memory_and_so_is_a_loop_device_over_it_or_over_what_has_no_name()
    {
        let Some(memory) = Mounted::of(&["-t", "tmpfs", "-o", "size=64m", "tmpfs"]) else {
            return;
        };
        let layer = |name: &str| {
            let path = memory.path().join(name);
            fs::create_dir(&path).unwrap();
            format!("{name}dir={}", path.display())
        };
        let options = ["lower", "upper", "work"].map(layer).join(",");
        let Some(merged) = Mounted::of(&["-t", "overlay", "-o", &options, "overlay"]) else {
            return;
        };
        let file = merged.path().join("file");
        fs::write(&file, noise(8 * MIB)).unwrap();
        let look = |path: &Path| {
            inspect(&System::host(), path.to_str().unwrap())
                .unwrap()
                .info
        };
        for path in [merged.path(), &file] {
            let system = look(path).file_system.unwrap();
            assert_eq!(system.kind, "overlay");
            assert_eq!(system.memory_below.as_deref(), Some("tmpfs"));
        }
        let nameless = rustix::fs::memfd_create("disk", rustix::fs::MemfdFlags::empty()).unwrap();
        rustix::fs::ftruncate(&nameless, 8 * MIB).unwrap();
        let nameless_path = format!("/proc/{}/fd/{}", std::process::id(), nameless.as_raw_fd());
        for image in [file.as_path(), Path::new(&nameless_path)] {
            let Some(device) = LoopDevice::over(image, false) else {
                return;
            };
            let found = look(&device.path);
            let kinds: Vec<_> = found.leaves().map(|leaf| leaf.kind).collect();
            assert_eq!(kinds, [BlockDeviceKind::Memory], "{}", image.display());
        }
    }

    #[test]
    fn a_memory_disk_is_a_leaf_that_counts() {
        let path = "/dev/zram0";
        if !Path::new(path).exists() || !is_root() {
            skip("there is no zram device that may be read");
            return;
        }
        let found = inspect(&System::host(), path).unwrap();
        let [device] = &found.info.devices[..] else {
            panic!("{:?}", found.info.devices);
        };
        assert_eq!(device.kind, BlockDeviceKind::Memory);
        assert!(device.is_leaf);
        assert_eq!(found.info.size_bytes, device.size_bytes);
        assert_eq!(
            found.counters.read().is_some(),
            device.counts_io != Some(false)
        );
    }

    #[test]
    fn the_leaf_counts_what_reaches_it() {
        let directory = tempfile::tempdir().unwrap();
        let found = inspect(&System::host(), directory.path().to_str().unwrap()).unwrap();
        let Some(before) = found.counters.read() else {
            skip("the device under the temporary directory is not seen");
            return;
        };
        let mut file = create(&directory.path().join("file"));
        std::io::Write::write_all(&mut file, &noise(8 * MIB)).unwrap();
        file.sync_all().unwrap();
        let counted = found.counters.read().unwrap().since(&before);
        assert!(counted.written_bytes >= 8 * MIB, "{counted:?}");
    }
}
