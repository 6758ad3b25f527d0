#!/usr/bin/env python3
"""Runs clang-tidy on source files, except those that passed before and have not changed, including their headers.

usage: tidy.py BUILD_FOLDER FILE...     prints the findings; exit 1 if there are any

BUILD_FOLDER has been configured with compile_commands.json; nothing in it needs to be built. In a unity build, files
that are compiled as one are checked as one, so the headers they share are read once: ten times faster than file by file.
Results are cached in the user's cache folder (XDG_CACHE_HOME). SPV_JOBS: number of parallel jobs.
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

TIDY = "clang-tidy-19"
# The commands are those of g++, which has other warnings. A unity build includes .cpp files.
OPTIONS = ["--quiet", "--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-Wno-error",
           "--checks=-bugprone-suspicious-include"]
INCLUDED_SOURCE = re.compile(r'^#include "(.*\.cpp)"$', re.MULTILINE)


def passed_folder():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    folder = pathlib.Path(base) / "spv-tidy"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@functools.cache
def digest_of_file(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).digest()


def sources_of(unit):
    """The sources that a file of compile_commands.json stands for: itself, or all that a unity file includes."""
    if not unit.endswith(".cxx"):
        return [unit]
    return [os.path.realpath(source) for source in INCLUDED_SOURCE.findall(pathlib.Path(unit).read_text())]


def read_units(build):
    """For each source, the first command that compiles it: it may be part of several programs, and is checked once."""
    units = {}
    for entry in json.loads(pathlib.Path(build, "compile_commands.json").read_text()):
        for source in sources_of(entry["file"]):
            units.setdefault(source, entry)
    return units


def files_read_by(entry):
    """All files that the compiler reads for this unit."""
    words = [word for word in shlex.split(entry["command"]) if word not in ("-MD", "-MMD")]
    del words[words.index("-o"):words.index("-o") + 2]
    rule = subprocess.run([*words, "-M", "-MT", "unit"], cwd=entry["directory"], check=True, capture_output=True, text=True)
    names = shlex.split(rule.stdout.replace("\\\n", " "))[1:]
    return [os.path.join(entry["directory"], name) for name in names]


def key_of(entry, rules):
    """Names the unit as it is now."""
    key = hashlib.sha256(rules + entry["command"].encode())
    for path in files_read_by(entry):
        key.update(digest_of_file(path))
    return key.hexdigest()


def tidy(entry, build, rules):
    """The findings in one unit; nothing for one that passed before."""
    passed = passed_folder() / key_of(entry, rules)
    if passed.exists():
        return ""
    done = subprocess.run([TIDY, "-p", build, "--config-file=.clang-tidy", *OPTIONS, entry["file"]],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return done.stdout + done.stderr
    passed.touch()
    return ""


def tidy_all(build, sources):
    """The findings in all of them."""
    version = subprocess.run([TIDY, "--version"], check=True, capture_output=True).stdout
    rules = version + pathlib.Path(".clang-tidy").read_bytes() + " ".join(OPTIONS).encode()
    units = read_units(build)
    unknown = [f"{source}: not part of the build in {build}\n" for source in sources if source not in units]
    wanted = {units[source]["file"]: units[source] for source in sources if source in units}

    jobs = int(os.environ.get("SPV_JOBS") or os.cpu_count() or 2)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return unknown + list(pool.map(lambda entry: tidy(entry, build, rules), wanted.values()))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    findings = "".join(tidy_all(sys.argv[1], [os.path.realpath(source) for source in sys.argv[2:]]))
    print(findings, end="")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
