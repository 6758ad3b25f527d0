#!/usr/bin/env python3
"""Installs the packages of the bindings in clean environments and tests them there; plays the scenario with each.

usage: run.py LANGUAGE PACKAGE_FOLDER     python, node or java; exit 77 where its toolchain or bitcoind is missing
"""
import importlib
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "bindings")]
import header  # noqa: E402  pylint: disable=wrong-import-position
import scenario  # noqa: E402  pylint: disable=wrong-import-position
import tour  # noqa: E402  pylint: disable=wrong-import-position
from regtest import Node, find_bitcoind  # noqa: E402  pylint: disable=wrong-import-position


def main():
    language, packages = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    binding = importlib.import_module(f"in_{language}")
    missing = binding.missing()
    if missing:
        print(f"SKIPPED: no {', no '.join(missing)}")
        return 77
    # Thousands of files are synced to disk: in memory that takes no time.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) and shutil.disk_usage("/dev/shm").free > 2**29 else None
    work = pathlib.Path(tempfile.mkdtemp(prefix=f"spv-{language}-", dir=memory))
    os.environ["TMPDIR"] = str(work)
    try:
        declared = work / "header.json"
        parsed = header.parse(ROOT / "include/spv/spv.h")
        declared.write_text(json.dumps(parsed), encoding="ascii")
        declared.with_suffix(".tsv").write_text("".join("\t".join(line) + "\n" for line in header.lines(parsed)),
                                                encoding="ascii")
        installed = binding.install(packages, work)
        installed.test(declared)
        bitcoind = find_bitcoind()
        if not bitcoind:
            print("SKIPPED: the scenario: no bitcoind: set $BITCOIND, or run scripts/get-bitcoind")
            return 77
        start = time.monotonic()
        with Node(bitcoind, work / "node") as node:
            node.make_miner()
            events = scenario.run(installed.backend(), node, work, language)
            tour.run(installed, node, work)
        installed.check_signer(work / f"data-{language}")
        print(f"the scenario: {events} events, {time.monotonic() - start:.1f} s")
        return 0
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
