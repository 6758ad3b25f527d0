"""A real bitcoind on regtest for scripts: in a folder and on ports of its own."""
import base64
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time


def find_bitcoind():
    """$BITCOIND, else on PATH, else where scripts/get-bitcoind puts it; None if there is none."""
    known = pathlib.Path.home() / ".cache/spv/bitcoind/bin/bitcoind"
    return os.environ.get("BITCOIND") or shutil.which("bitcoind") or (str(known) if known.exists() else None)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Node:
    def __init__(self, program, folder):
        self.folder = folder
        # A lock time of 21, which a wallet may draw, is nothing to refuse (CAT-21, Bitcoin Knots).
        (folder / "bitcoin.conf").write_text("rejectparasites=0\n")
        if not any(self.start(program) for _ in range(3)):
            raise RuntimeError("bitcoind does not start")
        self.rpc("createwallet", "miner")
        self.mine(101)

    def start(self, program):
        """On ports that are free now: false if another program was quicker, or the node does not answer."""
        self.port, self.rpc_port = free_port(), free_port()
        (self.folder / "regtest" / ".cookie").unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [program, "-regtest", "-peerbloomfilters=1", "-listenonion=0", f"-bind=127.0.0.1:{self.port}",
             f"-rpcport={self.rpc_port}", "-fallbackfee=0.0001", f"-datadir={self.folder}", "-printtoconsole=0"])
        for _ in range(600):
            if self.process.poll() is not None:
                return False
            try:
                self.rpc("getblockcount")
                return True
            except (OSError, ValueError, RuntimeError):
                time.sleep(0.1)
        self.stop()
        return False

    def rpc(self, method, *params):
        cookie = (self.folder / "regtest" / ".cookie").read_bytes()
        connection = http.client.HTTPConnection("127.0.0.1", self.rpc_port, timeout=60)
        connection.request("POST", "/", json.dumps({"id": 1, "method": method, "params": params}),
                           {"Authorization": "Basic " + base64.b64encode(cookie).decode()})
        answer = json.loads(connection.getresponse().read())
        if answer["error"]:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def mine(self, count):
        self.rpc("generatetoaddress", count, self.rpc("getnewaddress", "", "bech32"))

    def stop(self):
        self.process.terminate()
        self.process.wait(60)
