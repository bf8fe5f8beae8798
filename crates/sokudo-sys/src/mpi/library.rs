//! A library that is loaded at run time.

use std::ffi::{CStr, CString, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::ptr::NonNull;

use super::error::MpiError;

pub(super) struct Library {
    name: PathBuf,
    handle: NonNull<c_void>,
}

impl Library {
    /// It is never unloaded: its threads and handlers may outlive whoever asked for it.
    pub(super) fn load(name: PathBuf) -> Result<Self, MpiError> {
        let loaded = CString::new(name.as_os_str().as_bytes())
            .ok()
            .and_then(|it| {
                // Open MPI's plugins look for its symbols among the global ones.
                let flags = libc::RTLD_NOW | libc::RTLD_GLOBAL;
                // SAFETY: the name is a string; what runs as it is loaded are the library's own
                // constructors, and the user has named an MPI library.
                NonNull::new(unsafe { libc::dlopen(it.as_ptr(), flags) })
            });
        match loaded {
            Some(handle) => Ok(Self { name, handle }),
            None => Err(MpiError::NotLoaded {
                library: name,
                why: last_error(),
            }),
        }
    }

    pub(super) fn has(&self, symbol: &CStr) -> bool {
        self.find(symbol).is_some()
    }

    /// Address of a symbol; an error where the library lacks it.
    pub(super) fn address(&self, symbol: &CStr) -> Result<NonNull<c_void>, MpiError> {
        self.find(symbol).ok_or_else(|| MpiError::Unknown {
            library: self.name.clone(),
            lacks: symbol.to_string_lossy().into_owned(),
        })
    }

    fn find(&self, symbol: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: the handle is that of a library which stays loaded, and the name a string.
        NonNull::new(unsafe { libc::dlsym(self.handle.as_ptr(), symbol.as_ptr()) })
    }
}

fn last_error() -> String {
    // SAFETY: it takes nothing, and answers null or a string of this thread.
    let error = unsafe { libc::dlerror() };
    if error.is_null() {
        return "dlopen".to_owned();
    }
    // SAFETY: it is not null, and stays until this thread calls dlerror or the like again.
    let error = unsafe { CStr::from_ptr(error) };
    OsStr::from_bytes(error.to_bytes())
        .to_string_lossy()
        .into_owned()
}
