// A wallet's transactions with the balance after each, as a chart and as a list that can be searched and labelled.
import { data, historyOf, listen, quietly, saveLabel } from "./data.js";
import { fill, h, keyed, setText } from "./dom.js";
import { amount, grouped, plural, short, time, unitName } from "./format.js";
import { balanceChart } from "./balancechart.js";
import { walletHref } from "./shell.js";
import { button, chip, counts, emptyState, errorBox, labelEditor, stateOf, table } from "./ui.js";

const kRows = 100;
const kReadAhead = 2000; // rows read without being asked, for the chart and the search

/// Rows newest first, each with the balance after it: from the present total downwards.
function withBalances(rows, total) {
  let balance = total;
  return rows.map((row) => {
    const after = balance;
    if (counts(row)) balance -= row.net_sat;
    return { ...row, balance: after };
  });
}

/// Oldest first for the chart; a block's time may lie before that of the block below it.
function chartPoints(rows) {
  let latest = 0;
  return rows
    .filter((row) => counts(row) && row.time)
    .reverse()
    .map((row) => {
      latest = Math.max(latest, row.time);
      return { time: latest, balance: row.balance, net: row.net_sat, pending: row.status !== "confirmed" };
    });
}

const kFilters = {
  all: ["All", () => true],
  in: ["Received", (row) => row.net_sat > 0],
  out: ["Sent", (row) => row.net_sat < 0],
  pending: ["Unconfirmed", (row) => row.status === "unconfirmed"],
  bad: ["Conflicted", (row) => row.status === "conflicted"],
};

function matches(row, text) {
  if (!text) return true;
  return [row.txid, row.label, row.block, row.height].some(
    (each) => each !== null && each !== undefined && String(each).toLowerCase().includes(text),
  );
}

function historyRow(wallet) {
  return (first) => {
    const when = h("td", { class: "when o1" });
    const sum = h("td", { class: "num o2" });
    const balance = h("td", { class: "num wide muted" });
    const state = h("td", { class: "o4" });
    const what = `the transaction ${short(first.txid, 4)}`;
    const label = labelEditor({ label: first.label, what, save: (text) => saveLabel(wallet, "tx", first.txid, text) });
    const link = h("a", { href: walletHref(wallet, "tx", first.txid), title: first.txid });
    when.append(link);
    const node = h(
      "tr",
      { class: "enter", "data-txid": first.txid },
      when,
      h("td", { class: "label-cell o3" }, label.node),
      state,
      sum,
      balance,
    );
    let shown = "";
    return {
      node,
      update(row) {
        label.update(row.label);
        const now = stateOf(row);
        const signature = [row.time, row.net_sat, row.balance, now.text, now.title, counts(row)].join();
        if (signature === shown) return;
        shown = signature;
        fill(link, time(row.time));
        fill(sum, amount(row.net_sat, { sign: true, tone: counts(row) }));
        sum.classList.toggle("struck", row.status === "conflicted");
        fill(balance, counts(row) ? amount(row.balance) : "\u2013");
        const mark = chip(now.text, now.tone);
        mark.title = now.title;
        fill(state, mark);
      },
    };
  };
}

export function historyTab(scope, name) {
  const history = historyOf(name);
  const chart = balanceChart(scope);
  const body = h("tbody", {});
  const count = h("p", { class: "muted count", role: "status" });
  const search = h("input", {
    type: "search",
    placeholder: "Search label, txid or block",
    "aria-label": "Search transactions",
    oninput: () => show(),
  });
  const select = h(
    "select",
    { "aria-label": "Which transactions", onchange: () => show() },
    Object.entries(kFilters).map(([id, [text]]) => h("option", { value: id }, text)),
  );
  const more = button("Show older", showOlder);
  const trouble = h("div", {});
  const grid = h(
    "div",
    {},
    h("div", { class: "toolbar" }, search, select, count),
    table(
      `Transactions of ${name}, newest first`,
      [
        { name: "Date" },
        { name: "Label" },
        { name: "State" },
        { name: ["Amount, ", unitName()], num: true },
        { name: "Balance", num: true, hide: "wide" },
      ],
      body,
    ),
    more,
  );
  const none = emptyState(
    "No transactions yet",
    "Payments appear here within a second after a peer announces them.",
    h("a", { href: walletHref(name, "addresses"), class: "button primary" }, "Receive"),
  );
  let limit = kRows;

  function show() {
    const wallet = data.wallets.get(name);
    if (!wallet || !history.list.started) return;
    const rows = withBalances(history.rows, wallet.balance.total_sat);
    const text = search.value.trim().toLowerCase();
    const found = rows.filter((row) => kFilters[select.value][1](row) && matches(row, text));
    keyed(body, found.slice(0, limit), (row) => row.txid, historyRow(name));
    chart.update(chartPoints(rows));
    chart.node.hidden = rows.length < 2;
    none.hidden = rows.length > 0;
    grid.hidden = rows.length === 0;
    more.hidden = found.length <= limit && !history.more;
    const all = `${plural(rows.length, "transaction")}${history.more ? " so far" : ""}`;
    setText(count, found.length === rows.length ? all : `${grouped(found.length)} of ${all}`);
  }
  async function showOlder() {
    limit += kRows;
    if (body.children.length + kRows > history.rows.length && history.more) await load();
    show();
  }
  async function load() {
    try {
      fill(trouble);
      await history.loadOlder();
    } catch (error) {
      fill(trouble, errorBox(error, load));
    }
  }
  async function first() {
    if (history.list.started) await quietly(history.refresh());
    else await load();
    while (!scope.signal.aborted && history.more && history.list.started && history.rows.length < kReadAhead)
      await history.loadOlder();
  }
  for (const topic of [`history:${name}`, `wallet:${name}`, "status"]) listen(scope, topic, show);
  none.hidden = grid.hidden = chart.node.hidden = true;
  show();
  quietly(first());
  return h("section", { "aria-label": "History" }, chart.node, trouble, grid, none);
}
