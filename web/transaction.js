// One transaction: what it means to the wallet, where it is, what it spends and pays, and its proof.
import { api, walletPath } from "./api.js";
import { confirmationsOf, listen, saveLabel } from "./data.js";
import { fill, h } from "./dom.js";
import { amount, code, feeRate, grouped, plural, short, time } from "./format.js";
import { walletHref } from "./shell.js";
import { button, chip, copyButton, errorBox, facts, labelEditor, messageOf, saveFile, stateOf, toast } from "./ui.js";

function part(wallet, row, outpoint) {
  const known = row.amount_sat !== null && row.amount_sat !== undefined;
  return h(
    "li",
    { class: row.mine ? "io mine" : "io" },
    h(
      "div",
      { class: "io-main" },
      row.address
        ? h("code", { class: "address" }, row.address)
        : row.script
          ? h("code", { class: "address" }, `script ${short(row.script, 12)}`)
          : h("code", { class: "address" }, `${short(row.txid, 8)}:${row.vout}`),
      h("span", { class: "num" }, known ? amount(row.amount_sat) : h("span", { class: "muted" }, "unknown")),
    ),
    h(
      "div",
      { class: "io-sub" },
      row.mine && chip("Yours", "done"),
      row.mine && row.path ? h("span", { class: "muted" }, row.path) : null,
      outpoint && row.txid ? h("span", { class: "muted" }, "spends ", code(`${row.txid}:${row.vout}`, 8)) : null,
    ),
  );
}

function parts(title, rows, wallet, outpoint) {
  return h(
    "section",
    { class: "card ios" },
    h("h2", {}, `${title} (${rows.length})`),
    h(
      "ul",
      {},
      rows.map((row) => part(wallet, row, outpoint)),
    ),
  );
}

function headline(tx) {
  const word = tx.net_sat > 0 ? "Received" : tx.net_sat < 0 ? "Sent" : "Moved";
  return h(
    "div",
    { class: "hero" },
    h("div", { class: "hero-head" }, h("h1", {}, word)),
    h("p", { class: "big" }, amount(tx.net_sat, { sign: true, unit: true })),
  );
}

function stateText(tx) {
  const state = stateOf(tx);
  const confirmations = confirmationsOf(tx);
  return h(
    "span",
    {},
    chip(tx.status === "confirmed" ? "Confirmed" : state.text, tx.status === "confirmed" ? "done" : state.tone),
    " ",
    tx.status === "confirmed" ? plural(confirmations, "confirmation") : state.title,
    tx.peers_accepted ? ` ${plural(tx.peers_accepted, "peer")} announced it.` : "",
  );
}

function factList(wallet, tx, label) {
  return facts(
    ["Status", stateText(tx)],
    ["Label", label.node],
    ["Time", time(tx.time)],
    tx.height !== null && ["Block", h("span", {}, grouped(tx.height), " ", h("code", { class: "break" }, tx.block))],
    tx.replaced_by && ["Replaced by", h("a", { href: walletHref(wallet, "tx", tx.replaced_by) }, code(tx.replaced_by))],
    tx.fee_sat !== null && [
      "Fee",
      h("span", {}, amount(tx.fee_sat, { unit: true }), tx.fee_rate !== null && ` (${feeRate(tx.fee_rate)})`),
    ],
    tx.vsize !== null && ["Size", `${grouped(tx.vsize)} vB`],
    ["Transaction", h("code", { class: "break" }, tx.txid)],
    [
      "Merkle proof",
      tx.proof
        ? "Stored. Anyone with the block headers can check it: spv verify-proof FILE"
        : "None yet. A proof exists once it is in a block.",
    ],
  );
}

async function saveProof(wallet, txid) {
  try {
    saveFile(`${txid}.proof`, "text/plain", await api.text(walletPath(wallet, "transactions", txid, "proof")));
  } catch (error) {
    toast({ text: messageOf(error), tone: "bad" });
  }
}

export function transactionView(scope, wallet, txid) {
  const node = h("div", { class: "stack-view" });
  const back = h(
    "nav",
    { "aria-label": "Back", class: "crumbs" },
    h("a", { href: walletHref(wallet) }, `\u2190 ${wallet}`),
  );
  let label = null;
  let tx = null;
  function show() {
    label =
      label ||
      labelEditor({ label: tx.label, what: "this transaction", save: (text) => saveLabel(wallet, "tx", txid, text) });
    label.update(tx.label);
    fill(
      node,
      back,
      headline(tx),
      h(
        "section",
        { class: "card", "aria-label": "Facts" },
        factList(wallet, tx, label),
        h(
          "div",
          { class: "actions start" },
          copyButton(txid, "Copy id", { kind: "" }),
          copyButton(tx.hex, "Copy raw transaction", { kind: "" }),
          tx.proof && button("Download proof", () => saveProof(wallet, txid)),
        ),
      ),
      h(
        "div",
        { class: "flow" },
        parts("Inputs", tx.inputs, wallet, true),
        parts("Outputs", tx.outputs, wallet, false),
      ),
    );
  }
  async function load() {
    try {
      tx = await api.get(walletPath(wallet, "transactions", txid), scope.signal);
      // Not while a label is being typed.
      if (!node.contains(document.activeElement) || document.activeElement.tagName !== "INPUT") show();
    } catch (error) {
      if (!scope.signal.aborted) fill(node, back, h("h1", {}, "Transaction"), errorBox(error, load));
    }
  }
  listen(scope, "event", (event) => {
    if (event.type === "tx" && event.txid === txid) load();
  });
  listen(scope, "status", () => {
    const state = tx && node.querySelector(".facts dd");
    if (state) fill(state, stateText(tx));
  });
  load();
  return { title: `Transaction ${short(txid, 4)}`, node };
}
