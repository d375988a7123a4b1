"""Memory and processor time of a running process, from /proc."""

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def memory(pid):
    """Returns resident and anonymous MB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    return tuple(int(fields[name].split()[0]) / 1024 for name in ("Rss", "Anonymous"))


def cpu(pid):
    """Returns the CPU seconds of all threads, from the kernel's count in nanoseconds."""
    return sum(int(path.read_text().split()[0]) for path in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9


def user(pid, thread=None):
    """Returns the seconds of user CPU of all threads, or of the threads with this name."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        if thread is None or (task / "comm").read_text().strip() == thread:
            # The name in parentheses can contain spaces.
            total += int((task / "stat").read_text().rsplit(")", 1)[1].split()[11])
    return total / TICKS
