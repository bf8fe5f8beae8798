//! Where consent to destroy a device comes from: the environment, and what `--destroy`
//! named.

use sokudo_engine::{Consent, Front};

/// Serial numbers or paths of devices that may be destroyed, separated by commas.
const VARIABLE: &str = "SOKUDO_DESTROY";

/// What the environment and these words name. Whether a device in use may be destroyed
/// is said for each by its job.
pub(crate) fn named(words: &[String]) -> Consent {
    together(&std::env::var(VARIABLE).unwrap_or_default(), words)
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
