"""Faults, which the simulator causes on purpose, and their effect on a controller that is not ours.

On real sockets because aiohomekit is a third party. Durations of faults are tested in simulated worlds (FaultTimeTests.swift).
"""

import asyncio
import json
import socket
import time

import pytest
from aiohomekit.controller.ip.connection import InsecureHomeKitProtocol, SecureHomeKitProtocol
from aiohomekit.exceptions import AccessoryDisconnectedError, AuthenticationError, HomeKitException
from aiohomekit.protocol.tlv import TLV

from phone import another_controller, characteristic, pair_setup
from process import PATIENCE, PROFILES, hapsim, run_to_its_end

LAMP = PROFILES / "light-white.hasaccessory"
BRIDGE = PROFILES / "bridge-two-lights.hasaccessory"


async def paired(run, phone, profile=LAMP, *faults):
    simulator = await run(profile, options=[word for fault in faults for word in ("--fault", fault)])
    home = await phone.pair(simulator.accessory)
    return simulator, home, await home.accessories()


async def fault(simulator, text, is_on=True):
    answer = await simulator.command("fault", fault=text, value=is_on)
    assert answer["ok"] is True, answer


async def took(action):
    begin = time.monotonic()
    result = await action
    return time.monotonic() - begin, result


# MARK: the network


@pytest.mark.parametrize("text", ["trickle:bytes=7:every=1ms", "chop:at=1", "chop:at=3:pause=20ms", "chop:at=20", "latency:by=50ms:jitter=20ms", "latency-in:by=50ms", "bandwidth:rate=20000"])
async def test_pairing_and_reading_succeed_on_a_bad_network(run, phone, text):
    """[F25] All bytes arrive, but slowly."""
    simulator, home, accessories = await paired(run, phone, LAMP, text)
    switch = characteristic(accessories, "ON")
    assert await home.put((*switch, True)) == {}
    assert await home.value(switch) == 1
    assert (await simulator.command("status"))["accessories"][0]["faults"] == [text]


async def test_latency_is_switched_on_and_off_in_a_running_simulator(run, phone):
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    await fault(simulator, "latency:by=700ms")
    duration, value = await took(home.value(switch))
    assert duration >= 0.7 and value == 0
    await fault(simulator, "latency", False)
    assert await home.value(switch) == 0
    assert [(e["fault"], e["on"]) for e in simulator.said if e.get("event") == "fault"] == [("latency", True), ("latency", False)]


async def test_stalled_answers_are_sent_after_the_fault_ends(run, phone):
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    await fault(simulator, "stall")
    reading = asyncio.create_task(home.value(switch))
    done, _ = await asyncio.wait([reading], timeout=0.5)
    assert not done
    await fault(simulator, "stall", False)
    assert await reading == 0


async def test_requests_to_a_deaf_accessory_are_answered_after_the_fault_ends(run, phone):
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    await fault(simulator, "deaf")
    reading = asyncio.create_task(home.value(switch))
    done, _ = await asyncio.wait([reading], timeout=0.5)
    assert not done
    await fault(simulator, "deaf", False)
    assert await reading == 0


@pytest.mark.parametrize("text", ["cut:bytes=50", "reset:bytes=50", "cut:bytes=0"])
async def test_connections_break_in_the_middle_of_an_answer(run, phone, text):
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    await fault(simulator, text)
    with pytest.raises((AccessoryDisconnectedError, HomeKitException, TimeoutError)):
        await home.value(switch)
    await fault(simulator, text.split(":")[0], False)
    assert await home.value(switch) == 0


async def connects(accessory):
    """Returns a connection on which a request was answered, or None if the connection was refused."""
    try:
        reader, writer = await asyncio.open_connection(accessory.address, accessory.port)
        writer.write(b"GET /accessories HTTP/1.1\r\nHost: x\r\n\r\n")
        async with asyncio.timeout(PATIENCE):
            return writer if await reader.read(1) else None
    except ConnectionError:
        return None


async def test_new_connections_are_refused(run):
    simulator = await run(LAMP)
    await fault(simulator, "refuse")
    assert await connects(simulator.accessory) is None
    await fault(simulator, "refuse", False)
    assert await connects(simulator.accessory) is not None


async def test_the_ninth_connection_is_refused(run):
    "[F33]"
    simulator = await run(LAMP, options=("--fault", "session-cap:sessions=8"))
    kept = [await connects(simulator.accessory) for _ in range(8)]
    assert all(kept)
    assert await connects(simulator.accessory) is None
    kept.pop().close()
    await simulator.wait(lambda line: line.get("event") == "disconnected")
    assert await connects(simulator.accessory) is not None


async def test_a_fault_can_be_limited_to_one_controller(run, phone, phones):
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    await fault(simulator, f"latency:by=600ms:controller={home.identifier}")
    duration, _ = await took(home.value(switch))
    assert duration >= 0.6
    await fault(simulator, "latency", False)
    await fault(simulator, "stall:controller=SOMEBODY-ELSE")
    assert await home.value(switch) == 0


async def test_a_half_closed_connection_gets_a_late_answer(run):
    """The client closes its side of the connection after the request, and both directions are slow."""
    simulator = await run(LAMP, options=("--fault", "latency:by=200ms", "--fault", "latency-in:by=200ms"))
    reader, writer = await asyncio.open_connection(simulator.accessory.address, simulator.accessory.port)
    writer.write(b"GET /accessories HTTP/1.1\r\nHost: x\r\n\r\n")
    writer.write_eof()
    duration, answer = await took(asyncio.wait_for(reader.read(), 10))
    assert answer.startswith(b"HTTP/1.1 470") and duration >= 0.4
    writer.close()


async def test_a_second_fault_does_not_release_stalled_answers(run, phone, phones):
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    keys = another_controller(home.data)
    await home.add(keys)
    await fault(simulator, f"stall:controller={home.identifier}")
    reading = asyncio.create_task(home.value(switch))
    other = (await phones()).open(keys)
    assert await other.value(switch) == 0
    await fault(simulator, "chunked")
    done, _ = await asyncio.wait([reading], timeout=0.3)
    assert not done
    await fault(simulator, "stall", False)
    assert await reading == 0


async def test_the_network_is_off_and_on_in_turn(run, phone, network):
    """[F2] The network is switched off and on repeatedly, and is on after the fault ends."""
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    await fault(simulator, "flap:off=200ms:on=200ms")
    since = 0
    for is_on in (False, True, False, True):
        await simulator.wait(lambda line: line.get("event") == "radio" and line["on"] is is_on, since=since)
        since = next(n for n, line in enumerate(simulator.said[since:], since) if line.get("event") == "radio" and line["on"] is is_on) + 1
    assert any(line.get("event") == "disconnected" for line in simulator.said)
    await fault(simulator, "flap", False)
    assert await home.value(switch) == 0


async def test_an_accessory_without_a_network(run, phone, network):
    "[F2]"
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    await fault(simulator, "off-network")
    await simulator.wait(lambda line: line.get("event") == "disconnected")
    await network.wait_for_goodbye(f"{simulator.accessory.name}._hap._tcp.local.")
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(simulator.accessory.address, simulator.accessory.port)
    # After a restart the network is still off.
    assert (await simulator.command("reboot"))["ok"]
    assert (await simulator.command("status"))["accessories"][0]["radio"] is False
    await fault(simulator, "off-network", False)
    await network.wait(simulator.accessory.device_id, sf="0")
    assert await home.value(switch) == 0


# MARK: messages


@pytest.mark.parametrize("message", ["setup-M2", "setup-M4", "setup-M6"])
async def test_each_message_of_a_pairing_may_be_late(run, phone, message):
    "[F9]"
    simulator = await run(LAMP, options=("--fault", f"delay-message:message={message}:by=600ms"))
    found = await phone.find(simulator.accessory)
    duration, _ = await took(pair_setup(found, simulator.accessory.setup_code))
    assert duration >= 0.6


@pytest.mark.parametrize("message", ["setup-M2", "setup-M4", "setup-M6"])
async def test_an_interrupted_pairing_can_be_repeated(run, phone, message):
    """[F9, F11] The connection ends after a message; after M6 the accessory is paired."""
    simulator = await run(LAMP)
    await fault(simulator, f"cut-before:message={message}")
    found = await phone.find(simulator.accessory)
    with pytest.raises(Exception) as failure:
        await pair_setup(found, simulator.accessory.setup_code)
    assert not isinstance(failure.value, AssertionError)
    await fault(simulator, "cut-before", False)
    status = (await simulator.command("status"))["accessories"][0]
    if message == "setup-M6":
        assert len(status["pairings"]) == 1, "the pairing is stored before the answer is lost"
    else:
        assert status["pairings"] == []
        await pair_setup(found, simulator.accessory.setup_code)


async def test_an_incomplete_request_has_no_effect(run, phone):
    "[F11]"
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    await fault(simulator, "cut-request:message=write")
    with pytest.raises(Exception):
        await home.put((*switch, True))
    await fault(simulator, "cut-request", False)
    assert await home.value(switch) == 0


async def test_answers_in_chunks(run, phone):
    "[F28]"
    simulator, home, accessories = await paired(run, phone, LAMP, "chunked")
    assert await home.value(characteristic(accessories, "ON")) == 0


async def test_identifiers_in_lower_case(run, phone):
    """[F12] aiohomekit accepts the pairing, but Pair Verify fails, because the identifier differs from the identifier in the record."""
    simulator = await run(LAMP)
    keys = await pair_setup(await phone.find(simulator.accessory), simulator.accessory.setup_code)
    await fault(simulator, "lower-case-identifiers")
    home = phone.open(keys)
    with pytest.raises(Exception) as failure:
        await home.accessories()
    assert not isinstance(failure.value, AssertionError)


@pytest.fixture
def frames(monkeypatch):
    """The number of plaintext bytes in each frame that a secured connection of aiohomekit decrypts."""
    sizes = []
    receive = InsecureHomeKitProtocol.data_received

    def received(self, data):
        if isinstance(self, SecureHomeKitProtocol):
            sizes.append(len(data))
        receive(self, data)

    monkeypatch.setattr(InsecureHomeKitProtocol, "data_received", received)
    return sizes


async def test_messages_of_an_exact_size(run, phone, frames):
    """[F26] An answer and an event have the exact number of frames."""
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    assert await home.subscribe(switch) == {}
    is_on = False
    for size, expected in ((1023, [1023]), (1024, [1024]), (1025, [1024, 1]), (2048, [1024, 1024])):
        await fault(simulator, f"exact-size:bytes={size}")
        frames.clear()
        assert await home.value(switch) == is_on
        assert frames == expected
        is_on = not is_on
        frames.clear()
        since = len(home.events.seen)
        assert (await simulator.command("set", characteristic="On", value=is_on))["ok"]
        await home.events.wait(switch, is_on, since)
        assert frames == expected


async def setup_start(simulator):
    """Returns M2 of Pair Setup. Uses a separate connection, which it closes."""
    reader, writer = await asyncio.open_connection(simulator.accessory.address, simulator.accessory.port)
    writer.write(b"POST /pair-setup HTTP/1.1\r\nHost: x\r\nContent-Type: application/pairing+tlv8\r\nContent-Length: 6\r\n\r\n\x00\x01\x00\x06\x01\x01")
    async with asyncio.timeout(PATIENCE):
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(next(line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")).split(b":")[1])
        message = dict(TLV.decode_bytes(await reader.readexactly(length)))
    since = len(simulator.said)
    writer.close()
    await simulator.wait(lambda line: line.get("event") == "disconnected", since=since)
    return message


async def test_pair_setup_with_leading_zeros(run, phone):
    """[F15] aiohomekit accepts B with leading zeros. Without them it hashes other bytes than the accessory."""
    simulator = await run(LAMP, options=("--fault", "leading-zeros"))
    start = await setup_start(simulator)
    assert len(start[TLV.kTLVType_PublicKey]) == 384 and start[TLV.kTLVType_PublicKey][0] == 0
    assert len(start[TLV.kTLVType_Salt]) == 16 and start[TLV.kTLVType_Salt][0] == 0
    await fault(simulator, "leading-zeros:form=stripped:which=key")
    start = await setup_start(simulator)
    assert len(start[TLV.kTLVType_PublicKey]) < 384
    found = await phone.find(simulator.accessory)
    with pytest.raises(AuthenticationError):
        await pair_setup(found, simulator.accessory.setup_code)
    await fault(simulator, "leading-zeros")
    home = phone.open(await pair_setup(found, simulator.accessory.setup_code))
    assert await home.value(characteristic(await home.accessories(), "ON")) == 0


async def test_an_event_directly_after_pair_verify(run, phone):
    """[F27] aiohomekit 4.0.1 fails: its session has missed a frame, so its counter is wrong."""
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    await fault(simulator, "early-session")
    assert (await simulator.command("disconnect"))["connections"] == 1
    with pytest.raises((HomeKitException, RuntimeError, TimeoutError)):
        async with asyncio.timeout(3):
            await home.value(switch)
    await fault(simulator, "early-session", False)
    assert (await simulator.command("disconnect"))["ok"]
    assert await home.value(switch) == 0


# MARK: events


async def test_events_are_doubled_lost_late_or_unsolicited(run, phone):
    "[F21, F22, F23]"
    simulator, home, accessories = await paired(run, phone)
    switch, brightness = characteristic(accessories, "ON"), characteristic(accessories, "BRIGHTNESS")
    await fault(simulator, "echo-subscription")
    assert await home.subscribe(switch, brightness) == {}
    await home.events.wait(switch, False)
    await fault(simulator, "echo-subscription", False)

    await fault(simulator, "double-events")
    since = len(home.events.seen)
    assert (await simulator.command("set", characteristic="On", value=True))["ok"]
    first = await home.events.wait(switch, True, since)
    await home.events.wait(switch, True, first + 1)
    await fault(simulator, "double-events", False)

    await fault(simulator, "lost-events")
    since = len(home.events.seen)
    assert (await simulator.command("set", characteristic="On", value=False))["ok"]
    told = await simulator.wait(lambda line: line.get("event") == "told" and line["value"] == 0 and line["name"] == "On")
    assert told["controller"] == home.identifier
    assert await home.value(switch) == 0
    assert home.events.of(switch, since) == []
    await fault(simulator, "lost-events", False)

    await fault(simulator, "late-event")
    since = len(home.events.seen)
    await home.pairing.unsubscribe([switch])
    await home.events.wait(switch, False, since)


async def test_the_entries_of_an_event_are_reversed(run, phone, phones):
    "[F23]"
    simulator, home, accessories = await paired(run, phone)
    both = [characteristic(accessories, "ON"), characteristic(accessories, "BRIGHTNESS")]
    assert await home.subscribe(*both) == {}
    keys = another_controller(home.data)
    await home.add(keys)
    other = (await phones()).open(keys)

    async def order(value, brightness):
        since = len(home.events.seen)
        assert await other.put((*both[0], value), (*both[1], brightness)) == {}
        for identifier, expected in zip(both, (value, brightness)):
            await home.events.wait(identifier, expected, since)
        return [identifier for identifier, _ in home.events.seen[since:]]

    right = await order(True, 50)
    await fault(simulator, "reversed-events")
    assert await order(False, 60) == list(reversed(right))


async def test_a_storm_of_events(run, phone, phones):
    """[F21] Only subscribed controllers get the events."""
    simulator, home, accessories = await paired(run, phone)
    switch, brightness = characteristic(accessories, "ON"), characteristic(accessories, "BRIGHTNESS")
    keys = another_controller(home.data)
    await home.add(keys)
    other = (await phones()).open(keys)
    assert await other.subscribe(brightness) == {}
    assert await home.subscribe(switch) == {}
    await fault(simulator, "event-storm:type=On:every=5ms")
    await arrived(home, switch, 100)
    assert await home.value(switch) == 0, "requests are answered between the events"
    await fault(simulator, "event-storm", False)
    seen = len(home.events.seen)
    assert await home.value(switch) == 0
    assert len(home.events.seen) <= seen + 1 and other.events.seen == []


async def arrived(home, identifier, count):
    """Waits for this number of events of one characteristic."""
    since = 0
    for _ in range(count):
        since = await home.events.wait(identifier, False, since) + 1


async def test_a_button_press_without_a_person(run, phone):
    "[F24]"
    simulator, home, accessories = await paired(run, phone, PROFILES / "button-single.hasaccessory")
    button = characteristic(accessories, "INPUT_EVENT")
    assert await home.value(button) is None
    await fault(simulator, "ghost-press")
    assert await home.value(button) == 0


# MARK: values


async def test_failing_reads_and_impossible_values(run, phone):
    "[F29]"
    simulator, home, accessories = await paired(run, phone)
    switch, brightness = characteristic(accessories, "ON"), characteristic(accessories, "BRIGHTNESS")
    await fault(simulator, "failing-read:type=On:status=-70408")
    answer = await home.get(switch, brightness)
    assert answer[switch]["status"] == -70408 and answer[brightness]["value"] == 100
    await fault(simulator, "failing-read", False)
    await fault(simulator, "out-of-range:type=Brightness:value=4711")
    assert await home.value(brightness) == 4711
    await fault(simulator, "long-text:bytes=300")
    listed = await home.accessories()
    assert any(isinstance(c.get("value"), str) and len(c["value"]) == 300 for a in listed for s in a["services"] for c in s["characteristics"])


async def test_a_read_that_the_device_does_not_answer(run, phone):
    "[F35]"
    simulator, home, accessories = await paired(run, phone)
    switch, brightness = characteristic(accessories, "ON"), characteristic(accessories, "BRIGHTNESS")
    await fault(simulator, "slow-read:characteristic=On")
    answer = await home.get(switch, brightness)
    assert answer[switch]["status"] == -70408 and answer[brightness]["value"] == 100
    # A second fault of the kind replaces the first one completely.
    await fault(simulator, "slow-read:characteristic=Brightness")
    assert await home.value(switch) == 0
    assert (await simulator.command("reboot"))["ok"]
    assert (await simulator.command("status"))["accessories"][0]["faults"] == []


async def test_a_bridged_accessory_disappears_and_reappears(run, phone):
    "[F20]"
    simulator, home, accessories = await paired(run, phone, BRIDGE)
    assert [a["aid"] for a in accessories] == [1, 2, 3]
    await fault(simulator, "missing-accessory:aid=2")
    assert [a["aid"] for a in await home.accessories()] == [1, 3]
    await fault(simulator, "missing-accessory", False)
    await fault(simulator, "shifted-iids:by=500")
    iids = {c["iid"] for a in await home.accessories() for s in a["services"] for c in s["characteristics"]}
    assert min(iids) > 500


async def test_iids_are_exchanged_at_a_restart(run, phone, network):
    """[F19, F20] Reads, writes and events use the new iids."""
    simulator, home, accessories = await paired(run, phone)
    before = {(a["aid"], c["iid"]): c["type"] for a in accessories for s in a["services"] for c in s["characteristics"]}
    old = characteristic(accessories, "ON")
    await home.put((*old, True))
    await fault(simulator, "shuffled-iids")
    assert characteristic(await home.accessories(), "ON") == old, "iids do not change before the restart"
    assert (await simulator.command("reboot"))["ok"]
    await network.wait(simulator.accessory.device_id, **{"c#": "2"})
    accessories = await home.accessories()
    after = {(a["aid"], c["iid"]): c["type"] for a in accessories for s in a["services"] for c in s["characteristics"]}
    assert not any(after.get(identifier) == kind for identifier, kind in before.items())
    switch = characteristic(accessories, "ON")
    assert switch != old and await home.value(switch) == 1, "the value is kept"
    assert await home.subscribe(switch) == {}
    assert (await simulator.command("set", characteristic="On", value=False))["ok"]
    await home.events.wait(switch, False)
    # The iids stay, and are not exchanged again.
    await fault(simulator, "shuffled-iids", False)
    assert (await simulator.command("reboot"))["ok"]
    assert characteristic(await home.accessories(), "ON") == switch


async def test_a_bridge_with_very_many_accessories(run, phone):
    "[F34]"
    simulator, home, accessories = await paired(run, phone, BRIDGE)
    for count in (149, 150, 151):
        await fault(simulator, f"crowded:accessories={count}")
        accessories = await home.accessories()
        assert len({a["aid"] for a in accessories}) == len(accessories) == count
    assert await home.value(characteristic(accessories, "ON", aid=3)) == 0
    nobody = characteristic(accessories, "ON", aid=151)
    assert (await home.get(nobody))[nobody]["status"] == -70409
    await fault(simulator, "crowded", False)
    assert len(await home.accessories()) == 3


# MARK: starts


async def test_a_power_cut_by_name(run, phone):
    """[F36] The fault ends at once, and all stored values are present."""
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    await home.put((*switch, True))
    await fault(simulator, "power-cut")
    await simulator.wait(lambda line: line.get("event") == "restarted" and line["by"] == "power-cut")
    await simulator.wait(lambda line: line.get("event") == "fault" and line["on"] is False)
    assert (await simulator.command("status"))["accessories"][0]["faults"] == []
    assert await home.value(switch) == 1


async def test_a_factory_reset_by_name(run, phone):
    simulator, home, accessories = await paired(run, phone)
    await fault(simulator, "factory-reset")
    status = (await simulator.command("status"))["accessories"][0]
    assert status["faults"] == [] and status["pairings"] == [] and status["deviceID"] != simulator.accessory.device_id


async def test_stored_state_is_lost_in_a_power_cut(run, phone, network):
    """[F36] Only the pairings are lost, or the identity."""
    simulator, home, accessories = await paired(run, phone)
    await fault(simulator, "lost-state")
    assert (await simulator.command("power-cut"))["ok"]
    assert (await simulator.command("status"))["accessories"][0]["pairings"] == []
    await network.wait(simulator.accessory.device_id, sf="1")
    with pytest.raises(AuthenticationError):
        await home.pairing._ensure_connected()
        await home.value(characteristic(accessories, "ON"))
    again = await phone.pair(simulator.accessory)
    assert await again.value(characteristic(accessories, "ON")) == 0
    await fault(simulator, "lost-state:what=identity")
    assert (await simulator.command("reboot"))["ok"]
    status = (await simulator.command("status"))["accessories"][0]
    assert status["pairings"] == [] and status["deviceID"] != simulator.accessory.device_id
    await network.wait(status["deviceID"], sf="1")


async def test_a_truncated_state_file_is_reported_and_not_changed(run, phone, tmp_path):
    """[F36] All accessories with one state folder share this file."""
    state = tmp_path / "state"
    simulator = await run(LAMP, state=state)
    await phone.pair(simulator.accessory)
    assert await simulator.stop() == 0
    file = state / "state.db"
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) * 2 // 3])
    status, output, errors = await run_to_its_end(hapsim(), "run", LAMP, "--state", state, "--bonjour", "off", "--interface", "lo")
    assert status == 3 and "state.db is damaged" in errors and not output
    assert file.read_bytes() == whole[: len(whole) * 2 // 3]


async def test_the_clock_jumps(run, phone):
    """A change that takes time is complete at once."""
    simulator, home, accessories = await paired(run, phone, PROFILES / "garage-door.hasaccessory")
    target, current = characteristic(accessories, "DOOR_STATE_TARGET"), characteristic(accessories, "DOOR_STATE_CURRENT")
    assert await home.subscribe(current) == {}
    await home.put((*target, 0))
    await home.events.wait(current, 2)
    await fault(simulator, "clock-jump:by=1min")
    duration, _ = await took(home.events.wait(current, 0))
    assert duration < 10, "the door itself takes twelve seconds"
    assert (await simulator.command("status"))["accessories"][0]["faults"] == []


# MARK: the accessories of a fault


async def test_two_accessories_of_one_name_have_separate_faults(run, tmp_path):
    profile = json.loads(LAMP.read_text())
    profile["id"] = "twin"
    profile["faults"] = ["slow-read:characteristic=On"]
    path = tmp_path / "twin.hasaccessory"
    path.write_text(json.dumps(profile))
    simulator = await run(LAMP, path, options=("--fault", "silence"))
    faults = [accessory["faults"] for accessory in (await simulator.command("status"))["accessories"]]
    assert faults == [["silence"], ["slow-read:characteristic=On", "silence"]]


async def test_an_accessory_that_is_added_has_its_profiles_faults(run, tmp_path):
    profile = json.loads(LAMP.read_text())
    profile |= {"name": "Another", "faults": ["chunked"]}
    path = tmp_path / "another.hasaccessory"
    path.write_text(json.dumps(profile))
    simulator = await run(BRIDGE)
    assert (await simulator.command("add", profile=str(path)))["ok"]
    assert (await simulator.command("status", accessory="Another"))["accessories"][0]["faults"] == ["chunked"]


# MARK: the record


async def test_a_silent_accessory_withdraws_its_record(run, phone, network):
    """[F2, F3] Its connections stay open."""
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    await fault(simulator, "silence")
    await network.wait_for_goodbye(f"{simulator.accessory.name}._hap._tcp.local.")
    assert await home.value(switch) == 0
    assert (await simulator.command("reboot"))["ok"]
    assert await home.value(switch) == 0
    await fault(simulator, "silence", False)
    await network.wait(simulator.accessory.device_id, sf="0")
    assert [line["event"] for line in simulator.said if line.get("event") == "advertised"] in (["advertised"], ["advertised"] * 2)


async def test_the_record_has_wrong_values(run, phone, network):
    "[F8]"
    simulator = await run(LAMP, options=("--fault", "wrong-sf:sf=0", "--fault", "wrong-config-number:number=77"))
    found = await phone.find(simulator.accessory)
    assert found.description.config_num == 77
    assert found.description.status_flags == 0


async def test_the_record_announces_the_pairing_too_early(run, phone, network):
    """[F8] The record is that of a paired accessory, but the accessory is not paired."""
    simulator = await run(LAMP, options=("--fault", "early-sf", "--fault", "cut-request:message=setup-M5"))
    with pytest.raises(Exception) as failure:
        await pair_setup(await phone.find(simulator.accessory), simulator.accessory.setup_code)
    assert not isinstance(failure.value, AssertionError)
    await network.wait(simulator.accessory.device_id, sf="0")
    assert (await simulator.command("status"))["accessories"][0]["pairings"] == []


async def test_the_record_follows_the_pairing_late(run, phone, network):
    "[F8]"
    simulator = await run(LAMP, options=("--fault", "late-record:by=1500ms"))
    await network.wait(simulator.accessory.device_id, sf="1")
    await phone.pair(simulator.accessory)
    duration, _ = await took(network.wait(simulator.accessory.device_id, sf="0"))
    assert 1 < duration


async def test_the_record_is_frozen(run, phone, network):
    """[F8] The changes that it missed are announced after the fault ends."""
    simulator = await run(LAMP, options=("--fault", "frozen-record"))
    await phone.pair(simulator.accessory)
    with pytest.raises(AssertionError):
        await network.wait(simulator.accessory.device_id, sf="0", patience=1)
    await fault(simulator, "frozen-record", False)
    await network.wait(simulator.accessory.device_id, sf="0")


class Multicast(asyncio.DatagramProtocol):
    """Counts the answers on port 5353 of the loopback interface that contain a name. (python-zeroconf ignores repeated ones.)"""

    def __init__(self, name, wanted):
        self.name = name.encode()
        self.wanted = wanted
        self.enough = asyncio.Event()

    @classmethod
    async def listen(cls, name, wanted):
        listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("224.0.0.251") + socket.inet_aton("127.0.0.1"))
        listener.setblocking(False)
        listener.bind(("224.0.0.251", 5353))
        return await asyncio.get_running_loop().create_datagram_endpoint(lambda: cls(name, wanted), sock=listener)

    def datagram_received(self, data, _):
        if data[2] & 0x80 and self.name in data:
            self.wanted -= 1
            if self.wanted == 0:
                self.enough.set()


async def test_a_storm_of_records(run, phone, network):
    """A controller can still discover the accessory and pair with it."""
    simulator = await run(LAMP, options=("--fault", "record-storm:every=10ms"))
    transport, heard = await Multicast.listen(simulator.accessory.name, 100)
    try:
        await asyncio.wait_for(heard.enough.wait(), PATIENCE)
    finally:
        transport.close()
    home = await phone.pair(simulator.accessory)
    await network.wait(simulator.accessory.device_id, sf="0")
    await fault(simulator, "record-storm", False)
    assert await home.value(characteristic(await home.accessories(), "ON")) == 0


def disconnected(simulator):
    return [line["peer"] for line in simulator.said if line.get("event") == "disconnected"]


async def test_the_record_is_withdrawn_and_announced_in_turn(run, phone, network):
    """Open connections stay open."""
    simulator, home, accessories = await paired(run, phone)
    name = f"{simulator.accessory.name}._hap._tcp.local."
    # The connection of Pair Setup can be reported as closed after this.
    await simulator.wait(lambda line: line.get("event") == "verified")
    session = [line["peer"] for line in simulator.said if line.get("event") == "connected"][-1]
    goodbyes = network.services[name].goodbyes
    await fault(simulator, "record-flap:off=100ms:on=1500ms")
    await network.wait_for_goodbye(name, goodbyes)
    await network.wait(simulator.accessory.device_id)
    await network.wait_for_goodbye(name, goodbyes + 1)
    assert await home.value(characteristic(accessories, "ON")) == 0
    assert session not in disconnected(simulator)
    await fault(simulator, "record-flap", False)
    await network.wait(simulator.accessory.device_id, sf="0")


async def test_another_host_takes_the_name_of_the_accessory(run, phone, network):
    """[F5] The accessory changes its name and keeps its device ID."""
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    name = f"{simulator.accessory.name}._hap._tcp.local."
    await fault(simulator, "rival-name")
    renamed = await simulator.wait(lambda line: line.get("event") == "renamed")
    assert renamed["from"] == simulator.accessory.name
    await simulator.wait(lambda line: line.get("event") == "advertised" and line["name"] == renamed["to"])
    async with asyncio.timeout(PATIENCE):
        async with network._news:
            await network._news.wait_for(lambda: f"{renamed['to']}._hap._tcp.local." in network.services)
    own = await network.wait(simulator.accessory.device_id, sf="0")
    assert own.name == f"{renamed['to']}._hap._tcp.local." and own.port == simulator.accessory.port
    rival = network.services[name]
    assert rival.port == 9 and rival.values["id"] != simulator.accessory.device_id
    assert await home.value(switch) == 0
    goodbyes = rival.goodbyes
    await fault(simulator, "rival-name", False)
    await network.wait_for_goodbye(name, goodbyes)
    assert await home.value(switch) == 0


# MARK: wrong input


@pytest.mark.parametrize(
    "text, message",
    [
        ("latncy", 'there is no fault "latncy": did you mean "latency"?'),
        ("latency:bye=1s", 'there is no member "bye" here: did you mean "by"?'),
        ("latency:by=often", "by is a duration such as 500ms or 2s"),
        ("refuse:connection=5+", "refuse affects the whole accessory, so it can't be limited to connections"),
    ],
)
async def test_a_malformed_fault_is_refused(text, message):
    status, output, errors = await run_to_its_end(hapsim(), "run", LAMP, "--fault", text, "--ephemeral", "--bonjour", "off")
    assert status == 2 and message in errors and not output


async def test_an_impossible_fault_is_refused(run, tmp_path):
    status, _, errors = await run_to_its_end(
        hapsim(), "run", LAMP, "--fault", "slow-read:characteristic=LockCurrentState", "--ephemeral", "--bonjour", "off", "--interface", "lo"
    )
    assert status == 2 and "slow-read" in errors
    simulator = await run(LAMP)
    answer = await simulator.command("fault", fault="stall", value=False)
    assert answer["error"]["message"] == 'the fault "stall" is not on'


async def test_profiles_can_contain_faults(run, tmp_path):
    profile = json.loads(LAMP.read_text())
    profile["faults"] = ["chunked", {"fault": "latency", "by": "10ms"}]
    path = tmp_path / "faulty.hasaccessory"
    path.write_text(json.dumps(profile))
    simulator = await run(path)
    assert (await simulator.command("status"))["accessories"][0]["faults"] == ["chunked", "latency:by=10ms"]
    profile["faults"] = ["chunkd"]
    path.write_text(json.dumps(profile))
    status, output, _ = await run_to_its_end(hapsim(), "validate", path)
    assert status == 1 and 'did you mean "chunked"?' in output
