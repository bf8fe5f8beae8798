//! Options that say how I/O is done and with what: `-S`, `-N`, `-x`, `-Z`.

use sokudo_model::Bytes;

use crate::diskspd::session::{DiskspdContent, DiskspdEngine, DiskspdWriteThrough};

use super::apply::{AppliedOptions, bad};
use super::error::{DiskspdError, DiskspdProblem};
use super::options::DiskspdOption;
use super::scan::WrittenOption;
use super::value;

impl AppliedOptions {
    /// Letters that share one word, such as the three of `-Suw`: each is an option.
    pub(super) fn letters(
        &mut self,
        option: &WrittenOption,
        letters: &str,
        expected: &'static str,
    ) -> Result<(), DiskspdError> {
        for letter in letters.chars() {
            let key = format!("{}{letter}", option.letter);
            if DiskspdOption::of(&key).is_none() {
                return Err(bad(option, expected));
            }
            self.take(&key, option)?;
            self.set(&key, option)?;
        }
        Ok(())
    }

    /// The same where there can be only one.
    pub(super) fn letter(
        &mut self,
        option: &WrittenOption,
        letter: &str,
        expected: &'static str,
    ) -> Result<(), DiskspdError> {
        match letter.len() {
            1 => self.letters(option, letter, expected),
            _ => Err(bad(option, expected)),
        }
    }

    /// Does what an option of two letters says.
    pub(super) fn set(&mut self, key: &str, option: &WrittenOption) -> Result<(), DiskspdError> {
        let target = &mut self.target;
        match key {
            "fr" => target.random_hint = true,
            "fs" => target.sequential_hint = true,
            "ft" => target.temporary_hint = true,
            "Nv" => target.flush_mapped = true,
            "Sd" | "Su" => self.unbuffered(option),
            "Sh" => {
                self.unbuffered(option);
                self.write_through(option, DiskspdWriteThrough::DataAndMetadata)?;
            }
            "Sm" => target.mapped = true,
            "Ss" => self.write_through(option, DiskspdWriteThrough::DataAndMetadata)?,
            "Sw" => self.write_through(option, DiskspdWriteThrough::Data)?,
            "xk" => target.engine = DiskspdEngine::KernelAio,
            "xp" => target.engine = DiskspdEngine::PosixAio,
            "Zr" => target.content = DiskspdContent::Random,
            "Zz" => target.content = DiskspdContent::Zero,
            _ => {}
        }
        Ok(())
    }

    fn unbuffered(&mut self, option: &WrittenOption) {
        if self.target.unbuffered {
            self.notes
                .push(format!("{} asks for direct I/O again.", option.text));
        }
        self.target.unbuffered = true;
    }

    fn write_through(
        &mut self,
        option: &WrittenOption,
        how: DiskspdWriteThrough,
    ) -> Result<(), DiskspdError> {
        if !matches!(self.target.write_through, DiskspdWriteThrough::Off) {
            let (other, way_out) = ("an earlier -S or -h", "ask for durable writes once");
            let problem = DiskspdProblem::Conflict { other, way_out };
            return Err(DiskspdError::new(&option.text, problem));
        }
        self.target.write_through = how;
        Ok(())
    }

    pub(super) fn content(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        if option
            .value
            .starts_with(|first: char| first.is_ascii_digit())
        {
            self.take("Z<size>", option)?;
            let (bytes, file) = match option.value.split_once(',') {
                Some((bytes, file)) => (bytes, Some(file.to_owned())),
                None => (option.value.as_str(), None),
            };
            let bytes = value::size(bytes, self.target.block.0).filter(|bytes| *bytes > 0);
            let bytes = bytes.ok_or_else(|| bad(option, "a size above 0, or size,file"))?;
            let bytes = Bytes(bytes);
            self.target.content = DiskspdContent::Source { bytes, file };
            return Ok(());
        }
        if option.value.is_empty() {
            self.take("Z", option)?;
            return self.set("Zz", option);
        }
        self.letters(
            option,
            &option.value,
            "letters of z, r and s, or a size, or nothing",
        )
    }
}
