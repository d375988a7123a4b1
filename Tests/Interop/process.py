"""A simulator as a process: start it, wait for its output, send commands to its standard input, stop it.

Nothing here sleeps. Every wait is for a line of the process or for its end, with a time limit.
"""

import asyncio
import itertools
import json
import os
import signal
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROFILES = ROOT / "Profiles"
PATIENCE = 180.0  # seconds; reached only if a process hangs, also on a busy machine


def hapsim():
    """The path of the program under test, from the environment. The Makefile sets it."""
    return os.environ["HAPSIM"]


@dataclass(frozen=True)
class Accessory:
    """The ready line's description of one accessory."""

    name: str
    device_id: str
    setup_code: str
    setup_payload: str
    category: object
    address: str
    port: int

    @classmethod
    def of(cls, said):
        return cls(
            said["name"], said["deviceID"], said["setupCode"], said["setupPayload"],
            said["category"], said["address"], said["port"],
        )  # fmt: skip


class Ended(Exception):
    """The process ended before the expected line."""


class Simulator:
    """One `hapsim run`, or another program that prints the same ready line."""

    # For every simulator: the option that selects its mDNS daemon, and the environment in which it finds that daemon.
    bonjour = ()
    environment = {}

    def __init__(self, process, name):
        self.process = process
        self.name = name
        self.said = []  # every line of standard output, parsed
        self.errors = []  # every line of standard error
        self.followers = []  # coroutine functions that are called after each of these lines
        self._news = asyncio.Condition()
        self._ids = itertools.count(1)
        self._readers = [asyncio.create_task(self._read_output()), asyncio.create_task(self._read_errors())]

    @classmethod
    async def launch(cls, *command, environment=None):
        """Starts a program, and does not wait."""
        process = await asyncio.create_subprocess_exec(
            *map(str, command),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            limit=1 << 24, env={**os.environ, **cls.environment, **(environment or {})},
        )  # fmt: skip
        return cls(process, Path(str(command[0])).name)

    @classmethod
    async def run(cls, *profiles, command="run", state=None, options=(), interfaces=("lo",), environment=None, most_files=None, namespace=()):
        """Starts `hapsim run` (or `judge`) on loopback, and does not wait. Without a state folder it stores nothing.
        `most_files` is the hard limit of its open files; `namespace` is put before the command (SecondHost.namespace)."""
        limited = ("prlimit", f"--nofile={most_files}") if most_files else ()
        keeping = ("--ephemeral",) if state is None else ("--state", state)
        where = [word for name in interfaces for word in ("--interface", name)]
        through = () if "--bonjour" in options else cls.bonjour
        return await cls.launch(
            *namespace, *limited, hapsim(), command, *profiles, "--json", "--commands", *where, *keeping, *through, *options,
            environment=environment,
        )  # fmt: skip

    async def ready(self):
        """Returns the accessories of the ready line, which must be the first line."""
        await self.wait(lambda line: line.get("event") == "ready")
        assert self.said[0].get("event") == "ready", f"the first line is {self.said[0]}"
        return self.accessories

    @property
    def accessories(self):
        return [Accessory.of(said) for said in self.said[0]["accessories"]]

    @property
    def accessory(self):
        (only,) = self.accessories
        return only

    async def wait(self, wanted, since=0, patience=PATIENCE):
        """Waits for the first line from number `since` for which `wanted` is true, and returns it."""

        def found():
            return next((line for line in self.said[since:] if wanted(line)), None)

        def finished():
            return found() is not None or self._readers[0].done()

        async with asyncio.timeout(patience):
            async with self._news:
                await self._news.wait_for(finished)
        if (line := found()) is None:
            raise Ended(f"{self.name} ended with {await self.ended()}; {self.transcript()}")
        return line

    async def complaint(self, text, patience=PATIENCE):
        """Waits for the first line of standard error that contains `text`, and returns it."""

        def found():
            return next((line for line in self.errors if text in line), None)

        async with asyncio.timeout(patience):
            async with self._news:
                await self._news.wait_for(found)
        return found()

    async def command(self, command, **members):
        """Sends one command and returns its answer."""
        number = next(self._ids)
        start = len(self.said)
        await self.send(json.dumps({"id": number, "command": command, **members}))
        return await self.wait(lambda line: line.get("id") == number, since=start)

    async def send(self, line):
        """Sends a line unchanged."""
        self.process.stdin.write(line.encode() + b"\n")
        await self.process.stdin.drain()

    async def ended(self, patience=PATIENCE):
        """Waits until the process has ended and all its output was read. Returns the exit status."""
        async with asyncio.timeout(patience):
            status = await self.process.wait()
            await asyncio.gather(*self._readers)
        return status

    async def stop(self, how=signal.SIGTERM):
        """Sends a signal and returns the exit status."""
        if self.process.returncode is None:
            self.process.send_signal(how)
        return await self.ended()

    async def clean_up(self):
        """Ends the process after any test. SIGTERM comes first, because the goodbye frees the name for the next test."""
        try:
            try:
                await self.stop()
            except TimeoutError:
                self.process.kill()
                await self.ended()
        finally:
            print(f"--- {self.transcript()}")  # pytest shows it if the test failed

    def transcript(self):
        lines = [json.dumps(line, ensure_ascii=False) for line in self.said] + ["stderr: " + e for e in self.errors]
        return f"{self.name} printed:\n  " + "\n  ".join(lines or ["nothing"])

    async def _read_output(self):
        async for line in self.process.stdout:
            async with self._news:
                try:
                    self.said.append(json.loads(line))
                except json.JSONDecodeError:
                    self.said.append({"not JSON": line.decode(errors="replace")})
                self._news.notify_all()
            for told in self.followers:
                await told()
        async with self._news:
            self._news.notify_all()

    async def _read_errors(self):
        async for line in self.process.stderr:
            async with self._news:
                self.errors.append(line.decode(errors="replace").rstrip("\n"))
                self._news.notify_all()


async def run_to_its_end(*arguments, given=b"", patience=PATIENCE, environment=None):
    """Runs a program that ends by itself, with `given` on standard input. Returns its exit status, standard output and standard error."""
    process = await asyncio.create_subprocess_exec(
        *map(str, arguments),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **(environment or {})},
    )  # fmt: skip
    try:
        async with asyncio.timeout(patience):
            output, errors = await process.communicate(given)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    return process.returncode, output.decode(), errors.decode()
