"""One scenario for the payments backend of each language, against a real bitcoind on regtest: watch, receive,
reorganise, killed and started again without loss or repetition, build and broadcast a PSBT.
"""
import json
import select
import subprocess
import sys
import time

from regtest import satoshis

TIMEOUT = 120


class Backend:
    """The program of a language; what it prints is read here. Starts after the last event that was seen."""

    def __init__(self, command, data_dir, peer):
        self.command = command
        self.data_dir = str(data_dir)
        self.peer = peer
        self.seen = []  # of the log, over all its lives
        self.answers = []
        self.process = None
        self.rest = b""

    def start(self):
        after = self.seen[-1]["seq"] if self.seen else 0
        self.rest = b""
        self.process = subprocess.Popen([*self.command, self.data_dir, self.peer, str(after)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def say(self, *words):
        self.process.stdin.write((" ".join(map(str, words)) + "\n").encode())
        self.process.stdin.flush()

    def kill(self):
        self.process.kill()
        self.process.wait(TIMEOUT)
        self._read_rest()

    def end(self):
        self.say("end")
        code = self.process.wait(TIMEOUT)
        self._read_rest()
        assert code == 0, f"exit code {code}"

    def _read_rest(self):
        for line in (self.rest + self.process.stdout.read()).splitlines(keepends=True):
            if line.endswith(b"\n"):
                self._take(line)
        self.process.stdin.close()
        self.process.stdout.close()

    def _take(self, line):
        said = json.loads(line)
        if "seq" in said:
            last = self.seen[-1]["seq"] if self.seen else 0
            assert said["seq"] > last, f"event {said['seq']} after {last}: repeated, or out of order"
            self.seen.append(said)
        else:
            self.answers.append(said)

    def _wait(self, what, look):
        end = time.monotonic() + TIMEOUT
        while True:
            found = look()
            if found:
                return found
            left = end - time.monotonic()
            ready = left > 0 and select.select([self.process.stdout], [], [], left)[0]
            data = self.process.stdout.read1() if ready else b""
            if not data:
                raise AssertionError(f"no {what}: {self.seen[-5:]} {self.answers}")
            *lines, self.rest = (self.rest + data).split(b"\n")
            for line in lines:
                self._take(line + b"\n")

    def wait_for(self, **wanted):
        """An event of the log with these fields, now or before."""
        return self._wait(wanted, lambda: next(
            (event for event in self.seen if all(event.get(key) == value for key, value in wanted.items())), None))

    def answer(self):
        self._wait("answer", lambda: self.answers)
        return self.answers.pop(0)

    def states_of(self, txid):
        return [event["state"] for event in self.seen if event["txid"] == txid]


def public_descriptors(node, wallet):
    """What the library watches, of a wallet that the node has the keys of."""
    listed = node.rpc("listdescriptors", wallet=wallet)["descriptors"]
    return [each["desc"] for each in listed if each["desc"].startswith("wpkh(")]


def run(command, node, work, name):
    """Plays it; the node has a wallet "miner" with coins. Returns the number of events."""
    keys = f"keys-{name}"
    node.rpc("createwallet", keys)
    backend = Backend(command, work / f"data-{name}", node.address)
    backend.start()
    try:
        play(backend, node, keys)
    finally:
        if backend.process.poll() is None:
            backend.process.kill()
    return len(backend.seen)


def play(backend, node, keys):
    backend.say("watch", "shop", *public_descriptors(node, keys))
    backend.wait_for(type="wallet", wallet="shop", state="synced")
    first = receive(backend, node, keys)
    reorganise(backend, node, first)
    restart(backend, node, keys)
    spend(backend, node, keys)
    backend.end()
    check_nothing_was_lost(backend)


def check_nothing_was_lost(backend):
    """All that its lives have seen is the log, read from its start in one go."""
    whole = Backend(backend.command, backend.data_dir, backend.peer)
    whole.start()
    whole.wait_for(seq=backend.seen[-1]["seq"])
    whole.end()
    assert backend.seen == whole.seen[:len(backend.seen)], f"{backend.seen}\nis not the log\n{whole.seen}"


def receive(backend, node, keys):
    txid = node.rpc("sendtoaddress", node.new_address(keys), "0.5", wallet="miner")
    told = backend.wait_for(type="transaction", txid=txid, state="unconfirmed")
    assert (told["wallet"], told["net"]) == ("shop", 50_000_000), told
    node.mine(1, "miner")
    backend.wait_for(txid=txid, state="confirmed")
    return txid


def reorganise(backend, node, txid):
    """The block with the payment is replaced by two others, the second of which has it again."""
    before = len(backend.seen)
    node.rpc("invalidateblock", node.rpc("getbestblockhash"))
    address = node.new_address("miner")
    node.rpc("generateblock", address, [])
    node.rpc("generateblock", address, [txid])
    backend.wait_for(type="reorg")
    backend._wait("new block", lambda: backend.states_of(txid)[-1] == "confirmed" and any(
        event["txid"] == txid for event in backend.seen[before:]))


def restart(backend, node, keys):
    """Killed; a payment comes meanwhile. It goes on after the last event that was seen."""
    backend.kill()
    told = len(backend.seen)
    txid = node.rpc("sendtoaddress", node.new_address(keys), "0.25", wallet="miner")
    node.mine(1, "miner")
    backend.start()
    backend.say("watch", "shop")
    backend.wait_for(txid=txid, state="confirmed")
    backend.say("balance", "shop")
    assert backend.answer() == {"balance": 75_000_000}
    again = [event for event in backend.seen[told:] if event["type"] == "transaction" and event["txid"] != txid]
    assert not again, f"told a second time: {again}"


def spend(backend, node, keys):
    """The node signs what the library has built; the library sends it."""
    backend.say("pay", "nobody", node.new_address("miner"), 30_000_000, 2_000)
    error = backend.answer()
    assert error["error"] == -2 and "nobody" in error["message"], error
    paid = node.new_address("miner")
    backend.say("pay", "shop", paid, 30_000_000, 2_000)
    psbt = backend.answer()["psbt"]
    signed = node.rpc("walletprocesspsbt", psbt, wallet=keys)
    assert signed["complete"], signed
    backend.say("send", signed["psbt"])
    txid = backend.answer()["txid"]
    told = backend.wait_for(txid=txid, state="unconfirmed")
    wait_until(lambda: txid in node.rpc("getrawmempool"))
    node.mine(1, "miner")
    backend.wait_for(txid=txid, state="confirmed")
    received = node.rpc("getreceivedbyaddress", paid, wallet="miner")
    assert satoshis(received) == 30_000_000, received
    fee = -told["net"] - 30_000_000
    assert 0 < fee < 1_000, told
    backend.say("balance", "shop")
    assert backend.answer() == {"balance": 75_000_000 + told["net"]}


def wait_until(fact):
    end = time.monotonic() + TIMEOUT
    while not fact():
        assert time.monotonic() < end, "not in time"
        time.sleep(0.05)


if __name__ == "__main__":
    sys.exit("run bindings/tests/run.py")
