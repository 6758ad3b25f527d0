"""The client of the C library, and who is inside it: it is closed when nobody is."""
import ctypes
import threading
import warnings
from typing import Any, Callable, List, TypeVar

from . import _abi
from .errors import ClosedError, StateError, error_of
from .types import ErrorCode

T = TypeVar("T")

library = _abi.load()


def longest_wait() -> int:
    """Milliseconds inside the library. close() wakes whoever waits; but Ctrl-C is for the main thread, between calls."""
    return 500 if threading.current_thread() is threading.main_thread() else 2**31 - 1


_strlen = ctypes.CDLL(None).strlen  # a bytes object would be one more copy of a secret
_strlen.restype = ctypes.c_size_t
_strlen.argtypes = [ctypes.c_void_p]


def take_text(pointer: ctypes.c_void_p) -> str:
    """A text of the library's, which is wiped and freed."""
    return bytes(take_secret(pointer)).decode("utf-8", "replace")


def take_secret(pointer: ctypes.c_void_p) -> bytearray:
    try:
        size = _strlen(pointer)
        return bytearray((ctypes.c_char * size).from_address(pointer.value or 0)) if size else bytearray()
    finally:
        library.spv_free(pointer)


class Handle:
    """Calls functions of the library with the client; safe to use from any thread."""

    def __init__(self, options: Any) -> None:
        self._idle = threading.Condition()
        self._calls = 0
        self._closing = False
        self._mine = threading.local()
        self._closed = threading.Event()
        self._on_close: List[Callable[[], None]] = []
        self._client = ctypes.c_void_p()
        code = library.spv_open(ctypes.byref(options), ctypes.byref(self._client))
        if code != 0:
            error = self._error(code)
            library.spv_close(self._client)
            self._client = ctypes.c_void_p()
            self._closing = True
            self._closed.set()
            raise error

    def __del__(self) -> None:
        # The library is still running on behalf of somebody who forgot it; only close() knows when nobody uses it.
        if hasattr(self, "_closed") and not self._closed.is_set():
            warnings.warn("a libspv client was never closed: use `with` or call close()", ResourceWarning, source=self)

    def _error(self, code: int) -> Exception:
        message = (library.spv_last_error(self._client) or b"").decode("utf-8", "replace")
        return error_of(code, message or library.spv_error_name(code).decode())

    def _enter(self) -> None:
        with self._idle:
            if self._closing:
                raise ClosedError()
            self._calls += 1
        self._mine.depth = getattr(self._mine, "depth", 0) + 1

    def _leave(self) -> None:
        self._mine.depth -= 1
        with self._idle:
            self._calls -= 1
            self._idle.notify_all()

    @property
    def closed(self) -> bool:
        return self._closed.is_set()

    def call_then(self, then: Callable[[], T], name: str, *arguments: Any) -> T:
        """Calls a function, and then this while the client cannot be closed."""
        self._enter()
        try:
            code: int = getattr(library, name)(self._client, *arguments)
            if code != 0:
                raise self._error(code)
            return then()
        finally:
            self._leave()

    def call(self, name: str, *arguments: Any) -> None:
        self.call_then(lambda: None, name, *arguments)

    def text(self, name: str, *arguments: Any) -> str:
        """What a function returns through `char **`."""
        out = ctypes.c_void_p()
        self.call(name, *arguments, ctypes.byref(out))
        return take_text(out)

    def event_fd(self) -> int:
        self._enter()
        try:
            return int(library.spv_event_fd(self._client))
        finally:
            self._leave()

    def on_close(self, wake: Callable[[], None]) -> None:
        """Called once by close(), on its thread. Does nothing if the client is closed already."""
        with self._idle:
            if not self._closing:
                self._on_close.append(wake)

    def forget(self, wake: Callable[[], None]) -> None:
        with self._idle:
            if wake in self._on_close:
                self._on_close.remove(wake)

    def close(self) -> None:
        if getattr(self._mine, "depth", 0) > 0:
            raise StateError("a client cannot be closed from its own signer", ErrorCode.STATE)
        with self._idle:
            if not self._closing:
                self._closing = True
                library.spv_interrupt(self._client)
            wakes, self._on_close = self._on_close, []
        for wake in wakes:
            wake()
        self._wait_until_idle()  # if Ctrl-C ends it: the next close() goes on from here
        with self._idle:
            client, self._client = self._client, ctypes.c_void_p()
        if not client:  # another thread closes it
            self._closed.wait()
            return
        try:
            library.spv_close(client)
        finally:
            self._closed.set()

    def _wait_until_idle(self) -> None:
        with self._idle:
            self._idle.wait_for(lambda: self._calls == 0)
