#!/usr/bin/env python3
"""Checks the documents against the source: quoted messages, events, links, the length of README, and the wording.

usage: check_docs.py ROOT
"""
import pathlib
import re
import sys

FOLDERS = ("bip37", "capi", "chain", "cli", "client", "net", "p2p", "report", "serve", "store", "sync", "util", "wallet")
# Whose messages are checked for odd phrases.
PLAIN_FOLDERS = FOLDERS
README_LINES = 100
# Contract: these events exist (docs/output.md explains them).
EVENTS = {"tip", "tx", "reorg", "conflict", "peer"}
# Phrases that read like a translation. The usual terms: reported by, invalid, by default, fix, unconfirmed.
ODD = re.compile(r"\b(told of|told by|tells? of|on the word of|on whose word|unless told|on (?:its|their) way"
                 r"|of it(?= [\d{])|mend(?:s|ed)?|so many (?:bytes|blocks)|gives? (?:\w+ )?alike|tells the rest"
                 r"|(?<!there )is no \w+)\b", re.I)
# "is no X" in good English.
GOOD = re.compile(r"is no (?:longer|more|other|need|way|difference|limit)\b", re.I)

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
QUOTED = re.compile(r'\*\*"([^"]+)"\*\*|\("([^"]+)"\)')
CODE = re.compile(r"\(`([a-z-]+)`\)")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def literals_of(path):
    """The string literals of a C++ file, except those of ensure(), which no user sees. Adjacent ones are joined."""
    out, end = [], None
    text = path.read_text()
    for match in LITERAL.finditer(text):
        statement = max(text.rfind(mark, 0, match.start()) for mark in ";{}")
        if "ensure(" in text[statement + 1:match.start()]:
            continue
        piece = match[1].replace('\\"', '"').replace("\\n", "\n")
        if end is not None and not text[end:match.start()].strip():
            out[-1] += piece
        else:
            out.append(piece)
        end = match.end()
    return out


def sources(root):
    return {path: literals_of(path) for folder in FOLDERS
            for kind in ("*.cpp", "*.h") for path in sorted((root / folder).rglob(kind))}


def is_printed(message, literals):
    """Whether one file has all pieces of a message; an ellipsis stands for what differs from case to case."""
    pieces = [piece.strip() for piece in message.split("…") if piece.strip()]
    return any(all(any(piece in text for text in texts) for piece in pieces) for texts in literals.values())


def message_faults(root, literals):
    text = (root / "docs" / "troubleshooting.md").read_text()
    messages = [first or second for first, second in QUOTED.findall(text)]
    if len(messages) < 5:
        yield f"troubleshooting.md: only {len(messages)} quoted messages found; does QUOTED still match?"
    for message in messages:
        if not is_printed(message, literals):
            yield f'troubleshooting.md quotes "{message}", which the program does not print'
    for code in CODE.findall(text):
        # StoreError's kinds become codes in main.cpp: "disk full" is disk-full.
        if not any(code in (each, each.replace(" ", "-")) for texts in literals.values() for each in texts):
            yield f"troubleshooting.md names the code {code}, which the program does not have"


def event_faults(root):
    text = (root / "cli" / "output" / "event_report.cpp").read_text()
    page = (root / "docs" / "output.md").read_text()
    events = set(re.findall(r'\{"event", "([\w-]+)"\}', text)) | set(re.findall(r'_json\("([\w-]+)"', text))
    fields = set(re.findall(r'\{"(\w+)",', text)) - {"event"}
    if not EVENTS <= events:
        yield f"event_report.cpp: {sorted(EVENTS - events)} not found; does the pattern still match?"
    for name in sorted(events):
        if not re.search(rf"^\| `{name}` \|", page, re.M):
            yield f"output.md does not explain the event {name}"
    for name in sorted(fields):
        if f"`{name}`" not in page:
            yield f"output.md does not explain the event field {name}"


def link_faults(root, pages):
    for page in pages:
        for target in LINK.findall(page.read_text()):
            if "://" not in target and not (page.parent / target).exists():
                yield f"{page.relative_to(root)}: link to a missing file: {target}"


def odd_phrases(text):
    return [match[0] for match in ODD.finditer(text) if not GOOD.match(text, match.start())]


def wording_faults(root, pages, literals):
    texts = {path: [path.read_text()] for path in [*pages, *sorted((root / "include" / "spv").glob("*.h"))]}
    texts.update((path, parts) for path, parts in literals.items()
                 if path.relative_to(root).parts[0] in PLAIN_FOLDERS)
    for path, parts in texts.items():
        for phrase in (phrase for part in parts for phrase in odd_phrases(part)):
            yield f'{path.relative_to(root)}: "{phrase}": say it in plain English'


def faults(root):
    pages = [root / "README.md", root / "CHANGELOG.md", root / "CONTRIBUTING.md", root / "SECURITY.md",
             *sorted((root / "docs").rglob("*.md"))]
    literals = sources(root)
    yield from message_faults(root, literals)
    yield from event_faults(root)
    yield from link_faults(root, pages)
    yield from wording_faults(root, pages, literals)
    lines = len((root / "README.md").read_text().splitlines())
    if lines > README_LINES:
        yield f"README.md has {lines} lines; two screens hold {README_LINES}"


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "the documents agree with the source")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
