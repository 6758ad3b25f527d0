"""What the contract tests share: `spv serve` as a process, requests that are held against the document, waiting."""
import http.client
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools"))
# pylint: disable=wrong-import-position,unused-import
from regtest import Node, Spv, find_bitcoind, free_port, satoshis  # noqa: E402,F401
from openapi import Document  # noqa: E402
# pylint: enable=wrong-import-position,unused-import

# Under heavy load everything takes its time; a test that passes never waits for this long.
PATIENCE = 90
# By how much a time that the contract promises may be exceeded: by what a loaded machine takes to run the programs of
# the test and to ask again. The promises themselves are for a machine that has a processor for the server.
LATE = 5
LONG = bool(os.environ.get("SPV_LONG_TESTS"))
DOCUMENT = Document()
# The program; run.py sets it.
SPV = os.environ.get("SPV_PROGRAM", "spv")


def wait_for(condition, what, seconds=PATIENCE):
    """The first true value of the condition; an AssertionError if it does not come."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds} s in vain: {what}")
        time.sleep(0.05)


def wait_value(get, fits, what, seconds=PATIENCE):
    """The first value that fits."""
    def fitting():
        seen.append(get())
        del seen[:-1]
        return fits(seen[0])
    seen = []
    try:
        wait_for(fitting, what, seconds)
    except AssertionError as error:
        raise AssertionError(f"{error}; the last was {seen[0]!r:.500}") from None
    return seen[0]


def is_tx(txid, state=None):
    """Whether an event is about this transaction (in this state)."""
    return lambda event: event.get("txid") == txid and state in (None, event["state"])


def is_wallet(state):
    """Whether an event says this about a wallet."""
    return lambda event: event["type"] == "wallet" and event["state"] == state


class Answer:
    """One answer of the server."""

    def __init__(self, response, text):
        self.status = response.status
        self.headers = {}
        self.header_list = [(name.lower(), value) for name, value in response.getheaders()]
        for name, value in self.header_list:
            self.headers.setdefault(name, value)
        self.text = text

    @property
    def json(self):
        return json.loads(self.text)

    @property
    def code(self):
        return self.json["error"]["code"]

    @property
    def message(self):
        return self.json["error"]["message"]

    def __repr__(self):
        return f"{self.status} {self.text[:300]}"


class Refused(Exception):
    """The server did not answer."""


class Client:
    """Asks a server, and holds each answer against the document. Remembers which operations it has seen."""

    def __init__(self, host, port, token):
        self.host, self.port, self.token = host, port, token
        self.seen = set()

    def ask(self, method, path, body=None, *, token=True, headers=None, checked=True, timeout=PATIENCE):
        """`token`: True for the right one, None for none, or one of your own. `body`: JSON, or bytes as they are."""
        sent = dict(headers or {})
        if token and "Authorization" not in sent:
            sent["Authorization"] = f"Bearer {self.token if token is True else token}"
        raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        if raw is not None:
            sent.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        try:
            connection.request(method, path, raw, sent)
            response = connection.getresponse()
            answer = Answer(response, response.read().decode())
        except (OSError, http.client.HTTPException) as error:
            raise Refused(f"{method} {path}: {error!r}{self.obituary()}") from error
        finally:
            connection.close()
        if checked:
            complaints = DOCUMENT.complaints(method, path, answer)
            if complaints:
                raise AssertionError(f"{method} {path}: " + "\n".join(complaints))
        self.seen.add((method, DOCUMENT.template_of(path.split("?")[0]), answer.status))
        return answer

    def obituary(self):
        """What is known about a server that does not answer."""
        return ""

    def get(self, path, status=200, **options):
        return self.expect("GET", path, None, status, options)

    def post(self, path, body, status=200, **options):
        return self.expect("POST", path, body, status, options)

    def put(self, path, body, status=204, **options):
        return self.expect("PUT", path, body, status, options)

    def delete(self, path, status=204, **options):
        return self.expect("DELETE", path, None, status, options)

    def expect(self, method, path, body, status, options):
        answer = self.ask(method, path, body, **options)
        if answer.status != status:
            raise AssertionError(f"{method} {path}: expected {status}, got {answer}")
        return answer

    def pages(self, path, field, limit):
        """All rows of a list, page by page."""
        rows, after = [], None
        while True:
            query = {"limit": limit} | ({} if after is None else {"after": after})
            page = self.get(f"{path}?{urllib.parse.urlencode(query)}").json
            if len(page[field]) > limit:
                raise AssertionError(f"{path}: more than {limit} rows")
            rows += page[field]
            after = page["next"]
            if after is None:
                return rows
            if len(page[field]) < limit:
                raise AssertionError(f"{path}: a short page with a next")

    def events(self, after=0, wallet=None, limit=1000):
        """All events above `after`, and the number to go on from."""
        out = []
        while True:
            page = self.get(f"/v1/events?after={after}&limit={limit}" + (f"&wallet={wallet}" if wallet else "")).json
            out += page["events"]
            after = page["next"]
            if not page["events"]:
                return out, after

    def wait_event(self, fits, after=0, seconds=PATIENCE, wallet=None):
        """The first event above `after` that fits."""
        deadline = time.monotonic() + seconds
        seen = []
        while time.monotonic() < deadline:
            page = self.get(f"/v1/events?after={after}&wait=5" + (f"&wallet={wallet}" if wallet else "")).json
            for event in page["events"]:
                if fits(event):
                    return event
            seen += page["events"]
            after = page["next"]
        raise AssertionError(f"no such event within {seconds} s; there were: {seen[-20:]}")

    def balance(self, wallet):
        return self.get(f"/v1/wallets/{wallet}/balance").json

    def wait_synced(self, height=None):
        """Until every wallet is scanned to the tip (of that height)."""
        def synced():
            status = self.get("/v1/status").json
            return status if status["synced"] and (height is None or status["height"] == height) else None
        return wait_for(synced, f"the server is not synced to {height}")


class Server(Client):
    """`spv serve` on a folder of its own. Use it as a context, or start() and stop()."""

    def __init__(self, folder, *options, node=None, database=None, listen="127.0.0.1:0", level="debug"):
        super().__init__("127.0.0.1", 0, None)
        self.folder = pathlib.Path(folder)
        self.options = list(options)
        self.database = database
        self.listen = listen
        self.peer = node.address if node else f"127.0.0.1:{free_port()}"
        self.level = level
        self.log = self.folder.with_name(self.folder.name + ".log")
        self.process = None
        self.first_line = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        if self.process:
            self.kill()
            self.process.stdout.close()

    @property
    def token_file(self):
        return self.folder / "regtest" / "serve.token"

    def arguments(self):
        words = [SPV, "serve", "--regtest", "--datadir", str(self.folder), "--listen", self.listen,
                 "--connect", self.peer, "--log-level", self.level, *self.options]
        return words + (["--database", self.database] if self.database else [])

    def start(self):
        if self.process:
            self.process.stdout.close()
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.arguments(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                            stderr=log)
        self.first_line = self.read_line()
        where = json.loads(self.first_line)["url"] if "--json" in self.options else self.first_line.split(" on ")[1]
        self.port = urllib.parse.urlsplit(where.strip()).port
        given = [self.options[at + 1] for at, word in enumerate(self.options) if word == "--token-file"]
        self.token = pathlib.Path(given[0] if given else self.token_file).read_text().strip()
        return self

    def read_line(self):
        """The line that it prints once it listens."""
        deadline = time.monotonic() + PATIENCE
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            byte = os.read(self.process.stdout.fileno(), 1) if ready else b""
            if not byte:
                self.kill()
                self.process.stdout.close()
                code = self.process.returncode
                raise AssertionError(f"it does not listen: exit code {code}\n{self.log_text()[-2000:]}")
            line += byte
        return line.decode()

    def stop(self, number=signal.SIGTERM):
        """The exit code, and how long it took."""
        began = time.monotonic()
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        return code, time.monotonic() - began

    def kill(self):
        self.process.kill()
        self.process.wait()

    def obituary(self):
        code = self.process.poll()
        return "" if code is None else f"; it has ended with {code}:\n{self.log_text()[-3000:]}"

    def log_text(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def connect(self):
        """A plain connection, for what http.client would not send."""
        return socket.create_connection((self.host, self.port), timeout=PATIENCE)

    def head(self, method="GET", path="/v1/status", *lines):
        return "\r\n".join([f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}",
                            f"Authorization: Bearer {self.token}", *lines, "", ""]).encode()


class Stream:
    """An event stream, read by a thread."""

    def __init__(self, server, query="", last_event_id=None, token=True):
        self.connection = http.client.HTTPConnection(server.host, server.port, timeout=PATIENCE)
        headers = {"Authorization": f"Bearer {server.token}"} if token else {}
        if last_event_id is not None:
            headers["Last-Event-ID"] = str(last_event_id)
        self.connection.request("GET", "/v1/events/stream" + query, headers=headers)
        self.response = self.connection.getresponse()
        self.status = self.response.status
        self.kind = self.response.getheader("Content-Type")
        self.events, self.comments, self.ended = [], [], False
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def read(self):
        fields = {}
        try:
            for raw in self.response:
                line = raw.decode().rstrip("\n")
                if line.startswith(":"):
                    self.comments.append(line[1:].strip())
                elif line:
                    name, _, value = line.partition(": ")
                    fields[name] = value
                elif fields:
                    self.take(fields)
                    fields = {}
        except (OSError, ValueError, http.client.HTTPException):
            pass
        self.ended = True

    def take(self, fields):
        event = json.loads(fields["data"])
        if int(fields["id"]) != event["seq"] or fields["event"] != event["type"] or len(fields) != 3:
            raise AssertionError(f"a frame that does not fit its event: {fields}")
        wrong = DOCUMENT.answers.errors(event, {"$ref": "#/components/schemas/Event"})
        with self.lock:
            self.events.append(event if not wrong else {"seq": event["seq"], "wrong": wrong})

    def all(self):
        with self.lock:
            return list(self.events)

    def wait(self, fits, what="no such event in the stream", seconds=PATIENCE):
        return wait_for(lambda: next((each for each in self.all() if fits(each)), None), what, seconds)

    def wait_seq(self, seq):
        return self.wait(lambda each: each["seq"] >= seq, f"the stream did not reach {seq}")

    def close(self):
        try:
            self.connection.sock.shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):
            pass
        self.connection.close()


class Case(unittest.TestCase):
    """A test that has a folder of its own."""

    longMessage = True

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="spv-serve-", ignore_cleanup_errors=True)
        self.place = pathlib.Path(self.enterContext(folder))
        began = time.monotonic()
        self.addCleanup(lambda: print(f"{time.monotonic() - began:.1f} s", end=" ", file=sys.stderr, flush=True))

    def server(self, name="data", *options, **more):
        return self.enterContext(Server(self.place / name, *options, **more))


def start_node(folder):
    """A node whose wallet "miner" has coins enough to pay often between two blocks. Ends with the module."""
    node = unittest.enterModuleContext(Node(find_bitcoind(), folder))
    node.make_miner()
    node.mine(30, "miner")
    return node


def descriptors_of(node, wallet):
    """The public wpkh descriptors of a wallet of the node's: receive, then change."""
    listed = node.rpc("listdescriptors", False, wallet=wallet)["descriptors"]
    mine = [each for each in listed if each["desc"].startswith("wpkh(")]
    return [next(each["desc"] for each in mine if each["internal"] is internal) for internal in (False, True)]


def chains_hold(events):
    """AssertionError unless the numbers grow and no transaction of a wallet is told twice in the same state."""
    last_seq, told = 0, {}
    for event in events:
        assert event["seq"] > last_seq, f"{event['seq']} after {last_seq}"
        last_seq = event["seq"]
        if event["type"] != "tx":
            continue
        key = (event["wallet"], event["txid"])
        state = (event["state"], event["block"], event["replaced_by"], event["net_sat"])
        assert told.get(key) != state, f"told twice: {event}"
        told[key] = state
    return told


def states_of(events, txid, wallet=None):
    """What was told of a transaction, in order. One that reaches a server before the block of its lock time is locked
    until then; the node's wallet sets such lock times at random."""
    states = [each["state"] for each in events if each["type"] == "tx" and each["txid"] == txid
              and wallet in (None, each["wallet"])]
    return states[1:] if states[:1] == ["locked"] else states
