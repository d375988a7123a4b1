#!/usr/bin/env python3
"""Measures a Matter node of a running hapsim over UDP: its memory, and the CPU of a read. Part of `make bench`.

    matter_sockets.py --hapsim PROGRAM --tool MatterNodeTool [--rounds N]

Compared values are measured in turns. The floor is a server that opens sealed messages, and answers them sealed and with their acknowledgement. CPU
includes system calls. Server and driver share a core. Exit status: 0, also if bars are missed; 1 if an answer failed a check.
"""

import argparse
import base64
import contextlib
import json
import os
import subprocess
import time

import cost
from samples import show
from servers import HERE, SAME, Failed, free_port, spawn

MEMORY_BAR, READ_BAR = 2, 1.3  # MB; times the floor
PROFILE = HERE / "Profiles" / "bulb.hasaccessory"
READS, SLICES = 2000, 8
IDLE = 3  # seconds after the commissioning


@contextlib.contextmanager
def running(words, cores=SAME, **options):
    """A process with lines as output; it is ended afterwards."""
    process = spawn(words, cores, stdout=subprocess.PIPE, text=True, **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


class Driver:
    """Performs operations at a server. Each call returns after its last answer."""

    def __init__(self, tool, *words):
        self.process = subprocess.Popen(
            [tool, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, SAME),
        )  # fmt: skip

    def line(self):
        line = self.process.stdout.readline().strip()
        if not line:
            raise Failed("the driver ended: an answer was wrong, or there was none")
        return line

    def __call__(self, count):
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()
        assert self.line() == str(count)

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


@contextlib.contextmanager
def node(hapsim, tool, *options):
    """hapsim with an accessory. With `--matter` it is commissioned; the driver reads an attribute. Without, the driver is None."""
    words = [hapsim, "run", PROFILE, "--ephemeral", "--bind", "127.0.0.1", "--bonjour", "off", "--quiet", "--json", *options]
    with running(words) as process:
        ready = json.loads(process.stdout.readline())
        if not options:
            yield process, None
            return
        matter = ready["accessories"][0]["matter"]
        authority = base64.b64decode(matter["trustAnchorDER"]).hex()
        driver = Driver(tool, "drive-node", matter["port"], 20202021, authority)
        assert driver.line() == "commissioned"
        yield process, driver
        driver.close()


@contextlib.contextmanager
def echo(tool):
    port = free_port()
    with running([tool, "serve-echo", port]) as process:
        assert process.stdout.readline().strip() == "ready"
        driver = Driver(tool, "drive-echo", port)
        yield process, driver
        driver.close()


MATTER = ("--matter", "--matter-passcode", "20202021")


def memory(hapsim, tool, rounds):
    """Returns resident and anonymous MB by whether the accessory is served over Matter, each measured in turns."""
    found = {False: [], True: []}
    for _ in range(rounds):
        for is_matter in (False, True):
            with node(hapsim, tool, *(MATTER if is_matter else ())) as (process, _):
                time.sleep(IDLE)
                found[is_matter].append(cost.memory(process.pid))
    return found


def microseconds(process, driver):
    before = cost.cpu(process.pid)
    driver(READS)
    return (cost.cpu(process.pid) - before) / READS * 1e6


def reads(hapsim, tool, rounds):
    """Returns microseconds of server CPU of an echo, and of a read of one attribute, in turns."""
    floors, nodes = [], []
    for _ in range(rounds):
        with echo(tool) as floor, node(hapsim, tool, *MATTER) as served:
            for process, driver in (floor, served):
                microseconds(process, driver)
            for _ in range(SLICES):
                floors.append(microseconds(*floor))
                nodes.append(microseconds(*served))
    return floors, nodes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hapsim", required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    found = memory(options.hapsim, options.tool, options.rounds)
    for index, kind in enumerate(("resident", "anonymous")):
        medians = [
            show(f"{kind}, {'with' if is_matter else 'without'} Matter", [sizes[index] for sizes in found[is_matter]], "MB")
            for is_matter in (False, True)
        ]
        bar = f" (bar {MEMORY_BAR} MB)" if kind == "resident" else ""
        print(f"{kind} memory of Matter: {medians[1] - medians[0]:.2f} MB{bar}")
    floors, nodes = reads(options.hapsim, options.tool, options.rounds)
    floor = show("a sealed echo over UDP, server CPU", floors, "µs")
    read = show("a read of one attribute, server CPU", nodes, "µs")
    print(f"a read takes {read / floor:.2f} times the echo (bar {READ_BAR})")


main()
