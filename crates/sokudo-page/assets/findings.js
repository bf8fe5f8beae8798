// Findings: what casts doubt on a figure, why, and what to do about it.

import { el, icon } from './element.js';
import { say } from './words.js';

/** The worst first. */
const SEVERITIES = ['error', 'warning', 'info', 'note'];

const severityWord = (severity) => ({
  error: say("Wrong"),
  warning: say("Doubtful"),
  info: say("Good to know"),
  note: say("Good to know"),
})[severity] ?? severity;

/**
 * A list of findings, the worst first; `null` for none.
 * @param {import('./view.js').Finding[]} findings
 */
export function findingsOf(findings) {
  if (findings.length === 0) return null;
  const rank = (finding) => SEVERITIES.indexOf(finding.severity);
  const sorted = [...findings].sort((a, b) => rank(a) - rank(b));
  return el('section', { class: 'findings' }, el('h3', null, say("Findings")),
    el('ul', null, sorted.map(finding)));
}

function finding({ severity, symptom, cause, remedy, rows }) {
  return el('li', { class: `finding severity-${severity}` },
    el('p', { class: 'finding-head' }, icon(severity === 'info' || severity === 'note' ? 'eye' : 'warning'),
      el('span', { class: 'severity' }, severityWord(severity)), el('strong', null, symptom)),
    cause && el('p', null, el('span', { class: 'of' }, say("Why")), cause),
    remedy && el('p', null, el('span', { class: 'of' }, say("What to do")), remedy),
    rows?.length > 0 && el('p', { class: 'finding-rows' }, el('span', { class: 'of' }, say("Rows")), [rows].flat().join(', ')));
}
