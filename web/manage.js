// What a wallet is made of; scanning it again; removing it.
import { api, walletPath } from "./api.js";
import { data, forgetWallet, listen, loadStatus, quietly } from "./data.js";
import { fill, h } from "./dom.js";
import { grouped } from "./format.js";
import { button, confirm, facts, field, messageOf, toast } from "./ui.js";

function factsOf(wallet) {
  const number = (value) => (value === null || value === undefined ? "\u2013" : grouped(value));
  return facts(
    [
      "Type",
      wallet.watch_only ? "Watch-only: it has no keys" : "With keys, which stay on the server and are never read here",
    ],
    [
      "Birthday",
      wallet.birthday === null
        ? "A date; the first sync turns it into a block"
        : typeof wallet.birthday === "number"
          ? `Block ${grouped(wallet.birthday)}`
          : wallet.birthday,
    ],
    ["Scanned to", wallet.scanned_to === null ? "Not yet" : `Block ${number(wallet.scanned_to)}`],
    ["Gap limit", number(wallet.gap_limit)],
    ["Scripts watched", number(wallet.scripts)],
  );
}

function rescanForm(name) {
  const wallet = data.wallets.get(name);
  const from = field(
    "From block",
    h("input", {
      type: "text",
      inputmode: "numeric",
      value: String(typeof wallet.birthday === "number" ? wallet.birthday : 0),
    }),
    { hint: "Blocks from here to the tip are scanned again. The balance stays visible meanwhile." },
  );
  return h(
    "form",
    {
      class: "card",
      novalidate: true,
      onsubmit: async (event) => {
        event.preventDefault();
        const text = from.control.value.replace(/[,\s]/g, "");
        if (!/^\d{1,8}$/.test(text)) return from.fail("Enter a block height.");
        try {
          await api.post(walletPath(name, "rescan"), { from: Number(text) });
          from.fail("");
          toast({ text: `${name} is scanned again from block ${grouped(Number(text))}` });
          await quietly(loadStatus());
        } catch (error) {
          from.fail(messageOf(error));
        }
      },
    },
    h("h2", {}, "Rescan"),
    from.node,
    h("div", { class: "actions start" }, button("Rescan", null, { type: "submit" })),
  );
}

function removeCard(name) {
  const trouble = h("p", { class: "error", role: "alert" });
  if (!data.wallets.get(name).watch_only) {
    return h(
      "div",
      { class: "card" },
      h("h2", {}, "Remove"),
      h("p", { class: "muted" }, "This wallet has keys. Only spv delete on the server can remove it."),
    );
  }
  return h(
    "div",
    { class: "card" },
    h("h2", {}, "Remove"),
    h(
      "p",
      { class: "muted" },
      "The server forgets this wallet, its history and its labels. Coins are not touched: the keys are elsewhere.",
    ),
    trouble,
    h(
      "div",
      { class: "actions start" },
      button(
        "Remove this wallet",
        async () => {
          const yes = await confirm({
            title: `Remove ${name}?`,
            text: "Its labels are lost, unless you have exported them with spv labels. It can be added again from its keys.",
            yes: "Remove",
          });
          if (!yes) return;
          try {
            await api.delete(walletPath(name));
            location.hash = "#/";
            forgetWallet(name);
            toast({ text: `${name} was removed` });
          } catch (error) {
            trouble.textContent = messageOf(error);
          }
        },
        { kind: "danger" },
      ),
    ),
  );
}

export function manageTab(scope, name) {
  const info = h("div", {});
  const show = () => {
    if (data.wallets.has(name)) fill(info, factsOf(data.wallets.get(name)));
  };
  listen(scope, `wallet:${name}`, show);
  listen(scope, "wallets", show);
  show();
  return h(
    "section",
    { "aria-label": "Manage", class: "steps" },
    h("div", { class: "card" }, h("h2", {}, "About this wallet"), info),
    rescanForm(name),
    removeCard(name),
  );
}
