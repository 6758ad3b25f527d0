// Plots as SVG: the balance over time, lines on a logarithmic scale, a stacked bar, bars. They are drawn for the width they
// have, and again when that or the unit changes. What a plot shows can also be read: by keyboard, in a legend or a table.
import { h, s, fill, setText } from "./dom.js";
import { amountText, clockText, dateText, timeText } from "./format.js";
import { listen } from "./data.js";
import { settings } from "./settings.js";

const kMonths = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const kDay = 86400;

/// 1, 2 or 5 times a power of ten: about `count` steps up to `span`.
function niceStep(span, count) {
  const raw = Math.max(span / count, 1e-12);
  const power = 10 ** Math.floor(Math.log10(raw));
  const lead = raw / power;
  return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

const kTimeSteps = [60, 300, 900, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, kDay, 2 * kDay, 7 * kDay, 14 * kDay,
    30 * kDay,
                    61 * kDay, 91 * kDay, 182 * kDay, 365 * kDay, 730 * kDay, 1826 * kDay];

function tickText(time, step) {
  const date = new Date(time * 1000);
  if (step < kDay) return clockText(time);
  if (step < 30 * kDay) return `${date.getDate()} ${kMonths[date.getMonth()]}`;
  return step < 365 * kDay ? `${kMonths[date.getMonth()]} ${date.getFullYear()}` : String(date.getFullYear());
}

/// Local midnights, firsts of months or years, or round minutes, within the range.
function timeTicks(from, to, count) {
  const step = kTimeSteps.find((each) => (to - from) / each <= count) || kTimeSteps.at(-1);
  const ticks = [];
  const start = new Date(from * 1000);
  if (step < kDay) start.setMinutes(0, 0, 0);
  else start.setHours(0, 0, 0, 0);
  if (step >= 30 * kDay) start.setDate(1);
  if (step >= 365 * kDay) start.setMonth(0);
  for (let i = 0; i < 400; i += 1) {
    const at = start.getTime() / 1000;
    if (at > to) break;
    if (at >= from) ticks.push({ at, text: tickText(at, step) });
    if (step >= 30 * kDay) start.setMonth(start.getMonth() + Math.round(step / (30.4 * kDay)));
    else if (step >= kDay) start.setDate(start.getDate() + step / kDay);
    else start.setTime(start.getTime() + step * 1000);
  }
  return ticks;
}

/// Calls `draw(width)` now and whenever the width changes, while the scope lasts.
function responsive(scope, node, draw) {
  let width = 0;
  const observer = new ResizeObserver(() => {
    const now = Math.floor(node.clientWidth);
    if (now === 0 || now === width) return;
    width = now;
    draw(width);
  });
  observer.observe(node);
  scope.add(() => observer.disconnect());
  return () => width && draw(width);
}

function axisAmount(sat) {
  if (settings.unit === "sat") return sat >= 1e6 ? `${sat / 1e6} M` : amountText(sat);
  return String(Number((sat / 1e8).toFixed(8)));
}

const kMargin = { top: 10, right: 8, bottom: 22, left: 8 };

/// A range of time as wide as the plot; a single moment gets an hour on both sides.
function timeScale(points, width, left) {
  let from = points[0].time;
  let to = points.at(-1).time;
  if (to - from < 60) [from, to] = [from - 1800, to + 1800];
  const pad = (to - from) * 0.02;
  [from, to] = [from - pad, to + pad];
  return { from, to, x: (time) => left + ((time - from) / (to - from)) * (width - left - kMargin.right) };
}

function timeAxis(scale, width, height) {
  const count = Math.max(3, Math.floor(width / 110));
  return timeTicks(scale.from, scale.to, count).map(({ at, text }) => {
    const x = Math.min(Math.max(scale.x(at), 24), width - 24);
    return s("text", { class: "tick", x, y: height - 6, "text-anchor": "middle" }, text);
  });
}

/// The balance as steps. points: [{time, balance, net, pending, text}], oldest first.
export function balanceChart(scope, { height = 190 } = {}) {
  const plot = h("div", { class: "plot", tabindex: 0, role: "slider", "aria-label": "Balance over time",
                          "aria-orientation": "horizontal", "aria-valuemin": 0 });
  const readout = h("p", { class: "readout", "aria-hidden": "true" });
  const node = h("figure", { class: "chart" }, readout, plot);
  let points = [];
  let chosen = null;
  let layout = null;

  function draw(width) {
    plot.setAttribute("aria-valuemax", Math.max(0, points.length - 1));
    if (points.length === 0) {
      layout = null;
      fill(plot);
      return;
    }
    layout = layoutOf(points, width, height);
    fill(plot, drawSteps(points, layout, width, height));
    mark();
  }
  function mark() {
    if (!layout) return;
    const index = chosen === null ? points.length - 1 : Math.min(chosen, points.length - 1);
    const point = points[index];
    plot.classList.toggle("choosing", chosen !== null);
    layout.cursor.setAttribute("d", `M${layout.scale.x(point.time)} ${kMargin.top}V${height - kMargin.bottom}`);
    layout.dot.setAttribute("cx", layout.scale.x(point.time));
    layout.dot.setAttribute("cy", layout.y(point.balance));
    const text = `${timeText(point.time)}  ${amountText(point.net, { sign: true })}  balance ` +
                 `${amountText(point.balance)} ${settings.unit}${point.pending ? "  unconfirmed" : ""}`;
    setText(readout, chosen === null ? rangeText(points) : text);
    plot.setAttribute("aria-valuenow", index);
    plot.setAttribute("aria-valuetext", text);
  }
  function choose(index) {
    chosen = index;
    mark();
  }
  plot.addEventListener("pointermove", (event) => {
    if (layout) choose(nearest(points, layout.scale, event.clientX - plot.getBoundingClientRect().left));
  });
  plot.addEventListener("pointerleave", () => choose(document.activeElement === plot ? chosen : null));
  plot.addEventListener("blur", () => choose(null));
  plot.addEventListener("keydown", (event) => {
    const next = keyStep(event.key, chosen ?? points.length - 1, points.length);
    if (next === null) return;
    event.preventDefault();
    choose(next);
  });
  const redraw = responsive(scope, plot, draw);
  listen(scope, "unit", redraw);
  return {
    node,
    update(now) {
      points = now;
      redraw();
    },
  };
}

function keyStep(key, at, count) {
  const steps = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, PageDown: at - 10,
                  PageUp: at + 10, Home: 0, End: count - 1 };
  if (!(key in steps) || count === 0) return null;
  return Math.max(0, Math.min(count - 1, steps[key]));
}

function rangeText(points) {
  const from = dateText(points[0].time);
  const to = dateText(points.at(-1).time);
  return from === to ? `Balance on ${from}` : `Balance from ${from} to ${to}`;
}

function nearest(points, scale, x) {
  let best = 0;
  points.forEach((point, i) => {
    if (Math.abs(scale.x(point.time) - x) <= Math.abs(scale.x(points[best].time) - x)) best = i;
  });
  return best;
}

function layoutOf(points, width, height) {
  const most = Math.max(...points.map((point) => point.balance), 1);
  const step = niceStep(most, 3);
  const top = Math.ceil(most / step) * step;
  const left = 10 + 7 * Math.max(axisAmount(top).length, axisAmount(step).length);
  const inner = height - kMargin.top - kMargin.bottom;
  return {
    left, step, top,
    scale: timeScale(points, width, left),
    y: (balance) => kMargin.top + (1 - Math.max(0, balance) / top) * inner,
    cursor: s("path", { class: "cursor" }),
    dot: s("circle", { class: "dot", r: 4 }),
  };
}

function stepPath(points, layout) {
  return points.map((point, i) => {
    const x = layout.scale.x(point.time).toFixed(1);
    const y = layout.y(point.balance).toFixed(1);
    return i === 0 ? `M${x} ${y}` : `H${x}V${y}`;
  }).join("");
}

function drawSteps(points, layout, width, height) {
  const bottom = height - kMargin.bottom;
  const right = width - kMargin.right;
  const grid = [];
  for (let value = 0; value <= layout.top; value += layout.step) {
    const y = layout.y(value);
    grid.push(s("path", { class: value === 0 ? "axis" : "gridline", d: `M${layout.left} ${y}H${right}` }),
              s("text", { class: "tick", x: layout.left - 8, y: y + 4, "text-anchor": "end" }, axisAmount(value)));
  }
  const firstPending = points.findIndex((point) => point.pending);
  const settled = firstPending < 0 ? points : points.slice(0, firstPending);
  // The balance was zero before the first transaction known, or what it was before the page of history that is loaded.
  const before = { time: layout.scale.from, balance: points[0].balance - points[0].net };
  const line = [before, ...settled];
  const last = firstPending < 0 ? right : layout.scale.x(points[firstPending].time);
  const solid = `${stepPath(line, layout)}H${last.toFixed(1)}`;
  const pending = firstPending < 0 ? null
    : `${stepPath([line.at(-1), ...points.slice(firstPending)].map((each, i) =>
      (i === 0 ? { ...each, time: points[firstPending].time } : each)), layout)}H${right}`;
  return s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, grid,
           timeAxis(layout.scale, width, height),
           s("path", { class: "area", d: `${solid}V${bottom}H${layout.left}Z` }),
           s("path", { class: "line", d: solid }),
           pending && s("path", { class: "line pending", d: pending }),
           layout.cursor, layout.dot);
}

/// Lines over time on a logarithmic scale. series: [{name, tone, points: [{time, value}]}]; `level`: {name, value}.
export function logPlot(scope, { label, series, level, height = 200, text }) {
  const plot = h("div", { class: "plot" });
  const legend = h("ul", { class: "legend" }, series.map((each) =>
    h("li", {}, swatch(each.tone), each.name)), level && h("li", {}, swatch("level"), level.name));
  const draw = (width) => fill(plot, drawLog({ label, series, level, text }, width, height));
  responsive(scope, plot, draw);
  return h("figure", { class: "chart" }, plot, legend);
}

function swatch(tone) {
  return s("svg", { class: `swatch tone-${tone}`, viewBox: "0 0 12 12", "aria-hidden": "true" },
           s("rect", { width: 12, height: 12, rx: 2 }));
}

function drawLog({ label, series, level, text }, width, height) {
  const values = series.flatMap((each) => each.points.map((point) => point.value)).filter((value) => value > 0);
  if (level) values.push(level.value);
  const low = Math.floor(Math.log10(Math.min(...values))) - 0.3;
  const high = Math.ceil(Math.log10(Math.max(...values))) + 0.3;
  const inner = height - kMargin.top - kMargin.bottom;
  const left = 66;
  // Nothing observed has no logarithm: it lies on the axis.
  const y = (value) => kMargin.top + (value > 0 ? 1 - (Math.log10(value) - low) / (high - low) : 1) * inner;
  const scale = timeScale(series.flatMap((each) => each.points).sort((a, b) => a.time - b.time), width, left);
  const grid = [];
  for (let power = Math.ceil(low); power <= high; power += 1) {
    grid.push(s("path", { class: "gridline", d: `M${left} ${y(10 ** power)}H${width - kMargin.right}` }),
              s("text", { class: "tick", x: left - 8, y: y(10 ** power) + 4, "text-anchor": "end" },
                  text(10 ** power)));
  }
  const paths = series.map((each) => s("path", {
    class: `line tone-${each.tone}`,
    d: each.points.map((point, i) =>
        `${i ? "L" : "M"}${scale.x(point.time).toFixed(1)} ${y(point.value).toFixed(1)}`).join(""),
  }));
  return s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, grid,
           timeAxis(scale, width, height),
           s("path", { class: "axis", d: `M${left} ${height - kMargin.bottom}H${width - kMargin.right}` }),
           level && s("path", { class: "line tone-level", d: `M${left} ${y(level.value)}H${width - kMargin.right}` }),
               paths);
}

/// One bar of parts: [{name, value, tone}], with a table of the same as its legend.
export function stackedBar({ label, parts, text }) {
  const sum = parts.reduce((total, part) => total + part.value, 0) || 1;
  let at = 0;
  const blocks = parts.filter((part) => part.value > 0).map((part) => {
    const x = (at / sum) * 1000;
    at += part.value;
    return s("rect", { class: `tone-${part.tone}`, x, width: Math.max(2, (part.value / sum) * 1000 - 2), height: 24 });
  });
  const rows = parts.map((part) => h("tr", {}, h("th", { scope: "row" }, swatch(part.tone), part.name),
                                     h("td", { class: "num" }, text(part.value)),
                                     h("td", { class: "num muted" }, `${((100 * part.value) / sum).toFixed(1)}%`)));
  return h("figure", { class: "chart" },
           s("svg", { class: "stack", viewBox: "0 0 1000 24", preserveAspectRatio: "none", role: "img",
               "aria-label": label },
             blocks),
           h("table", { class: "plain" }, h("caption", { class: "hidden" }, label),
             h("thead", { class: "hidden" }, h("tr", {}, ["Cause", "Bytes",
                 "Share"].map((each) => h("th", { scope: "col" }, each)))),
             h("tbody", {}, rows)));
}

/// A horizontal bar for use in a table cell.
export function bar(value, most, tone = "a") {
  return s("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
           s("rect", { class: "track", width: 100, height: 10 }),
           s("rect", { class: `tone-${tone}`, width: most > 0 ? Math.max(1, (100 * value) / most) : 0, height: 10 }));
}
