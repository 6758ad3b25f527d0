#!/usr/bin/env python3
"""Waits for a payment to an address, using ctypes and libspv.so.0.

usage: watch_address.py DATADIR PEER ADDRESS      on regtest; the peer needs peerbloomfilters=1

Set LD_LIBRARY_PATH if the library is not installed.
"""
import ctypes
import sys


class Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("data_dir", ctypes.c_char_p), ("network", ctypes.c_int32),
                ("peers", ctypes.POINTER(ctypes.c_char_p)), ("peer_count", ctypes.c_size_t)]


class Event(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("type", ctypes.c_int32), ("code", ctypes.c_int32),
                ("wallet", ctypes.c_char_p), ("txid", ctypes.c_char_p), ("hash", ctypes.c_char_p),
                ("other", ctypes.c_char_p), ("message", ctypes.c_char_p), ("net", ctypes.c_int64),
                ("height", ctypes.c_int32)]


TRANSACTION, STOPPED, REGTEST, NOT_FOUND = 3, 9, 4, -2


def main():
    data_dir, peer, address = (text.encode() for text in sys.argv[1:4])
    spv = ctypes.CDLL("libspv.so.0")
    spv.spv_last_error.restype = ctypes.c_char_p
    client = ctypes.c_void_p()

    def check(error):
        if error:
            sys.exit(f"error: {spv.spv_last_error(client).decode()}")

    peers = (ctypes.c_char_p * 1)(peer)
    # The structs above are shorter than those in spv.h: struct_size says how long, and the rest has its default.
    options = Options(ctypes.sizeof(Options), data_dir, REGTEST, peers, 1)
    check(spv.spv_open(ctypes.byref(options), ctypes.byref(client)))
    opened = spv.spv_wallet_open(client, b"shop")
    if opened == NOT_FOUND:
        descriptors = (ctypes.c_char_p * 1)(b"addr(" + address + b")")
        opened = spv.spv_wallet_watch(client, b"shop", descriptors, ctypes.c_size_t(1), None)
    check(opened)
    check(spv.spv_start(client))
    event = Event(ctypes.sizeof(Event))
    while True:
        check(spv.spv_next_event(client, 60000, ctypes.byref(event)))
        if event.type == STOPPED:
            sys.exit(f"error: sync stopped: {event.message.decode()}")
        if event.type == TRANSACTION:
            print("payment", event.txid.decode(), event.net, event.height)
            break
    spv.spv_close(client)


if __name__ == "__main__":
    main()
