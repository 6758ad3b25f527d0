"""Several servers on one database: any answers any request, and one that dies is not missed."""
import concurrent.futures
import pathlib
import random
import signal
import tempfile
import threading
import time
import unittest

from bench import (LATE, LONG, Case, Refused, Stream, chains_hold, descriptors_of, is_tx, is_wallet, start_node, states_of,
                   wait_for, wait_value)
from postgres import Cluster

COIN = 100_000_000
WALLETS = 12

cluster = node = None


def setUpModule():
    global cluster, node  # pylint: disable=global-statement
    folder = tempfile.TemporaryDirectory(prefix="spv-serve-", ignore_cleanup_errors=True)
    place = pathlib.Path(unittest.enterModuleContext(folder))
    cluster = unittest.enterModuleContext(Cluster())
    node = start_node(place / "node")


def pay(address, amount=1):
    return node.rpc("sendtoaddress", address, amount, wallet="miner")


class Several(Case):
    """Two or three processes, each with a folder of its own, on one database."""

    def setUp(self):
        super().setUp()
        self.url = cluster.new_database()
        self.keys = self.url.rsplit("/", 1)[1]  # the node's wallets of this test are called after it

    def start(self, count):
        """Servers that have divided the work among them."""
        servers = [self.server(f"data{number}", node=node, database=self.url) for number in range(count)]
        self.divided(servers)
        return servers

    def divided(self, servers):
        """Until each of them is listed."""
        def listed():
            workers = servers[0].get("/v1/workers").json["workers"]
            fresh = [each for each in workers if each["seen"] > time.time() - 30]
            return workers if len(fresh) == len(servers) else None
        return wait_for(listed, f"{len(servers)} workers")

    def shared(self, servers, count):
        """Until these servers and no others follow all of the wallets. Which of them has how many depends on names."""
        return wait_value(lambda: [each["wallets"] for each in servers[0].get("/v1/workers").json["workers"]],
                          lambda counts: len(counts) == len(servers) and sum(counts) == count,
                          f"{count} wallets are followed by {len(servers)} workers")

    def new_wallets(self, servers, count):
        """Asked for at all of them in turn. Gives an address of each."""
        given = {}
        for number in range(count):
            name = f"w{number}"
            node.rpc("createwallet", f"{self.keys}-{name}")
            body = {"name": name, "descriptors": descriptors_of(node, f"{self.keys}-{name}")}
            servers[number % len(servers)].post("/v1/wallets", body, 201)
            other = servers[(number + 1) % len(servers)]
            given[name] = other.post(f"/v1/wallets/{name}/addresses", {}, 201).json["address"]
        return given

    def all_synced(self, servers):
        height = node.rpc("getblockcount")
        for each in servers:
            each.wait_synced(height)

    def test_any_of_them_answers_any_request(self):
        servers = self.start(2)
        given = self.new_wallets(servers, WALLETS)
        self.shared(servers, WALLETS)
        self.all_synced(servers)
        txids = {name: pay(address, 0.1) for name, address in given.items()}
        for name, txid in txids.items():
            servers[0].wait_event(is_tx(txid, "unconfirmed"), wallet=name)
        block = node.mine(1, "miner")[0]
        for name, txid in txids.items():
            for each in servers:
                told = each.wait_event(is_tx(txid, "confirmed"), wallet=name)
                self.assertEqual(block, told["block"])
        self.all_synced(servers)
        for name, txid in txids.items():
            for each in servers:
                wait_for(lambda server=each, wallet=name: server.balance(wallet)["confirmed_sat"] == COIN // 10, name)
                self.assertEqual([txid], [row["txid"] for row in
                                          each.get(f"/v1/wallets/{name}/history").json["transactions"]])
                self.assertEqual("confirmed", each.get(f"/v1/wallets/{name}/transactions/{txid}").json["status"])
                self.assertTrue(each.get(f"/v1/wallets/{name}/transactions/{txid}/proof").text)
                self.assertEqual(1, len(each.get(f"/v1/wallets/{name}/utxos").json["utxos"]))
                self.assertEqual(COIN // 10, each.get(f"/v1/wallets/{name}").json["balance"]["confirmed_sat"])
        first, second = (each.events()[0] for each in servers)
        size = min(len(first), len(second))
        self.assertEqual(first[:size], second[:size])
        chains_hold(first)
        tips = [each["hash"] for each in first if each["type"] == "tip"]
        self.assertEqual(len(set(tips)), len(tips))  # once a database, not once a process
        self.assertEqual(1, len([each for each in first if each["type"] == "wallet" and each["state"] == "added"
                                 and each["wallet"] == "w0"]))
        self.assertEqual([f"w{each}" for each in sorted(map(str, range(WALLETS)))],
                         [each["name"] for each in servers[1].pages("/v1/wallets", "wallets", 5)])

    def test_asked_where_the_wallet_is_not(self):
        servers = self.start(2)
        given = self.new_wallets(servers, 6)
        self.shared(servers, 6)
        for number, (name, address) in enumerate(given.items()):
            at = servers[number % 2]
            pay(address, 1)
            at.put(f"/v1/wallets/{name}/labels", {"type": "addr", "ref": address, "label": f"of {name}"})
        node.mine(1, "miner")
        self.all_synced(servers)
        for name, address in given.items():
            for each in servers:
                wait_for(lambda server=each, wallet=name: server.balance(wallet)["confirmed_sat"] == COIN, name)
                rows = each.get(f"/v1/wallets/{name}/addresses").json["addresses"]
                self.assertEqual(f"of {name}", next(row["label"] for row in rows if row["address"] == address))
        # Addresses by both at once, all different, all watched.
        def new_address(number):
            return servers[number % 2].post("/v1/wallets/w0/addresses", {}, 201).json["address"]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            fresh = list(pool.map(new_address, range(30)))
        self.assertEqual(30, len(set(fresh)))
        for address in (fresh[0], fresh[-1]):
            txid = pay(address, 0.01)
            servers[0].wait_event(is_tx(txid), wallet="w0")
        # Spending, rescan and removal at each of them.
        for number, name in enumerate(("w1", "w2")):
            at = servers[number]
            made = at.post(f"/v1/wallets/{name}/psbt", {"outputs": [{"address": node.new_address("miner"),
                                                                      "amount_sat": COIN // 2}], "fee_rate": 2}).json
            signed = node.rpc("walletprocesspsbt", made["psbt"], wallet=f"{self.keys}-{name}")["psbt"]
            sent = at.post("/v1/transactions", {"psbt": signed}).json
            self.assertIn(sent["state"], ("accepted", "fetched"))
            for each in servers:
                told = each.wait_event(is_tx(sent["txid"]), wallet=name)
                self.assertEqual("unconfirmed", told["state"])
        for at in servers:
            _, after = at.events(wallet="w3")
            at.post("/v1/wallets/w3/rescan", {"from": 0}, 202)
            servers[0].wait_event(is_wallet("synced"), after, wallet="w3")
        for at, name in zip(servers, ("w4", "w5")):
            at.delete(f"/v1/wallets/{name}")
            for each in servers:
                wait_value(lambda server=each, path=f"/v1/wallets/{name}": server.ask("GET", path).status,
                           lambda status: status == 404, f"{name} is gone")
                each.wait_event(is_wallet("removed"), wallet=name)

    def test_one_is_killed_and_the_others_take_over(self):
        servers = self.start(3)
        given = self.new_wallets(servers, WALLETS)
        self.shared(servers, WALLETS)
        self.all_synced(servers)
        with Stream(servers[1], "?after=0") as stream:
            servers[0].kill()
            rest = servers[1:]
            began = time.monotonic()
            txids = {name: pay(address, 0.1) for name, address in given.items()}
            node.mine(1, "miner")
            self.shared(rest, WALLETS)
            self.assertLess(time.monotonic() - began, 15 + LATE)
            for name, txid in txids.items():
                rest[0].wait_event(is_tx(txid, "confirmed"), wallet=name)
            events, newest = rest[1].events()
            stream.wait_seq(newest)
            self.assertEqual(events, stream.all()[:len(events)])
        chains_hold(events)
        for name, txid in txids.items():
            self.assertIn(states_of(events, txid, name), (["unconfirmed", "confirmed"], ["confirmed"]))
        # A new one gets its share.
        servers[0].start()
        self.shared(servers, WALLETS)

    def test_one_hangs_for_longer_than_its_lease(self):
        servers = self.start(2)
        hung, other = servers
        given = self.new_wallets(servers, 6)
        self.shared(servers, 6)
        self.all_synced(servers)
        hung.process.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        try:
            self.shared([other], 6)
            self.assertLess(time.monotonic() - began, 15 + LATE)
            txids = {name: pay(address, 0.1) for name, address in given.items()}
            for name, txid in txids.items():
                other.wait_event(is_tx(txid, "unconfirmed"), wallet=name)
        finally:
            hung.process.send_signal(signal.SIGCONT)
        # It still thinks that they are its own, and hears of the block as the other one does.
        node.mine(1, "miner")
        for name, txid in txids.items():
            other.wait_event(is_tx(txid, "confirmed"), wallet=name)
        self.shared(servers, 6)
        self.all_synced(servers)
        events, newest = hung.events()
        chains_hold(events)
        self.assertEqual((events, newest), other.events())
        for name, txid in txids.items():
            self.assertEqual(["unconfirmed", "confirmed"], states_of(events, txid, name))
            fresh = {each.post(f"/v1/wallets/{name}/addresses", {}, 201).json["address"] for each in servers}
            self.assertEqual(2, len(fresh - {given[name]}))
            for each in servers:
                wait_for(lambda server=each, wallet=name: server.balance(wallet)["confirmed_sat"] == COIN // 10, name)

    def test_no_event_is_lost_doubled_or_out_of_order(self):
        servers = self.start(3)
        given = self.new_wallets(servers, 6)
        self.shared(servers, 6)
        rng = random.Random(7)
        stop, paid = threading.Event(), []

        def churn():
            while not stop.is_set():
                name = rng.choice(list(given))
                paid.append((name, pay(given[name], 0.001)))
                if len(paid) % 4 == 0:
                    node.mine(1, "miner")
                stop.wait(0.1)
        thread = threading.Thread(target=churn)
        thread.start()
        seen, after = [], 0
        try:
            for turn in range(30 if LONG else 2):
                victim = servers[turn % len(servers)]
                if turn % 2:
                    victim.process.send_signal(signal.SIGSTOP)  # hangs in the middle of something
                    reader = servers[(turn + 1) % len(servers)]
                    until = time.monotonic() + rng.uniform(0.5, 2)
                    while time.monotonic() < until:
                        after = self.read(reader, after, seen)
                    victim.process.send_signal(signal.SIGCONT)
                else:
                    victim.kill()
                    after = self.read(servers[(turn + 1) % len(servers)], after, seen)
                    victim.start()
                after = self.read(victim, after, seen)
        finally:
            stop.set()
            thread.join()
        node.mine(1, "miner")
        for name, txid in paid:
            servers[0].wait_event(is_tx(txid, "confirmed"), wallet=name)
        whole, _ = servers[2].events()
        self.assertEqual(whole[:len(seen)], seen)
        told = chains_hold(whole)
        self.assertEqual(set(paid), set(told))
        self.assertEqual({"confirmed"}, {state[0] for state in told.values()})
        for name, txid in paid:
            self.assertIn(states_of(whole, txid, name), (["unconfirmed", "confirmed"], ["confirmed"]))
        tips = [each["hash"] for each in whole if each["type"] == "tip"]
        self.assertEqual(len(set(tips)), len(tips))

    @staticmethod
    def read(server, after, seen):
        try:
            page = server.get(f"/v1/events?after={after}&wait=1").json
        except Refused:
            return after
        seen += page["events"]
        return page["next"]

    def test_the_database_goes_away_and_comes_back(self):
        servers = self.start(2)
        given = self.new_wallets(servers, WALLETS)
        self.shared(servers, WALLETS)
        self.all_synced(servers)
        cluster.stop()
        try:
            for each in servers:
                wait_for(lambda server=each: server.ask("GET", "/readyz", token=None).status == 503, "not ready")
                each.get("/healthz", token=None)
                answer = wait_value(lambda server=each: server.ask("GET", "/v1/wallets"), lambda got: got.status == 503,
                                    "503")
                self.assertGreaterEqual(int(answer.headers["retry-after"]), 1)
                self.assertEqual(503, each.ask("POST", "/v1/wallets/w0/addresses", {}).status)
        finally:
            cluster.start()
        for each in servers:
            wait_for(lambda server=each: server.ask("GET", "/readyz", token=None).status == 200, "ready again")
            self.assertIsNone(each.process.poll())
        txids = {name: pay(address, 0.1) for name, address in given.items()}
        for name, txid in txids.items():
            servers[0].wait_event(is_tx(txid), wallet=name)
        for each in servers:
            self.assertEqual(0, each.stop()[0])


if __name__ == "__main__":
    unittest.main()
