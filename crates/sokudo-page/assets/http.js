// Requests to the server that served the page, and to no other.

import { say } from './words.js';

/** A request that was refused; the message is a whole sentence. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Without this header no other page's form can reach us. */
const OURS = { 'X-Sokudo': '1' };

async function ask(path, options) {
  const response = await fetch(path, { credentials: 'same-origin', cache: 'no-store', ...options }).catch((error) => {
    if (error.name === 'AbortError') throw error;
    throw new Refusal(0, say("sokudo does not answer; check whether sokudo page is still running"));
  });
  if (response.ok) return response;
  let message = `${response.status} ${response.statusText}`;
  try {
    message = (await response.json()).error ?? message;
  } catch {
    // What answered was not our server: its status line is all there is.
  }
  throw new Refusal(response.status, message);
}

/** JSON of a path. */
export const get = async (path) => (await ask(path)).json();

/** Text of a path. */
export const getText = async (path) => (await ask(path)).text();

/** Posts a wish, and gives what the server answers, `null` for nothing. */
export async function post(path, body, signal) {
  const headers = { 'Content-Type': 'application/json', ...OURS };
  const response = await ask(path, { method: 'POST', headers, body: JSON.stringify(body ?? {}), signal });
  const text = await response.text();
  return text === '' ? null : JSON.parse(text);
}

/** Sends a file as it is, and gives what the server answers. */
export const upload = async (path, body) => (await ask(path, { method: 'POST', headers: OURS, body })).json();

/** A path with its query; empty values are left out. */
export function withQuery(path, values) {
  const kept = Object.entries(values).filter(([, value]) => value !== '' && value !== undefined && value !== null);
  const query = new URLSearchParams(kept).toString();
  return query === '' ? path : `${path}?${query}`;
}
