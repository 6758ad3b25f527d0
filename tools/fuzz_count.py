#!/usr/bin/env python3
"""Counts what the fuzz targets have executed over their life.

usage: fuzz_count.py ROOT add TARGET RUNS    note the executions of a run, in build/
       fuzz_count.py ROOT total              add what was noted to tests/fuzz/executions.txt, and print the table
       fuzz_count.py ROOT check              fail where targets and rows do not agree

A row is "KIND TARGET EXECUTIONS". A parser is a function of its bytes; a machine keeps state over many steps of one input,
or does costly work (keys, files, signatures) in each.
"""
import pathlib
import sys

GOALS = {"parser": 10**8, "machine": 10**7}


def rows_of(path):
    rows = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            kind, target, count = line.split()
            rows[target] = (kind, int(count))
    return rows


def targets_of(root):
    return {path.name.removesuffix("_fuzz.cpp") for path in (root / "tests" / "fuzz").glob("*_fuzz.cpp")}


def faults(root, rows):
    targets = targets_of(root)
    yield from (f"executions.txt has no row for {name}" for name in sorted(targets - set(rows)))
    yield from (f"executions.txt has a row for {name}, which is not there" for name in sorted(set(rows) - targets))
    yield from (f"executions.txt: {name} is of the unknown kind {kind}" for name, (kind, _) in sorted(rows.items())
                if kind not in GOALS)


def noted(root, target):
    path = root / "build" / "fuzz-executions" / target
    return path, int(path.read_text()) if path.exists() else 0


def add(root, target, runs):
    path, before = noted(root, target)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{before + runs}\n")


def total(root, table, rows):
    for target, (kind, count) in rows.items():
        path, more = noted(root, target)
        rows[target] = (kind, count + more)
        path.unlink(missing_ok=True)
    head = [line for line in table.read_text().splitlines() if line.startswith("#")]
    table.write_text("\n".join(head + [f"{kind} {target} {count}" for target, (kind, count) in sorted(rows.items())]) + "\n")
    for target, (kind, count) in sorted(rows.items()):
        print(f"{target:<16} {kind:<8} {count:>15,}  {count / GOALS[kind]:7.1%} of {GOALS[kind]:,}")
    reached = sum(count >= GOALS[kind] for kind, count in rows.values())
    print(f"{sum(count for _, count in rows.values()):,} executions; {reached} of {len(rows)} targets have reached their goal")


def main():
    root, what = pathlib.Path(sys.argv[1]), sys.argv[2]
    if what == "add":
        return add(root, sys.argv[3], int(sys.argv[4]))
    table = root / "tests" / "fuzz" / "executions.txt"
    rows = rows_of(table)
    found = list(faults(root, rows))
    if found:
        sys.exit("\n".join(found))
    if what == "total":
        total(root, table, rows)


if __name__ == "__main__":
    main()
