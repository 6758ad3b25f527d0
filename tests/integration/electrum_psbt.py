#!/usr/bin/python3
"""Reads PSBTs of spv with Electrum, a reader and signer that shares no code with it.

electrum_psbt.py MNEMONIC < PSBT prints one JSON document: what Electrum takes the PSBT to say, and the PSBT with the
signatures of the mnemonic's keys. Exits with 77 where there is no Electrum.
"""

import base64
import json
import sys

try:
    from electrum import constants
    from electrum.bip32 import BIP32Node, convert_bip32_intpath_to_strpath
    from electrum.keystore import bip39_to_seed
    from electrum.transaction import PartialTransaction
except ImportError as error:
    print(f"no Electrum: {error}", file=sys.stderr)
    sys.exit(77)


def script_type(script: bytes) -> str:
    """The name that Electrum has for the kind of output that is spent; a script hash is our segwit account."""
    if len(script) == 25:
        return "p2pkh"
    return "p2wpkh-p2sh" if len(script) == 23 else "p2wpkh"


def sign(tx: PartialTransaction, mnemonic: str) -> None:
    """Signs each input with the key at the path that the PSBT names."""
    root = BIP32Node.from_rootseed(bip39_to_seed(mnemonic, ""), xtype="standard")
    keys = {}
    for txin in tx.inputs():
        ((public, (_, path)),) = txin.bip32_paths.items()
        node = root.subkey_at_private_derivation(convert_bip32_intpath_to_strpath(path))
        assert node.eckey.get_public_key_bytes(compressed=True) == public
        txin.script_type = script_type(txin.scriptpubkey)
        txin.pubkeys = [public]
        txin.num_sig = 1
        keys[public.hex()] = (node.eckey.get_secret_bytes(), True)
    tx.sign(keys)


def main() -> None:
    constants.set_regtest()
    tx = PartialTransaction.from_raw_psbt(sys.stdin.read().strip())
    told = {
        "inputs": [{"outpoint": txin.prevout.to_str(), "amount_sat": txin.value_sats()} for txin in tx.inputs()],
        "outputs": [{"address": txout.address, "amount_sat": txout.value} for txout in tx.outputs()],
        "fee_sat": tx.get_fee(),
    }
    sign(tx, sys.argv[1])
    told["complete"] = tx.is_complete()
    told["psbt"] = base64.b64encode(tx.serialize_as_bytes(force_psbt=True)).decode()
    if told["complete"]:
        tx.finalize_psbt()
        told["txid"] = tx.txid()
        told["hex"] = tx.serialize_to_network()
    print(json.dumps(told))


if __name__ == "__main__":
    main()
