// Adding a watch-only wallet: from an extended public key, descriptors or addresses.
import { api } from "./api.js";
import { data, emit, loadStatus, quietly } from "./data.js";
import { h, setText } from "./dom.js";
import { walletHref } from "./shell.js";
import { button, choice, field, messageOf } from "./ui.js";

const kScripts = [
  ["", "As the key says (ypub, zpub, \u2026)"],
  ["wpkh", "Native SegWit (bc1q\u2026)"],
  ["tr", "Taproot (bc1p\u2026)"],
  ["sh-wpkh", "Nested SegWit (3\u2026)"],
  ["pkh", "Legacy (1\u2026)"],
  ["all", "All of them"],
];

const lines = (text) =>
  text
    .split(/\s*[\n]\s*/)
    .map((line) => line.trim())
    .filter(Boolean);

function makeFields() {
  const area = (rows, props) =>
    h("textarea", { rows, class: "mono", spellcheck: "false", autocomplete: "off", ...props });
  return {
    name: field("Name", h("input", { type: "text", autocomplete: "off", spellcheck: "false", maxlength: 64 }), {
      hint: "Letters, digits, dots, dashes and underscores.",
    }),
    xpub: field("Extended public key", area(3), {
      hint: "xpub, ypub, zpub, tpub, \u2026 of one account, as hardware wallets show it. Never enter private keys or seed words here.",
    }),
    script: field(
      "Address type",
      h(
        "select",
        {},
        kScripts.map(([value, text]) => h("option", { value }, text)),
      ),
    ),
    descriptors: field("Descriptors", area(5), { hint: "One a line: receiving and change, or one with <0;1>." }),
    addresses: field("Addresses", area(5), { hint: "One a line. Change that goes elsewhere is not seen." }),
    birthday: field(
      "First used",
      h("input", { type: "text", autocomplete: "off", placeholder: "YYYY-MM-DD or block height" }),
      { hint: "Blocks before it are not scanned. Empty: the whole chain is scanned, which takes longest." },
    ),
    gap_limit: field(
      "Gap limit",
      h("input", { type: "text", inputmode: "numeric", autocomplete: "off", placeholder: "default" }),
      { hint: "How many unused addresses in a row are watched." },
    ),
  };
}

const kKinds = { xpub: ["xpub", "script"], descriptors: ["descriptors"], addresses: ["addresses"] };

/// The request and the errors that need no server to find.
function readForm(kind, value) {
  const errors = {};
  const request = { name: value("name") };
  if (!request.name) errors.name = "Enter a name.";
  else if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(request.name))
    errors.name = "Use letters, digits, dots, dashes and underscores; start with a letter or a digit.";
  if (kind === "xpub") {
    request.xpub = value("xpub").replace(/\s+/g, "");
    if (value("script")) request.script = value("script");
    if (!request.xpub) errors.xpub = "Enter the key.";
    if (/^[xtyzuv]prv/.test(request.xpub))
      errors.xpub = "This is a private key. Enter the public one; private keys do not belong here.";
  } else {
    request[kind] = lines(value(kind));
    if (request[kind].length === 0)
      errors[kind] = kind === "addresses" ? "Enter at least one address." : "Enter at least one descriptor.";
  }
  readBirthday(value("birthday"), request, errors);
  const gap = value("gap_limit");
  if (gap && !/^\d{1,5}$/.test(gap)) errors.gap_limit = "Enter a number.";
  else if (gap) request.gap_limit = Number(gap);
  return { request, errors };
}

function readBirthday(text, request, errors) {
  const plain = text.replace(/(\d),(?=\d{3})/g, "$1");
  if (plain === "") return;
  if (/^\d{1,8}$/.test(plain)) request.birthday = Number(plain);
  else if (/^\d{4}-\d{2}-\d{2}$/.test(plain)) request.birthday = plain;
  else errors.birthday = "Enter a date like 2024-05-31 or a block height.";
}

/// The field that an answer is about.
function fieldOf(error, kind) {
  const text = error.message.toLowerCase();
  if (error.status === 409) return "name";
  for (const [id, pattern] of [
    ["gap_limit", /gap/],
    ["birthday", /birthday|date/],
    ["script", /\bscript\b|--script/],
    ["name", /\bname\b/],
  ]) {
    if (pattern.test(text)) return id === "script" && kind !== "xpub" ? kind : id;
  }
  return /key|xpub|descriptor|address|checksum/.test(text) ? kind : null;
}

export function addWalletView() {
  const fields = makeFields();
  const trouble = h("p", { class: "error", role: "alert" });
  const submit = button("Add wallet", null, { kind: "primary", type: "submit" });
  let kind = "xpub";
  const choose = (now) => {
    kind = now;
    for (const [each, ids] of Object.entries(kKinds)) for (const id of ids) fields[id].node.hidden = each !== kind;
  };
  choose(kind);
  function showErrors(errors) {
    for (const [id, each] of Object.entries(fields)) each.fail(errors[id]);
    const first = Object.keys(fields).find((id) => errors[id]);
    if (first) fields[first].control.focus();
    return Boolean(first);
  }
  async function send() {
    setText(trouble, "");
    const { request, errors } = readForm(kind, (id) => fields[id].control.value.trim());
    if (showErrors(errors)) return;
    submit.disabled = true;
    try {
      const wallet = await api.post("/v1/wallets", request);
      data.wallets.set(wallet.name, wallet);
      emit("wallets");
      quietly(loadStatus());
      location.hash = walletHref(wallet.name);
    } catch (error) {
      const text = messageOf(error);
      const id = fieldOf(error, kind);
      if (id) showErrors({ [id]: text });
      else setText(trouble, text);
    }
    submit.disabled = false;
  }
  const form = h(
    "form",
    {
      class: "card form",
      novalidate: true,
      onsubmit: (event) => {
        event.preventDefault();
        send();
      },
    },
    fields.name.node,
    choice(
      "From",
      [
        ["xpub", "Public key"],
        ["descriptors", "Descriptors"],
        ["addresses", "Addresses"],
      ],
      kind,
      choose,
    ),
    fields.xpub.node,
    fields.script.node,
    fields.descriptors.node,
    fields.addresses.node,
    h("div", { class: "pair" }, fields.birthday.node, fields.gap_limit.node),
    trouble,
    h("div", { class: "actions" }, submit),
  );
  return {
    title: "Add a wallet",
    node: h(
      "div",
      { class: "stack-view narrow" },
      h("h1", {}, "Add a wallet"),
      h(
        "p",
        { class: "muted" },
        "A wallet added here is watch-only: it sees all payments, and its keys stay where they are.",
      ),
      form,
    ),
  };
}
