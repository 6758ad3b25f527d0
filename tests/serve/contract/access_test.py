"""Who may ask, how a request must look, and how the server starts and ends."""
import concurrent.futures
import json
import os
import pathlib
import signal
import socket
import stat
import subprocess
import tempfile
import unittest

import bench
from bench import DOCUMENT, LONG, PATIENCE, Case, Server, Stream, start_node, wait_for

MIB = 1 << 20
TXID = "ab" * 32
ADDRESS = "bcrt1qcr8te4kr609gcawutmrza0j4xv80jy8zeqchgx"
# A request of each kind that is right in its form; what it names need not exist.
BODIES = {
    ("POST", "/v1/wallets"): {"name": "other", "addresses": [ADDRESS]},
    ("POST", "/v1/wallets/{name}/addresses"): {},
    ("PUT", "/v1/wallets/{name}/labels"): {"type": "tx", "ref": TXID, "label": "x"},
    ("POST", "/v1/wallets/{name}/rescan"): {"from": 0},
    ("POST", "/v1/wallets/{name}/psbt"): {"outputs": [{"address": ADDRESS, "amount_sat": 1000}], "fee_rate": 1},
    ("POST", "/v1/transactions"): {"hex": "00"},
    ("POST", "/v1/session"): {"token": "x"},
}
REQUIRED = {("POST", "/v1/wallets"): ["name", "addresses"], ("PUT", "/v1/wallets/{name}/labels"): ["type", "ref"],
            ("POST", "/v1/wallets/{name}/rescan"): ["from"], ("POST", "/v1/wallets/{name}/psbt"): ["outputs"],
            ("POST", "/v1/transactions"): ["hex"], ("POST", "/v1/session"): ["token"]}
LISTS = ["/v1/wallets", "/v1/wallets/shop/history", "/v1/wallets/shop/utxos", "/v1/wallets/shop/addresses",
         "/v1/events"]

place = node = server = None


def setUpModule():
    global place, node, server  # pylint: disable=global-statement
    place = tempfile.TemporaryDirectory(prefix="spv-serve-", ignore_cleanup_errors=True)
    unittest.addModuleCleanup(place.cleanup)
    folder = pathlib.Path(place.name)
    node = start_node(folder / "node")
    server = unittest.enterModuleContext(Server(folder / "data", "--host", "wallet.example", node=node))
    server.wait_synced(131)
    server.post("/v1/wallets", {"name": "shop", "addresses": [node.new_address("miner")]}, 201)


def filled(template, name="shop"):
    return template.replace("{name}", name).replace("{txid}", TXID)


class Form(Case):
    """400, 404, 405, 413, 415: what is wrong with a request is said before anything is done."""

    def refused(self, answer, *words, status=400):
        self.assertEqual(status, answer.status, answer)
        for word in words:
            self.assertIn(word, answer.message)
        return answer

    def test_every_body_has_a_case_here(self):
        self.assertEqual(set(BODIES), {(method, template) for method, template, operation in DOCUMENT.operations()
                                       if "requestBody" in operation})

    def test_unknown_fields_are_named(self):
        for (method, template), body in BODIES.items():
            with self.subTest(path=template):
                self.refused(server.ask(method, filled(template), {**body, "nmae": 1}), "nmae")
        wrong = {"outputs": [{"address": "x", "amount_sat": 1, "amuont": 2}]}
        self.refused(server.ask("POST", "/v1/wallets/shop/psbt", wrong), "amuont")

    def test_missing_fields_are_named(self):
        for (method, template), names in REQUIRED.items():
            for name in names:
                with self.subTest(path=template, field=name):
                    body = {key: value for key, value in BODIES[method, template].items() if key != name}
                    self.refused(server.ask(method, filled(template), body), name)

    def test_wrong_types_are_named(self):
        for (method, template), body in BODIES.items():
            for name, value in body.items():
                with self.subTest(path=template, field=name):
                    self.refused(server.ask(method, filled(template), {**body, name: {"a": 1}}), name)
        for field, value in (("gap_limit", 0), ("gap_limit", 1001), ("gap_limit", "20"), ("gap_limit", 1.5),
                             ("birthday", -1), ("birthday", "yesterday"), ("name", ".."), ("name", "a" * 65),
                             ("name", "a/b"), ("descriptors", []), ("descriptors", "x"), ("addresses", [1])):
            with self.subTest(field=field, value=value):
                source = {} if field in ("descriptors", "addresses") else {"addresses": [ADDRESS]}
                body = {"name": "other", **source, field: value}
                self.refused(server.ask("POST", "/v1/wallets", body), field)
        for field, value in (("fee_rate", 0), ("fee_rate", "1"), ("fee_rate", -1), ("subtract_fee", 1),
                             ("coins", ["x:0"])):
            with self.subTest(field=field, value=value):
                body = {**BODIES["POST", "/v1/wallets/{name}/psbt"], field: value}
                self.refused(server.ask("POST", "/v1/wallets/shop/psbt", body), field)

    def test_alternatives_exclude_each_other(self):
        one = BODIES["POST", "/v1/wallets"]
        self.refused(server.ask("POST", "/v1/wallets", {**one, "xpub": "tpub"}), "exactly one")
        self.refused(server.ask("POST", "/v1/wallets", {"name": "other"}), "exactly one")
        self.refused(server.ask("POST", "/v1/wallets", {**one, "script": "tr"}), "script")
        self.refused(server.ask("POST", "/v1/transactions", {"hex": "00", "psbt": "cHNidP8="}), "hex", "psbt")

    def test_bodies_that_are_no_json_object(self):
        for raw in (b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe{}", b'{"from":1,"from":2}', b"{}x", b"[" * 100000):
            with self.subTest(raw=raw[:20]):
                self.refused(server.ask("POST", "/v1/wallets/shop/rescan", raw))

    def test_limits_of_lists(self):
        for path in LISTS:
            for value in ("1001", "0", "-1", "x", "", "1.5", "99999999999999999999"):
                with self.subTest(path=path, limit=value):
                    self.refused(server.ask("GET", f"{path}?limit={value}"), "limit")
            server.get(f"{path}?limit=1000")
            self.refused(server.ask("GET", f"{path}?limit=1&limit=2"))
            self.refused(server.ask("GET", f"{path}?lmiit=1"), "lmiit")
        for path in LISTS[:-1]:
            self.refused(server.ask("GET", f"{path}?after=%00"))
        for path in LISTS[1:4]:
            self.refused(server.ask("GET", f"{path}?after=nonsense"), "after")

    def test_limits_of_events(self):
        for value in ("61", "-1", "x"):
            self.refused(server.ask("GET", f"/v1/events?wait={value}"), "wait")
        for value in ("-1", "x", "9999999999999999999999"):
            self.refused(server.ask("GET", f"/v1/events?after={value}"), "after")
            self.refused(server.ask("GET", f"/v1/events/stream?after={value}"), "after")
        self.refused(server.ask("GET", "/v1/events?wallet=.."), "wallet")
        self.refused(server.ask("GET", "/v1/events/stream?limit=5"), "limit")
        self.refused(server.ask("GET", "/v1/events/stream", headers={"Last-Event-ID": "x"}), "Last-Event-ID")

    def test_nothing_at_unknown_paths(self):
        for path in ("/v1", "/v1/nothing", "/v2/status", "/v1/status/x", "/v1/wallets/shop/nothing", "/etc/passwd",
                     "/v1/wallets/shop/transactions"):
            with self.subTest(path=path):
                self.assertEqual(404, server.ask("GET", path).status)
        for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/app.js/../../etc/passwd", "/v1/%00"):
            with self.subTest(path=path):
                self.assertIn(server.ask("GET", path).status, (400, 404))

    def test_unknown_wallets_and_transactions(self):
        for method, template, _ in DOCUMENT.operations():
            if "{name}" not in template:
                continue
            with self.subTest(method=method, path=template):
                answer = server.ask(method, filled(template, "nobody"), BODIES.get((method, template)))
                self.refused(answer, "nobody", status=404)
        self.assertEqual(404, server.ask("GET", f"/v1/wallets/shop/transactions/{TXID}").status)
        self.assertEqual(404, server.ask("GET", f"/v1/wallets/shop/transactions/{TXID}/proof").status)

    def test_other_methods_are_told_which_ones_are_allowed(self):
        for template in DOCUMENT.document["paths"]:
            allowed = DOCUMENT.methods_of(template)
            allowed |= {"HEAD"} if "GET" in allowed else set()
            for method in ("GET", "POST", "PUT", "DELETE"):
                if method in allowed:
                    continue
                with self.subTest(method=method, path=template):
                    answer = self.refused(server.ask(method, filled(template)), status=405)
                    self.assertEqual(allowed, set(answer.headers["allow"].split(", ")))
        self.assertEqual(405, server.ask("PATCH", "/v1/status").status)

    def test_head_is_a_get_without_a_body(self):
        for path in ("/v1/status", "/v1/wallets/shop", "/healthz", "/"):
            answer = server.ask("HEAD", path)
            self.assertEqual((200, ""), (answer.status, answer.text))

    def test_large_bodies(self):
        whole = b'{"from":' + b" " * MIB
        self.refused(server.ask("POST", "/v1/wallets/shop/rescan", whole[:MIB]))
        self.refused(server.ask("POST", "/v1/wallets/shop/rescan", whole), status=413)
        # Said before the body is read.
        with server.connect() as connection:
            connection.sendall(server.head("POST", "/v1/wallets", "Content-Type: application/json",
                                           "Content-Length: 99999999999"))
            self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 413 "))

    def test_other_types(self):
        for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
            answer = server.ask("POST", "/v1/wallets/shop/rescan", b'{"from":0}', headers={"Content-Type": kind})
            self.refused(answer, "application/json", status=415)
        answer = server.ask("POST", "/v1/wallets/shop/rescan", b'{"from":-1}',
                            headers={"Content-Type": "Application/JSON; charset=utf-8"})
        self.refused(answer, "from")

    def raw(self, data):
        """All that the server says to these bytes before it closes."""
        with server.connect() as connection:
            connection.sendall(data)
            said = b""
            while True:
                part = connection.recv(65536)
                if not part:
                    return said
                said += part

    def test_framing_that_could_smuggle_closes_the_connection(self):
        smuggled = server.head("GET", "/v1/wallets")
        for lines in (("Transfer-Encoding: chunked",), ("Content-Length: 4", "Transfer-Encoding: chunked"),
                      ("Transfer-Encoding: identity",), ("Content-Length: 4", "Content-Length: 5"),
                      ("Content-Length: -1",), ("Content-Length: x",)):
            with self.subTest(lines=lines):
                said = self.raw(server.head("POST", "/v1/wallets", *lines) + b"0\r\n\r\n" + smuggled)
                self.assertTrue(said.startswith(b"HTTP/1.1 400 "), said[:100])
                self.assertEqual(1, said.count(b"HTTP/1.1 "))

    def test_heads_that_are_wrong(self):
        self.assertTrue(self.raw(b"GET / HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400 "))
        self.assertTrue(self.raw(b"nonsense\r\n\r\n").startswith(b"HTTP/1.1 400 "))
        self.assertTrue(self.raw(server.head("GET", "/v1/status", "X: " + "y" * 9000)).startswith(b"HTTP/1.1 431 "))

    def test_a_connection_serves_several_requests(self):
        with server.connect() as connection:
            connection.sendall(server.head() * 3)
            connection.shutdown(socket.SHUT_WR)
            said = b""
            while part := connection.recv(65536):
                said += part
        self.assertEqual(3, said.count(b"HTTP/1.1 200 "))

    def test_errors_have_one_vocabulary(self):
        codes = {}
        for method, path, body, options in (
                ("GET", "/v1/wallets?limit=0", None, {}), ("GET", "/v1/events?limit=0", None, {}),
                ("POST", "/v1/session", {"x": 1}, {}), ("POST", "/v1/wallets", {"x": 1}, {}),
                ("GET", "/v1/nothing", None, {}), ("GET", "/v1/wallets/nobody", None, {}),
                ("GET", "/v1/status", None, {"token": None}), ("POST", "/v1/status", {}, {})):
            answer = server.ask(method, path, body, **options)
            codes.setdefault(answer.status, set()).add(answer.code)
        for status, names in codes.items():
            self.assertEqual(1, len(names), f"{status} has several codes: {names}")
            self.assertRegex(next(iter(names)), "^[a-z]+(-[a-z]+)*$")


class Access(Case):
    """Token, session, Host and Origin."""

    def test_everything_but_the_open_paths_needs_the_token(self):
        for method, template, operation in DOCUMENT.operations():
            if template == "/v1/session" and method == "POST":
                continue
            with self.subTest(method=method, path=template):
                answer = server.ask(method, filled(template), BODIES.get((method, template)), token=None)
                if DOCUMENT.needs_token(operation):
                    self.assertEqual((401, "Bearer"), (answer.status, answer.headers["www-authenticate"]))
                else:
                    self.assertIn(answer.status, (200, 503))

    def test_a_path_that_does_not_exist_tells_strangers_nothing(self):
        self.assertEqual(401, server.ask("GET", "/v1/nothing", token=None).status)
        self.assertEqual(401, server.ask("GET", "/v1/wallets/nobody", token=None).status)

    def test_wrong_tokens(self):
        for token in (server.token[:-1], server.token + "0", server.token.upper() + "x"):
            self.assertEqual(401, server.ask("GET", "/v1/status", token=token).status)
        basic = {"Authorization": f"Basic {server.token}"}
        self.assertEqual(401, server.ask("GET", "/v1/status", headers=basic).status)
        self.assertEqual(401, server.ask("GET", f"/v1/status?token={server.token}", token=None).status)
        server.get("/v1/status", headers={"Authorization": f"bearer {server.token}"})

    def test_hosts(self):
        for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1:1", "localhost:1", "127.0.0.2",
                     f"127.0.0.1.evil.example:{server.port}", f"localhost.evil.example:{server.port}"):
            with self.subTest(host=host):
                for path in ("/v1/status", "/healthz", "/"):
                    self.assertEqual(403, server.ask("GET", path, headers={"Host": host}).status)
        for host in (f"127.0.0.1:{server.port}", f"localhost:{server.port}", f"LOCALHOST:{server.port}",
                     "wallet.example", "wallet.example:443"):
            with self.subTest(host=host):
                server.get("/v1/status", headers={"Host": host})

    def test_no_other_site_may_read(self):
        for path in ("/v1/status", "/healthz", "/", "/v1/nothing"):
            answer = server.ask("GET", path, headers={"Origin": "https://evil.example"})
            self.assertFalse([name for name in answer.headers if name.startswith("access-control-")])
        answer = server.ask("OPTIONS", "/v1/wallets", headers={"Origin": "https://evil.example",
                                                               "Access-Control-Request-Method": "POST"}, checked=False)
        self.assertEqual(405, answer.status)
        self.assertFalse([name for name in answer.headers if name.startswith("access-control-")])

    def test_answers_are_not_cached_or_guessed(self):
        answer = server.get("/v1/status")
        self.assertEqual("no-store", answer.headers["cache-control"])
        self.assertEqual("nosniff", answer.headers["x-content-type-options"])

    def session(self):
        answer = server.post("/v1/session", {"token": server.token}, 204, token=None)
        cookie, *attributes = answer.headers["set-cookie"].split("; ")
        self.assertIn("HttpOnly", attributes)
        self.assertIn("SameSite=Strict", attributes)
        self.assertIn("Path=/", attributes)
        self.assertNotIn(server.token, cookie)
        return cookie

    def test_sessions(self):
        cookie = self.session()
        with_cookie = {"token": None, "headers": {"Cookie": cookie}}
        server.get("/v1/status", **with_cookie)
        change = ("PUT", "/v1/wallets/shop/labels", {"type": "tx", "ref": TXID, "label": "by the page"})
        own = f"http://127.0.0.1:{server.port}"
        for origin, status in ((None, 403), ("https://evil.example", 403), ("null", 403), (own + "0", 403),
                               (f"http://evil.127.0.0.1:{server.port}", 403), (own, 204)):
            with self.subTest(origin=origin):
                headers = {"Cookie": cookie} | ({"Origin": origin} if origin else {})
                self.assertEqual(status, server.ask(*change, token=None, headers=headers).status)
        # A token is not sent by itself, so it needs no Origin.
        self.assertEqual(204, server.ask(*change).status)
        ended = server.delete("/v1/session", token=None, headers={"Cookie": cookie, "Origin": own})
        self.assertIn("Max-Age=0", ended.headers["set-cookie"])
        self.assertEqual(401, server.ask("GET", "/v1/status", **with_cookie).status)

    def test_sessions_of_others(self):
        self.assertEqual(401, server.ask("POST", "/v1/session", {"token": "wrong"}, token=None).status)
        name = self.session().split("=")[0]
        for value in ("", "0" * 64, server.token):
            self.assertEqual(401, server.ask("GET", "/v1/status", token=None,
                                             headers={"Cookie": f"{name}={value}"}).status)
        self.assertNotEqual(self.session(), self.session())

    def test_a_session_opens_the_stream(self):
        with Stream(server, "?after=0", token=False) as refused:
            self.assertEqual(401, refused.status)
        answer = server.get("/v1/events", token=None, headers={"Cookie": self.session()})
        self.assertTrue(answer.json["events"])

    def test_too_many_wrong_tokens(self):
        own = self.server(node=node)
        statuses = [own.ask("GET", "/v1/status", token="wrong").status for _ in range(40)]
        self.assertEqual({401, 429}, set(statuses))
        answer = own.ask("POST", "/v1/session", {"token": "wrong"}, token=None)
        self.assertEqual(429, answer.status)
        self.assertGreaterEqual(int(answer.headers["retry-after"]), 1)
        own.get("/v1/status")


class Start(Case):
    """Listening, the token file, what it prints."""

    def fails(self, *options, code=2, listen="127.0.0.1:0"):
        words = [bench.SPV, "serve", "--regtest", "--datadir", str(self.place / "data"), "--listen", listen, *options]
        result = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(code, result.returncode, result.stderr)
        self.assertEqual("", result.stdout)
        self.assertRegex(result.stderr, r"(?m)^error: ")
        return result.stderr

    def test_it_says_where_it_listens(self):
        own = self.server(node=node)
        self.assertEqual(f"listening on http://127.0.0.1:{own.port}\n", own.first_line)
        own.get("/healthz")

    def test_it_says_so_in_json(self):
        own = self.server("data", "--json", node=node)
        self.assertEqual({"event": "listening", "url": f"http://127.0.0.1:{own.port}", "electrum": None},
                         json.loads(own.first_line))
        self.assertEqual(0, own.stop()[0])
        self.assertEqual(b"", own.process.stdout.read())

    def test_the_token_is_made_once(self):
        own = self.server(node=node)
        self.assertEqual(0o600, stat.S_IMODE(own.token_file.stat().st_mode))
        self.assertRegex(own.token, "^[0-9a-f]{64}$")
        token = own.token
        own.stop()
        self.assertEqual(token, own.start().token)
        other = self.server("other", node=node)
        self.assertNotEqual(token, other.token)

    def test_a_token_file_of_ones_own(self):
        file = self.place / "token"
        file.write_text("a-token-of-my-own\n")
        own = self.server("data", "--token-file", str(file), node=node)
        own.get("/v1/status", token="a-token-of-my-own")
        self.assertFalse(own.token_file.exists())

    def test_token_files_that_cannot_be_used(self):
        self.assertIn("missing", self.fails("--token-file", str(self.place / "missing"), code=1))
        for text in ("", "\n", "two words\n", "x" * 5000):
            (self.place / "bad").write_text(text)
            self.assertIn("token", self.fails("--token-file", str(self.place / "bad"), code=1))

    def test_other_machines_only_by_consent(self):
        for listen in ("0.0.0.0:0", "[::]:0"):
            self.assertIn("--allow-remote", self.fails(listen=listen))
        own = self.server("data", "--allow-remote", node=node, listen="0.0.0.0:0")
        own.get("/healthz")
        own.get("/v1/status", headers={"Host": "127.0.0.1"})
        self.assertEqual(403, own.ask("GET", "/v1/status", headers={"Host": f"0.0.0.0:{own.port}"}).status)
        self.assertRegex(own.log_text(), "not encrypted.*TLS proxy")

    def test_listen_addresses_that_are_none(self):
        for listen in ("127.0.0.1", ":8338", "127.0.0.1:99999", "127.0.0.1:x", "::1:80"):
            self.assertIn("--listen", self.fails(listen=listen))

    def test_a_port_that_is_taken(self):
        self.assertIn(f"127.0.0.1:{server.port}", self.fails(listen=f"127.0.0.1:{server.port}", code=1))

    def test_ipv6(self):
        with socket.socket(socket.AF_INET6) as probe:
            try:
                probe.bind(("::1", 0))
            except OSError:
                self.skipTest("no IPv6 here")
        own = Server(self.place / "data", node=node, listen="[::1]:0")
        own.host = "::1"
        with own:
            own.get("/v1/status", headers={"Host": f"[::1]:{own.port}"})

    def test_not_ready_before_it_is_synced(self):
        own = self.server()  # a node that is not there
        self.assertEqual(200, own.get("/healthz", token=None).status)
        answer = own.get("/readyz", 503, token=None)
        self.assertTrue(answer.message)
        self.assertGreaterEqual(int(answer.headers["retry-after"]), 1)
        status = own.get("/v1/status").json
        self.assertIsNone(status["height"])
        self.assertIsNone(status["tip"])
        self.assertFalse(status["synced"])
        self.assertEqual(200, server.get("/readyz", token=None).status)

    def test_errors_of_the_network_are_no_end(self):
        own = self.server()
        wait_for(lambda: own.get("/v1/sync").json["state"] in ("connecting", "stopped", "waiting"), "a state")
        self.assertIsNone(own.process.poll())


class End(Case):
    """It ends within 5 s whatever clients do."""

    def stuck(self, own):
        """Clients of every rude kind."""
        body = own.head("POST", "/v1/wallets", "Content-Type: application/json", "Content-Length: 100")
        half = [b"GET /v1/sta", body + b"{",
                own.head("GET", "/v1/events?after=999999&wait=60"), own.head("GET", "/v1/events/stream?after=0"), b"",
                own.head("GET", "/v1/events/stream?after=0") + own.head("GET", "/v1/events/stream?after=0")]
        for data in half * (20 if LONG else 3):
            connection = self.enterContext(own.connect())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            connection.sendall(data)

    def end_by(self, number):
        own = self.server(node=node)
        own.wait_synced()
        self.stuck(own)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            poll = pool.submit(own.ask, "GET", "/v1/events?after=999999&wait=60")
            with Stream(own, "?after=0") as stream:
                wait_for(lambda: "spv_" in own.get("/metrics").text, "it answers")
                code, seconds = own.stop(number)
                self.assertEqual(0, code, own.log_text()[-2000:])
                self.assertLess(seconds, 5)
                wait_for(lambda: stream.ended, "the stream ends")
                self.assertTrue([each for each in stream.comments if "resume" in each.lower()], stream.comments)
            try:
                self.assertIn(poll.result().status, (200, 503))
            except bench.Refused:
                pass

    def test_terminate(self):
        self.end_by(signal.SIGTERM)

    def test_interrupt(self):
        self.end_by(signal.SIGINT)

    def test_while_it_cannot_connect(self):
        own = self.server()
        code, seconds = own.stop()
        self.assertEqual(0, code)
        self.assertLess(seconds, 5)


class Secrets(Case):
    """What must not be seen is not seen."""

    def test_neither_token_nor_addresses_in_the_log(self):
        own = self.server(node=node, level="trace")
        own.post("/v1/wallets", {"name": "private-name", "descriptors": bench.descriptors_of(node, "miner")}, 201)
        address = own.post("/v1/wallets/private-name/addresses", {}, 201).json["address"]
        own.post("/v1/session", {"token": own.token}, 204, token=None)
        own.ask("GET", "/v1/status", token="wrong-token-of-somebody")
        own.get(f"/v1/wallets/private-name/transactions/{TXID}", 404)
        own.ask("GET", f"/v1/status?token={own.token}")
        self.assertEqual(0, own.stop()[0])
        log = own.log_text()
        self.assertIn("/v1/wallets", log)
        for secret in (own.token, "wrong-token-of-somebody", "private-name", address, TXID):
            self.assertNotIn(secret, log)

    def test_the_token_is_not_in_the_arguments_or_the_environment(self):
        for name in ("cmdline", "environ"):
            text = pathlib.Path(f"/proc/{server.process.pid}/{name}").read_bytes()
            self.assertNotIn(server.token.encode(), text)

    def test_files_are_for_the_owner_only(self):
        for path in (server.folder, *server.folder.rglob("*")):
            self.assertEqual(0, stat.S_IMODE(os.lstat(path).st_mode) & 0o077, path)


if __name__ == "__main__":
    unittest.main()
