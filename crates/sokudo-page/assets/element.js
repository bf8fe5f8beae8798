// Builds the page's elements. Data becomes text nodes and attributes, never markup: a model that
// is called `<script>` is shown as such.

/**
 * An element with its properties and children; `null`, `undefined` and `false` are left out.
 * @param {string} tag
 * @param {Object<string, any>} [properties] `on…` adds a listener, all else is an attribute
 * @param {...any} children
 * @returns {any}
 */
export function el(tag, properties, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) setProperty(node, name, value);
  node.append(...shown(children));
  return node;
}

function setProperty(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
  else if (name === 'value' || name === 'checked') node[name] = value;
  else node.setAttribute(name, value === true ? '' : value);
}

const shown = (children) =>
  children.flat(3).filter((child) => child !== null && child !== undefined && child !== false);

/** Replaces all that is in an element. */
export function fill(node, ...children) {
  node.replaceChildren(...shown(children));
}

/** Sets a text, and leaves the document alone where it is the same: readers would hear it again. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Shows or hides an element. */
export function show(node, visible) {
  if (node.hidden === visible) node.hidden = !visible;
}

/** A length as a part of its box; style attributes are forbidden to us, the property is not. */
export function setShare(node, share) {
  const width = `${(Math.min(Math.max(share, 0), 1) * 100).toFixed(1)}%`;
  if (node.style.width !== width) node.style.width = width;
}

const NAMESPACE = 'http://www.w3.org/2000/svg';

/** Paths of the icons, in a box of 24; they are decoration, beside words. */
const ICONS = {
  disk: 'M4 5h16v14H4zM4 14h16M8 17h.01M11 17h.01',
  folder: 'M3 6h6l2 2h10v11H3z',
  start: 'M8 5l12 7-12 7z',
  stop: 'M6 6h12v12H6z',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  up: 'M12 19V5M6 11l6-6 6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  drop: 'M6 6l12 12M18 6L6 18',
  save: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  eye: 'M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 12m-3 0a3 3 0 1 0 6 0 3 3 0 1 0-6 0',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  simulated: 'M4 17l5-6 4 4 7-9',
};

/** An icon. */
export function icon(name) {
  const picture = document.createElementNS(NAMESPACE, 'svg');
  picture.setAttribute('viewBox', '0 0 24 24');
  picture.setAttribute('class', `icon icon-${name}`);
  picture.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(NAMESPACE, 'path');
  path.setAttribute('d', ICONS[name] ?? '');
  picture.append(path);
  return picture;
}
