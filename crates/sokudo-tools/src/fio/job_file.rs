//! Job files: their lines, with includes, variables and comments, as [`Section`]s.
//!
//! As fio 3.33 reads them: `;` and `#` begin a comment anywhere; a section whose name
//! begins with `global` sets what holds for those after it; `include FILE` stands for
//! the lines of FILE, which has no sections of its own.

use crate::language::host::Host;

use super::failure::{ErrorLocation, FAULTS_MAX, FioError, FioProblem};
use super::invocation::{Assignment, Section};
use super::option::FioOption;
use super::substitute::substitute;
use super::table::{find, options};

/// Far beyond any job file that people write; longer text is something else.
const TEXT_BYTES_MAX: usize = 1 << 20;
/// fio's limit on a line (OPT_LEN_MAX); it reads the rest as another line.
const LINE_BYTES_MAX: usize = 4096;
/// Files that include one another; more is a circle.
const INCLUDES_DEEP_MAX: u32 = 8;
/// Includes of one job file, each counted where it is read; files that include one
/// another several times would else grow without end.
const INCLUDES_MAX: u32 = 64;
/// fio's limit on jobs.
const SECTIONS_MAX: usize = 4096;
/// Options of all sections together; a bound on what a circle of includes can cost.
const OPTIONS_MAX: usize = 1 << 16;

/// Reads the job file `path`; only `wanted` sections, when there are any, and `[global]`s.
/// Options that nobody knows are added to `unknown`, and the rest is read.
pub(super) fn read_sections(
    path: &str,
    index: usize,
    wanted: &[String],
    host: &dyn Host,
    unknown: &mut Vec<FioError>,
) -> Result<Vec<Section>, FioError> {
    let text = host
        .read_text(path)
        .map_err(|why| FioError::of_command_line(format!("job file {why}")))?;
    let mut reader = JobFileReader {
        host,
        index,
        wanted,
        sections: Vec::new(),
        unknown: Vec::new(),
        is_skipped: false,
        options: 0,
        includes: 0,
    };
    reader.file(path, &text, 0)?;
    unknown.append(&mut reader.unknown);
    let mut sections = reader.sections;
    for section in &mut sections {
        section
            .options
            .sort_by_key(|assignment| priority(&options()[assignment.option]));
    }
    Ok(sections)
}

/// In which order fio applies the options of a section: what sizes are counted in
/// first, names of files after their directory, an engine's own options last.
fn priority(option: &FioOption) -> u8 {
    match option.name {
        "kb_base" | "unit_base" | "cpus_allowed_policy" | "lockfile" => 0,
        "filename" | "filename_format" => 2,
        _ if !option.engines.is_empty() => 3,
        _ => 1,
    }
}

struct JobFileReader<'a> {
    host: &'a dyn Host,
    index: usize,
    wanted: &'a [String],
    sections: Vec<Section>,
    unknown: Vec<FioError>,
    is_skipped: bool,
    options: usize,
    includes: u32,
}

impl JobFileReader<'_> {
    fn file(&mut self, name: &str, text: &str, depth: u32) -> Result<(), FioError> {
        let location = |line: usize, column: usize| ErrorLocation::File {
            name: name.to_owned(),
            line,
            column,
        };
        if text.len() > TEXT_BYTES_MAX {
            let bytes = text.len();
            let sentence =
                format!("the file has {bytes} bytes; a job file has at most {TEXT_BYTES_MAX}");
            return Err(FioError::other(location(1, 1), sentence));
        }
        for (index, raw) in text.lines().enumerate() {
            let end = raw.find([';', '#']).unwrap_or(raw.len());
            let body = raw[..end].trim();
            if body.is_empty() {
                continue;
            }
            let column = raw[..end].len() - raw[..end].trim_start().len();
            let source = location(index + 1, raw[..column].chars().count() + 1);
            if body.len() > LINE_BYTES_MAX {
                let sentence = format!("the line is longer than {LINE_BYTES_MAX} bytes");
                return Err(FioError::other(source, sentence));
            }
            match body.strip_prefix('[') {
                Some(_) if depth > 0 => {
                    let sentence = "an included file has no sections; fio reads none there";
                    return Err(FioError::other(source, sentence));
                }
                Some(rest) => self.section(rest, source)?,
                None if self.is_skipped => {}
                None => self.line(body, source, name, depth)?,
            }
        }
        Ok(())
    }

    fn section(&mut self, rest: &str, source: ErrorLocation) -> Result<(), FioError> {
        let name = match rest.strip_suffix(']') {
            Some(name) if !name.is_empty() => name,
            _ => {
                let sentence = "a section is written [name], alone on its line";
                return Err(FioError::other(source, sentence));
            }
        };
        if self.sections.len() == SECTIONS_MAX {
            let sentence = format!("more than {SECTIONS_MAX} sections; split the file");
            return Err(FioError::other(source, sentence));
        }
        let section = Section::begun(name, Some(self.index), source, self.wanted);
        self.is_skipped = section.is_none();
        self.sections.extend(section);
        Ok(())
    }

    fn line(
        &mut self,
        body: &str,
        source: ErrorLocation,
        name: &str,
        depth: u32,
    ) -> Result<(), FioError> {
        if let Some(path) = body.strip_prefix("include")
            && path.starts_with([' ', '\t'])
            && !self.sections.is_empty()
        {
            return self.include(path.trim(), source, name, depth);
        }
        let text =
            substitute(body, self.host).map_err(|why| FioError::other(source.clone(), why))?;
        let (key, value) = match text.split_once('=') {
            Some((key, value)) => (key.trim(), Some(value)),
            None => (text.trim(), None),
        };
        let Some(section) = self.sections.last_mut() else {
            let option = key.to_owned();
            return Err(FioError::new(source, FioProblem::OutsideSection { option }));
        };
        let option = match find(key) {
            Ok(option) => option,
            Err(problem) => {
                if self.unknown.len() < FAULTS_MAX {
                    self.unknown.push(FioError::new(source, problem));
                }
                return Ok(());
            }
        };
        self.options += 1;
        if self.options > OPTIONS_MAX {
            let sentence = format!("more than {OPTIONS_MAX} options; split the file");
            return Err(FioError::other(source, sentence));
        }
        let value_column = body.find('=').map(|at| {
            let value = &body[at + 1..];
            let blanks = value.len() - value.trim_start().len();
            body[..at + 1 + blanks].chars().count()
        });
        section.options.push(Assignment {
            option,
            value: value.map(str::to_owned),
            value_column: value_column.unwrap_or(0),
            source,
        });
        Ok(())
    }

    /// fio looks for the file here first, then beside the file that includes it.
    fn include(
        &mut self,
        path: &str,
        source: ErrorLocation,
        name: &str,
        depth: u32,
    ) -> Result<(), FioError> {
        if depth == INCLUDES_DEEP_MAX {
            let sentence = format!("more than {INCLUDES_DEEP_MAX} files include one another");
            return Err(FioError::other(source, sentence));
        }
        self.includes += 1;
        if self.includes > INCLUDES_MAX {
            let sentence =
                format!("more than {INCLUDES_MAX} includes; put the options into one file");
            return Err(FioError::other(source, sentence));
        }
        let beside = name
            .rfind('/')
            .map(|slash| format!("{}{path}", &name[..=slash]));
        let here = (self.host.read_text(path)).map(|text| (path.to_owned(), text));
        let found = match (here, beside) {
            (Err(_), Some(beside)) => {
                (self.host.read_text(&beside)).map(|text| (beside.clone(), text))
            }
            (here, _) => here,
        };
        let (path, text) =
            found.map_err(|why| FioError::other(source, format!("include: {why}")))?;
        self.file(&path, &text, depth + 1)
    }
}
