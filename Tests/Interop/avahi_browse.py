"""The output of avahi-browse, line by line: the services that a daemon found."""

import asyncio
import re
from dataclasses import dataclass

from process import PATIENCE, Simulator, run_to_its_end

ESCAPED = re.compile(rb"\\(?:([0-9]{3})|(.))", re.DOTALL)
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True)
class Line:
    """One line of `avahi-browse --parsable`."""

    mark: str  # + found, - gone, = resolved
    interface: str
    name: str
    host: str = ""
    address: str = ""
    port: int = 0
    txt: tuple = ()  # (key, value) in the order in which avahi-browse prints them

    @classmethod
    def of(cls, text):
        mark, interface, _, name, _, _, *resolved = text.split(";", 9)
        if not resolved:
            return cls(mark, interface, unescaped(name))
        host, address, port, strings = resolved
        txt = tuple(tuple(string.partition("=")[::2]) for string in STRING.findall(strings))
        return cls(mark, interface, unescaped(name), host, address, int(port), txt)


def unescaped(label):
    """Returns a label without the escapes of avahi-browse: \\DDD for an octet, a backslash before a dot or a backslash."""
    octets = ESCAPED.sub(lambda match: bytes([int(match[1])]) if match[1] else match[2], label.encode())
    return octets.decode()


class AvahiBrowse:
    """`async with AvahiBrowse(daemon) as browse:` browses for `_hap._tcp` and prints a line when a service appears or disappears."""

    COMMAND = ("avahi-browse", "--parsable", "--no-db-lookup", "_hap._tcp")

    def __init__(self, daemon):
        self.daemon = daemon

    async def __aenter__(self):
        # By default avahi-browse buffers its output in blocks.
        self.process = await Simulator.launch("stdbuf", "--output=L", *self.COMMAND, environment=self.daemon.environment)
        return self

    async def __aexit__(self, *_):
        await self.process.clean_up()

    async def wait(self, mark, name, since=0):
        """Returns the first line with this mark and instance name, from line number `since`."""

        def wanted(said):
            line = Line.of(said["not JSON"])
            return (line.mark, line.name) == (mark, name)

        try:
            await self.process.wait(wanted, since=since)
        except TimeoutError:
            raise AssertionError(f"no line {mark} {name!r} in {PATIENCE} s; {self.process.transcript()}") from None

    async def resolved(self, name, **txt):
        """Returns the service of this instance name when its TXT record has these values. Starts a new avahi-browse for each attempt, because
        avahi-browse resolves a service only when it finds it."""
        lines = []
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    command = (*self.COMMAND, "--resolve", "--terminate")
                    status, output, errors = await run_to_its_end(*command, environment=self.daemon.environment)
                    assert status == 0, errors
                    lines = [Line.of(line) for line in output.splitlines()]
                    for line in lines:
                        if (line.mark, line.name) == ("=", name) and txt.items() <= dict(line.txt).items():
                            return line
        except TimeoutError:
            raise AssertionError(f"{name!r} was not resolved with {txt} in {PATIENCE} s; the last lines: {lines}") from None

    @property
    def count(self):
        """The number of lines until now."""
        return len(self.process.said)
