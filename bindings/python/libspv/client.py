"""Client: a data directory, its open wallets, and their sync."""
import asyncio
import contextlib
import ctypes
import threading
import time
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple, Type, TypeVar

from . import _abi, _values
from ._handle import Handle, library, longest_wait, take_secret
from ._stream import EventLog, LiveEvents, Pump
from ._values import Secret, SecretText, text, texts
from .errors import EventTimeoutError, StateError, error_of
from .types import (Address, Balance, Coin, CrossCheck, ErrorCode, Event, LoggedEvent, Network, PaidOutput, Payment,
                    PaymentInput, PaymentOutput, ProofFacts, SignerKey, Source, Transport, Tx)

T = TypeVar("T")
Sign = Callable[[SignerKey, bytes], bytes]
Recipients = Sequence[Tuple[str, int]]


def version() -> str:
    """The library's version, such as "0.1.0".

    >>> version().count(".")
    2
    """
    return str(library.spv_version().decode())


class Signer:
    """Keys that are held elsewhere: functions that get a key and a digest of 32 bytes, and return a signature.

    They are called on the thread that pays. `ecdsa` returns DER with low S; `schnorr` 64 bytes, by the key with the
    tweak of BIP341. An exception of theirs ends the payment, and is raised where it was made.
    """

    def __init__(self, ecdsa: Sign, schnorr: Optional[Sign] = None) -> None:
        self._failure: Optional[BaseException] = None
        self._ecdsa, self._schnorr = self._wrapped(ecdsa), self._wrapped(schnorr)

    def _wrapped(self, sign: Optional[Sign]) -> Any:
        if sign is None:
            return _abi.NO_SIGN_FUNCTION

        def call(_context: Any, key: Any, digest: Any, signature: Any, size: Any) -> int:
            try:
                made = sign(_values.signer_key_of(key.contents), bytes(digest[:32]))  # type: ignore[misc]
                if len(made) > size[0]:
                    raise ValueError(f"a signature of {len(made)} bytes")
                ctypes.memmove(signature, bytes(made), len(made))
                size[0] = len(made)
                return 0
            except BaseException as error:  # pylint: disable=broad-except  # none may pass through C
                self._failure = error
                return 1

        return _abi.spv_sign_function(call)

    @contextlib.contextmanager
    def _pointer(self) -> Iterator[Any]:
        self._failure = None
        try:
            yield ctypes.byref(_abi.spv_signer(ecdsa=self._ecdsa, schnorr=self._schnorr))
        except Exception:
            if self._failure is not None:
                raise self._failure
            raise


class Client:
    """Opens a data directory. Close it, or use it as a context (`with` or `async with`).

    Options have the names of `spv_options` in spv.h, and 0 or None is the default. Functions may be called from any
    thread. They block their thread and release the interpreter; in asyncio use `asyncio.to_thread`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Client(folder, Network.REGTEST) as client:
    ...     client.wallets()
    []
    """

    def __init__(self, data_dir: str, network: Network, *, peers: Sequence[str] = (), peer_count: int = 0,
                 proxy: Optional[str] = None, fp_rate: float = 0, mempool_wait_ms: int = 0, once: bool = False,
                 whole_blocks: bool = False, byte_budget: int = 0, transport: Transport = Transport.AUTO,
                 cross_check: CrossCheck = CrossCheck.SAMPLE, source: Source = Source.FILTER,
                 plain_on_loopback: int = 0, max_download: int = 0, timeout_ms: int = 0,
                 skip_clock_check: bool = False, database: Optional[str] = None, follow_all: bool = False,
                 only_bloom_filters: bool = False) -> None:
        options = _values.set_fields(_abi.spv_options(), dict(
            data_dir=data_dir, network=network, peer_count=len(peers) or peer_count, proxy=proxy, fp_rate=fp_rate,
            mempool_wait_ms=mempool_wait_ms, once=once, whole_blocks=whole_blocks, byte_budget=byte_budget,
            transport=transport, cross_check=cross_check, source=source, plain_on_loopback=plain_on_loopback,
            max_download=max_download, timeout_ms=timeout_ms, skip_clock_check=skip_clock_check, database=database,
            follow_all=follow_all, only_bloom_filters=only_bloom_filters))
        if peers:
            options.peers = texts(peers)
        self._handle = Handle(options)
        self._reader = threading.Lock()
        self._pump: Optional[Pump] = None

    # --- its life ---

    def close(self) -> None:
        """Stops the sync and saves everything. Whoever waits for events is woken. May be called again."""
        self._handle.close()

    async def aclose(self) -> None:
        """The same without blocking the event loop."""
        await asyncio.get_running_loop().run_in_executor(None, self.close)

    @property
    def closed(self) -> bool:
        return self._handle.closed

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.aclose()

    # --- wallets ---

    def create_wallet(self, name: str, *, script: Optional[str] = None, account: int = 0, gap_limit: int = 0,
                      passphrase: SecretText = None, words: int = 0) -> bytearray:
        """Creates a wallet from new entropy and opens it. Returns its mnemonic, which is not shown again: overwrite
        the bytearray after use (`mnemonic[:] = bytes(len(mnemonic))`).
        """
        out = ctypes.c_void_p()
        with Secret(passphrase) as secret:
            options = self._wallet_options(None, None, script=script, account=account, gap_limit=gap_limit, words=words)
            options.passphrase, options.passphrase_size = secret.pointer, secret.size
            self._handle.call("spv_wallet_create", text(name), ctypes.byref(options), ctypes.byref(out))
        return take_secret(out)

    def restore_wallet(self, name: str, mnemonic: SecretText, *, script: Optional[str] = None, account: int = 0,
                       gap_limit: int = 0, birthday_height: Optional[int] = None, birthday_time: Optional[int] = None,
                       passphrase: SecretText = None, bip39_passphrase: SecretText = None) -> None:
        """Creates a wallet from a BIP39 mnemonic and opens it."""
        with Secret(mnemonic) as phrase, Secret(passphrase) as secret, Secret(bip39_passphrase) as bip39:
            options = self._wallet_options(birthday_height, birthday_time, script=script, account=account,
                                           gap_limit=gap_limit)
            options.passphrase, options.passphrase_size = secret.pointer, secret.size
            options.bip39_passphrase, options.bip39_passphrase_size = bip39.pointer, bip39.size
            self._handle.call("spv_wallet_restore", text(name), phrase.pointer, phrase.size, ctypes.byref(options))

    def watch_wallet(self, name: str, descriptors: Sequence[str], *, gap_limit: int = 0,
                     birthday_height: Optional[int] = None, birthday_time: Optional[int] = None) -> None:
        """Creates a watch-only wallet from descriptors and opens it. Write an address as addr(ADDRESS)."""
        options = self._wallet_options(birthday_height, birthday_time, gap_limit=gap_limit)
        self._handle.call("spv_wallet_watch", text(name), texts(descriptors), len(descriptors), ctypes.byref(options))

    @staticmethod
    def _wallet_options(height: Optional[int], unix_time: Optional[int], **fields: Any) -> Any:
        if height is not None and unix_time is not None:
            raise error_of(ErrorCode.INVALID_ARGUMENT, "a birthday is a height or a time, not both")
        options = _values.set_fields(_abi.spv_wallet_options(), fields)
        given = height if height is not None else unix_time
        if given is not None:
            _values.set_fields(options, {"has_birthday": 1 if height is not None else 2, "birthday": given})
        return options

    def open_wallet(self, name: str) -> None:
        """Opens a wallet in the data directory."""
        self._handle.call("spv_wallet_open", text(name))

    def open_wallets(self, names: Sequence[str]) -> None:
        """Opens many wallets, which is quicker than one by one. All or none."""
        self._handle.call("spv_wallets_open", texts(names), len(names))

    def close_wallet(self, name: str) -> None:
        """Closes a wallet: it is no longer watched."""
        self._handle.call("spv_wallet_close", text(name))

    def wallets(self) -> List[str]:
        """The names of all wallets in the data directory, open or not."""
        def name_at(items: Any, index: int) -> str:
            name = ctypes.c_char_p()
            self._check(library.spv_name_at(items, index, ctypes.byref(name)))
            return (name.value or b"").decode()
        return self._list(name_at, "spv_get_wallets")

    # --- sync ---

    def start(self) -> None:
        """Syncs all open wallets, including those opened later, on a thread of the library."""
        self._handle.call("spv_start")

    def stop(self) -> None:
        """Ends the sync. When it returns, everything found is on disk."""
        self._handle.call("spv_stop")

    def pause(self) -> None:
        """Same as stop(), for an app that goes to the background."""
        self._handle.call("spv_pause")

    def resume(self) -> None:
        """Continues a paused sync."""
        self._handle.call("spv_resume")

    def network_changed(self) -> None:
        """Drops all peers and reconnects: call it when the network connection changes."""
        self._handle.call("spv_network_changed")

    def set_byte_budget(self, amount: int) -> None:
        """Sets the remaining byte budget, from the next start on; 0: unlimited."""
        self._handle.call("spv_set_byte_budget", _values.number(amount, 0, 2**64 - 1))

    # --- events ---

    def next_event(self, timeout: Optional[float] = None) -> Event:
        """The next live event. Waits up to `timeout` seconds (None: forever), then raises EventTimeoutError; raises
        ClosedError when the client is closed. One thread at a time.
        """
        if self._pump is not None:
            raise StateError("live events are read by an event loop", ErrorCode.STATE)
        if not self._reader.acquire(blocking=False):
            raise StateError("another thread is reading live events", ErrorCode.STATE)
        try:
            return self._waited(timeout, self._next_event)
        finally:
            self._reader.release()

    def live_events(self) -> LiveEvents:
        """Live events from now on: `async for event in client.live_events()`."""
        return LiveEvents(self)

    def events(self, after: int = 0, wallet: Optional[str] = None) -> EventLog:
        """The event log above `after`, waiting for more: `for event in client.events(after=seq)`, or `async for`, which
        raises the error when the sync stops by itself.
        """
        return EventLog(self, _values.number(after), wallet)

    def get_events(self, after: int = 0, limit: int = 100, timeout: float = 0, wallet: Optional[str] = None, *,
                   transactions_only: bool = False) -> List[LoggedEvent]:
        """At most `limit` events of the log above `after`; waits up to `timeout` seconds for one."""
        end = time.monotonic() + timeout
        while True:
            left = max(0, min(longest_wait(), int((end - time.monotonic()) * 1000)))
            found = self._log(after, limit, left, wallet, transactions_only)
            if found or time.monotonic() >= end:
                return found

    def consumer_position(self, consumer: str) -> int:
        """The stored position of a consumer; 0 for one that has acknowledged nothing."""
        seq = ctypes.c_int64()
        self._handle.call("spv_consumer_position", text(consumer), ctypes.byref(seq))
        return seq.value

    def acknowledge(self, consumer: str, seq: int) -> None:
        """Stores it: the consumer has dealt with all events up to `seq`."""
        self._handle.call("spv_consumer_acknowledge", text(consumer), _values.number(seq))

    # --- contents of a wallet ---

    def balance(self, wallet: str) -> Balance:
        out = _abi.spv_balance()
        self._handle.call("spv_get_balance", text(wallet), ctypes.byref(out))
        return _values.value_of(Balance, out)

    def address(self, wallet: str, *, next: bool = False, change: bool = False) -> str:  # pylint: disable=redefined-builtin
        """The first unused receive (or change) address; `next` selects one never handed out before."""
        return self._handle.text("spv_get_address", text(wallet), next, change)

    def scanned(self, wallet: str) -> int:
        """The height up to which the wallet is scanned."""
        height = ctypes.c_int32()
        self._handle.call("spv_get_scanned", text(wallet), ctypes.byref(height))
        return height.value

    def coins(self, wallet: str) -> List[Coin]:
        """Unspent outputs."""
        return self._items(Coin, _abi.spv_coin, "spv_coin_at", "spv_get_coins", text(wallet))

    def history(self, wallet: str) -> List[Tx]:
        """Transactions, newest first."""
        return self._items(Tx, _abi.spv_tx, "spv_tx_at", "spv_get_history", text(wallet))

    def transaction(self, wallet: str, txid: str) -> Tx:
        return self._items(Tx, _abi.spv_tx, "spv_tx_at", "spv_get_transaction", text(wallet), text(txid))[0]

    def addresses(self, wallet: str) -> List[Address]:
        """All addresses that were handed out or used, and those watched beyond them."""
        return self._items(Address, _abi.spv_address, "spv_address_at", "spv_get_addresses", text(wallet))

    def proof(self, wallet: str, txid: str) -> str:
        """A text that proves that this transaction is in a block."""
        return self._handle.text("spv_get_proof", text(wallet), text(txid))

    def verify_proof(self, proof: str) -> ProofFacts:
        """Checks such a proof against the local headers."""
        height, confirmations = ctypes.c_int32(), ctypes.c_int32()
        raw = text(proof) or b""
        self._handle.call("spv_verify_proof", raw, len(raw), ctypes.byref(height), ctypes.byref(confirmations))
        return ProofFacts(height.value, confirmations.value)

    # --- spending ---

    def create_payment(self, wallet: str, recipients: Recipients, *, coins: Sequence[str] = (),
                       **options: Any) -> Payment:
        """Chooses coins and change; nothing is signed or stored. `recipients`: pairs of an address and an amount in
        satoshis (AMOUNT_ALL: all that is left). `coins`: TXID:VOUT. The options are those of `spv_payment_options`:
        fee_rate (satoshis per 1,000 virtual bytes), change, subtract_fee, spend_unconfirmed, allow_high_fee,
        allow_low_fee, psbt_version.
        """
        wanted = self._payment_options(recipients, coins, options)
        return self._payment("spv_payment_create", text(wallet), ctypes.byref(wanted))

    def create_bump(self, wallet: str, txid: str, fee_rate: int, psbt_version: int = 0) -> Payment:
        """The same for the replacement of an unconfirmed payment at a higher fee rate."""
        return self._payment("spv_payment_create_bump", text(wallet), text(txid), _values.number(fee_rate),
                             _values.number(psbt_version, 0, 2**32 - 1))

    def send(self, wallet: str, recipients: Recipients, *, passphrase: SecretText = None,
             signer: Optional[Signer] = None, coins: Sequence[str] = (), **options: Any) -> Payment:
        """Creates, signs, checks and stores a payment, and sends it; a sync runs. An error means that nothing was sent.
        After a success do not make the payment again: it is sent again by itself.
        """
        wanted = self._payment_options(recipients, coins, options)
        return self._signed("spv_payment_send", passphrase, signer, text(wallet), ctypes.byref(wanted))

    def bump(self, wallet: str, txid: str, fee_rate: int, *, passphrase: SecretText = None,
             signer: Optional[Signer] = None) -> Payment:
        """Replaces an unconfirmed payment of the wallet by the same one at a higher fee rate."""
        return self._signed("spv_payment_bump", passphrase, signer, text(wallet), text(txid), _values.number(fee_rate))

    def cancel(self, wallet: str, txid: str, fee_rate: int, *, passphrase: SecretText = None) -> Payment:
        """Replaces an unconfirmed payment of the wallet by one that returns all of it to the wallet."""
        return self._signed("spv_payment_cancel", passphrase, None, text(wallet), text(txid), _values.number(fee_rate))

    def abandon(self, wallet: str, txid: str) -> None:
        """Gives up a payment that no peer has taken: its coins are free again."""
        self._handle.call("spv_payment_abandon", text(wallet), text(txid))

    def sign_psbt(self, wallet: str, psbt: str, *, passphrase: SecretText = None, signer: Optional[Signer] = None,
                  allow_high_fee: bool = False) -> str:
        """Adds the wallet's signatures to a PSBT."""
        if signer is not None:
            with signer._pointer() as pointer:
                return self._handle.text("spv_psbt_sign_with", text(wallet), text(psbt), allow_high_fee, pointer)
        with Secret(passphrase) as secret:
            return self._handle.text("spv_psbt_sign", text(wallet), text(psbt), allow_high_fee, secret.pointer,
                                     secret.size)

    def combine_psbts(self, psbts: Sequence[str]) -> str:
        """All signatures that the PSBTs of one transaction have."""
        return self._handle.text("spv_psbt_combine", texts(psbts), len(psbts))

    def finalize_psbt(self, psbt: str) -> str:
        """Makes scripts and witnesses from the signatures; fails if some are missing."""
        return self._handle.text("spv_psbt_finalize", text(psbt))

    def extract_transaction(self, psbt: str) -> str:
        """The transaction of a complete PSBT, in hex."""
        return self._handle.text("spv_psbt_extract", text(psbt))

    def broadcast(self, transaction: str) -> str:
        """Sends a finished transaction, in hex or as a complete PSBT, and returns its txid; a sync runs."""
        return self._handle.text("spv_broadcast", text(transaction))

    def request_fees(self) -> None:
        """Asks the peers for their fees; a live event of the type FEES is the answer."""
        self._handle.call("spv_request_fees")

    # --- inside ---

    @staticmethod
    def _check(code: int) -> None:
        if code != 0:
            raise error_of(code, library.spv_error_name(code).decode())

    def _waited(self, timeout: Optional[float], look: Callable[[int], T]) -> T:
        """In pieces, between which Python sees Ctrl-C."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = longest_wait()
            if end is not None:
                left = max(0, min(left, int((end - time.monotonic()) * 1000)))
            try:
                return look(left)
            except EventTimeoutError:
                if end is not None and time.monotonic() >= end:
                    raise

    def _next_event(self, wait_ms: int) -> Event:
        out = _abi.spv_event()
        # Before close() can free the strings of the event.
        return self._handle.call_then(lambda: _values.event_of(out), "spv_next_event", wait_ms, ctypes.byref(out))

    def _pump_of(self, loop: asyncio.AbstractEventLoop) -> Pump:
        if self._pump is not None and self._pump.loop.is_closed():
            self._pump.abandon()
        if self._pump is None:
            self._pump = Pump(self, loop)
        elif self._pump.loop is not loop:
            raise StateError("live events are read by another event loop", ErrorCode.STATE)
        return self._pump

    def _pump_ended(self, pump: Pump) -> None:
        if self._pump is pump:
            self._pump = None

    def _log(self, after: int, limit: int, wait_ms: int, wallet: Optional[str],
             transactions_only: bool = False) -> List[LoggedEvent]:
        def event_at(items: Any, index: int) -> LoggedEvent:
            out = _abi.spv_logged_event()
            self._check(library.spv_logged_event_at(items, index, ctypes.byref(out)))
            return _values.logged_event_of(out, tuple(output_at(items, index, each) for each in range(out.output_count)))

        def output_at(items: Any, index: int, output: int) -> PaidOutput:
            paid = _abi.spv_paid_output()
            self._check(library.spv_logged_output_at(items, index, output, ctypes.byref(paid)))
            return _values.value_of(PaidOutput, paid)

        return self._list(event_at, "spv_get_events" if transactions_only else "spv_get_all_events",
                          _values.number(after), _values.number(limit, 0), wait_ms, text(wallet))

    def _list(self, item_at: Callable[[Any, int], T], name: str, *arguments: Any) -> List[T]:
        items = ctypes.c_void_p()
        self._handle.call(name, *arguments, ctypes.byref(items))
        try:
            return [item_at(items, index) for index in range(library.spv_list_size(items))]
        finally:
            library.spv_list_free(items)

    def _items(self, kind: Type[T], struct: Any, at: str, name: str, *arguments: Any) -> List[T]:
        def item_at(items: Any, index: int) -> T:
            out = struct()
            self._check(getattr(library, at)(items, index, ctypes.byref(out)))
            return _values.value_of(kind, out)
        return self._list(item_at, name, *arguments)

    @staticmethod
    def _payment_options(recipients: Recipients, coins: Sequence[str], options: Any) -> Any:
        allowed = {"fee_rate", "change", "subtract_fee", "spend_unconfirmed", "allow_high_fee", "allow_low_fee",
                   "psbt_version"}
        if not set(options) <= allowed:
            raise TypeError(f"no such option: {', '.join(sorted(set(options) - allowed))}")
        return _values.payment_options(recipients, coins, options)

    def _signed(self, name: str, passphrase: SecretText, signer: Optional[Signer], *arguments: Any) -> Payment:
        if signer is not None:
            with signer._pointer() as pointer:
                return self._payment(name + "_with", *arguments, pointer)
        with Secret(passphrase) as secret:
            return self._payment(name, *arguments, secret.pointer, secret.size)

    def _payment(self, name: str, *arguments: Any) -> Payment:
        payment = ctypes.c_void_p()
        self._handle.call(name, *arguments, ctypes.byref(payment))
        try:
            info = _abi.spv_payment_info()
            self._check(library.spv_payment_get(payment, ctypes.byref(info)))
            return _values.value_of(
                Payment, info,
                inputs=self._parts(PaymentInput, _abi.spv_payment_input, library.spv_payment_input_at, payment,
                                   info.input_count),
                outputs=self._parts(PaymentOutput, _abi.spv_payment_output, library.spv_payment_output_at, payment,
                                    info.output_count))
        finally:
            library.spv_payment_free(payment)

    def _parts(self, kind: Type[T], struct: Any, at: Any, payment: Any, count: int) -> Tuple[T, ...]:
        out = []
        for index in range(count):
            part = struct()
            self._check(at(payment, index, ctypes.byref(part)))
            out.append(_values.value_of(kind, part))
        return tuple(out)
