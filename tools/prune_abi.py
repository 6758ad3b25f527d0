#!/usr/bin/env python3
"""Reduces an ABI description (abidw) to what the exported functions can reach; the rest is an implementation detail.

usage: prune_abi.py FILE     modifies the file
"""
import sys
import xml.etree.ElementTree as xml


def ids(element):
    return {each.get("id") for each in element.iter() if each.get("id")}


def wanted(element):
    """The types that it names."""
    keys = ("type-id", "naming-typedef-id")
    return {each.get(key) for each in element.iter() for key in keys if each.get(key)}


def parts(scope):
    """Declarations, also those within namespaces."""
    for part in scope:
        yield from parts(part) if part.tag == "namespace-decl" else (part,)


def prune(scope, kept):
    for part in list(scope):
        if part.tag == "namespace-decl":
            prune(part, kept)
        if len(part) == 0 if part.tag == "namespace-decl" else id(part) not in kept:
            scope.remove(part)


def main():
    tree = xml.parse(sys.argv[1])
    units = tree.getroot().findall("abi-instr")
    everything = [part for unit in units for part in parts(unit)]
    owner = {name: part for part in everything for name in ids(part)}
    left = [part for part in everything if part.get("elf-symbol-id", "").startswith("spv_")]
    kept = set()
    while left:
        part = left.pop()
        if id(part) not in kept:
            kept.add(id(part))
            left += [owner[name] for name in wanted(part) if name in owner]
    for unit in units:
        prune(unit, kept)
    tree.write(sys.argv[1], encoding="unicode")
    with open(sys.argv[1], "a", encoding="utf-8") as out:
        out.write("\n")


if __name__ == "__main__":
    main()
