//! Values that are one of a few words.

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Reads one of these words, each as what it stands for.
pub fn one_of<T: Clone + Send + Sync + 'static>(
    words: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let named = PossibleValuesParser::new(words.iter().map(|(word, _)| *word));
    named.map(|argument| {
        let named = words.iter().find(|(word, _)| *word == argument);
        named.expect("no other word gets here").1.clone()
    })
}
