// The tiles that people know: a line per row, reads and writes beside each other, a bar below
// each figure.

import { el, fill, setShare, setText } from './element.js';
import { isGoingOn } from './rows.js';
import { SIGNS, figuresOf, judged, lineOf, numberOf, scaleNote } from './table.js';
import { direction, rate, say } from './words.js';

/** Tiles of one run; they are made once per plan, and updated in place. */
export class Tiles {
  constructor() {
    this.node = el('div', { class: 'tiles' });
    this.badge = el('span');
    this.plan = null;
    this.tiles = [];
  }

  /** @param {import('./view.js').Run} run */
  update(run) {
    const rows = run.planned?.rows ?? [];
    if (this.plan !== run.planned) this.build(run.planned, rows);
    const figures = rows.map((row, index) => figuresOf(lineOf(run, index)));
    // A judgement of all rows is said once.
    const first = figures[0]?.judged;
    const isOfAll = !isGoingOn(run) && first && figures.every((it) => it.judged?.text === first.text);
    fill(this.badge, isOfAll && judged(first.text, first.tone));
    figures.forEach((it, index) => this.updateTile(run, index, it, isOfAll));
  }

  build(plan, rows) {
    this.plan = plan;
    const directions = [...new Set(rows.map((row) => row.direction))];
    const names = [...new Set(rows.map((row) => row.name))];
    this.tiles = rows.map((row) => tile(row));
    this.node.style.setProperty('--directions', String(directions.length));
    this.node.replaceChildren(
      el('div', { class: 'tiles-head' }, el('span'),
        directions.map((name) => el('span', { class: `of-${name}`, 'aria-hidden': 'true' }, direction(name), ' MB/s'))),
      ...names.map((name) => el('div', { class: 'tiles-line', role: 'group', 'aria-label': name },
        rowName(name),
        directions.map((wanted) => {
          const index = rows.findIndex((row) => row.name === name && row.direction === wanted);
          return index < 0 ? el('span', { class: 'tile tile-none' }) : this.tiles[index].node;
        }))), el('div', { class: 'tiles-note' }, this.badge, scaleNote()));
  }

  updateTile(run, index, figures, isOfAll) {
    const tile = this.tiles[index];
    const isNow = run.state === 'running' && run.now?.row === index;
    const live = isNow ? run.now.mb_per_second : null;
    const shown = figures.rate ?? (live === null || live === undefined ? null : rate(live));
    setText(tile.figure, shown ?? (isNow ? '…' : '–'));
    const iops = numberOf(figures.iops) === null ? null : `${figures.iops} IOPS`;
    setText(tile.detail, [figures.spread, iops].filter(Boolean).join(' · ') || (isNow ? say("measuring") : '\u00a0'));
    const { text, tone } = (!isOfAll && figures.judged) || { text: '', tone: 'none' };
    // What is judged before its end is bad, or open still.
    const isOpen = isGoingOn(run) && tone !== 'bad';
    setText(tile.verdict, isOpen ? trialsWord(run, index) : `${SIGNS[tone] ?? ''} ${text}`.trim());
    tile.verdict.className = `tile-verdict tone-${isOpen ? 'none' : tone}`;
    setShare(tile.bar, figures.share);
    tile.node.classList.toggle('is-now', isNow);
    tile.node.classList.toggle('is-open', !figures.rate);
  }
}

/** How many trials a row has, of how many; it may need fewer. */
function trialsWord({ trials, planned }, index) {
  if (!trials?.[index] || !(planned.trials > 1)) return '';
  return planned.adaptive ? say("{a} of ≤ {b}", trials[index], planned.trials) : say("{a} of {b}", trials[index], planned.trials);
}

function rowName(name) {
  const [first, ...rest] = name.split(' ');
  return el('div', { class: 'tiles-name' }, el('strong', null, first), el('span', null, rest.join(' ')));
}

function tile(row) {
  const bar = el('span', { class: 'tile-bar' });
  const figure = el('span', { class: 'tile-figure' });
  const detail = el('span', { class: 'tile-detail' });
  const verdict = el('span', { class: 'tile-verdict' });
  const name = el('span', { class: 'hidden-visually' }, direction(row.direction));
  const node = el('div', { class: `tile of-${row.direction}` }, name,
    el('span', { class: 'tile-head' }, figure, verdict), detail,
    el('span', { class: 'tile-track', 'aria-hidden': 'true' }, bar));
  return { node, bar, figure, detail, verdict };
}
