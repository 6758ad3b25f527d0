#!/usr/bin/env python3
"""Writes the files of a folder as C++, with a compressed form of those that it makes smaller.

usage: embed_files.py FOLDER FUNCTION OUTPUT     FUNCTION: what gives them, in spv::serve

The same files give the same output, whenever and wherever it runs.
"""
import gzip
import hashlib
import pathlib
import sys

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".txt": "text/plain; charset=utf-8",
}
# As they are in a literal: printable, without what ends or escapes it.
PLAIN = {code: chr(code) for code in range(0x20, 0x7F) if chr(code) not in '"\\?'}


def literal(data):
    lines = [data[at:at + 64] for at in range(0, len(data), 64)] or [b""]
    return "\n".join('    "' + "".join(PLAIN.get(byte) or f"\\{byte:03o}" for byte in line) + '"' for line in lines)


def etag(data):
    return hashlib.sha256(data).hexdigest()[:32]


def main():
    folder, function, output = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    names = sorted(path.name for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []
    data = []
    rows = []
    for number, name in enumerate(names):
        kind = TYPES.get(pathlib.Path(name).suffix)
        if kind is None:
            sys.exit(f"{folder / name}: files of this type are not served; add it to TYPES")
        plain = (folder / name).read_bytes()
        packed = gzip.compress(plain, 9, mtime=0)
        if len(packed) >= len(plain):
            packed = b""
        data.append(f"constexpr char kPlain{number}[] =\n{literal(plain)};")
        data.append(f"constexpr char kPacked{number}[] =\n{literal(packed)};")
        rows.append(f'    {{"{name}", "{kind}", "{etag(plain)}", {{kPlain{number}, {len(plain)}}}, '
                    f"{{kPacked{number}, {len(packed)}}}}},")
    text = "\n".join([
        "// Written by tools/embed_files.py.", '#include "serve/page/page_file.h"', "", "namespace spv::serve {",
        "namespace {", "", *data, "", "}  // namespace", "", f"const std::vector<PageFile>& {function}() {{",
        "  static const std::vector<PageFile> kFiles{", *rows, "  };", "  return kFiles;", "}", "",
        "}  // namespace spv::serve", ""])
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text, encoding="ascii")


if __name__ == "__main__":
    main()
