"""What serves the page in a test: `spv serve` on a regtest node, or invented data. Both do the same things."""
import base64
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import mock_server

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools"))
import regtest  # noqa: E402  (its folder is named above)

WALLET = "savings"
# An account of the mnemonic that everybody tests with.
XPUB = ("tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ"
        "1M")


class MockBackend:
    name = "mock"

    def __init__(self):
        self.chain = mock_server.demo_chain()
        self.server = mock_server.MockServer(self.chain).start()
        self.url, self.token = self.server.url, self.chain.token

    def close(self):
        self.server.stop()

    def stop(self):
        self.server.stop()

    def start(self):
        self.server = mock_server.MockServer(self.chain, self.server.port).start()

    def forget_sessions(self):
        self.chain.sessions.clear()

    def wallet(self):
        return self.chain.wallets[WALLET]

    def pay(self, sat):
        return self.chain.pay(self.wallet(), sat)

    def mine(self, count=1):
        self.chain.mine(count)

    def reorg(self):
        self.chain.reorg()

    def sign(self, psbt):
        return base64.b64encode(base64.b64decode(psbt)[:57] + b"signed").decode()

    def foreign_address(self):
        return "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"



class RealBackend:
    """bitcoind with two wallets: `miner`, which pays, and `cold`, whose public descriptors are followed."""

    name = "spv serve"

    def __init__(self, program, bitcoind):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="spv-page-"))
        self.process = None
        self.node = regtest.Node(bitcoind, self.folder / "node").__enter__()
        self.program, self.datadir = program, self.folder / "spv"
        self.log = open(self.folder / "serve.log", "ab")
        try:
            self.prepare()
        except BaseException:
            self.close()
            raise

    def prepare(self):
        self.node.make_miner()
        self.node.rpc("createwallet", "cold")
        self.listen = "127.0.0.1:0"
        self.start()
        self.listen = self.url.removeprefix("http://")
        self.token = (self.datadir / "regtest" / "serve.token").read_text().strip()
        descriptors = [each["desc"] for each in self.node.rpc("listdescriptors", wallet="cold")["descriptors"]
                       if each["desc"].startswith("wpkh(")]
        self.request("POST", "/v1/wallets", {"name": WALLET, "descriptors": descriptors, "birthday": 0})
        for sat in (30_000_000, 20_000_000, 5_000_000):
            self.pay(sat)
            self.mine()
        self.wait_for(lambda: self.request("GET", f"/v1/wallets/{WALLET}")["balance"]["confirmed_sat"] == 55_000_000)
        self.request("POST", f"/v1/wallets/{WALLET}/addresses", {})

    def request(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, json.dumps(body).encode() if body else None, method=method,
                                         headers={"Authorization": f"Bearer {self.token}",
                                                  **({"Content-Type": "application/json"} if body else {})})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read() or b"null")

    @staticmethod
    def wait_for(fact, patience=120):
        end = time.monotonic() + patience
        while not fact():
            if time.monotonic() > end:
                raise AssertionError("the server does not follow the node")
            time.sleep(0.05)

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "serve", "--regtest", "--datadir", str(self.datadir), "--listen", self.listen, "--connect",
             self.node.address], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            raise AssertionError(f"spv serve said {line!r}; see {self.folder}/serve.log")
        self.url = line.split()[2]

    def stop(self):
        """As bad as it gets: kill -9."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait(60)

    def close(self):
        self.stop()
        self.node.stop()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def pay(self, sat):
        address = self.node.rpc("getnewaddress", "", "bech32", wallet="cold")
        return self.node.rpc("sendtoaddress", address, f"{sat // 10**8}.{sat % 10**8:08}", wallet="miner")

    def mine(self, count=1):
        self.node.mine(count, "miner")

    def reorg(self):
        """The tip is replaced by two blocks without transactions."""
        self.node.rpc("invalidateblock", self.node.rpc("getbestblockhash"))
        address = self.node.new_address("miner")
        for _ in range(2):
            self.node.rpc("generateblock", address, [])

    def sign(self, psbt):
        return self.node.rpc("walletprocesspsbt", psbt, wallet="cold")["psbt"]

    def foreign_address(self):
        return self.node.new_address("miner")
