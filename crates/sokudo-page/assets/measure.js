// What to measure and how: methods as tabs, their settings, and one large button. All of it folds to
// one line while a run is shown.

import { el, fill, icon, setText, show } from './element.js';
import { Form } from './form.js';
import { get, post } from './http.js';
import { lossesOf } from './disks.js';
import { writesWord } from './live.js';
import { clock, say } from './words.js';
import { isGoingOn, targetName } from './rows.js';
import { commandLine } from './take.js';

/** Wait after the last change of a setting before the plan is asked for. */
const PLAN_WAIT_MS = 350;

/** Largest fio job file that is sent. */
const JOB_BYTES_MAX = 256 * 1024;

/** The section of settings and of start and stop. */
export class Measure {
  /** `changed` is called when what the form asks for, or whether it is open, has changed. */
  constructor({ isReadOnly, changed }) {
    this.isReadOnly = isReadOnly;
    this.hasChanged = changed;
    this.isOpen = false;
    this.target = null;
    this.view = null;
    this.forms = {};
    this.method = 'mark';
    this.job = '';
    this.plan = null;
    this.build();
  }

  build() {
    this.tabs = el('div', { class: 'tabs' });
    this.about = el('p', { class: 'about' });
    this.settings = el('div', { class: 'settings', role: 'tabpanel', id: 'settings', tabindex: '-1' });
    this.consent = el('div', { class: 'consent', hidden: true });
    this.targetName = el('strong', { class: 'target-name' });
    this.targetKind = el('span', { class: 'target-kind' });
    this.button = el('button', { type: 'button', class: 'start', onclick: () => this.begin(this.wish(), this.plan) });
    this.facts = el('dl', { class: 'plan-facts' });
    this.command = el('code', { class: 'command', tabindex: '0' });
    this.error = el('p', { class: 'message message-bad', role: 'alert', hidden: true });
    this.body = el('div', { class: 'measure-body', id: 'measure-body' },
      this.tabs, this.about, this.settings, this.consent,
      el('div', { class: 'go' },
        this.button,
        el('div', { class: 'go-facts' },
          el('p', { class: 'target-line' }, this.targetName, this.targetKind,
            el('button', { type: 'button', class: 'quiet other-target', onclick: () => document.getElementById('disks-title').scrollIntoView() }, say("Choose another"))), this.facts)),
      commandLine(this.command));
    this.runTarget = el('strong', { class: 'target-name' });
    this.runMethod = el('span', { class: 'target-kind' });
    this.act = el('button', { type: 'button', class: 'act', onclick: () => this.press() });
    this.change = el('button', { type: 'button', class: 'plain', 'aria-controls': 'measure-body', onclick: () => this.open(!this.isOpen) }, say("Change settings"));
    this.line = el('div', { class: 'run-line', hidden: true }, el('p', { class: 'target-line' }, this.runTarget, this.runMethod), this.act, this.change);
    this.node = el('section', { class: 'card measure', 'aria-labelledby': 'measure-title' },
      el('h2', { id: 'measure-title', class: 'hidden-visually' }, say("Measure")), this.line, this.body, this.error);
  }

  /** Loads the methods and their options. */
  async load() {
    const found = await get('/api/methods');
    const methods = found.methods ?? found;
    this.methods = new Map(methods.map((method) => [method.name, method]));
    this.remedyOptions = found.remedies ?? {};
    this.restore();
    this.buildTabs();
    this.select(this.methods.has(this.method) ? this.method : methods[0].name);
  }

  buildTabs() {
    const names = [...this.methods.keys()];
    const tab = (name) => el('button', {
      type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': 'settings', 'data-method': name,
      onclick: () => this.choose(name), onkeydown: (event) => this.moveTab(event, names),
    }, this.methods.get(name).command);
    const groups = [...new Set([...this.methods.values()].map(({ group }) => group))];
    fill(this.tabs, groups.map((group) => el('div', null, el('span', { 'aria-hidden': 'true' }, group),
      el('div', { role: 'tablist', 'aria-label': group }, names.filter((name) => this.methods.get(name).group === group).map(tab)))));
  }

  /** Arrow keys go from tab to tab, as in every list of tabs. */
  moveTab(event, names) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const at = names.indexOf(this.method);
    const to = event.key === 'Home' ? 0 : event.key === 'End' ? names.length - 1 : step ? at + step : null;
    if (to === null) return;
    event.preventDefault();
    const name = names[(to + names.length) % names.length];
    this.choose(name);
    this.tabs.querySelector(`[data-method="${name}"]`).focus();
  }

  /** Somebody takes another method. */
  choose(name) {
    this.open(true);
    this.select(name);
  }

  select(name) {
    this.method = name;
    const method = this.methods.get(name);
    for (const tab of this.tabs.querySelectorAll('[role=tab]')) {
      const isSelected = tab.dataset.method === name;
      tab.setAttribute('aria-selected', String(isSelected));
      tab.tabIndex = isSelected ? 0 : -1;
    }
    this.settings.setAttribute('aria-labelledby', `tab-${name}`);
    setText(this.about, method.about);
    this.forms[name] ??= new Form(name, method, this.kept?.[name] ?? {}, () => { this.open(true); this.changed(); });
    fill(this.settings, name === 'job' && this.jobField(), this.forms[name].node);
    this.changed();
  }

  /** What makes buttons of a run's remedies: each opens its form at the field, and starts nothing. */
  remedies({ wish }) {
    const method = this.methods?.get(wish.method);
    if (this.isReadOnly || !method) return null;
    const button = (words, act) => el('button', { type: 'button', class: 'plain', onclick: act }, words);
    return (options) => options.flatMap((option) => {
      if (this.methods.has(option)) return button(option, () => this.choose(option));
      const [name, value] = (this.remedyOptions[option] ?? '').replace('--', '').split(' ');
      const field = method.options.find((it) => it.name === name);
      return field ? button([field.label, value].filter(Boolean).join(': '), () => this.set(wish.method, name, value)) : [];
    });
  }

  /** Opens a form at one of its fields, with a value in it where there is one. */
  set(method, name, value) {
    this.choose(method);
    const field = document.getElementById(`${method}-${name}`);
    const folded = field.closest('details');
    if (folded) folded.open = true;
    if (value) field.value = value;
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.focus();
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
    this.choose('job');
    this.jobText.value = this.job;
    this.changed();
  }

  /**
   * @param {import('./disks.js').Target} target
   * @param {boolean} isChosen by somebody, and not offered
   */
  setTarget(target, isChosen) {
    if (isChosen) this.open(true);
    this.target = target;
    this.serial = '';
    setText(this.targetName, target.target);
    setText(this.targetKind, this.kindWord());
    this.showConsent();
    this.changed();
  }

  kindWord() {
    const kinds = { directory: say("in a directory a test file is made, and later removed"), device: this.plan || this.isPlanning ? say("only read") : '', simulated: say("simulated, nothing is written") };
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
      el('label', { for: 'serial' }, say("Type its serial number {a} to allow that. Without it nothing is written to it.", allowed)), input);
  }

  wish() {
    const wish = { method: this.method, target: this.target?.target ?? '', options: this.forms[this.method]?.values() ?? {} };
    if (this.serial) wish.serial = this.serial;
    if (this.method === 'job') wish.job = this.job;
    return wish;
  }

  /** What was planned is of other settings. */
  changed() {
    this.keep();
    clearTimeout(this.timer);
    this.asked?.abort();
    this.plan = null;
    this.isPlanning = true;
    this.timer = setTimeout(() => this.askPlan(), PLAN_WAIT_MS);
    this.showPlan();
    this.hasChanged();
  }

  async askPlan() {
    const isComplete = this.target && this.forms[this.method] && !this.isReadOnly && (this.method !== 'job' || this.job.trim() !== '');
    let error = '';
    if (isComplete) {
      this.asked = new AbortController();
      try {
        const plan = await post('/api/plan', { wish: this.wish() }, this.asked.signal);
        error = plan.error ?? '';
        this.plan = plan.error ? null : plan;
      } catch (refusal) {
        if (refusal.name === 'AbortError') return;
        error = refusal.message;
      }
    }
    this.isPlanning = false;
    this.complain(error);
    this.showPlan();
  }

  showPlan() {
    const { plan } = this;
    const fact = (label, value) => el('div', null, el('dt', null, label), el('dd', null, value));
    const rows = plan?.rows?.length;
    fill(this.facts, plan && [fact(say("Time"), Number.isFinite(plan.seconds) ? say("about {a}", clock(plan.seconds)) : '–'),
      fact(say("Writes"), (this.target?.kind === 'simulated' ? say("nothing") : writesWord(plan)) || '–'),
      rows > 0 && fact(say("Number of rows"), String(rows))]);
    setText(this.command, plan?.command ?? '');
    // A job file names its targets itself.
    const target = this.method === 'job' ? '' : this.target?.target ?? '';
    setText(this.targetName, target || this.method);
    setText(this.targetKind, this.kindWord());
    const isNext = isGoingOn(this.view?.run);
    const named = [this.methods?.get(this.method)?.command, target].filter(Boolean).join(' · ');
    const words = isNext ? say("Add to the queue: {a}", named) : say("Start now");
    this.button.disabled = !plan;
    this.button.className = isNext ? 'plain' : 'start';
    setText(this.button, this.isPlanning ? say("Planning …") : words);
  }

  /** @param {import('./view.js').View} view */
  update(view) {
    this.view = view;
    this.showConsent();
    if (this.isNext !== isGoingOn(view.run)) this.showPlan();
    this.isNext = isGoingOn(view.run);
    this.showLine(view.run);
  }

  /** The run that is shown, in one line, and the form beneath it only where somebody wants it. */
  showLine(run) {
    const isFolded = Boolean(run) && !this.isOpen;
    const hadFocus = isFolded && this.body.contains(document.activeElement);
    show(this.line, Boolean(run));
    show(this.body, !isFolded);
    this.change.setAttribute('aria-expanded', String(!isFolded));
    if (!run) return;
    setText(this.runTarget, targetName(run));
    setText(this.runMethod, run.method);
    const state = isGoingOn(run) ? (run.state === 'stopping' ? 'stopping' : 'stop') : 'again';
    show(this.act, state !== 'again' || this.methods?.has(run.wish.method));
    this.act.dataset.state = state;
    this.act.disabled = state === 'stopping';
    setText(this.act, { again: say("Measure again"), stop: say("Stop"), stopping: say("Stopping") }[state]);
    if (hadFocus) this.act.focus();
  }

  open(isOpen) {
    if (this.isOpen === isOpen) return;
    this.isOpen = isOpen;
    this.showLine(this.view?.run);
    this.hasChanged();
  }

  /** Whether the form asks for something else than the run that is shown. */
  isOther({ wish }) {
    return this.isOpen && (wish.method !== this.method || wish.target !== this.wish().target);
  }

  press() {
    const { run } = this.view;
    if (isGoingOn(run)) return this.stop(run);
    const { serial, ...wish } = run.wish;
    // Consent is for one run.
    return serial ? this.open(true) : this.begin(wish, { ...run.planned, asks: run.planned?.asks || wish.yes });
  }

  /** Starts it, or has it wait; where much is written, or for long, only if it is meant. */
  async begin(wish, plan) {
    const yes = Boolean(plan?.asks);
    const asks = yes && !wish.target.startsWith('sim:');
    const question = () => say("Writes: {a}. Time: about {b}. Start it?", writesWord(plan), clock(plan.seconds));
    // A second click before the view tells of the run would queue it twice.
    if (this.isStarting || (asks && !confirm(question()))) return;
    this.isStarting = true;
    try {
      await post('/api/start', { wish: { ...wish, yes } });
      this.complain('');
      this.forgetConsent();
      this.open(false);
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

  async stop({ run }) {
    try {
      await post('/api/stop', { run });
    } catch (refusal) {
      this.complain(refusal.message);
    }
  }

  complain(text) {
    setText(this.error, text);
    show(this.error, text !== '');
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
