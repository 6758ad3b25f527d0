"""A signer of a watch-only wallet with coins: it is asked for the right keys, and what it returns is checked.

usage: signer.py DATADIR      after the scenario; its wallet is called shop
"""
import sys

from libspv import AMOUNT_ALL, Client, Network, Signer, SpvError

asked = []


def wrong(key, digest):
    asked.append((len(key.public_key), len(key.fingerprint), len(key.path), len(digest)))
    return bytes.fromhex("3006020101020101")  # DER, and of nobody


def refuse(_key, _digest):
    raise KeyError("no such key")


with Client(sys.argv[1], Network.REGTEST) as client:
    client.open_wallet("shop")
    payment = client.create_payment("shop", [(client.address("shop"), AMOUNT_ALL)], fee_rate=1000)
    assert payment.psbt and payment.inputs
    for signer, error in ((Signer(wrong), SpvError), (Signer(refuse), KeyError)):
        try:
            client.sign_psbt("shop", payment.psbt, signer=signer)
        except error:
            continue
        sys.exit(f"no {error.__name__}")
    assert asked[0] == (33, 4, 5, 32), asked
