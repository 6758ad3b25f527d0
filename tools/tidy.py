#!/usr/bin/env python3
"""Runs clang-tidy on source files, except those that have passed and not changed since, including their headers.

usage: tidy.py BUILD_FOLDER FILE...     prints the findings; exit 1 if there are any

BUILD_FOLDER holds a finished ninja build with compile_commands.json. Results are cached in the user's cache folder
(XDG_CACHE_HOME). SPV_JOBS: number of parallel jobs.
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

TIDY = "clang-tidy-19"
# The commands are those of g++, which knows other warnings.
OPTIONS = ["--quiet", "--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-Wno-error"]


def passed_folder():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    folder = pathlib.Path(base) / "spv-tidy"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@functools.cache
def digest_of_file(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).digest()


def read_dependencies(build):
    """Of each object of the build: the files that it was made from."""
    listing = subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in listing.splitlines():
        if line.startswith("    "):
            found[name].append(os.path.join(build, line.strip()))
        elif line:
            name = line.split(":", 1)[0]
            found[name] = []
    return found


def read_commands(build):
    """Of each source the first command that compiles it: it may be part of several programs, and is looked at once."""
    commands = {}
    for entry in json.loads(pathlib.Path(build, "compile_commands.json").read_text()):
        commands.setdefault(entry["file"], entry)
    return commands


def key_of(entry, dependencies, rules):
    """Names the source as it is. Nothing if the build does not say what it includes."""
    words = shlex.split(entry["command"])
    included = dependencies.get(words[words.index("-o") + 1])
    if not included:
        return None
    key = hashlib.sha256(rules + entry["command"].encode())
    for path in included:
        key.update(digest_of_file(path))
    return key.hexdigest()


def tidy(source, commands_folder, passed):
    """What is to be told of it; `passed` is the mark that it has been found clean, or nothing."""
    if passed and passed.exists():
        return ""
    done = subprocess.run([TIDY, "-p", commands_folder, *OPTIONS, source], capture_output=True, text=True)
    if done.returncode != 0:
        return done.stdout + done.stderr
    if passed:
        passed.touch()
    return ""


def look_at_all(build, sources):
    """What is to be told of them."""
    version = subprocess.run([TIDY, "--version"], check=True, capture_output=True).stdout
    rules = version + pathlib.Path(".clang-tidy").read_bytes() + " ".join(OPTIONS).encode()
    commands, dependencies, folder = read_commands(build), read_dependencies(build), passed_folder()
    unknown = [f"{source}: not part of the build in {build}\n" for source in sources if source not in commands]

    with tempfile.TemporaryDirectory() as commands_folder:
        pathlib.Path(commands_folder, "compile_commands.json").write_text(json.dumps(list(commands.values())))

        def look_at(source):
            key = key_of(commands[source], dependencies, rules)
            return tidy(source, commands_folder, folder / key if key else None)

        jobs = int(os.environ.get("SPV_JOBS") or os.cpu_count() or 2)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            return unknown + list(pool.map(look_at, [source for source in sources if source in commands]))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    findings = "".join(look_at_all(sys.argv[1], [os.path.realpath(source) for source in sys.argv[2:]]))
    print(findings, end="")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
