"""What a running process costs: memory and processor time, from /proc."""

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def memory(pid):
    """Resident and anonymous MB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    return tuple(int(fields[name].split()[0]) / 1024 for name in ("Rss", "Anonymous"))


def cpu(pid):
    """Seconds, by the kernel's count of nanoseconds: of every thread."""
    return sum(int(path.read_text().split()[0]) for path in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9


def user(pid, thread=None):
    """Seconds of user CPU: of every thread, or of those with this name."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        if thread is None or (task / "comm").read_text().strip() == thread:
            # The name in parentheses may have spaces.
            total += int((task / "stat").read_text().rsplit(")", 1)[1].split()[11])
    return total / TICKS
