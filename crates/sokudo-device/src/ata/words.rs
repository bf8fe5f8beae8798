//! The words of the page that a disk describes itself with.

use crate::page;

/// The words of the page, and what their validity bits say.
#[derive(Clone, Copy)]
pub(crate) struct AtaWords<'a>(pub(super) &'a [u8]);

impl AtaWords<'_> {
    /// A word; 0 beyond the end.
    pub(crate) fn at(self, index: usize) -> u16 {
        page::le16(self.0, index * 2).unwrap_or(0)
    }

    /// A word that was left out is all zeros or all ones.
    pub(crate) fn stated(self, index: usize) -> Option<u16> {
        let word = self.at(index);
        (word != 0 && word != 0xffff).then_some(word)
    }

    /// A word whose two highest bits are 01 if it means anything.
    pub(crate) fn marked(self, index: usize) -> Option<u16> {
        let word = self.at(index);
        (word >> 14 == 0b01).then_some(word)
    }

    pub(crate) fn bit(self, index: usize, bit: u32) -> bool {
        self.at(index) >> bit & 1 == 1
    }

    /// Text: the first character is the high byte of a word.
    pub(super) fn text(self, first: usize, last: usize) -> String {
        let bytes: Vec<u8> = (first..=last)
            .flat_map(|index| self.at(index).to_be_bytes())
            .collect();
        page::text(&bytes)
    }

    /// A number of several words, the lowest first.
    pub(super) fn number(self, first: usize, words: usize) -> u64 {
        (0..words).rev().fold(0, |number, index| {
            number << 16 | u64::from(self.at(first + index))
        })
    }
}
