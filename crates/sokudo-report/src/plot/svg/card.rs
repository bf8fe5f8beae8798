//! A card: the answer, a tile for each row and direction on one scale, and what its signs mean.

use sokudo_model::Verdict;
use sokudo_words::spoken;

use super::super::figure::{Card, CardTile};
use super::super::palette::Role;
use super::super::scale::{PlotAxis, whole};
use super::super::text::{broken_name, broken_sentence, fitted, width as text_width};
use super::canvas::{Canvas, Lettering};
use super::frame::{BODY, PlotArea, SMALL, STRONG};
use super::legend::{Legend, LegendEntry, LegendSample};
use super::marks::verdict;

/// Room for the names of rows, pixels.
const NAMES: f64 = 170.0;
/// Lines of a name, and how high each is, pixels.
const NAME_LINES_MAX: usize = 2;
const NAME_LINE: f64 = 19.0;
/// Room for the first line of the answer, each further line of a sentence, and the heads of the sides.
const ANSWER: f64 = 40.0;
const SENTENCE: f64 = 28.0;
const HEADS: f64 = 26.0;
/// Room for the scale of the bars and the legend.
const BELOW: f64 = 72.0;
/// Room between two tiles, pixels.
const GAP: f64 = 18.0;
/// Height of a tile.
const TILE: f64 = 92.0;
const BAR: f64 = 8.0;
const VALUE: Lettering = Lettering::new(30.0, true);
const ANSWER_TEXT: Lettering = Lettering::new(22.0, true);
/// A longer answer takes several lines instead.
const ANSWER_SIZE_MIN: f64 = 17.0;

/// How high it is in this width.
pub(super) fn height(card: &Card, room: f64) -> f64 {
    sentences_height(card, room) + HEADS + whole(card.rows.len()) * TILE + BELOW
}

fn sentences_height(card: &Card, room: f64) -> f64 {
    match sentences(card, room)
        .map(|(_, lines)| lines.len())
        .sum::<usize>()
    {
        0 => 0.0,
        lines => ANSWER + whole(lines - 1) * SENTENCE,
    }
}

pub(super) fn draw(canvas: &mut Canvas, frame: PlotArea, card: &Card) {
    let sides = whole(card.sides.len().max(1));
    let width = (frame.width() - NAMES - GAP * (sides - 1.0)) / sides;
    let left = |side: usize| frame.left + NAMES + whole(side) * (width + GAP);
    draw_sentences(canvas, frame, card);
    let heads = frame.top + sentences_height(card, frame.width());
    for (side, name) in card.sides.iter().enumerate() {
        canvas.text([left(side), heads + 14.0], STRONG, name);
    }
    let mut top = heads + HEADS;
    for row in &card.rows {
        let ends = [[frame.left, top], [frame.right, top]];
        canvas.line(ends[0], ends[1], Role::Grid, 1.0);
        let names = broken_name(&row.name, STRONG.size, NAMES - GAP, NAME_LINES_MAX);
        for (line, name) in names.iter().enumerate() {
            let at = [frame.left, top + 42.0 + whole(line) * NAME_LINE];
            canvas.text(at, STRONG, name);
        }
        for (side, tile) in row.tiles.iter().enumerate() {
            if let Some(tile) = tile {
                draw_tile(canvas, [left(side), top], width, (tile, &card.axis));
            }
        }
        top += TILE;
    }
    canvas.line([frame.left, top], [frame.right, top], Role::Grid, 1.0);
    for side in 0..card.sides.len() {
        // One at the end would run into the scale beside it.
        let ticks = card.axis.ticks.iter();
        let ticks = ticks.filter(|tick| tick.at < card.axis.scale.high);
        let at = |share: f64| left(side) + share * width;
        let ticks = ticks.map(|tick| (at(card.axis.scale.share(tick.at)), &*tick.name));
        canvas.names_along(top + 18.0, 8.0, SMALL.muted(), ticks);
    }
    let label = fitted(&card.axis.label, SMALL.size, NAMES - GAP);
    canvas.text([frame.left, top + 18.0], SMALL.muted(), &label);
    let legend = Legend::new(entries(card), frame.width());
    legend.draw(canvas, frame);
}

/// The answer as large as its length allows, then the rest, in lines of which none is cut.
fn sentences(card: &Card, room: f64) -> impl Iterator<Item = (Lettering, Vec<String>)> {
    let sentences = card.sentences.iter().enumerate();
    sentences.map(move |(number, sentence)| {
        let letters = match number {
            0 => {
                let natural = text_width(sentence, ANSWER_TEXT.size);
                let shrunk = ANSWER_TEXT.size * (room / natural.max(1.0)).min(1.0);
                Lettering::new(shrunk.max(ANSWER_SIZE_MIN), true)
            }
            _ => BODY,
        };
        (letters, broken_sentence(sentence, letters.size, room))
    })
}

fn draw_sentences(canvas: &mut Canvas, frame: PlotArea, card: &Card) {
    let mut top = frame.top + 20.0;
    for (letters, lines) in sentences(card, frame.width()) {
        for line in lines {
            // A word may be wider than the picture.
            let line = fitted(line.trim_end(), letters.size, frame.width());
            canvas.text([frame.left, top], letters, &line);
            top += SENTENCE;
        }
    }
}

/// What the signs beside the values mean.
fn entries(card: &Card) -> Vec<LegendEntry> {
    let tiles = || card.rows.iter().flat_map(|row| &row.tiles).flatten();
    let verdicts = [Verdict::Verified, Verdict::Unverified, Verdict::Invalid];
    let shown = verdicts.into_iter();
    let shown = shown.filter(|it| tiles().any(|tile| tile.verdict == Some(*it)));
    let entry = |it: Verdict| {
        let name = spoken().word(it.name());
        LegendEntry::new(LegendSample::Verdict(it), name, "")
    };
    shown.map(entry).collect()
}

fn draw_tile(
    canvas: &mut Canvas,
    [left, top]: [f64; 2],
    width: f64,
    (tile, axis): (&CardTile, &PlotAxis),
) {
    canvas.text([left, top + 38.0], VALUE, &tile.value);
    if let Some(judged) = tile.verdict {
        verdict(canvas, judged, [left + width - 10.0, top + 28.0]);
    }
    let details = fitted(&tile.details, BODY.size, width);
    canvas.text([left, top + 61.0], BODY.muted(), &details);
    let corner = [left, top + TILE - BAR - 12.0];
    canvas.rectangle(corner, [width, BAR], Role::Grid);
    let long = (width * axis.scale.share(tile.rate)).max(1.0);
    canvas.rectangle(corner, [long, BAR], Role::Hue(tile.ink.hue));
}
