// Light, dark, or as the screen is set; the choice stays in this browser.

import { el } from './element.js';
import { say } from './words.js';

const KEY = 'sokudo.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

function chosen() {
  try {
    return localStorage.getItem(KEY) ?? 'auto';
  } catch {
    return 'auto';
  }
}

function keep(choice) {
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

let choice = chosen();

/** The theme that is shown, `light` or `dark`. */
export const theme = () => (choice === 'auto' ? (dark.matches ? 'dark' : 'light') : choice);

function applyTheme() {
  document.documentElement.dataset.theme = theme();
  document.dispatchEvent(new CustomEvent('themechange'));
}

/** Applies the theme and follows the screen. */
export function startTheme() {
  applyTheme();
  dark.addEventListener('change', applyTheme);
}

/** The choice of a theme. */
export function themeChoice() {
  const option = (value, label) => el('option', { value }, label);
  const select = el('select', { 'aria-label': say("Colours") },
    option('auto', say("Automatic")), option('light', say("Light")), option('dark', say("Dark")));
  select.value = choice;
  select.addEventListener('change', () => {
    choice = select.value;
    keep(choice);
    applyTheme();
  });
  return select;
}
