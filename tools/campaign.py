#!/usr/bin/env python3
"""Runs the long test campaigns and prints one line for each, with the counts that the tests recorded.

usage: campaign.py BUILD short|long NAME...

Exit code 0 if all of them passed. The counts are GoogleTest properties, summed over the tests of a campaign.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

# What a campaign is: its counts with the words for them, and what runs, as (program, filter).
CAMPAIGNS = {
    "kill": (("points", "write points"), ("kills", "kills"),
             (("spv_store_tests", "WalletFaults.S1_*:WalletKills.S1_*:WalletRepositoryTest.S1_*:HeaderFileTest.S1_*"),)),
    "torn": (("images", "images"),
             (("spv_store_tests", "WalletFaults.S2_*:HeaderFileTest.S1_S2_*"),)),
    "full": (("faults", "faults"), (("spv_store_tests", "WalletFaults.S3_*:HeaderFileTest.S3_*"),)),
    "memory": (("faults", "failed allocations"),
               (("spv_store_tests", "WalletFaults.S11_*"), ("spv_store_memory_tests", "*"),
                ("spv_integration_tests", "NoMemory.*"))),
    "mutate": (("files", "files"), ("refused", "refused, the others as they were"),
               (("spv_store_tests", "WalletFaults.S6_*:WalletRepositoryTest.S6_*:HeaderFileTest.S6_*"),)),
    "backup": (("copies", "copies"), (("spv_store_tests", "WalletFaults.S9_*"),)),
    "soak": (("blocks", "blocks"), ("reorganisations", "reorganisations"), ("peer_changes", "peer changes"),
             (("spv_scenario_tests", "Soak.*"),)),
    "network": (("seeds", "seeds"), (("spv_scenario_tests", "RandomScenario.*"),)),
}


def run_tests(program, wanted, environment):
    """The cases that ran, as GoogleTest tells them; or what it said where it could not."""
    with tempfile.TemporaryDirectory(prefix="spv-campaign-") as folder:
        report = pathlib.Path(folder, "report.json")
        result = subprocess.run([program, f"--gtest_filter={wanted}", f"--gtest_output=json:{report}"],
                                env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                errors="replace", check=False)
        if not report.exists():
            return [], f"{program} ended with {result.returncode}\n{result.stdout[-2000:]}{result.stderr[-2000:]}"
        suites = json.loads(report.read_text())["testsuites"]
        cases = [case for suite in suites for case in suite["testsuite"]]
        failed = [f'{case["classname"]}.{case["name"]}: {case["failures"][0]["failure"][:1000]}'
                  for case in cases if "failures" in case]
        return [case for case in cases if case["result"] == "COMPLETED"], "\n".join(failed)


def run(build, name, environment):
    *counts, programs = CAMPAIGNS[name]
    start = time.monotonic()
    cases, problems = [], []
    for program, wanted in programs:
        ran, problem = run_tests(str(build / program), wanted, environment)
        cases += ran
        problems += [problem] if problem else [] if ran else [f"{program}: nothing ran"]
    said = ", ".join(f"{sum(int(case.get(key, 0)) for case in cases):,} {words}" for key, words in counts)
    end = "FAILED" if problems else "0 lost, 0 wrong"
    print(f"{name}: {said}, {end}, {len(cases)} tests, {time.monotonic() - start:.0f} s", flush=True)
    if problems:
        print("\n".join(problems), file=sys.stderr, flush=True)
    return not problems


def main():
    build, length, *names = sys.argv[1:]
    environment = dict(os.environ, SPV_LONG_TESTS="1" if length == "long" else "0")
    # What a kill leaves does not depend on the disk, and a real one takes a hundred times as long.
    if "TMPDIR" not in environment and os.access("/dev/shm", os.W_OK):
        environment["TMPDIR"] = "/dev/shm"
    good = [run(pathlib.Path(build), name, environment) for name in names or CAMPAIGNS]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
