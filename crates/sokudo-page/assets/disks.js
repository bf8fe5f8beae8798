// Disks, a line each, and directories: choosing one is choosing the target.

import { el, fill, icon, show } from './element.js';
import { get, withQuery } from './http.js';
import { judged } from './table.js';
import { say, size } from './words.js';

/**
 * @typedef {{target: string, kind: 'directory'|'device'|'simulated', disk: ?Object}} Target
 */

/** Where everybody may write, on a disk. */
const ALWAYS_WRITABLE = '/var/tmp';

/** They stand behind the disks that one can hold. */
const MADE_OF_OTHERS = ['loop', 'memory'];

const SIMULATED = ['sim:ssd', 'sim:hdd', 'sim:smr'];

const healthWord = (state) => ({
  good: ['good', say("healthy")],
  warning: ['doubtful', say("wearing out")],
  failing: ['bad', say("failing")],
})[state] ?? ['none', say("unknown")];

/** What is mounted of a disk, wherever it stands: partition, RAID or volume. */
export function mountsOf(contents) {
  return (contents ?? []).flatMap((part) => [
    ...(part.mounted_on ?? []).map((path) => ({ path, what: part.what, free: part.free_bytes })),
    ...mountsOf(part.contents),
  ]);
}

/** What would be lost with a disk, in words. */
export function lossesOf(contents) {
  return (contents ?? []).flatMap((part) => {
    const where = (part.mounted_on ?? []).map((path) => say("mounted on {a}", path)).join(', ');
    const name = [part.device, part.what, part.label && `“${part.label}”`, where].filter(Boolean).join(' ');
    return [name, ...lossesOf(part.contents)];
  });
}

/** Where there is most room: a place to begin where the server names none. */
function roomiest(disks) {
  const mounts = disks.flatMap((disk) => mountsOf(disk.contents)).filter(({ path }) => !path.startsWith('/boot'));
  return mounts.sort((a, b) => (b.free ?? 0) - (a.free ?? 0))[0]?.path ?? null;
}

/** The chooser of targets. */
export class Disks {
  /** @param {(target: Target) => void} choose called when a target is chosen */
  constructor(choose, isReadOnly) {
    this.isReadOnly = isReadOnly;
    this.choose = choose;
    this.target = null;
    this.cards = el('div', { class: 'disks' });
    this.others = el('div');
    this.path = el('input', { type: 'text', id: 'path', spellcheck: 'false', autocomplete: 'off', placeholder: '/mnt/disk' });
    this.folders = el('div', { class: 'folders', id: 'folders', role: 'group', 'aria-label': say("Browse"), hidden: true,
      onkeydown: (event) => event.key === 'Escape' && this.closeFolders() });
    this.browseButton = el('button', { type: 'button', class: 'plain', 'aria-expanded': 'false', 'aria-controls': 'folders',
      onclick: () => this.toggleFolders() }, icon('folder'), say("Browse"));
    this.error = el('p', { class: 'message message-bad', role: 'alert', hidden: true });
    this.node = el('section', { class: 'card chooser', 'aria-labelledby': 'disks-title' },
      el('h2', { id: 'disks-title' }, isReadOnly ? say("Disks") : say("What to measure")), !isReadOnly && this.directory(), this.cards, this.others, !isReadOnly && this.simulated(), this.error);
  }

  directory() {
    const form = el('form', { class: 'path-form', onsubmit: (event) => this.typed(event) },
      el('label', { for: 'path' }, say("Directory, file or device")),
      el('div', { class: 'path-line' }, this.path,
        el('button', { type: 'submit', class: 'plain' }, say("Use")),
        this.browseButton));
    return el('div', null, form, this.folders);
  }

  simulated() {
    return el('details', { class: 'simulated' }, el('summary', null, say("Try it on a simulated disk")),
      el('div', { class: 'choices' }, SIMULATED.map((name) => this.choice(name, name, 'simulated', 'simulated', null))));
  }

  /** Loads disks and the directory to begin with. */
  async load() {
    const [disks, start] = await Promise.allSettled([get('/api/disks'), this.isReadOnly ? null : get('/api/folders')]);
    if (disks.status !== 'fulfilled') this.complain(disks.reason.message);
    this.disks = disks.value?.disks ?? [];
    const isOwn = (disk) => !MADE_OF_OTHERS.includes(disk.kind) && !disk.read_only;
    const others = this.disks.filter((disk) => !isOwn(disk));
    fill(this.cards, this.disks.filter(isOwn).map((disk) => this.card(disk)));
    fill(this.others, others.length > 0 && el('details', null, el('summary', null, say("{a} more", others.length)),
      el('div', { class: 'disks' }, others.map((disk) => this.card(disk)))));
    // Who has begun to type meanwhile goes on.
    if (!this.target && !this.isReadOnly && !this.path.value) this.restore(start.value);
    this.mark();
  }

  /** The target of this tab's last visit, else the directory that the server names. */
  restore(start) {
    let kept = null;
    try {
      kept = sessionStorage.getItem('sokudo.target');
    } catch {
      // Without storage the visit begins anew.
    }
    // Who may not write at home, as nobody, may do so here on every system.
    const writable = start?.writable === false ? ALWAYS_WRITABLE : start?.path;
    const target = kept ?? writable ?? roomiest(this.disks);
    if (!target) return;
    this.use(target, { isOffered: true });
    // Who is about to type writes over what is offered.
    if (document.activeElement === this.path) this.path.select();
  }

  card(disk) {
    const [tone, health] = healthWord(disk.health?.state);
    const name = [disk.vendor, disk.model].filter(Boolean).join(' ') || disk.kind?.replaceAll('_', ' ') || disk.name;
    const fact = (label, value) => value && el('div', null, el('dt', null, label), el('dd', null, value));
    const degrees = disk.health?.temperature_celsius;
    const warmth = degrees === null || degrees === undefined ? null : `${degrees} °C`;
    const facts = [disk.size_bytes && size(disk.size_bytes), warmth].filter(Boolean).join(' · ');
    return el('details', { class: 'disk', 'data-path': disk.path, 'data-mounts': JSON.stringify(mountsOf(disk.contents).map(({ path }) => path)) },
      el('summary', null, icon('disk'), el('strong', null, name), el('span', { class: 'disk-facts' }, facts), tone !== 'none' && judged(health, tone)),
      el('dl', null,
        fact(say("Serial"), disk.serial),
        fact(say("Link"), disk.link?.negotiated ?? disk.bus),
        fact(say("Health"), health)),
      (disk.health?.reasons ?? []).map((reason) => el('p', { class: 'disk-reason' }, reason)),
      !this.isReadOnly && el('div', { class: 'choices' },
        mountsOf(disk.contents).map((mount) => this.choice(mount.path,
          mount.free ? say("{a} free", size(mount.free)) : mount.what, 'folder', 'directory', disk)),
        this.choice(disk.path, say("whole disk"), 'eye', 'device', disk)));
  }

  choice(target, detail, sign, kind, disk) {
    return el('button', { type: 'button', class: 'choice', 'data-target': target, 'aria-pressed': 'false',
      onclick: () => this.use(target, { kind, disk }) },
    icon(sign), el('span', { class: 'choice-text' }, el('span', null, target),
      detail !== target && el('span', { class: 'choice-detail' }, detail)));
  }

  typed(event) {
    event.preventDefault();
    const target = this.path.value.trim();
    if (target) this.use(target);
  }

  /** Makes something the target. */
  use(target, { kind, disk, isOffered } = {}) {
    const found = (this.disks ?? []).find((known) => known.path === target || known.links?.includes(target));
    const guessed = target.startsWith('sim:') || target.startsWith('null:') ? 'simulated'
      : target.startsWith('/dev/') ? 'device' : 'directory';
    this.target = { target, kind: kind ?? guessed, disk: disk ?? found ?? null };
    this.path.value = target;
    try {
      sessionStorage.setItem('sokudo.target', target);
    } catch {
      // It is remembered as long as the page is open.
    }
    this.mark();
    this.choose(this.target, !isOffered);
  }

  mark() {
    for (const button of this.node.querySelectorAll('[data-target]')) {
      button.setAttribute('aria-pressed', String(button.dataset.target === this.target?.target));
    }
    const chosen = this.cardOf(this.target);
    for (const card of this.node.querySelectorAll('.disk')) {
      card.classList.toggle('is-chosen', card === chosen);
      if (card === chosen) card.open = true;
    }
  }

  /** The disk that a target is, or lies on: that of the longest mount it is below. */
  cardOf(target) {
    const within = (path) => target?.target === path || target?.target.startsWith(path === '/' ? path : `${path}/`);
    const depth = (card) => Math.max(0, ...[card.dataset.path, ...JSON.parse(card.dataset.mounts)].filter(within).map((path) => path.length));
    const [card] = [...this.node.querySelectorAll('.disk')].sort((a, b) => depth(b) - depth(a));
    return card && depth(card) > 0 ? card : null;
  }

  async toggleFolders() {
    if (!this.folders.hidden) this.closeFolders();
    else await this.browse(this.target?.kind === 'directory' ? this.target.target : '');
  }

  closeFolders() {
    show(this.folders, false);
    this.browseButton.setAttribute('aria-expanded', 'false');
    this.browseButton.focus();
  }

  async browse(path) {
    try {
      const found = await get(withQuery('/api/folders', { path }));
      show(this.error, false);
      show(this.folders, true);
      this.browseButton.setAttribute('aria-expanded', 'true');
      const enter = (to, label) => el('li', null, el('button', { type: 'button', class: 'folder', onclick: () => this.browse(to) },
        icon('folder'), label));
      fill(this.folders,
        el('p', { class: 'folders-path' }, el('code', null, found.path)),
        el('ul', null, found.parent && enter(found.parent, say("One level up")),
          (found.folders ?? []).map((folder) => enter(folder.path, folder.name))),
        el('button', { type: 'button', onclick: () => { this.use(found.path, { kind: 'directory' }); this.closeFolders(); } },
          say("Measure here")),
        found.is_cut && el('p', null, say("There are more; type the path.")),
        found.writable === false && el('p', { class: 'message' }, say("You may not write in this directory.")));
      this.folders.querySelector('button')?.focus();
    } catch (refusal) {
      this.complain(refusal.message);
    }
  }

  complain(text) {
    fill(this.error, text);
    show(this.error, true);
  }
}
