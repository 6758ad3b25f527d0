"""Event streams: over the log, for `for` and `async for`, and of live events, for `async for`."""
import asyncio
import collections
import os
from typing import TYPE_CHECKING, AsyncIterator, Callable, Deque, Iterator, List, Optional

from ._handle import WAIT_MS
from .errors import ClosedError, EventTimeoutError, SpvError, StateError, error_of
from .types import ErrorCode, Event, EventType, LoggedEvent

if TYPE_CHECKING:
    from .client import Client

AT_ONCE = 100
LOOK_AGAIN = 1.0
"""Seconds after which the log is read without a signal: other processes write to it, too."""
MAX_WAITING = 10_000
"""Live events that wait for one reader; then the oldest are dropped."""


class Pump:
    """Reads live events when the descriptor says so, on the event loop, and wakes those who wait there."""

    def __init__(self, client: "Client", loop: asyncio.AbstractEventLoop) -> None:
        self._client = client
        self._loop = loop
        self._listeners: List[Callable[[Optional[Event]], None]] = []
        # One of our own: the library's may be closed before the loop hears of it.
        self._fd = os.dup(client._handle.event_fd())
        loop.add_reader(self._fd, self._read)
        client._handle.on_close(self._closed)

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        return self._loop

    def add(self, listener: Callable[[Optional[Event]], None]) -> None:
        """It is called with each event, and with None at the end."""
        if self._fd < 0:
            listener(None)
        else:
            self._listeners.append(listener)

    def remove(self, listener: Callable[[Optional[Event]], None]) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)
            if not self._listeners:
                self._end()

    def _read(self) -> None:
        for _ in range(AT_ONCE):  # then it is somebody else's turn on the loop
            try:
                self._tell(self._client._next_event(0))
            except EventTimeoutError:
                return
            except SpvError:
                return self._end()

    def _tell(self, event: Optional[Event]) -> None:
        for listener in list(self._listeners):
            listener(event)

    def _closed(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._end)
        except RuntimeError:  # the loop is closed: nobody waits there
            self._end(with_loop=False)

    def _end(self, with_loop: bool = True) -> None:
        if self._fd < 0:
            return
        if with_loop:
            self._loop.remove_reader(self._fd)
        os.close(self._fd)
        self._fd = -1
        self._client._handle.forget(self._closed)
        self._client._pump_ended(self)
        self._tell(None)
        self._listeners.clear()


class LiveEvents(AsyncIterator[Event]):
    """Live events from now on, until the client is closed. While one is open, next_event() cannot be used."""

    def __init__(self, client: "Client") -> None:
        self._client = client
        self._waiting: Deque[Event] = collections.deque(maxlen=MAX_WAITING)
        self._came = asyncio.Event()
        self._ended = False
        self._pump = client._pump_of(asyncio.get_running_loop())
        self._pump.add(self._hear)

    def _hear(self, event: Optional[Event]) -> None:
        if event is None:
            self._ended = True
        else:
            self._waiting.append(event)
        self._came.set()

    async def __anext__(self) -> Event:
        while not self._waiting:
            if self._ended:
                raise StopAsyncIteration
            self._came.clear()
            await self._came.wait()
        return self._waiting.popleft()

    async def aclose(self) -> None:
        """Ends it before the client is closed."""
        self._pump.remove(self._hear)
        self._hear(None)


class EventLog(Iterator[LoggedEvent], AsyncIterator[LoggedEvent]):
    """The events of the log above a number, in order; waits for more until the client is closed."""

    def __init__(self, client: "Client", after: int, wallet: Optional[str]) -> None:
        self._client = client
        self._after = after
        self._wallet = wallet
        self._read: Deque[LoggedEvent] = collections.deque()
        self._pump: Optional[Pump] = None
        self._came: Optional[asyncio.Event] = None
        self._failure: Optional[SpvError] = None

    def __iter__(self) -> "EventLog":
        return self

    def __aiter__(self) -> "EventLog":
        return self

    def _fetch(self, wait_ms: int) -> None:
        self._read.extend(self._client._log(self._after, AT_ONCE, wait_ms, self._wallet))
        if self._read:
            self._after = self._read[-1].seq

    def __next__(self) -> LoggedEvent:
        try:
            while not self._read:
                self._fetch(WAIT_MS)
        except ClosedError:
            raise StopIteration from None
        return self._read.popleft()

    async def __anext__(self) -> LoggedEvent:
        loop = asyncio.get_running_loop()
        try:
            while not self._read:
                came, failure = self._listen(loop), self._failure
                came.clear()
                await loop.run_in_executor(None, self._fetch, 0)
                if not self._read:
                    if failure is not None:  # everything before it has been read
                        self._failure = None
                        raise failure
                    await self._wait(came)
        except ClosedError:
            raise StopAsyncIteration from None
        return self._read.popleft()

    def _listen(self, loop: asyncio.AbstractEventLoop) -> asyncio.Event:
        if self._came is None or self._pump is None:
            self._came = asyncio.Event()
            self._pump = self._client._pump_of(loop)
            self._pump.add(self._hear)
        elif self._pump.loop is not loop:
            raise StateError("an event stream belongs to the event loop that read it first", ErrorCode.STATE)
        return self._came

    async def _wait(self, came: asyncio.Event) -> None:
        try:
            await asyncio.wait_for(came.wait(), LOOK_AGAIN)
        except asyncio.TimeoutError:
            pass

    def _hear(self, event: Optional[Event]) -> None:
        if event is not None and event.type == EventType.STOPPED and event.code != 0:
            self._failure = error_of(event.code, f"sync stopped: {event.message}")
        if self._came is not None:
            self._came.set()

    async def aclose(self) -> None:
        """Ends it before the client is closed."""
        if self._pump is not None:
            self._pump.remove(self._hear)
