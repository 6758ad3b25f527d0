// The HTTP API: requests with a time limit, errors as values with a code and a sentence, lists page by page.

/// What a request that failed has to say. `status` 0: the server did not answer.
export class ApiError extends Error {
  constructor(status, code, message, body) {
    super(message);
    this.status = status;
    this.code = code;
    this.body = body;
  }
  get lost() {
    return this.status === 0;
  }
}

let onUnauthorized = () => {};
let onAnswer = () => {};

/// `unauthorized`: the session ended. `answer`: the server answered, so it is there.
export function watchApi({ unauthorized, answer }) {
  onUnauthorized = unauthorized;
  onAnswer = answer;
}

const kTimeLimit = 30_000;
const kSendLimit = 120_000; // a broadcast waits for what peers say

async function send(method, path, body, signal) {
  const limit = AbortSignal.timeout(method === "GET" ? kTimeLimit : kSendLimit);
  const both = signal ? AbortSignal.any([signal, limit]) : limit;
  const headers = body === undefined ? {} : { "Content-Type": "application/json" };
  try {
    return await fetch(path, {
      method,
      headers,
      signal: both,
      cache: "no-store",
      credentials: "same-origin",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (signal && signal.aborted) throw error;
    throw new ApiError(0, "lost", "The server does not answer.");
  }
}

async function errorOf(response) {
  let body = null;
  try {
    body = await response.json();
  } catch {
    // A proxy in between may answer with something else.
  }
  const error = (body && body.error) || {};
  return new ApiError(
    response.status,
    error.code || String(response.status),
    sentence(error.message || `The server answered ${response.status}.`),
    body,
  );
}

/// Server messages start in lower case, as on a command line.
function sentence(text) {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : first + ".";
}

async function request(method, path, { body, signal, read = "json", login = false } = {}) {
  const response = await send(method, path, body, signal);
  onAnswer();
  if (!response.ok) {
    const error = await errorOf(response);
    if (error.status === 401 && !login) onUnauthorized();
    throw error;
  }
  if (response.status === 204 || response.status === 202) return null;
  return read === "text" ? response.text() : response.json();
}

export const api = {
  get: (path, signal) => request("GET", path, { signal }),
  text: (path) => request("GET", path, { read: "text" }),
  post: (path, body) => request("POST", path, { body }),
  put: (path, body) => request("PUT", path, { body }),
  delete: (path) => request("DELETE", path),
  login: (token) => request("POST", "/v1/session", { body: { token }, login: true }),
};

export function walletPath(name, ...rest) {
  return ["/v1/wallets", encodeURIComponent(name), ...rest].join("/");
}

export function pagePath(path, { limit, after } = {}) {
  const query = new URLSearchParams();
  if (limit) query.set("limit", limit);
  if (after !== null && after !== undefined) query.set("after", after);
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

/// A list that grows by a page at a time: rows, and whether there are more.
export class PagedList {
  constructor(path, field, limit = 100) {
    this.path = path;
    this.field = field;
    this.limit = limit;
    this.rows = [];
    this.next = null;
    this.started = false;
  }
  get more() {
    return !this.started || this.next !== null;
  }
  async load(signal) {
    const page = await api.get(pagePath(this.path, { limit: this.limit, after: this.next }), signal);
    this.started = true;
    this.rows.push(...page[this.field]);
    this.next = page.next ?? null;
  }
  /// The rows that were loaded, again: as many pages as they take.
  async reload(signal) {
    const wanted = Math.max(this.rows.length, 1);
    const fresh = new PagedList(this.path, this.field, Math.min(1000, Math.max(this.limit, wanted)));
    while (fresh.more && fresh.rows.length < wanted) await fresh.load(signal);
    this.rows = fresh.rows;
    this.next = fresh.next;
    this.started = true;
  }
}
