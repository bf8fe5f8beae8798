// Pictures over time and over position, drawn by uPlot. Each is a canvas with a text beside it.

import { el, icon } from './element.js';
import { TIME_STEPS, rowName, sizeOf } from './rows.js';
import { clock, direction, rate, say, size } from './words.js';

let library = null;

/** uPlot is a classic script as its authors ship it; it is loaded when the first picture needs it. */
export function uPlot() {
  library ??= new Promise((resolve, reject) => {
    const source = new URL('vendor/uplot/uPlot.iife.min.js', import.meta.url);
    const script = el('script', { src: source.href, onload: () => resolve(window.uPlot), onerror: reject });
    document.head.append(script);
  });
  return library;
}

/** A colour of the theme. */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

const DIRECTIONS = ['read', 'write', 'mix'];

/** Least time between two drawings, in milliseconds. */
const REDRAW_MS = 250;

/** Names of the lines with their colours; values appear beside them under the pointer. */
const LEGEND = { markers: { width: 0, fill: (plot, index) => plot.series[index].stroke(plot, index) } };

/** What the legend says of a value; nothing where there is none. */
const orNothing = (format) => (plot, value) => (value === null || value === undefined ? '' : format(value));

/** A picture that follows the width of its box and the theme of the page. */
export class Chart {
  constructor(title, height) {
    this.height = height;
    this.box = el('div', { class: 'chart-box', role: 'img', 'aria-label': title });
    this.text = el('p', { class: 'chart-text' });
    this.node = el('figure', { class: 'chart' },
      el('figcaption', null, el('span', null, title), saveButton(() => this.picture(), title)), this.box, this.text);
    this.title = title;
    this.plot = null;
    this.key = '';
    this.wanted = null;
    this.timer = 0;
    new ResizeObserver(() => this.resize()).observe(this.box);
    document.addEventListener('themechange', () => this.rebuild());
  }

  /** Draws soon; of several wishes within a quarter of a second the last counts. */
  draw(key, data, options) {
    this.wanted = { key, data, options };
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.drawNow();
    }, this.plot ? REDRAW_MS : 0);
  }

  async drawNow() {
    const Plot = await uPlot();
    const { key, data, options } = this.wanted;
    const width = this.box.clientWidth;
    if (width === 0 || !this.box.isConnected) return;
    if (this.plot && this.key === key) {
      this.plot.setData(data);
      return;
    }
    this.plot?.destroy();
    this.key = key;
    this.plot = new Plot({ width, height: this.height, legend: LEGEND, ...options() }, data, this.box);
  }

  resize() {
    if (this.plot) this.plot.setSize({ width: this.box.clientWidth, height: this.height });
    else if (this.wanted) this.drawNow();
  }

  rebuild() {
    this.key = '';
    if (this.wanted) this.drawNow();
  }

  describe(text) {
    this.box.setAttribute('aria-label', `${this.title}: ${text}`);
    if (this.text.textContent !== text) this.text.textContent = text;
  }

  picture() {
    return this.box.querySelector('canvas');
  }
}

/** A button that saves what a canvas shows, on the colour of the page. */
export function saveButton(canvasOf, title) {
  const save = () => {
    const drawn = canvasOf();
    if (!drawn) return;
    const copy = el('canvas', { width: drawn.width, height: drawn.height });
    const context = copy.getContext('2d');
    context.fillStyle = colour('card');
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(drawn, 0, 0);
    copy.toBlob((blob) => {
      const address = URL.createObjectURL(blob);
      el('a', { href: address, download: `sokudo-${title.replace(/[^\p{L}\p{N}]+/gu, '-')}.png` }).click();
      URL.revokeObjectURL(address);
    });
  };
  return el('button', { type: 'button', class: 'quiet small', onclick: save,
    'aria-label': say("Save {a} as PNG", title) }, icon('save'), 'PNG');
}

export const axisBase = () => ({
  stroke: colour('muted'),
  grid: { stroke: colour('line'), width: 1 },
  ticks: { stroke: colour('line'), width: 1 },
  font: '12px system-ui, sans-serif',
  labelFont: '12px system-ui, sans-serif',
});

export const rateAxis = () => ({ ...axisBase(), scale: 'rate', label: 'MB/s', size: 58, labelSize: 18,
  values: (plot, values) => values.map((value) => value.toLocaleString('en')) });

export const line = (label, name, more) => ({ label, scale: 'rate', stroke: colour(name), width: 1.75,
  points: { show: false }, value: orNothing(rate), ...more });

/** Values between two gaps, which no line shows. */
function alone(plot, series) {
  const values = plot.data[series];
  const isGap = (index) => values[index] === null || values[index] === undefined;
  return values.flatMap((value, index) => (!isGap(index) && isGap(index - 1) && isGap(index + 1) ? [index] : []));
}

/** The axis of time since the run began. */
const timeAxis = () => ({ ...axisBase(), size: 32, incrs: TIME_STEPS, space: 60, values: (plot, values) => values.map(clock) });

/** The rate over time, and the temperature where the drive tells it. */
export class RateChart extends Chart {
  constructor() {
    super(say("Rate over time"), 240);
  }

  /** @param {import('./view.js').Run} run */
  update(run) {
    const rows = run.planned?.rows ?? [];
    const points = forward(run.rate ?? []);
    const key = `${run.run}/${run.temperature?.length > 0}/${run.temperature_warning}/${directionsOf(rows).join()}`;
    const stamp = `${key}/${points.length}/${points.at(-1)}/${run.temperature?.length}`;
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    this.starts = rowStarts(points, run);
    this.room = this.starts.length > 0 ? 1.18 : 1.08;
    this.describe(summary(points));
    if (points.length < 2) return;
    // The run goes on while this waits: what the lines are, and what is on them, is taken at once.
    const temperature = [...(run.temperature ?? [])];
    uPlot().then((Plot) =>
      this.draw(key, series(Plot, points, rows, temperature), () => this.options(rows, run, temperature.length > 0)));
  }

  options(rows, run, hasTemperature) {
    const warning = run.temperature_warning ?? null;
    const lines = directionsOf(rows).map((name) => line(`${direction(name)} MB/s`, name, { fill: `${colour(name)}26`, points: { show: true, size: 5, width: 0, fill: colour(name), filter: alone } }));
    const heat = { ...line(say("temperature °C"), 'warm', { dash: [5, 4] }), scale: 'celsius',
      value: orNothing((value) => `${value} °C`) };
    const celsius = { ...axisBase(), scale: 'celsius', side: 1, label: '°C', size: 44, labelSize: 18, grid: { show: false } };
    return {
      scales: { x: { time: false, range: (plot, low, high) => [0, high || 1] }, rate: { range: (plot, low, high) => [0, (high || 1) * this.room] },
        celsius: { range: (plot, low, high) => [Math.min(low, 20), Math.max(high + 5, warning ?? 60)] } },
      series: [{ label: say("time"), value: orNothing(clock) },
        ...lines, ...(hasTemperature ? [heat] : [])],
      axes: [timeAxis(), rateAxis(), ...(hasTemperature ? [celsius] : [])],
      cursor: { points: { size: 7 }, drag: { x: true, y: false } },
      hooks: { draw: [(plot) => this.drawStarts(plot), (plot) => hasTemperature && warning !== null && drawWarning(plot, warning)] },
    };
  }

  /** A fine line where each row begins, with its name where there is room. */
  drawStarts(plot) {
    const { ctx: context, bbox } = plot;
    const ratio = devicePixelRatio;
    context.save();
    context.strokeStyle = colour('frame');
    context.font = `${11 * ratio}px system-ui, sans-serif`;
    context.textBaseline = 'top';
    context.textAlign = 'left';
    const [ground, ink] = [colour('card'), colour('muted')];
    let free = 0;
    for (const [at, name] of this.starts ?? []) {
      const x = Math.round(plot.valToPos(at, 'x', true)) + 0.5;
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      context.globalAlpha = 0.6;
      context.beginPath();
      context.moveTo(x, bbox.top);
      context.lineTo(x, bbox.top + bbox.height);
      context.stroke();
      context.globalAlpha = 1;
      const end = x + context.measureText(name).width + 10 * ratio;
      const [left, top] = [x + 4 * ratio, bbox.top + 3 * ratio];
      if (x >= free && end <= bbox.left + bbox.width + 6 * ratio) {
        context.fillStyle = ground;
        context.fillRect(left - 2 * ratio, top - ratio, end - x - 6 * ratio, 14 * ratio);
        context.fillStyle = ink;
        context.fillText(name, left, top);
        free = end;
      }
    }
    context.restore();
  }
}

/** From where on the drive warns of its temperature. */
function drawWarning(plot, celsius) {
  const { ctx: context, bbox } = plot;
  const y = Math.round(plot.valToPos(celsius, 'celsius', true)) + 0.5;
  context.save();
  context.strokeStyle = colour('warm');
  context.fillStyle = colour('warm');
  context.setLineDash([2, 4]);
  context.beginPath();
  context.moveTo(bbox.left, y);
  context.lineTo(bbox.left + bbox.width, y);
  context.stroke();
  context.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  context.textAlign = 'right';
  context.textBaseline = 'top';
  context.fillText(say("the drive warns from {a} °C", celsius), bbox.left + bbox.width - 6, y + 4);
  context.restore();
}

const directionsOf = (rows) => {
  const found = new Set(rows.map((row) => (DIRECTIONS.includes(row.direction) ? row.direction : 'mix')));
  return found.size > 0 ? DIRECTIONS.filter((name) => found.has(name)) : ['read'];
};

/** Whether rows follow each other so fast that most samples begin another one. */
function takeTurns(points) {
  const turns = points.filter(([, , row], index) => index > 0 && points[index - 1][2] !== row).length;
  return turns * 4 > points.length;
}

function rowStarts(points, run) {
  const usual = usualStep(points);
  const starts = points.flatMap(([, , row], index) =>
    (points[index - 1]?.[2] === row ? [] : [[sampleStart(points, index, usual), rowName(run, row)]]));
  // Rows in turn change several times a second: more lines than names are noise.
  return starts.length > 40 || takeTurns(points) ? [] : starts;
}

/** Samples in the order of time: one that lies before its forerunner cannot be drawn after it. */
function forward(points) {
  let last = -1;
  return points.filter(([at]) => {
    if (at < last) return false;
    last = at;
    return true;
  });
}

/** The time between two samples, of most of them. */
function usualStep(points) {
  const steps = points.slice(1).map(([at], index) => at - points[index][0]).sort((a, b) => a - b);
  return steps[Math.floor(steps.length / 2)] || 0.25;
}

/** A sample tells of the time since the one before, but not of a wait before its row. */
const sampleStart = (points, index, usual) => Math.max(points[index - 1]?.[0] ?? 0, points[index][0] - usual * 1.5);

/**
 * A column per direction. A row's line begins where its first sample does, and breaks where
 * another row begins.
 */
function series(Plot, points, rows, temperature) {
  const directions = directionsOf(rows);
  const columns = directions.map(() => []);
  const times = [];
  const usual = usualStep(points);
  const put = (at, own, value) => {
    times.push(at);
    columns.forEach((column, of) => column.push(of === own ? value : null));
  };
  points.forEach(([at, value, row], index) => {
    const own = Math.max(directions.indexOf(rows[row]?.direction), 0);
    const before = points[index - 1];
    if (!before || before[2] !== row) {
      const from = sampleStart(points, index, usual);
      const gap = (at - from) / 100;
      put(from + gap, -1, null);
      put(from + 2 * gap, own, value);
    }
    put(at, own, value);
  });
  if (temperature.length === 0) return [times, ...columns];
  const celsius = [temperature.map(([at]) => at), temperature.map(([, value]) => value)];
  return Plot.join([[times, ...columns], celsius]);
}

function summary(points) {
  const rates = points.map(([, value]) => value).filter((value) => value !== null);
  if (rates.length === 0) return say("nothing has been measured yet");
  return say("samples of {a} to {b} MB/s", rate(Math.min(...rates)), rate(Math.max(...rates)));
}

/** The curve of places with the dots of access times, as HD Tune draws it. */
export class PlacesChart extends Chart {
  constructor() {
    super(say("Transfer rate and access time over position"), 320);
  }

  /** @param {import('./view.js').Run} run */
  update(run) {
    const places = run.places ?? [];
    const total = places.reduce((sum, part) => sum + part.points.length, 0);
    const key = `${run.run}/${places.map((part) => `${part.row}${part.unit}`).join()}`;
    const stamp = `${key}/${total}/${places.at(-1)?.points.at(-1)}`;
    if (stamp === this.stamp || total === 0) return;
    this.stamp = stamp;
    this.describe(placesSummary(places));
    // Another row may begin while this waits: what the lines are, and what is on them, is taken at once.
    const parts = places.map((part) => ({ ...part, points: [...part.points] }));
    uPlot().then((Plot) => this.draw(key, joined(Plot, parts), () => this.options(run, parts)));
  }

  options(run, places) {
    const rows = run.planned?.rows ?? [];
    const total = sizeOf(run) ?? null;
    const hasTimes = places.some((part) => part.unit === 'milliseconds');
    const milliseconds = { ...axisBase(), scale: 'time', side: 1, label: 'ms', size: 50, labelSize: 18, grid: { show: false } };
    return {
      scales: { x: { time: false, range: (plot, low, high) => [0, total ?? high] },
        rate: { range: (plot, low, high) => [0, (high || 1) * 1.08] },
        time: { range: (plot, low, high) => [0, (high || 1) * 1.15] } },
      series: [{ label: say("position"), value: orNothing(size) },
        ...places.map((part) => placeSeries(part, rows[part.row], rowName(run, part.row)))],
      axes: [{ ...axisBase(), size: 32, values: (plot, values) => values.map(size), space: 70 }, rateAxis(), ...(hasTimes ? [milliseconds] : [])],
      cursor: { points: { size: 7 } },
    };
  }
}

function placeSeries(part, row, own) {
  const name = `${own} ${direction(row?.direction)}`.trim();
  if (part.unit !== 'milliseconds') return line(name, row?.direction === 'write' ? 'write' : 'read', { points: { show: false } });
  return { label: `${name} ms`, scale: 'time', stroke: colour('access'), paths: () => null,
    points: { show: true, size: 4, fill: colour('access'), width: 0 },
    value: orNothing((value) => value.toFixed(2)) };
}

function joined(Plot, places) {
  const tables = places.map((part) => {
    const sorted = [...part.points].sort((a, b) => a[0] - b[0]);
    return [sorted.map(([offset]) => offset), sorted.map(([, value]) => value)];
  });
  return tables.length === 1 ? tables[0] : Plot.join(tables);
}

function placesSummary(places) {
  const rates = places.filter((part) => part.unit !== 'milliseconds').flatMap((part) => part.points.map((point) => point[1]));
  const times = places.filter((part) => part.unit === 'milliseconds').flatMap((part) => part.points.map((point) => point[1]));
  const parts = [];
  if (rates.length > 0) parts.push(say("{a} places, {b} to {c} MB/s", rates.length, rate(Math.min(...rates)), rate(Math.max(...rates))));
  if (times.length > 0) parts.push(say("{a} access times, {b} to {c} ms", times.length, Math.min(...times).toFixed(2), Math.max(...times).toFixed(2)));
  return parts.join(' · ');
}
