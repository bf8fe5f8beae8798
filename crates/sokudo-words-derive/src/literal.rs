//! A literal with holes, and what stands in them.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Expr, Ident, LitStr, Token};

/// The arguments of `format!`.
pub(crate) struct FormatArguments {
    /// The literal, its holes by their names alone, without formats: `{name} of {}`.
    template: String,
    holes: Vec<Hole>,
}

/// What stands in a hole, and how it is to be shown.
struct Hole {
    value: TokenStream,
    /// What stands behind the colon; mostly nothing.
    format: String,
}

/// An argument behind the literal.
struct LiteralArgument {
    name: Option<Ident>,
    value: TokenStream,
}

impl Parse for FormatArguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let literal: LitStr = input.parse()?;
        let mut arguments = Vec::new();
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            arguments.push(input.parse::<LiteralArgument>()?);
        }
        Self::new(&literal, &arguments)
    }
}

impl Parse for LiteralArgument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = if input.peek(Ident) && input.peek2(Token![=]) && !input.peek2(Token![==]) {
            let name = input.parse()?;
            input.parse::<Token![=]>()?;
            Some(name)
        } else {
            None
        };
        let value = with_fields(input)?;
        Ok(Self { name, value })
    }
}

/// An expression up to the next comma. As thiserror has it, `.field` where an expression begins
/// is a field of the error: a variable of the arm in which it stands.
fn with_fields(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = Vec::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.push(input.parse::<proc_macro2::TokenTree>()?);
    }
    let tokens = fields_named(tokens);
    // What is no expression is told where it stands.
    syn::parse2::<Expr>(tokens.clone())?;
    Ok(tokens)
}

fn fields_named(tokens: Vec<proc_macro2::TokenTree>) -> TokenStream {
    use proc_macro2::{Group, TokenTree};
    let mut named = Vec::new();
    let mut begins = true;
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(ref sign) if sign.as_char() == '.' && begins => {
                begins = false;
                match tokens.next() {
                    Some(TokenTree::Literal(number)) => {
                        named.push(TokenTree::Ident(format_ident!("_{}", number.to_string())));
                    }
                    Some(other) => named.push(other),
                    None => named.push(token),
                }
            }
            TokenTree::Group(group) => {
                begins = false;
                let inside = fields_named(group.stream().into_iter().collect());
                let mut group_named = Group::new(group.delimiter(), inside);
                group_named.set_span(group.span());
                named.push(TokenTree::Group(group_named));
            }
            TokenTree::Punct(_) => {
                begins = true;
                named.push(token);
            }
            _ => {
                begins = false;
                named.push(token);
            }
        }
    }
    named.into_iter().collect()
}

impl FormatArguments {
    fn new(literal: &LitStr, arguments: &[LiteralArgument]) -> syn::Result<Self> {
        let text = literal.value();
        let wrong = |what: &str| syn::Error::new(literal.span(), what);
        let mut written = Self {
            template: String::new(),
            holes: Vec::new(),
        };
        let mut next = 0;
        let mut rest = text.as_str();
        while let Some(at) = rest.find(['{', '}']) {
            let brace = &rest[at..=at];
            written.template.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                written.template.push_str(brace);
                written.template.push_str(brace);
                rest = after;
                continue;
            }
            let (inside, after) = rest
                .split_once('}')
                .ok_or_else(|| wrong("a hole is open"))?;
            let (name, format) = inside.split_once(':').unwrap_or((inside, ""));
            let value = match name {
                "" => {
                    next += 1;
                    positional(arguments, next - 1)
                }
                // A field of an error without a name.
                name if name.bytes().all(|byte| byte.is_ascii_digit()) => {
                    Some(variable(&format!("_{name}"), literal.span()))
                }
                name => {
                    Some(named(arguments, name).unwrap_or_else(|| variable(name, literal.span())))
                }
            };
            let value = value.ok_or_else(|| wrong("a hole has no argument"))?;
            let is_name = name.bytes().any(|byte| !byte.is_ascii_digit());
            written.template.push('{');
            written.template.push_str(if is_name { name } else { "" });
            written.template.push('}');
            written.holes.push(Hole {
                value,
                format: format.to_owned(),
            });
            rest = after;
        }
        written.template.push_str(rest);
        Ok(written)
    }

    /// The text as data.
    pub(crate) fn text(&self) -> TokenStream {
        let template = &self.template;
        let arguments = self.holes.iter().map(|Hole { value, format }| {
            if format.is_empty() {
                return quote!((&::sokudo_words::Valued(&(#value))).argument());
            }
            let format = format!("{{:{format}}}");
            quote!((&::sokudo_words::Valued(&(#value))).shown(::std::format!(#format, #value)))
        });
        quote!({
            #[allow(unused_imports)]
            use ::sokudo_words::{Displayed as _, Typed as _};
            ::sokudo_words::Text::new(#template, ::std::vec![#(#arguments),*])
        })
    }

    /// Writes the text in the language that is spoken to a formatter `f`.
    pub(crate) fn written(&self) -> TokenStream {
        let template = &self.template;
        let arguments = self.holes.iter().map(|Hole { value, format }| {
            if format.is_empty() {
                return quote!((&::sokudo_words::Valued(&(#value))).argument());
            }
            let format = format!("{{:{format}}}");
            quote!(::sokudo_words::Argument::Name(
                ::std::format!(#format, #value)
            ))
        });
        quote!({
            #[allow(unused_imports)]
            use ::sokudo_words::{Displayed as _, Typed as _};
            ::sokudo_words::write_text(f, #template, &[#(#arguments),*])
        })
    }
}

fn positional(arguments: &[LiteralArgument], index: usize) -> Option<TokenStream> {
    let mut unnamed = arguments.iter().filter(|argument| argument.name.is_none());
    unnamed.nth(index).map(|argument| argument.value.clone())
}

fn named(arguments: &[LiteralArgument], name: &str) -> Option<TokenStream> {
    let is_it = |argument: &&LiteralArgument| argument.name.as_ref().is_some_and(|it| it == name);
    arguments
        .iter()
        .find(is_it)
        .map(|argument| argument.value.clone())
}

fn variable(name: &str, span: Span) -> TokenStream {
    let name = match name.strip_prefix("r#") {
        Some(raw) => Ident::new_raw(raw, span),
        None => Ident::new(name, span),
    };
    quote!(#name)
}
