#!/usr/bin/env python3
"""Syncs 1 and 1,000 watch-only wallets over the same 2,000 blocks of a real bitcoind, by filters and by whole blocks.

usage: many_wallets.py PROGRAM [WALLETS...]     PROGRAM: bench/many_wallets of a build; default: 1 1000
"""
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "support"))
from regtest import Node, find_bitcoind  # noqa: E402  pylint: disable=wrong-import-position

BLOCKS = 2_000


def main():
    program, counts = sys.argv[1], sys.argv[2:] or ["1", "1000"]
    # Each open wallet holds four files.
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    work = pathlib.Path(tempfile.mkdtemp(prefix="spv-wallets-"))
    node = None
    try:
        (work / "node").mkdir()
        node = Node(find_bitcoind() or sys.exit("no bitcoind: run scripts/get-bitcoind"), work / "node")
        node.mine(BLOCKS - 101)
        for way in ("filter", "blocks"):
            for count in counts:
                data = work / f"{way}-{count}"
                subprocess.run([program, data, f"127.0.0.1:{node.port}", count, way], check=True)
                shutil.rmtree(data)
        return 0
    finally:
        if node:
            node.stop()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
