"""Tests of the package that need no node: names and values, errors, closing, secrets, asyncio, memory.

usage: test_libspv.py HEADER_JSON     what bindings/header.py prints for spv.h; SPV_LIBRARY names the library to test
"""
import asyncio
import ctypes
import dataclasses
import doctest
import gc
import inspect
import json
import re
import sys
import tempfile
import threading
import time
import unittest
import warnings

import libspv
from libspv import _abi, _handle, _values, client as client_module
from libspv import (Client, ClosedError, EventTimeoutError, EventType, InvalidArgumentError, Network, NotFoundError,
                    SpvError, StateError)

HEADER = {}
ADDRESS = "addr(bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk)"
MNEMONIC = "abandon " * 11 + "about"
# spv_set_wake calls from the library's thread; what a value is made of does not show its reserved fields.
C_TYPES = {
    "const char*": ctypes.c_char_p, "const char* const*": ctypes.POINTER(ctypes.c_char_p), "size_t": ctypes.c_size_t,
    "const char**": ctypes.POINTER(ctypes.c_char_p), "int": ctypes.c_int, "double": ctypes.c_double, "function": ctypes.c_void_p,
    "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64,
    "int32_t*": ctypes.POINTER(ctypes.c_int32), "int64_t*": ctypes.POINTER(ctypes.c_int64), "void": None,
    "void*": ctypes.c_void_p, "char*": ctypes.c_void_p, "char**": ctypes.POINTER(ctypes.c_void_p),
    "const uint8_t*": ctypes.POINTER(ctypes.c_uint8), "const uint32_t*": ctypes.POINTER(ctypes.c_uint32),
    "uint8_t[4]": ctypes.c_uint8 * 4, "spv_sign_function": _abi.spv_sign_function,
}


def ctype_of(text):
    if text in C_TYPES:
        return C_TYPES[text]
    name = re.sub(r"^const |\*", "", text)
    if name in _abi.STRUCTS:
        return ctypes.POINTER(_abi.STRUCTS[name])
    return ctypes.POINTER(ctypes.c_void_p) if text.endswith("**") else ctypes.c_void_p  # a handle


class Header(unittest.TestCase):
    """A difference to spv.h is a failure."""

    def test_enums(self):
        names = {"spv_error": ("ErrorCode", "SPV_"), "spv_network": ("Network", "SPV_NETWORK_"),
                 "spv_transport": ("Transport", "SPV_TRANSPORT_"), "spv_source": ("Source", "SPV_SOURCE_"),
                 "spv_cross_check": ("CrossCheck", "SPV_CROSS_CHECK_"), "spv_tx_state": ("TxState", "SPV_TX_"),
                 "spv_event_type": ("EventType", "SPV_EVENT_"),
                 "spv_wallet_event_state": ("WalletEventState", "SPV_WALLET_EVENT_"),
                 "spv_tx_event_state": ("TxEventState", "SPV_TX_EVENT_"),
                 "spv_broadcast_state": ("BroadcastState", "SPV_BROADCAST_")}
        self.assertEqual(set(names), set(HEADER["enums"]))
        for c_name, (name, prefix) in names.items():
            ours = {each.name: each.value for each in getattr(libspv, name)}
            theirs = {re.sub(f"^{prefix}(ERR_)?", "", key): value for key, value in HEADER["enums"][c_name].items()}
            self.assertEqual(theirs, ours)

    def test_every_error_has_an_exception(self):
        codes = set(HEADER["enums"]["spv_error"].values()) - {0}
        self.assertEqual(codes, {int(code) for code in libspv.errors.ERRORS})
        self.assertEqual(len(codes), len(set(libspv.errors.ERRORS.values())))

    def test_structs(self):
        self.assertEqual(set(HEADER["structs"]), set(_abi.STRUCTS))
        for name, fields in HEADER["structs"].items():
            self.assertEqual([(field, ctype_of(kind)) for field, kind in fields],
                             [tuple(field) for field in _abi.STRUCTS[name]._fields_], name)

    def test_functions(self):
        self.assertEqual(set(HEADER["functions"]), set(_abi.FUNCTIONS))
        for name, (result, parameters) in HEADER["functions"].items():
            ours = _abi.FUNCTIONS[name]
            self.assertEqual((ctypes.c_char_p if result == "const char*" else ctype_of(result),
                              tuple(map(ctype_of, parameters))), (ours[0], tuple(ours[1])), name)

    def test_all_of_it_can_be_reached(self):
        source = inspect.getsource(client_module) + inspect.getsource(_handle)
        # The wake callback would run Python on a thread of the library.
        for name in set(HEADER["functions"]) - {"spv_set_wake"}:
            self.assertRegex(source, rf"\b{name.removesuffix('_with')}\b")

    def test_values_have_all_fields(self):
        for name in ("balance", "coin", "tx", "address", "logged_event", "event", "paid_output", "payment_input",
                     "payment_output"):
            kind = getattr(libspv, "".join(part.title() for part in name.split("_")))
            ours = {field.name for field in dataclasses.fields(kind)} - {"outputs"}
            theirs = {field for field, _ in HEADER["structs"][f"spv_{name}"]}
            self.assertEqual(theirs - {"struct_size", "reserved", "output_count"}, ours)

    def test_every_option_can_be_given(self):
        theirs = {field for field, _ in HEADER["structs"]["spv_options"]} - {"struct_size", "reserved"}
        self.assertEqual(theirs, set(inspect.signature(Client).parameters))


class WithClient(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.client = self.opened()
        self.addCleanup(self.client.close)

    def opened(self, **options):
        # Nobody listens on port 1: a sync runs and finds no peer.
        return Client(self.folder, Network.REGTEST, peers=["127.0.0.1:1"], **options)


class Calls(WithClient):
    def test_errors_are_typed_and_say_what_to_do(self):
        with self.assertRaises(NotFoundError) as caught:
            self.client.balance("nobody")
        self.assertIn("nobody", str(caught.exception))
        self.assertEqual(libspv.ErrorCode.NOT_FOUND, caught.exception.code)
        with self.assertRaises(InvalidArgumentError):
            self.client.watch_wallet("../x", [ADDRESS])
        with self.assertRaises(libspv.ExistsError):
            for _ in range(2):
                self.client.watch_wallet("shop", [ADDRESS])
        with self.assertRaises(libspv.LockedError), self.opened() as other:
            other.open_wallet("shop")
        with self.assertRaises(libspv.InvalidProofError):
            self.client.verify_proof("nonsense")
        with self.assertRaises(libspv.InvalidPsbtError):
            self.client.finalize_psbt("nonsense")

    def test_a_client_that_cannot_be_opened(self):
        with self.assertRaises(InvalidArgumentError), warnings.catch_warnings():
            warnings.simplefilter("error")
            Client(self.folder, 0)

    def test_texts_are_utf8_and_whole(self):
        with self.assertRaises(InvalidArgumentError) as caught:
            self.client.open_wallet("Käse ₿")
        self.assertIn("Käse ₿", str(caught.exception))
        for hostile in ("shop\0", "\ud800", 5, b"shop"):
            with self.assertRaises(InvalidArgumentError):
                self.client.open_wallet(hostile)

    def test_numbers_that_do_not_fit_are_refused(self):
        for amount in (2**63, 1.5, "5", None):
            with self.assertRaises(InvalidArgumentError):
                self.client.create_payment("shop", [("bcrt1q", amount)])
        with self.assertRaises(InvalidArgumentError):
            self.opened(byte_budget=-1)
        with self.assertRaises(TypeError):
            self.client.create_payment("shop", [], fee=1)

    def test_a_wallet_with_keys(self):
        mnemonic = self.client.create_wallet("new", passphrase="correct horse", words=24)
        self.assertIsInstance(mnemonic, bytearray)
        self.assertEqual(24, len(mnemonic.split()))
        self.client.restore_wallet("old", bytearray(MNEMONIC.encode()), birthday_height=0)
        self.assertEqual("bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk", self.client.address("old"))
        self.assertEqual(["new", "old"], self.client.wallets())
        self.assertEqual(0, self.client.balance("old").total)
        self.assertIn("84'", self.client.addresses("old")[0].path.replace("h", "'"))
        self.assertEqual([], self.client.coins("old") + self.client.history("old"))
        with self.assertRaises(libspv.RefusedError):
            self.client.create_payment("old", [(self.client.address("old"), 10_000)], fee_rate=1000)

    def test_secrets_of_ours_are_wiped(self):
        for given in ("geheim", b"geheim", bytearray(b"geheim")):
            with _values.Secret(given) as secret:
                memory = secret._memory
                self.assertEqual(b"geheim", memory.raw)
            self.assertEqual(bytes(6), memory.raw)
        with _values.Secret(None) as none:
            self.assertEqual((None, 0), (none.pointer, none.size))

    def test_events_of_the_log(self):
        self.client.watch_wallet("shop", [ADDRESS])
        found = self.client.get_events(timeout=10)
        self.assertEqual([(EventType.WALLET, "shop", libspv.WalletEventState.ADDED)],
                         [(each.type, each.wallet, each.state) for each in found])
        self.assertEqual([], self.client.get_events(transactions_only=True))
        self.assertEqual([], self.client.get_events(after=found[-1].seq, timeout=0.01))
        self.client.acknowledge("billing", found[-1].seq)
        self.assertEqual(found[-1].seq, self.client.consumer_position("billing"))

    def test_no_event_in_time(self):
        with self.assertRaises(EventTimeoutError):
            self.client.next_event(timeout=0.01)
        self.assertIsInstance(EventTimeoutError("", -15), TimeoutError)


class Closing(WithClient):
    def test_it_can_be_repeated_and_ends_all_use(self):
        self.client.close()
        self.client.close()
        self.assertTrue(self.client.closed)
        for call in (self.client.wallets, self.client.start, self.client.next_event, lambda: self.client.balance("x")):
            with self.assertRaises(ClosedError):
                call()
        self.assertEqual([], list(self.client.events()))

    def test_it_wakes_whoever_waits(self):
        """Threads that would wait in the library for days."""
        told = []

        def read_live():
            try:
                while True:
                    told.append(self.client.next_event())
            except ClosedError:
                told.append("live ended")

        def read_log():
            told.append(("log ended", len(list(self.client.events()))))

        readers = [threading.Thread(target=read_live), threading.Thread(target=read_log),
                   threading.Thread(target=read_log)]
        for each in readers:
            each.start()
        while self.client._handle._calls < 3:
            time.sleep(0.001)
        closers = [threading.Thread(target=self.client.close) for _ in range(3)]
        for each in closers:
            each.start()
        for each in closers + readers:
            each.join(30)
            self.assertFalse(each.is_alive())
        ends = sorted((each for each in told if not isinstance(each, libspv.Event)), key=str)
        self.assertEqual([("log ended", 0), ("log ended", 0), "live ended"], ends)

    def test_one_reader_of_live_events(self):
        reader = threading.Thread(target=lambda: self.assertRaises(ClosedError, self._read_all))
        reader.start()
        while not self.client._reader.locked():
            time.sleep(0.001)
        with self.assertRaises(StateError):
            self.client.next_event()
        self.client.close()
        reader.join(30)

    def _read_all(self):
        while True:
            self.client.next_event()

    def test_a_forgotten_client_warns_and_stays(self):
        forgotten = self.opened()
        handle, forgotten._handle._on_close = forgotten._handle._client, []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            del forgotten
            gc.collect()
        self.assertEqual([ResourceWarning], [each.category for each in caught])
        _handle.library.spv_close(handle)  # still there

    def test_a_signer_cannot_close_it(self):
        self.client._handle._mine.depth = 1
        with self.assertRaises(StateError):
            self.client.close()
        self.client._handle._mine.depth = 0


class Asyncio(WithClient):
    def test_the_log_and_live_events(self):
        async def run():
            live, log = self.client.live_events(), self.client.events()
            with self.assertRaises(StateError):
                self.client.next_event(0)
            await asyncio.to_thread(self.client.watch_wallet, "shop", [ADDRESS])
            first = await asyncio.wait_for(log.__anext__(), 30)
            self.assertEqual((EventType.WALLET, "shop"), (first.type, first.wallet))
            self.client.start()
            async for event in live:
                if event.type == EventType.PROGRESS:
                    break
            self.client.stop()
            async for event in live:
                if event.type == EventType.STOPPED:
                    break
            self.assertEqual(0, event.code)
            waiting = [asyncio.create_task(each.__anext__()) for each in (live, log)]
            await asyncio.sleep(0)
            await self.client.aclose()
            ended = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 30)
            self.assertEqual([StopAsyncIteration] * 2, [type(each) for each in ended])
            self.assertIsNone(self.client._pump)
        asyncio.run(asyncio.wait_for(run(), 60))

    def test_a_read_that_was_cancelled_is_not_repeated(self):
        async def run():
            for name in ("one", "two", "three"):
                self.client.watch_wallet(name, [ADDRESS])
            read, inside, go_on = self.client._log, threading.Event(), threading.Event()

            def slow(*arguments):
                found = read(*arguments)
                inside.set()
                go_on.wait(30)
                return found

            self.client._log = slow
            log = self.client.events()
            reading = asyncio.create_task(log.__anext__())
            await asyncio.to_thread(inside.wait, 30)
            reading.cancel()
            inside.clear()
            again = asyncio.create_task(log.__anext__())
            await asyncio.to_thread(inside.wait, 0.2)  # where it is read a second time
            go_on.set()
            seen = [(await again).seq] + [(await log.__anext__()).seq for _ in range(2)]
            await asyncio.sleep(0.05)
            seen += [each.seq for each in log._read]
            self.assertEqual([1, 2, 3], seen)
        asyncio.run(asyncio.wait_for(run(), 60))

    def test_a_stream_that_was_left_holds_nothing(self):
        async def run():
            self.client.watch_wallet("shop", [ADDRESS])
            async for _ in self.client.events():
                break
            gc.collect()
            self.client.start()
            while self.client._pump is not None:
                await asyncio.sleep(0.01)
        asyncio.run(asyncio.wait_for(run(), 60))

    def test_another_loop_after_the_first(self):
        async def run():
            log = self.client.events()
            self.client.watch_wallet(f"shop{len(self.client.wallets())}", [ADDRESS])
            seen = [await log.__anext__()]
            self.kept = log  # and not closed
            return seen
        self.assertEqual([1, 1], [asyncio.run(run())[0].seq for _ in range(2)])

    def test_a_close_that_is_interrupted_can_be_repeated(self):
        wait = self.client._handle._wait_until_idle

        def interrupted():
            self.client._handle._wait_until_idle = wait
            raise KeyboardInterrupt
        self.client._handle._wait_until_idle = interrupted
        with self.assertRaises(KeyboardInterrupt):
            self.client.close()
        self.assertFalse(self.client.closed)
        self.client.close()
        self.assertTrue(self.client.closed)

    def test_closed_from_a_thread(self):
        async def run():
            log = self.client.events()
            waiting = asyncio.create_task(log.__anext__())
            await asyncio.sleep(0.01)
            threading.Thread(target=self.client.close).start()
            with self.assertRaises(StopAsyncIteration):
                await asyncio.wait_for(waiting, 30)
        asyncio.run(asyncio.wait_for(run(), 60))

    def test_a_sync_that_ends_by_itself_is_an_error_of_the_log(self):
        self.client.close()

        async def run():
            async with self.opened(timeout_ms=1) as client:
                client.watch_wallet("shop", [ADDRESS])
                log = client.events()
                self.assertEqual("shop", (await log.__anext__()).wallet)
                client.start()
                with self.assertRaises(EventTimeoutError):
                    await asyncio.wait_for(log.__anext__(), 30)
        asyncio.run(asyncio.wait_for(run(), 60))

    def test_the_loop_is_left_as_it_was(self):
        async def run():
            live = self.client.live_events()
            await live.aclose()
            with self.assertRaises(StopAsyncIteration):
                await live.__anext__()
        asyncio.run(asyncio.wait_for(run(), 60))
        with self.assertRaises(EventTimeoutError):
            self.client.next_event(0)


class Signing(WithClient):
    """A signer's calls, as the library makes them."""

    def call(self, signer, room=80):
        public = (ctypes.c_uint8 * 33)(*range(33))
        path = (ctypes.c_uint32 * 2)(0x80000054, 7)
        key = _abi.spv_signer_key(public_key=public, public_key_size=33, path=path, path_size=2,
                                  fingerprint=(ctypes.c_uint8 * 4)(1, 2, 3, 4), has_origin=1)
        digest, out = (ctypes.c_uint8 * 32)(*range(32)), (ctypes.c_uint8 * 80)()
        size = ctypes.c_size_t(room)
        return signer._ecdsa(None, ctypes.pointer(key), digest, out, ctypes.byref(size)), bytes(out[:size.value])

    def test_it_gets_the_key_and_the_digest(self):
        seen = []
        signer = libspv.Signer(lambda key, digest: seen.append((key, digest)) or b"signature")
        self.assertEqual((0, b"signature"), self.call(signer))
        self.assertEqual([(libspv.SignerKey(bytes(range(33)), b"\1\2\3\4", (0x80000054, 7)), bytes(range(32)))], seen)
        self.assertFalse(signer._schnorr)

    def test_one_that_is_too_long_is_refused(self):
        self.assertEqual(1, self.call(libspv.Signer(lambda key, digest: bytes(81)))[0])

    def test_its_exception_is_raised_where_the_payment_is_made(self):
        signer = libspv.Signer(lambda key, digest: 1 / 0)
        with self.assertRaises(ZeroDivisionError), signer._pointer():
            self.call(signer)
            raise SpvError("refused", -17)


class Memory(unittest.TestCase):
    def rss(self):
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * 4

    def test_a_thousand_clients(self):
        with tempfile.TemporaryDirectory() as folder:
            with Client(folder, Network.REGTEST) as client:
                client.watch_wallet("shop", [ADDRESS])
            for cycle in range(1_000):
                if cycle == 200:
                    before = self.rss()
                with Client(folder, Network.REGTEST) as client:
                    client.open_wallet("shop")
                    client.balance("shop")
                    self.assertEqual(1, len(client.get_events(limit=1)))
        grown = self.rss() - before
        print(f"1,000 clients: {grown} KiB more after the last 800")
        self.assertLess(grown, 2_048)


class Documents(unittest.TestCase):
    def test_examples_in_the_package(self):
        for module in (libspv, client_module):
            result = doctest.testmod(module)
            self.assertEqual(0, result.failed)
            self.assertGreater(result.attempted, 0)


if __name__ == "__main__":
    with open(sys.argv.pop(1), encoding="ascii") as header:
        HEADER = json.load(header)
    unittest.main(argv=sys.argv)
