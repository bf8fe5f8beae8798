// A device's rows over time, with changes of level marked, as `sokudo trend` judges them.

import { el, fill, show } from './element.js';
import { Chart, axisBase, colour, line, rateAxis, uPlot } from './charts.js';
import { get, withQuery } from './http.js';
import { direction, moment, rate, say } from './words.js';

/** The trend of the device of a run, a row at a time. */
export class TrendChart extends Chart {
  constructor() {
    super(say("Trend of this disk"), 240);
    this.rows = el('select', { id: 'trend-row', onchange: () => this.pick() });
    this.changes = el('ul', { class: 'notes' });
    this.node = el('section', { class: 'card pictures', hidden: true }, el('h2', null, say("Trend")),
      el('div', { class: 'option option-narrow' }, el('label', { for: 'trend-row' }, say("Row")), this.rows), this.node, this.changes);
  }

  /** Begins with a row of the run, of `titles`. */
  async load(run, titles) {
    let found;
    try {
      found = await get(withQuery('/api/trend', { run }));
    } catch {
      // One run alone has no trend, and the page has enough to show without.
      return;
    }
    // Points in time tell nothing before there are two.
    this.series = (found.series ?? []).filter((series) => series.points.length > 1);
    show(this.node, this.series.length > 0);
    if (this.series.length === 0) return;
    fill(this.rows, this.series.map((series, index) => el('option', { value: String(index) }, rowWord(series.row))));
    const own = this.series.findIndex((series) => titles.includes(series.row));
    this.rows.value = String(Math.max(own, 0));
    this.pick();
  }

  pick() {
    const series = this.series[Number(this.rows.value)];
    const times = series.points.map((point) => Date.parse(point.started_at) / 1000);
    const rates = series.points.map((point) => point.per_second / 1e6);
    const levels = times.map((_, index) => levelAt(series.levels, index));
    this.turns = series.levels.filter((level) => level.change).map((level) => times[level.first]);
    uPlot().then(() => this.draw(series.fingerprint, [times, rates, levels], () => this.options(series)));
    this.describe(say("{a} runs, last {b} MB/s", times.length, rate(rates.at(-1))));
    const changed = series.levels.filter((level) => level.change);
    fill(this.changes, changed.map((level) => el('li', null,
      say("From {a}: {b} MB/s", moment(level.from), rate(level.median_per_s / 1e6)))));
    show(this.changes, changed.length > 0);
  }

  options(series) {
    const name = series.row.endsWith('write') ? 'write' : 'read';
    return {
      scales: { x: { time: true }, rate: { range: (plot, low, high) => [0, (high || 1) * 1.1] } },
      series: [{ label: say("time"), value: (plot, value) => (value ? moment(new Date(value * 1000)) : '') },
        { ...line(`${rowWord(series.row)} MB/s`, name), points: { show: true, size: 6, fill: colour(name) } },
        line(say("level MB/s"), 'muted', { dash: [6, 4] })],
      axes: [{ ...axisBase(), size: 32, space: 130, values: (plot, values) => values.map((value) => moment(new Date(value * 1000))) }, rateAxis()],
      cursor: { points: { size: 7 } },
      hooks: { drawClear: [(plot) => this.drawTurns(plot)] },
    };
  }

  /** A line where the level changed. */
  drawTurns(plot) {
    const { ctx: context, bbox } = plot;
    context.save();
    context.strokeStyle = colour('fault');
    context.setLineDash([4, 4]);
    for (const time of this.turns) {
      const x = Math.round(plot.valToPos(time, 'x', true)) + 0.5;
      context.beginPath();
      context.moveTo(x, bbox.top);
      context.lineTo(x, bbox.top + bbox.height);
      context.stroke();
    }
    context.restore();
  }
}

/** A row as trends call it, in English, in the language of the page. */
const rowWord = (row) => row.replace(/[a-z]+$/, direction);

function levelAt(levels, index) {
  const level = levels.findLast(({ first }) => first <= index);
  return level ? level.median_per_s / 1e6 : null;
}
