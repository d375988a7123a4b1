"""Hundreds of hostile connections, or ten thousand for a minute with `make abuse`. A paired controller gets answers throughout, and afterwards
no socket of these connections is open.

On real sockets because it is about performance and the kernel's limits: thousands of connections.
"""

import asyncio
import json
import os
import sys
import time
from pathlib import Path

import pytest

from flooding import require_open_files
from process import PATIENCE, PROFILES

HOSTILE = Path(__file__).with_name("hostile.py")
CONNECTIONS = int(os.environ.get("ABUSE_CONNECTIONS", "400"))
SECONDS = float(os.environ.get("ABUSE_SECONDS", "3"))
SEED = int(os.environ.get("ABUSE_SEED", "1"))

ON = (1, 11)


def memory(process):
    """Returns the resident size in bytes."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) * 1024


def sockets(process):
    count = 0
    for entry in Path(f"/proc/{process.pid}/fd").iterdir():
        try:
            count += os.readlink(entry).startswith("socket:")
        except FileNotFoundError:
            pass  # closed since the listing
    return count


@pytest.mark.parametrize("limit", [17, 10_000])
async def test_a_paired_session_answers_throughout(limit, run, phone):
    "[CN.3, CN.5, CN.10, CN.14]"
    require_open_files(CONNECTIONS)
    simulator = await run(PROFILES / "garage-kilgo.hasaccessory", options=("--max-sessions", str(limit), "--quiet"))
    accessory = simulator.accessory
    home = await phone.pair(accessory)
    accessories = await home.accessories()
    door = next(
        (a["aid"], c["iid"]) for a in accessories for s in a["services"] for c in s["characteristics"]
        if c["type"].startswith("00000032") and "pw" in c["perms"]
    )  # fmt: skip
    before, open_before = memory(simulator.process), sockets(simulator.process)

    hostile = await asyncio.create_subprocess_exec(
        sys.executable, HOSTILE, accessory.address, str(accessory.port), str(CONNECTIONS), str(SECONDS), str(SEED),
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output = asyncio.create_task(hostile.stdout.read())
    times, most, wanted = [], before, 0
    while not output.done():
        wanted = 1 - wanted
        start = time.monotonic()
        assert await home.put((*door, wanted)) == {}
        assert await home.value(door) == wanted
        times.append(time.monotonic() - start)
        most = max(most, memory(simulator.process))
        await asyncio.wait([output], timeout=0.02)
    await hostile.wait()
    done = json.loads(await output)
    assert done["opened"] > CONNECTIONS

    # The hostile connections leave no socket open, and new connections get answers.
    async with asyncio.timeout(PATIENCE):
        while sockets(simulator.process) > open_before:
            await home.value(door)
    await home.accessories()
    again = phone.open(home.data)
    assert await again.value(door) == wanted
    after = memory(simulator.process)
    times.sort()
    print(
        f"limit {limit}: {done}; {len(times)} writes and reads in pairs, median {times[len(times) // 2] * 1000:.1f} ms, "
        f"longest {times[-1] * 1000:.1f} ms; memory {before >> 20} MB before, {most >> 20} MB at most, {after >> 20} MB after"
    )  # fmt: skip
    assert most < 1 << 30
