"""The Electrum protocol of `spv serve`: every method and error, by a client that says exactly what a test wants."""
import json
import pathlib
import resource
import socket
import ssl
import subprocess
import tempfile
import time
import unittest

import bench
from bench import Case, Server, descriptors_of, start_node, wait_for
from electrum_client import ElectrumClient, RpcError, double_sha, root_of, script_hash, status_of
from wallets_test import TPUB

place = node = server = None
STRANGER = "00" * 32


def electrum_server(folder, *options, peer=None):
    return Server(folder, "--json", "--electrum", "127.0.0.1:0", *options, node=peer)


def place_of(running):
    return json.loads(running.first_line)["electrum"]


def setUpModule():
    global place, node, server  # pylint: disable=global-statement
    folder = tempfile.TemporaryDirectory(prefix="spv-electrum-", ignore_cleanup_errors=True)
    place = pathlib.Path(unittest.enterModuleContext(folder))
    node = start_node(place / "node")
    server = unittest.enterModuleContext(electrum_server(place / "data", peer=node))
    server.wait_synced(131)
    node.rpc("createwallet", "w")
    server.post("/v1/wallets", {"name": "w", "descriptors": descriptors_of(node, "w")}, 201)
    server.wait_event(bench.is_wallet("synced"), wallet="w")


class Electrum(Case):
    """One client for each test."""

    def client(self, version="1.4", **options):
        client = self.enterContext(ElectrumClient(place_of(server), **options))
        if version:
            self.assertEqual(version, client.greet(version)[1])
        return client

    def refused(self, client, method, *params, code=None):
        with self.assertRaises(RpcError) as caught:
            client.ask(method, *params)
        if code is not None:
            self.assertEqual(code, caught.exception.code, str(caught.exception))
        return str(caught.exception)


class Methods(Electrum):

    def test_the_server_introduces_itself(self):
        client = self.client()
        self.assertIn("spv", client.ask("server.banner"))
        features = client.ask("server.features")
        self.assertEqual(node.rpc("getblockhash", 0), features["genesis_hash"])
        self.assertEqual(("1.4", "1.6", "sha256"),
                         (features["protocol_min"], features["protocol_max"], features["hash_function"]))
        self.assertIsNone(client.ask("server.ping"))
        self.assertEqual([], client.ask("server.peers.subscribe"))
        self.assertEqual("", client.ask("server.donation_address"))
        self.assertIs(False, client.ask("server.add_peer", {}))
        row = next(each for each in server.get("/v1/electrum").json["clients"] if each["user_agent"] == "test")
        self.assertEqual("1.4", row["protocol"])

    def test_headers_in_both_versions(self):
        tip = node.rpc("getblockcount")
        raw = [node.rpc("getblockheader", node.rpc("getblockhash", each), False) for each in range(tip + 1)]
        old, new = self.client(), self.client("1.6")
        self.assertEqual({"height": tip, "hex": raw[tip]}, old.until("blockchain.headers.subscribe", [],
                                                                     lambda each: each["height"] == tip))
        self.assertEqual(raw[7], old.ask("blockchain.block.header", 7))
        self.assertEqual({"count": tip + 1, "max": 2016, "hex": "".join(raw)},
                         old.ask("blockchain.block.headers", 0, 2016))
        self.assertEqual({"count": 3, "max": 2016, "headers": raw[5:8]}, new.ask("blockchain.block.headers", 5, 3))
        self.assertEqual({"count": 0, "max": 2016, "hex": ""}, old.ask("blockchain.block.headers", tip + 1, 5))
        self.refused(old, "blockchain.block.header", tip + 1000)

    def test_a_checkpoint_proves_headers(self):
        client = self.client()
        # A block of the test before may still be on its way.
        tip = node.rpc("getblockcount")
        client.until("blockchain.headers.subscribe", [], lambda each: each["height"] == tip)
        for height, last in ((0, 0 + 1), (5, 100), (tip, tip)):
            found = client.ask("blockchain.block.header", height, last)
            leaf = double_sha(bytes.fromhex(found["header"]))[::-1].hex()
            self.assertEqual(found["root"], root_of(leaf, height, found["branch"]))
            hashes = [bytes.fromhex(node.rpc("getblockhash", each))[::-1] for each in range(last + 1)]
            while len(hashes) > 1:
                hashes += hashes[-1:] * (len(hashes) % 2)
                hashes = [double_sha(hashes[at] + hashes[at + 1]) for at in range(0, len(hashes), 2)]
            self.assertEqual(hashes[0][::-1].hex(), found["root"])
        self.refused(client, "blockchain.block.header", 5, 4, code=-32602)
        self.refused(client, "blockchain.block.headers", 0, 10, tip + 1, code=-32602)

    def test_a_payment_from_first_sight_to_its_proof(self):
        client = self.client()
        address = node.rpc("getnewaddress", "", "bech32", wallet="w")
        script = script_hash(node, address)
        self.assertIsNone(client.ask("blockchain.scripthash.subscribe", script))
        client.ask("blockchain.headers.subscribe")
        txid = node.rpc("sendtoaddress", address, 0.5, wallet="miner")
        [_, status] = client.wait_note("blockchain.scripthash.subscribe")
        history = client.ask("blockchain.scripthash.get_history", script)
        self.assertEqual([{"tx_hash": txid, "height": 0, "fee": 0}], history)
        self.assertEqual(status_of(history), status)
        self.assertEqual(history, client.ask("blockchain.scripthash.get_mempool", script))
        self.assertEqual({"confirmed": 0, "unconfirmed": 50_000_000},
                         client.ask("blockchain.scripthash.get_balance", script))
        self.assertEqual(0, client.ask("blockchain.scripthash.listunspent", script)[0]["height"])
        self.refused(client, "blockchain.transaction.get_merkle", txid, 0)
        block = node.mine(1, "miner")[0]
        height = node.rpc("getblockcount")
        client.wait_note("blockchain.headers.subscribe", lambda params: params[0]["height"] == height)
        confirmed = [{"tx_hash": txid, "height": height}]
        client.wait_note("blockchain.scripthash.subscribe", lambda params: params[1] == status_of(confirmed))
        self.assertEqual(confirmed, client.ask("blockchain.scripthash.get_history", script))
        self.assertEqual([], client.ask("blockchain.scripthash.get_mempool", script))
        self.assertEqual({"confirmed": 50_000_000, "unconfirmed": 0},
                         client.ask("blockchain.scripthash.get_balance", script))
        self.assertEqual(node.rpc("getrawtransaction", txid, False, block), client.ask("blockchain.transaction.get", txid))
        verbose = client.ask("blockchain.transaction.get", txid, True)
        self.assertEqual((txid, block, 1), (verbose["txid"], verbose["blockhash"], verbose["confirmations"]))
        proof = client.ask("blockchain.transaction.get_merkle", txid, height)
        root = node.rpc("getblock", block)["merkleroot"]
        self.assertEqual((height, root), (proof["block_height"], root_of(txid, proof["pos"], proof["merkle"])))
        self.assertEqual(txid, client.ask("blockchain.transaction.id_from_pos", height, proof["pos"]))
        self.assertEqual({"tx_hash": txid, "merkle": proof["merkle"]},
                         client.ask("blockchain.transaction.id_from_pos", height, proof["pos"], True))
        self.assertIs(True, client.ask("blockchain.scripthash.unsubscribe", script))
        self.assertIs(False, client.ask("blockchain.scripthash.unsubscribe", script))

    def test_a_broadcast(self):
        client = self.client()
        address = node.rpc("getnewaddress", "", "bech32", wallet="w")
        coin = next(each for each in node.rpc("listunspent", wallet="miner") if each["amount"] > 1)
        raw = node.rpc("createrawtransaction", [{"txid": coin["txid"], "vout": coin["vout"]}],
                       [{address: float(coin["amount"]) - 0.001}])
        signed = node.rpc("signrawtransactionwithwallet", raw, wallet="miner")["hex"]
        txid = client.ask("blockchain.transaction.broadcast", signed)
        wait_for(lambda: txid in node.rpc("getrawmempool"), "it is in the node's mempool")
        self.refused(client, "blockchain.transaction.broadcast", "00")
        self.refused(client, "blockchain.transaction.broadcast_package", [signed])
        node.mine(1, "miner")

    def test_fees(self):
        client = self.client("1.6")
        self.assertGreater(client.ask("blockchain.relayfee"), 0)
        estimate = client.ask("blockchain.estimatefee", 6)
        self.assertTrue(estimate == -1 or estimate > 0)
        self.assertEqual([], client.ask("mempool.get_fee_histogram"))
        self.assertGreater(client.ask("mempool.get_info")["minrelaytxfee"], 0)

    def test_addresses_far_ahead_are_found(self):
        """A client that uses addresses far beyond the watched ones: the wallet is widened and scanned again."""
        far = node.rpc("deriveaddresses", descriptors_of(node, "w")[0], [900, 900])[0]
        txid = node.rpc("sendtoaddress", far, 0.25, wallet="miner")
        node.mine(1, "miner")
        server.wait_synced(node.rpc("getblockcount"))
        client = self.client()
        script = script_hash(node, far)
        def found():
            try:
                return client.ask("blockchain.scripthash.get_history", script)
            except RpcError:
                return None
        self.assertEqual(txid, wait_for(found, "the payment is found")[0]["tx_hash"])

    def test_a_wallet_that_is_made_meanwhile(self):
        client = self.client()
        server.post("/v1/wallets", {"name": "later", "xpub": TPUB, "script": "wpkh"}, 201)
        first = server.get("/v1/wallets/later/addresses").json["addresses"][0]["address"]
        def known():
            try:
                return (client.ask("blockchain.scripthash.subscribe", script_hash(node, first)),)
            except RpcError:
                return None
        self.assertEqual((None,), wait_for(known, "its addresses are known"))


class Errors(Electrum):

    def test_scripts_of_no_wallet(self):
        client = self.client()
        for method in ("subscribe", "get_history", "get_mempool", "get_balance", "listunspent"):
            self.assertIn("no wallet", self.refused(client, f"blockchain.scripthash.{method}", STRANGER, code=1))
        self.assertIsNone(client.ask("server.ping"))  # the connection goes on
        self.assertIn("a wallet that is not followed", server.log_text())
        rows = server.get("/v1/electrum").json["clients"]
        self.assertIn(5, [each["not_followed"] for each in rows])

    def test_an_empty_answer_for_those_who_want_it(self):
        other = self.enterContext(electrum_server(self.place / "data", "--electrum-unknown", "empty", peer=node))
        with ElectrumClient(place_of(other)) as client:
            self.assertIsNone(client.ask("blockchain.scripthash.subscribe", STRANGER))
            self.assertEqual([], client.ask("blockchain.scripthash.get_history", STRANGER))

    def test_transactions_of_no_wallet(self):
        client = self.client()
        coinbase = node.rpc("getblock", node.rpc("getblockhash", 1))["tx"][0]
        self.assertIn("no wallet", self.refused(client, "blockchain.transaction.get", coinbase, code=1))
        self.refused(client, "blockchain.transaction.get_merkle", coinbase, 1, code=1)
        self.refused(client, "blockchain.transaction.id_from_pos", 1, 0, code=1)

    def test_wrong_arguments(self):
        client = self.client()
        for method, params in (("blockchain.scripthash.subscribe", []), ("blockchain.scripthash.subscribe", ["zz"]),
                               ("blockchain.scripthash.subscribe", [7]), ("blockchain.block.header", [-1]),
                               ("blockchain.block.header", ["1"]), ("blockchain.block.headers", [0]),
                               ("blockchain.transaction.get", [STRANGER, "yes"]), ("server.banner", [1]),
                               ("blockchain.transaction.id_from_pos", [1, 2, 3])):
            with self.subTest(method=method, params=params):
                self.refused(client, method, *params, code=-32602)
        self.refused(client, "blockchain.nothing", code=-32601)
        self.refused(client, "server.version", "x", "1.4", code=-32600)
        self.assertEqual(node.rpc("getblockheader", node.rpc("getblockhash", 3), False),
                         client.wait_answer(client.send("blockchain.block.header", {"height": 3})))

    def test_versions(self):
        for asked, given in ((["1.4", "1.6"], "1.6"), (["1.2", "1.4.2"], "1.4.2"), (["1.4", "2.0"], "1.6"), ("1.5", "1.5")):
            client = self.client(None)
            self.assertEqual(given, client.greet(asked)[1])
        for asked in ("1.2", "2.0", ["1.7", "1.8"]):
            client = self.client(None)
            with self.assertRaises(RpcError):
                client.greet(asked)
            self.assertIsNone(client.read_line())  # closed
        client = self.client(None)
        client.ask("server.ping")
        self.assertEqual("1.4.3", client.greet(["1.4", "1.6"])[1])  # 1.6 must be asked for first

    def test_batches(self):
        client = self.client()
        client.send_raw(json.dumps([{"id": 1, "method": "server.ping"}, {"id": "a", "method": "nothing"}, 5,
                                    {"method": "server.ping"},
                                    {"id": 2, "method": "blockchain.block.header", "params": [0]}]).encode() + b"\n")
        answers = client.read_line()
        self.assertEqual(4, len(answers))
        by_id = {each["id"]: each for each in answers}
        self.assertEqual(({1, "a", 2, None}, -32601, -32600),
                         (set(by_id), by_id["a"]["error"]["code"], by_id[None]["error"]["code"]))
        client.send_raw(b"[]\n")
        self.assertEqual(-32600, client.read_line()["error"]["code"])
        client.send_raw(json.dumps([{"id": each, "method": "server.ping"} for each in range(2001)]).encode() + b"\n")
        self.assertIn("2000", client.read_line()["error"]["message"])


class Hostile(Electrum):

    def test_lines_that_are_no_requests(self):
        client = self.client()
        for line in (b"hello", b"{", b"[" * 5000, b'{"id":{},"method":"server.ping"}', b'"text"', b"\xff\xfe", b"null"):
            client.send_raw(line + b"\n")
            self.assertIn("error", client.read_line(), line[:20])
        client.send_raw(b"\n\r\n")
        self.assertIsNone(client.ask("server.ping"))

    def test_a_line_without_end(self):
        client = self.client()
        try:
            for _ in range(40):
                client.send_raw(b"x" * 65_536)
        except ConnectionError:
            pass
        answer = client.read_line()
        self.assertTrue(answer is None or "1000000 bytes" in answer["error"]["message"], answer)
        self.assertIsNone(client.read_line())

    def test_half_lines(self):
        client = self.client()
        for byte in b'{"id":7,"method":"server.ping"}\n':
            client.send_raw(bytes([byte]))
        self.assertEqual(7, client.read_line()["id"])

    def test_a_flood_that_nobody_reads(self):
        """The server reads no faster than the client does: its memory stays as it is, and others are served."""
        before = memory_of(server)
        flood = self.client()
        flood.socket.settimeout(1)
        line = json.dumps({"id": 1, "method": "blockchain.block.headers", "params": [0, 2016]}).encode() + b"\n"
        try:
            for _ in range(200_000):
                flood.send_raw(line)
        except TimeoutError:
            pass
        other = self.client()
        self.assertIsNone(other.ask("server.ping"))
        self.assertLess(memory_of(server) - before, most_memory(server, 40_000_000))

    def test_too_many_clients(self):
        clients = [socket.create_connection(place_of(server).rsplit(":", 1), timeout=60) for _ in range(300)]
        try:
            wait_for(lambda: len(server.get("/v1/electrum").json["clients"]) == 250, "the limit is reached")
        finally:
            for each in clients:
                each.close()
        wait_for(lambda: not server.get("/v1/electrum").json["clients"], "they are forgotten")
        self.client()


def memory_of(running):
    """Resident, in bytes."""
    pages = int(pathlib.Path(f"/proc/{running.process.pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def most_memory(running, limit):
    """A sanitizer keeps what was freed for a while, and a shadow of all memory."""
    libraries = pathlib.Path(f"/proc/{running.process.pid}/maps").read_text()
    return limit * (5 if "/libasan" in libraries or "/libtsan" in libraries else 1)


class Many(Electrum):

    def test_a_hundred_clients_with_a_thousand_subscriptions_each(self):
        """Within 100 MB, and each is told of a payment."""
        node.rpc("createwallet", "big")
        server.post("/v1/wallets", {"name": "big", "descriptors": descriptors_of(node, "big"), "gap_limit": 60}, 201)
        receive = descriptors_of(node, "big")[0]
        addresses = [each for index in (0, 1) for each in node.rpc("deriveaddresses", descriptors_of(node, "big")[index],
                                                                   [0, 499])]
        scripts = [script_hash(node, each) for each in addresses]
        server.wait_event(bench.is_wallet("synced"), wallet="big")
        before = memory_of(server)
        clients = [self.client() for _ in range(100)]
        batch = json.dumps([{"id": at, "method": "blockchain.scripthash.subscribe", "params": [each]}
                            for at, each in enumerate(scripts)]).encode() + b"\n"
        for client in clients:
            client.send_raw(batch)
        for client in clients:
            answers = client.read_line()
            self.assertEqual([None] * 1000, [each["result"] for each in answers])
        grown = memory_of(server) - before
        print(f"{grown / 1e6:.1f} MB", end=" ", flush=True)
        self.assertLess(grown, most_memory(server, 100_000_000))
        target = node.rpc("deriveaddresses", receive, [3, 3])[0]
        node.rpc("sendtoaddress", target, 0.1, wallet="miner")
        began = time.monotonic()
        for client in clients:
            client.wait_note("blockchain.scripthash.subscribe", lambda params: params[0] == script_hash(node, target))
        print(f"all told {time.monotonic() - began:.2f} s after the payment", end=" ", flush=True)


class Tls(Electrum):

    def test_tls(self):
        cert, key = self.place / "cert.pem", self.place / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert,
                        "-subj", "/CN=localhost", "-days", "2"], check=True, capture_output=True)
        running = self.enterContext(electrum_server(self.place / "data", "--electrum-cert", str(cert),
                                                    "--electrum-key", str(key), peer=node))
        context = ssl.create_default_context(cafile=cert)
        context.check_hostname = False
        with ElectrumClient(place_of(running), tls=context) as client:
            self.assertEqual("1.4", client.greet()[1])
        plain = self.enterContext(ElectrumClient(place_of(running)))
        plain.send_raw(b'{"id":1,"method":"server.ping"}\n')
        self.assertIsNone(plain.read_line_or_none())
        self.assertEqual(0, running.stop()[0])

    def test_options(self):
        for words, text in ((["--electrum", "0.0.0.0:0"], "--allow-remote"), (["--electrum", "nowhere"], "HOST:PORT"),
                            (["--electrum-cert", "a", "--electrum-key", "b"], "--electrum"),
                            (["--electrum", "127.0.0.1:0", "--electrum-cert", "a"], "--electrum-key")):
            with self.subTest(words=words):
                done = subprocess.run([bench.SPV, "serve", "--regtest", "--datadir", str(self.place / "x"), *words],
                                      capture_output=True, text=True, check=False, timeout=60)
                self.assertEqual((2, True), (done.returncode, text in done.stderr), done.stderr)


if __name__ == "__main__":
    unittest.main()
