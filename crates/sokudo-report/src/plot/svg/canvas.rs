//! Elements of SVG, written one after the other.

use std::fmt::Write;

use super::super::figure::{Ink, LineMarker};
use super::super::palette::Role;
use super::super::text::{escaped, width};
use super::look::PictureTheme;

/// Dashes of lines that are dashed, pixels.
const DASH: &str = " stroke-dasharray=\"9 5\"";
/// Half the width of a sign, pixels.
const SIGN_RADIUS: f64 = 5.0;

/// How text is written, and which part of it lies at its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lettering {
    pub(super) size: f64,
    is_bold: bool,
    role: Role,
    anchor: &'static str,
}

impl Lettering {
    /// From its place on.
    pub(super) const fn new(size: f64, is_bold: bool) -> Self {
        Self {
            size,
            is_bold,
            role: Role::Text,
            anchor: "",
        }
    }

    pub(super) const fn muted(mut self) -> Self {
        self.role = Role::Muted;
        self
    }

    /// Its middle at its place.
    pub(super) const fn middle(mut self) -> Self {
        self.anchor = " text-anchor=\"middle\"";
        self
    }

    /// Its end at its place.
    pub(super) const fn end(mut self) -> Self {
        self.anchor = " text-anchor=\"end\"";
        self
    }

    fn style(self) -> String {
        let weight = if self.is_bold {
            " font-weight=\"600\""
        } else {
            ""
        };
        format!("{} font-size=\"{}\"{weight}", self.anchor, self.size)
    }
}

/// What has been drawn so far.
pub(super) struct Canvas {
    elements: String,
    theme: PictureTheme,
}

impl Canvas {
    pub(super) const fn new(theme: PictureTheme) -> Self {
        Self {
            elements: String::new(),
            theme,
        }
    }

    /// In what words are that no figure holds.
    pub(super) fn finished(self) -> String {
        self.elements
    }

    fn element(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.elements.write_fmt(element);
        self.elements.push('\n');
    }

    pub(super) fn text(&mut self, at: [f64; 2], letters: Lettering, text: &str) {
        let colour = fill(letters.role, self.theme);
        self.text_element(at, &format!("{}{colour}", letters.style()), text);
    }

    /// Text in a colour of its own, on a surface of its own, its middle at `at`.
    pub(super) fn text_on(&mut self, at: [f64; 2], letters: Lettering, colour: &str, text: &str) {
        let style = letters.middle().style();
        self.text_element(at, &format!("{style} fill=\"{colour}\""), text);
    }

    /// Text from bottom to top, its middle at `at`.
    pub(super) fn upright_text(&mut self, at: [f64; 2], letters: Lettering, text: &str) {
        let (x, y) = (pixels(at[0]), pixels(at[1]));
        let colour = fill(letters.role, self.theme);
        let style = letters.middle().style();
        let turned = format!("{style}{colour} transform=\"rotate(-90 {x} {y})\"");
        self.text_element(at, &turned, text);
    }

    /// Names with their middles along a horizontal line; one that would come nearer than
    /// `gap` to the one before it is left out.
    pub(super) fn names_along<'a>(
        &mut self,
        y: f64,
        gap: f64,
        letters: Lettering,
        names: impl IntoIterator<Item = (f64, &'a str)>,
    ) {
        let mut free_from = f64::NEG_INFINITY;
        for (x, name) in names {
            let half = width(name, letters.size) / 2.0;
            if x - half > free_from {
                self.text([x, y], letters.middle(), name);
                free_from = x + half + gap;
            }
        }
    }

    fn text_element(&mut self, [x, y]: [f64; 2], style: &str, text: &str) {
        let (x, y, text) = (pixels(x), pixels(y), escaped(text));
        self.element(format_args!(
            "<text x=\"{x}\" y=\"{y}\"{style}>{text}</text>"
        ));
    }

    pub(super) fn line(&mut self, from: [f64; 2], to: [f64; 2], role: Role, width: f64) {
        let path = format!("M{}L{}", point(from), point(to));
        self.stroke(&path, role, width, "");
    }

    /// A line through each run of points; a single point becomes a dot.
    pub(super) fn lines(&mut self, runs: &[Vec<[f64; 2]>], ink: Ink) {
        let mut path = String::new();
        for run in runs {
            push_run(&mut path, run);
            // A single point is no line, and would not be seen.
            if run.len() == 1 {
                path.push_str("h0");
            }
        }
        let dash = if ink.dashed { DASH } else { "" };
        let joined = format!("{dash} stroke-linejoin=\"round\" stroke-linecap=\"round\"");
        self.stroke(&path, Role::Hue(ink.hue), 2.0, &joined);
    }

    /// A dot at each point.
    pub(super) fn dots(&mut self, points: &[[f64; 2]], role: Role, width: f64) {
        let mut path = String::new();
        for at in points {
            path.push('M');
            path.push_str(&point(*at));
            path.push_str("h0");
        }
        self.stroke(&path, role, width, " stroke-linecap=\"round\"");
    }

    fn stroke(&mut self, path: &str, role: Role, width: f64, more: &str) {
        let colour = stroke(role, self.theme);
        self.element(format_args!(
            "<path d=\"{path}\" fill=\"none\"{colour} stroke-width=\"{width}\"{more}/>"
        ));
    }

    /// A closed area, see-through.
    pub(super) fn area(&mut self, outline: &[[f64; 2]], role: Role) {
        let mut path = String::new();
        push_run(&mut path, outline);
        let colour = fill(role, self.theme);
        self.element(format_args!(
            "<path d=\"{path}z\"{colour} fill-opacity=\"0.22\"/>"
        ));
    }

    pub(super) fn rectangle(&mut self, corner: [f64; 2], size: [f64; 2], role: Role) {
        let colour = fill(role, self.theme);
        self.rectangle_element(corner, size, &colour);
    }

    /// A bar: of a mark of its own where it is dashed, so that colour is not all.
    pub(super) fn bar(&mut self, corner: [f64; 2], size: [f64; 2], ink: Ink) {
        let role = Role::Hue(ink.hue);
        if ink.sign == LineMarker::Disc {
            self.rectangle(corner, size, role);
            return;
        }
        let colour = colour(role, self.theme);
        let style = format!(
            " class=\"b-{}\" fill=\"{colour}\" fill-opacity=\"0.28\" stroke=\"{colour}\" stroke-width=\"1.5\"",
            role.class()
        );
        let inner = [corner[0] + 0.75, corner[1] + 0.75];
        let size = [(size[0] - 1.5).max(0.5), (size[1] - 1.5).max(0.5)];
        self.rectangle_element(inner, size, &style);
    }

    /// A rectangle of a colour that is the same everywhere.
    pub(super) fn tile(&mut self, corner: [f64; 2], size: [f64; 2], colour: &str) {
        self.rectangle_element(corner, size, &format!(" fill=\"{colour}\""));
    }

    fn rectangle_element(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], style: &str) {
        let (x, y, width, height) = (pixels(x), pixels(y), pixels(width), pixels(height));
        self.element(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"{style}/>"
        ));
    }

    /// Strokes across a rectangle, with as wide gaps between them as a name can be read on.
    pub(super) fn hatch(&mut self, [left, top]: [f64; 2], [width, height]: [f64; 2]) {
        const GAP: f64 = 14.0;
        let mut path = String::new();
        let mut along = GAP / 2.0;
        while along < width + height {
            let from = [left + along.min(width), top + (along - width).max(0.0)];
            let to = [left + (along - height).max(0.0), top + along.min(height)];
            push_run(&mut path, &[from, to]);
            along += GAP;
        }
        self.stroke(&path, Role::Background, 2.0, " stroke-opacity=\"0.5\"");
    }

    /// A sign with an edge in the colour of the background, so that it stands out from
    /// what lies under it.
    pub(super) fn sign(&mut self, sign: LineMarker, at: [f64; 2], role: Role) {
        let [x, y] = at;
        let r = SIGN_RADIUS;
        let outline = match sign {
            LineMarker::Disc => {
                let colour = self.solid(role);
                let (x, y) = (pixels(x), pixels(y));
                return self.element(format_args!(
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\"{colour}/>"
                ));
            }
            LineMarker::Square => vec![
                [x - r + 0.5, y - r + 0.5],
                [x + r - 0.5, y - r + 0.5],
                [x + r - 0.5, y + r - 0.5],
                [x - r + 0.5, y + r - 0.5],
            ],
            LineMarker::Triangle => {
                vec![[x, y - r - 1.0], [x + r + 1.0, y + r], [x - r - 1.0, y + r]]
            }
            LineMarker::Diamond => vec![
                [x, y - r - 1.5],
                [x + r + 1.5, y],
                [x, y + r + 1.5],
                [x - r - 1.5, y],
            ],
            LineMarker::Cross => {
                let path = format!(
                    "M{}L{}M{}L{}",
                    point([x - r + 1.0, y - r + 1.0]),
                    point([x + r - 1.0, y + r - 1.0]),
                    point([x - r + 1.0, y + r - 1.0]),
                    point([x + r - 1.0, y - r + 1.0])
                );
                self.stroke(&path, Role::Background, 5.5, "");
                return self.stroke(&path, role, 3.0, "");
            }
        };
        let mut path = String::new();
        push_run(&mut path, &outline);
        let colour = self.solid(role);
        self.element(format_args!("<path d=\"{path}z\"{colour}/>"));
    }

    fn solid(&self, role: Role) -> String {
        let [inside, edge] = [role, Role::Background].map(|role| colour(role, self.theme));
        format!(
            " class=\"e-{}\" fill=\"{inside}\" stroke=\"{edge}\" stroke-width=\"1.2\"",
            role.class()
        )
    }
}

fn push_run(path: &mut String, run: &[[f64; 2]]) {
    for (number, at) in run.iter().enumerate() {
        path.push(if number == 0 { 'M' } else { 'L' });
        path.push_str(&point(*at));
    }
}

fn point([x, y]: [f64; 2]) -> String {
    format!("{},{}", pixels(x), pixels(y))
}

/// A tenth of a pixel is as fine as anybody sees.
fn pixels(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// The attributes of something filled.
pub(super) fn fill(role: Role, theme: PictureTheme) -> String {
    coloured("fill", "f", role, theme)
}

fn stroke(role: Role, theme: PictureTheme) -> String {
    coloured("stroke", "s", role, theme)
}

fn coloured(attribute: &str, prefix: &str, role: Role, theme: PictureTheme) -> String {
    let (class, colour) = (role.class(), colour(role, theme));
    match theme {
        PictureTheme::Auto => format!(" class=\"{prefix}-{class}\" {attribute}=\"{colour}\""),
        PictureTheme::Light | PictureTheme::Dark => format!(" {attribute}=\"{colour}\""),
    }
}

/// Where surroundings decide, that for light ones.
const fn colour(role: Role, theme: PictureTheme) -> &'static str {
    match theme {
        PictureTheme::Auto | PictureTheme::Light => role.light(),
        PictureTheme::Dark => role.dark(),
    }
}

/// What exchanges the colours in dark surroundings.
pub(super) fn dark_style() -> String {
    let rules = dark_rules();
    format!("<style>@media (prefers-color-scheme:dark){{{rules}}}</style>\n")
}

/// The rules of that, for a page that holds pictures.
pub(crate) fn dark_rules() -> String {
    let mut rules = String::new();
    let edge = Role::Background.dark();
    for role in Role::ALL {
        let (class, colour) = (role.class(), role.dark());
        let _ = write!(
            rules,
            ".f-{class}{{fill:{colour}}}.s-{class}{{stroke:{colour}}}\
             .e-{class}{{fill:{colour};stroke:{edge}}}.b-{class}{{fill:{colour};stroke:{colour}}}"
        );
    }
    rules
}
