"""systemd-resolved and resolvectl find hapsim across a network.

On real sockets because systemd-resolved is a third party.
"""

import asyncio

import direct
import pytest
import pytest_asyncio
from process import PATIENCE, PROFILES
from resolved import Failed, Resolved
from second_host import FAR_ADDRESS, FAR_LINK_LOCAL, NEAR

LOCK = PROFILES / "lock.hasaccessory"
# A dot, a backslash and octets beyond ASCII, which resolvectl escapes.
NAME, ESCAPED = r"Küche 2.0\Süd", r"K\195\188che\0322\.0\\S\195\188d._hap._tcp.local"


@pytest_asyncio.fixture
async def resolved(second_host, tmp_path):
    async with Resolved(tmp_path / "resolved", NEAR) as resolved:
        yield resolved


async def asked_until(ask, wanted):
    """Asks until the answer is as wanted, because resolvectl does not wait for changes."""
    answer = None
    try:
        async with asyncio.timeout(PATIENCE):
            while not wanted(answer):
                answer = await ask()
    except TimeoutError:
        raise AssertionError(f"the last answer after {PATIENCE} s: {answer}") from None
    return answer


async def announced(simulator):
    await simulator.wait(lambda line: line.get("event") == "self-check" and line["visible"])


@pytest.mark.parametrize("name", ["Front Door Lock", NAME])
async def test_a_service_is_resolved(name, far, resolved):
    simulator = await far(LOCK, options=("--name", name))
    await announced(simulator)
    accessory = simulator.accessory
    await resolved.forget()
    host, port, addresses, txt = await resolved.service(name)
    assert (port, txt["id"], txt["sf"]) == (accessory.port, accessory.device_id, "1")
    assert addresses and addresses <= {FAR_ADDRESS, FAR_LINK_LOCAL}
    for family, address in ("-4", FAR_ADDRESS), ("-6", FAR_LINK_LOCAL):
        await resolved.forget()
        assert f"{host}: {address}" in await resolved.ctl("--legend=no", family, "query", host)


async def test_changes_are_stored_in_the_cache(far, resolved):
    """Announced changes replace the cached records, and a goodbye removes them. No question is sent in between."""
    simulator = await far(LOCK)
    await announced(simulator)
    name = "Front Door Lock"
    assert (await resolved.service(name))[3]["sf"] == "1"
    await direct.pair(simulator.accessory)
    await asked_until(lambda: resolved.service(name), lambda answer: answer and answer[3]["sf"] == "0")
    assert await simulator.stop() == 0

    async def gone():
        try:
            return await resolved.service(name)
        except Failed as failure:
            return failure

    await asked_until(gone, lambda answer: isinstance(answer, Failed))


async def test_the_type_and_its_instances_are_listed(far, resolved):
    "[AD.11]"
    simulator = await far(LOCK, options=("--name", NAME))
    await announced(simulator)
    await resolved.forget()
    assert await resolved.names() == [ESCAPED]
    await resolved.forget()
    listed = await resolved.ctl("--legend=no", "query", "--type=PTR", "_services._dns-sd._udp.local")
    assert "PTR _hap._tcp.local" in listed
    assert await simulator.stop() == 0
    await resolved.forget()
    with pytest.raises(Failed):
        await resolved.names()
