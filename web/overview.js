// The first view: all money, all wallets, the chain, and what happened last.
import { api } from "./api.js";
import { data, listen, quietly } from "./data.js";
import { fill, h, keyed, setText } from "./dom.js";
import { ago, amount, code, feeRate, grouped, time } from "./format.js";
import { walletHref } from "./shell.js";
import { syncCard } from "./sync.js";
import { button, chip, emptyState, table } from "./ui.js";

const kPage = 100;
const kRecent = 8;

function totals() {
  const sum = { confirmed_sat: 0, unconfirmed_sat: 0, immature_sat: 0, total_sat: 0 };
  for (const wallet of data.wallets.values()) for (const name of Object.keys(sum)) sum[name] += wallet.balance[name];
  return sum;
}

function hero() {
  const total = h("p", { class: "big" });
  const split = h("p", { class: "split" });
  const node = h(
    "section",
    { class: "hero", "aria-labelledby": "total" },
    h("h1", { id: "total" }, "Total balance"),
    total,
    split,
  );
  return {
    node,
    update() {
      const sum = totals();
      fill(total, amount(sum.total_sat, { unit: true }));
      fill(split, balanceParts(sum));
    },
  };
}

/// What of a total is confirmed and what is not.
export function balanceParts(balance) {
  if (!balance.unconfirmed_sat && !balance.immature_sat)
    return balance.total_sat ? ["All confirmed"] : ["Nothing here yet"];
  return [
    h("span", { class: "part" }, "Confirmed ", amount(balance.confirmed_sat)),
    balance.unconfirmed_sat !== 0 &&
      h("span", { class: "part pending" }, "Unconfirmed ", amount(balance.unconfirmed_sat, { sign: true })),
    balance.immature_sat !== 0 && h("span", { class: "part" }, "Immature ", amount(balance.immature_sat)),
  ];
}

function tile(name) {
  const value = h("dd", {});
  const note = h("dd", { class: "tile-note" });
  return { node: h("div", { class: "tile" }, h("dt", {}, name), value, note), value, note };
}

function tiles(scope) {
  const tip = tile("Tip");
  const state = tile("Wallets");
  const peers = tile("Peers");
  const fees = tile("Fee rate");
  const show = () => {
    const status = data.status;
    if (!status) return;
    setText(tip.value, status.height === null ? "\u2013" : grouped(status.height));
    setText(tip.note, status.tip_time ? ago(status.tip_time) : "no headers yet");
    tip.node.title = status.tip || "";
    setText(state.value, grouped(status.wallets));
    const behind = [...data.wallets.values()].filter((wallet) => !wallet.synced).length;
    setText(state.note, status.synced ? "all synced" : behind ? `${grouped(behind)} catching up` : "catching up");
    setText(peers.value, grouped(status.peers));
    setText(peers.note, status.peers ? "connected" : "none connected");
  };
  quietly(
    api.get("/v1/fees", scope.signal).then((answer) => {
      setText(fees.value, feeRate(answer.estimate_sat_per_vb ?? answer.floor_sat_per_vb));
      setText(
        fees.note,
        answer.estimate_sat_per_vb ? "estimate" : answer.floor_sat_per_vb ? "lowest that peers relay" : "not known yet",
      );
    }),
  );
  listen(scope, "status", show);
  listen(scope, "wallets", show);
  scope.every(15_000, show);
  show();
  return h("dl", { class: "tiles" }, tip.node, state.node, peers.node, fees.node);
}

function walletState(wallet) {
  if (wallet.synced) return chip("Synced", "done");
  const at =
    wallet.scanned_to === null || wallet.scanned_to === undefined ? "" : ` \u2013 block ${grouped(wallet.scanned_to)}`;
  return chip(`Catching up${at}`, "pending");
}

function walletRow(wallet) {
  const cells = ["num o2", "num wide", "num wide"].map((name) => h("td", { class: name }));
  const state = h("td", { class: "o3" });
  const node = h(
    "tr",
    {},
    h(
      "th",
      { scope: "row", class: "o1" },
      h("a", { href: walletHref(wallet.name), class: "strong" }, wallet.name),
      h("span", { class: "sub" }, wallet.watch_only ? "watch-only" : "with keys"),
    ),
    state,
    cells[1],
    cells[2],
    cells[0],
  );
  let shown = "";
  return {
    node,
    update(now) {
      const signature = JSON.stringify([now.balance, now.synced, now.scanned_to]);
      if (signature === shown) return;
      shown = signature;
      fill(state, walletState(now));
      fill(cells[1], amount(now.balance.confirmed_sat));
      const waiting = now.balance.unconfirmed_sat + now.balance.immature_sat;
      fill(
        cells[2],
        waiting === 0
          ? "\u2013"
          : h(
              "span",
              { class: "pending", title: now.balance.immature_sat ? "with immature mined coins" : null },
              amount(waiting, { sign: true }),
            ),
      );
      fill(cells[0], h("span", { class: "strong" }, amount(now.balance.total_sat)));
    },
  };
}

function walletTable(scope) {
  const body = h("tbody", {});
  const search = h("input", {
    type: "search",
    placeholder: "Find a wallet",
    "aria-label": "Find a wallet",
    class: "small",
    oninput: () => show(),
  });
  const more = button("Show more", () => {
    limit += kPage;
    show();
  });
  const grid = table(
    "Wallets and their balances",
    [
      { name: "Wallet" },
      { name: "State" },
      { name: "Confirmed", num: true, hide: "wide" },
      { name: "Unconfirmed, immature", num: true, hide: "wide" },
      { name: "Total", num: true },
    ],
    body,
  );
  const none = emptyState(
    "No wallets yet",
    "Add a watch-only wallet here, or make one with spv create on the server.",
    h("a", { href: "#/add", class: "button primary" }, "Add a wallet"),
  );
  let limit = kPage;
  function show() {
    const wanted = search.value.trim().toLowerCase();
    const found = [...data.wallets.values()]
      .filter((wallet) => wallet.name.toLowerCase().includes(wanted))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    keyed(body, found.slice(0, limit), (wallet) => wallet.name, walletRow);
    grid.hidden = data.wallets.size === 0;
    none.hidden = !grid.hidden;
    more.hidden = found.length <= limit;
    search.hidden = data.wallets.size < 8;
  }
  listen(scope, "wallets", show);
  show();
  return h(
    "section",
    { "aria-labelledby": "wallets-title" },
    h(
      "div",
      { class: "section-head" },
      h("h2", { id: "wallets-title" }, "Wallets"),
      search,
      h("a", { href: "#/add", class: "button" }, "Add a wallet"),
    ),
    grid,
    none,
    more,
  );
}

const kWords = {
  confirmed: ["Confirmed", "done"],
  unconfirmed: ["Unconfirmed", "pending"],
  conflicted: ["Conflicted", "bad"],
  forgotten: ["Forgotten", "bad"],
  locked: ["Locked", "pending"],
  abandoned: ["Abandoned", "bad"],
};

function eventRow(event) {
  const [word, tone] = kWords[event.state] || [event.state, ""];
  return h(
    "li",
    { class: "event" },
    h("span", { class: "event-time" }, time(event.time)),
    h(
      "a",
      { href: walletHref(event.wallet, "tx", event.txid), class: "event-what" },
      h("span", { class: "strong" }, event.wallet),
      " ",
      code(event.txid, 6),
    ),
    chip(word, tone),
    h("span", { class: "num event-amount" }, amount(event.net_sat, { sign: true, tone: true })),
  );
}

/// The newest transactions of all wallets, from the log of events. What is no longer kept there is left out.
async function readRecent(signal) {
  const newest = data.status.events;
  const query = (after) => api.get(`/v1/events?limit=1000&after=${after}`, signal);
  let page;
  try {
    page = await query(Math.max(0, newest - 300));
  } catch (error) {
    if (error.status !== 410) throw error;
    page = await query(Math.max(0, (error.body.oldest ?? error.body.error.oldest ?? newest + 1) - 1));
  }
  return page.events;
}

/// Each transaction once, with its latest state.
function latestOf(events) {
  const byTx = new Map();
  for (const event of events) {
    if (event.type !== "tx") continue;
    byTx.delete(event.wallet + event.txid);
    byTx.set(event.wallet + event.txid, event);
  }
  return [...byTx.values()].reverse().slice(0, kRecent);
}

function recent(scope) {
  const list = h("ul", { class: "events" });
  const node = h(
    "section",
    { "aria-labelledby": "recent-title", hidden: true },
    h("div", { class: "section-head" }, h("h2", { id: "recent-title" }, "Recent activity")),
    list,
  );
  let events = [];
  const show = () => {
    const latest = latestOf(events);
    node.hidden = latest.length === 0;
    fill(list, latest.map(eventRow));
  };
  quietly(
    readRecent(scope.signal).then((read) => {
      const known = new Set(read.map((event) => event.seq));
      events = [...read, ...events.filter((event) => !known.has(event.seq))];
      show();
    }),
  );
  listen(scope, "event", (event) => {
    if (event.type !== "tx") return;
    events.push(event);
    show();
  });
  return node;
}

export function overviewView(scope) {
  const top = hero();
  listen(scope, "wallets", () => top.update());
  top.update();
  return {
    title: "Overview",
    node: h("div", { class: "stack-view" }, top.node, syncCard(scope), tiles(scope), walletTable(scope), recent(scope)),
  };
}
