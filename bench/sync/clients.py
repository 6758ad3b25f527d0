"""The two clients that the sync benchmark compares, each run once from exec to exit: the floor, and spv."""
import json
import pathlib
import shutil
import subprocess
from dataclasses import dataclass

LIMIT = "600"  # seconds; a sync that takes longer has failed


@dataclass
class Run:
    """One run: what it cost the client (measure.cpp), what it cost the nodes, and what the client printed."""
    wall: float
    cpu: float
    peak_kib: int
    ended_at: float
    node_cpu: float
    out: dict
    waited: float = 0  # from the last byte that a proxy handed it to its exit


class WrongResult(Exception):
    """A client ended with an error or with a wrong balance."""


class Clients:
    """Starts clients in a scratch folder that the caller removes."""

    def __init__(self, tools, scratch, spv_options):
        self.tools = tools
        self.spv_options = spv_options
        self.scratch = pathlib.Path(scratch)
        self.sync_help = subprocess.run([tools.spv, "sync", "--help"], capture_output=True, text=True,
                                        check=True).stdout

    def spv_knows(self, option):
        return option in self.sync_help

    def floor(self, nodes, address, *arguments):
        """Runs the floor client."""
        return self._measure([self.tools.program("sync_floor"), "--connect", address, *map(str, arguments)], nodes)

    def elements(self, chain, wallet):
        """A file with what a filter for one of the chain's wallets must hold."""
        path = self.scratch / f"{chain.root.name}-{wallet}.elements"
        path.write_text("".join(element + "\n" for element in chain.about["wallets"][wallet]["elements"]))
        return path

    def spv(self, nodes, addresses, wallet, *arguments, birthday=0, source="filter"):
        """Syncs a wallet that was just restored, so with a filter of its own, and checks what it found."""
        chain = nodes[0].chain
        folder = self._restored(chain, wallet, birthday)
        connect = [part for address in addresses for part in ("--connect", address)]
        by = ["--source", source] if self.spv_knows("--source") else []
        run = self._measure([self.tools.spv, "--regtest", "--datadir", str(folder), "--json", "sync", "--mempool-wait",
                             "0", "--timeout", LIMIT, *connect, *by, *self.spv_options, *arguments], nodes)
        expected = chain.about["wallets"][wallet]["balance_sat"] if birthday == 0 else 0
        found = (run.out["scanned_to"], run.out["balance"]["confirmed_sat"])
        if found != (chain.height, expected):
            raise WrongResult(f"height and balance are {found}, not {(chain.height, expected)}")
        return run

    def bcoin(self, nodes, script):
        """Runs bcoin's SPV mode up to the tip; it may miss payments."""
        chain = nodes[0].chain
        return self._measure([shutil.which("node"), str(script), nodes[0].address, str(chain.height),
                              str(self.elements(chain, "kept"))], nodes)

    def _restored(self, chain, wallet, birthday):
        folder = self.scratch / "run"
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([self.tools.spv, "--regtest", "--datadir", str(folder), "restore", "--mnemonic-file", "-",
                        "--birthday", str(birthday)], input=chain.about["wallets"][wallet]["mnemonic"], text=True,
                       check=True, capture_output=True)
        return folder

    def _measure(self, command, nodes):
        before = sum(node.cpu() for node in nodes)
        result = subprocess.run([self.tools.program("sync_measure"), *command], capture_output=True, text=True,
                                check=False)
        node_cpu = sum(node.cpu() for node in nodes) - before
        *said, cost = result.stderr.splitlines()
        if result.returncode != 0:
            raise WrongResult(f"{' '.join(command)}: exit {result.returncode}: {' '.join(said)}")
        cost = json.loads(cost)
        return Run(cost["wall"], cost["user"] + cost["system"], cost["peak_kib"], cost["ended_at"], node_cpu,
                   json.loads(result.stdout))
