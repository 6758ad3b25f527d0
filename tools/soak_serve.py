#!/usr/bin/env python3
"""Runs three `spv serve` on one database for an hour, with 1,000 wallets, payments, reorganisations, and kills.

usage: soak_serve.py SPV BITCOIND [MINUTES] [SEED] [WALLETS]
       soak_serve.py --kills N SPV BITCOIND [SEED] [WALLETS]

A hundred payments a minute. Two of the servers are killed with SIGKILL in turn every minute and started again; the node
restarts every five minutes; blocks come and are reorganised. Exit code 0 if at the end every balance is what the node's
own wallet holds for the address, every state of every payment was told once and the last one is true, and the server that
was never killed has grown by at most 2 MiB and opened no more descriptors since its first ten minutes (or the first sixth
of a shorter run). The last line has the figures.

--kills N: N kills at random moments instead, of all three, while they start too; memory is not looked at.
"""
import collections
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time

KILLS = int(sys.argv[2]) if sys.argv[1:2] == ["--kills"] else 0
WORDS = sys.argv[3:] if KILLS else sys.argv[1:]
os.environ["SPV_PROGRAM"] = os.path.abspath(WORDS[0])
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "serve" / "contract")]
# pylint: disable=wrong-import-position
from bench import Refused, Server, chains_hold, wait_for  # noqa: E402
from postgres import Cluster  # noqa: E402
from regtest import Node, RpcError, satoshis  # noqa: E402
from soak import descriptors, resident_kib  # noqa: E402
# pylint: enable=wrong-import-position

PAYMENTS_A_MINUTE = 100
MAX_GROWTH_KIB = 2048
# A reorganisation puts long chains of payments back into the mempool. The node must not drop them: nobody would see that.
LONG_CHAINS = [f"limit{kind}{what}=5000" for kind in ("ancestor", "descendant") for what in ("count", "size")]
SETTLED = 180  # seconds that everybody has at the end


class Scene:
    """What happens around the wallets, at random but by a seed. "watched" is the node's wallet of all their addresses."""

    def __init__(self, node, seed, wallets):
        self.node, self.rng = node, random.Random(seed)
        self.done = collections.Counter()
        self.starting = None  # the server that was killed last, once it starts again
        node.make_miner()
        node.mine(40, "miner")
        node.rpc("createwallet", "watched")
        self.addresses = [node.new_address("watched") for _ in range(wallets)]

    def pay(self):
        """One payment, to one wallet or, now and then, to several."""
        count = self.rng.choice((1, 1, 1, 1, 5))
        amounts = {address: self.rng.randint(20_000, 2_000_000) / 1e8
                   for address in self.rng.sample(self.addresses, count)}
        sender = "watched" if self.rng.random() < 0.15 else "miner"
        try:
            self.node.rpc("sendmany", "", amounts, wallet=sender)
            self.done["payments"] += 1
        except RpcError as error:
            if not any(reason in str(error) for reason in ("Insufficient funds", "too-long-mempool-chain", "too long")):
                raise

    def mine(self):
        self.node.mine(1, "miner")
        self.done["blocks"] += 1

    def reorganise(self):
        depth = self.rng.randint(1, 3)
        height = self.node.rpc("getblockcount")
        self.node.rpc("invalidateblock", self.node.rpc("getblockhash", height - depth + 1))
        self.node.mine(depth + 1, "miner")
        self.resend()
        self.done["reorganisations"] += 1

    def resend(self):
        """The node has dropped payments whose lock time is above the shorter chain; a parent may come after its child."""
        self.node.rpc("syncwithvalidationinterfacequeue")
        waiting = {each["txid"]: wallet for wallet in ("miner", "watched")
                   for each in self.node.rpc("listtransactions", "*", 1000, wallet=wallet)
                   if each["confirmations"] == 0 and not each.get("generated")}
        while waiting:
            why = {txid: self.send_again(txid, wallet) for txid, wallet in waiting.items()}
            if all(why.values()):
                raise AssertionError(f"the node does not take its payments again: {list(why.items())[:3]}")
            waiting = {txid: waiting[txid] for txid, reason in why.items() if reason}

    def send_again(self, txid, wallet):
        """Why not, or nothing."""
        try:
            self.node.rpc("sendrawtransaction", self.node.rpc("gettransaction", txid, wallet=wallet)["hex"])
        except RpcError as error:
            return "" if "already" in str(error) else str(error)
        return ""

    def restart(self):
        self.node.stop()
        time.sleep(self.rng.randint(1, 5))
        self.node.start()
        for wallet in ("miner", "watched"):
            self.node.rpc("loadwallet", wallet)
        self.done["restarts of the node"] += 1

    def holdings(self):
        """Satoshis by address, of what is in a block or waits for one."""
        self.node.rpc("syncwithvalidationinterfacequeue")
        out = collections.Counter()
        for coin in self.node.rpc("listunspent", 0, 9_999_999, [], True, wallet="watched"):
            out[coin["address"]] += satoshis(coin["amount"])
        return out


class Reader(threading.Thread):
    """Reads the events of all servers by their number, from whichever answers."""

    def __init__(self, servers):
        super().__init__(daemon=True)
        self.servers, self.events, self.position, self.ended = servers, [], 0, False

    def run(self):
        while not self.ended:
            for server in self.servers:
                try:
                    page = server.get(f"/v1/events?after={self.position}&wait=2&limit=1000", checked=False, timeout=10).json
                except (AssertionError, Refused):  # killed, or 503 while it starts
                    time.sleep(0.2)
                    continue
                self.events += page["events"]
                self.position = page["next"]


def add_wallets(server, addresses):
    for number, address in enumerate(addresses):
        server.post("/v1/wallets", {"name": f"w{number}", "addresses": [address]}, 201, checked=False)


class Timetable:
    """What is due: name, seconds from one to the next, what to do."""

    def __init__(self, *rows):
        now = time.monotonic()
        self.rows = [[now + period, period, act] for period, act in rows]

    def play(self):
        for row in self.rows:
            if time.monotonic() >= row[0]:
                row[0] += row[1]
                row[2]()


def kill_one(servers, scene):
    victim = servers[1 + scene.done["kills"] % (len(servers) - 1)]
    victim.kill()
    scene.done["kills"] += 1
    scene.starting = threading.Timer(5, victim.start)
    scene.starting.start()


def die_early(server, scene):
    """Started, and killed before it listens, or soon after."""
    process = subprocess.Popen(server.arguments(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    time.sleep(scene.rng.random() * 0.3)
    process.kill()
    process.wait()
    scene.done["kills while it started"] += 1


def kill_often(servers, scene, kills):
    """Each in turn, at any moment after its start."""
    table = Timetable((60 / PAYMENTS_A_MINUTE, scene.pay), (5, scene.mine), (31, scene.reorganise), (120, scene.restart),
                      (60, lambda: print(f"kills: {dict(scene.done)}", file=sys.stderr, flush=True)))
    for _ in range(kills):
        victim = servers[scene.done["kills"] % len(servers)]
        alive = time.monotonic() + scene.rng.random() * scene.rng.choice((0.2, 1, 3))
        while time.monotonic() < alive:
            table.play()
            time.sleep(0.01)
        victim.kill()
        if scene.rng.random() < 0.3:
            die_early(victim, scene)
        scene.done["kills"] += 1
        victim.start()


def follow(servers, scene, minutes):
    """Plays the scene; a sample of memory and descriptors of the first server every two seconds."""
    samples = []
    seconds = 60 * minutes
    table = Timetable((60 / PAYMENTS_A_MINUTE, scene.pay), (10, scene.mine), (97, scene.reorganise),
                      (min(300, seconds / 3), scene.restart), (min(60, seconds / 6), lambda: kill_one(servers, scene)),
                      (2, lambda: samples.append((*resident_kib(servers[0].process.pid), descriptors(servers[0].process.pid)))),
                      (300, lambda: print(f"soak: {dict(scene.done)}, {samples[-1]}", file=sys.stderr, flush=True)))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        table.play()
        time.sleep(0.02)
    if scene.starting:
        scene.starting.join()
    return samples


def balances(server, count):
    return {f"w{number}": server.balance(f"w{number}")["total_sat"] for number in range(count)}


def settle(servers, scene):
    """Until the balances of all servers are the node's; gives what differs at the end."""
    scene.mine()
    height = scene.node.rpc("getblockcount")
    for server in servers:
        server.wait_synced(height)
    holdings = scene.holdings()
    wanted = {f"w{number}": holdings[address] for number, address in enumerate(scene.addresses)}
    differing = {}

    def equal():
        nonlocal differing
        differing = {name: (total, wanted[name]) for name, total in balances(servers[0], len(wanted)).items()
                     if total != wanted[name]}
        return not differing
    try:
        wait_for(equal, "the balances are equal", SETTLED)
    except AssertionError:
        pass
    return differing


def false_ends(reader, scene):
    """Transactions whose last state told is not the node's."""
    last = {(event["wallet"], event["txid"]): event["state"] for event in reader.events if event["type"] == "tx"}
    wrong = []
    for (wallet, txid), state in last.items():
        try:
            confirmations = scene.node.rpc("gettransaction", txid, wallet="watched")["confirmations"]
        except RpcError:
            confirmations = -1
        true = "confirmed" if confirmations > 0 else "unconfirmed" if confirmations == 0 else "conflicted"
        if state != true:
            wrong.append((wallet, txid, state, true))
    return wrong


def run(bitcoind, minutes, seed, wallets):
    with tempfile.TemporaryDirectory(prefix="spv-soak-", ignore_cleanup_errors=True) as folder, Cluster() as cluster, \
            Node(bitcoind, folder + "/node", LONG_CHAINS) as node:
        scene = Scene(node, seed, wallets)
        url = cluster.new_database()
        servers = [Server(f"{folder}/data{number}", node=node, database=url, level="warn") for number in range(3)]
        try:
            for server in servers:
                server.start()
            add_wallets(servers[0], scene.addresses)
            servers[0].wait_synced(node.rpc("getblockcount"))
            reader = Reader(servers)
            reader.start()
            samples = [] if KILLS else follow(servers, scene, minutes)
            kill_often(servers, scene, KILLS)
            differing = settle(servers, scene)
            newest = servers[0].get("/v1/status").json["events"]
            wait_for(lambda: reader.position >= newest, "the reader has all events")
            reader.ended = True
            told = chains_hold(reader.events)
            wrong = false_ends(reader, scene)
        finally:
            codes = [server.stop()[0] if server.process.poll() is None else server.process.returncode for server in servers]
        return verdict(minutes, scene, samples, differing, wrong, told, codes)


def growth_of(samples, minutes):
    """Whether memory and descriptors stayed, and the words for it."""
    if not samples:
        return True, ""
    def median_of(some, which):
        return int(statistics.median(sample[which] for sample in some))
    per_minute = max(len(samples) // max(int(minutes), 1), 1)
    from_on = min(10 * per_minute, len(samples) // 6)
    early, late = samples[from_on:from_on + per_minute] or samples, samples[-per_minute:]
    before, after, files, files_after = (median_of(some, which) for which in (0, 2) for some in (early, late))
    return (after - before <= MAX_GROWTH_KIB and files_after <= files + 2,
            f"; {minutes:g} min, RSS {before} -> {after} KiB ({after - before:+d}), descriptors {files} -> {files_after}")


def verdict(minutes, scene, samples, differing, wrong, told, codes):
    stayed, growth = growth_of(samples, minutes)
    good = not differing and not wrong and codes == [0, 0, 0] and stayed
    done = ", ".join(f"{count} {what}" for what, count in scene.done.items())
    print(f"soak serve: {len(scene.addresses)} wallets, {done}; {len(told)} payments of wallets told, {len(wrong)} with a "
          f"false end, {len(differing)} balances wrong{growth}, exit codes {codes}: {'good' if good else 'BAD'}")
    for each in [*list(differing.items())[:5], *wrong[:5]]:
        print(f"  {each}", file=sys.stderr)
    return 0 if good else 1


def main():
    more = [float(word) for word in WORDS[2:]]
    minutes = 0 if KILLS else (more.pop(0) if more else 60)
    seed, wallets = (int(word) for word in (more + [1, 50 if KILLS else 1000][len(more):]))
    return run(WORDS[1], minutes, seed, wallets)


if __name__ == "__main__":
    sys.exit(main())
