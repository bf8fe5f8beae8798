// One run, going on or kept: the same panel shows both, as the view has the same fields.

import { el, fill, show } from './element.js';
import { PlacesChart, RateChart } from './charts.js';
import { ErrorMap, LatencyHeat } from './heat.js';
import { findingsOf } from './findings.js';
import { Sweep, cellOf } from './sweep.js';
import { banner, judged, lineOf, tableOf } from './table.js';
import { isGoingOn } from './rows.js';
import { Tiles } from './tiles.js';
import { say } from './words.js';

/** Pictures and tables of a run. */
export class RunPanel {
  /**
   * @param {string} heading of its parts: one level below the title over it
   * @param {(run: Object) => ?function} remedies makes the buttons of a run's remedies, once there is a form
   */
  constructor(heading = 'h3', remedies = () => null) {
    this.heading = heading;
    this.remedies = remedies;
    this.answer = el('div');
    this.facts = el('dl', { class: 'facts' });
    this.figures = el('div', { class: 'figures' });
    this.table = el('div', { class: 'tables' });
    this.more = el('div', { class: 'tables' });
    this.folded = el('details', { hidden: true }, el('summary', null, say("All figures")), this.more);
    this.upper = el('div');
    this.lower = el('div');
    this.findings = el('div');
    this.tiles = new Tiles();
    this.sweep = new Sweep();
    this.rate = new RateChart();
    this.heat = new LatencyHeat();
    this.places = new PlacesChart();
    this.errors = new ErrorMap();
    this.notes = el('ul', { class: 'notes' });
    this.charts = el('div', { class: 'charts' }, this.rate.node, this.heat.node);
    this.surface = el('div', { class: 'charts-wide' }, this.places.node, this.errors.node);
    // What it came to, the figures, why they are to be doubted, and then what happened meanwhile.
    this.node = el('div', { class: 'run-panel' }, this.answer, this.facts, this.figures, this.surface, this.upper,
      this.findings, this.charts, this.lower, this.notes);
    this.seen = {};
  }

  /** @param {import('./view.js').Run} run */
  update(run) {
    this.updateFigures(run);
    show(this.surface, (run.places ?? []).length > 0);
    if (!this.surface.hidden) {
      this.places.update(run);
      this.errors.update(run);
      show(this.errors.node, run.method?.startsWith('scan') || this.errors.hasDefects);
    }
    // Over time a surface shows nothing that its curve does not, unless the drive grows warm.
    const isCurve = !this.surface.hidden && !(run.temperature?.length > 0);
    // A matrix tells how far it is, and no rate.
    const rates = (run.rate ?? []).filter(([, rate]) => rate !== null && rate !== undefined);
    show(this.rate.node, rates.length > 1 && !isCurve);
    show(this.heat.node, (run.heat ?? []).length > 0);
    show(this.charts, !this.rate.node.hidden || !this.heat.node.hidden);
    if (!this.rate.node.hidden) this.rate.update(run);
    if (!this.heat.node.hidden) this.heat.update(run);
    this.updateWords(run);
  }

  updateFigures(run) {
    const kind = pictureOf(run);
    const picture = { tiles: this.tiles, sweep: this.sweep }[kind];
    if (this.seen.kind !== kind) {
      fill(this.figures, picture?.node);
      // A sweep's bars are its table; the long one comes last.
      (kind === 'sweep' ? this.lower : this.upper).append(this.folded, this.table);
    }
    this.seen.kind = kind;
    show(this.figures, picture !== undefined);
    picture?.update(run);
  }

  /** What changes seldom is built anew, and only where it has changed. */
  updateWords(run) {
    // Before its end only what no further trial changes is an answer.
    const answer = isGoingOn(run) && run.answer?.tone !== 'bad' ? null : run.answer;
    if (this.isNew('answer', answer)) fill(this.answer, answer && banner(answer));
    if (this.isNew('facts', run.facts)) {
      show(this.facts, run.facts?.length > 0);
      fill(this.facts, (run.facts ?? []).map(({ label, text, tone }) => el('div', null, el('dt', null, label), el('dd', null, judgedOrPlain(text, tone)))));
    }
    const buttons = this.remedies(run);
    if (this.isNew('buttons', Boolean(buttons))) delete this.seen.findings;
    if (this.isNew('findings', run.findings)) fill(this.findings, findingsOf(run.findings ?? [], this.heading, buttons ?? (() => [])));
    if (this.isNew('tables', run.tables)) {
      const tables = (run.tables ?? []).filter((table) => table.rows.length > 0);
      const isDrawn = this.seen.kind === 'sweep' && this.sweep.replacesTables(run);
      // What tiles show already is folded.
      const names = new Set(this.seen.kind === 'tiles' ? run.planned.rows.map(({ name }) => name) : []);
      const isFolded = (table) => table.rows.some(([first]) => names.has(first?.text));
      const [folded, open] = [tables.filter(isFolded), tables.filter((table) => !isFolded(table))];
      show(this.folded, folded.length > 0);
      fill(this.more, folded.map((table) => tableOf(table, say("Figures"))));
      show(this.table, open.length > 0 && !isDrawn);
      const isTitled = open.some(({ title }) => title);
      fill(this.table, el(this.heading, { class: isTitled ? 'part hidden-visually' : 'part' }, say("Figures")),
        open.map((table) => tableOf(table, say("Figures"))));
    }
    const notes = [...(run.notes ?? []), ...(run.legend ?? []), ...costOf(run)];
    if (this.isNew('notes', notes.join())) fill(this.notes, notes.map((note) => el('li', null, note)));
    show(this.notes, notes.length > 0);
  }

  isNew(name, value) {
    if (this.seen[name] === value && name in this.seen) return false;
    this.seen[name] = value;
    return true;
  }
}

const judgedOrPlain = (text, tone) => (tone && tone !== 'none' ? judged(text, tone) : text);

/** What the page itself has cost, of a run that it has measured. */
function costOf(run) {
  if (typeof run.page_share !== 'number') return [];
  return [say("The page itself used {a} % of one CPU meanwhile.", (run.page_share * 100).toFixed(1))];
}

/** Which picture suits a run's figures: tiles, a sweep's bars, or the table alone. */
function pictureOf(run) {
  const rows = run.planned?.rows ?? [];
  const method = (run.method ?? '').split('/')[0];
  if (rows.length === 0) return null;
  // A check of a mark has another table than its rows, once it has come to something.
  if (method === 'mark') return run.kept && rows.every((row, index) => !lineOf(run, index)) ? null : 'tiles';
  if (method === 'sweep' && rows.every((row) => cellOf(row.name))) return 'sweep';
  return null;
}
