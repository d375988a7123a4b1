"""Measures `hapctl hub run` with accessories of hapsim, each a separate process, compared with what the machine can do at least. Part of `make bench`.

    Scripts/in-loopback-namespace python Benchmarks/hub.py --programs FOLDER --tools FOLDER [--folder DIR] [--only NAME]…

The floors are measured in the same rounds: the same PUTs by hapload, a write with its fsync, and hapload's Pair Verify. A bar that is missed is
printed as such; the exit status is 1 only if something went wrong.
"""

import argparse
import json
import os
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

from driver import Driver
from hub_apps import apps, new_home, streams
from hub_parts import ENTRIES, PROFILES, Fleet, Hub, accessories, adopt, disk, part, writable
from samples import show
from servers import Failed, Server, free_port
from wire import Wire

LIGHTS = 20
SCENES = 100  # of a round
FIRES = 100  # of a round
SESSIONS, TRIGGERS, IDLE = 500, 100, 60
ANSWER = b'"answer":"executed"'
CURRENT_STATE = "1D"  # of a lock
VALUES = ({"25": True, "8": 80, "13": 120, "2F": 100}, {"25": False, "8": 20, "13": 240, "2F": 50})


def bar(text, value, most, unit=""):
    print(f"{text:58} {value:9.2f} {unit}   bar {most:.2f}   {'reached' if value <= most else 'MISSED'}", flush=True)


def p99(samples):
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]


class Bench:
    def __init__(self, options, folder):
        self.programs, self.folder, self.rounds = options.programs, folder, options.rounds
        self.driver = Driver(options.tools / "hapload")

    def fleet(self, profile, count, *options, quiet=True):
        """`hapsim run` at free ports."""
        return Fleet(self.programs / "hapsim", profile, count, free_run(count), *options, quiet=quiet)

    def hub(self, name, *options):
        return Hub(self.programs / "hapctl", self.folder / name, *options)

    def load(self, fleet, count, *words, pairing):
        """Runs hapload with `count` accessories."""
        server = Server(fleet.words, fleet.port)
        server.process = fleet.process
        fleet_words = ("-N", count) if count > 1 else ()
        return self.driver.run(server, *fleet_words, *words, core=max(os.sched_getaffinity(0)), pairing=pairing)

    def pair(self, fleet, count, name):
        keys = self.folder / f"{name}.keys"
        self.load(fleet, count, "pair", pairing=keys)
        return keys


def free_run(count):
    """Returns the first of this many free ports, below the ports that the system assigns to outgoing connections."""
    first = free_port()
    while True:
        ports = [first] + [free_port() for _ in range((count - 1) // 2)]
        if ports[-1] - first == 2 * (len(ports) - 1):
            return first
        first = free_port()


def two_scenes(app, home, lights):
    """Adds two scenes with all values of the lights. Returns their identifiers, and the bodies of their PUTs to a light."""
    scenes, bodies = [], []
    for name, values in zip(("One", "Two"), VALUES):
        scene = app.perform("add-action-set", home=home, name=name)
        for light in lights:
            for id, _, _, kind in writable(light):
                app.perform("add-action", actionSet=scene, characteristic=id, value=values[kind])
        scenes.append(scene)
        entries = [{"aid": aid, "iid": iid, "value": values[kind]} for _, aid, iid, kind in writable(lights[0])]
        assert len(entries) == ENTRIES, entries
        bodies.append(json.dumps({"characteristics": entries}, separators=(",", ":")))
    return scenes, bodies


# MARK: Scenes


def scenes(bench):
    """A scene of 100 writes over 20 accessories, then with one of them lost, then by a trigger of a lock."""
    with (
        bench.fleet(PROFILES / "scene-light.hasaccessory", LIGHTS, "--loops", "1") as lights,
        bench.fleet(PROFILES.parents[1] / "Profiles" / "lock.hasaccessory", 1) as lock,
        bench.hub("scenes") as hub,
        Wire() as wire,
        disk(bench.folder) as write,
    ):
        hub.separate(lights, lock)
        keys = bench.pair(lights, LIGHTS, "lights")
        app = hub.app()
        home = new_home(app)
        adopt(app, home, keys, lights.port)
        sets, bodies = two_scenes(app, home, accessories(app))
        file = bench.folder / "bodies"
        file.write_text("".join(body + "\n" for body in bodies))
        app.ready(LIGHTS)
        whole_scene(bench, app, sets, lights, wire, keys, file)
        one_lost(bench, hub, app, home, lights)
        adopt(app, home, bench.pair(lock, 1, "lock"), lock.port)
        fires(bench, app, home, sets, lights, lock, wire, write)
        app.close()


def whole_scene(bench, app, sets, lights, wire, keys, file):
    floor, ours, puts = {"p50": [], "p99": []}, [], set()
    ratios = {"p50": [], "p99": []}
    for _ in range(bench.rounds):
        least = bench.load(lights, LIGHTS, "-B", file, "-n", SCENES, "-g", 2, "scene", pairing=keys)
        part_of_round = []
        for number in range(SCENES + 10):
            wire.take()
            took, answer = app.timed("execute", actionSets=[sets[number % 2]])
            assert "error" not in answer["result"], answer["result"]["error"]
            if number >= 10:
                part_of_round.append(took)
                puts.add(len([one for one in wire.take() if lights.port <= one.target < lights.port + LIGHTS]))
            time.sleep(0.002)
        for key, value in (("p50", statistics.median(part_of_round)), ("p99", p99(part_of_round))):
            floor[key].append(least[f"{key}_us"] / 1000)
            ratios[key].append(value / floor[key][-1])
        ours += part_of_round
    show("a scene of 100 writes over 20 accessories", ours)
    print(f"{'the same PUTs by hapload':42} median {statistics.median(floor['p50']):9.2f} ms   p99 {statistics.median(floor['p99']):9.2f} ms")
    bar("p50 of the scene / floor, median of the rounds", statistics.median(ratios["p50"]), 1.5)
    bar("p99 of the scene / floor, median of the rounds", statistics.median(ratios["p99"]), 3)
    print(f"{'ratios of the rounds':42} p50 {' '.join(f'{one:.2f}' for one in ratios['p50'])}   p99 {' '.join(f'{one:.2f}' for one in ratios['p99'])}")
    print(f"{'PUTs of each scene':42} {sorted(puts)} (bar: 20 and no more)", flush=True)


def one_lost(bench, hub, app, home, lights):
    """The time until the other 95 values are reported to another app, alternately with all accessories and with one lost. The writes are no
    action set, which can't be executed again while it waits for the lost accessory."""
    watcher = hub.app("watcher")
    ids = {light["device"]: [(id, kind) for id, _, _, kind in writable(light)] for light in accessories(watcher)}
    watcher.ask("subscribe", characteristics=[id for entries in ids.values() for id, _ in entries])
    lost = list(ids)[-1]
    others = {id for device, entries in ids.items() if device != lost for id, _ in entries}
    bodies = [
        [{"characteristic": id, "value": values[kind]} for entries in ids.values() for id, kind in entries] for values in VALUES
    ]  # fmt: skip
    samples, results = {True: [], False: []}, set()
    for number in range(2 * bench.rounds):
        is_whole = number % 2 == 0
        lights.command("radio", accessory=lights.name(lost), value=is_whole)
        app.ready(LIGHTS if is_whole else LIGHTS - 1)
        time.sleep(0.5)
        app.arrived()
        answers = []
        for index in range(SCENES // 2):
            watcher.arrived()
            start = time.perf_counter()
            app.send("write", home=home, actions=bodies[index % 2])
            waiting = set(others)
            while waiting:
                event = json.loads(watcher.line())
                if event.get("event") == "values":
                    waiting -= {reading["characteristic"] for reading in event["values"]}
            samples[is_whole].append((time.perf_counter() - start) * 1000)
            time.sleep(0.04)
            answers += [line for line in app.arrived() if ANSWER in line]  # the hub takes no requests of an app that does not read
        while len(answers) < SCENES // 2:
            if ANSWER in (line := app.line()):
                answers.append(line)
        for answer in answers:
            outcomes = [action["outcome"] for action in json.loads(answer)["result"]["actions"]]
            results.add(f"{outcomes.count('done')} of {len(outcomes)}")
    lights.command("radio", accessory=lights.name(lost), value=True)
    app.ready(LIGHTS)
    watcher.close()
    show("values of 95 writes reported, all reachable", samples[True])
    show("values of 95 writes reported, one lost", samples[False])
    bar("p99 of the others / p99 without the loss", p99(samples[False]) / p99(samples[True]), 1.2)
    print(f"{'writes done':42} {', '.join(sorted(results))}", flush=True)


def fires(bench, app, home, sets, lights, lock, wire, write):
    (device,) = [one for one in accessories(app) if one.get("model") == "Lock" or "Lock" in one["name"]]
    (state,) = [
        part(device["id"], characteristic["iid"])
        for service in device["services"] for characteristic in service["characteristics"] if characteristic["type"] == CURRENT_STATE
    ]  # fmt: skip
    trigger = app.perform("add-trigger", home=home, name="arrived home", when=[{"characteristic": state, "is": 0}])
    app.perform("add-action-set-to-trigger", trigger=trigger, actionSet=sets[0])
    app.perform("enable-trigger", trigger=trigger)
    app.ask("subscribe", characteristics=[state])
    app.ready(LIGHTS + 1)
    time.sleep(0.5)
    ours, fsyncs = [], []
    for number in range(bench.rounds * FIRES + 10):
        # The trigger fires at a change, so the door is secured before.
        lock.command("set", characteristic="LockCurrentState", value="secured")
        app.until(lambda event: event.get("event") == "values" and event["values"][0].get("value") == 1)
        fsync = write()
        wire.take()
        lock.command("set", characteristic="LockCurrentState", value="unsecured")
        app.until(lambda event: event.get("event") == "executed")
        packets = wire.take()
        event = next(one for one in packets if one.source == lock.port)
        put = next(one for one in packets if lights.port <= one.target < lights.port + LIGHTS)
        if number >= 10:
            ours.append((put.time - event.time) / 1e6)
            fsyncs.append(fsync)
    show("lock's event to the first PUT", ours)
    show("a bare write of 4 KiB and its fsync", fsyncs)
    most = statistics.median(fsyncs) + 0.3
    bar("p50 of event to PUT, ms", statistics.median(ours), most)
    bar("p99 of event to PUT, ms", p99(ours), 3 * most)


# MARK: Many sessions


def sessions(bench):
    """The start of a hub with 500 devices, each with a subscription and 100 triggers, and the hub when nothing happens."""
    with bench.fleet(PROFILES / "bulb.hasaccessory", SESSIONS, "--bonjour", "embedded", quiet=False) as fleet:
        keys = bench.pair(fleet, SESSIONS, "bulbs")
        fleet.drain()
        with bench.hub("sessions") as hub:
            fill(hub.app(), keys, fleet)
        floors, whole, starts, times = [], [], [], []
        for number in range(bench.rounds):
            fleet.subscribed = 0
            for figures, mode in ((floors, "verify"), (whole, "subscribe")):
                figures.append(bench.load(fleet, SESSIONS, "-n", SESSIONS, "-c", 32, "-w", 5, mode, pairing=keys)["secs"])
            fleet.until_subscribed(SESSIONS)
            fleet.subscribed = 0
            with bench.hub("sessions") as hub:
                fleet.until_subscribed(SESSIONS)
                starts.append(time.perf_counter() - hub.begin)
                times.append(hub.cpu())
                hub.app().ready(SESSIONS, SESSIONS)
                if number == bench.rounds - 1:
                    quiet(hub)
        show("500 sessions subscribed from the start", starts, "s")
        show("CPU time of the hub until then", times, "s")
        show("500 Pair Verify by hapload", floors, "s")
        show("the same with a subscription and a read", whole, "s")
        bar("500 sessions / floor", statistics.median(starts) / statistics.median(floors), 1.5)


def fill(app, keys, fleet):
    """Adopts all accessories, and adds triggers about all of them."""
    home = new_home(app)
    begin = time.perf_counter()
    adopt(app, home, keys, fleet.port)
    print(f"{'500 pairings adopted':42} {time.perf_counter() - begin:16.2f} s")
    ids = [writable(bulb)[0][0] for bulb in accessories(app)]
    scene = app.perform("add-action-set", home=home, name="One")
    app.perform("add-action", actionSet=scene, characteristic=ids[0], value=False)
    share = SESSIONS // TRIGGERS
    for number in range(TRIGGERS):
        events = [{"characteristic": id, "is": True} for id in ids[number * share : (number + 1) * share]]
        trigger = app.perform("add-trigger", home=home, name=f"Trigger {number}", when=events)
        app.perform("add-action-set-to-trigger", trigger=trigger, actionSet=scene)
        app.perform("enable-trigger", trigger=trigger)
    app.close()


def quiet(hub):
    """The hub when nothing happens, after the first minute, in which the records of the accessories are queried again."""
    time.sleep(IDLE)
    begin, before = time.perf_counter(), hub.cpu()
    time.sleep(IDLE)
    bar("idle with 500 sessions and 100 triggers, % of a core", 100 * (hub.cpu() - before) / (time.perf_counter() - begin), 0.1)
    bar("resident memory with 500 sessions, MB", hub.memory(), 120)


PARTS = {"scenes": scenes, "sessions": sessions, "apps": apps, "streams": streams}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", required=True, type=Path, help="the folder of hapctl and hapsim")
    parser.add_argument("--tools", required=True, type=Path, help="the folder of hapload")
    parser.add_argument("--folder", type=Path, help="a folder on the disk to measure; default: the folder of temporary files")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", action="append", choices=PARTS, help="measure only this part")
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory(prefix="hub-", dir=options.folder) as folder:
        bench = Bench(options, Path(folder))
        try:
            for name in options.only or PARTS:
                print(f"hub: {name}", file=sys.stderr, flush=True)
                PARTS[name](bench)
        except Failed as failure:
            print(f"hub.py: {failure}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
