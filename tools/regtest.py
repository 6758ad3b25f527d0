#!/usr/bin/env python3
"""A throwaway regtest bitcoind, and the spv program: for tests, benchmarks and scripts.

usage: regtest.py BITCOIND FOLDER     starts a node in FOLDER, prints "PORT RPC_PORT", stops it on SIGTERM
"""
import base64
import decimal
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

# The mnemonic that everybody tests with: never send real coins to it.
MNEMONIC = "abandon " * 11 + "about"


class RpcError(Exception):
    """What the node answers where it does not do as asked."""


def find_bitcoind(*beside):
    """$BITCOIND, else on PATH, else where scripts/get-bitcoind puts it, with these programs beside it; else None."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    for path in (os.environ.get("BITCOIND"), shutil.which("bitcoind"), f"{cache}/spv/bitcoind/bin/bitcoind"):
        if path and all(os.access(each, os.X_OK) for each in
                        (path, *(os.path.join(os.path.dirname(path), name) for name in beside))):
            return path
    return None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Node:
    """One bitcoind with its own folder and ports; a restart keeps both. Use it as a context."""

    def __init__(self, bitcoind, folder, settings=()):
        self.bitcoind = bitcoind
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        # A lock time of 21, which a wallet may draw, is nothing to refuse (CAT-21, Bitcoin Knots).
        (self.folder / "bitcoin.conf").write_text("\n".join(("rejectparasites=0", *settings)) + "\n")
        self.port = self.rpc_port = self.process = None

    def __enter__(self):
        # A port that was free may be taken by the time the node asks for it.
        for _ in range(2):
            self.port, self.rpc_port = free_port(), free_port()
            try:
                self.start()
                return self
            except RuntimeError:
                pass
        self.port, self.rpc_port = free_port(), free_port()
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def start(self):
        (self.folder / "regtest" / ".cookie").unlink(missing_ok=True)
        arguments = [self.bitcoind, "-regtest", f"-datadir={self.folder}", f"-bind={self.address}",
                     f"-rpcport={self.rpc_port}", "-peerbloomfilters=1", "-listenonion=0", "-dnsseed=0",
                     "-fallbackfee=0.0001", "-whitelist=noban@127.0.0.1"]
        with open(self.folder / "output.log", "ab") as log:
            self.process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            self.wait_until_ready()
        except BaseException:
            self.stop()
            raise

    def wait_until_ready(self):
        for _ in range(600):
            try:
                self.rpc("getblockcount")
                return
            except (OSError, ValueError, RpcError):
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        raise RuntimeError(f"the node did not start: {(self.folder / 'output.log').read_text()[-1000:]}")

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(120)

    def rpc(self, method, *arguments, wallet=None):
        cookie = (self.folder / "regtest" / ".cookie").read_bytes()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.rpc_port}/" + (f"wallet/{wallet}" if wallet else ""),
            json.dumps({"method": method, "params": arguments}).encode(),
            {"Authorization": "Basic " + base64.b64encode(cookie).decode()})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer, parse_float=decimal.Decimal)["result"]
        except urllib.error.HTTPError as error:
            raise RpcError(error.read().decode(errors="replace")) from error

    def new_address(self, wallet=None):
        return self.rpc("getnewaddress", "", "bech32", wallet=wallet)

    def mine(self, count, wallet=None):
        """To the wallet of that name, or to the only one."""
        return self.rpc("generatetoaddress", count, self.new_address(wallet))

    def make_miner(self):
        """A wallet of the node's, called miner, that has a coin to spend."""
        self.rpc("createwallet", "miner")
        self.mine(101, "miner")


class Spv:
    """The program on a folder of its own, on regtest."""

    def __init__(self, program, datadir, before=()):
        self.command = [*before, program]
        self.options = ["--regtest", "--datadir", str(datadir)]

    def arguments(self, *words):
        return [*self.command, *words, *self.options]

    def json(self, *words, text=None):
        result = subprocess.run(self.arguments(*words, "--json"), input=text, capture_output=True, text=True,
                                check=False)
        if result.returncode != 0:
            raise RuntimeError(f"spv {' '.join(words)}: exit code {result.returncode}\n{result.stderr[-4000:]}")
        return json.loads(result.stdout)


def satoshis(amount):
    return int(amount * 100_000_000)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        with Node(*sys.argv[1:3]) as node:
            print(node.port, node.rpc_port, flush=True)
            node.process.wait()
    except RuntimeError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
