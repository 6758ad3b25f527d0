// The second step of a payment: the PSBT is checked, carried to the signer and back, and what was signed is sent.
import { api } from "./api.js";
import { h } from "./dom.js";
import { amount, code, feeRate, grouped, plural, rate, unitName } from "./format.js";
import { button, copyButton, field, heading, messageOf, qrCode, saveFile, table } from "./ui.js";

function paymentParts(payment) {
  const change = payment.outputs.filter((output) => output.change);
  const paid = payment.outputs.filter((output) => !output.change);
  return {
    paid,
    change,
    sum: paid.reduce((total, output) => total + output.amount_sat, 0),
    spent: payment.inputs.reduce((total, input) => total + input.amount_sat, 0),
  };
}

function paymentTable(payment) {
  const { paid, change, sum, spent } = paymentParts(payment);
  const share = sum > 0 ? payment.fee_sat / sum : 0;
  const fee = h(
    "span",
    { class: share > 0.1 ? "bad-text" : "muted" },
    `${grouped(payment.fee_sat)} sat, ${feeRate(payment.fee_rate)}, ${rate(share)} of the amount`,
  );
  const line = (kind, address, sat) =>
    h(
      "tr",
      {},
      h("th", { scope: "row", class: "o1" }, kind),
      h("td", { class: "o3" }, h("code", { class: "break" }, address)),
      h("td", { class: "num o2" }, amount(sat)),
    );
  return table(
    "What the payment does",
    [{ name: "" }, { name: "Address" }, { name: ["Amount, ", unitName()], num: true }],
    h(
      "tbody",
      {},
      paid.map((output) => line("Pay", output.address || "script", output.amount_sat)),
      change.map((output) => line("Change", output.address || "script", output.amount_sat)),
      h(
        "tr",
        {},
        h("th", { scope: "row", class: "o1" }, "Fee"),
        h("td", { class: "o3" }, fee),
        h("td", { class: "num o2" }, amount(payment.fee_sat)),
      ),
      h(
        "tr",
        { class: "sum" },
        h("th", { scope: "row", class: "o1" }, "Spent"),
        h("td", { class: "o3" }, plural(payment.inputs.length, "coin")),
        h("td", { class: "num o2" }, amount(spent)),
      ),
    ),
  );
}

function inputList(payment) {
  return h(
    "details",
    {},
    h("summary", {}, `${plural(payment.inputs.length, "coin")} to spend`),
    h(
      "ul",
      { class: "plain-list" },
      payment.inputs.map((input) =>
        h("li", {}, code(`${input.txid}:${input.vout}`, 12), h("span", { class: "num" }, amount(input.amount_sat))),
      ),
    ),
  );
}

function binary(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function base64(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

export function checkStep(name, draft, { go, restart }) {
  const payment = draft.payment;
  const qr = h("details", { class: "qr-details" }, h("summary", {}, "Show as a QR code"));
  qr.addEventListener("toggle", () => {
    if (qr.open && qr.children.length === 1)
      qr.append(h("div", { class: "qr-box large" }, qrCode(payment.psbt, "QR code of the PSBT in base64")));
  });
  return h(
    "div",
    { class: "steps" },
    h(
      "div",
      { class: "card" },
      heading("1. Check the payment"),
      paymentTable(payment),
      (payment.warnings || []).map((text) => h("p", { class: "notice" }, text)),
      inputList(payment),
      h(
        "div",
        { class: "actions start" },
        button("Change the payment", () => {
          draft.payment = null;
          go();
        }),
        button("Discard", restart, { kind: "quiet" }),
      ),
    ),
    h(
      "div",
      { class: "card" },
      h("h2", {}, "2. Sign it"),
      h("p", {}, "Take the PSBT to the signer and check the same addresses and amounts there."),
      h(
        "div",
        { class: "actions start" },
        button("Download .psbt", () => saveFile(`${name}.psbt`, "application/octet-stream", binary(payment.psbt)), {
          kind: "primary",
        }),
        copyButton(payment.psbt, "Copy base64", { kind: "" }),
      ),
      qr,
    ),
    signedCard(draft, go),
  );
}

/// {psbt} or {hex} from what was pasted or read from a file, or null.
function readSigned(content) {
  const bytes = typeof content === "string" ? null : content;
  const isPsbt = (each) =>
    each.length > 5 && each[0] === 0x70 && each[1] === 0x73 && each[2] === 0x62 && each[3] === 0x74 && each[4] === 0xff;
  if (bytes && isPsbt(bytes)) return { psbt: base64(bytes) };
  const text = (bytes ? new TextDecoder().decode(bytes) : content).replace(/\s+/g, "");
  if (/^([0-9a-f]{2})+$/i.test(text)) {
    const raw = Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
    return isPsbt(raw) ? { psbt: base64(raw) } : { hex: text.toLowerCase() };
  }
  return /^cHNidP/.test(text) ? { psbt: text } : null;
}

function signedCard(draft, go) {
  const text = field(
    "Signed PSBT or transaction",
    h("textarea", { rows: 4, class: "mono", spellcheck: "false", autocomplete: "off" }),
    { hint: "Base64 or hex. Or choose the file that the signer made." },
  );
  const file = h("input", {
    type: "file",
    accept: ".psbt,.txn,.txt,.hex",
    "aria-label": "File with the signed PSBT or transaction",
    onchange: async () => {
      if (!file.files[0]) return;
      const signed = readSigned(new Uint8Array(await file.files[0].arrayBuffer()));
      text.control.value = signed ? signed.psbt || signed.hex : "";
      text.fail(signed ? "" : "This file is neither a PSBT nor a transaction.");
    },
  });
  const submit = button("Broadcast", null, { kind: "primary", type: "submit" });
  return h(
    "form",
    {
      class: "card",
      novalidate: true,
      onsubmit: async (event) => {
        event.preventDefault();
        const signed = readSigned(text.control.value);
        if (!signed)
          return text.fail(
            text.control.value.trim()
              ? "This is neither a PSBT (base64) nor a transaction (hex)."
              : "Paste the signed PSBT, or choose its file.",
          );
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
      },
    },
    h("h2", {}, "3. Send it"),
    text.node,
    file,
    h("div", { class: "actions" }, submit),
  );
}
