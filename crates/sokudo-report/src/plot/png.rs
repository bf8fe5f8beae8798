//! A picture as PNG, with a font of our own, so that it looks the same on a machine
//! without fonts.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, fontdb};

use super::figure::Figure;
use super::svg::{Look, Size, Theme, svg};

/// M PLUS 1 with Latin and Japanese; see assets/font/README.md.
const FONT: &[u8] = include_bytes!("../../assets/font/mplus-1-subset.otf");
/// Its name.
const FAMILY: &str = "M PLUS 1";

/// Why there is no PNG.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The picture could not be read by the program that draws it.
    #[error("the picture cannot be drawn as PNG: {0}; write it as .svg")]
    Draw(#[from] usvg::Error),
    /// There is no memory for so many pixels.
    #[error("a picture of {} × {} pixels is too large for PNG; write it as .svg", .0.width, .0.height)]
    TooLarge(Size),
    /// The pixels could not be written.
    #[error("the picture cannot be written as PNG: {0}; write it as .svg")]
    Encode(String),
}

/// The bytes of a PNG file. Light, unless it is to be dark: a PNG cannot follow its
/// surroundings.
///
/// # Errors
/// When the picture is too large or cannot be drawn.
pub fn png(figure: &Figure, size: Size, look: impl Into<Look>) -> Result<Vec<u8>, PngError> {
    let look = look.into();
    let theme = match look.theme {
        Theme::Auto | Theme::Light => Theme::Light,
        Theme::Dark => Theme::Dark,
    };
    let tree = usvg::Tree::from_str(
        &svg(figure, size, theme.in_language(look.language)),
        &options(),
    )?;
    let pixels = tree.size().to_int_size();
    let mut pixmap =
        Pixmap::new(pixels.width(), pixels.height()).ok_or(PngError::TooLarge(size))?;
    resvg::render(&tree, Transform::identity(), &mut pixmap.as_mut());
    pixmap
        .encode_png()
        .map_err(|error| PngError::Encode(error.to_string()))
}

/// Every family is ours: a family that is not there would leave its text out without
/// a word.
fn options() -> usvg::Options<'static> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family(FAMILY);
    fonts.set_serif_family(FAMILY);
    fonts.set_monospace_family(FAMILY);
    fonts.set_cursive_family(FAMILY);
    fonts.set_fantasy_family(FAMILY);
    usvg::Options {
        font_family: FAMILY.to_owned(),
        fontdb: Arc::new(fonts),
        ..usvg::Options::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How wide a text is as it is drawn.
    fn drawn_width(text: &str) -> f32 {
        let words = super::super::text::escaped(text);
        let picture = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"90\">\
             <text x=\"9\" y=\"50\" font-size=\"20\">{words}</text></svg>"
        );
        let tree = usvg::Tree::from_str(&picture, &options()).unwrap();
        tree.root().abs_bounding_box().width()
    }

    #[test]
    fn every_sign_takes_room() {
        let none = drawn_width("aa");
        let signs = (' '..='~').chain('¡'..='ÿ').chain("–—…−速".chars());
        for sign in signs.filter(|sign| *sign != '\u{ad}') {
            let wider = drawn_width(&format!("a{sign}a")) - none;
            assert!(wider > 2.0, "{sign:?} is {wider} pixels wide");
        }
    }
}
