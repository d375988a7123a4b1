"""One round of measurements. Each function returns samples by the keys of lines.py."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from servers import Failed, at_port, spawn

REQUESTS, CONNECTIONS = 1_000_000, 100_000


class Samples(dict):
    def add(self, key, value):
        self.setdefault(key, []).append(value)


def pair(stack, driver, server, pairing):
    """Runs one Pair Setup. HAP-python refuses a correct proof if one of its numbers begins with a zero byte, once in a hundred times. It is then repeated."""
    tries = 1 if stack.name == "hapsim" else 4
    while True:
        tries -= 1
        try:
            return driver.run(server, "pair", pairing=pairing)
        except Failed:
            if tries == 0:
                raise


SLICES, SLICE = 6, 0.4


class Beside:
    """Runs the floor next to a server. Values given as a multiple of it are measured alternately with it, because the speed of a machine changes every second."""

    def __init__(self, server, samples):
        self.server, self.samples = server, samples

    def one(self, driver):
        run = driver.run(self.server, "-b", 300, "-w", 300, "-d", SLICE, "echoenc")
        self.samples.add("floor.p50", run["p50_us"])
        self.samples.add("floor.cpu", run["srv_cpu_us_per_op"])

    def many(self, driver):
        run = driver.run(self.server, "-b", 300, "-c", 32, "-w", 300, "-d", SLICE, "echoenc", core=1)
        self.samples.add("floor32.cpu", run["srv_cpu_us_per_op"])


def floor(server, driver, into):
    driver.run(server, "-b", 300, "-n", 5000, "echoenc")
    into.add("floor.split", driver.run(server, "-b", 300, "-d", 1, "echoenc", core=1)["p50_us"])


def crypto(stack, into):
    """Measures the minimum cost of the curves of a Pair Verify and of the exponentiations of a Pair Setup. It runs once, because it takes half a minute."""
    done = subprocess.run([stack.program, "crypto"], capture_output=True, text=True, check=True)
    primitives = json.loads(done.stdout)
    into.add("floor.verify", primitives["pair_verify_server_all"]["min_us"])
    into.add("floor.setup", (primitives["srp_B_256bit_b"]["min_us"] + primitives["srp_S_256bit_b"]["min_us"]) / 1000)


def disk(folder, into):
    path = Path(folder) / "fsync"
    times = []
    with path.open("wb", buffering=0) as file:
        for _ in range(20):
            begin = time.perf_counter()
            file.seek(0)
            file.write(os.urandom(4096))
            os.fsync(file.fileno())
            times.append((time.perf_counter() - begin) * 1000)
    path.unlink()
    into.add("fsync", median(times))


def one_bulb(stack, driver, into, beside):
    """Measures single sessions with one bulb whose state is on disk. Server and driver share a core."""
    state = stack.fresh("bulb")
    pairing = state / "pairing"
    with stack.server(1, state) as server:
        into.add("start.fresh", server.start_ms)
        into.add("setup.first-cpu", pair(stack, driver, server, pairing)["srv_cpu_ms"])
        for _ in range(5):
            driver.run(server, "unpair", pairing=pairing)
            run = pair(stack, driver, server, pairing)
            into.add("setup.cpu", run["srv_cpu_ms"])
            into.add("setup.server", run["server_ms"])
        driver.run(server, "-n", 5000, "get", pairing=pairing)
        for _ in range(SLICES):
            beside.one(driver)
            run = driver.run(server, "-w", 300, "-d", SLICE, "get", pairing=pairing)
            into.add("get.p50", run["p50_us"])
            into.add("get.p99", run["p99_us"])
            into.add("get.cpu", run["srv_cpu_us_per_op"])
        run = driver.run(server, "-w", 2000, "-d", 1.5, "put", pairing=pairing)
        into.add("put-disk.p50", run["p50_us"])
        into.add("put-disk.cpu", run["srv_cpu_us_per_op"])
        into.add("acc.p50", driver.run(server, "-w", 1000, "-d", 0.5, "acc", pairing=pairing)["p50_us"])
        run = driver.run(server, "-w", 100, "-n", 1000, "verify", pairing=pairing)
        into.add("verify.p50", run["p50_us"])
        into.add("verify.cpu", run["srv_cpu_us_per_op"])
    for _ in range(3):
        with stack.server(1, state) as server:
            into.add("start.paired", server.start_ms)
    with stack.server(1, state) as server:
        time.sleep(1.5)
        rss, anonymous = server.memory()
        into.add("memory.rss", rss / 1024)
        into.add("memory.anon", anonymous / 1024)
        driver.run(server, "-n", 20000, "get", pairing=pairing)
        driver.run(server, "-n", 2000, "put", pairing=pairing)
        into.add("memory.used", server.memory()[0] / 1024)
    return anonymous


def ephemeral(stack, driver, into):
    state = stack.fresh("ephemeral")
    with stack.server(1, state, ephemeral=True) as server:
        pair(stack, driver, server, state / "pairing")
        run = driver.run(server, "-w", 2000, "-d", 1.5, "put", pairing=state / "pairing")
        into.add("put.p50", run["p50_us"])
        into.add("put.cpu", run["srv_cpu_us_per_op"])


def bridge(stack, driver, into, anonymous):
    """149 bulbs behind a bridge; `anonymous`: the memory of a process with one bulb. Pages of code are not counted, because they vary."""
    state = stack.fresh("bridge")
    pairing = state / "pairing"
    with stack.server(149, state) as server:
        into.add("start149.fresh", server.start_ms)
        pair(stack, driver, server, pairing)
        into.add(
            "get149.cpu", driver.run(server, "-w", 500, "-d", 1, "-k", 149, "get", pairing=pairing)["srv_cpu_us_per_op"]
        )
        run = driver.run(server, "-w", 100, "-d", 1, "acc", pairing=pairing)
        into.add("acc149-kept.cpu", run["srv_cpu_us_per_op"] / 1000)
        into.add("acc149-kept.p50", run["p50_us"] / 1000)
        writing = driver.run(server, "-w", 500, "-d", 0.5, "put", pairing=pairing)["srv_cpu_us_per_op"]
        changing = driver.run(server, "-w", 100, "-d", 1, "putacc", pairing=pairing)["srv_cpu_us_per_op"]
        into.add("acc149.cpu", (2 * changing - writing) / 1000)
    for _ in range(3):
        with stack.server(149, state) as server:
            into.add("start149.paired", server.start_ms)
    with stack.server(149, state) as server:
        time.sleep(1.5)
        into.add("memory.bulb", (server.memory()[1] - anonymous) / 149)


def many_sessions(stack, driver, into, beside):
    """Measures with the server on one core and the driver on the other."""
    state = stack.fresh("many")
    pairing = state / "pairing"
    with stack.server(1, state, *stack.many(64)) as server:
        pair(stack, driver, server, pairing)
        driver.run(server, "-c", 32, "-n", 5000, "get", core=1, pairing=pairing)
        for _ in range(SLICES):
            beside.many(driver)
            run = driver.run(server, "-c", 32, "-w", 300, "-d", SLICE, "get", core=1, pairing=pairing)
            into.add("get32.cpu", run["srv_cpu_us_per_op"])
            into.add("get32.rps", run["rps"])
    with stack.server(1, state, *stack.many(256)) as server:
        # The first sessions load code into memory, which is not part of a session.
        time.sleep(1.5)
        driver.run(server, "-c", 1, "-d", 0.1, "idle", core=1, pairing=pairing)
        run = driver.run(server, "-c", 200, "-d", 1, "idle", core=1, pairing=pairing)
        into.add("memory.session", run["rss_per_session_kb"])


def events(stack, driver, into):
    state = stack.fresh("events")
    pairing = state / "pairing"
    options = list(stack.many(64))
    if stack.name == "hapsim":
        quirks = state / "quirks.json"
        quirks.write_text(json.dumps({"coalescing": "0s"}))
        options += ["--quirks", quirks]
    with stack.server(1, state, *options, ephemeral=True) as server:
        pair(stack, driver, server, pairing)
        count = 2000 if stack.name == "hapsim" else 4
        for subscribers in (8, 31):
            run = driver.run(server, "-c", subscribers, "-n", count, "events", core=1, pairing=pairing)
            into.add(f"events{subscribers}.p50", run["p50_us"])
            into.add(f"events{subscribers}.last", run["fanout_p50_us"])


def disturbance(stack, driver, into):
    """Measures the delay of reads of one accessory during Pair Setups of another one in the same process. The server has both cores.

    An accessory with sessions is paired and refuses Pair Setup, so two accessories are needed. The reader has one core, the Pair Setups the other.
    """
    state = stack.fresh("disturbance")
    with stack.two(state) as server:
        pairing, other = state / "pairing", state / "other"
        pair(stack, driver, server, pairing)
        second = at_port(server, server.port + 1)
        driver.run(second, "pair", pairing=other)
        reading = ("-w", 5000, "-d", 1.5, "get")
        # The start is complete. The other core is kept as busy as with Pair Setups, so that the scheduler places the server in the same way.
        time.sleep(1.5)
        idler = spawn([sys.executable, "-c", "while True: pass"], (1,))
        try:
            quiet = driver.run(server, *reading, pairing=pairing)["p99_us"]
        finally:
            idler.kill()
            idler.wait()
        reader = driver.start(server, *reading, pairing=pairing)
        setups = 0
        while reader.poll() is None:
            driver.run(second, "unpair", core=1, pairing=other)
            driver.run(second, "pair", core=1, pairing=other)
            setups += 1
        loud = driver.outcome(reader)["p99_us"]
    into.add("setup.others", loud / quiet)
    into.add("setup.meanwhile", setups)


def growth(stack, driver, into):
    """Once: minutes."""
    state = stack.fresh("growth")
    pairing = state / "pairing"
    with stack.server(1, state, *stack.many(64)) as server:
        pair(stack, driver, server, pairing)
        driver.run(server, "-c", 32, "-n", 200_000, "get", core=1, pairing=pairing)
        driver.run(server, "-c", 8, "-n", 2_000, "verify", core=1, pairing=pairing)
        before = server.memory()[1]
        driver.run(server, "-c", 32, "-n", REQUESTS, "get", core=1, pairing=pairing)
        between = server.memory()[1]
        driver.run(server, "-c", 8, "-n", CONNECTIONS, "verify", core=1, pairing=pairing)
        after = server.memory()[1]
    into.add("growth.requests", between - before)
    into.add("growth.connections", after - between)
