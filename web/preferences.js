// Settings of this browser, and what this server is.
import { data, emit, listen } from "./data.js";
import { fill, h } from "./dom.js";
import { saveTheme, saveUnit, settings } from "./settings.js";
import { button, choice, facts } from "./ui.js";

export function settingsView(scope, signOut) {
  const about = h("div", {});
  const show = () =>
    fill(
      about,
      facts(
        ["Version", data.status.version],
        ["Network", data.status.network],
        ["Newest event", String(data.status.events)],
        ["API", h("a", { href: "/v1/openapi.json" }, "OpenAPI document")],
      ),
    );
  listen(scope, "status", show);
  show();
  return {
    title: "Settings",
    node: h(
      "div",
      { class: "stack-view narrow" },
      h("h1", {}, "Settings"),
      h(
        "section",
        { class: "card", "aria-label": "Display" },
        h("h2", {}, "Display"),
        choice(
          "Amounts in",
          [
            ["BTC", "BTC"],
            ["sat", "sat"],
          ],
          settings.unit,
          (unit) => {
            saveUnit(unit);
            emit("unit");
          },
        ),
        choice(
          "Theme",
          [
            ["system", "System"],
            ["light", "Light"],
            ["dark", "Dark"],
          ],
          settings.theme,
          saveTheme,
        ),
        h("p", { class: "note" }, "Stored in this browser only."),
      ),
      h(
        "section",
        { class: "card", "aria-label": "About" },
        h("h2", {}, "About"),
        about,
        h(
          "p",
          { class: "note" },
          "This page talks to nobody but this server. Keys never enter or leave it: spending goes through PSBTs.",
        ),
      ),
      h(
        "section",
        { class: "card", "aria-label": "Session" },
        h("h2", {}, "Session"),
        h("p", { class: "muted" }, "Logging out ends the session of this browser. The token stays valid."),
        h("div", { class: "actions start" }, button("Log out", signOut)),
      ),
    ),
  };
}
