// Tables of the command line as HTML, and the figures of a row found in one.

import { el, setShare } from './element.js';
import { say } from './words.js';

/** A sign beside each judgement, so that colour is not alone in telling it. */
const SIGNS = { good: '✓', doubtful: '?', bad: '!' };

/** A judgement with its sign. */
export function judged(text, tone) {
  const sign = SIGNS[tone];
  return el('span', { class: `judged tone-${tone ?? 'none'}` },
    sign && el('span', { class: 'sign', 'aria-hidden': 'true' }, sign), text);
}

function cellContent(cell) {
  if (cell.tone && cell.tone !== 'none') return judged(cell.text, cell.tone);
  if (cell.share === undefined || cell.share === null) return cell.text;
  const bar = el('span', { class: 'cell-bar', 'aria-hidden': 'true' });
  setShare(bar, cell.share);
  return [cell.kind === 'bar' ? null : cell.text, el('span', { class: 'cell-track' }, bar)];
}

/**
 * A table in a box that scrolls by itself, so that the page never does.
 * @param {import('./view.js').Table} table
 * @param {string} caption
 */
export function tableOf(table, caption) {
  const alignment = (index) => (table.columns[index]?.align === 'right' ? 'number' : null);
  const head = table.columns.map((column, index) =>
    el('th', { scope: 'col', class: alignment(index) }, [column.group, column.title].filter(Boolean).join(' ')));
  const rows = table.rows.map((cells) => el('tr', null, cells.map((cell, index) =>
    index === 0
      ? el('th', { scope: 'row' }, cellContent(cell))
      : el('td', { class: alignment(index) }, cellContent(cell)))));
  return scrolling(caption, el('table', null,
    el('caption', { class: 'hidden-visually' }, caption),
    el('thead', null, el('tr', null, head)),
    el('tbody', null, rows)));
}

/** A box that scrolls sideways and can be reached by keyboard. */
export const scrolling = (name, child) =>
  el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': name }, child);

/**
 * The line of a planned row: names stand in the first column in the order of the plan, once for
 * each direction.
 * @param {?import('./view.js').Table} table
 * @param {import('./view.js').PlannedRow[]} rows
 * @param {number} index of the row in the plan
 * @returns {?import('./view.js').Cell[]}
 */
export function lineOf(table, rows, index) {
  if (!table) return null;
  const name = rows[index].name;
  const before = rows.slice(0, index).filter((row) => row.name === name).length;
  return table.rows.filter((cells) => cells[0]?.text === name)[before] ?? null;
}

/** A figure as a number; `null` for what is none. */
export function numberOf(text) {
  const value = Number.parseFloat(String(text ?? '').replaceAll(',', ''));
  return Number.isFinite(value) ? value : null;
}

/**
 * The figures of a line that people look for first.
 * @returns {{rate: ?string, spread: ?string, iops: ?string, judged: ?import('./view.js').Cell}}
 */
export function figuresOf(table, cells) {
  if (!cells) return { rate: null, spread: null, iops: null, judged: null };
  const titled = (pattern) => table.columns.findIndex((column) => pattern.test(column.title));
  const textAt = (index) => (index >= 0 ? cells[index]?.text ?? null : null);
  const rateColumn = titled(/MB\/s|GB\/s|MiB\/s/) >= 0
    ? titled(/MB\/s|GB\/s|MiB\/s/)
    : cells.findIndex((cell, index) => index > 0 && /^[\d,.]+$/.test(cell.text));
  return {
    rate: textAt(rateColumn),
    spread: cells.find((cell) => /^±/.test(cell.text))?.text ?? null,
    iops: textAt(titled(/IOPS/)),
    judged: cells.find((cell) => cell.tone && cell.tone !== 'none') ?? null,
  };
}

/** What stands where nothing was measured yet. */
export const nothingYet = () => el('p', { class: 'empty' }, say("The first figures appear after the first row."));
