#!/usr/bin/env python3
"""Changes one operator or constant at a time in critical code, and expects a test to fail.

usage: mutate.py ROOT BUILD [EVERY] [FILE...]

EVERY: only every n-th mutant. FILE: only these files. Nothing in the tree or the build is changed: a mutant is compiled
separately and linked before the library with the original; the tests of its own file run first. Survivors are printed
with their line; those in tools/mutate_known.txt, which have no visible effect, do not count.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

SPENDING = ("Bump*:Branch*:Cancel*:Change*:Child*:Coin*:Dust*:Estimated*:Fee*:Final*:Hostile*:Input*:Make*:Output*:"
            "*Psbt*:Random*:Select*:Sighash*:Sign*:Solution*:Spend*:Standard*:Usual*:Weight*")
# Where the tests of a file are, if not in the one of its name.
TESTED_IN = {f"wallet/spend/{name}.cpp": f"tests/wallet/spend/{tests}_test.cpp" for name, tests in {
    "branch_and_bound": "coin_selection", "change_policy": "coin_selection", "coin_grinder": "coin_selection",
    "input_check": "input_limits", "psbt": "psbt_read", "psbt_combine": "psbt_roles", "psbt_create": "psbt_roles",
    "psbt_fields": "psbt_read", "psbt_sign": "psbt_roles", "psbt_summary": "psbt_check",
    "random_draw": "coin_selection", "sign_draft": "signer"}.items()}
# Which program must turn red for which file.
SUBJECTS = {
    "bip37/partial_merkle_tree.cpp": ("spv_bip37_tests", "PartialMerkleTree*:TxProof*"),
    "bip37/bloom_filter.cpp": ("spv_bip37_tests", "BloomFilter*:FilterShape*:FilterPlan*:Matcher*"),
    "bip37/murmur3.cpp": ("spv_bip37_tests", "Murmur3*:BloomFilter*"),
    "chain/pow.cpp": ("spv_chain_tests", "*"),
    "chain/header_rules.cpp": ("spv_chain_tests", "*"),
    "chain/header_chain.cpp": ("spv_chain_tests", "*"),
    "wallet/balance.cpp": ("spv_wallet_tests", "Balance*:Wallet*:SetApart*:Ledger*"),
    "wallet/ledger.cpp": ("spv_wallet_tests", "Balance*:Wallet*:SetApart*:Ledger*"),
    **{f"wallet/spend/{name}.cpp": ("spv_wallet_tests", SPENDING) for name in (
        "branch_and_bound", "candidate", "change_policy", "coin_grinder", "coin_selection", "fee_limits", "final_check",
        "funding", "input_check", "input_weight", "payment", "psbt", "psbt_check", "psbt_combine", "psbt_create",
        "psbt_field_rules", "psbt_fields", "psbt_read", "psbt_sign", "psbt_summary", "random_draw", "replacement",
        "sighash", "sign_draft", "signature", "solution", "spend_source")},
}
SWAPS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "),
         (" && ", " || "), (" || ", " && "), (" + ", " - "), (" - ", " + "), (" * ", " + "), (" / ", " * "),
         (" << ", " >> "), (" >> ", " << "), (" & ", " | "), (" | ", " & "), (" ^ ", " & "), (" += ", " -= "),
         (" -= ", " += "), ("++", "--"), ("true", "false"), ("false", "true"), ("(!", "(")]
NUMBER = re.compile(r"(?<![\w.'])(0[xX][0-9A-Fa-f']+|\d[\d']*)(?=U?L?L?\b)")
# A mutant that never ends is dead, whether it works or waits: seconds of CPU, and of a clock that may stand for a busy
# machine.
MOST_CPU, MOST_TIME = 60, 900


def mutants_of(text):
    """(line number, new line) of every change; comments, strings, includes and assertions are left alone."""
    for number, line in enumerate(text.splitlines()):
        code = line.split("//")[0]
        if not code.strip() or code.lstrip().startswith(("#", "using", "static_assert", "namespace", "///")):
            continue
        if '"' in code or "ensure(" in code or "template" in code:
            continue
        for old, new in SWAPS:
            for found in re.finditer(re.escape(old), code):
                yield number, line[:found.start()] + new + line[found.end():]
        for found in NUMBER.finditer(code):
            value = int(found[1].replace("'", ""), 0)
            yield number, line[:found.start()] + str(value + 1) + line[found.end():]


def compile_command(build, source):
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if entry["file"] == str(source):
            words = shlex.split(entry["command"])
            return [word for word in words if not word.startswith(("-O", "-g", "-D_FORTIFY", "-W"))
                    and not word.endswith("ccache")]
    raise RuntimeError(f"{source} is in no target of {build}")


def link_command(build, program):
    commands = subprocess.run(["ninja", "-C", build, "-t", "commands", "-s", program], capture_output=True, text=True,
                              check=True).stdout
    return next(line for line in commands.splitlines() if f"-o {program} " in line)


def own_tests(root, name):
    """The filter of a file's own tests, if it has some: most mutants die there, and the others take longer."""
    path = root / TESTED_IN.get(name, "tests/" + name.replace(".cpp", "_test.cpp"))
    suites = sorted(set(re.findall(r"^TEST(?:_F)?\((\w+)", path.read_text(), re.M))) if path.exists() else []
    return [":".join(f"{suite}.*" for suite in suites)] if suites else []


class Laboratory:
    """Makes and tries the mutants of one file."""

    def __init__(self, root, build, name):
        self.name, self.root, self.build = name, root, build
        self.program, self.tests = SUBJECTS[name]
        self.own_tests = own_tests(root, name)
        self.text = (root / name).read_text()
        self.compiler = compile_command(build, root / name)
        self.linker = link_command(build, self.program)

    def try_one(self, mutant):
        """dead, alive, or senseless where it does not compile."""
        number, changed = mutant
        lines = self.text.splitlines()
        lines[number] = changed
        with tempfile.TemporaryDirectory(prefix="spv-mutant-") as folder:
            source, made = pathlib.Path(folder, "mutant.cpp"), pathlib.Path(folder, "mutant.o")
            source.write_text("\n".join(lines) + "\n")
            words = list(self.compiler)
            words[words.index("-o") + 1], words[words.index("-c") + 1] = str(made), str(source)
            if subprocess.run([*words, "-O1", "-w"], cwd=self.build, capture_output=True, check=False).returncode != 0:
                return "senseless"
            linker = self.linker.replace(f"-o {self.program} ", f"-o {folder}/tests {made} ")
            subprocess.run(linker, shell=True, cwd=self.build, capture_output=True, check=True)
            survives = all(self.passes(folder, tests) for tests in (*self.own_tests, self.tests))
            return "alive" if survives else "dead"

    @staticmethod
    def passes(folder, tests):
        environment = dict(os.environ, SPV_VECTORS="/nonexistent", TMPDIR=folder, SPV_QUICK_TESTS="1")
        try:
            return subprocess.run(["prlimit", f"--cpu={MOST_CPU}", f"{folder}/tests", f"--gtest_filter={tests}",
                                   "--gtest_fail_fast"],
                                  capture_output=True, timeout=MOST_TIME, env=environment, check=False).returncode == 0
        except subprocess.TimeoutExpired:
            return False


def known_survivors(root):
    path = root / "tools" / "mutate_known.txt"
    lines = path.read_text().splitlines() if path.exists() else []
    return {line for line in lines if line and not line.startswith("#")}


def main():
    root, build = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    every = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    known = known_survivors(root)
    dead = tried = passed = 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("SPV_JOBS", os.cpu_count()))) as pool:
        for name in sys.argv[4:] or SUBJECTS:
            laboratory = Laboratory(root, build, name)
            if laboratory.try_one((0, laboratory.text.splitlines()[0])) != "alive":
                sys.exit(f"{name}: its tests are red without any change")
            chosen = list(mutants_of(laboratory.text))[::every]
            here = [0, 0]
            for (number, changed), end in zip(chosen, pool.map(laboratory.try_one, chosen)):
                said = f"{name}: {changed.strip()}"
                if end == "senseless" or (end == "alive" and said in known):
                    passed += 1
                    continue
                here[0] += 1
                here[1] += end == "dead"
                if end == "alive":
                    print(f"survives: {name}:{number + 1}: {changed.strip()}", flush=True)
            print(f"{name}: {here[1]} of {here[0]} killed", flush=True)
            tried, dead = tried + here[0], dead + here[1]
    score = 100 * dead / tried if tried else 0
    print(f"mutate: {tried} mutants, {dead} killed, score {score:.1f} %; {passed} more do not compile or change nothing")
    sys.exit(0 if score >= 80 else 1)


if __name__ == "__main__":
    main()
