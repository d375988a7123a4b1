"""The libraries of other projects in hapsim's programs: Scripts/third-party.json, the links of the sources, and the built programs."""

import fnmatch
import json
import os
import re
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ("hapsim", "hapctl", "haptest")
LIST = "Scripts/third-party.json"
PAGE = "THIRD-PARTY.md"
START, END = "<!-- libraries -->", "<!-- /libraries -->"
EVERYWHERE = {"swift", "libdispatch", "libstdcxx", "libgcc", "glibc"}  # components that the compiler links into each program
# The names of a licence in Debian's copyright files, by its SPDX identifier; `WITH` and its exception are left out.
DEBIAN_NAMES = {
    "Apache-2.0": ["Apache-2.0"], "BSD-2-Clause": ["BSD-2-clause"], "BSD-3-Clause": ["BSD-3-clause"], "GPL-3.0-or-later": ["/GPL-3"],
    "IJG": ["BSD-BY-LC-NE"], "ISC": ["ISC"], "LGPL-2.1-or-later": ["LGPL-2.1+", "/LGPL-2.1", "version 2.1 of the"], "MIT": ["Expat"],
    "X11-distribute-modifications-variant": ["MIT/X11"], "Zlib": ["Zlib"], "blessing": ["public-domain"],
}  # fmt: skip
# Texts of licences that copyright files refer to.
COMMON_TEXTS = {"Apache-2.0": "Apache-2.0", "GPL-3.0-or-later": "GPL-3", "LGPL-2.1-or-later": "LGPL-2.1"}


class Problem(Exception):
    """An error for the user, in words."""


def output(*command):
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout
    except FileNotFoundError:
        raise Problem(f"{command[0]} is not installed") from None
    except subprocess.CalledProcessError as error:
        raise Problem(f"{' '.join(command)} failed: {error.stderr.strip()}") from None


def components(root=ROOT):
    return json.loads((root / LIST).read_text(encoding="utf-8"))


def licences(expression):
    """The identifiers of an SPDX expression that has only AND and WITH."""
    return [part.split(" WITH ")[0] for part in expression.split(" AND ")]


# MARK: the sources


def targets(root):
    """The targets of Package.swift without tests: name, folder and dependencies."""
    text = re.sub(r"^\s*//.*", "", (root / "Package.swift").read_text(encoding="utf-8"), flags=re.M)
    found = {}
    for match in re.finditer(r"\.(?:target|executableTarget|systemLibrary)\(", text):
        depth, end = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        body = text[match.end() : end]
        name = re.search(r'name: "(\w+)"', body)
        needed = re.search(r"dependencies: \[(.*?)\]", body, re.S)
        path = re.search(r'path: "([^"]+)"', body)
        linked = re.findall(r'\.linkedLibrary\(\s*"([^"]+)"', body)
        if name:
            folder = root / (path[1] if path else f"Sources/{name[1]}")
            found[name[1]] = folder, re.findall(r'"([\w.-]+)"', needed[1]) if needed else [], linked
    return found


def needed_targets(program, all_targets):
    found, waiting = set(), [program]
    while waiting:
        name = waiting.pop()
        if name not in found and name in all_targets:
            found.add(name)
            waiting += all_targets[name][1]
    return sorted(found)


@cache
def named_libraries(folder):
    """The libraries that the sources of a target link or load: pairs of a file and a name."""
    found = []
    for path in sorted([*folder.rglob("module.modulemap"), *folder.rglob("*.swift")]):
        text = path.read_text(encoding="utf-8")
        pattern = r'^\s*link "([^"]+)"' if path.suffix == ".modulemap" else r'\bdlopen\(\s*"([^"]+)"'
        found += [(path, name) for name in re.findall(pattern, text, re.M)]
    return found


def links(root, program):
    """The libraries that the sources of a program link or load, each with the file that names it."""
    all_targets = targets(root)
    static = root / "Scripts/static-libraries"
    # `take edit edit libedit '-lbsd -lmd'`: the archive needs further libraries.
    more = {line[1]: re.findall(r"-l(\S+)", line[2]) for line in re.finditer(r"^take (\S+) \S+ \S+ '([^']*)'", static.read_text(), re.M)}
    found = {}
    for name in needed_targets(program, all_targets):
        folder, _, linked = all_targets[name]
        for library in linked:
            found.setdefault(library, "Package.swift")
        for path, library in named_libraries(folder):
            found.setdefault(library, path.relative_to(root))
            for other in more.get(library, []):
                found.setdefault(other, static.relative_to(root))
    return found


def programs_by_component(root=ROOT):
    """The programs that contain or use each component, by its `id`. Throws a Problem for a library that is not in the list."""
    known = {name: part["id"] for part in components(root) for name in [*part.get("links", []), *part.get("loads", [])]}
    named_libraries.cache_clear()
    result = {part["id"]: list(PROGRAMS) if part["id"] in EVERYWHERE else [] for part in components(root)}
    for program in PROGRAMS:
        for library, place in links(root, program).items():
            if library not in known:
                raise Problem(f"{place}: {program} links {library}, which is not in {LIST}: add it with its licence")
            if program not in result[known[library]]:
                result[known[library]].append(program)
    unused = [name for name, users in result.items() if not users]
    if unused:
        raise Problem(f"{LIST}: no program links {', '.join(unused)}: remove the entry")
    return result


# MARK: the page


def table(root=ROOT):
    users = programs_by_component(root)
    lines = [
        "| library | tested version | licence | copyright | programs | how linked | purpose |",
        "|---|---|---|---|---|---|---|",
    ]
    for part in components(root):
        how = "loaded at run time" if "loads" in part else "static or shared" if part.get("archives") else "shared"
        notes = f". {part['note']}." if "note" in part else ""
        holders = "; ".join(part["copyright"])
        programs = "all" if len(users[part["id"]]) == len(PROGRAMS) else ", ".join(f"`{name}`" for name in users[part["id"]])
        lines.append(
            f"| [{part['name']}]({part['homepage']}) | {part['versions']} | {part['licence']} | {holders} | {programs} | {how} | {part['purpose']}{notes} |"
        )
    return "\n".join([START, *lines, END])


def page(root=ROOT):
    """The page with the present table."""
    text = (root / PAGE).read_text(encoding="utf-8")
    head, start, rest = text.partition(START)
    _, end, tail = rest.partition(END)
    if not (start and end):
        raise Problem(f"{PAGE}: the marks {START} and {END} are missing")
    return head + table(root) + tail


# MARK: Debian


@cache
def copyright_text(package):
    path = Path(f"/usr/share/doc/{package}/copyright")
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else None


def is_debian_12():
    path = Path("/etc/os-release")
    return path.exists() and "VERSION_CODENAME=bookworm" in path.read_text()


def licence_errors(root=ROOT):
    """Differences between the list and the copyright files of Debian 12, for the installed packages."""
    for part in components(root) if is_debian_12() else ():
        text = copyright_text(part["debian"]) if "debian" in part else None
        if text is None:
            continue
        text = re.sub(r"\s+", " ", text)
        for licence in licences(part["licence"]):
            if not any(name in text for name in DEBIAN_NAMES.get(licence, [licence])):
                yield f"{LIST}: {part['id']}: the copyright file of {part['debian']} does not name {licence}"
        for holder in part["copyright"]:
            if re.sub(r"^[\d, -]+", "", holder) not in text:
                yield f"{LIST}: {part['id']}: the copyright file of {part['debian']} does not name {holder}"


@cache
def package_of(path):
    """Name, version and architecture of the Debian package that contains a file, or None."""
    # A path may have /lib for /usr/lib, or the other way.
    for candidate in (str(path), f"/usr{path}", str(path).removeprefix("/usr")):
        run = subprocess.run(["dpkg-query", "-S", candidate], capture_output=True, text=True)
        if run.returncode == 0:
            name = run.stdout.split(": ")[0].split(",")[0]
            return tuple(output("dpkg-query", "-W", "-f", "${Package} ${Version} ${Architecture}", name).split(" "))
    return None


# MARK: the built programs


@cache
def toolchain():
    """The version of Swift, and its folder `usr`."""
    target = json.loads(output("swift", "-print-target-info"))
    version = re.search(r"Swift version ([\d.]+)", target["compilerVersion"])
    return version[1] if version else "unknown", Path(target["paths"]["runtimeResourcePath"]).parent.parent


@cache
def strong_symbols(archive):
    lines = output("nm", "--defined-only", "--extern-only", str(archive)).splitlines()
    return frozenset(words[2] for words in map(str.split, lines) if len(words) == 3 and words[1] in "TDRB")


def archives(part):
    """The archives of a component: of Swift, or those that the C compiler finds."""
    names = part.get("archives", [])
    found = [path for folder in toolchain()[1].glob("lib/swift_static/linux") for name in names for path in sorted(folder.glob(name))]
    for name in [] if found else names:
        path = Path(output("cc", f"-print-file-name={name}").strip())
        found += [path] if path.is_absolute() else []
    return found


def linked_parts(program, root=ROOT):
    """The components of a built program: `id`, "static" or "shared", and the file of the library.
    Throws a Problem for a library that is not in the list, and for one that the sources link and that is in neither form in the program."""
    every = components(root)
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "--dynamic", "--wide", str(program)))
    found = output("ldd", str(program))
    result, used = [], set()
    for library in needed:
        part = next((part for part in every for pattern in part.get("shared", []) if fnmatch.fnmatch(library, pattern)), None)
        if part is None:
            raise Problem(f"{program} needs {library}, which is not in {LIST}: add it with its licence")
        place = re.search(rf"^\s*(?:{re.escape(library)} => )?(/\S*{re.escape(library)}) \(", found, re.M)
        used.add(part["id"])
        result.append((part["id"], "shared", Path(place[1]) if place else Path(library)))
    lines = output("nm", "--defined-only", str(program)).splitlines()
    defined = {words[2] for words in map(str.split, lines) if len(words) == 3}
    if not defined:
        raise Problem(f"{program} has no symbols, so its static libraries cannot be found: give the program as it was before strip")
    candidates = {part["id"]: archives(part) for part in every if part["id"] not in used}
    counts = Counter(symbol for paths in candidates.values() for symbol in set().union(*map(strong_symbols, paths)))
    for name, paths in candidates.items():
        for path in paths:
            if any(symbol in defined and counts[symbol] == 1 for symbol in strong_symbols(path)):
                result.append((name, "static", path))
    used |= {name for name, _, _ in result}
    users = programs_by_component(root)
    for part in every:
        if "links" in part and "through" not in part and program.name in users[part["id"]] and part["id"] not in used | EVERYWHERE:
            raise Problem(
                f"{program} is linked with {part['name']}, but {LIST} has no archive of it. If its licence permits a static program, add the name of the archive"
            )
    return sorted(set(result))
