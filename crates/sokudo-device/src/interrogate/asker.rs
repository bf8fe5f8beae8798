//! Asks one disk one question after the other, keeps the answers, and stops when the
//! disk is gone or no longer answers.

use std::collections::BTreeMap;
use std::fs::File;

use sokudo_sys::AskError;
use sokudo_sys::nvme::{NvmeAnswer, NvmeCommand, ask_nvme};
use sokudo_sys::scsi::{ScsiAnswer, ScsiCommand, ask_scsi};
use sokudo_words::{Text, text};

use super::Interrogation;
use crate::page::PageError;

/// Somebody who asks a disk.
pub(crate) struct Asker<'a> {
    name: String,
    device: Option<&'a File>,
    raw: BTreeMap<String, Vec<u8>>,
    blind_spots: Vec<Text>,
}

impl<'a> Asker<'a> {
    /// For the disk of this name; without a device, nobody answers.
    pub(crate) fn new(name: &str, device: Option<&'a File>) -> Self {
        Self {
            name: name.to_owned(),
            device,
            raw: BTreeMap::new(),
            blind_spots: Vec::new(),
        }
    }

    /// The disk that is asked, while it answers.
    pub(crate) fn device(&self) -> Option<&'a File> {
        self.device
    }

    /// Asks, and keeps the answer under the name of its page. Why there was none is told.
    pub(crate) fn scsi(&mut self, page: &str, command: &ScsiCommand) -> Option<ScsiAnswer> {
        let answer = self.heard(ask_scsi(self.device?, command))?;
        if !answer.data.is_empty() {
            self.keep(page, &answer.data);
        }
        Some(answer)
    }

    /// The same for something that many disks do not have: its absence is not told.
    pub(crate) fn scsi_if_there(&mut self, page: &str, command: &ScsiCommand) -> Option<Vec<u8>> {
        match ask_scsi(self.device?, command) {
            Err(AskError::CheckCondition { .. } | AskError::Status { .. }) => None,
            answer => {
                let data = self.heard(answer)?.data;
                self.keep(page, &data);
                Some(data)
            }
        }
    }

    pub(crate) fn nvme(&mut self, page: &str, command: &NvmeCommand) -> Option<NvmeAnswer> {
        let answer = self.heard(ask_nvme(self.device?, command))?;
        if !answer.data.is_empty() {
            self.keep(page, &answer.data);
        }
        Some(answer)
    }

    pub(crate) fn keep(&mut self, page: &str, data: &[u8]) {
        self.raw.insert(page.to_owned(), data.to_vec());
    }

    /// Takes what a parser made of a page, or tells why it made nothing.
    pub(crate) fn parsed<T>(&mut self, result: Result<T, PageError>) -> Option<T> {
        result
            .map_err(|error| self.note(text!("{}: {error}", self.name)))
            .ok()
    }

    /// Tells, once, what is not seen.
    pub(crate) fn note(&mut self, sentence: Text) {
        if !self.blind_spots.contains(&sentence) {
            self.blind_spots.push(sentence);
        }
    }

    /// Hands over what was kept and told.
    pub(crate) fn finish(self, found: &mut Interrogation) {
        found.raw = self.raw;
        found.blind_spots.extend(self.blind_spots);
    }

    /// Takes an answer, or tells why there is none.
    pub(crate) fn heard<T>(&mut self, answer: Result<T, AskError>) -> Option<T> {
        match answer {
            Ok(answer) => Some(answer),
            Err(error) if error.is_permission() => {
                self.note(text!(
                    "{} answers only root some of the questions about identity, health and cache; \
                     run as root to see all",
                    self.name
                ));
                None
            }
            Err(error) => {
                if error.is_final() {
                    // Each further question would take its whole time as well.
                    self.device = None;
                }
                self.note(text!("{}: {error}", self.name));
                None
            }
        }
    }
}
