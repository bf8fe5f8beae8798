//! The three ways to issue I/O do the same thing to a file.

#![allow(
    clippy::cast_possible_truncation,
    clippy::print_stderr,
    clippy::unwrap_used,
    missing_docs,
    reason = "tests"
)]

use std::io::Write;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use sokudo_sys::{Action, Aio, Blocking, Queue, Region, Request, Ring};

const TICK: Duration = Duration::from_millis(20);

/// One face for all three, so that each test runs on all of them.
enum Backend {
    Ring(Box<Ring>),
    Aio(Aio),
    Blocking(Blocking),
}

impl Backend {
    fn all(file: &std::fs::File, chunks: u32, chunk_bytes: usize) -> Vec<Self> {
        let region = || Region::new(chunks, chunk_bytes).unwrap();
        let file = || vec![OwnedFd::from(file.try_clone().unwrap())];
        let mut all = vec![Self::Blocking(Blocking::new(file(), region()))];
        match Ring::new(file(), region(), chunks, TICK) {
            Ok(ring) => all.push(Self::Ring(Box::new(ring))),
            Err((error, ..)) => eprintln!("SKIPPED: io_uring: {error}"),
        }
        match Aio::new(file(), region(), chunks, TICK) {
            Ok(aio) => all.push(Self::Aio(aio)),
            Err((error, ..)) => eprintln!("SKIPPED: libaio: {error}"),
        }
        all
    }

    fn region(&mut self) -> &mut Region {
        match self {
            Self::Ring(ring) => ring.region_mut(),
            Self::Aio(aio) => aio.region_mut(),
            Self::Blocking(blocking) => blocking.region_mut(),
        }
    }

    /// Does all requests at once and returns their results by chunk.
    fn perform(&mut self, requests: &[Request]) -> Vec<i32> {
        let mut results = vec![i32::MIN; requests.len()];
        match self {
            Self::Blocking(blocking) => {
                for request in requests {
                    results[request.chunk as usize] = blocking.perform(*request);
                }
            }
            Self::Ring(ring) => perform_all(ring.as_mut(), requests, &mut results),
            Self::Aio(aio) => perform_all(aio, requests, &mut results),
        }
        results
    }
}

fn perform_all(queue: &mut impl Queue, requests: &[Request], results: &mut [i32]) {
    requests.iter().for_each(|request| queue.prepare(*request));
    let mut left = requests.len();
    while left > 0 {
        queue.submit_and_wait(2).unwrap();
        queue.reap(|chunk, result| {
            results[chunk as usize] = result;
            left -= 1;
        });
    }
    assert_eq!(queue.in_flight(), 0);
}

fn request(action: Action, chunk: u32, length: u32, offset: u64) -> Request {
    Request {
        action,
        chunk,
        file: 0,
        length,
        offset,
    }
}

#[test]
fn what_is_written_is_read_back() {
    for action in [Action::Write, Action::WriteThrough] {
        let file = tempfile::tempfile().unwrap();
        for mut backend in Backend::all(&file, 8, 4096) {
            for chunk in 0..8 {
                backend.region().chunk_mut(chunk).fill(chunk as u8 + 1);
            }
            let writes: Vec<_> = (0..8)
                .map(|i| request(action, i, 4096, u64::from(i) * 4096))
                .collect();
            assert_eq!(backend.perform(&writes), [4096; 8]);
            // Every chunk reads what another one wrote.
            let reads: Vec<_> = (0..8)
                .map(|i| request(Action::Read, i, 4096, u64::from(7 - i) * 4096))
                .collect();
            assert_eq!(backend.perform(&reads), [4096; 8]);
            for chunk in 0..8u32 {
                let memory = backend.region().chunk_mut(chunk);
                assert!(memory.iter().all(|byte| *byte == 8 - chunk as u8));
            }
        }
    }
}

#[test]
fn flushes_and_trims_succeed_with_zero() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&[7; 16384]).unwrap();
    for mut backend in Backend::all(&file, 3, 4096) {
        let requests = [
            request(Action::Fsync, 0, 0, 0),
            request(Action::Fdatasync, 1, 0, 0),
            request(Action::Trim, 2, 4096, 4096),
        ];
        assert_eq!(backend.perform(&requests), [0; 3]);
        assert_eq!(
            backend.perform(&[request(Action::Read, 0, 4096, 4096)]),
            [4096]
        );
        assert!(backend.region().chunk_mut(0).iter().all(|byte| *byte == 0));
    }
}

#[test]
fn the_end_of_the_file_and_errors_are_results() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&[1; 6000]).unwrap();
    let read_only = std::fs::File::open("/proc/self/exe").unwrap();
    for mut backend in Backend::all(&file, 2, 4096) {
        let requests = [
            request(Action::Read, 0, 4096, 4096),
            request(Action::Read, 1, 4096, 1 << 20),
        ];
        assert_eq!(backend.perform(&requests), [6000 - 4096, 0]);
    }
    for mut backend in Backend::all(&read_only, 1, 4096) {
        let result = backend.perform(&[request(Action::Write, 0, 4096, 0)]);
        assert_eq!(result, [-9], "EBADF: the file is open for reading only");
    }
}

#[test]
fn a_silent_device_does_not_hold_a_wait_longer_than_the_tick() {
    let (reader, _writer) = std::io::pipe().unwrap();
    let region = Region::new(3, 4096).unwrap();
    let Ok(mut ring) = Ring::new(vec![reader.into()], region, 3, TICK) else {
        eprintln!("SKIPPED: io_uring is not allowed here");
        return;
    };
    let started = Instant::now();
    for chunk in 0..3 {
        ring.prepare(request(Action::Read, chunk, 4096, 0));
    }
    for wanted in [1, 3, 3] {
        ring.submit_and_wait(wanted).unwrap();
        ring.reap(|chunk, result| panic!("chunk {chunk} completed with {result}"));
    }
    assert!(started.elapsed() >= 2 * TICK);
    ring.submit_and_wait_for(Duration::from_millis(1)).unwrap();
    assert_eq!(ring.in_flight(), 3);
    // Dropping waits for the reads, which end when the writer is closed.
    drop(_writer);
}
