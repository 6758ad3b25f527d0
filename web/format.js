// Numbers, times and amounts as text. Amounts are whole satoshis, below 2^53, so a number holds them exactly.
import { h } from "./dom.js";
import { settings } from "./settings.js";

const kMinus = "\u2212";

export function grouped(number) {
  return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ",");
}

export function plural(count, one, many = one + "s") {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/// "1.50000000" or "150,000,000"; with `sign` also a plus.
export function amountText(sat, { sign = false, unit = settings.unit } = {}) {
  const digits = String(Math.abs(sat));
  const before = sat < 0 ? kMinus : sign && sat > 0 ? "+" : "";
  if (unit === "sat") return before + grouped(Math.abs(sat));
  const padded = digits.padStart(9, "0");
  return `${before}${grouped(Number(padded.slice(0, -8)))}.${padded.slice(-8)}`;
}

export function amountWithUnit(sat, options = {}) {
  return `${amountText(sat, options)} ${options.unit || settings.unit}`;
}

// The decimals stand in groups, 0.12 345 678, set apart by margins: copied text has no gaps.
function drawAmount(node, sat, sign) {
  const text = amountText(sat, { sign });
  const dot = text.indexOf(".");
  if (dot < 0) {
    node.replaceChildren(text);
    return;
  }
  const decimals = text.slice(dot + 1);
  const significant = decimals.replace(/0+$/, "").length;
  const parts = [
    [0, 2],
    [2, 5],
    [5, 8],
  ].map(([from, to]) => {
    const solid = Math.max(0, Math.min(to, significant) - from);
    const part = decimals.slice(from, to);
    return h("span", { class: "g" }, part.slice(0, solid), solid < part.length && h("i", {}, part.slice(solid)));
  });
  node.replaceChildren(text.slice(0, dot + 1), ...parts);
}

/// An amount that follows the unit chosen in the settings.
export function amount(sat, { sign = false, unit = false, tone = false } = {}) {
  const node = h("span", { class: "amount" });
  const number = h("span", { "data-sat": sat, "data-sign": sign });
  drawAmount(number, sat, sign);
  node.append(number);
  if (tone && sat > 0) node.classList.add("in");
  if (unit) node.append(" ", unitName());
  return node;
}

export function unitName() {
  return h("span", { class: "unit", "data-unit": true }, settings.unit);
}

export function redrawAmounts(root = document) {
  for (const node of root.querySelectorAll("[data-sat]")) {
    drawAmount(node, Number(node.dataset.sat), node.hasAttribute("data-sign"));
  }
  for (const node of root.querySelectorAll("[data-unit]")) node.textContent = settings.unit;
}

/// What a person typed, as {sat} or {error}. A comma is refused in BTC: for many "0,5" is a half, for others a mistake.
export function parseAmount(text, unit) {
  const typed = text.trim();
  if (typed === "") return { error: "Enter an amount." };
  const plain = unit === "sat" ? typed.replace(/(\d)[, ](?=\d{3}(?!\d))/g, "$1") : typed;
  const pattern = unit === "sat" ? /^\d{1,16}$/ : /^(\d{1,8}(\.\d{0,8})?|\.\d{1,8})$/;
  if (!pattern.test(plain)) {
    return {
      error: unit === "sat" ? "Enter a whole number of satoshis." : "Enter an amount in BTC with a point, like 0.015.",
    };
  }
  const [whole, decimals = ""] = plain.split(".");
  const sat = unit === "sat" ? Number(plain) : Number(whole || "0") * 1e8 + Number(decimals.padEnd(8, "0"));
  if (sat === 0) return { error: "The amount is zero." };
  if (sat > 21e14) return { error: "There are only 21 million BTC." };
  return { sat };
}

/// An amount for an input: what parseAmount() reads, without groups.
export function inputAmount(sat, unit) {
  return amountText(sat, { unit }).replaceAll(",", "");
}

const two = (number) => String(number).padStart(2, "0");

export function dateText(unix) {
  const date = new Date(unix * 1000);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export function clockText(unix, seconds = false) {
  const date = new Date(unix * 1000);
  return `${two(date.getHours())}:${two(date.getMinutes())}` + (seconds ? `:${two(date.getSeconds())}` : "");
}

export function timeText(unix) {
  return unix ? `${dateText(unix)} ${clockText(unix)}` : "\u2013";
}

export function time(unix) {
  if (!unix) return "\u2013";
  return h("time", { datetime: new Date(unix * 1000).toISOString() }, timeText(unix));
}

export function now() {
  return Date.now() / 1000;
}

/// "4 min": one unit, or two where the first is small.
export function duration(seconds) {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return plural(Math.floor(s / 86400), "day");
}

export function ago(unix) {
  const seconds = now() - unix;
  return seconds < 5 ? "just now" : `${duration(seconds)} ago`;
}

export function bytes(count) {
  if (count === null || count === undefined) return "\u2013";
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = count;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value < 10 ? value.toFixed(2) : value.toFixed(1)} ${units[unit]}`;
}

/// A rate of false positives: 0.000001 as "0.0001%", with "1 in 1,000,000" beside it where there is room.
export function rate(value) {
  if (value === null || value === undefined) return "\u2013";
  if (value === 0) return "0%";
  const percent = value * 100;
  const digits = Math.max(0, Math.min(8, 1 - Math.floor(Math.log10(percent))));
  return `${Number(percent.toFixed(digits))}%`;
}

export function oneIn(value) {
  return value > 0 ? `1 in ${grouped(1 / value)}` : "none";
}

export function feeRate(value) {
  return value === null || value === undefined ? "\u2013" : `${Number(value.toFixed(2))} sat/vB`;
}

/// The middle of a hash or an address is the part that nobody compares.
export function short(text, ends = 8) {
  return text.length <= 2 * ends + 1 ? text : `${text.slice(0, ends)}\u2026${text.slice(-ends)}`;
}

/// A hash or an address: shortened where it does not fit, whole in the title and when it is copied.
export function code(text, ends = 8) {
  if (!text) return "\u2013";
  return h("code", { title: text }, short(text, ends));
}
