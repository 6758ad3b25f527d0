"""bcoin's SPV mode on chain A, where node and bcoin are installed (npm install bcoin --ignore-scripts; npm rebuild mrmr bcrypto bfilter)."""
import pathlib
import subprocess
from statistics import median

from clients import WrongResult

SCRIPT = pathlib.Path(__file__).with_name("bcoin_spv.js")
MEASURE, GOAL = "against bcoin's SPV mode, client CPU", ">= 10x less"


def bcoin_row(clients, node, spv_runs):
    """A row of the table; says so where bcoin is not there."""
    try:
        subprocess.run(["node", str(SCRIPT), "--check"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return MEASURE, GOAL, "skipped: no node, or no bcoin (see docs/bench.md)", None
    try:
        run = clients.bcoin([node], SCRIPT)
    except WrongResult as error:
        return MEASURE, GOAL, f"bcoin failed: {error}"[:80], None
    factor = run.cpu / median(spv.cpu for spv in spv_runs)
    found = run.out["balance_sat"] == node.chain.about["wallets"]["kept"]["balance_sat"]
    return MEASURE, GOAL, f"{factor:.0f}x ({run.wall:.1f} s, CPU {run.cpu:.1f} s, " \
        f"{'right' if found else 'wrong'} balance)", factor >= 10
