"""C structs to Python values and back."""
import ctypes
import enum
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type, TypeVar, Union, get_type_hints

from . import _abi
from .errors import InvalidArgumentError
from .types import (BroadcastState, ErrorCode, Event, EventType, LoggedEvent, PaidOutput, SignerKey,
                    TxEventState, WalletEventState)

T = TypeVar("T")
E = TypeVar("E", bound=enum.IntEnum)
SecretText = Union[str, bytes, bytearray, None]


def text(value: Optional[str]) -> Optional[bytes]:
    """UTF-8. A zero would cut it short: what the library checks must be what was given."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidArgumentError(f"expected a text, got {type(value).__name__}", ErrorCode.INVALID_ARGUMENT)
    if "\0" in value:
        raise InvalidArgumentError("a text contains a zero character", ErrorCode.INVALID_ARGUMENT)
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        raise InvalidArgumentError(f"a text is not valid Unicode: {error}", ErrorCode.INVALID_ARGUMENT) from None


def texts(values: Sequence[str]) -> Any:
    if isinstance(values, str):
        raise InvalidArgumentError("expected a list of texts, got one text", ErrorCode.INVALID_ARGUMENT)
    return (ctypes.c_char_p * len(values))(*(text(each) for each in values))


class Secret:
    """A copy of a secret in memory of our own, which is wiped at the end of the `with` block."""

    def __init__(self, given: SecretText) -> None:
        raw = given.encode() if isinstance(given, str) else given or b""
        self.size = len(raw)
        self._memory = (ctypes.c_char * self.size).from_buffer_copy(raw) if self.size else None

    @property
    def pointer(self) -> Any:
        return None if self._memory is None else ctypes.cast(self._memory, ctypes.c_char_p)

    def __enter__(self) -> "Secret":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._memory is not None:
            ctypes.memset(self._memory, 0, self.size)


def enum_of(kind: Type[E], value: int) -> Any:
    """A value that a newer library added stays a number."""
    try:
        return kind(value)
    except ValueError:
        return value


def _converted(kind: Any, value: Any) -> Any:
    if isinstance(value, bytes):
        decoded = value.decode("utf-8", "replace")
        return decoded if kind is str else decoded or None
    if kind is Optional[int]:
        return None if value == -1 else value
    if kind is bool:
        return value != 0
    if isinstance(kind, type) and issubclass(kind, enum.IntEnum) and kind is not enum.IntEnum:
        return enum_of(kind, value)
    return value


_HINTS: Dict[type, Dict[str, Any]] = {}


def value_of(kind: Type[T], struct: Any, **more: Any) -> T:
    """The dataclass with the fields of the same names. Of optional ones, an empty text and -1 are None."""
    hints = _HINTS.setdefault(kind, get_type_hints(kind))
    return kind(**{name: _converted(hint, getattr(struct, name)) for name, hint in hints.items() if name not in more},
                **more)


def event_of(struct: Any) -> Event:
    state = BroadcastState if struct.type == EventType.BROADCAST else TxEventState
    return value_of(Event, struct, state=enum_of(state, struct.state))


def logged_event_of(struct: Any, outputs: Tuple[PaidOutput, ...]) -> LoggedEvent:
    state = WalletEventState if struct.type == EventType.WALLET else TxEventState
    return value_of(LoggedEvent, struct, state=enum_of(state, struct.state), outputs=outputs)


def signer_key_of(struct: Any) -> SignerKey:
    known = struct.has_origin != 0
    return SignerKey(bytes(struct.public_key[:struct.public_key_size]),
                     bytes(struct.fingerprint) if known else None,
                     tuple(struct.path[:struct.path_size]) if known else None)


def payment_options(recipients: Sequence[Tuple[str, int]], coins: Sequence[str],
                    options: Dict[str, Any]) -> Any:
    paid: List[Any] = [_abi.spv_recipient(address=text(address), amount=number(amount))
                       for address, amount in recipients]
    out = _abi.spv_payment_options(recipient_count=len(paid), coin_count=len(coins))
    if paid:
        out.recipients = (_abi.spv_recipient * len(paid))(*paid)
    if coins:
        out.coins = texts(coins)
    return set_fields(out, options)


def number(value: int, low: int = -2**63, high: int = 2**63 - 1) -> int:
    """ctypes cuts off what does not fit: an amount must not become another one."""
    if not isinstance(value, int) or not low <= value <= high:
        raise InvalidArgumentError(f"{value!r} is not a whole number from {low} to {high}", ErrorCode.INVALID_ARGUMENT)
    return int(value)


def set_fields(struct: Any, values: Dict[str, Any]) -> Any:
    kinds = dict(struct._fields_)
    for name, value in values.items():
        if kinds[name] is ctypes.c_char_p:
            value = text(value)
        elif kinds[name] is not ctypes.c_double:
            signed = kinds[name](-1).value < 0
            bits = 8 * ctypes.sizeof(kinds[name])
            value = number(value, *((-2**(bits - 1), 2**(bits - 1) - 1) if signed else (0, 2**bits - 1)))
        setattr(struct, name, value)
    return struct
