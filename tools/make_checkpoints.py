#!/usr/bin/env python3
"""Writes chain/checkpoint_table.cpp from published checkpoint files.

usage: make_checkpoints.py FOLDER > chain/checkpoint_table.cpp

FOLDER holds, for each network, bitcoinj_NETWORK.txt (rows of base64: chain work, height, header) and
electrum_NETWORK.json (the hash of the last block of every difficulty period), as those projects publish them.
Every fact is checked before it is written: proof of work, order, and that both files describe the same chain.
"""
import base64
import hashlib
import json
import pathlib
import sys

PERIOD = 2016
START_POINTS = 50  # at most about so many a network
NETWORKS = [  # name here, name of the files, write the hash of every so many periods
    ("main", "mainnet", 1),
    ("testnet3", "testnet", 4),
    ("testnet4", "testnet4", 1),
    ("signet", "signet", 1),
]
HEAD = """// Made by tools/make_checkpoints.py: do not edit.
#include "chain/checkpoint_table.h"

namespace spv::chain {
namespace {

using namespace std::string_view_literals;

// clang-format off
"""
TAIL = """// clang-format on

}  // namespace

CheckpointTable checkpoint_table(Network network) {
  switch (network) {
%s    case Network::Regtest:
      break;
  }
  return {};
}

}  // namespace spv::chain
"""


def block_hash(header):
    return hashlib.sha256(hashlib.sha256(header).digest()).digest()[::-1].hex()


def has_work(header):
    bits = int.from_bytes(header[72:76], "little")
    target = (bits & 0xFFFFFF) << (8 * ((bits >> 24) - 3))
    return int(block_hash(header), 16) <= target


def start_points(path, hashes):
    rows = []
    if not path.exists():
        return rows
    for line in path.read_text().split()[5:]:  # after "TXT CHECKPOINTS 1", signatures, count
        row = base64.b64decode(line + "=" * (-len(line) % 4))
        work, height, header = row[:-84], int.from_bytes(row[-84:-80], "big"), row[-80:]
        assert height % PERIOD == 0 and has_work(header), height
        assert not rows or (rows[-1][0] < height and rows[-1][1] < int.from_bytes(work, "big")), height
        assert hashes[height // PERIOD - 1] == header[4:36][::-1].hex(), height
        rows.append((height, int.from_bytes(work, "big"), header))
    every = -(-len(rows) // START_POINTS)
    return rows[::-1][::every][::-1]  # the newest is always there


def main():
    folder = pathlib.Path(sys.argv[1])
    cases = ""
    sys.stdout.write(HEAD)
    for name, file, every in NETWORKS:
        hashes = [row[0] for row in json.loads((folder / f"electrum_{file}.json").read_text())]
        points = start_points(folder / f"bitcoinj_{file}.txt", hashes)
        camel = "k" + name.capitalize()
        if points:
            print(f"constexpr StartPointRow {camel}Points[] = {{")
            for height, work, header in points:
                text = header.hex()
                print(f'    StartPointRow{{{height}, "{work:x}",\n                  "{text[:80]}"\n'
                      f'                  "{text[80:]}"}},')
            print("};")
        print(f"constexpr std::string_view {camel}Hashes[] = {{")
        for value in hashes[every - 1::every]:
            print(f'    "{value}"sv,')
        print("};\n")
        cases += f"    case Network::{name.capitalize()}:\n"
        cases += f"      return {{.start_points = {camel + 'Points' if points else '{}'}, .hashes = {camel}Hashes,"
        cases += f" .periods_between = {every}}};\n"
    sys.stdout.write(TAIL % cases)


if __name__ == "__main__":
    main()
