// The run that goes on: its state in one line, how far it is, and its panel.

import { el, fill, setShare, setText, show } from './element.js';
import { RunPanel } from './run.js';
import { isGoingOn, rowTitle, targetName } from './rows.js';
import { clock, say, size } from './words.js';
import { commandLine, takeAway } from './take.js';

export const stateWord = (run) => ({
  preparing: say("Preparing"),
  running: say("Measuring"),
  stopping: say("Stopping"),
  ended: say("Finished"),
  failed: say("Failed"),
  interrupted: say("Stopped early"),
})[run.state] ?? run.state;

const phaseWord = (phase) => ({
  ramp: say("warming up"),
  running: '',
  layout: say("making the test file"),
  waiting: say("waiting"),
  verifying: say("verifying"),
  flushing: say("flushing"),
  finishing: say("finishing"),
})[phase] ?? phase ?? '';

/**
 * How much a plan writes: at most so many bytes, and beside them what rows that end by time write.
 * @param {?import('./view.js').Planned} plan
 */
export function writesWord(plan) {
  if (!plan) return '';
  const { writes_bytes: bytes, writes_seconds: seconds } = plan;
  if (bytes > 0 && seconds > 0) return say("{a}, and for up to {b}", size(bytes), clock(seconds));
  if (bytes > 0) return say("up to {a}", size(bytes));
  if (seconds > 0) return say("for up to {a}", clock(seconds));
  return bytes === 0 ? say("nothing") : say("unknown");
}

/** How much a run writes; a simulated one writes to no disk. */
export const writesOf = (run) => (targetName(run).startsWith('sim:') ? say("nothing") : writesWord(run.planned));

/** What is done at this moment, as one line. */
export function nowLine(run) {
  const { now } = run;
  if (!isGoingOn(run) || !now) return '';
  const made = now.total > 0 && say("{a} of {b}", size(now.written), size(now.total));
  const tested = now.phase === 'self_test';
  const parts = [tested ? say("{a} self-test of {b} drives, {c} %", now.kind, now.drives, now.percent ?? '–') : rowTitle(run, now.row) || now.name,
    Number.isInteger(now.trial) && say("trial {a}", now.trial + 1), !tested && phaseWord(now.phase), made, now.text];
  return parts.filter(Boolean).join(' · ');
}

/** The section of the current run. */
export class Live {
  /** @param {(run: Object) => ?function} remedies */
  constructor(remedies) {
    this.remedies = remedies;
    this.title = el('h2', { id: 'live-title', tabindex: '-1' });
    this.target = el('p', { class: 'run-target' });
    this.now = el('p', { class: 'run-now' });
    this.stuck = el('p', { class: 'message message-bad', hidden: true });
    this.bar = el('span', { class: 'progress-bar' });
    this.progress = el('div', { class: 'progress', role: 'progressbar', 'aria-label': say("Progress"),
      'aria-valuemin': '0', 'aria-valuemax': '100' }, this.bar);
    this.left = el('span');
    this.moved = el('span');
    this.facts = el('p', { class: 'run-facts' }, this.left, this.moved);
    this.message = el('p', { class: 'message' });
    this.panel = new RunPanel('h3', remedies);
    this.take = el('div');
    this.command = el('code', { class: 'command', tabindex: '0' });
    this.below = el('div', { class: 'live' }, this.take, commandLine(this.command));
    this.node = el('section', { class: 'card live', 'aria-labelledby': 'live-title', hidden: true },
      el('div', { class: 'live-head' }, el('div', null, this.title, this.target), this.facts),
      this.now, this.stuck, this.progress, this.message, this.panel.node);
    this.shownRun = null;
  }

  /**
   * @param {?import('./view.js').Run} run
   * @param {boolean} isOld somebody is about to measure something else
   */
  update(run, isOld) {
    show(this.node, Boolean(run));
    if (!run) return;
    if (this.shownRun !== run.run) {
      this.panel.node.remove();
      this.panel = new RunPanel('h3', this.remedies);
      this.node.append(this.panel.node);
      this.panel.findings.before(this.below);
      this.shownRun = run.run;
      this.kept = undefined;
    }
    this.node.classList.toggle('is-old', isOld);
    setText(this.title, isOld ? say("Last run") : stateWord(run));
    setText(this.target, [run.method, targetName(run)].filter(Boolean).join(' · '));
    setText(this.command, run.command ?? '');
    this.updateProgress(run);
    this.updateMessage(run);
    this.panel.update(run);
  }

  updateProgress(run) {
    const goesOn = isGoingOn(run);
    show(this.progress, goesOn);
    show(this.now, goesOn);
    setText(this.now, nowLine(run) || stateWord(run));
    show(this.stuck, goesOn && run.stuck !== '');
    setText(this.stuck, run.stuck);
    // Before anything is measured, the bar tells how much of the test file is there.
    const { written, total } = run.now ?? {};
    const done = run.done > 0 || !(total > 0) ? run.done ?? 0 : written / total;
    const percent = Math.round(done * 100);
    setShare(this.bar, done);
    this.progress.setAttribute('aria-valuenow', String(percent));
    const left = run.seconds_left;
    setText(this.left, goesOn && left !== null && left !== undefined ? say("{a} left", clock(left)) : '');
    const writes = goesOn ? writesOf(run) : '';
    const moved = run.moved_bytes > 0 ? say("{a} moved", size(run.moved_bytes)) : '';
    setText(this.moved, [moved, writes && say("writes: {a}", writes)].filter(Boolean).join(' · '));
  }

  updateMessage(run) {
    // A command that was killed says nothing of it.
    const message = run.message || (run.state === 'failed' ? say("It ended without saying why; look in the terminal where sokudo page runs.") : '');
    const isLost = run.state !== 'failed' && !run.kept && !isGoingOn(run);
    show(this.message, (message !== '' || isLost) && !isGoingOn(run));
    setText(this.message, [message, isLost && say("This run is not kept.")].filter(Boolean).join(' '));
    this.message.className = run.state === 'failed' || isLost ? 'message message-bad' : 'message';
    if (this.kept === run.kept) return;
    this.kept = run.kept;
    fill(this.take, run.kept ? takeAway(run.kept, { withLink: true }) : null);
  }
}

/** Least time between two rows that are told; the state of a run is told at once. */
const TELL_ROWS_MS = 5000;

/** What a screen reader hears: rows and ends, not every figure, and not every row of a fast run. */
export class Announcer {
  constructor() {
    this.node = el('p', { class: 'hidden-visually', role: 'status', 'aria-live': 'polite' });
    this.last = '';
    this.state = '';
    this.toldAt = -TELL_ROWS_MS;
  }

  /** @param {?import('./view.js').Run} run */
  update(run) {
    if (!run) return;
    const name = rowTitle(run, run.now?.row);
    const found = run.findings?.length ?? 0;
    const state = [run.run, run.state, Boolean(run.stuck)].join('/');
    const key = [state, name, found].join('/');
    const isEarly = performance.now() - this.toldAt < TELL_ROWS_MS;
    if (key === this.last || (state === this.state && isEarly)) return;
    this.last = key;
    this.state = state;
    this.toldAt = performance.now();
    const parts = isGoingOn(run)
      ? [stateWord(run), run.stuck, name, run.done > 0 && say("{a} % done", Math.round(run.done * 100))]
      : [stateWord(run), run.answer?.text, run.message];
    if (found > 0) parts.push(say("findings: {a}", found));
    setText(this.node, parts.filter(Boolean).join('. '));
  }
}
