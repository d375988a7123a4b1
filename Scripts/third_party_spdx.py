"""A bill of materials in SPDX 2.3 (JSON) for an artefact of a release. Equal inputs give equal bytes."""

import hashlib
import json
import os
import re
from datetime import datetime, timezone
from pathlib import Path

from third_party import PROGRAMS, ROOT, Problem, components, linked_parts, output, package_of, toolchain

NAMESPACE = "https://spdx.org/spdxdocs"
OWN_COPYRIGHT = "Copyright 2026 the hapsim authors"
OWN_LICENCE = "Apache-2.0"


def created():
    """The time of SOURCE_DATE_EPOCH, or of the last commit."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or output("git", "-C", str(ROOT), "log", "-1", "--format=%ct")
    return datetime.fromtimestamp(int(seconds), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def identifier(*words):
    return "SPDXRef-" + "-".join(re.sub(r"[^A-Za-z0-9.-]", "-", word) for word in words)


def checksum(path):
    return [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(Path(path).read_bytes()).hexdigest()}]


def package(name, version, licence, copyright_text, **more):
    return {
        "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": copyright_text, **more,
    }  # fmt: skip


def reference(name, version, architecture):
    locator = f"pkg:deb/debian/{name}@{version.replace(':', '%3A').replace('+', '%2B')}?arch={architecture}"
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}]


def component(part, version, **more):
    text = "\n".join(f"Copyright {holder}" for holder in part["copyright"])
    return package(part["name"], version, part["licence"], text, homepage=part["homepage"], primaryPackagePurpose="LIBRARY", **more)


def library(part, path):
    """The package of a linked library: with the exact version, by the Debian package or the toolchain that contains the file."""
    if part.get("toolchain"):
        version = toolchain()[0]
        return component(part, version, sourceInfo=f"{part['id']} of the toolchain of Swift {version}")
    owner = package_of(path.resolve()) or package_of(path)
    if owner is None:
        raise Problem(f"no Debian package contains {path}, so the version of {part['name']} is unknown")
    upstream = re.sub(r"^\d+:|[-+~][^-]*$", "", owner[1])
    source = f"Debian package {owner[0]} {owner[1]}"
    return component(part, upstream, sourceInfo=source, externalRefs=reference(*owner))


def optional_library(part):
    """The package of a library that is no part of a program, with the version that was tested."""
    return component(part, part["versions"], comment=part["purpose"])


def debian_packages(status):
    """The installed packages of a file `dpkg/status`, as in a container image."""
    for block in Path(status).read_text(encoding="utf-8", errors="replace").split("\n\n"):
        fields = dict(re.findall(r"^(Package|Version|Architecture|Status): (.+)$", block, re.M))
        if fields.get("Status", "").endswith(" installed"):
            name, version, architecture = fields["Package"], fields["Version"], fields["Architecture"]
            entry = package(name, version, "NOASSERTION", "NOASSERTION", externalRefs=reference(name, version, architecture))
            yield {"SPDXID": identifier("Debian", name, architecture), **entry}


def relation(source, kind, target):
    return {"spdxElementId": source, "relationshipType": kind, "relatedSpdxElement": target}


def document(name, version, programs=None, artefact=None, packed=None, status=None):
    """The document of one artefact. `programs`: the folder of the programs with symbols; `packed`: the folder of the same programs
    as they are in the artefact; `artefact`: the file; `status`: the dpkg status of an image."""
    top = identifier("Artefact")
    whole = package(name, version, OWN_LICENCE, OWN_COPYRIGHT, primaryPackagePurpose="ARCHIVE")
    packages = [{"SPDXID": top, **whole, **({"checksums": checksum(artefact)} if artefact else {})}]
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", top)]
    listed, every = {}, {part["id"]: part for part in components()}
    for program in [name for name in PROGRAMS if programs and (programs / name).exists()]:
        own = identifier("Program", program)
        details = {"primaryPackagePurpose": "APPLICATION", **({"checksums": checksum(packed / program)} if packed else {})}
        packages.append({"SPDXID": own, **package(program, version, OWN_LICENCE, OWN_COPYRIGHT, **details)})
        relations.append(relation(top, "CONTAINS", own))
        linked = set()
        for part, how, path in linked_parts(programs / program):
            name_of = identifier(part, how)
            listed.setdefault(name_of, {"SPDXID": name_of, **library(every[part], path)})
            linked.add(({"static": "STATIC_LINK", "shared": "DYNAMIC_LINK"}[how], name_of))
        relations += [relation(own, kind, target) for kind, target in sorted(linked)]
        for part in [part for part in every.values() if "loads" in part]:
            optional = identifier(part["id"], "loaded")
            listed.setdefault(optional, {"SPDXID": optional, **optional_library(part)})
            relations.append(relation(optional, "RUNTIME_DEPENDENCY_OF", own))
    if programs and len(packages) == 1:
        raise Problem(f"{programs} has none of the programs {', '.join(PROGRAMS)}")
    packages += [listed[key] for key in sorted(listed)]
    for entry in debian_packages(status) if status else ():
        packages.append(entry)
        relations.append(relation(top, "CONTAINS", entry["SPDXID"]))
    result = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "creationInfo": {"created": created(), "creators": ["Tool: hapsim-third-party", "Organization: the hapsim authors"]},
        "packages": packages, "relationships": relations,
    }  # fmt: skip
    digest = hashlib.sha256(json.dumps(result, sort_keys=True).encode()).hexdigest()
    result["documentNamespace"] = f"{NAMESPACE}/{name}-{digest[:32]}"
    return json.dumps(result, indent=1, ensure_ascii=False) + "\n"
