// Names of a run's rows, and of what is measured.

import { direction } from './words.js';

/** The name of a row; some methods name their rows only when they come to them. */
export const rowName = (run, row) => run.planned?.rows?.[row]?.name ?? run.names?.[row] ?? '';

/** The name of a row with what it does. */
export function rowTitle(run, row) {
  return [rowName(run, row), direction(run.planned?.rows?.[row]?.direction)].filter(Boolean).join(' ');
}

/** What is measured, as it was named. */
export const targetName = (run) => run.target?.name ?? run.wish?.target ?? '';
