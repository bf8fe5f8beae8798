// The page of sokudo: enters a session, then shows what the server tells.

import { el, fill, icon, setText, show } from './element.js';
import { Refusal, get, post } from './http.js';
import { say } from './words.js';
import { Announcer, Live, nowLine } from './live.js';
import { ComparePage, HistoryPage, LastRuns, RunPage } from './history.js';
import { RunBar } from './bar.js';
import { Disks } from './disks.js';
import { Measure } from './measure.js';
import { Queue } from './queue.js';
import { isGoingOn } from './rows.js';
import { current, follow, watch, watchConnection } from './view.js';
import { startTheme, themeChoice } from './theme.js';

const page = document.getElementById('page');
const head = document.getElementById('head') ?? el('header', { id: 'head' });

/** The key that stands behind #, if there is one. */
function givenKey() {
  const given = new URLSearchParams(location.hash.slice(1));
  const [token, code] = [given.get('t'), given.get('c')];
  if (token === null && code === null) return null;
  return token === null ? { code } : { token };
}

/** Exchanges what stands behind # for a cookie, and takes it out of the address. */
async function enter() {
  const key = givenKey();
  if (key === null) return;
  history.replaceState(null, '', location.pathname);
  await post('/api/enter', key);
}

/** An address that is opened where the page is open already changes only what stands behind #. */
function enterAnew() {
  if (givenKey() === null) return false;
  enter().then(() => location.reload(), (refusal) => showDoor(refusal.message));
  return true;
}

/** Without a session there is nothing to see, but a way to get one. */
function showDoor(reason) {
  fill(page, el('section', { class: 'card door' }, icon('lock'),
    el('h1', null, say("This page needs its full address")),
    el('p', null, say("Go to the terminal where sokudo page runs, press Enter, and open the address that it prints.")),
    el('p', null, say("The address holds a key that nobody else on this machine has. It is valid as long as sokudo page runs.")),
    reason && el('p', { class: 'message' }, reason)));
}

/** Languages by their codes, each in its own. */
const LANGUAGES = { en: 'English', ja: '日本語' };

/** The choice of a language; the server reads the cookie. */
function languageChoice() {
  const select = el('select', { 'aria-label': say("Language"), onchange: () => {
    document.cookie = `sokudo_lang=${select.value}; SameSite=Strict; Path=/; Max-Age=31536000`;
    location.reload();
  } }, Object.entries(LANGUAGES).map(([value, name]) => el('option', { value, lang: value }, name)));
  select.value = document.documentElement.lang;
  return select;
}

/** The head of the page: where one is, and how the connection is. */
function buildHead({ isReadOnly, isAtDoor, bar }) {
  const connection = el('span', { class: 'connection', role: 'status' });
  const link = (to, words) => el('a', { href: to, class: 'nav-link' }, words);
  fill(head,
    el('a', { class: 'skip', href: '#page', onclick: (event) => { event.preventDefault(); page.focus(); } }, say("Skip to the content")),
    el('a', { class: 'brand', href: '#' }, el('img', { src: new URL('icon.svg', import.meta.url).href, alt: '', width: '26', height: '26' }), 'sokudo'),
    !isAtDoor && el('nav', { 'aria-label': say("Pages") }, link('#', say("Measure")), link('#history', say("History"))),
    el('div', { class: 'head-end' },
      isReadOnly && el('span', { class: 'chip' }, icon('eye'), say("Read-only")),
      !isAtDoor && connection, languageChoice(), themeChoice()), bar);
  return connection;
}

const connectionWord = (state) => ({
  connecting: say("connecting"),
  connected: say("connected"),
  lost: say("connection lost, trying again"),
  refused: say("session ended"),
})[state];

function showConnection(node, state) {
  setText(node, connectionWord(state));
  node.dataset.state = state;
  if (state === 'refused') showDoor(say("The session has ended, because sokudo page was restarted."));
}

/** What stands in the place of the settings for who may only look. */
const lookingOnly = () => el('section', { class: 'card looking' }, icon('eye'),
  el('p', null, say("This address can view but not start runs. Running measurements appear here.")));

/** A job file begins with the name of a job and an option, comments apart; no result does. */
const JOB = /^(?:\s*[;#].*\n)*\s*\[[^\]\n{]+\]\s*(?:\n\s*[;#].*)*\n\s*[\w.-]+\s*(?:=|\n|$)/;
const HEAD_BYTES = 64 * 1024;

/** What of a run is words. */
const WORDED = ['planned', 'names', 'tables', 'facts', 'legend', 'findings', 'answer'];

/** The page of disks, settings, the current run and the queue. */
class MeasurePage {
  constructor(isReadOnly) {
    this.isReadOnly = isReadOnly;
    this.measure = new Measure({ isReadOnly, changed: () => this.updateLive(current()) });
    this.disks = new Disks((...target) => this.measure.setTarget(...target), isReadOnly);
    this.live = new Live((run) => this.measure.remedies(run));
    this.last = new LastRuns();
    this.queue = new Queue(isReadOnly, (text) => this.measure.complain(text));
    this.node = el('div', { class: 'measure-page' },
      el('h1', { class: 'hidden-visually' }, say("Measure a disk")),
      el('div', { class: 'side' }, this.disks.node, this.queue.node),
      el('div', { class: 'middle' }, isReadOnly ? lookingOnly() : this.measure.node, this.live.node, this.last.node));
    /** While this is in sight, no bar needs to tell the same. */
    this.inSight = isReadOnly ? this.live.progress : this.measure.line;
  }

  async load() {
    const parts = await Promise.allSettled([this.isReadOnly ? null : this.measure.load(), this.disks.load(), this.last.load()]);
    const failed = parts.find((part) => part.status === 'rejected');
    if (failed) this.measure.complain(failed.reason.message);
  }

  /** @param {import('./view.js').View} view */
  update(view) {
    // Of the server there is a version.
    if (view.version) this.before ??= view.run?.run ?? 0;
    if (!this.isReadOnly) this.measure.update(view);
    this.queue.update(view);
    this.updateLive(view);
  }

  /** A run that went on or was over before the page was opened may be in another language: its words are fetched anew. */
  inLanguage(run) {
    if (!run?.kept || run.run !== this.before || isGoingOn(run)) return run;
    // Until they are there, this is a promise, which has none.
    this.words ??= get(`/api/runs/${run.kept}/view`).then((kept) => {
      this.words = Object.fromEntries(WORDED.filter((key) => kept[key]).map((key) => [key, kept[key]]));
      this.updateLive(current());
    }).catch(() => { this.words = {}; });
    return { ...run, ...this.words };
  }

  updateLive(view) {
    const run = this.inLanguage(view.run);
    this.live?.update(run, !isGoingOn(run) && Boolean(run) && this.measure.isOther(run));
    if (this.last) show(this.last.node, !run && this.last.hasRuns);
  }

  /** A fio job file may be dropped anywhere, and so may a result, which `take` takes. */
  acceptFiles(take) {
    const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');
    document.addEventListener('dragover', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      document.body.classList.add('is-dropping');
    });
    document.addEventListener('dragleave', (event) => {
      if (event.relatedTarget === null) document.body.classList.remove('is-dropping');
    });
    document.addEventListener('drop', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      document.body.classList.remove('is-dropping');
      this.accept(event.dataTransfer.files[0], take);
    });
  }

  async accept(file, take) {
    const begin = file && await file.slice(0, HEAD_BYTES).text();
    if (!JOB.test(begin)) return take(file);
    location.hash = '';
    return this.measure.readJob(file);
  }
}

/** What the address asks for. */
function route(pages) {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const ids = (text) => text.split(',').map(Number).filter(Number.isSafeInteger);
  if (wanted.has('run')) return pages.run(ids(wanted.get('run'))[0]);
  if (wanted.has('compare')) return pages.compare(...ids(wanted.get('compare')));
  if (wanted.has('history')) return pages.history();
  return pages.measure();
}

function markPlace() {
  const isHistory = /^#(history|run|compare)/.test(location.hash);
  const links = head.querySelectorAll('.nav-link');
  links.forEach((link, index) => {
    if ((index === 1) === isHistory) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  });
}

/** The title tells how far a run is to who looks at another tab. */
function titleOf(view) {
  const { run } = view;
  if (!isGoingOn(run)) return 'sokudo';
  return `${Math.round((run.done ?? 0) * 100)} % · ${nowLine(run) || run.method} – sokudo`;
}

function build({ read_only: isReadOnly }) {
  const announcer = new Announcer();
  document.body.append(announcer.node);
  const measure = new MeasurePage(isReadOnly);
  const bar = new RunBar({ isReadOnly, complain: (text) => measure.measure.complain(text), button: measure.inSight });
  const connection = buildHead({ isReadOnly, bar: bar.node });
  const listed = new HistoryPage(isReadOnly);
  measure.acceptFiles((file) => listed.take(file));
  const shown = (node, title) => {
    fill(page, node);
    page.dataset.title = title;
  };
  const go = () => {
    markPlace();
    route({
      measure: () => shown(measure.node),
      history: () => { shown(listed.node); listed.load(); },
      run: (run) => { const of = new RunPage(run, isReadOnly); shown(of.node); of.load(); },
      compare: (left, right) => { const of = new ComparePage(left, right); shown(of.node); of.load(); },
    });
  };
  addEventListener('hashchange', () => {
    go();
    page.focus({ preventScroll: true });
    scrollTo(0, 0);
  });
  go();
  measure.load();
  watchConnection((state) => showConnection(connection, state));
  watch((view) => {
    measure.update(view);
    bar.update(view);
    announcer.update(view.run);
    const title = titleOf(view);
    if (document.title !== title) document.title = title;
  });
  follow();
}

async function begin() {
  startTheme();
  if (!head.isConnected) page.before(head);
  page.tabIndex = -1;
  // At any time: before the page is built, and at the door too.
  addEventListener('hashchange', (event) => {
    if (enterAnew()) event.stopImmediatePropagation();
  });
  try {
    await enter();
    build(await get('/api/session'));
  } catch (refusal) {
    buildHead({ isAtDoor: true });
    const isStranger = refusal instanceof Refusal && (refusal.status === 401 || refusal.status === 403);
    showDoor(isStranger ? null : refusal.message);
  }
  page.removeAttribute('aria-busy');
}

begin();
