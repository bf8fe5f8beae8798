//! All ways to issue I/O do the same thing to files.

use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use sokudo_sys::{
    Aio, Blocking, Calls, Completions, IoAction, Mapped, OneByOne, Queue, Region, Request, Ring,
};

use super::setup::skip;

const TICK: Duration = Duration::from_millis(20);

/// One face for all, so that each test runs on all of them.
enum Backend {
    Ring(Box<Ring>),
    Aio(Box<Aio>),
    Blocking(Box<dyn OneByOne>),
}

impl Backend {
    /// All ways, each with these files.
    fn all(files: &[&File], buffers: u32, buffer_length: usize) -> Vec<Self> {
        let mut all = Self::all_but_mmap(files, buffers, buffer_length);
        let region = Region::new(buffers, buffer_length).unwrap();
        let mapped = Mapped::new(descriptors(files), region).map_err(|(error, ..)| error);
        all.push(Self::Blocking(Box::new(mapped.unwrap())));
        all
    }

    fn all_but_mmap(files: &[&File], buffers: u32, buffer_length: usize) -> Vec<Self> {
        let region = || Region::new(buffers, buffer_length).unwrap();
        let file = || descriptors(files);
        let all_calls = [
            Calls::Positioned,
            Calls::Seeking,
            Calls::Vectored,
            Calls::VectoredWithFlags,
        ];
        let blocking = |calls| Blocking::with_calls(file(), region(), calls);
        let mut all: Vec<Self> = all_calls
            .into_iter()
            .map(|calls| Self::Blocking(Box::new(blocking(calls))))
            .collect();
        match Ring::new(file(), region(), buffers, TICK, Completions::Interrupt) {
            Ok(ring) => all.push(Self::Ring(Box::new(ring))),
            Err((error, ..)) => skip(&format!("io_uring: {error}")),
        }
        match Aio::new(file(), region(), buffers, TICK) {
            Ok(aio) => all.push(Self::Aio(Box::new(aio))),
            Err((error, ..)) => skip(&format!("libaio: {error}")),
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
                    results[request.buffer as usize] = blocking.perform(*request);
                }
            }
            Self::Ring(ring) => perform_all(ring.as_mut(), requests, &mut results),
            Self::Aio(aio) => perform_all(aio.as_mut(), requests, &mut results),
        }
        results
    }
}

fn descriptors(files: &[&File]) -> Vec<OwnedFd> {
    files
        .iter()
        .map(|file| file.try_clone().unwrap().into())
        .collect()
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

fn request(action: IoAction, chunk: u32, length: u32, offset: u64) -> Request {
    Request {
        action,
        buffer: chunk,
        file: 0,
        length,
        offset,
    }
}

#[test]
fn what_is_written_is_read_back() {
    let actions = [
        IoAction::Write,
        IoAction::WriteThrough,
        IoAction::WriteThroughWithMetadata,
    ];
    for action in actions {
        let file = tempfile::tempfile().unwrap();
        file.set_len(8 * 4096).unwrap();
        for mut backend in Backend::all(&[&file], 8, 4096) {
            for chunk in 0..8u8 {
                backend.region().buffer_mut(chunk.into()).fill(chunk + 1);
            }
            let writes: Vec<_> = (0..8)
                .map(|i| request(action, i, 4096, u64::from(i) * 4096))
                .collect();
            assert_eq!(backend.perform(&writes), [4096; 8]);
            // Every chunk reads what another one wrote.
            let reads: Vec<_> = (0..8)
                .map(|i| request(IoAction::Read, i, 4096, u64::from(7 - i) * 4096))
                .collect();
            assert_eq!(backend.perform(&reads), [4096; 8]);
            for chunk in 0..8u8 {
                let memory = backend.region().buffer_mut(chunk.into());
                assert!(memory.iter().all(|byte| *byte == 8 - chunk));
            }
        }
    }
}

#[test]
fn flushes_and_trims_succeed_with_zero() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&[7; 16384]).unwrap();
    for mut backend in Backend::all(&[&file], 3, 4096) {
        let requests = [
            request(IoAction::Fsync, 0, 0, 0),
            request(IoAction::Fdatasync, 1, 0, 0),
            request(IoAction::Trim, 2, 4096, 4096),
        ];
        assert_eq!(backend.perform(&requests), [0; 3]);
        assert_eq!(
            backend.perform(&[request(IoAction::Read, 0, 4096, 4096)]),
            [4096]
        );
        assert!(backend.region().buffer_mut(0).iter().all(|byte| *byte == 0));
    }
}

#[test]
fn the_end_of_the_file_and_errors_are_results() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&[1; 6000]).unwrap();
    let read_only = File::open("/proc/self/exe").unwrap();
    for mut backend in Backend::all(&[&file], 2, 4096) {
        let requests = [
            request(IoAction::Read, 0, 4096, 4096),
            request(IoAction::Read, 1, 4096, 1 << 20),
        ];
        assert_eq!(backend.perform(&requests), [6000 - 4096, 0]);
    }
    for mut backend in Backend::all(&[&read_only], 1, 4096) {
        let result = backend.perform(&[request(IoAction::Write, 0, 4096, 0)]);
        assert_eq!(result, [-9], "EBADF: the file is open for reading only");
    }
}

#[test]
fn a_silent_device_does_not_hold_a_wait_longer_than_the_tick() {
    let (reader, _writer) = std::io::pipe().unwrap();
    let region = Region::new(3, 4096).unwrap();
    let Ok(mut ring) = Ring::new(vec![reader.into()], region, 3, TICK, Completions::Interrupt)
    else {
        skip("io_uring is not allowed here");
        return;
    };
    let started = Instant::now();
    for chunk in 0..3 {
        ring.prepare(request(IoAction::Read, chunk, 4096, 0));
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

#[test]
fn each_io_goes_to_its_own_file() {
    let files: Vec<File> = (0..3).map(|_| tempfile::tempfile().unwrap()).collect();
    for file in &files {
        file.set_len(16384).unwrap();
    }
    let files: Vec<&File> = files.iter().collect();
    for mut backend in Backend::all(&files, 3, 4096) {
        let on = |action, chunk, file| Request {
            file,
            ..request(action, chunk, 4096, 4096)
        };
        for chunk in 0..3u8 {
            backend.region().buffer_mut(chunk.into()).fill(chunk + 1);
        }
        let writes = [0, 1, 2].map(|index| on(IoAction::Write, index, index));
        assert_eq!(backend.perform(&writes), [4096; 3]);
        let mut changes = [0, 1, 2].map(|index| on(IoAction::Fsync, index, index));
        changes[1].action = IoAction::Trim;
        assert_eq!(backend.perform(&changes), [0; 3]);
        let reads = [0, 1, 2].map(|index| on(IoAction::Read, index, 2 - index));
        assert_eq!(backend.perform(&reads), [4096; 3]);
        let read = [0, 1, 2].map(|chunk| backend.region().buffer_mut(chunk)[99]);
        assert_eq!(read, [3, 0, 1]);
    }
}

#[test]
fn seeking_goes_on_where_it_was_and_finds_back() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&[[1; 4096], [2; 4096], [3; 4096]].concat())
        .unwrap();
    let region = Region::new(1, 4096).unwrap();
    let mut seeking = Blocking::with_calls(descriptors(&[&file]), region, Calls::Seeking);
    for (block, value) in [(0, 1), (1, 2), (2, 3), (0, 1), (2, 3), (1, 2)] {
        let read = request(IoAction::Read, 0, 4096, block * 4096);
        assert_eq!(seeking.perform(read), 4096);
        assert_eq!(seeking.region_mut().buffer_mut(0)[0], value);
    }
}

#[test]
fn a_mapped_file_that_shrinks_is_an_error_and_no_signal() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&[7; 65536]).unwrap();
    let region = Region::new(1, 16384).unwrap();
    let mapped = Mapped::new(descriptors(&[&file]), region).map_err(|(error, ..)| error);
    let mut mapped = mapped.unwrap();
    let read = request(IoAction::Read, 0, 16384, 32768);
    assert_eq!(mapped.perform(read), 16384);
    file.set_len(16384).unwrap();
    assert_eq!(mapped.perform(read), -libc_eio());
    let write = request(IoAction::Write, 0, 16384, 32768);
    assert_eq!(mapped.perform(write), -28, "ENOSPC: the file ends before");
    assert_eq!(mapped.perform(read), 0);
    assert_eq!(mapped.perform(Request { offset: 0, ..read }), 16384);
    // It grows again.
    file.set_len(65536).unwrap();
    assert_eq!(mapped.perform(write), 16384);
}

const fn libc_eio() -> i32 {
    5
}
