#!/usr/bin/env python3
"""Checks that every #include points down the layers and that the core stays pure.

usage: check_layers.py [ROOT]     prints one line per violation; exit 1 if there are any
"""
import pathlib
import re
import sys

# A folder may include itself and the folders listed here.
ALLOWED = {
    "util": set(),
    "chain": {"util"},
    "bip37": {"util", "chain"},
    "bip158": {"util", "chain"},
    "wallet": {"util", "chain"},
    "p2p": {"util", "chain", "bip37"},
    "sync": {"util", "chain", "bip37", "bip158", "wallet", "p2p"},
    "store": {"util", "chain", "bip37", "bip158", "wallet", "p2p", "sync"},
    "net": {"util", "chain", "bip37", "bip158", "wallet", "p2p", "sync"},
    "client": {"util", "chain", "bip37", "bip158", "wallet", "p2p", "sync", "store", "net"},
    "report": {"util", "chain", "bip37", "wallet", "p2p", "store", "client"},
    "serve": {"util", "chain", "bip37", "wallet", "p2p", "store", "client", "report"},
    "cli": {"util", "chain", "bip37", "wallet", "p2p", "store", "client", "report", "serve"},
    # The public headers alone, by <spv/...>.
    "capi": set(),
}
# The folders inside a folder, by the same rule; a file in none of them stands in the nearest one above.
ALLOWED_INSIDE = {
    "sync/types": set(),
    "sync/watch": {"sync/types"},
    "sync/peers": {"sync/types"},
    "sync/headers": {"sync/types"},
    "sync/scan": {"sync/types", "sync/watch"},
    "sync/relay": {"sync/types", "sync/watch"},
    "sync/engine": {"sync/types", "sync/watch", "sync/peers", "sync/headers", "sync/scan", "sync/relay"},
    "store": set(),
    "store/postgres": {"store"},
    # What speaks HTTP knows nothing of wallets.
    "serve/http": set(),
    "serve/page": {"serve/http"},
    "serve/live": {"serve/http"},
    "serve/api": {"serve/http", "serve/page", "serve/live"},
    "serve/electrum": {"serve/http", "serve/live"},
    "cli": {"cli/options", "cli/output", "cli/wallet", "cli/commands"},
    "cli/options": {"cli"},
    "cli/output": {"cli", "cli/options"},
    "cli/wallet": {"cli", "cli/options", "cli/output"},
    "cli/commands": {"cli", "cli/options", "cli/output", "cli/wallet"},
}
CORE = {"util", "chain", "bip37", "bip158", "wallet", "p2p", "sync"}
# No clock, socket, file, thread, lock or exception in the core.
IMPURE_HEADERS = re.compile(
    r"^(thread|mutex|shared_mutex|condition_variable|future|atomic|fstream|iostream|filesystem|random|stdexcept"
    r"|ctime|time\.h|unistd\.h|fcntl\.h|poll\.h|sqlite3\.h|netdb\.h|sys/.*|netinet/.*|arpa/.*|boost/asio.*|boost/beast.*)$")
IMPURE_CODE = re.compile(
    r"\b(system_clock|steady_clock|high_resolution_clock)::|\bthrow\b|\bstd::(time|getenv|rand|srand|thread|mutex)\b"
    r"|\bgetrandom\s*\(|\bstd::random_device\b|\bmt19937\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
COMMENT_OR_STRING = re.compile(r'//.*?$|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S | re.M)


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def inside(name):
    """The innermost folder of ALLOWED_INSIDE that holds this file, or None."""
    folders = [str(folder) for folder in pathlib.PurePath(name).parents]
    return next((folder for folder in folders if folder in ALLOWED_INSIDE), None)


def check(root, path):
    folder = path.relative_to(root).parts[0]
    part = inside(path.relative_to(root))
    text = path.read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        quote, name = found.groups()
        target = name.split("/")[0]
        if quote == '"' and target not in ALLOWED:
            yield f"{path}:{number}: \"{name}\" does not start with a folder of the tree"
        if quote == '"' and target in ALLOWED and target != folder and target not in ALLOWED[folder]:
            yield f"{path}:{number}: {folder} must not include {target}"
        if quote == '"' and target == folder and part:
            aim = inside(name)
            if aim != part and aim not in ALLOWED_INSIDE[part]:
                yield f"{path}:{number}: {part} must not include {name}"
        if folder in CORE and quote == "<" and IMPURE_HEADERS.match(name):
            yield f"{path}:{number}: <{name}> does not belong in the core"
    if folder in CORE:
        for number, line in enumerate(COMMENT_OR_STRING.sub(blank, text).splitlines(), 1):
            found = IMPURE_CODE.search(line)
            if found:
                yield f"{path}:{number}: '{found.group(0)}' does not belong in the core"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    files = [p for folder in ALLOWED for p in sorted((root / folder).rglob("*")) if p.suffix in {".h", ".cpp", ".c"}]
    problems = [problem for path in files for problem in check(root, path)]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
