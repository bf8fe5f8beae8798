// Names of a run's rows, and of what is measured.

import { direction } from './words.js';

/** Seconds between the marks of an axis of time, as a clock divides them. */
export const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400];

/** Whether a run still measures. */
export const isGoingOn = (run) => ['preparing', 'running', 'stopping'].includes(run?.state);

/** The name of a row; some methods name their rows only when they come to them. */
export const rowName = (run, row) => run.planned?.rows?.[row]?.name ?? run.names?.[row] ?? '';

/** The name of a row with what it does. */
export function rowTitle(run, row) {
  return [rowName(run, row), direction(run.planned?.rows?.[row]?.direction)].filter(Boolean).join(' ');
}

/** All rows as trends and comparisons call them, in English. */
export const rowTitles = (run) => (run.planned?.rows ?? []).map((row) => `${row.name} ${row.direction}`);

/** What is measured, as it was named. */
export const targetName = (run) => run.target || run.wish?.target || '';

/** How large what is measured is; as far as it was seen where nobody says. */
export function sizeOf(run) {
  const told = run.planned?.target?.size ?? run.planned?.size_bytes;
  if (told) return told;
  return Math.max(0, ...(run.places ?? []).flatMap((part) => part.points.map(([offset]) => offset)));
}
