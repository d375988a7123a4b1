"""Files of time zones as Python reads them. Tests/Interop/test_almanac.py and Scripts/almanac-vectors use this."""

import struct
import zoneinfo
from datetime import datetime, timedelta, timezone

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# In seconds from 1970: the years 1970 to 2100.
START, END = 0, int((datetime(2101, 1, 1, tzinfo=timezone.utc) - EPOCH).total_seconds())
WEEK = 7 * 86_400


def table(content):
    """Returns the times in the 64-bit table of a file. Not every entry is a transition."""
    counts = struct.unpack_from(">6l", content, 20)
    start = 44 + sum(n * size for n, size in zip(counts, (1, 1, 8, 5, 6, 1), strict=True))
    count = struct.unpack_from(">6l", content, start + 20)[3]
    return struct.unpack_from(f">{count}q", content, start + 44)


def at(zone, seconds):
    """Returns offset and abbreviation of a zone at an instant, by Python."""
    local = (EPOCH + timedelta(seconds=seconds)).astimezone(zone)
    return int(local.utcoffset().total_seconds()), local.tzname()


def civil_time(zone, seconds):
    return (EPOCH + timedelta(seconds=seconds)).astimezone(zone).replace(tzinfo=None)


def python_zone(path):
    with path.open("rb") as file:
        return zoneinfo.ZoneInfo.from_file(file, key=path.name)


def transitions(path):
    """Returns (seconds, offset, abbreviation) at START and at each transition until END of the zone in a file, by Python.

    Python has no list of transitions. Therefore its answers at each time of the table and once a week are compared. Where two answers
    differ, the transition between them is searched.
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
