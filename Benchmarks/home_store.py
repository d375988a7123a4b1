"""Measures the store of homes: opening 500 accessories with 2000 services and 10 000 characteristics, and a durable command in that store,
compared with a bare write and its fsync on the same disk. Part of `make bench`.

    python Benchmarks/home_store.py --tool .build/static/release/HomeStoreTool [--folder DIR]
"""

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

from samples import show

OPENINGS = 30
COMMANDS = 1000


def run(tool, *words):
    """Returns the numbers of each line that the tool printed, and its peak memory in MB."""
    process = subprocess.Popen([tool, *map(str, words)], stdout=subprocess.PIPE, text=True)
    lines = process.stdout.read().splitlines()
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, (words, status)
    return [[float(word) for word in line.split()] for line in lines], usage.ru_maxrss / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--folder", help="a folder on the disk to measure; default: the folder of temporary files")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name) / "store"
        run(options.tool, "fill", folder)
        print(f"{'size of home.db':42} {(folder / 'home.db').stat().st_size / 1e6:16.2f} MB")
        opened = [run(options.tool, "open", folder) for _ in range(OPENINGS)]
        show("open, and read all rows", [lines[0][0] for lines, _ in opened])
        show("the model from the rows", [lines[0][1] for lines, _ in opened])
        show("both (bar 100 ms)", [sum(lines[0]) for lines, _ in opened])
        show("peak memory of that process (bar 40 MB)", [memory for _, memory in opened], "MB")
        times = run(options.tool, "commit", folder, COMMANDS)[0][1:]  # the first line is about opening
        show("a durable command", [ours for ours, _ in times])
        show("a bare write of 4 KiB and its fsync", [bare for _, bare in times])
        show("the command without that (bar 1 ms)", [ours - bare for ours, bare in times])


main()
