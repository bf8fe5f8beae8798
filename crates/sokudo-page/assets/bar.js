// The bar that stays in sight: what is measured, how long it takes, what it writes, and the stop.

import { el, icon, setText, show } from './element.js';
import { post } from './http.js';
import { nowLine, stateWord, writesOf } from './live.js';
import { isGoingOn, targetName } from './rows.js';
import { clock, say } from './words.js';

/** Shown while a run goes on and the large button is out of sight. */
export class RunBar {
  /** @param {{isReadOnly: boolean, complain: (text: string) => void, button: Element}} of */
  constructor({ isReadOnly, complain, button }) {
    this.complain = complain;
    this.state = el('strong');
    this.left = el('span', { class: 'bar-left' });
    this.writes = el('span');
    this.command = el('code', { class: 'command', tabindex: '0' });
    this.stop = el('button', { type: 'button', class: 'bar-stop', onclick: () => this.press() }, icon('stop'), say("Stop"));
    show(this.stop, !isReadOnly);
    this.node = el('div', { class: 'run-bar', role: 'group', 'aria-label': say("The run in progress"), hidden: true },
      el('a', { href: '#', class: 'run-bar-now' }, this.state), this.left, this.writes, this.command, this.stop);
    this.isButtonSeen = true;
    new IntersectionObserver(([seen]) => {
      this.isButtonSeen = seen.isIntersecting;
      this.showWhereNeeded();
    }, { rootMargin: '-56px 0px 0px' }).observe(button);
  }

  /** @param {import('./view.js').View} view */
  update({ run }) {
    this.run = run;
    this.showWhereNeeded();
    if (this.node.hidden) return;
    setText(this.state, [run.stuck || nowLine(run) || stateWord(run), targetName(run)].join(' · '));
    const left = run.seconds_left;
    setText(this.left, left === null || left === undefined ? '' : say("{a} left", clock(left)));
    setText(this.writes, say("writes: {a}", writesOf(run) || '–'));
    setText(this.command, run.command ?? '');
    this.stop.disabled = run.state === 'stopping';
  }

  showWhereNeeded() {
    const wasHidden = this.node.hidden;
    show(this.node, isGoingOn(this.run) && !this.isButtonSeen);
    if (wasHidden && !this.node.hidden) this.update({ run: this.run });
  }

  async press() {
    try {
      await post('/api/stop', { run: this.run.run });
    } catch (refusal) {
      this.complain(refusal.message);
    }
  }
}
