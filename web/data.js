// What the server has said so far, and who wants to know when it changes. Views read `data` and listen by topic:
// "status", "wallets", "wallet:NAME", "history:NAME", "sync", "connection", "event", "route", "reload", "unit".
import { ApiError, PagedList, api, pagePath, walletPath } from "./api.js";

export const data = {
  status: null,
  wallets: new Map(), // by name
  walletsComplete: false, // every page was read
  histories: new Map(), // by wallet; those that were opened
  sync: null,
  syncMissing: false, // this server has no /v1/sync
};

const topics = new EventTarget();

export function emit(topic, detail) {
  topics.dispatchEvent(new CustomEvent(topic, { detail }));
}

export function listen(scope, topic, run) {
  const handler = (event) => run(event.detail);
  topics.addEventListener(topic, handler);
  scope.add(() => topics.removeEventListener(topic, handler));
}

/// Runs one at a time; asked again meanwhile, it runs once more after that. Many events thus cost few requests.
function coalesced(run) {
  let running = null;
  let again = false;
  return function start() {
    if (running) {
      again = true;
      return running;
    }
    running = (async () => {
      do {
        again = false;
        await run();
      } while (again);
    })().finally(() => {
      running = null;
    });
    return running;
  };
}

/// A failed refresh is not an error of its own: the connection state says that the server is away.
export function quietly(promise) {
  return promise.catch((error) => {
    if (!(error instanceof ApiError) && error.name !== "AbortError") throw error;
  });
}

export const loadStatus = coalesced(async () => {
  data.status = await api.get("/v1/status");
  emit("status");
});

export const loadSync = coalesced(async () => {
  try {
    data.sync = await api.get("/v1/sync");
  } catch (error) {
    if (error.status !== 404) throw error;
    data.syncMissing = true;
  }
  emit("sync");
});

const kMostWallets = 20_000;

/// All of them, by pages of the largest size: the total is over all.
export const loadWallets = coalesced(async () => {
  const list = new PagedList("/v1/wallets", "wallets", 1000);
  while (list.more && list.rows.length < kMostWallets) await list.load();
  data.wallets = new Map(list.rows.map((wallet) => [wallet.name, wallet]));
  data.walletsComplete = !list.more;
  emit("wallets");
});

const walletLoads = new Map();

export function loadWallet(name) {
  if (!walletLoads.has(name)) {
    walletLoads.set(
      name,
      coalesced(async () => {
        try {
          data.wallets.set(name, await api.get(walletPath(name)));
        } catch (error) {
          if (error.status !== 404) throw error;
          forgetWallet(name);
        }
        emit("wallets");
        emit(`wallet:${name}`);
      }),
    );
  }
  return walletLoads.get(name)();
}

export function forgetWallet(name) {
  data.wallets.delete(name);
  data.histories.delete(name);
  walletLoads.delete(name);
  emit("wallets");
  emit(`wallet:${name}`);
}

/// A wallet's history, newest first, as far as it was read.
class History {
  constructor(name) {
    this.name = name;
    this.list = new PagedList(walletPath(name, "history"), "transactions", 100);
    this.refresh = coalesced(() => this.loadNewest());
  }
  get rows() {
    return this.list.rows;
  }
  get more() {
    return this.list.more;
  }
  async loadOlder(limit = 1000) {
    this.list.limit = this.list.started ? limit : 100;
    await this.list.load();
    this.dropRepeats();
    emit(`history:${this.name}`);
  }
  /// The newest page takes the place of what was known about its transactions; older rows stay as they are.
  async loadNewest() {
    if (!this.list.started) return this.loadOlder();
    const page = await api.get(pagePath(this.list.path, { limit: 100 }));
    const fresh = new Set(page.transactions.map((row) => row.txid));
    const older = this.list.rows.filter((row) => !fresh.has(row.txid));
    this.list.rows = page.next === null ? page.transactions : [...page.transactions, ...older];
    if (page.next === null) this.list.next = null;
    emit(`history:${this.name}`);
  }
  /// A transaction that moved while pages were read may come twice.
  dropRepeats() {
    const seen = new Set();
    this.list.rows = this.list.rows.filter((row) => !seen.has(row.txid) && seen.add(row.txid));
  }
}

export function historyOf(name) {
  if (!data.histories.has(name)) data.histories.set(name, new History(name));
  return data.histories.get(name);
}

export function confirmationsOf(row) {
  if (row.height === null || row.height === undefined) return 0;
  return data.status && data.status.height >= row.height ? data.status.height - row.height + 1 : row.confirmations;
}

/// Everything again, for the case that events were missed.
export async function reloadAll() {
  await Promise.all([loadStatus(), loadWallets(), ...[...data.histories.values()].map((each) => each.refresh())]);
  emit("reload");
}

export async function saveLabel(wallet, type, ref, label) {
  await api.put(walletPath(wallet, "labels"), { type, ref, label: label || null });
  const row = type === "tx" && data.histories.get(wallet)?.rows.find((each) => each.txid === ref);
  if (row) {
    row.label = label || null;
    emit(`history:${wallet}`);
  }
}
