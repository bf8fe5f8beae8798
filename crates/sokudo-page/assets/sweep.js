// A sweep: bars by block size as ATTO draws them, or a heat map over block size and depth or
// threads as MiniTool does.

import { el, setShare } from './element.js';
import { figuresOf, lineOf, numberOf, scrolling } from './table.js';
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

/** The picture of a sweep; drawn again when a row is done. */
export class Sweep {
  constructor() {
    this.node = el('div', { class: 'sweep' });
    this.drawn = null;
  }

  /** @param {import('./view.js').Run} run */
  update(run) {
    const key = `${run.run}/${run.tables?.[0]?.rows.length}/${run.now?.row}/${run.state}`;
    if (key === this.drawn) return;
    this.drawn = key;
    const cells = cellsOf(run);
    const hasTwoAxes = new Set(cells.map((cell) => `${cell.depth}/${cell.threads}`)).size > 1;
    const directions = [...new Set(cells.map((cell) => cell.direction))];
    if (hasTwoAxes) this.node.replaceChildren(...directions.map((name) => heatTable(cells, name)));
    else this.node.replaceChildren(bars(cells, directions));
  }
}

function cellsOf(run) {
  const rows = run.planned?.rows ?? [];
  return rows.flatMap((row, index) => {
    const cell = cellOf(row.name);
    if (!cell) return [];
    const text = figuresOf(run.tables?.[0], lineOf(run.tables?.[0], rows, index)).rate;
    const isNow = run.state === 'running' && run.now?.row === index;
    return [{ ...cell, direction: row.direction, text, value: numberOf(text), isNow }];
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

function heatTable(cells, name) {
  const own = cells.filter((cell) => cell.direction === name);
  const most = largest(own);
  const columns = [...new Set(own.map((cell) => `Q${cell.depth}T${cell.threads}`))];
  const blocks = [...new Map(own.map((cell) => [cell.bytes, cell.block])).entries()].sort((a, b) => a[0] - b[0]);
  const title = say("{a}, MB/s", direction(name));
  const at = (bytes, column) => own.find((cell) => cell.bytes === bytes && `Q${cell.depth}T${cell.threads}` === column);
  return scrolling(title, el('table', { class: `heat-table of-${name}` },
    el('caption', null, title),
    el('thead', null, el('tr', null, el('th', { scope: 'col' }, say("Block")),
      columns.map((column) => el('th', { scope: 'col', class: 'number' }, column)))),
    el('tbody', null, blocks.map(([bytes, block]) => el('tr', null, el('th', { scope: 'row' }, block),
      columns.map((column) => heatCell(at(bytes, column), most)))))));
}

function heatCell(cell, most) {
  const node = el('td', { class: cell?.isNow ? 'number is-now' : 'number' },
    cell?.text ?? (cell?.isNow ? '…' : ''));
  if (cell?.value) node.style.setProperty('--share', `${((cell.value / most) * 55).toFixed(1)}%`);
  return node;
}

