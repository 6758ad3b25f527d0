// The wallet programs that are connected by the Electrum protocol, and what they ask for that is not here.
import { api } from "./api.js";
import { fill, h, keyed, setText } from "./dom.js";
import { grouped } from "./format.js";
import { table } from "./ui.js";

function clientRow() {
  const cells = [["Protocol"], ["Addresses", "num"], ["Note"]].map(([title, kind]) =>
    h("td", { class: kind, "data-name": title }),
  );
  const name = h("th", { scope: "row" });
  return {
    node: h("tr", {}, name, cells),
    update(client) {
      fill(
        name,
        h("span", { class: "strong break" }, client.user_agent || "unknown software"),
        h("span", { class: "sub" }, client.address),
      );
      setText(cells[0], client.protocol || "\u2013");
      setText(cells[1], grouped(client.subscriptions));
      setText(cells[2], client.not_followed ? "It asks for a wallet that is not followed. Add the wallet here." : "");
    },
  };
}

/** A section that stays hidden while nobody can connect; load() brings it up to date. */
export function electrumSection() {
  const body = h("tbody", {});
  const place = h("p", { class: "muted" });
  const grid = table(
    "Electrum clients",
    [{ name: "Client" }, { name: "Protocol" }, { name: "Addresses", num: true }, { name: "Note" }],
    body,
  );
  const node = h("section", { class: "stack-view" }, h("h2", {}, "Electrum clients"), place, grid);
  node.hidden = true;
  return {
    node,
    async load(signal) {
      const { listening, clients } = await api.get("/v1/electrum", signal);
      node.hidden = listening === null;
      grid.hidden = clients.length === 0;
      setText(place, `Wallets connect to ${listening}${clients.length ? "" : "; none is connected"}`);
      keyed(body, clients, (client) => client.address, clientRow);
    },
  };
}
