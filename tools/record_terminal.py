#!/usr/bin/env python3
"""Records spv in a terminal as an animated SVG: syncs a wallet from a real bitcoind on regtest, and shows it.

usage: record_terminal.py SPV >docs/sync.svg     needs a bitcoind ($BITCOIND, on PATH, or from scripts/get-bitcoind)

The program runs in a pseudo-terminal, and its output is shown with its real timing; only the typing and the pauses are
added. The picture is self-contained and has its own background, so it suits light and dark pages.
"""
import fcntl
import html
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import time

from regtest import MNEMONIC, Node, Spv, find_bitcoind

COLUMNS, ROWS = 80, 26
BLOCKS = 12_000
FONT_SIZE, LINE_HEIGHT, CHARACTER, MARGIN = 14, 19, 8.43, 14
PAUSE, KEY, HOLD = 1.2, 0.05, 6.0
# What spv writes: text, line ends, and the escape sequences of its progress line.
TOKEN = re.compile(r"\x1b\[(\d*)([A-Z])|([\r\n])|([^\x1b\r\n]+)")

STYLE = """
  rect { fill: #16181d; stroke: #4a4f5a; }
  text { font: %dpx ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #d7dae0;
         white-space: pre; }
  .typed { fill: #8ec07c; }
  g { visibility: hidden; animation: %gs linear infinite; }
"""


class Screen:
    """The part of a terminal that the program uses."""

    def __init__(self):
        self.lines, self.row, self.column = [""], 0, 0

    def write(self, text):
        for count, escape, end, plain in TOKEN.findall(text):
            if escape == "K":
                self.lines[self.row] = self.lines[self.row][:self.column]
            elif escape == "J":
                self.lines[self.row:] = [self.lines[self.row][:self.column]]
            elif escape == "A":
                self.row = max(0, self.row - int(count or 1))
            elif end == "\r":
                self.column = 0
            elif end == "\n":
                self.row, self.column = self.row + 1, 0
                self.lines += [""] * (self.row + 1 - len(self.lines))
            elif plain:
                line = self.lines[self.row].ljust(self.column)
                self.lines[self.row] = line[:self.column] + plain + line[self.column + len(plain):]
                self.column += len(plain)

    def shown(self):
        return tuple(self.lines[-ROWS:])


class Recording:
    """The contents of the screen over time."""

    def __init__(self):
        self.screen, self.now, self.frames = Screen(), 0.0, []

    def write(self, text):
        self.screen.write(text)
        self.frames.append((self.now, self.screen.shown()))

    def type(self, command):
        self.write("$ ")
        self.now += PAUSE
        for letter in command:
            self.now += KEY
            self.write(letter)
        self.now += 0.3
        self.write("\r\n")

    def run(self, arguments, environment):
        """Runs a program in a terminal and records what it writes, and when."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        start, since = self.now, time.monotonic()
        with subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                              env=environment) as run:
            os.close(theirs)
            while chunk := read(ours):
                self.now = start + time.monotonic() - since
                self.write(chunk)
        os.close(ours)
        if run.returncode != 0:
            raise RuntimeError(f"{' '.join(arguments)}: exit code {run.returncode}: {self.screen.lines[-3:]}")


def read(terminal):
    try:
        return os.read(terminal, 65_536).decode()
    except OSError:  # the other side is closed
        return ""


def thinned(frames, least=0.04):
    """Of frames too close together to be seen, the last one."""
    out = []
    for at, lines in frames:
        if out and at - out[-1][0] < least:
            out[-1] = (out[-1][0], lines)
        elif not out or out[-1][1] != lines:
            out.append((at, lines))
    return out


def text_of(lines):
    out = []
    for number, line in enumerate(lines):
        if not line:
            continue
        place = f'x="{MARGIN}" y="{MARGIN + FONT_SIZE + number * LINE_HEIGHT}"'
        kind = ' class="typed"' if line.startswith("$ ") else ""
        out.append(f'<text {place}{kind} xml:space="preserve">{html.escape(line)}</text>')
    return "".join(out)


def svg(frames, length):
    width = round(2 * MARGIN + COLUMNS * CHARACTER)
    height = 2 * MARGIN + max(len(lines) for _, lines in frames) * LINE_HEIGHT
    steps, groups = [], []
    for number, (at, lines) in enumerate(frames):
        begin = 100 * at / length
        end = 100 * (frames[number + 1][0] if number + 1 < len(frames) else length) / length
        steps.append(f"  @keyframes f{number} {{ 0% {{ visibility: {'visible' if begin == 0 else 'hidden'}; }}"
                     f" {begin:.4f}% {{ visibility: visible; }} {end:.4f}%, 100% {{ visibility: "
                     f"{'visible' if end >= 100 else 'hidden'}; }} }}\n"
                     f"  .f{number} {{ animation-name: f{number}; animation-timing-function: step-end; }}\n")
        groups.append(f'<g class="f{number}">{text_of(lines)}</g>')
    # Viewers that do not animate show the end.
    still = (f"  .f{len(frames) - 1} {{ visibility: visible; }}\n"
             "  @media (prefers-reduced-motion) { g { animation: none; } }\n")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-label="spv sync in a terminal">\n'
            f"<style>{STYLE % (FONT_SIZE, length)}{''.join(steps)}{still}</style>\n"
            f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6"/>\n'
            + "\n".join(groups) + "\n</svg>\n")


def prepare(node, spv):
    """A long chain with two confirmed payments to the wallet, and one unconfirmed."""
    spv.json("restore", "--mnemonic-file", "-", text=MNEMONIC)
    node.make_miner()
    for amount in ("0.5", "0.25"):
        node.rpc("sendtoaddress", spv.json("address", "--new")["address"], amount, wallet="miner")
    node.mine(1, "miner")
    last = node.rpc("send", {spv.json("address", "--new")["address"]: "0.05"}, None, "unset", None,
                    {"add_to_wallet": False}, wallet="miner")
    # A node wallet would process every block, which is some fifty times slower.
    node.rpc("unloadwallet", "miner")
    for _ in range(BLOCKS // 500):
        node.rpc("generatetodescriptor", 500, "raw(51)#8lvh9jxk")
    node.rpc("sendrawtransaction", last["hex"])


def main():
    bitcoind = find_bitcoind()
    if len(sys.argv) != 2 or not bitcoind:
        sys.exit(__doc__ if len(sys.argv) != 2 else "no bitcoind: set BITCOIND=/path/to/bitcoind")
    program = os.path.realpath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="spv-record-") as folder, Node(bitcoind, f"{folder}/node") as node:
        data = f"{folder}/data"
        prepare(node, Spv(program, data))
        environment = {**os.environ, "SPV_DATADIR": data, "TERM": "xterm"}
        recording = Recording()
        for words in (["sync", "--connect", node.address], ["balance"], ["history"]):
            recording.type(" ".join(["spv", "--regtest", *words]))
            recording.run([program, "--regtest", *words], environment)
            recording.now += PAUSE
        recording.write("$ ")
    sys.stdout.write(svg(thinned(recording.frames), recording.now + HOLD))


if __name__ == "__main__":
    main()
