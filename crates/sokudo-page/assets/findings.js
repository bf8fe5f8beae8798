// Findings: what casts doubt on a figure, why, and what to do about it.

import { el, icon } from './element.js';
import { say } from './words.js';

/** More than these are folded. */
const OPEN_MAX = 2;

/** The worst first. */
const SEVERITIES = ['error', 'warning', 'note'];

/**
 * A list of findings, the worst first; `null` for none.
 * @param {import('./view.js').Finding[]} findings
 * @param {string} heading its element
 * @param {(options: string[]) => Element[]} buttons of what a remedy names
 */
export function findingsOf(findings, heading, buttons) {
  if (findings.length === 0) return null;
  const rank = (finding) => SEVERITIES.indexOf(finding.severity);
  const sorted = [...findings].sort((a, b) => rank(a) - rank(b));
  return el('section', { class: 'findings' }, el(heading, { class: 'part' }, say("Findings")),
    el('ul', null, sorted.slice(0, OPEN_MAX).map((it) => finding(it, buttons))),
    sorted.length > OPEN_MAX && el('details', null, el('summary', null, say("{a} more", sorted.length - OPEN_MAX)),
      el('ul', null, sorted.slice(OPEN_MAX).map((it) => finding(it, buttons)))));
}

function finding({ severity, label, symptom, cause, remedy, options, rows }, buttons) {
  const acts = buttons(options ?? []);
  return el('li', { class: `finding severity-${severity}` },
    el('p', { class: 'finding-head' }, icon(severity === 'note' ? 'eye' : 'warning'),
      el('span', { class: 'severity' }, label), el('strong', null, symptom)),
    cause && el('p', null, el('span', { class: 'of' }, say("Why")), cause),
    remedy && el('p', null, el('span', { class: 'of' }, say("What to do")), remedy),
    acts.length > 0 && el('div', { class: 'finding-acts' }, acts),
    rows && el('p', { class: 'finding-rows' }, el('span', { class: 'of' }, say("Rows")), rows));
}
