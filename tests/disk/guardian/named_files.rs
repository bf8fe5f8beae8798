//! A file system on which every file has a name and none has attributes, as on old NFS: FUSE, of
//! one directory, which keeps names and sizes and no contents.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use fuser::{
    BackgroundSession, BsdFileFlags, Config, Errno, FileAttr, FileHandle, Filesystem, FopenFlags,
    Generation, INodeNo, LockOwner, OpenFlags, ReplyAttr, ReplyCreate, ReplyEmpty, ReplyEntry,
    ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow, WriteFlags,
};

use crate::fuse::{self, MEMORY};

/// Room, in blocks of 4 KiB.
const BLOCKS: u64 = 1 << 20;

/// The number of each file, by its name, and its size, by its number.
#[derive(Default)]
struct Files {
    names: BTreeMap<OsString, u64>,
    sizes: BTreeMap<u64, u64>,
}

pub(crate) struct NamedFiles {
    files: Arc<Mutex<Files>>,
    _session: BackgroundSession,
}

impl NamedFiles {
    /// Mounted there until it is dropped.
    pub(crate) fn mount(directory: &Path) -> io::Result<Self> {
        let files = Arc::new(Mutex::new(Files::default()));
        let system = FileSystem(Arc::clone(&files));
        Ok(Self {
            _session: fuse::mount(system, directory, &Config::default())?,
            files,
        })
    }

    pub(crate) fn names(&self) -> Vec<OsString> {
        self.files.lock().unwrap().names.keys().cloned().collect()
    }
}

struct FileSystem(Arc<Mutex<Files>>);

impl FileSystem {
    fn attributes(&self, node: INodeNo) -> FileAttr {
        fuse::attributes(node, self.0.lock().unwrap().sizes.get(&node.0).copied())
    }
}

impl Filesystem for FileSystem {
    fn lookup(&self, _: &Request, _: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let node = self.0.lock().unwrap().names.get(name).copied();
        match node {
            Some(node) => reply.entry(&MEMORY, &self.attributes(INodeNo(node)), Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, node: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        reply.attr(&MEMORY, &self.attributes(node));
    }

    fn setattr(
        &self,
        _: &Request,
        node: INodeNo,
        _: Option<u32>,
        _: Option<u32>,
        _: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        if let Some(size) = size {
            self.0.lock().unwrap().sizes.insert(node.0, size);
        }
        reply.attr(&MEMORY, &self.attributes(node));
    }

    fn create(
        &self,
        _: &Request,
        _: INodeNo,
        name: &OsStr,
        _: u32,
        _: u32,
        _: i32,
        reply: ReplyCreate,
    ) {
        let mut files = self.0.lock().unwrap();
        // 1 is the directory.
        let node = files.sizes.keys().max().map_or(2, |last| last + 1);
        files.names.insert(name.to_owned(), node);
        files.sizes.insert(node, 0);
        drop(files);
        let attributes = self.attributes(INodeNo(node));
        let flags = FopenFlags::empty();
        reply.created(&MEMORY, &attributes, Generation(0), FileHandle(0), flags);
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::empty());
    }

    fn write(
        &self,
        _: &Request,
        node: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let mut files = self.0.lock().unwrap();
        let size = files.sizes.entry(node.0).or_default();
        *size = (*size).max(offset + data.len() as u64);
        reply.written(u32::try_from(data.len()).unwrap());
    }

    fn unlink(&self, _: &Request, _: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        match self.0.lock().unwrap().names.remove(name) {
            Some(_) => reply.ok(),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        reply.statfs(BLOCKS, BLOCKS, BLOCKS, BLOCKS, BLOCKS, 4096, 255, 4096);
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }
}
