#!/usr/bin/env python3
"""Measures many accessories in one process: start-up time, memory, CPU and speed. Part of `make bench`.

    fleet.py --hapsim PROGRAM --tools FOLDER [--rounds N] [--markdown FILE] [--small]

Compared values are measured alternately. Exit status: 0, also if bars are missed (the table shows them); 1 if an answer failed a check.
"""

import argparse
import json
import os
import signal
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import cost
import report
from driver import Driver
from servers import ALL, HERE, Failed, free_port, spawn

SAME, OTHER = (0,), 1
MANY, MOST = 1000, 10_000
SECONDS = 1.0  # of each sample of a rate


@dataclass(frozen=True)
class Line:
    key: str
    title: str
    unit: str
    bar: float | None = None
    # The bar is a minimum, not a maximum.
    least: bool = False
    digits: int = 2


LINES = [
    Line("many.start", "exec to all of 1000 served, without stored state", "s", 2),
    Line("many-kept.first", "exec to all of 1000 served, their first start with a state folder", "s", 2),
    Line("many-kept.again", "exec to all of 1000 served, from stored state", "s", 2),
    Line("many.rss", "resident, 1000 accessories", "MB", 60, digits=1),
    Line("many.anon", "anonymous for each of 1000", "kB", digits=1),
    Line("many.idle", "idle, 1000 accessories with a session each, of a core", "%", 1),
    Line("most.start", "exec to all of 10 000 served, not announced", "s", 15),
    Line("most.rss", "resident, 10 000 accessories, not announced", "MB", 500, digits=0),
    Line("most.idle", "idle, 10 000 accessories, of a core", "%", 1),
    Line("announced.start", "exec to all of 10 000 served, announced by the process", "s", 15),
    Line("announced.rss", "resident, 10 000 accessories, announced", "MB", 500, digits=0),
    Line("announced.many", "exec to all of 1000 announced and found on the network", "s"),
    Line("announced.count", "found on the network within a minute, of 10 000", "", digits=0),
    Line("one.few.cpu", "GET of one accessory with 32 sessions, server CPU", "µs"),
    Line("one.cpu", "GET of one accessory with 1000 sessions, server CPU", "µs"),
    Line("fleet.cpu", "GET over 1000 accessories with a session each, one loop, server CPU", "µs"),
    Line("loops.cpu", "GET over 1000 accessories with a session each, two loops, server CPU", "µs"),
    Line("fleet.ratio", "GETs per second and core, fleet on one loop, relative to one accessory with as many sessions", "x", 0.8, least=True),
    Line("loops.ratio", "GETs per second and core, fleet on two loops, relative to one accessory with as many sessions", "x", 0.8, least=True),
    Line("fleet.far", "GETs per second and core, fleet on one loop, relative to one accessory with 32 sessions", "x"),
    Line("one.rps", "GETs per second, one accessory with 1000 sessions, server on one core", "", digits=0),
    Line("fleet.rps", "GETs per second, the fleet, server on one core", "", digits=0),
]


class Fleet:
    """`hapsim run --count`: use as a context. `seconds` is the time from its start to its ready line."""

    def __init__(self, program, count, *options, cores=ALL, state=None, port=0):
        keeping = ("--ephemeral",) if state is None else ("--state", state)
        self.port = port
        self.words = [
            program, "run", HERE / "Profiles" / "bulb.hasaccessory", "--count", str(count), "--setup-code", "031-45-154",
            "--interface", "lo", "--port", str(port), "--json", *keeping, *options,
        ]  # fmt: skip
        self.cores, self.told = cores, {}

    def __enter__(self):
        begin = time.perf_counter()
        self.begin = begin
        self.process = spawn(self.words, self.cores, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stdout.readline()
        self.seconds = time.perf_counter() - begin
        if not line:
            raise Failed(f"hapsim does not serve: {self.process.stderr.read().decode()}")
        self.accessories = json.loads(line)["accessories"]
        self.readers = [threading.Thread(target=self._read, daemon=True), threading.Thread(target=self._drain, daemon=True)]
        for reader in self.readers:
            reader.start()
        return self

    def _read(self):
        for line in self.process.stdout:
            if b'"self-check"' in line and b'"visible":true' in line:
                self.told["found"] = self.told.get("found", 0) + 1
                self.found_after = time.perf_counter() - self.begin

    def _drain(self):
        for _ in self.process.stderr:
            pass

    def until_found(self, count, patience):
        """Returns the seconds from the start until this many were found on the network; None: not in time."""
        while self.told.get("found", 0) < count:
            if time.perf_counter() - self.begin > patience:
                return None
            time.sleep(0.1)
        return self.found_after

    @property
    def pid(self):
        return self.process.pid

    def memory(self):
        """Returns resident and anonymous MB."""
        return cost.memory(self.pid)

    def cpu(self):
        """Returns the CPU seconds of all threads."""
        return cost.cpu(self.pid)

    def idle(self, seconds=5):
        """Returns percent of a core, without requests."""
        before, begin = self.cpu(), time.perf_counter()
        time.sleep(seconds)
        return 100 * (self.cpu() - before) / (time.perf_counter() - begin)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(120)
        except Exception:
            self.process.kill()
            self.process.wait()
        for reader in self.readers:
            reader.join()


class Samples(dict):
    def add(self, key, value):
        if value is not None:
            self.setdefault(key, []).append(value)


def starts(program, folder, into):
    with Fleet(program, MANY, "--bonjour", "off") as fleet:
        into.add("many.start", fleet.seconds)
        time.sleep(2)
        resident, anonymous = fleet.memory()
        into.add("many.rss", resident)
        into.add("many.anon", anonymous * 1024 / MANY)
    state = Path(tempfile.mkdtemp(dir=folder))
    for key in ("many-kept.first", "many-kept.again"):
        with Fleet(program, MANY, "--bonjour", "off", state=state) as fleet:
            into.add(key, fleet.seconds)


def most(program, into):
    with Fleet(program, MOST, "--bonjour", "off") as fleet:
        into.add("most.start", fleet.seconds)
        time.sleep(2)
        into.add("most.rss", fleet.memory()[0])
        into.add("most.idle", fleet.idle())


def announced(program, into):
    with Fleet(program, MANY, "--bonjour", "embedded") as fleet:
        into.add("announced.many", fleet.until_found(MANY, 180))
    with Fleet(program, MOST, "--bonjour", "embedded") as fleet:
        into.add("announced.start", fleet.seconds)
        fleet.until_found(MOST, 60)
        into.add("announced.count", fleet.told.get("found", 0))
        into.add("announced.rss", fleet.memory()[0])


def rates(program, tools, folder, into, rounds):
    """Measures one accessory and a thousand alternately, then a thousand on two loops."""
    driver = Driver(tools / "hapload")
    one_keys, fleet_keys = folder / "one", folder / "fleet"
    ports = free_run(2 * MANY + 1)
    with (
        Fleet(program, 1, "--bonjour", "off", "--quiet", "--max-sessions", str(MANY + 8), cores=SAME, port=ports) as one,
        Fleet(program, MANY, "--bonjour", "off", "--quiet", "--loops", "1", cores=SAME, port=ports + 1) as fleet,
    ):
        driver.run(one, "pair", pairing=one_keys)
        driver.run(fleet, "-N", MANY, "pair", core=OTHER, pairing=fleet_keys)
        sessions = ("-c", MANY, "-w", 3 * MANY, "-d", SECONDS, "get")
        for _ in range(3 * rounds):
            few = driver.run(one, "-c", 32, "-d", SECONDS, "get", core=OTHER, pairing=one_keys)
            alone = driver.run(one, *sessions, core=OTHER, pairing=one_keys)
            many = driver.run(fleet, "-N", MANY, *sessions, core=OTHER, pairing=fleet_keys)
            cpu = [run["srv_cpu_us_per_op"] for run in (few, alone, many)]
            for key, value in zip(("one.few.cpu", "one.cpu", "fleet.cpu"), cpu):
                into.add(key, value)
            into.add("one.rps", alone["rps"])
            into.add("fleet.rps", many["rps"])
            # The CPU time of a GET gives the rate of a core, independent of waiting.
            into.add("fleet.ratio", cpu[1] / cpu[2])
            into.add("fleet.far", cpu[0] / cpu[2])
    with Fleet(program, MANY, "--bonjour", "off", "--quiet", "--loops", "2", port=ports + 1 + MANY) as fleet:
        driver.run(fleet, "-N", MANY, "pair", core=OTHER, pairing=fleet_keys)
        for _ in range(3 * rounds):
            many = driver.run(fleet, "-N", MANY, *sessions, core=OTHER, pairing=fleet_keys)
            into.add("loops.cpu", many["srv_cpu_us_per_op"])
            into.add("loops.ratio", statistics.median(into["one.cpu"]) / many["srv_cpu_us_per_op"])
        idle = driver.run(fleet, "-N", MANY, "-c", MANY, "-d", 5, "idle", core=OTHER, pairing=fleet_keys)
        into.add("many.idle", idle["idle_cpu_pct"])


def free_run(count):
    """Returns the first of this many free ports, below the ports that the system assigns to outgoing connections."""
    first = free_port()
    if first + count > 32_000:
        raise Failed("too few ports are free")
    return first


def verdict(line, samples):
    if line.bar is None or not samples:
        return ""
    value = statistics.median(samples)
    return "reached" if (value >= line.bar if line.least else value <= line.bar) else "MISSED"


def rows(into):
    yield ["", "hapsim", "min … max", "bar", ""]
    for line in LINES:
        samples = into.get(line.key)
        if not samples:
            continue
        number = f"%.{line.digits}f"
        yield [
            line.title, f"{number % statistics.median(samples)} {line.unit}".rstrip(),
            f"{number % min(samples)} … {number % max(samples)}" if len(samples) > 1 else "",
            f"{'at least ' if line.least else ''}{line.bar:g} {line.unit}" if line.bar is not None else "",
            verdict(line, samples),
        ]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description="Measures fleets of accessories in one process.")
    parser.add_argument("--hapsim", required=True, type=Path, help="the program")
    parser.add_argument("--tools", required=True, type=Path, help="the folder of hapload")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--markdown", type=Path, help="write the table as Markdown to this file")
    parser.add_argument("--small", action="store_true", help="skip the measurements with ten thousand accessories")
    options = parser.parse_args()
    # A thousand sessions of the driver, and ten thousand listening accessories.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    os.sched_setaffinity(0, {max(ALL)})
    into = Samples()
    with tempfile.TemporaryDirectory(prefix="hapsim-fleet-", dir=options.tools) as folder:
        try:
            for number in range(options.rounds):
                print(f"fleet: round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
                starts(options.hapsim, folder, into)
                if not options.small:
                    most(options.hapsim, into)
            rates(options.hapsim, options.tools, Path(folder), into, options.rounds)
            if not options.small:
                announced(options.hapsim, into)
        except Failed as failure:
            print(f"fleet.py: {failure}", file=sys.stderr)
            return 1
    table = list(rows(into))
    if options.markdown:
        options.markdown.write_text("".join(f"| {' | '.join(row)} |\n" for row in [table[0], ["---"] * 5, *table[1:]]))
    print(report.aligned(table))
    barred = [line for line in LINES if verdict(line, into.get(line.key))]
    missed = [line.title for line in barred if verdict(line, into[line.key]) == "MISSED"]
    print(f"{report.machine()}; {options.rounds} rounds; medians")
    print(f"{len(barred) - len(missed)} of {len(barred)} bars reached" + ("; MISSED: " + "; ".join(missed) if missed else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
