//! Messages of MPI between the processes that a launcher has started, by a library that is
//! loaded when it is asked for: this program needs none where it is built or runs alone.
//!
//! Nothing here waits but [`Mpi::begin`] and [`Mpi::end`]. Buffers belong to the messages that are
//! under way, and are leaked rather than freed where these do not end.

#![expect(unsafe_code, reason = "a library loaded later fills our buffers")]

mod abi;
mod error;
mod library;
mod underway;

use std::collections::VecDeque;
use std::ffi::{CStr, c_char, c_int};
use std::path::PathBuf;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

pub use error::MpiError;

use abi::{Abi, Functions, MpiStatus, mpich, open_mpi};
use library::Library;
use underway::Underway;

/// Of all messages; nobody else speaks in this program.
const TAG: c_int = 0x50;

/// Longer than what either library writes: 256 bytes for Open MPI, 8192 for MPICH's version
/// (`MPI_MAX_LIBRARY_VERSION_STRING`, `MPI_MAX_ERROR_STRING`).
const STRING_BYTES: usize = 16 << 10;

/// Messages that are being received at the same time.
const RECEIVING_MAX: usize = 256;

/// MPI can be initialised once in the life of a process (MPI 4.0, 11.2).
static IS_BEGUN: AtomicBool = AtomicBool::new(false);

/// A message that has arrived.
#[derive(Debug, PartialEq, Eq)]
pub struct MpiMessage {
    pub from: u32,
    pub bytes: Vec<u8>,
}

/// This process among those of its `MPI_COMM_WORLD`. Stays in the thread that has made it, which
/// MPI calls the main thread (`MPI_THREAD_FUNNELED`).
pub struct Mpi {
    speaker: Box<dyn Speak>,
    rank: u32,
    size: u32,
    version: String,
}

impl Mpi {
    /// Loads this library and initialises it, which takes as long as the launcher lets it. A
    /// failure within `MPI_Init_thread` itself ends the process: that is MPI's way.
    ///
    /// # Errors
    /// If it cannot be loaded, is of no kind that is known, or was begun before.
    pub fn begin(library: &MpiLibrary, message_bytes_max: usize) -> Result<Self, MpiError> {
        if IS_BEGUN.swap(true, Ordering::SeqCst) {
            return Err(MpiError::Twice);
        }
        let limit = message_bytes_max;
        match library.0.has(c"ompi_mpi_comm_world") {
            true => Self::of(Speaker::begin(open_mpi(&library.0)?, limit)?),
            false => Self::of(Speaker::begin(mpich(&library.0)?, limit)?),
        }
    }

    fn of<H: Copy + 'static>(speaker: Speaker<H>) -> Result<Self, MpiError> {
        let (rank, size) = speaker.rank_and_size()?;
        Ok(Self {
            version: speaker.version()?,
            speaker: Box::new(speaker),
            rank,
            size,
        })
    }

    pub fn rank(&self) -> u32 {
        self.rank
    }

    pub fn size(&self) -> u32 {
        self.size
    }

    /// What the library calls itself, in its first line.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Begins to send. Messages to one rank arrive in order.
    ///
    /// # Errors
    /// What MPI says.
    pub fn send(&mut self, to: u32, bytes: Vec<u8>) -> Result<(), MpiError> {
        match to < self.size {
            true => self.speaker.send(to, bytes),
            false => Err(MpiError::NoRank(to)),
        }
    }

    /// How many messages to this rank still use their buffers.
    ///
    /// # Errors
    /// What MPI says.
    pub fn unsent(&mut self, to: u32) -> Result<usize, MpiError> {
        self.speaker.unsent(to)
    }

    /// The next message that is here whole.
    ///
    /// # Errors
    /// What MPI says.
    pub fn receive(&mut self) -> Result<Option<MpiMessage>, MpiError> {
        self.speaker.receive()
    }

    /// `MPI_Finalize`, which waits for all others.
    ///
    /// # Errors
    /// What MPI says.
    pub fn end(&mut self) -> Result<(), MpiError> {
        self.speaker.end()
    }
}

/// A library that is loaded, and stays so as long as the process lives.
pub struct MpiLibrary(Library);

impl MpiLibrary {
    /// By its name (`libmpi.so.40`), which is looked for where the system does, or by its path.
    ///
    /// # Errors
    /// If it cannot be loaded, or has an interface that is not known.
    pub fn load(name: impl Into<PathBuf>) -> Result<Self, MpiError> {
        let name = name.into();
        // Its handles are other numbers under the same names of functions.
        if name.to_string_lossy().contains("mpi_abi") {
            return Err(MpiError::Abi(name));
        }
        Library::load(name).map(Self)
    }
}

trait Speak {
    fn send(&mut self, to: u32, bytes: Vec<u8>) -> Result<(), MpiError>;
    fn unsent(&mut self, to: u32) -> Result<usize, MpiError>;
    fn receive(&mut self) -> Result<Option<MpiMessage>, MpiError>;
    fn end(&mut self) -> Result<(), MpiError>;
}

/// One of the two interfaces, whose handles are `H`. `MPI_Init_thread` has succeeded.
struct Speaker<H> {
    abi: Abi<H>,
    message_bytes_max: usize,
    /// By rank, oldest first.
    sending: Vec<VecDeque<Underway<H>>>,
    /// Receives under way, the oldest first.
    receiving: VecDeque<Receiving<H>>,
}

struct Receiving<H> {
    from: c_int,
    underway: Underway<H>,
}

impl<H: Copy> Speaker<H> {
    fn begin(abi: Abi<H>, message_bytes_max: usize) -> Result<Self, MpiError> {
        let mut speaker = Self {
            abi,
            message_bytes_max,
            sending: Vec::new(),
            receiving: VecDeque::new(),
        };
        let (functions, constants) = (speaker.abi.functions, speaker.abi.constants);
        let mut provided = 0;
        // SAFETY: both arguments of main may be null (MPI 4.0, 11.2.1); the last is ours.
        let status = unsafe {
            (functions.init_thread)(
                ptr::null_mut(),
                ptr::null_mut(),
                constants.thread_funneled,
                &raw mut provided,
            )
        };
        speaker.check("MPI_Init_thread", status)?;
        // SAFETY: both are handles of this library, and it is initialised.
        let status =
            unsafe { (functions.comm_set_errhandler)(constants.world, constants.errors_return) };
        speaker.check("MPI_Comm_set_errhandler", status)?;
        let (_, size) = speaker.rank_and_size()?;
        speaker.sending = (0..size).map(|_| VecDeque::new()).collect();
        Ok(speaker)
    }

    fn functions(&self) -> &Functions<H> {
        &self.abi.functions
    }

    /// Its rank, and how many there are.
    fn rank_and_size(&self) -> Result<(u32, u32), MpiError> {
        let (mut rank, mut size) = (0, 0);
        let world = self.abi.constants.world;
        // SAFETY: the handle is this library's, which is initialised, and the number is ours.
        let status = unsafe { (self.functions().comm_rank)(world, &raw mut rank) };
        self.check("MPI_Comm_rank", status)?;
        // SAFETY: the same.
        let status = unsafe { (self.functions().comm_size)(world, &raw mut size) };
        self.check("MPI_Comm_size", status)?;
        let number = |number: c_int| u32::try_from(number).expect("MPI counts from 0");
        Ok((number(rank), number(size)))
    }

    fn version(&self) -> Result<String, MpiError> {
        let mut status = 0;
        let version = string_of(|bytes, length| {
            // SAFETY: the buffer is longer than what any library writes (STRING_BYTES).
            status = unsafe { (self.functions().get_library_version)(bytes, length) };
        });
        self.check("MPI_Get_library_version", status)?;
        let first = version.lines().next().unwrap_or_default();
        // MPICH: "MPICH Version:\t4.0.2".
        Ok(first.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    fn check(&self, function: &'static str, status: c_int) -> Result<(), MpiError> {
        if status == 0 {
            return Ok(());
        }
        let mut string_status = 0;
        let why = string_of(|bytes, length| {
            // SAFETY: the buffer is longer than what any library writes (STRING_BYTES).
            string_status = unsafe { (self.functions().error_string)(status, bytes, length) };
        });
        let why = match string_status {
            0 => why.split_whitespace().collect::<Vec<_>>().join(" "),
            _ => status.to_string(),
        };
        Err(MpiError::Failed { function, why })
    }

    /// Whether this message no longer uses its buffer.
    fn is_done(&self, underway: &mut Underway<H>) -> Result<bool, MpiError> {
        let (mut flag, mut status) = (0, MpiStatus::new());
        // SAFETY: the request was begun by this library and is not over, for those that are over
        // are dropped; it and both others are ours and live beyond the call.
        let result = unsafe {
            (self.functions().test)(underway.request(), &raw mut flag, status.as_mut_ptr())
        };
        self.check("MPI_Test", result)?;
        Ok(flag != 0)
    }

    /// Begins to receive what has come, if anything has.
    fn begin_to_receive(&mut self) -> Result<bool, MpiError> {
        let constants = self.abi.constants;
        let (mut flag, mut status) = (0, MpiStatus::new());
        // SAFETY: the handle is this library's, and both others are ours.
        let result = unsafe {
            (self.functions().iprobe)(
                constants.any_source,
                TAG,
                constants.world,
                &raw mut flag,
                status.as_mut_ptr(),
            )
        };
        self.check("MPI_Iprobe", result)?;
        if flag == 0 {
            return Ok(false);
        }
        let from = status.word(constants.source_at);
        let mut count = 0;
        // SAFETY: the status was filled by MPI_Iprobe, which found a message.
        let result = unsafe {
            (self.functions().get_count)(status.as_mut_ptr(), constants.byte, &raw mut count)
        };
        self.check("MPI_Get_count", result)?;
        // Undefined, which is negative, where it does not fit.
        let bytes = usize::try_from(count).unwrap_or(usize::MAX);
        if bytes > self.message_bytes_max {
            return Err(MpiError::TooLong {
                from: u32::try_from(from).unwrap_or_default(),
                bytes: bytes as u64,
                most: self.message_bytes_max,
            });
        }
        let mut underway = Underway::new(vec![0; bytes], constants.request_null);
        let (buffer, request) = (underway.buffer(), underway.request());
        // SAFETY: the buffer has `count` bytes and is not touched nor freed before MPI_Test says
        // that it is done; this message of that rank is the one that was found, for no other
        // thread receives and messages do not overtake (MPI 4.0, 3.5).
        let result = unsafe {
            (self.functions().irecv)(
                buffer.cast(),
                count,
                constants.byte,
                from,
                TAG,
                constants.world,
                request,
            )
        };
        self.receiving.push_back(Receiving { from, underway });
        self.check("MPI_Irecv", result)?;
        Ok(true)
    }
}

impl<H: Copy> Speak for Speaker<H> {
    fn send(&mut self, to: u32, bytes: Vec<u8>) -> Result<(), MpiError> {
        self.unsent(to)?;
        let constants = self.abi.constants;
        let count = c_int::try_from(bytes.len()).expect("messages are smaller than 2 GiB");
        let rank = c_int::try_from(to).expect("MPI counts ranks so");
        let mut underway = Underway::new(bytes, constants.request_null);
        let (buffer, request) = (underway.buffer(), underway.request());
        // SAFETY: the buffer has `count` bytes and is not touched nor freed before MPI_Test says
        // that it is done; the request is ours, and the other handles are this library's.
        let result = unsafe {
            (self.functions().isend)(
                buffer.cast(),
                count,
                constants.byte,
                rank,
                TAG,
                constants.world,
                request,
            )
        };
        self.sending[to as usize].push_back(underway);
        self.check("MPI_Isend", result)
    }

    fn unsent(&mut self, to: u32) -> Result<usize, MpiError> {
        while let Some(mut oldest) = self.sending[to as usize].pop_front() {
            if !self.is_done(&mut oldest)? {
                self.sending[to as usize].push_front(oldest);
                break;
            }
            oldest.free();
        }
        Ok(self.sending[to as usize].len())
    }

    fn receive(&mut self) -> Result<Option<MpiMessage>, MpiError> {
        while self.receiving.len() < RECEIVING_MAX && self.begin_to_receive()? {}
        let mut earlier = Vec::new();
        for index in 0..self.receiving.len() {
            let Some(mut next) = self.receiving.remove(index) else {
                break;
            };
            let from = next.from;
            if !earlier.contains(&from) && self.is_done(&mut next.underway)? {
                return Ok(Some(MpiMessage {
                    from: u32::try_from(from).expect("MPI counts from 0"),
                    bytes: next.underway.free(),
                }));
            }
            earlier.push(from);
            self.receiving.insert(index, next);
        }
        Ok(None)
    }

    fn end(&mut self) -> Result<(), MpiError> {
        // SAFETY: it is initialised, and whoever ends it uses nothing of it afterwards.
        let status = unsafe { (self.functions().finalize)() };
        match status {
            0 => Ok(()),
            // Nothing may be asked of it any more, not even what that means.
            _ => Err(MpiError::Failed {
                function: "MPI_Finalize",
                why: status.to_string(),
            }),
        }
    }
}

/// What a function of MPI writes.
fn string_of(write: impl FnOnce(*mut c_char, *mut c_int)) -> String {
    let mut bytes = vec![0_u8; STRING_BYTES];
    let mut length = 0;
    write(bytes.as_mut_ptr().cast(), &raw mut length);
    let last = bytes.len() - 1;
    bytes[last] = 0;
    let text = CStr::from_bytes_until_nul(&bytes).expect("its last byte is zero");
    text.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_mpi_library_is_said_to_be_none() {
        let missing = MpiLibrary::load("/nowhere/libmpi.so.40").err().unwrap();
        let message = missing.to_string();
        assert!(
            message.starts_with("/nowhere/libmpi.so.40 cannot be loaded: "),
            "{message}"
        );
        let standard = MpiLibrary::load("libmpi_abi.so.0").err().unwrap();
        assert!(matches!(standard, MpiError::Abi(_)));
        let other = MpiLibrary::load("libc.so.6").unwrap();
        let message = Mpi::begin(&other, 1).err().unwrap().to_string();
        assert!(message.contains("it lacks MPI_Init_thread"), "{message}");
    }
}
