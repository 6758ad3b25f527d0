// One wallet: its balance, and below it one of five tabs.
import { data, listen, loadWallet, quietly } from "./data.js";
import { fill, h } from "./dom.js";
import { amount, grouped } from "./format.js";
import { addressesTab } from "./addresses.js";
import { coinsTab } from "./coins.js";
import { historyTab } from "./history.js";
import { manageTab } from "./manage.js";
import { balanceParts } from "./overview.js";
import { sendTab } from "./send.js";
import { walletHref } from "./shell.js";
import { syncCard } from "./sync.js";
import { chip, emptyState } from "./ui.js";

const kTabs = [
  [undefined, "History", historyTab],
  ["addresses", "Receive", addressesTab],
  ["send", "Send", sendTab],
  ["coins", "Coins", coinsTab],
  ["manage", "Manage", manageTab],
];

export function walletView(scope, name, tab) {
  const node = h("div", { class: "stack-view" });
  let built = false;
  function build() {
    const wallet = data.wallets.get(name);
    if (wallet && !built) {
      built = true;
      fill(
        node,
        walletHead(scope, name),
        syncCard(scope),
        tabs(name, tab),
        kTabs.find(([id]) => id === tab)[2](scope, name),
      );
    } else if (!wallet) {
      built = false;
      fill(
        node,
        h("h1", {}, name),
        emptyState(
          "Wallet not found",
          "It may have been removed or renamed.",
          h("a", { href: "#/", class: "button" }, "Back to the overview"),
        ),
      );
    }
  }
  listen(scope, `wallet:${name}`, build);
  listen(scope, "event", (event) => {
    if (event.type === "tip") quietly(loadWallet(name));
  });
  if (data.wallets.has(name)) build();
  else quietly(loadWallet(name));
  return { title: name, node };
}

function tabs(name, tab) {
  return h(
    "nav",
    { class: "tabs", "aria-label": `Wallet ${name}` },
    kTabs.map(([id, text]) =>
      h("a", { href: walletHref(name, ...(id ? [id] : [])), "aria-current": id === tab ? "page" : null }, text),
    ),
  );
}

/// Name, balance and state; kept up to date.
function walletHead(scope, name) {
  const total = h("p", { class: "big" });
  const split = h("p", { class: "split" });
  const state = h("span", { class: "head-state" });
  const show = () => {
    const wallet = data.wallets.get(name);
    if (!wallet) return;
    fill(total, amount(wallet.balance.total_sat, { unit: true }));
    fill(split, balanceParts(wallet.balance));
    fill(
      state,
      wallet.watch_only && chip("Watch-only"),
      wallet.synced
        ? null
        : chip(wallet.scanned_to ? `Catching up \u2013 block ${grouped(wallet.scanned_to)}` : "Catching up", "pending"),
    );
  };
  listen(scope, `wallet:${name}`, show);
  listen(scope, "wallets", show);
  show();
  return h(
    "section",
    { class: "hero", "aria-label": `Wallet ${name}` },
    h("div", { class: "hero-head" }, h("h1", {}, name), state),
    total,
    split,
  );
}
