"""Memory and processor time of a running process, from /proc."""

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def memory(pid):
    """Returns resident and anonymous MB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    return tuple(int(fields[name].split()[0]) / 1024 for name in ("Rss", "Anonymous"))


def proportional(pid):
    """Returns the proportional set size in MB: pages that several processes have are divided among them."""
    (line,) = (line for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines() if line.startswith("Pss:"))
    return int(line.split()[1]) / 1024


def cpu(pid, thread=None):
    """Returns the CPU seconds of all threads, or of the threads with this name, from the kernel's count in nanoseconds."""
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks(pid, thread)) / 1e9


def user(pid, thread=None):
    """Returns the seconds of user CPU of all threads, or of the threads with this name."""
    # The name in parentheses can contain spaces.
    return sum(int((task / "stat").read_text().rsplit(")", 1)[1].split()[11]) for task in tasks(pid, thread)) / TICKS


def tasks(pid, thread=None):
    """Yields the folders of all threads, or of the threads with this name."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        if thread is None or (task / "comm").read_text().strip() == thread:
            yield task
