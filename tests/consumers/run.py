#!/usr/bin/env python3
"""Builds the examples against an installed tree, as users do, and runs them against a real bitcoind on regtest.

usage: run.py CMAKE BUILD_FOLDER SOURCE_FOLDER     exit 77 where there is no bitcoind

Consumers: CMake (C++ and C), pkg-config (C++ and C). Each must see the same payments. Python, Node and Java: bindings/tests.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from regtest import Node, find_bitcoind  # noqa: E402  pylint: disable=wrong-import-position


def run(*command, **more):
    return subprocess.run([str(part) for part in command], check=True, text=True, timeout=120, **more)


def check_backend(program, node, work):
    """Payments to two wallets: one before the start, one to a wallet that is added while it runs."""
    first, second = (node.new_address() for _ in range(2))
    paid = node.rpc("sendtoaddress", first, "0.1")
    node.mine(1)
    backend = subprocess.Popen([program, work, "regtest", node.address], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def say(line):
        backend.stdin.write(line + "\n")
        backend.stdin.flush()

    def wait_for(**wanted):
        for line in backend.stdout:
            event = json.loads(line)
            if all(event.get(key) == value for key, value in wanted.items()):
                return event
        raise RuntimeError(f"the backend never told of {wanted}")

    say(f"alice addr({first})")
    assert wait_for(event="payment", wallet="alice", txid=paid)["net_sat"] == 10_000_000
    wait_for(event="synced")
    say(f"bob addr({second})")
    wait_for(event="synced")
    paid = node.rpc("sendtoaddress", second, "0.2")
    node.mine(1)
    wait_for(event="payment", wallet="bob", txid=paid, height=node.rpc("getblockcount"))
    say("end")
    assert backend.wait(30) == 0


def check_watcher(command, node, work, environment=None):
    """A payment before the start, of which it tells at once."""
    address = node.new_address()
    paid = node.rpc("sendtoaddress", address, "0.3")
    node.mine(1)
    told = run(*command, work, node.address, address, stdout=subprocess.PIPE,
               env={**os.environ, **(environment or {})}).stdout.splitlines()
    assert told[0] == f"payment {paid} 30000000 {node.rpc('getblockcount')}", told


def compile_tour(document, work, flags):
    """What docs/library.md shows must compile as it stands, and be short."""
    text = document.read_text(encoding="utf-8")
    for language, compiler, package in (("cpp", ["c++"], "spv-cxx"), ("c", ["cc", "-std=c11"], "spv")):
        code = re.search(rf"^```{language}\n(.*?)^```", text, re.M | re.S).group(1)
        assert len(code.splitlines()) < 40, f"the tour in {language} has {len(code.splitlines())} lines"
        source = work / f"tour.{language}"
        source.write_text(code, encoding="utf-8")
        run(*compiler, "-Wall", "-Werror", source, "-o", work / "tour", *flags(package))


def check_consumers(cmake, source, prefix, node, work):
    examples = source / "examples"
    libraries = next(prefix.rglob("libspv.so.0")).parent
    environment = {"PKG_CONFIG_PATH": str(libraries / "pkgconfig"), "LD_LIBRARY_PATH": str(libraries)}

    def flags(package):
        return run("pkg-config", "--cflags", "--libs", package, stdout=subprocess.PIPE,
                   env={**os.environ, **environment}).stdout.split()

    run(cmake, "-S", examples, "-B", work / "cmake", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
        stdout=subprocess.DEVNULL)
    run(cmake, "--build", work / "cmake", stdout=subprocess.DEVNULL)
    check_backend(work / "cmake/payments_backend", node, work / "data1")
    print("CMake: C++ ok")
    check_watcher([work / "cmake/watch_address"], node, work / "data2")
    print("CMake: C ok")

    run("c++", examples / "payments_backend.cpp", "-o", work / "backend", *flags("spv-cxx"))
    check_backend(work / "backend", node, work / "data3")
    print("pkg-config: C++ ok")
    run("cc", "-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", examples / "watch_address.c", "-o",
        work / "watch", *flags("spv"))
    check_watcher([work / "watch"], node, work / "data4", environment)
    print("pkg-config: C ok")
    compile_tour(source / "docs/library.md", work, flags)
    print("the tour compiles")
    shown = run("nm", "-D", "--defined-only", libraries / "libspv.so.0", stdout=subprocess.PIPE).stdout
    symbols = {line.split()[-1].split("@")[0] for line in shown.splitlines()} - {"SPV_0"}
    wanted = set((source / "capi/symbols.txt").read_text(encoding="ascii").split())
    assert symbols == wanted, f"the library shows other names than capi/symbols.txt: {sorted(symbols ^ wanted)[:5]}"
    for name, file in (("libspv.so", libraries / "libspv.so.0"), ("a static C++ program", work / "backend")):
        run("strip", "-o", work / "stripped", file)
        print(f"{name}, stripped: {(work / 'stripped').stat().st_size // 1024} KiB")


def main():
    cmake, build, source = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    bitcoind = find_bitcoind()
    if not bitcoind:
        print("no bitcoind: set $BITCOIND, or run scripts/get-bitcoind")
        return 77
    work = pathlib.Path(tempfile.mkdtemp(prefix="spv-consumers-"))
    try:
        for component in ("lib", "dev"):
            run(cmake, "--install", build, "--prefix", work / "prefix", "--component", component,
                stdout=subprocess.DEVNULL)
        with Node(bitcoind, work / "node") as node:
            node.make_miner()
            check_consumers(cmake, source, work / "prefix", node, work)
        return 0
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
