//! Copying from and to a mapped file that may shrink meanwhile, or whose device may
//! fail: the kernel answers such an access with SIGBUS, which here becomes an error.

#![expect(unsafe_code, reason = "pages are replaced, memory copied by address")]

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{Ordering, compiler_fence};
use std::{io, mem, ptr};

use crate::request::{checked, negative_errno};

/// Memory that the calling thread is copying from or to.
#[derive(Clone, Copy)]
struct Guarded {
    start: usize,
    end: usize,
    was_struck: bool,
}

const NOTHING: Guarded = Guarded {
    start: 0,
    end: 0,
    was_struck: false,
};

thread_local! {
    // Constant and without a destructor: reading it is one load, which a signal
    // handler may do.
    static GUARDED: Cell<Guarded> = const { Cell::new(NOTHING) };
}

/// Whoever handled SIGBUS before, the standard library's stack guard mostly.
static EARLIER: OnceLock<libc::sigaction> = OnceLock::new();

/// How installing the handler went: nothing, or the error number.
static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();

/// Installs the handler, once per process.
///
/// # Errors
/// What sigaction says.
pub(crate) fn install() -> io::Result<()> {
    let result = INSTALLED.get_or_init(|| install_once().map_err(|e| -negative_errno(&e)));
    result.map_err(io::Error::from_raw_os_error)
}

fn install_once() -> io::Result<()> {
    // SAFETY: all-zero is a valid sigaction.
    let mut earlier: libc::sigaction = unsafe { mem::zeroed() };
    // SAFETY: a null action only asks for the present one.
    let status = unsafe { libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut earlier) };
    checked(status)?;
    // Only ever called once.
    let _ = EARLIER.set(earlier);
    // SAFETY: all-zero is a valid sigaction.
    let mut action: libc::sigaction = unsafe { mem::zeroed() };
    let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = on_bus_error;
    action.sa_sigaction = handler as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: the handler does only what signal handlers may (thread-local load and
    // store, mmap, sigaction), and hands on what is not its own.
    let status = unsafe { libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut()) };
    checked(status).map(drop)
}

/// Copies `length` bytes; an error when some of the mapped ones are not there. Pages
/// that were not there are zero pages afterwards: the caller maps the file anew.
///
/// # Safety
/// `from` and `to` are valid for `length` bytes and do not overlap; `mapped`, which is
/// one of them, lies in a mapping of the caller's own that nobody refers to.
pub(crate) unsafe fn copy(
    from: *const u8,
    to: *mut u8,
    mapped: *const u8,
    length: usize,
) -> Result<(), ()> {
    let start = mapped as usize;
    GUARDED.set(Guarded {
        start,
        end: start + length,
        was_struck: false,
    });
    // The handler reads and changes `GUARDED` behind the compiler's back, which knows
    // what memcpy does and would take `was_struck` to be what was set above.
    compiler_fence(Ordering::SeqCst);
    // SAFETY: the caller's promise. Through the C library, since another process may
    // change a mapped file meanwhile, about which the compiler must assume nothing.
    unsafe { libc::memcpy(to.cast(), from.cast(), length) };
    compiler_fence(Ordering::SeqCst);
    let guarded = GUARDED.replace(NOTHING);
    if guarded.was_struck { Err(()) } else { Ok(()) }
}

extern "C" fn on_bus_error(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    _context: *mut libc::c_void,
) {
    // SAFETY: the kernel passes a valid siginfo.
    let info = unsafe { &*info };
    // SAFETY: SIGBUS has an address.
    let address = unsafe { info.si_addr() } as usize;
    let mut guarded = GUARDED.get();
    if (guarded.start..guarded.end).contains(&address) && replace_page(address) {
        guarded.was_struck = true;
        GUARDED.set(guarded);
        return;
    }
    // Not ours: the access is repeated and meets the earlier handler.
    if let Some(earlier) = EARLIER.get() {
        // SAFETY: it is the action that sigaction gave us.
        unsafe { libc::sigaction(signal, &raw const *earlier, ptr::null_mut()) };
    }
}

/// Puts a page of zeros where the mapped one cannot be had, so that the copy goes on.
fn replace_page(address: usize) -> bool {
    let page = rustix::param::page_size();
    let start = address / page * page;
    // SAFETY: the page lies in the mapping that `copy` was promised, and is replaced
    // as a whole; nobody refers to it.
    let replaced = unsafe {
        libc::mmap(
            start as *mut libc::c_void,
            page,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
            -1,
            0,
        )
    };
    replaced != libc::MAP_FAILED
}
