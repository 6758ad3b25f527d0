#!/usr/bin/env python3
"""What the program costs before it does anything: its start, a balance, and its size on disk; see docs/bench.md."""
import argparse
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
from statistics import median

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "sync"))
from table import Table  # noqa: E402  pylint: disable=wrong-import-position

ROUNDS = 21


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the build folder with the programs")
    parser.add_argument("--spv", help="another spv than the built one")
    out = parser.parse_args()
    out.spv = out.spv or str(out.build / "spv")
    return out


def made_wallet(build, scratch, transactions):
    """A data folder with a wallet of so many transactions."""
    folder = pathlib.Path(scratch) / str(transactions)
    subprocess.run([build / "program_make_wallet", folder, str(transactions)], check=True)
    return folder


def cpu_of(process):
    """Seconds of processor time of its main thread so far, which clocks in ticks would miss."""
    return int(pathlib.Path(f"/proc/{process.pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9


def until_first_byte(command, server):
    """From exec to the first byte that a node receives: seconds, and those of the processor."""
    start = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            peer, _ = server.accept()
            peer.recv(1)
            reached = time.monotonic() - start, cpu_of(process)
        finally:
            process.kill()
    peer.close()  # not before, or it would connect again
    return reached


def start_row(table, spv, folder):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        command = [spv, "--regtest", "--datadir", folder, "sync", "--connect", f"127.0.0.1:{server.getsockname()[1]}"]
        runs = [until_first_byte(command, server) for _ in range(ROUNDS)]
    walls, cpus = zip(*runs)
    reached = 1e3 * median(walls)
    table.add("exec to first byte sent, wallet of 1,000 transactions", "<= 15 ms",
              f"{reached:.1f} ms ({1e3 * min(walls):.1f} to {1e3 * max(walls):.1f}; CPU {1e3 * median(cpus):.1f} ms)",
              reached <= 15)


def cost(build, command):
    """What one run costs from exec to exit, and what it printed."""
    run = subprocess.run([build / "sync_measure", *command], capture_output=True, text=True, check=True)
    return json.loads(run.stderr.splitlines()[-1]), json.loads(run.stdout)


def balance_rows(table, build, spv, folder):
    command = [spv, "--regtest", "--datadir", folder, "--json", "balance"]
    runs = [cost(build, command) for _ in range(ROUNDS)]
    subprocess.run([sys.executable, "-c", "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); "
                    "db.execute('DELETE FROM balance'); db.commit()", folder / "regtest/wallets/default.sqlite"],
                   check=True)
    counted = [cost(build, command) for _ in range(5)]
    if any(out != runs[0][1] for _, out in runs + counted):
        sys.exit("bench program: error: the stored balance is not the one that is counted")
    for name, limit, these in (("spv balance, wallet of 100,000 transactions", 0.1, runs),
                               ("the same, without a stored balance", None, counted)):
        wall = median(run["wall"] for run, _ in these)
        cpu = median(run["user"] + run["system"] for run, _ in these)
        table.add(name, "<= 0.1 s" if limit else "", f"{wall:.3f} s (CPU {cpu:.3f} s)",
                  wall <= limit if limit else None)


def size_rows(table, build, spv, scratch):
    for name, program in (("spv on disk, stripped", spv), ("libspv.so on disk, stripped", build / "capi/libspv.so.0")):
        stripped = pathlib.Path(scratch) / "stripped"
        subprocess.run(["strip", "-o", stripped, program], check=True)
        size = stripped.stat().st_size / 1e6
        table.add(name, "<= 2.5 MB", f"{size:.1f} MB", size <= 2.5)


def main():
    chosen = options()
    table = Table()
    with tempfile.TemporaryDirectory(prefix="spv-bench-") as scratch:
        start_row(table, chosen.spv, made_wallet(chosen.build, scratch, 1_000))
        balance_rows(table, chosen.build, chosen.spv, made_wallet(chosen.build, scratch, 100_000))
        size_rows(table, chosen.build, chosen.spv, scratch)
    print(table.text())


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"bench program: error: {error}")
