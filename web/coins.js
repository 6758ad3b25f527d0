// The coins of a wallet: what can be spent, what cannot and why. Chosen ones go to the payment.
import { PagedList, walletPath } from "./api.js";
import { confirmationsOf, listen, quietly, saveLabel } from "./data.js";
import { fill, h, keyed, setText } from "./dom.js";
import { amount, code, grouped, plural, short, unitName } from "./format.js";
import { walletHref } from "./shell.js";
import { button, chip, emptyState, errorBox, labelEditor, table } from "./ui.js";

export const outpointOf = (coin) => `${coin.txid}:${coin.vout}`;

/// Coins picked here, for the payment form of the same wallet.
export const picked = { wallet: null, coins: new Set() };

export function coinState(coin) {
  if (coin.reserved) return coin.frozen ? ["Reserved, frozen", "bad"] : ["Reserved", "pending"];
  if (coin.frozen) return ["Frozen", "cold"];
  if (coin.height === null) return ["Unconfirmed", "pending"];
  return coin.spendable ? ["Spendable", "done"] : ["Immature", "pending"];
}

export const kCoinHelp =
  "Reserved: spent by a payment of yours that is not confirmed. Frozen: kept from being spent with spv freeze. " +
  "Immature: mined, with fewer than 100 blocks on top.";

function coinRow(wallet, changed) {
  return (first) => {
    const outpoint = outpointOf(first);
    const box = h("input", {
      type: "checkbox",
      "aria-label": `Choose the coin ${short(first.txid, 4)}:${first.vout}`,
      onchange: () => {
        if (box.checked) picked.coins.add(outpoint);
        else picked.coins.delete(outpoint);
        changed();
      },
    });
    const state = h("td", { class: "o4" });
    const age = h("td", { class: "num wide" });
    const label = labelEditor({
      label: first.label,
      what: `the coin ${short(first.txid, 4)}:${first.vout}`,
      save: (text) => saveLabel(wallet, "output", outpoint, text),
    });
    const node = h(
      "tr",
      {},
      h("td", { class: "pick" }, box),
      h(
        "td",
        { class: "o1" },
        h("a", { href: walletHref(wallet, "tx", first.txid) }, code(first.address || outpoint, 6)),
      ),
      h("td", { class: "label-cell o3" }, label.node),
      state,
      age,
      h("td", { class: "num o2" }, amount(first.amount_sat)),
    );
    return {
      node,
      update(coin) {
        label.update(coin.label);
        box.checked = picked.coins.has(outpoint);
        box.disabled = !coin.spendable;
        fill(state, chip(...coinState(coin)));
        setText(age, grouped(confirmationsOf(coin)));
      },
    };
  };
}

export function coinsTab(scope, name) {
  if (picked.wallet !== name) {
    picked.wallet = name;
    picked.coins.clear();
  }
  const list = new PagedList(walletPath(name, "utxos"), "utxos", 200);
  const body = h("tbody", {});
  const summary = h("p", { class: "muted count", role: "status" });
  const send = h("a", { class: "button primary", href: walletHref(name, "send") }, "Send these coins");
  const more = button("Show more", () => quietly(load()));
  const grid = h(
    "div",
    {},
    h("div", { class: "toolbar" }, summary, send),
    table(
      `Coins of ${name}`,
      [
        { name: h("span", { class: "hidden" }, "Choose") },
        { name: "Address" },
        { name: "Label" },
        { name: "State" },
        { name: "Confirmations", num: true, hide: "wide" },
        { name: ["Amount, ", unitName()], num: true },
      ],
      body,
    ),
    more,
    h("p", { class: "note" }, kCoinHelp),
  );
  const none = emptyState("No coins", "A coin is a payment to you that has not been spent.");
  const trouble = h("div", {});

  function show() {
    keyed(body, list.rows, outpointOf, coinRow(name, show));
    none.hidden = !list.started || list.rows.length > 0;
    grid.hidden = !list.started || list.rows.length === 0;
    more.hidden = !list.more;
    const chosen = list.rows.filter((coin) => picked.coins.has(outpointOf(coin)));
    send.hidden = chosen.length === 0;
    if (chosen.length)
      fill(
        summary,
        `${plural(chosen.length, "coin")} chosen, `,
        amount(
          chosen.reduce((sum, coin) => sum + coin.amount_sat, 0),
          { unit: true },
        ),
      );
    else fill(summary, `${plural(list.rows.length, "coin")}${list.more ? " so far" : ""}`);
  }
  async function load(again = false) {
    try {
      await (again ? list.reload(scope.signal) : list.load(scope.signal));
      fill(trouble);
      show();
    } catch (error) {
      if (!scope.signal.aborted && !list.started)
        fill(
          trouble,
          errorBox(error, () => load()),
        );
    }
  }
  listen(scope, `wallet:${name}`, () => load(true));
  listen(scope, "reload", () => load(true));
  show();
  load();
  return h("section", { "aria-label": "Coins" }, trouble, grid, none);
}
