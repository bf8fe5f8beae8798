// What to measure and how: methods as tabs, their settings, and one large button.

import { el, fill, icon, setText, show } from './element.js';
import { Form } from './form.js';
import { get, post } from './http.js';
import { lossesOf } from './disks.js';
import { isGoingOn, writesOf, writesWord } from './live.js';
import { clock, say } from './words.js';
import { targetName } from './rows.js';
import { commandLine } from './take.js';

/** Wait after the last change of a setting before the plan is asked for. */
const PLAN_WAIT_MS = 350;

/** Largest fio job file that is sent. */
const JOB_BYTES_MAX = 256 * 1024;

/** The section of settings and of start and stop. */
export class Measure {
  constructor({ isReadOnly }) {
    this.isReadOnly = isReadOnly;
    this.target = null;
    this.view = null;
    this.forms = {};
    this.method = 'mark';
    this.job = '';
    this.plan = null;
    this.build();
  }

  build() {
    this.tabs = el('div', { class: 'tabs', role: 'tablist', 'aria-label': say("Method") });
    this.about = el('p', { class: 'about' });
    this.settings = el('div', { class: 'settings', role: 'tabpanel', id: 'settings', tabindex: '-1' });
    this.consent = el('div', { class: 'consent', hidden: true });
    this.targetName = el('strong', { class: 'target-name' });
    this.targetKind = el('span', { class: 'target-kind' });
    this.button = el('button', { type: 'button', class: 'start', onclick: () => this.press() });
    this.add = el('button', { type: 'button', class: 'plain', hidden: true, onclick: () => this.start() });
    this.facts = el('dl', { class: 'plan-facts' });
    this.command = el('code', { class: 'command', tabindex: '0' });
    this.error = el('p', { class: 'message message-bad', role: 'alert', hidden: true });
    this.node = el('section', { class: 'card measure', 'aria-labelledby': 'measure-title' },
      el('h2', { id: 'measure-title', class: 'hidden-visually' }, say("Measure")),
      this.tabs, this.about, this.settings, this.consent,
      el('div', { class: 'go' },
        this.button,
        el('div', { class: 'go-facts' },
          el('p', { class: 'target-line' }, this.targetName, this.targetKind,
            el('button', { type: 'button', class: 'quiet other-target', onclick: () => document.getElementById('disks-title').scrollIntoView() }, say("Choose another"))), this.facts)),
      commandLine(this.command), el('div', { class: 'add-line' }, this.add),
      this.error);
  }

  /** Loads the methods and their options. */
  async load() {
    const found = await get('/api/methods');
    const methods = found.methods ?? found;
    this.methods = new Map(methods.map((method) => [method.name, method]));
    this.restore();
    this.buildTabs();
    this.select(this.methods.has(this.method) ? this.method : methods[0].name);
  }

  /** What the method is called; nothing before methods are loaded. */
  label() {
    return this.methods?.get(this.method)?.label ?? '';
  }

  buildTabs() {
    const names = [...this.methods.keys()];
    fill(this.tabs, names.map((name) => el('button', {
      type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': 'settings', 'data-method': name,
      onclick: () => this.select(name), onkeydown: (event) => this.moveTab(event, names),
    }, this.methods.get(name).label)));
  }

  /** Arrow keys go from tab to tab, as in every list of tabs. */
  moveTab(event, names) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const at = names.indexOf(this.method);
    const to = event.key === 'Home' ? 0 : event.key === 'End' ? names.length - 1 : step ? at + step : null;
    if (to === null) return;
    event.preventDefault();
    const name = names[(to + names.length) % names.length];
    this.select(name);
    this.tabs.querySelector(`[data-method="${name}"]`).focus();
  }

  select(name) {
    this.method = name;
    const method = this.methods.get(name);
    for (const tab of this.tabs.children) {
      const isSelected = tab.dataset.method === name;
      tab.setAttribute('aria-selected', String(isSelected));
      tab.tabIndex = isSelected ? 0 : -1;
    }
    this.settings.setAttribute('aria-labelledby', `tab-${name}`);
    setText(this.about, method.about);
    this.forms[name] ??= new Form(name, method, this.kept?.[name] ?? {}, () => this.changed());
    fill(this.settings, name === 'job' && this.jobField(), this.forms[name].node);
    this.changed();
  }

  jobField() {
    this.jobText ??= el('textarea', { id: 'job', rows: '8', spellcheck: 'false', class: 'job',
      placeholder: '[random-reads]\nrw=randread\nbs=4k\niodepth=32\nsize=1g', oninput: () => {
        this.job = this.jobText.value;
        this.changed();
      } });
    const file = el('input', { type: 'file', id: 'job-file', accept: '.fio,.job,text/plain',
      onchange: () => file.files[0] && this.readJob(file.files[0]) });
    return el('div', { class: 'option option-wide' },
      el('label', { for: 'job' }, say("fio job file: drop it on the page, choose it, or type")), this.jobText,
      el('label', { class: 'hidden-visually', for: 'job-file' }, say("Choose a job file")), file);
  }

  /** Takes a file that was dropped or chosen. */
  async readJob(file) {
    if (file.size > JOB_BYTES_MAX) {
      this.complain(say("{a} is too large for a job file", file.name));
      return;
    }
    this.job = await file.text();
    if (this.method !== 'job') this.select('job');
    this.jobText.value = this.job;
    this.changed();
  }

  /** @param {import('./disks.js').Target} target */
  setTarget(target) {
    this.target = target;
    this.serial = '';
    setText(this.targetName, target.target);
    setText(this.targetKind, this.kindWord());
    this.showConsent();
    this.changed();
  }

  kindWord() {
    const kinds = { directory: say("a test file is made in a directory, and removed"), device: say("only read"), simulated: say("simulated, nothing is written") };
    if (this.method === 'job') return '';
    if (this.serial) return say("will be overwritten");
    return kinds[this.target?.kind] ?? '';
  }

  /** Asks for the serial number of a disk that may be destroyed. */
  showConsent() {
    const disk = this.target?.kind === 'device' ? this.target.disk : null;
    const links = (disk?.links ?? []).map((link) => link.replace('/dev/disk/by-id/', ''));
    const names = [disk?.serial, disk?.world_wide_name, ...links].filter(Boolean);
    const allowed = (this.view?.allow_destroy ?? []).find((name) => names.includes(name));
    show(this.consent, Boolean(allowed));
    if (!allowed || this.consent.dataset.of === allowed) return;
    this.consent.dataset.of = allowed;
    const losses = lossesOf(disk.contents);
    const input = el('input', { type: 'text', id: 'serial', autocomplete: 'off', spellcheck: 'false', oninput: () => {
      this.serial = input.value.trim();
      setText(this.targetKind, this.kindWord());
      this.changed();
    } });
    fill(this.consent, el('p', { class: 'consent-head' }, icon('warning'), el('strong', null, say("Write to this disk? All that is on it will be lost."))),
      losses.length > 0 && el('ul', null, losses.map((loss) => el('li', null, loss))),
      el('label', { for: 'serial' }, say("Type its serial number {a} to allow that. Without it the disk is only read.", allowed)), input);
  }

  wish() {
    const wish = { method: this.method, target: this.target?.target ?? '', options: this.forms[this.method]?.values() ?? {} };
    if (this.serial) wish.serial = this.serial;
    if (this.method === 'job') wish.job = this.job;
    return wish;
  }

  changed() {
    this.keep();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.askPlan(), PLAN_WAIT_MS);
  }

  async askPlan() {
    if (!this.target || !this.forms[this.method] || this.isReadOnly) return;
    if (this.method === 'job' && this.job.trim() === '') return this.forgetPlan();
    this.asked?.abort();
    this.asked = new AbortController();
    try {
      const plan = await post('/api/plan', this.wishBody(), this.asked.signal);
      this.plan = plan.error ? null : plan;
      setText(this.error, plan.error ?? '');
      show(this.error, Boolean(plan.error));
    } catch (refusal) {
      if (refusal.name === 'AbortError') return;
      this.plan = null;
      this.complain(refusal.message);
    }
    this.showPlan();
  }

  forgetPlan() {
    this.plan = null;
    show(this.error, false);
    this.showPlan();
  }

  wishBody() {
    return { wish: this.wish() };
  }

  showPlan() {
    const run = isGoingOn(this.view?.run) ? this.view.run : null;
    const plan = run ? { ...run.planned, seconds: run.seconds_left, command: run.command } : this.plan;
    const fact = (label, value) => el('div', null, el('dt', null, label), el('dd', null, value));
    const time = plan?.seconds === null || plan?.seconds === undefined ? '–' : run ? clock(plan.seconds) : say("about {a}", clock(plan.seconds));
    const isSimulated = this.target?.kind === 'simulated';
    const writes = (run ? writesOf(run) : isSimulated ? say("nothing") : writesWord(plan)) || '–';
    const rows = plan?.rows?.length;
    const key = [time, writes, rows, Boolean(run)].join('/');
    if (key !== this.factsKey) {
      this.factsKey = key;
      fill(this.facts, fact(run ? say("Time left") : say("Time"), time), fact(say("Writes"), writes),
        rows > 0 && fact(say("Number of rows"), String(rows)));
    }
    setText(this.command, plan?.command ?? '');
    // A job file names its targets itself.
    const target = this.method === 'job' ? this.label() : this.target?.target ?? '';
    setText(this.targetName, run ? targetName(run) : target);
    setText(this.targetKind, run ? '' : this.kindWord());
    this.showButton(run);
  }

  showButton(run) {
    const state = run ? (run.state === 'stopping' ? 'stopping' : 'stop') : 'start';
    show(this.add, state === 'stop');
    this.add.disabled = !this.plan;
    setText(this.add, say("Add to the queue: {a}", [this.label(), this.method !== 'job' && this.target?.target].filter(Boolean).join(' · ')));
    const disabled = state === 'stopping' || (state === 'start' && !this.plan);
    if (this.button.disabled !== disabled) this.button.disabled = disabled;
    if (this.button.dataset.state === state) return;
    this.button.dataset.state = state;
    const words = { start: say("Start now"), stop: say("Stop"), stopping: say("Stopping") };
    fill(this.button, icon(state === 'start' ? 'start' : 'stop'), words[state]);
  }

  /** @param {import('./view.js').View} view */
  update(view) {
    this.view = view;
    this.showConsent();
    this.showPlan();
  }

  press() {
    if (this.button.dataset.state === 'stop') return this.stop();
    return this.start();
  }

  /** Whether much is to be written, or for long, where it would be. */
  isMeant() {
    if (!this.plan?.asks || this.target?.kind === 'simulated') return true;
    return confirm(say("Writes: {a}. Time: about {b}. Start it?", writesWord(this.plan), clock(this.plan.seconds)));
  }

  async start() {
    // A second click before the view tells of the run would queue it twice.
    if (this.isStarting || !this.isMeant()) return;
    this.isStarting = true;
    try {
      const { wish } = this.wishBody();
      await post('/api/start', { wish: { ...wish, yes: Boolean(this.plan?.asks) } });
      show(this.error, false);
      this.forgetConsent();
    } catch (refusal) {
      this.complain(refusal.message);
    }
    this.isStarting = false;
  }

  /** Consent is for one run. */
  forgetConsent() {
    if (!this.serial) return;
    this.serial = '';
    delete this.consent.dataset.of;
    setText(this.targetKind, this.kindWord());
    this.showConsent();
  }

  async stop() {
    try {
      await post('/api/stop', { run: this.view.run.run });
    } catch (refusal) {
      this.complain(refusal.message);
    }
  }

  complain(text) {
    setText(this.error, text);
    show(this.error, true);
  }

  keep() {
    try {
      const values = Object.fromEntries(Object.entries(this.forms).map(([name, form]) => [name, form.values()]));
      sessionStorage.setItem('sokudo.form', JSON.stringify({ method: this.method, values: { ...this.kept, ...values } }));
    } catch {
      // Settings last as long as the page.
    }
  }

  restore() {
    try {
      const { method, values } = JSON.parse(sessionStorage.getItem('sokudo.form') ?? '{}');
      this.method = method ?? this.method;
      this.kept = values;
    } catch {
      this.kept = {};
    }
  }
}
