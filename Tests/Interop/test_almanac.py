"""The zones of HAPAlmanac compared with Python's zoneinfo: every zone of the system, every transition from 1970 to 2100.

Without sockets: a built program reads files.
"""

import os
import random
import shutil
import struct
import subprocess
import zoneinfo
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from process import hapsim
from zone_files import END, EPOCH, START, civil_time, python_zone, transitions

FOLDER = Path(os.environ.get("TZDIR", "/usr/share/zoneinfo"))
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


def resolution(zone, civil):
    """Returns the instants with a civil time by Python: none, one or two, ascending."""
    instants = {int((civil.replace(tzinfo=zone, fold=fold) - EPOCH).total_seconds()) for fold in (0, 1)}
    return sorted(instant for instant in instants if civil_time(zone, instant) == civil)


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
    """Compares the zones of a folder with those of Python in the reference folder, and returns the number of transitions and of civil times.

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
    """Lists of the names of system zones that are the same zone, without zones that count leap seconds."""
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

    Compact files of older versions of zic are wrong for some zones (2.36: Asia/Gaza has no Ramadan from 2073). If Python finds other
    transitions in the compact file, the zone isn't compared.
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
