// The tiles that people know: a line per row, reads and writes beside each other, a bar below
// each figure.

import { el, setShare, setText } from './element.js';
import { SIGNS, figuresOf, lineOf, numberOf } from './table.js';
import { direction, rate, say } from './words.js';

/** A meter is logarithmic: 1 GB/s fills two thirds of it, a hard disk's random reads still show. */
const share = (megabytes) => (megabytes > 0 ? Math.log10(Math.max(megabytes * 10, 1)) / 5.5 : 0);

/** Tiles of one run; they are made once per plan, and updated in place. */
export class Tiles {
  constructor() {
    this.node = el('div', { class: 'tiles' });
    this.plan = null;
    this.tiles = [];
  }

  /** @param {import('./view.js').Run} run */
  update(run) {
    const rows = run.planned?.rows ?? [];
    if (this.plan !== run.planned) this.build(run.planned, rows);
    rows.forEach((row, index) => this.updateTile(run, index));
  }

  build(plan, rows) {
    this.plan = plan;
    const directions = [...new Set(rows.map((row) => row.direction))];
    const names = [...new Set(rows.map((row) => row.name))];
    this.tiles = rows.map((row) => tile(row));
    this.node.style.setProperty('--directions', String(directions.length));
    this.node.replaceChildren(
      el('div', { class: 'tiles-head', 'aria-hidden': 'true' }, el('span', null, say("MB/s")),
        directions.map((name) => el('span', { class: `of-${name}` }, direction(name)))),
      ...names.map((name) => el('div', { class: 'tiles-line', role: 'group', 'aria-label': name },
        rowName(name),
        directions.map((wanted) => {
          const index = rows.findIndex((row) => row.name === name && row.direction === wanted);
          return index < 0 ? el('span', { class: 'tile tile-none' }) : this.tiles[index].node;
        }))));
  }

  updateTile(run, index) {
    const tile = this.tiles[index];
    const figures = figuresOf(lineOf(run, index));
    const isNow = run.state === 'running' && run.now?.row === index;
    const live = isNow ? run.now.mb_per_second : null;
    const shown = figures.rate ?? (live === null || live === undefined ? null : rate(live));
    setText(tile.figure, shown ?? (isNow ? '…' : '–'));
    const iops = numberOf(figures.iops) === null ? null : `${figures.iops} IOPS`;
    setText(tile.detail, [figures.spread, iops].filter(Boolean).join(' · ') || (isNow ? say("measuring") : '\u00a0'));
    const sign = SIGNS[figures.judged?.tone];
    setText(tile.verdict, figures.judged ? `${sign ?? ''} ${figures.judged.text}`.trim() : '');
    tile.verdict.className = `tile-verdict tone-${figures.judged?.tone ?? 'none'}`;
    setShare(tile.bar, share(numberOf(figures.rate) ?? live ?? 0));
    tile.node.classList.toggle('is-now', isNow);
    tile.node.classList.toggle('is-open', !figures.rate);
  }
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
