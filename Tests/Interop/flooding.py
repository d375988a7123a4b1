"""Runs `flood.py` as a process: the body of `async with Flood(…)` runs while all connections are open."""

import asyncio
import json
import resource
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("flood.py")
LONGEST = 300  # seconds; then the flood ends by itself
OTHER_FILES = 256  # open files of a program, without the connections of the flood


def require_open_files(connections):
    """Fails if a program of this user may not open this number of connections."""
    needed, hard = connections + OTHER_FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < needed:
        pytest.fail(
            f"{connections} connections need {needed} open files, but the hard limit of open files is {hard}. "
            f"Raise it: run 'ulimit -n {needed}' as root, or start the container with '--ulimit nofile={needed}'.",
            pytrace=False,
        )


class Flood:
    def __init__(self, accessory, source, connections, kind="silent", port=None):
        require_open_files(connections)
        self.words = (accessory.address, port or accessory.port, source, connections, kind, LONGEST)
        self.totals = None

    async def __aenter__(self):
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, PROGRAM, *map(str, self.words), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        line = await self.process.stdout.readline()
        assert line, "flood.py ended early; its message is above"
        assert json.loads(line)["opened"]
        return self

    async def __aexit__(self, *_):
        self.process.stdin.close()
        self.totals = json.loads((await self.process.stdout.read()).splitlines()[-1])
        await self.process.wait()
