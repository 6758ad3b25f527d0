#!/usr/bin/env python3
"""Runs every command shown in the docs: all ```sh blocks of a file, in one shell, in a temporary home.

usage: run_docs.py SPV FILE...     exit code 77 without bitcoind and bitcoin-cli

Every command of a ```sh block must succeed. ```sh network needs the public network: its commands may exit with 3
(network failure). ```sh build builds the program itself: its scripts must exist. A command in a sentence, such as
`spv sync --proxy HOST:PORT`, must exist and have these options.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from regtest import find_bitcoind, free_port  # noqa: E402  pylint: disable=wrong-import-position

FENCE = re.compile(r"^```sh ?(\w*)\n(.*?)^```$", re.M | re.S)
INLINE = re.compile(r"`spv ([^`\n]+)`")
OPTION = re.compile(r"--?[a-z][a-z0-9-]*")


def script_of(text, port, listen):
    # What a block leaves in the background ends with the shell.
    parts = ["set -eu", "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT"]
    for kind, block in FENCE.findall(text):
        block = block.replace("127.0.0.1:18444", f"127.0.0.1:{port}").replace("127.0.0.1:8338", listen)
        if kind == "":
            parts.append(block)
        elif kind == "network":
            for line in block.splitlines():
                parts.append(f"SPV_TIMEOUT=2 {line} || test $? -eq 3")
        elif kind == "build":
            for name in re.findall(r"\./(scripts/[\w-]+)", block):
                parts.append(f'test -x "$SPV_ROOT/{name}" && bash -n "$SPV_ROOT/{name}"')
        else:
            sys.exit(f"a block of an unknown kind: sh {kind}")
    return "\n".join(parts) + "\n"


def help_of(spv, words):
    result = subprocess.run([spv, *words, "--help"], capture_output=True, text=True, check=False)
    return result.stdout if result.returncode == 0 else None


def unknown_in_sentences(text, spv):
    """What sentences show and the program does not know."""
    common = help_of(spv, [])
    for shown in INLINE.findall(text):
        words = shown.split("#")[0].split()
        command = [word for word in words if re.fullmatch(r"[a-z][a-z-]*", word)][:2]
        own = next((found for size in (2, 1) if len(command) >= size
                    for found in [help_of(spv, command[:size])] if found), None)
        if command and own is None:
            yield shown
        for option in OPTION.findall(" ".join(word for word in words if word.startswith("-"))):
            if not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", common + (own or "")):
                yield f"{shown} ({option})"


def wait_until_gone(path):
    """A node that was told to stop writes until its pid file is gone."""
    for _ in range(600):
        if not path.exists():
            return
        time.sleep(0.1)


def ports_were_taken(log):
    """True if the node could not listen: a port that was free when it was looked for need not be so now."""
    told = "Unable to bind to|Binding RPC on address 127.0.0.1 .* failed|Unable to start HTTP server"
    return log.exists() and re.search(told, log.read_text(errors="replace"))


def run(path, spv, bitcoind):
    unknown = list(unknown_in_sentences(path.read_text(), spv))
    if unknown:
        print(f"{path.name}: no such command or option: {unknown}")
        return False
    for _ in range(3):
        good = run_commands(path, spv, bitcoind)
        if good is not None:
            return good
    return False


def run_commands(path, spv, bitcoind):
    """Whether all of them succeed; None if the node's ports were taken."""
    with tempfile.TemporaryDirectory(prefix="spv-docs-", ignore_cleanup_errors=True) as home:
        port = free_port()
        core = pathlib.Path(home, ".bitcoin")
        core.mkdir()
        (core / "bitcoin.conf").write_text(
            f"regtest=1\n[regtest]\nbind=127.0.0.1:{port}\nrpcport={free_port()}\nlistenonion=0\n")
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith(("SPV_", "XDG_"))}
        environment.update(HOME=home, SPV_MEMPOOL_WAIT="1", SPV_ROOT=str(pathlib.Path(__file__).resolve().parents[2]))
        listen = environment["SPV_LISTEN"] = f"127.0.0.1:{free_port()}"
        environment["PATH"] = ":".join([os.path.dirname(spv), os.path.dirname(bitcoind), environment["PATH"]])
        script = script_of(path.read_text(), port, listen)
        try:
            result = subprocess.run(["bash", "-x", "-c", script], cwd=home, env=environment, text=True, timeout=400,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        finally:
            subprocess.run([os.path.join(os.path.dirname(bitcoind), "bitcoin-cli"), "-regtest", "stop"],
                           env=environment, capture_output=True, check=False)
            wait_until_gone(core / "regtest" / "bitcoind.pid")
        if result.returncode != 0 and ports_were_taken(core / "regtest" / "debug.log"):
            print(f"{path.name}: the node's ports were taken\n{result.stdout[-1000:]}")
            return None
        commands = sum(1 for line in result.stdout.splitlines() if line.startswith("+ "))
        print(f"{path.name}: {commands} commands, exit code {result.returncode}")
        if result.returncode != 0:
            print(result.stdout[-4000:])
        return result.returncode == 0


def main():
    spv, *files = sys.argv[1:]
    bitcoind = find_bitcoind("bitcoin-cli")
    if not bitcoind:
        print("SKIPPED: no bitcoind with its bitcoin-cli")
        sys.exit(77)
    good = [run(pathlib.Path(name), spv, bitcoind) for name in files]
    sys.exit(0 if files and all(good) else 1)


if __name__ == "__main__":
    main()
