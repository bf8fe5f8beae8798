//! Times `sokudo info` on an invented machine of a hundred disks, each with four mounted
//! partitions: `cargo run --release -p sokudo-bench --bin hundred_disks`.

#![expect(clippy::print_stdout, reason = "the figure is what it is for")]

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Instant;

use sokudo_device::{System, disks};

const DISKS: usize = 100;
const PARTITIONS: usize = 4;
const ROUNDS: usize = 21;

fn main() -> io::Result<()> {
    let root = tempfile::tempdir()?;
    let mut mounts = String::new();
    for disk in 0..DISKS {
        let place = format!("sys/devices/pci0000:00/ata{disk}/host{disk}/block/sd{disk}");
        device(root.path(), &place, &format!("8:{disk}"))?;
        for (file, text) in [
            ("device/model", "A hard disk"),
            ("device/vpd_pg80", "\0\u{0}\0\u{4}1234"),
            ("queue/rotational", "1"),
            ("queue/scheduler", "[mq-deadline] none"),
            ("queue/physical_block_size", "4096"),
        ] {
            write(&root.path().join(&place).join(file), text)?;
        }
        let link = root.path().join(format!("dev/disk/by-id/ata-{disk}"));
        write(&root.path().join(format!("dev/disk/by-id/.{disk}")), "")?;
        symlink(format!("../../sd{disk}"), link)?;
        for part in 1..=PARTITIONS {
            let number = format!("259:{}", disk * PARTITIONS + part);
            let place = format!("{place}/sd{disk}p{part}");
            device(root.path(), &place, &number)?;
            write(&root.path().join(&place).join("partition"), "1")?;
            write(&root.path().join(&place).join("start"), "2048")?;
            mounts += &format!("1 1 {number} / /mnt/{disk}/{part} rw - ext4 /dev/x rw\n");
        }
    }
    write(&root.path().join("proc/self/mountinfo"), &mounts)?;
    let system = System::at(root.path());
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let found = disks(&system);
        times.push(start.elapsed());
        assert_eq!(found.len(), DISKS);
    }
    times.sort();
    println!(
        "{DISKS} disks with {PARTITIONS} partitions each: median {:.1} ms, {:.1} to {:.1} ms, {ROUNDS} rounds",
        times[ROUNDS / 2].as_secs_f64() * 1e3,
        times[0].as_secs_f64() * 1e3,
        times[ROUNDS - 1].as_secs_f64() * 1e3,
    );
    Ok(())
}

fn device(root: &Path, place: &str, number: &str) -> io::Result<()> {
    let base = root.join(place);
    write(&base.join("dev"), number)?;
    write(&base.join("size"), "2097152")?;
    let name = base.file_name().unwrap_or_default();
    for directory in ["sys/dev/block", "sys/class/block"] {
        fs::create_dir_all(root.join(directory))?;
    }
    symlink(&base, root.join("sys/dev/block").join(number))?;
    symlink(&base, root.join("sys/class/block").join(name))
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, text)
}
