#!/usr/bin/env python3
"""Checks that functions, classes and headers stay small, using universal-ctags.

usage: check_sizes.py [ROOT]     prints one line per violation; exit 1 if there are any, 77 without ctags
       check_sizes.py --self-test

A function has at most 40 lines, a class at most 15 data members (static ones aside), a header at most 200 lines; the
public headers (include/) may be longer. Tests, benchmarks and examples are not checked.
"""
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from check_layers import ALLOWED as FOLDERS

MAX_FUNCTION_LINES = 40
MAX_MEMBERS = 15
MAX_HEADER_LINES = 200

# What may be larger, and why. An entry that is not needed any more is a violation too.
LARGE_FUNCTIONS = {
    "spv::sync::to_string(DisconnectReason reason)": "a plain switch: one line a value of the enum",
}
LARGE_CLASSES = {
    "spv::Options": "a table of options: one field a setting of the library",
    "spv_options": "the same for C, where fields can only be added",
    "spv_event": "one struct for all events of the C ABI, where fields can only be added",
    "spv::chain::NetworkParams": "a table of parameters: one field a rule in which the networks differ",
}


def ctags():
    """The program, or None: exuberant-ctags has the same name and does not know today's C++."""
    for name in ("ctags-universal", "ctags"):
        path = shutil.which(name)
        if path and "Universal Ctags" in subprocess.run([path, "--version"], capture_output=True, text=True,
                                                        check=False).stdout:
            return path
    return None


def tags_of(program, root, files):
    result = subprocess.run(
        [program, "--options=NONE", "--languages=C,C++", "--langmap=C++:+.h", "-I", "[[nodiscard]],[[noreturn]]",
         "--kinds-C++=fm", "--kinds-C=fm", "--fields=+neKSs", "--output-format=json", "-L", "-", "-o", "-"],
        input="\n".join(str(path.relative_to(root)) for path in files), cwd=root, capture_output=True, text=True,
        check=True)
    return [json.loads(line) for line in result.stdout.splitlines()]


def scope_of(tag):
    """Without ctags' names for anonymous namespaces."""
    return re.sub(r"__anon\w+::|::__anon\w+$|^__anon\w+$", "", tag.get("scope", ""))


def is_static(tag):
    return "static " in tag["pattern"].split(tag["name"])[0]


def sizes(tags):
    """The lines of each function and the members of each class, by place and name."""
    functions, classes = {}, collections.Counter()
    for tag in tags:
        if tag["kind"] == "function" and "end" in tag:
            name = "::".join(filter(None, (scope_of(tag), tag["name"]))) + tag.get("signature", "")
            functions[f"{tag['path']}:{tag['line']}", name] = tag["end"] - tag["line"] + 1
        elif tag["kind"] == "member" and not is_static(tag):
            classes[tag["path"], scope_of(tag)] += 1
    return functions, classes


def too_large(found, most, allowed, what):
    for (place, name), size in sorted(found.items()):
        if size > most and name not in allowed:
            yield f"{place}: {name} has {size} {what}, more than {most}"
    for name in allowed:
        if not any(size > most for (_, other), size in found.items() if other == name):
            yield f"check_sizes.py: {name} may be large, but is not any more: remove it from the list"


def check(program, root, large_functions, large_classes):
    files = [path for folder in (*FOLDERS, "include") for path in sorted((root / folder).rglob("*"))
             if path.suffix in {".h", ".cpp", ".c"}]
    if not files:
        yield f"{root}: there is nothing to look at"
        return
    functions, classes = sizes(tags_of(program, root, files))
    yield from too_large(functions, MAX_FUNCTION_LINES, large_functions, "lines")
    yield from too_large(classes, MAX_MEMBERS, large_classes, "data members")
    for path in files:
        name = path.relative_to(root)
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if path.suffix == ".h" and name.parts[0] != "include" and lines > MAX_HEADER_LINES:
            yield f"{name}: {lines} lines, more than {MAX_HEADER_LINES}"


def self_test(program):
    """Everything at its limit passes; one more of each is found, by its name."""
    def function(name, lines):
        return f"int {name}(int x) {{\n" + "  ++x;\n" * (lines - 3) + "  return x;\n}\n"

    def holder(name, members):
        fields = "".join(f"  std::function<void(int)> f{i}_;\n" for i in range(members))
        return (f"class {name} {{\n public:\n  [[nodiscard]] int get() const;\n\n private:\n"
                f"  static constexpr int kLimit = 5;\n  static int count_;\n{fields}}};\n")

    with tempfile.TemporaryDirectory(prefix="spv-sizes-") as folder:
        root = pathlib.Path(folder)

        def write(name, text):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")

        def found(functions=(), classes=()):
            return list(check(program, root, dict.fromkeys(functions, "why"), dict.fromkeys(classes, "why")))

        assert found() == [f"{root}: there is nothing to look at"]
        write("util/good.cpp", "namespace spv::util {\n" + function("edge", 40) + "}\n")
        write("util/good.h", "namespace spv::util {\n" + holder("Edge", 15) + "}\n")
        write("chain/long.h", "\n" * 200)
        write("include/spv/api.h", "\n" * 500)
        write("tests/any.cpp", function("test", 100))
        assert found() == [], found()
        write("util/bad.cpp", "namespace spv::util {\nnamespace {\nstruct Inner {\n" + function("method", 41) +
              "};\n}\n" + function("free_one", 60) + "}\n")
        write("util/bad.h", "namespace spv::util {\n" + holder("Bag", 16) + "}\n")
        write("chain/long.h", "\n" * 201)
        bad = found()
        wanted = ["spv::util::Inner::method(int x) has 41 lines", "free_one(int x) has 60 lines",
                  "Bag has 16 data members", "chain/long.h: 201 lines"]
        assert len(bad) == 4 and all(any(each in line for line in bad) for each in wanted), bad
        assert len(found(["spv::util::free_one(int x)"], ["spv::util::Bag"])) == 2
        listed = found(["spv::util::edge(int x)"])
        assert any("edge(int x) may be large, but is not any more" in line for line in listed), listed
    return 0


def main():
    program = ctags()
    if program is None:
        print("no universal-ctags: run scripts/setup")
        return 77
    if sys.argv[1:] == ["--self-test"]:
        return self_test(program)
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    problems = list(check(program, root, LARGE_FUNCTIONS, LARGE_CLASSES))
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
