//! Groups of horizontal bars, with their values at their ends.

use sokudo_model::Verdict;
use sokudo_words::spoken;

use super::super::figure::{Bar, Bars, Group, Reference};
use super::super::palette::Role;
use super::super::scale::whole;
use super::super::text::{broken_name, fitted, width};
use super::canvas::{Canvas, Lettering};
use super::frame::{BODY, MARGIN, PlotArea};
use super::legend::{Legend, LegendEntry, LegendSample};
use super::marks::{verdict, whisker};

/// Bars are not higher than this, however few there are, pixels.
const BAR_HEIGHT_MAX: f64 = 32.0;
/// The share of a group's height that is left free.
const GROUP_GAP: f64 = 0.28;
/// Bars that are lower than this have their values beside each other, pixels.
const BAR_HEIGHT_OF_TEXT: f64 = 14.0;
/// Room for the name of a group, pixels, and as a share of the picture's width.
const NAME_ROOM_MAX: f64 = 520.0;
const NAME_SHARE_MAX: f64 = 0.4;
/// A name needs this much height to be read, pixels.
const NAME_HEIGHT_MIN: f64 = 9.0;
/// Lines of a name, and what each is higher than its signs.
const NAME_LINES_MAX: usize = 4;
const NAME_LINE: f64 = 1.15;
/// Between the names of two values under the bars, pixels.
const TICK_GAP: f64 = 6.0;
/// Room for a value beyond the longest bar, pixels: the least, and what values may take as a share
/// of the picture's width.
const VALUE_ROOM_MIN: f64 = 150.0;
const VALUE_SHARE_MAX: f64 = 0.42;
/// Between the end of a bar and its value: the sign of its verdict, pixels.
const VERDICT_ROOM: f64 = 26.0;

pub(super) fn draw(canvas: &mut Canvas, frame: PlotArea, bars: &Bars) {
    let legend = Legend::new(entries(bars), frame.width());
    legend.draw(canvas, frame);
    let groups = bars.groups.iter();
    let names = groups.map(|group| width(&group.name, BODY.size));
    let names = names.fold(width(bars.groups_label, BODY.size), f64::max);
    let (top, bottom) = (frame.top + 14.0, frame.bottom - legend.height() - 58.0);
    let step = (bottom - top) / whole(bars.groups.len().max(1));
    let inner = PlotArea {
        left: frame.left + names.min(NAME_ROOM_MAX).min(frame.width() * NAME_SHARE_MAX) + 14.0,
        top,
        right: frame.right - value_room(bars, step, frame.width()),
        bottom,
    };
    axis(canvas, frame, inner, bars);
    for (number, group) in bars.groups.iter().enumerate() {
        let top = inner.top + whole(number) * step;
        // Of very many groups, only so many are named as there is room for.
        let is_named = number.is_multiple_of(stride(step, NAME_HEIGHT_MIN, bars.groups.len()));
        let group_frame = GroupFrame {
            frame: inner,
            values_end: frame.right,
            top,
            step,
        };
        draw_group(canvas, &group_frame, bars, (group, is_named));
    }
    let ends = [[inner.left, inner.top], [inner.left, inner.bottom]];
    canvas.line(ends[0], ends[1], Role::Frame, 1.5);
    if let Some(reference) = &bars.reference {
        draw_reference(canvas, inner, bars, reference, step);
    }
}

/// A line across the bars, but not through what stands beside one.
fn draw_reference(canvas: &mut Canvas, frame: PlotArea, bars: &Bars, it: &Reference, step: f64) {
    let x = frame.left + bars.axis.scale.share(it.at) * frame.width();
    let mut runs: Vec<Vec<[f64; 2]>> = vec![vec![[x, frame.top]]];
    for (number, group) in bars.groups.iter().enumerate() {
        let half = bar_height(group, step) * whole(group.bars.len()) / 2.0;
        let middle = frame.top + (whole(number) + 0.5) * step;
        let reaches = |bar: &Bar| bar.value.is_some_and(|value| value >= it.at);
        if !group.bars.iter().all(reaches) {
            if let Some(run) = runs.last_mut() {
                run.push([x, middle - half]);
            }
            runs.push(vec![[x, middle + half]]);
        }
    }
    if let Some(run) = runs.last_mut() {
        run.push([x, frame.bottom]);
    }
    canvas.lines(&runs, Reference::INK);
}

fn entries(bars: &Bars) -> Vec<LegendEntry> {
    let inks = bars.legend.iter();
    let inks = inks.map(|(name, ink)| LegendEntry::new(LegendSample::Bar(*ink), name, ""));
    let has = |verdict| {
        let mut bars = bars.groups.iter().flat_map(|group| &group.bars);
        bars.any(|bar| bar.verdict == Some(verdict))
    };
    let verdicts = [Verdict::Verified, Verdict::Unverified, Verdict::Invalid];
    let verdicts = verdicts.into_iter().filter(|verdict| has(*verdict));
    let verdicts = verdicts.map(|it| (LegendSample::Verdict(it), it.name()));
    let interval = (LegendSample::Whisker, "95 % interval within the run");
    let interval = bars.has_intervals.then_some(interval);
    let signs = interval.into_iter().chain(verdicts);
    let signs = signs.map(|(sample, name)| LegendEntry::new(sample, spoken().word(name), ""));
    let reference = bars.reference.iter();
    let reference = reference
        .map(|it| LegendEntry::new(LegendSample::Rule(Reference::INK), it.name.clone(), ""));
    inks.chain(reference).chain(signs).collect()
}

fn axis(canvas: &mut Canvas, outer: PlotArea, frame: PlotArea, bars: &Bars) {
    let ticks = &bars.axis.ticks;
    let widest = ticks.iter().map(|tick| width(&tick.name, BODY.size));
    let needed = widest.fold(0.0, f64::max) + TICK_GAP;
    // Of values that would run into each other, only so many are named as there is room for.
    let between = frame.width() / whole(ticks.len().saturating_sub(1).max(1));
    let stride = stride(between, needed, ticks.len());
    for (number, tick) in ticks.iter().enumerate() {
        let x = frame.left + bars.axis.scale.share(tick.at) * frame.width();
        canvas.line([x, frame.top], [x, frame.bottom], Role::Grid, 1.0);
        if number.is_multiple_of(stride) {
            let at = [x, frame.bottom + 22.0];
            canvas.text(at, BODY.middle(), &tick.name);
        }
    }
    let at = [f64::midpoint(frame.left, frame.right), frame.bottom + 44.0];
    canvas.text(at, BODY.middle().muted(), &bars.axis.label);
    let at = [outer.left, frame.top - 8.0];
    canvas.text(at, BODY.muted(), bars.groups_label);
}

/// The first of so many names alone, or every second, third… of them: as many as fit where
/// each needs so much room and `between` is from one to the next.
fn stride(between: f64, needed: f64, count: usize) -> usize {
    let enough = (1..=count.max(1)).find(|stride| whole(*stride) * between >= needed);
    enough.unwrap_or(count.max(1))
}

/// Where a group is drawn.
struct GroupFrame {
    frame: PlotArea,
    /// No value reaches further to the right.
    values_end: f64,
    top: f64,
    /// Height of a group.
    step: f64,
}

/// Height of a bar of a group.
fn bar_height(group: &Group, step: f64) -> f64 {
    let height = step * (1.0 - GROUP_GAP) / whole(group.bars.len().max(1));
    height.min(BAR_HEIGHT_MAX)
}

/// The values of a group whose bars are too low for one beside each.
fn values(group: &Group) -> String {
    let value = |bar: &Bar| {
        let ends = [" ± ", " ("].map(|sign| bar.label.find(sign));
        let Some(end) = ends.into_iter().flatten().min() else {
            return bar.label.clone();
        };
        let (value, spread) = bar.label.split_at(end);
        let behind = spread.rfind([')', '%']).map(|last| &spread[last + 1..]);
        format!("{value}{}", behind.unwrap_or_default())
    };
    let values: Vec<String> = group.bars.iter().map(value).collect();
    values.join(" / ")
}

/// What values take beyond the longest bar, of a picture so wide.
fn value_room(bars: &Bars, step: f64, picture: f64) -> f64 {
    let widths = bars.groups.iter().map(|group| {
        if bar_height(group, step) < BAR_HEIGHT_OF_TEXT {
            return width(&values(group), shrunk(step - 4.0).size);
        }
        let labels = group.bars.iter().map(|bar| width(&bar.label, BODY.size));
        labels.fold(0.0, f64::max)
    });
    let needed = widths.fold(0.0, f64::max) + VERDICT_ROOM;
    needed
        .min(picture * VALUE_SHARE_MAX)
        .max(VALUE_ROOM_MIN)
        .ceil()
}

fn draw_group(
    canvas: &mut Canvas,
    group_frame: &GroupFrame,
    bars: &Bars,
    (group, is_named): (&Group, bool),
) {
    let GroupFrame {
        frame,
        values_end,
        top,
        step,
    } = *group_frame;
    let middle = top + step / 2.0;
    let room = frame.left - MARGIN - 12.0;
    let font = shrunk(step);
    if is_named {
        let line = font.size * NAME_LINE;
        let lines_max = (1..NAME_LINES_MAX)
            .take_while(|more| whole(more + 1) * line <= step)
            .last()
            .map_or(1, |more| more + 1);
        let names = broken_name(&group.name, font.size, room, lines_max);
        let first = middle - line * whole(names.len() - 1) / 2.0 + font.size * 0.35;
        for (number, name) in names.iter().enumerate() {
            let at = [frame.left - 12.0, first + whole(number) * line];
            canvas.text(at, font.end(), name);
        }
    }
    let height = bar_height(group, step);
    let first = middle - height * whole(group.bars.len()) / 2.0;
    let mut ends = Vec::new();
    for (number, bar) in group.bars.iter().enumerate() {
        let top = first + whole(number) * height;
        let end = draw_bar(canvas, frame, bars, bar, [top, height]);
        if height >= BAR_HEIGHT_OF_TEXT {
            let value_row = [top + height / 2.0, height];
            draw_value(
                canvas,
                bar.verdict,
                &bar.label,
                [end, values_end],
                value_row,
            );
        }
        ends.push(end);
    }
    if height < BAR_HEIGHT_OF_TEXT && is_named {
        let worst = group.bars.iter().filter_map(|bar| bar.verdict).max();
        let end = ends.into_iter().fold(frame.left, f64::max);
        let (from_to, value_row) = ([end, values_end], [middle, step]);
        draw_value(canvas, worst, &values(group), from_to, value_row);
    }
}

/// A verdict and a value, right of where a bar ends; what does not fit is cut.
fn draw_value(
    canvas: &mut Canvas,
    judged: Option<Verdict>,
    value: &str,
    [end, values_end]: [f64; 2],
    [middle, room]: [f64; 2],
) {
    let font = shrunk(room - 4.0);
    let mut text_at = end + 8.0;
    if let Some(judged) = judged {
        verdict(canvas, judged, [text_at + 6.0, middle]);
        text_at += 18.0;
    }
    let at = [text_at, middle + font.size * 0.35];
    let value = fitted(value, font.size, values_end - text_at);
    canvas.text(at, font, &value);
}

/// Text that is not higher than what it stands beside.
fn shrunk(room: f64) -> Lettering {
    Lettering::new((room * 0.95).clamp(8.0, BODY.size), false)
}

/// Draws a bar with its interval; gives where it ends.
fn draw_bar(
    canvas: &mut Canvas,
    frame: PlotArea,
    bars: &Bars,
    bar: &Bar,
    [top, height]: [f64; 2],
) -> f64 {
    let x_of = |value: f64| frame.left + bars.axis.scale.share(value) * frame.width();
    let middle = top + height / 2.0;
    let gap = (height * 0.12).min(2.0);
    let mut end = frame.left;
    if let Some(value) = bar.value {
        end = x_of(value);
        let size = [(end - frame.left).max(1.5), height - gap];
        canvas.bar([frame.left, top + gap / 2.0], size, bar.ink);
    }
    if let Some([low, high]) = bar.interval {
        // An interval that is no wider than its ends says no more than the bar.
        if x_of(high) - x_of(low) > 1.5 {
            let half = (height * 0.3).min(5.0);
            whisker(canvas, [x_of(low), x_of(high)], middle, half);
        }
        end = end.max(x_of(high));
    }
    end
}
