// A sweep: bars by block size as ATTO draws them, or a heat map over block size and depth or
// threads as MiniTool does.

import { el, fill, setShare } from './element.js';
import { figuresOf, lineOf, numberOf, scaleNote, scrolling } from './table.js';
import { direction, say } from './words.js';

const CELL = /^(?:SEQ|RND)(\d+(?:\.\d+)?)(B|K|M|G)(?:iB)?(?: Q(\d+))?(?: ?T(\d+))?/;
const FACTORS = { B: 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };

/** Block, depth and threads of a row's name; `null` where it does not tell them. */
export function cellOf(name) {
  const found = CELL.exec(name);
  if (!found) return null;
  const [, number, unit, depth, threads] = found;
  const suffix = unit === 'B' ? 'B' : `${unit}iB`;
  return {
    bytes: Number(number) * FACTORS[unit],
    block: `${number} ${suffix}`,
    depth: Number(depth ?? 1),
    threads: Number(threads ?? 1),
  };
}

/** Whether depth or threads are a second axis. */
const hasTwoAxes = (rows) => new Set(rows.map((row) => {
  const { depth, threads } = cellOf(row.name);
  return `${depth}/${threads}`;
})).size > 1;

/** The picture of a sweep; drawn again when there is more of it. */
export class Sweep {
  constructor() {
    this.node = el('div', { class: 'sweep' });
    this.drawn = {};
  }

  /** @param {import('./view.js').Run} run */
  update(run) {
    const { tables, now } = run;
    if (this.drawn.tables === tables && this.drawn.row === now?.row && this.drawn.state === run.state) return;
    this.drawn = { tables, row: now?.row, state: run.state };
    const rows = run.planned.rows;
    if (hasTwoAxes(rows)) fill(this.node, tables.filter(isPivot).map(heatTable));
    else fill(this.node, bars(cellsOf(run), [...new Set(rows.map((row) => row.direction))]), scaleNote());
  }

  /** Whether the tables of the run are the picture. */
  replacesTables(run) {
    return hasTwoAxes(run.planned.rows);
  }
}

function cellsOf(run) {
  return run.planned.rows.map((row, index) => {
    const text = figuresOf(lineOf(run, index)).rate;
    const isNow = run.state === 'running' && run.now?.row === index;
    return { ...cellOf(row.name), direction: row.direction, text, value: numberOf(text), isNow };
  });
}

const largest = (cells) => Math.max(1, ...cells.map((cell) => cell.value ?? 0));

function bars(cells, directions) {
  const most = largest(cells);
  const blocks = [...new Map(cells.map((cell) => [cell.bytes, cell.block])).entries()].sort((a, b) => a[0] - b[0]);
  const line = ([bytes, block]) => el('tr', null,
    el('th', { scope: 'row' }, block),
    directions.map((name) => barCell(cells.find((cell) => cell.bytes === bytes && cell.direction === name), most)));
  return scrolling(say("Rate by block size"), el('table', { class: 'bars' },
    el('caption', { class: 'hidden-visually' }, say("Rate by block size")),
    el('thead', null, el('tr', null, el('th', { scope: 'col' }, say("Block")),
      directions.map((name) => el('th', { scope: 'col', class: `of-${name}` }, `${direction(name)} MB/s`)))),
    el('tbody', null, blocks.map(line))));
}

function barCell(cell, most) {
  if (!cell) return el('td');
  const bar = el('span', { class: 'bar', 'aria-hidden': 'true' });
  setShare(bar, (cell.value ?? 0) / most);
  return el('td', { class: `of-${cell.direction}${cell.isNow ? ' is-now' : ''}` },
    el('span', { class: 'bar-line' },
      el('span', { class: 'bar-track' }, bar),
      el('span', { class: 'bar-figure' }, cell.text ?? (cell.isNow ? '…' : '–'))));
}

/** A table of figures over two axes. */
const isPivot = (table) => table.columns.length > 2 && table.columns.every((column) => column.align === 'right');

/** The table of the command line, each figure on a ground as strong as it is large. */
function heatTable(table) {
  const most = Math.max(1, ...table.rows.flatMap((cells) => cells.slice(1).map((cell) => numberOf(cell.text) ?? 0)));
  const cell = ({ text }) => {
    const node = el('td', { class: 'number' }, text.trim());
    node.style.setProperty('--share', `${(Math.sqrt((numberOf(text) ?? 0) / most) * 85).toFixed(1)}%`);
    return node;
  };
  const name = table.title || say("Rate by block size");
  return scrolling(name, el('table', { class: 'heat-table' }, el('caption', null, name),
    el('thead', null, el('tr', null, table.columns.map((column) => el('th', { scope: 'col', class: 'number' }, column.title.trim())))),
    el('tbody', null, table.rows.map(([first, ...rest]) =>
      el('tr', null, el('th', { scope: 'row', class: 'number' }, first.text), rest.map(cell))))));
}
