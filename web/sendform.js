// The first step of a payment: recipients, fee rate and coins, and the request for the PSBT.
import { PagedList, api, walletPath } from "./api.js";
import { quietly } from "./data.js";
import { fill, h, setText } from "./dom.js";
import { amount, code, feeRate, inputAmount, parseAmount, plural, short, unitName } from "./format.js";
import { coinState, kCoinHelp, outpointOf, picked } from "./coins.js";
import { settings } from "./settings.js";
import { button, chip, field, heading, messageOf, table } from "./ui.js";

/// "bitcoin:ADDRESS?amount=0.1" pasted into the address.
function readUri(text) {
  const match = /^bitcoin:([a-z0-9]+)(?:\?(.*))?$/i.exec(text.trim());
  if (!match) return null;
  const query = new URLSearchParams(match[2] || "");
  return { address: match[1], sat: query.get("amount") ? parseAmount(query.get("amount"), "BTC").sat : undefined };
}

function recipientFields(draft, index, redraw) {
  const recipient = draft.recipients[index];
  const address = field(
    "Address",
    h("input", {
      type: "text",
      value: recipient.address,
      autocomplete: "off",
      spellcheck: "false",
      class: "mono",
      oninput: () => {
        const uri = readUri(address.control.value);
        recipient.address = uri ? uri.address : address.control.value.trim();
        if (!uri) return;
        if (uri.sat) recipient.amount = inputAmount(uri.sat, draft.unit);
        redraw();
      },
    }),
    { hint: index === 0 ? "Or paste a bitcoin: link." : null },
  );
  const sum = field(
    "Amount",
    h("input", {
      type: "text",
      value: recipient.amount,
      inputmode: "decimal",
      autocomplete: "off",
      oninput: () => {
        recipient.amount = sum.control.value;
      },
    }),
    { after: unitName() },
  );
  const remove =
    draft.recipients.length > 1 &&
    button(
      "Remove",
      () => {
        draft.recipients.splice(index, 1);
        redraw();
      },
      { kind: "quiet", label: `Remove recipient ${index + 1}` },
    );
  return {
    address,
    sum,
    node: h(
      "fieldset",
      { class: "recipient" },
      h("legend", { class: draft.recipients.length > 1 ? "" : "hidden" }, `Recipient ${index + 1}`),
      address.node,
      sum.node,
      remove,
    ),
  };
}

/// Coins to choose from; none chosen: the server chooses.
function coinPicker(scope, name, changed) {
  const list = new PagedList(walletPath(name, "utxos"), "utxos", 1000);
  const summary = h("summary", {});
  const body = h("tbody", {});
  const node = h(
    "details",
    { class: "coins", open: picked.coins.size > 0 },
    summary,
    table(
      "Coins to spend",
      [
        { name: h("span", { class: "hidden" }, "Choose") },
        { name: "Coin" },
        { name: "State" },
        { name: ["Amount, ", unitName()], num: true },
      ],
      body,
    ),
    h("p", { class: "note" }, kCoinHelp),
  );
  const chosen = () => list.rows.filter((coin) => picked.coins.has(outpointOf(coin)));
  function show() {
    const coins = chosen();
    fill(
      summary,
      "Coins: ",
      coins.length === 0
        ? "chosen for you"
        : [
            `${plural(coins.length, "coin")} chosen, `,
            amount(
              coins.reduce((sum, coin) => sum + coin.amount_sat, 0),
              { unit: true },
            ),
          ],
    );
  }
  function row(coin) {
    const outpoint = outpointOf(coin);
    const box = h("input", {
      type: "checkbox",
      checked: picked.coins.has(outpoint),
      disabled: !coin.spendable,
      "aria-label": `Spend the coin ${short(coin.txid, 4)}:${coin.vout}`,
      onchange: () => {
        if (box.checked) picked.coins.add(outpoint);
        else picked.coins.delete(outpoint);
        show();
        changed();
      },
    });
    return h(
      "tr",
      {},
      h("td", { class: "pick" }, box),
      h("td", { class: "o1" }, coin.label || code(coin.address || outpoint, 6)),
      h("td", { class: "o3" }, chip(...coinState(coin))),
      h("td", { class: "num o2" }, amount(coin.amount_sat)),
    );
  }
  quietly(
    list.load(scope.signal).then(() => {
      const known = new Set(list.rows.filter((coin) => coin.spendable).map(outpointOf));
      for (const outpoint of picked.coins) if (!known.has(outpoint)) picked.coins.delete(outpoint);
      fill(body, list.rows.map(row));
      show();
    }),
  );
  show();
  return { node, spendable: () => (picked.coins.size ? chosen() : list.rows.filter((coin) => coin.spendable)) };
}

export function formStep(scope, name, draft, { go }) {
  if (draft.unit !== settings.unit) convertUnit(draft);
  const rows = h("div", {});
  const trouble = h("p", { class: "error", role: "alert" });
  let fields = [];
  const redraw = () => {
    fields = draft.recipients.map((_, index) => recipientFields(draft, index, redraw));
    fill(
      rows,
      fields.map((each) => each.node),
    );
  };
  const fee = field(
    "Fee rate",
    h("input", {
      type: "text",
      inputmode: "decimal",
      value: draft.feeRate,
      autocomplete: "off",
      oninput: () => {
        draft.feeRate = fee.control.value;
      },
    }),
    { after: h("span", { class: "unit" }, "sat/vB"), hint: " " },
  );
  const subtract = h("input", {
    type: "checkbox",
    checked: draft.subtractFee,
    onchange: () => {
      draft.subtractFee = subtract.checked;
    },
  });
  const coins = coinPicker(scope, name, () => {});
  const all = button("Send all", () => {
    const sat = coins.spendable().reduce((sum, coin) => sum + coin.amount_sat, 0);
    draft.recipients = [{ ...draft.recipients[0], amount: inputAmount(sat, settings.unit) }];
    draft.subtractFee = subtract.checked = true;
    redraw();
  });
  const submit = button("Create PSBT", null, { kind: "primary", type: "submit" });
  prefillFee(scope, draft, fee);
  redraw();
  const form = h(
    "form",
    {
      class: "card form",
      novalidate: true,
      onsubmit: async (event) => {
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
      },
    },
    heading("New payment"),
    rows,
    h(
      "div",
      { class: "actions start" },
      button("Add recipient", () => {
        draft.recipients.push({ address: "", amount: "" });
        redraw();
        fields.at(-1).address.control.focus();
      }),
      all,
    ),
    h(
      "div",
      { class: "pair" },
      fee.node,
      h("label", { class: "check" }, subtract, h("span", {}, "Subtract the fee from the amount")),
    ),
    coins.node,
    trouble,
    h("div", { class: "actions" }, submit),
  );
  return [
    form,
    h(
      "p",
      { class: "note" },
      "The keys are not here. This makes a PSBT that you sign with your hardware wallet or on the machine with the keys: spv psbt sign.",
    ),
  ];
}

function convertUnit(draft) {
  for (const recipient of draft.recipients) {
    const parsed = parseAmount(recipient.amount, draft.unit);
    if (parsed.sat) recipient.amount = inputAmount(parsed.sat, settings.unit);
  }
  draft.unit = settings.unit;
}

function prefillFee(scope, draft, fee) {
  quietly(
    api.get("/v1/fees", scope.signal).then((fees) => {
      const proposal = Math.max(fees.estimate_sat_per_vb ?? 0, fees.floor_sat_per_vb ?? 0, 1);
      const hint = fees.estimate_sat_per_vb
        ? `Estimate from recent blocks: ${feeRate(fees.estimate_sat_per_vb)}.`
        : "No estimate yet.";
      setText(
        fee.node.querySelector(".hint"),
        fees.floor_sat_per_vb ? `${hint} Peers relay from ${feeRate(fees.floor_sat_per_vb)}.` : hint,
      );
      if (draft.feeRate !== "") return;
      draft.feeRate = String(Number(proposal.toFixed(2)));
      fee.control.value = draft.feeRate;
    }),
  );
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
  const target = named
    ? named.address
    : /fee.?rate|floor|sat\/vB/i.test(text)
      ? fee
      : /fund|enough|dust|too small/i.test(text)
        ? fields[0].sum
        : /address/i.test(text)
          ? fields[0].address
          : null;
  if (!target) return setText(trouble, text);
  target.fail(text);
  target.control.focus();
}
