#!/usr/bin/env python3
"""This spv beside an earlier one and bcoin: the same wallet, chain and node, in turn; see docs/bench.md."""
import argparse
import contextlib
import fcntl
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from statistics import median

from bcoin import SCRIPT
from chains import Chain, cache_folder
from clients import Clients, WrongResult
from nodes import Node
from run import Tools

HEAD = ("client", "time", "CPU", "node's CPU", "peak memory", "received", "balance")
SOURCES = {"filter": "bloom filter", "blocks": "whole blocks", "compact": "compact filters"}


@dataclass
class Candidate:
    """One client: its name, one run of it, or why it cannot run."""
    name: str
    run: object = None
    why_not: str = ""


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the build folder with the programs")
    parser.add_argument("--bitcoind", required=True)
    parser.add_argument("--old", nargs=2, metavar=("NAME", "PROGRAM"), action="append", default=[],
                        help="an earlier spv")
    parser.add_argument("--quick", action="store_true", help="a small chain and 1 round: does it work at all?")
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def bcoin_candidate(clients, node):
    """What keeps it from running is found by trying."""
    try:
        about = subprocess.run(["node", str(SCRIPT), "--check"], check=True, capture_output=True, text=True).stdout
    except OSError as error:
        return Candidate("bcoin", why_not=f"no node: {error.strerror}")
    except subprocess.CalledProcessError as error:
        reasons = [line for line in error.stderr.splitlines() if "Error" in line] or ["it does not load"]
        return Candidate("bcoin", why_not=reasons[0])
    return Candidate(f"bcoin {about.strip()}", lambda: clients.bcoin([node], SCRIPT))


def candidates(tools, chosen, scratch, node):
    for name, program in [("spv, this tree", tools.spv), *chosen.old]:
        clients = Clients(Tools(tools.build, program, tools.bitcoind), scratch, [])
        for source, words in SOURCES.items():
            yield Candidate(f"{name}, {words}", lambda clients=clients, source=source: clients.spv(
                [node], [node.address], "kept", source=source))
    yield bcoin_candidate(Clients(tools, scratch, []), node)


def measure(found, rounds):
    """In turn, so that a busy machine slows all of them alike. Who fails once is out, and the table says why."""
    runs = {each.name: [] for each in found}
    for _ in range(rounds):
        for each in found:
            if each.why_not:
                continue
            try:
                runs[each.name].append(each.run())
            except WrongResult as error:
                each.why_not = str(error).rpartition("exit ")[2] or str(error)
    return runs


def balance_of(run, expected):
    """What it found; spv that finds another balance has failed before."""
    found = run.out.get("balance_sat", expected)
    return "right" if found == expected else f"{found / 1e8:.8f} of {expected / 1e8:.8f} BTC"


def row(each, runs, expected):
    if each.why_not:
        return (each.name, f"does not run: {each.why_not}"[:90], "", "", "", "", "")
    middle = lambda cost: median(cost(run) for run in runs)  # noqa: E731
    return (each.name, f"{middle(lambda run: run.wall):.2f} s", f"{middle(lambda run: run.cpu):.2f} s",
            f"{middle(lambda run: run.node_cpu):.2f} s", f"{middle(lambda run: run.peak_kib) / 1024:.0f} MiB",
            f"{middle(lambda run: run.out['bytes_in']) / 1e6:.2f} MB", balance_of(runs[-1], expected))


def text(rows):
    widths = [max(len(line[column]) for line in rows) for column in range(len(HEAD))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def main():
    chosen = options()
    tools = Tools(chosen.build, str(chosen.build / "spv"), chosen.bitcoind)
    size = (200, 100, 100) if chosen.quick else (2000, 1000, 100)
    cache_folder().mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        lock = stack.enter_context(open(cache_folder() / "lock", "w", encoding="ascii"))
        fcntl.flock(lock, fcntl.LOCK_EX)  # two nodes cannot share a data folder
        scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="spv-bench-"))
        chain = Chain(tools, *size)
        node = stack.enter_context(Node(tools, chain))
        found = list(candidates(tools, chosen, scratch, node))
        runs = measure(found, 1 if chosen.quick else chosen.rounds)
    expected = chain.about["wallets"]["kept"]["balance_sat"]
    print(f"{chain.height} blocks, 100 payments to one wallet; the median of each column")
    print(text([HEAD, *(row(each, runs[each.name], expected) for each in found)]))


if __name__ == "__main__":
    try:
        main()
    except (WrongResult, subprocess.CalledProcessError) as error:
        sys.exit(f"bench compare: error: {error}")
