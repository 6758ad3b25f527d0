// The question for the token: asked once, then a cookie that scripts cannot read stands for it.
import { api } from "./api.js";
import { h } from "./dom.js";
import { button, field, messageOf } from "./ui.js";

export function loginView({ note, network, entered }) {
  const token = field(
    "Access token",
    h("input", {
      type: "password",
      name: "password",
      autocomplete: "current-password",
      spellcheck: "false",
      required: true,
    }),
    {
      hint: [
        "It is in the file ",
        h("code", {}, `DATADIR/${network || "NETWORK"}/serve.token`),
        " on the server, or in the file given with ",
        h("code", {}, "--token-file"),
        ".",
      ],
    },
  );
  const submit = button("Open", null, { kind: "primary", type: "submit" });
  // Password managers want a name to store the token under.
  const user = h("input", {
    type: "text",
    name: "username",
    autocomplete: "username",
    value: "spv",
    hidden: true,
    "aria-hidden": "true",
  });
  const form = h(
    "form",
    {
      class: "card",
      novalidate: true,
      onsubmit: (event) => {
        event.preventDefault();
        send();
      },
    },
    user,
    token.node,
    h("div", { class: "actions" }, submit),
  );

  async function send() {
    const text = token.control.value.trim();
    if (!text) return fail("Enter the token.");
    submit.disabled = true;
    try {
      await api.login(text);
      await entered();
    } catch (error) {
      fail(error.status === 401 ? "This is not the token of this server." : messageOf(error));
    }
    submit.disabled = false;
  }
  function fail(text) {
    token.fail(text);
    token.control.focus();
    token.control.select();
  }
  queueMicrotask(() => token.control.focus());
  return {
    title: "Log in",
    node: h(
      "div",
      { class: "login" },
      h("img", { src: "icon.svg", alt: "", width: 56, height: 56 }),
      h("h1", {}, "spv"),
      h("p", { class: "muted", role: "status" }, note || "Wallets followed by your own server"),
      form,
    ),
  };
}
