"""What happened is told in order and once: long polls, streams, webhooks, reorganisations, kill -9."""
import concurrent.futures
import hashlib
import hmac
import json
import pathlib
import random
import tempfile
import threading
import time
import unittest

import bench
from bench import (DOCUMENT, LONG, Case, Refused, Server, Spv, Stream, chains_hold, descriptors_of, is_tx, is_wallet,
                   start_node, states_of, wait_for, wait_value)
from receiver import Receiver

COIN = 100_000_000

place = node = server = None


def setUpModule():
    global place, node, server  # pylint: disable=global-statement
    folder = tempfile.TemporaryDirectory(prefix="spv-serve-", ignore_cleanup_errors=True)
    place = pathlib.Path(unittest.enterModuleContext(folder))
    node = start_node(place / "node")
    server = unittest.enterModuleContext(Server(place / "data", node=node))
    server.wait_synced(131)


def new_wallet(name, at=None):
    """A wallet of the node's keys at a server; gives an address of it."""
    at = at or server
    if name not in node.rpc("listwallets"):
        node.rpc("createwallet", name)
    at.post("/v1/wallets", {"name": name, "descriptors": descriptors_of(node, name)}, 201)
    return at.post(f"/v1/wallets/{name}/addresses", {}, 201).json["address"]


def pay(address, amount=1):
    return node.rpc("sendtoaddress", address, amount, wallet="miner")


def mine(count=1):
    return node.mine(count, "miner")


def mine_empty(count):
    """Blocks that leave the mempool alone."""
    return [node.rpc("generateblock", node.new_address("miner"), [])["hash"] for _ in range(count)]


class Order(Case):
    """Types, order, filter, pages, the meaning of next."""

    def test_the_life_of_a_payment(self):
        address = new_wallet("life")
        txid = pay(address)
        told = server.wait_event(is_tx(txid, "unconfirmed"), wallet="life")
        fields = ("net_sat", "height", "block", "replaced_by")
        self.assertEqual((COIN, None, None, None), tuple(told[each] for each in fields))
        self.assertEqual([(address, COIN)], [(each["address"], each["amount_sat"]) for each in told["outputs"]])
        self.assertLessEqual(abs(told["time"] - time.time()), 120)
        block = mine()[0]
        told = server.wait_event(is_tx(txid, "confirmed"), told["seq"], wallet="life")
        self.assertEqual((block, node.rpc("getblockcount")), (told["block"], told["height"]))
        tip = server.wait_event(lambda each: each["type"] == "tip" and each["hash"] == block)
        self.assertEqual(told["height"], tip["height"])
        events, _ = server.events(wallet="life")
        self.assertEqual(["added", "synced"], sorted(each["state"] for each in events if each["type"] == "wallet"))
        self.assertEqual(["unconfirmed", "confirmed"], states_of(events, txid))

    def test_numbers_grow_and_pages_join(self):
        address = new_wallet("numbers")
        for _ in range(3):
            pay(address, 0.01)
        block = mine()[0]
        server.wait_event(lambda each: each.get("hash") == block)
        whole, newest = server.events()
        chains_hold(whole)
        for limit in (1, 7):
            self.assertEqual(whole, server.events(limit=limit)[0][:len(whole)])
        self.assertEqual(whole[0], server.get("/v1/events?limit=1").json["events"][0])
        middle = whole[len(whole) // 2]["seq"]
        self.assertEqual(middle + 1, server.get(f"/v1/events?after={middle}&limit=1").json["events"][0]["seq"])
        self.assertGreaterEqual(server.get("/v1/status").json["events"], newest)

    def test_a_wallet_alone(self):
        new_wallet("alone")
        server.wait_event(is_wallet("synced"), wallet="alone")
        new_wallet("alone-not")
        server.wait_event(is_wallet("synced"), wallet="alone-not")
        events, after = server.events(wallet="alone")
        self.assertEqual({"alone"}, {each.get("wallet") for each in events})
        # next of an empty answer is the newest that was looked at, of this wallet or not.
        self.assertGreater(after, events[-1]["seq"])
        self.assertGreaterEqual(after, server.wait_event(is_wallet("synced"), wallet="alone-not")["seq"])
        self.assertEqual([], server.get("/v1/events?wallet=nobody").json["events"])

    def test_next_of_an_empty_answer_is_the_newest(self):
        server.wait_synced()
        _, newest = server.events()
        page = server.get(f"/v1/events?after={newest}").json
        self.assertEqual([], page["events"])
        self.assertGreaterEqual(page["next"], newest)

    def test_nothing_appears_later_below_next(self):
        """A reader that follows next sees what a reader from the start sees."""
        address = new_wallet("reader")
        _, start = server.events()
        seen, after = [], start
        stop = threading.Event()

        def churn():
            while not stop.is_set():
                pay(address, 0.001)
                mine()
        thread = threading.Thread(target=churn)
        thread.start()
        try:
            deadline = time.monotonic() + (30 if LONG else 4)
            while time.monotonic() < deadline:
                page = server.get(f"/v1/events?after={after}&wait=1&limit=5").json
                seen += page["events"]
                self.assertGreaterEqual(page["next"], after)
                after = page["next"]
        finally:
            stop.set()
            thread.join()
        again = [each for each in server.events(start)[0] if each["seq"] <= after]
        self.assertEqual(again, seen)
        self.assertTrue(seen)
        chains_hold(seen)


class LongPoll(Case):
    """wait holds the answer until there is something to say."""

    def test_it_is_held_until_an_event(self):
        address = new_wallet("polled")
        server.wait_event(is_wallet("synced"), wallet="polled")
        _, after = server.events(wallet="polled")
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            polls = [pool.submit(server.get, f"/v1/events?after={after}&wallet=polled&wait=60") for _ in range(20)]
            txid = pay(address)
            for each in polls:
                page = each.result().json
                self.assertEqual([txid], [event["txid"] for event in page["events"]])

    def test_it_ends_empty(self):
        new_wallet("quiet")
        server.wait_event(is_wallet("synced"), wallet="quiet")
        _, after = server.events(wallet="quiet")
        began = time.monotonic()
        page = server.get(f"/v1/events?after={after}&wallet=quiet&wait=1").json
        self.assertEqual([], page["events"])
        self.assertGreaterEqual(time.monotonic() - began, 0.9)
        self.assertGreaterEqual(page["next"], after)

    def test_a_number_of_the_future_waits_for_it(self):
        page = server.get("/v1/events?after=999999999").json
        self.assertEqual([], page["events"])


class Streams(Case):
    """The same as server-sent events."""

    def test_live_and_resumed(self):
        address = new_wallet("streamed")
        server.wait_event(is_wallet("synced"), wallet="streamed")
        with Stream(server) as stream:
            self.assertEqual((200, "text/event-stream"), (stream.status, stream.kind.split(";")[0]))
            txid = pay(address)
            seen = stream.wait(is_tx(txid, "unconfirmed"))
        whole, _ = server.events()
        got = stream.all()
        self.assertEqual(whole[:len(got)], got)  # from the oldest on, without a gap
        cut = seen["seq"] - 2
        block = mine()[0]
        with Stream(server, "?after=0", last_event_id=cut) as resumed:  # Last-Event-ID beats after
            resumed.wait(lambda each: each.get("hash") == block)
            self.assertEqual(cut + 1, resumed.all()[0]["seq"])
        with Stream(server, f"?after={cut}") as resumed:
            resumed.wait(lambda each: each.get("hash") == block)
            self.assertEqual(cut + 1, resumed.all()[0]["seq"])
        self.assertFalse([each for each in resumed.all() if "wrong" in each])

    def test_one_wallet_only(self):
        address = new_wallet("stream-of-one")
        with Stream(server, "?wallet=stream-of-one") as stream:
            txid = pay(address)
            mine()
            stream.wait(is_tx(txid, "confirmed"))
        self.assertEqual({"stream-of-one"}, {each.get("wallet") for each in stream.all()})

    def test_a_comment_comes_every_15_seconds(self):
        with Stream(server, "?after=999999999") as stream:
            began = time.monotonic()
            wait_for(lambda: stream.comments, "a comment", 40)
            self.assertLess(time.monotonic() - began, 20)

    def test_many_streams_get_the_same(self):
        address = new_wallet("crowd")
        _, after = server.events()
        streams = [self.enterContext(Stream(server, f"?after={after}")) for _ in range(50)]
        txid = pay(address)
        for each in streams:
            each.wait(is_tx(txid, "unconfirmed"))
        last = min(each.all()[-1]["seq"] for each in streams)
        seen = [[event for event in each.all() if event["seq"] <= last] for each in streams]
        self.assertTrue(all(each == seen[0] for each in seen))


class Reorganisation(Case):
    """Blocks that go, and what becomes of the payments in them."""

    def setUp(self):
        super().setUp()
        server.wait_synced(node.rpc("getblockcount"))

    def test_unconfirmed_again(self):
        txid = pay(new_wallet("reorged"))
        server.wait_event(is_tx(txid, "unconfirmed"), wallet="reorged")
        block = mine()[0]
        told = server.wait_event(is_tx(txid, "confirmed"), wallet="reorged")
        node.rpc("invalidateblock", block)
        tip = mine_empty(2)[-1]
        reorg = server.wait_event(lambda each: each["type"] == "reorg" and each["from"] == block, told["seq"] - 5)
        self.assertEqual(told["height"] - 1, reorg["fork_height"])
        server.wait_event(is_tx(txid, "unconfirmed"), told["seq"], wallet="reorged")
        server.wait_event(lambda each: each.get("hash") == tip)
        self.assertEqual(COIN, wait_for(lambda: server.balance("reorged")["unconfirmed_sat"], "it is unconfirmed"))
        again = mine()[0]
        last = server.wait_event(lambda each: is_tx(txid, "confirmed")(each) and each["block"] == again, told["seq"],
                                 wallet="reorged")
        events = [each for each in server.events(wallet="reorged")[0] if each["seq"] <= last["seq"]]
        self.assertEqual(["unconfirmed", "confirmed", "unconfirmed", "confirmed"], states_of(events, txid))
        reorgs = [each for each in server.events()[0] if each["type"] == "reorg" and each["from"] == block]
        self.assertEqual(1, len(reorgs))

    def test_moved_to_another_block(self):
        txid = pay(new_wallet("moved"))
        block = mine()[0]
        told = server.wait_event(is_tx(txid, "confirmed"), wallet="moved")
        server.wait_synced(told["height"])
        node.rpc("invalidateblock", block)
        other = mine(2)[0]
        moved = server.wait_event(lambda each: is_tx(txid, "confirmed")(each) and each["block"] == other, told["seq"],
                                  wallet="moved")
        self.assertEqual(told["height"], moved["height"])
        states = states_of(server.events(told["seq"], wallet="moved")[0], txid)
        self.assertIn(states, (["confirmed"], ["unconfirmed", "confirmed"]))

    def test_double_spend(self):
        txid = pay(new_wallet("replaced"))
        first = server.wait_event(is_tx(txid, "unconfirmed"), wallet="replaced")
        other = node.rpc("bumpfee", txid, wallet="miner")["txid"]
        mine()
        told = server.wait_event(is_tx(other, "confirmed"), first["seq"], wallet="replaced")
        lost = server.wait_event(is_tx(txid, "conflicted"), first["seq"], wallet="replaced")
        self.assertEqual(other, lost["replaced_by"])
        server.wait_synced(told["height"])
        self.assertEqual(COIN, server.balance("replaced")["total_sat"])
        history = server.get("/v1/wallets/replaced/history").json["transactions"]
        self.assertEqual({txid: "conflicted", other: "confirmed"}, {each["txid"]: each["status"] for each in history})
        self.assertEqual(["unconfirmed", "conflicted"], states_of(server.events(wallet="replaced")[0], txid))


class Keeping(Case):
    """--keep-events, and 410 for what is gone."""

    def test_old_events_go(self):
        own = self.server(node=node)
        new_wallet("kept", own)
        own.wait_event(is_wallet("synced"), wallet="kept")
        own.wait_synced()
        events, newest = own.events()
        self.assertEqual(0, own.stop()[0])
        # The clock of events has seconds.
        wait_for(lambda: time.time() > events[-1]["time"] + 3, "the clock goes on")
        own.options = ["--keep-events", "0.00001"]
        own.start()
        answer = wait_value(lambda: own.ask("GET", "/v1/events?after=0"), lambda each: each.status == 410,
                            "the old events are pruned")
        oldest = answer.json["oldest"]
        self.assertEqual(oldest, answer.json["error"]["oldest"])
        self.assertGreater(oldest, newest)
        self.assertIn(str(oldest), answer.message)
        wait_value(lambda: own.ask("GET", f"/v1/events?after={oldest - 2}"), lambda each: each.status == 410,
                   "those in memory are gone too")
        own.get(f"/v1/events?after={oldest - 1}")
        self.assertTrue(all(each["seq"] >= oldest for each in own.get("/v1/events").json["events"]))
        self.assertEqual(410, own.ask("GET", "/v1/events/stream?after=0").status)
        self.assertEqual(410, own.ask("GET", "/v1/events/stream", headers={"Last-Event-ID": "1"}).status)
        # The numbers go on where they were.
        block = mine()[0]
        told = own.wait_event(lambda each: each.get("hash") == block, oldest - 1)
        self.assertGreater(told["seq"], newest)


class Kills(Case):
    """kill -9 at any moment loses nothing and tells nothing twice."""

    def test_killed_and_started_again(self):
        own = self.server(node=node)
        address = new_wallet("killed", own)
        rng = random.Random(20)
        stop, paid = threading.Event(), []

        def churn():
            while not stop.is_set():
                paid.append(pay(address, 0.001))
                if len(paid) % 3 == 0:
                    mine()
        thread = threading.Thread(target=churn)
        thread.start()
        seen, after = [], 0
        try:
            for _ in range(40 if LONG else 4):
                until = time.monotonic() + rng.uniform(0.2, 1.5)
                while time.monotonic() < until:
                    page = own.get(f"/v1/events?after={after}&wait=1").json
                    seen += page["events"]
                    after = page["next"]
                own.kill()
                own.start()
        finally:
            stop.set()
            thread.join()
        block = mine()[0]
        own.wait_event(lambda each: each.get("hash") == block, after)
        own.wait_synced(node.rpc("getblockcount"))
        wait_for(lambda: own.balance("killed")["confirmed_sat"] == len(paid) * COIN // 1000, "every payment is there")
        whole, _ = own.events()
        self.assertEqual(whole[:len(seen)], seen)  # what was told before a kill still stands
        told = chains_hold(whole)
        self.assertEqual({txid: "confirmed" for txid in paid},
                         {txid: state[0] for (_, txid), state in told.items()})
        for txid in paid:
            self.assertIn(states_of(whole, txid), (["unconfirmed", "confirmed"], ["confirmed"]))


class Webhooks(Case):
    """Posted in order until taken, signed, and remembered."""

    def setUp(self):
        super().setUp()
        self.receiver = self.enterContext(Receiver())
        self.key = self.place / "key"
        self.key.write_bytes(b"a secret of mine\n")

    def hooked(self, *more, path="/hook"):
        words = ("--webhook", self.receiver.url(path), "--webhook-key-file", str(self.key), *more)
        return self.server("data", *words, node=node)

    def taken(self, path="/hook", start=0):
        """The events of all posts that were answered by 2xx, in the order of the posts."""
        posts = [each for each in self.receiver.all()[start:] if each[0] == path and 200 <= each[3] < 300]
        return [event for each in posts for event in json.loads(each[2])["events"]]

    def caught_up(self, own, path="/hook"):
        def done():
            seq = own.get("/v1/status").json["events"]
            got = self.taken(path)
            return got if got and got[-1]["seq"] >= seq else None
        return wait_for(done, "the webhook has all events")

    def test_signed_and_in_order(self):
        own = self.hooked()
        txid = pay(new_wallet("hooked", own))
        mine()
        own.wait_event(is_tx(txid, "confirmed"), wallet="hooked")
        got = self.caught_up(own)
        self.assertEqual(own.events()[0][:len(got)], got)
        for _, headers, body, _ in self.receiver.all():
            expected = "sha256=" + hmac.new(b"a secret of mine", body, hashlib.sha256).hexdigest()
            self.assertEqual(expected, headers["X-Spv-Signature"])
            self.assertEqual("application/json", headers["Content-Type"])
            wrong = DOCUMENT.answers.errors(json.loads(body), {"$ref": "#/components/schemas/EventBatch"})
            self.assertEqual([], list(wrong))

    def test_again_until_it_is_taken(self):
        self.receiver.answers.extend([500, 302])
        own = self.hooked()
        got = self.caught_up(own)
        self.assertEqual([500, 302, 200], [each[3] for each in self.receiver.all()][:3])
        self.assertEqual({"/hook"}, {each[0] for each in self.receiver.all()})  # a redirection is not followed
        self.assertEqual(own.events()[0][:len(got)], got)
        first = [json.loads(each[2])["events"][0]["seq"] for each in self.receiver.all()[:3]]
        self.assertEqual(1, len(set(first)))

    def test_the_position_is_remembered(self):
        own = self.hooked()
        self.caught_up(own)
        self.assertEqual(0, own.stop()[0])
        before = len(self.taken())
        block = mine()[0]
        own.start()
        own.wait_event(lambda each: each.get("hash") == block)
        got = self.caught_up(own)
        self.assertGreater(len(got), before)
        chains_hold(got)  # nothing twice, nothing missing
        self.assertEqual(own.events()[0][:len(got)], got)
        # A new URL starts at the oldest event.
        own.stop()
        own.options += ["--webhook", self.receiver.url("/second")]
        own.start()
        self.assertEqual(own.events()[0][0], self.caught_up(own, "/second")[0])

    def test_killed_in_between(self):
        own = self.hooked()
        address = new_wallet("hook-killed", own)
        for _ in range(20 if LONG else 3):
            pay(address, 0.001)
            mine()
            own.kill()
            own.start()
        own.wait_synced(node.rpc("getblockcount"))
        got = self.caught_up(own)
        # A post that was taken but not yet noted may come again; nothing is left out and nothing comes too early.
        once = sorted({each["seq"]: each for each in got}.values(), key=lambda each: each["seq"])
        self.assertEqual(own.events()[0][:len(once)], once)
        highest = 0
        for each in got:
            self.assertLessEqual(each["seq"], highest + 1)
            highest = max(highest, each["seq"])

    def test_its_path_and_key_are_in_no_log(self):
        self.receiver.answers.extend([500])
        nobody = f"http://127.0.0.1:{bench.free_port()}/nobody-listens-secret"
        own = self.hooked("--webhook", nobody, path="/secret-path?key=k123")
        wait_for(lambda: "webhook" in own.log_text(), "the failure is logged")
        self.caught_up(own, "/secret-path?key=k123")
        own.stop()
        for secret in ("secret-path", "k123", "nobody-listens-secret", "a secret of mine"):
            self.assertNotIn(secret, own.log_text())

    def test_urls_from_the_configuration_are_not_in_the_arguments(self):
        (self.place / "data").mkdir(mode=0o700)
        (self.place / "data" / "spv.conf").write_text(f"[regtest]\nwebhook={self.receiver.url('/quiet-path')}\n")
        own = self.server("data", node=node)
        self.caught_up(own, "/quiet-path")
        self.assertNotIn(b"quiet-path", pathlib.Path(f"/proc/{own.process.pid}/cmdline").read_bytes())

    def test_urls_that_are_none(self):
        for url in ("ftp://host/", "http://user:password@host/", "nonsense", "http://", "http://host:0/",
                    "http://h/#x"):
            with self.assertRaises(AssertionError) as failed:
                Server(self.place / "bad", "--webhook", url, node=node).start()
            self.assertIn("exit code 2", str(failed.exception))
            self.assertIn("--webhook", str(failed.exception))
            self.assertNotIn("password@", str(failed.exception))


class Program(Case):
    """Events of what the program does beside the server."""

    def test_removed_by_the_program(self):
        cli = Spv(bench.SPV, server.folder)
        cli.json("watch", "-w", "deleted", "--address", node.new_address("miner"))
        server.wait_event(is_wallet("added"), wallet="deleted")
        server.delete("/v1/wallets/deleted")
        server.wait_event(is_wallet("removed"), wallet="deleted")

    def test_a_server_that_dies_answers_nobody(self):
        own = self.server(node=node)
        own.kill()
        with self.assertRaises(Refused):
            own.get("/healthz")


if __name__ == "__main__":
    unittest.main()
