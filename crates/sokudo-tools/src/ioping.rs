//! ioping: what it says at its end, its raw lines (`-B`, `-p` with `-q`) and its JSON (`-J`).

mod found;
mod json;
mod raw;
mod statistics;

use std::io::BufRead;

use crate::results::text;
use crate::results::{Import, ImportError, Reader};

use found::FORMAT;

pub(crate) const READER: Reader = Reader {
    format: FORMAT,
    recognise,
    read,
};

fn recognise(head: &str) -> bool {
    json::recognise(head) || statistics::recognise(head) || raw::recognise(head)
}

fn read(source: &mut dyn BufRead) -> Result<Import, ImportError> {
    let text = text::whole(FORMAT, source)?;
    let found = match () {
        () if json::recognise(&text) => json::read(&text),
        () if statistics::recognise(&text) => statistics::read(&text),
        () => raw::read(&text),
    };
    found.import()
}

#[cfg(test)]
mod tests;
