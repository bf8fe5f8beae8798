// The view: what the server knows, copied by the same operations that it applies to its own.
// The server owns the truth; nothing here is computed, and a reload gives the same.

/**
 * @typedef {{name: string, direction: string}} PlannedRow
 * @typedef {{method: string, command: string, rows: PlannedRow[], trials: number, adaptive: boolean,
 *   seconds: number, writes_seconds: number, writes_bytes?: ?number, asks?: boolean}} Planned
 * @typedef {{text: string, tone?: string, share?: number}} Cell
 * @typedef {{title: string, note: string, columns: {group: string, title: string, align: string}[],
 *   rows: Cell[][]}} Table
 * @typedef {{severity: 'error'|'warning'|'note', label: string, symptom: string, cause: string,
 *   remedy: string, rows: string}} Finding
 * @typedef {{run: number, command: string, wish: Object, method: string, target: string, state: string,
 *   message: ?string, planned: ?Planned, notes: string[], now: ?Object, stuck: string, done: number,
 *   seconds_left: ?number, moved_bytes: number, rate: Array, heat: Array, places: Array,
 *   temperature: Array, tables: Table[], legend: string[], findings: Finding[], answer: ?Object, hosts: number, pictures: ?string[], kept: ?number}} Run
 * @typedef {{version: string, lang: string, as_root: boolean, allow_destroy: string[],
 *   queue: {run: number, wish: Object, command: string}[], run: ?Run}} View
 */

/** Longest wait before another attempt to connect, in milliseconds. */
const BACKOFF_MS_MAX = 15_000;

/** @type {View} */
let view = { version: '', lang: 'en', as_root: false, allow_destroy: [], queue: [], run: null };

const watchers = new Set();
const connectionWatchers = new Set();

/** The view as it is now. */
export const current = () => view;

/** Calls `watch(view)` after each batch that arrives, at most once per frame. */
export function watch(watcher) {
  watchers.add(watcher);
  watcher(view);
}

/** Calls `watcher(state)` with `connecting`, `connected`, `lost` or `refused`. */
export function watchConnection(watcher) {
  connectionWatchers.add(watcher);
}

/** Applies operations to a value: `set` replaces what is at a path, `push` appends to it. */
export function apply(root, operations) {
  let result = root;
  for (const [name, path, value] of operations) {
    if (path.length === 0) {
      result = value;
      continue;
    }
    const holder = path.slice(0, -1).reduce((at, step) => at?.[step], result);
    const last = path[path.length - 1];
    if (holder === null || holder === undefined) continue;
    if (name === 'set') holder[last] = value;
    else if (name === 'push') (holder[last] ??= []).push(value);
  }
  return result;
}

let isPending = false;

function changed() {
  if (isPending) return;
  isPending = true;
  // A hidden tab gets no frames; a timer keeps its title and its state up to date.
  const later = document.hidden ? (run) => setTimeout(run, 500) : requestAnimationFrame;
  later(() => {
    isPending = false;
    for (const watcher of watchers) watcher(view);
  });
}

const tellConnection = (state) => connectionWatchers.forEach((watcher) => watcher(state));

/** Follows the server's events; the browser reconnects by itself while it can. */
export function follow() {
  let failures = 0;
  const open = () => {
    const source = new EventSource('/api/events');
    source.onopen = () => {
      failures = 0;
      tellConnection('connected');
    };
    source.onmessage = (message) => {
      view = apply(view, JSON.parse(message.data).ops);
      changed();
    };
    source.onerror = () => {
      tellConnection('lost');
      if (source.readyState !== EventSource.CLOSED) return;
      failures += 1;
      setTimeout(reopen, Math.min(BACKOFF_MS_MAX, 500 * 2 ** failures));
    };
  };
  const reopen = async () => {
    // A server that began anew does not know our cookie, and no waiting helps.
    const session = await fetch('/api/session', { cache: 'no-store' }).catch(() => null);
    if (session && (session.status === 401 || session.status === 403)) tellConnection('refused');
    else open();
  };
  tellConnection('connecting');
  open();
}
