// The nodes that serve this client, and what went to and from each.
import { api } from "./api.js";
import { listen } from "./data.js";
import { fill, h, keyed, setText } from "./dom.js";
import { electrumSection } from "./electrum.js";
import { ago, bytes, grouped, plural } from "./format.js";
import { chip, emptyState, errorBox, table } from "./ui.js";

const kEvery = 5000;

const kStates = {
  ready: ["Connected", "done"],
  handshake: ["Handshake", "pending"],
  connecting: ["Connecting", "pending"],
};
const kTransports = { v2: "encrypted (v2)", v1: "not encrypted (v1)" };

function servicesText(services) {
  if (Array.isArray(services)) return services.join(", ") || "none";
  if (typeof services !== "number") return String(services ?? "\u2013");
  const names = [
    [0, "NETWORK"],
    [2, "BLOOM"],
    [3, "WITNESS"],
    [6, "COMPACT_FILTERS"],
    [10, "NETWORK_LIMITED"],
    [11, "P2P_V2"],
  ];
  return (
    names
      .filter(([bit]) => Math.floor(services / 2 ** bit) % 2 === 1)
      .map(([, name]) => name)
      .join(", ") || "none"
  );
}

function peerRow() {
  const cells = [
    ["State"],
    ["Transport"],
    ["Height", "num"],
    ["Received", "num"],
    ["Sent", "num"],
    ["Last answer", "num"],
  ].map(([title, kind]) => h("td", { class: kind, "data-name": title }));
  const name = h("th", { scope: "row" });
  const node = h("tr", {}, name, cells);
  return {
    node,
    update(peer) {
      fill(
        name,
        h("span", { class: "strong break" }, peer.address),
        h("span", { class: "sub" }, peer.user_agent || "unknown software"),
      );
      fill(cells[0], chip(...(kStates[peer.state] || [peer.state])));
      fill(
        cells[1],
        h(
          "span",
          {},
          h(
            "span",
            { class: peer.transport === "v2" ? "" : "pending" },
            kTransports[peer.transport] || peer.transport || "\u2013",
          ),
          h("span", { class: "sub" }, servicesText(peer.services)),
        ),
      );
      setText(cells[2], peer.height === null || peer.height === undefined ? "\u2013" : grouped(peer.height));
      setText(cells[3], bytes(peer.bytes_in));
      setText(cells[4], bytes(peer.bytes_out));
      setText(cells[5], peer.last_answer ? ago(peer.last_answer) : "\u2013");
    },
  };
}

export function peersView(scope) {
  const body = h("tbody", {});
  const count = h("p", { class: "muted" });
  const trouble = h("div", {});
  const grid = table(
    "Peers",
    [
      { name: "Peer" },
      { name: "State" },
      { name: "Transport and services" },
      { name: "Height", num: true },
      { name: "Received", num: true },
      { name: "Sent", num: true },
      { name: "Last answer", num: true },
    ],
    body,
  );
  const none = emptyState("No peers connected", "The server keeps looking for nodes that serve bloom filters (BIP37).");
  none.hidden = grid.hidden = true;
  const electrum = electrumSection();
  async function load() {
    if (document.hidden) return;
    try {
      const { peers } = await api.get("/v1/peers", scope.signal);
      await electrum.load(scope.signal);
      fill(trouble);
      keyed(body, peers, (peer) => peer.address, peerRow);
      grid.hidden = peers.length === 0;
      none.hidden = peers.length > 0;
      const encrypted = peers.filter((peer) => peer.transport === "v2").length;
      setText(
        count,
        peers.length
          ? `${plural(peers.length, "peer")}, ${encrypted === peers.length ? "all" : grouped(encrypted)} encrypted`
          : "",
      );
    } catch (error) {
      if (!scope.signal.aborted && !body.children.length) fill(trouble, errorBox(error, load));
    }
  }
  scope.every(kEvery, load);
  listen(scope, "connection", load);
  load();
  return {
    title: "Peers",
    node: h(
      "div",
      { class: "stack-view" },
      h("div", {}, h("h1", {}, "Peers"), count),
      trouble,
      grid,
      none,
      h(
        "p",
        { class: "note" },
        "An encrypted connection (BIP324) hides from others on the way what is asked. What the peer itself learns: see ",
        h("a", { href: "#/filter" }, "Filter"),
        ".",
      ),
      electrum.node,
    ),
  };
}
