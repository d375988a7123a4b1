"""Thousands of connections from one address that send no complete request. Controllers at the same address and at another address still pair
and verify, and open sessions are not affected.

On real sockets because it is about performance and the kernel's limits: thousands of connections.
"""

import asyncio
import resource

import pytest

import direct
from flooding import Flood, require_open_files
from process import PATIENCE, PROFILES
from web import Web, control

SAME, OTHER = "127.0.0.1", "127.0.0.2"
LAMP = PROFILES / "light-white.hasaccessory"
# With `body` the queue is much shorter than this (CN.20), so each new connection evicts another one.
CONNECTIONS = 400


@pytest.mark.parametrize(
    ("source", "kind"), [(source, kind) for kind in ("silent", "head", "body") for source in (OTHER, SAME)]
)
async def test_controllers_pair_and_verify_during_a_flood(source, kind, run):
    "[CN.10, CN.12, CN.18, CN.20]"
    simulator = await run(LAMP, options=("--quiet",))
    accessory = simulator.accessory
    async with Flood(accessory, source, CONNECTIONS, kind):
        keys = await direct.pair(accessory)
        async with direct.Session(accessory, keys) as session:
            assert await session.database()
    async with direct.Session(accessory, keys) as session:
        assert await session.database()
        # More connections than the queue holds, from another address: most are evicted.
        async with Flood(accessory, OTHER, 6000, kind) as flood:
            assert await session.database()
            async with direct.Session(accessory, keys) as another:
                assert await another.database()
        assert flood.totals["closed"] > 0
        assert await session.database()


@pytest.mark.parametrize("kind", ["silent", "verify"])
async def test_a_flood_under_a_small_limit_of_open_files_blocks_no_controller(kind, run):
    "[CN.10, CN.18]"
    # The preset allows 10,000 connections.
    simulator = await run(LAMP, options=("--quiet", "--quirks", "hap-nodejs"), most_files=256)
    async with Flood(simulator.accessory, OTHER, 1000, kind) as flood:
        keys = await direct.pair(simulator.accessory)
        async with direct.Session(simulator.accessory, keys) as session:
            assert await session.database()
    assert flood.totals["closed"] > 0


@pytest.mark.parametrize("kind", ["silent", "body"])
async def test_the_control_api_answers_during_a_flood(kind, run):
    "[CN.18, CN.20]"
    simulator = await run(LAMP, options=("--quiet",))
    open_before = await Web.connect(simulator)
    assert (await open_before.ask("GET", "/v1/accessories")).status == 200
    port = int(control(simulator)[1])
    async with Flood(simulator.accessory, SAME, CONNECTIONS, kind, port):
        async with asyncio.timeout(PATIENCE):
            late = await Web.connect(simulator)
            for web in (open_before, late):
                assert (await web.ask("GET", "/v1/accessories")).status == 200
    open_before.close()
    late.close()


@pytest.mark.parametrize("hard", [6256, resource.RLIM_INFINITY])
def test_a_flood_begins_if_enough_files_may_be_open(hard, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, hard))
    require_open_files(6000)


def test_a_limit_of_open_files_that_is_too_low_is_reported(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 4096))
    with pytest.raises(pytest.fail.Exception, match="hard limit of open files is 4096. Raise it: run 'ulimit -n 6256'"):
        require_open_files(6000)
