//! What sokudo says to people, in other languages.
//!
//! A text is data: `text!` keeps its English template and its arguments, errors derive the
//! same. The template is the key of a translation, which is looked up where the text is
//! shown. It does not know what the texts are about.
//! How texts are found and how a language is added is told in docs/TRANSLATING.md.

// The macros name this crate as all others do.
extern crate self as sokudo_words;

mod catalogue;
pub mod exposition;
mod fault;
mod language;
mod signs;
mod template;
mod text;

pub use fault::{Fault, HasFault, PlainError};
pub use language::Language;
pub use signs::is_unseen;
pub use sokudo_words_derive::{Error, text};
pub use text::{
    Argued, Argument, Displayed, Form, List, Text, Typed, Valued, WrittenFigure, speaking, spoken,
    write_text,
};
