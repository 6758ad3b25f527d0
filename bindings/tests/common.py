"""What the languages share: running a command, the one package of a folder, the environment of somebody who has
nothing of this tree."""
import os
import shutil
import subprocess


def clean_environment(**more):
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("SPV_", "PYTHON", "NODE_", "npm_", "JAVA_"))}
    return {**kept, **more}


def run(*command, **more):
    more.setdefault("env", clean_environment())
    return subprocess.run([str(part) for part in command], check=True, timeout=300, **more)


def only(folder, pattern):
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise SystemExit(f"expected one {pattern} in {folder}, found {len(found)}: run scripts/package bindings")
    return found[0]


def absent(*programs):
    return [name for name in programs if not shutil.which(name)]


def check_backend_length(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 40, f"{path.name} has {len(lines)} lines"
    return path
