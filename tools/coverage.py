#!/usr/bin/env python3
"""Line and branch coverage of the core, from gcov's JSON.

usage: coverage.py ROOT BUILD [WORST]

Prints one line per folder, and the files with the most missed branches (default 10). Branches that only an exception
takes do not count, as with gcovr --exclude-throw-branches. Exit code 1 if a folder is below 95 % of lines or
90 % of branches.
"""
import collections
import concurrent.futures
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

FOLDERS = ("chain", "bip37", "bip158", "wallet", "p2p", "sync")
LINES, BRANCHES = 95.0, 90.0


def read(data):
    """What one object file counted."""
    with tempfile.TemporaryDirectory(prefix="spv-coverage-") as folder:
        subprocess.run(["gcov", "--json-format", "--branch-probabilities", str(data)], cwd=folder,
                       capture_output=True, check=True)
        out = []
        for path in pathlib.Path(folder).glob("*.gcov.json.gz"):
            with gzip.open(path) as file:
                report = json.load(file)
            out += [(os.path.join(report["current_working_directory"], each["file"]), each["lines"])
                    for each in report["files"]]
        return out


def collect(root, build):
    """By file: counts by line, and by (line, branch)."""
    lines = collections.defaultdict(collections.Counter)
    branches = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for report in pool.map(read, sorted(build.rglob("*.gcda"))):
            for name, counted in report:
                path = pathlib.Path(os.path.normpath(name))
                if not path.is_relative_to(root) or path.relative_to(root).parts[0] not in FOLDERS:
                    continue
                name = str(path.relative_to(root))
                for line in counted:
                    number = line["line_number"]
                    lines[name][number] += line["count"]
                    for at, branch in enumerate(line["branches"]):
                        if not branch["throw"]:
                            branches[name][number, at] += branch["count"]
    return lines, branches


def share(counters):
    total = sum(len(counter) for counter in counters)
    hit = sum(sum(1 for count in counter.values() if count) for counter in counters)
    return hit, total, 100 * hit / total if total else 100.0


def main():
    root, build = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    worst = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    lines, branches = collect(root, build)
    good = True
    for folder in FOLDERS:
        files = [name for name in lines if name.startswith(folder + "/")]
        by_line = share([lines[name] for name in files])
        by_branch = share([branches[name] for name in files])
        met = bool(files) and by_line[2] >= LINES and by_branch[2] >= BRANCHES
        good = good and met
        print(f"{folder}: lines {by_line[2]:.1f} % of {by_line[1]}, branches {by_branch[2]:.1f} % of {by_branch[1]}"
              f"{'' if met else '  BELOW THE GOAL'}")
    missed = sorted(lines, key=lambda name: -sum(1 for count in branches[name].values() if not count))
    for name in missed[:worst]:
        silent = sorted(number for number, count in lines[name].items() if not count)
        half = sorted({number for (number, _), count in branches[name].items() if not count} - set(silent))
        print(f"  {name}: lines never reached {silent}; not both ways {half}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
