//! How a picture looks.

/// Which surroundings a picture is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureTheme {
    /// Light, and dark where the viewer asks for it.
    #[default]
    Auto,
    Light,
    Dark,
}
