#!/usr/bin/env python3
"""Creates a wallet, syncs it with a real node and shows it, each command under valgrind's memcheck.

usage: valgrind_scenario.py SPV BITCOIND

Exit code 0 if no command had an error or leaked memory; the last line has the counts. SPV must be built without
sanitizers. tools/valgrind.supp lists findings in third-party libraries.
"""
import pathlib
import sys
import tempfile

from regtest import MNEMONIC, Node, Spv

PAID = 150_000_000


def run(program, bitcoind):
    suppressions = pathlib.Path(__file__).with_name("valgrind.supp")
    valgrind = ["valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite",
                "--show-leak-kinds=definite", f"--suppressions={suppressions}"]
    with tempfile.TemporaryDirectory(prefix="spv-valgrind-") as folder, Node(bitcoind, folder + "/node") as node:
        spv = Spv(program, folder + "/data", before=valgrind)
        commands = 0

        def call(*words, text=None):
            nonlocal commands
            commands += 1
            return spv.json(*words, text=text)

        call("create", "-w", "fresh")
        call("restore", "--mnemonic-file", "-", text=MNEMONIC + "\n")
        node.make_miner()
        for amount in ("1.0", "0.5"):
            node.rpc("sendtoaddress", call("address", "--new")["address"], amount, wallet="miner")
        node.mine(3, "miner")
        call("sync", "--connect", node.address, "--mempool-wait", "0", "--timeout", "300")
        node.rpc("invalidateblock", node.rpc("getbestblockhash"))
        node.mine(2, "miner")
        call("sync", "--connect", node.address, "--mempool-wait", "0", "--timeout", "300", "--source", "blocks")
        found = call("balance")["confirmed_sat"]
        call("utxos")
        history = call("history")["transactions"]
        call("tx", history[0]["txid"])
        call("status")
        call("headers")
        print(f"valgrind: {commands} commands, no errors, balance {found} sat")
        return 0 if found == PAID else 1


if __name__ == "__main__":
    sys.exit(run(*sys.argv[1:3]))
