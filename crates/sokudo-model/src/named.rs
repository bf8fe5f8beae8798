//! Enums whose values have names.

/// What a value is called wherever it is written, in documents too, is its name.
macro_rules! named {
    ($(#[$about:meta])* pub enum $of:ident { $($(#[$meaning:meta])* $value:ident = $name:literal,)+ }) => {
        $(#[$about])*
        pub enum $of {
            $($(#[$meaning])* #[serde(rename = $name)] $value,)+
        }

        impl $of {
            /// What it is called wherever it is written.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }
        }
    };
}
