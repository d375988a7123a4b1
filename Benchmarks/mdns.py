#!/usr/bin/env python3
"""Measures how fast other mDNS implementations find announced accessories, and the cost of announcing. Part of `make bench`.

    HAPSIM=PROGRAM Scripts/in-loopback-namespace .venv/bin/python Benchmarks/mdns.py [--many 1000] [--most 10000] [--rounds 3] [--markdown FILE]

hapsim and, for comparison, avahi-daemon announce on a second host, a network namespace behind a veth pair: IPv4, one interface, MTU 1500. The browsers
run here. Times start at the exec of the announcing program. Only sizes of 1000 and 10 000 have bars.
Exit status: 0, also if a bar is missed (the table shows it).
"""

import argparse
import asyncio
import resource
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests" / "Interop"))

import cost  # noqa: E402
import direct  # noqa: E402
import report  # noqa: E402
from fleet import Line, Samples, verdict  # noqa: E402
from mdns_daemon import Daemon  # noqa: E402
from process import Simulator  # noqa: E402
from second_host import FAR, NEAR, NEAR_ADDRESS, SecondHost  # noqa: E402

PROFILE = HERE / "Profiles" / "bulb.hasaccessory"
PATIENCE = 60  # seconds until a search is abandoned
UPDATES = 10
IDLE = 10  # seconds
QUIET = 0.01  # of a core: a process that uses less than this for a second has announced everything

HAPSIM, AVAHI = "hapsim", "avahi-daemon"


def lines(many, most):
    """Returns the lines of the table. Their bars apply to 1000 and 10 000 services."""

    def bar(size, value):
        return value if size in (1000, 10_000) else None

    return [
        Line("many.found", f"from exec until python-zeroconf has found {many}", "s", bar(many, 5)),
        Line("many.complete", f"from exec until python-zeroconf has SRV, TXT and address of {many}", "s"),
        Line("many.late", f"a new python-zeroconf finds {many} that are announced", "s"),
        Line("many.avahi", f"from exec until avahi-browse has found {many}", "s", bar(many, 5)),
        Line("most.found", f"from exec until python-zeroconf has found {most}", "s", bar(most, 20)),
        Line("most.complete", f"from exec until python-zeroconf has SRV, TXT and address of {most}", "s"),
        Line("most.late", f"a new python-zeroconf finds {most} that are announced", "s"),
        Line("most.update", f"a TXT change of one of {most} is seen, the slowest of {UPDATES}", "ms", bar(most, 300), digits=0),
        Line("most.idle", f"idle, {most} announced and no browser, of a core", "%", bar(most, 0.5)),
        Line("most.memory", f"resident memory of each of {most}, minus that without announcing", "kB", bar(most, 2)),
        Line("most.user", f"user CPU of each of {most}, until all are announced", "µs", bar(most, 25), digits=1),
    ]


# MARK: announcing


@asynccontextmanager
async def hapsim(host, count, *options):
    """Runs hapsim with this many accessories on the second host. Yields it as soon as it is executed, with the time."""
    start = time.monotonic()
    simulator = await Simulator.run(
        PROFILE, options=("--count", str(count), "--control", "off", *options), interfaces=(FAR,), namespace=host.namespace
    )
    try:
        yield simulator, start
    finally:
        await simulator.stop()


@asynccontextmanager
async def avahi(host, count, folder):
    """Runs avahi-daemon with this many services of one host."""
    services = Path(tempfile.mkdtemp(dir=folder))
    for number in range(1, count + 1):
        (services / f"{number}.service").write_text(service_file(number))
    daemon = Daemon(folder / "far", host="far", interfaces=(FAR,), namespace=host.namespace, ipv6=False, services=services)
    await daemon.start_bus()
    start = time.monotonic()
    try:
        await daemon.start()
        yield daemon, start
    finally:
        await daemon.stop()
        await daemon.stop_bus()


def service_file(number):
    """Returns a service with the TXT keys of an accessory of hapsim."""
    text = ("c#=1", "ff=0", f"id=00:00:00:00:{number >> 8:02X}:{number & 255:02X}", "md=Bulb", "pv=1.1", "s#=1", "sf=1", "ci=5", "sh=AAAAAA==")
    records = "".join(f"<txt-record>{string}</txt-record>" for string in text)
    return (
        '<?xml version="1.0" standalone="no"?><!DOCTYPE service-group SYSTEM "avahi-service.dtd">'
        f"<service-group><name>Lamp {number}</name><service><type>_hap._tcp</type><port>{20_000 + number}</port>{records}</service></service-group>"
    )


# MARK: browsing


class Finder:
    """A process of mdns_finder.py."""

    def __init__(self, *words, environment=None):
        self.words, self.environment = words, environment

    async def __aenter__(self):
        self.process = await Simulator.launch(sys.executable, HERE / "mdns_finder.py", *self.words, environment=self.environment)
        await self.process.wait(lambda line: "ready" in line)
        self.start = time.monotonic()
        return self

    async def __aexit__(self, *_):
        await self.process.stop()

    async def until(self, kind, count, start):
        """Returns the seconds from `start` until this many were found; None: not within PATIENCE."""
        try:
            line = await self.process.wait(lambda line: line.get(kind, 0) >= count, patience=max(1, PATIENCE - (time.monotonic() - start)))
            return line["at"] - start
        except TimeoutError:
            most = max((line[kind] for line in self.process.said if kind in line), default=0)
            print(f"  gave up after {PATIENCE} s: {most} of {count} {kind}", file=sys.stderr)
            return None

    async def sees(self, name, string):
        """Returns a coroutine function that waits for a TXT record of this instance with the string."""
        seen = len(self.process.said)
        await self.process.send(f"{name}\t{string}")
        return lambda: self.process.wait(lambda line: "txt" in line, since=seen)


def zeroconf(count):
    return Finder("zeroconf", NEAR_ADDRESS, count)


# MARK: measurements


async def found(host, program, key, count, into):
    """Measures with a browser that runs before the start, and with one that starts after all are announced."""
    async with zeroconf(count) as finder, program(host, count) as (_, start):
        into.add(f"{key}.found", await finder.until("found", count, start))
        into.add(f"{key}.complete", await finder.until("complete", count, start))
        if len(into.get(f"{key}.found", [])) == 0:
            return
        async with zeroconf(count) as late:
            into.add(f"{key}.late", await late.until("found", count, late.start))


async def found_by_avahi(host, program, count, folder, into):
    async with (
        Daemon(folder / "near", host="near", interfaces=(NEAR,), ipv6=False) as daemon,
        Finder("avahi", count, environment=daemon.environment) as finder,
        program(host, count) as (_, start),
    ):
        into.add("many.avahi", await finder.until("found", count, start))


async def updates(host, count, into):
    """Measures from the command until the changed record is seen, because an unpaired accessory has another TXT record."""
    async with zeroconf(count) as finder, hapsim(host, count, "--bonjour", "embedded") as (simulator, start):
        accessories = await simulator.ready()
        await finder.until("complete", count, start)
        await quiet(simulator.process.pid)
        took = []
        for accessory in accessories[:: max(1, count // UPDATES)][:UPDATES]:
            paired = await finder.sees(accessory.name, "sf=0")
            await direct.pair(accessory)
            await paired()
            seen = await finder.sees(accessory.name, "sf=1")
            begin = time.monotonic()
            await simulator.command("unpair", accessory=accessory.name)
            took.append(((await seen())["at"] - begin) * 1000)
        into.add("most.update", max(took))


async def quiet(pid):
    """Waits until the process has been idle for a second; False: it is not idle after PATIENCE."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        before = cost.cpu(pid)
        await asyncio.sleep(1)
        if cost.cpu(pid) - before < QUIET:
            return True
    print(f"  process {pid} is not idle after {PATIENCE} s", file=sys.stderr)
    return False


async def idle(pid):
    """Returns percent of a core."""
    before, begin = cost.cpu(pid), time.monotonic()
    await asyncio.sleep(IDLE)
    return 100 * (cost.cpu(pid) - before) / (time.monotonic() - begin)


async def costs_of_hapsim(host, count, into):
    async with hapsim(host, count, "--bonjour", "off") as (simulator, _):
        await simulator.ready()
        await quiet(simulator.process.pid)
        without = cost.memory(simulator.process.pid)[0]
    async with hapsim(host, count, "--bonjour", "embedded") as (simulator, _):
        await simulator.ready()
        pid = simulator.process.pid
        if await quiet(pid):
            # The announcing thread has no other work.
            into.add("most.user", cost.user(pid, thread="mdns") * 1e6 / count)
            into.add("most.idle", await idle(pid))
            into.add("most.memory", (cost.memory(pid)[0] - without) * 1024 / count)


async def costs_of_avahi(host, count, folder, into):
    async with avahi(host, 0, folder) as (daemon, _):
        await quiet(daemon.avahi.pid)
        memory, user = cost.memory(daemon.avahi.pid)[0], cost.user(daemon.avahi.pid)
    async with avahi(host, count, folder) as (daemon, _):
        pid = daemon.avahi.pid
        if await quiet(pid):
            into.add("most.user", (cost.user(pid) - user) * 1e6 / count)
            into.add("most.idle", await idle(pid))
            into.add("most.memory", (cost.memory(pid)[0] - memory) * 1024 / count)


async def measure(many, most, rounds, folder, samples):
    ours, theirs = samples[HAPSIM], samples[AVAHI]

    def announced(host, count):
        return hapsim(host, count, "--bonjour", "embedded")

    def of_avahi(host, count):
        return avahi(host, count, folder)

    for number in range(rounds):
        print(f"mdns: round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        with SecondHost(ipv6=False) as host:
            for program, into in (announced, ours), (of_avahi, theirs):
                await found(host, program, "many", many, into)
                await found_by_avahi(host, program, many, folder, into)
                # A search that exceeded PATIENCE is not repeated in later rounds.
                if number == 0 or "most.found" in into:
                    await found(host, program, "most", most, into)
            await updates(host, most, ours)
            await costs_of_hapsim(host, most, ours)
            if number == 0 or "most.user" in theirs:
                await costs_of_avahi(host, most, folder, theirs)


def rows(table, samples):
    yield ["", HAPSIM, "min … max", AVAHI, "bar", ""]
    for line in table:
        values, others = (samples[name].get(line.key, []) for name in (HAPSIM, AVAHI))
        number = f"%.{line.digits}f"
        yield [
            line.title, f"{number % median(values)} {line.unit}" if values else "not in time",
            f"{number % min(values)} … {number % max(values)}" if len(values) > 1 else "",
            f"{number % median(others)} {line.unit}" if others else "-",
            f"{line.bar:g} {line.unit}" if line.bar is not None else "",
            verdict(line, values) or ("MISSED" if line.bar is not None else ""),
        ]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description="Measures how announced accessories are found.")
    parser.add_argument("--many", type=int, default=1000, help="services that avahi-browse must also find")
    parser.add_argument("--most", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--markdown", type=Path, help="write the table as Markdown to this file")
    options = parser.parse_args()
    # Ten thousand listening accessories.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    samples = {HAPSIM: Samples(), AVAHI: Samples()}
    with tempfile.TemporaryDirectory(prefix="hapsim-mdns-") as folder:
        asyncio.run(measure(options.many, options.most, options.rounds, Path(folder), samples))
    table = list(rows(lines(options.many, options.most), samples))
    if options.markdown:
        options.markdown.write_text("".join(f"| {' | '.join(row)} |\n" for row in [table[0], ["---"] * 6, *table[1:]]))
    print(report.aligned(table))
    print(f"{report.machine()}; {options.rounds} rounds; medians")
    print("-: not within a minute, or not measured. User CPU: of the thread mdns, for avahi-daemon of the process.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
