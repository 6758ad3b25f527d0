#!/usr/bin/env python3
"""Measures `spv serve` against a bare server with Beast that answers a constant of the same size.

usage: run.py --build FOLDER [--bitcoind FILE] [--serve COMMAND] [--rounds N] [--seconds N] [--wallets N] [--streams N]
              [--clients N] [--http-only]

COMMAND: instead of "FOLDER/spv serve". --http-only: the server without wallets, no node is needed.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "tools"), str(HERE.parent / "sync")]
from regtest import Node, find_bitcoind  # noqa: E402  pylint: disable=wrong-import-position
from table import Table  # noqa: E402  pylint: disable=wrong-import-position

CONNECTIONS = 64
TOKEN = "0123456789abcdef" * 4


class Program:
    """A server that prints its port, and ends when its input does. Use it as a context."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(30)


class Serve:
    """`spv serve` on a folder of its own, for one node. Use it as a context."""

    def __init__(self, command, folder, node, *options):
        folder.mkdir()
        (folder / "token").write_text(TOKEN)
        arguments = [*shlex.split(command), "--regtest", "--datadir", str(folder), "--listen", "127.0.0.1:0", "--token-file",
                     str(folder / "token"), "--connect", node.address, "--json", *options]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            event = json.loads(line)
            if event.get("event") == "listening":
                self.port = int(event["url"].rsplit(":", 1)[1])
                self.electrum = event["electrum"]
                break
        else:
            sys.exit("spv serve did not start")
        # What it prints later must not fill the pipe.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        if self.process.wait(30) != 0:
            sys.exit("spv serve did not end cleanly")

    def ask(self, path, body=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", body and json.dumps(body).encode(),
                                         {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read()

    def status(self):
        return json.loads(self.ask("/v1/status"))

    def wait(self, what, met):
        """Until the status is so."""
        for _ in range(3_000):
            if met(self.status()):
                return
            time.sleep(0.1)
        sys.exit(f"{what} took too long")

    def resident(self):
        pages = int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE")


def load(port, path, count, seconds, connections=CONNECTIONS, pause=0):
    """One run of wrk; gives what load.lua prints, with the rate."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(HERE / "load.lua"),
               f"http://127.0.0.1:{port}", "--", TOKEN, path, str(count), str(pause)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result = json.loads(output.splitlines()[-1])
    if result["failed"] or result["errors"]:
        sys.exit(f"wrk: {result['failed']} requests were refused, {result['errors']} failed")
    result["rate"] = result["requests"] / result["microseconds"] * 1e6
    return result


def compare(table, name, goal, settings, size, other):
    """`other` against the bare server, in turn; gives its rate."""
    ratios, rates = [], []
    with Program(settings.build / "serve_bare", str(size)) as bare:
        for _ in range(settings.rounds):
            base = load(bare.port, "/", 1, settings.seconds)["rate"]
            rates.append(other()["rate"])
            ratios.append(rates[-1] / base)
    ratio = statistics.median(ratios)
    detail = f" ({min(ratios):.2f} to {max(ratios):.2f}; {max(rates):,.0f} a second, {size} bytes)"
    table.add(name, f">= {goal:.2f}x the bare server", f"{ratio:.2f}x{detail}", ratio >= goal)
    return statistics.median(rates)


def http_rows(table, settings):
    size = 400
    with Program(settings.build / "serve_constant", str(size), TOKEN) as constant:
        compare(table, "our server with a constant", 0.5, settings, size,
                lambda: load(constant.port, "/v1/wallets/w%d", 1_000, settings.seconds))


def add_wallets(serve, node, count):
    """Watch-only wallets of one address each; gives the addresses."""
    addresses = [node.new_address("miner") for _ in range(count)]
    for number, address in enumerate(addresses):
        serve.ask("/v1/wallets", {"name": f"w{number}", "addresses": [address]})
    serve.wait("the first sync", lambda status: status["synced"] and status["wallets"] == count)
    return addresses


def latency_row(table, settings, serve, node, rate):
    """At half the load, while blocks arrive."""
    connections = 4 * CONNECTIONS
    stop = threading.Event()

    def mine():
        while not stop.wait(0.5):
            node.mine(1, "miner")
    miner = threading.Thread(target=mine)
    miner.start()
    result = load(serve.port, "/v1/wallets/w%d/balance", settings.wallets, settings.seconds, connections,
                  round(connections / (rate / 2) * 1_000))
    stop.set()
    miner.join()
    table.add("p99 at half that load while blocks arrive", "<= 10 ms",
              f"{result['p99'] / 1_000:.1f} ms ({result['rate']:,.0f} a second, p50 {result['p50'] / 1_000:.2f} ms)",
              result["p99"] <= 10_000)


def stream_rows(table, settings, serve, node, address):
    before = serve.resident()
    command = [settings.build / "serve_listeners", str(serve.port), TOKEN, str(settings.streams),
               f"/v1/events/stream?after={serve.status()['events']}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as listeners:
        if listeners.stdout.readline() != "open\n":
            sys.exit("the streams did not begin")
        times, spreads = [], []
        for _ in range(5):
            began = time.time()
            txid = node.rpc("sendtoaddress", address, 0.001, wallet="miner")
            listeners.stdin.write(txid + "\n")
            listeners.stdin.flush()
            first, last = (float(part) for part in listeners.stdout.readline().split())
            times.append(last - began)
            spreads.append(last - first)
        each = (serve.resident() - before) / settings.streams
        listeners.stdin.close()
    table.add(f"a payment reaches {settings.streams:,} event streams", "<= 250 ms",
              f"{1_000 * statistics.median(times):.0f} ms (from the first to the last "
              f"{1_000 * statistics.median(spreads):.0f} ms)", statistics.median(times) <= 0.25)
    table.add("memory of a stream", "<= 30 kB", f"{each / 1_000:.1f} kB", each <= 30_000)


class ElectrumClient:
    """Subscribed to scripts; notes when it is told of one of them."""

    def __init__(self, place, scripts):
        host, port = place.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), 60)
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self._ask("server.version", "bench", "1.4")
        for first in range(0, len(scripts), 1_000):
            part = scripts[first:first + 1_000]
            self._send([self._call("blockchain.scripthash.subscribe", each) for each in part])
            if any("error" in each for each in json.loads(self.lines.readline())):
                sys.exit("a script is not followed")

    @staticmethod
    def _call(method, *params):
        return {"id": 1, "method": method, "params": params}

    def _send(self, document):
        self.socket.sendall(json.dumps(document).encode() + b"\n")

    def _ask(self, method, *params):
        self._send(self._call(method, *params))
        self.lines.readline()

    def wait_for(self, script):
        """Gives the time when it is told of it."""
        for line in self.lines:
            note = json.loads(line)
            if note.get("method") == "blockchain.scripthash.subscribe" and note["params"][0] == script:
                return time.time()
        sys.exit("an Electrum client was cut off")


def script_hash(node, address):
    script = bytes.fromhex(node.rpc("getaddressinfo", address, wallet="miner")["scriptPubKey"])
    return hashlib.sha256(script).digest()[::-1].hex()


def electrum_rows(table, settings, serve, node):
    """From the node's RPC, and from the first event stream that has it: the server's own part."""
    addresses = add_wallets(serve, node, settings.wallets)
    scripts = [script_hash(node, each) for each in addresses]
    clients = [ElectrumClient(serve.electrum, scripts) for _ in range(settings.clients)]
    command = [settings.build / "serve_listeners", str(serve.port), TOKEN, "1",
               f"/v1/events/stream?after={serve.status()['events']}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as listener, \
            concurrent.futures.ThreadPoolExecutor(len(clients)) as readers:
        if listener.stdout.readline() != "open\n":
            sys.exit("the stream did not begin")
        times, parts = [], []
        for number in range(9):
            address, script = addresses[number], scripts[number]
            told = [readers.submit(each.wait_for, script) for each in clients]
            began = time.time()
            txid = node.rpc("sendtoaddress", address, 0.001, wallet="miner")
            listener.stdin.write(txid + "\n")
            listener.stdin.flush()
            stored = float(listener.stdout.readline().split()[0])
            last = max(each.result() for each in told)
            times.append(last - began)
            parts.append(last - stored)
        listener.stdin.close()
    table.add(f"a payment reaches {settings.clients} Electrum clients with {len(scripts):,} scripts each", "<= 250 ms",
              f"{1_000 * statistics.median(times):.0f} ms ({1_000 * statistics.median(parts):.0f} ms after the first "
              f"event stream, at most {1_000 * max(parts):.0f} ms)", statistics.median(times) <= 0.25)


def serve_rows(table, settings):
    work = pathlib.Path(tempfile.mkdtemp(prefix="spv-bench-serve-"))
    try:
        with Node(settings.bitcoind, work / "node") as node:
            node.make_miner()
            with Serve(settings.serve, work / "data", node) as serve:
                address = add_wallets(serve, node, settings.wallets)[0]
                # First: memory that the load has left behind would serve the streams.
                stream_rows(table, settings, serve, node, address)
                size = len(serve.ask("/v1/wallets/w0/balance"))
                rate = compare(table, f"GET …/balance of one of {settings.wallets:,}", 0.5, settings, size,
                               lambda: load(serve.port, "/v1/wallets/w%d/balance", settings.wallets, settings.seconds))
                latency_row(table, settings, serve, node, rate)
            with Serve(settings.serve, work / "electrum", node, "--electrum", "127.0.0.1:0") as serve:
                electrum_rows(table, settings, serve, node)
    finally:
        shutil.rmtree(work)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--bitcoind", default=find_bitcoind())
    parser.add_argument("--serve")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--wallets", type=int, default=1_000)
    parser.add_argument("--streams", type=int, default=1_000)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--http-only", action="store_true")
    settings = parser.parse_args()
    settings.build = settings.build.resolve()
    settings.serve = settings.serve or shlex.join([str(settings.build / "spv"), "serve"])
    if not shutil.which("wrk"):
        sys.exit("no wrk: run scripts/setup --bench")
    table = Table()
    http_rows(table, settings)
    if not settings.http_only:
        if not settings.bitcoind:
            sys.exit("no bitcoind: run scripts/get-bitcoind")
        serve_rows(table, settings)
    print(table.text())


if __name__ == "__main__":
    main()
