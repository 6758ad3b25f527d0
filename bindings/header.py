#!/usr/bin/env python3
"""What spv.h declares: enums with their values, structs with their fields, functions with their parameters.

usage: header.py HEADER [--lines]     prints it as JSON, or as lines of words divided by tabs, for the tests that
                                      compare the bindings with it
"""
import json
import pathlib
import re
import sys

ENUM = re.compile(r"typedef enum (\w+) \{(.*?)\} \1;", re.S)
STRUCT = re.compile(r"typedef struct (\w+) \{(.*?)\} \1;", re.S)
FUNCTION = re.compile(r"^SPV_API ([\w \*]+?)(\w+)\((.*?)\);", re.S | re.M)


def declarations(text):
    """Without comments and without what is for the preprocessor."""
    return re.sub(r"^#.*$", "", re.sub(r"/\*.*?\*/", " ", text, flags=re.S), flags=re.M)


def parameters_of(text):
    """The types, one a parameter; a pointer to a function is "function"."""
    text = re.sub(r"void \(\*\w+\)\([^)]*\)", "function", text)
    parts = [" ".join(part.split()) for part in text.split(",")]
    if parts == ["void"]:
        return []
    return [part if part == "function" else re.sub(r"\s*\w+$", "", part) for part in parts]


def fields_of(body):
    out = []
    for declaration in filter(None, (" ".join(part.split()) for part in body.split(";"))):
        kind, name, size = re.fullmatch(r"(.*?)(\w+)(\[\d+\])?", declaration).groups()
        out.append([name, kind.strip() + (size or "")])
    return out


def values_of(body):
    return {name: int(value) for name, value in re.findall(r"(\w+) = (-?\d+)", body)}


def parse(path):
    text = declarations(pathlib.Path(path).read_text(encoding="utf-8"))
    header = {
        "enums": {name: values_of(body) for name, body in ENUM.findall(text)},
        "structs": {name: fields_of(body) for name, body in STRUCT.findall(text)},
        "functions": {name: [result.strip(), parameters_of(rest)] for result, name, rest in FUNCTION.findall(text)},
    }
    # What the patterns do not match would be compared with nothing.
    for what, mark in (("enums", r"typedef enum \w+ \{"), ("structs", r"typedef struct \w+ \{"), ("functions", r"SPV_API ")):
        if len(header[what]) != len(re.findall(mark, text)):
            sys.exit(f"{path}: not all {what} can be read")
    return header


def lines(header):
    for name, values in header["enums"].items():
        for key, value in values.items():
            yield "enum", name, key, str(value)
    for name, fields in header["structs"].items():
        for field, kind in fields:
            yield "field", name, field, kind
    for name, (result, parameters) in header["functions"].items():
        yield "function", name, result, *parameters


if __name__ == "__main__":
    declared = parse(sys.argv[1])
    print("\n".join(map("\t".join, lines(declared))) if "--lines" in sys.argv else json.dumps(declared, indent=1))
