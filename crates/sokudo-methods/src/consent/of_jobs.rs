//! Where consent to destroy a device comes from: the environment, and what `--destroy`
//! named. And consent to overwrite files that a script cannot give, because its command
//! lines are another's.

use sokudo_engine::{Consent, Front};
use sokudo_terminal::exit::Exit;
use sokudo_terminal::invocation;
use sokudo_words::text;

/// Serial numbers or paths of devices that may be destroyed, separated by commas.
const VARIABLE: &str = "SOKUDO_DESTROY";

/// What may be overwritten without a job's word. Its only value is [`FILES`].
const OVERWRITE_VARIABLE: &str = "SOKUDO_OVERWRITE";

/// Existing files; never devices.
const FILES: &str = "files";

/// What the environment and these words name. Whether a device in use may be destroyed
/// is said for each by its job.
///
/// # Errors
/// When the environment allows what is not known.
pub fn named(words: &[String]) -> Result<Consent, Exit> {
    let variable = |name| invocation::variable(name).unwrap_or_default();
    let files_too = allows_files(&variable(OVERWRITE_VARIABLE))?;
    Ok(together(&variable(VARIABLE), words).for_files(files_too))
}

fn allows_files(variable: &str) -> Result<bool, Exit> {
    match variable.trim() {
        "" => Ok(false),
        FILES => Ok(true),
        other => Err(Exit::usage(text!(
            "{OVERWRITE_VARIABLE} is {other:?}; set it to {FILES} to allow sokudo to overwrite existing files, or unset it"
        ))),
    }
}

fn together(variable: &str, words: &[String]) -> Consent {
    let from_variable = variable.split(',').map(str::to_owned);
    Consent::new(
        Front::Door,
        from_variable.chain(words.iter().cloned()),
        false,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_are_allowed_to_be_overwritten() {
        let allowed = |variable| allows_files(variable).ok();
        assert_eq!(allowed(""), Some(false));
        assert_eq!(allowed(" files "), Some(true));
        for word in ["1", "all", "devices", "files,devices"] {
            assert_eq!(allowed(word), None, "{word}");
        }
    }

    #[test]
    fn both_ways_name_devices_and_empty_words_name_none() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            together("/dev/sdx, WD-1", &words("/dev/sdy")),
            Consent::new(Front::Door, words("/dev/sdx WD-1 /dev/sdy"), false)
        );
        let nobody = Consent::new(Front::Door, [], false);
        assert_eq!(together("", &[]), nobody);
        assert_eq!(together(" ,,", &[String::new()]), nobody);
    }
}
