//! Where consent to destroy a device comes from: the environment, and `--destroy`,
//! which is taken out of arguments that another tool's rules then read.

use sokudo_engine::Consent;

/// Serial numbers or paths of devices that may be destroyed, separated by commas.
const VARIABLE: &str = "SOKUDO_DESTROY";

/// The option with the same meaning.
const OPTION: &str = "--destroy";

/// Splits `--destroy WORD` and `--destroy=WORD` off, and adds what the environment
/// says. The last argument, if it lacks its word, names nothing.
pub(crate) fn split(arguments: Vec<String>) -> (Vec<String>, Consent) {
    let from_environment = std::env::var(VARIABLE).unwrap_or_default();
    let mut named: Vec<String> = from_environment.split(',').map(str::to_owned).collect();
    let mut left = Vec::with_capacity(arguments.len());
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        if argument == OPTION {
            named.extend(arguments.next());
        } else if let Some(word) = argument
            .strip_prefix(OPTION)
            .and_then(|rest| rest.strip_prefix('='))
        {
            named.push(word.to_owned());
        } else {
            left.push(argument);
        }
    }
    (left, Consent::new(named, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn consent_is_taken_out_and_the_rest_stays_in_order() {
        let (left, consent) = split(words("--name=x --destroy /dev/sdx --rw=write --destroy=WD-1"));
        assert_eq!(left, words("--name=x --rw=write"));
        assert_eq!(consent, Consent::new(words("/dev/sdx WD-1"), false));
    }

    #[test]
    fn no_word_is_no_consent() {
        let (left, consent) = split(words("--rw=write --destroy"));
        assert_eq!(left, words("--rw=write"));
        assert_eq!(consent, Consent::default());
    }
}
