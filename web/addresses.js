// Receiving: a new address with its QR code, and all addresses of the wallet.
import { PagedList, api, walletPath } from "./api.js";
import { listen, saveLabel } from "./data.js";
import { fill, h, keyed, setText } from "./dom.js";
import { amount, parseAmount, plural, short, unitName } from "./format.js";
import { settings } from "./settings.js";
import {
  button,
  chip,
  choice,
  copyButton,
  emptyState,
  errorBox,
  field,
  labelEditor,
  messageOf,
  qrCode,
  table,
} from "./ui.js";

/// BIP21. Without amount and message the URI is only "bitcoin:ADDRESS".
function paymentUri(address, { sat, message } = {}) {
  const query = [];
  if (sat)
    query.push(
      `amount=${String(sat)
        .padStart(9, "0")
        .replace(/(\d{8})$/, ".$1")
        .replace(/\.?0+$/, "")}`,
    );
  if (message) query.push(`label=${encodeURIComponent(message)}`);
  return `bitcoin:${address}${query.length ? "?" + query.join("&") : ""}`;
}

/// An address large enough to scan and to compare, in groups of four.
function addressPanel(row, close) {
  const picture = h("div", { class: "qr-box" });
  const text = h("code", { class: "break", "data-uri": true });
  const request = field(
    "Amount to ask for",
    h("input", { type: "text", inputmode: "decimal", autocomplete: "off", oninput: draw }),
    { after: unitName() },
  );
  const message = field("Message for the payer", h("input", { type: "text", maxlength: 100, oninput: draw }));
  let plain = false;
  let shown = "";
  function draw() {
    const typed = request.control.value.trim();
    const parsed = typed ? parseAmount(typed, settings.unit) : {};
    request.fail(parsed.error);
    shown = plain ? row.address : paymentUri(row.address, { sat: parsed.sat, message: message.control.value.trim() });
    fill(picture, qrCode(shown, `QR code of ${shown}`));
    setText(text, shown);
  }
  const kind = choice(
    "QR code contains",
    [
      ["uri", "Payment link"],
      ["plain", "Address only"],
    ],
    "uri",
    (value) => {
      plain = value === "plain";
      request.node.hidden = message.node.hidden = plain;
      draw();
    },
    { hidden: true },
  );
  draw();
  const groups = row.address.match(/.{1,4}/g).map((each, i) => h("span", { class: i % 2 ? "odd" : "" }, each));
  return h(
    "section",
    { class: "card receive", "aria-label": `Address ${row.address}` },
    picture,
    h(
      "div",
      { class: "receive-text" },
      h(
        "div",
        { class: "hero-head" },
        h("h2", {}, row.fresh ? "Your new address" : "Address"),
        row.used && chip("Used", "bad"),
        button("Close", close, { kind: "quiet" }),
      ),
      h("p", { class: "address-large", "aria-label": row.address }, groups),
      h(
        "div",
        { class: "actions start" },
        copyButton(row.address, "Copy address", { kind: "primary" }),
        copyButton(() => shown, "Copy link", { kind: "" }),
      ),
      row.path && h("p", { class: "muted" }, row.path),
      row.used &&
        h("p", { class: "note" }, "This address has been used. A new one for each payment keeps your payments apart."),
      kind,
      h("div", { class: "pair" }, request.node, message.node),
      h("p", { class: "muted small" }, text),
    ),
  );
}

const isChange = (row) => /\/1\/\d+$/.test(row.path || "");

const kFilters = {
  unused: ["Unused", (row) => !row.used && !isChange(row)],
  used: ["Used", (row) => row.used],
  change: ["Change", isChange],
  all: ["All", () => true],
};

function addressRow(wallet, open) {
  return (first) => {
    const label = labelEditor({
      label: first.label,
      what: `the address ${short(first.address, 6)}`,
      save: (text) => saveLabel(wallet, "addr", first.address, text),
    });
    const used = h("td", { class: "o4" });
    const received = h("td", { class: "num o2" });
    const node = h(
      "tr",
      {},
      h(
        "td",
        { class: "o1" },
        h(
          "button",
          {
            type: "button",
            class: "link",
            onclick: () => open(first),
            "aria-label": `Show the address ${first.address}`,
          },
          h("code", { title: first.address }, short(first.address, 10)),
        ),
      ),
      h("td", { class: "label-cell o3" }, label.node),
      h("td", { class: "wide muted" }, first.path || "\u2013"),
      used,
      received,
    );
    return {
      node,
      update(row) {
        label.update(row.label);
        fill(used, row.used ? chip("Used") : chip("Unused", "done"));
        fill(received, row.received_sat ? amount(row.received_sat) : "\u2013");
      },
    };
  };
}

export function addressesTab(scope, name) {
  const list = new PagedList(walletPath(name, "addresses"), "addresses", 200);
  const panel = h("div", { "aria-live": "polite" });
  const body = h("tbody", {});
  const trouble = h("div", {});
  const count = h("p", { class: "muted count", role: "status" });
  const search = h("input", {
    type: "search",
    placeholder: "Search address, label or path",
    "aria-label": "Search addresses",
    oninput: show,
  });
  const select = h(
    "select",
    { "aria-label": "Which addresses", onchange: show },
    Object.entries(kFilters).map(([id, [text]]) => h("option", { value: id }, text)),
  );
  const more = button("Show more", () => load());
  const make = button("New address", newAddress, { kind: "primary" });
  const label = h("input", {
    type: "text",
    maxlength: 500,
    placeholder: "Who pays? (optional)",
    "aria-label": "Label of the new address",
  });
  const none = emptyState("No addresses match");
  const grid = table(
    `Addresses of ${name}`,
    [
      { name: "Address" },
      { name: "Label" },
      { name: "Path", hide: "wide" },
      { name: "State" },
      { name: ["Received, ", unitName()], num: true },
    ],
    body,
  );

  function open(row) {
    fill(
      panel,
      addressPanel(row, () => fill(panel)),
    );
    panel.scrollIntoView({ block: "nearest" });
  }
  function show() {
    const text = search.value.trim().toLowerCase();
    const found = list.rows.filter(
      (row) =>
        row.address &&
        kFilters[select.value][1](row) &&
        [row.address, row.label, row.path].some((each) => (each || "").toLowerCase().includes(text)),
    );
    keyed(body, found, (row) => row.address, addressRow(name, open));
    more.hidden = !list.more;
    none.hidden = !list.started || found.length > 0;
    grid.hidden = found.length === 0;
    setText(count, list.started ? `${plural(found.length, "address", "addresses")}${list.more ? " so far" : ""}` : "");
  }
  async function load(again = false) {
    try {
      await (again ? list.reload(scope.signal) : list.load(scope.signal));
      fill(trouble);
      show();
    } catch (error) {
      if (!scope.signal.aborted)
        fill(
          trouble,
          errorBox(error, () => load(again)),
        );
    }
  }
  async function newAddress() {
    make.disabled = true;
    try {
      const made = await api.post(walletPath(name, "addresses"), { change: false, label: label.value.trim() || null });
      fill(trouble);
      open({ ...made, used: false, fresh: true });
      label.value = "";
      await load(true);
    } catch (error) {
      fill(trouble, h("p", { class: "error", role: "alert" }, messageOf(error)));
    }
    make.disabled = false;
  }
  listen(scope, `wallet:${name}`, () => load(true));
  show();
  load().then(() => {
    // Where every address is used, an empty list would hide them.
    if (select.value !== "unused" || !list.rows.length || list.rows.some(kFilters.unused[1])) return;
    select.value = "all";
    show();
  });
  return h(
    "section",
    { "aria-label": "Receive" },
    h(
      "form",
      {
        class: "toolbar",
        onsubmit: (event) => {
          event.preventDefault();
          newAddress();
        },
      },
      label,
      make,
    ),
    trouble,
    panel,
    h("div", { class: "section-head" }, h("h2", {}, "Addresses")),
    h("div", { class: "toolbar" }, search, select, count),
    grid,
    none,
    more,
  );
}
