//! ioping: what it says at its end, its raw lines (`-B`, `-p` with `-q`) and its JSON (`-J`).

mod found;
mod json;
mod raw;
mod statistics;

use found::FORMAT;

use crate::results::{Import, ImportError, Reader, Source};

pub(crate) const READER: Reader = Reader::new(FORMAT, recognise, Source::Text(read));

fn recognise(head: &str) -> bool {
    json::recognise(head) || statistics::recognise(head) || raw::recognise(head)
}

fn read(text: &str) -> Result<Import, ImportError> {
    let found = match () {
        () if json::recognise(text) => json::read(text),
        () if statistics::recognise(text) => statistics::read(text),
        () => raw::read(text),
    };
    found.import()
}

#[cfg(test)]
mod tests;
