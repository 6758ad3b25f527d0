// Filter health: how well the bloom filter hides the wallets, what it costs, who has it, and what that reveals.
import { api } from "./api.js";
import { data, listen } from "./data.js";
import { fill, h } from "./dom.js";
import { ago, bytes, grouped, oneIn, plural, rate } from "./format.js";
import { bar, logPlot, stackedBar } from "./chart.js";
import { emptyState, errorBox, table } from "./ui.js";

const kEvery = 10_000;

const kCauses = [
  ["headers", "Headers"],
  ["filtered_blocks", "Filtered blocks"],
  ["blocks", "Whole blocks"],
  ["transactions", "Transactions"],
  ["filters", "Filters"],
  ["addresses", "Peer addresses"],
  ["other", "Other"],
];

function tile(name, value, note, tone = "") {
  return h(
    "div",
    { class: `tile ${tone}` },
    h("dt", {}, name),
    h("dd", {}, value),
    h("dd", { class: "tile-note" }, note),
  );
}

const sum = (list, pick) => list.reduce((total, each) => total + (pick(each) || 0), 0);

/// Few observations say little: within three standard deviations it may be chance.
function verdict(filter) {
  const { fp_observed: observed, fp_target: target, transactions } = filter;
  if (observed === null || observed === undefined || !transactions) return ["Nothing to compare yet.", ""];
  const expected = target * transactions;
  if (filter.false_positives > expected + 3 * Math.sqrt(expected) + 3)
    return ["Above the target: the peers' copies are fuller than planned. They are replaced by fresh ones.", "bad"];
  if (observed > target) return ["Close to the target; within what chance explains.", "good"];
  return ["Within the target.", "good"];
}

function tiles(filter) {
  const [text, tone] = verdict(filter);
  const fullest = Math.max(0, ...filter.filters.map((each) => each.fill || 0));
  return h(
    "dl",
    { class: "tiles" },
    tile(
      "False positives, observed",
      rate(filter.fp_observed),
      `${grouped(filter.false_positives)} of ${plural(filter.transactions, "transaction")}. ${text}`,
      tone,
    ),
    tile("Target", rate(filter.fp_target), filter.fp_target ? oneIn(filter.fp_target) : "no filter is used"),
    tile(
      "Elements",
      grouped(sum(filter.filters, (each) => each.elements)),
      `in ${plural(filter.filters.length, "filter")}, ${bytes(sum(filter.filters, (each) => each.bytes))}`,
    ),
    tile(
      "Fill",
      filter.filters.length ? `${Math.round(fullest * 100)}%` : "\u2013",
      "of the bits are set; 50% is the best use",
    ),
  );
}

/// In plain words, with the numbers of this server.
function reveals(filter) {
  const holders = filter.sent.filter((each) => each.loads > 0);
  const most = Math.max(0, ...holders.map((each) => each.distinct));
  const others = Math.round((filter.fp_target || 0) * 1e9);
  const points = [];
  if (holders.length === 0) {
    points.push("No peer has a filter of yours. Nobody learns your addresses from this server.");
  } else {
    points.push(`${plural(
      holders.length,
      "peer has",
      "peers have",
    )} a filter of yours. Each can test any address against it. Your addresses match,
        and of a billion others about ${grouped(others)} match by chance.`);
    points.push(
      most > 1
        ? `One peer has seen ${grouped(most)} different filters. It can compare them: what matches all of them is more likely to be yours, and what only the later ones match was added in between.`
        : "No peer has seen more than one filter, so none can compare two to find out which matches are chance.",
    );
    points.push(
      "A peer also sees your IP address (or that of your proxy), when you are online, and which transactions it sent you.",
    );
    points.push(
      "The best protection is your own node: then only you learn your addresses. Without one, --source compact sends no filter: peers see only which blocks you fetch.",
    );
  }
  return h(
    "section",
    { class: "card reveals", "aria-labelledby": "reveals" },
    h("h2", { id: "reveals" }, "What the filters reveal"),
    h(
      "ul",
      {},
      points.map((point) => h("li", {}, point)),
    ),
  );
}

function overTime(scope, filter) {
  const samples = filter.samples || [];
  const series = [
    {
      name: "Observed",
      tone: "a",
      points: samples
        .filter((each) => each.fp_observed !== null)
        .map((each) => ({ time: each.time, value: each.fp_observed })),
    },
    {
      name: "Expected from the fill",
      tone: "b",
      points: samples
        .filter((each) => each.fp_expected !== null)
        .map((each) => ({ time: each.time, value: each.fp_expected })),
    },
  ].filter((each) => each.points.length > 1);
  const plot =
    series.length && filter.fp_target
      ? logPlot(scope, {
          label: `False positive rate over time. Observed ${rate(filter.fp_observed)}, target ${rate(filter.fp_target)}.`,
          series,
          text: rate,
          height: 270,
          level: { name: "Target", value: filter.fp_target },
        })
      : emptyState("Not enough samples yet", "The rate over time appears here after some blocks.");
  return h(
    "section",
    { class: "card", "aria-labelledby": "fp-title" },
    h("h2", { id: "fp-title" }, "False positive rate over time"),
    plot,
  );
}

function traffic(sync) {
  const causes = sync && sync.bytes && sync.bytes.by_cause;
  if (!causes) return null;
  const known = new Set(kCauses.map(([id]) => id));
  const names = [
    ...kCauses,
    ...Object.keys(causes)
      .filter((id) => !known.has(id))
      .map((id) => [id, id]),
  ];
  const valueOf = (value) =>
    typeof value === "object" && value !== null ? (value.in || 0) + (value.out || 0) : value || 0;
  const parts = names.map(([id, name], index) => ({
    name,
    value: valueOf(causes[id]),
    tone: String.fromCharCode(97 + (index % 7)),
  }));
  return h(
    "section",
    { class: "card", "aria-labelledby": "bytes-title" },
    h("h2", { id: "bytes-title" }, "Bytes by cause"),
    h("p", { class: "muted" }, `${bytes(sync.bytes.in)} received, ${bytes(sync.bytes.out)} sent since the start`),
    stackedBar({ label: "Bytes by cause", parts, text: bytes }),
  );
}

function byPeer(filter) {
  if (!filter.sent.length) return null;
  const most = Math.max(1, ...filter.sent.map((each) => each.distinct));
  const rows = filter.sent.map((each) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, each.peer),
      h("td", { class: "bar-cell" }, bar(each.distinct, most, each.distinct > 1 ? "b" : "a")),
      h("td", { class: "num", "data-name": "Distinct" }, grouped(each.distinct)),
      h("td", { class: "num", "data-name": "Loads" }, grouped(each.loads)),
      h("td", { class: "num", "data-name": "Bytes" }, bytes(each.bytes)),
      h("td", { class: "num", "data-name": "Last" }, each.last ? ago(each.last) : "\u2013"),
    ),
  );
  return h(
    "section",
    { class: "card", "aria-labelledby": "sent-title" },
    h("h2", { id: "sent-title" }, "Who has your filters"),
    h(
      "p",
      { class: "muted" },
      "Distinct filters are what a peer can compare. The same filter sent again reveals nothing new.",
    ),
    table(
      "Filters sent, by peer",
      [
        { name: "Peer" },
        { name: h("span", { class: "hidden" }, "Distinct, as a bar") },
        { name: "Distinct", num: true },
        { name: "Loads", num: true },
        { name: "Bytes", num: true },
        { name: "Last", num: true },
      ],
      h("tbody", {}, rows),
    ),
  );
}

function filterTable(filter) {
  if (!filter.filters.length) return null;
  const rows = filter.filters.map((each, index) =>
    h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        `Filter ${index + 1}`,
        h(
          "span",
          { class: "sub" },
          each.wallets !== undefined &&
            plural(Array.isArray(each.wallets) ? each.wallets.length : each.wallets, "wallet"),
        ),
      ),
      h("td", { class: "num", "data-name": "Size" }, bytes(each.bytes)),
      h("td", { class: "num", "data-name": "Hash functions" }, grouped(each.hash_funcs)),
      h(
        "td",
        { class: "num", "data-name": "Elements" },
        grouped(each.elements),
        each.decoys ? h("span", { class: "sub" }, `${grouped(each.decoys)} decoys`) : null,
      ),
      h("td", { class: "bar-cell" }, bar(each.fill, 1, each.fill > 0.55 ? "b" : "a")),
      h("td", { class: "num", "data-name": "Fill" }, `${Math.round(each.fill * 100)}%`),
      h("td", { class: "num", "data-name": "Expected rate" }, rate(each.fp_expected)),
    ),
  );
  return h(
    "section",
    { class: "card", "aria-labelledby": "filters-title" },
    h("h2", { id: "filters-title" }, "Filters in use"),
    table(
      "Filters in use",
      [
        { name: "Filter" },
        { name: "Size", num: true },
        { name: "Hash functions", num: true },
        { name: "Elements", num: true },
        { name: h("span", { class: "hidden" }, "Fill, as a bar") },
        { name: "Fill", num: true },
        { name: "Expected rate", num: true },
      ],
      h("tbody", {}, rows),
    ),
  );
}

export function filterView(scope) {
  const content = h("div", { class: "stack-view inner" });
  let shown = "";
  let drawn = null;
  async function load() {
    if (document.hidden) return;
    try {
      const [filter, sync] = await Promise.all([
        api.get("/v1/filter", scope.signal),
        api.get("/v1/sync", scope.signal).catch(() => null),
      ]);
      const text = JSON.stringify([filter, sync && sync.bytes]);
      if (text === shown) return;
      shown = text;
      if (sync) data.sync = sync;
      show({ filters: [], sent: [], samples: [], ...filter }, sync);
    } catch (error) {
      if (scope.signal.aborted || shown) return;
      if (error.status === 404) fill(content, emptyState("This server does not report its filters"));
      else fill(content, errorBox(error, load));
    }
  }
  function show(filter, sync) {
    // Plots watch their width; those that are replaced must not go on doing so.
    if (drawn) drawn.close();
    drawn = new scope.constructor();
    fill(
      content,
      tiles(filter),
      reveals(filter),
      h("div", { class: "flow" }, overTime(drawn, filter), traffic(sync)),
      byPeer(filter),
      filterTable(filter),
    );
  }
  scope.add(() => drawn && drawn.close());
  scope.every(kEvery, load);
  listen(scope, "connection", load);
  load();
  return {
    title: "Filter",
    node: h(
      "div",
      { class: "stack-view" },
      h(
        "div",
        {},
        h("h1", {}, "Filter health"),
        h(
          "p",
          { class: "muted" },
          "To get only the transactions that may be yours, the server gives each peer a bloom filter: a set that contains your addresses, and by chance others.",
        ),
      ),
      content,
    ),
  };
}
