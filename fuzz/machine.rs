// A machine whose files all hold the input.

use sokudo_tools::language::host::{HostPath, HostPathKind, Host};
use sokudo_tools::{diskspd, fio};
use sokudo_model::Bytes;

pub struct Machine<'a>(pub &'a str);

impl Host for Machine<'_> {
    fn read_text(&self, _path: &str) -> Result<String, String> {
        Ok(self.0.to_owned())
    }
    fn variable(&self, name: &str) -> Option<String> {
        name.len().is_multiple_of(2).then(|| name.to_owned())
    }
    fn found(&self, path: &str) -> Option<HostPath> {
        let kind = [HostPathKind::File, HostPathKind::BlockDevice][path.len() % 2];
        let bytes = Bytes(path.len() as u64 * 1_000_000);
        (!path.len().is_multiple_of(3)).then_some(HostPath { kind, bytes })
    }
    fn processors(&self) -> u32 {
        2
    }
    fn page_bytes(&self) -> u64 {
        4096
    }
    fn memory_bytes(&self) -> u64 {
        1 << 32
    }
    fn seed(&self) -> u64 {
        7
    }
}

/// Reads, shows and plans what is written for fio.
#[allow(dead_code, reason = "each target takes one of the two")]
pub fn try_fio(arguments: &[String], text: &str) {
    let host = Machine(text);
    if let Ok(invocation) = fio::invocation(arguments, &host) {
        let _ = fio::show_command(&invocation);
        let _ = invocation.plan(&host);
    }
}

/// Reads and plans what is written for diskspd.
#[allow(dead_code, reason = "each target takes one of the two")]
pub fn try_diskspd(arguments: &[String], text: &str) {
    let host = Machine(text);
    if let Ok(invocation) = diskspd::invocation(arguments, &host) {
        let _ = invocation.plan(&host);
    }
}
