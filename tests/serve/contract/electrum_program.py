"""Debian's Electrum as a daemon on regtest, in a folder of its own."""
import base64
import json
import pathlib
import shutil
import subprocess
import urllib.error
import urllib.request

from bench import PATIENCE, free_port, wait_for


def find_electrum():
    return shutil.which("electrum")


class ElectrumProgram:
    """The daemon, which is spoken to by its own RPC: to start the program for each question takes seconds. Use it as a
    context."""

    def __init__(self, folder, server):
        self.folder = pathlib.Path(folder)
        self.server = server
        self.log = self.folder / "output.log"
        self.port = free_port()
        self.daemon = None

    def command(self, *words):
        """What needs no daemon."""
        done = subprocess.run([find_electrum(), *words, "--offline", "--regtest", "-D", str(self.folder)],
                              capture_output=True, text=True, check=False, timeout=2 * PATIENCE,
                              stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise AssertionError(f"electrum {words}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout.strip()

    def ask(self, method, **params):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/", json.dumps({"id": 1, "method": method, "params": params}).encode(),
            {"Authorization": "Basic " + base64.b64encode(b"user:word").decode()})
        with urllib.request.urlopen(request, timeout=2 * PATIENCE) as response:
            answer = json.load(response)
        if "error" in answer:
            raise AssertionError(f"{method} {params}: {answer['error']}\n{self.log_text()}")
        return answer["result"]

    def log_text(self):
        return self.log.read_text(errors="replace")[-3000:]

    def __enter__(self):
        settings = {"config_version": 3, "rpcsock": "tcp", "rpcport": self.port, "rpcuser": "user",
                    "rpcpassword": "word", "use_exchange_rate": False, "check_updates": False}
        (self.folder / "regtest").mkdir(parents=True, exist_ok=True)
        (self.folder / "regtest" / "config").write_text(json.dumps(settings))
        with open(self.log, "ab") as log:
            self.daemon = subprocess.Popen(
                [find_electrum(), "-v*", "--regtest", "-D", str(self.folder), "daemon", "-s", f"{self.server}:t",
                 "--oneserver"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        wait_for(self.is_up, "the daemon of Electrum answers")
        return self

    def is_up(self):
        if self.daemon.poll() is not None:
            raise AssertionError(f"Electrum has ended:\n{self.log_text()}")
        try:
            return bool(self.ask("getinfo"))
        except urllib.error.URLError:
            return False

    def __exit__(self, *_):
        self.daemon.terminate()
        try:
            self.daemon.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.daemon.kill()
            self.daemon.wait()

    def wallet(self, name):
        return str(self.folder / name)

    def restore(self, name, text):
        """A wallet of a master key, open in the daemon."""
        self.command("restore", text, "-w", self.wallet(name))
        self.load(name)

    def load(self, name):
        self.ask("load_wallet", wallet_path=self.wallet(name))

    def of(self, name, method, **params):
        return self.ask(method, wallet=self.wallet(name), **params)

    def is_synced(self, name):
        return self.of(name, "is_synchronized") is True

    def balance(self, name):
        """In satoshis: confirmed, unconfirmed."""
        found = self.of(name, "getbalance")
        return tuple(round(float(found.get(each, 0)) * 100_000_000) for each in ("confirmed", "unconfirmed"))

    def history(self, name):
        """By txid: height (0 while unconfirmed) and what it adds, in satoshis."""
        found = self.of(name, "onchain_history")
        return {each["txid"]: (max(0, each["height"]), round(float(each["bc_value"]) * 100_000_000))
                for each in found["transactions"]}
