//! A picture as PNG, with a font of our own, so that it looks the same on a machine
//! without fonts.

use std::fmt::Write;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg;
use roxmltree::{Document, Node};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::figure::PlotFigure;
use super::svg::{PictureTheme, Size, svg};

/// M PLUS 1 with Latin and Japanese; see assets/font/README.md. It has no features, such as
/// kerning, so that a text is its glyphs one after the other.
const FONT: &[u8] = include_bytes!("../../assets/font/mplus-1-subset.otf");

/// Why there is no PNG.
#[derive(Debug, sokudo_words::Error)]
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
pub fn png(figure: &PlotFigure, size: Size, theme: PictureTheme) -> Result<Vec<u8>, PngError> {
    let theme = match theme {
        PictureTheme::Auto | PictureTheme::Light => PictureTheme::Light,
        PictureTheme::Dark => PictureTheme::Dark,
    };
    let picture = svg(figure, size, theme);
    let tree = usvg::Tree::from_str(&outlined(&picture), &usvg::Options::default())?;
    let pixels = tree.size().to_int_size();
    let mut pixmap =
        Pixmap::new(pixels.width(), pixels.height()).ok_or(PngError::TooLarge(size))?;
    resvg::render(&tree, Transform::identity(), &mut pixmap.as_mut());
    pixmap
        .encode_png()
        .map_err(|error| PngError::Encode(error.to_string()))
}

/// The picture with the outlines of its texts instead of them. Each element of ours stands on a
/// line of its own.
fn outlined(picture: &str) -> String {
    let face = Face::parse(FONT, 0).expect("the font is ours");
    let mut outlined = String::with_capacity(picture.len());
    for line in picture.split_inclusive('\n') {
        if line.starts_with("<text ")
            && let Ok(element) = Document::parse(line)
        {
            push_outline(&mut outlined, element.root_element(), &face);
        } else {
            outlined.push_str(line);
        }
    }
    outlined
}

fn push_outline(picture: &mut String, text: Node<'_, '_>, face: &Face<'_>) {
    let number = |name| {
        let value: Option<f32> = text.attribute(name).and_then(|value| value.parse().ok());
        value.unwrap_or_default()
    };
    let scale = number("font-size") / f32::from(face.units_per_em());
    let glyphs: Vec<GlyphId> = text
        .text()
        .unwrap_or_default()
        .chars()
        .map(|sign| face.glyph_index(sign).unwrap_or_default())
        .collect();
    let advance = |glyph: &GlyphId| f32::from(face.glyph_hor_advance(*glyph).unwrap_or(0)) * scale;
    let width: f32 = glyphs.iter().map(advance).sum();
    let before = match text.attribute("text-anchor") {
        Some("middle") => width / 2.0,
        Some("end") => width,
        _ => 0.0,
    };
    let mut outline = Outline {
        path: String::new(),
        origin: [number("x") - before, number("y")],
        scale,
    };
    for glyph in &glyphs {
        face.outline_glyph(*glyph, &mut outline);
        outline.origin[0] += advance(glyph);
    }
    let _ = write!(picture, "<path d=\"{}\"", outline.path);
    for name in ["fill", "transform"] {
        if let Some(value) = text.attribute(name) {
            let _ = write!(picture, " {name}=\"{value}\"");
        }
    }
    picture.push_str("/>\n");
}

/// Outlines of glyphs as a path of SVG.
struct Outline {
    path: String,
    /// Where the glyph begins on its base line, pixels.
    origin: [f32; 2],
    /// Pixels per unit of the font.
    scale: f32,
}

impl Outline {
    fn push<const COUNT: usize>(&mut self, command: char, points: [[f32; 2]; COUNT]) {
        self.path.push(command);
        for [x, y] in points {
            let x = self.origin[0] + x * self.scale;
            // Glyphs are measured upwards, pictures downwards.
            let y = self.origin[1] - y * self.scale;
            let _ = write!(self.path, "{x:.3},{y:.3} ");
        }
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.push('M', [[x, y]]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.push('L', [[x, y]]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.push('Q', [[x1, y1], [x, y]]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.push('C', [[x1, y1], [x2, y2], [x, y]]);
    }

    fn close(&mut self) {
        self.path.push('Z');
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
\n<text x=\"9\" y=\"50\" font-size=\"20\">{words}</text>\n</svg>"
        );
        let tree = usvg::Tree::from_str(&outlined(&picture), &usvg::Options::default()).unwrap();
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

    #[test]
    fn every_sign_of_the_words_in_pictures_is_in_the_font() {
        let words = include_str!("../../../sokudo-words/ja/pictures.po");
        let face = Face::parse(FONT, 0).unwrap();
        let signs = words.chars().filter(|sign| !sign.is_control());
        let missing: String = signs
            .filter(|sign| face.glyph_index(*sign).is_none())
            .collect();
        assert_eq!(missing, "");
    }
}
