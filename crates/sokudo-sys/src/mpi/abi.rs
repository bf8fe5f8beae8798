//! The two interfaces of today's MPI libraries, as their headers have them.
//!
//! | | Open MPI | MPICH, Intel MPI, MVAPICH, Cray MPICH |
//! |---|---|---|
//! | source | `mpi.h` of 4.1.4; 1.7 to 5.0 have the same | `mpi.h` of 4.0.2; the same since 3.1 (the MPICH ABI initiative) |
//! | handles | addresses of objects that the library exports | `int`s |
//! | status | source, tag, error, and two of its own: 24 bytes | two of its own, source, tag, error: 20 bytes |
//! | any source | −1 | −2 |
//!
//! The functions have the same names and arguments in both, but for the handles.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem;

use super::error::MpiError;
use super::library::Library;

/// The functions that are called, with handles of the type `H`.
#[derive(Clone, Copy)]
pub(super) struct Functions<H> {
    pub(super) init_thread:
        unsafe extern "C" fn(*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int) -> c_int,
    pub(super) comm_rank: unsafe extern "C" fn(H, *mut c_int) -> c_int,
    pub(super) comm_size: unsafe extern "C" fn(H, *mut c_int) -> c_int,
    pub(super) comm_set_errhandler: unsafe extern "C" fn(H, H) -> c_int,
    pub(super) isend:
        unsafe extern "C" fn(*const c_void, c_int, H, c_int, c_int, H, *mut H) -> c_int,
    pub(super) irecv: unsafe extern "C" fn(*mut c_void, c_int, H, c_int, c_int, H, *mut H) -> c_int,
    pub(super) iprobe: unsafe extern "C" fn(c_int, c_int, H, *mut c_int, *mut c_int) -> c_int,
    pub(super) test: unsafe extern "C" fn(*mut H, *mut c_int, *mut c_int) -> c_int,
    pub(super) get_count: unsafe extern "C" fn(*const c_int, H, *mut c_int) -> c_int,
    pub(super) finalize: unsafe extern "C" fn() -> c_int,
    pub(super) get_library_version: unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int,
    pub(super) error_string: unsafe extern "C" fn(c_int, *mut c_char, *mut c_int) -> c_int,
}

#[derive(Clone, Copy)]
pub(super) struct Constants<H> {
    pub(super) world: H,
    pub(super) byte: H,
    pub(super) errors_return: H,
    pub(super) request_null: H,
    pub(super) any_source: c_int,
    pub(super) thread_funneled: c_int,
    /// Which word of a status is the source.
    pub(super) source_at: usize,
}

/// One of the two, of a library that is loaded.
#[derive(Clone, Copy)]
pub(super) struct Abi<H> {
    pub(super) functions: Functions<H>,
    pub(super) constants: Constants<H>,
}

/// Room for either one's status, aligned as the larger one.
#[repr(C, align(8))]
pub(super) struct MpiStatus([c_int; 16]);

impl MpiStatus {
    pub(super) fn new() -> Self {
        Self([0; 16])
    }

    pub(super) fn as_mut_ptr(&mut self) -> *mut c_int {
        self.0.as_mut_ptr()
    }

    pub(super) fn word(&self, index: usize) -> c_int {
        self.0[index]
    }
}

pub(super) fn open_mpi(library: &Library) -> Result<Abi<*mut c_void>, MpiError> {
    let address = |symbol| Ok::<_, MpiError>(library.address(symbol)?.as_ptr());
    Ok(Abi {
        functions: functions(library)?,
        constants: Constants {
            world: address(c"ompi_mpi_comm_world")?,
            byte: address(c"ompi_mpi_byte")?,
            errors_return: address(c"ompi_mpi_errors_return")?,
            request_null: address(c"ompi_request_null")?,
            any_source: -1,
            thread_funneled: 1,
            source_at: 0,
        },
    })
}

pub(super) fn mpich(library: &Library) -> Result<Abi<c_int>, MpiError> {
    Ok(Abi {
        functions: functions(library)?,
        constants: Constants {
            world: 0x4400_0000,
            byte: 0x4c00_010d,
            errors_return: 0x5400_0001,
            request_null: 0x2c00_0000,
            any_source: -2,
            thread_funneled: 1,
            source_at: 2,
        },
    })
}

fn functions<H>(library: &Library) -> Result<Functions<H>, MpiError> {
    // Each type here is that of the function's declaration in both headers; `H` is what the
    // library that is loaded takes for a handle, which its caller has made sure of.
    Ok(Functions {
        init_thread: function(library, c"MPI_Init_thread")?,
        comm_rank: function(library, c"MPI_Comm_rank")?,
        comm_size: function(library, c"MPI_Comm_size")?,
        comm_set_errhandler: function(library, c"MPI_Comm_set_errhandler")?,
        isend: function(library, c"MPI_Isend")?,
        irecv: function(library, c"MPI_Irecv")?,
        iprobe: function(library, c"MPI_Iprobe")?,
        test: function(library, c"MPI_Test")?,
        get_count: function(library, c"MPI_Get_count")?,
        finalize: function(library, c"MPI_Finalize")?,
        get_library_version: function(library, c"MPI_Get_library_version")?,
        error_string: function(library, c"MPI_Error_string")?,
    })
}

/// The function of this name, taken for an `F`.
fn function<F: Copy>(library: &Library, symbol: &CStr) -> Result<F, MpiError> {
    let address = library.address(symbol)?.as_ptr();
    assert_eq!(size_of::<F>(), size_of::<*mut c_void>(), "a function");
    // SAFETY: an `F` is as large as an address, and only `functions` asks, for the types of
    // pointers to functions that the headers declare; the address is not null and its library
    // stays loaded. Calling it is what each caller answers for.
    Ok(unsafe { mem::transmute_copy(&address) })
}
