"""A Swift test serves an accessory with the library. aiohomekit is the app that this test checks.

On real sockets because aiohomekit is a third party.
"""

import asyncio
import os
from pathlib import Path

import pytest

from phone import characteristic
from process import PATIENCE, Accessory, hapsim

OPEN, OPENING = 0, 2


def bundle():
    """The unit tests as a program, which `make test` builds next to hapsim."""
    return Path(hapsim()).with_name("hapsimPackageTests.xctest")


async def test_aiohomekit_pairs_with_an_accessory_of_the_library(phone):
    if not bundle().exists():
        pytest.skip(f"{bundle()} is missing; run 'swift build --build-tests' or 'make test'")
    process = await asyncio.create_subprocess_exec(
        bundle(), "--testing-library", "swift-testing", "--filter", "HAPSimulatorTests.OutsiderTests",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "HAPSIM_LIBRARY_OUTSIDER": "1"},
    )  # fmt: skip
    output = asyncio.ensure_future(process.stdout.read())
    try:
        # The test declares the same values for its door.
        door = Accessory("Library Door", "5E:7A:11:0C:3B:2D", "031-45-154", None, None, None, None)
        home = await phone.pair(door)
        accessories = await home.accessories()
        target = characteristic(accessories, "DOOR_STATE_TARGET")
        current = characteristic(accessories, "DOOR_STATE_CURRENT")
        assert await home.subscribe(current) == {}
        assert await home.put((*target, OPEN)) == {}
        opening = await home.events.wait(current, OPENING)
        # The door needs an hour. The test advances its simulated time.
        await home.events.wait(current, OPEN, since=opening)
        assert await home.value(current) == OPEN
        await home.unpair()
        async with asyncio.timeout(PATIENCE):
            text = (await output).decode()
            assert await process.wait() == 0, text
        assert "Test run with 1 test" in text and "passed" in text, text
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
