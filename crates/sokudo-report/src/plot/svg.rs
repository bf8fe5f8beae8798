//! A figure as SVG: text is text, colours follow light and dark surroundings, and
//! nothing is loaded from elsewhere.
//!
//! Colours are attributes, for viewers that know no style sheets; a style sheet
//! exchanges them where the surroundings are dark.

mod bars;
mod canvas;
mod card;
mod chart;
mod frame;
mod heat;
mod legend;
mod look;
mod marks;

use sokudo_words::speaking;

use super::figure::{Body, PlotFigure};
use super::palette::Role;
use super::text::{escaped, fitted};
use canvas::Canvas;
pub(crate) use canvas::dark_rules;
use frame::{BODY, MARGIN, PlotArea, SMALL, TITLE};

pub use look::PictureTheme;

/// How large a picture is, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
}

impl Default for Size {
    fn default() -> Self {
        Self {
            width: 1_200.0,
            height: 700.0,
        }
    }
}

/// Height of the picture around its bars.
const AROUND_BARS: f64 = 260.0;
/// Height that a bar with its value needs.
const BAR_ROOM: f64 = 24.0;
/// Above this no viewer shows a picture well.
const HEIGHT_MAX: f64 = 4_000.0;

impl Size {
    /// The usual one, or as high as many bars need, so that each has its value.
    pub fn fitting(figure: &PlotFigure) -> Self {
        let usual = Self::default();
        let height = match &figure.body {
            Body::Card(card) => {
                let height = card::height(card, usual.width - 2.0 * MARGIN);
                (HEAD + height + FOOT).min(HEIGHT_MAX)
            }
            Body::Bars(bars) => {
                let bars = bars.groups.iter().map(|group| group.bars.len());
                let rows: f64 = bars.map(|bars| super::scale::whole(bars) + 0.5).sum();
                let needed = AROUND_BARS + BAR_ROOM * rows;
                needed.clamp(usual.height, HEIGHT_MAX).ceil()
            }
            Body::Chart(_) | Body::HeatMaps(_) => usual.height,
        };
        Self { height, ..usual }
    }
}

/// Where what is under the titles begins.
const HEAD: f64 = 92.0;
/// What the line at the bottom takes.
const FOOT: f64 = 40.0;

/// Nobody reads a title out that is longer.
const TITLE_CHARACTERS_MAX: usize = 300;

/// The text of an SVG file.
pub fn svg(figure: &PlotFigure, size: Size, theme: PictureTheme) -> String {
    let mut canvas = Canvas::new(theme);
    let room = size.width - 2.0 * MARGIN;
    for (y, letters, text) in [
        (44.0, TITLE, &figure.title),
        (70.0, BODY.muted(), &figure.subtitle),
        (size.height - 18.0, SMALL.muted(), &figure.footer),
    ] {
        canvas.text([MARGIN, y], letters, &fitted(text, letters.size, room));
    }
    let frame = PlotArea {
        left: MARGIN,
        top: HEAD,
        right: size.width - MARGIN,
        bottom: size.height - FOOT,
    };
    draw(&mut canvas, frame, figure);
    document(figure, size, theme, &canvas.finished())
}

/// The picture as a part of a page that has a heading of its own and the rules for dark
/// surroundings: what is between the titles, on no background, in a class.
pub(crate) fn inline(figure: &PlotFigure, size: Size, theme: PictureTheme, class: &str) -> String {
    let Size { width, height } = size;
    let mut canvas = Canvas::new(theme);
    // The margin is the page's.
    let frame = PlotArea {
        left: MARGIN,
        top: 16.0,
        right: width + MARGIN,
        bottom: height,
    };
    draw(&mut canvas, frame, figure);
    let title: String = figure.title.chars().take(TITLE_CHARACTERS_MAX).collect();
    let (title, drawing) = (escaped(&title), canvas.finished());
    format!(
        "<svg class=\"{class}\" viewBox=\"{MARGIN} 0 {width} {height}\" role=\"img\">\n\
         <title>{title}</title>\n{drawing}</svg>\n"
    )
}

fn draw(canvas: &mut Canvas, frame: PlotArea, figure: &PlotFigure) {
    speaking(figure.language, || match &figure.body {
        Body::Chart(chart) => chart::draw(canvas, frame, chart),
        Body::Bars(bars) => bars::draw(canvas, frame, bars),
        Body::HeatMaps(matrices) => heat::draw(canvas, frame, matrices),
        Body::Card(card) => card::draw(canvas, frame, card),
    });
}

fn document(
    figure: &PlotFigure,
    Size { width, height }: Size,
    theme: PictureTheme,
    drawing: &str,
) -> String {
    let style = match theme {
        PictureTheme::Auto => canvas::dark_style(),
        PictureTheme::Light | PictureTheme::Dark => String::new(),
    };
    let background = canvas::fill(Role::Background, theme);
    let title = escaped(&figure.title);
    let subtitle = escaped(&figure.subtitle);
    let footer = escaped(&figure.footer);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" style=\"max-width:100%;height:auto\" \
         font-family=\"'M PLUS 1','Noto Sans','Noto Sans CJK JP','Hiragino Sans','Yu Gothic',\
         system-ui,sans-serif\">\n\
         <title>{title}</title>\n<desc>{subtitle}. {footer}</desc>\n{style}\
         <rect width=\"100%\" height=\"100%\"{background}/>\n{drawing}</svg>\n"
    )
}
