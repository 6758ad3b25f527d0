// Elements without a framework: h() builds HTML, s() builds SVG, keyed() keeps a list of rows in step with data without
// touching those that stay (focus and half-typed text survive an update), Scope ends what a view has started.

const kSvg = "http://www.w3.org/2000/svg";

function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

function setAll(node, props) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  return node;
}

export function h(tag, props, ...children) {
  return append(setAll(document.createElement(tag), props), children);
}

export function s(tag, props, ...children) {
  return append(setAll(document.createElementNS(kSvg, tag), props), children);
}

export function fill(node, ...children) {
  node.replaceChildren();
  return append(node, children);
}

/// Sets the text only where it differs: a live region speaks again for every change.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/// Makes the children of `parent` those of `items`: `make(item)` returns {node, update(item)}; what stays is updated.
export function keyed(parent, items, key, make) {
  const before = parent.keyedRows || new Map();
  const after = new Map();
  // First, so that nothing that stays has to move: a row that moves loses the focus.
  const wanted = new Set(items.map(key));
  for (const [id, row] of before) if (!wanted.has(id)) row.node.remove();
  let at = parent.firstChild;
  for (const item of items) {
    const id = key(item);
    const row = before.get(id) || make(item);
    row.update(item);
    after.set(id, row);
    if (row.node === at) at = at.nextSibling;
    else parent.insertBefore(row.node, at);
  }
  parent.keyedRows = after;
}

/// What a view has started: listeners, timers, requests. It ends with the view.
export class Scope {
  constructor() {
    this.ends = [];
    this.abort = new AbortController();
  }
  get signal() {
    return this.abort.signal;
  }
  add(end) {
    this.ends.push(end);
  }
  every(milliseconds, run) {
    const timer = setInterval(run, milliseconds);
    this.add(() => clearInterval(timer));
  }
  close() {
    this.abort.abort();
    for (const end of this.ends.splice(0)) end();
  }
}

let ids = 0;
export function newId(prefix) {
  ids += 1;
  return `${prefix}-${ids}`;
}
