"""The wheel in a virtual environment without a network."""
import pathlib
import shutil

from common import absent, check_backend_length, only, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "bindings/python"
# Debian's, which the package must work with; another one may lie before it.
PYTHON = "/usr/bin/python3" if pathlib.Path("/usr/bin/python3").exists() else "python3"


def missing():
    return absent(PYTHON)


class Installed:
    readme = HERE / "README.md"
    fence = "python"

    def __init__(self, packages, work):
        environment = work / "venv"
        run(PYTHON, "-m", "venv", "--without-pip", environment)
        self.python = environment / "bin/python"
        target = next((environment / "lib").glob("python*/site-packages"))
        # The venv has no pip of its own: that would take longer than all the tests.
        run(PYTHON, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile",
            "--disable-pip-version-check", "--root-user-action=ignore", "--target", target,
            only(packages, "libspv-*.whl"))
        self.package = target / "libspv"

    def test(self, declared):
        run(self.python, "-W", "error", HERE / "tests/test_libspv.py", declared, cwd=self.package.parents[3])
        if shutil.which("/usr/bin/mypy"):
            run("/usr/bin/mypy", "--strict", "--no-incremental", self.package)
            # What the package says of itself is what its users' checks see.
            run("/usr/bin/mypy", "--strict", "--no-incremental", "--python-executable", self.python, HERE / "tests/typed.py")
        else:
            print("SKIPPED: no mypy")

    def backend(self):
        return [self.python, check_backend_length(HERE / "examples/payments_backend.py")]

    def check_signer(self, data_dir):
        run(self.python, HERE / "tests/signer.py", data_dir)

    def tour(self, code):
        return [self.python, "-u", "-c", code]


install = Installed
