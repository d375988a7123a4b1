"""homekit_python 0.19, the second controller: all its functions with six kinds of accessories.

On real sockets because homekit_python is a third party.
"""

import asyncio

import pytest
import pytest_asyncio

from homekit_python import Refused
from phone import another_controller, same
from process import PROFILES
from values import characteristics, good

KINDS = ["garage-kilgo", "lock", "light-colour", "sensor-motion", "bridge-two-lights", "thermostat"]


@pytest_asyncio.fixture(params=KINDS)
async def paired(request, run, homekit_python):
    """The simulator and the data of homekit_python's pairing."""
    simulator = await run(PROFILES / f"{request.param}.hasaccessory")
    accessory = simulator.accessory
    data = await homekit_python.pair(accessory)
    assert data["AccessoryPairingID"] == accessory.device_id
    return simulator, data


def is_event(name):
    return lambda line: line.get("event") == name


async def test_all_accessories_are_discovered_directly_after_the_ready_line(run, homekit_python):
    """[AD.37] For homekit_python a service is complete when it has an address. It fails if this is no IPv4 address."""
    simulator = await run(*(PROFILES / f"{kind}.hasaccessory" for kind in KINDS))
    found = {service["id"]: service for service in await homekit_python("discover")}
    for accessory in simulator.accessories:
        service = found[accessory.device_id]
        assert (service["address"], service["port"]) == ("127.0.0.1", accessory.port)
        assert service["name"] == f"{accessory.name}._hap._tcp.local."
        assert (service["sf"], service["pv"], service["ff"]) == ("1", "1.1", 0)


async def test_an_unpaired_accessory_identifies_itself(run, homekit_python):
    "[ID.1]"
    simulator = await run(PROFILES / "lock.hasaccessory")
    await homekit_python("identify_unpaired", simulator.accessory.device_id)
    await simulator.wait(is_event("identify"))


async def test_a_wrong_code_is_refused_and_the_right_one_pairs(run, homekit_python):
    "[PS.19, PS.25]"
    accessory = (await run(PROFILES / "lock.hasaccessory")).accessory
    with pytest.raises(Refused, match="AuthenticationError"):
        await homekit_python("pair", accessory.device_id, "111-22-333")
    assert await homekit_python.pair(accessory)


@pytest.mark.parametrize("quirks", ["homekit-adk", "brutella-hap", "homespan"])
async def test_it_cannot_pair_with_a_stack_that_refuses_method_1(quirks, run, homekit_python):
    "[PS.70, PS.71]"
    simulator = await run(PROFILES / "lock.hasaccessory", options=("--quirks", quirks))
    with pytest.raises(Refused):
        await homekit_python("pair", simulator.accessory.device_id, simulator.accessory.setup_code)
    refusal = await simulator.wait(is_event("refused"))
    assert "coprocessor" in refusal["reason"], refusal


async def test_everything_is_listed_read_and_written(paired, homekit_python):
    "[PS.19, HTTP.6, HTTP.8]"
    simulator, data = paired
    listed = dict(characteristics(await homekit_python("accessories", data)))
    readable = [identifier for identifier, c in listed.items() if "pr" in c["perms"]]
    answer = await homekit_python("read", data, *readable)
    assert {(aid, iid) for aid, iid, _ in answer} == set(readable)
    for aid, iid, entry in answer:
        assert same(entry["value"], listed[aid, iid].get("value")), (aid, iid)

    writable = [i for i, c in listed.items() if {"pr", "pw"} <= set(c["perms"]) and "tw" not in c["perms"]]
    for identifier in writable:
        for value in good(listed[identifier]):
            assert await homekit_python("write", data, [*identifier, value]) == []
            ((_, _, entry),) = await homekit_python("read", data, identifier)
            assert same(entry["value"], value), listed[identifier]
    (refused,) = await homekit_python("write", data, [*readable[-1], "no such value"])
    assert refused[:2] == list(readable[-1]) and refused[2]["status"] in (-70404, -70410)

    assert await homekit_python("identify", data) is True
    await simulator.wait(is_event("identify"))


async def test_an_event_arrives(paired, homekit_python):
    "[EV.3, EV.9]"
    simulator, data = paired
    listed = dict(characteristics(await homekit_python("accessories", data)))
    identifier = next(i for i, c in listed.items() if {"pr", "ev"} <= set(c["perms"]) and len(good(c)) > 1)
    value = next(v for v in good(listed[identifier]) if not same(v, listed[identifier]["value"]))
    event = asyncio.create_task(homekit_python("event", data, *identifier))
    await simulator.wait(is_event("subscribed"))
    answer = await simulator.command("set", characteristic="{}.{}".format(*identifier), value=value)
    assert answer["ok"] is True, answer
    ((aid, iid, told),) = await event
    assert (aid, iid) == identifier and same(told, value)


async def test_controllers_are_added_listed_and_removed(paired, network, homekit_python):
    "[PR.1, PR.5, PR.8, AD.7]"
    simulator, data = paired
    own = data["iOSPairingId"]
    other = another_controller(data)
    await homekit_python("add", data, other["iOSPairingId"], other["iOSDeviceLTPK"])
    listed = {p["pairingId"]: p["controllerType"] for p in await homekit_python("pairings", data)}
    assert listed == {own: "admin", other["iOSPairingId"]: "regular"}
    assert len(await homekit_python("accessories", other)) == len(await homekit_python("accessories", data))

    await homekit_python("remove", data, other["iOSPairingId"])
    assert [p["pairingId"] for p in await homekit_python("pairings", data)] == [own]
    await network.wait(simulator.accessory.device_id, sf="0")
    await homekit_python("remove", data)
    await simulator.wait(is_event("unpaired"))
    await network.wait(simulator.accessory.device_id, sf="1")
