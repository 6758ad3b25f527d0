#!/usr/bin/env python3
"""Runs contract tests of `spv serve`.

usage: run.py SPV MODULE [unittest options]     exit code 77 without bitcoind (or PostgreSQL, for the database)
"""
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))


def main():
    program, module, *options = sys.argv[1:]
    os.environ["SPV_PROGRAM"] = os.path.abspath(program)
    # Settings of whoever runs the tests change nothing.
    for name in list(os.environ):
        if name.startswith("SPV_") and name not in ("SPV_PROGRAM", "SPV_LONG_TESTS"):
            del os.environ[name]
    import bench  # pylint: disable=import-outside-toplevel
    missing = None if module == "document_test" or bench.find_bitcoind() else "no bitcoind"
    if not missing and module == "database_test":
        import postgres  # pylint: disable=import-outside-toplevel
        missing = None if postgres.programs() else "no PostgreSQL server"
    if not missing and module == "electrum_wallet_test":
        import electrum_program  # pylint: disable=import-outside-toplevel
        missing = None if electrum_program.find_electrum() else "no electrum"
    if missing:
        print(f"SKIPPED: {missing}")
        sys.exit(77)
    unittest.main(module=module, argv=[module, "-v", *options])


if __name__ == "__main__":
    main()
