"""Measures the store of homes: opening 500 accessories with 2000 services and 10 000 characteristics, and a durable command in that store,
compared with a bare write and its fsync on the same disk. Part of `make bench`.

    python Benchmarks/home_store.py --tool .build/static/release/HomeStoreTool [--folder DIR]
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

from samples import show

OPENINGS = 30
COMMANDS = 1000


def run(tool, *words):
    answer = subprocess.run([tool, *map(str, words)], capture_output=True, text=True)
    assert answer.returncode == 0, (words, answer.stderr)
    return [[float(word) for word in line.split()] for line in answer.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--folder", help="a folder on the disk to measure; default: the folder of temporary files")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name) / "store"
        run(options.tool, "fill", folder)
        print(f"{'size of home.db':42} {(folder / 'home.db').stat().st_size / 1e6:16.2f} MB")
        opened = [run(options.tool, "open", folder)[0] for _ in range(OPENINGS)]
        show("open and read all rows (bar 100 ms)", [times[0] for times in opened])
        show("peak memory of that process (bar 40 MB)", [times[1] for times in opened], "MB")
        times = run(options.tool, "commit", folder, COMMANDS)
        show("a durable command", [ours for ours, _ in times])
        show("a bare write of 4 KiB and its fsync", [bare for _, bare in times])
        show("the command without that (bar 1 ms)", [ours - bare for ours, bare in times])


main()
