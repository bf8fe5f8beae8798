//! What only a disk shows of the ways to issue I/O: polled completions, and blocks that are discarded.

use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::time::{Duration, Instant};

use sokudo_sys::{Blocking, Calls, Completions, IoAction, OneByOne, Queue, Region, Request, Ring};

use crate::loop_device::LoopDevice;
use crate::sokudo::{directory_on_disk, skip};

const TICK: Duration = Duration::from_millis(20);

fn request(action: IoAction, chunk: u32, length: u32, offset: u64) -> Request {
    Request {
        action,
        buffer: chunk,
        file: 0,
        length,
        offset,
    }
}

/// Files that are written around the page cache lie on a disk, which can be polled or not.
#[test]
fn a_polled_ring_moves_data_or_says_that_it_cannot_and_flushes_either_way() {
    let directory = directory_on_disk();
    let path = directory.path().join("file");
    std::fs::write(&path, [7; 8192]).unwrap();
    let mut options = File::options();
    let options = options.read(true).write(true).custom_flags(libc::O_DIRECT);
    let file = match options.open(&path) {
        Ok(file) => file,
        Err(error) => return skip(&format!("direct I/O: {error}")),
    };
    let region = Region::new(2, 4096).unwrap();
    let Ok(mut ring) = Ring::new(vec![file.into()], region, 2, TICK, Completions::Polled) else {
        return skip("io_uring is not allowed here");
    };
    assert!(ring.features().polled);
    let started = Instant::now();
    ring.submit_and_wait(1).unwrap();
    assert!(started.elapsed() >= TICK, "nothing is in flight");
    let mut results = [i32::MIN; 2];
    let requests = [
        request(IoAction::Read, 0, 4096, 4096),
        request(IoAction::Fdatasync, 1, 0, 0),
    ];
    requests.iter().for_each(|it| ring.prepare(*it));
    while results.contains(&i32::MIN) {
        ring.submit_and_wait(2).unwrap();
        ring.reap(|chunk, result| results[chunk as usize] = result);
    }
    assert_eq!(results[1], 0);
    match results[0] {
        4096 => assert_eq!(ring.region_mut().buffer_mut(0)[..4096], [7; 4096]),
        result => assert_eq!(result, -libc::EOPNOTSUPP),
    }
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn trims_of_a_device_discard_its_blocks() {
        let Some(device) = LoopDevice::new(1 << 20, false) else {
            return;
        };
        std::fs::write(&device.path, vec![9; 1 << 20]).unwrap();
        let file = File::options().read(true).write(true).open(&device.path);
        let region = Region::new(2, 65536).unwrap();
        let file = vec![file.unwrap().into()];
        let mut blocking = Blocking::with_calls(file, region, Calls::Positioned);
        let trimmed = blocking.perform(request(IoAction::Trim, 0, 65536, 65536));
        if trimmed == -libc::EOPNOTSUPP {
            return skip("the loop device cannot discard");
        }
        assert_eq!(trimmed, 0);
        let read = |at| request(IoAction::Read, 1, 65536, at);
        for (at, held) in [(0, 9), (65536, 0), (131_072, 9)] {
            assert_eq!(blocking.perform(read(at)), 65536);
            let chunk = blocking.region_mut().buffer_mut(1);
            assert!(chunk.iter().all(|byte| *byte == held), "{at}");
        }
    }
}
