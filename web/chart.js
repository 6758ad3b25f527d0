// Plots of the filter's health as SVG: lines on a logarithmic scale, a stacked bar, bars. What a plot shows can also be
// read, in a legend or a table.
import { h, s, fill } from "./dom.js";
import { kMargin, responsive, timeAxis, timeScale } from "./axes.js";

/// Lines over time on a logarithmic scale. series: [{name, tone, points: [{time, value}]}]; `level`: {name, value}.
export function logPlot(scope, { label, series, level, height = 200, text }) {
  const plot = h("div", { class: "plot" });
  const legend = h(
    "ul",
    { class: "legend" },
    series.map((each) => h("li", {}, swatch(each.tone), each.name)),
    level && h("li", {}, swatch("level"), level.name),
  );
  const draw = (width) => fill(plot, drawLog({ label, series, level, text }, width, height));
  responsive(scope, plot, draw);
  return h("figure", { class: "chart" }, plot, legend);
}

function swatch(tone) {
  return s(
    "svg",
    { class: `swatch tone-${tone}`, viewBox: "0 0 12 12", "aria-hidden": "true" },
    s("rect", { width: 12, height: 12, rx: 2 }),
  );
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
  const scale = timeScale(
    series.flatMap((each) => each.points).sort((a, b) => a.time - b.time),
    width,
    left,
  );
  const grid = [];
  for (let power = Math.ceil(low); power <= high; power += 1) {
    grid.push(
      s("path", { class: "gridline", d: `M${left} ${y(10 ** power)}H${width - kMargin.right}` }),
      s("text", { class: "tick", x: left - 8, y: y(10 ** power) + 4, "text-anchor": "end" }, text(10 ** power)),
    );
  }
  const paths = series.map((each) =>
    s("path", {
      class: `line tone-${each.tone}`,
      d: each.points
        .map((point, i) => `${i ? "L" : "M"}${scale.x(point.time).toFixed(1)} ${y(point.value).toFixed(1)}`)
        .join(""),
    }),
  );
  return s(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    grid,
    timeAxis(scale, width, height),
    s("path", { class: "axis", d: `M${left} ${height - kMargin.bottom}H${width - kMargin.right}` }),
    level && s("path", { class: "line tone-level", d: `M${left} ${y(level.value)}H${width - kMargin.right}` }),
    paths,
  );
}

/// One bar of parts: [{name, value, tone}], with a table of the same as its legend.
export function stackedBar({ label, parts, text }) {
  const sum = parts.reduce((total, part) => total + part.value, 0) || 1;
  let at = 0;
  const blocks = parts
    .filter((part) => part.value > 0)
    .map((part) => {
      const x = (at / sum) * 1000;
      at += part.value;
      return s("rect", {
        class: `tone-${part.tone}`,
        x,
        width: Math.max(2, (part.value / sum) * 1000 - 2),
        height: 24,
      });
    });
  const rows = parts.map((part) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, swatch(part.tone), part.name),
      h("td", { class: "num" }, text(part.value)),
      h("td", { class: "num muted" }, `${((100 * part.value) / sum).toFixed(1)}%`),
    ),
  );
  return h(
    "figure",
    { class: "chart" },
    s(
      "svg",
      { class: "stack", viewBox: "0 0 1000 24", preserveAspectRatio: "none", role: "img", "aria-label": label },
      blocks,
    ),
    h(
      "table",
      { class: "plain" },
      h("caption", { class: "hidden" }, label),
      h(
        "thead",
        { class: "hidden" },
        h(
          "tr",
          {},
          ["Cause", "Bytes", "Share"].map((each) => h("th", { scope: "col" }, each)),
        ),
      ),
      h("tbody", {}, rows),
    ),
  );
}

/// A horizontal bar for use in a table cell.
export function bar(value, most, tone = "a") {
  return s(
    "svg",
    { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: "track", width: 100, height: 10 }),
    s("rect", { class: `tone-${tone}`, width: most > 0 ? Math.max(1, (100 * value) / most) : 0, height: 10 }),
  );
}
