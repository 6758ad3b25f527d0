#!/usr/bin/env python3
"""Checks what is packaged besides the program: the systemd unit, the settings, the Debian scripts, the Dockerfile.

usage: run.py SPV     what needs systemd-analyze is skipped where it is missing
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
SPV = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "/usr/bin/spv"


def options_of_serve():
    said = subprocess.run([SPV, "serve", "--help"], capture_output=True, text=True, check=True).stdout
    common = subprocess.run([SPV, "--help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"--([a-z][a-z0-9-]*)", said + common))


class Unit(unittest.TestCase):
    """packaging/spv-server.service"""

    def setUp(self):
        self.text = (PACKAGING / "spv-server.service").read_text()
        self.settings = re.findall(r"(?m)^(\w+)=(.*)$", self.text)

    def test_it_is_hardened(self):
        for wanted in (("DynamicUser", "yes"), ("ProtectSystem", "strict"), ("NoNewPrivileges", "yes"), ("PrivateTmp", "yes"),
                       ("PrivateDevices", "yes"), ("ProtectHome", "yes"), ("ProtectKernelTunables", "yes"),
                       ("ProtectKernelModules", "yes"), ("ProtectKernelLogs", "yes"), ("CapabilityBoundingSet", ""),
                       ("MemoryDenyWriteExecute", "yes"), ("UMask", "0077"), ("StateDirectory", "spv"),
                       ("Restart", "on-failure")):
            self.assertIn(wanted, self.settings)
        names = {name for name, _ in self.settings}
        self.assertTrue({"SystemCallFilter", "RestrictAddressFamilies"} <= names)
        self.assertIn("LoadCredential=token:", self.text)

    def test_the_program_has_its_options(self):
        command = dict(self.settings)["ExecStart"].split()
        self.assertEqual(["/usr/bin/spv", "serve"], command[:2])
        options = options_of_serve()
        for word in command:
            if word.startswith("--"):
                self.assertIn(word[2:], options)
        for name in re.findall(r"SPV_([A-Z_]+)=", self.text):
            self.assertIn(name.lower().replace("_", "-"), options)

    def analyze(self, *words):
        """With the program that was built in place of the one to be installed."""
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze")
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder, "spv-server.service")
            unit.write_text(self.text.replace("/usr/bin/spv", SPV))
            return subprocess.run(["systemd-analyze", *words, str(unit)], capture_output=True, text=True, check=False)

    def test_systemd_can_read_it(self):
        result = self.analyze("verify", "--man=no")
        said = [line for line in (result.stdout + result.stderr).splitlines() if "spv-server" in line]
        self.assertEqual([], said)

    def test_systemd_finds_it_safe(self):
        # 15 is 1.5 of 10, where 0 is a service that can do nothing at all.
        result = self.analyze("security", "--offline=true", "--no-pager", "--threshold=15")
        self.assertEqual(0, result.returncode, result.stdout[-6000:] + result.stderr)


class Settings(unittest.TestCase):
    """packaging/spv.conf"""

    def test_every_option_in_it_exists(self):
        text = (PACKAGING / "spv.conf").read_text()
        names = re.findall(r"(?m)^#?([a-z][a-z-]*)=", text)
        self.assertGreater(len(names), 5)
        self.assertLessEqual(set(names), options_of_serve())

    def test_the_program_takes_all_of_them(self):
        text = re.sub(r"(?m)^#([a-z][a-z-]*=)", r"\1", (PACKAGING / "spv.conf").read_text())
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "spv.conf")
            file.write_text("".join(line + "\n" for line in text.splitlines() if not line.startswith("database=")))
            result = subprocess.run([SPV, "list", "--config", str(file), "--datadir", folder], capture_output=True,
                                    text=True, check=False)
        self.assertEqual(0, result.returncode, result.stderr)


class Debian(unittest.TestCase):
    """packaging/debian"""

    def test_scripts(self):
        for name in ("postinst", "prerm", "postrm"):
            file = PACKAGING / "debian" / name
            text = file.read_text()
            self.assertTrue(text.startswith("#!/bin/sh\n"))
            self.assertIn("\nset -e\n", text)
            self.assertTrue(os.access(file, os.X_OK))
            subprocess.run(["sh", "-n", str(file)], check=True)
            self.assertNotRegex(text, r"rm .*-[a-z]*r")  # nobody's wallets are deleted

    def test_settings_are_kept_on_an_update(self):
        self.assertEqual("/etc/spv/spv.conf\n", (PACKAGING / "debian" / "conffiles").read_text())


class Dockerfile(unittest.TestCase):
    """packaging/Dockerfile, by rules as hadolint has them."""

    def setUp(self):
        text = (PACKAGING / "Dockerfile").read_text()
        lines = re.sub(r"\\\n", " ", re.sub(r"(?m)^#.*\n", "", text)).splitlines()
        self.steps = [re.fullmatch(r"([A-Z]+)\s+(.*)", line.strip()).groups() for line in lines if line.strip()]

    def of(self, name):
        return [rest for each, rest in self.steps if each == name]

    def test_bases_are_pinned_to_a_release_of_debian(self):
        bases = self.of("FROM")
        self.assertEqual(2, len(bases))
        for base in bases:
            self.assertRegex(base, r"^debian:12\.\d+-slim( AS \w+)?$")

    def test_it_does_not_run_as_root(self):
        last = max(index for index, (name, _) in enumerate(self.steps) if name == "FROM")
        users = [rest for name, rest in self.steps[last:] if name == "USER"]
        self.assertEqual(1, len(users))
        self.assertNotIn(users[0].split(":")[0], ("root", "0"))

    def test_nothing_is_fetched_unchecked(self):
        self.assertEqual([], self.of("ADD"))
        for step in self.of("RUN"):
            self.assertNotRegex(step, r"(curl|wget) \S*https?://|\bsudo\b|apt-get (dist-)?upgrade")

    def test_package_lists_do_not_stay(self):
        for step in self.of("RUN"):
            if "apt-get" not in step:
                continue
            self.assertRegex(step, r"apt-get update && +apt-get install -y --no-install-recommends")
            self.assertIn("rm -rf /var/lib/apt/lists/*", step)

    def test_pipes_fail(self):
        self.assertEqual(2, len([each for each in self.of("SHELL") if "pipefail" in each]))

    def test_commands_get_signals(self):
        for name in ("ENTRYPOINT", "CMD"):
            for each in self.of(name):
                self.assertTrue(each.startswith("["), each)

    def test_it_listens_where_it_says(self):
        self.assertEqual(["8338"], self.of("EXPOSE"))
        entry = self.of("ENTRYPOINT")[0]
        self.assertIn("0.0.0.0:8338", entry)
        options = options_of_serve()
        for word in re.findall(r'"--([a-z-]+)"', entry):
            self.assertIn(word, options)
        self.assertIn("127.0.0.1:8338/healthz", self.of("HEALTHCHECK")[0])
        self.assertIn("curl", "".join(self.of("RUN")[-1:]))

    def test_what_it_copies_exists(self):
        for each in self.of("COPY"):
            for source in each.split()[:-1]:
                self.assertTrue((ROOT / source).exists(), source)
        self.assertIn("build", (PACKAGING / "Dockerfile.dockerignore").read_text().split())

    def test_no_secrets(self):
        for name in ("ENV", "ARG"):
            for each in self.of(name):
                self.assertNotRegex(each, "(?i)token|password|key|secret")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
