// The balance over time as steps, to be read by pointer, keyboard (a slider) and screen reader.
import { h, s, fill, setText } from "./dom.js";
import { amountText, dateText, timeText } from "./format.js";
import { kMargin, niceStep, responsive, timeAxis, timeScale } from "./axes.js";
import { listen } from "./data.js";
import { settings } from "./settings.js";

function axisAmount(sat) {
  if (settings.unit === "sat") return sat >= 1e6 ? `${sat / 1e6} M` : amountText(sat);
  return String(Number((sat / 1e8).toFixed(8)));
}

/// The balance as steps. points: [{time, balance, net, pending, text}], oldest first.
export function balanceChart(scope, { height = 190 } = {}) {
  const plot = h("div", {
    class: "plot",
    tabindex: 0,
    role: "slider",
    "aria-label": "Balance over time",
    "aria-orientation": "horizontal",
    "aria-valuemin": 0,
  });
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
    const text =
      `${timeText(point.time)}  ${amountText(point.net, { sign: true })}  balance ` +
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
  const steps = {
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    PageDown: at - 10,
    PageUp: at + 10,
    Home: 0,
    End: count - 1,
  };
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
    left,
    step,
    top,
    scale: timeScale(points, width, left),
    y: (balance) => kMargin.top + (1 - Math.max(0, balance) / top) * inner,
    cursor: s("path", { class: "cursor" }),
    dot: s("circle", { class: "dot", r: 4 }),
  };
}

function stepPath(points, layout) {
  return points
    .map((point, i) => {
      const x = layout.scale.x(point.time).toFixed(1);
      const y = layout.y(point.balance).toFixed(1);
      return i === 0 ? `M${x} ${y}` : `H${x}V${y}`;
    })
    .join("");
}

function drawSteps(points, layout, width, height) {
  const bottom = height - kMargin.bottom;
  const right = width - kMargin.right;
  const grid = [];
  for (let value = 0; value <= layout.top; value += layout.step) {
    const y = layout.y(value);
    grid.push(
      s("path", { class: value === 0 ? "axis" : "gridline", d: `M${layout.left} ${y}H${right}` }),
      s("text", { class: "tick", x: layout.left - 8, y: y + 4, "text-anchor": "end" }, axisAmount(value)),
    );
  }
  const firstPending = points.findIndex((point) => point.pending);
  const settled = firstPending < 0 ? points : points.slice(0, firstPending);
  // The balance was zero before the first transaction known, or what it was before the page of history that is loaded.
  const before = { time: layout.scale.from, balance: points[0].balance - points[0].net };
  const line = [before, ...settled];
  const last = firstPending < 0 ? right : layout.scale.x(points[firstPending].time);
  const solid = `${stepPath(line, layout)}H${last.toFixed(1)}`;
  const pending =
    firstPending < 0
      ? null
      : `${stepPath(
          [line.at(-1), ...points.slice(firstPending)].map((each, i) =>
            i === 0 ? { ...each, time: points[firstPending].time } : each,
          ),
          layout,
        )}H${right}`;
  return s(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    grid,
    timeAxis(layout.scale, width, height),
    s("path", { class: "area", d: `${solid}V${bottom}H${layout.left}Z` }),
    s("path", { class: "line", d: solid }),
    pending && s("path", { class: "line pending", d: pending }),
    layout.cursor,
    layout.dot,
  );
}
