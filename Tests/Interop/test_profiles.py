"""Shipped profiles with aiohomekit, one of each category a day (conftest.py): discover, pair, read, write, subscribe, add a controller, unpair.

On real sockets because aiohomekit is a third party. It runs the built hapsim with each category.
"""

import base64
import hashlib
import json

import pytest
import pytest_asyncio

from phone import Phone, another_controller, batches, same
from process import Simulator
from values import bad, characteristics, good, held, outside_the_format

INFORMATION, PROTOCOL, PRESS = "3E", "A2", "73"


@pytest_asyncio.fixture(scope="module")
async def home(profile, network):
    """A paired accessory of one profile, for the tests that can share it. They run in the order of this file."""
    simulator = await Simulator.run(profile)
    try:
        await simulator.ready()
        async with Phone(network) as phone:
            yield await phone.pair(simulator.accessory)
    finally:
        await simulator.clean_up()


def short(uuid):
    """Returns the short form of a UUID that aiohomekit has lengthened."""
    head, _, tail = uuid.upper().partition("-")
    return head.lstrip("0") if tail == "0000-1000-8000-0026BB765291" else uuid.upper()


def names(document):
    """Yields the accessories' names in the order of the database. Copies are numbered."""
    yield document["name"]
    for accessory in document.get("bridgedAccessories", []):
        copies = accessory.get("copies", 1)
        yield from (f"{accessory['name']} {n + 1}" for n in range(copies)) if copies > 1 else [accessory["name"]]


async def test_the_accessory_is_discovered_with_all_nine_keys(profile, run, network):
    "[AD.1, AD.2, AD.3, AD.4, AD.5, AD.8, AD.9]"
    simulator = await run(profile)
    accessory = simulator.accessory
    service = await network.wait(accessory.device_id)
    document = json.loads(profile.read_text())

    keys = [key for key, _ in service.txt]
    assert sorted(keys) == ["c#", "ci", "ff", "id", "md", "pv", "s#", "sf", "sh"]
    txt = service.values
    assert 1 <= int(txt["c#"]) <= 65535 and txt["c#"] == str(int(txt["c#"]))
    assert txt["id"] == accessory.device_id and len(txt["id"].split(":")) == 6 and txt["id"] == txt["id"].upper()
    assert (txt["ff"], txt["pv"], txt["s#"], txt["sf"]) == ("0", "1.1", "1", "1")
    assert txt["md"] == document["model"]

    # The number of the payload: the category in bits 31–38, IP in bit 28, the code in bits 0–26. The setup ID follows.
    assert accessory.setup_payload.startswith("X-HM://")
    number, setup_id = int(accessory.setup_payload[7:16], 36), accessory.setup_payload[16:]
    assert txt["ci"] == str(number >> 31 & 0xFF)
    assert (number >> 27) & 0b111 == 0b010
    assert f"{number & 0x7FFFFFF:08}" == accessory.setup_code.replace("-", "")
    digest = hashlib.sha512((setup_id + accessory.device_id).encode()).digest()
    assert txt["sh"] == base64.b64encode(digest[:4]).decode()

    assert service.port == accessory.port
    addresses = network.addresses[service.host]
    assert bytes([127, 0, 0, 1]) in addresses and addresses <= {bytes([127, 0, 0, 1]), bytes([0] * 15 + [1])}
    assert service.name == f"{accessory.name}._hap._tcp.local."


async def test_sf_follows_the_pairing(profile, run, network, phone):
    "[AD.6, AD.7, AD.11]"
    accessory = (await run(profile)).accessory
    await network.wait(accessory.device_id, sf="1")
    home = await phone.pair(accessory)
    await network.wait(accessory.device_id, sf="0")
    await home.unpair()
    await network.wait(accessory.device_id, sf="1")


async def test_the_database_is_complete(profile, home):
    "[CH.24, DB.1, DB.2, DB.3, DB.4, DB.5]"
    document = json.loads(profile.read_text())
    accessories = await home.accessories()

    wanted = list(names(document))
    aids = [a["aid"] for a in accessories]
    assert len(accessories) == len(wanted) and len(set(aids)) == len(aids) and 1 in aids
    for accessory, name in zip(accessories, wanted):
        iids = [s["iid"] for s in accessory["services"]]
        iids += [c["iid"] for s in accessory["services"] for c in s["characteristics"]]
        assert len(set(iids)) == len(iids) and min(iids) >= 1
        (information,) = (s for s in accessory["services"] if short(s["type"]) == INFORMATION)
        assert information["iid"] == 1
        values = {short(c["type"]): c.get("value") for c in information["characteristics"]}
        assert values["23"] == name  # Name
        assert all(values[kind] for kind in ("20", "21", "30", "52"))  # manufacturer, model, serial number, firmware
        assert "14" in values  # Identify
    (protocol,) = (s for s in accessories[aids.index(1)]["services"] if short(s["type"]) == PROTOCOL)
    assert [c["value"] for c in protocol["characteristics"] if short(c["type"]) == "37"] == ["1.1.0"]


async def test_every_readable_characteristic_can_be_read(profile, home):
    "[HTTP.6, HTTP.7, HTTP.10, CH.14]"
    listed = dict(characteristics(await home.accessories()))
    readable = {i: c for i, c in listed.items() if "pr" in c["perms"]}
    answer = {}
    for batch in batches(readable):  # the size of a request head is limited
        answer |= await home.get(*batch)
    assert answer.keys() == readable.keys()
    for identifier, c in readable.items():
        assert same(answer[identifier]["value"], c["value"]), identifier
    for identifier in listed.keys() - readable.keys():
        assert (await home.get(identifier))[identifier]["status"] == -70405
    assert (await home.get((1, 999999)))[(1, 999999)]["status"] == -70409


async def test_every_writable_characteristic_accepts_valid_values_and_refuses_others(profile, home):
    "[CH.1, CH.2, CH.3, CH.4, CH.7, CH.8, CH.9, CH.10, CH.11, CH.13, CH.16, CH.17, HTTP.8, HTTP.9]"

    async def put(identifier, value, timed=False):
        """Writes a value. Returns the HTTP status and the status of the characteristic."""
        code, entry = await home.put_one(identifier, timed=timed, value=value)
        assert entry is None or "value" not in entry
        return code, entry and entry["status"]

    written = 0
    for identifier, c in characteristics(await home.accessories()):
        if "pw" not in c["perms"]:
            assert await put(identifier, 1) == (207, -70404), c
            continue
        timed = "tw" in c["perms"]
        if timed:
            assert await put(identifier, good(c)[0]) == (207, -70410), c
        written += 1
        for value in good(c):
            assert await put(identifier, value, timed) == (204, None), (c, value)
            if "pr" in c["perms"]:
                assert same(await home.value(identifier), held(c, value)), c
        for value in bad(c):
            assert await put(identifier, value, timed) == (207, -70410), (c, value)
        for value in outside_the_format(c):
            assert await put(identifier, value, timed) in [(207, -70410), (400, None)], (c, value)
        assert await put(identifier, None, timed) == (400, None), c
        if "pr" in c["perms"]:
            assert same(await home.value(identifier), held(c, good(c)[-1])), c
    assert written >= 1, "at least Identify can be written"


async def test_all_subscribers_except_the_writer_get_events(profile, run, phones):
    "[EV.3, EV.8, EV.9, EV.14]"
    simulator = await run(profile)
    home = await (await phones()).pair(simulator.accessory)
    keys = another_controller(home.data)
    await home.add(keys)
    other = (await phones()).open(keys)

    listed = dict(characteristics(await home.accessories()))
    await other.accessories()
    audible = [i for i, c in listed.items() if "ev" in c["perms"]]
    silent = [i for i, c in listed.items() if "ev" not in c["perms"]]
    for listener in (home, other):
        assert await listener.subscribe(*audible) == {}
    for batch in batches(silent):
        assert await other.subscribe(*batch) == {i: -70406 for i in batch}
    other.pairing.subscriptions.difference_update(silent)

    # One controller writes and the other one subscribes, and then in the other direction. The last event proves that no event came before it.
    # A characteristic with only one possible value sends no event when it is written.
    writable = [i for i in audible if "pw" in listed[i]["perms"] and len(good(listed[i])) > 1]
    for writer, listener in ((home, other), (other, home)):
        since = len(writer.events.seen), len(listener.events.seen)
        values = {}
        for identifier in writable:
            now = await writer.value(identifier)
            values[identifier] = next(v for v in good(listed[identifier]) if not same(v, now))
        for timed in (False, True):
            wanted = [(*i, v) for i, v in values.items() if ("tw" in listed[i]["perms"]) == timed]
            for batch in batches(wanted):
                if timed:
                    await writer.prepare()
                assert await writer.put(*batch, timed=timed) == {}
        for identifier, value in values.items():
            await listener.events.wait(identifier, value, since[1])
            assert writer.events.of(identifier, since[0]) == []
    if not writable:  # a sensor or a button: a person changes the value
        identifier = audible[0]
        c = listed[identifier]
        second, first = (good(c) * 2)[:2]  # if there are two values, the first one differs from the current value
        # EV.14: every press is an event, also if it equals the last one.
        for value in (first, first, second) if short(c["type"]) == PRESS else (first, second):
            since = (len(home.events.seen), len(other.events.seen))
            answer = await simulator.command("set", characteristic="{}.{}".format(*identifier), value=value)
            assert answer["ok"] is True, answer
            await home.events.wait(identifier, value, since[0])
            await other.events.wait(identifier, value, since[1])


async def test_a_write_response_is_sent_if_it_is_allowed(profile, home):
    """A write with `r` is answered with the value if the characteristic has the permission `wr`."""
    for identifier, c in characteristics(await home.accessories()):
        if not {"pw", "wr"} <= set(c["perms"]):
            continue
        code, entry = await home.put_one(identifier, timed="tw" in c["perms"], value=good(c)[-1], r=True)
        assert code == 207 and entry["status"] == 0 and "value" in entry, (c, entry)


async def test_additional_authorization_may_come_with_a_write(profile, home):
    """`authData` must be base64; otherwise the write is refused."""
    for identifier, c in characteristics(await home.accessories()):
        if "aa" not in c["perms"]:
            continue
        how = {"timed": "tw" in c["perms"], "value": good(c)[-1]}
        assert await home.put_one(identifier, authData="AQID", **how) == (204, None), c
        code, entry = await home.put_one(identifier, authData="no base64!", **how)
        assert (code, entry["status"]) == (207, -70410), c


async def test_a_second_controller_is_added_and_removed(profile, run, network, phones):
    "[PR.1, PR.5, PR.7, PR.8]"
    accessory = (await run(profile)).accessory
    home = await (await phones()).pair(accessory)
    keys = another_controller(home.data)
    await home.add(keys, admin=False)
    other = (await phones()).open(keys)
    assert await other.accessories() == await home.accessories()

    listed = {p["pairingId"]: (p["publicKey"], p["controllerType"]) for p in await home.pairings()}
    assert listed == {
        home.identifier: (home.data["iOSDeviceLTPK"], "admin"),
        other.identifier: (keys["iOSDeviceLTPK"], "regular"),
    }
    with pytest.raises(Exception) as refused:
        await other.add(another_controller(keys))
    assert "Authentication" in type(refused.value).__name__

    await home.remove(other.identifier)
    assert [p["pairingId"] for p in await home.pairings()] == [home.identifier]
    with pytest.raises(Exception):
        await (await phones()).open(keys).accessories()
    await home.unpair()
    await network.wait(accessory.device_id, sf="1")
