#!/usr/bin/env python3
"""Runs `spv sync --follow` for an hour with a bitcoind that pays, spends, mines, reorgs and restarts.

usage: soak.py SPV BITCOIND [MINUTES] [SEED]

Exit code 0 if at the end the wallet holds the same as the node's own wallet with the same keys, and the program has
grown by at most 1 MiB and opened no more file descriptors since the first tenth of the run. The last line has the
figures: resident memory, which decides, and the part of it that belongs to the program (not pages of libraries and
files), compared with a new process that follows the same wallet.
"""
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from regtest import MNEMONIC, Node, RpcError, Spv, satoshis

PAUSE = 4  # seconds from one thing that happens to the next
RESTART = 300  # seconds from one restart of the node to the next
MAX_GROWTH_KIB = 1024


class Scene:
    """What happens around the wallet, at random but by a seed."""

    def __init__(self, node, spv, seed):
        self.node, self.rng = node, random.Random(seed)
        self.done = dict.fromkeys(("payments", "spends", "blocks", "reorganisations", "restarts"), 0)
        node.rpc("createwallet", "miner", False, False, "", False, True, True)
        # name, disable_private_keys, blank, passphrase, avoid_reuse, descriptors, load_on_startup
        node.rpc("createwallet", "same", False, True, "", False, True, True)
        keys = spv.json("descriptors", "--private")
        results = node.rpc("importdescriptors", keys, wallet="same")
        assert all(result["success"] for result in results), results
        node.mine(110, "miner")

    def step(self):
        act, = self.rng.choices((self.pay, self.spend, self.mine, self.reorganise), (4, 2, 8, 1))
        try:
            act()
        except RpcError as error:
            if "Insufficient funds" not in str(error):  # as it happens to people
                raise

    def pay(self):
        address = self.node.new_address("same")
        self.node.rpc("sendtoaddress", address, self.rng.randint(10_000, 50_000_000) / 1e8, wallet="miner")
        self.done["payments"] += 1

    def spend(self):
        address = self.node.new_address("miner")
        self.node.rpc("sendtoaddress", address, self.rng.randint(10_000, 20_000_000) / 1e8, wallet="same")
        self.done["spends"] += 1

    def mine(self):
        self.node.mine(1, "miner")
        self.done["blocks"] += 1

    def reorganise(self):
        depth = self.rng.randint(1, 6)
        height = self.node.rpc("getblockcount")
        known = self.transactions_from(height - depth + 1)
        self.node.rpc("invalidateblock", self.node.rpc("getblockhash", height - depth + 1))
        self.node.mine(depth + 1, "miner")
        # On a shorter chain the lock times of some lay ahead, and the node forgot them: their owners send them again.
        for raw in known:
            try:
                self.node.rpc("sendrawtransaction", raw)
            except RpcError:  # mined already
                pass
        self.done["blocks"] += depth + 1
        self.done["reorganisations"] += 1

    def transactions_from(self, height):
        """Raw, without coinbases: of the blocks from this height on, then of the mempool."""
        blocks = [self.node.rpc("getblock", self.node.rpc("getblockhash", at), 2)
                  for at in range(height, self.node.rpc("getblockcount") + 1)]
        pending = sorted(self.node.rpc("getrawmempool", True).items(), key=lambda entry: entry[1]["ancestorcount"])
        return ([tx["hex"] for block in blocks for tx in block["tx"][1:]] +
                [self.node.rpc("getrawtransaction", txid) for txid, _ in pending])

    def restart(self):
        self.node.stop()
        time.sleep(self.rng.randint(1, 8))
        self.node.start()
        self.done["restarts"] += 1


def resident_kib(pid):
    """In all, and of that what belongs to no file."""
    fields = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    return tuple(int(fields[name].split()[0]) for name in ("VmRSS", "RssAnon"))


def descriptors(pid):
    return len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))


def follow(client, scene, minutes):
    """Plays the scene; a sample of memory and descriptors before every step."""
    samples = []
    pause = min(RESTART, 25 * minutes)  # two restarts at least
    end, restart = time.monotonic() + 60 * minutes, time.monotonic() + pause
    while time.monotonic() < end:
        if client.poll() is not None:
            raise RuntimeError(f"spv ended by itself with exit code {client.returncode}")
        samples.append((*resident_kib(client.pid), descriptors(client.pid)))
        if time.monotonic() >= restart:
            scene.restart()
            restart += pause
            kib, own, files = samples[-1]
            print(f"soak: {scene.done}, {kib} KiB, {own} of its own, {files} descriptors", file=sys.stderr, flush=True)
        else:
            scene.step()
        time.sleep(PAUSE)
    return samples


def holdings_of_node(node):
    node.rpc("syncwithvalidationinterfacequeue")
    mine = node.rpc("getbalances", wallet="same")["mine"]
    coins = node.rpc("listunspent", 0, 9_999_999, [], True, {"include_immature_coinbase": True}, wallet="same")
    return (satoshis(mine["trusted"] + mine["untrusted_pending"] + mine["immature"]),
            sorted((coin["txid"], coin["vout"], satoshis(coin["amount"])) for coin in coins))


def holdings_of_spv(spv):
    return (spv.json("balance")["total_sat"],
            sorted((coin["txid"], coin["vout"], coin["amount_sat"]) for coin in spv.json("utxos")["utxos"]))


def settle(node, spv):
    """One more block, and time to see it; whether both then hold the same, and what."""
    node.mine(1, "miner")
    tip = node.rpc("getbestblockhash")
    for _ in range(120):
        if spv.json("balance")["tip"] == tip and holdings_of_spv(spv) == holdings_of_node(node):
            break
        time.sleep(1)
    return holdings_of_spv(spv), holdings_of_node(node)


def start_following(spv, node, folder):
    with open(folder + "/events", "ab") as events, open(folder + "/errors", "ab") as errors:
        return subprocess.Popen(spv.arguments("sync", "--follow", "--json", "--connect", node.address),
                                stdin=subprocess.DEVNULL, stdout=events, stderr=errors)


def stop_following(client):
    client.send_signal(signal.SIGTERM)
    return client.wait(60)


def fresh_kib(spv, node, folder):
    """What a process has that has just opened the wallet as it is now."""
    client = start_following(spv, node, folder)
    time.sleep(20)
    node.mine(1, "miner")
    time.sleep(5)
    kib = resident_kib(client.pid)
    stop_following(client)
    return kib


def median_of(samples, which):
    return int(statistics.median(sample[which] for sample in samples))


def run(program, bitcoind, minutes, seed):
    with tempfile.TemporaryDirectory(prefix="spv-soak-") as folder, Node(bitcoind, folder + "/node") as node:
        spv = Spv(program, folder + "/data")
        spv.json("restore", "--mnemonic-file", "-", text=MNEMONIC + "\n")
        scene = Scene(node, spv, seed)
        client = start_following(spv, node, folder)
        try:
            samples = follow(client, scene, minutes)
            ours, theirs = settle(node, spv)
        finally:
            code = stop_following(client)
        fresh = fresh_kib(spv, node, folder)
        tenth = max(len(samples) // 10, 1)
        early, late = samples[tenth:2 * tenth] or samples, samples[-tenth:]
        before, after = median_of(early, 0), median_of(late, 0)
        growth = after - before
        more = median_of(late, 2) - median_of(early, 2)
        good = code == 0 and ours == theirs and growth <= MAX_GROWTH_KIB and more <= 0
        done = ", ".join(f"{count} {what}" for what, count in scene.done.items())
        print(f"soak: {minutes:g} min, {done}; RSS {before} -> {after} KiB ({growth:+d}), of its own "
              f"{median_of(early, 1)} -> {median_of(late, 1)} KiB, a fresh process on the same wallet {fresh[0]} KiB "
              f"and {fresh[1]} KiB, descriptors {median_of(early, 2)} -> {median_of(late, 2)}, "
              f"balance {ours[0]} sat, node's {theirs[0]} sat, coins {'equal' if ours[1] == theirs[1] else 'DIFFERENT'}, exit code {code}: "
              f"{'good' if good else 'BAD'}")
        return 0 if good else 1


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else 60.0,
                 int(sys.argv[4]) if len(sys.argv) > 4 else 1))
