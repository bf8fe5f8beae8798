// Kept runs: the list, one of them, two compared.

import { el, fill, icon, setText, show } from './element.js';
import { TrendChart } from './trend.js';
import { get, post, upload, withQuery } from './http.js';
import { RunPanel } from './run.js';
import { rowTitles, targetName } from './rows.js';
import { banner, judged, scrolling, tableOf } from './table.js';
import { moment, rate, say } from './words.js';
import { commandLine, pictureAddress, pictureChoice, takeAway } from './take.js';

/** Runs that are asked for at once. */
const PAGE_OF_RUNS = 100;

/** Largest result of another tool that is sent. */
const RESULT_BYTES_MAX = 8 * 1024 * 1024;

const verdictWords = () => ({
  VERIFIED: say("VERIFIED"),
  UNVERIFIED: say("UNVERIFIED"),
  INVALID: say("INVALID"),
});

/** The words of answers that are others in other languages. */
const answerWords = () => ({ 'OK so far': say("OK so far") });

/** What a run came to: its answer, or the worst verdict of its rows. */
const outcome = (run) => judged(answerWords()[run.answer] ?? run.answer ?? verdictWords()[run.verdict] ?? '', run.tone);

/** The highest rate of the rows that read or write, as the command line lists it. */
function best(run, direction) {
  const rates = (run.rows ?? [])
    .filter((row) => row.direction === direction && row.stands_for_disk !== false && row.verdict !== 'INVALID')
    .map((row) => row.bytes_per_s);
  return rates.length > 0 ? rate(Math.max(...rates) / 1e6) : '—';
}

/** The list of kept runs. */
export class HistoryPage {
  constructor(isReadOnly) {
    this.chosen = [];
    this.runs = [];
    this.list = el('div');
    this.message = el('p', { class: 'message', role: 'status' });
    this.compare = el('button', { type: 'button', disabled: true, onclick: () => this.openComparison() }, say("Compare"));
    this.report = el('a', { class: 'button plain', download: true, hidden: true }, icon('save'), say("Report of the selected runs"));
    this.more = el('button', { type: 'button', class: 'plain', hidden: true, onclick: () => this.load(this.runs.length) }, say("Show more"));
    const file = el('input', { type: 'file', id: 'result', class: 'hidden-visually', onchange: () => {
      const [chosen] = file.files;
      // The same file may be chosen again.
      file.value = '';
      this.take(chosen);
    } });
    const choice = !isReadOnly && el('label', { class: 'button plain' }, icon('folder'), say("Import a result of another tool"), file);
    this.taken = el('div', { role: 'status' });
    this.node = el('section', { class: 'card history' }, el('h1', null, say("History")), this.filters(),
      el('div', { class: 'history-actions' }, this.compare, this.report, choice, this.message), this.taken, this.list, this.more);
  }

  /** Keeps a result of another tool as a run, and opens it where there is nothing else to say. */
  async take(file) {
    if (!file) return;
    location.hash = 'history';
    const tell = (kind, lines) => fill(this.taken, lines.map((line) => el('p', { class: kind }, line)));
    try {
      if (file.size > RESULT_BYTES_MAX) throw new Error(say("{a} is larger than 8 MiB; use sokudo import for it", file.name));
      tell('message', [say("Reading {a} …", file.name)]);
      const { runs, messages } = await upload(withQuery('/api/import', { name: file.name }), file);
      const isPlain = runs.length === 1 && messages.length === 1;
      tell('message', isPlain ? [] : messages);
      if (isPlain) location.hash = `run=${runs[0]}`;
      else await this.load();
    } catch (refusal) {
      tell('message message-bad', [refusal.message]);
    }
  }

  filters() {
    const text = (name, label, hint) => {
      const input = el('input', { type: 'search', id: `filter-${name}`, name, placeholder: hint, autocomplete: 'off' });
      return el('div', { class: 'option' }, el('label', { for: input.id }, label), input);
    };
    const select = (name, label, choices) => el('div', { class: 'option' }, el('label', { for: `filter-${name}` }, label),
      el('select', { id: `filter-${name}`, name }, choices.map(([value, words]) => el('option', { value }, words))));
    this.form = el('form', { class: 'filters', onsubmit: (event) => event.preventDefault(), oninput: () => this.filter() },
      text('device', say("Disk"), say("model, serial or name")),
      select('method', say("Method"), [['', say("all")]]),
      text('tag', say("Tag"), ''),
      select('verdict', say("Verdict"), [['', say("all")], ...Object.entries(verdictWords()).map(([name, words]) => [name.toLowerCase(), words])]),
      select('since', say("Since"), [['', say("any time")], ['1d', say("a day")], ['7d', say("a week")], ['30d', say("a month")], ['1y', say("a year")]]));
    return this.form;
  }

  /** Offers every method that a kept run can have. */
  async offerMethods() {
    const { names } = await get('/api/methods');
    this.form.elements.method.append(...names.map((name) => el('option', { value: name }, name)));
  }

  filter() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load(), 300);
  }

  /** Loads the list, or what follows what is shown. */
  async load(skip = 0) {
    const wanted = Object.fromEntries(new FormData(this.form));
    const asked = (this.asked = {});
    this.offered ??= this.offerMethods().catch((refusal) => {
      this.offered = null;
      setText(this.message, refusal.message);
    });
    try {
      const query = { ...wanted, limit: PAGE_OF_RUNS, skip: skip || undefined };
      const { runs } = await get(withQuery('/api/runs', query));
      if (asked !== this.asked) return;
      this.runs = skip ? [...this.runs, ...runs] : runs;
      show(this.more, runs.length === PAGE_OF_RUNS);
      this.draw();
    } catch (refusal) {
      setText(this.message, refusal.message);
    }
  }

  draw() {
    this.chosen = this.chosen.filter((run) => this.runs.some(({ id }) => id === run));
    this.showChosen();
    if (this.runs.length === 0) {
      fill(this.list, el('p', { class: 'empty' }, say("No kept run matches these filters.")));
      return;
    }
    const column = (title, kind) => el('th', { scope: 'col', class: kind }, title);
    fill(this.list, scrolling(say("Kept runs"), el('table', { class: 'runs' },
      el('caption', { class: 'hidden-visually' }, say("Kept runs, the newest first")),
      el('thead', null, el('tr', null,
        el('th', { scope: 'col' }, el('span', { class: 'hidden-visually' }, say("Choose"))),
        column(say("Run")), column(say("When")), column(say("Disk")), column(say("Method")),
        column(say("read MB/s"), 'number'), column(say("write MB/s"), 'number'), column(say("Verdict")), column(say("Tags and notes")))),
      el('tbody', null, this.runs.map((run) => this.line(run))))));
  }

  line(run) {
    const box = el('input', { type: 'checkbox', checked: this.chosen.includes(run.id),
      'aria-label': say("Choose run {a}", run.id), onchange: () => this.choose(run.id, box.checked) });
    return el('tr', null,
      el('td', { class: 'choose' }, box),
      el('th', { scope: 'row' }, el('a', { href: `#run=${run.id}` }, String(run.id)),
        run.is_baseline && el('span', { class: 'star', title: say("Baseline") }, '★', el('span', { class: 'hidden-visually' }, say("Baseline")))),
      el('td', { class: 'when' }, moment(run.started_at)),
      el('td', { class: 'device' }, run.device_name ?? run.device ?? run.target, run.label && el('span', { class: 'chip' }, run.label)),
      el('td', null, run.method),
      el('td', { class: 'number' }, best(run, 'read')),
      el('td', { class: 'number' }, best(run, 'write')),
      el('td', null, outcome(run)),
      el('td', { class: 'tags' }, (run.tags ?? []).map((tag) => el('span', { class: 'chip' }, tag)), run.note));
  }

  choose(run, isChosen) {
    this.chosen = isChosen ? [...this.chosen, run] : this.chosen.filter((other) => other !== run);
    this.showChosen();
  }

  showChosen() {
    this.compare.disabled = this.chosen.length !== 2;
    show(this.report, this.chosen.length > 0);
    this.report.setAttribute('href', `/api/report?runs=${this.chosen.join(',')}`);
    setText(this.message, this.chosen.length === 2 ? '' : say("Choose two runs to compare them."));
  }

  openComparison() {
    // The older one is what the newer is compared with.
    const [left, right] = [...this.chosen].sort((a, b) => a - b);
    location.hash = `compare=${left},${right}`;
  }
}

/** The last runs, where there is nothing else to see. */
export class LastRuns {
  constructor() {
    this.hasRuns = false;
    this.list = el('ul', { class: 'last-runs' });
    this.node = el('section', { class: 'card', 'aria-labelledby': 'last-title', hidden: true },
      el('h2', { id: 'last-title' }, say("Last runs")), this.list);
  }

  async load() {
    const { runs } = await get('/api/runs?limit=3');
    this.hasRuns = runs.length > 0;
    fill(this.list, runs.map((run) => el('li', null,
      el('a', { href: `#run=${run.id}` }, `${run.device_name ?? run.device ?? run.target} · ${run.method}`),
      el('span', { class: 'number' }, [best(run, 'read'), best(run, 'write')].join(' / '), ' MB/s'),
      outcome(run), el('span', { class: 'when' }, moment(run.started_at)))));
  }
}

/** One kept run, with the views of a run that goes on. */
export class RunPage {
  constructor(run, isReadOnly) {
    this.run = run;
    this.isReadOnly = isReadOnly;
    this.title = el('h1', null, say("Run {a}", run));
    this.facts = el('p', { class: 'run-target' });
    this.command = el('code', { class: 'command', tabindex: '0' });
    this.manage = el('section', { class: 'card manage', hidden: true });
    this.message = el('p', { class: 'message message-bad', role: 'alert', hidden: true });
    this.panel = new RunPanel('h2');
    this.take = el('div');
    this.more = el('div', { class: 'middle' });
    this.node = el('div', { class: 'run-page' }, el('section', { class: 'card live' },
      el('p', { class: 'back' }, el('a', { href: '#history' }, say("All runs"))),
      this.title, this.facts, commandLine(this.command), this.panel.node), this.manage, this.more);
    this.panel.findings.before(this.take);
  }

  load() {
    this.loadManagement(this.loadView());
  }

  async loadView() {
    try {
      const view = await get(`/api/runs/${this.run}/view`);
      const run = view.run && typeof view.run === 'object' ? view.run : view;
      // The list knows more of it, and may have told already.
      if (this.facts.textContent === '') setText(this.facts, [run.method, targetName(run)].filter(Boolean).join(' · '));
      setText(this.command, run.command ?? '');
      fill(this.take, takeAway(this.run));
      this.panel.update(run);
      fill(this.more, this.pictures(run), await this.trend(run));
    } catch (refusal) {
      this.complain(refusal.message);
    }
  }

  /** The pictures of the report, as the command line draws them. */
  pictures(run) {
    const image = el('img', { class: 'picture' });
    const choice = pictureChoice(this.run, run);
    const draw = () => image.setAttribute('src', pictureAddress(this.run, choice.kind(), 'svg'));
    image.setAttribute('alt', say("Picture of run {a}; its figures are in the table", this.run));
    const missing = el('p', { class: 'message', hidden: true }, say("This run has no figures for such a picture."));
    image.addEventListener('error', () => { show(image, false); show(missing, true); });
    image.addEventListener('load', () => show(missing, false));
    choice.node.addEventListener('change', () => { show(image, true); draw(); });
    const box = el('section', { class: 'card pictures' }, el('h2', null, say("Picture")), choice.node,
      scrolling(say("Picture"), image), missing);
    document.addEventListener('themechange', draw);
    draw();
    return box;
  }

  async trend(run) {
    const chart = new TrendChart();
    await chart.load(this.run, rowTitles(run));
    return chart.node;
  }

  /** What can be changed comes once what stands above it is there: nothing moves under a pointer. */
  async loadManagement(shown) {
    let kept = {};
    try {
      const document = await get(`/api/runs/${this.run}`);
      // Tags, note and baseline are the list's: the document is as it was measured.
      // Nanoseconds, of which numbers here keep the first: a millisecond before is not later.
      const startedAt = new Date(document.started_at / 1e6 - 1).toISOString();
      const { runs } = await get(withQuery('/api/runs', { since: startedAt }));
      kept = runs.find(({ id }) => id === this.run) ?? {};
      setText(this.facts, [kept.method, kept.device_name, kept.target, moment(startedAt)].filter(Boolean).join(' · '));
    } catch {
      // Where the list is not to be had, what is shown of the run says what is wrong.
    }
    await shown;
    if (!this.isReadOnly) this.showManagement(kept);
  }

  showManagement(kept) {
    const note = el('textarea', { id: 'note', rows: '2', value: kept.note ?? '' });
    const tags = el('input', { id: 'tags', type: 'text', value: (kept.tags ?? []).join(', '), autocomplete: 'off' });
    const baseline = el('button', { type: 'button', class: 'plain', 'aria-pressed': String(Boolean(kept.is_baseline)) });
    const word = () => setText(baseline, kept.is_baseline ? say("★ Baseline: remove") : say("☆ Make it the baseline"));
    word();
    baseline.addEventListener('click', () => this.change(async () => {
      await post(`/api/runs/${this.run}/baseline`, { set: !kept.is_baseline });
      kept.is_baseline = !kept.is_baseline;
      baseline.setAttribute('aria-pressed', String(kept.is_baseline));
      word();
    }));
    const saveTags = () => this.change(() => this.saveTags(kept, tags.value));
    show(this.manage, true);
    fill(this.manage, el('h2', null, say("Tags and notes")), baseline,
      el('form', { class: 'option', onsubmit: (event) => { event.preventDefault(); saveTags(); } },
        el('label', { for: 'tags' }, say("Tags, separated by commas")), el('div', { class: 'path-line' }, tags, el('button', { type: 'submit', class: 'plain' }, say("Save tags")))),
      el('form', { class: 'option', onsubmit: (event) => { event.preventDefault(); this.change(() => post(`/api/runs/${this.run}/note`, { text: note.value })); } },
        el('label', { for: 'note' }, say("Note")), el('div', { class: 'path-line' }, note, el('button', { type: 'submit', class: 'plain' }, say("Save note")))), this.message);
  }

  async saveTags(kept, text) {
    const wanted = [...new Set(text.split(',').map((tag) => tag.trim()).filter(Boolean))];
    const had = kept.tags ?? [];
    const add = wanted.filter((tag) => !had.includes(tag));
    const remove = had.filter((tag) => !wanted.includes(tag));
    if (add.length > 0 || remove.length > 0) await post(`/api/runs/${this.run}/tag`, { add, remove });
    kept.tags = wanted;
  }

  async change(act) {
    try {
      await act();
      this.message.className = 'message';
      setText(this.message, say("Saved"));
      show(this.message, true);
    } catch (refusal) {
      this.complain(refusal.message);
    }
  }

  complain(text) {
    if (!this.message.isConnected) this.take.after(this.message);
    this.message.className = 'message message-bad';
    setText(this.message, text);
    show(this.message, true);
  }
}

/** Two kept runs beside each other. */
export class ComparePage {
  constructor(left, right) {
    this.runs = [left, right];
    this.body = el('div');
    this.node = el('section', { class: 'card compare' },
      el('p', { class: 'back' }, el('a', { href: '#history' }, say("All runs"))),
      el('h1', null, say("Run {a} against run {b}", right, left)), this.body);
  }

  async load() {
    try {
      const [left, right] = this.runs;
      const found = await get(withQuery('/api/compare', { left, right }));
      fill(this.body, ...comparison(found, `sokudo compare ${left} ${right}`));
    } catch (refusal) {
      fill(this.body, el('p', { class: 'message message-bad', role: 'alert' }, refusal.message));
    }
  }
}

/** What the command line prints of it, as data: a sentence, tables, and what stands below them. */
function comparison({ answer, tables, notes }, command) {
  return [
    answer && banner(answer),
    ...tables.map((table) => tableOf(table, say("Comparison"))),
    notes.length > 0 && el('ul', { class: 'notes' }, notes.map((note) => el('li', null, note))),
    commandLine(el('code', { class: 'command', tabindex: '0' }, command)),
  ].filter(Boolean);
}
