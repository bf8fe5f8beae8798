//! A card: a tile for each row and direction, and sentences below.

use super::super::figure::{Card, CardTile};
use super::super::palette::Role;
use super::super::scale::whole;
use super::super::text::fitted;
use super::canvas::{Canvas, Lettering};
use super::frame::{BODY, PlotArea, STRONG};
use super::marks::verdict;

/// Room for the names of rows, pixels.
const NAMES: f64 = 170.0;
/// Room for the heads of the sides, for each sentence, and below them.
const HEADS: f64 = 26.0;
const SENTENCE: f64 = 28.0;
const BELOW: f64 = 18.0;
/// Room between two tiles, pixels.
const GAP: f64 = 18.0;
/// Height of a tile.
const TILE: f64 = 92.0;
const BAR: f64 = 8.0;
const VALUE: Lettering = Lettering::new(30.0, true);

/// How high it is.
pub(super) fn height(card: &Card) -> f64 {
    HEADS + whole(card.rows.len()) * TILE + whole(card.sentences.len()) * SENTENCE + BELOW
}

pub(super) fn draw(canvas: &mut Canvas, frame: PlotArea, card: &Card) {
    let sides = whole(card.sides.len().max(1));
    let width = (frame.width() - NAMES - GAP * (sides - 1.0)) / sides;
    let left = |side: usize| frame.left + NAMES + whole(side) * (width + GAP);
    for (side, name) in card.sides.iter().enumerate() {
        canvas.text([left(side), frame.top + 14.0], BODY.muted(), name);
    }
    let mut top = frame.top + HEADS;
    for row in &card.rows {
        let ends = [[frame.left, top], [frame.right, top]];
        canvas.line(ends[0], ends[1], Role::Grid, 1.0);
        let name = fitted(&row.name, STRONG.size, NAMES - GAP);
        canvas.text([frame.left, top + 42.0], STRONG, &name);
        for (side, tile) in row.tiles.iter().enumerate() {
            if let Some(tile) = tile {
                draw_tile(canvas, [left(side), top], width, tile);
            }
        }
        top += TILE;
    }
    canvas.line([frame.left, top], [frame.right, top], Role::Grid, 1.0);
    for sentence in &card.sentences {
        top += SENTENCE;
        let sentence = fitted(sentence, STRONG.size, frame.width());
        canvas.text([frame.left, top], STRONG, &sentence);
    }
}

fn draw_tile(canvas: &mut Canvas, [left, top]: [f64; 2], width: f64, tile: &CardTile) {
    canvas.text([left, top + 38.0], VALUE, &tile.value);
    if let Some(judged) = tile.verdict {
        verdict(canvas, judged, [left + width - 10.0, top + 28.0]);
    }
    let details = fitted(&tile.details, BODY.size, width);
    canvas.text([left, top + 61.0], BODY.muted(), &details);
    let corner = [left, top + TILE - BAR - 12.0];
    canvas.rectangle(corner, [width, BAR], Role::Grid);
    let long = (width * tile.share.clamp(0.0, 1.0)).max(1.0);
    canvas.rectangle(corner, [long, BAR], Role::Hue(tile.ink.hue));
}
