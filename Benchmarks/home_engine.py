"""Measures the automation engine in virtual time: a week of 100 triggers, and single events. Part of `make bench`.

    python Benchmarks/home_engine.py --tool .build/static/release/HomeEngineTool
"""

import argparse
import subprocess

from samples import show

ROUNDS = 7
EVENTS = 50_000


def run(tool, *words):
    """Returns the words that the tool printed."""
    return subprocess.run([tool, *map(str, words)], stdout=subprocess.PIPE, check=True, text=True).stdout.split()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    options = parser.parse_args()
    weeks = [run(options.tool, "week") for _ in range(ROUNDS)]
    show("a virtual week of 100 triggers (bar 1 s)", [float(week[0]) for week in weeks], "s")
    print(f"{'actions of that week':42} {int(weeks[0][1]):16}")
    traces = {(week[1], week[2]) for week in weeks}
    print(f"{'the same trace in each process':42} {'yes' if len(traces) == 1 else 'NO':>16}")
    events = [[float(word) for word in run(options.tool, "events", EVENTS)] for _ in range(ROUNDS)]
    unused, false, true = zip(*events)
    show("a value that no trigger uses (bar 2 µs)", unused, "µs")
    show("a value with 3 conditions, false (bar 20 µs)", false, "µs")
    show("a value with 3 conditions, true (bar 20 µs)", true, "µs")


main()
