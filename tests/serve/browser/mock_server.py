#!/usr/bin/env python3
"""The HTTP API of `spv serve` with invented data and no node: for work on the page, and for tests of what a real chain
shows rarely or slowly (long histories, a sync in progress, broken answers).

usage: mock_server.py [PORT]      serves the page with a payment every few seconds; the token is "demo"
"""
import base64
import hashlib
import http.cookies
import http.server
import json
import pathlib
import random
import re
import secrets
import socket
import sys
import threading
import time
import urllib.parse

WEB = pathlib.Path(__file__).resolve().parents[3] / "web"
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
CSP = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
       "form-action 'none'; base-uri 'none'; frame-ancestors 'none'")
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}\Z")
CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
# A PSBT starts with these bytes.
PSBT = b"psbt\xff"


class Refusal(Exception):
    def __init__(self, status, code, message):
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


class Wallet:
    """What is known about one wallet. Amounts are satoshis."""

    def __init__(self, name, chain, watch_only=True):
        self.name, self.chain, self.watch_only = name, chain, watch_only
        self.birthday, self.gap_limit, self.synced, self.scanned_to = 0, 20, True, chain.height
        self.history, self.coins, self.addresses, self.labels = [], [], [], {}
        for _ in range(20):
            self.new_address()

    def new_address(self, change=False):
        index = sum(1 for each in self.addresses if each["change"] == change)
        address = "bcrt1q" + "".join(self.chain.random.choice(CHARSET) for _ in range(38))
        row = {"address": address, "path": f"m/84h/1h/0h/{int(change)}/{index}", "used": False, "received_sat": 0,
               "change": change}
        self.addresses.append(row)
        return row

    def balance(self):
        height = self.chain.height
        sums = {"confirmed_sat": 0, "unconfirmed_sat": 0, "immature_sat": 0}
        for row in self.history:
            if row["status"] == "unconfirmed":
                sums["unconfirmed_sat"] += row["net_sat"]
            elif row["status"] == "confirmed":
                immature = row.get("mined") and height - row["height"] < 100
                sums["immature_sat" if immature else "confirmed_sat"] += row["net_sat"]
        return {**sums, "total_sat": sum(sums.values())}

    def json(self):
        return {"name": self.name, "watch_only": self.watch_only, "birthday": self.birthday,
                "gap_limit": self.gap_limit, "scripts": len(self.addresses), "scanned_to": self.scanned_to,
                "synced": self.synced, "balance": self.balance()}

    def sorted_history(self):
        return sorted(self.history, key=lambda row: (row["height"] is not None, -(row["height"] or 0), -row["time"]))

    def row_json(self, row):
        out = {key: row[key] for key in ("txid", "height", "block", "time", "net_sat", "fee_sat", "status")}
        out["confirmations"] = self.chain.height - row["height"] + 1 if row["height"] is not None else 0
        out["label"] = self.labels.get(("tx", row["txid"]))
        for key in ("reason", "replaced_by", "send_state"):
            if key in row:
                out[key] = row[key]
        return out

    def coin_json(self, coin):
        height = coin["height"]
        confirmations = self.chain.height - height + 1 if height is not None else 0
        out = {**coin, "confirmations": confirmations}
        out["spendable"] = height is not None and not coin["frozen"] and not coin["reserved"]
        label = self.labels.get(("output", f"{coin['txid']}:{coin['vout']}")) or self.labels.get(("addr",
            coin["address"]))
        return {**out, **({"label": label} if label else {})}

    def address_json(self, row):
        out = {key: row[key] for key in ("address", "path", "used", "received_sat")}
        label = self.labels.get(("addr", row["address"]))
        return {**out, **({"label": label} if label else {})}

    def find(self, txid):
        for row in self.history:
            if row["txid"] == txid:
                return row
        raise Refusal(404, "not-found", f"no transaction {txid} in this wallet")

    def tx_json(self, txid):
        row = self.find(txid)
        foreign = "bcrt1q" + hashlib.sha256(txid.encode()).hexdigest()[:38]
        mine = {"mine": True, "path": "m/84h/1h/0h/0/3"}
        other = {"mine": False, "path": None}
        sent, amount = row["net_sat"] < 0, abs(row["net_sat"])
        fee = row["fee_sat"] or 0
        inputs = [{"txid": hashlib.sha256(b"in" + txid.encode()).hexdigest(), "vout": 1, "sequence": 0xFFFFFFFD,
                   **({"amount_sat": amount + 420_000, "address": self.addresses[0]["address"], **mine} if sent
                      else {"amount_sat": None, "address": None, "mine": None, "path": None})}]
        outputs = [{"vout": 0, "amount_sat": amount - fee, "script": "0014" + "ab" * 20,
                    **({"address": foreign, **other} if row["net_sat"] < 0 else {"address": row["address"], **mine})},
                   {"vout": 1, "amount_sat": 420_000, "script": "0014" + "cd" * 20,
                    **({"address": self.addresses[-1]["address"], "mine": True, "path": "m/84h/1h/0h/1/2"} if sent
                       else {"address": foreign, **other})}]
        row_json = self.row_json(row)
        if row_json["label"] is None:
            del row_json["label"]
        return {**row_json, "replaced_by": row.get("replaced_by"),
            "block_index": 4 if row["height"] else None,
                "vsize": 141, "fee_rate": round(fee / 141, 3) if fee else None, "proof": row["height"] is not None,
                "inputs": inputs, "outputs": outputs, "hex": "0200000001" + txid * 3}


class Chain:
    """All state of the server; one lock, and a condition that streams wait for."""

    def __init__(self, seed=1, height=850_123):
        self.random = random.Random(seed)
        self.height, self.tip_time = height, int(time.time()) - 240
        self.wallets, self.events, self.sessions = {}, [], set()
        self.token = "demo"
        self.network = "regtest"
        self.sync = None
        self.changed = threading.Condition(threading.RLock())
        self.started = int(time.time())

    def hash(self):
        return "%064x" % self.random.getrandbits(236)

    def tell(self, **event):
        with self.changed:
            self.events.append({"seq": len(self.events) + 1, **event})
            self.changed.notify_all()

    def tell_tx(self, wallet, row):
        self.tell(type="tx", wallet=wallet.name, txid=row["txid"], state=row["status"], net_sat=row["net_sat"],
                  height=row["height"], block=row["block"], replaced_by=row.get("replaced_by"), outputs=[],
                  time=int(time.time()))

    def add_wallet(self, name, watch_only=True, synced=True):
        with self.changed:
            wallet = self.wallets[name] = Wallet(name, self, watch_only)
            wallet.synced = synced
            self.tell(type="wallet", wallet=name, state="added", time=int(time.time()))
            return wallet

    def pay(self, wallet, sat, address=None, when=None, **more):
        """A payment to (or, below zero, from) the wallet, unconfirmed."""
        with self.changed:
            target = next((each for each in wallet.addresses if each["address"] == address), None) or next(
                each for each in wallet.addresses if not each["used"] and not each["change"])
            row = {"txid": self.hash(), "height": None, "block": None, "time": when or int(time.time()), "net_sat": sat,
                   "fee_sat": 423 if sat < 0 else None, "status": "unconfirmed", "address": target["address"], **more}
            wallet.history.append(row)
            if sat > 0:
                target["used"] = True
                target["received_sat"] += sat
                wallet.coins.append({"txid": row["txid"], "vout": 0, "amount_sat": sat, "address": target["address"],
                                     "height": None, "frozen": False, "reserved": False, "path": target["path"]})
                wallet.new_address()
            self.tell_tx(wallet, row)
            return row["txid"]

    def confirm(self, wallet, row, height, block):
        row.update(height=height, block=block, status="confirmed")
        for coin in wallet.coins:
            if coin["txid"] == row["txid"]:
                coin["height"] = height
        self.tell_tx(wallet, row)

    def mine(self, count=1):
        with self.changed:
            for _ in range(count):
                self.height += 1
                self.tip_time = int(time.time())
                block = self.hash()
                for wallet in self.wallets.values():
                    if wallet.synced:
                        wallet.scanned_to = self.height
                    for row in wallet.history:
                        if row["status"] == "unconfirmed" and row.get("send_state") != "not-sent":
                            self.confirm(wallet, row, self.height, block)
                self.tell(type="tip", height=self.height, hash=block, time=self.tip_time)

    def reorg(self, depth=1):
        """The last blocks are replaced by empty ones, one more of them."""
        with self.changed:
            fork = self.height - depth
            for wallet in self.wallets.values():
                for row in wallet.history:
                    if row["height"] is not None and row["height"] > fork:
                        row.update(height=None, block=None, status="unconfirmed", time=int(time.time()))
                        self.tell_tx(wallet, row)
            self.height += 1
            self.tell(type="reorg", to=self.hash(), fork_height=fork, time=int(time.time()), **{"from": self.hash()})
            self.tell(type="tip", height=self.height, hash=self.hash(), time=int(time.time()))


def fill_history(chain, wallet, count, days):
    """Payments over the last `days`, oldest first, never below zero."""
    start, balance = time.time() - days * 86400, 0
    names = ["Rent", "Invoice 2041", "Hardware store", "Savings", "Coffee", "Refund", "Donation", "Salary"]
    for i in range(count):
        when = int(start + (i + chain.random.random()) * days * 86400 / count)
        spend = balance > 4_000_000 and chain.random.random() < 0.42
        sat = -chain.random.randint(200_000, balance // 2) if spend else chain.random.randint(150_000, 48_000_000)
        balance += sat
        txid = chain.pay(wallet, sat, when=when)
        height = chain.height - int((time.time() - when) / 600) - 1
        row = wallet.find(txid)
        row.update(height=height, block=chain.hash(), status="confirmed")
        chain.events[-1].update(state="confirmed", height=height, block=row["block"], time=when)
        wallet.coins[:] = [coin for coin in wallet.coins if coin["txid"] != txid or chain.random.random() < 0.25]
        for coin in wallet.coins:
            if coin["txid"] == txid:
                coin["height"] = height
        if chain.random.random() < 0.4:
            wallet.labels[("tx", txid)] = chain.random.choice(names)


def demo_chain():
    """What a screenshot shows. Events are in the order of their times."""
    chain = Chain()
    savings = chain.add_wallet("savings")
    fill_history(chain, savings, 160, 900)
    savings.coins[0]["frozen"] = True
    savings.labels[("addr", savings.addresses[0]["address"])] = "Old paper wallet"
    shop = chain.add_wallet("shop")
    fill_history(chain, shop, 60, 90)
    chain.pay(shop, 1_250_000)
    family = chain.add_wallet("family-multisig", watch_only=False)
    fill_history(chain, family, 12, 400)
    row = family.history[-1]
    row.update(status="conflicted", height=None, block=None, reason="conflict", replaced_by=chain.hash())
    chain.add_wallet("empty")
    chain.events.sort(key=lambda event: event["time"])
    for seq, event in enumerate(chain.events, 1):
        event["seq"] = seq
    return chain


class Api:
    """Answers of one chain: method, path and body in, JSON out."""

    def __init__(self, chain):
        self.chain = chain

    def answer(self, method, path, query, body):
        chain = self.chain
        parts = [urllib.parse.unquote(part) for part in path.strip("/").split("/")][1:]
        with chain.changed:
            if parts[:1] == ["wallets"] and len(parts) >= 2:
                return self.wallet(method, parts, query, body)
            handler = getattr(self, f"{method.lower()}_{'_'.join(parts).replace('.', '_')}", None)
            if not handler:
                raise Refusal(404, "not-found", f"no such path: {path}")
            return handler(query, body)

    def page(self, name, rows, query):
        limit = int(query.get("limit", 100))
        if limit > 1000:
            raise Refusal(400, "bad-request", "limit is at most 1,000")
        start = int(query.get("after", 0))
        end = start + limit
        return 200, {name: rows[start:end], "next": str(end) if end < len(rows) else None}

    def get_status(self, *_):
        chain = self.chain
        return 200, {"network": self.chain.network, "version": "0.9.0", "height": chain.height, "tip": "00" * 32,
                     "tip_time": chain.tip_time,
                     "synced": chain.sync is None and all(wallet.synced for wallet in chain.wallets.values()),
                     "peers": 3, "wallets": len(chain.wallets), "events": len(chain.events)}

    def get_sync(self, *_):
        causes = {"headers": 9_600_000, "filtered_blocks": 4_150_000, "blocks": 0, "transactions": 812_000,
                  "filters": 96_000, "addresses": 41_000, "other": 23_000}
        base = {"state": "synced", "message": None, "headers": {"height": self.chain.height,
            "target": self.chain.height},
                "scan": {"from": 0, "height": self.chain.height,
                    "target": self.chain.height}, "blocks_per_second": None,
                "seconds_left": None, "bytes": {"in": 14_500_000, "out": 222_000, "by_cause": causes},
                "wallets": {"synced": 3, "catching_up": 0}}
        return 200, {**base, **(self.chain.sync or {})}

    def get_peers(self, *_):
        shared = {"bytes": 2048, "hash_funcs": 20, "elements": 640, "fill": 0.41, "fp_expected": 1.1e-6, "loads": 4,
                  "distinct": 1}
        rows = [("192.0.2.14:8333", "/Satoshi:27.0.0/", "v2", 850_123, 9_120_000, 91_000, 2, shared),
                ("[2001:db8::5]:8333", "/Satoshi:26.1.0(home)/", "v2", 850_123, 4_300_000, 80_100, 9, shared),
                ("n7xk3q2example5abcdefghijklmnopqrstuvwxyz234567abcdefghijkl.onion:8333", "/Satoshi:25.0.0/", "v1",
                    850_122,
                 1_080_000, 51_000, 61, None)]
        return 200, {"peers": [{"address": address, "user_agent": agent, "transport": transport,
                                "services": 0x80d, "height": height, "state": "ready",
                                "bytes_in": received, "bytes_out": sent, "last_answer": int(time.time()) - age,
                                "filter": loaded}
                               for address, agent, transport, height, received, sent, age, loaded in rows]}

    def get_electrum(self, *_):
        return 200, {"listening": "127.0.0.1:50001",
                     "clients": [{"address": "127.0.0.1:41034", "user_agent": "electrum/4.3.4", "protocol": "1.4",
                                  "subscriptions": 40, "not_followed": 0, "seconds": 3_600},
                                 {"address": "127.0.0.1:41040", "user_agent": "Sparrow 2.3.0", "protocol": "1.6",
                                  "subscriptions": 0, "not_followed": 12, "seconds": 60}]}

    def get_filter(self, *_):
        now, rng, samples = int(time.time()), random.Random(4), []
        for i in range(120):
            samples.append({"time": now - (120 - i) * 3600,
                "fp_observed": 8e-7 * (1 + 0.6 * rng.random()) if i > 8 else 0,
                            "fp_expected": 6e-7 + 5e-9 * (i % 60), "fill": 0.38 + 0.001 * (i % 60),
                            "bytes_in": 100_000 * i,
                            "bytes_out": 2_000 * i})
        sent = [{"peer": "192.0.2.14:8333", "loads": 4, "distinct": 1, "bytes": 8_192, "last": now - 3_000},
                {"peer": "[2001:db8::5]:8333", "loads": 6, "distinct": 3, "bytes": 12_288, "last": now - 240}]
        return 200, {"fp_target": 1e-6, "fp_observed": 9.1e-7, "transactions": 18_700_000, "false_positives": 17,
                     "filters": [{"bytes": 2048, "hash_funcs": 20, "elements": 640, "decoys": 200, "fill": 0.41,
                         "fp_expected": 9e-7,
                                  "wallets": 3},
                                 {"bytes": 512, "hash_funcs": 20, "elements": 214, "decoys": 0, "fill": 0.57,
                                  "fp_expected": 1.4e-6,
                                  "wallets": 1}], "sent": sent, "samples": samples}

    def get_fees(self, *_):
        return 200, {"floor_sat_per_vb": 1.0, "estimate_sat_per_vb": 3.2,
                     "sources": [{"kind": "feefilter", "value": 1.0, "peers": 3},
                         {"kind": "blocks", "value": 3.2, "blocks": 6}]}

    def get_openapi_json(self, *_):
        return 200, {"openapi": "3.1.0"}

    def get_events(self, query, _):
        after, limit = int(query.get("after", 0)), int(query.get("limit", 100))
        rows = self.chain.events[after:after + limit]
        return 200, {"events": rows, "next": rows[-1]["seq"] if rows else after}

    def get_wallets(self, query, _):
        rows = sorted(self.chain.wallets.values(), key=lambda wallet: wallet.name)
        return self.page("wallets", [wallet.json() for wallet in rows], query)

    def post_wallets(self, _, body):
        known = {"name", "descriptors", "xpub", "script", "addresses", "birthday", "gap_limit"}
        for field in body:
            if field not in known:
                raise Refusal(400, "bad-request", f"unknown field \"{field}\"")
        name = body.get("name", "")
        if not NAME.match(name):
            raise Refusal(400, "bad-request", "the name must be letters, digits, '.', '_' or '-'")
        if name in self.chain.wallets:
            raise Refusal(409, "exists", f"wallet \"{name}\" exists already")
        if "xpub" in body and not re.match(r"[xtuvyz]pub[1-9A-HJ-NP-Za-km-z]{107}\Z", body["xpub"]):
            raise Refusal(422, "bad-key", "not an extended public key: bad checksum")
        if body.get("gap_limit", 20) > 1000:
            raise Refusal(422, "bad-gap-limit", "the gap limit is at most 1,000")
        wallet = self.chain.add_wallet(name)
        wallet.birthday = body.get("birthday", 0) if isinstance(body.get("birthday", 0), int) else None
        wallet.gap_limit = body.get("gap_limit", 20)
        return 201, wallet.json()

    def post_transactions(self, _, body):
        signed = body.get("psbt") or body.get("hex")
        if body.get("psbt") and not body["psbt"].endswith("c2lnbmVk"):
            raise Refusal(422, "incomplete", "the PSBT is not complete: 1 of 1 inputs lacks a signature")
        wallet, payment = self.chain.pending if hasattr(self.chain, "pending") else (None, None)
        if not signed or not wallet:
            raise Refusal(422, "bad-transaction", "not a transaction")
        txid = self.chain.pay(wallet, -(payment["fee_sat"] + payment["paid"]), send_state="accepted")
        return 200, {"txid": txid, "state": "accepted", "peers_accepted": 2}

    def wallet(self, method, parts, query, body):
        wallet = self.chain.wallets.get(parts[1])
        if not wallet:
            raise Refusal(404, "not-found", f"no wallet \"{parts[1]}\"")
        rest = parts[2:]
        if not rest and method == "GET":
            return 200, wallet.json()
        if not rest and method == "DELETE":
            if not wallet.watch_only:
                raise Refusal(409, "has-keys", "this wallet has keys; use spv delete on the server")
            del self.chain.wallets[wallet.name]
            self.chain.tell(type="wallet", wallet=wallet.name, state="removed", time=int(time.time()))
            return 204, None
        if rest[0] == "transactions" and method == "GET":
            if rest[2:] == ["proof"]:
                return 200, f"spv proof of {rest[1]}\n"
            return 200, wallet.tx_json(rest[1])
        handler = getattr(self, f"{method.lower()}_wallet_{rest[0]}", None)
        if not handler:
            raise Refusal(404, "not-found", "no such path")
        return handler(wallet, query, body)

    def get_wallet_history(self, wallet, query, _):
        return self.page("transactions", [wallet.row_json(row) for row in wallet.sorted_history()], query)

    def get_wallet_utxos(self, wallet, query, _):
        return self.page("utxos", [wallet.coin_json(coin) for coin in wallet.coins], query)

    def get_wallet_addresses(self, wallet, query, _):
        return self.page("addresses", [wallet.address_json(row) for row in wallet.addresses], query)

    def post_wallet_addresses(self, wallet, _, body):
        row = wallet.new_address(bool(body.get("change")))
        if body.get("label"):
            wallet.labels[("addr", row["address"])] = body["label"]
        return 201, {"address": row["address"], "path": row["path"]}

    def put_wallet_labels(self, wallet, _, body):
        if len(body["label"] or "") > 255:
            raise Refusal(422, "too-long", "a label has at most 255 characters")
        wallet.labels[(body["type"], body["ref"])] = body["label"] or None
        return 204, None

    def post_wallet_rescan(self, wallet, _, body):
        if body["from"] > self.chain.height:
            raise Refusal(422, "above-tip", "block %d is above the tip" % body["from"])
        return 202, None

    def post_wallet_psbt(self, wallet, _, body):
        for output in body["outputs"]:
            if not re.match(r"(bcrt1|[mn2])[0-9A-Za-z]{20,}\Z", output["address"]):
                raise Refusal(422, "bad-address", f"not an address of regtest: {output['address']}")
            if output["amount_sat"] < 294:
                raise Refusal(422, "dust", "%d sat is dust: nodes do not relay it" % output["amount_sat"])
        coins = [wallet.coin_json(coin) for coin in wallet.coins]
        coins = [coin for coin in coins if coin["spendable"] and
                 (not body.get("coins") or f"{coin['txid']}:{coin['vout']}" in body["coins"])]
        paid, inputs = sum(output["amount_sat"] for output in body["outputs"]), []
        for coin in coins:
            if sum(each["amount_sat"] for each in inputs) < paid + 1_000 or body.get("coins"):
                inputs.append({key: coin[key] for key in ("txid", "vout", "amount_sat", "address", "path")})
        fee = round((70 + 68 * len(inputs)) * body["fee_rate"])
        total = sum(each["amount_sat"] for each in inputs)
        if total < paid + (0 if body.get("subtract_fee") else fee):
            raise Refusal(422, "insufficient-funds",
                f"not enough funds: {total} sat available, {paid + fee} sat needed")
        outputs = [{"address": each["address"], "amount_sat": each["amount_sat"], "change": False, "path": None}
                   for each in body["outputs"]]
        if body.get("subtract_fee"):
            outputs[0]["amount_sat"] -= fee
            paid -= fee
        change = None
        if total - paid - fee > 294:
            change = {"address": wallet.new_address(True)["address"], "amount_sat": total - paid - fee,
                      "path": "m/84h/1h/0h/1/0"}
            outputs.append({**change, "change": True})
            change["vout"] = len(outputs) - 1
        raw = PSBT + bytes(self.chain.random.getrandbits(8) for _ in range(52 + 120 * len(inputs)))
        self.chain.pending = wallet, {"fee_sat": fee, "paid": paid}
        return 200, {"psbt": base64.b64encode(raw).decode(), "fee_sat": fee, "fee_rate": body["fee_rate"],
                     "inputs": inputs, "outputs": outputs, "change": change}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.serve("GET")

    def do_POST(self):
        self.serve("POST")

    def do_PUT(self):
        self.serve("PUT")

    def do_DELETE(self):
        self.serve("DELETE")

    def serve(self, method):
        url = urllib.parse.urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            if url.path in ("/healthz", "/readyz"):
                return self.send(200, "ok")
            if not url.path.startswith("/v1/"):
                return self.send_page(url.path)
            if url.path == "/v1/session":
                return self.session(method, json.loads(body or b"{}"))
            if not self.authorized():
                raise Refusal(401, "unauthorized", "no or wrong token")
            query = dict(urllib.parse.parse_qsl(url.query))
            if url.path == "/v1/events/stream":
                return self.stream(int(self.headers.get("Last-Event-ID") or query.get("after", 0)))
            self.send(*self.server.api.answer(method, url.path, query, json.loads(body or b"{}")))
        except Refusal as refusal:
            self.send(refusal.status, {"error": {"code": refusal.code, "message": refusal.message}})
        except (BrokenPipeError, ConnectionResetError, OSError):
            self.close_connection = True

    def authorized(self):
        cookie = http.cookies.SimpleCookie(self.headers.get("Cookie", "")).get("session")
        return bool(cookie) and cookie.value in self.server.chain.sessions

    def session(self, method, body):
        sessions = self.server.chain.sessions
        if method == "DELETE":
            sessions.clear()
            return self.send(204, None)
        if body.get("token") != self.server.chain.token:
            raise Refusal(401, "unauthorized", "wrong token")
        sessions.add(secrets.token_hex(16))
        return self.send(204, None, {"Set-Cookie": f"session={max(sessions)}; HttpOnly; SameSite=Strict; Path=/"})

    def send_page(self, path):
        file = WEB / (path.lstrip("/") or "index.html")
        if file.parent != WEB or not file.is_file():
            raise Refusal(404, "not-found", f"no such path: {path}")
        self.send(200, file.read_bytes(), {"Content-Type": TYPES[file.suffix], "Content-Security-Policy": CSP,
                                           "Cache-Control": "no-cache"})

    def send(self, status, content, headers=None):
        headers = {"Content-Type": "application/json", **(headers or {})}
        if isinstance(content, str):
            headers["Content-Type"] = "text/plain"
        data = content if isinstance(content, bytes) else content.encode() if isinstance(content, str) else (
            b"" if content is None else json.dumps(content).encode())
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, after):
        chain = self.server.chain
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b": hello\n\n")
        while not self.server.stopped:
            with chain.changed:
                if len(chain.events) <= after and not chain.changed.wait(5):
                    self.wfile.write(b": alive\n\n")
                events = chain.events[after:]
            for event in events:
                self.wfile.write(f"id: {event['seq']}\nevent: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
                after = event["seq"]


class MockServer(http.server.ThreadingHTTPServer):
    """Serves a chain; stop() cuts all connections, and another server may go on with the same chain and port."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def __init__(self, chain, port=0):
        super().__init__(("127.0.0.1", port), Handler)
        self.chain, self.api, self.stopped, self.sockets = chain, Api(chain), False, set()

    def process_request(self, request, client_address):
        self.sockets.add(request)
        super().process_request(request, client_address)

    @property
    def port(self):
        return self.server_address[1]

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def stop(self):
        self.stopped = True
        self.shutdown()
        self.server_close()
        for each in self.sockets:
            try:
                each.shutdown(socket.SHUT_RDWR)
                each.close()
            except OSError:
                pass
        with self.chain.changed:
            self.chain.changed.notify_all()

    def handle_error(self, *_):
        pass


def main():
    chain = demo_chain()
    server = MockServer(chain, int(sys.argv[1]) if len(sys.argv) > 1 else 0).start()
    print(f"listening on {server.url} (token: {chain.token})", flush=True)
    while True:
        time.sleep(7)
        chain.pay(chain.wallets["shop"], chain.random.randint(10_000, 5_000_000))
        time.sleep(7)
        chain.mine()


if __name__ == "__main__":
    main()
