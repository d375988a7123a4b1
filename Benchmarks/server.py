#!/usr/bin/env python3
"""Measures the accessory server, compared with the floor of this machine and with HAP-python: part of `make bench`.

    server.py --hapsim PROGRAM --tools FOLDER [--rounds N] [--only KEY…] [--json FILE] [--markdown FILE] [--compare FILE] [--no-peer] [--no-growth]

Each round measures hapsim and HAP-python one after the other. Values given as a multiple of the floor are measured alternately with it, so that
variations of the machine affect both. A figure is the median of all samples. Exit status: 0, also if bars are missed (the table shows them); 1 if an answer failed a check.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import measure
import report
from driver import Driver
from servers import Failed, Floor, HAPPython, Hapsim

GROUPS = ("bulb", "ephemeral", "bridge", "many", "events", "disturbance", "growth")


def arguments():
    parser = argparse.ArgumentParser(description="Measures hapsim's accessory server.")
    parser.add_argument("--hapsim", required=True, type=Path, help="the program")
    parser.add_argument("--tools", required=True, type=Path, help="the folder of hapload and floor")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=GROUPS, help="measure only these groups of lines")
    parser.add_argument("--json", type=Path, help="write all samples as JSON to this file")
    parser.add_argument("--markdown", type=Path, help="write the table as Markdown to this file")
    parser.add_argument("--compare", type=Path, help="figures of an earlier run to print ratios to")
    parser.add_argument("--no-peer", action="store_true", help="skip HAP-python")
    parser.add_argument("--no-growth", action="store_true", help="skip the million requests, which take minutes")
    return parser.parse_args()


def measured(stack, driver, groups, into, beside):
    """Measures one round of one stack."""
    anonymous = 0
    if "bulb" in groups:
        anonymous = measure.one_bulb(stack, driver, into, beside)
    if "ephemeral" in groups and stack.name == "hapsim":
        measure.ephemeral(stack, driver, into)
    if "bridge" in groups:
        measure.bridge(stack, driver, into, anonymous)
    if "many" in groups:
        measure.many_sessions(stack, driver, into, beside)
    if "events" in groups:
        measure.events(stack, driver, into)
    if "disturbance" in groups and stack.name == "hapsim":
        measure.disturbance(stack, driver, into)


def main():
    options = arguments()
    groups = [group for group in options.only if not (options.no_growth and group == "growth")]
    # Bridges are compared with one bulb.
    if "bridge" in groups and "bulb" not in groups:
        groups.append("bulb")
    driver = Driver(options.tools / "hapload")
    begin = time.time()
    # The driver runs on its own core; this program avoids the server's core.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory(prefix="hapsim-bench-", dir=options.tools) as folder:
        folder = Path(folder)
        stacks = [Hapsim(folder / "hapsim", options.hapsim)]
        if not options.no_peer:
            stacks.append(HAPPython(folder / "HAP-python"))
        floor = Floor(folder, options.tools / "floor")
        samples = {name: measure.Samples() for name in ("floor", *(stack.name for stack in stacks))}
        try:
            if "bulb" in groups:
                measure.crypto(floor, samples["floor"])
            for number in range(options.rounds):
                print(f"round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
                measure.disk(folder, samples["floor"])
                with floor.server() as running:
                    measure.floor(running, driver, samples["floor"])
                    beside = measure.Beside(running, samples["floor"])
                    for stack in stacks:
                        measured(stack, driver, groups, samples[stack.name], beside)
            if "growth" in groups:
                print("a million requests, and 100 000 connections", file=sys.stderr, flush=True)
                measure.growth(stacks[0], driver, samples["hapsim"])
        except Failed as failure:
            print(f"server.py: {failure}", file=sys.stderr)
            return 1
    figures = report.Figures.of(samples, seconds=time.time() - begin, rounds=options.rounds)
    if options.markdown:
        options.markdown.write_text(figures.markdown())
    if options.json:
        options.json.write_text(figures.json())
    earlier = report.Figures.read(options.compare) if options.compare else None
    print(figures.table(earlier))
    return 0


if __name__ == "__main__":
    sys.exit(main())
