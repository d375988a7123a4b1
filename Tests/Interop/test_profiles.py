"""Every shipped profile against aiohomekit: found, paired, read, written, listened to, shared, unpaired."""

import base64
import hashlib
import json

import pytest

from phone import another_controller, same
from values import bad, characteristics, good, outside_the_format

INFORMATION, PROTOCOL = "3E", "A2"


def short(uuid):
    """aiohomekit's long form, shortened again."""
    head, _, tail = uuid.upper().partition("-")
    return head.lstrip("0") if tail == "0000-1000-8000-0026BB765291" else uuid.upper()


async def test_is_discovered_with_all_nine_keys(profile, run, network):
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

    # The payload's number: the category in bits 31–38, IP in 28, the code in 0–26; the setup ID follows.
    assert accessory.setup_payload.startswith("X-HM://")
    number, setup_id = int(accessory.setup_payload[7:16], 36), accessory.setup_payload[16:]
    assert txt["ci"] == str(number >> 31 & 0xFF)
    assert (number >> 27) & 0b111 == 0b010
    assert f"{number & 0x7FFFFFF:08}" == accessory.setup_code.replace("-", "")
    digest = hashlib.sha512((setup_id + accessory.device_id).encode()).digest()
    assert txt["sh"] == base64.b64encode(digest[:4]).decode()

    assert service.port == accessory.port
    assert network.addresses[service.host] == {bytes([127, 0, 0, 1])}
    assert service.name == f"{accessory.name}._hap._tcp.local."


async def test_sf_follows_the_pairing(profile, run, network, phone):
    "[AD.6, AD.7, AD.11]"
    accessory = (await run(profile)).accessory
    await network.wait(accessory.device_id, sf="1")
    home = await phone.pair(accessory)
    await network.wait(accessory.device_id, sf="0")
    await home.unpair()
    await network.wait(accessory.device_id, sf="1")


async def test_the_database_is_whole(profile, run, phone):
    "[CH.24, DB.1, DB.2, DB.3, DB.4, DB.5]"
    document = json.loads(profile.read_text())
    home = await phone.pair((await run(profile)).accessory)
    accessories = await home.accessories()

    wanted = [document["name"]] + [a["name"] for a in document.get("bridgedAccessories", [])]
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


async def test_everything_readable_can_be_read(profile, run, phone):
    "[HTTP.6, HTTP.7, HTTP.10, CH.14]"
    home = await phone.pair((await run(profile)).accessory)
    listed = dict(characteristics(await home.accessories()))
    readable = {i: c for i, c in listed.items() if "pr" in c["perms"]}
    answer = await home.get(*readable)
    assert answer.keys() == readable.keys()
    for identifier, c in readable.items():
        assert same(answer[identifier]["value"], c["value"]), identifier
    for identifier in listed.keys() - readable.keys():
        assert (await home.get(identifier))[identifier]["status"] == -70405
    assert (await home.get((1, 999999)))[(1, 999999)]["status"] == -70409


async def test_everything_writable_takes_what_it_should_and_refuses_the_rest(profile, run, phone):
    "[CH.1, CH.2, CH.3, CH.4, CH.7, CH.8, CH.9, CH.10, CH.11, CH.13, CH.16, CH.17, HTTP.8, HTTP.9]"
    home = await phone.pair((await run(profile)).accessory)

    async def put(identifier, value):
        """The HTTP status and the characteristic's."""
        aid, iid = identifier
        body = {"characteristics": [{"aid": aid, "iid": iid, "value": value}]}
        code, answer = await home.request("PUT", "/characteristics", json.dumps(body).encode())
        if code != 207:
            return code, None
        (entry,) = json.loads(answer)["characteristics"]
        assert (entry["aid"], entry["iid"]) == identifier and "value" not in entry
        return code, entry["status"]

    written = 0
    for identifier, c in characteristics(await home.accessories()):
        if "pw" not in c["perms"]:
            assert await put(identifier, 1) == (207, -70404), c
            continue
        if "tw" in c["perms"]:
            continue
        written += 1
        for value in good(c):
            assert await put(identifier, value) == (204, None), (c, value)
            if "pr" in c["perms"]:
                assert same(await home.value(identifier), value), c
        for value in bad(c):
            assert await put(identifier, value) == (207, -70410), (c, value)
        for value in outside_the_format(c):
            assert await put(identifier, value) in [(207, -70410), (400, None)], (c, value)
        assert await put(identifier, None) == (400, None), c
        if "pr" in c["perms"]:
            assert same(await home.value(identifier), good(c)[-1]), c
    assert written >= 1, "at least Identify can be written"


async def test_events_reach_every_listener_but_the_writer(profile, run, phones):
    "[EV.3, EV.8, EV.9]"
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
    assert await other.subscribe(*silent) == {i: -70406 for i in silent}
    other.pairing.subscriptions.difference_update(silent)

    # One writes, the other hears, and then the other way round: what comes last proves that nothing came before it.
    changed = 0
    for writer, listener in ((home, other), (other, home)):
        for identifier in audible:
            c = listed[identifier]
            if "pw" not in c["perms"]:
                continue
            now = await writer.value(identifier)
            value = next(v for v in good(c) if not same(v, now))
            since = len(writer.events.seen)
            assert await writer.put((*identifier, value)) == {}
            await listener.events.wait(identifier, value)
            assert writer.events.of(identifier, since) == []
            changed += 1
    if not changed:  # nothing to write, as in a sensor: a person changes it
        for value in (True, False, True):
            since = (len(home.events.seen), len(other.events.seen))
            answer = await simulator.command("set", characteristic="MotionDetected", value=value)
            assert answer["ok"] is True, answer
            (motion,) = (i for i in audible if short(listed[i]["type"]) == "22")
            await home.events.wait(motion, value, since[0])
            await other.events.wait(motion, value, since[1])


async def test_a_second_controller_comes_and_goes(profile, run, network, phones):
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
