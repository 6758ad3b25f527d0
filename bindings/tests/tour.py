"""The program that docs/library.md and the README of a language show is run as it stands: it must print a payment."""
import pathlib
import re
import select
import subprocess
import time

from common import clean_environment

ROOT = pathlib.Path(__file__).resolve().parents[2]
ADDRESS = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk"
TIMEOUT = 120


def code_of(path, fence):
    return re.findall(rf"^```{fence}\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S)


def shown(installed):
    code = code_of(installed.readme, installed.fence)[0]
    assert code in code_of(ROOT / "docs/library.md", installed.fence), "README and docs/library.md show different programs"
    return code


def wait_for(output, text):
    said, end = b"", time.monotonic() + TIMEOUT
    while text not in said:
        left = end - time.monotonic()
        data = output.read1() if left > 0 and select.select([output], [], [], left)[0] else b""
        assert data, f"the program never printed {text}: {said}"
        said += data


def run(installed, node, work):
    """The address and the data directory in it are the only things that are not as they would be for a reader."""
    code = shown(installed).replace("/var/lib/shop", str(work / "tour")).replace("127.0.0.1:18444", node.address)
    assert ADDRESS in code and node.address in code
    paid = node.rpc("sendtoaddress", ADDRESS, "0.1", wallet="miner")
    node.mine(1, "miner")
    program = subprocess.Popen([str(part) for part in installed.tour(code)], stdout=subprocess.PIPE, env=clean_environment())
    try:
        wait_for(program.stdout, paid.encode())
    finally:
        program.kill()
        program.wait()
        program.stdout.close()
