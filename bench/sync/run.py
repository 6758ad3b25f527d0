#!/usr/bin/env python3
"""The end-to-end sync benchmark: spv against a bare client (the floor) and a real bitcoind; see docs/bench.md."""
import argparse
import contextlib
import dataclasses
import fcntl
import json
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import table as goals
from bcoin import bcoin_row
from chains import Chain, cache_folder
from clients import Clients, WrongResult
from nodes import Node, Proxy

ROUND_TRIP = 100  # milliseconds
WINDOWS = (50, 200, 1000, 4000)  # blocks
NAPS = (0, 1000)  # microseconds


@dataclass
class Tools:
    """Where the programs are."""
    build: pathlib.Path
    spv: str
    bitcoind: str

    def program(self, name):
        return next(str(path) for path in (self.build / name, self.build / "bench" / "sync" / name) if path.exists())


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the build folder with the programs")
    parser.add_argument("--bitcoind", required=True)
    parser.add_argument("--spv", help="another spv than the built one")
    parser.add_argument("--fp-rate", help="sync at this rate and not at spv's default")
    parser.add_argument("--quick", action="store_true", help="small chains and 2 rounds: does it work at all?")
    parser.add_argument("--rounds", type=int, help="default 5")
    parser.add_argument("--chain", choices=("A", "B"), help="only this one")
    parser.add_argument("--a-blocks", type=int, help="full blocks of chain A, default 2000")
    parser.add_argument("--a-txs", type=int, help="transactions in each, default 1000")
    parser.add_argument("--b-blocks", type=int, help="blocks of chain B, default 200000")
    parser.add_argument("--json", type=pathlib.Path, help="write every single run to this file")
    out = parser.parse_args()
    defaults = {"rounds": 2, "a_blocks": 200, "a_txs": 100, "b_blocks": 4000} if out.quick else \
               {"rounds": 5, "a_blocks": 2000, "a_txs": 1000, "b_blocks": 200_000}
    for name, value in defaults.items():
        if getattr(out, name) is None:
            setattr(out, name, value)
    out.spv = out.spv or str(out.build / "spv")
    return out


def interleaved(rounds, cases):
    """Runs every case once a round, in turn, so that a busy machine slows all of them alike."""
    runs = {name: [] for name in cases}
    for number in range(rounds):
        for name, case in cases.items():
            run = case()
            runs[name].append(run)
            print(f"  round {number + 1}, {name}: {run.wall:.3f} s, CPU {run.cpu:.3f} s, node {run.node_cpu:.2f} s, "
                  f"{run.out['bytes_in'] / 1e6:.2f} MB", file=sys.stderr, flush=True)
    return runs


def quickest_floor(floor):
    """The arguments with which the floor is quickest, by one run each: a window, then a nap before every read."""
    window = min(WINDOWS, key=lambda window: floor("--window", window).wall)
    return min((["--window", window, "--nap", nap] for nap in NAPS), key=lambda arguments: floor(*arguments).wall)


def floor_filter(clients, chain, nodes):
    """Arguments that give the floor a filter of the size and rate of spv's own."""
    used = clients.spv(nodes, [nodes[0].address], "kept").out["filter"]
    return ["--elements", clients.elements(chain, "kept"), "--pad", used["elements"], "--fp-rate", used["fp_target"]]


def measure_busy(tools, clients, chain, rounds):
    chain.folder(1)  # a copy of a folder that is in use could be torn
    with Node(tools, chain) as node, Node(tools, chain, 1) as second, Proxy(tools, node, ROUND_TRIP) as proxy:
        one, two = [node], [node, second]

        def through_proxy(run):
            return dataclasses.replace(run, waited=run.ended_at - proxy.last_byte_at())

        loaded = floor_filter(clients, chain, one)
        near = quickest_floor(lambda *arguments: clients.floor(one, node.address, *loaded, *arguments))
        far = quickest_floor(lambda *arguments: through_proxy(clients.floor(one, proxy.address, *loaded, *arguments)))

        off = ["--cross-check", "off"] if clients.spv_knows("--cross-check") else []
        cases = {
            "floor": lambda: clients.floor(one, node.address, *loaded, *near),
            "spv": lambda: clients.spv(one, [node.address], "kept"),
            "spv v1": lambda: clients.spv(one, [node.address], "kept", "--transport", "v1"),
            "spv spent": lambda: clients.spv(one, [node.address], "spent"),
            "spv two nodes": lambda: clients.spv(two, [node.address, second.address], "kept", *off),
            "floor far": lambda: through_proxy(clients.floor(one, proxy.address, *loaded, *far)),
            "spv far": lambda: through_proxy(clients.spv(one, [proxy.address], "kept")),
        }
        if clients.spv_knows("--source"):
            cases["floor blocks"] = lambda: clients.floor(one, node.address, "--blocks", "--window", 100)
            cases["spv blocks"] = lambda: clients.spv(one, [node.address], "kept", source="blocks")
        if clients.spv_knows("compact"):
            cases["spv compact"] = lambda: clients.spv(one, [node.address], "kept", source="compact")
        runs = interleaved(rounds, cases)
        runs["floor exact"] = [clients.floor(one, node.address, *loaded[:2], *loaded[4:], "--exact")]
        return runs, bcoin_row(clients, node, runs["spv"])


def measure_empty(tools, clients, chain, rounds):
    with Node(tools, chain) as node:
        one = [node]
        loaded = floor_filter(clients, chain, one)
        best = quickest_floor(lambda *arguments: clients.floor(one, node.address, *loaded, *arguments))
        cases = {
            "floor headers": lambda: clients.floor(one, node.address, "--headers-only"),
            "spv headers": lambda: clients.spv(one, [node.address], "kept", birthday=chain.height),
            "floor all": lambda: clients.floor(one, node.address, *loaded, *best),
            "spv all": lambda: clients.spv(one, [node.address], "kept"),
        }
        if clients.spv_knows("compact"):
            cases["spv compact"] = lambda: clients.spv(one, [node.address], "kept", source="compact")
        return interleaved(rounds, cases)


def write_runs(path, runs):
    path.write_text(json.dumps({chain: {name: [dataclasses.asdict(run) for run in case] for name, case in cases.items()}
                                for chain, cases in runs.items()}, indent=1))


def main():
    chosen = options()
    tools = Tools(chosen.build, chosen.spv, chosen.bitcoind)
    table, runs = goals.Table(), {}
    cache_folder().mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        lock = stack.enter_context(open(cache_folder() / "lock", "w", encoding="ascii"))
        fcntl.flock(lock, fcntl.LOCK_EX)  # two nodes cannot share a data folder
        scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="spv-bench-"))
        clients = Clients(tools, scratch, ["--fp-rate", chosen.fp_rate] if chosen.fp_rate else [])
        if chosen.chain != "B":
            chain = Chain(tools, chosen.a_blocks, chosen.a_txs, 100)
            runs["A"], bcoin = measure_busy(tools, clients, chain, chosen.rounds)
            goals.busy_rows(table, runs["A"], chain.about)
            if "spv blocks" in runs["A"]:
                goals.block_rows(table, runs["A"])
            if "spv compact" in runs["A"]:
                goals.compact_rows(table, runs["A"])
            table.add(*bcoin)
        if chosen.chain != "A":
            chain = Chain(tools, chosen.b_blocks, 0, 20)
            runs["B"] = measure_empty(tools, clients, chain, chosen.rounds)
            goals.empty_rows(table, runs["B"])
            if "spv compact" in runs["B"]:
                goals.empty_compact_rows(table, runs["B"])
        if len(runs) == 2:
            goals.memory_row(table, runs["A"], runs["B"])
    if chosen.json:
        write_runs(chosen.json, runs)
    print(table.text())


if __name__ == "__main__":
    try:
        main()
    except (WrongResult, subprocess.CalledProcessError) as error:
        sys.exit(f"bench sync: error: {error}")
