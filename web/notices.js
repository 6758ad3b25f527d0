// Events as short messages. A burst, as while a wallet is scanned for the first time, becomes one message with a count.
import { data, listen } from "./data.js";
import { amountWithUnit, grouped, plural } from "./format.js";
import { walletHref } from "./shell.js";
import { dropToast, toast } from "./ui.js";

const kBurst = 3;
const kQuiet = 2000;

const bursts = new Map(); // by wallet: which transactions of late

function countOf({ wallet, txid }) {
  const burst = bursts.get(wallet) || { txids: new Set(), timer: null };
  bursts.set(wallet, burst);
  burst.txids.add(txid);
  clearTimeout(burst.timer);
  burst.timer = setTimeout(() => bursts.delete(wallet), kQuiet);
  return burst.txids.size;
}

function textOf(event) {
  const size = amountWithUnit(Math.abs(event.net_sat));
  const incoming = event.net_sat >= 0;
  switch (event.state) {
    case "confirmed":
      return `${incoming ? "Received" : "Sent"} ${size} \u2013 confirmed in block ${grouped(event.height)}`;
    case "unconfirmed":
      return `${incoming ? "Receiving" : "Sending"} ${size} \u2013 unconfirmed`;
    case "conflicted":
      return `${size} can no longer confirm: another transaction spent the same coins`;
    case "forgotten":
      return `${size} is no longer counted: no peer has announced it for 2,016 blocks`;
    case "locked":
      return `${size} is not allowed in a block yet`;
    case "abandoned":
      return `The payment of ${size} was abandoned`;
    default:
      return `${size}: ${event.state}`;
  }
}

function tellTransaction(event) {
  const count = countOf(event);
  const tone = event.state === "confirmed" ? "good" : event.state === "unconfirmed" ? "pending" : "bad";
  if (count > kBurst) {
    for (const txid of bursts.get(event.wallet).txids) dropToast(txid);
    toast({
      key: `burst:${event.wallet}`,
      text: `${plural(count, "transaction")} changed in ${event.wallet}`,
      href: walletHref(event.wallet),
    });
    return;
  }
  const named = data.wallets.size > 1 ? `${event.wallet}: ` : "";
  toast({ key: event.txid, tone, text: named + textOf(event), href: walletHref(event.wallet, "tx", event.txid) });
}

export function watchNotices(scope) {
  listen(scope, "event", (event) => {
    if (event.type === "tx") tellTransaction(event);
    if (event.type === "reorg") {
      toast({
        key: "reorg",
        tone: "bad",
        text: `Reorganisation: the chain changed after block ${grouped(event.fork_height)}. Payments above it are checked again.`,
      });
    }
    if (event.type === "wallet" && event.state === "synced") {
      toast({ key: `wallet:${event.wallet}`, text: `${event.wallet} is synced`, href: walletHref(event.wallet) });
    }
  });
}
