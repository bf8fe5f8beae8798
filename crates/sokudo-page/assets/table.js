// Tables of the command line as HTML, and the figures of a row found in one.

import { el, setShare } from './element.js';
import { say } from './words.js';

/** A sign beside each judgement, so that colour is not alone in telling it. */
export const SIGNS = { good: '✓', doubtful: '?', bad: '!' };

/** A judgement with its sign. */
export function judged(text, tone) {
  const sign = SIGNS[tone];
  return el('span', { class: `judged tone-${tone ?? 'none'}` },
    sign && el('span', { class: 'sign', 'aria-hidden': 'true' }, sign), text);
}

/** What a run comes to: the word of the answer, or what stands before the colon, large, and the sentence. */
export function banner({ text, tone, label }) {
  const head = tone === 'none' ? null : label ?? /^[^:：]+(?=[:：])/.exec(text)?.[0];
  const [, between, rest] = head ? /^([:：]?\s*)(.*)$/s.exec(text.slice(head.length)) : [null, '', judged(text, tone)];
  return el('p', { class: `answer tone-${tone}` }, head && el('strong', null, judged(head, tone), el('span', { class: 'hidden-visually' }, between)), el('span', null, rest));
}

function cellContent(cell) {
  if (cell.tone && cell.tone !== 'none') return judged(cell.text, cell.tone);
  if (!hasBar(cell)) return cell.text;
  const bar = el('span', { class: 'cell-bar', 'aria-hidden': 'true' });
  setShare(bar, cell.share);
  return [cell.text, el('span', { class: 'cell-track' }, bar)];
}

/** Longer texts are sentences. */
const PROSE_MIN = 32;

const alignment = (column) => (column?.align === 'right' ? 'number' : null);

const kindOf = (column, cell) => alignment(column) ?? (cell.text?.length > PROSE_MIN ? 'prose' : null);

/** Headings; neighbours of one group stand under its name. */
function headOf(columns) {
  const titles = el('tr', null, columns.map((column) => (column.title.trim() === ''
    ? el('td')
    : el('th', { scope: 'col', class: alignment(column) }, column.title.trim()))));
  if (columns.every((column) => !column.group)) return el('thead', null, titles);
  const groups = [];
  for (const { group } of columns) {
    if (groups.length > 0 && group && groups.at(-1).group === group) groups.at(-1).wide += 1;
    else groups.push({ group, wide: 1 });
  }
  const over = groups.map(({ group, wide }) => (group
    ? el('th', { scope: 'colgroup', colspan: wide, class: 'group' }, group)
    : el('td', { colspan: wide })));
  return el('thead', null, el('tr', { class: 'groups' }, over), titles);
}

/**
 * A table in a box that scrolls by itself, so that the page never does.
 * @param {import('./view.js').Table} table
 * @param {string} caption where the table has no title of its own
 */
export function tableOf(table, caption) {
  const name = table.title || caption;
  const rows = table.rows.map((cells) => el('tr', null, cells.map((cell, index) =>
    index === 0
      ? el('th', { scope: 'row', class: kindOf(table.columns[0], cell) }, cellContent(cell))
      : el('td', { class: kindOf(table.columns[index], cell) }, cellContent(cell)))));
  return el('div', null, scrolling(name, el('table', null,
    el('caption', { class: table.title ? null : 'hidden-visually' }, name),
    headOf(table.columns), el('tbody', null, rows))),
  table.note && el('p', { class: 'chart-text' }, table.note),
  table.rows.some((cells) => cells.some(hasBar)) && scaleNote());
}

const hasBar = ({ share }) => share !== undefined && share !== null;

/** All bars of the page are of one scale. */
export const scaleNote = () => el('p', { class: 'chart-text' }, say("Bars begin at 0; the longest is the largest figure."));

/** A box that scrolls sideways and can be reached by keyboard. */
export const scrolling = (name, child) =>
  el('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': name }, child);

/**
 * The lines of all tables by the name that begins them, in order.
 * @param {import('./view.js').Table[]} tables
 */
function linesNamed(tables, name) {
  return (tables ?? []).flatMap((table) =>
    table.rows.filter((cells) => cells[0]?.text === name).map((cells) => ({ table, cells })));
}

/**
 * The line of a planned row: rows of one name stand in the tables in the order of the plan.
 * @param {import('./view.js').Run} run
 * @param {number} index of the row in the plan
 */
export function lineOf(run, index) {
  const rows = run.planned.rows;
  const { name } = rows[index];
  const before = rows.slice(0, index).filter((row) => row.name === name).length;
  return linesNamed(run.tables, name)[before] ?? null;
}

/** A figure as a number; `null` for what is none. */
export function numberOf(text) {
  const value = Number.parseFloat(String(text ?? '').replaceAll(',', ''));
  return Number.isFinite(value) ? value : null;
}

const NO_FIGURES = { rate: null, share: 0, spread: null, iops: null, judged: null };

/**
 * The figures of a line that people look for first.
 * @returns {{rate: ?string, share: number, spread: ?string, iops: ?string, judged: ?import('./view.js').Cell}}
 */
export function figuresOf(line) {
  if (!line) return NO_FIGURES;
  const { columns } = line.table;
  const column = (matches) => line.cells[columns.findIndex(matches)] ?? null;
  const rate = column(({ group, title }) => /[GMk]i?B\/s/.test(`${group ?? ''} ${title}`));
  const spread = (column(({ title }) => title.includes('±')) ?? line.cells.find((cell) => /^±/.test(cell.text)))?.text ?? null;
  return {
    rate: numberOf(rate?.text) === null ? null : rate.text,
    share: rate?.share ?? 0,
    // A ± or, where that says too little, the range.
    spread: spread === '—' ? null : spread,
    iops: column(({ title }) => /IOPS/.test(title))?.text ?? null,
    judged: line.cells.find((cell) => cell.tone && cell.tone !== 'none') ?? null,
  };
}
