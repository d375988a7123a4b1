"""The measured programs. They listen on loopback, and are pinned to cores.

On a small virtual machine waking a thread on another core costs more than a whole request, so unpinned runs measure the decisions of the scheduler.
`cores` are the cores of a server; the caller pins the driver.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
CODE = "031-45-154"
SAME = (0,)
ALL = tuple(sorted(os.sched_getaffinity(0)))


class Failed(Exception):
    """A server that did not start, or a driver whose checks failed."""


GIVEN = set()


def free_port():
    """Returns a free port whose successor is also free, below the ports that the system assigns to outgoing connections. Each is returned once."""
    for port in range(21_000, 32_000, 2):
        if port in GIVEN:
            continue
        try:
            for number in (port, port + 1):
                socket.create_server(("127.0.0.1", number)).close()
            GIVEN.add(port)
            return port
        except OSError:
            continue
    raise Failed("no port is free")


def spawn(words, cores, **options):
    """Starts a process on those cores, without an intermediate program."""
    return subprocess.Popen(
        [str(word) for word in words], stdin=subprocess.DEVNULL, preexec_fn=lambda: os.sched_setaffinity(0, cores), **options
    )


def listens(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


class Server:
    """A running program. Use as a context, in which `port` and `pid` are set."""

    def __init__(self, words, port, cores=SAME):
        self.words, self.port, self.cores = words, port, cores

    def __enter__(self):
        begin = time.perf_counter()
        self.process = spawn(self.words, self.cores, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while not listens(self.port):
            if self.process.poll() is not None or time.perf_counter() - begin > 30:
                self.process.kill()
                raise Failed(f"{self.words[0]} doesn't listen: {self.process.stderr.read().decode()}")
            time.sleep(0.0002)
        self.start_ms = (time.perf_counter() - begin) * 1000
        return self

    @property
    def pid(self):
        return self.process.pid

    def memory(self):
        """Returns resident and anonymous kilobytes."""
        fields = dict(
            line.split(":", 1) for line in Path(f"/proc/{self.pid}/smaps_rollup").read_text().splitlines()[1:] if ":" in line
        )
        return tuple(int(fields[name].split()[0]) for name in ("Rss", "Anonymous"))

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()


def at_port(server, port):
    """Returns the same process at another of its ports."""
    other = Server(server.words, port)
    other.process = server.process
    return other


class Stack:
    """A server of bulbs, with its own folder for its identity and the driver's pairings."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.port = free_port()

    def fresh(self, name):
        shutil.rmtree(self.folder / name, ignore_errors=True)
        (self.folder / name).mkdir(parents=True)
        return self.folder / name


class Hapsim(Stack):
    name = "hapsim"

    def __init__(self, folder, program):
        super().__init__(folder)
        self.program = program

    def server(self, bulbs, state, *options, cores=SAME, ephemeral=False):
        profile = HERE / "Profiles" / ("bulb.hasaccessory" if bulbs == 1 else f"bulbs-{bulbs}.hasaccessory")
        words = [
            self.program, "run", profile, "--port", self.port, "--interface", "lo", "--quiet", "--control", "off",
            *(["--ephemeral"] if ephemeral else ["--state", state]), *options,
        ]  # fmt: skip
        return Server(words, self.port, cores)

    def two(self, state):
        """Two accessories of one process on all cores, at this port and the next."""
        profiles = [HERE / "Profiles" / f"{name}.hasaccessory" for name in ("bulb", "bulbs-149")]
        words = [self.program, "run", *profiles, "--port", self.port, "--interface", "lo", "--quiet", "--control", "off", "--state", state]
        return Server(words, self.port, ALL)

    def many(self, sessions):
        return ("--max-sessions", str(max(sessions + 8, 17)))


class HAPPython(Stack):
    name = "HAP-python"

    def server(self, bulbs, state, *_options, cores=SAME, ephemeral=False):
        words = [sys.executable, HERE / "pyhap_server.py", Path(state) / "state.json", self.port, bulbs]
        return Server(words, self.port, cores)

    def many(self, _sessions):
        return ()


class Floor(Stack):
    """An echo server of sealed frames: the lower limit for an accessory."""

    name = "floor"

    def __init__(self, folder, program):
        super().__init__(folder)
        self.program = program

    def server(self, cores=SAME):
        return Server([self.program, "echosrv", self.port, "enc"], self.port, cores)
