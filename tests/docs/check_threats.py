#!/usr/bin/env python3
"""Checks that every threat and goal has a row in docs/security.md, and that the tests and commands it names exist.

usage: check_threats.py ROOT
"""
import pathlib
import re
import sys

THREATS = {"M": 14, "H": 19, "R": 14, "E": 11, "C": 9, "P": 9, "N": 12, "W": 22, "S": 11, "K": 9, "G": 4, "A": 9, "L": 7, "T": 8}
GOALS = 21
TEST = re.compile(r"\b(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+),\s*(\w+)")
ROW = re.compile(r"^\| ([A-Z]-?\d+) \|(.*)\|$", re.M)
NAME = re.compile(r"`(\w+\.\w+)`")
COMMAND = re.compile(r"`(?:\./)?(scripts/[\w-]+)")


def tests_of(root):
    return {f"{suite}.{name}" for path in (root / "tests").rglob("*.cpp")
            for suite, name in TEST.findall(path.read_text())}


def faults(root):
    rows = {}
    for name, rest in ROW.findall((root / "docs" / "security.md").read_text()):
        if name in rows:
            yield f"{name} has two rows"
        rows[name] = [cell.strip() for cell in rest.split("|")]
    known = tests_of(root)
    wanted = [f"{letter}{n}" for letter, count in THREATS.items() for n in range(1, count + 1)]
    goals = [f"G-{n}" for n in range(1, GOALS + 1)]
    for name in wanted + goals:
        cells = rows.get(name)
        if cells is None:
            yield f"{name} has no row"
            continue
        if len(cells) != 3 or not all(cells):
            yield f"{name} has an empty cell"
        named = NAME.findall(cells[1])
        if name in wanted and not named:
            yield f"{name} names no test"
        for test in named:
            if test not in known:
                yield f"{name} names a test that is not there: {test}"
        for command in COMMAND.findall(" ".join(cells)):
            if not (root / command).exists():
                yield f"{name} names a command that is not there: {command}"
    for name in rows:
        if name not in wanted + goals:
            yield f"{name} is neither a threat nor a goal"


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "every threat has its test")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
