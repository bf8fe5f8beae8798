// What a person takes away from a kept run: report, pictures, text.

import { el, icon, setText } from './element.js';
import { getText, withQuery } from './http.js';
import { say } from './words.js';
import { theme } from './theme.js';

/** Picture kinds of a run; the first suits it best: its card, or what the command line draws. */
const pictureKinds = ({ pictures }) => [...(pictures ?? [])].sort((a, b) => (b === 'card') - (a === 'card'));

const kindWord = (kind) => ({
  card: say("card"),
  bars: say("bars"),
  time: say("rate over time"),
  cdf: say("latency percentiles"),
  histogram: say("latency histogram"),
  hosts: say("hosts over time"),
  'host-bars': say("hosts side by side"),
  curve: say("curve over position"),
  map: say("map"),
  access: say("access time over position"),
  seek: say("access time over distance"),
  heat: say("heat map"),
  load: say("latency against load"),
  rounds: say("rounds"),
})[kind] ?? kind;

/** The address of a picture of a run. */
export const pictureAddress = (run, kind, format) =>
  withQuery(`/api/runs/${run}/picture`, { kind, theme: theme(), as: format });

/** Copies a text; where the browser refuses (plain HTTP from afar) through a field. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = el('textarea', { class: 'hidden-visually', value: text });
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
}

/** A button that copies what `textOf` gives, and says that it did. */
export function copyButton(label, textOf, quiet) {
  const words = el('span', null, label);
  const button = el('button', { type: 'button', class: quiet ? 'quiet' : 'plain' }, icon('copy'), words);
  button.addEventListener('click', async () => {
    try {
      await copy(await textOf());
      setText(words, say("Copied"));
    } catch (refusal) {
      setText(words, refusal.message);
    }
    setTimeout(() => setText(words, label), 2500);
  });
  return button;
}

/** A command line with its button that copies it. */
export const commandLine = (command) => el('div', { class: 'command-line' },
  el('span', { class: 'command-label' }, say("Command")), command,
  copyButton(say("Copy"), () => command.textContent, true));

/** The choice of a picture of a run, by its number, and links that save it. */
export function pictureChoice(run, kept) {
  const kinds = el('select', { 'aria-label': say("Kind of picture") },
    pictureKinds(kept).map((kind) => el('option', { value: kind }, kindWord(kind))));
  const link = (format) => {
    const saved = el('a', { class: 'button plain', download: true }, format.toUpperCase());
    const follow = () => saved.setAttribute('href', pictureAddress(run, kinds.value, format));
    kinds.addEventListener('change', follow);
    document.addEventListener('themechange', follow);
    follow();
    return saved;
  };
  return { node: el('span', { class: 'take-picture' }, kinds, link('png'), link('svg')), kind: () => kinds.value };
}

/** What can be taken away from a kept run as a file or as text. */
export function takeAway(run, { withLink } = {}) {
  const file = (label, path) => el('a', { class: 'button plain', download: true, href: path }, label);
  return el('div', { class: 'take', role: 'group', 'aria-label': say("Export") },
    withLink && el('a', { class: 'button plain', href: `#run=${run}` }, say("Open as run {a}", run)),
    el('a', { class: 'button plain', download: true, href: `/api/report?runs=${run}` }, icon('save'), say("Report (HTML)")),
    copyButton(say("Copy as CrystalDiskMark"), () => getText(`/api/runs/${run}/as/crystal`)),
    file('Markdown', `/api/runs/${run}/as/markdown`),
    file('JSON', `/api/runs/${run}/as/json`),
    file('CSV', `/api/runs/${run}/as/csv`));
}
