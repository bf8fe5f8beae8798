// Words and figures in the language of the page. The English text is the key; what the server
// has no translation of stays English.

const translations = readTranslations();

function readTranslations() {
  const holder = document.getElementById('words');
  if (!holder) return {};
  try {
    return JSON.parse(holder.textContent);
  } catch {
    return {};
  }
}

/**
 * A text in the page's language, with its holes `{a}`, `{b}` filled in this order.
 * @param {string} key the English text
 * @param {...(string|number)} values
 * @returns {string}
 */
export function say(key, ...values) {
  const text = translations[key] ?? key;
  return text.replace(/\{([a-h])\}/g, (hole, letter) => String(values[letter.charCodeAt(0) - 97] ?? hole));
}

/** A rate as the tables write it: no decimals from 1,000, one from 100, two below. */
export function rate(value) {
  if (value === null || value === undefined) return '—';
  return grouped(value, value >= 999.95 ? 0 : value >= 99.995 ? 1 : 2);
}

function grouped(value, decimals) {
  const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return value.toLocaleString('en', options);
}

/** A whole number with its thousands apart. */
export const count = (value) => grouped(value, 0);

/** Three digits that matter. */
export const three = (value) => (value >= 1000 ? value.toFixed(0) : value.toPrecision(3));

/** A time from nanoseconds, in the unit that suits it. */
export function latency(nanos) {
  if (nanos < 1e3) return `${nanos.toFixed(0)} ns`;
  if (nanos < 1e6) return `${three(nanos / 1e3)} µs`;
  if (nanos < 1e9) return `${three(nanos / 1e6)} ms`;
  return `${three(nanos / 1e9)} s`;
}

/** A size as drives are sold, in powers of 1000. */
export function size(bytes) {
  const units = [[1e15, 'PB'], [1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB']];
  const found = units.find(([scale]) => bytes >= scale * 0.9995);
  if (!found) return `${bytes} B`;
  const value = bytes / found[0];
  return `${value.toFixed(value < 9.95 ? 1 : 0)} ${found[1]}`;
}

/** A duration as a clock shows it: 1:05, 1:01:05. */
export function clock(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const pad = (part) => String(part).padStart(2, '0');
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`;
}

/** A moment of RFC 3339 in the reader's own time. */
export function moment(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  const pad = (part) => String(part).padStart(2, '0');
  const day = [date.getFullYear(), pad(date.getMonth() + 1), pad(date.getDate())].join('-');
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** What was done to the disk. */
export function direction(name) {
  const names = {
    read: say("read"),
    write: say("write"),
    mix: say("mixed"),
    trim: say("trim"),
  };
  return names[name] ?? name ?? '';
}
