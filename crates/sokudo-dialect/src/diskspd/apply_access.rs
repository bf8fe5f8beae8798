//! Options that say how I/O is done and with what: `-S`, `-N`, `-x`, `-Z`.

use sokudo_model::Bytes;
use sokudo_model::diskspd::{DiskspdContent, DiskspdEngine, DiskspdWriteThrough};

use super::apply::{AppliedOptions, bad};
use super::error::{DiskspdError, DiskspdProblem};
use super::scan::WrittenOption;
use super::value;

impl AppliedOptions {
    pub(super) fn caching(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        if option.letter == 'N' {
            return match option.value.to_ascii_lowercase().as_str() {
                "v" => {
                    self.target.flush_mapped = true;
                    self.take("Nv", option)
                }
                "n" => self.take("Nn", option),
                "i" => self.take("Ni", option),
                _ => Err(bad(option, "one of v, n and i")),
            };
        }
        if option.value.is_empty() {
            self.take("Su", option)?;
            return self.unbuffered(option);
        }
        for letter in option.value.chars() {
            match letter {
                'b' => self.take("Sb", option)?,
                'd' => {
                    self.take("Sd", option)?;
                    self.unbuffered(option)?;
                }
                'u' => {
                    self.take("Su", option)?;
                    self.unbuffered(option)?;
                }
                'h' => {
                    self.take("Sh", option)?;
                    self.unbuffered(option)?;
                    self.write_through(option, DiskspdWriteThrough::DataAndMetadata)?;
                }
                'm' => {
                    self.target.mapped = true;
                    self.take("Sm", option)?;
                }
                'r' => self.take("Sr", option)?,
                's' => {
                    self.take("Ss", option)?;
                    self.write_through(option, DiskspdWriteThrough::DataAndMetadata)?;
                }
                'w' => {
                    self.take("Sw", option)?;
                    self.write_through(option, DiskspdWriteThrough::Data)?;
                }
                _ => {
                    return Err(bad(
                        option,
                        "letters of b, h, m, u and w, or d, s and h of Linux",
                    ));
                }
            }
        }
        Ok(())
    }

    pub(super) fn unbuffered(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        if self.target.unbuffered {
            let text = option.text.clone();
            self.notes
                .push(format!("{text} asks for direct I/O again."));
        }
        self.target.unbuffered = true;
        Ok(())
    }

    pub(super) fn write_through(
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

    pub(super) fn engine(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        match option.value.as_str() {
            "" => {
                self.span.completion_routines = true;
                self.take("x", option)
            }
            "k" => {
                self.target.engine = DiskspdEngine::KernelAio;
                self.take("xk", option)
            }
            "p" => {
                self.target.engine = DiskspdEngine::PosixAio;
                self.take("xp", option)
            }
            _ => Err(bad(option, "k, p or nothing")),
        }
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
            self.target.content = DiskspdContent::Zero;
            return self.take("Z", option);
        }
        for letter in option.value.chars() {
            let (key, content) = match letter {
                'z' => ("Zz", Some(DiskspdContent::Zero)),
                'r' => ("Zr", Some(DiskspdContent::Random)),
                's' => ("Zs", None),
                _ => return Err(bad(option, "letters of z, r and s, or a size, or nothing")),
            };
            self.take(key, option)?;
            self.target.content = content.unwrap_or_else(|| self.target.content.clone());
        }
        Ok(())
    }
}
