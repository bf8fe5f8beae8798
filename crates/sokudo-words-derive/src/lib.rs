//! The macros of sokudo-words: a text with its arguments, and errors that are such texts.

mod error;
mod literal;

use proc_macro::TokenStream;
use syn::parse_macro_input;

/// A `sokudo_words::Text`: written as for `format!`, kept as its template and arguments.
#[proc_macro]
pub fn text(input: TokenStream) -> TokenStream {
    let written = parse_macro_input!(input as literal::FormatArguments);
    written.text().into()
}

/// `Display` and `Error` of a struct or an enum whose texts stand in `#[error("…")]`, as
/// thiserror has them; they are said in the language that is spoken when they are shown.
///
/// Where `#[fault(usage)]` (or `refused`, `interrupted`, `system`) stands at an enum or a variant,
/// `HasFault` is derived too: a variant has its own, or that of its enum, or else `system`.
/// `#[fault(source)]` is that of the error behind it, and so is that of a transparent one.
#[proc_macro_derive(Error, attributes(error, fault, from, source))]
pub fn error(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as syn::DeriveInput);
    error::derived(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
