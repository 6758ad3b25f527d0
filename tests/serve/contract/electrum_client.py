"""A client of the Electrum protocol that says exactly what a test wants."""
import hashlib
import json
import socket

from bench import PATIENCE, wait_for


class RpcError(Exception):
    """The server answered with an error."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


class ElectrumClient:
    """One connection. Notifications that come in between are kept."""

    def __init__(self, place, tls=None):
        host, port = place.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=PATIENCE)
        if tls:
            self.socket = tls.wrap_socket(self.socket)
        self.file = self.socket.makefile("rb")
        self.next = 0
        self.notes = []
        self.answers = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.file.close()
        self.socket.close()

    def send_raw(self, data):
        self.socket.sendall(data)

    def read_line(self):
        """The next document; None once the server has closed."""
        try:
            line = self.file.readline()
        except ConnectionError:
            return None
        return json.loads(line) if line else None

    def read_line_or_none(self):
        """None too if what comes is not JSON, such as a TLS alert."""
        try:
            return self.read_line()
        except ValueError:
            return None

    def send(self, method, params=()):
        self.next += 1
        self.send_raw(json.dumps({"jsonrpc": "2.0", "id": self.next, "method": method,
                                  "params": params if isinstance(params, dict) else list(params)}).encode() + b"\n")
        return self.next

    def wait_answer(self, number):
        while number not in self.answers:
            document = self.read_line()
            if document is None:
                raise AssertionError("the server has closed the connection")
            if "method" in document:
                self.notes.append(document)
            else:
                self.answers[document["id"]] = document
        answer = self.answers.pop(number)
        if "error" in answer:
            raise RpcError(answer["error"])
        return answer["result"]

    def ask(self, method, *params):
        return self.wait_answer(self.send(method, params))

    def greet(self, version="1.4"):
        return self.ask("server.version", "test", version)

    def wait_note(self, method, fits=lambda params: True):
        """The first notification that fits; those of the same method before it are dropped, others are kept."""
        kept = []
        while True:
            while self.notes:
                note = self.notes.pop(0)
                if note["method"] != method:
                    kept.append(note)
                elif fits(note["params"]):
                    self.notes = kept + self.notes
                    return note["params"]
            document = self.read_line()
            if document is None:
                raise AssertionError(f"closed before {method} came")
            if "method" in document:
                self.notes.append(document)
            else:
                self.answers[document["id"]] = document

    def until(self, method, params, fits):
        """Asks again until the answer fits."""
        return wait_for(lambda: (lambda answer: (answer,) if fits(answer) else None)(self.ask(method, *params)),
                        f"{method} {params}")[0]


def script_hash(node, address):
    """Of the script of an address."""
    script = bytes.fromhex(node.rpc("getaddressinfo", address, wallet="miner")["scriptPubKey"])
    return hashlib.sha256(script).digest()[::-1].hex()


def status_of(history):
    """As the protocol defines it."""
    if not history:
        return None
    return hashlib.sha256("".join(f"{each['tx_hash']}:{each['height']}:" for each in history).encode()).hexdigest()


def double_sha(data):
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def root_of(leaf, position, branch):
    """The merkle root that a branch comes to, as printed."""
    node = bytes.fromhex(leaf)[::-1]
    for each in branch:
        other = bytes.fromhex(each)[::-1]
        node = double_sha(other + node if position & 1 else node + other)
        position >>= 1
    return node[::-1].hex()
