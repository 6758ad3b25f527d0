"""One exception for each error code of the library."""
from typing import Dict, Type

from .types import ErrorCode


class SpvError(Exception):
    """An error of the library. Its text says what is wrong and what to do."""

    code: int = ErrorCode.INTERNAL

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


class InvalidArgumentError(SpvError, ValueError):
    """An argument is invalid."""


class NotFoundError(SpvError, LookupError):
    """No such wallet, transaction or address."""


class ExistsError(SpvError):
    """A wallet with that name exists."""


class LockedError(SpvError):
    """Another process is writing to this wallet."""


class DamagedError(SpvError):
    """A file is damaged, or was written by a newer version."""


class StorageError(SpvError):
    """The disk is full, read-only, or failed."""


class WrongNetworkError(SpvError):
    """For another network."""


class NetworkError(SpvError):
    """No usable peer."""


class StateError(SpvError):
    """Already started, not started, or not allowed now."""


class ClosedError(StateError):
    """The client is closed, or being closed."""

    def __init__(self) -> None:
        super().__init__("the client is closed", ErrorCode.STATE)


class SecretError(SpvError):
    """Wrong passphrase or invalid mnemonic."""


class UnsupportedError(SpvError):
    """Not part of this build."""


class InvalidProofError(SpvError):
    """Invalid proof."""


class BudgetError(SpvError):
    """The byte budget is used up."""


class InternalError(SpvError):
    """A bug in the library."""


class EventTimeoutError(SpvError, TimeoutError):
    """No event arrived in time, or the sync timed out."""


class ClockError(SpvError):
    """This machine's clock is behind the chain."""


class RefusedError(SpvError):
    """The payment is not made: funds, fee, dust, a coin that is not free."""


class InvalidPsbtError(SpvError):
    """Invalid PSBT or transaction, or signatures are missing."""


ERRORS: Dict[int, Type[SpvError]] = {
    ErrorCode.INVALID_ARGUMENT: InvalidArgumentError, ErrorCode.NOT_FOUND: NotFoundError,
    ErrorCode.EXISTS: ExistsError, ErrorCode.LOCKED: LockedError, ErrorCode.DAMAGED: DamagedError,
    ErrorCode.STORAGE: StorageError, ErrorCode.WRONG_NETWORK: WrongNetworkError, ErrorCode.NETWORK: NetworkError,
    ErrorCode.STATE: StateError, ErrorCode.SECRET: SecretError, ErrorCode.UNSUPPORTED: UnsupportedError,
    ErrorCode.INVALID_PROOF: InvalidProofError, ErrorCode.BUDGET: BudgetError, ErrorCode.INTERNAL: InternalError,
    ErrorCode.TIMEOUT: EventTimeoutError, ErrorCode.CLOCK: ClockError, ErrorCode.REFUSED: RefusedError,
    ErrorCode.INVALID_PSBT: InvalidPsbtError,
}


def error_of(code: int, message: str) -> SpvError:
    """The exception for a code; a code of a newer library is an SpvError."""
    return ERRORS.get(code, SpvError)(message, code)
