"""The goals of the sync benchmark, row by row: what is measured, what is wanted, what was reached."""
from statistics import median


class Table:
    """Rows of (measure, goal, reached, met); `met` is None where there is no goal to meet."""

    def __init__(self):
        self.rows = []

    def add(self, measure, goal, reached, met=None):
        self.rows.append((measure, goal, reached, {True: "met", False: "not met", None: ""}[met]))

    def at_most(self, measure, limit, ratio, detail="", against="floor"):
        self.add(measure, f"<= {limit:.2f}x {against}", f"{ratio:.2f}x{detail}", ratio <= limit)

    def text(self):
        rows = [("measure", "goal", "reached", "met?"), *self.rows]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]
        lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
        return "\n".join(lines)


def ratio(runs, base, cost=lambda run: run.wall):
    """The median over the rounds: what ran in one round saw the same load."""
    return median(cost(run) / cost(other) for run, other in zip(runs, base))


def times(runs, base):
    """What stands behind a ratio: how far the rounds lie apart, and the quickest run of each side."""
    ratios = [run.wall / other.wall for run, other in zip(runs, base)]
    best, best_base = min(run.wall for run in runs), min(run.wall for run in base)
    return f" ({min(ratios):.2f} to {max(ratios):.2f}; the best {best:.2f} s and {best_base:.2f} s)"


def peak_mib(runs):
    return max(run.peak_kib for run in runs) / 1024


def cpu_share(runs):
    return median(run.cpu / run.node_cpu for run in runs if run.node_cpu > 0)


def busy_rows(table, runs, about):
    """Chain A: full blocks."""
    floor, spv = runs["floor"], runs["spv"]
    table.at_most("chain A, one node, exec to exit (v2)", 1.05, ratio(spv, floor), times(spv, floor))
    table.at_most("the same, v1 as the floor", 1.05, ratio(runs["spv v1"], floor), times(runs["spv v1"], floor))
    table.at_most("the same, half of the coins spent again", 1.05, ratio(runs["spv spent"], floor),
                  times(runs["spv spent"], floor))
    far, spv_far = runs["floor far"], runs["spv far"]
    table.at_most("the same, 100 ms round trip", 1.10, ratio(spv_far, far), times(spv_far, far), "its floor")
    two = runs["spv two nodes"]
    table.at_most("chain A, two nodes", 0.58, ratio(two, floor), times(two, floor), "one-node floor")
    share = cpu_share(spv)
    detail = f" ({median(r.cpu for r in spv):.2f} s; the floor {100 * cpu_share(floor):.1f}%)"
    table.add("client CPU on chain A", "<= 3% of the node's", f"{100 * share:.1f}%{detail}", share <= 0.03)
    message_rows(table, runs, about)
    ending = median(run.waited for run in spv_far)
    table.add("from the last byte to the exit", "<= 50 ms", f"{1e3 * ending:.0f} ms", ending <= 0.05)


def message_rows(table, runs, about):
    spv = [run for name in ("spv", "spv v1", "spv far", "spv spent") for run in runs[name]]
    # The genesis block, which every client knows, may be asked for or not.
    once = all(r.out["answers"] - about["height"] in (0, 1) for r in spv)
    rescans = max(r.out["rescans"] for r in spv)
    asked = max(r.out["answers"] for r in spv)
    table.add("merkleblocks; rescans", "one a block; 0", f"{asked} for {about['height']}; {rescans}",
              once and rescans == 0)
    two = median(r.out["answers"] for r in runs["spv two nodes"]) / about["height"]
    table.add("the same, two nodes", "<= 1.03 a block", f"{two:.2f} a block", two <= 1.03)
    # What matches by chance depends on the tweak of each filter.
    for names, wallet in ((("spv", "spv v1", "spv far"), "kept"), (("spv spent",), "spent")):
        own = about["wallets"][wallet]["transactions"]
        got = [r.out["matched_txs"] for name in names for r in runs[name]]
        table.add(f"tx messages, coins {wallet}", f"<= 1.2x {own}",
                  f"{median(got) / own:.2f}x ({min(got)} to {max(got)})", median(got) <= 1.2 * own)
    bytes_in = lambda run: run.out["bytes_in"]
    table.at_most("bytes in", 1.05, ratio(runs["spv"], runs["floor"], bytes_in),
                  f" ({median(map(bytes_in, runs['spv'])) / 1e6:.2f} MB)")
    ours, bare = max(map(bytes_in, runs["spv"])), bytes_in(runs["floor"][0])
    exact = runs["floor exact"][0].out
    table.add("bytes where an exactly sized filter runs away", "ours does not",
              f"{ours / 1e6:.2f} MB against {exact['bytes_in'] / 1e6:.1f} MB ({exact['txs']} tx)", ours <= 2 * bare)


def block_rows(table, runs):
    """Chain A by whole blocks, once spv can do that."""
    spv = runs["spv blocks"]
    table.at_most("chain A, whole blocks", 0.22, ratio(spv, runs["floor"]), times(spv, runs["floor"]), "filtered floor")
    bare = runs["floor blocks"]
    table.at_most("chain A, whole blocks", 1.20, ratio(spv, bare), times(spv, bare), "bare client")


def compact_rows(table, runs):
    """Chain A by compact filters."""
    spv, floor = runs["spv compact"], runs["floor"]
    table.at_most("chain A, compact filters", 0.12, ratio(spv, floor), times(spv, floor), "filtered floor")
    cpu = median(run.cpu for run in spv)
    low, high = min(run.cpu for run in spv), max(run.cpu for run in spv)
    table.add("the same, client CPU", "<= 0.3 s", f"{cpu:.2f} s ({low:.2f} to {high:.2f})", cpu <= 0.3)
    size = median(run.out["bytes_in"] for run in spv) / 1e6
    table.add("the same, blocks fetched; bytes in", "", f"{max(run.out['blocks'] for run in spv)}; {size:.1f} MB")
    compact_memory_row(table, "A", spv)


def empty_compact_rows(table, runs):
    """Chain B by compact filters."""
    spv, filtered = runs["spv compact"], runs["spv all"]
    table.at_most("chain B, compact filters", 0.5, ratio(spv, filtered), times(spv, filtered), "filtered scan")
    compact_memory_row(table, "B", spv)


def compact_memory_row(table, chain, spv):
    peak = peak_mib(spv)
    table.add(f"chain {chain}, compact filters, peak RSS", "<= 32 MiB", f"{peak:.1f} MiB", peak <= 32)


def empty_rows(table, runs):
    """Chain B: many empty blocks."""
    for name, limit, what in (("headers", 1.3, "chain B, headers only"), ("all", 1.05, "chain B, all blocks")):
        spv, floor = runs[f"spv {name}"], runs[f"floor {name}"]
        table.at_most(what, limit, ratio(spv, floor), times(spv, floor))


def memory_row(table, busy, empty):
    a = peak_mib([*busy["spv"], *busy["spv spent"]])
    b = peak_mib([*empty["spv all"], *empty["spv headers"]])
    table.add("peak RSS", "<= 24 MiB on A, 40 on B", f"{a:.1f} MiB, {b:.1f} MiB", a <= 24 and b <= 40)
