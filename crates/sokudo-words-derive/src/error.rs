//! Errors whose texts are said in a language.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Data, DeriveInput, Field, Fields, Ident, Type};

use crate::literal::FormatArguments;

/// What an `#[error(…)]` says.
enum ErrorMessage {
    /// What its only field says.
    Transparent,
    Text(FormatArguments),
}

/// A variant of an enum, or the struct itself.
struct ErrorCase {
    /// `Self::Variant { field, .. }`.
    pattern: TokenStream,
    message: ErrorMessage,
    fault: Option<Ident>,
    fields: Vec<(Ident, Field)>,
}

pub(crate) fn derived(input: &DeriveInput) -> syn::Result<TokenStream> {
    let name = &input.ident;
    let (generics, types, bounds) = input.generics.split_for_impl();
    let cases = cases(input)?;
    let texts = cases.iter().map(|case| {
        let (pattern, text) = (&case.pattern, case.text());
        quote!(#pattern => #text)
    });
    let sources = cases.iter().map(|case| {
        let (pattern, source) = (&case.pattern, case.source());
        quote!(#pattern => #source)
    });
    let conversions = cases.iter().filter_map(ErrorCase::converted_from);
    let conversions = conversions.map(|(from, made)| {
        quote! {
            impl #generics ::core::convert::From<#from> for #name #types #bounds {
                fn from(source: #from) -> Self {
                    #made
                }
            }
        }
    });
    let fault = fault_impl(input, &cases)?;
    Ok(quote! {
        #fault
        #[allow(unused_variables, clippy::used_underscore_binding)]
        impl #generics ::core::fmt::Display for #name #types #bounds {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match self { #(#texts,)* }
            }
        }
        #[allow(unused_variables, clippy::used_underscore_binding)]
        impl #generics ::core::error::Error for #name #types #bounds {
            fn source(&self) -> ::core::option::Option<&(dyn ::core::error::Error + 'static)> {
                match self { #(#sources,)* }
            }
        }
        #(#conversions)*
    })
}

/// Whose affair each case is, where anything says so.
fn fault_impl(input: &DeriveInput, cases: &[ErrorCase]) -> syn::Result<TokenStream> {
    let usual = fault(&input.attrs)?;
    if usual.is_none() && cases.iter().all(|case| case.fault.is_none()) {
        return Ok(TokenStream::new());
    }
    let usual = usual.unwrap_or_else(|| format_ident!("system"));
    let name = &input.ident;
    let (generics, types, bounds) = input.generics.split_for_impl();
    let faults = cases.iter().map(|case| {
        let (pattern, fault) = (&case.pattern, case.fault(&usual));
        quote!(#pattern => #fault)
    });
    Ok(quote! {
        #[allow(unused_variables, clippy::used_underscore_binding)]
        impl #generics ::sokudo_words::HasFault for #name #types #bounds {
            fn fault(&self) -> ::sokudo_words::Fault {
                match self { #(#faults,)* }
            }
        }
    })
}

/// Name of the fault in `#[fault(…)]`; `None` without that attribute.
fn fault(attributes: &[Attribute]) -> syn::Result<Option<Ident>> {
    let mut faults = attributes.iter().filter(|it| it.path().is_ident("fault"));
    faults.next().map(Attribute::parse_args).transpose()
}

fn cases(input: &DeriveInput) -> syn::Result<Vec<ErrorCase>> {
    match &input.data {
        Data::Enum(data) => {
            let case = |variant: &syn::Variant| {
                let name = &variant.ident;
                ErrorCase::new(&quote!(Self::#name), &variant.attrs, &variant.fields, name)
            };
            data.variants.iter().map(case).collect()
        }
        Data::Struct(data) => Ok(vec![ErrorCase::new(
            &quote!(Self),
            &input.attrs,
            &data.fields,
            &input.ident,
        )?]),
        Data::Union(_) => Err(syn::Error::new(input.ident.span(), "a union is no error")),
    }
}

impl ErrorCase {
    fn new(
        path: &TokenStream,
        attributes: &[Attribute],
        fields: &Fields,
        name: &Ident,
    ) -> syn::Result<Self> {
        let mut errors = attributes.iter().filter(|it| it.path().is_ident("error"));
        let Some(error) = errors.next() else {
            return Err(syn::Error::new(name.span(), "it has no #[error(\"…\")]"));
        };
        let is_transparent = error
            .parse_args::<Ident>()
            .is_ok_and(|word| word == "transparent");
        let message = match is_transparent {
            true => ErrorMessage::Transparent,
            false => ErrorMessage::Text(error.parse_args()?),
        };
        let named = fields.iter().enumerate().map(|(index, field)| {
            let name = field.ident.clone();
            (
                name.unwrap_or_else(|| format_ident!("_{index}")),
                field.clone(),
            )
        });
        let named: Vec<(Ident, Field)> = named.collect();
        let bound = named.iter().map(|(name, _)| name);
        let pattern = match fields {
            Fields::Named(_) => quote!(#path { #(#bound),* }),
            Fields::Unnamed(_) => quote!(#path ( #(#bound),* )),
            Fields::Unit => path.clone(),
        };
        Ok(Self {
            pattern,
            message,
            fault: fault(attributes)?,
            fields: named,
        })
    }

    fn text(&self) -> TokenStream {
        match (&self.message, self.fields.first()) {
            (ErrorMessage::Text(text), _) => text.written(),
            (ErrorMessage::Transparent, Some((only, _))) => {
                quote!(::core::fmt::Display::fmt(#only, f))
            }
            (ErrorMessage::Transparent, None) => quote!(::core::result::Result::Ok(())),
        }
    }

    /// The field that holds the error behind this one.
    fn behind(&self) -> Option<&(Ident, Field)> {
        self.fields.iter().find(|(name, field)| {
            *name == "source" || is_marked(field, "source") || is_marked(field, "from")
        })
    }

    fn source(&self) -> TokenStream {
        match (&self.message, self.fields.first(), self.behind()) {
            // What it says is that error's, so what is behind it is that one's too.
            (ErrorMessage::Transparent, Some((only, field)), _) => {
                let only = as_error(only, &field.ty);
                quote!(::core::error::Error::source(#only))
            }
            (_, _, Some((name, field))) => {
                let source = as_error(name, &field.ty);
                quote!(::core::option::Option::Some(#source))
            }
            _ => quote!(::core::option::Option::None),
        }
    }

    fn fault(&self, usual: &Ident) -> TokenStream {
        let fault = self.fault.as_ref();
        let behind = match &self.message {
            ErrorMessage::Transparent if fault.is_none() => self.fields.first(),
            _ if fault.is_some_and(|fault| fault == "source") => {
                self.behind().or(self.fields.first())
            }
            _ => None,
        };
        if let Some((behind, field)) = behind {
            let behind = as_error(behind, &field.ty);
            return quote!(::sokudo_words::HasFault::fault(#behind));
        }
        match fault.unwrap_or(usual).to_string().as_str() {
            "usage" => quote!(::sokudo_words::Fault::Usage),
            "refused" => quote!(::sokudo_words::Fault::Refused),
            "interrupted" => quote!(::sokudo_words::Fault::Interrupted),
            "system" => quote!(::sokudo_words::Fault::System),
            _ => quote!(::core::compile_error!(
                "a fault is usage, refused, interrupted, system or source"
            )),
        }
    }

    /// The type that it is made of, and how.
    fn converted_from(&self) -> Option<(&Type, TokenStream)> {
        let (_, field) = self.fields.iter().find(|(_, it)| is_marked(it, "from"))?;
        let pattern = &self.pattern;
        let name = &self.fields.first()?.0;
        Some((&field.ty, quote!({ let #name = source; #pattern })))
    }
}

/// A reference to an error, also to one in a box.
fn as_error(name: &Ident, of: &Type) -> TokenStream {
    let is_boxed = matches!(of, Type::Path(path)
        if path.path.segments.last().is_some_and(|last| last.ident == "Box"));
    match is_boxed {
        true => quote!(&**#name),
        false => quote!(#name),
    }
}

fn is_marked(field: &Field, mark: &str) -> bool {
    field.attrs.iter().any(|it| it.path().is_ident(mark))
}
