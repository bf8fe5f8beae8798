// Runs that wait for the one that goes on.

import { el, fill, icon, show } from './element.js';
import { post } from './http.js';
import { say } from './words.js';

/** The queue; it can be reordered and emptied by keyboard. */
export class Queue {
  constructor(isReadOnly, complain) {
    this.isReadOnly = isReadOnly;
    this.complain = complain;
    this.list = el('ol', { class: 'queue' });
    this.node = el('section', { class: 'card', 'aria-labelledby': 'queue-title', hidden: true },
      el('h2', { id: 'queue-title', tabindex: '-1' }, say("Queue")), this.list);
    this.seen = '';
  }

  /** @param {import('./view.js').View} view */
  update(view) {
    const key = JSON.stringify(view.queue);
    if (key === this.seen) return;
    this.seen = key;
    const focused = document.activeElement?.dataset?.queue;
    show(this.node, view.queue.length > 0);
    fill(this.list, view.queue.map((entry, index) => this.line(entry, index, view.queue.length)));
    if (focused) this.list.querySelector(`[data-queue="${focused}"]:not(:disabled)`)?.focus();
  }

  line({ run, wish, command }, index, length) {
    const button = (action, name, label, disabled) => el('button', {
      type: 'button', class: 'quiet icon-only', 'aria-label': label, title: label, disabled,
      'data-queue': `${action}-${run}`, onclick: () => this.act(action, run, index),
    }, icon(name));
    const title = `${wish.method} · ${wish.target ?? ''}`;
    return el('li', null,
      el('div', null, el('strong', null, title), el('code', null, command)),
      !this.isReadOnly && el('div', { class: 'queue-buttons' },
        button('up', 'up', say("Move {a} up", title), index === 0),
        button('down', 'down', say("Move {a} down", title), index === length - 1),
        button('drop', 'drop', say("Remove {a} from the queue", title), false)));
  }

  async act(action, run, index) {
    try {
      if (action === 'drop') await post('/api/drop', { run });
      else await post('/api/move', { run, to: index + (action === 'up' ? -1 : 1) });
    } catch (refusal) {
      this.complain(refusal.message);
    }
  }
}
