//! Everything that a disk said.

use std::collections::BTreeMap;

use sokudo_model::disk::{Health, Identity, WriteCache};
use sokudo_words::Text;

#[derive(Clone, Debug, Default)]
pub struct Interrogation {
    /// In its own language.
    pub identity: Identity,
    pub health: Health,
    /// Its own write cache.
    pub write_cache: WriteCache,
    /// Whether it reads ahead by itself.
    pub read_look_ahead: Option<bool>,
    /// Pages as they came, by name.
    pub raw: BTreeMap<String, Vec<u8>>,
    /// What could not be seen and why, in whole sentences.
    pub blind_spots: Vec<Text>,
}
