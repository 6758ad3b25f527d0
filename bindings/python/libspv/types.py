"""Values: what the library takes and returns. Amounts are in satoshis."""
import enum
from dataclasses import dataclass, field
from typing import Optional, Tuple


class ErrorCode(enum.IntEnum):
    OK = 0
    INVALID_ARGUMENT = -1
    NOT_FOUND = -2
    EXISTS = -3
    LOCKED = -4
    DAMAGED = -5
    STORAGE = -6
    WRONG_NETWORK = -7
    NETWORK = -8
    STATE = -9
    SECRET = -10
    UNSUPPORTED = -11
    INVALID_PROOF = -12
    BUDGET = -13
    INTERNAL = -14
    TIMEOUT = -15
    CLOCK = -16
    REFUSED = -17
    INVALID_PSBT = -18


class Network(enum.IntEnum):
    TESTNET = 1
    TESTNET4 = 2
    SIGNET = 3
    REGTEST = 4
    MAIN = 5


class Transport(enum.IntEnum):
    """Encrypted if the peer supports it, always unencrypted, or always encrypted."""

    AUTO = 0
    V1 = 1
    V2 = 2


class CrossCheck(enum.IntEnum):
    """Which blocks are also requested from a second peer."""

    SAMPLE = 0
    OFF = 1
    FULL = 2


class Source(enum.IntEnum):
    """What is requested from peers: filtered blocks, full blocks, whichever is faster, or compact block filters."""

    FILTER = 0
    BLOCKS = 1
    AUTO = 2
    COMPACT = 3


class TxState(enum.IntEnum):
    CONFIRMED = 0
    UNCONFIRMED = 1
    CONFLICTED = 2


class EventType(enum.IntEnum):
    PROGRESS = 1
    TIP = 2
    TRANSACTION = 3
    REORG = 4
    CONFLICT = 5
    PEER = 6
    WARNING = 7
    SYNCED = 8
    STOPPED = 9
    BROADCAST = 10
    FEES = 11
    WALLET = 12


class WalletEventState(enum.IntEnum):
    ADDED = 0
    SYNCED = 1
    REMOVED = 2


class TxEventState(enum.IntEnum):
    UNCONFIRMED = 0
    CONFIRMED = 1
    CONFLICTED = 2
    FORGOTTEN = 3
    LOCKED = 4
    ABANDONED = 5


class BroadcastState(enum.IntEnum):
    """The later, the stronger the evidence."""

    UNCERTAIN = 0
    ANNOUNCED = 1
    FETCHED = 2
    ACCEPTED = 3
    CONFIRMED = 4


AMOUNT_ALL = -1
"""The amount of a recipient that takes all that is left."""


@dataclass(frozen=True)
class Balance:
    confirmed: int
    unconfirmed: int
    immature: int
    total: int


@dataclass(frozen=True)
class Coin:
    txid: str
    vout: int
    amount: int
    address: Optional[str]
    path: str
    height: Optional[int]
    confirmations: int
    spendable: bool


@dataclass(frozen=True)
class Tx:
    txid: str
    net: int
    fee: Optional[int]
    time: int
    height: Optional[int]
    block: Optional[str]
    confirmations: int
    state: TxState
    replaced_by: Optional[str]


@dataclass(frozen=True)
class Address:
    address: str
    path: str
    received: int
    used: bool


@dataclass(frozen=True)
class PaidOutput:
    """An output that pays the wallet."""

    address: Optional[str]
    amount: int
    vout: int
    chain: int
    index: int


@dataclass(frozen=True)
class LoggedEvent:
    """An event of the log. `type` says which fields are set, as in spv.h."""

    seq: int
    time: int
    type: EventType
    wallet: Optional[str]
    txid: Optional[str]
    block: Optional[str]
    replaced_by: Optional[str]
    net: int
    height: Optional[int]
    state: enum.IntEnum
    other: Optional[str]
    outputs: Tuple[PaidOutput, ...] = ()


@dataclass(frozen=True)
class Event:
    """A live event, which is not stored. `type` says which fields are set, as in spv.h."""

    type: EventType
    code: int
    wallet: Optional[str]
    txid: Optional[str]
    hash: Optional[str]
    other: Optional[str]
    message: Optional[str]
    net: int
    height: Optional[int]
    scanned: int
    peers: int
    bytes_in: int
    bytes_out: int
    state: enum.IntEnum
    is_final: bool
    fee_floor: int
    fee_estimate: int


@dataclass(frozen=True)
class PaymentInput:
    txid: str
    vout: int
    amount: int


@dataclass(frozen=True)
class PaymentOutput:
    address: Optional[str]
    amount: int
    change: bool


@dataclass(frozen=True)
class Payment:
    """A payment: created and not signed (`psbt`), or sent."""

    txid: str
    hex: str
    psbt: Optional[str]
    fee: int
    vsize: int
    inputs: Tuple[PaymentInput, ...] = ()
    outputs: Tuple[PaymentOutput, ...] = ()


@dataclass(frozen=True)
class ProofFacts:
    height: int
    confirmations: int


@dataclass(frozen=True)
class SignerKey:
    """The key that a signature is wanted of. Fingerprint and path are None if they are not known."""

    public_key: bytes
    fingerprint: Optional[bytes] = None
    path: Optional[Tuple[int, ...]] = field(default=None)
