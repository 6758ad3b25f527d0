// Paying by PSBT: fill in, check, carry to the signer and back, send, follow. No key is ever here. A half-done payment
// stays while the page is open, wallet by wallet.
import { data, listen } from "./data.js";
import { fill, h } from "./dom.js";
import { grouped } from "./format.js";
import { picked } from "./coins.js";
import { formStep } from "./sendform.js";
import { checkStep } from "./sendcheck.js";
import { settings } from "./settings.js";
import { walletHref } from "./shell.js";
import { button, facts, heading } from "./ui.js";

const drafts = new Map(); // by wallet: {recipients, feeRate, subtractFee, payment, sent}

function newDraft() {
  return {
    recipients: [{ address: "", amount: "" }],
    unit: settings.unit,
    feeRate: "",
    subtractFee: false,
    payment: null,
    sent: null,
  };
}

export function sendTab(scope, name) {
  if (picked.wallet !== name) {
    picked.wallet = name;
    picked.coins.clear();
  }
  if (!drafts.has(name)) drafts.set(name, newDraft());
  const node = h("section", { "aria-label": "Send" });
  const go = (moved = true) => {
    const draft = drafts.get(name);
    const step = draft.sent
      ? sentStep(scope, name, draft, flow)
      : draft.payment
        ? checkStep(name, draft, flow)
        : formStep(scope, name, draft, flow);
    fill(node, step);
    if (moved) node.querySelector("h2")?.focus();
  };
  const restart = () => {
    drafts.set(name, newDraft());
    picked.coins.clear();
    go();
  };
  const flow = { go, restart };
  // What was typed is in the old unit.
  listen(scope, "unit", () => {
    if (!drafts.get(name).payment) go(false);
  });
  go(false);
  return node;
}

const kSent = {
  accepted: ["Accepted", "A peer that it was not sent to announced it: it is in the mempool.", "done"],
  fetched: ["Taken by a peer", "A peer took it. No other peer has announced it yet.", "pending"],
  uncertain: ["Uncertain", "No peer has taken it yet. The server announces it again until one does.", "bad"],
};

function sentStep(scope, name, draft, { restart }) {
  const { txid } = draft.sent;
  const list = h("ol", { class: "follow", "aria-live": "polite" });
  function show() {
    const [word, text] = kSent[draft.sent.state] || [draft.sent.state, ""];
    const confirmed = draft.sent.height;
    const seen = draft.sent.seen || draft.sent.state !== "uncertain" || confirmed;
    const replaced = draft.sent.conflicted;
    fill(
      list,
      h(
        "li",
        { class: "done" },
        h("strong", {}, "Sent: "),
        draft.sent.seen ? "it is in the mempool." : `${word}. ${text}`,
      ),
      h(
        "li",
        { class: seen ? "done" : "now" },
        h("strong", {}, seen ? "Unconfirmed" : "Waiting for the mempool"),
        seen && !confirmed && !replaced ? ": waiting for a block." : "",
      ),
      replaced
        ? h("li", { class: "bad" }, h("strong", {}, "Conflicted"), ": another transaction spent the same coins.")
        : h(
            "li",
            { class: confirmed ? "done" : seen ? "now" : "" },
            h("strong", {}, confirmed ? `Confirmed in block ${grouped(confirmed)}` : "Confirmed"),
          ),
    );
  }
  listen(scope, "event", (event) => {
    if (event.type !== "tx" || event.txid !== txid) return;
    draft.sent.seen = true;
    draft.sent.height = event.state === "confirmed" ? event.height : null;
    draft.sent.conflicted = event.state === "conflicted";
    show();
  });
  // An event may have come before the answer.
  const known = data.histories.get(name)?.rows.find((row) => row.txid === txid);
  if (known) draft.sent.seen = true;
  show();
  return h(
    "div",
    { class: "card" },
    heading("Payment sent"),
    list,
    facts(["Transaction", h("code", { class: "break" }, txid)]),
    h(
      "div",
      { class: "actions start" },
      h("a", { class: "button primary", href: walletHref(name, "tx", txid) }, "Show transaction"),
      button("New payment", restart),
    ),
  );
}
