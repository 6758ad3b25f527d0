"""Checked by mypy, not run: what the users of the package see of its types."""
from typing import List, Optional

import libspv


def amounts(client: libspv.Client) -> List[int]:
    return [coin.amount for coin in client.coins("shop")]


async def first_height(client: libspv.Client) -> Optional[int]:
    async for event in client.events(after=0):
        return event.height
    return None


def sent(client: libspv.Client) -> str:
    wrong: int = client.balance("shop")  # type: ignore[assignment]
    return client.send("shop", [("bcrt1q", wrong), ("bcrt1q", libspv.AMOUNT_ALL)], passphrase=bytearray(b"x"), fee_rate=1000).txid
