// The latency heat map and the map of blocks, on canvases of our own.

import { el } from './element.js';
import { colour, saveButton } from './charts.js';
import { TIME_STEPS, rowTitle, sizeOf } from './rows.js';
import { clock, count, latency, say } from './words.js';

/** Bucket b has the latencies from 100 ns · 2^(b/4) on. */
const bucketStart = (bucket) => 100 * 2 ** (bucket / 4);
const bucketOf = (nanos) => 4 * Math.log2(nanos / 100);

/** A canvas as wide as its box, sharp on every screen. */
class Canvas {
  constructor(title, height) {
    this.title = title;
    this.height = height;
    this.canvas = el('canvas', { class: 'own-canvas', role: 'img', 'aria-label': title });
    this.text = el('p', { class: 'chart-text' });
    this.node = el('figure', { class: 'chart' },
      el('figcaption', null, el('span', null, title), saveButton(() => this.canvas, title)), this.canvas, this.text);
    new ResizeObserver(() => this.paint()).observe(this.canvas);
    document.addEventListener('themechange', () => this.paint());
  }

  /** A context in CSS pixels, cleared; `null` while there is no room. */
  begin() {
    const width = this.canvas.clientWidth;
    if (width === 0) return null;
    const ratio = devicePixelRatio;
    const [wide, high] = [Math.round(width * ratio), Math.round(this.height * ratio)];
    if (this.canvas.width !== wide || this.canvas.height !== high) {
      this.canvas.width = wide;
      this.canvas.height = high;
      this.canvas.style.height = `${this.height}px`;
    }
    const context = this.canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, this.height);
    context.font = '12px system-ui, sans-serif';
    this.width = width;
    return context;
  }

  describe(text) {
    this.canvas.setAttribute('aria-label', `${this.title}: ${text}`);
    if (this.text.textContent !== text) this.text.textContent = text;
  }

  paint() {}
}

const MARGIN = { left: 76, right: 10, top: 8, bottom: 26 };

/** Latencies over time: how many I/Os took how long, on a logarithmic axis. */
export class LatencyHeat extends Canvas {
  constructor() {
    super(say("Latencies over time"), 240);
    this.entries = [];
    this.chosen = el('select', { class: 'small', 'aria-label': say("Row"), onchange: () => this.show() });
    this.node.querySelector('figcaption').firstChild.after(this.chosen);
    this.canvas.addEventListener('pointermove', (event) => this.point(event));
    this.canvas.addEventListener('pointerleave', () => this.describe(this.summary));
  }

  /** @param {import('./view.js').Run} run */
  update(run) {
    const heat = run.heat ?? [];
    const stamp = `${run.run}/${heat.length}/${JSON.stringify(heat.at(-1))}`;
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    this.all = heat;
    this.listRows(run);
    this.show();
  }

  /** Offers the rows that have latencies; rows in turn are clearer one by one. */
  listRows(run) {
    const rows = [...new Set(this.all.map(([, row]) => row))].sort((a, b) => a - b);
    this.rowCount = rows.length;
    if (this.listed === rows.join()) return;
    this.listed = rows.join();
    const { value } = this.chosen;
    this.chosen.replaceChildren(el('option', { value: '' }, say("all rows")),
      ...rows.map((row) => el('option', { value: String(row) }, rowTitle(run, row))));
    this.chosen.value = value;
  }

  show() {
    const { value } = this.chosen;
    this.entries = value === '' ? this.all : this.all.filter(([, row]) => row === Number(value));
    this.summary = this.summarise();
    this.describe(this.summary);
    this.paint();
  }

  /** The buckets in use, with a decade's room. */
  range() {
    let [low, high] = [127, 0];
    for (const [, , counts] of this.entries) {
      for (const bucket of Object.keys(counts)) {
        low = Math.min(low, Number(bucket));
        high = Math.max(high, Number(bucket));
      }
    }
    return low > high ? [26, 66] : [Math.max(0, low - 3), Math.min(127, high + 3)];
  }

  paint() {
    const context = this.begin();
    if (!context) return;
    const [low, high] = this.range();
    const first = 0;
    const last = Math.max(this.entries.at(-1)?.[0] ?? 1, first + 1);
    const inner = { wide: this.width - MARGIN.left - MARGIN.right, high: this.height - MARGIN.top - MARGIN.bottom };
    this.place = { low, high, first, last, inner,
      x: (at) => MARGIN.left + ((at - first) / (last - first)) * inner.wide,
      y: (bucket) => MARGIN.top + inner.high * (1 - (bucket - low) / (high + 1 - low)) };
    this.paintCells(context);
    this.paintAxes(context);
  }

  paintCells(context) {
    const { x, y, first, inner, low, high } = this.place;
    const cell = inner.high / (high + 1 - low);
    // A kept run has one entry for all of a row, which reaches back to the one before.
    const widest = this.entries.length > this.rowCount ? inner.wide / 12 : inner.wide;
    context.fillStyle = colour('heat');
    this.entries.forEach(([at, , counts], index) => {
      const from = x(index === 0 ? first : this.entries[index - 1][0]);
      const wide = Math.max(1, Math.min(x(at) - from, widest) + 0.6);
      const most = Math.log1p(Math.max(...Object.values(counts)));
      for (const [bucket, number] of Object.entries(counts)) {
        context.globalAlpha = 0.12 + 0.88 * (Math.log1p(number) / most);
        context.fillRect(x(at) - wide, y(Number(bucket) + 1), wide, cell + 0.6);
      }
    });
    context.globalAlpha = 1;
  }

  paintAxes(context) {
    const { x, y, first, last, low, high } = this.place;
    context.fillStyle = colour('muted');
    context.strokeStyle = colour('line');
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    for (let nanos = 100; nanos <= 1e11; nanos *= 10) {
      const bucket = bucketOf(nanos);
      if (bucket < low || bucket > high + 1) continue;
      this.rule(context, y(bucket));
      context.fillText(axisTime(nanos), MARGIN.left - 8, y(bucket));
    }
    context.textAlign = 'center';
    context.textBaseline = 'top';
    const room = (last - first) / Math.max(2, this.width / 70);
    const step = TIME_STEPS.find((seconds) => seconds >= room) ?? room;
    for (let at = first; at <= last; at += step) {
      const left = Math.min(x(at), this.width - context.measureText(clock(at)).width / 2);
      context.fillText(clock(at), left, this.height - MARGIN.bottom + 8);
    }
  }

  rule(context, y) {
    context.beginPath();
    context.moveTo(MARGIN.left, Math.round(y) + 0.5);
    context.lineTo(this.width - MARGIN.right, Math.round(y) + 0.5);
    context.stroke();
  }

  /** Tells what is under the pointer. */
  point(event) {
    if (!this.place) return;
    const { x, inner, low, high } = this.place;
    const row = Math.floor(low + (high + 1 - low) * (1 - (event.offsetY - MARGIN.top) / inner.high));
    const entry = this.entries.find(([at]) => x(at) >= event.offsetX);
    if (!entry) return;
    const number = entry[2][row] ?? 0;
    this.text.textContent = say("At {a}, {b} to {c}: {d} I/Os", clock(entry[0]),
      latency(bucketStart(row)), latency(bucketStart(row + 1)), count(number));
  }

  /** What the picture shows; percentiles of a row are in its table. */
  summarise() {
    const buckets = this.entries.flatMap(([, , counts]) => Object.keys(counts).map(Number));
    if (buckets.length === 0) return say("nothing has been measured yet");
    return say("latencies of {a} to {b}", latency(bucketStart(Math.min(...buckets))), latency(bucketStart(Math.max(...buckets) + 1)));
  }
}

function axisTime(nanos) {
  if (nanos < 1e3) return `${nanos} ns`;
  if (nanos < 1e6) return `${nanos / 1e3} µs`;
  if (nanos < 1e9) return `${nanos / 1e6} ms`;
  return `${nanos / 1e9} s`;
}

/** Blocks of the error map. */
const BLOCKS_WIDE = 50;
const BLOCKS_HIGH = 16;
/** What is well stays in the ground, what is not stands out. */
const GOOD_ALPHA = 0.55;
/** What was sampled is not known to be well. */
const PART_ALPHA = 0.18;

/** From this share on a surface was read, and not sampled. */
const WHOLE_SHARE = 0.99;

/** The whole surface as a grid: read, read in part, not read, could not be read. */
export class ErrorMap extends Canvas {
  constructor() {
    super(say("Error map"), 160);
    this.blocks = [];
  }

  /** @param {import('./view.js').Run} run */
  update(run) {
    const places = run.places ?? [];
    const total = places.reduce((sum, part) => sum + part.bytes + (part.defects?.length ?? 0), 0);
    const stamp = `${run.run}/${total}`;
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    this.blocks = blocksOf(run, places);
    const bad = this.blocks.filter((block) => block === 'bad').length;
    this.hasDefects = bad > 0;
    const good = this.blocks.filter((block) => block === 'good').length;
    const read = Math.max(0, ...places.filter(isCurve).map((part) => part.bytes)) / (sizeOf(run) || 1);
    const none = good === 0
      ? say("no errors in the {a} % that was read", (read * 100).toPrecision(2))
      : say("no errors in {a} of {b} blocks", good, this.blocks.length);
    this.describe(bad === 0 ? none
      : say("{a} of {b} blocks cannot be read completely", bad, this.blocks.length));
    this.paint();
  }

  paint() {
    const context = this.begin();
    if (!context || this.blocks.length === 0) return;
    const columns = Math.max(20, Math.min(BLOCKS_WIDE, Math.floor(this.width / 14)));
    const lines = Math.ceil(this.blocks.length / columns);
    const wide = this.width / columns;
    const high = Math.min(this.height / lines, wide);
    const colours = { good: colour('access'), part: colour('access'), bad: colour('fault'), none: colour('line') };
    this.blocks.forEach((block, index) => {
      const [x, y] = [(index % columns) * wide, Math.floor(index / columns) * high];
      context.fillStyle = colours[block ?? 'none'];
      context.globalAlpha = { good: GOOD_ALPHA, part: PART_ALPHA }[block] ?? 1;
      context.fillRect(x, y, wide - 1.5, high - 1.5);
      if (block === 'bad') cross(context, x, y, wide - 1.5, high - 1.5);
    });
    context.globalAlpha = 1;
  }
}

function cross(context, x, y, wide, high) {
  context.strokeStyle = colour('card');
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x + 2, y + 2);
  context.lineTo(x + wide - 2, y + high - 2);
  context.moveTo(x + wide - 2, y + 2);
  context.lineTo(x + 2, y + high - 2);
  context.stroke();
  context.lineWidth = 1;
}

const isCurve = (part) => part.unit !== 'milliseconds';

function blocksOf(run, places) {
  const blocks = Array(BLOCKS_WIDE * BLOCKS_HIGH).fill(null);
  const total = sizeOf(run);
  const curve = places.filter(isCurve);
  if (!total || curve.length === 0) return blocks;
  const at = (offset) => Math.min(blocks.length - 1, Math.floor((offset / total) * blocks.length));
  for (const part of curve) {
    // Where a row goes through all of it each place stands for all up to the next one; of samples
    // most of that was not read.
    const sorted = part.points.map(([offset]) => offset).sort((a, b) => a - b);
    const state = part.bytes >= (sorted.at(-1) - sorted[0]) * WHOLE_SHARE ? 'good' : 'part';
    const step = sorted.length > 1 ? (sorted.at(-1) - sorted[0]) / (sorted.length - 1) : 0;
    for (const offset of sorted) {
      // A point stands for the stretch up to the next one.
      for (let index = at(offset); index <= at(offset + step * 0.99); index += 1) blocks[index] = blocks[index] === 'good' ? 'good' : state;
    }
    for (const [offset, length] of part.defects ?? []) {
      // What lies between here and the next place was not read, and is no better.
      const end = offset + Math.max(length - 1, step * 0.99);
      for (let index = at(offset); index <= at(end); index += 1) blocks[index] = 'bad';
    }
  }
  return blocks;
}

