#!/usr/bin/env python3
"""Syncs 1 and 1,000 watch-only wallets over the same 2,000 blocks of a real bitcoind, by filters and by whole blocks.

usage: many_wallets.py PROGRAM [WALLETSxSCRIPTS:filter|blocks ...]     PROGRAM: bench/many_wallets of a build

A hundred of the wallets are paid; a run that does not find exactly their payments fails.
"""
import json
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
from regtest import Node, find_bitcoind  # noqa: E402  pylint: disable=wrong-import-position

BLOCKS = 2_000
PAID = 100
RUNS = ["1x100:filter", "1x20000:filter", "1000x100:filter", "1x100:blocks", "1x20000:blocks", "1000x100:blocks",
        "1000x1000:blocks"]


def run(program, data, node, wallets, scripts, way):
    return subprocess.run([program, data, node.address, str(wallets), str(scripts), way], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def make_chain(program, node, work):
    """Ten payments in each of ten blocks, spread over the chain."""
    addresses = run(program, work / "addresses", node, PAID, 20, "make").split()
    step = (BLOCKS - 101) // 10
    for i in range(0, PAID, 10):
        node.rpc("sendmany", "", {address: 0.01 for address in addresses[i:i + 10]})
        node.mine(step)
    node.mine(BLOCKS - node.rpc("getblockcount"))


def measure(program, node, made, work, each):
    """Prints the line of one run."""
    sizes, way = each.split(":")
    wallets, scripts = (int(part) for part in sizes.split("x"))
    if not (made / sizes).exists():
        run(program, made / sizes, node, wallets, scripts, "make")
    shutil.copytree(made / sizes, work / "data")
    told = json.loads(run(program, work / "data", node, wallets, scripts, way))
    shutil.rmtree(work / "data")
    expected = min(wallets, PAID)
    if told["transactions"] != expected:
        sys.exit(f"{each}: {told['transactions']} transactions were found, not {expected}")
    resident = told["mib_synced"]
    print(f"{wallets:>7} {wallets * scripts:>9} {way:>6} {told['seconds']:>7.2f} {told['cpu_sync']:>7.2f} "
          f"{told['bytes_in'] / 1e6:>6.1f} {told['cpu_opening']:>10.2f} {resident:>7.1f} "
          f"{resident * 1024 / wallets:>10.0f} {resident * 1024 * 1024 / wallets / scripts:>8.0f}", flush=True)


def main():
    program, runs = sys.argv[1], sys.argv[2:] or RUNS
    bitcoind = find_bitcoind() or sys.exit("no bitcoind: run scripts/get-bitcoind")
    # Each open wallet holds four files.
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    work = pathlib.Path(tempfile.mkdtemp(prefix="spv-wallets-"))
    # Wallets are made once a size, where nothing waits for a disk, and copied for each run.
    memory = pathlib.Path("/dev/shm")
    made = pathlib.Path(tempfile.mkdtemp(prefix="spv-wallets-", dir=memory if memory.is_dir() else None))
    try:
        with Node(bitcoind, work / "node") as node:
            node.make_miner()
            make_chain(program, node, made)
            print(f"{'wallets':>7} {'scripts':>9} {'way':>6} {'sync s':>7} {'CPU s':>7} {'MB in':>6} {'open CPU s':>10} "
                  f"{'MiB':>7} {'KiB/wallet':>10} {'B/script':>8}")
            for each in runs:
                measure(program, node, made, work, each)
        return 0
    finally:
        shutil.rmtree(work, ignore_errors=True)
        shutil.rmtree(made, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
