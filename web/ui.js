// Parts that several views use: fields with errors, buttons that copy or save, labels to edit in place, states of
// transactions, questions, and short messages in the corner.
import { h, fill, newId, setText } from "./dom.js";
import { ApiError } from "./api.js";
import { confirmationsOf } from "./data.js";
import { grouped, plural } from "./format.js";
import { encode, qrSvg } from "./qr.js";

export function button(text, onclick, { kind = "", type = "button", label, title, disabled } = {}) {
  return h("button", { type, class: `button ${kind}`, onclick, "aria-label": label, title, disabled }, text);
}

export function messageOf(error) {
  if (error instanceof ApiError) return error.message;
  if (error.name === "AbortError") return "The request was cancelled.";
  throw error;
}

/// A labelled control with a hint and a place for an error, tied together for screen readers.
export function field(label, control, { hint, after } = {}) {
  const id = control.id || newId("field");
  control.id = id;
  const error = h("p", { class: "error", id: `${id}-error` });
  const help = hint && h("p", { class: "hint", id: `${id}-hint` }, hint);
  const describe = (bad) => {
    const ids = [bad && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(" ");
    if (ids) control.setAttribute("aria-describedby", ids);
    else control.removeAttribute("aria-describedby");
  };
  describe(false);
  const node = h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    after ? h("div", { class: "joined" }, control, after) : control,
    error,
    help,
  );
  return {
    node,
    control,
    fail(text) {
      setText(error, text || "");
      describe(Boolean(text));
      if (text) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
    },
  };
}

/// A few exclusive choices as a row of radio buttons. options: [[value, text]].
export function choice(legend, options, value, onchange, { hidden = false } = {}) {
  const name = newId("choice");
  const inputs = options.map(([each, text]) =>
    h(
      "label",
      { class: "segment" },
      h("input", { type: "radio", name, value: each, checked: each === value, onchange: () => onchange(each) }),
      h("span", {}, text),
    ),
  );
  return h(
    "fieldset",
    { class: "choice" },
    h("legend", { class: hidden ? "hidden" : "" }, legend),
    h("div", { class: "segments" }, inputs),
  );
}

/// navigator.clipboard exists only on loopback and over TLS.
async function copyText(text) {
  if (navigator.clipboard && window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Refused: try the old way.
    }
  }
  const area = h("textarea", { class: "hidden", "aria-hidden": "true" });
  area.value = text;
  (document.querySelector("dialog[open]") || document.body).append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

export function copyButton(text, name, { kind = "quiet", label } = {}) {
  const node = button(
    name,
    async () => {
      const focused = document.activeElement;
      const done = await copyText(typeof text === "function" ? text() : text);
      if (focused) focused.focus();
      node.textContent = done ? "Copied" : "Copy failed";
      announce(done ? "Copied." : "Copying failed.");
      setTimeout(() => {
        node.textContent = name;
      }, 1500);
    },
    { kind, label },
  );
  return node;
}

export function saveFile(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function chip(text, tone = "") {
  return h("span", { class: `chip ${tone}` }, text);
}

const kReasons = {
  forgotten: ["Forgotten", "No peer has announced it for 2,016 blocks."],
  locked: ["Locked", "It is not allowed in a block yet (lock time)."],
  abandoned: ["Abandoned", "This payment was given up. It counts again if it confirms."],
  conflict: ["Conflicted", "Another transaction spent the same coins."],
};

/// {text, tone, title} of a history row or a transaction.
export function stateOf(row) {
  const confirmations = confirmationsOf(row);
  if (row.status === "confirmed") {
    if (confirmations < 6)
      return {
        text: `${confirmations} of 6`,
        tone: "young",
        title: `Confirmed, ${plural(confirmations, "confirmation")}`,
      };
    return {
      text: "Confirmed",
      tone: "plain",
      title: `${plural(confirmations, "confirmation")}, block ${grouped(row.height)}`,
    };
  }
  if (row.status === "conflicted") {
    const [text, title] = kReasons[row.reason] || kReasons.conflict;
    return { text, tone: "bad", title };
  }
  if (row.send_state === "not-sent")
    return { text: "Not sent", tone: "pending", title: "Stored, but never announced." };
  if (row.send_state === "uncertain")
    return { text: "Uncertain", tone: "pending", title: "No peer took it yet. It is announced again." };
  return { text: "Unconfirmed", tone: "pending", title: "In the mempool, not in a block yet." };
}

/// Whether it counts in the balance.
export function counts(row) {
  return row.status !== "conflicted" && row.send_state !== "not-sent";
}

/// Text that becomes an input: Enter or leaving saves, Escape does not. `save(text)` may throw an ApiError.
export function labelEditor({ label, what, save }) {
  let current = label || "";
  const node = h("span", { class: "label-editor" });
  const show = () =>
    fill(
      node,
      h(
        "button",
        {
          type: "button",
          class: current ? "label-text" : "label-text empty",
          onclick: edit,
          "aria-label": current ? `Label of ${what}: ${current}. Edit` : `Add a label to ${what}`,
        },
        current || "Add label",
      ),
    );
  function edit() {
    const input = h("input", {
      type: "text",
      value: current,
      maxlength: 500,
      "aria-label": `Label of ${what}`,
      class: "small",
    });
    const error = h("span", { class: "error", role: "alert" });
    let closed = false;
    const close = (refocus) => {
      closed = true;
      show();
      if (refocus) node.querySelector("button").focus();
    };
    const store = async (refocus) => {
      if (closed) return;
      const text = input.value.trim();
      if (text === current) return close(refocus);
      closed = true;
      try {
        await save(text);
        current = text;
        close(refocus);
        announce("Label saved.");
      } catch (failure) {
        closed = false;
        setText(error, messageOf(failure));
      }
    };
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") store(true);
      if (event.key === "Escape") close(true);
    });
    input.addEventListener("blur", () => store(false));
    fill(node, input, error);
    input.focus();
    input.select();
  }
  show();
  return {
    node,
    update(text) {
      if (node.querySelector("input") || (text || "") === current) return;
      current = text || "";
      show();
    },
  };
}

/// Asks before something that cannot be taken back. Resolves to whether the answer was yes.
export function confirm({ title, text, yes, kind = "danger" }) {
  return new Promise((resolve) => {
    const titleId = newId("title");
    const dialog = h(
      "dialog",
      { "aria-labelledby": titleId },
      h("h2", { id: titleId }, title),
      h("p", {}, text),
      h(
        "div",
        { class: "actions" },
        button("Cancel", () => dialog.close(""), { kind: "" }),
        button(yes, () => dialog.close("yes"), { kind }),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/// A QR code of the text at the level that fits, or why there is none.
export function qrCode(text, label) {
  const rows = encode(text, { level: "M" }) || encode(text, { level: "L" });
  return rows
    ? qrSvg(rows, label)
    : h("p", { class: "note" }, "This is too large for one QR code. Download the file instead.");
}

const kToastTime = 8000;

export function dropToast(key) {
  for (const each of document.querySelectorAll(`#toasts [data-key="${CSS.escape(key)}"]`)) each.remove();
}

/// One line in the corner, read out by screen readers; `key` replaces an earlier one about the same thing.
export function toast({ text, href, tone = "", key }) {
  const box = document.getElementById("toasts");
  if (key) dropToast(key);
  const node = h(
    "div",
    { class: `toast ${tone}`, "data-key": key },
    href ? h("a", { href, onclick: () => node.remove() }, text) : h("span", {}, text),
    h("button", { type: "button", class: "close", "aria-label": "Dismiss", onclick: () => node.remove() }, "\u00d7"),
  );
  box.append(node);
  while (box.children.length > 4) box.firstChild.remove();
  let timer = setTimeout(() => node.remove(), kToastTime);
  node.addEventListener("pointerenter", () => clearTimeout(timer));
  node.addEventListener("focusin", () => clearTimeout(timer));
  node.addEventListener("pointerleave", () => {
    timer = setTimeout(() => node.remove(), 2000);
  });
}

/// For screen readers only.
function announce(text) {
  const region = document.getElementById("announcer");
  region.textContent = "";
  requestAnimationFrame(() => {
    region.textContent = text;
  });
}

export function emptyState(title, text, action) {
  return h("div", { class: "empty" }, h("p", { class: "empty-title" }, title), text && h("p", {}, text), action);
}

export function errorBox(error, retry) {
  return h(
    "div",
    { class: "notice bad", role: "alert" },
    h("p", {}, messageOf(error)),
    retry && button("Try again", retry),
  );
}

/// A table in a box that scrolls by itself if it must: the page never does. columns: [{name, num, hide}]. `fold`: narrow
/// screens show each row as a card.
export function table(caption, columns, tbody, { fold = true } = {}) {
  return h(
    "div",
    { class: "table-box" },
    h(
      "table",
      { class: fold && "fold" },
      h("caption", { class: "hidden" }, caption),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          columns.map((column) =>
            h("th", { scope: "col", class: [column.num && "num", column.hide].filter(Boolean).join(" ") }, column.name),
          ),
        ),
      ),
      tbody,
    ),
  );
}

export function facts(...pairs) {
  return h(
    "dl",
    { class: "facts" },
    pairs.filter(Boolean).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

/// A heading that takes the focus when a step of a form begins.
export function heading(text) {
  return h("h2", { tabindex: -1 }, text);
}
