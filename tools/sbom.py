#!/usr/bin/env python3
"""Writes what the program and the library consist of as an SPDX 2.3 document.

usage: sbom.py BUILD VERSION COMMIT COMMIT_TIME OUT

What is linked is read from the finished files, what is compiled in from the headers that ninja has noted for their
objects; the package of each is asked from dpkg. The same commit, built with the same packages, gives the same bytes.
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import time

SUBJECTS = {"spv": "spv", "libspv": "capi/libspv.so.0"}  # name, path in the build folder


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed(binary):
    """The names of the shared libraries that it asks for, not those that they ask for in turn."""
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output_of("readelf", "--dynamic", "--wide", str(binary)))


def path_of_libraries(binary):
    """Where the loader finds each of them."""
    return dict(re.findall(r"^\s+(\S+) => (/\S+) \(", output_of("ldd", str(binary)), re.M))


def headers_of(build, target):
    """The headers outside of the tree and the build folder that objects of a target were compiled from."""
    inputs = output_of("ninja", "-C", str(build), "-t", "inputs", target).split("\n")
    objects = [line for line in inputs if line.endswith(".o")]
    noted = output_of("ninja", "-C", str(build), "-t", "deps", *objects)
    return {line.strip() for line in noted.split("\n") if line.startswith("    /usr/")}


def owners(paths):
    """The package of each path, by dpkg; its database names some paths as they were before /lib became /usr/lib."""
    forms = {form: path for path in paths for real in (path, str(pathlib.Path(path).resolve()))
             for form in (real, real.removeprefix("/usr"))}
    found = {}
    names = sorted(forms)
    for start in range(0, len(names), 500):
        result = subprocess.run(["dpkg-query", "--search", *names[start:start + 500]],
                                capture_output=True, text=True, check=False)
        for line in result.stdout.split("\n"):
            package, colon, path = line.rpartition(": ")
            if colon and path in forms:
                found[forms[path]] = package.split(", ")[0]
    missing = sorted(set(paths) - set(found))
    if missing:
        raise SystemExit(f"sbom: no Debian package has {missing[0]}, and {len(missing) - 1} others")
    return found


def details(packages):
    fields = "${binary:Package}\t${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\t${Homepage}\n"
    rows = (line.split("\t") for line in output_of("dpkg-query", "-W", "-f", fields, *sorted(packages)).splitlines())
    return {row[0]: dict(zip(("name", "version", "arch", "source", "source_version", "homepage"), row[1:])) for row in rows}


def identifier(text):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", text)


def debian_package(about):
    return {
        "SPDXID": identifier("Package-" + about["name"]),
        "name": about["name"],
        "versionInfo": about["version"],
        "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        **({"homepage": about["homepage"]} if about["homepage"] else {}),
        "sourceInfo": f"built from Debian's source package {about['source']} {about['source_version']}",
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "comment": f"licences: /usr/share/doc/{about['name']}/copyright of the package",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{about['name']}@{about['version']}?arch={about['arch']}&distro=debian-12"}],
    }


def own_package(name, binary, version):
    return {
        "SPDXID": identifier("Package-" + name),
        "name": name,
        "versionInfo": version,
        "packageFileName": binary.resolve().name,
        "supplier": "Organization: the spv authors",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "checksums": [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(binary.read_bytes()).hexdigest()}],
        "licenseConcluded": "MIT",
        "licenseDeclared": "MIT",
        "copyrightText": "NOASSERTION",
        "primaryPackagePurpose": "APPLICATION" if name == "spv" else "LIBRARY",
    }


def relation(subject, kind, other):
    return {"spdxElementId": subject, "relationshipType": kind, "relatedSpdxElement": other}


def parts_of(build, path):
    """Of a program or library: the packages that it is linked to, and those whose headers are compiled into it."""
    binary = build / path
    places = path_of_libraries(binary)
    linked = {places[name] for name in needed(binary) if name in places}  # the loader itself has no place
    headers = headers_of(build, path)
    package = owners(linked | headers)
    return {package[at] for at in linked}, {package[at] for at in headers}


def document(build, version, commit, when):
    parts = {name: parts_of(build, path) for name, path in SUBJECTS.items()}
    known = details({package for both in parts.values() for some in both for package in some})
    own = [own_package(name, build / path, version) for name, path in SUBJECTS.items()]
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", package["SPDXID"]) for package in own]
    for name, (linked, compiled) in parts.items():
        subject = identifier("Package-" + name)
        for kind, packages in (("DYNAMIC_LINK", linked), ("CONTAINS", compiled)):
            ids = {identifier("Package-" + known[package]["name"]) for package in packages}
            relations += [relation(subject, kind, other) for other in sorted(ids)]
    packages = {about["name"]: debian_package(about) for about in known.values()}
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"spv-{version}",
        "documentNamespace": f"https://spv.invalid/sbom/{version}/{commit}",
        "comment": "CONTAINS: headers of this package are compiled in. DYNAMIC_LINK: loaded when the program starts.",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when)),
                         "creators": ["Tool: spv-sbom"]},
        "packages": own + [packages[name] for name in sorted(packages)],
        "relationships": relations,
    }


def main():
    build, version, commit, when, out = sys.argv[1:]
    made = document(pathlib.Path(build), version, commit, int(when))
    pathlib.Path(out).write_text(json.dumps(made, indent=1) + "\n")
    linked = sum(relation["relationshipType"] == "DYNAMIC_LINK" for relation in made["relationships"])
    print(f"{len(made['packages']) - len(SUBJECTS)} Debian packages, {linked} links")


if __name__ == "__main__":
    main()
