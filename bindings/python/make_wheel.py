#!/usr/bin/env python3
"""Makes the wheel of libspv, with the C library inside; needs neither pip nor a network, and is reproducible.

usage: make_wheel.py LIBRARY VERSION FOLDER     prints the path of the wheel
"""
import base64
import hashlib
import os
import pathlib
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
METADATA = """Metadata-Version: 2.1
Name: libspv
Version: {version}
Summary: Bitcoin light wallet client (BIP37) over the C library of spv
License: MIT
Requires-Python: >=3.9
Classifier: Typing :: Typed
Classifier: Operating System :: POSIX :: Linux
Description-Content-Type: text/markdown

{readme}"""
WHEEL = """Wheel-Version: 1.0
Generator: spv
Root-Is-Purelib: false
Tag: {tag}
"""


def contents(library, version, tag):
    info = f"libspv-{version}.dist-info"
    for path in sorted((HERE / "libspv").iterdir()):
        if path.suffix == ".py" or path.name == "py.typed":
            yield f"libspv/{path.name}", path.read_bytes()
    yield "libspv/libspv.so.0", library.read_bytes()
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    yield f"{info}/METADATA", METADATA.format(version=version, readme=readme).encode()
    yield f"{info}/WHEEL", WHEEL.format(tag=tag).encode()
    yield f"{info}/LICENSE", (HERE.parents[1] / "LICENSE").read_bytes()


def main():
    library, version, folder = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    tag = f"py3-none-linux_{os.uname().machine}"
    wheel = folder / f"libspv-{version}-{tag}.whl"
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        def add(name, data):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)

        for name, data in contents(library, version, tag):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}\n")
            add(name, data)
        name = f"libspv-{version}.dist-info/RECORD"
        add(name, "".join([*record, f"{name},,\n"]).encode())
    print(wheel)


if __name__ == "__main__":
    main()
