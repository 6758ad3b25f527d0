"""Every request of the API and its answer: the chain, wallets, addresses, labels, proofs, spending."""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

import bench
from bench import (DOCUMENT, LATE, Case, Server, Spv, descriptors_of, is_wallet, satoshis, start_node, wait_for,
                   wait_value)

COIN = 100_000_000
# The account of BIP84's test vectors, as tpub: m/84'/1'/0' of the mnemonic that everybody tests with.
TPUB = ("tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4"
        "zbQ1M")
FIRST = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk"  # its first address on regtest

place = node = server = cli = None


def setUpModule():
    global place, node, server, cli  # pylint: disable=global-statement
    folder = tempfile.TemporaryDirectory(prefix="spv-serve-", ignore_cleanup_errors=True)
    place = pathlib.Path(unittest.enterModuleContext(folder))
    node = start_node(place / "node")
    server = unittest.enterModuleContext(Server(place / "data", node=node))
    cli = Spv(bench.SPV, server.folder)
    server.wait_synced(131)


def tearDownModule():
    """Last of all: every operation of the document has succeeded at least once in here."""
    if len(sys.argv) > 3:
        return  # only some of the tests were run
    wanted = {(method, template) for method, template, _ in DOCUMENT.operations()}
    wanted -= {("POST", "/v1/session"), ("DELETE", "/v1/session"), ("GET", "/v1/events"), ("GET", "/v1/events/stream")}
    missing = wanted - {(method, template) for method, template, status in server.seen if status < 300}
    if missing:
        raise AssertionError(f"never asked successfully: {sorted(missing)}")


def pay(address, amount=1):
    return node.rpc("sendtoaddress", address, amount, wallet="miner")


def mine(count=1):
    blocks = node.mine(count, "miner")
    server.wait_synced(node.rpc("getblockcount"))
    return blocks


def new_wallet(name, **fields):
    """A wallet of the node's own keys; gives its document."""
    node.rpc("createwallet", name)
    return server.post("/v1/wallets", {"name": name, "descriptors": descriptors_of(node, name), **fields}, 201).json


def wait_tx(wallet, txid, **wanted):
    """The transaction of a wallet, once it is there and as wanted."""
    def found():
        answer = server.ask("GET", f"/v1/wallets/{wallet}/transactions/{txid}")
        fits = answer.status == 200 and all(answer.json[name] == value for name, value in wanted.items())
        return answer.json if fits else None
    return wait_for(found, f"{txid} in {wallet}: {wanted}")


class Chain(Case):
    """What the server says about itself and the chain."""

    def test_status(self):
        status = server.wait_synced()
        self.assertEqual("regtest", status["network"])
        self.assertEqual(node.rpc("getbestblockhash"), status["tip"])
        self.assertEqual(node.rpc("getblockheader", status["tip"])["time"], status["tip_time"])
        self.assertGreaterEqual(status["peers"], 1)
        self.assertIn(status["version"], subprocess.run([bench.SPV, "--version"], capture_output=True, text=True,
                                                        check=True).stdout)

    def test_peers(self):
        server.wait_synced()
        peers = server.get("/v1/peers").json["peers"]
        own = next(each for each in peers if each["address"] == node.address)
        self.assertEqual("ready", own["state"])
        self.assertRegex(own["user_agent"], "Satoshi|Knots")
        self.assertTrue(own["services"] & 4)
        self.assertGreater(own["bytes_in"], 0)

    def test_sync(self):
        server.wait_synced()
        sync = wait_value(lambda: server.get("/v1/sync").json, lambda each: each["state"] == "synced", "state synced")
        self.assertEqual(sync["headers"]["height"], sync["headers"]["target"])
        self.assertGreater(sync["bytes"]["by_cause"]["headers"], 0)

    def test_filter(self):
        new_wallet("filtered")
        def filters():
            health = server.get("/v1/filter").json
            loaded = any(each["elements"] > 0 for each in health["filters"])
            return health if loaded and health["samples"] and health["sent"] else None
        health = wait_for(filters, "a filter with what the wallet watches")
        self.assertGreater(health["fp_target"], 0)
        self.assertIn(node.address, [each["peer"] for each in health["sent"]])

    def test_workers(self):
        workers = server.get("/v1/workers").json["workers"]
        self.assertEqual(1, len(workers))
        self.assertLessEqual(abs(workers[0]["seen"] - time.time()), 60)

    def test_electrum_is_off(self):
        self.assertEqual({"listening": None, "clients": []}, server.get("/v1/electrum").json)

    def test_fees(self):
        fees = server.get("/v1/fees").json
        self.assertIn("feefilter", [each["kind"] for each in fees["sources"]])
        self.assertGreater(fees["floor_sat_per_vb"], 0)

    def test_the_document_is_the_one_of_the_source(self):
        self.assertEqual(DOCUMENT.document, server.get("/v1/openapi.json").json)

    def test_health(self):
        server.wait_synced()
        server.get("/healthz", token=None)
        server.get("/readyz", token=None)

    def test_the_page(self):
        answer = server.get("/", token=None)
        policy = answer.headers["content-security-policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertIn("frame-ancestors 'none'", policy)
        self.assertNotIn("unsafe", policy)
        for path in set(re.findall(r'(?:src|href)="/?([\w.-]+\.(?:js|css|svg))"', answer.text)):
            self.assertEqual(200, server.ask("GET", "/" + path, token=None, checked=False).status, path)

    def test_metrics(self):
        server.wait_synced()
        answer = server.get("/metrics")
        self.assertRegex(answer.headers["content-type"], r"^text/plain; version=0\.0\.4")
        families, samples = {}, {}
        for line in answer.text.splitlines():
            if line.startswith("# TYPE "):
                name, kind = line.split()[2:]
                self.assertNotIn(name, families)
                families[name] = kind
            elif line and not line.startswith("#"):
                found = re.fullmatch(r'([a-zA-Z_:][\w:]*)(?:\{((?:\w+="(?:[^"\\\n]|\\.)*",?)*)\})? ([-+.eE\w]+)', line)
                self.assertTrue(found, line)
                float(found[3])
                self.assertNotIn((found[1], found[2]), samples, line)
                samples[found[1], found[2]] = float(found[3])
        self.assertTrue(answer.text.endswith("\n"))
        names = {name for name, _ in samples}
        for name in names:
            self.assertTrue(name.startswith("spv_"), name)
            self.assertIn(re.sub("_(bucket|sum|count)$", "", name) if name not in families else name, families)
        for part in ("blocks", "transactions", "filter", "false_positive", "peers", "bytes", "commit", "request",
                     "events", "wallets"):
            self.assertTrue([name for name in names if part in name], f"no metric about {part}")
        for name, kind in families.items():
            self.assertEqual(kind == "counter", name.endswith("_total"), name)


class Wallets(Case):
    """Made, shown, listed, removed."""

    def test_by_descriptors(self):
        wallet = new_wallet("by-descriptors", birthday=50, gap_limit=7)
        self.assertEqual(("by-descriptors", True, 50, 7), tuple(wallet[each] for each in
                                                                ("name", "watch_only", "birthday", "gap_limit")))
        self.assertEqual({0}, set(wallet["balance"].values()))
        self.assertGreaterEqual(wallet["scripts"], 14)
        self.assertEqual("by-descriptors", server.get("/v1/wallets/by-descriptors").json["name"])
        self.assertIn("by-descriptors", cli.json("list")["wallets"])

    def test_by_xpub(self):
        server.post("/v1/wallets", {"name": "by-xpub", "xpub": TPUB, "script": "wpkh"}, 201)
        self.assertEqual(FIRST, server.post("/v1/wallets/by-xpub/addresses", {}, 201).json["address"])
        server.post("/v1/wallets", {"name": "by-xpub-all", "xpub": TPUB, "script": "all"}, 201)

    def test_by_addresses(self):
        address = node.new_address("miner")
        body = {"name": "by-address", "addresses": [address], "birthday": "2024-04-20"}
        answer = server.post("/v1/wallets", body, 201)
        self.assertEqual("/v1/wallets/by-address", answer.headers["location"])
        txid = pay(address, 0.25)
        self.assertEqual(COIN // 4, wait_tx("by-address", txid)["net_sat"])
        self.assertEqual(422, server.ask("POST", "/v1/wallets/by-address/addresses", {}).status)

    def test_what_exists_is_not_overwritten(self):
        server.post("/v1/wallets", {"name": "twice", "addresses": [node.new_address("miner")]}, 201)
        before = server.get("/v1/wallets/twice/addresses").json
        server.post("/v1/wallets", {"name": "twice", "addresses": [node.new_address("miner")]}, 409)
        self.assertEqual(before, server.get("/v1/wallets/twice/addresses").json)

    def test_only_one_of_many_at_once_makes_it(self):
        body = {"name": "raced", "addresses": [node.new_address("miner")]}
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: server.ask("POST", "/v1/wallets", body).status, range(8)))
        self.assertEqual([201] + [409] * 7, sorted(answers))

    def test_what_is_no_wallet(self):
        for body in ({"descriptors": ["wpkh(nonsense)"]}, {"descriptors": ["pkh(" + TPUB + "/0/*)#aaaaaaaa"]},
                     {"addresses": ["nonsense"]}, {"addresses": ["bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"]},
                     {"xpub": "xpubnonsense"}, {"xpub": TPUB, "script": "p2sh"}):
            with self.subTest(body=body):
                self.assertIn(server.ask("POST", "/v1/wallets", {"name": "none", **body}).status, (400, 422))
        server.get("/v1/wallets/none", 404)

    def test_private_keys_are_refused(self):
        private = node.rpc("listdescriptors", True, wallet="miner")["descriptors"][0]["desc"]
        for body in ({"descriptors": [private]}, {"xpub": re.search(r"tprv\w+", private)[0]}):
            answer = server.ask("POST", "/v1/wallets", {"name": "keys-by-http", **body})
            self.assertIn(answer.status, (400, 422))
            self.assertIn("private", answer.message)
            self.assertNotIn("tprv", answer.text)
        server.get("/v1/wallets/keys-by-http", 404)
        self.assertNotIn("tprv", server.log_text())

    def test_listed_by_name_page_by_page(self):
        for number in (3, 1, 2):
            server.post("/v1/wallets", {"name": f"listed-{number}", "addresses": [node.new_address("miner")]}, 201)
        names = [each["name"] for each in server.pages("/v1/wallets", "wallets", 2)]
        self.assertEqual(sorted(names), names)
        self.assertEqual(len(set(names)), len(names))
        self.assertTrue({"listed-1", "listed-2", "listed-3"} <= set(names))
        self.assertEqual(["listed-3"], [each["name"] for each in
                                        server.get("/v1/wallets?after=listed-2&limit=1").json["wallets"]])
        count = len(server.get("/v1/wallets?limit=1000").json["wallets"])
        wait_value(lambda: server.get("/v1/status").json["wallets"], lambda each: each == count, f"{count} wallets")

    def test_removed(self):
        new_wallet("gone")
        server.delete("/v1/wallets/gone")
        server.get("/v1/wallets/gone", 404)
        server.delete("/v1/wallets/gone", 404)
        self.assertNotIn("gone", cli.json("list")["wallets"])
        removed = server.wait_event(is_wallet("removed"), wallet="gone")
        self.assertEqual("gone", removed["wallet"])
        # And made again, from the start.
        server.post("/v1/wallets", {"name": "gone", "descriptors": descriptors_of(node, "gone")}, 201)
        server.wait_event(is_wallet("synced"), removed["seq"], wallet="gone")

    def test_with_keys_made_by_the_program(self):
        cli.json("create", "-w", "with-keys")
        server.wait_event(is_wallet("synced"), wallet="with-keys", seconds=5 + LATE)
        self.assertFalse(server.get("/v1/wallets/with-keys").json["watch_only"])
        self.assertIn("keys", server.delete("/v1/wallets/with-keys", 409).message)
        server.get("/v1/wallets/with-keys")
        address = server.post("/v1/wallets/with-keys/addresses", {}, 201).json["address"]
        txid = pay(address, 0.5)
        self.assertEqual(COIN // 2, wait_tx("with-keys", txid)["net_sat"])

    def test_watched_by_the_program_beside_it(self):
        address = node.new_address("miner")
        subprocess.run(cli.arguments("watch", "-w", "beside", "--address", address), capture_output=True, check=True)
        server.wait_event(is_wallet("added"), wallet="beside", seconds=5 + LATE)
        self.assertEqual(COIN, wait_tx("beside", pay(address))["net_sat"])

    def test_it_follows_what_the_program_does_beside_it(self):
        new_wallet("shared")
        first = server.post("/v1/wallets/shared/addresses", {}, 201).json["address"]
        second = cli.json("address", "-w", "shared", "--new")["address"]
        third = server.post("/v1/wallets/shared/addresses", {}, 201).json["address"]
        self.assertEqual(3, len({first, second, third}))
        self.assertEqual(COIN, wait_tx("shared", pay(second))["net_sat"])


class Addresses(Case):
    """Each is handed out once, and watched."""

    def test_two_requests_at_once_get_two(self):
        new_wallet("many", gap_limit=5)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            given = list(pool.map(lambda _: server.post("/v1/wallets/many/addresses", {}, 201).json, range(32)))
        self.assertEqual(32, len({each["address"] for each in given}))
        self.assertEqual(32, len({each["path"] for each in given}))
        # All of them are the node's own, far beyond the gap limit.
        for each in given[::8]:
            self.assertTrue(node.rpc("getaddressinfo", each["address"], wallet="many")["ismine"])
        last = max(given, key=lambda each: int(each["path"].split("/")[-1]))
        self.assertGreaterEqual(int(last["path"].split("/")[-1]), 31)
        self.assertEqual(COIN, wait_tx("many", pay(last["address"]))["net_sat"])

    def test_watched_after_a_restart(self):
        own = self.server(node=node)
        node.rpc("createwallet", "restarted")
        body = {"name": "restarted", "descriptors": descriptors_of(node, "restarted"), "gap_limit": 2}
        own.post("/v1/wallets", body, 201)
        given = [own.post("/v1/wallets/restarted/addresses", {}, 201).json["address"] for _ in range(12)]
        own.kill()
        own.start()
        txid = pay(given[-1])
        own.wait_event(lambda each: each.get("txid") == txid, wallet="restarted")
        self.assertNotIn(own.post("/v1/wallets/restarted/addresses", {}, 201).json["address"], given)

    def test_change_and_label(self):
        new_wallet("changed")
        given = server.post("/v1/wallets/changed/addresses", {"change": True, "label": "to myself"}, 201).json
        self.assertRegex(given["path"], r"/1/\d+$")
        self.assertTrue(node.rpc("getaddressinfo", given["address"], wallet="changed")["ischange"])
        rows = server.pages("/v1/wallets/changed/addresses", "addresses", 3)
        self.assertEqual("to myself", next(each["label"] for each in rows if each["address"] == given["address"]))
        plain = server.post("/v1/wallets/changed/addresses", {"label": None}, 201).json
        self.assertRegex(plain["path"], r"/0/\d+$")
        server.ask("POST", "/v1/wallets/changed/addresses", None)

    def test_listed_as_by_the_program(self):
        new_wallet("listed-addresses")
        given = server.post("/v1/wallets/listed-addresses/addresses", {}, 201).json["address"]
        wait_tx("listed-addresses", pay(given))
        rows = server.pages("/v1/wallets/listed-addresses/addresses", "addresses", 2)
        self.assertEqual(cli.json("addresses", "-w", "listed-addresses")["addresses"], rows)
        self.assertTrue(next(each for each in rows if each["address"] == given)["used"])


class Transactions(Case):
    """History, coins, one transaction, its proof, labels."""

    @classmethod
    def setUpClass(cls):
        new_wallet("money")
        given = [server.post("/v1/wallets/money/addresses", {}, 201).json["address"] for _ in range(7)]
        cls.txids = [pay(each, 0.1) for each in given]
        mine(2)
        wait_for(lambda: server.balance("money")["confirmed_sat"] == 7 * COIN // 10, "all payments are there")

    def test_balance(self):
        balance = server.balance("money")
        parts = ("confirmed_sat", "unconfirmed_sat", "immature_sat")
        self.assertEqual(balance["total_sat"], sum(balance[each] for each in parts))
        shown = server.get("/v1/wallets/money").json
        self.assertEqual(balance["total_sat"], shown["balance"]["total_sat"])
        self.assertTrue(shown["synced"])

    def test_history_page_by_page(self):
        whole = server.get("/v1/wallets/money/history").json
        self.assertIsNone(whole["next"])
        self.assertEqual(set(self.txids), {each["txid"] for each in whole["transactions"]})
        for limit in (1, 3, 7):
            self.assertEqual(whole["transactions"], server.pages("/v1/wallets/money/history", "transactions", limit))
        by_program = cli.json("history", "-w", "money")["transactions"]
        self.assertEqual([each["txid"] for each in by_program], [each["txid"] for each in whole["transactions"]])

    def test_a_page_stays_where_it_is_while_payments_arrive(self):
        new_wallet("paged")
        address = server.post("/v1/wallets/paged/addresses", {}, 201).json["address"]
        first = {pay(address, 0.01) for _ in range(3)}
        wait_for(lambda: len(server.get("/v1/wallets/paged/history").json["transactions"]) == 3, "three payments")
        page = server.get("/v1/wallets/paged/history?limit=2").json
        wait_tx("paged", pay(address, 0.02))
        rest = server.get(f"/v1/wallets/paged/history?limit=2&after={page['next']}").json
        self.assertEqual(first, {each["txid"] for each in page["transactions"] + rest["transactions"]})

    def test_coins_page_by_page(self):
        rows = server.pages("/v1/wallets/money/utxos", "utxos", 2)
        self.assertEqual(set(self.txids), {each["txid"] for each in rows})
        self.assertTrue(all(each["amount_sat"] == COIN // 10 and each["spendable"] for each in rows))
        self.assertEqual(cli.json("utxos", "-w", "money")["utxos"], rows)

    def test_one_transaction(self):
        shown = server.get(f"/v1/wallets/money/transactions/{self.txids[0]}").json
        raw = node.rpc("gettransaction", self.txids[0], wallet="miner")
        self.assertEqual(raw["hex"], shown["hex"])
        self.assertEqual((raw["blockhash"], raw["blockheight"]), (shown["block"], shown["height"]))
        self.assertEqual("confirmed", shown["status"])
        self.assertEqual(COIN // 10, sum(each["amount_sat"] for each in shown["outputs"] if each["mine"]))
        server.get("/v1/wallets/money/transactions/nonsense", 404)

    def test_proof(self):
        answer = server.get(f"/v1/wallets/money/transactions/{self.txids[0]}/proof")
        (self.place / "proof").write_text(answer.text)
        for more in ((), ("--trust-headers",)):
            checked = cli.json("verify-proof", str(self.place / "proof"), *more)
            self.assertEqual((True, self.txids[0]), (checked["valid"], checked["txid"]))
        unconfirmed = pay(server.post("/v1/wallets/money/addresses", {}, 201).json["address"], 0.001)
        wait_tx("money", unconfirmed)
        self.assertIn(server.ask("GET", f"/v1/wallets/money/transactions/{unconfirmed}/proof").status, (404, 409, 422))

    def test_labels(self):
        txid = self.txids[1]
        shown = server.get(f"/v1/wallets/money/transactions/{txid}").json
        mine_ = next(each for each in shown["outputs"] if each["mine"])
        output = f"{txid}:{mine_['vout']}"
        for kind, ref, text in (("tx", txid, "an order"), ("addr", mine_["address"], "a customer"),
                                ("output", output, "a coin")):
            server.put("/v1/wallets/money/labels", {"type": kind, "ref": ref, "label": text})
        history = server.get("/v1/wallets/money/history").json["transactions"]
        self.assertEqual("an order", next(each["label"] for each in history if each["txid"] == txid))
        self.assertIsNone(next(each["label"] for each in history if each["txid"] == self.txids[2]))
        self.assertEqual("an order", server.get(f"/v1/wallets/money/transactions/{txid}").json["label"])
        self.assertEqual("a coin", next(each["label"] for each in server.get("/v1/wallets/money/utxos").json["utxos"]
                                        if each["txid"] == txid))
        # The program sees them, and exports them with BIP329's types.
        exported = self.place / "labels.jsonl"
        subprocess.run(cli.arguments("labels", "export", str(exported), "-w", "money"), check=True, capture_output=True)
        for kind, ref in (("tx", txid), ("addr", mine_["address"]), ("output", output)):
            self.assertRegex(exported.read_text(), rf'"type":\s*"{kind}",\s*"ref":\s*"{ref}"')
        server.put("/v1/wallets/money/labels", {"type": "tx", "ref": txid, "label": ""})
        self.assertNotIn("label", server.get(f"/v1/wallets/money/transactions/{txid}").json)
        for kind, ref in (("tx", "nonsense"), ("addr", "nonsense"), ("output", txid), ("xpub", "x"), ("tx", output)):
            self.assertEqual(400, server.ask("PUT", "/v1/wallets/money/labels",
                                             {"type": kind, "ref": ref, "label": "x"}).status, (kind, ref))
        server.put("/v1/wallets/money/labels", {"type": "tx", "ref": txid, "label": "x\u0000y"}, 400)
        server.put("/v1/wallets/money/labels", {"type": "tx", "ref": txid, "label": "x" * 100_000}, 400)

    def test_rescan(self):
        new_wallet("again")
        txid = pay(server.post("/v1/wallets/again/addresses", {}, 201).json["address"])
        mine()
        wait_tx("again", txid, status="confirmed")
        before, after = server.events(wallet="again")
        self.assertEqual({"from": 0}, server.post("/v1/wallets/again/rescan", {"from": 0}, 202).json)
        for path in ("/v1/wallets/again", "/v1/wallets/again/balance", "/v1/wallets"):
            server.get(path)  # null, not -1, while no block is scanned again yet
        server.wait_event(is_wallet("synced"), after, wallet="again")
        told, _ = server.events(after, wallet="again")
        self.assertEqual([], [each for each in told if each["type"] == "tx"])
        self.assertEqual(COIN, server.balance("again")["confirmed_sat"])
        self.assertEqual(1, [each["state"] for each in told if each["type"] == "wallet"].count("synced"))
        self.assertTrue(before)
        new_wallet("young", birthday=50)
        self.assertEqual(422, server.ask("POST", "/v1/wallets/young/rescan", {"from": 10}).status)


class Spending(Case):
    """By PSBT, signed by somebody else: here by the node's wallet of the same keys."""

    @classmethod
    def setUpClass(cls):
        new_wallet("spender")
        for amount in (1, 2, 3):
            pay(server.post("/v1/wallets/spender/addresses", {}, 201).json["address"], amount)
        mine()
        wait_for(lambda: server.balance("spender")["confirmed_sat"] == 6 * COIN, "the coins are there")

    def prepare(self, amount, status=200, **more):
        self.shop = node.new_address("miner")
        body = {"outputs": [{"address": self.shop, "amount_sat": amount}], "fee_rate": 2, **more}
        return server.post("/v1/wallets/spender/psbt", body, status).json

    def test_from_psbt_to_confirmed(self):
        made = self.prepare(COIN // 2)
        self.assertEqual(sum(each["amount_sat"] for each in made["inputs"]),
                         made["fee_sat"] + sum(each["amount_sat"] for each in made["outputs"]))
        self.assertEqual(made["change"]["address"], made["outputs"][made["change"]["vout"]]["address"])
        self.assertGreaterEqual(made["fee_rate"], 2)
        # What is not signed is not sent.
        self.assertEqual(422, server.ask("POST", "/v1/transactions", {"psbt": made["psbt"]}).status)
        signed = node.rpc("walletprocesspsbt", made["psbt"], wallet="spender")
        self.assertTrue(signed["complete"])
        _, after = server.events()
        sent = server.post("/v1/transactions", {"psbt": signed["psbt"]}).json
        self.assertIn(sent["state"], ("accepted", "fetched"))
        self.assertIn(sent["txid"], node.rpc("getrawmempool"))
        told = server.wait_event(lambda each: each.get("txid") == sent["txid"], after, wallet="spender")
        self.assertEqual("unconfirmed", told["state"])
        self.assertEqual(-COIN // 2 - made["fee_sat"], told["net_sat"])
        shown = wait_tx("spender", sent["txid"])
        self.assertEqual(made["fee_sat"], shown["fee_sat"])
        block = mine()[0]
        told = server.wait_event(lambda each: each.get("txid") == sent["txid"], told["seq"], wallet="spender")
        self.assertEqual(("confirmed", block), (told["state"], told["block"]))
        self.assertEqual(COIN // 2, satoshis(node.rpc("getreceivedbyaddress", self.shop, wallet="miner")))

    def test_by_hex_too(self):
        made = self.prepare(COIN // 10)
        signed = node.rpc("walletprocesspsbt", made["psbt"], wallet="spender")["psbt"]
        final = node.rpc("finalizepsbt", signed)["hex"]
        sent = server.post("/v1/transactions", {"hex": final}).json
        self.assertEqual(node.rpc("decoderawtransaction", final)["txid"], sent["txid"])
        wait_tx("spender", sent["txid"])
        mine()

    def test_chosen_coins_and_subtracted_fees(self):
        coin = next(each for each in server.get("/v1/wallets/spender/utxos").json["utxos"] if each["confirmations"])
        made = self.prepare(coin["amount_sat"], subtract_fee=True, coins=[f"{coin['txid']}:{coin['vout']}"])
        self.assertEqual([(coin["txid"], coin["vout"])], [(each["txid"], each["vout"]) for each in made["inputs"]])
        self.assertIsNone(made["change"])
        self.assertEqual([coin["amount_sat"] - made["fee_sat"]], [each["amount_sat"] for each in made["outputs"]])

    def test_several_recipients(self):
        outputs = [{"address": node.new_address("miner"), "amount_sat": 10_000 + each} for each in range(3)]
        made = server.post("/v1/wallets/spender/psbt", {"outputs": outputs, "fee_rate": 1.5}).json
        paid = [{"address": each["address"], "amount_sat": each["amount_sat"]} for each in made["outputs"]
                if not each["change"]]
        self.assertCountEqual(outputs, paid)

    def test_what_cannot_be_paid_says_why(self):
        self.assertRegex(self.prepare(1_000 * COIN, 422)["error"]["message"], "(?i)fund|enough|missing")
        self.assertRegex(self.prepare(100, 422)["error"]["message"], "(?i)dust|small|least")
        body = {"outputs": [{"address": "nonsense", "amount_sat": 1000}], "fee_rate": 1}
        self.assertIn(server.ask("POST", "/v1/wallets/spender/psbt", body).status, (400, 422))
        other = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"  # of another network
        body = {"outputs": [{"address": other, "amount_sat": 1000}], "fee_rate": 1}
        self.assertIn(server.ask("POST", "/v1/wallets/spender/psbt", body).status, (400, 422))
        self.prepare(10_000, 422, coins=["ab" * 32 + ":0"])
        new_wallet("empty")
        body = {"outputs": [{"address": node.new_address("miner"), "amount_sat": 1000}], "fee_rate": 1}
        server.post("/v1/wallets/empty/psbt", body, 422)

    def test_what_cannot_be_sent(self):
        for body in ({"hex": "zz"}, {"hex": "00"}, {"psbt": "nonsense"}, {"hex": ""}):
            with self.subTest(body=body):
                self.assertIn(server.ask("POST", "/v1/transactions", body).status, (400, 422))

    def test_preparing_reserves_and_sends_nothing(self):
        before = server.get("/v1/wallets/spender/utxos").json
        self.prepare(COIN // 3)
        self.assertEqual(before, server.get("/v1/wallets/spender/utxos").json)


if __name__ == "__main__":
    unittest.main()
