// The page of `spv serve`: session, routes, and what lies around the views. Views are functions (scope, ...arguments) that
// return {title, node}; their scope ends when the next one comes.
import { api, watchApi } from "./api.js";
import { data, emit, listen, loadStatus, loadWallets, quietly } from "./data.js";
import { Scope, fill, h } from "./dom.js";
import { redrawAmounts } from "./format.js";
import { heardNow, startLive, stopLive, watchConnection } from "./live.js";
import { watchNotices } from "./notices.js";
import { loginView } from "./login.js";
import { makeShell } from "./shell.js";
import { watchSync } from "./sync.js";
import { errorBox } from "./ui.js";
import { overviewView } from "./overview.js";
import { addWalletView } from "./addwallet.js";
import { walletView } from "./wallet.js";
import { transactionView } from "./transaction.js";
import { peersView } from "./peers.js";
import { filterView } from "./filter.js";
import { settingsView } from "./preferences.js";

const main = document.getElementById("main");
const rail = document.getElementById("rail");
const forever = new Scope();
let view = null;
let signedIn = false;

const kRoutes = [
  [/^\/$/, overviewView],
  [/^\/add$/, addWalletView],
  [/^\/wallet\/([^/]+)\/tx\/([0-9a-f]{64})$/, transactionView],
  [/^\/wallet\/([^/]+)(?:\/(coins|addresses|send|manage))?$/, walletView],
  [/^\/peers$/, peersView],
  [/^\/filter$/, filterView],
  [/^\/settings$/, (scope) => settingsView(scope, signOut)],
];

function routeOf(hash) {
  const path = hash.replace(/^#/, "").split("?")[0] || "/";
  for (const [pattern, make] of kRoutes) {
    const match = pattern.exec(path);
    if (match) return (scope) => make(scope, ...match.slice(1).map((part) => part && decodeURIComponent(part)));
  }
  return () => ({
    title: "Not found",
    node: h("div", {}, h("h1", {}, "Not found"), h("p", {}, h("a", { href: "#/" }, "Back to the overview"))),
  });
}

function open(make, { focus = true } = {}) {
  if (view) view.close();
  view = new Scope();
  const { title, node } = make(view);
  fill(main, node);
  document.title = title ? `${title} \u00b7 spv` : "spv";
  if (focus) main.focus({ preventScroll: true });
  scrollTo(0, 0);
}

function route(options) {
  if (!signedIn) return;
  open(routeOf(location.hash), options);
  emit("route");
}

async function enter() {
  await loadStatus(); // alone: one that is refused asks for the token
  await loadWallets();
  signedIn = true;
  rail.hidden = false;
  document.body.classList.remove("out");
  startLive();
  route({ focus: false });
}

function askForToken(note) {
  signedIn = false;
  stopLive();
  rail.hidden = true;
  document.body.classList.add("out");
  open(() => loginView({ note, network: data.status && data.status.network, entered: enter }), { focus: false });
}

async function signOut() {
  await quietly(api.delete("/v1/session"));
  askForToken("You are logged out.");
}

async function start() {
  try {
    await enter();
  } catch (error) {
    if (error.status === 401) return askForToken();
    document.body.classList.add("out");
    fill(
      main,
      h(
        "div",
        { class: "login" },
        errorBox(error, () => {
          fill(main);
          start();
        }),
      ),
    );
  }
}

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
watchApi({
  unauthorized: () => signedIn && askForToken("Your session has ended. Enter the token again."),
  answer: heardNow,
});
makeShell(forever, rail, document.getElementById("banner"));
watchConnection();
watchNotices(forever);
watchSync(forever);
listen(forever, "unit", () => redrawAmounts());
addEventListener("hashchange", () => route());
start();
