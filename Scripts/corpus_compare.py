"""Compares two recordings of Scripts/corpus: the table of normalization rules, and the file of intended differences.

Output is recorded unchanged. Before a comparison, RULES replace the parts of a file that differ from run to run. Lines that MOVED matches
are sorted at the end of the file, and long lines are split at the commas of JSON. The folder `kept` and manifest.json are not compared.
"""
import difflib
import fnmatch
import pathlib
import re

LIVE = "live/*"
FUZZED = "live/session-fuzz*"
JUDGED = "live/session-judge*"
SHOWN = "captures/*"
WORLD = "world/*"
SHOWN_LINES = 60  # of one difference
LONG = 300  # characters: longer lines are split
KEY = r"(?<![0-9A-Fa-f])(?:[0-9a-f]{64}|[0-9A-F]{64})(?![0-9A-Fa-f])"
UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"

# Files, pattern, replacement, reason. `#` in a replacement is the number of the text in its file: equal texts have equal numbers.
RULES = [
    (WORLD, r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ?", "<time>", "reports name the time of the machine, also in a simulated world"),
    (LIVE, r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?", "<time>", "time of the machine"),
    (LIVE, r'"(time|since|lastSeen|seconds|duration)": ?[0-9.e+-]+', r'"\1":<seconds>', "time of the machine"),
    (LIVE, r"\b\d\d:\d\d:\d\d\.\d{3}\b", "<time>", "transcripts of the proxy have the time of the machine"),
    (LIVE, r"(?:[0-9A-F]{2}:){5}[0-9A-F]{2}", "<device #>", "a device ID is random"),
    (LIVE, r"\bX-HM://[0-9A-Z]{9}", "X-HM://<code>", "the setup ID that follows is random"),
    (LIVE, r"(?<=X-HM://<code>)[0-9A-Z]{4}", "<setup ID>", "the setup ID is random"),
    (LIVE, r'("setupID": ?)"[0-9A-Z]{4}"', r'\1"<setup ID>"', "the setup ID is random"),
    (LIVE, r"(\bsh=)[A-Za-z0-9+/=]{8}", r"\1<hash>", "the setup hash follows the device ID"),
    (LIVE, r'("(?:sh|setupHash)": ?)"[A-Za-z0-9+/=]{8}"', r'\1"<hash>"', "the setup hash follows the device ID"),
    (LIVE, UUID, "<UUID #>", "identifiers of controllers are random"),
    (LIVE, KEY, "<key #>", "keys are random"),
    (LIVE, r"\[::1\]:(?=\d{5}\b)", "127.0.0.1:", "aiohomekit tries both addresses when one is slow"),
    (LIVE, r"(127\.0\.0\.1:)(?:3[2-9]|[4-6]\d)\d{3}\b", r"\1<port>", "ports of connections are chosen by the kernel"),
    (LIVE, r"\b(?!031-45-154)\d{3}-\d\d-\d{3}\b", "<code>", "setup codes are random where none is given"),
    (LIVE, r'(\bport"?[: ]{1,2})(?:3[2-9]|[4-6]\d)\d{3}\b', r"\1<port>", "free ports are chosen by the kernel"),
    (LIVE, r'("pid":|\(process )\d+', r"\1<number>", "numbers of processes"),
    (LIVE, r"\bkey [0-9a-f]{8}…", "key <key>…", "keys are random"),
    (LIVE, r"\bhapsim-[0-9a-f]{12}\.local", "hapsim-<device ID>.local", "host names follow device IDs"),
    (LIVE, r'"run":"\w+"', '"run":"<run>"', "each process has a random name in the control API"),
    (JUDGED, r'((?:time=|"start":)"?)\d+(?:\.\d+)?(?:e-?\d+)?', r"\1<seconds>", "judging is in real time"),
    (JUDGED, r"\b\d+(?:\.\d+)? m?s\b", "<duration>", "judging is in real time"),
    (FUZZED, r"^(answers: |closed ).*", r"\1<numbers>", "whether a message meets a closed connection depends on time"),
    (FUZZED, r'("closed":|"answers":\{).*', r"\1<numbers>", "whether a message meets a closed connection depends on time"),
    (SHOWN, r"^([<>] connection \d+), \d+\.\d+ s$", r"\1", "time of the machine"),
    (SHOWN, r"(?<=^[<>] )connection \d+", "connection #", "an abandoned connection also has a number"),
    (SHOWN, r"\d+ inputs, \d+ bytes sent", "<number> inputs, <number> bytes sent", "TCP divides messages arbitrarily"),
    (SHOWN, UUID, "<UUID #>", "identifiers of controllers are random"),
]

# Values that depend on the seed of a simulated world. One build always has the same values. Another build has other values if it draws one more random number.
# `compare --exact` does not replace these.
DRAWN = [
    (WORLD, r"(?:[0-9A-F]{2}:){5}[0-9A-F]{2}", "<device #>", "a device ID is drawn"),
    (WORLD, r"(127\.0\.0\.1:)(?:3[2-9]|[4-6]\d)\d{3}\b", r"\1<port>", "ports are drawn"),
    (WORLD, r"(?:<1|\b\d+(?:\.\d+)?) m?s\b", "<duration>", "virtual durations have delays that are drawn"),
    (WORLD, r'(\btime=|"start":|"duration":|duration_ms: )"?[0-9.e-]+"?', r"\1<duration>", "virtual durations have delays that are drawn"),
    (WORLD, r'("seed":"|case seed )\d{4,}', r"\1<seed>", "each case has its own seed"),
    (WORLD, r'"order":\d+', '"order":<number>', "cases that run at the same time end in any order"),
    (WORLD, r"it is \d+\.\d+, less than \d+\.\d+", "it is <time>, less than <time>", "virtual time"),
    (WORLD, UUID, "<UUID #>", "identifiers of controllers are drawn"),
    (WORLD, r"\b[0-9a-f]{32,}\b", "<bytes>", "keys are drawn"),
    (WORLD, r"^    [0-9a-f]{4}  (?:[0-9a-f]{2} {1,2}){1,16}.*", "    <bytes>", "sealed bytes follow from keys"),
    ("world/*.html", r'(<script type="application/json" id="data">).*', r"\1<data>", "report.json contains it"),
]

# Lines that occur at any time and any number of times. They are sorted at the end of their file, each once.
MOVED = [
    (LIVE, r'"event":"(advertised|self-check|addresses|connected|disconnected)"', "these do not wait for requests"),
]
# Lines of a session that may or may not occur before the end of a recording. The recorded runs of profiles always contain them.
DROPPED = [("live/session-*-events.txt", r'"event":"(advertised|self-check|addresses)"', "a session does not wait for them after a restart")]
DRAWN_MOVED = [(WORLD, r"^(PASS|INFO|SKIP)  ", "cases that run at the same time end in any order")]


def pieces(line):
    """Splits a line of the recording at the brackets and commas of JSON, outside of its strings."""
    if len(line) < LONG:
        return [line]
    lines, current = [], ""
    for token in re.findall(r'"(?:[^"\\]|\\.)*"|[{}\[\],]|[^"{}\[\],]+|"', line):
        current += token
        if token in ("{", "[", ","):
            lines.append(current)
            current = ""
    return [*lines, current]


def tlv(text):
    """Returns a hexadecimal TLV8 as text, with `<key>` for long values, which are keys, proofs and sealed bytes; None for other texts."""
    data, items = bytes.fromhex(text), []
    while data:
        if len(data) < 2 or len(data) < 2 + data[1]:
            return None
        items.append(f"{data[0]:02x}={data[2 : 2 + data[1]].hex() if data[1] < 16 else '<key>'}")
        data = data[2 + data[1] :]
    # A value of more than 255 bytes has several items. The last one may be short.
    return "  TLV " + re.sub(r"(\b\w\w=)<key>( \1\S*)+", r"\1<key>", " ".join(items))


def shown_line(line):
    """Returns the bodies of pairing messages as readable text, without keys."""
    body = re.fullmatch(r"  ((?:[0-9a-f]{2})+)", line)
    return body and tlv(body.group(1)) or line


def first_lists(text):
    """Keeps only the first `GET /accessories` and its answer, because aiohomekit repeats it when the record changes."""
    kept, blocks = [], text.split("\n\n")
    is_seen, is_dropped = False, False
    for block in blocks:
        if "\n  GET /accessories " in block:
            is_dropped, is_seen = is_seen, True
        elif block.startswith(">"):
            is_dropped = False
        if not is_dropped:
            kept.append(block)
        elif block.startswith("<"):
            is_dropped = False
    return "\n\n".join(kept)


def numbered(pattern, replacement, lines):
    seen = {}

    def name(match):
        number = seen.setdefault(match.group().lower(), len(seen) + 1)
        return match.expand(replacement).replace("#", str(number))

    return [re.sub(pattern, name, line) for line in lines]


def normalized(path, text, exact=False):
    """Returns the lines of a file for comparison. `exact`: with values that depend on the seed of a simulated world."""
    if fnmatch.fnmatch(path, SHOWN):
        text = first_lists(text)
    lines = text.split("\n")
    if fnmatch.fnmatch(path, SHOWN):
        lines = [shown_line(line) for line in lines]
    for files, pattern, replacement, _ in RULES if exact else RULES + DRAWN:
        if fnmatch.fnmatch(path, files):
            lines = numbered(pattern, replacement, lines)
    for files, pattern, _ in DROPPED:
        if fnmatch.fnmatch(path, files):
            lines = [line for line in lines if not re.search(pattern, line)]
    for files, pattern, _ in MOVED if exact else MOVED + DRAWN_MOVED:
        if fnmatch.fnmatch(path, files):
            late = sorted({line for line in lines if re.search(pattern, line)})
            lines = [line for line in lines if not re.search(pattern, line)] + late
    return [piece for line in lines for piece in pieces(line)]


class Intended:
    """An entry of the file of intended differences."""

    MEMBERS = {"files", "lines", "replace", "with", "why"}

    def __init__(self, number, members):
        self.number = number
        for name in ("files", "lines", "replace", "with", "why"):
            setattr(self, name, members.get(name))
        self.is_used = False

    def replaced(self, path, lines):
        """Returns the lines of the earlier recording as they are expected now."""
        if self.replace is None or not fnmatch.fnmatch(path, self.files):
            return lines
        changed = [re.sub(self.replace, self.__dict__["with"], line) for line in lines]
        self.is_used = self.is_used or changed != lines
        return changed

    def covers(self, path, line):
        return self.lines is not None and fnmatch.fnmatch(path, self.files) and re.search(self.lines, line) is not None


def intended_differences(text):
    """Reads entries: members `files`, `why` and either `lines` or `replace` and `with`, a line each; an empty line ends an entry."""
    entries, members, first = [], {}, 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.startswith("#"):
            continue
        if line.strip():
            name, colon, value = line.partition(":")
            if not colon or name not in Intended.MEMBERS or name in members:
                raise ValueError(f"line {number}: one of {', '.join(sorted(Intended.MEMBERS))} and a colon is expected, each once")
            first = first or number
            members[name] = value.strip()
        elif members:
            if set(members) not in ({"files", "lines", "why"}, {"files", "replace", "with", "why"}) or not members["why"]:
                raise ValueError(f"line {first}: an entry has files, why, and either lines or replace and with")
            for pattern in (members.get("lines"), members.get("replace")):
                try:
                    re.compile(pattern or "")
                except re.error as error:
                    raise ValueError(f"line {first}: {pattern}: {error}") from None
            entries.append(Intended(first, members))
            members, first = {}, 0
    return entries


def files(folder):
    """Returns the relative paths of the compared files."""
    folder = pathlib.Path(folder)
    paths = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return {path for path in paths if not path.startswith("kept/") and path != "manifest.json"}


def lines_of(folder, path, exact=False):
    return normalized(path, (pathlib.Path(folder) / path).read_text(encoding="utf-8", errors="backslashreplace"), exact)


def are_equal(old, new, path, entries):
    """Returns whether files need no comparison: they are equal byte for byte, and no entry replaces a text of the earlier one."""
    texts = (pathlib.Path(folder, path).read_bytes() for folder in (old, new))
    return next(texts) == next(texts) and not any(entry.replace and fnmatch.fnmatch(path, entry.files) for entry in entries)


def difference(path, old, new, entries):
    """Returns the lines of a unified diff, without intended differences; empty: there are no others."""
    for entry in entries:
        was, old = old, entry.replaced(path, old)
        # A replacement may break lines at other places.
        if was != old and " ".join(old).split() == " ".join(new).split():
            return []
    diff = list(difflib.unified_diff(old, new, f"old/{path}", f"new/{path}", lineterm="", n=2))
    rest = []
    for line in diff[2:]:
        if line[0] not in "+-":
            continue
        covering = [entry for entry in entries if entry.covers(path, line)]
        for entry in covering:
            entry.is_used = True
        if not covering:
            rest.append(line)
    return diff if rest else []


def compare(old, new, intended="", exact=False):
    """Returns the differences as texts, and the entries of the file of intended differences that match nothing."""
    entries = intended_differences(intended)
    had, has = files(old), files(new)
    found = []
    for path in sorted(had | has):
        if path in had and path in has and are_equal(old, new, path, entries):
            continue
        if path in had and path in has:
            diff = difference(path, lines_of(old, path, exact), lines_of(new, path, exact), entries)
        else:
            line = f"{'-' if path in had else '+'}the whole file"
            covering = [entry for entry in entries if entry.covers(path, line)]
            for entry in covering:
                entry.is_used = True
            diff = [] if covering else [f"{path}: {'missing' if path in had else 'new'}"]
        if len(diff) > SHOWN_LINES:
            diff = [*diff[:SHOWN_LINES], f"… {len(diff) - SHOWN_LINES} more lines of {path}"]
        if diff:
            found.append("\n".join(line if len(line) < 400 else line[:400] + "…" for line in diff))
    return found, [entry for entry in entries if not entry.is_used]
