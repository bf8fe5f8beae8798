//! The page itself: its words.

use sokudo_model::disk::AtaIdentity;

/// Words of the page.
pub(super) const WORDS: usize = 256;

/// A page with what was read of it.
pub(in crate::frontends::hdparm) struct IdentifyPage<'a> {
    pub(super) words: [u16; WORDS],
    pub(super) identity: &'a AtaIdentity,
}

impl<'a> IdentifyPage<'a> {
    /// `None` where the page is too short.
    pub(in crate::frontends::hdparm) fn new(
        bytes: &[u8],
        identity: &'a AtaIdentity,
    ) -> Option<Self> {
        let mut words = [0; WORDS];
        let (pairs, _) = bytes.as_chunks::<2>();
        if pairs.len() < WORDS {
            return None;
        }
        for (word, pair) in words.iter_mut().zip(pairs) {
            *word = u16::from_le_bytes(*pair);
        }
        Some(Self { words, identity })
    }

    pub(super) fn at(&self, word: usize) -> u16 {
        self.words[word]
    }

    pub(super) fn bit(&self, word: usize, bit: u32) -> bool {
        self.at(word) >> bit & 1 == 1
    }

    /// A word that was left out is all zeros or all ones.
    pub(super) fn stated(&self, word: usize) -> Option<u16> {
        Some(self.at(word)).filter(|word| !matches!(word, 0 | 0xffff))
    }

    /// A word whose two highest bits are 01 if it means anything.
    pub(super) fn marked(&self, word: usize) -> Option<u16> {
        Some(self.at(word)).filter(|word| word >> 14 == 0b01)
    }

    /// A feature of words 82 to 84, which word 83 declares valid.
    pub(super) fn has(&self, word: usize, bit: u32) -> bool {
        self.marked(83).is_some() && self.bit(word, bit)
    }

    /// Text with its blanks: the first character is the high byte of a word.
    pub(super) fn text(&self, first: usize, last: usize) -> String {
        let bytes = self.words[first..=last]
            .iter()
            .flat_map(|word| word.to_be_bytes());
        let shown = |byte: u8| match byte {
            0x20..=0x7e => char::from(byte),
            _ => ' ',
        };
        bytes.map(shown).collect()
    }

    /// A number of several words, the lowest first.
    pub(super) fn number(&self, first: usize, words: usize) -> u64 {
        (0..words).rev().fold(0, |number, index| {
            number << 16 | u64::from(self.at(first + index))
        })
    }
}
