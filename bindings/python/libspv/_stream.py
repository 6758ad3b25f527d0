"""Event streams: over the log, for `for` and `async for`, and of live events, for `async for`."""
import asyncio
import collections
import os
import weakref
from typing import TYPE_CHECKING, AsyncIterator, Callable, Deque, Iterator, List, Optional

from ._handle import longest_wait
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
        # Weak: a stream that was left with `break` must not hold the pump.
        self._listeners: List["weakref.WeakMethod[Callable[[Optional[Event]], None]]"] = []
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
            self._listeners.append(weakref.WeakMethod(listener))

    def remove(self, listener: Callable[[Optional[Event]], None]) -> None:
        self._keep(lambda each: each not in (None, listener))

    def _keep(self, wanted: Callable[[Optional[Callable[[Optional[Event]], None]]], bool]) -> None:
        self._listeners = [each for each in self._listeners if wanted(each())]
        if not self._listeners:
            self._end()

    def _read(self) -> None:
        self._keep(lambda each: each is not None)
        for _ in range(AT_ONCE if self._fd >= 0 else 0):  # then it is somebody else's turn on the loop
            try:
                self._tell(self._client._next_event(0))
            except EventTimeoutError:
                return
            except SpvError:
                return self._end()

    def _tell(self, event: Optional[Event]) -> None:
        for each in list(self._listeners):
            listener = each()
            if listener is not None:
                listener(event)

    def _closed(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._end)
        except RuntimeError:  # the loop is closed: nobody waits there
            self.abandon()

    def abandon(self) -> None:
        """Its loop is closed, and was not told before."""
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
        self._fetching: Optional["asyncio.Future[None]"] = None

    def __iter__(self) -> "EventLog":
        return self

    def __aiter__(self) -> "EventLog":
        return self

    def _fetch(self, wait_ms: int) -> None:
        found = self._client._log(self._after, AT_ONCE, wait_ms, self._wallet)
        if found:
            self._after = found[-1].seq
            self._read.extend(found)

    def __next__(self) -> LoggedEvent:
        try:
            while not self._read:
                self._fetch(longest_wait())
        except ClosedError:
            raise StopIteration from None
        return self._read.popleft()

    async def __anext__(self) -> LoggedEvent:
        loop = asyncio.get_running_loop()
        try:
            while not self._read:
                came, failure = self._listen(loop), self._failure
                came.clear()
                await self._fetch_once(loop)
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

    async def _fetch_once(self, loop: asyncio.AbstractEventLoop) -> None:
        """One that was cancelled still runs, and its events are not read a second time."""
        if self._fetching is None:
            self._fetching = loop.run_in_executor(None, self._fetch, 0)
        fetching = self._fetching
        try:
            await asyncio.shield(fetching)
        finally:
            if fetching.done():
                self._fetching = None

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
