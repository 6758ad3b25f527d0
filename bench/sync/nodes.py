"""What the clients of the sync benchmark talk to: a real bitcoind, and a proxy that adds delay before it."""
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from regtest import free_port  # noqa: E402  pylint: disable=wrong-import-position

TICK = 1 / os.sysconf("SC_CLK_TCK")


class Node:
    """A bitcoind on a chain's data folder, without the RPC of tools/regtest.py's; ends with the `with`."""

    def __init__(self, tools, chain, index=0):
        self.chain = chain
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.log = tempfile.NamedTemporaryFile("w")
        self.process = subprocess.Popen(
            [tools.bitcoind, "-regtest", f"-datadir={chain.folder(index)}", f"-bind={self.address}", "-server=0",
             "-connect=0", "-listenonion=0", "-peerbloomfilters=1", "-blockfilterindex=1", "-peerblockfilters=1",
             "-v2transport=1", "-whitelist=noban@127.0.0.1",
             "-maxtipage=2000000000", "-checkblockindex=0", "-persistmempool=0", "-debuglogfile=0"],
            stdout=self.log, stderr=subprocess.STDOUT)

    def __enter__(self):
        deadline = time.monotonic() + 300
        while self.process.poll() is None and time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0 and self._has_filters():
                    return self
            time.sleep(0.1)
        self.__exit__()
        raise SystemExit("bitcoind did not start:\n" + self._log()[-2000:])

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def _log(self):
        return pathlib.Path(self.log.name).read_text(encoding="utf-8", errors="replace")

    def _has_filters(self):
        """The index of compact filters is made at the first start, and must not take time from what is measured."""
        return "basic block filter index is enabled at height" in self._log()

    def cpu(self):
        """Seconds of processor time so far."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * TICK


class Proxy:
    """Adds `round_trip` milliseconds before a node; ends with the `with`."""

    def __init__(self, tools, node, round_trip):
        self.process = subprocess.Popen([tools.program("sync_proxy"), node.address, str(round_trip / 2)],
                                        stdout=subprocess.PIPE, bufsize=0)
        self.address = f"127.0.0.1:{int(self.process.stdout.readline())}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def last_byte_at(self):
        """When the client that has just ended got its last byte, over however many connections."""
        times = []
        while not times or select.select([self.process.stdout], [], [], 0.1)[0]:
            times.append(json.loads(self.process.stdout.readline())["last_byte_at"])
        return max(times)
