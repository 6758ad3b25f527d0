// What plots share: ticks, the scale of time, and drawing again when the width changes.
import { s } from "./dom.js";
import { clockText } from "./format.js";

const kMonths = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const kDay = 86400;

/// 1, 2 or 5 times a power of ten: about `count` steps up to `span`.
export function niceStep(span, count) {
  const raw = Math.max(span / count, 1e-12);
  const power = 10 ** Math.floor(Math.log10(raw));
  const lead = raw / power;
  return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

const kTimeSteps = [
  60,
  300,
  900,
  1800,
  3600,
  3 * 3600,
  6 * 3600,
  12 * 3600,
  kDay,
  2 * kDay,
  7 * kDay,
  14 * kDay,
  30 * kDay,
  61 * kDay,
  91 * kDay,
  182 * kDay,
  365 * kDay,
  730 * kDay,
  1826 * kDay,
];

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
export function responsive(scope, node, draw) {
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

export const kMargin = { top: 10, right: 8, bottom: 22, left: 8 };

/// A range of time as wide as the plot; a single moment gets the hour before it.
export function timeScale(points, width, left) {
  let from = points[0].time;
  let to = points.at(-1).time;
  if (to - from < 60) from = to - 3600;
  const pad = (to - from) * 0.02;
  [from, to] = [from - pad, to + pad];
  return { from, to, x: (time) => left + ((time - from) / (to - from)) * (width - left - kMargin.right) };
}

export function timeAxis(scale, width, height) {
  const count = Math.max(3, Math.floor(width / 110));
  return timeTicks(scale.from, scale.to, count).map(({ at, text }) => {
    const x = Math.min(Math.max(scale.x(at), 24), width - 24);
    return s("text", { class: "tick", x, y: height - 6, "text-anchor": "middle" }, text);
  });
}
