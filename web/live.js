// The event stream: each event is applied once, and only what it concerns is read again. A lost connection is shown with
// the time of the data on the screen, tried again with growing pauses, and resumed after the last event seen.
import { api } from "./api.js";
import { data, emit, forgetWallet, loadStatus, loadWallet, quietly, reloadAll } from "./data.js";
import { now } from "./format.js";

const kFirstPause = 500;
const kLongestPause = 10_000;
const kAliveEvery = 15_000;
const kSleepAfter = 60_000;

export const connection = {
  state: "off", // off, connecting, live, lost, asleep
  heard: null, // when the server last answered or sent an event
};

let source = null;
let seq = 0;
let pause = kFirstPause;
let timer = null;
let opened = false; // the present stream has been open; one that never opens may be refused (410)
let refusals = 0;

function setState(state) {
  if (connection.state === state) return;
  connection.state = state;
  emit("connection");
}

export function heardNow() {
  connection.heard = now();
}

/// From the newest event of the status that is on the screen.
export function startLive() {
  seq = data.status.events || 0;
  setState("connecting");
  open();
}

export function stopLive() {
  clearTimeout(timer);
  timer = null;
  if (source) source.close();
  source = null;
  setState("off");
}

function open() {
  clearTimeout(timer);
  timer = null;
  if (source) source.close();
  opened = false;
  source = new EventSource(`/v1/events/stream?after=${seq}`);
  source.onopen = onOpen;
  source.onerror = lose;
  for (const type of ["tx", "tip", "reorg", "wallet"]) source.addEventListener(type, receive);
  source.onmessage = receive;
}

function onOpen() {
  opened = true;
  refusals = 0;
  pause = kFirstPause;
  heardNow();
  setState("live");
}

/// Not left to the browser, which gives up for good at an answer like 503.
function lose() {
  if (connection.state === "off" || connection.state === "asleep") return;
  if (source) source.close();
  if (source && !opened) refusals += 1;
  source = null;
  setState("lost");
  if (timer) return;
  timer = setTimeout(reconnect, pause);
  pause = Math.min(2 * pause, kLongestPause);
}

async function reconnect() {
  timer = null;
  try {
    await loadStatus();
  } catch {
    lose(); // a session that ended has stopped all this by now
    return;
  }
  if (connection.state === "off") return;
  // The server is there: an older number (a new database) or one that is refused (events no longer kept) cannot resume.
  if (data.status.events < seq || refusals > 1) {
    seq = data.status.events;
    refusals = 0;
    await quietly(reloadAll());
  }
  open();
}

/// A browser has six connections for a server: tabs that nobody looks at must not hold them all.
function sleep() {
  if (!document.hidden || connection.state !== "live") return;
  setState("asleep");
  source.close();
  source = null;
}

export function retryNow() {
  if (connection.state !== "lost" && connection.state !== "asleep") return;
  if (connection.state === "asleep") setState("connecting");
  clearTimeout(timer);
  pause = kFirstPause;
  timer = setTimeout(reconnect, 0);
}

function receive(message) {
  heardNow();
  const event = JSON.parse(message.data);
  if (event.seq <= seq) return;
  seq = event.seq;
  apply(event);
  emit("event", event);
}

function apply(event) {
  if (event.type === "tx") {
    quietly(loadWallet(event.wallet));
    const history = data.histories.get(event.wallet);
    if (history) quietly(history.refresh());
  } else if (event.type === "tip") {
    if (data.status) data.status.height = event.height;
    emit("status");
    quietly(loadStatus());
    // Mined coins mature without an event of their own.
    for (const wallet of data.wallets.values()) if (wallet.balance.immature_sat !== 0) quietly(loadWallet(wallet.name));
  } else if (event.type === "reorg") {
    quietly(loadStatus()); // each transaction that it changed has an event of its own
  } else if (event.type === "wallet") {
    quietly(loadStatus());
    if (event.state === "removed") forgetWallet(event.wallet);
    else quietly(loadWallet(event.wallet));
  }
}

// A computer that slept, or a cable that was pulled, leaves a stream that never ends: ask whether the server is there.
async function checkAlive() {
  if (document.hidden || connection.state !== "live") return;
  try {
    await Promise.race([api.text("/healthz"), new Promise((_, fail) => setTimeout(fail, 5000))]);
  } catch {
    lose();
  }
}

export function watchConnection() {
  setInterval(checkAlive, kAliveEvery);
  addEventListener("online", retryNow);
  addEventListener("offline", lose);
  let sleepTimer = null;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(sleepTimer);
    if (document.hidden) {
      sleepTimer = setTimeout(sleep, kSleepAfter);
      return;
    }
    retryNow();
    checkAlive();
  });
}
