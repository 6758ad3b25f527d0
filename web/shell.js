// What stays on the screen: navigation with the wallets, the state of the connection, and the banner when it is lost.
import { data, listen } from "./data.js";
import { fill, h, keyed, setText } from "./dom.js";
import { ago, amount, clockText, grouped } from "./format.js";
import { connection, retryNow } from "./live.js";
import { button } from "./ui.js";

const kMostShown = 12;

function link(href, text, icon) {
  return h(
    "a",
    { href, class: "nav-link" },
    h("span", { class: `glyph ${icon}`, "aria-hidden": "true" }),
    h("span", {}, text),
  );
}

function walletRow(wallet) {
  const total = h("span", { class: "nav-amount" });
  const node = h(
    "li",
    {},
    h(
      "a",
      { class: "nav-link wallet-link", href: walletHref(wallet.name) },
      h("span", { class: "nav-name" }, wallet.name),
      total,
    ),
  );
  let shown = null;
  return {
    node,
    update(now) {
      if (shown === now.balance.total_sat) return;
      shown = now.balance.total_sat;
      fill(total, amount(shown));
    },
  };
}

export function walletHref(name, ...rest) {
  return ["#/wallet", encodeURIComponent(name), ...rest].join("/");
}

function markCurrent(root) {
  const here = location.hash || "#/";
  for (const each of root.querySelectorAll("a.nav-link")) {
    const href = each.getAttribute("href");
    const current = href === "#/" ? here === "#/" : here === href || here.startsWith(href + "/");
    if (current) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  }
}

export function makeShell(scope, rail, banner) {
  const network = h("span", { class: "network" });
  const wallets = h("ul", { class: "wallet-links" });
  const all = h("a", { class: "nav-link", href: "#/", hidden: true });
  const live = h("p", { class: "live-bar" });
  fill(
    rail,
    h(
      "a",
      { href: "#/", class: "brand", "aria-label": "spv, overview" },
      h("img", { src: "icon.svg", alt: "", width: 28, height: 28 }),
      h("span", {}, "spv"),
      network,
    ),
    h(
      "nav",
      { "aria-label": "Main", class: "nav" },
      link("#/", "Overview", "overview"),
      h(
        "div",
        { class: "nav-wallets" },
        h("p", { class: "nav-heading", id: "nav-wallets" }, "Wallets"),
        h(
          "div",
          { role: "group", "aria-labelledby": "nav-wallets" },
          wallets,
          all,
          link("#/add", "Add a wallet", "add"),
        ),
      ),
      link("#/peers", "Peers", "peers"),
      link("#/filter", "Filter", "filter"),
      link("#/settings", "Settings", "settings"),
    ),
    live,
  );

  const showWallets = () => {
    const names = [...data.wallets.values()];
    keyed(wallets, names.slice(0, kMostShown), (wallet) => wallet.name, walletRow);
    all.hidden = names.length <= kMostShown;
    all.textContent = `All ${grouped(names.length)} wallets`;
    markCurrent(rail);
  };
  const showStatus = () => {
    if (!data.status) return;
    setText(network, data.status.network === "main" ? "mainnet" : data.status.network);
    network.classList.toggle("test", !/^main/.test(data.status.network));
    showLive(live);
  };
  listen(scope, "wallets", showWallets);
  listen(scope, "status", showStatus);
  listen(scope, "route", () => markCurrent(rail));
  listen(scope, "connection", () => {
    showLive(live);
    showBanner(banner);
  });
  scope.every(10_000, () => showLive(live));
}

const kStates = { live: "Live", connecting: "Connecting", lost: "Offline", off: "Offline", asleep: "Paused" };

function showLive(node) {
  const status = data.status;
  const height = status && status.height !== null ? `Block ${grouped(status.height)}` : "No blocks yet";
  const age = status && status.tip_time ? ago(status.tip_time) : "";
  fill(
    node,
    h("span", { class: `pulse ${connection.state}`, "aria-hidden": "true" }),
    h("span", { class: "live-state" }, kStates[connection.state]),
    h("span", { class: "live-tip" }, height, age && h("span", { class: "live-age" }, age)),
  );
}

let wasLost = false;

function showBanner(banner) {
  if (connection.state === "lost" && !wasLost) {
    wasLost = true;
    banner.hidden = false;
    banner.classList.remove("good");
    fill(
      banner,
      h(
        "span",
        {},
        h("strong", {}, "Connection lost."),
        " Reconnecting\u2026 ",
        connection.heard && `Showing data from ${clockText(connection.heard, true)}.`,
      ),
      button("Retry now", retryNow, { kind: "quiet" }),
    );
  } else if (connection.state === "live" && wasLost) {
    wasLost = false;
    banner.classList.add("good");
    fill(banner, h("span", {}, "Connected again."));
    setTimeout(() => {
      if (!wasLost) banner.hidden = true;
    }, 3000);
  } else if (connection.state === "off") {
    wasLost = false;
    banner.hidden = true;
  }
}
