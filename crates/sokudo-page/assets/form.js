// The form of a method, made of the table of options that the server has.

import { el } from './element.js';
import { say } from './words.js';

/**
 * @typedef {{name: string, kind: 'text'|'number'|'size'|'time'|'flag'|'choice'|'repeated',
 *   default: ?string, label: string, choices?: string[]}} Option
 * @typedef {{name: string, label: string, target: string, options: Option[]}} Method
 */

/** Options that are shown at once; the others wait behind “More settings”. */
const SHOWN_AT_ONCE = 4;

/** Sizes and times that are offered; any other can be typed. */
const OFFERED = {
  size: ['64MiB', '256MiB', '1GiB', '4GiB', '8GiB', '16GiB', '32GiB', '64GiB'],
  time: ['1s', '5s', '10s', '30s', '60s', '5min'],
};

/** A form; `values()` has what differs from the defaults. */
export class Form {
  /**
   * @param {string} name of the method
   * @param {Method} method
   * @param {Object} kept values of an earlier visit
   * @param {() => void} changed
   */
  constructor(name, method, kept, changed) {
    // Lists that are typed need room and are for few: they come last.
    const isList = (option) => option.kind === 'repeated' && !option.choices;
    const options = [...method.options].sort((a, b) => isList(a) - isList(b));
    this.fields = options.map((option) => field(option, kept[option.name], `${name}-${option.name}`));
    const first = this.fields.slice(0, SHOWN_AT_ONCE);
    const rest = this.fields.slice(SHOWN_AT_ONCE);
    const isOpen = rest.some(({ value }) => value() !== undefined);
    this.node = el('form', { class: 'options', onsubmit: (event) => event.preventDefault(), oninput: changed, onchange: changed },
      grid(first),
      rest.length > 0 && el('details', { open: isOpen }, el('summary', null, say("More settings")), grid(rest)));
  }

  /** What a wish carries: options that are set, and no others. */
  values() {
    const set = this.fields.map(({ name, value }) => [name, value()]);
    return Object.fromEntries(set.filter(([, value]) => value !== undefined));
  }
}

/** Fields in columns, what is ticked in a line of its own, lists over the whole width. */
function grid(fields) {
  const nodes = (kinds) => fields.filter(({ kind }) => kinds.includes(kind)).map(({ node }) => node);
  const ticked = nodes(['flag']);
  return el('div', { class: 'options-grid' }, nodes(['line', 'choice']),
    ticked.length > 0 && el('div', { class: 'option-wide options-flags' }, ticked), nodes(['list']));
}

function field(option, kept, id) {
  if (option.kind === 'flag') return flag(option, kept, id);
  if (option.kind === 'choice') return choice(option, kept, id);
  if (option.kind === 'repeated') return repeated(option, kept, id);
  return line(option, kept, id);
}

const labelled = (option, id, input) =>
  el('div', { class: 'option' }, el('label', { for: id }, option.label), input);

function flag(option, kept, id) {
  const input = el('input', { type: 'checkbox', id, checked: kept === true });
  const node = el('div', { class: 'option option-flag' }, input, el('label', { for: id }, option.label));
  return { kind: 'flag', name: option.name, node, value: () => (input.checked ? true : undefined) };
}

function choice(option, kept, id) {
  const empty = option.default === '' && el('option', { value: '' }, '–');
  const input = el('select', { id }, [empty].filter(Boolean), (option.choices ?? []).map((value) => el('option', { value }, value)));
  input.value = kept ?? option.default ?? '';
  const value = () => (input.value === '' || input.value === option.default ? undefined : input.value);
  return { kind: 'choice', name: option.name, node: labelled(option, id, input), value };
}

function line(option, kept, id) {
  const isNumber = option.kind === 'number';
  const offered = OFFERED[option.kind];
  const list = offered && el('datalist', { id: `${id}-list` }, offered.map((value) => el('option', { value })));
  const input = el('input', { id, type: 'text', inputmode: isNumber ? 'numeric' : null, spellcheck: 'false',
    autocomplete: 'off', placeholder: option.default ?? '', list: list ? `${id}-list` : null, value: kept ?? '' });
  // What a disk is for is a word of the command line itself, and must be there.
  const unsaid = option.name === 'what' ? option.default : undefined;
  const value = () => input.value.trim() || unsaid;
  return { kind: 'line', name: option.name, node: labelled(option, id, [input, list].filter(Boolean)), value };
}

function repeated(option, kept, id) {
  if (option.choices?.length > 0) return several(option, kept, id);
  const input = el('textarea', { id, rows: '3', spellcheck: 'false', placeholder: option.default ?? '',
    value: (kept ?? []).join('\n') });
  const value = () => {
    const lines = input.value.split('\n').map((text) => text.trim()).filter(Boolean);
    return lines.length > 0 ? lines : undefined;
  };
  const node = el('div', { class: 'option option-wide' }, el('label', { for: id }, option.label), input,
    el('small', null, say("one per line")));
  return { kind: 'list', name: option.name, node, value };
}

/** A box for each of a few choices. */
function several(option, kept, id) {
  const boxes = option.choices.map((value, index) =>
    el('input', { type: 'checkbox', id: `${id}-${index}`, checked: (kept ?? []).includes(value) }));
  const node = el('fieldset', { class: 'option option-wide option-several' }, el('legend', null, option.label),
    option.choices.map((value, index) => el('span', null, boxes[index], el('label', { for: `${id}-${index}` }, value))));
  const value = () => {
    const chosen = option.choices.filter((name, index) => boxes[index].checked);
    return chosen.length > 0 ? chosen : undefined;
  };
  return { kind: 'list', name: option.name, node, value };
}
