#!/usr/bin/env python3
"""Counts the instructions of the hot paths under callgrind and compares them with what is recorded.

usage: count_instructions.py HOT_PATHS RECORD [--update]

HOT_PATHS: the program of bench/hot_paths.cpp. RECORD: a file with a line "NAME COUNT" for each path.
A path that executes over 5% more than its record fails; --update writes the record anew.
The counts do not depend on the machine's speed or load. So that they do not depend on its processor either, libcrypto
and libc are held to instructions that every x86-64 processor has had for many years.
"""
import os
import pathlib
import re
import subprocess
import sys

GROWTH = 1.05
PLAIN_PROCESSOR = {
    # SSE2 and SSSE3.
    "OPENSSL_ia32cap": "0x0000020107800000:0x0",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX,-ERMS,-BMI2,-MOVBE",
}


def count(program: str, path: str) -> int:
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
         "--toggle-collect=hot_path", program, path],
        env={**os.environ, **PLAIN_PROCESSOR}, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or found is None or int(found[1]) == 0:
        sys.exit(f"count_instructions: {path} could not be counted:\n{run.stderr}")
    return int(found[1])


def read_record(record: pathlib.Path) -> dict[str, int]:
    lines = record.read_text().splitlines() if record.exists() else []
    return {name: int(value) for name, value in (line.split() for line in lines if line and line[0] != "#")}


def write_record(record: pathlib.Path, counts: dict[str, int]) -> None:
    head = "# Instructions of the hot paths (bench/hot_paths.cpp): scripts/instructions --update\n"
    record.write_text(head + "".join(f"{name} {value}\n" for name, value in sorted(counts.items())))


def compare(recorded: dict[str, int], counts: dict[str, int]) -> bool:
    good = True
    for name in sorted(recorded.keys() | counts.keys()):
        if name not in counts or name not in recorded:
            print(f"{name:<18} {'not measured' if name in recorded else 'not recorded'}")
            good = False
            continue
        ratio = counts[name] / recorded[name]
        grew = ratio > GROWTH
        good = good and not grew
        print(f"{name:<18} {counts[name]:>12,} {ratio:>7.3f}x{'  more than 5% above the record' if grew else ''}")
    return good


def main() -> int:
    update = sys.argv[3:] == ["--update"]
    if len(sys.argv) != (4 if update else 3):
        sys.exit(__doc__)
    program, record = sys.argv[1], pathlib.Path(sys.argv[2])
    names = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout.split()
    counts = {name: count(program, name) for name in names}
    good = compare(read_record(record), counts)
    if update:
        write_record(record, counts)
        return 0
    if not good:
        print("If the growth is worth it, record it: scripts/instructions --update")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
