"""libspv: a Bitcoin light wallet client (BIP37) for Python, over the C library of spv.

>>> from libspv import Client, Network
>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder, Client(folder, Network.REGTEST) as client:
...     client.watch_wallet("shop", ["addr(bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk)"])
...     client.balance("shop").total
0
"""
from .client import Client, Signer, version
from .errors import (BudgetError, ClockError, ClosedError, DamagedError, EventTimeoutError, ExistsError, InternalError,
                     InvalidArgumentError, InvalidProofError, InvalidPsbtError, LockedError, NetworkError,
                     NotFoundError, RefusedError, SecretError, SpvError, StateError, StorageError, UnsupportedError,
                     WrongNetworkError)
from .types import (AMOUNT_ALL, Address, Balance, BroadcastState, Coin, CrossCheck, ErrorCode, Event, EventType,
                    LoggedEvent, Network, PaidOutput, Payment, PaymentInput, PaymentOutput, ProofFacts, SignerKey,
                    Source, Transport, Tx, TxEventState, TxState, WalletEventState)

__all__ = [
    "AMOUNT_ALL", "Address", "Balance", "BroadcastState", "BudgetError", "Client", "ClockError", "ClosedError", "Coin",
    "CrossCheck", "DamagedError", "ErrorCode", "Event", "EventTimeoutError", "EventType", "ExistsError",
    "InternalError", "InvalidArgumentError", "InvalidProofError", "InvalidPsbtError", "LockedError", "LoggedEvent",
    "Network", "NetworkError", "NotFoundError", "PaidOutput", "Payment", "PaymentInput", "PaymentOutput", "ProofFacts",
    "RefusedError", "SecretError", "Signer", "SignerKey", "Source", "SpvError", "StateError", "StorageError",
    "Transport", "Tx", "TxEventState", "TxState", "UnsupportedError", "WalletEventState", "WrongNetworkError",
    "version"]
