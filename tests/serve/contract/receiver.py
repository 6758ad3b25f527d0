"""A receiver of webhooks that answers as it is told."""
import http.server
import threading
from collections import deque


class Receiver:
    """Listens on a port of its own; use it as a context."""

    def __init__(self):
        self.posts = []  # (path, headers, body, the status that it was answered with)
        self.answers = deque()  # statuses to give next; 200 when there are none
        self.lock = threading.Lock()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)

    def handler(self):
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """Takes what is posted."""

            def do_POST(self):  # pylint: disable=invalid-name
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with receiver.lock:
                    status = receiver.answers.popleft() if receiver.answers else 200
                    receiver.posts.append((self.path, dict(self.headers), body, status))
                self.send_response(status)
                if 300 <= status < 400:
                    self.send_header("Location", f"http://127.0.0.1:{receiver.port}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_GET(self):  # pylint: disable=invalid-name
                with receiver.lock:
                    receiver.posts.append((self.path, dict(self.headers), b"GET", 200))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass

        return Handler

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def url(self, path="/hook"):
        return f"http://127.0.0.1:{self.port}{path}"

    def all(self):
        with self.lock:
            return list(self.posts)
