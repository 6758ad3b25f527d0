"""The real Electrum against `spv serve --electrum`: it shows what bitcoind's wallet shows, whatever happens."""
import pathlib
import tempfile
import unittest

import bench
from bench import Case, descriptors_of, satoshis, start_node, wait_for
from electrum_client import ElectrumClient, script_hash
from electrum_program import ElectrumProgram
from electrum_test import electrum_server, place_of

place = node = None


def setUpModule():
    global place, node  # pylint: disable=global-statement
    folder = tempfile.TemporaryDirectory(prefix="spv-electrum-", ignore_cleanup_errors=True)
    place = pathlib.Path(unittest.enterModuleContext(folder))
    node = start_node(place / "node")


def of_kind(name, kind):
    """The public descriptors of one kind of a wallet of the node's: receive, then change."""
    listed = [each for each in node.rpc("listdescriptors", False, wallet=name)["descriptors"]
              if each["desc"].startswith(kind + "(")]
    return [next(each["desc"] for each in listed if each["internal"] is internal) for internal in (False, True)]


def public_key_of(descriptor):
    """The extended key of wpkh([…/84h/1h/0h]tpub…/0/*)#…"""
    return descriptor.split("]")[1].split("/")[0]


def slip132(key):
    """tpub as vpub, by which Electrum knows that scripts are wpkh."""
    from electrum_keys import with_version  # pylint: disable=import-outside-toplevel
    return with_version(key, 0x045F1CF6)


class RealElectrum(Case):
    kind = "wpkh"
    address_type = "bech32"

    def setUp(self):
        super().setUp()
        self.name = self.id().rsplit(".", 2)[-2].lower() + self.id().rsplit("_", 1)[-1]
        node.rpc("createwallet", self.name)
        # The port stays the same when the server is started again.
        self.port = bench.free_port()
        self.serve = bench.Server(self.place / "data", "--json", "--electrum", f"127.0.0.1:{self.port}", node=node)
        self.enterContext(self.serve)
        self.serve.wait_synced(node.rpc("getblockcount"))
        descriptors = of_kind(self.name, self.kind)
        self.serve.post("/v1/wallets", {"name": self.name, "descriptors": descriptors}, 201)
        self.electrum = self.enterContext(ElectrumProgram(self.place / "electrum", place_of(self.serve)))
        key = public_key_of(descriptors[0])
        self.electrum.restore(self.name, slip132(key) if self.kind == "wpkh" else key)

    def new_address(self):
        return node.rpc("getnewaddress", "", self.address_type, wallet=self.name)

    def pay(self, amount=0.5, address=None):
        return node.rpc("sendtoaddress", address or self.new_address(), amount, wallet="miner")

    def mine(self, count=1):
        return node.mine(count, "miner")

    def expected(self):
        """What bitcoind's wallet says: balance, and the history by txid."""
        mine = node.rpc("getbalances", wallet=self.name)["mine"]
        balance = satoshis(mine["trusted"]) + satoshis(mine["untrusted_pending"]) + satoshis(mine["immature"])
        history = {}
        for each in node.rpc("listtransactions", "*", 10_000, wallet=self.name):
            if each["confirmations"] < 0 or each.get("abandoned"):
                continue
            height = each["blockheight"] if each["confirmations"] > 0 else 0
            net = satoshis(node.rpc("gettransaction", each["txid"], wallet=self.name)["amount"])
            net += satoshis(node.rpc("gettransaction", each["txid"], wallet=self.name).get("fee", 0))
            history[each["txid"]] = (height, net)
        return balance, history

    def agree(self):
        """Waits until Electrum shows the same, with its proofs checked: a height means a proof that Electrum accepts."""
        seen = []

        def same():
            if not self.electrum.is_synced(self.name):
                return False
            seen[:] = [(sum(self.electrum.balance(self.name)), self.electrum.history(self.name)), self.expected()]
            return seen[0] == seen[1]
        try:
            wait_for(same, "Electrum shows what bitcoind shows")
        except AssertionError as error:
            log = self.electrum.log_text()
            raise AssertionError(f"{error}; Electrum and bitcoind: {seen}\n{log}\n{self.serve.log_text()[-2000:]}") from None

    def test_1_payments_and_proofs(self):
        self.agree()
        self.pay(0.5)
        self.pay(0.25)
        self.agree()
        self.mine()
        self.agree()
        # Change to a kind of address that is not followed would not be seen.
        node.rpc("send", {node.new_address("miner"): 0.1}, None, "unset", None, {"change_type": self.address_type},
                 wallet=self.name)
        self.agree()
        self.mine(3)
        self.agree()

    def test_2_two_hundred_addresses(self):
        addresses = [self.new_address() for _ in range(200)]
        node.rpc("sendmany", "", {each: 0.01 for each in addresses[:100]}, wallet="miner")
        node.rpc("sendmany", "", {each: 0.01 for each in addresses[100:]}, wallet="miner")
        # Electrum goes on to further addresses when something happens and the last ones have three confirmations.
        self.mine(3)
        self.pay(0.5, addresses[0])
        self.agree()
        self.assertEqual(250_000_000, sum(self.electrum.balance(self.name)))

    def test_3_a_reorganisation(self):
        txid = self.pay(0.5)
        old = self.mine()[0]
        self.agree()
        node.rpc("invalidateblock", old)
        # The other branch is longer and has the payment one block later.
        node.rpc("generateblock", node.new_address("miner"), [])
        self.mine(2)
        self.agree()
        self.assertIn(txid, self.electrum.history(self.name))

    def test_4_a_double_spend(self):
        coin = next(each for each in node.rpc("listunspent", wallet="miner") if each["amount"] > 1)
        def signed(address, fee):
            raw = node.rpc("createrawtransaction", [{"txid": coin["txid"], "vout": coin["vout"], "sequence": 1}],
                           [{address: round(float(coin["amount"]) - fee, 8)}])
            return node.rpc("signrawtransactionwithwallet", raw, wallet="miner")["hex"]
        address = self.new_address()
        lost = node.rpc("sendrawtransaction", signed(address, 0.001))
        self.agree()
        self.assertIn(lost, self.electrum.history(self.name))
        # Both pay the wallet: of one that pays others Electrum learns nothing from any server, and keeps the first as a
        # local transaction.
        kept = node.rpc("sendrawtransaction", signed(self.new_address(), 0.01))
        self.mine()
        self.agree()
        self.assertEqual({kept}, set(self.electrum.history(self.name)))
        with ElectrumClient(place_of(self.serve)) as client:
            self.assertEqual([], client.ask("blockchain.scripthash.get_history", script_hash(node, address)))

    def test_5_a_restart_of_the_server(self):
        self.pay(0.5)
        self.agree()
        self.serve.kill()
        self.pay(0.25)
        self.mine()
        self.serve.start()
        self.agree()
        self.serve.stop()
        self.mine()
        self.serve.start()
        self.agree()


class RealElectrumLegacy(RealElectrum):
    kind = "pkh"
    address_type = "legacy"


class Sending(Case):
    """A wallet with keys in Electrum, watched here."""

    def test_a_send_from_electrum(self):
        running = self.enterContext(electrum_server(self.place / "data", peer=node))
        running.wait_synced(node.rpc("getblockcount"))
        electrum = self.enterContext(ElectrumProgram(self.place / "electrum", place_of(running)))
        seed = electrum.command("make_seed")
        # The server learns the wallet from its public key alone.
        electrum.command("restore", seed, "-w", electrum.wallet("keys"))
        key = electrum.command("getmpk", "-w", electrum.wallet("keys"))
        running.post("/v1/wallets", {"name": "keys", "xpub": key, "script": "wpkh"}, 201)
        electrum.load("keys")
        address = electrum.of("keys", "getunusedaddress")
        node.rpc("sendtoaddress", address, 1, wallet="miner")
        node.mine(1, "miner")
        wait_for(lambda: electrum.balance("keys") == (100_000_000, 0), "the coin has come")
        target = node.new_address("miner")
        signed = electrum.of("keys", "payto", destination=target, amount="0.4", fee="0.0001")
        sent = electrum.ask("broadcast", tx=signed)
        wait_for(lambda: sent in node.rpc("getrawmempool"), "the node has it")
        wait_for(lambda: sum(electrum.balance("keys")) == 59_990_000, "Electrum has booked it")
        wait_for(lambda: running.balance("keys")["total_sat"] == 59_990_000, "and so has the server")
        node.mine(1, "miner")
        wait_for(lambda: electrum.balance("keys") == (59_990_000, 0), "it is confirmed")

    def test_a_wallet_that_is_not_followed(self):
        running = self.enterContext(electrum_server(self.place / "data", peer=node))
        electrum = self.enterContext(ElectrumProgram(self.place / "electrum", place_of(running)))
        electrum.restore("strange", slip132(public_key_of(descriptors_of(node, "miner")[0])))
        wait_for(lambda: "a wallet that is not followed" in running.log_text(), "the log says so")
        self.assertFalse(electrum.is_synced("strange"))


if __name__ == "__main__":
    unittest.main()
