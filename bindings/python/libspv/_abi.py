"""The C ABI of libspv as spv.h declares it: structs, functions, and finding the library. A test compares it with spv.h."""
import ctypes
import os
import pathlib
from ctypes import (POINTER, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint8, c_uint32, c_uint64,
                    c_void_p)
from typing import Any, Dict, List, Tuple

Fields = List[Tuple[str, Any]]


class Struct(ctypes.Structure):
    """Starts with its own size, by which the library knows which fields the caller has."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(**fields)
        if self._fields_[0][0] == "struct_size":
            self.struct_size = ctypes.sizeof(self)


class spv_options(Struct):
    _fields_: Fields = [
        ("struct_size", c_size_t), ("data_dir", c_char_p), ("network", c_int32), ("peers", POINTER(c_char_p)),
        ("peer_count", c_size_t), ("proxy", c_char_p), ("fp_rate", c_double), ("mempool_wait_ms", c_int32),
        ("once", c_int32), ("whole_blocks", c_int32), ("byte_budget", c_uint64), ("transport", c_int32),
        ("cross_check", c_int32), ("source", c_int32), ("plain_on_loopback", c_int32), ("max_download", c_uint64),
        ("timeout_ms", c_int64), ("skip_clock_check", c_int32), ("reserved", c_uint32), ("database", c_char_p),
        ("follow_all", c_int32), ("only_bloom_filters", c_int32)]


class spv_wallet_options(Struct):
    _fields_: Fields = [
        ("struct_size", c_size_t), ("script", c_char_p), ("account", c_uint32), ("gap_limit", c_uint32),
        ("has_birthday", c_int32), ("birthday", c_int64), ("passphrase", c_char_p), ("passphrase_size", c_size_t),
        ("bip39_passphrase", c_char_p), ("bip39_passphrase_size", c_size_t), ("words", c_uint32),
        ("reserved", c_uint32)]


class spv_balance(Struct):
    _fields_: Fields = [("struct_size", c_size_t), ("confirmed", c_int64), ("unconfirmed", c_int64),
                        ("immature", c_int64), ("total", c_int64)]


class spv_coin(Struct):
    _fields_: Fields = [
        ("struct_size", c_size_t), ("txid", c_char_p), ("address", c_char_p), ("path", c_char_p), ("amount", c_int64),
        ("height", c_int32), ("vout", c_uint32), ("confirmations", c_uint32), ("spendable", c_int32)]


class spv_tx(Struct):
    _fields_: Fields = [
        ("struct_size", c_size_t), ("txid", c_char_p), ("block", c_char_p), ("time", c_int64), ("net", c_int64),
        ("fee", c_int64), ("height", c_int32), ("confirmations", c_uint32), ("state", c_int32),
        ("reserved", c_uint32), ("replaced_by", c_char_p)]


class spv_address(Struct):
    _fields_: Fields = [("struct_size", c_size_t), ("address", c_char_p), ("path", c_char_p), ("received", c_int64),
                        ("used", c_int32), ("reserved", c_uint32)]


class spv_logged_event(Struct):
    _fields_: Fields = [
        ("struct_size", c_size_t), ("seq", c_int64), ("time", c_int64), ("wallet", c_char_p), ("txid", c_char_p),
        ("block", c_char_p), ("replaced_by", c_char_p), ("net", c_int64), ("height", c_int32), ("state", c_int32),
        ("output_count", c_size_t), ("type", c_int32), ("reserved", c_int32), ("other", c_char_p)]


class spv_paid_output(Struct):
    _fields_: Fields = [("struct_size", c_size_t), ("address", c_char_p), ("amount", c_int64), ("vout", c_uint32),
                        ("chain", c_uint32), ("index", c_uint32), ("reserved", c_uint32)]


class spv_event(Struct):
    _fields_: Fields = [
        ("struct_size", c_size_t), ("type", c_int32), ("code", c_int32), ("wallet", c_char_p), ("txid", c_char_p),
        ("hash", c_char_p), ("other", c_char_p), ("message", c_char_p), ("net", c_int64), ("height", c_int32),
        ("scanned", c_int32), ("peers", c_uint32), ("bytes_in", c_uint64), ("bytes_out", c_uint64),
        ("state", c_int32), ("is_final", c_int32), ("fee_floor", c_int64), ("fee_estimate", c_int64)]


class spv_recipient(Struct):
    _fields_: Fields = [("address", c_char_p), ("amount", c_int64)]


class spv_payment_options(Struct):
    _fields_: Fields = [
        ("struct_size", c_size_t), ("recipients", POINTER(spv_recipient)), ("recipient_count", c_size_t),
        ("fee_rate", c_int64), ("coins", POINTER(c_char_p)), ("coin_count", c_size_t), ("change", c_char_p),
        ("subtract_fee", c_int32), ("spend_unconfirmed", c_int32), ("allow_high_fee", c_int32),
        ("allow_low_fee", c_int32), ("psbt_version", c_uint32), ("reserved", c_uint32)]


class spv_payment_info(Struct):
    _fields_: Fields = [
        ("struct_size", c_size_t), ("txid", c_char_p), ("hex", c_char_p), ("psbt", c_char_p), ("fee", c_int64),
        ("vsize", c_int64), ("input_count", c_size_t), ("output_count", c_size_t)]


class spv_payment_output(Struct):
    _fields_: Fields = [("struct_size", c_size_t), ("address", c_char_p), ("amount", c_int64), ("change", c_int32),
                        ("reserved", c_uint32)]


class spv_payment_input(Struct):
    _fields_: Fields = [("struct_size", c_size_t), ("txid", c_char_p), ("amount", c_int64), ("vout", c_uint32),
                        ("reserved", c_uint32)]


class spv_signer_key(Struct):
    _fields_: Fields = [
        ("struct_size", c_size_t), ("public_key", POINTER(c_uint8)), ("public_key_size", c_size_t),
        ("path", POINTER(c_uint32)), ("path_size", c_size_t), ("fingerprint", c_uint8 * 4), ("has_origin", c_int32)]


spv_sign_function = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(spv_signer_key), POINTER(c_uint8), POINTER(c_uint8),
                                     POINTER(c_size_t))
NO_SIGN_FUNCTION: Any = ctypes.cast(0, spv_sign_function)


class spv_signer(Struct):
    _fields_: Fields = [("struct_size", c_size_t), ("context", c_void_p), ("ecdsa", spv_sign_function),
                        ("schnorr", spv_sign_function)]


STRUCTS: Dict[str, Any] = {each.__name__: each for each in (
    spv_options, spv_wallet_options, spv_balance, spv_coin, spv_tx, spv_address, spv_logged_event, spv_paid_output,
    spv_event, spv_recipient, spv_payment_options, spv_payment_info, spv_payment_output, spv_payment_input,
    spv_signer_key, spv_signer)}

_CLIENT = _LIST = _PAYMENT = c_void_p
_TEXT = c_char_p
_OUT = POINTER(c_void_p)  # a handle, or a text that spv_free frees
_SECRET = (c_char_p, c_size_t)

FUNCTIONS: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {
    "spv_version": (_TEXT, ()),
    "spv_error_name": (_TEXT, (c_int,)),
    "spv_last_error": (_TEXT, (_CLIENT,)),
    "spv_free": (None, (c_void_p,)),
    "spv_open": (c_int, (POINTER(spv_options), _OUT)),
    "spv_close": (None, (_CLIENT,)),
    "spv_wallet_create": (c_int, (_CLIENT, _TEXT, POINTER(spv_wallet_options), _OUT)),
    "spv_wallet_restore": (c_int, (_CLIENT, _TEXT, *_SECRET, POINTER(spv_wallet_options))),
    "spv_wallet_watch": (c_int, (_CLIENT, _TEXT, POINTER(_TEXT), c_size_t, POINTER(spv_wallet_options))),
    "spv_wallet_open": (c_int, (_CLIENT, _TEXT)),
    "spv_wallets_open": (c_int, (_CLIENT, POINTER(_TEXT), c_size_t)),
    "spv_wallet_close": (c_int, (_CLIENT, _TEXT)),
    "spv_start": (c_int, (_CLIENT,)),
    "spv_stop": (c_int, (_CLIENT,)),
    "spv_pause": (c_int, (_CLIENT,)),
    "spv_resume": (c_int, (_CLIENT,)),
    "spv_network_changed": (c_int, (_CLIENT,)),
    "spv_set_byte_budget": (c_int, (_CLIENT, c_uint64)),
    "spv_next_event": (c_int, (_CLIENT, c_int, POINTER(spv_event))),
    "spv_interrupt": (c_int, (_CLIENT,)),
    "spv_event_fd": (c_int, (_CLIENT,)),
    "spv_set_wake": (c_int, (_CLIENT, c_void_p, c_void_p)),
    "spv_get_wallets": (c_int, (_CLIENT, _OUT)),
    "spv_get_balance": (c_int, (_CLIENT, _TEXT, POINTER(spv_balance))),
    "spv_get_address": (c_int, (_CLIENT, _TEXT, c_int, c_int, _OUT)),
    "spv_get_scanned": (c_int, (_CLIENT, _TEXT, POINTER(c_int32))),
    "spv_get_coins": (c_int, (_CLIENT, _TEXT, _OUT)),
    "spv_get_history": (c_int, (_CLIENT, _TEXT, _OUT)),
    "spv_get_transaction": (c_int, (_CLIENT, _TEXT, _TEXT, _OUT)),
    "spv_get_addresses": (c_int, (_CLIENT, _TEXT, _OUT)),
    "spv_get_proof": (c_int, (_CLIENT, _TEXT, _TEXT, _OUT)),
    "spv_verify_proof": (c_int, (_CLIENT, _TEXT, c_size_t, POINTER(c_int32), POINTER(c_int32))),
    "spv_list_size": (c_size_t, (_LIST,)),
    "spv_coin_at": (c_int, (_LIST, c_size_t, POINTER(spv_coin))),
    "spv_tx_at": (c_int, (_LIST, c_size_t, POINTER(spv_tx))),
    "spv_address_at": (c_int, (_LIST, c_size_t, POINTER(spv_address))),
    "spv_name_at": (c_int, (_LIST, c_size_t, POINTER(_TEXT))),
    "spv_list_free": (None, (_LIST,)),
    "spv_get_events": (c_int, (_CLIENT, c_int64, c_size_t, c_int, _TEXT, _OUT)),
    "spv_get_all_events": (c_int, (_CLIENT, c_int64, c_size_t, c_int, _TEXT, _OUT)),
    "spv_logged_event_at": (c_int, (_LIST, c_size_t, POINTER(spv_logged_event))),
    "spv_logged_output_at": (c_int, (_LIST, c_size_t, c_size_t, POINTER(spv_paid_output))),
    "spv_consumer_position": (c_int, (_CLIENT, _TEXT, POINTER(c_int64))),
    "spv_consumer_acknowledge": (c_int, (_CLIENT, _TEXT, c_int64)),
    "spv_payment_create": (c_int, (_CLIENT, _TEXT, POINTER(spv_payment_options), _OUT)),
    "spv_payment_create_bump": (c_int, (_CLIENT, _TEXT, _TEXT, c_int64, c_uint32, _OUT)),
    "spv_payment_send": (c_int, (_CLIENT, _TEXT, POINTER(spv_payment_options), *_SECRET, _OUT)),
    "spv_payment_send_with": (c_int, (_CLIENT, _TEXT, POINTER(spv_payment_options), POINTER(spv_signer), _OUT)),
    "spv_payment_bump": (c_int, (_CLIENT, _TEXT, _TEXT, c_int64, *_SECRET, _OUT)),
    "spv_payment_bump_with": (c_int, (_CLIENT, _TEXT, _TEXT, c_int64, POINTER(spv_signer), _OUT)),
    "spv_payment_cancel": (c_int, (_CLIENT, _TEXT, _TEXT, c_int64, *_SECRET, _OUT)),
    "spv_payment_abandon": (c_int, (_CLIENT, _TEXT, _TEXT)),
    "spv_payment_get": (c_int, (_PAYMENT, POINTER(spv_payment_info))),
    "spv_payment_input_at": (c_int, (_PAYMENT, c_size_t, POINTER(spv_payment_input))),
    "spv_payment_output_at": (c_int, (_PAYMENT, c_size_t, POINTER(spv_payment_output))),
    "spv_payment_free": (None, (_PAYMENT,)),
    "spv_psbt_sign": (c_int, (_CLIENT, _TEXT, _TEXT, c_int, *_SECRET, _OUT)),
    "spv_psbt_sign_with": (c_int, (_CLIENT, _TEXT, _TEXT, c_int, POINTER(spv_signer), _OUT)),
    "spv_psbt_combine": (c_int, (_CLIENT, POINTER(_TEXT), c_size_t, _OUT)),
    "spv_psbt_finalize": (c_int, (_CLIENT, _TEXT, _OUT)),
    "spv_psbt_extract": (c_int, (_CLIENT, _TEXT, _OUT)),
    "spv_broadcast": (c_int, (_CLIENT, _TEXT, _OUT)),
    "spv_request_fees": (c_int, (_CLIENT,)),
}

NAME = "libspv.so.0"


def load() -> ctypes.CDLL:
    """$SPV_LIBRARY, else the library in this package, else the system's."""
    inside = pathlib.Path(__file__).with_name(NAME)
    path = os.environ.get("SPV_LIBRARY") or (str(inside) if inside.exists() else NAME)
    try:
        library = ctypes.CDLL(path)
        for name, (result, parameters) in FUNCTIONS.items():
            function = getattr(library, name)
            function.restype = result
            function.argtypes = parameters
    except (OSError, AttributeError) as error:
        raise ImportError(
            f"cannot load {path}: {error}. On Debian 12 it needs: apt-get install libsecp256k1-1 libssl3 "
            "libsqlite3-0 libutf8proc2 libpq5") from error
    return library
