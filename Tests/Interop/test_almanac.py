"""The zones of HAPAlmanac compared with Python's zoneinfo: every zone of the system, every transition from 1970 to 2100.

No sockets are used: a built program reads files.
"""

import os
import random
import shutil
import struct
import subprocess
import zoneinfo
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from process import hapsim

FOLDER = Path(os.environ.get("TZDIR", "/usr/share/zoneinfo"))
UTC = timezone.utc
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
START, END = 0, int((datetime(2101, 1, 1, tzinfo=UTC) - EPOCH).total_seconds())
WEEK = 7 * 86_400
SECOND = timedelta(seconds=1)


def zones(folder):
    """Returns {content: names} of the files of zones in a folder. Links to a zone are names of the same content."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and (content := path.read_bytes()).startswith(b"TZif"):
            found.setdefault(content, []).append(str(path.relative_to(folder)))
    return found


def counts_leap_seconds(content):
    return struct.unpack_from(">6l", content, 20)[2] > 0


def table(content):
    """Returns the times in the 64-bit table of a file, whose entries may also be no transitions."""
    counts = struct.unpack_from(">6l", content, 20)
    start = 44 + sum(n * size for n, size in zip(counts, (1, 1, 8, 5, 6, 1), strict=True))
    count = struct.unpack_from(">6l", content, start + 20)[3]
    return struct.unpack_from(f">{count}q", content, start + 44)


def at(zone, seconds):
    """Returns offset and abbreviation of a zone at an instant, by Python."""
    local = (EPOCH + timedelta(seconds=seconds)).astimezone(zone)
    return int(local.utcoffset().total_seconds()), local.tzname()


def python_zone(path):
    with path.open("rb") as file:
        return zoneinfo.ZoneInfo.from_file(file, key=path.name)


def transitions(path):
    """Returns (seconds, offset, abbreviation) at START and at each transition until END of the zone in a file, by Python.

    Python has no list of transitions. It is asked at each time of the table and once a week, and where two answers differ, in between.
    """
    zone = python_zone(path)
    times = sorted({time for time in table(path.read_bytes()) if START < time < END} | set(range(START, END, WEEK)) | {END - 1})
    found = [(START, *at(zone, START))]
    low = START
    for high in times:
        while at(zone, high) != found[-1][1:]:
            below, above = low, high
            while above - below > 1:
                middle = (below + above) // 2
                below, above = (middle, above) if at(zone, middle) == found[-1][1:] else (below, middle)
            found.append((above, *at(zone, above)))
            low = above
        low = high
    return found


def resolution(zone, civil):
    """Returns the instants with a civil time by Python: none, one or two, ascending."""
    instants = {int((civil.replace(tzinfo=zone, fold=fold) - EPOCH).total_seconds()) for fold in (0, 1)}
    return sorted(instant for instant in instants if civil_time(zone, instant) == civil)


def civil_time(zone, seconds):
    return (EPOCH + timedelta(seconds=seconds)).astimezone(zone).replace(tzinfo=None)


def questions(zone, changes, draw):
    """Yields a command and the expected answer, for random instants and for the civil times around each transition."""
    for seconds in (START, END - 1, *(draw.randrange(START, END) for _ in range(10))):
        yield f"civil {seconds}", civil_time(zone, seconds).isoformat()
    for (_, before, _), (seconds, after, _) in zip(changes, changes[1:], strict=False):
        edges = sorted(datetime(1970, 1, 1) + timedelta(seconds=seconds + offset) for offset in (before, after))
        for civil in (edges[0] - SECOND, edges[0], edges[0] + (edges[1] - edges[0]) // 2, edges[1] - SECOND, edges[1]):
            civil = civil.replace(microsecond=0)
            found = resolution(zone, civil)
            word = ("skipped", "once", "repeated")[len(found)]
            yield f"resolve {civil.isoformat()}", " ".join(map(str, (word, *(found or [seconds]))))


def answers(commands):
    """Returns the lines that the built program prints for commands."""
    program = Path(hapsim()).with_name("AlmanacRunner")
    assert os.access(program, os.X_OK), f"{program} isn't built"
    done = subprocess.run([program], input="".join(line + "\n" for line in commands), capture_output=True, text=True, timeout=500, check=True)
    return done.stdout.splitlines()


def compare(expected, reference, folder):
    """Compares the zones of a folder with those of Python in the reference folder, and returns the number of transitions and of other answers.

    `expected` has {name: transitions}.
    """
    draw = random.Random(2026)
    commands, lines, counts = [], [], [0, 0]
    for name, changes in expected.items():
        asked = list(questions(python_zone(reference / name), changes, draw))
        counts[0] += len(changes) - 1
        counts[1] += len(asked)
        commands += [f"zone {folder / name}", f"transitions {START} {END}", *(command for command, _ in asked)]
        lines += [(name, "ok"), *((name, " ".join(map(str, change))) for change in changes), (name, "end")]
        lines += [(f"{name}: {command}", answer) for command, answer in asked]
    given = answers(commands)
    wrong = [(what, answer, line) for (what, answer), line in zip(lines, given, strict=False) if answer != line]
    assert not wrong, f"{len(wrong)} answers differ; (zone, Python, hapsim): {wrong[:10]}"
    assert len(given) == len(lines)
    return counts


@pytest.fixture(scope="module")
def names():
    """[names] of the system's zones that are the same; without zones that count leap seconds."""
    return [names for content, names in zones(FOLDER).items() if not counts_leap_seconds(content)]


@pytest.fixture(scope="module")
def expected(names):
    """{name: transitions} of the system's zones by Python."""
    return {name: transitions(FOLDER / name) for name, *_ in names}


def test_every_zone_of_the_system_is_as_in_python(names, expected):
    count = sum(map(len, names))
    missing = zoneinfo.available_timezones() - {name for same in names for name in same} if zoneinfo.TZPATH[0] == str(FOLDER) else set()
    assert count > 400 and not missing, f"{FOLDER} has {count} zones, without {missing}; install the package tzdata"
    changes, others = compare(expected, FOLDER, FOLDER)
    print(f"{count} names of {len(names)} zones, {changes} transitions, {others} civil times")
    assert changes > 20_000


def test_compact_files_have_the_same_zones(expected, tmp_path):
    """zic writes short tables, in which most later years follow from the rule at the end of the file.

    Compact files of older versions of zic are wrong for some zones (2.36: Asia/Gaza has no Ramadan from 2073). Where Python reads another zone
    from the compact file, it isn't compared.
    """
    source = FOLDER / "tzdata.zi"
    zic = shutil.which("zic", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    if not source.exists() or not zic:
        pytest.skip("this system has no zic or no tzdata.zi")
    subprocess.run([zic, "-b", "slim", "-d", tmp_path, source], check=True)
    compact = {name: changes for name, changes in expected.items() if (tmp_path / name).exists()}
    sound = {name: changes for name, changes in compact.items() if transitions(tmp_path / name) == changes}
    changes, others = compare(sound, FOLDER, tmp_path)
    print(f"{len(sound)} of {len(compact)} zones, without {sorted(compact.keys() - sound)}, {changes} transitions, {others} civil times")
    assert len(sound) > 300 and len(compact) - len(sound) < 10 and changes > 20_000


def test_zones_that_count_leap_seconds_are_refused():
    refused = [names[0] for content, names in zones(FOLDER).items() if counts_leap_seconds(content)]
    lines = answers(f"zone {FOLDER / name}" for name in refused)
    assert len(lines) == len(refused)
    assert all(line.startswith("error: the zone counts leap seconds") for line in lines), lines[:3]
