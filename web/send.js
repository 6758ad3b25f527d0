// Paying by PSBT: fill in, check, carry to the signer and back, send, follow. No key is ever here. A half-done payment
// stays while the page is open, wallet by wallet.
import { PagedList, api, walletPath } from "./api.js";
import { data, listen, quietly } from "./data.js";
import { fill, h, setText } from "./dom.js";
import { amount, amountText, code, feeRate, grouped, parseAmount, plural, rate, short, unitName } from "./format.js";
import { coinState, kCoinHelp, outpointOf, picked } from "./coins.js";
import { settings } from "./settings.js";
import { walletHref } from "./shell.js";
import { button, chip, copyButton, facts, field, messageOf, qrCode, saveFile, table } from "./ui.js";

const drafts = new Map();  // by wallet: {recipients, feeRate, subtractFee, payment, sent}

function newDraft() {
  return { recipients: [{ address: "", amount: "" }], unit: settings.unit, feeRate: "", subtractFee: false,
      payment: null, sent: null };
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
    const step = draft.sent ? sentStep : draft.payment ? checkStep : formStep;
    fill(node, step(scope, name, draft, go));
    if (moved) node.querySelector("h2")?.focus();
  };
  go(false);
  return node;
}

const heading = (text) => h("h2", { tabindex: -1 }, text);

// ---- 1. the form

/// "bitcoin:ADDRESS?amount=0.1" pasted into the address.
function readUri(text) {
  const match = /^bitcoin:([a-z0-9]+)(?:\?(.*))?$/i.exec(text.trim());
  if (!match) return null;
  const query = new URLSearchParams(match[2] || "");
  return { address: match[1], sat: query.get("amount") ? parseAmount(query.get("amount"), "BTC").sat : undefined };
}

function recipientFields(draft, index, redraw) {
  const recipient = draft.recipients[index];
  const address = field("Address", h("input", { type: "text", value: recipient.address, autocomplete: "off",
      spellcheck: "false", class: "mono",
    oninput: () => {
      const uri = readUri(address.control.value);
      recipient.address = uri ? uri.address : address.control.value.trim();
      if (!uri) return;
      if (uri.sat) recipient.amount = amountText(uri.sat, { unit: draft.unit });
      redraw();
    } }), { hint: index === 0 ? "Or paste a bitcoin: link." : null });
  const sum = field("Amount", h("input", { type: "text", value: recipient.amount, inputmode: "decimal",
      autocomplete: "off",
    oninput: () => { recipient.amount = sum.control.value; } }), { after: unitName() });
  const remove = draft.recipients.length > 1 && button("Remove", () => {
    draft.recipients.splice(index, 1);
    redraw();
  }, { kind: "quiet", label: `Remove recipient ${index + 1}` });
  return { address, sum, node: h("fieldset", { class: "recipient" },
      h("legend", { class: draft.recipients.length > 1 ? "" : "hidden" }, `Recipient ${index + 1}`),
                                 address.node, sum.node, remove) };
}

/// Coins to choose from; none chosen: the server chooses.
function coinPicker(scope, name, changed) {
  const list = new PagedList(walletPath(name, "utxos"), "utxos", 1000);
  const summary = h("summary", {});
  const body = h("tbody", {});
  const node = h("details", { class: "coins", open: picked.coins.size > 0 }, summary,
                 table("Coins to spend", [{ name: h("span", { class: "hidden" }, "Choose") }, { name: "Coin" },
                     { name: "State" }, { name: ["Amount, ", unitName()], num: true }], body),
                 h("p", { class: "note" }, kCoinHelp));
  const chosen = () => list.rows.filter((coin) => picked.coins.has(outpointOf(coin)));
  function show() {
    const coins = chosen();
    fill(summary, "Coins: ", coins.length === 0 ? "chosen for you" : [`${plural(coins.length, "coin")} chosen, `,
        amount(coins.reduce((sum, coin) => sum + coin.amount_sat, 0), { unit: true })]);
  }
  function row(coin) {
    const outpoint = outpointOf(coin);
    const box = h("input", { type: "checkbox", checked: picked.coins.has(outpoint), disabled: !coin.spendable,
        "aria-label": `Spend the coin ${short(coin.txid, 4)}:${coin.vout}`,
      onchange: () => {
        if (box.checked) picked.coins.add(outpoint);
        else picked.coins.delete(outpoint);
        show();
        changed();
      } });
    return h("tr", {}, h("td", { class: "pick" }, box), h("td", { class: "o1" },
        coin.label || code(coin.address || outpoint, 6)), h("td", { class: "o3" }, chip(...coinState(coin))),
             h("td", { class: "num o2" }, amount(coin.amount_sat)));
  }
  quietly(list.load(scope.signal).then(() => {
    const known = new Set(list.rows.filter((coin) => coin.spendable).map(outpointOf));
    for (const outpoint of picked.coins) if (!known.has(outpoint)) picked.coins.delete(outpoint);
    fill(body, list.rows.map(row));
    show();
  }));
  show();
  return { node, spendable: () => (picked.coins.size ? chosen() : list.rows.filter((coin) => coin.spendable)) };
}

function formStep(scope, name, draft, go) {
  if (draft.unit !== settings.unit) convertUnit(draft);
  const rows = h("div", {});
  const trouble = h("p", { class: "error", role: "alert" });
  let fields = [];
  const redraw = () => {
    fields = draft.recipients.map((_, index) => recipientFields(draft, index, redraw));
    fill(rows, fields.map((each) => each.node));
  };
  const fee = field("Fee rate", h("input", { type: "text", inputmode: "decimal", value: draft.feeRate,
      autocomplete: "off", oninput: () => { draft.feeRate = fee.control.value; } }),
                    { after: h("span", { class: "unit" }, "sat/vB"), hint: " " });
  const subtract = h("input", { type: "checkbox", checked: draft.subtractFee,
      onchange: () => { draft.subtractFee = subtract.checked; } });
  const coins = coinPicker(scope, name, () => {});
  const all = button("Send all", () => {
    const sat = coins.spendable().reduce((sum, coin) => sum + coin.amount_sat, 0);
    draft.recipients = [{ ...draft.recipients[0], amount: amountText(sat, { unit: settings.unit }) }];
    draft.subtractFee = subtract.checked = true;
    redraw();
  });
  const submit = button("Create PSBT", null, { kind: "primary", type: "submit" });
  prefillFee(scope, draft, fee);
  redraw();
  listen(scope, "unit", () => { if (!draft.payment) go(false); });
  const form = h("form", { class: "card form", novalidate: true, onsubmit: async (event) => {
    event.preventDefault();
    setText(trouble, "");
    const request = readForm(draft, fields, fee);
    if (!request) return;
    submit.disabled = true;
    try {
      draft.payment = await api.post(walletPath(name, "psbt"), request);
      draft.request = request;
      go();
    } catch (error) {
      showRefusal(error, fields, fee, trouble);
    }
    submit.disabled = false;
  } }, heading("New payment"), rows,
    h("div", { class: "actions start" }, button("Add recipient", () => { draft.recipients.push({ address: "",
        amount: "" }); redraw(); fields.at(-1).address.control.focus(); }), all),
    h("div", { class: "pair" }, fee.node, h("label", { class: "check" }, subtract,
        h("span", {}, "Subtract the fee from the amount"))),
    coins.node, trouble, h("div", { class: "actions" }, submit));
  return [form, h("p", { class: "note" },
      "The keys are not here. This makes a PSBT that you sign with your hardware wallet or on the machine with the keys: spv psbt sign.")];
}

function convertUnit(draft) {
  for (const recipient of draft.recipients) {
    const parsed = parseAmount(recipient.amount, draft.unit);
    if (parsed.sat) recipient.amount = amountText(parsed.sat, { unit: settings.unit });
  }
  draft.unit = settings.unit;
}

function prefillFee(scope, draft, fee) {
  quietly(api.get("/v1/fees", scope.signal).then((fees) => {
    const proposal = Math.max(fees.estimate_sat_per_vb ?? 0, fees.floor_sat_per_vb ?? 0, 1);
    const hint = fees.estimate_sat_per_vb ? `Estimate from recent blocks: ${feeRate(fees.estimate_sat_per_vb)}.`
        : "There is no estimate yet.";
    setText(fee.node.querySelector(".hint"),
        fees.floor_sat_per_vb ? `${hint} Peers relay from ${feeRate(fees.floor_sat_per_vb)}.` : hint);
    if (draft.feeRate !== "") return;
    draft.feeRate = String(Number(proposal.toFixed(2)));
    fee.control.value = draft.feeRate;
  }));
}

/// The request, or null with the errors at their fields.
function readForm(draft, fields, fee) {
  let first = null;
  const fail = (each, text) => {
    each.fail(text);
    if (text && !first) first = each.control;
  };
  const outputs = draft.recipients.map((recipient, index) => {
    const parsed = parseAmount(recipient.amount, settings.unit);
    fail(fields[index].address, recipient.address ? "" : "Enter an address.");
    fail(fields[index].sum, parsed.error);
    return { address: recipient.address, amount_sat: parsed.sat };
  });
  const perByte = Number(draft.feeRate.replace(",", "."));
  fail(fee, perByte > 0 && perByte <= 100_000 ? "" : "Enter a fee rate in sat/vB, like 2.5.");
  if (first) {
    first.focus();
    return null;
  }
  const request = { outputs, fee_rate: perByte, subtract_fee: draft.subtractFee };
  if (picked.coins.size) request.coins = [...picked.coins];
  return request;
}

/// At the field that the message is about, where that is clear.
function showRefusal(error, fields, fee, trouble) {
  const text = messageOf(error);
  const named = fields.find((each) => each.address.control.value && text.includes(each.address.control.value.trim()));
  const target = named ? named.address : /fee.?rate|floor|sat\/vB/i.test(text) ? fee
      : /fund|enough|dust|too small/i.test(text) ? fields[0].sum
    : /address/i.test(text) ? fields[0].address : null;
  if (!target) return setText(trouble, text);
  target.fail(text);
  target.control.focus();
}

// ---- 2. the PSBT: check it, carry it to the signer and back

function paymentParts(payment) {
  const change = payment.outputs.filter((output) => output.change);
  const paid = payment.outputs.filter((output) => !output.change);
  return { paid, change, sum: paid.reduce((total, output) => total + output.amount_sat, 0),
      spent: payment.inputs.reduce((total, input) => total + input.amount_sat, 0) };
}

function paymentTable(payment) {
  const { paid, change, sum, spent } = paymentParts(payment);
  const share = sum > 0 ? payment.fee_sat / sum : 0;
  const fee = h("span", { class: share > 0.1 ? "bad-text" : "muted" },
      `${grouped(payment.fee_sat)} sat, ${feeRate(payment.fee_rate)}, ${rate(share)} of the amount`);
  const line = (kind, address, sat) => h("tr", {}, h("th", { scope: "row", class: "o1" }, kind),
      h("td", { class: "o3" }, h("code", { class: "break" }, address)), h("td", { class: "num o2" }, amount(sat)));
  return table("What the payment does", [{ name: "" }, { name: "Address" },
      { name: ["Amount, ", unitName()], num: true }], h("tbody", {},
    paid.map((output) => line("Pay", output.address || "script", output.amount_sat)),
    change.map((output) => line("Change", output.address || "script", output.amount_sat)),
    h("tr", {}, h("th", { scope: "row", class: "o1" }, "Fee"), h("td", { class: "o3" }, fee),
        h("td", { class: "num o2" }, amount(payment.fee_sat))),
    h("tr", { class: "sum" }, h("th", { scope: "row", class: "o1" }, "Spent"),
        h("td", { class: "o3" }, plural(payment.inputs.length, "coin")), h("td", { class: "num o2" }, amount(spent)))));
}

function inputList(payment) {
  return h("details", {}, h("summary", {}, `${plural(payment.inputs.length, "coin")} to spend`),
      h("ul", { class: "plain-list" }, payment.inputs.map((input) =>
    h("li", {}, code(`${input.txid}:${input.vout}`, 12), h("span", { class: "num" }, amount(input.amount_sat))))));
}

function binary(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function base64(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

function checkStep(scope, name, draft, go) {
  const payment = draft.payment;
  const qr = h("details", { class: "qr-details" }, h("summary", {}, "Show as a QR code"));
  qr.addEventListener("toggle", () => { if (qr.open && qr.children.length === 1) qr.append(h("div",
      { class: "qr-box large" }, qrCode(payment.psbt, "QR code of the PSBT in base64"))); });
  return h("div", { class: "steps" },
    h("div", { class: "card" }, heading("1. Check the payment"), paymentTable(payment),
      (payment.warnings || []).map((text) => h("p", { class: "notice" }, text)), inputList(payment),
      h("div", { class: "actions start" }, button("Change the payment", () => { draft.payment = null; go(); }),
          button("Discard", () => { drafts.delete(name); drafts.set(name, newDraft()); picked.coins.clear(); go(); },
          { kind: "quiet" }))),
    h("div", { class: "card" }, h("h2", {}, "2. Sign it"), h("p", {},
        "Take the PSBT to the signer and check the same addresses and amounts there."),
      h("div", { class: "actions start" }, button("Download .psbt",
          () => saveFile(`${name}.psbt`, "application/octet-stream", binary(payment.psbt)), { kind: "primary" }),
        copyButton(payment.psbt, "Copy base64", { kind: "" })), qr),
    signedCard(draft, go));
}

/// {psbt} or {hex} from what was pasted or read from a file, or null.
function readSigned(content) {
  const bytes = typeof content === "string" ? null : content;
  const isPsbt = (each) => each.length > 5 && each[0] === 0x70 && each[1] === 0x73 && each[2] === 0x62
      && each[3] === 0x74 && each[4] === 0xff;
  if (bytes && isPsbt(bytes)) return { psbt: base64(bytes) };
  const text = (bytes ? new TextDecoder().decode(bytes) : content).replace(/\s+/g, "");
  if (/^([0-9a-f]{2})+$/i.test(text)) {
    const raw = Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
    return isPsbt(raw) ? { psbt: base64(raw) } : { hex: text.toLowerCase() };
  }
  return /^cHNidP/.test(text) ? { psbt: text } : null;
}

function signedCard(draft, go) {
  const text = field("Signed PSBT or transaction", h("textarea", { rows: 4, class: "mono", spellcheck: "false",
      autocomplete: "off" }), { hint: "Base64 or hex. Or choose the file that the signer made." });
  const file = h("input", { type: "file", accept: ".psbt,.txn,.txt,.hex",
      "aria-label": "File with the signed PSBT or transaction", onchange: async () => {
    if (!file.files[0]) return;
    const signed = readSigned(new Uint8Array(await file.files[0].arrayBuffer()));
    text.control.value = signed ? signed.psbt || signed.hex : "";
    text.fail(signed ? "" : "This file is neither a PSBT nor a transaction.");
  } });
  const submit = button("Broadcast", null, { kind: "primary", type: "submit" });
  return h("form", { class: "card", novalidate: true, onsubmit: async (event) => {
    event.preventDefault();
    const signed = readSigned(text.control.value);
    if (!signed) return text.fail(text.control.value.trim()
        ? "This is neither a PSBT (base64) nor a transaction (hex)." : "Paste the signed PSBT, or choose its file.");
    if (signed.psbt === draft.payment.psbt) return text.fail("This is the PSBT without signatures. Sign it first.");
    text.fail("");
    submit.disabled = true;
    try {
      draft.sent = await api.post("/v1/transactions", signed);
      go();
    } catch (error) {
      text.fail(messageOf(error));
    }
    submit.disabled = false;
  } }, h("h2", {}, "3. Send it"), text.node, file, h("div", { class: "actions" }, submit));
}

// ---- 3. what became of it

const kSent = {
  accepted: ["Accepted", "A peer that it was not sent to announced it: it is in the mempool.", "done"],
  fetched: ["Taken by a peer", "A peer took it. No other peer has announced it yet.", "pending"],
  uncertain: ["Uncertain", "No peer has taken it yet. The server announces it again until one does.", "bad"],
};

function sentStep(scope, name, draft, go) {
  const { txid } = draft.sent;
  const list = h("ol", { class: "follow", "aria-live": "polite" });
  function show() {
    const [word, text] = kSent[draft.sent.state] || [draft.sent.state, ""];
    const confirmed = draft.sent.height;
    const seen = draft.sent.seen || draft.sent.state === "accepted" || confirmed;
    const replaced = draft.sent.conflicted;
    fill(list,
         h("li", { class: "done" }, h("strong", {}, "Sent: "), draft.sent.seen ? "it is in the mempool."
             : `${word}. ${text}`),
         h("li", { class: seen ? "done" : "now" }, h("strong", {}, seen ? "Unconfirmed" : "Waiting for the mempool"),
             seen && !confirmed && !replaced ? ": waiting for a block." : ""),
         replaced ? h("li", { class: "bad" }, h("strong", {}, "Conflicted"),
             ": another transaction spent the same coins.")
           : h("li", { class: confirmed ? "done" : seen ? "now" : "" },
               h("strong", {}, confirmed ? `Confirmed in block ${grouped(confirmed)}` : "Confirmed")));
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
  return h("div", { class: "card" }, heading("Payment sent"), list,
      facts(["Transaction", h("code", { class: "break" }, txid)]),
           h("div", { class: "actions start" }, h("a", { class: "button primary", href: walletHref(name, "tx", txid) },
               "Show transaction"),
             button("New payment", () => { drafts.set(name, newDraft()); picked.coins.clear(); go(); })));
}
