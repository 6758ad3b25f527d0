"""The packed module in a folder with nothing else, installed without a network and without a compiler."""
import json
import pathlib
import shutil

from common import absent, check_backend_length, clean_environment, only, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "bindings/node"


def missing():
    return absent("node", "npm")


class Installed:
    readme = HERE / "README.md"
    fence = "js"

    def __init__(self, packages, work):
        self.work = work
        (work / "package.json").write_text('{"private": true}', encoding="ascii")
        run("npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error",
            only(packages, "libspv-*.tgz"), cwd=work, env=clean_environment(CC="false"))
        for each in ("examples/payments_backend.mjs", "tests/libspv.test.js", "tests/signer.mjs", "tests/typed.ts"):
            shutil.copy(HERE / each, work)

    def test(self, declared):
        run("node", "--expose-gc", self.work / "libspv.test.js", declared, self.work / "node_modules/libspv", cwd=self.work)
        if shutil.which("tsc"):
            # Without the types of whatever lies above this folder.
            options = {"strict": True, "noEmit": True, "target": "es2020", "module": "commonjs", "types": []}
            (self.work / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "files": ["typed.ts"]}),
                                                     encoding="ascii")
            run("tsc", "-p", self.work)
        else:
            print("SKIPPED: no tsc")

    def backend(self):
        return ["node", check_backend_length(self.work / "payments_backend.mjs")]

    def check_signer(self, data_dir):
        run("node", self.work / "signer.mjs", data_dir)

    def tour(self, code):
        (self.work / "tour.js").write_text(code, encoding="utf-8")
        return ["node", self.work / "tour.js"]


install = Installed
