// How far the sync is: asked every second, but only while there is something to follow and somebody looks.
import { data, listen, loadStatus, loadSync, loadWallets, quietly } from "./data.js";
import { fill, h, setText } from "./dom.js";
import { bytes, duration, grouped } from "./format.js";
import { connection } from "./live.js";

const kFewWallets = 100;

function syncing() {
  return Boolean(data.status && !data.status.synced);
}

let ticks = 0;

async function poll() {
  if (document.hidden || connection.state !== "live" || !syncing()) return;
  ticks += 1;
  // Balances come by events; how far each wallet is scanned does not.
  if (ticks % 5 === 0 && data.wallets.size <= kFewWallets) await loadWallets();
  if (data.syncMissing) {
    if (ticks % 5 === 0) await loadStatus();
    return;
  }
  await loadSync();
  if (!data.sync || data.sync.state === "synced" || ticks % 5 === 0) await loadStatus();
  if (!syncing()) await loadWallets();
}

export function watchSync(scope) {
  scope.every(1000, () => quietly(poll()));
  listen(scope, "status", () => {
    if (syncing() && !data.sync && !data.syncMissing) quietly(loadSync());
  });
}

/// {title, done: 0 to 1 or null, parts} of what /v1/sync says.
function describeSync(sync) {
  const { state, headers = {}, scan = {} } = sync;
  const parts = [];
  if (state === "headers") parts.push(`${grouped(headers.height || 0)} of ${grouped(headers.target || 0)} headers`);
  if (state === "scanning") parts.push(`block ${grouped(scan.height || 0)} of ${grouped(scan.target || 0)}`);
  if (sync.blocks_per_second) parts.push(`${grouped(sync.blocks_per_second)} blocks/s`);
  if (sync.seconds_left !== null && sync.seconds_left !== undefined) parts.push(`${duration(sync.seconds_left)} left`);
  if (sync.bytes) parts.push(`${bytes(sync.bytes.in)} received`);
  const titles = {
    connecting: "Connecting to peers",
    headers: "Downloading headers",
    scanning: "Scanning blocks",
    synced: "Synced",
    waiting: "Waiting",
    stopped: "The sync has stopped",
  };
  return { title: titles[state] || state, done: doneOf(sync), parts, message: sync.message, bad: state === "stopped" };
}

function doneOf({ state, headers = {}, scan = {} }) {
  if (state === "headers" && headers.target > 0) return Math.min(1, headers.height / headers.target);
  if (state === "scanning" && scan.target > (scan.from || 0)) {
    return Math.max(0, Math.min(1, (scan.height - (scan.from || 0)) / (scan.target - (scan.from || 0))));
  }
  return state === "synced" ? 1 : null;
}

/// Shown while wallets are behind the tip; gone otherwise.
export function syncCard(scope) {
  const title = h("h2", { class: "sync-title" });
  const percent = h("span", { class: "sync-percent" });
  const progress = h("progress", { max: 1, "aria-label": "Sync progress" });
  const detail = h("p", { class: "muted sync-detail" });
  const message = h("p", {});
  const node = h(
    "section",
    { class: "card sync", "aria-label": "Sync" },
    h("div", { class: "sync-head" }, title, percent),
    progress,
    detail,
    message,
  );
  function show() {
    node.hidden = !syncing();
    if (node.hidden) return;
    const sync = describeSync(data.sync || { state: "scanning" });
    setText(title, sync.title);
    node.classList.toggle("bad", sync.bad);
    if (sync.done === null) progress.removeAttribute("value");
    else progress.value = sync.done;
    progress.hidden = sync.bad;
    setText(percent, sync.done === null ? "" : `${Math.floor(sync.done * 100)}%`);
    fill(
      detail,
      sync.parts.map((part) => h("span", { class: "part" }, part)),
    );
    setText(message, sync.message || "");
    message.hidden = !sync.message;
  }
  listen(scope, "sync", show);
  listen(scope, "status", show);
  show();
  return node;
}
