"""Chains for the sync benchmark: made once, imported by a bitcoind, and kept as its data folder in the cache."""
import json
import os
import pathlib
import shutil
import subprocess

# Goes up whenever make_chain.cpp gives other bytes for the same arguments.
VERSION = 1


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "spv" / "bench"


class Chain:
    """A chain in the cache: .folder(n) is the data folder of node n, .about what chain.json says of it."""

    def __init__(self, tools, blocks, txs, payments):
        self.tools = tools
        self.arguments = [str(blocks), str(txs), str(payments)]
        self.root = cache_folder() / f"chain-v{VERSION}-{blocks}-{txs}-{payments}"
        if not self.root.exists():
            self._make()
        self.about = json.loads((self.root / "chain.json").read_text())
        self.height = self.about["height"]

    def folder(self, index):
        """The data folder of a node; all but the first are copies of it, made when first asked for."""
        first = self.root / "node"
        if index == 0:
            return first
        copy = self.root / f"node{index}"
        if not copy.exists():
            making = self._fresh(copy)
            subprocess.run(["cp", "-a", "--reflink=auto", str(first), str(making)], check=True)
            making.rename(copy)
        return copy

    def _make(self):
        making = self._fresh(self.root)
        (making / "node").mkdir(parents=True)
        print(f"making chain {' '.join(self.arguments)} ...", flush=True)
        blocks = making / "blocks.dat"
        subprocess.run([self.tools.program("sync_make_chain"), str(making), *self.arguments], check=True)
        subprocess.run([self.tools.bitcoind, "-regtest", f"-datadir={making / 'node'}", f"-loadblock={blocks}",
                        "-stopafterblockimport", "-connect=0", "-listen=0", "-server=0", "-checkblockindex=0",
                        "-dbcache=1000", "-printtoconsole=0"], check=True, stdout=subprocess.DEVNULL)
        blocks.unlink()
        making.rename(self.root)  # Only now is it there: a half-made one is never taken for finished.

    @staticmethod
    def _fresh(target):
        making = target.with_name(target.name + ".making")
        shutil.rmtree(making, ignore_errors=True)
        return making
