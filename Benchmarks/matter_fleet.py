#!/usr/bin/env python3
"""Measures a fleet of Matter nodes: start, memory, CPU, and how fast one of them is found. Part of `make bench`.

    HAPSIM=PROGRAM Scripts/in-loopback-namespace .venv/bin/python Benchmarks/matter_fleet.py [--count 1000] [--rounds 3] [--nodes 20] [--markdown FILE]

`hapsim fleet` runs on a second host, a network namespace joined by a veth pair. The same fleet without Matter is measured in turns. connectedhomeip's
controller runs here if MATTER_CONTROLLER is set (see Tests/Interop/matter_controller.py): it finds, adds and connects --nodes of the accessories, and,
for comparison, the only accessory of another fleet. A client of mDNS (mdns_asker.py) asks for the same accessories.
Only 1000 accessories have bars. Exit status: 0, also if a bar is missed (the table shows it).
"""

import argparse
import asyncio
import base64
import random
import sys
import tempfile
import time
from collections import Counter
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests" / "Interop"))

import cost  # noqa: E402
import report  # noqa: E402
from fleet import Line, Samples, verdict  # noqa: E402
from matter_controller import CONTROLLER, MatterController  # noqa: E402
from matter_payload import discriminator  # noqa: E402
from mdns import idle, quiet  # noqa: E402
from mdns_asker import Asker  # noqa: E402
from process import Simulator  # noqa: E402
from second_host import FAR, NEAR_ADDRESS, SecondHost  # noqa: E402

PROFILE = HERE / "Profiles" / "bulb.hasaccessory"
SECONDS = 2  # until records that were sent may be sent again, with a margin
VENDOR = "_V65521._sub._matterc._udp.local."
ALONE = "alone."  # prefix of the keys of a fleet with one accessory


def lines(count):
    """Returns the lines of the table."""

    def bar(value):
        return value if count == 1000 else None

    return [
        Line("start", f"exec to all of {count} served, without stored state", "s"),
        Line("start.cpu", "the same, CPU of each", "ms"),
        Line("start.half", f"exec to all of {count // 2} served, without stored state", "s"),
        Line("start.quarter", f"exec to all of {count // 4} served, without stored state", "s"),
        Line("kept.first", f"exec to all of {count} served, their first start with a state folder", "s"),
        Line("kept.again", f"exec to all of {count} served, from stored state", "s"),
        Line("pss", f"memory of {count}, announced (PSS)", "MB", digits=1),
        Line("pss.each", "more memory than without Matter, each", "kB", bar(8), digits=1),
        Line("idle", f"idle, {count} announced, of a core", "%", bar(1)),
        Line("one", "a client of mDNS finds one by its discriminator", "ms", bar(300), digits=0),
        Line("one.cpu", "the same, CPU of the mDNS thread", "µs", digits=0),
        Line("operational", "a client of mDNS resolves one that has a fabric", "ms", bar(300), digits=1),
        Line("all", f"a client of mDNS finds all {count} by the vendor", "s"),
        Line("all.cpu", "the same, CPU of the mDNS thread for each", "µs", digits=0),
        Line("during", "a client finds one while another finds all", "ms", bar(300), digits=0),
        Line("chip.find", "the controller finds one by its discriminator", "ms", bar(300), digits=0),
        Line(ALONE + "chip.find", "the same in a fleet of one", "ms", digits=0),
        Line("chip.add", "the controller finds one by its QR code, and adds it", "ms", digits=0),
        Line(ALONE + "chip.add", "the same in a fleet of one", "ms", digits=0),
        Line("chip.connect", "the controller resolves one that it has added, and connects", "ms", bar(300), digits=0),
        Line(ALONE + "chip.connect", "the same in a fleet of one", "ms", digits=0),
    ]


# MARK: fleets


@asynccontextmanager
async def fleet(host, folder, count, *options, state=None):
    """Runs hapsim with this many accessories on the second host. Yields it with its ready line, and the seconds until that."""
    file = folder / f"{count}.yaml"
    file.write_text(f"fleet: 1\ngroups:\n  - profile: {PROFILE}\n    count: {count}\n")
    start = time.monotonic()
    simulator = await Simulator.run(
        file, command="fleet", state=state, options=("--control", "off", *options), interfaces=(FAR,), namespace=host.namespace
    )
    try:
        await simulator.ready()
        yield simulator, time.monotonic() - start
    finally:
        await simulator.stop()


async def starts(host, folder, count, options, into):
    async with fleet(host, folder, count, "--bonjour", "off", *options) as (simulator, seconds):
        into.add("start", seconds)
        into.add("start.cpu", cost.cpu(simulator.process.pid) * 1000 / count)
    for key, part in ("start.half", count // 2), ("start.quarter", count // 4):
        async with fleet(host, folder, part, "--bonjour", "off", *options) as (_, seconds):
            into.add(key, seconds)
    state = Path(tempfile.mkdtemp(dir=folder))
    for key in "kept.first", "kept.again":
        async with fleet(host, folder, count, "--bonjour", "off", *options, state=state) as (_, seconds):
            into.add(key, seconds)


async def announced(host, folder, count, options, into):
    async with fleet(host, folder, count, "--bonjour", "embedded", *options) as (simulator, _):
        pid = simulator.process.pid
        if await quiet(pid):
            into.add("pss", cost.proportional(pid))
            into.add("idle", await idle(pid))


# MARK: finding one


def chosen(simulator, number):
    """Returns accessories whose discriminators no other accessory has."""
    parts = [said["matter"] for said in simulator.said[0]["accessories"]]
    count = Counter(discriminator(part["payload"]) for part in parts)
    single = [part for part in parts if count[discriminator(part["payload"])] == 1]
    return random.Random(1).sample(single, min(number, len(single)))


async def by_question(pid, count, parts, into):
    """Asks for accessories that have no fabric."""
    asker = Asker(NEAR_ADDRESS)

    async def measured(key, share, ask, *words):
        await asyncio.sleep(SECONDS)
        before = cost.cpu(pid, thread="mdns")
        into.add(key, await asyncio.to_thread(ask, *words) * (1 if key == "all" else 1000))
        if share:
            into.add(f"{key}.cpu", (cost.cpu(pid, thread="mdns") - before) * 1e6 / share)

    try:
        for part in parts:
            name = f"_L{discriminator(part['payload'])}._sub._matterc._udp.local."
            await measured("one", 1, asker.browse, name)
            await measured("during", None, asker.browse_during, VENDOR, name)
        for _ in range(3):
            await measured("all", count, asker.browse, VENDOR, count)
    finally:
        asker.close()


async def by_controller(folder, parts, prefix, into):
    """Finds, adds and connects accessories. Returns the names of their operational records."""
    trusted = Path(tempfile.mkdtemp(dir=folder))
    for number, part in enumerate(parts):
        (trusted / f"{number}.der").write_bytes(base64.b64decode(part["trustAnchorDER"]))
    names = []
    controller = await MatterController.start(trusted, trusted)
    try:
        await controller("discover", "home", 0, discriminator(parts[0]["payload"]))
        for node, part in enumerate(parts, start=1):
            await asyncio.sleep(SECONDS)
            wanted = discriminator(part["payload"])
            seconds, found = await controller("discover", "home", node, wanted)
            assert found == [wanted], f"{found} were found instead of {wanted}"
            into.add(prefix + "chip.find", seconds * 1000)
            for key, call in ("chip.add", ("commission", "home", node, part["payload"])), ("chip.connect", ("connect", "home", node)):
                await asyncio.sleep(SECONDS)
                await controller("expire", "home", node)
                begin = time.monotonic()
                await controller(*call)
                into.add(prefix + key, (time.monotonic() - begin) * 1000)
            names.append(f"{await controller('instance', 'home', node)}._matter._tcp.local.")
    finally:
        await controller.close()
    return names


async def found(host, folder, count, number, into):
    async with fleet(host, folder, count, "--bonjour", "embedded", "--matter") as (simulator, _):
        await quiet(simulator.process.pid)
        parts = chosen(simulator, number)
        await by_question(simulator.process.pid, count, parts, into)
        if not CONTROLLER.is_dir():
            return
        names = await by_controller(folder, parts, "", into)
        asker = Asker(NEAR_ADDRESS)
        try:
            for name in names:
                await asyncio.sleep(SECONDS)
                into.add("operational", await asyncio.to_thread(asker.resolve, name) * 1000)
        finally:
            asker.close()


async def found_alone(host, folder, into):
    async with fleet(host, folder, 1, "--bonjour", "embedded", "--matter") as (simulator, _):
        await quiet(simulator.process.pid)
        await by_controller(folder, chosen(simulator, 1), ALONE, into)


async def measure(count, rounds, number, folder, samples):
    for done in range(rounds):
        print(f"matter_fleet: round {done + 1} of {rounds}", file=sys.stderr, flush=True)
        with SecondHost() as host:
            for options, into in samples.items():
                await starts(host, folder, count, options, into)
                await announced(host, folder, count, options, into)
            into = samples[MATTER]
            into.add("pss.each", (into["pss"][-1] - samples[WITHOUT]["pss"][-1]) * 1024 / count)
            if CONTROLLER.is_dir():
                await found_alone(host, folder, into)
    with SecondHost() as host:
        await found(host, folder, count, number, samples[MATTER])


# MARK: the table

MATTER, WITHOUT = ("--matter",), ()


def rows(table, samples):
    yield ["", "with Matter", "min … max", "without Matter", "bar", ""]
    for line in table:
        values, others = (samples[options].get(line.key, []) for options in (MATTER, WITHOUT))
        number = f"%.{line.digits}f"
        yield [
            line.title, f"{number % median(values)} {line.unit}" if values else "not measured",
            f"{number % min(values)} … {number % max(values)}" if len(values) > 1 else "",
            f"{number % median(others)} {line.unit}" if others else "",
            f"{line.bar:g} {line.unit}" if line.bar is not None else "",
            verdict(line, values),
        ]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description="Measures a fleet of Matter nodes.")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--nodes", type=int, default=20, help="accessories that the controller finds and adds")
    parser.add_argument("--markdown", type=Path, help="write the table as Markdown to this file")
    options = parser.parse_args()
    samples = {WITHOUT: Samples(), MATTER: Samples()}
    with tempfile.TemporaryDirectory(prefix="hapsim-matter-fleet-") as folder:
        asyncio.run(measure(options.count, options.rounds, options.nodes, Path(folder), samples))
    table = list(rows(lines(options.count), samples))
    if options.markdown:
        options.markdown.write_text("".join(f"| {' | '.join(row)} |\n" for row in [table[0], ["---"] * 6, *table[1:]]))
    print(report.aligned(table))
    print(f"{report.machine()}; {options.rounds} rounds; medians")
    return 0


if __name__ == "__main__":
    sys.exit(main())
